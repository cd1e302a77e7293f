import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runRedeliver } from '../../../cli/commands/redeliver.js';
import { createAppAuth, createRedeliverer, type Redeliverer } from '../../../lib/forges/github/index.js';
import { silentLog } from '../../../lib/ports/log.js';
import { startLocalGitHub } from '../../../local-github/index.js';
import type { LocalGitHub, LocalRepository } from '../../../local-github/index.js';

let github: LocalGitHub;
let repository: LocalRepository;
/** Takes deliveries, or does not. */
let receiver: Server;
let answer = 202;
let received: string[] = [];
let count = 0;

beforeAll(async () => {
  github = await startLocalGitHub();
  receiver = createServer((request, response) => {
    request.resume();
    received.push(String(request.headers['x-github-delivery']));
    response.statusCode = answer;
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  repository = await github.createRepository({ owner: 'octo-org', name: 'shop', files: { 'a.ts': 'one\n' } });
});
afterAll(async () => {
  await github.close();
  await new Promise((resolve) => receiver.close(resolve));
});
beforeEach(async () => {
  // What failed in an earlier test arrives before the next one.
  answer = 202;
  github.onWebhook(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
  for (let left = 1; left > 0; await github.settled()) left = (await redeliverer().now()).failed;
  received = [];
  github.clearRequests();
});

const auth = () =>
  createAppAuth({
    appId: github.app.id,
    privateKey: github.app.privateKey,
    apiUrl: github.apiUrl,
    log: silentLog,
  });

const redeliverer = (clock: () => number = Date.now): Redeliverer =>
  createRedeliverer({ auth: auth(), log: silentLog, clock });

async function opened(): Promise<number> {
  count += 1;
  await pushed();
  const number = await repository.openPullRequest({ head: `topic-${count}`, title: 'Change' });
  await github.settled();
  return number;
}

async function pushed(): Promise<void> {
  await repository.commit({
    branch: `topic-${count}`,
    ...(received.length === 0 && { from: 'main' }),
    files: { 'a.ts': `two ${count} ${Math.random()}\n` },
    message: 'Change',
  });
  await github.settled();
}

const newest = (action: string): string =>
  github.deliveries().findLast((one) => one.action === action && one.event === 'pull_request')?.guid ?? '';

test('a server that was down is told once what it missed', async () => {
  answer = 500;
  await opened();
  answer = 202;
  received = [];
  const looks = redeliverer();
  expect(await looks.now()).toMatchObject({ failed: 1, sent: 1, complete: true });
  await github.settled();
  expect(received).toEqual([newest('opened')]);
  expect(await looks.now()).toMatchObject({ failed: 0, sent: 0 });
  expect(await redeliverer().now()).toMatchObject({ failed: 0, sent: 0 });
  expect(received).toHaveLength(1);
});

test('of several about one head the newest goes, and a closed pull request needs nothing', async () => {
  answer = 500;
  const number = await opened();
  repository.convertToDraft(number);
  repository.readyForReview(number);
  await github.settled();
  const ready = newest('ready_for_review');
  await opened();
  await repository.closePullRequest(await opened());
  await github.settled();
  answer = 202;
  received = [];
  expect(await redeliverer().now()).toMatchObject({ failed: 4, sent: 3 });
  await github.settled();
  expect(received).toContain(ready);
  expect(received).toHaveLength(3);
});

test('what fails again and again is given up, and so is what is older than GitHub keeps it', async () => {
  answer = 500;
  await opened();
  for (const sent of [1, 1, 0]) {
    expect(await redeliverer().now()).toMatchObject({ sent });
    await github.settled();
  }
  await opened();
  const in4Days = Date.now() + 4 * 24 * 3_600_000;
  await expect(redeliverer(() => in4Days).now()).resolves.toMatchObject({ sent: 0 });
});

test('at most every ten minutes, and trouble is a line in the log', async () => {
  let now = Date.now();
  const looks = redeliverer(() => now);
  const asked = () => github.requests().filter(({ path }) => path === '/app/hook/deliveries').length;
  await looks.nowAndThen();
  await looks.nowAndThen();
  expect(asked()).toBe(1);
  now += 601_000;
  github.faults.add({ match: ({ path }) => path === '/app/hook/deliveries', before: { status: 404 } });
  await looks.nowAndThen();
  expect(asked()).toBe(2);
});

test('a limit of deliveries a look: the rest is said to be left', async () => {
  answer = 500;
  for (let one = 0; one < 31; one += 1) repository.readyForReview(await draft(), 'octocat');
  await github.settled();
  answer = 202;
  received = [];
  const looks = redeliverer();
  expect(await looks.now()).toMatchObject({ failed: 32, sent: 1, complete: false });
  expect(await looks.now()).toMatchObject({ failed: 2, sent: 1, complete: true });
  expect(await looks.now()).toMatchObject({ failed: 0, complete: true });
  await github.settled();
  expect(received).toHaveLength(2);
});

let drafted: number | null = null;
async function draft(): Promise<number> {
  drafted ??= await opened();
  repository.convertToDraft(drafted, 'octocat');
  return drafted;
}

test('evident redeliver says what it did', async () => {
  answer = 500;
  await opened();
  answer = 202;
  let said = '';
  const code = await runRedeliver([], {
    stdout: (text) => void (said += text),
    stderr: () => {},
    readStdin: async () => Buffer.alloc(0),
    isTerminal: false,
    cwd: '/',
    env: {
      APP_ID: String(github.app.id),
      PRIVATE_KEY: github.app.privateKey,
      WEBHOOK_SECRET: github.app.webhookSecret,
      GITHUB_API_URL: github.apiUrl,
    },
  });
  expect(said).toMatch(/^\d+ deliveries looked at, 1 of ours failed, 1 sent again\.\n$/);
  expect(code).toBe(0);
});
