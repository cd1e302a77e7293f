import type { Conversation } from './conversation.js';
import type { Decider } from './deciders.js';
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
  /** REVIEW.md of the base, of the root and of folders: what counts as important here. Null when there is none. */
  readonly reviewRules: string | null;
  /** Settings and rules that this change edits: the copies from before were used. */
  readonly editedByPull?: readonly string[];
  /** Who decides what the gate cannot. */
  readonly deciders?: readonly Decider[];
  readonly lacks: readonly Lack[];
};
