import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sign } from '@octokit/webhooks-methods';
import { createWebhookHandler } from '../../../api/github/webhooks.js';
import type { WebhookOptions } from '../../../api/github/webhooks.js';
import type { Delivery } from '../../../lib/forges/github/receive-delivery.js';

const secret = 'a secret of this test';
const opened = JSON.stringify({
  action: 'opened',
  number: 7,
  pull_request: { state: 'open', draft: false, title: 'naïve “quotes” 你好', head: { sha: 'a'.repeat(40) } },
  sender: { login: 'octocat', type: 'User' },
});

type Stage = {
  readonly url: string;
  readonly received: Delivery[];
  readonly logged: string[];
  readonly work: Promise<void>[];
  /** Order of what happened: "loaded", "answered". */
  readonly events: string[];
};

const servers: Server[] = [];

async function stage(
  options: Partial<WebhookOptions> = {},
  before: (request: IncomingMessage) => Promise<void> | void = () => {},
): Promise<Stage> {
  const received: Delivery[] = [];
  const logged: string[] = [];
  const work: Promise<void>[] = [];
  const events: string[] = [];
  const record = (_fields: object, message: string): void => void logged.push(message);
  const handler = createWebhookHandler({
    environment: { WEBHOOK_SECRET: secret },
    load: async () => {
      events.push('loaded');
      return { receive: async (delivery) => void received.push(delivery) };
    },
    keepAlive: (promise) => void work.push(promise),
    log: async () => ({ info: record, warn: record, error: record }),
    ...options,
  });
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
    response.end = ((...args: unknown[]) => {
      events.push('answered');
      return end(...args);
    }) as typeof response.end;
    void (async () => {
      await before(request);
      await handler(request, response);
    })();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    logged,
    work,
    events,
  };
}

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function deliver(
  url: string,
  body: string,
  headers: Record<string, string | undefined> = {},
): Promise<{ status: number; text: string }> {
  const all: Record<string, string | undefined> = {
    'content-type': 'application/json',
    'x-github-event': 'pull_request',
    'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    'x-hub-signature-256': body === '' ? 'sha256=0' : await sign(secret, body),
    ...headers,
  };
  const sent = Object.fromEntries(Object.entries(all).filter((entry) => entry[1] !== undefined)) as Record<
    string,
    string
  >;
  const response = await fetch(url, { method: 'POST', body, headers: sent });
  return { status: response.status, text: await response.text() };
}

test('a signed delivery is answered with 202 at once, and only then is anything loaded', async () => {
  const { url, received, work, events } = await stage();
  expect(await deliver(url, opened)).toEqual({ status: 202, text: 'accepted\n' });
  await Promise.all(work);
  expect(events).toEqual(['answered', 'loaded']);
  expect(received).toEqual([
    { id: '72d3162e-cc78-11e3-81ab-4c9367dc0958', name: 'pull_request', payload: JSON.parse(opened) },
  ]);
});

test('the answer does not wait for the work, which is kept alive', async () => {
  let finish = (): void => {};
  const { url, work } = await stage({
    load: async () => ({ receive: () => new Promise<void>((resolve) => void (finish = resolve)) }),
  });
  expect((await deliver(url, opened)).status).toBe(202);
  expect(work).toHaveLength(1);
  let settled = false;
  void work[0]?.then(() => (settled = true));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(settled).toBe(false);
  finish();
  await work[0];
});

