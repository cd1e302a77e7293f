/**
 * Inputs as large as GitHub lets them become, through the whole program: the review is finished or says what it did not
 * read, in bounded memory. EVIDENT_PRINT=1 prints what it took.
 */
import { createApp } from '../lib/app.js';
import { compose, type ComposeOptions } from '../lib/compose.js';
import { readEnv } from '../lib/config/env.js';
import { silentLog } from '../lib/ports/log.js';
import { grow, type Growth } from '../local-github/grow.js';
import { startLocalGitHub, type LocalGitHub, type LocalRepository } from '../local-github/index.js';
import { plays, submit } from './world.js';
import { calls } from '../lib/models/scripted.js';
import type { Reviewed } from '../lib/modes/run-review.js';

const mib = 1024 * 1024;
let github: LocalGitHub;

beforeAll(async () => {
  // A review of thousands of comments is how they are made here: GitHub would answer it with 502.
  github = await startLocalGitHub({ rules: { lateAnswerAbove: null }, events: ['pull_request'] });
  github.onWebhook('http://127.0.0.1:9/');
});
afterAll(() => github.close());

type Big = {
  readonly repository: LocalRepository;
  readonly number: number;
  readonly check: ReturnType<LocalRepository['pull']>['checks'][number] | undefined;
  readonly reviewed: Reviewed | null;
  readonly requests: number;
};

/** Reviews it with the fixed rules, or the model of `options`, and measures the whole process, the local GitHub included. */
async function review(growth: Growth, options: Partial<ComposeOptions> = {}): Promise<Big> {
  const { repository, number } = await grow(github, growth);
  const delivery = github
    .deliveries()
    .findLast((one) => one.action === 'opened' && one.repository === repository.fullName);
  if (delivery === undefined) throw new Error('nothing was opened');
  let reviewed: Reviewed | null = null;
  const env = readEnv({
    EVIDENT_MODEL: 'rules',
    EVIDENT_GATE: 'blocking',
    EVIDENT_START: 'automatic',
    APP_ID: String(github.app.id),
    PRIVATE_KEY: github.app.privateKey,
    WEBHOOK_SECRET: github.app.webhookSecret,
    GITHUB_API_URL: github.apiUrl,
  });
  if (env.github === null) throw new Error('The local GitHub has an app.');
  let requests = 0;
  const app = await createApp(
    env.github,
    await compose(env, {
      log: silentLog,
      realForge: false,
      ...options,
      onReviewed: (one) => {
        reviewed = one;
      },
      onHandled: (_handled, made) => {
        requests = made.length;
      },
    }),
  );
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
  const began = performance.now();
  await app.receive({ id: delivery.guid, name: delivery.event, payload: delivery.payload });
  clearInterval(timer);
  const check = repository.pull(number).checks[0];
  const grew = Math.round((Math.max(most, process.memoryUsage().rss) - before) / mib);
  if (process.env['EVIDENT_PRINT'] === '1')
    process.stdout.write(
      `${growth.name.padEnd(16)}${Math.round((performance.now() - began) / 100) / 10} s, ${requests} requests, memory ${Math.round(before / mib)} MiB + ${grew} MiB, ${check?.conclusion}: ${check?.title}\n`,
    );
  // The same process holds the local GitHub with its answers, so the bound is a generous one.
  expect(grew).toBeLessThan(1_024);
  expect(check?.status).toBe('completed');
  return { repository, number, check, reviewed, requests };
}

test('3,000 changed files', async () => {
  const { check, reviewed, requests, repository, number } = await review({
    name: 'many-files',
    files: 3_000,
  });
  expect(repository.pull(number).changedFiles).toBe(3_000);
  // The comparison lists 300 of them: 30 pages more.
  expect(requests).toBeLessThanOrEqual(50);
  expect(reviewed?.result?.coverage.files.filter(({ kind }) => kind === 'seen')).toHaveLength(3_000);
  expect(check).toMatchObject({ conclusion: 'success' });
}, 300_000);

test('more files than GitHub lists: those it does not list are said to be unread', async () => {
  const small = await startLocalGitHub({ limits: { listedFiles: 30, comparedFiles: 10 } });
  const before = github;
  github = small;
  try {
    small.onWebhook('http://127.0.0.1:9/');
    const { check, reviewed } = await review({ name: 'unlisted', files: 40 });
    expect(check).toMatchObject({
      conclusion: 'action_required',
      title: 'Not finished: 30 of 40 files read',
    });
    expect(reviewed?.result?.coverage.files.filter(({ kind }) => kind === 'missing')).toHaveLength(10);
    expect(check?.text).toContain('GitHub lists 30 of 40 changed files');
  } finally {
    github = before;
    await small.close();
  }
}, 300_000);

test('a diff that GitHub does not render: its file is said to be unread', async () => {
  const { check, reviewed } = await review({ name: 'long-diff', files: 3, lines: 21_000 });
  const missing = reviewed?.result?.coverage.files.filter(({ kind }) => kind === 'missing') ?? [];
  expect(missing).toHaveLength(1);
  expect(check).toMatchObject({ conclusion: 'action_required', title: 'Not finished: 2 of 3 files read' });
  expect(check?.text).toContain(missing[0]?.path);
}, 300_000);

test('2,000 threads, one of them with 250 comments', async () => {
  const model = plays(({ step }) => (step === 0 ? calls({ name: 'get_pr_diff', input: {} }) : submit()));
  const { check, requests } = await review(
    { name: 'many-threads', files: 20, threads: 2_000, commentsInFirst: 250 },
    { model },
  );
  expect(check).toMatchObject({ conclusion: 'success' });
  // Read twice, before and after the run: 20 pages, and three of the long thread.
  expect(requests).toBeLessThanOrEqual(70);
}, 300_000);

test('a repository above the cap of what is read: what changes is read all the same', async () => {
  const { check, reviewed } = await review(
    { name: 'large', files: 5, otherFiles: 20, otherFileBytes: mib / 2 },
    {
      readerLimits: {
        archiveLimits: {
          entries: 60_000,
          keptBytes: 64 * mib,
          declaredBytes: 64 * mib,
          compressedBytes: 2 * mib,
        },
      },
    },
  );
  expect(reviewed?.result?.coverage.files.filter(({ kind }) => kind === 'seen')).toHaveLength(5);
  expect(check).toMatchObject({ conclusion: 'success' });
}, 300_000);
