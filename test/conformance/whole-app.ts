import { setTimeout as delay } from 'node:timers/promises';
import { startServer } from '../../cli/commands/serve.js';
import { createApp } from '../../lib/app.js';
import { compose } from '../../lib/compose.js';
import { readEnv } from '../../lib/config/env.js';
import { silentLog } from '../../lib/ports/log.js';
import type { Model } from '../../lib/ports/model.js';
import { type LocalGitHub, type LocalGitHubOptions, startLocalGitHub } from '../../local-github/index.js';
import { type Proxy, startProxy } from './proxy.js';
import { faultsOfPayload } from './webhooks.js';

export type WholeApp = {
  readonly github: LocalGitHub;
  readonly proxy: Proxy;
  /** Until no webhook is under way and no work is in hand. */
  readonly settled: () => Promise<void>;
  /** What the descriptions have against anything that either side said, webhooks included. */
  readonly faults: () => readonly string[];
  readonly close: () => Promise<void>;
};

/** The real webhook handler on a local GitHub, with a judge between them. */
export async function startWholeApp({
  model,
  ...options
}: LocalGitHubOptions & { readonly model?: Model } = {}): Promise<WholeApp> {
  const github = await startLocalGitHub(options);
  const proxy = await startProxy(github);
  const environment = {
    EVIDENT_MODEL: 'rules',
    EVIDENT_START: 'automatic',
    APP_ID: String(github.app.id),
    PRIVATE_KEY: github.app.privateKey,
    WEBHOOK_SECRET: github.app.webhookSecret,
    GITHUB_API_URL: proxy.apiUrl,
  };
  const env = readEnv(environment);
  if (env.github === null) throw new Error('The local GitHub has an app.');
  const deps = await compose(env, {
    log: silentLog,
    // Waits for GitHub's lag are waits for nothing here.
    sleep: (ms) => delay(Math.min(ms, 20)),
    ...(model !== undefined && { model }),
  });
  const app = await createApp(env.github, deps);
  const server = await startServer({
    environment,
    port: 0,
    host: '127.0.0.1',
    load: async () => app,
    log: silentLog,
  });
  github.onWebhook(`${server.url}/api/github/webhooks`);
  return {
    github,
    proxy,
    settled: async () => {
      for (let seen = -1; seen !== github.deliveries().length;) {
        seen = github.deliveries().length;
        await github.settled();
        await server.idle();
      }
    },
    faults: () => [
      ...proxy.faults(),
      ...new Set(
        github
          .deliveries()
          .flatMap(({ event, action, payload }) => faultsOfPayload(event, action ?? '', payload)),
      ),
    ],
    close: async () => {
      github.onWebhook(null);
      await server.stop();
      await proxy.close();
      await github.close();
    },
  };
}
