import { writeCheckResult, type CheckResult } from '../../../lib/core/check-result.js';
import { jobKey } from '../../../lib/core/trigger.js';
import type { Sha } from '../../../lib/core/pull-request.js';
import type { GitHubClient } from '../../../lib/forges/github/client.js';
import { readConversation } from '../../../lib/forges/github/threads.js';
import type { HistorySource } from '../../../lib/forges/github/threads.js';
import { startLocalGitHub } from '../../../local-github/index.js';
import type { LocalGitHub } from '../../../local-github/index.js';
import { clientOf, openChange } from './open-change.js';
import type { OpenChange } from './open-change.js';

let github: LocalGitHub;
beforeAll(async () => {
  github = await startLocalGitHub();
});
afterEach(() => github.faults.clear());
afterAll(() => github.close());

type Run = {
  readonly head: string;
  readonly text: string;
  readonly number?: number;
  readonly minute?: number;
};

/** A check run as the app writes it. */
async function writeRun(
  client: GitHubClient,
  { repository, number }: OpenChange,
  { head, text, minute = 0, ...run }: Run,
): Promise<void> {
  const { owner, name } = repository;
  const about = { owner, repo: name, number: run.number ?? number, head: head as Sha };
  await client.write(
    'POST',
    '/repos/{owner}/{repo}/check-runs',
    {
      owner,
      repo: name,
      name: 'Evident',
      head_sha: head,
      external_id: jobKey(about, 'main'),
      started_at: new Date(Date.UTC(2026, 11, 1, 10, minute)).toISOString(),
      status: 'completed',
      conclusion: 'neutral',
      output: { title: 'a test', summary: 'a test', text },
    },
    'a check run to read back',
  );
}

/** Texts stand for themselves: what is kept of a text is its own words. */
const source = (): HistorySource => ({
  appId: github.app.id,
  mayRead: true,
  readState: (text) => ({ passes: [], marks: [], heard: [text] }),
});

const read = ({ repository, number }: OpenChange, client: GitHubClient, from: HistorySource = source()) =>
  readConversation(client, { owner: repository.owner, repo: repository.name, number }, from);

const push = (change: OpenChange, content: string, from?: string): Promise<string> =>
  change.repository.commit({
    branch: 'topic',
    message: content,
    files: { 'a.ts': `${content}\n` },
    ...(from !== undefined && { from }),
  });

test('our check runs on every head are read, oldest first, with when each head was first looked at', async () => {
  const change = await openChange(github, { 'a.ts': 'a\n' }, { 'a.ts': 'b\n' });
  const client = await clientOf(github, change.repository);
  const first = change.repository.pull(change.number).head.sha;
  await writeRun(client, change, { head: first, text: 'one', minute: 1 });
  await writeRun(client, change, { head: first, text: 'one again', minute: 2 });
  const second = await push(change, 'c');
  await writeRun(client, change, { head: second, text: 'two', minute: 5 });
  const { heard, heads, lacks } = await read(change, client);
  expect(heard).toEqual(['one', 'one again', 'two']);
  expect(heads).toEqual([
    {
      sha: first,
      base: 'main',
      since: Date.UTC(2026, 11, 1, 10, 1),
      last: Date.UTC(2026, 11, 1, 10, 2),
      ended: true,
    },
    { sha: second, base: 'main', since: Date.UTC(2026, 11, 1, 10, 5), ended: true },
  ]);
  expect(lacks).toEqual([]);
});

test('the newest run of a head says what is outstanding', async () => {
  const change = await openChange(github, { 'a.ts': 'a\n' }, { 'a.ts': 'b\n' });
  const client = await clientOf(github, change.repository);
  const head = change.repository.pull(change.number).head.sha;
  const result = (verdict: CheckResult['verdict'], more: Partial<CheckResult> = {}): string =>
    writeCheckResult({
      v: 1,
      verdict,
      head: head.slice(0, 7),
      complete: true,
      important: 0,
      nit: 0,
      pre_existing: 0,
      questions_open: 0,
      fix_round: 0,
      blocking: [],
      ...more,
    });
  const said: unknown[] = [];
  const texts = [
    result('review', { goes_on: true }),
    result('review'),
    result('fix'),
    result('incomplete'),
    result('escalate'),
    result('waiting'),
    'Provider busy',
    result('pass'),
  ];
  for (const [minute, text] of texts.entries()) {
    await writeRun(client, change, { head, text, minute });
    const [seen, ...more] = (await read(change, client)).heads;
    expect(more).toEqual([]);
    said.push([seen?.owed, seen?.ended, seen?.waitsFor]);
  }
  const [nothing, yes] = [undefined, true];
  expect(said).toEqual([
    [yes, nothing, nothing],
    [nothing, yes, nothing],
    [nothing, nothing, nothing],
    [nothing, yes, nothing],
    [nothing, nothing, 'decision'],
    [nothing, nothing, 'answer'],
    [nothing, yes, nothing],
    [nothing, nothing, nothing],
  ]);
});

