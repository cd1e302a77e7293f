import nock from 'nock';
import {
  cancelCheckRuns,
  completeLostCheckRun,
  countDied,
  createCheckRun,
  judgeRuns,
  listOwnCheckRuns,
  writeCheckRun,
} from '../../../lib/forges/github/check-run.js';
import type { CheckTarget, ClaimWish, Created } from '../../../lib/forges/github/check-run.js';
import { createGitHubClient } from '../../../lib/forges/github/client.js';
import type { WriteContext } from '../../../lib/forges/github/write.js';
import type { CheckWrite } from '../../../lib/core/publication.js';
import type { Sha } from '../../../lib/core/pull-request.js';
import { silentLog } from '../../../lib/ports/log.js';

const api = 'https://api.github.test';
const head = 'a'.repeat(40) as Sha;
const target: CheckTarget = { owner: 'octo-org', repo: 'shop', head, appId: 17 };
const start = Date.parse('2026-11-30T12:00:00Z');
const minute = 60_000;

beforeAll(() => nock.disableNetConnect());
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([]);
  nock.cleanAll();
});
afterAll(() => nock.restore());

function context(): WriteContext {
  let now = start;
  const clock = (): number => now;
  const sleep = async (ms: number): Promise<void> => void (now += ms);
  const deadline = now + 5 * minute;
  return {
    client: createGitHubClient({
      apiUrl: api,
      token: async () => 't',
      log: silentLog,
      deadline,
      clock,
      sleep,
    }),
    log: silentLog,
    clock,
    sleep,
    deadline,
  };
}

const wish = (change: Partial<Omit<ClaimWish, 'runs'>> = {}): Omit<ClaimWish, 'runs'> => ({
  key: 'the key',
  asked: false,
  longestRunMs: 5 * minute,
  finished: (text) => text.includes('finished'),
  ...change,
});

const run = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: 1,
  name: 'Evident',
  status: 'in_progress',
  conclusion: null,
  external_id: 'the key',
  started_at: new Date(start - minute).toISOString(),
  app: { id: 17 },
  output: { title: 't', text: null },
  ...change,
});

/** As a claim does it under a lease: list, judge, end the dead, create. */
async function claim(
  here: WriteContext,
  wanted: Omit<ClaimWish, 'runs'>,
): Promise<Created | NonNullable<ReturnType<typeof judgeRuns>>> {
  const runs = await listOwnCheckRuns(here, target);
  const judged = judgeRuns(here, { ...wanted, runs });
  if (judged !== null) return judged;
  const dead = runs.filter(({ key, status }) => key === wanted.key && status !== 'completed');
  await cancelCheckRuns(here, target, dead, 'died');
  return createCheckRun(here, target, wanted.key);
}

const lists = (...runs: readonly Record<string, unknown>[]): void => {
  nock(api)
    .get(`/repos/octo-org/shop/commits/${head}/check-runs`)
    .query({ check_name: 'Evident', filter: 'all', per_page: 100 })
    .reply(200, { total_count: runs.length, check_runs: runs });
};

const creates = (status = 201, body: object | string = { id: 50 }): Record<string, unknown>[] => {
  const seen: Record<string, unknown>[] = [];
  nock(api)
    .post('/repos/octo-org/shop/check-runs', (sent: Record<string, unknown>) => Boolean(seen.push(sent)))
    .reply(status, body, { 'x-accepted-github-permissions': 'checks=write' });
  return seen;
};

const patches = (id: number, status = 200, body: object | string = { id }): Record<string, unknown>[] => {
  const seen: Record<string, unknown>[] = [];
  nock(api)
    .patch(`/repos/octo-org/shop/check-runs/${id}`, (sent: Record<string, unknown>) =>
      Boolean(seen.push(sent)),
    )
    .reply(status, body);
  return seen;
};

test('a head without a run of ours is claimed by creating the check first, in progress', async () => {
  lists();
  const seen = creates();
  expect(await claim(context(), wish())).toEqual({ kind: 'claimed', checkRun: 50 });
  expect(seen[0]).toMatchObject({
    name: 'Evident',
    head_sha: head,
    external_id: 'the key',
    status: 'in_progress',
  });
});

test.each([
  ['a run of another app under our name', run({ app: { id: 99 } })],
  ['a run of another key (another base)', run({ external_id: 'other' })],
  ['a run that ended without a finished pass', run({ status: 'completed', conclusion: 'neutral' })],
  ['a draft that was left alone', run({ status: 'completed', conclusion: 'skipped' })],
])('%s does not hold a claim', async (_name, existing) => {
  lists(existing);
  creates();
  expect(await claim(context(), wish())).toMatchObject({ kind: 'claimed' });
});

test('a run in progress goes on, even when a person asks', async () => {
  for (const asked of [false, true]) {
    lists(run());
    expect(await claim(context(), wish({ asked }))).toMatchObject({
      kind: 'already_running',
    });
  }
});

test('a finished run stands, unless a person asks', async () => {
  const done = run({ status: 'completed', conclusion: 'success', output: { title: 't', text: 'finished' } });
  lists(done);
  expect(await claim(context(), wish())).toMatchObject({ kind: 'already_done' });
  lists(done);
  creates();
  expect(await claim(context(), wish({ asked: true }))).toMatchObject({ kind: 'claimed' });
});

