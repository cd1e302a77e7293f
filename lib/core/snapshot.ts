import type { Conversation } from './conversation.js';
import type { FileDiff } from './diff.js';
import type { Policy } from './policy.js';
import type { PullRequest } from './pull-request.js';

/** Something that could not be read, and what follows from it. */
export type Lack = { readonly what: string; readonly why: string };

/** All that was read at one head SHA. */
export type Snapshot = Conversation & {
  readonly pullRequest: PullRequest;
  /** Merge base to head, secrets labelled. */
  readonly diff: readonly FileDiff[];
  /** Identifies the change: hash over paths, modes and rows. */
  readonly diffHash: string;
  readonly policy: Policy;
  readonly policyHash: string;
  /** REVIEW.md of the base: what counts as important here. Null when there is none. */
  readonly reviewRules: string | null;
  readonly lacks: readonly Lack[];
};