test('a head that a forced push took away still says what was found on it, and so does the one before it', async () => {
  const change = await openChange(github, { 'a.ts': 'a\n' }, { 'a.ts': 'b\n' });
  const { repository, number } = change;
  const client = await clientOf(github, repository);
  const first = repository.pull(number).head.sha;
  await writeRun(client, change, { head: first, text: 'one', minute: 1 });
  // Nobody looked at this one before it was gone.
  await push(change, 'c');
  const main = repository.pull(number).base.sha;
  const other = await repository.commit({
    branch: 'aside',
    from: main,
    message: 'd',
    files: { 'a.ts': 'd\n' },
  });
  await repository.forcePush('topic', other);
  await writeRun(client, change, { head: other, text: 'three', minute: 3 });
  const { heard, heads } = await read(change, client);
  expect(heard).toEqual(['one', 'three']);
  expect(heads.map(({ sha }) => sha)).toEqual([first, other]);
});

test('what another pull request or another app left on the same commit is not ours', async () => {
  const change = await openChange(github, { 'a.ts': 'a\n' }, { 'a.ts': 'b\n' });
  const { repository, number } = change;
  const client = await clientOf(github, repository);
  const head = repository.pull(number).head.sha;
  await repository.commit({ branch: 'other-base', from: 'main', message: 'x', files: { 'x.ts': 'x\n' } });
  const twin = await repository.openPullRequest({ head: 'topic', base: 'other-base', title: 'Twin' });
  await writeRun(client, change, { head, text: 'mine', minute: 1 });
  await writeRun(client, change, { head, text: 'the twin', number: twin, minute: 2 });
  const other = github.registerApp({ slug: 'imitator', permissions: { checks: 'write' } });
  repository.reportCheck(head, { name: 'Evident', status: 'completed', conclusion: 'success', app: other });
  const mine = await read(change, client);
  expect([mine.heard, mine.live?.sameHead]).toEqual([['mine'], [twin]]);
  const theirs = await read({ repository, number: twin }, client);
  expect([theirs.heard, theirs.live?.sameHead]).toEqual([['the twin'], [number]]);
});

test.each([
  ['known from the token', false],
  ['found out by asking', true],
])('without the right to see check runs the rest is read, and the lack is said: %s', async (_, mayRead) => {
  const change = await openChange(github, { 'a.ts': 'a\n' }, { 'a.ts': 'b\n' });
  const { repository, number } = change;
  const writer = await clientOf(github, repository);
  await writeRun(writer, change, { head: repository.pull(number).head.sha, text: 'one' });
  repository.as('octocat').comment(number, 'Hello');
  const granted = repository.permissions;
  repository.permissions = { contents: 'read', pull_requests: 'write' };
  try {
    const client = await clientOf(github, repository);
    const { comments, heard, heads, lacks } = await read(change, client, { ...source(), mayRead });
    expect(comments).toHaveLength(1);
    expect([heard, heads]).toEqual([[], []]);
    expect(lacks).toEqual([
      { what: 'earlier reviews of this pull request', why: expect.stringMatching(/check runs/) },
    ]);
    expect(client.requests()).toHaveLength(mayRead ? 2 : 1);
  } finally {
    repository.permissions = granted;
  }
});

test('any other refusal is a failure, and not an empty past', async () => {
  const change = await openChange(github, { 'a.ts': 'a\n' }, { 'a.ts': 'b\n' });
  const client = await clientOf(github, change.repository);
  await writeRun(client, change, { head: change.repository.pull(change.number).head.sha, text: 'one' });
  github.faults.add({
    match: ({ path }) => path === '/graphql',
    times: 10,
    graphql: { field: 'CheckRun.text', type: 'INTERNAL' },
  });
  await expect(read(change, client)).rejects.toThrow(/refused graphql/);
});
