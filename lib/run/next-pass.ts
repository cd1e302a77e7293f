import { comingAfter, pauses, type Attempt } from '../core/attempt.js';
import { ForgeError } from '../core/errors.js';
import { streakOf } from '../core/gate.js';
import type { Ledger } from '../core/ledger.js';
import type { Ending } from '../core/publication.js';
import type { Snapshot } from '../core/snapshot.js';
import { shouldReview, type Incoming, type Trigger } from '../core/trigger.js';
import type { Reviewed } from '../modes/run-review.js';
import { goesOnLater } from '../agent/run-journal.js';
import type { Claim, PullRequestForge } from '../ports/forge.js';
import type { Ended, Following } from './following.js';
import type { Deps, Turn } from './given.js';

/** What follows a run that read the pull request. */
export function followingOf(
  reviewed: Pick<Reviewed, 'ledger' | 'verdict' | 'failed'>,
  snapshot: Snapshot,
  turn: Turn,
  { attempt, ...at }: Ended,
): Following {
  // Where nobody waits, what was earned brings the next pass at once: it is tried, and counted.
  if ((attempt === null || !at.waits) && isNextPassOwed(reviewed, snapshot, turn))
    return { kind: 'next_pass' };
  if (attempt === null) return { kind: 'nothing' };
  const isOver = !['review_again', 'incomplete'].includes(reviewed.verdict.kind);
  if (isOver || reviewed.ledger.paused !== undefined) return { kind: 'nothing' };
  const next = shouldReview({ reason: 'next_pass', head: turn.trigger.head }, snapshot, { followed: true });
  return next.kind === 'review'
    ? againAfter(attempt, turn.claim, { ...at, attempts: reviewed.ledger.attempts ?? [] })
    : { kind: 'nothing' };
}

/** What follows the attempt alone: where nothing could be read, nothing else is known. */
export function againAfter(
  attempt: Attempt,
  claim: Claim,
  {
    attempts,
    waits,
    ...at
  }: {
    readonly attempts: readonly Attempt[];
    readonly now: number;
    readonly notBefore?: number;
    /** This process lives on and waits. */
    readonly waits: boolean;
  },
): Following {
  // Only a check of ours keeps how often it was tried: without one every run would be the first.
  if (claim.kind !== 'claimed') return { kind: 'nothing' };
  const coming = comingAfter(attempts, attempt, at);
  const { why } = attempt;
  if (coming.kind === 'stops') return { ...coming, why };
  const how = waits ? 'timer' : why === 'time' ? 'queue' : 'event';
  return { kind: 'again', how, at: coming.at, why };
}

/** A run that was cut off, or met somebody busy, as it is kept; null: it ended for another reason. */
export const attemptOf = (
  { stopped }: Pick<Reviewed, 'stopped'>,
  { head }: Trigger,
  now: number,
): Attempt | null => (stopped === undefined ? null : { ...stopped, head, at: now });

/** The same where the forge failed before anything was read, or afterwards. */
export const busyAttempt = (ending: Ending, { head }: Trigger, now: number): Attempt | null =>
  ending.kind === 'failed' && ending.retryable && ending.by === 'forge'
    ? { head, at: now, why: 'busy', pass: '', read: 0 }
    : null;

/** A run as it will be known by those after it. */
export const withAttempt = (reviewed: Reviewed, attempt: Attempt | null): Reviewed =>
  attempt === null
    ? reviewed
    : {
        ...reviewed,
        ledger: { ...reviewed.ledger, attempts: [...(reviewed.ledger.attempts ?? []), attempt] },
      };

/**
 * Whether the next pass is to come without a commit and without anybody's word: the time was up before it. Each run that
 * brings another one has made the row of clean passes longer, so a head has no more of them than passes are required.
 */
export function isNextPassOwed(
  { ledger, verdict, failed }: Pick<Reviewed, 'ledger' | 'verdict' | 'failed'>,
  snapshot: Snapshot,
  { trigger, claim, before }: Turn,
): boolean {
  if (verdict.kind !== 'review_again' || ledger.paused !== undefined) return false;
  // Only a check of ours keeps what was earned: without one every run would be the first.
  if (claim.kind !== 'claimed') return false;
  // What the next try would meet again: a limit of money, a refusal.
  if (failed !== null && !goesOnLater(failed)) return false;
  const had = rowOf(before, snapshot);
  // It was brought by a run that earned something, and nothing of that can be read: it would be so again.
  const isKept =
    had > 0 || (claim.died ?? 0) > 0 || (before.attempts ?? []).some(({ head }) => head === trigger.head);
  if (trigger.reason === 'next_pass' && !isKept) return false;
  const next = shouldReview({ reason: 'next_pass', head: trigger.head }, snapshot, { followed: true });
  return rowOf(ledger, snapshot) > had && next.kind === 'review';
}

/** The same change against another branch stands on other code. */
const rowOf = ({ findings, passes }: Ledger, { diffHash, policyHash, pullRequest }: Snapshot): number =>
  streakOf(
    { findings, passes: passes.filter(({ baseRef }) => baseRef === pullRequest.base.ref) },
    { diffHash, policyHash, withRules: true },
  );

/** By the runner where this process lives long enough, else by the forge's own queue. Never throws. */
export async function bringNextPass(
  following: Following,
  trigger: Trigger,
  claim: Claim,
  { deps, forge }: { readonly deps: Deps; readonly forge: PullRequestForge },
): Promise<void> {
  if (following.kind === 'nothing' || following.kind === 'stops') return;
  const { owner, repo, number, head, installation, sender } = trigger;
  const job = { kind: 'check', wish: 'next_pass', owner, repo, number, head, installation, sender } as const;
  const at = following.kind === 'again' && following.how !== 'queue' ? following.at : undefined;
  const place = {
    pullRequest: `${owner}/${repo}#${number}`,
    head,
    ...(at !== undefined && { at: new Date(at).toISOString() }),
  };
  if (following.kind === 'again' && following.how === 'event')
    return deps.log.warn(place, 'the review waits for the next event after that time');
  if (deps.follow?.(job, at) === true) return deps.log.info(place, 'the next pass follows in this process');
  if (at === undefined && (await forge.bringBack(claim)))
    return deps.log.info(place, 'the next pass was asked for');
  deps.log.warn(place, 'the next pass waits for the next event');
}

/** When an event is handled again of which nothing was begun; null: not by itself. Epoch milliseconds. */
export function whenToTry(error: unknown, { putOff = 0 }: Incoming, now: number): number | null {
  if (!(error instanceof ForgeError) || !error.retryable) return null;
  const pause = pauses.busy[putOff];
  return pause === undefined ? null : now + Math.max(pause * 60_000, error.retryAfterMs ?? 0);
}
