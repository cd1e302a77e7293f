import type { Attempt } from './attempt.js';
import type { KnownMark } from './marker.js';
import type { PassRecord } from './pass-record.js';
import type { Sha } from './pull-request.js';

/** What kind of account wrote something. `ghost`: it was deleted. */
export type WriterKind = 'person' | 'bot' | 'ghost';

/** A text that somebody wrote on a pull request, as it stands now. */
export type Comment = {
  /** GraphQL node id. */
  readonly id: string;
  /** REST id: counts up, so it orders what was written. */
  readonly databaseId: number;
  readonly author: string;
  readonly by: WriterKind;
  /** Written by this app, with no foreign editor. */
  readonly ours: boolean;
  readonly body: string;
  /** ISO time at which it was first written. */
  readonly at: string;
  /** ISO time of the last edit. */
  readonly editedAt?: string;
  /** Somebody else than its author edited it last: then it is nobody's word. */
  readonly editedBy?: string;
};

export type Thread = {
  readonly id: string;
  readonly path: string;
  /** Null when outdated: the number of then (`originalLine`) says nothing about today's file. */
  readonly line: number | null;
  readonly originalLine: number | null;
  readonly resolved: boolean;
  readonly resolvedBy?: string;
  /** Whether this token may resolve it. */
  readonly canResolve?: boolean;
  readonly outdated: boolean;
  readonly comments: readonly Comment[];
};

/** A review of ours whose body is the summary: edited in place by later passes. */
export type OwnReview = {
  readonly id: string;
  readonly databaseId: number;
  readonly body: string;
  readonly state: string;
};

/** A review that somebody else submitted. */
export type PeerReview = Comment & {
  readonly state: 'approved' | 'changes_requested' | 'commented' | 'dismissed';
  /** The commit it was made on, as GitHub says it today: a force push may have moved it. */
  readonly commit: Sha | null;
};

/** Live rights of an account in the repository, highest first as GitHub names the roles. */
export type Permission = 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none';

/**
 * A head that check runs of ours stand on, against one base branch, and since when (epoch milliseconds): it dates what
 * people say. One that comes back is there again.
 */
export type HeadSeen = {
  readonly sha: Sha;
  readonly since: number;
  readonly base?: string;
  /** When the newest of its check runs began; absent: there is one. */
  readonly last?: number;
  /** The newest one is in progress: somebody is at work, or died. */
  readonly running?: true;
  /** The newest one says that a review goes on by itself. */
  readonly owed?: true;
  /** Not before then, epoch milliseconds; absent: at once. */
  readonly due?: number;
  /** The newest one ended without a result, or with one after which no review comes by itself though one is needed. */
  readonly ended?: true;
  /** The newest one says that people are asked, and for what. */
  readonly waitsFor?: 'decision' | 'answer';
};

/** All that people and this app wrote on a pull request, at one read. Current contents only. */
export type Conversation = {
  readonly threads: readonly Thread[];
  readonly ownReviews: readonly OwnReview[];
  /** Whether a review of ours was ever posted, also one that somebody else edited since. */
  readonly wasReviewed?: boolean;
  /** Comments on the pull request itself, ours among them. */
  readonly comments: readonly Comment[];
  readonly peerReviews: readonly PeerReview[];
  /** Rights of those whose words may decide something, by lower-case login; absent: none. */
  readonly permissions: Readonly<Record<string, Permission>>;
  /** Oldest first. */
  readonly heads: readonly HeadSeen[];
  /** Passes of this app on this pull request, from the texts of its check runs on all of its heads. */
  readonly passRecords: readonly PassRecord[];
  /** What those texts keep of findings and questions. */
  readonly marks: readonly KnownMark[];
  /** Names of what people said that was acted on, from those texts. */
  readonly heard: readonly string[];
  /** Runs that ended without a result, from those texts. */
  readonly attempts?: readonly Attempt[];
};

/** Nobody has written anything: a pull request that was just opened, and the terminal. */
export const noConversation: Conversation = {
  threads: [],
  ownReviews: [],
  comments: [],
  peerReviews: [],
  permissions: {},
  heads: [],
  passRecords: [],
  marks: [],
  heard: [],
};
