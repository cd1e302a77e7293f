import type { Permission, WriterKind } from './conversation.js';
import type { Author } from './pull-request.js';

/**
 * Who somebody is to a pull request. Rights go before authorship: an author who maintains the repository is a
 * `maintainer`, and what authors may not do is asked of `ActContext.isAuthor`.
 */
export const roles = [
  'author_without_write',
  'author_with_write',
  'writer',
  'maintainer',
  'admin',
  'agent',
  'bot',
  'other',
] as const;
export type Role = (typeof roles)[number];

export const acts = [
  'answer',
  'dismiss_nit',
  'dismiss_important',
  'confirm',
  'override',
  'pause',
  'forget',
  'escalate',
  'start_review',
  'command',
] as const;
export type Act = (typeof acts)[number];

/** `pending`: it counts once somebody who may do it confirms with `ok`. */
export type Allowance = 'may' | 'pending' | 'may_not';

/** With a sentence for people: whose word it takes, or what it rests on. */
export type MayDo = { readonly kind: Allowance; readonly why: string };

/** Who may do what, before the rules below and the settings of a repository. */
export const authorityTable: Readonly<Record<Act, Readonly<Record<Role, Allowance>>>> = {
  answer: row('pending', 'may', 'may', 'may', 'may', 'may_not', 'may_not', 'may_not'),
  dismiss_nit: row('may', 'may', 'may', 'may', 'may', 'may_not', 'may_not', 'may_not'),
  dismiss_important: row('pending', 'may', 'may', 'may', 'may', 'may_not', 'may_not', 'may_not'),
  confirm: row('may_not', 'may_not', 'may', 'may', 'may', 'may_not', 'may_not', 'may_not'),
  override: row('may_not', 'may_not', 'may_not', 'may', 'may', 'may_not', 'may_not', 'may_not'),
  pause: row('may_not', 'may', 'may', 'may', 'may', 'may_not', 'may_not', 'may_not'),
  forget: row('may', 'may', 'may', 'may', 'may', 'may_not', 'may_not', 'may_not'),
  escalate: row('may', 'may', 'may', 'may', 'may', 'may', 'may_not', 'may_not'),
  start_review: row('may_not', 'may', 'may', 'may', 'may', 'may_not', 'may_not', 'may_not'),
  command: row('may', 'may', 'may', 'may', 'may', 'may', 'may_not', 'may_not'),
};

/** Levels that a repository asks for. Absent: the default. */
export type AuthoritySettings = {
  /** `author`: also the author, pending where they may not write. */
  readonly answer: 'author' | 'write' | 'maintain';
  readonly dismiss: 'write' | 'maintain' | 'admin';
  readonly override: 'write' | 'maintain' | 'admin';
};

export const defaultAuthority: AuthoritySettings = {
  answer: 'author',
  dismiss: 'write',
  override: 'maintain',
};

/** What an act is about. */
export type ActContext = {
  readonly isAuthor: boolean;
  /** The change counts as an agent's, or nobody knows whose it is. */
  readonly agentsPull: boolean;
  /** Whether it would take an important finding of this change away. `no` to a question does not. Absent: it would. */
  readonly clears?: boolean;
  readonly settings?: Partial<AuthoritySettings>;
  /** Whether somebody who may start a review has: then its author may ask for the next one. */
  readonly started?: boolean;
  /** For `confirm`: what would be confirmed. Absent: whatever takes most. */
  readonly confirms?: Act;
  /** The author's login, for the sentence. */
  readonly author?: string;
};

/** The role of an account, by its live rights. */
export function roleOf({
  login,
  writer,
  permission,
  isAuthor,
  author,
  isAgentAccount = false,
}: {
  readonly login: string;
  readonly writer: WriterKind;
  readonly permission: Permission | undefined;
  readonly isAuthor: boolean;
  readonly author?: Author;
  /** By the rule that also says whose changes are an agent's. */
  readonly isAgentAccount?: boolean;
}): Role {
  const opened = isAuthor || login.toLowerCase() === author?.login.toLowerCase();
  if (isAgentAccount) return 'agent';
  if (writer === 'bot' || login.endsWith('[bot]'))
    return opened && author?.kind === 'agent' ? 'agent' : 'bot';
  if (writer === 'ghost') return 'other';
  switch (permission) {
    case 'admin':
      return 'admin';
    case 'maintain':
      return 'maintainer';
    case 'write':
      return opened ? 'author_with_write' : 'writer';
    case 'triage':
    case 'read':
    case 'none':
    case undefined:
      return opened ? 'author_without_write' : 'other';
  }
}

