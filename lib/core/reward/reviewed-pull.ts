import type { PastPull } from '../past-pull.js';
import type { Unresolved } from './penalty.js';

/**
 * A pull request as the reward signal looks at it: made of a `PastPull`, or of rows that somebody exported and that say
 * less. What is not known is absent and decides nothing.
 */
export type ReviewedPull = {
  /** `owner/name`, as it was given. */
  readonly repo: string;
  readonly pr: number;
  /** Null for a deleted account. */
  readonly author?: string | null;
  readonly labels: readonly string[];
  /** The head's branch. */
  readonly branch?: string;
  readonly files: readonly string[];
  readonly life?: PullLife;
  readonly threads: readonly ReviewedThread[];
  /** Of one that was scored before: its unresolved threads, which are not there any more. */
  readonly counted?: Unresolved & { readonly category?: string; readonly merged?: boolean };
};

/** Only of collected pull requests: what the signals beside the threads are computed from. */
export type PullLife = Pick<PastPull, 'state' | 'draft' | 'createdAt'>;

export type ReviewedThread = {
  readonly id?: string;
  /** Who began it; null for a deleted account. */
  readonly author?: string | null;
  readonly body: string;
  readonly resolved: boolean;
  /** Who closed it; null where nobody knows any more. */
  readonly resolvedBy?: string | null;
  readonly resolvedByBot?: boolean;
  /** Whether its lines changed since, as GitHub says; absent where it cannot tell or nobody asked. */
  readonly linesChanged?: boolean;
  /** Whether a commit that is no merge came after it. */
  readonly laterCommit?: boolean;
};

/** Under which a pull request is kept: GitHub tells no upper case from lower case in a repository's name. */
export const pullKey = ({ repo, pr }: Pick<ReviewedPull, 'repo' | 'pr'>): string =>
  `${repo.toLowerCase()}#${pr}`;

/** As it was collected, without what the signal does not look at. */
export function toReviewedPull(past: CollectedPull): ReviewedPull {
  return {
    repo: past.repo,
    pr: past.number,
    author: past.author?.login ?? null,
    labels: past.labels,
    branch: past.head,
    files: past.files,
    life: past,
    threads: past.threads.map((thread) => toReviewedThread(thread, past.commits)),
  };
}

/** The part of a `PastPull` that is read. */
export type CollectedPull = Pick<
  PastPull,
  'repo' | 'number' | 'author' | 'labels' | 'head' | 'files' | 'state' | 'draft' | 'createdAt'
> & {
  readonly commits: readonly Pick<PastPull['commits'][number], 'sha' | 'at' | 'parents'>[];
  readonly threads: readonly CollectedThread[];
};

type CollectedThread = Pick<
  PastPull['threads'][number],
  'id' | 'line' | 'isResolved' | 'resolvedBy' | 'isOutdated' | 'sha'
> & {
  readonly comments: readonly Pick<
    PastPull['threads'][number]['comments'][number],
    'author' | 'at' | 'body'
  >[];
};

function toReviewedThread(thread: CollectedThread, commits: CollectedPull['commits']): ReviewedThread {
  const first = thread.comments[0];
  return {
    id: thread.id,
    author: first?.author?.login ?? null,
    body: first?.body ?? '',
    resolved: thread.isResolved,
    resolvedBy: thread.resolvedBy?.login ?? null,
    resolvedByBot: thread.resolvedBy?.bot === true,
    // A thread on a whole file has no lines that could change.
    ...((thread.line !== null || thread.isOutdated) && { linesChanged: thread.isOutdated }),
    laterCommit: hasLaterCommit(thread, commits),
  };
}

/** By the commit that the thread was written on; by the clock where a force-push took that one away. */
function hasLaterCommit({ sha, comments }: CollectedThread, commits: CollectedPull['commits']): boolean {
  const seen = commits.findIndex((commit) => commit.sha === sha);
  const at = comments[0]?.at;
  const later =
    seen !== -1
      ? commits.slice(seen + 1)
      : commits.filter((commit) => at !== undefined && Date.parse(commit.at) > Date.parse(at));
  return later.some(({ parents }) => parents < 2);
}
