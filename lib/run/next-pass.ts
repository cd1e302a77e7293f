import { streakOf } from '../core/gate.js';
import type { Snapshot } from '../core/snapshot.js';
import type { Trigger } from '../core/trigger.js';
import type { Reviewed } from '../modes/run-review.js';
import { goesOnLater } from '../agent/run-journal.js';
import type { Claim, PullRequestForge } from '../ports/forge.js';
import type { Deps } from './given.js';

/**
 * Whether the next pass is to come without a commit and without anybody's word: the time was up before it. Each run that
 * brings another one has made the row of clean passes longer, so a head has no more of them than passes are required.
 */
export function isNextPassOwed(
  { before, ledger, verdict, failed }: Reviewed,
  { diffHash, policyHash }: Pick<Snapshot, 'diffHash' | 'policyHash'>,
): boolean {
  if (verdict.kind !== 'review_again' || ledger.paused !== undefined) return false;
  // What the next try would meet again: a limit of money, a refusal.
  if (failed !== null && !goesOnLater(failed)) return false;
  const change = { diffHash, policyHash, withRules: true };
  return streakOf(ledger, change) > streakOf(before, change);
}

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