/** What holds beside the table. The first that says something decides. */
export const authorityRules: readonly {
  readonly words: string;
  readonly decide: (act: Act, role: Role, context: ActContext) => Allowance | null;
}[] = [
  {
    words: 'Bots and agents never answer, dismiss, confirm or override, whatever rights their accounts have.',
    decide: (act, role) => (isMachine(role) && decides(act) ? 'may_not' : null),
  },
  {
    words:
      "An answer that clears nothing (`no`, or one about a nit or old code) counts at once from the author, on an agent's pull request too.",
    decide: (act, role, { clears }) =>
      act === 'answer' && clears === false && (isAuthorRole(role) || rankOf(role) > 0) ? 'may' : null,
  },
  {
    words:
      "On a pull request that counts as an agent's, its author may not clear an important finding: no answer, dismissal, confirmation or override, whatever their rights. Somebody else with them may.",
    decide: (act, _role, { isAuthor, agentsPull }) =>
      isAuthor && agentsPull && decides(act) && act !== 'dismiss_nit' ? 'may_not' : null,
  },
  {
    words:
      'The setting `authority.answer` (`author`, `write` or `maintain`; default `author`) says who answers.',
    decide: (act, role, { settings }) => {
      if (act !== 'answer') return null;
      const level = settings?.answer ?? defaultAuthority.answer;
      if (level === 'author' || rankOf(role) >= rankOfLevel(level)) return null;
      return rankOf(role) > 0 ? 'pending' : 'may_not';
    },
  },
  {
    words:
      'The setting `authority.dismiss` (`write`, `maintain` or `admin`; default `write`) says who dismisses an important finding. From those with fewer rights it waits for an `ok`.',
    decide: (act, role, { settings }) => {
      if (act !== 'dismiss_important') return null;
      const level = settings?.dismiss ?? defaultAuthority.dismiss;
      return rankOf(role) > 0 && rankOf(role) < rankOfLevel(level) ? 'pending' : null;
    },
  },
  {
    words:
      'The setting `authority.override` (`write`, `maintain` or `admin`; default `maintain`) says who overrides. Nobody overrides their own change with write access alone.',
    decide: (act, role, { settings }) => {
      if (act !== 'override' || rankOf(role) === 0 || role === 'author_with_write') return null;
      return rankOf(role) >= rankOfLevel(settings?.override ?? defaultAuthority.override) ? 'may' : 'may_not';
    },
  },
  {
    words: 'Who confirms with `ok` could have done it alone.',
    decide: (act, role, { settings, confirms }) =>
      act === 'confirm' && rankOf(role) < confirmRank(confirms, settings) ? 'may_not' : null,
  },
  {
    words:
      'An author without write access, or an agent, does not start the first review. Once somebody who may has started one, its author may ask for the next.',
    decide: (act, role, { started, isAuthor }) =>
      act === 'start_review' && started === true && isAuthor && (isAuthorRole(role) || role === 'agent')
        ? 'may'
        : null,
  },
];

/** Whether somebody may do something here, and why in words for them. */
export function mayDo(act: Act, role: Role, context: ActContext): MayDo {
  const kind = allowanceOf(act, role, context);
  switch (kind) {
    case 'may':
      return {
        kind,
        why: rankOf(role) > 0 ? 'They have the rights for it here.' : 'They opened the change.',
      };
    case 'pending':
      return { kind, why: `It counts when ${whoConfirms(act, context)} replies \`ok\`.` };
    case 'may_not':
      return { kind, why: whoMay(act, role, context) };
  }
}

