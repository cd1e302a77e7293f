import type { LoopEvent } from '../agent/loop-event.js';
import type { Ledger } from '../core/ledger.js';
import type { MarkerTrust } from '../core/marker.js';
import type { RunFacts } from '../core/publication.js';
import type { Snapshot } from '../core/snapshot.js';
import type { Incoming, Trigger } from '../core/trigger.js';
import type { ReviewLimits } from '../modes/review.js';
import type { Reviewed } from '../modes/run-review.js';
import type { Claim, Forge, PullRequestForge } from '../ports/forge.js';
import type { Journal } from '../ports/job-runner.js';
import type { Log } from '../ports/log.js';
import type { Model } from '../ports/model.js';
import type { Ended } from './following.js';

/** Everything a run needs, as plain parameters. `compose.ts` picks the adapters. */
export type Deps = {
  readonly forge: Forge;
  readonly model: Model;
  /** Further models that the operator offers: the first of them confirms, unless the settings name another. */
  readonly otherModels?: readonly Model[];
  readonly journal: Journal;
  /** Runs a trigger when this run is over, and not before `at` (epoch milliseconds); false: nobody here will. */
  readonly follow?: (trigger: Incoming, at?: number) => boolean;
  /** This process lives on and runs what is due later; absent: it does not. */
  readonly waits?: boolean;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly limits: ReviewLimits;
  /** Milliseconds a run may take, publishing included. */
  readonly longestRunMs: number;
  /** A forge where the check holds real merges: passes of the fixed rules satisfy no blocking gate there. */
  readonly realForge: boolean;
  /** Whose hidden comments count on this pull request. */
  readonly trust?: (trigger: Trigger) => MarkerTrust;
  readonly emit?: (event: LoopEvent) => void;
  /** Told what the passes found, before it is published. */
  readonly onReviewed?: (reviewed: Reviewed) => void;
};

/** A run that reviews, by what it was started, and what was known before it. */
export type Turn = { readonly trigger: Trigger; readonly claim: Claim; readonly before: Ledger };

/** What a run has in hand once it has read the pull request. */
export type Given = {
  readonly snapshot: Snapshot;
  readonly deps: Deps;
  readonly forge: PullRequestForge;
  readonly began: number;
  readonly signal: AbortSignal;
  readonly trust?: MarkerTrust;
  /** Absent: this run only folds, and brings no other one. */
  readonly turn?: Turn;
  /** How a run that reviewed ended: what follows is decided by it, however often it is drafted. */
  readonly ended?: Ended;
  /** Taken once where a review is drafted several times: the texts differ only by what they say then. */
  readonly facts?: RunFacts;
};
