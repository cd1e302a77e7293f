import { z } from 'zod';
import type { WriteOutcome } from '../../core/publication.js';
import { setState } from './write.js';
import type { Sent, WriteContext } from './write.js';

const resolveThread = `mutation EvidentResolveThread($thread: ID!) {
  resolveReviewThread(input: { threadId: $thread }) { thread { isResolved } }
}`;

const isResolved = `query EvidentIsResolved($thread: ID!) {
  node(id: $thread) { ... on PullRequestReviewThread { isResolved } }
}`;

/**
 * Resolves threads, which is an extra: nothing depends on it. Where the token may not, GitHub says so of every thread,
 * so the first such answer is the last that is asked for.
 */
export async function resolveThreads(
  context: WriteContext,
  resolves: readonly { readonly thread: string }[],
): Promise<readonly WriteOutcome[]> {
  const outcomes: WriteOutcome[] = [];
  for (const { thread } of resolves) {
    const sent = await resolve(context, thread);
    if (sent.kind === 'confirmed') {
      outcomes.push({ kind: 'confirmed', id: 0 });
      continue;
    }
    outcomes.push(sent);
    const isForbidden = sent.kind === 'refused' && sent.status === 403;
    context.log.info(
      { thread, reason: sent.reason },
      isForbidden ? 'threads cannot be resolved here' : 'a thread was not resolved',
    );
    if (isForbidden) break;
  }
  return outcomes;
}

const resolve = (context: WriteContext, thread: string): Promise<Sent<true>> =>
  setState<true>(
    context,
    { mutation: resolveThread, variables: { thread }, reason: 'resolve a thread' },
    () => true,
    async () => {
      const data = await context.client.graphql(isResolved, { thread }, 'is the thread resolved');
      return Answer.safeParse(data).data?.node?.isResolved === true ? true : null;
    },
  );

const Answer = z.object({ node: z.object({ isResolved: z.boolean() }).nullable() });
