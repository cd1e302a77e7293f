import { SupersededError } from '../core/errors.js';
import type { Trigger } from '../core/trigger.js';
import { shortSha } from '../core/pull-request.js';
import type { Job, JobRunner } from '../ports/job-runner.js';
import type { Log } from '../ports/log.js';

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
 * Runs jobs in this process. Per pull request one at a time and the newest wins: a later job aborts the running one
 * with a `SupersededError` and runs once that has ended; of a burst only the last is left. Different pull requests
 * run side by side, at most `atOnce`. A redelivery of what runs or waits is dropped. Never throws into the caller.
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
}: {
  /** Does the job. Its errors are logged: what stands on the pull request is its own affair. */
  readonly run: (job: Job, signal: AbortSignal) => Promise<JobEnd | void>;
  /** Keeps a serverless invocation alive until a promise settles; the promise never rejects. */
  readonly waitUntil?: (done: Promise<void>) => void;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly atOnce?: number;
}): InlineRunner {
  const lanes = new Map<string, Lane>();
  const ready: Lane[] = [];
  let running = 0;
  let stopped = false;

  function enqueue(job: Job, notBefore?: Date): void {
    if (stopped) return log.warn(about(job), 'the runner has stopped; the job is dropped');
    const key = laneKey(job.trigger);
    const lane = lanes.get(key) ?? openLane(key);
    if (lane.deliveries.has(job.delivery)) return log.info(about(job), 'redelivered; it is at work already');
    const newest = lane.waiting ?? (lane.running?.abort.signal.aborted === false ? lane.running.job : null);
    if (newest !== null && sameTrigger(newest, job))
      return log.info(about(job), 'the same trigger is at work already; dropped');
    if (job.delivery !== '') lane.deliveries.add(job.delivery);
    const ms = (notBefore?.getTime() ?? 0) - clock();
    if (notBefore !== undefined && ms > 0) later(lane, job, ms);
    else take(lane, job);
    waitUntil(lane.drained);
  }

  function openLane(key: string): Lane {
    let settle = (): void => {};
    const drained = new Promise<void>((resolve) => (settle = resolve));
    const lane: Lane = {
      key,
      running: null,
      waiting: null,
      later: null,
      displaced: [],
      deliveries: new Set(),
      drained,
      settle,
    };
    lanes.set(key, lane);
    return lane;
  }

  function later(lane: Lane, job: Job, ms: number): void {
    if (lane.later !== null) clearTimeout(lane.later.timer);
    const timer = setTimeout(
      () => {
        lane.later = null;
        if (ms > longestTimer) later(lane, job, ms - longestTimer);
        else take(lane, job);
      },
      Math.min(ms, longestTimer),
    );
    lane.later = { timer };
  }

  /** The newest job of a pull request: what waited is overtaken, what runs is aborted. */
  function take(lane: Lane, job: Job): void {
    if (lane.later !== null) clearTimeout(lane.later.timer);
    lane.later = null;
    if (lane.waiting !== null) {
      log.info(about(lane.waiting), `overtaken by ${shortSha(job.trigger.head)} while waiting`);
      lane.displaced.push(lane.waiting);
    }
    const queued = lane.waiting !== null;
    lane.waiting = job;
    if (lane.running !== null) {
      log.info(about(lane.running.job), `overtaken by ${shortSha(job.trigger.head)}; aborting`);
      if (!lane.running.abort.signal.aborted) lane.displaced.push(lane.running.job);
      lane.running.abort.abort(new SupersededError(`overtaken by ${shortSha(job.trigger.head)}`));
      return;
    }
    if (!queued) ready.push(lane);
    startReady();
  }

  function startReady(): void {
    while (running < atOnce) {
      const lane = ready.shift();
      if (lane === undefined) return;
      const job = lane.waiting;
      if (job === null) close(lane);
      else start(lane, job);
    }
  }

  function start(lane: Lane, job: Job): void {
    const abort = new AbortController();
    lane.waiting = null;
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
        if (lane.waiting !== null) ready.push(lane);
        else close(lane);
        startReady();
      });
  }

  /** What ended as overtaken was told of too late: the job of the live head goes on, if it was displaced by it. */
  function giveBack(lane: Lane, live: string | undefined): void {
    if (lane.waiting !== null || stopped) return;
    lane.waiting = lane.displaced.findLast(({ trigger }) => trigger.head === live) ?? null;
    if (lane.waiting === null) return;
    lane.displaced = [];
    log.info(about(lane.waiting), 'displaced by an older event; it goes on');
  }

  function close(lane: Lane): void {
    if (lane.running !== null || lane.waiting !== null || lane.later !== null) return;
    lanes.delete(lane.key);
    lane.settle();
  }

  async function idle(): Promise<void> {
    await Promise.all([...lanes.values()].map((lane) => lane.drained));
  }

  return {
    enqueue,
    idle,
    async stop(why) {
      stopped = true;
      for (const lane of [...lanes.values()]) {
        if (lane.later !== null) clearTimeout(lane.later.timer);
        if (lane.waiting !== null) log.warn(about(lane.waiting), `dropped while waiting: ${why}`);
        lane.later = null;
        lane.waiting = null;
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
  waiting: Job | null;
  later: { readonly timer: NodeJS.Timeout } | null;
  /** Jobs that stopped or never began because of a later event, since the lane was opened. */
  displaced: Job[];
  readonly deliveries: Set<string>;
  readonly drained: Promise<void>;
  readonly settle: () => void;
};

/** setTimeout counts in 31 bits. */
const longestTimer = 2 ** 31 - 1;

const laneKey = ({ owner, repo, number }: Trigger): string => `${owner}/${repo}#${number}`.toLowerCase();

/** A base can change twice under one head: those two are not the same. */
const sameTrigger = (a: Job, b: Job): boolean =>
  a.trigger.head === b.trigger.head &&
  a.trigger.reason === b.trigger.reason &&
  a.trigger.reason !== 'base_changed';

const about = ({ trigger, delivery }: Job): object => ({
  pullRequest: `${trigger.owner}/${trigger.repo}#${trigger.number}`,
  head: trigger.head,
  reason: trigger.reason,
  delivery,
});
