import type { AgentSettings } from './policy.js';
import type { Author } from './pull-request.js';
import { branchMatches } from './search.js';

/** What a forge says about who opened a pull request. `login` is null for a deleted account. */
export type AuthorFacts = {
  readonly login: string | null;
  readonly isBot: boolean;
  readonly branch: string;
  readonly labels: readonly string[];
  /** Messages of its commits, where they were read: trailers are a hint that is shown, and decide nothing. */
  readonly commitMessages?: readonly string[];
};

/**
 * Whose change it is, by rules that are shown and never by a model. A bot that updates dependencies is told apart
 * from an agent that writes code; a person's account may carry an agent's work, which its branch or a label says.
 * Settings add to the rules and take none away.
 */
export function classifyAuthor(facts: AuthorFacts, settings?: Partial<AgentSettings>): Author {
  const { login, isBot, branch, labels } = facts;
  if (login === null || login.toLowerCase() === 'ghost')
    return { login: 'ghost', kind: 'unknown', because: 'the account was deleted' };
  const listed = namedIn(settings?.logins, login);
  if (!listed && dependencyBots.has(plainLogin(login)))
    return { login, kind: 'dependency_bot', because: `\`${login}\` updates dependencies` };
  const agent = (because: string): Author => ({ login, kind: 'agent', because });
  if (listed) return agent(`\`${login}\` is listed in the settings`);
  if (agentLogins.has(plainLogin(login))) return agent(`\`${login}\` is an agent's account`);
  if (isBot || login.endsWith('[bot]')) return agent(`\`${login}\` is a bot`);
  if (agentBranch.test(branch)) return agent(`branch \`${branch}\``);
  const glob = settings?.branches?.find((one) => branchMatches(one, branch));
  if (glob !== undefined) return agent(`branch \`${branch}\`, by \`${glob}\` in the settings`);
  const label = labels.find((given) => agentLabel.test(given) || namedIn(settings?.labels, given));
  if (label !== undefined) return agent(`label \`${label}\``);
  const hint = hintOf(facts.commitMessages ?? []);
  return { login, kind: 'person', ...(hint !== undefined && { hint }) };
}

/** Whether an account is an agent's or a bot that writes code, whoever opened the change. */
export function isAgentAccount(login: string, settings?: Partial<AgentSettings>): boolean {
  return namedIn(settings?.logins, login) || agentLogins.has(plainLogin(login));
}

/** A trailer in which an agent signs a commit, in words. Anybody can write one, and leave it out. */
function hintOf(messages: readonly string[]): string | undefined {
  for (const message of messages)
    for (const line of message.slice(-MAX_TRAILERS).split('\n')) {
      const [, name = '', value = ''] = trailer.exec(line.trim()) ?? [];
      const [, who = ''] = /^([^<]{1,80})/.exec(value) ?? [];
      const words = who.toLowerCase().match(/[a-z]+/g) ?? [];
      if (/^(?:assisted|generated)-by$/i.test(name) || words.some((word) => agentWords.has(word)))
        return `a commit says \`${name}: ${who.replaceAll('`', '').trim()}\``;
    }
  return undefined;
}

const MAX_TRAILERS = 2_000;

const trailer = /^(co-authored-by|assisted-by|generated-by):\s*(.+)$/i;

/** A login as it is compared: without the `[bot]` that some of GitHub's texts have and others leave out. */
export const plainLogin = (login: string): string => login.toLowerCase().replace(/\[bot\]$/, '');

const namedIn = (names: readonly string[] | undefined, name: string): boolean =>
  names?.some((one) => plainLogin(one) === plainLogin(name)) === true;

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

/** Accounts under which agents write on GitHub; some of them are of the type that persons have. */
const agentLogins: ReadonlySet<string> = new Set([
  'copilot',
  'copilot-swe-agent',
  'claude',
  'chatgpt-codex-connector',
  'cursoragent',
  'devin-ai-integration',
  'google-labs-jules',
  'openhands-agent',
  'sweep-ai',
]);

const agentWords: ReadonlySet<string> = new Set([
  'aider',
  'claude',
  'codex',
  'copilot',
  'cursor',
  'devin',
  'jules',
  'openhands',
]);

const agentBranch = /^(?:agent|copilot|codex|claude|cursor|devin)\//;

const agentLabel = /^(?:agent|ai|ai[- ]generated|ai[- ]authored|codex|claude|copilot|cursor|devin)$/i;
