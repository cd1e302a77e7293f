import type { PastActor, PastPull, PastReview } from '../past-pull.js';
import { isOwn, plainLogin, type OwnMarks } from './own-marks.js';

/** A review by somebody else than the author: one that was posted, or a pass of Evident, which may have nothing to say. */
export type SeenReview = {
  readonly kind: 'posted' | 'pass';
  /** Epoch milliseconds. */
  readonly at: number;
  /** Lower-case login. */
  readonly by: string;
  readonly sha: string | null;
  /** It asked for changes, or found what blocks. */
  readonly blocks: boolean;
  /** As far as anybody can see, it read the whole change. */
  readonly isWhole: boolean;
};

/** Oldest first. Where Evident's passes are known they stand for the reviews that it posted: they say when and of what. */
export function reviewsSeen(pull: PastPull, own: OwnMarks, apps: ReadonlySet<string>): readonly SeenReview[] {
  const [app = 'evident'] = apps;
  const posted = pull.reviews
    .filter((review) => isReview(review, pull) && !(isOwn(review.author, apps) && own.passes.length > 0))
    .map(({ at, author, sha, state }): SeenReview => ({
      kind: 'posted',
      at: Date.parse(at),
      by: loginOf(author),
      sha,
      blocks: state === 'changes_requested',
      isWhole: true,
    }));
  const passes = own.passes
    .filter(({ finished }) => finished)
    .map(({ at, head, blocking, complete }): SeenReview => ({
      kind: 'pass',
      at,
      by: app,
      sha: head,
      blocks: blocking.length > 0,
      isWhole: complete,
    }));
  return [...posted, ...passes].filter(({ at }) => !Number.isNaN(at)).toSorted((a, b) => a.at - b.at);
}

export const loginOf = (actor: PastActor | null): string => plainLogin(actor?.login ?? 'ghost');

export const isAuthors = (actor: PastActor | null, { author }: Pick<PastPull, 'author'>): boolean =>
  actor !== null && author !== null && loginOf(actor) === loginOf(author);

/** A reply in a thread is sent as a review without a body: that is none. */
const isReview = (review: PastReview, pull: Pick<PastPull, 'author'>): boolean =>
  !isAuthors(review.author, pull) && (review.state !== 'commented' || review.body.trim() !== '');
