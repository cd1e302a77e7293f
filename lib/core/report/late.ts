import type { PastPull } from '../past-pull.js';
import type { OwnMarks } from './own-marks.js';
import type { SeenReview } from './reviews-seen.js';

/** Where and when a thread began; of a finding of Evident's, when the pass ended that found it. */
type Found = { readonly at: number; readonly by: string; readonly sha: string | null; readonly path: string };

/**
 * Whether an earlier review had the line of this thread before it, as it was, and did not tell. Known for sure in three
 * cases, all by commits: that review was of the same commit; only merges lie between; or two pass records of Evident say
 * that the file's change was the same at both. Where none holds nobody knows, and it is not counted as late.
 */
export function isLate(
  thread: Found,
  pull: Pick<PastPull, 'commits'>,
  { passes }: Pick<OwnMarks, 'passes'>,
  reviews: readonly SeenReview[],
): boolean {
  const { sha, path } = thread;
  if (sha === null) return false;
  const digestsAt = (head: string): readonly string[] =>
    passes.flatMap((pass) => (pass.head === head ? (pass.files?.[path] ?? []) : []));
  const here = digestsAt(sha);
  return reviews.some(
    (review) =>
      review.sha !== null &&
      review.isWhole &&
      isEarlier(review, thread) &&
      (review.sha === sha ||
        onlyMergesBetween(review.sha, sha, pull) ||
        (here.length > 0 && digestsAt(review.sha).some((digest) => here.includes(digest)))),
  );
}

const isEarlier = ({ kind, at, by }: SeenReview, thread: Found): boolean =>
  at < thread.at && (kind === 'pass' || by !== thread.by || thread.at - at >= oneReviewMs);

/** What one account posts within this time is one review, in several calls. */
const oneReviewMs = 10 * 60_000;

function onlyMergesBetween(from: string, to: string, { commits }: Pick<PastPull, 'commits'>): boolean {
  const start = commits.findIndex(({ sha }) => sha === from);
  const end = commits.findIndex(({ sha }) => sha === to);
  return start >= 0 && end > start && commits.slice(start + 1, end + 1).every(({ parents }) => parents > 1);
}
