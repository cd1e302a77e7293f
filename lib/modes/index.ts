/**
 * From a trigger and what was read to a task: the tools a run may use, its prompt and its budget. A mode is one file
 * beside this one; each shares the evidence tools and ends with a terminal tool of its own.
 */
import type { FileOrder, Lens } from '../core/ledger.js';
import type { Trigger } from '../core/trigger.js';
import { lensFor } from './lens.js';
import { reviewTask, type ReviewGiven, type ReviewTask } from './review.js';

export type Task = ReviewTask;

/** Lens and order follow from the passes so far, unless they are given. */
export type TaskGiven = Omit<ReviewGiven, 'lens' | 'order'> & {
  readonly trigger: Trigger;
  readonly lens?: Lens;
  readonly order?: FileOrder;
};

export function taskFor({ trigger, ...given }: TaskGiven): Task {
  switch (trigger.kind) {
    case 'pull_request': {
      const { passRecords, diffHash } = given.snapshot;
      const next = lensFor(passRecords, diffHash);
      return reviewTask({ ...given, lens: given.lens ?? next.lens, order: given.order ?? next.order });
    }
  }
}
