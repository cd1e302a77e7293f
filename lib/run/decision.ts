import { personOf } from '../commands/person.js';
import { mayDo } from '../core/authority.js';
import { decide, type Verdict } from '../core/gate.js';
import { coverageIn, type Ledger } from '../core/ledger.js';
import type { Snapshot } from '../core/snapshot.js';
import { shouldReview, type Trigger } from '../core/trigger.js';
import { wasAskedFor } from '../core/wish.js';
import type { Deps } from './given.js';

export const decideNow = (ledger: Ledger, snapshot: Snapshot, { realForge }: Deps): Verdict =>
  decide(ledger, {
    policy: snapshot.policy,
    pullRequest: snapshot.pullRequest,
    diff: snapshot.diff,
    diffHash: snapshot.diffHash,
    policyHash: snapshot.policyHash,
    realForge,
    deciders: snapshot.deciders ?? [],
    coverage: coverageIn(ledger, snapshot.diffHash),
  });

/**
 * Another review of the same change by the same rules is not owed. One that was another in between is read again: what was
 * found then may be fixed now.
 */
export const isDecided = (ledger: Ledger, snapshot: Snapshot, deps: Deps): boolean =>
  ledger.passes.at(-1)?.diffHash === snapshot.diffHash &&
  ['passed', 'fix', 'waiting', 'escalated'].includes(decideNow(ledger, snapshot, deps).kind);

export const decisionOn = (
  trigger: Pick<Trigger, 'reason' | 'head'>,
  snapshot: Snapshot,
  ledger: Ledger,
): ReturnType<typeof shouldReview> =>
  shouldReview(trigger, snapshot, {
    followed: ledger.passes.length > 0 || wasAskedFor(ledger),
    ...(ledger.paused !== undefined && { paused: ledger.paused }),
  });

/** Nobody has read this change as it is. */
export const isUnread = (verdict: Verdict): boolean =>
  verdict.kind === 'incomplete' && verdict.reason.kind === 'not_reviewed';

/**
 * Whether this event may bring a review that is missing. Where one failed, that is up to who may start one: else anybody
 * would start it again with every comment.
 */
export function mayCatchUp(trigger: Trigger, snapshot: Snapshot, ledger: Ledger): boolean {
  if (ledger.passes.some(({ head, finished }) => finished && head === trigger.head)) return true;
  const { role, about } = personOf({ by: trigger.sender, writer: 'person' }, { ...snapshot, ledger });
  return mayDo('start_review', role, about).kind === 'may';
}
