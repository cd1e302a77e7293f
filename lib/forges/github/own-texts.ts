import type { Comment, Thread } from '../../core/conversation.js';
import type { MarkerTrust } from '../../core/marker.js';
import { readReplyKey } from '../../core/reply-marker.js';

/** A text of this app on the pull request as it was read: a comment on it, or one in a review thread. */
export type OwnText = {
  readonly kind: 'comment' | 'reply';
  readonly databaseId: number;
  readonly body: string;
};

/**
 * What this app wrote. A reply that somebody else has edited is among them when it carries our signature: it is brought
 * back to what we said, and not said a second time.
 */
export function ownTexts(
  {
    threads,
    comments = [],
  }: { readonly threads: readonly Thread[]; readonly comments?: readonly Comment[] | undefined },
  trust: MarkerTrust | undefined,
): readonly OwnText[] {
  const isOwn = ({ ours, by, editedBy, body }: Comment): boolean =>
    ours ||
    (by === 'bot' && editedBy !== undefined && trust !== undefined && readReplyKey(body, trust) !== null);
  return [
    ...comments.filter(isOwn).map((one) => textOf('comment', one)),
    ...threads.flatMap((thread) => thread.comments.filter(isOwn).map((one) => textOf('reply', one))),
  ];
}

const textOf = (kind: OwnText['kind'], { databaseId, body }: Comment): OwnText => ({
  kind,
  databaseId,
  body,
});
