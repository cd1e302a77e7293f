import { streakOf } from '../core/gate.js';
import type { Ledger } from '../core/ledger.js';
import type { Snapshot } from '../core/snapshot.js';
import { shouldReview, type Trigger } from '../core/trigger.js';
import type { Reviewed } from '../modes/run-review.js';
import { goesOnLater } from '../agent/run-journal.js';
import type { Claim, PullRequestForge } from '../ports/forge.js';
import type { Deps, Turn } from './given.js';

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
  if (trigger.reason === 'next_pass' && had === 0) return false;
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
  trigger: Trigger,
  claim: Claim,
  { deps, forge }: { readonly deps: Deps; readonly forge: PullRequestForge },
): Promise<void> {
  const { owner, repo, number, head, installation, sender } = trigger;
  const place = { pullRequest: `${owner}/${repo}#${number}`, head };
  const job = { kind: 'check', wish: 'next_pass', owner, repo, number, head, installation, sender } as const;
  if (deps.follow?.(job) === true) return deps.log.info(place, 'the next pass follows in this process');
  if (await forge.bringBack(claim)) return deps.log.info(place, 'the next pass was asked for');
  deps.log.warn(place, 'the next pass waits for the next event');
}
