import { logEvent } from './agent/log-event.js';
import { ConfigError } from './core/errors.js';
import { defaultPolicy, type Policy } from './core/policy.js';
import { createLog } from './config/log.js';
import type { Env } from './config/env.js';
import type { GitHubForgeOptions } from './forges/github/index.js';
import { forges } from './forges/index.js';
import { handleTrigger, type Deps, type Handled } from './handle-trigger.js';
import { chooseModels } from './models/index.js';
import type { Forge, PullRequestForge } from './ports/forge.js';
import type { Job } from './ports/job-runner.js';
import type { Log } from './ports/log.js';
import type { Model } from './ports/model.js';
import {
  createFileJournal,
  createInlineRunner,
  createMemoryJournal,
  type InlineRunner,
  type JobEnd,
  type Timer,
} from './runners/index.js';

/** The program, ready to take jobs. */
export type Composed = {
  readonly runner: InlineRunner;
  readonly model: Model;
  readonly log: Log;
  /** Asks GitHub for deliveries that failed, if it is time for that; settles when it has. */
  readonly redeliver: () => Promise<void>;
};

/** What a caller may put in the place of what the environment would choose, and what it wants to be told. */
export type ComposeOptions = {
  readonly log?: Log;
  readonly model?: Model;
  /** Several: the first reads, the second confirms. */
  readonly models?: readonly [Model, ...Model[]];
  readonly clock?: () => number;
  readonly sleep?: (ms: number) => Promise<void>;
  /** Rings for what is due later. */
  readonly timer?: Timer;
  readonly fetch?: typeof fetch;
  /** False where no real merge hangs on the check and no delivery is lost: the demo. */
  readonly realForge?: boolean;
  /** False: deliveries that failed are not asked for again after each job. */
  readonly redeliver?: boolean;
  readonly limits?: Deps['limits'];
  /** How much of a repository is read. */
  readonly readerLimits?: GitHubForgeOptions['readerLimits'];
  readonly longestRunMs?: number;
  readonly emit?: Deps['emit'];
  readonly onReviewed?: Deps['onReviewed'];
  readonly onHandled?: (handled: Handled, requests: ReturnType<PullRequestForge['requests']>) => void;
};

/** The only place that picks adapters. Throws `ConfigError` with a sentence that names the variable. */
export async function compose(env: Env, options: ComposeOptions = {}): Promise<Composed> {
  const { github } = env;
  if (github === null) throw new ConfigError('APP_ID is not set.', 'APP_ID');
  const log = options.log ?? createLog(env.logLevel);
  const clock = options.clock ?? Date.now;
  const [model, ...otherModels]: readonly [Model, ...Model[]] =
    options.models ??
    (options.model === undefined ? chooseModels(env.model.variables, { log }) : [options.model]);
  const longestRunMs = options.longestRunMs ?? env.maxMinutes * 60_000;
  const { createAppAuth, createGitHubForge, createRedeliverer, markerScope } = await forges.github();
  const trust: NonNullable<Deps['trust']> = (place) => ({
    keys: env.signingKeys,
    scope: markerScope(github, place),
  });
  const outside = options.fetch === undefined ? {} : { fetch: options.fetch };
  const auth = createAppAuth({
    appId: github.appId,
    privateKey: github.privateKey,
    apiUrl: github.apiUrl,
    log,
    clock,
    ...outside,
  });
  const redeliverer = createRedeliverer({ auth, log, clock });
  const redeliver = async (): Promise<void> => {
    if (options.redeliver ?? options.realForge ?? true) await redeliverer.nowAndThen();
  };
  const forge = createGitHubForge({
    auth,
    appId: github.appId,
    apiUrl: github.apiUrl,
    log,
    policy: deploymentPolicy(env),
    neverSend: env.neverSend,
    trust,
    longestRunMs,
    clock,
    ...outside,
    ...(options.readerLimits !== undefined && { readerLimits: options.readerLimits }),
    ...(options.sleep !== undefined && { sleep: options.sleep }),
  });
  const [journalKey] = env.signingKeys;
  const journal =
    env.journalDir !== undefined && journalKey !== undefined
      ? createFileJournal(env.journalDir, journalKey, { log, clock })
      : createMemoryJournal({ clock });

  const run = async ({ trigger }: Job, signal: AbortSignal): Promise<JobEnd> => {
    const { forge: watched, requests } = watch(forge);
    const all = await handleTrigger(
      trigger,
      {
        forge: watched,
        model,
        otherModels,
        journal,
        follow: (next, at) =>
          runner.follow({ trigger: next, delivery: '' }, at === undefined ? undefined : new Date(at)),
        waits: !env.shortLived,
        log,
        clock,
        limits: options.limits ?? { dollars: env.maxDollars },
        longestRunMs,
        realForge: options.realForge ?? true,
        trust,
        emit: (event) => {
          logEvent(log, { repository: `${trigger.owner}/${trigger.repo}` }, event);
          options.emit?.(event);
        },
        ...(options.onReviewed !== undefined && { onReviewed: options.onReviewed }),
      },
      signal,
    );
    log.info({ handled: all.map(({ kind }) => kind), requests: requests().length }, 'done');
    for (const handled of all) options.onHandled?.(handled, requests());
    await redeliver();
    const last = all.at(-1);
    return last?.kind === 'ended' && last.ending.kind === 'superseded' ? { overtakenBy: last.ending.by } : {};
  };
  const runner = createInlineRunner({
    run,
    log,
    clock,
    shortLived: env.shortLived,
    ...(options.timer !== undefined && { timer: options.timer }),
  });
  return { runner, model, log, redeliver };
}

/** The requests of all that a job opens. */
function watch(forge: Forge): {
  readonly forge: Forge;
  readonly requests: () => ReturnType<PullRequestForge['requests']>;
} {
  const opened: PullRequestForge[] = [];
  return {
    forge: {
      ...forge,
      open: async (trigger) => {
        const one = await forge.open(trigger);
        opened.push(one);
        return one;
      },
    },
    requests: () => opened.flatMap((one) => one.requests()),
  };
}

/** Defaults with what the operator set: what stands behind the files of organizations and repositories. */
const deploymentPolicy = (env: Env): Policy => ({
  ...defaultPolicy,
  gate: { ...defaultPolicy.gate, mode: env.gate },
  review: { ...defaultPolicy.review, start: env.start },
  source: env.gate === 'blocking' ? 'defaults, blocking' : 'defaults',
});
