import { createAppAuth } from '../../../lib/forges/github/app-auth.js';
import { createGitHubClient } from '../../../lib/forges/github/client.js';
import {
  isTakenOver,
  releaseLease,
  takeLease,
  takeOverLease,
  type HeldLease,
  type Lease,
} from '../../../lib/forges/github/lease.js';
import { readLivePull, type SeenEyes } from '../../../lib/forges/github/own-reviews.js';
import type { WriteContext } from '../../../lib/forges/github/write.js';
import { silentLog } from '../../../lib/ports/log.js';
import { startLocalGitHub } from '../../../local-github/index.js';
import type { LocalGitHub, LocalRepository } from '../../../local-github/index.js';

let github: LocalGitHub;
let repository: LocalRepository;
let count = 0;
let number = 0;

beforeAll(async () => {
  github = await startLocalGitHub();
  repository = await github.createRepository({ owner: 'octo-org', name: 'shop', files: { 'a.ts': 'one\n' } });
});
beforeEach(async () => {
  github.faults.clear();
  count += 1;
  await repository.commit({
    branch: `t${count}`,
    from: 'main',
    files: { 'a.ts': `${count}\n` },
    message: 'c',
  });
  number = await repository.openPullRequest({ head: `t${count}`, title: 'Change' });
});
afterAll(() => github.close());

const place = () => ({ owner: 'octo-org', repo: 'shop', number });

function context(): WriteContext {
  const auth = createAppAuth({
    appId: github.app.id,
    privateKey: github.app.privateKey,
    apiUrl: github.apiUrl,
    log: silentLog,
  });
  const sleep = () => new Promise<void>((resolve) => setTimeout(resolve, 5));
  const deadline = Date.now() + 60_000;
  const client = createGitHubClient({
    apiUrl: github.apiUrl,
    token: async () =>
      (await auth.installationToken({ ...place(), installation: github.app.installationId })).token,
    log: silentLog,
    deadline,
    sleep,
  });
  return { client, log: silentLog, clock: Date.now, sleep, deadline };
}

const held = (lease: Lease): HeldLease => {
  if (lease.kind !== 'held') throw new Error(`it is ${lease.kind}`);
  return lease;
};
const elsewhere = (lease: Lease): Extract<Lease, { kind: 'elsewhere' }> => {
  if (lease.kind !== 'elsewhere') throw new Error(`it is ${lease.kind}`);
  return lease;
};
const eyes = () => repository.pull(number).reactions;

test('of many at once one has it; freed, the next one has it', async () => {
  const here = context();
  const leases = await Promise.all(Array.from({ length: 6 }, () => takeLease(here, place())));
  expect(leases.map(({ kind }) => kind).sort()).toEqual(['elsewhere', ...Array(4).fill('elsewhere'), 'held']);
  const mine = held(leases.find(({ kind }) => kind === 'held') as Lease);
  for (const other of leases) if (other.kind === 'elsewhere') expect(other.reaction).toBe(mine.reaction);
  await releaseLease(here, place(), mine);
  expect(eyes()).toEqual([]);
  expect((await takeLease(here, place())).kind).toBe('held');
});

test("people's eyes are no lease", async () => {
  const token = github.tokenOf('octocat');
  await fetch(`${github.apiUrl}/repos/octo-org/shop/issues/${number}/reactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'eyes' }),
  });
  const here = context();
  const mine = held(await takeLease(here, place()));
  await releaseLease(here, place(), mine);
  expect(eyes()).toEqual([{ content: 'eyes', by: 'octocat' }]);
});

test('of several that take over from a dead run one succeeds, and the dead one frees nothing of theirs', async () => {
  const here = context();
  const dead = held(await takeLease(here, place()));
  const seen = elsewhere(await takeLease(here, place()));
  const next = await Promise.all(Array.from({ length: 4 }, () => takeOverLease(here, place(), seen)));
  expect(next.filter(({ kind }) => kind === 'held')).toHaveLength(1);
  await releaseLease(here, place(), dead);
  expect(eyes()).toHaveLength(1);
});

test('taken over, as a look at the pull request tells', async () => {
  const here = context();
  const dead = held(await takeLease(here, place()));
  const look = async (): Promise<SeenEyes> => (await readLivePull(here.client, place(), 'a test')).eyes;
  expect(isTakenOver(dead, await look())).toBe(false);
  const next = held(await takeOverLease(here, place(), elsewhere(await takeLease(here, place()))));
  // GitHub's times are whole seconds: a dead run is minutes older.
  expect(isTakenOver({ ...dead, since: dead.since - 60_000 }, await look())).toBe(true);
  expect(isTakenOver(next, await look())).toBe(false);
  await releaseLease(here, place(), next);
  expect(isTakenOver(dead, await look())).toBe(false);
});

test('what is not seen, or only what was before, proves nothing', () => {
  const mine: HeldLease = { kind: 'held', reaction: 5, nodeId: 'R5', since: 5_000, replaced: 3 };
  const seen = (reactions: SeenEyes['reactions'], change: Partial<SeenEyes> = {}): SeenEyes => ({
    viewerHasReacted: true,
    complete: true,
    reactions,
    ...change,
  });
  const other = { nodeId: 'R9', id: 9, since: 9_000 };
  expect(isTakenOver(mine, seen([other]))).toBe(true);
  expect(isTakenOver(mine, seen([other], { viewerHasReacted: false }))).toBe(false);
  expect(isTakenOver(mine, seen([other], { complete: false }))).toBe(false);
  expect(isTakenOver(mine, seen([{ nodeId: 'R3', id: 3, since: 1_000 }, other]))).toBe(false);
  expect(isTakenOver(mine, seen([{ nodeId: 'R5', id: null, since: 5_000 }, other]))).toBe(false);
  expect(isTakenOver(mine, seen([{ ...other, since: 4_000 }]))).toBe(false);
});

test.each([
  ['502', { status: 502 }],
  ['reset', 'reset'],
] as const)(
  'an answer that was lost (%s): it is there, and counts as another run has it',
  async (_name, after) => {
    github.faults.add({
      match: ({ method, path }) => method === 'POST' && path.endsWith('/reactions'),
      after,
    });
    const lease = await takeLease(context(), place());
    expect(lease.kind).toBe('elsewhere');
    expect(eyes()).toHaveLength(1);
  },
);

test('where reactions are refused there is none, with the reason', async () => {
  github.faults.add({
    match: ({ path }) => path.endsWith('/reactions'),
    before: { status: 403, body: { message: 'Resource not accessible by integration' } },
  });
  expect(await takeLease(context(), place())).toMatchObject({
    kind: 'none',
    why: expect.stringMatching(/403/),
  });
});
