import { z } from 'zod';
import { ForgeError } from '../../core/errors.js';
import type { PullTarget, SeenEyes } from './own-reviews.js';
import { sendOnce } from './write.js';
import type { Sent, WriteContext } from './write.js';

/**
 * One run a pull request, over all instances: an `eyes` reaction of ours. GitHub answers 201 to who made it and 200 to
 * everybody after, at once and without the lag of its lists.
 * https://docs.github.com/en/rest/reactions/reactions#create-reaction-for-an-issue
 */
export type Lease =
  | HeldLease
  /** Another run has it, or one that died had it. */
  | { readonly kind: 'elsewhere'; readonly reaction: number; readonly since: number }
  /** Reactions are not possible here: the check runs alone tell who is at work. */
  | { readonly kind: 'none'; readonly why: string };

export type HeldLease = {
  readonly kind: 'held';
  readonly reaction: number;
  readonly nodeId: string;
  /** Epoch milliseconds by GitHub's clock, in whole seconds. */
  readonly since: number;
  /** The reaction of a run that died or was overtaken, taken away for this one. */
  readonly replaced?: number;
};

const Reaction = z.object({ id: z.number().int(), node_id: z.string().default(''), created_at: z.string() });
type Reaction = z.infer<typeof Reaction>;

export async function takeLease(context: WriteContext, target: PullTarget): Promise<Lease> {
  const params = { ...paramsOf(target), content: 'eyes' };
  const reason = 'take the lease of the pull request';
  const sent = await sendOnce<{ readonly status: number; readonly reaction: Reaction }>(
    context,
    { method: 'POST', route, params, reason },
    (data, status) => ({ status, reaction: Reaction.parse(data) }),
    async () => {
      const { data } = await context.client.write<unknown>('POST', route, params, reason);
      // Sent twice it is there once. Whose it then is cannot be told, so it counts as another run's.
      return { status: 200, reaction: Reaction.parse(data) };
    },
  );
  if (sent.kind !== 'confirmed') return { kind: 'none', why: sent.reason };
  const { status, reaction } = sent.value;
  const since = Date.parse(reaction.created_at) || context.clock();
  return status === 201
    ? { kind: 'held', reaction: reaction.id, nodeId: reaction.node_id, since }
    : { kind: 'elsewhere', reaction: reaction.id, since };
}

/** Takes away the reaction of a run that is dead or overtaken, by its id, and takes its place. Of several, one succeeds. */
export async function takeOverLease(
  context: WriteContext,
  target: PullTarget,
  from: Extract<Lease, { kind: 'elsewhere' }>,
): Promise<Lease> {
  await clearLease(context, target, from);
  const lease = await takeLease(context, target);
  return lease.kind === 'held' ? { ...lease, replaced: from.reaction } : lease;
}

/** Takes away what a run that is dead left behind. */
export async function clearLease(
  context: WriteContext,
  target: PullTarget,
  { reaction }: Extract<Lease, { kind: 'elsewhere' }>,
): Promise<void> {
  await remove(context, target, reaction, 'free the lease of a run that ended without it');
}

/** Only the reaction that this run made: by its id, so that one of a later run stays. */
export async function releaseLease(
  context: WriteContext,
  target: PullTarget,
  lease: HeldLease,
): Promise<void> {
  const sent = await remove(context, target, lease.reaction, 'free the lease');
  if (sent.kind !== 'confirmed' && !(sent.kind === 'refused' && sent.status === 404))
    context.log.warn({ reason: sent.reason }, 'the lease was not freed; it ends by its age');
}

/** Whether another run has taken the place of this one. What is not seen proves nothing: lists lag behind. */
export function isTakenOver({ nodeId, reaction, since, replaced }: HeldLease, seen: SeenEyes): boolean {
  const { reactions } = seen;
  if (!seen.viewerHasReacted || !seen.complete) return false;
  if (reactions.some((one) => one.nodeId === nodeId || one.id === reaction || one.id === replaced))
    return false;
  return reactions.some((one) => one.since > since);
}

async function remove(
  context: WriteContext,
  target: PullTarget,
  reaction: number,
  reason: string,
): Promise<Sent<true>> {
  const at = `${route}/{reaction_id}`;
  const params = { ...paramsOf(target), reaction_id: reaction };
  return sendOnce<true>(
    context,
    { method: 'DELETE', route: at, params, reason },
    () => true,
    // Once more: gone is what was wanted.
    async () => {
      try {
        await context.client.write('DELETE', at, params, reason);
      } catch (error) {
        if (!(error instanceof ForgeError) || error.status !== 404) throw error;
      }
      return true;
    },
  );
}

const route = '/repos/{owner}/{repo}/issues/{issue_number}/reactions';

const paramsOf = ({ owner, repo, number }: PullTarget) => ({ owner, repo, issue_number: number });
