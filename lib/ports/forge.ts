import type { Attempt } from '../core/attempt.js';
import type { Ref } from '../core/evidence.js';
import type { CheckWrite, Publication, Published, ReactionContent } from '../core/publication.js';
import type { Policy } from '../core/policy.js';
import type { FileRead, TreeEntry } from '../core/repo-view.js';
import type { SearchQuery, SearchResult } from '../core/search.js';
import type { Conversation } from '../core/conversation.js';
import type { Lack, Snapshot } from '../core/snapshot.js';
import type { PullRequest, Sha } from '../core/pull-request.js';
import type { Incoming, Said, Trigger } from '../core/trigger.js';

export type { FileRead, TreeEntry } from '../core/repo-view.js';
export type { SearchMatch, SearchQuery, SearchResult } from '../core/search.js';

/** Read-only view of the repository at head and merge base. No call sends a request per read. */
export interface RepoReader {
  list(ref: Ref): Promise<readonly TreeEntry[]>;
  read(ref: Ref, path: string): Promise<FileRead>;
  search(query: SearchQuery): Promise<SearchResult>;
}

export type Claim =
  /** Its check run is in progress and will be completed. */
  | {
      readonly kind: 'claimed';
      readonly checkRun: number;
      /** Runs of this head that ended without a result, as our check runs on it say. */
      readonly attempts?: readonly Attempt[];
      /** How many runs of it died in progress, as those check runs say. */
      readonly died?: number;
    }
  /**
   * A run that only folds: it begins no check. `publish` edits the completed check that stands on the head, or makes one
   * where there is none; a check that has to be in progress again is a new one. While a review of the head is at work, and
   * after an operator passed the head by hand, the check is left to them.
   */
  | { readonly kind: 'standing' }
  | { readonly kind: 'already_running'; readonly detail: string }
  | { readonly kind: 'already_done'; readonly detail: string }
  /** The app may not write checks here: the review goes on without one. */
  | { readonly kind: 'without_check'; readonly why: string }
  /** Nothing could be written here, so nothing is read. */
  | { readonly kind: 'not_here'; readonly why: string };

/** A head that moved, a pull request that closed: whether a run is still wanted. */
export type Wanted =
  | { readonly kind: 'wanted' }
  | { readonly kind: 'superseded'; readonly by: Sha }
  | { readonly kind: 'closed' };

/** A pull request and what was said on it. Its `mergeBase` is not read: the tip of the base stands there. */
export type Look = {
  readonly pullRequest: PullRequest;
  readonly conversation: Conversation;
  /** What guards, from the default branch; the keys that the base decides have their defaults. */
  readonly policy: Policy;
  readonly lacks: readonly Lack[];
};

/** One pull request on one forge, with rights narrowed to its repository. */
export interface PullRequestForge {
  claim(trigger: Trigger): Promise<Claim>;
  /**
   * In the place of `claim` for a run that only folds: `standing`, or `not_here`. It waits up to half a minute behind
   * another run of the pull request, so read after it what is to be folded.
   */
  join(trigger: Trigger): Promise<Claim>;
  /** At once and without waiting; a failure is logged. A review needs its `id`. */
  react(subject: Said & { readonly id?: string }, content: ReactionContent): void;
  snapshot(trigger: Trigger): Promise<{ readonly snapshot: Snapshot; readonly reader: RepoReader }>;
  /** All that was said, as it stands now: replies may have come while the run went on. */
  conversation(trigger: Trigger): Promise<Conversation>;
  /** Enough to see whether what was said changes anything; no file is read. At most three requests for a short talk. */
  look(trigger: Trigger): Promise<Look>;
  stillWanted(trigger: Trigger): Promise<Wanted>;
  /** Progress or the end of the check; never throws away a completed check, so for `standing` it writes only where none is. */
  writeCheck(claim: Claim, check: CheckWrite): Promise<void>;
  /** `again` drafts once more from what stands now, when somebody wrote while this was published. */
  publish(
    claim: Claim,
    publication: Publication,
    trigger: Trigger,
    again?: () => Promise<Publication>,
  ): Promise<Published>;
  /**
   * The forge's queue: it sends an event that brings a run back to this head, once the check of the claim is completed.
   * False: it does not. A head that nobody is brought back to waits for any other event.
   */
  bringBack(claim: Claim): Promise<boolean>;
  /** The end of a run, however it came: what other runs wait for is freed. */
  release(): Promise<void>;
  /** Whether the check keeps what a run found for those after it: without it nothing tells that a head was read already. */
  readonly keepsResults: boolean;
  /** The page on which an owner accepts what the app may not do yet. */
  readonly acceptAt?: string;
  /** Requests so far, each with its reason. */
  requests(): readonly { readonly method: string; readonly path: string; readonly reason: string }[];
}

export interface Forge {
  open(trigger: Trigger): Promise<PullRequestForge>;
  /** The open pull requests that an event is about, as they stand now; none when nothing is to be done. */
  locate(incoming: Incoming): Promise<readonly Trigger[]>;
  /** The check on the commit of a merge queue's group; settles with what it says, for the log. */
  answerQueue(incoming: Extract<Incoming, { kind: 'queue' }>): Promise<string>;
  /** A pull request was closed. Settles with the open ones of the same head, whose checks show it no more. */
  closed(trigger: Trigger): Promise<readonly number[]>;
}
