import type { Turn } from '../core/transcript.js';
import type { Trigger } from '../core/trigger.js';

export type Job = { readonly trigger: Trigger; readonly delivery: string };

/**
 * The journal of one run: each finished turn, so that a killed run goes on after it and pays no turn twice.
 * `identity` binds it to one task (model, prompt, tools): a journal of another task is not taken up.
 */
export interface Journal {
  load(key: string, identity: string): Promise<readonly Turn[]>;
  append(key: string, identity: string, turn: Turn): Promise<void>;
  clear(key: string): Promise<void>;
}

/** Runs jobs at least once. Newest head wins: a later job for the same pull request aborts the earlier one. */
export interface JobRunner {
  enqueue(job: Job, notBefore?: Date): void;
  /** Settles when all that was enqueued so far is done: for `waitUntil`, shutdown and tests. */
  idle(): Promise<void>;
}
