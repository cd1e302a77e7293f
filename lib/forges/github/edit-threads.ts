import { z } from 'zod';
import type { ThreadEdit, WriteOutcome } from '../../core/publication.js';
import { capText } from './cap-text.js';
import type { OwnText } from './own-texts.js';
import type { PullTarget } from './own-reviews.js';
import { mostBody } from './review-body.js';
import { outcomeOf, setState } from './write.js';
import type { Sent, WriteContext } from './write.js';

/** Brings the first comments of our threads to the present state. One that is as wanted is left alone. */
export async function editThreads(
  context: WriteContext & { readonly target: PullTarget },
  edits: readonly ThreadEdit[],
  there: readonly OwnText[],
): Promise<readonly WriteOutcome[]> {
  const outcomes: WriteOutcome[] = [];
  for (const { id, comment, body } of edits) {
    const known = there.find((text) => text.kind === 'reply' && text.databaseId === comment);
    if (known !== undefined && isSameBody(known.body, capText(body, mostBody))) {
      outcomes.push({ kind: 'already_there', id: comment });
      continue;
    }
    const sent = await editText(
      context,
      { kind: 'reply', databaseId: comment },
      body,
      `edit the first comment of ${id}`,
    );
    if (sent.kind !== 'confirmed')
      context.log.warn({ item: id, comment, reason: sent.reason }, 'the first comment was not edited');
    outcomes.push(outcomeOf(sent));
  }
  return outcomes;
}

/** Sets the whole text of a comment of ours. */
export async function editText(
  context: WriteContext & { readonly target: PullTarget },
  { kind, databaseId }: Pick<OwnText, 'kind' | 'databaseId'>,
  body: string,
  reason: string,
): Promise<Sent<number>> {
  const { owner, repo } = context.target;
  const route =
    kind === 'reply'
      ? '/repos/{owner}/{repo}/pulls/comments/{comment_id}'
      : '/repos/{owner}/{repo}/issues/comments/{comment_id}';
  const params = { owner, repo, comment_id: databaseId };
  const wanted = capText(body, mostBody);
  return setState(
    context,
    { method: 'PATCH', route, params: { ...params, body: wanted }, reason },
    () => databaseId,
    async () => {
      const data = await context.client.get<unknown>(route, params, `did it happen: ${reason}`);
      const now = z.object({ body: z.string() }).safeParse(data).data?.body;
      return now !== undefined && isSameBody(now, wanted) ? databaseId : null;
    },
  );
}

/** GitHub may give line ends back in another way than they were sent. */
export const isSameBody = (a: string, b: string): boolean =>
  a.replaceAll('\r\n', '\n').trimEnd() === b.replaceAll('\r\n', '\n').trimEnd();