test('a run that died is completed as cancelled and taken over', async () => {
  lists(run({ started_at: new Date(start - 6 * minute).toISOString() }));
  const seen = patches(1);
  creates();
  expect(await claim(context(), wish())).toEqual({ kind: 'claimed', checkRun: 50 });
  expect(seen[0]).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
});

test('without the permission the review goes on, and the reason names it', async () => {
  lists();
  creates(403, { message: 'Resource not accessible by integration' });
  expect(await claim(context(), wish())).toMatchObject({
    kind: 'without_check',
    why: expect.stringMatching(/checks=write/),
  });
});

test('a check that was created although the answer was lost is found again', async () => {
  lists();
  creates(502, 'Bad Gateway');
  lists();
  lists(run({ id: 51, started_at: new Date(start).toISOString() }));
  expect(await claim(context(), wish())).toEqual({ kind: 'claimed', checkRun: 51 });
});

const done = (change: { readonly summary?: string; readonly text?: string } = {}) =>
  ({
    status: 'completed',
    conclusion: 'failure',
    title: '2 important to fix',
    summary: 'summary',
    text: 'text',
    ...change,
  }) as const satisfies CheckWrite;

test('a check whose creation stayed unknown is looked for at the end, and created whole when it is not there', async () => {
  lists();
  creates(502, 'Bad Gateway');
  for (let look = 0; look < 5; look += 1) lists();
  expect(await claim(context(), wish())).toMatchObject({ kind: 'lost' });

  lists(run({ id: 52 }));
  const seen = patches(52);
  await completeLostCheckRun(context(), target, 'the key', done());
  expect(seen[0]).toMatchObject({ conclusion: 'failure' });

  lists();
  const created = creates();
  expect(await completeLostCheckRun(context(), target, 'the key', done())).toEqual({
    kind: 'confirmed',
    value: 50,
  });
  expect(created[0]).toMatchObject({ external_id: 'the key', status: 'completed', conclusion: 'failure' });
});

test('texts are capped apart, with what is hidden kept at the end', async () => {
  const seen = patches(50);
  const mark = '<!-- evident:pass {"v":1} -->';
  const text = `\`\`\`\`text\n${'line of text\n'.repeat(9_000)}\`\`\`\`\n\n${mark}`;
  await writeCheckRun(context(), target, 50, done({ summary: 'ü'.repeat(70_000), text }));
  const output = seen[0]?.['output'] as { summary: string; text: string };
  expect(Buffer.byteLength(output.summary)).toBeLessThanOrEqual(65_535);
  expect(Buffer.byteLength(output.text)).toBeLessThanOrEqual(65_535);
  expect(output.text.endsWith(mark)).toBe(true);
  expect(output.text).toContain('\n````\n\n[cut: too long for GitHub]');
});

test('a text that is refused costs the text and not the conclusion', async () => {
  patches(50, 422, { message: 'Invalid request. text is too long' });
  const seen = patches(50);
  expect(await writeCheckRun(context(), target, 50, done())).toEqual({
    kind: 'confirmed',
    value: 50,
    bare: true,
  });
  expect(seen[0]).toMatchObject({ conclusion: 'failure', output: { title: '2 important to fix' } });
  expect(seen[0]?.['output']).not.toHaveProperty('text');
});

describe('the end of a check whose answer was lost', () => {
  const reads = (status: string, conclusion: string | null): void => {
    nock(api)
      .get('/repos/octo-org/shop/check-runs/50')
      .reply(200, run({ id: 50, status, conclusion }));
  };

  test('is read back', async () => {
    patches(50, 502, 'Bad Gateway');
    reads('in_progress', null);
    reads('completed', 'failure');
    expect(await writeCheckRun(context(), target, 50, done())).toEqual({ kind: 'confirmed', value: 50 });
  });

  test('is set once more when it is not there', async () => {
    patches(50, 502, 'Bad Gateway');
    for (let look = 0; look < 4; look += 1) reads('in_progress', null);
    patches(50);
    expect(await writeCheckRun(context(), target, 50, done())).toEqual({ kind: 'confirmed', value: 50 });
  });
});

test.each<[string, readonly (readonly [status: string, conclusion: string | null, title: string])[], number]>(
  [
    ['none', [], 0],
    ['one that is ended now', [['in_progress', null, 'Reading']], 1],
    ['two that were ended', [died(), died()], 2],
    ['none since one came to an end', [died(), died(), ['completed', 'success', 'Nothing open']], 0],
    ['one since then', [died(), ['completed', 'failure', '1 important to fix'], died()], 1],
    ['one that was overtaken is none', [['completed', 'cancelled', 'Overtaken by a push'], died()], 1],
  ],
)('runs that died: %s', (_what, runs, count) => {
  const own = runs.map(([status, conclusion, title], id) => {
    return { id, status, conclusion, key: 'k', startedAt: id, title, summary: '', text: '' };
  });
  // GitHub lists the newest first.
  expect(countDied(own.toReversed(), 'k')).toBe(count);
  expect(countDied(own, 'other')).toBe(0);
});

function died(): readonly [string, string, string] {
  return ['completed', 'cancelled', 'Did not end; started again'];
}
