import { z } from 'zod';

/** A full object name, 40 (SHA-1) or 64 (SHA-256) lower-case hex digits. */
export const Sha = z
  .string()
  .regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'expected a full commit id')
  .brand<'Sha'>();
export type Sha = z.infer<typeof Sha>;

/** The seven characters that people read. */
export const shortSha = (sha: Sha): string => sha.slice(0, 7);

/** A repository on a forge. `htmlUrl` is what links are built from; it has no trailing slash. */
export type RepoRef = { readonly owner: string; readonly name: string; readonly htmlUrl: string };

export const repoName = (repo: RepoRef): string => `${repo.owner}/${repo.name}`;

/**
 * Who opened the pull request. `ghost` (a deleted account) is `unknown`.
 * `agent` is decided by a rule that the check shows, never by the model.
 */
export type Author = {
  readonly login: string;
  readonly kind: 'person' | 'agent' | 'dependency_bot' | 'unknown';
  /** The rule that decided `kind`, in words: "branch `agent/refunds`". Absent for a person. */
  readonly because?: string;
  /** What points to an agent's work and decides nothing: a trailer of a commit, in words. */
  readonly hint?: string;
  /** Somebody without a merged change and without rights here: GitHub's `author_association`. */
  readonly isNew?: boolean;
};

/** A pull request, whatever forge it stands on. All commit ids are those of one frozen read. */
export type PullRequest = {
  readonly repo: RepoRef;
  readonly number: number;
  readonly htmlUrl: string;
  readonly title: string;
  readonly body: string;
  readonly author: Author;
  readonly state: 'open' | 'closed' | 'merged';
  readonly draft: boolean;
  readonly labels: readonly string[];
  /** `sha` is the tip of the base branch; the diff is taken against `mergeBase`. */
  readonly base: { readonly ref: string; readonly sha: Sha };
  /** `repo` is null when the fork was deleted; contents are then still read from the base repository. */
  readonly head: { readonly ref: string; readonly sha: Sha; readonly repo: string | null };
  readonly mergeBase: Sha;
  readonly changedFiles: number;
  readonly commits: number;
};
