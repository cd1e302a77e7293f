import { SupersededError } from '../core/errors.js';
import { shortSha } from '../core/pull-request.js';
import type { Job, JobRunner } from '../ports/job-runner.js';
import type { Log } from '../ports/log.js';
import {
  about,
  headOf,
  isHeadJob,
  isSame,
  isStillDue,
  joined,
  laneKey,
  type HeadJob,
} from './inline/job-order.js';

/** How a job ended, as far as the order of jobs hangs on it. */
export type JobEnd = {
  /** The head that is live, when it is another one than the job's. */
  readonly overtakenBy?: string;
};

export type InlineRunner = JobRunner & {
  /** Shutdown: what runs is aborted, what waits or is due later is dropped. Settles when nothing runs any more. */
  stop(why: string): Promise<void>;
};

/**
 * Runs jobs in this process. Per pull request one at a time, and the newest head wins: a later event about the head
 * aborts the running job with a `SupersededError` and runs once that has ended; of a burst only the last is left. What
 * is said or pressed waits behind both; all that was said meanwhile is one job. Different pull requests run side by
 * side, at most `atOnce`. A redelivery of what runs or waits is dropped. Never throws into the caller.
 *
 * Events may come in the wrong order: a job that displaced another one and then finds that the other one's head is
 * live gives the turn back.
 */
