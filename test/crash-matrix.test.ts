/**
 * What stands on a pull request after a run that broke off at any one of its requests, and after the runs that followed.
 * The whole program through its webhook handler, on a local GitHub; only the model is played. Time is injected: a second
 * of patience is 1/30 of one here, so that a lag of a third of a second is one of ten.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createWebhookHandler, type RequestHandler } from '../api/github/webhooks.js';
import { createApp } from '../lib/app.js';
import { compose } from '../lib/compose.js';
import { readEnv } from '../lib/config/env.js';
import type { Handled } from '../lib/handle-trigger.js';
import type { ScriptedModel } from '../lib/models/scripted.js';
import { silentLog } from '../lib/ports/log.js';
import {
  startLocalGitHub,
  type Delivery,
  type LocalGitHub,
  type LocalRepository,
} from '../local-github/index.js';
import { bug, change, files, plays, readAll, reviews, submit } from './world.js';

const faster = 30;
const lagMs = 10_000 / faster;
const longestRunMs = 12 * 60_000;
const atOnce = 6;

let github: LocalGitHub;
let repository: LocalRepository;
let server: Server;
const handlers = new Map<string, RequestHandler>();

beforeAll(async () => {
  github = await startLocalGitHub();
  // Recorded and lost: each test hands them to the apps that it is about.
  github.onWebhook('http://127.0.0.1:9/');
  repository = await github.createRepository({ owner: 'octo-org', name: 'shop', files });
  repository.addCollaborator('octocat', 'write');
  repository.requiredChecks = ['Evident'];
  server = createServer((request, response) => void handlers.get(request.url ?? '')?.(request, response));
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => github.faults.clear());
afterAll(async () => {
  await github.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** What happens to the one request that a cell is about. */
type How = 'dies before it' | 'dies after it' | '502 after it' | 'reset after it';
type Blow = { readonly label: string; readonly how: How };

type Instance = {
  /** Until all that the delivery started has ended, or the app has died. */
  readonly deliver: (delivery: Delivery) => Promise<void>;
  readonly labels: readonly string[];
  readonly handled: readonly Handled[];
  readonly struck: () => boolean;
};

type Order = {
  readonly blow?: Blow;
  /** Milliseconds that the app's clock is ahead of GitHub's. */
  readonly later?: number;
  readonly model?: ScriptedModel;
};

let started = 0;

