import type { Claim } from '../../ports/forge.js';
import type { Capabilities } from './capabilities.js';
import type { HeadClaim } from './claim.js';
import { takeLease, takeOverLease } from './lease.js';
import type { Lease } from './lease.js';
import type { PullTarget } from './own-reviews.js';
import type { WriteContext } from './write.js';

/** About half a minute: as long as a run that only writes takes. A review takes longer, and folds everything at its end. */
const patience = [1_000, 2_000, 4_000, 6_000, 8_000, 9_000];

/**
 * A turn at the pull request for a run that only folds the conversation. Behind another run it waits for the lease, then
 * goes on without it: what both want is found by its key and written once. The lease of a run that died is taken over.
 */
export async function joinPull(
  context: WriteContext,
  place: PullTarget,
  { capabilities, longestRunMs }: { readonly capabilities: Capabilities; readonly longestRunMs: number },
): Promise<HeadClaim> {
  const claim: Claim =
    capabilities.writeChecks || capabilities.writeReviews
      ? { kind: 'standing' }
      : { kind: 'not_here', why: 'the app may write neither checks nor reviews here' };
  const lease =
    claim.kind === 'standing' && capabilities.react ? await waitForLease(context, place, longestRunMs) : null;
  return { claim, lost: false, lease: lease?.kind === 'held' ? lease : null, runs: [] };
}

async function waitForLease(context: WriteContext, place: PullTarget, longestRunMs: number): Promise<Lease> {
  let lease = await takeLease(context, place);
  for (const wait of patience) {
    if (lease.kind !== 'elsewhere' || context.clock() + wait >= context.deadline) break;
    if (context.clock() - lease.since >= longestRunMs) return takeOverLease(context, place, lease);
    await context.sleep(wait);
    lease = await takeLease(context, place);
  }
  if (lease.kind !== 'held')
    context.log.info(
      { lease: lease.kind },
      'another run has the lease, or none can be had: this one goes on',
    );
  return lease;
}
