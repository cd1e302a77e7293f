import type { Comment, Conversation } from './conversation.js';
import type { Said } from './trigger.js';

/**
 * Whether an event is about words that were changed or are gone: what they said before may have had an effect that stands
 * in the check, and nothing in the conversation tells of it any more.
 */
export function isTakenBack(
  subjects: readonly Said[],
  { comments, threads, peerReviews }: Pick<Conversation, 'comments' | 'threads' | 'peerReviews'>,
): boolean {
  const written: Readonly<Record<Said['kind'], readonly Comment[]>> = {
    comment: comments,
    reply: threads.flatMap((thread) => thread.comments),
    review: peerReviews,
  };
  return subjects.some(({ kind, databaseId }) => {
    const text = written[kind].find((one) => one.databaseId === databaseId);
    // A review is never gone; one without words is not listed.
    return text === undefined
      ? kind !== 'review'
      : text.editedAt !== undefined || text.editedBy !== undefined;
  });
}
