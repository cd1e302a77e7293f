import type { FileDiff } from './diff.js';
import type { PassRecord } from './pass-record.js';
import type { Policy } from './policy.js';
import type { PullRequest } from './pull-request.js';

/** A comment of a review thread. `ours`: written by this app, with no foreign editor. */
export type ThreadComment = {
  readonly id: string;
  readonly author: string;
  readonly ours: boolean;
  readonly body: string;
  readonly at: string;
};

export type Thread = {
  readonly id: string;
  readonly path: string;
  /** Null when outdated: the number of then (`originalLine`) says nothing about today's file. */
  readonly line: number | null;
  readonly originalLine: number | null;
  readonly resolved: boolean;
  readonly outdated: boolean;
  readonly comments: readonly ThreadComment[];
};

/** A review of ours whose body is the summary: edited in place by later passes. */
export type OwnReview = {
  readonly id: string;
  readonly databaseId: number;
  readonly body: string;
  readonly state: string;
};

/** Something that could not be read, and what follows from it. */
export type Lack = { readonly what: string; readonly why: string };

/** All that was read at one head SHA. */
export type Snapshot = {
  readonly pullRequest: PullRequest;
  /** Merge base to head, secrets labelled. */
  readonly diff: readonly FileDiff[];
  /** Identifies the change: hash over paths, modes and rows. */
  readonly diffHash: string;
  readonly threads: readonly Thread[];
  readonly ownReviews: readonly OwnReview[];
  readonly passRecords: readonly PassRecord[];
  readonly policy: Policy;
  readonly policyHash: string;
  /** REVIEW.md of the base: what counts as important here. Null when there is none. */
  readonly reviewRules: string | null;
  readonly lacks: readonly Lack[];
};
