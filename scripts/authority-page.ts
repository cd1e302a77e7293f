import {
  acts,
  authorityRules,
  authorityTable,
  roles,
  type Act,
  type Allowance,
  type Role,
} from '../lib/core/authority.js';
import { table } from './table.js';

const intro = `# Who may do what

Written by \`scripts/write-authority.ts\` from the table in \`lib/core/authority.ts\`; edit that. Rights are the live ones of the account in the repository: they are
looked up when its words are read, and what they allow then decides. Only what a person wrote themself counts, as it stands now; a text that somebody else
edited is nobody's word. Resolving a thread decides nothing.

_may_: it has its effect at once. _pending_: it counts once somebody who may do it alone replies \`ok\`. Where the cell is empty, it has no effect, and the writer is told
in one line whose word it takes; bots and agents are told nothing.`;

const roleWords: Readonly<Record<Role, string>> = {
  author_without_write: 'author without write access',
  author_with_write: 'author with write access',
  writer: 'other with write access',
  maintainer: 'maintain access',
  admin: 'administrator',
  agent: 'agent',
  bot: 'bot',
  other: 'anybody else',
};

const actWords: Readonly<Record<Act, string>> = {
  answer: 'answer a question',
  dismiss_nit: 'dismiss a nit or old code',
  dismiss_important: 'dismiss an important finding; approve a change that waits for a person',
  confirm: "confirm an author's word (`ok`)",
  override: '`/evident override`',
  pause: '`/evident pause`, `resume`',
  forget: '`/evident memory forget`',
  escalate: 'ask for a person',
  start_review: '`/evident review`',
  command: '`/evident status`, `memory`, `config`, `help`',
};

/** Who somebody is, by rows of rights and not of names: an author who maintains the repository is in that column. */
export function authorityPage(): string {
  const rows = acts.map((act) => [actWords[act], ...roles.map((role) => cell(authorityTable[act][role]))]);
  const parts = [
    intro,
    table(['', ...roles.map((role) => roleWords[role])], rows),
    'An author who has maintain access or administers the repository is in that column. An agent is an account that the rules or the settings name as one; triage access counts as none.',
    'Beside the table, the first of these that applies decides:',
    authorityRules.map(({ words }, index) => `${index + 1}. ${words}`).join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

const cell = (allowance: Allowance): string => (allowance === 'may_not' ? '' : allowance);
