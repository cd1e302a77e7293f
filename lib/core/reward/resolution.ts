import { isAgentAccount, plainLogin } from '../author.js';
import type { AgentSettings } from '../policy.js';
import { ownStanding } from './own-thread.js';
import type { ReviewedPull, ReviewedThread } from './reviewed-pull.js';

/**
 * When a thread counts as resolved that the pull request's author or an agent closed: `lines` when the lines it stands on
 * changed, `commit` when any commit came after it, `trust` always.
 */
export type SelfResolved = 'lines' | 'commit' | 'trust';

export type ResolutionRules = {
  readonly selfResolved: SelfResolved;
  readonly agents: AgentSettings;
  /** Logins under which Evident reviews; empty: any account's marker counts. */
  readonly evident: readonly string[];
};

/**
 * Whether what the thread says is done with. A closed thread is, unless those whose work it is about closed it and nothing
 * changed. A thread of ours is also done with when its hidden line says so: not every token may close a thread.
 */
export function isDoneWith(thread: ReviewedThread, pull: ReviewedPull, rules: ResolutionRules): boolean {
  if (ownStanding(thread, rules.evident)?.settled === true) return true;
  if (!thread.resolved) return false;
  return rules.selfResolved === 'trust' || !isSelfResolved(thread, pull, rules) || isChanged(thread, rules);
}

function isSelfResolved(thread: ReviewedThread, pull: ReviewedPull, rules: ResolutionRules): boolean {
  const { resolvedBy } = thread;
  // Not told who it was.
  if (resolvedBy === undefined) return false;
  if (resolvedBy === null) return pull.author === null;
  if (isSame(resolvedBy, pull.author)) return true;
  // A reviewer that takes its own word back is no judge of its own work.
  if (isSame(resolvedBy, thread.author)) return false;
  return (
    thread.resolvedByBot === true || resolvedBy.endsWith('[bot]') || isAgentAccount(resolvedBy, rules.agents)
  );
}

function isChanged(
  { linesChanged, laterCommit }: ReviewedThread,
  { selfResolved }: ResolutionRules,
): boolean {
  if (linesChanged === true) return true;
  return laterCommit === true
    ? selfResolved === 'commit' || linesChanged === undefined
    : linesChanged === undefined && laterCommit === undefined;
}

const isSame = (one: string, other: string | null | undefined): boolean =>
  other !== null && other !== undefined && plainLogin(one) === plainLogin(other);
