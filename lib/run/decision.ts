import { personOf } from '../commands/person.js';
import { mayDo } from '../core/authority.js';
import { decide, type Verdict } from '../core/gate.js';
import { coverageIn, type Ledger } from '../core/ledger.js';
import { newRulings } from '../core/publication.js';
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

/** Something blocks, and the newest pass read another change than the one that stands now. */
export const isOfAnother = (
  { passes }: Ledger,
  { kind }: Verdict,
  { diffHash }: Pick<Snapshot, 'diffHash'>,
): boolean => ['fix', 'escalated'].includes(kind) && passes.at(-1)?.diffHash !== diffHash;

/** Nobody has read this change as it is. */
export const isUnread = (verdict: Verdict): boolean =>
  verdict.kind === 'incomplete' && verdict.reason.kind === 'not_reviewed';

/**
 * Whether this event may bring a review that is missing. Where one failed, that is up to who may start one: else anybody
 * would start it again with every comment.
 */
export const mayCatchUp = (trigger: Trigger, snapshot: Snapshot, ledger: Ledger): boolean =>
  ledger.passes.some(({ head, finished }) => finished && head === trigger.head) ||
  mayStart(trigger, snapshot, ledger);

/**
 * Whether an event in a conversation may bring a review that nobody asked for. Where the last one of this head ended
 * without what it was for, or nobody can tell, that is up to who may start one: a label, an approval or a resolved thread of
 * anybody would start it again each time.
 */
export function mayGoOn(trigger: Trigger, look: Looked, ledger: Ledger): boolean {
  const { ref } = look.pullRequest.base;
  const head = look.heads.findLast(({ sha, base }) => sha === trigger.head && (base ?? ref) === ref);
  return (head !== undefined && head.ended !== true) || mayStart(trigger, look, ledger);
}

/** Who made the event, or whose words are acted on with it: several events may be one run. */
export const mayStart = (trigger: Trigger, look: Looked, ledger: Ledger): boolean =>
  [
    { by: trigger.sender, writer: 'person' as const },
    ...newRulings(ledger).flatMap(({ statement, outcome }) =>
      outcome.kind === 'applied' ? [statement] : [],
    ),
  ].some((who) => {
    const { role, about } = personOf(who, { ...look, ledger });
    return mayDo('start_review', role, about).kind === 'may';
  });

type Looked = Pick<Snapshot, 'pullRequest' | 'policy' | 'permissions' | 'heads'>;
