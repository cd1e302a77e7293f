/**
 * Reported failures of review bots, kind c: webhooks and serverless hosts. Each test is named by the id of its row in
 * docs/cases.md. Deliveries are the signed ones of the local GitHub.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import deployed, { createWebhookHandler } from '../../api/github/webhooks.js';
import { createApp } from '../../lib/app.js';
import { compose, type ComposeOptions } from '../../lib/compose.js';
import { readEnv } from '../../lib/config/env.js';
import { readMarkers } from '../../lib/core/marker.js';
import type { Delivery } from '../../lib/forges/github/receive-delivery.js';
import { silentLog } from '../../lib/ports/log.js';
import type { InlineRunner } from '../../lib/runners/index.js';
import {
  bug,
  change,
  files,
  never,
  plays,
  readAll,
  reviews,
  startWorld,
  submit,
  threadOfBug,
  type Place,
  type PlaceOrder,
  type World,
} from '../world.js';

let world: World;
let place: Place | undefined;
const endings: (() => unknown)[] = [];

beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
  await place?.close();
  place = undefined;
});
afterAll(() => world.close());

const gate = 'blocking';
const open = async (order: Partial<PlaceOrder> & Pick<PlaceOrder, 'model'>): Promise<Place> =>
  (place = await world.open({ gate, ...order }));

async function played(order: Parameters<typeof open>[0]): Promise<Place> {
  const there = await open(order);
  await there.settled();
  return there;
}

function here(): Place {
  if (place === undefined) throw new Error('No pull request is open yet.');
  return place;
}

const headOf = ({ repository, number }: Place): string => repository.pull(number).head.sha;

/** A promise and the way to keep it. */
function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = (): void => {};
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give };
}

/** Until something has come about that nothing tells of. */
async function until(holds: () => boolean, what: string): Promise<void> {
  for (let tried = 0; tried < 6_000; tried += 1) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`It did not come about that ${what}.`);
}

const withBug = (there: Place, ...before: readonly string[]) => ({
  reviews: [`**1 important.** Read both changed files at \`${headOf(there).slice(0, 7)}\`.`],
  threads: [threadOfBug],
  comments: 0,
  checks: [...before, 'head 1: failure, 1 important to fix'],
  mergeable: false,
});

/** Another instance of the app on the same GitHub, which shares no memory with the first one. */
async function startInstance(options: ComposeOptions): Promise<{
  readonly receive: (delivery: Delivery) => Promise<void>;
  readonly runner: InlineRunner;
}> {
  const env = readEnv(settings());
  const { runner, log } = await compose(env, {
    log: silentLog,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 20))),
    ...options,
  });
  const app = await createApp(env.github!, { runner, log });
  endings.push(() => runner.stop('the test is over'));
  return { receive: (delivery) => app.receive(delivery), runner };
}

const settings = (): Record<string, string> => ({
  EVIDENT_GATE: gate,
  EVIDENT_START: 'automatic',
  APP_ID: String(world.github.app.id),
  PRIVATE_KEY: world.github.app.privateKey,
  WEBHOOK_SECRET: world.github.app.webhookSecret,
  GITHUB_API_URL: world.github.apiUrl,
});

/** The newest delivery about the open place, as an instance receives it. */
function delivered(action = 'opened'): Delivery {
  const last = world.github
    .deliveries()
    .findLast((one) => one.action === action && one.repository === here().repository.fullName);
  if (last === undefined) throw new Error(`Nothing was ${action}.`);
  return { id: last.guid, name: last.event, payload: last.payload };
}

