import type { ReviewThread } from './review-thread.js';
import type { SeenReview } from './reviews-seen.js';

/** Somebody but the author looked at a version, and left something or nothing. */
export type Look = {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly by: string;
  readonly sha: string | null;
  readonly thread: ReviewThread | null;
  readonly blocks: boolean;
};

/** Reviews and threads, oldest first. */
export const looksAt = (reviews: readonly SeenReview[], threads: readonly ReviewThread[]): readonly Look[] =>
  [
    ...reviews.map(({ at, by, sha, blocks }): Look => ({ at, by, sha, blocks, thread: null })),
    ...threads.map((thread): Look => ({
      at: thread.at,
      by: thread.by,
      sha: thread.sha,
      blocks: false,
      thread,
    })),
  ].toSorted((a, b) => a.at - b.at);
