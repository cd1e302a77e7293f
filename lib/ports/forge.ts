import type { Ref } from '../core/evidence.js';
import type { CheckWrite, Publication, Published } from '../core/publication.js';
import type { FileRead, TreeEntry } from '../core/repo-view.js';
import type { SearchQuery, SearchResult } from '../core/search.js';
import type { OwnReview, Thread } from '../core/conversation.js';
import type { Snapshot } from '../core/snapshot.js';
import type { PassRecord } from '../core/pass-record.js';
import type { Sha } from '../core/pull-request.js';
import type { Trigger } from '../core/trigger.js';

export type { FileRead, TreeEntry } from '../core/repo-view.js';
export type { SearchMatch, SearchQuery, SearchResult } from '../core/search.js';

/** Read-only view of the repository at head and merge base. No call sends a request per read. */
export interface RepoReader {
  list(ref: Ref): Promise<readonly TreeEntry[]>;
  read(ref: Ref, path: string): Promise<FileRead>;
  search(query: SearchQuery): Promise<SearchResult>;
}

/** A claimed run: its check run is in progress and will be completed. */
export type Claim =
  | { readonly kind: 'claimed'; readonly checkRun: number }
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

/** One pull request on one forge, with rights narrowed to its repository. */
export interface PullRequestForge {
  claim(trigger: Trigger): Promise<Claim>;
  snapshot(trigger: Trigger): Promise<{ readonly snapshot: Snapshot; readonly reader: RepoReader }>;
  /** Threads and reviews as they stand now: replies may have come while the run went on. */
  conversation(trigger: Trigger): Promise<{
    readonly threads: readonly Thread[];
    readonly ownReviews: readonly OwnReview[];
    readonly passRecords?: readonly PassRecord[];
  }>;
  stillWanted(trigger: Trigger): Promise<Wanted>;
  /** Progress or the end of the check; never throws away a completed check. */
  writeCheck(claim: Claim, check: CheckWrite): Promise<void>;
  /** `again` drafts once more from what stands now, when somebody wrote while this was published. */
  publish(
    claim: Claim,
    publication: Publication,
    trigger: Trigger,
    again?: () => Promise<Publication>,
  ): Promise<Published>;
  /** The end of a run, however it came: what other runs wait for is freed. */
  release(): Promise<void>;
  /** The page on which an owner accepts what the app may not do yet. */
  readonly acceptAt?: string;
  /** Requests so far, each with its reason. */
  requests(): readonly { readonly method: string; readonly path: string; readonly reason: string }[];
}

export interface Forge {
  open(trigger: Trigger): Promise<PullRequestForge>;
}
