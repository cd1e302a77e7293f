/**
 * A past as large as that of a busy repository, over real HTTP: 250 pull requests with 6,000 threads. EVIDENT_PRINT=1
 * prints what it took.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectPulls, readCollectFlags } from '../../../cli/reward/collect.js';
import { startLocalGitHub, type LocalGitHub, type LocalRepository } from '../../../local-github/index.js';
import { plantPast, totalsOf, type Truth } from './planted-past.js';

let github: LocalGitHub;
let repository: LocalRepository;
let truth: Truth;
let cache: string;

beforeAll(async () => {
  github = await startLocalGitHub();
  ({ repository, truth } = await plantPast(github, 'shop', 250, 6000));
  cache = await mkdtemp(join(tmpdir(), 'evident-collect-'));
});
afterAll(async () => {
  await github.close();
  await rm(cache, { recursive: true, force: true });
});

async function collect(flags: Parameters<typeof readCollectFlags>[0] = {}) {
  const said: string[] = [];
  const options = readCollectFlags({ repo: ['octo-org/shop'], last: '1000', cache, ...flags });
  const env = { GITHUB_API_URL: github.apiUrl, GITHUB_TOKEN: github.tokenOf('octo-org') };
  const began = performance.now();
  const found = await collectPulls(options, { env, cwd: cache, stderr: (text) => void said.push(text) });
  if (process.env['EVIDENT_PRINT'] === '1')
    process.stderr.write(
      `${said.join('')}${found.requests} requests, ${Math.round(performance.now() - began)} ms\n`,
    );
  return { ...found, said: said.join('') };
}

let first: Awaited<ReturnType<typeof collect>>;

test('what is collected is what was planted, to the last page of every list', async () => {
  first = await collect();
  expect(first.missing).toEqual([]);
  expect([truth.pulls, truth.threads]).toEqual([250, 6000]);
  expect(totalsOf(first.pulls)).toEqual(truth);
});

test('a second run gives the same, with a tenth of the requests at most', async () => {
  const second = await collect();
  expect(second.pulls).toEqual(first.pulls);
  expect(second.requests).toBeLessThanOrEqual(first.requests / 10);
});

test('a thread that is resolved moves no timestamp, and is seen', async () => {
  const target = first.pulls.find((pull) => pull.threads.some((thread) => !thread.isResolved));
  const thread = target?.threads.findLast((one) => !one.isResolved);
  if (target === undefined || thread === undefined) throw new Error('Every thread is resolved.');
  repository.as('monalisa').resolve(thread.id);
  const after = await collect();
  const now = after.pulls.find(({ number }) => number === target.number);
  expect(now?.updatedAt).toBe(target.updatedAt);
  expect(now?.threads.find(({ id }) => id === thread.id)).toMatchObject({
    isResolved: true,
    resolvedBy: { login: 'monalisa', bot: false },
  });
  expect(totalsOf(after.pulls)).toEqual({ ...truth, resolved: truth.resolved + 1 });
});