/** One process: its own memory, its own clock, its own way to die. */
async function startInstance({ blow, later = 0, model = reviews([bug]) }: Order): Promise<Instance> {
  started += 1;
  const path = `/instance-${started}`;
  const labels: string[] = [];
  const handled: Handled[] = [];
  const counts = new Map<string, number>();
  let ahead = later;
  let dead = false;
  let struck = false;
  let die = (): void => {};
  const died = new Promise<void>((resolve) => (die = resolve));
  const clock = (): number => Date.now() + ahead;

  const strike = (): Promise<never> => {
    dead = true;
    die();
    return new Promise(() => {});
  };
  const send: typeof fetch = async (input, init) => {
    if (dead) return new Promise<never>(() => {});
    const plain = labelOf(input, init);
    const times = (counts.get(plain) ?? 0) + 1;
    counts.set(plain, times);
    const label = times === 1 ? plain : `${plain} (${times})`;
    labels.push(label);
    if (blow?.label !== label) return fetch(input, init);
    struck = true;
    if (blow.how === 'dies before it') return strike();
    const response = await fetch(input, { redirect: 'manual', ...init });
    await response.arrayBuffer();
    switch (blow.how) {
      case 'dies after it':
        return strike();
      case '502 after it':
        return new Response('{"message":"Server Error"}', {
          status: 502,
          headers: { 'content-type': 'application/json' },
        });
      case 'reset after it':
        throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
    }
  };

  const environment = {
    EVIDENT_GATE: 'blocking',
    EVIDENT_START: 'automatic',
    APP_ID: String(github.app.id),
    PRIVATE_KEY: github.app.privateKey,
    WEBHOOK_SECRET: github.app.webhookSecret,
    GITHUB_API_URL: github.apiUrl,
  };
  const env = readEnv(environment);
  if (env.github === null) throw new Error('The local GitHub has an app.');
  const deps = await compose(env, {
    log: silentLog,
    clock,
    sleep: async (ms) => {
      await delay(ms / faster);
      ahead += ms - ms / faster;
    },
    model,
    longestRunMs,
    fetch: send,
    redeliver: false,
    onHandled: (one) => void handled.push(one),
  });
  const app = await createApp(env.github, deps);
  const work = new Set<Promise<void>>();
  handlers.set(
    path,
    createWebhookHandler({
      environment,
      load: async () => app,
      keepAlive: (one) => {
        work.add(one);
        void one.finally(() => work.delete(one));
      },
      log: async () => silentLog,
    }),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  return {
    labels,
    handled,
    struck: () => struck,
    deliver: async (delivery) => {
      const answer = await fetch(url, {
        method: 'POST',
        body: delivery.body,
        headers: {
          'content-type': 'application/json',
          'x-github-event': delivery.event,
          'x-github-delivery': delivery.guid,
          'x-hub-signature-256': delivery.signature,
        },
      });
      expect(answer.status).toBe(202);
      await answer.arrayBuffer();
      await Promise.race([died, Promise.all([...work])]);
    },
  };
}

/** A request without what differs from one pull request to the next. */
function labelOf(input: Parameters<typeof fetch>[0], init: Parameters<typeof fetch>[1]): string {
  const url = new URL(input instanceof Request ? input.url : String(input));
  const operation = /(?:query|mutation) (\w+)/.exec(typeof init?.body === 'string' ? init.body : '')?.[1];
  const path = url.pathname
    .replace(/^\/api\/v3|^\/api/, '')
    .replace(`/repos/${repository.fullName}`, '')
    .replace(/[0-9a-f]{40}/g, 'SHA')
    .replace(/\d+/g, 'N');
  return `${init?.method ?? 'GET'} ${path}${operation === undefined ? '' : ` ${operation}`}`;
}

const isWrite = (label: string): boolean =>
  /^(POST|PATCH|PUT|DELETE)/.test(label) && !label.includes('/graphql') && !label.includes('access_tokens');

let opened = 0;

type Pull = { readonly number: number; readonly branch: string; readonly opened: Delivery };

async function openPull(changes: Readonly<Record<string, string>> = change): Promise<Pull> {
  opened += 1;
  const branch = `refunds-${opened}`;
  await repository.commit({
    branch,
    from: 'main',
    files: { ...changes, 'README.md': `# shop ${opened}\n` },
    message: 'Choose the refund',
    author: 'octocat',
  });
  const number = await repository.openPullRequest({ head: branch, title: 'Refunds', author: 'octocat' });
  return { number, branch, opened: newest(number, 'opened') };
}

function newest(number: number, action: string): Delivery {
  const found = github
    .deliveries()
    .findLast(
      (one) => one.event === 'pull_request' && one.action === action && one.payload['number'] === number,
    );
  if (found === undefined) throw new Error(`#${number} was not ${action}`);
  return found;
}

async function pushTo({ branch, number }: Pull): Promise<Delivery> {
  await repository.commit({
    branch,
    files: { 'src/label.ts': `// Words.\n${change['src/label.ts']}` },
    message: 'Say what it is',
    author: 'octocat',
  });
  return newest(number, 'synchronize');
}

type Wanted = {
  readonly threads?: number;
  readonly reviews?: number;
  readonly checks?: 'none';
  readonly heads?: number;
};

/** What is wrong with what stands there: empty when nothing is. */
function wrongWith({ number }: Pull, wanted: Wanted = {}): readonly string[] {
  const pull = repository.pull(number);
  const wrong: string[] = [];
  const say = (holds: boolean, what: string): void => void (holds || wrong.push(what));
  const posted = pull.reviews.filter(({ body }) => body !== '');
  say(posted.length === (wanted.reviews ?? 1), `${posted.length} reviews`);
  const places = pull.threads.map(({ path, originalLine }) => `${path}:${originalLine}`);
  say(places.length === (wanted.threads ?? 1), `${places.length} threads`);
  say(new Set(places).size === places.length, 'a thread is doubled');
  const runs = pull.allChecks.filter(({ name }) => name === 'Evident');
  if (wanted.checks === 'none') say(runs.length === 0, `${runs.length} checks`);
  else {
    const ofHead = runs.filter(({ headSha }) => headSha === pull.head.sha);
    const finished = ofHead.filter(({ conclusion }) => conclusion === 'failure');
    say(finished.length === 1, `${finished.length} finished checks of the head`);
    say(
      finished[0]?.title === `${wanted.threads === 5 ? 40 : 1} important to fix`,
      `the check says ${finished[0]?.title}`,
    );
    say(ofHead.at(-1) === finished[0], 'the newest check of the head is not the finished one');
    say(
      runs.every(({ status }) => status === 'completed'),
      `a check is ${runs.find(({ status }) => status !== 'completed')?.status}`,
    );
    say(
      runs.every((run) => run === finished[0] || run.conclusion === 'cancelled'),
      'an earlier check is conclusive',
    );
  }
  say(!pull.mergeable(), 'it is mergeable');
  say(pull.reactions.length === 0, 'the lease is not freed');
  return wrong;
}

type Cell = { readonly row: string; readonly column: string; readonly outcome: string };

async function inBatches<T>(jobs: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
  const results: T[] = [];
  for (let at = 0; at < jobs.length; at += atOnce)
    results.push(...(await Promise.all(jobs.slice(at, at + atOnce).map((job) => job()))));
  return results;
}

function report(title: string, cells: readonly Cell[]): void {
  const bad = cells.filter(({ outcome }) => outcome !== 'ok');
  if (process.env['EVIDENT_PRINT'] === '1') {
    const columns = [...new Set(cells.map(({ column }) => column))];
    const rows = [...new Set(cells.map(({ row }) => row))];
    const wide = Math.max(...rows.map((row) => row.length)) + 2;
    const line = (row: string): string =>
      columns
        .map((column) => cells.find((cell) => cell.row === row && cell.column === column)?.outcome ?? '-')
        .map((outcome, at) => outcome.padEnd((columns[at]?.length ?? 0) + 2))
        .join('');
    process.stdout.write(
      [
        '',
        `${title}: ${cells.length - bad.length} of ${cells.length} ok`,
        ''.padEnd(wide) + columns.map((column) => column.padEnd(column.length + 2)).join(''),
        ...rows.map((row) => row.padEnd(wide) + line(row)),
        '',
      ].join('\n'),
    );
  }
  expect(bad).toEqual([]);
}

const outcomeOf = (wrong: readonly string[]): string => (wrong.length === 0 ? 'ok' : wrong.join(', '));

/** Every request of a run, in its order. */
let labels: readonly string[] = [];
beforeAll(async () => {
  const pull = await openPull();
  const instance = await startInstance({});
  await instance.deliver(pull.opened);
  labels = instance.labels;
  expect(wrongWith(pull)).toEqual([]);
});

/** One that breaks off, one at once after it, and one when the first must be dead. */
async function play(
  blow: Blow,
  order: Order = {},
  wanted: Wanted = {},
  changes?: Readonly<Record<string, string>>,
): Promise<Cell> {
  const pull = await openPull(changes);
  const first = await startInstance({ ...order, blow });
  await first.deliver(pull.opened);
  await (await startInstance(order)).deliver(pull.opened);
  const early = wrongWith(pull, wanted).filter((what) =>
    /doubled|[2-9] (reviews|finished)|mergeable/.test(what),
  );
  if (wrongWith(pull, wanted).length > 0)
    await (await startInstance({ ...order, later: longestRunMs + 60_000 })).deliver(pull.opened);
  const wrong = [...(first.struck() ? [] : ['the request never came']), ...early, ...wrongWith(pull, wanted)];
  return { row: blow.label, column: blow.how, outcome: outcomeOf(wrong) };
}

test('the app dies before and after each of its requests', async () => {
  const blows = labels.flatMap((label) =>
    (['dies before it', 'dies after it'] as const).map((how): Blow => ({ label, how })),
  );
  expect(blows.length).toBeGreaterThan(28);
  report('The app dies', await inBatches(blows.map((blow) => () => play(blow))));
}, 600_000);

test('GitHub does what was asked and does not say so', async () => {
  const blows = labels
    .filter(isWrite)
    .flatMap((label) => (['502 after it', 'reset after it'] as const).map((how): Blow => ({ label, how })));
  expect(blows.length).toBeGreaterThanOrEqual(10);
  report('A lost answer', await inBatches(blows.map((blow) => () => play(blow))));
}, 600_000);

test('reads lag ten seconds behind writes, and answers are lost', async () => {
  github.faults.lag(lagMs);
  const blows = labels
    .filter(isWrite)
    .flatMap((label) =>
      (['dies after it', '502 after it', 'reset after it'] as const).map((how): Blow => ({ label, how })),
    );
  const cells = await inBatches(blows.map((blow) => () => play(blow)));
  report('A lost answer, with a lag of ten seconds', cells);
}, 600_000);

/** A file of forty lines, each of them wrong. */
const many = 'src/many.ts';
const forty = {
  [many]: Array.from({ length: 40 }, (_, at) => `export const refund${at} = total || ${at};\n`).join(''),
};
const claims = Array.from({ length: 40 }, (_, at) => ({
  ...bug,
  path: many,
  line: at + 1,
  code: `export const refund${at} = total || ${at};`,
  title: `a refund of 0 becomes ${at}`,
}));

test('forty findings: at most five threads, once', async () => {
  const order = { model: reviews(claims) };
  const wanted = { threads: 5 };
  const blows = labels
    .filter((label) => /^(POST .*\/reviews|PATCH)/.test(label))
    .flatMap((label) =>
      (['dies before it', 'dies after it', '502 after it'] as const).map((how): Blow => ({ label, how })),
    );
  const cells = await inBatches(blows.map((blow) => () => play(blow, order, wanted, forty)));
  report('Forty findings', cells);
}, 600_000);

type Pair = {
  readonly name: string;
  readonly lag?: boolean;
  readonly permissions?: LocalRepository['permissions'];
  readonly wanted?: Wanted;
  readonly order?: Order;
  readonly changes?: Readonly<Record<string, string>>;
  readonly apart?: number;
};

/** Waits for a moment in its first turn: a model takes time, and two runs then overlap for sure. */
const slow = (findings: readonly unknown[] = [bug]): ScriptedModel =>
  plays(async ({ step }) => {
    if (step > 0) return submit(findings);
    await delay(150);
    return readAll();
  });

test.each<Pair>([
  { name: 'in the same moment' },
  { name: 'one a little later', apart: 40 },
  { name: 'one when the other has nearly ended', apart: 250 },
  { name: 'with a lag of ten seconds', lag: true },
  { name: 'with a lag, one a little later', lag: true, apart: 40 },
  { name: 'with forty findings', order: { model: slow(claims) }, wanted: { threads: 5 }, changes: forty },
  {
    name: 'without the right to write checks',
    permissions: { contents: 'read', pull_requests: 'write' },
    wanted: { checks: 'none' },
  },
  {
    name: 'without the right to react and to review',
    permissions: { contents: 'read', pull_requests: 'read', checks: 'write' },
    wanted: { reviews: 0, threads: 0 },
  },
])(
  'two processes have one delivery, $name',
  async ({ name, lag, permissions, wanted, order, changes, apart = 0 }) => {
    const granted = repository.permissions;
    if (permissions !== undefined) repository.permissions = permissions;
    if (lag === true) github.faults.lag(lagMs);
    try {
      const jobs = Array.from({ length: 2 }, () => async (): Promise<Cell> => {
        const pull = await openPull(changes);
        const given: Order = order ?? { model: slow() };
        const both = await Promise.all([startInstance(given), startInstance(given)]);
        await Promise.all(
          both.map(async (instance, at) => {
            await delay(at * apart);
            await instance.deliver(pull.opened);
          }),
        );
        // What is still hidden by the lag shows; a person delivers it once more.
        if (lag === true) await delay(2 * lagMs);
        await (await startInstance(given)).deliver(pull.opened);
        const reviewed = both.filter(({ handled }) => handled.some(({ kind }) => kind === 'reviewed')).length;
        return {
          row: `pull request ${pull.number}`,
          column: name,
          outcome: outcomeOf([
            ...wrongWith(pull, wanted),
            ...(reviewed === 1 ? [] : [`${reviewed} runs reviewed it`]),
          ]),
        };
      });
      report('Two processes', await inBatches(jobs));
    } finally {
      repository.permissions = granted;
    }
  },
  600_000,
);

test('a push comes after the app died: the new head is reviewed, the old check is ended', async () => {
  const reached = labels.filter((label) => isWrite(label) || /tarball|Conversation/.test(label));
  const jobs = reached.map((label) => async (): Promise<Cell> => {
    const pull = await openPull();
    const first = await startInstance({ blow: { label, how: 'dies after it' } });
    await first.deliver(pull.opened);
    const pushed = await pushTo(pull);
    await (await startInstance({})).deliver(pushed);
    const wrong = wrongWith(pull).filter((what) => !/earlier check is conclusive/.test(what));
    return { row: label, column: 'dies after it, push', outcome: outcomeOf(wrong) };
  });
  report('The app dies, then a push', await inBatches(jobs));
}, 600_000);
