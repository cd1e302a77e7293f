import { sign } from '@octokit/webhooks-methods';
import { startServer } from '../../../cli/commands/serve.js';
import type { RunningServer } from '../../../cli/commands/serve.js';
import { ConfigError } from '../../../lib/core/errors.js';
import { silentLog } from '../../../lib/ports/log.js';

const secret = 'a secret of this test';
const body = JSON.stringify({ action: 'opened', pull_request: { state: 'open' } });
const start = (receive: () => Promise<void>, port = 0): Promise<RunningServer> =>
  startServer({
    environment: { WEBHOOK_SECRET: secret },
    port,
    host: '127.0.0.1',
    load: async () => ({ receive }),
    log: silentLog,
  });

/** A kept connection may be closed by the server in the very moment of use. */
const alone = { connection: 'close' };

const deliver = async (url: string): Promise<number> => {
  const response = await fetch(`${url}/api/github/webhooks`, {
    method: 'POST',
    body,
    headers: {
      ...alone,
      'content-type': 'application/json',
      'x-github-event': 'pull_request',
      'x-github-delivery': 'd1',
      'x-hub-signature-256': await sign(secret, body),
    },
  });
  return response.status;
};

test('it serves the webhook, health and nothing else', async () => {
  const server = await start(async () => {});
  expect(await deliver(server.url)).toBe(202);
  const health = await fetch(`${server.url}/api/health`, { headers: alone });
  expect(health.status).toBe(200);
  expect(await health.json()).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  expect((await fetch(`${server.url}/.env`, { headers: alone })).status).toBe(404);
  await server.stop();
});

test('stopping takes no more deliveries and waits for the work in hand', async () => {
  let finish = (): void => {};
  let ended = false;
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const server = await start(() => {
    begin();
    return new Promise<void>((resolve) => void (finish = resolve)).then(() => void (ended = true));
  });
  expect(await deliver(server.url)).toBe(202);
  await begun;
  const stopped = server.stop();
  await expect(deliver(server.url)).rejects.toThrow();
  expect(ended).toBe(false);
  finish();
  await stopped;
  expect(ended).toBe(true);
});

test('a taken port is a setting to change', async () => {
  const first = await start(async () => {});
  const port = Number(new URL(first.url).port);
  const error = await start(async () => {}, port).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ConfigError);
  expect((error as Error).message).toMatch(/another port/);
  await first.stop();
});
