import type { PastPull } from '../past-pull.js';
import type { Look } from './look.js';

/**
 * A push after somebody looked and left something to fix. `minor`: of the threads left, only nits and old code were
 * dealt with, and nothing blocked; `unclear`: none was.
 */
export type FixRound = 'important' | 'minor' | 'unclear';

/**
 * Fix rounds, in their order. Looks and pushes alternate: however many reviews come before a push and however many
 * pushes before the next review, it is one round. A merge of the base is no push, and a push after looks that left
 * nothing is no round. `looks` is oldest first.
 */
export function fixRounds(
  pull: Pick<PastPull, 'commits' | 'checks'>,
  looks: readonly Look[],
): readonly FixRound[] {
  const arrivals = arrivalsOf(pull, looks);
  const rounds: FixRound[] = [];
  let since: Look[] = [];
  for (const [index, look] of looks.entries()) {
    since.push(look);
    if (!isPushed(look, looks[index + 1], arrivals, pull)) continue;
    if (since.some(({ thread, blocks }) => blocks || thread !== null)) rounds.push(roundOf(since));
    since = [];
  }
  return rounds;
}

/**
 * When each commit was first seen on the pull request (epoch milliseconds): a check began on it or on a later one, or
 * somebody looked at one. A commit's own date is when it was made, not when it was pushed: it serves only where a look
 * names no commit. Infinity: nobody saw it, so it came after all looks. Merges are left out.
 */
function arrivalsOf(
  { commits, checks }: Pick<PastPull, 'commits' | 'checks'>,
  looks: readonly Look[],
): readonly number[] {
  const firstSeen = new Map<string, number>();
  const see = (sha: string | undefined, at: number): void => {
    if (sha !== undefined && !Number.isNaN(at))
      firstSeen.set(sha, Math.min(at, firstSeen.get(sha) ?? Infinity));
  };
  for (const { sha, startedAt } of checks) if (startedAt !== null) see(sha, Date.parse(startedAt));
  for (const { sha, at } of looks)
    see(sha ?? commits.findLast((commit) => Date.parse(commit.at) <= at)?.sha, at);
  let at = Infinity;
  return commits
    .toReversed()
    .map(({ sha, parents }) => {
      at = Math.min(at, firstSeen.get(sha) ?? Infinity);
      return parents > 1 ? null : at;
    })
    .filter((one) => one !== null);
}

/** Between a look and the next one, or after the last. */
function isPushed(
  look: Look,
  next: Look | undefined,
  arrivals: readonly number[],
  { commits }: Pick<PastPull, 'commits'>,
): boolean {
  const until = next?.at ?? Infinity;
  if (arrivals.some((at) => at > look.at && at <= until)) return true;
  // A forced push took away what they looked at.
  const { sha } = next ?? {};
  return (
    look.sha !== null &&
    typeof sha === 'string' &&
    sha !== look.sha &&
    commits.every((commit) => commit.sha !== sha)
  );
}

function roundOf(looks: readonly Look[]): FixRound {
  const done = looks.flatMap(({ thread }) => (thread?.fate === 'done' ? [thread] : []));
  if (looks.some(({ blocks }) => blocks) || done.some(({ isMinor }) => !isMinor)) return 'important';
  return done.length > 0 ? 'minor' : 'unclear';
}
