import { ForgeError } from '../../core/errors.js';
import type { Sha } from '../../core/pull-request.js';
import type { Claim } from '../../ports/forge.js';
import type { Capabilities } from './capabilities.js';
import { cancelCheckRuns, createCheckRun, judgeRuns, listOwnCheckRuns, otherRunHasIt } from './check-run.js';
import type { CheckTarget, ClaimWish, OwnCheckRun } from './check-run.js';
import { clearLease, releaseLease, takeLease, takeOverLease } from './lease.js';
import type { HeldLease, Lease } from './lease.js';
import type { PullTarget } from './own-reviews.js';
import type { WriteContext } from './write.js';

export type HeadWish = Omit<ClaimWish, 'runs'> & {
  readonly capabilities: Capabilities;
  /** When the event happened, by GitHub's clock: a lease from before it is for something older. */
  readonly at: number | undefined;
  /** The head before the push that this is about. */
  readonly before: Sha | undefined;
};

/** `lost`: it is not known whether the check run was created; at the end it is looked for once more. */
export type HeadClaim = {
  readonly claim: Claim;
  readonly lost: boolean;
  readonly lease: HeldLease | null;
  /** Our check runs of the head, as they stood before. */
  readonly runs: readonly OwnCheckRun[];
};

/** Looked again so long after a lease was found taken: the check run of its holder may not be listed yet. */
const patience = [1_000, 2_000, 4_000, 6_000];

/**
 * Claims a head for one run over all instances. The lease is taken first, so that everything after it is decided by one;
 * who finds it taken waits until the other's check run shows, and goes on only when none does: then the holder died, or
 * works on something older. Without a lease the check runs alone decide, read back after creation.
 */
export async function claimHead(
  context: WriteContext,
  place: PullTarget,
  target: CheckTarget,
  wish: HeadWish,
): Promise<HeadClaim> {
  const { capabilities } = wish;
  if (!capabilities.writeChecks && !capabilities.writeReviews)
    return ended({ kind: 'not_here', why: 'the app may write neither checks nor reviews here' });
  let lease: Lease = capabilities.react
    ? await takeLease(context, place)
    : { kind: 'none', why: 'the app may not react here' };
  if (lease.kind === 'none')
    context.log.info({ why: lease.why }, 'no lease: check runs alone tell who is at work');
  let kept = false;
  try {
    const found = await look(context, target, wish, lease);
    if (found.kind === 'ended') {
      if (lease.kind === 'elsewhere' && isDead(context, wish, lease)) await clearLease(context, place, lease);
      return ended(found.claim);
    }
    if (lease.kind === 'elsewhere') {
      lease = await takeOverLease(context, place, lease);
      if (lease.kind === 'elsewhere')
        return ended({ kind: 'already_running', detail: 'another run took the lease in this moment' });
      await endOlder(context, target, wish);
    }
    const mine = await createMine(context, target, wish, found.runs, lease);
    kept = mine.claim.kind === 'claimed' || mine.claim.kind === 'without_check';
    return { ...mine, lease: lease.kind === 'held' ? lease : null, runs: found.runs ?? [] };
  } finally {
    if (!kept && lease.kind === 'held') await releaseLease(context, place, lease);
  }
}

const ended = (claim: Claim): HeadClaim => ({ claim, lost: false, lease: null, runs: [] });

const isDead = (
  { clock }: WriteContext,
  { longestRunMs }: HeadWish,
  { since }: Extract<Lease, { kind: 'elsewhere' }>,
): boolean => clock() - since >= longestRunMs;

type Looked =
  | { readonly kind: 'free'; readonly runs: readonly OwnCheckRun[] | null }
  | { readonly kind: 'ended'; readonly claim: Claim };

/** What the check runs of the head say. `runs` is null where the app may not see them. */
async function look(
  context: WriteContext,
  target: CheckTarget,
  wish: HeadWish,
  lease: Lease,
): Promise<Looked> {
  const isForOlder = lease.kind === 'elsewhere' && wish.at !== undefined && lease.since < wish.at;
  const dead = lease.kind === 'elsewhere' && isDead(context, wish, lease);
  const waits = lease.kind !== 'elsewhere' || isForOlder || dead ? [] : patience;
  for (let looked = 0; ; looked += 1) {
    const runs = await readRuns(context, target, wish.capabilities);
    const judged = runs === null ? null : judgeRuns(context, { ...wish, runs });
    if (judged !== null) return { kind: 'ended', claim: judged };
    const wait = waits[looked];
    if (wait === undefined) {
      // Without check runs nothing but its age tells whether the holder lives.
      if (runs === null && waits.length > 0)
        return {
          kind: 'ended',
          claim: { kind: 'already_running', detail: 'another run has the lease of this pull request' },
        };
      return { kind: 'free', runs };
    }
    if (runs === null) continue;
    await context.sleep(wait);
  }
}

/** Who had the lease may have died with the head before this one: its check run would stay in progress for ever. */
async function endOlder(context: WriteContext, target: CheckTarget, wish: HeadWish): Promise<void> {
  if (wish.before === undefined || wish.before === target.head || !wish.capabilities.writeChecks) return;
  const runs = await readRuns(context, { ...target, head: wish.before }, wish.capabilities);
  const prefix = wish.key.slice(0, wish.key.indexOf(`:${target.head}`));
  const live = (runs ?? []).filter((run) => run.status !== 'completed' && run.key.startsWith(`${prefix}:`));
  await cancelCheckRuns(context, target, live, 'overtaken');
}

async function readRuns(
  context: WriteContext,
  target: CheckTarget,
  capabilities: Capabilities,
): Promise<readonly OwnCheckRun[] | null> {
  if (!capabilities.readChecks) return null;
  try {
    return await listOwnCheckRuns(context, target);
  } catch (error) {
    if (!(error instanceof ForgeError) || error.retryable) throw error;
    context.log.warn({ why: error.message }, 'check runs cannot be read');
    return null;
  }
}

async function createMine(
  context: WriteContext,
  target: CheckTarget,
  wish: HeadWish,
  seen: readonly OwnCheckRun[] | null,
  lease: Lease,
): Promise<Pick<HeadClaim, 'claim' | 'lost'>> {
  if (seen === null || !wish.capabilities.writeChecks)
    return {
      claim: { kind: 'without_check', why: 'the app lacks the permission checks=write here' },
      lost: false,
    };
  const dead = seen.filter((run) => run.key === wish.key && run.status !== 'completed');
  await cancelCheckRuns(context, target, dead, 'died');
  const created = await createCheckRun(context, target, wish.key);
  if (created.kind === 'lost') return { claim: { kind: 'without_check', why: created.why }, lost: true };
  if (created.kind !== 'claimed' || lease.kind === 'held') return { claim: created, lost: false };
  const other = await otherRunHasIt(context, target, { key: wish.key, mine: created.checkRun, since: seen });
  return { claim: other === null ? created : { kind: 'already_running', detail: other }, lost: false };
}
