import { z } from 'zod';
import type { MarkerTrust } from '../../core/marker.js';
import type { ReplyWrite, WriteOutcome } from '../../core/publication.js';
import { readReplyKey, writeReplyMarker } from '../../core/reply-marker.js';
import type { Subject } from '../../core/statement.js';
import { capText } from './cap-text.js';
import { editText, isSameBody } from './edit-threads.js';
import type { OwnText } from './own-texts.js';
import type { PullTarget } from './own-reviews.js';
import { mostBody } from './review-body.js';
import { outcomeOf, sendOnce } from './write.js';
import type { Sent, WriteContext } from './write.js';

export type ReplyContext = WriteContext & {
  readonly target: PullTarget;
  readonly trust?: MarkerTrust;
  /** Our own texts, asked of GitHub anew: an unknown outcome is looked up there. */
  readonly readOwnTexts: () => Promise<readonly OwnText[]>;
};

/**
 * Posts news, each once: a reply of the same key that is there already is left alone, or edited when its text differs.
 * `there` is added to, so that a second round in the same run knows what the first one wrote.
 */
export async function postReplies(
  context: ReplyContext,
  replies: readonly ReplyWrite[],
  there: OwnText[],
): Promise<readonly WriteOutcome[]> {
  const { trust } = context;
  const outcomes: WriteOutcome[] = [];
  for (const reply of replies) {
    const body = withKey(reply, trust);
    const known = there.find((text) => readReplyKey(text.body, trust) === reply.key);
    if (known !== undefined && isSameBody(known.body, body)) {
      outcomes.push({ kind: 'already_there', id: known.databaseId });
      continue;
    }
    const edited =
      known === undefined ? null : await editText(context, known, body, 'edit a reply that we posted');
    const sent = edited === null || isNotOurs(edited) ? await post(context, reply, body) : edited;
    if (sent.kind === 'confirmed') there.push({ kind: kindAt(reply.to), databaseId: sent.value, body });
    else context.log.warn({ key: reply.key, reason: sent.reason }, 'a reply was not posted');
    outcomes.push(outcomeOf(sent));
  }
  return outcomes;
}

/** It carries our signature and is not our comment, or it was deleted in this moment: then it is not what is wanted. */
const isNotOurs = (sent: Sent<number>): boolean =>
  sent.kind === 'refused' && (sent.status === 403 || sent.status === 404);

/** Without its key a reply would be posted again by every run. */
function withKey({ key, body }: ReplyWrite, trust: MarkerTrust | undefined): string {
  const keyed =
    readReplyKey(body, trust) === key ? body : `${body.trimEnd()}\n\n${writeReplyMarker(key, trust)}`;
  return capText(keyed, mostBody);
}

const kindAt = ({ kind }: Subject): OwnText['kind'] => (kind === 'reply' ? 'reply' : 'comment');

function post(context: ReplyContext, { key, to }: ReplyWrite, body: string): Promise<Sent<number>> {
  const { owner, repo, number } = context.target;
  const reason = to.kind === 'reply' ? 'reply in a thread' : 'reply on the pull request';
  return sendOnce(
    context,
    {
      method: 'POST',
      ...(to.kind === 'reply'
        ? {
            // To the first comment of the thread: GitHub takes no replies to replies.
            route: '/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies',
            params: { owner, repo, pull_number: number, comment_id: to.threadRoot ?? to.databaseId, body },
          }
        : {
            route: '/repos/{owner}/{repo}/issues/{issue_number}/comments',
            params: { owner, repo, issue_number: number, body },
          }),
      reason,
    },
    (data) => z.object({ id: z.number().int() }).parse(data).id,
    async () => {
      const now = await context.readOwnTexts();
      return now.find((text) => readReplyKey(text.body, context.trust) === key)?.databaseId ?? null;
    },
  );
}
