import type { IssueComment, Pull, Review, Thread } from '../state.js';

/** What stands below one another in a conversation: a review, the threads it began, a comment. */
export type Entry =
  | { readonly kind: 'review'; readonly review: Review }
  | { readonly kind: 'thread'; readonly thread: Thread }
  | { readonly kind: 'comment'; readonly comment: IssueComment };

/** Entries of one page. A pull request with thousands of threads would make a page that no browser opens. */
const SIZE = 300;

export const timelineOf = (pull: Pull): Entry[] => {
  const begun = new Map<Review, Thread[]>();
  const replied = new Set<Review>();
  for (const thread of pull.threads)
    for (const [at, { review }] of thread.comments.entries())
      if (at > 0) replied.add(review);
      else begun.set(review, [...(begun.get(review) ?? []), thread]);
  // A reply stands in its thread; the empty review around it says nothing.
  const reviews = pull.reviews.filter(
    (review) =>
      review.state !== 'PENDING' && (review.body !== '' || begun.has(review) || !replied.has(review)),
  );
  return [...reviews, ...pull.comments]
    .sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.born - b.born)
    .flatMap((said): Entry[] =>
      'state' in said
        ? [
            { kind: 'review', review: said },
            ...(begun.get(said) ?? []).map((thread): Entry => ({ kind: 'thread', thread })),
          ]
        : [{ kind: 'comment', comment: said }],
    );
};

/** One page of it; a number beyond the last one is the last. */
export const timelinePage = (
  pull: Pull,
  wanted: number,
): { readonly entries: readonly Entry[]; readonly page: number; readonly pages: number } => {
  const all = timelineOf(pull);
  const pages = Math.max(1, Math.ceil(all.length / SIZE));
  const page = Math.min(pages, Math.max(1, Number.isInteger(wanted) ? wanted : 1));
  return { entries: all.slice((page - 1) * SIZE, page * SIZE), page, pages };
};

/** The query that leads to the page on which something stands: nothing for the first. */
export const pageQuery = (pull: Pull, what: Thread | Review | IssueComment): string => {
  const at = timelineOf(pull).findIndex((entry) => {
    switch (entry.kind) {
      case 'review':
        return entry.review === what;
      case 'thread':
        return entry.thread === what;
      case 'comment':
        return entry.comment === what;
    }
  });
  const page = Math.floor(Math.max(0, at) / SIZE) + 1;
  return page === 1 ? '' : `?page=${page}`;
};