function allowanceOf(act: Act, role: Role, context: ActContext): Allowance {
  for (const { decide } of authorityRules) {
    const decided = decide(act, role, context);
    if (decided !== null) return decided;
  }
  return authorityTable[act][role];
}

function whoMay(act: Act, role: Role, context: ActContext): string {
  const { isAuthor, agentsPull, settings = {}, author } = context;
  if (isMachine(role) && decides(act)) return 'A person decides this one: bots and agents do not.';
  if (isAuthor && agentsPull && decides(act))
    return `This counts as an agent's change, so ${withLevel(levelFor(act, context))} other than its author decides this one.`;
  switch (act) {
    case 'answer': {
      const level = settings.answer ?? defaultAuthority.answer;
      const someone = withLevel(level === 'author' ? 'write' : level);
      return level === 'author' && !agentsPull
        ? `${author ?? 'The author'} or ${someone} decides this one.`
        : `${upperFirst(someone)} decides this one.`;
    }
    case 'dismiss_nit':
    case 'forget':
      return `${author ?? 'The author'} or ${withLevel('write')} decides this one.`;
    case 'dismiss_important':
    case 'override':
      return `${upperFirst(withLevel(levelFor(act, context)))} decides this one.`;
    case 'confirm':
      return `${upperFirst(withLevel(levelFor(act, context)))} other than the author confirms this.`;
    case 'pause':
      return `${upperFirst(withLevel('write'))} can do this.`;
    case 'start_review':
      return `${upperFirst(withLevel('write'))} starts it with \`/evident review\`.`;
    case 'escalate':
    case 'command':
      return `${author ?? 'The author'} or ${withLevel('write')} can do this.`;
  }
}

const whoConfirms = (act: Act, context: ActContext): string => {
  const someone = withLevel(levelFor('confirm', { ...context, confirms: act }));
  return context.agentsPull ? `${someone}, other than the author,` : someone;
};

type Level = 'write' | 'maintain' | 'admin';

function levelFor(act: Act, { settings, confirms }: ActContext): Level {
  switch (act) {
    case 'override':
      return settings?.override ?? defaultAuthority.override;
    case 'dismiss_important':
      return settings?.dismiss ?? defaultAuthority.dismiss;
    case 'answer':
      return settings?.answer === 'maintain' ? 'maintain' : 'write';
    case 'confirm':
      return levels.find((level) => rankOfLevel(level) === confirmRank(confirms, settings)) ?? 'write';
    case 'dismiss_nit':
    case 'forget':
    case 'pause':
    case 'escalate':
    case 'start_review':
    case 'command':
      return 'write';
  }
}

const withLevel = (level: Level): string =>
  level === 'admin' ? 'an administrator' : `someone with ${level} access`;

const levels: readonly Level[] = ['write', 'maintain', 'admin'];

const confirmRank = (confirms: Act | undefined, settings: ActContext['settings']): number => {
  const what = confirms === undefined ? (['answer', 'dismiss_important'] as const) : [confirms];
  return Math.max(
    ...what.map((act) => rankOfLevel(levelFor(act, { isAuthor: false, agentsPull: false, settings }))),
  );
};

/** 0: may not write. */
const rankOf = (role: Role): number => {
  switch (role) {
    case 'admin':
      return 3;
    case 'maintainer':
      return 2;
    case 'writer':
    case 'author_with_write':
      return 1;
    case 'author_without_write':
    case 'agent':
    case 'bot':
    case 'other':
      return 0;
  }
};

const rankOfLevel = (level: 'author' | Level): number => (level === 'author' ? 0 : levels.indexOf(level) + 1);

const isMachine = (role: Role): boolean => role === 'agent' || role === 'bot';

const isAuthorRole = (role: Role): boolean => role === 'author_without_write' || role === 'author_with_write';

const decides = (act: Act): boolean =>
  ['answer', 'dismiss_nit', 'dismiss_important', 'confirm', 'override'].includes(act);

const upperFirst = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

function row(
  ...allowances: readonly Allowance[] & { readonly length: 8 }
): Readonly<Record<Role, Allowance>> {
  return Object.fromEntries(roles.map((role, index) => [role, allowances[index]])) as Record<Role, Allowance>;
}
