import type { ReactionContent, WriteOutcome } from '../../core/publication.js';
import type { PullTarget } from './own-reviews.js';
import { send, sendOnce } from './write.js';
import type { Sent, WriteCall, WriteContext } from './write.js';

/** What a reaction is added to. `id`, GraphQL's, is needed for a review alone: REST has no reactions on reviews. */
export type ReactionSubject = {
  readonly kind: 'comment' | 'reply' | 'review';
  readonly databaseId: number;
  readonly id?: string;
};

const addReactionToReview = `mutation EvidentAddReaction($subject: ID!, $content: ReactionContent!) {
  addReaction(input: { subjectId: $subject, content: $content }) { reaction { content } }
}`;

/** Adds reactions. One that is there already stays as it is; what was deleted meanwhile needs none. */
export async function addReactions(
  context: WriteContext & { readonly target: PullTarget },
  reactions: readonly { readonly subject: ReactionSubject; readonly content: ReactionContent }[],
): Promise<readonly WriteOutcome[]> {
  const outcomes: WriteOutcome[] = [];
  for (const { subject, content } of reactions) {
    const sent = await addReaction(context, subject, content);
    if (sent.kind !== 'confirmed' && !isGone(sent))
      context.log.warn({ subject, reason: sent.reason }, 'a reaction was not added');
    outcomes.push(sent.kind === 'confirmed' ? { kind: 'confirmed', id: subject.databaseId } : sent);
  }
  return outcomes;
}

export const isGone = (sent: Sent<unknown>): boolean => sent.kind === 'refused' && sent.status === 404;

/** The same reaction twice is one, so an unknown outcome is mended by sending it once more. */
export async function addReaction(
  context: WriteContext & { readonly target: PullTarget },
  { kind, databaseId, id }: ReactionSubject,
  content: ReactionContent,
): Promise<Sent<true>> {
  const { owner, repo } = context.target;
  const reason = 'react to what was said';
  if (kind === 'review' && id === undefined)
    return { kind: 'refused', status: 404, reason: 'A review takes a reaction only by its GraphQL id.' };
  const call: WriteCall =
    kind === 'review'
      ? { mutation: addReactionToReview, variables: { subject: id, content: graphqlName[content] }, reason }
      : {
          method: 'POST',
          route:
            kind === 'reply'
              ? '/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions'
              : '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
          params: { owner, repo, comment_id: databaseId, content },
          reason,
        };
  return sendOnce<true>(
    context,
    call,
    () => true,
    async () => {
      await send(context.client, call);
      return true;
    },
  );
}

const graphqlName: Readonly<Record<ReactionContent, string>> = {
  '+1': 'THUMBS_UP',
  eyes: 'EYES',
  confused: 'CONFUSED',
};
