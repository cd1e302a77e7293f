/**
 * A pull request as GitHub remembers it, whoever reviewed it: what the reward signal and the report are computed from.
 * Collected over GraphQL (`lib/forges/github/collect/`); times are ISO 8601 in UTC.
 */
export type PastPull = {
  /** `owner/name`. */
  readonly repo: string;
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly state: 'open' | 'merged' | 'closed';
  readonly draft: boolean;
  readonly author: PastActor | null;
  readonly labels: readonly string[];
  readonly base: string;
  /** The head's branch. */
  readonly head: string;
  readonly headSha: string;
  /** The commit that merged it. */
  readonly mergeSha: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly mergedAt: string | null;
  readonly closedAt: string | null;
  readonly files: readonly string[];
  /** Oldest first. */
  readonly commits: readonly PastCommit[];
  readonly reviews: readonly PastReview[];
  readonly comments: readonly PastComment[];
  readonly threads: readonly PastThread[];
  /** Set where threads were not asked for (`--no-threads`): `threads` is empty then and says nothing. */
  readonly withoutThreads?: true;
  /** Of every head it has had, as far as GitHub leads there; of each name the newest run on a commit. */
  readonly checks: readonly PastCheck[];
};

/** Null where the account is gone. The login of a bot is without the `[bot]` that GitHub's pages show. */
export type PastActor = { readonly login: string; readonly bot: boolean };

export type PastCommit = {
  readonly sha: string;
  readonly at: string;
  /** First line of its message. */
  readonly headline: string;
  readonly parents: number;
};

export type PastReview = {
  readonly author: PastActor | null;
  readonly state: 'commented' | 'approved' | 'changes_requested' | 'dismissed';
  readonly at: string;
  /** The head that it speaks of; null where GitHub lost it. */
  readonly sha: string | null;
  readonly body: string;
};

export type PastComment = {
  readonly author: PastActor | null;
  readonly at: string;
  readonly editedAt: string | null;
  readonly body: string;
};

export type PastThread = {
  /** GraphQL node id. */
  readonly id: string;
  readonly path: string;
  /** The line as it was when the thread began; null for a thread on the file. */
  readonly line: number | null;
  readonly isResolved: boolean;
  readonly resolvedBy: PastActor | null;
  /** The lines changed since, says GitHub. */
  readonly isOutdated: boolean;
  /** The head that the first comment was written on. */
  readonly sha: string | null;
  /** Oldest first; the first one is what the thread says. */
  readonly comments: readonly PastComment[];
};

export type PastCheck = {
  readonly sha: string;
  readonly name: string;
  /** The app's slug; null for a commit status. */
  readonly app: string | null;
  readonly conclusion: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  /** Kept only where it has Evident's hidden lines in it. */
  readonly text: string | null;
};
