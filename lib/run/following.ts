import type { Attempt, Coming } from '../core/attempt.js';

/** What comes after a run without a commit and without anybody's word. */
export type Following =
  | { readonly kind: 'nothing' }
  /** The next pass of a row of clean ones, at once. */
  | { readonly kind: 'next_pass' }
  /** The same pass again: at `at` where this process lives on; else at once by the forge's queue, or with an event after `at`. */
  | {
      readonly kind: 'again';
      readonly how: 'timer' | 'queue' | 'event';
      readonly at: number;
      readonly why: Attempt['why'];
    }
  /** It went on by itself before, and does not any more. */
  | (Extract<Coming, { kind: 'stops' }> & { readonly why: Attempt['why'] });

/** How a run ended, taken once: what is told and what is done are of the same time. */
export type Ended = {
  /** The run itself, where it ended without what it was for; it stands in the ledger then. */
  readonly attempt: Attempt | null;
  /** Epoch milliseconds. */
  readonly now: number;
  /** This process lives on and waits. */
  readonly waits: boolean;
};
