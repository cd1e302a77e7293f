import { Probot } from 'probot';
import type { ApplicationFunction } from 'probot';
import { readEnv } from './config/env.js';
import type { GitHubEnv } from './config/env.js';
import { createLog } from './config/log.js';
import { ConfigError } from './core/errors.js';
import { eventNames } from './forges/github/accept.js';
import { toTrigger } from './forges/github/to-trigger.js';
import type { Delivery } from './forges/github/receive-delivery.js';
import type { JobRunner } from './ports/job-runner.js';
import type { Log } from './ports/log.js';

/** What the app hands its jobs to. */
export type AppDeps = {
  readonly runner: JobRunner;
  readonly log: Log;
  /** The number of the app: re-runs of other apps' checks are not for it. */
  readonly appId?: number;
};

export type App = {
  /** Takes a delivery whose signature holds. Settles when the work that was enqueued so far is done. */
  receive(delivery: Delivery): Promise<void>;
  /** Settles when nothing runs: for shutdown. */
  idle(): Promise<void>;
};

/** The events of the app and what they start. Probot dispatches; it never writes to GitHub here. */
export const evident =
  ({ runner, log, appId }: AppDeps): ApplicationFunction =>
  (probot) => {
    probot.on([...eventNames], (context) => {
      const trigger = toTrigger(context.name, context.payload, appId === undefined ? {} : { appId });
      if (trigger.kind === 'ignored') {
        log.info({ delivery: context.id, event: context.name }, `ignored: ${trigger.reason}`);
        return;
      }
      runner.enqueue({ trigger, delivery: context.id });
    });
  };

/**
 * Probot around the runner. Its own Octokit is never used: its plugins repeat writes and wait between them.
 */
export async function createApp(github: GitHubEnv, deps: AppDeps): Promise<App> {
  const probot = new Probot({
    appId: github.appId,
    privateKey: github.privateKey,
    secret: github.webhookSecret,
    // Probot logs whole payloads at debug level and with every failed delivery.
    log: createLog('silent'),
  });
  await probot.load(evident({ appId: github.appId, ...deps }), { cwd: process.cwd(), addHandler: () => {} });
  return {
    receive: async ({ id, name, payload }) => {
      // Checked by shape in `toTrigger`: the cast only satisfies Probot's union of all events.
      await probot.receive({ id, name, payload } as Parameters<typeof probot.receive>[0]);
      await deps.runner.idle();
    },
    idle: () => deps.runner.idle(),
  };
}

/** The whole program from its environment. Throws `ConfigError` when something is missing. */
export async function startApp(source: Readonly<Record<string, string | undefined>>): Promise<App> {
  const env = readEnv(source);
  if (env.github === null) throw new ConfigError('APP_ID is not set.', 'APP_ID');
  const { compose } = await import('./compose.js');
  const deps = await compose(env);
  for (const warning of env.warnings) deps.log.warn({}, warning);
  // What failed while nothing ran here. No delivery waits for it.
  void deps.redeliver();
  return createApp(env.github, deps);
}