async function listen(handle: RequestListener): Promise<string> {
  const server: Server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const consume = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** What Vercel's body helpers do to a request: it is read, `body` is its parsed text, and events replay it. */
async function helpBody(request: IncomingMessage): Promise<void> {
  const bytes = await consume(request);
  const replay = new PassThrough();
  const on = request.on.bind(request);
  request.on = request.addListener = ((name: string, listener: (...args: unknown[]) => void) =>
    name === 'data' || name === 'end'
      ? (replay.on(name, listener), request)
      : on(name, listener)) as typeof request.on;
  Object.defineProperty(request, 'body', { get: () => JSON.parse(bytes.toString()) as unknown });
  replay.end(bytes);
}

type Answer = { readonly status: number; readonly text: string };

async function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
  signed: string = body,
): Promise<Answer> {
  const signature = createHmac('sha256', world.github.app.webhookSecret).update(signed).digest('hex');
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: {
      // A kept one may be closed by the server in the very moment of use.
      connection: 'close',
      'content-type': 'application/json',
      'x-github-event': 'pull_request',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${signature}`,
      ...headers,
    },
  });
  return { status: response.status, text: await response.text() };
}

/** The deployed function with these variables, as a host calls it; what is handed to `waitUntil` is kept. */
async function deploy(before: (request: IncomingMessage) => Promise<void>): Promise<{
  readonly url: string;
  readonly work: Promise<unknown>[];
}> {
  const variables = { ...settings(), EVIDENT_MODEL: 'rules', LOG_LEVEL: 'silent' };
  const kept = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  Object.assign(process.env, variables);
  const work: Promise<unknown>[] = [];
  const context = Symbol.for('@vercel/request-context');
  Object.assign(globalThis, {
    [context]: { get: () => ({ waitUntil: (one: Promise<unknown>) => void work.push(one) }) },
  });
  endings.push(() => {
    Reflect.deleteProperty(globalThis, context);
    for (const [name, value] of Object.entries(kept))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });
  const url = await listen((request, response) => {
    void before(request).then(() => deployed(request as never, response as never));
  });
  return { url, work };
}

test('C064 behind body helpers the signature is checked over the bytes, and the work is kept alive', async () => {
  const there = await open({ started: false, model: reviews() });
  const { url, work } = await deploy(helpBody);
  world.github.onWebhook(url);
  await there.redeliver();
  const last = world.github.deliveries().at(-1);
  expect(last?.outcome).toEqual({ kind: 'answered', status: 202 });
  expect((await post(url, last!.body, {}, `${last!.body} `)).status).toBe(401);
  expect(work).toHaveLength(1);
  await Promise.all(work);
  expect(there.stands().checks).toHaveLength(1);
  expect(there.stands().checks[0]).toMatch(/^head 1: (action_required|failure), /);
});

describe('C065 a body is never written anew to be checked', () => {
  const body = '{ "action":"labeled", "a":"\\u00e9\\/", "n":12345678901234567890, "f":1.0 }';
  const again = JSON.stringify(JSON.parse(body));

  const serve = (before: (request: IncomingMessage) => Promise<void>): Promise<string> => {
    const handler = createWebhookHandler({
      environment: settings(),
      load: async () => ({ receive: async () => {} }),
      keepAlive: () => {},
      log: async () => silentLog,
    });
    return listen((request, response) => void before(request).then(() => handler(request, response)));
  };

  test.each([
    ['as it came', async () => {}],
    ['behind body helpers', helpBody],
    [
      'with its raw bytes beside it',
      async (request: IncomingMessage) => void Object.assign(request, { rawBody: await consume(request) }),
    ],
  ])('C065 %s', async (_how, before) => {
    const url = await serve(before);
    expect(again).not.toBe(body);
    expect((await post(url, body)).status).toBe(202);
    expect((await post(url, body, {}, again)).status).toBe(401);
  });

  test('C065 without its bytes: a plain reason, and nothing is taken', async () => {
    const url = await serve(async (request) => {
      Object.assign(request, { body: JSON.parse((await consume(request)).toString()) as unknown });
      await new Promise((resolve) => setImmediate(resolve));
    });
    expect(await post(url, again)).toEqual({ status: 500, text: expect.stringMatching(/body parsing off/) });
  });
});

test('C066 the same delivery again does nothing again, also on an instance that knows nothing of the first', async () => {
  const model = reviews([bug]);
  const there = await played({ model });
  const first = withBug(there);
  expect(there.stands()).toEqual(first);
  await there.redeliver();
  await there.settled();
  const other = reviews([bug]);
  await there.restart({ gate, model: other });
  await there.redeliver();
  await there.redeliver();
  await there.settled();
  expect(there.stands()).toEqual(first);
  expect([model.requests.length, other.requests.length]).toEqual([2, 0]);
});

test('C068 events of one head on several instances: one review', async () => {
  const there = await open({ started: false, model: reviews() });
  const begun = signal();
  const go = signal();
  const slow = plays(async ({ step }) => {
    if (step > 0) return submit([bug]);
    begun.give();
    await go.given;
    return readAll();
  });
  const others = [reviews([bug]), reviews([bug]), reviews([bug])];
  const first = await startInstance({ model: slow });
  const running = first.receive(delivered());
  await begun.given;
  for (const model of others) {
    const instance = await startInstance({ model });
    await instance.receive({ ...delivered(), id: randomUUID() });
  }
  go.give();
  await running;
  expect(there.stands()).toEqual(withBug(there));
  expect(others.map(({ requests }) => requests.length)).toEqual([0, 0, 0]);
});

test('C068 at the very same time on several instances: one review', async () => {
  const there = await open({ started: false, model: reviews() });
  const instances = await Promise.all([1, 2, 3].map(() => startInstance({ model: reviews([bug]) })));
  await Promise.all(instances.map(({ receive }) => receive({ ...delivered(), id: randomUUID() })));
  const { checks, ...stands } = there.stands();
  const { checks: _checks, ...wanted } = withBug(there);
  expect(stands).toEqual(wanted);
  expect(checks.filter((check) => check.includes('in_progress'))).toEqual([]);
  expect(checks.at(-1)).toBe('head 1: failure, 1 important to fix');
});

/** Of a run's time. */
const keptForPublishingMs = 20_000;

describe('C069 the answer does not wait for the work, and the work ends before the host ends it', () => {
  test('C069 a model that never answers: 202 before the run is over, and a finished check in time', async () => {
    const longestRunMs = 120_000;
    const isOpened = ({
      action,
      repository,
    }: {
      readonly action: string | null;
      readonly repository: string | null;
    }) => action === 'opened' && repository === here().repository.fullName;
    let answered: unknown;
    const model = plays(async ({ step }) => {
      if (step > 0) return never();
      const answer = (): unknown => world.github.deliveries().find(isOpened)?.outcome;
      await until(() => answer() !== null, 'the delivery is answered while the review runs');
      answered = answer();
      // The next turn is begun half a second before the time is up.
      here().later(longestRunMs - keptForPublishingMs - 500);
      return readAll();
    });
    const there = await played({ model, longestRunMs });
    expect(answered).toEqual({ kind: 'answered', status: 202 });
    expect(there.stands().checks).toEqual(['head 1: action_required, Not finished: the time was up']);
  });

  test('C069 what was found before the time is up is published', async () => {
    const longestRunMs = 120_000;
    const model = plays(({ pass, step }) => {
      if (step === 0) return readAll();
      if (pass > 1) return never();
      // All that is asked of GitHub from here on is asked when the time of the review is over.
      const match = (): boolean => {
        here().later(longestRunMs - keptForPublishingMs);
        return true;
      };
      world.github.faults.add({ match });
      return submit([bug]);
    });
    const there = await played({ model, pull: { head: 'agent/refunds' }, longestRunMs });
    expect(there.stands()).toEqual(withBug(there));
  });

  test('C069 on Vercel a run ends well before the function may be stopped', () => {
    const { functions } = JSON.parse(readFileSync(new URL('../../vercel.json', import.meta.url), 'utf8')) as {
      functions: Record<string, { maxDuration: number }>;
    };
    const { maxMinutes } = readEnv({ ...settings(), VERCEL: '1' });
    expect(maxMinutes * 60 + 30).toBeLessThanOrEqual(functions['api/github/webhooks.ts']!.maxDuration);
  });
});

test('C070 the work is handed to the host; a run that was lost all the same is started again', async () => {
  // Handed over as one promise that lasts as long as the review: C064 waits for nothing else.
  const there = await open({ started: false, model: reviews() });
  const begun = signal();
  const stuck = await startInstance({
    model: plays(() => {
      begun.give();
      return never();
    }),
  });
  void stuck.receive(delivered());
  await begun.given;
  expect(there.stands().checks).toEqual(['head 1: in_progress, Reading']);

  let later = 0;
  const model = reviews([bug]);
  const next = await startInstance({ model, clock: () => Date.now() + later });
  await next.receive({ ...delivered(), id: randomUUID() });
  expect(model.requests).toEqual([]);
  later = 13 * 60_000;
  await next.receive({ ...delivered(), id: randomUUID() });
  const taken = withBug(there, 'head 1: cancelled, Did not end; started again');
  expect(there.stands()).toEqual(taken);
  // The one that was thought dead wakes up and ends: what counts is what the second one said.
  await stuck.runner.stop('woken up');
  const { checks, ...stands } = there.stands();
  expect([stands, checks.at(-1)]).toEqual([
    { reviews: taken.reviews, threads: taken.threads, comments: 0, mergeable: false },
    taken.checks.at(-1),
  ]);
});

describe('what stands in a comment starts nothing by itself', () => {
  const ours = (): string => `${world.github.app.slug}[bot]`;
  const mention = (): string => `@${world.github.app.slug} review\n\n/${world.github.app.slug} review`;

  /** One comment of every kind, signed as GitHub signs them, to the running app. */
  async function comment(there: Place, sender: object, body: string): Promise<string[]> {
    const pull = world.github
      .deliveries()
      .findLast((one) => one.repository === there.repository.fullName && one.event === 'pull_request');
    const { repository, installation, pull_request } = pull!.payload;
    const about = { repository, installation, sender };
    const written = { id: 1, body, user: sender };
    const kinds: readonly (readonly [string, object])[] = [
      [
        'issue_comment',
        { action: 'created', issue: { number: there.number, pull_request: {} }, comment: written },
      ],
      ['pull_request_review', { action: 'submitted', pull_request, review: written }],
      ['pull_request_review_comment', { action: 'created', pull_request, comment: written }],
    ];
    const answers: string[] = [];
    for (const [event, payload] of kinds) {
      const url = world.github.app.webhookUrl!;
      const answer = await post(url, JSON.stringify({ ...about, ...payload }), { 'x-github-event': event });
      answers.push(`${answer.status} ${answer.text.replace(/:.*/s, '').trim()}`);
    }
    await there.settled();
    return answers;
  }
  const ignored = ['202 ignored', '202 ignored', '202 ignored'];

  test('C071 our own words start nothing, and hold no command that could', async () => {
    const model = reviews([bug]);
    const there = await played({ model });
    const before = there.stands();
    const pull = there.repository.pull(there.number);
    const texts = [
      ...pull.reviews.map(({ body }) => body),
      ...pull.threads.flatMap(({ comments }) => comments.map(({ body }) => body)),
      there.checkText(),
    ];
    const command = new RegExp(`^\\s*[@/]${world.github.app.slug}\\b`, 'im');
    for (const text of texts) expect(text).not.toMatch(command);
    for (const text of [...texts, mention()])
      expect(await comment(there, { login: ours(), type: 'Bot' }, text)).toEqual(ignored);
    expect(there.stands()).toEqual(before);
    expect(model.requests).toHaveLength(2);
  });

  test('C072 another bot gets no answer, however often it writes', async () => {
    const model = reviews([bug]);
    const there = await played({ model });
    const before = there.stands();
    for (let round = 0; round < 5; round += 1)
      expect(await comment(there, { login: 'other-reviewer[bot]', type: 'Bot' }, mention())).toEqual(ignored);
    expect(there.stands()).toEqual(before);
    expect(model.requests).toHaveLength(2);
  });

  test('C073 no comment is answered twice, on an open pull request or a closed one', async () => {
    const model = reviews();
    const there = await played({ model });
    const person = { login: 'octocat', type: 'User' };
    // A person may mean us, so it is looked at; that there is nothing to say to it is said to nobody.
    for (let round = 0; round < 3; round += 1)
      expect(await comment(there, person, `@${world.github.app.slug} what-is-this`)).toEqual(
        Array.from({ length: 3 }, () => '202 accepted'),
      );
    await there.repository.closePullRequest(there.number);
    await comment(there, person, mention());
    expect(there.stands()).toMatchObject({ reviews: [], threads: [], comments: 0 });
    expect(model.requests).toHaveLength(2);
  });

  test('C074 what we write carries a mark of its own, whoever it is posted as, and starts nothing', async () => {
    const model = reviews([bug]);
    const there = await played({ model });
    const before = there.stands();
    const pull = there.repository.pull(there.number);
    const written = [
      ...pull.reviews.map(({ body }) => body),
      ...pull.threads.flatMap(({ comments }) => comments.map(({ body }) => body)),
    ];
    expect(written).toHaveLength(2);
    for (const body of written) {
      expect(readMarkers(body).length).toBeGreaterThan(0);
      expect(await comment(there, { login: 'octocat', type: 'User' }, body)).toEqual(ignored);
    }
    expect(there.stands()).toEqual(before);
    expect(model.requests).toHaveLength(2);
  });
});

describe('C075 events that come in the wrong order', () => {
  test('C075 an older push that is told of after the newer one was reviewed changes nothing', async () => {
    const model = plays(({ step }) => (step === 0 ? readAll() : submit()));
    const there = await played({ model });
    const held = signal();
    world.github.faults.addDelivery({
      match: ({ action }) => action === 'synchronize',
      fate: { until: held.given },
    });
    await there.push({ 'src/label.ts': `${change['src/label.ts']}// second\n` });
    await there.push({ 'src/label.ts': `${change['src/label.ts']}// third\n` });
    await until(
      () => there.stands().checks.at(-1)?.startsWith('head 3: success') === true,
      'the third is reviewed',
    );
    held.give();
    await there.settled();
    expect(there.stands().checks).toEqual([
      'head 1: success, Nothing open, one clean review',
      'head 3: success, Nothing open, one clean review',
      `head 2: cancelled, Overtaken by ${headOf(there).slice(0, 7)}`,
    ]);
    expect(there.stands().mergeable).toBe(true);
  });

  test('C075 an older push that is told of while the newer one is reviewed does not stop that review', async () => {
    const begun = signal();
    const go = signal();
    const model = plays(async ({ pass, step }) => {
      if (step > 0) return submit();
      if (pass === 2) {
        begun.give();
        await go.given;
      }
      return readAll();
    });
    const there = await played({ model });
    world.github.faults.addDelivery({ match: ({ action }) => action === 'synchronize', fate: 'lose' });
    await there.push({ 'src/label.ts': `${change['src/label.ts']}// second\n` });
    const lost = delivered('synchronize');
    await there.push({ 'src/label.ts': `${change['src/label.ts']}// third\n` });
    await begun.given;
    const url = world.github.app.webhookUrl!;
    expect((await post(url, JSON.stringify(lost.payload))).status).toBe(202);
    await new Promise((resolve) => setTimeout(resolve, 200));
    go.give();
    await there.settled();
    expect(there.stands().checks).toContain('head 3: success, Nothing open, one clean review');
    expect(there.stands().mergeable).toBe(true);
  });
});