export function createInlineRunner({
  run,
  waitUntil = () => {},
  log,
  clock,
  atOnce = 4,
  shortLived = false,
  timer = realTimer,
}: {
  /** Does the job. Its errors are logged: what stands on the pull request is its own affair. */
  readonly run: (job: Job, signal: AbortSignal) => Promise<JobEnd | void>;
  /** Keeps a serverless invocation alive until a promise settles; the promise never rejects. */
  readonly waitUntil?: (done: Promise<void>) => void;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly atOnce?: number;
  /** The host ends this process soon after the event that woke it: there is no time for a second run. */
  readonly shortLived?: boolean;
  readonly timer?: Timer;
}): InlineRunner {
  const lanes = new Map<string, Lane>();
  const ready: Lane[] = [];
  let running = 0;
  let stopped = false;

  function enqueue(job: Job, notBefore?: Date): void {
    if (stopped) return log.warn(about(job), 'the runner has stopped; the job is dropped');
    const key = laneKey(job);
    const lane = lanes.get(key) ?? openLane(key);
    if (lane.deliveries.has(job.delivery)) return log.info(about(job), 'redelivered; it is at work already');
    if (atWork(lane, job)) return log.info(about(job), 'the same trigger is at work already; dropped');
    if (job.delivery !== '') lane.deliveries.add(job.delivery);
    const ms = (notBefore?.getTime() ?? 0) - clock();
    if (notBefore !== undefined && ms > 0) later(lane, job, ms);
    else take(lane, job);
    waitUntil(lane.drained);
  }

  function follow(job: Job, notBefore?: Date): boolean {
    if (stopped || shortLived) return false;
    const key = laneKey(job);
    const lane = lanes.get(key) ?? openLane(key);
    const ms = (notBefore?.getTime() ?? 0) - clock();
    forgetLater(lane, (one) => isSame(one, job));
    if (ms > 0) later(lane, job, ms);
    // What runs is the run that it follows.
    else if (!lane.behind.some((one) => isSame(one, job))) take(lane, job);
    waitUntil(lane.drained);
    return true;
  }

  /** Of heads the newest counts: what was displaced by it is not at work any more. */
  function atWork(lane: Lane, job: Job): boolean {
    const runs = lane.running?.abort.signal.aborted === false ? lane.running.job : null;
    if (isHeadJob(job)) {
      const newest = lane.head ?? runs;
      return newest !== null && isSame(newest, job);
    }
    return [...lane.behind, ...(runs === null ? [] : [runs])].some((one) => isSame(one, job));
  }

  function openLane(key: string): Lane {
    const lane: Lane = {
      key,
      running: null,
      head: null,
      behind: [],
      later: new Map(),
      displaced: [],
      deliveries: new Set(),
      drained: Promise.resolve(),
      settle: null,
    };
    lanes.set(key, lane);
    return lane;
  }

  function later(lane: Lane, job: Job, ms: number): void {
    if (isHeadJob(job)) forgetLater(lane);
    const cancel = timer(Math.min(ms, longestTimer), () => {
      lane.later.delete(job);
      if (ms > longestTimer) later(lane, job, ms - longestTimer);
      else take(lane, job);
    });
    lane.later.set(job, cancel);
  }

  function forgetLater(lane: Lane, which: (job: Job) => boolean = isHeadJob): void {
    for (const [job, cancel] of lane.later) {
      if (!which(job)) continue;
      cancel();
      lane.later.delete(job);
    }
  }

  function take(lane: Lane, job: Job): void {
    if (lane.settle === null) lane.drained = new Promise((resolve) => (lane.settle = resolve));
    const waited = isWaiting(lane);
    if (isHeadJob(job)) displace(lane, job);
    else lane.behind = joined(lane.behind, job);
    if (lane.running !== null) return;
    if (!waited) ready.push(lane);
    startReady();
  }

  /** The newest head of a pull request: what waited for an older one is overtaken, what runs is aborted. */
  function displace(lane: Lane, job: HeadJob): void {
    const by = `overtaken by ${shortSha(job.trigger.head)}`;
    forgetLater(lane);
    if (lane.head !== null) {
      log.info(about(lane.head), `${by} while waiting`);
      lane.displaced.push(lane.head);
    }
    lane.head = job;
    if (lane.running === null) return;
    const { job: runs, abort } = lane.running;
    log.info(about(runs), `${by}; aborting`);
    if (!abort.signal.aborted) {
      if (isStillDue(runs)) lane.behind = lane.behind.reduce(joined, [runs]);
      else lane.displaced.push(runs);
    }
    abort.abort(new SupersededError(by));
  }

  function startReady(): void {
    while (running < atOnce) {
      const lane = ready.shift();
      if (lane === undefined) return;
      const job = next(lane);
      if (job === null) close(lane);
      else start(lane, job);
    }
  }

  function next(lane: Lane): Job | null {
    const { head } = lane;
    lane.head = null;
    if (head !== null) return head;
    const [first, ...rest] = lane.behind;
    lane.behind = rest;
    return first ?? null;
  }

  function start(lane: Lane, job: Job): void {
    const abort = new AbortController();
    lane.running = { job, abort };
    running += 1;
    // A caller that enqueues is never entered from here: the job starts on its own turn of the event loop.
    void Promise.resolve()
      .then(() => (abort.signal.aborted ? undefined : run(job, abort.signal)))
      .catch((error: unknown) => {
        log.error({ ...about(job), err: error }, 'the job failed');
      })
      .then((end) => {
        running -= 1;
        lane.running = null;
        giveBack(lane, end?.overtakenBy);
        if (isWaiting(lane)) ready.push(lane);
        else close(lane);
        startReady();
      });
  }

  /** What ended as overtaken was told of too late: the job of the live head goes on, if it was displaced by it. */
  function giveBack(lane: Lane, live: string | undefined): void {
    if (lane.head !== null || stopped || live === undefined) return;
    lane.head = lane.displaced.findLast((job) => headOf(job) === live) ?? null;
    if (lane.head === null) return;
    lane.displaced = [];
    log.info(about(lane.head), 'displaced by an older event; it goes on');
  }

  function close(lane: Lane): void {
    if (lane.running !== null || isWaiting(lane)) return;
    if (lane.later.size === 0) lanes.delete(lane.key);
    else forgetEnded(lane);
    lane.settle?.();
    lane.settle = null;
  }

  /** What is over is at work no more: told of again, it is done again. Only what is due later is not. */
  function forgetEnded(lane: Lane): void {
    lane.displaced = [];
    lane.deliveries.clear();
    for (const { delivery } of lane.later.keys()) if (delivery !== '') lane.deliveries.add(delivery);
  }

  async function idle(): Promise<void> {
    await Promise.all([...lanes.values()].map((lane) => lane.drained));
  }

  return {
    enqueue,
    follow,
    idle,
    async stop(why) {
      stopped = true;
      for (const lane of [...lanes.values()]) {
        forgetLater(lane, () => true);
        for (let job = next(lane); job !== null; job = next(lane))
          log.warn(about(job), `dropped while waiting: ${why}`);
        lane.running?.abort.abort(new Error(why));
        close(lane);
      }
      await idle();
    },
  };
}

/** All that is known about one pull request until its last job has ended. */
type Lane = {
  readonly key: string;
  running: { readonly job: Job; readonly abort: AbortController } | null;
  /** Waits for the newest head. It goes before what was said. */
  head: Job | null;
  /** What was said and pressed, in order. */
  behind: readonly Job[];
  /** What is due later, with what cancels it. */
  readonly later: Map<Job, () => void>;
  /** Jobs that stopped or never began because of a later event, since the lane was opened. */
  displaced: Job[];
  readonly deliveries: Set<string>;
  /** Settles when nothing runs or waits; what is due later is not waited for. */
  drained: Promise<void>;
  settle: (() => void) | null;
};

const isWaiting = (lane: Lane): boolean => lane.head !== null || lane.behind.length > 0;

/** Rings after so many milliseconds, unless it is cancelled before. */
export type Timer = (ms: number, ring: () => void) => () => void;

/** A process that has nothing else to do does not live on for it. */
const realTimer: Timer = (ms, ring) => {
  const timeout = setTimeout(ring, ms).unref();
  return () => clearTimeout(timeout);
};

/** setTimeout counts in 31 bits. */
const longestTimer = 2 ** 31 - 1;
