import { z } from 'zod';
import { ForgeError } from '../../core/errors.js';
import { readMarkers } from '../../core/marker.js';
import type { MarkerTrust } from '../../core/marker.js';
import type { Publication, Published, ThreadWrite, WriteOutcome } from '../../core/publication.js';
import { readLivePull } from './own-reviews.js';
import type { LivePull, LiveReview, PullTarget } from './own-reviews.js';
import { capText } from './cap-text.js';
import { bodyWithRows, mostBody } from './review-body.js';
import { overtaken, sendOnce, setState } from './write.js';
import type { Sent, WriteContext } from './write.js';

type Review = NonNullable<Publication['review']>;

type LineRange = { readonly line: number; readonly startLine?: number };

export type PublishContext = WriteContext & {
  readonly target: PullTarget;
  readonly trust?: MarkerTrust;
  /** The range that GitHub takes for an anchor, or null when it takes none; absent: the diff is not known. */
  readonly rangeOf?: (anchor: ThreadWrite['anchor']) => LineRange | null;
};

/** Above about 30 comments GitHub was seen to answer 502 after it had created the review. */
const mostComments = 25;
/** Up to so many threads, the one that GitHub refuses is looked for by leaving out one at a time. */
const mostSingled = 6;

/**
 * Brings what stands on the pull request to what is wanted: a review of the same key is not posted again, a head that
 * moved or a pull request that closed stops everything. The check is completed by the caller, whatever came of this.
 */
export async function publishReview(
  context: PublishContext,
  wanted: Publication,
  /** What was just read; absent: it is read here. */
  seen?: LivePull,
): Promise<Published> {
  try {
    const live =
      seen ?? (await readLivePull(context.client, context.target, 'did the head move before we write'));
    if (live.state === 'closed') return { kind: 'closed' };
    if (live.head !== wanted.head) return { kind: 'superseded', by: live.head };
    const writes: WriteOutcome[] = [];
    if (wanted.review !== undefined) {
      const posted = await postReview(context, wanted, wanted.review, live);
      if (posted.kind === 'ended') return posted.as;
      writes.push(posted);
      if (posted.kind === 'refused') return failed(posted);
    }
    if (wanted.summaryEdit !== undefined) writes.push(await editSummary(context, wanted.summaryEdit));
    return { kind: 'published', writes };
  } catch (error) {
    if (error instanceof ForgeError) return { kind: 'failed', reason: error.message };
    throw error;
  }
}

const failed = ({
  reason,
  permission,
}: {
  readonly reason: string;
  readonly permission?: string;
}): Published => ({
  kind: 'failed',
  reason,
  ...(permission !== undefined && { permission }),
});

type Posted = WriteOutcome | { readonly kind: 'ended'; readonly as: Published };

async function postReview(
  context: PublishContext,
  wanted: Publication,
  review: Review,
  live: LivePull,
): Promise<Posted> {
  const there = live.ownReviews.find((own) => !own.pending && isSame(own, review, context.trust));
  if (there !== undefined) return { kind: 'already_there', id: there.id };
  const send = (left: ReadonlySet<ThreadWrite>): Promise<Sent<number>> =>
    sendReview(context, wanted, review, left);
  const attempts = triesFor(context, review);
  let pendingRemoved = false;
  for (let next = attempts.next(); !next.done;) {
    const sent = await send(next.value);
    if (sent.kind === 'confirmed') return { kind: 'confirmed', id: sent.value };
    if (sent.kind === 'unknown') return sent;
    if (sent.status === overtaken) return (await whereHeadWent(context, wanted)) ?? sent;
    if (sent.status !== 422) return sent;
    switch (refusalOf(sent.reason)) {
      case 'pending':
        if (pendingRemoved || !(await removePending(context, live))) return sent;
        pendingRemoved = true;
        continue;
      case 'commit':
        return (await whereHeadWent(context, wanted)) ?? sent;
      case 'position':
        context.log.warn({ reason: sent.reason, threads: review.threads.length }, 'a position was refused');
        next = attempts.next();
        continue;
      case 'other':
        return sent;
    }
  }
  return { kind: 'refused', status: 422, reason: 'GitHub refused the review in every form that was tried.' };
}

/** The end of a run whose head is no longer that of an open pull request; null when it still is. */
async function whereHeadWent(context: PublishContext, wanted: Publication): Promise<Posted | null> {
  const now = await readLivePull(context.client, context.target, 'did the head move meanwhile');
  if (now.state === 'closed') return { kind: 'ended', as: { kind: 'closed' } };
  return now.head === wanted.head ? null : { kind: 'ended', as: { kind: 'superseded', by: now.head } };
}

/**
 * Which threads to leave out (they become rows), best first. A refused review creates nothing, so trying costs requests
 * and no mail; GitHub does not say which comment it minds.
 */