test('C078 nothing is unpacked onto the disk, during a run or after it, however large the repository', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evident-empty-'));
  const seen = new Set<string>();
  const looking = setInterval(() => {
    // Where the loader of TypeScript keeps what it has translated.
    for (const name of readdirSync(folder)) if (!name.startsWith('tsx-')) seen.add(name);
  }, 10);
  try {
    const there = await open({
      started: false,
      model: reviews(),
      files: { ...files, 'assets/large.bin': Buffer.alloc(12_000_000, 7) },
    });
    const ended = (count: number): Promise<void> =>
      until(() => {
        const { checks } = there.stands();
        return checks.length === count && checks.every((check) => !check.includes('in_progress'));
      }, `${count} runs have ended`);
    await there.spawn({ gate, environment: { TMPDIR: folder, EVIDENT_MODEL: 'rules' } });
    await there.redeliver();
    await ended(1);
    await there.push({ 'src/label.ts': files['src/label.ts'] });
    await ended(2);
    expect([...seen]).toEqual([]);
  } finally {
    clearInterval(looking);
    await place?.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('C079 of a burst of pushes the last one is reviewed, and none is left without its check', async () => {
  const started = new Map<number, () => void>();
  const model = plays(({ pass, step }) => {
    if (step === 0) {
      started.get(pass)?.();
      return readAll();
    }
    // All but the last are overtaken before they end.
    return pass < 3 ? never() : submit();
  });
  const runs = (pass: number): Promise<void> => new Promise((resolve) => started.set(pass, resolve));
  const first = runs(1);
  const second = runs(2);
  const there = await open({ model });
  await first;
  await there.push({ 'src/label.ts': `${change['src/label.ts']}// second\n` });
  await second;
  for (const word of ['third', 'fourth', 'fifth'])
    await there.push({ 'src/label.ts': `${change['src/label.ts']}// ${word}\n` });
  await there.settled();
  await until(() => there.stands().mergeable, 'the last head is reviewed');
  const { checks } = there.stands();
  expect(checks.filter((check) => !check.includes('cancelled'))).toEqual([
    'head 5: success, Nothing open, one clean review',
  ]);
  expect(checks.filter((check) => /in_progress|queued/.test(check))).toEqual([]);
});
