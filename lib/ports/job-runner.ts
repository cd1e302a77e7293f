import type { Turn } from '../core/transcript.js';
import type { Incoming } from '../core/trigger.js';

export type Job = { readonly trigger: Incoming; readonly delivery: string };

/**
 * The journal of one run: each finished turn, so that a killed run goes on after it and pays no turn twice.
 * `identity` binds it to one task (model, prompt, tools): a journal of another task is not taken up.
 */
export interface Journal {
  load(key: string, identity: string): Promise<readonly Turn[]>;
  append(key: string, identity: string, turn: Turn): Promise<void>;
  clear(key: string): Promise<void>;
}

/**
 * Runs jobs at least once. Newest head wins: a later event about the head of a pull request aborts what runs for it.
 * What people say and press aborts nothing: it waits, and what was said meanwhile is one job.
 */
export interface JobRunner {
  enqueue(job: Job, notBefore?: Date): void;
  /**
   * A job that goes on where a run of the same pull request has ended; it begins when that run is over and its time has
   * come, with the whole time of a run. The same job for another time takes its place. False: this process may not live
   * that long, or stops; then the forge has to bring the job back.
   */
  follow(job: Job, notBefore?: Date): boolean;
  /**
   * Settles when all that was enqueued so far is done: for `waitUntil`, shutdown and tests. What is due later is not
   * waited for: a check says that it comes, and a process that ends before leaves it to the next one.
   */
  idle(): Promise<void>;
}
