import type { Anchor } from './finding.js';
import type { Sha } from './pull-request.js';

/** GitHub's conclusions that we use. */
export type CheckConclusion = 'success' | 'failure' | 'neutral' | 'skipped' | 'cancelled' | 'action_required';

export type CheckWrite = {
  readonly title: string;
  readonly summary: string;
  readonly text: string;
} & (
  { readonly status: 'in_progress' } | { readonly status: 'completed'; readonly conclusion: CheckConclusion }
);

/** A thread to open: a finding or a question, with its hidden key in the body. */
export type ThreadWrite = {
  readonly key: string;
  readonly anchor: Extract<Anchor, { kind: 'line' }>;
  readonly body: string;
};

/** Every write of a run as data. What is absent is not written. */
export type Publication = {
  readonly key: string;
  readonly head: Sha;
  /** One review call: its body is the summary, its comments the threads. Absent: nothing to say. */
  readonly review?: { readonly key: string; readonly body: string; readonly threads: readonly ThreadWrite[] };
  /** The body of our first review, edited in place. */
  readonly summaryEdit?: { readonly reviewId: number; readonly body: string };
  readonly check: CheckWrite;
};

/** What happened to a write: `unknown` (time-out, 5xx) is read back with patience and never sent again. */
export type WriteOutcome =
  | { readonly kind: 'confirmed'; readonly id: number }
  | { readonly kind: 'already_there'; readonly id: number }
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** How publishing ended. */
export type Published =
  | { readonly kind: 'published'; readonly writes: readonly WriteOutcome[] }
  | { readonly kind: 'superseded'; readonly by: Sha }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly reason: string };