function* triesFor(context: PublishContext, review: Review): Generator<ReadonlySet<ThreadWrite>, void> {
  const { rangeOf } = context;
  const left = new Set(
    review.threads.filter((thread, index) => index >= mostComments || rangeOf?.(thread.anchor) === null),
  );
  yield left;
  const doubtful = review.threads.filter((thread) => !left.has(thread));
  if (doubtful.length > 1 && doubtful.length <= mostSingled) {
    for (const one of doubtful) yield new Set([...left, one]);
  }
  if (doubtful.length > 0) yield new Set(review.threads);
}

async function sendReview(
  context: PublishContext,
  wanted: Publication,
  review: Review,
  left: ReadonlySet<ThreadWrite>,
): Promise<Sent<number>> {
  const placed = review.threads.filter((thread) => !left.has(thread));
  const body = bodyWithRows(
    review.body,
    review.threads.filter((thread) => left.has(thread)),
  );
  return sendOnce<number>(
    context,
    {
      method: 'POST',
      route: '/repos/{owner}/{repo}/pulls/{pull_number}/reviews',
      params: {
        ...routeOf(context.target),
        commit_id: wanted.head,
        event: 'COMMENT',
        body,
        comments: placed.map((thread) => commentOf(thread, context.rangeOf?.(thread.anchor))),
      },
      reason: `post the review (${placed.length} ${placed.length === 1 ? 'comment' : 'comments'})`,
      stillWanted: async () => (await whereHeadWent(context, wanted)) === null,
    },
    (data) => z.object({ id: z.number().int() }).parse(data).id,
    async () => {
      const live = await readLivePull(context.client, context.target, 'is the review there');
      const found = live.ownReviews.find(
        (own) =>
          !own.pending && (own.body.trimEnd() === body.trimEnd() || isSame(own, review, context.trust)),
      );
      return found?.id ?? null;
    },
  );
}

/** `position` is never used: GitHub counts it in a way of its own, and is giving it up. */
function commentOf(
  { anchor, body }: ThreadWrite,
  taken: LineRange | null | undefined,
): Readonly<Record<string, unknown>> {
  const { path, side } = anchor;
  const { line, startLine } = taken ?? anchor;
  const range =
    startLine !== undefined && startLine < line ? { start_line: startLine, start_side: side } : {};
  return { path, side, line, ...range, body: capText(body, mostBody) };
}

/** The review of the same key, by its hidden comment: only reviews of ours are asked. */
const isSame = (own: LiveReview, review: Review, trust: MarkerTrust | undefined): boolean =>
  readMarkers(own.body, trust).some((marker) => marker.kind === 'summary' && marker.pass === review.key);

type Refusal = 'pending' | 'commit' | 'position' | 'other';

/** GitHub has no codes for these: its sentences are all there is. */
function refusalOf(reason: string): Refusal {
  if (/pending review/i.test(reason)) return 'pending';
  if (/commit.{0,20}(is not|isn't|not) part of|no commit found/i.test(reason)) return 'commit';
  if (/\b(line|position|path|diff|hunk|side)\b/i.test(reason)) return 'position';
  return 'other';
}

/** A review of ours that was never submitted blocks every new one; it holds nothing that anybody saw. */
async function removePending(context: PublishContext, live: LivePull): Promise<boolean> {
  const seen = live.ownReviews.find((own) => own.pending);
  const pending =
    seen ??
    (await readLivePull(context.client, context.target, 'which of our reviews is pending')).ownReviews.find(
      (own) => own.pending,
    );
  if (pending === undefined) return false;
  const sent = await sendOnce(
    context,
    {
      method: 'DELETE',
      route: '/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}',
      params: { ...routeOf(context.target), review_id: pending.id },
      reason: 'delete our own pending review',
    },
    () => true,
    async () => {
      const now = await readLivePull(context.client, context.target, 'is our pending review gone');
      return now.ownReviews.some((own) => own.pending) ? null : true;
    },
  );
  return sent.kind === 'confirmed';
}

async function editSummary(
  context: PublishContext,
  edit: NonNullable<Publication['summaryEdit']>,
): Promise<WriteOutcome> {
  const body = capText(edit.body, mostBody);
  const sent = await setState(
    context,
    {
      method: 'PUT',
      route: '/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}',
      params: { ...routeOf(context.target), review_id: edit.reviewId, body },
      reason: 'edit the summary',
    },
    () => edit.reviewId,
    async () => {
      const live = await readLivePull(context.client, context.target, 'is the summary edited');
      const own = live.ownReviews.find((review) => review.id === edit.reviewId);
      return own?.body.trimEnd() === body.trimEnd() ? own.id : null;
    },
  );
  if (sent.kind !== 'confirmed') {
    context.log.warn({ review: edit.reviewId, reason: sent.reason }, 'the summary was not edited');
    return sent;
  }
  return { kind: 'confirmed', id: sent.value };
}

const routeOf = ({ owner, repo, number }: PullTarget) => ({ owner, repo, pull_number: number });
