import type { Author } from './pull-request.js';

/** What a forge says about who opened a pull request. `login` is null for a deleted account. */
export type AuthorFacts = {
  readonly login: string | null;
  readonly isBot: boolean;
  readonly branch: string;
  readonly labels: readonly string[];
};

/**
 * Whose change it is, by rules that are shown and never by a model. A bot that updates dependencies is told apart
 * from an agent that writes code; a person's account may carry an agent's work, which its branch or a label says.
 */
export function classifyAuthor({ login, isBot, branch, labels }: AuthorFacts): Author {
  if (login === null || login.toLowerCase() === 'ghost')
    return { login: 'ghost', kind: 'unknown', because: 'the account was deleted' };
  const name = login.toLowerCase().replace(/\[bot\]$/, '');
  if (dependencyBots.has(name))
    return { login, kind: 'dependency_bot', because: `\`${login}\` updates dependencies` };
  if (isBot || login.endsWith('[bot]')) return { login, kind: 'agent', because: `\`${login}\` is a bot` };
  if (agentBranch.test(branch)) return { login, kind: 'agent', because: `branch \`${branch}\`` };
  const label = labels.find((given) => agentLabel.test(given));
  if (label !== undefined) return { login, kind: 'agent', because: `label \`${label}\`` };
  return { login, kind: 'person' };
}

const dependencyBots: ReadonlySet<string> = new Set([
  'dependabot',
  'dependabot-preview',
  'renovate',
  'renovate-bot',
  'greenkeeper',
  'snyk-bot',
  'depfu',
  'pyup-bot',
  'scala-steward',
]);

const agentBranch = /^(?:agent|copilot|codex|claude|cursor|devin)\//;

const agentLabel = /^(?:agent|ai|ai[- ]generated|ai[- ]authored|codex|claude|copilot|cursor|devin)$/i;