test.each<[string, string, Record<string, string | undefined>, number, RegExp]>([
  [
    'a forged signature',
    opened,
    { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    401,
    /does not match/,
  ],
  ['a short signature', opened, { 'x-hub-signature-256': 'sha256=00' }, 401, /does not match/],
  ['no signature', opened, { 'x-hub-signature-256': undefined }, 401, /not signed/],
  ['no event', opened, { 'x-github-event': undefined }, 400, /X-GitHub-Event/],
  ['no delivery id', opened, { 'x-github-delivery': undefined }, 400, /X-GitHub-Delivery/],
  ['an event with a strange name', opened, { 'x-github-event': '<script>' }, 400, /malformed/],
  ['a form', opened, { 'content-type': 'application/x-www-form-urlencoded' }, 415, /application\/json/],
  ['signed text that is not JSON', '{"action":', {}, 400, /not valid JSON/],
  ['nothing', '', {}, 400, /empty/],
])('%s is refused', async (_name, body, headers, status, sentence) => {
  const { url, received, work, logged } = await stage();
  const answer = await deliver(url, body, headers);
  expect(answer.status).toBe(status);
  expect(answer.text).toMatch(sentence);
  expect({ received, work }).toEqual({ received: [], work: [] });
  expect(logged).toHaveLength(1);
});

test('a body that was changed after signing is refused', async () => {
  const { url } = await stage();
  const signature = await sign(secret, opened);
  expect((await deliver(url, opened.replace('7', '8'), { 'x-hub-signature-256': signature })).status).toBe(
    401,
  );
});

test('other methods are answered with 405 and what is allowed', async () => {
  const { url } = await stage();
  const response = await fetch(url);
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('POST');
});

test('a body above 25 MB is refused, announced or not', async () => {
  const { url, received } = await stage();
  const send = (headers: Record<string, string>, bytes: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const request = httpRequest(
        url,
        {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-github-event': 'pull_request',
            'x-github-delivery': 'd',
            'x-hub-signature-256': 'sha256=0',
            ...headers,
          },
        },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
          request.destroy();
        },
      );
      request.on('error', reject);
      request.flushHeaders();
      const chunk = Buffer.alloc(1024 * 1024, 0x20);
      for (let sent = 0; sent < bytes; sent += chunk.length) request.write(chunk);
    });
  expect(await send({ 'content-length': String(26 * 1024 * 1024) }, 0)).toBe(413);
  expect(await send({ 'transfer-encoding': 'chunked' }, 26 * 1024 * 1024)).toBe(413);
  expect(received).toEqual([]);
});

test.each([
  ['ping', '{}', /ping/],
  ['push', '{}', /push/],
  ['pull_request', '{"action":"assigned"}', /assigned/],
  ['pull_request', '{"action":"edited","changes":{"title":{"from":"x"}}}', /base branch did not change/],
  ['pull_request', '{"action":"synchronize","pull_request":{"state":"closed"}}', /closed/],
  ['pull_request', '"text"', /none/],
  ['pull_request', 'null', /none/],
])('%s %s is answered with 202 and the reason why nothing starts', async (event, body, reason) => {
  const { url, work, events } = await stage();
  const answer = await deliver(url, body, { 'x-github-event': event });
  expect(answer.status).toBe(202);
  expect(answer.text).toMatch(/^ignored: /);
  expect(answer.text).toMatch(reason);
  expect({ work, events }).toEqual({ work: [], events: ['answered'] });
});

test.each([
  [{}, /WEBHOOK_SECRET is not set/],
  [{ WEBHOOK_SECRET: 'development' }, /everybody knows/],
])(
  'without a proper secret (%j) nothing runs, and the log says what to set',
  async (environment, sentence) => {
    const { url, logged, received } = await stage({ environment });
    const signature = await sign('development', opened);
    const answer = await deliver(url, opened, { 'x-hub-signature-256': signature });
    expect(answer.status).toBe(500);
    expect(answer.text).toMatch(sentence);
    expect(logged[0]).toMatch(sentence);
    expect(received).toEqual([]);
  },
);

const consume = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks)));
  });

test('a body that was consumed and parsed before us is never accepted unverified', async () => {
  const { url, received, work } = await stage({}, async (request) => {
    Object.assign(request, { body: JSON.parse((await consume(request)).toString()) as unknown });
    await new Promise((resolve) => setImmediate(resolve));
  });
  const answer = await deliver(url, opened);
  expect(answer.status).toBe(500);
  expect(answer.text).toMatch(/consumed the body/);
  expect({ received, work }).toEqual({ received: [], work: [] });
});

test('raw bytes that were kept beside a consumed body are verified like any others', async () => {
  const { url } = await stage({}, async (request) => {
    Object.assign(request, { rawBody: await consume(request) });
  });
  expect((await deliver(url, opened)).status).toBe(202);
  expect((await deliver(url, opened, { 'x-hub-signature-256': 'sha256=00' })).status).toBe(401);
});

test('when the program cannot start, the delivery is answered, the log says why, and the next one tries again', async () => {
  let starts = 0;
  const { url, logged, work } = await stage({
    load: async () => {
      starts += 1;
      throw new Error('PRIVATE_KEY is not set.');
    },
  });
  expect((await deliver(url, opened)).status).toBe(202);
  expect((await deliver(url, opened)).status).toBe(202);
  await Promise.all(work);
  expect(starts).toBe(2);
  expect(logged).toEqual(['delivery not handled', 'delivery not handled']);
});
