import { ForgeError } from '../../../lib/core/errors.js';
import { defaultPolicy } from '../../../lib/core/policy.js';
import { startLocalGitHub } from '../../../local-github/index.js';
import type { LocalGitHub, PullOrder } from '../../../local-github/index.js';
import { Sha } from '../../../lib/core/pull-request.js';
import { readSnapshot } from '../../../lib/forges/github/snapshot.js';
import { clientOf, openChange, openSnapshot } from './open-change.js';
import type { Files } from './open-change.js';

let github: LocalGitHub;
beforeAll(async () => {
  github = await startLocalGitHub();
});
afterEach(() => github.faults.clear());
afterAll(() => github.close());

const key = ['AKIA', 'IOSFODNN7', 'QWERTYU'].join('');
const base: Files = { 'a.ts': 'one\ntwo\n', 'REVIEW.md': '# Rules\nOld rules.\n' };
const head: Files = { ...base, 'a.ts': 'one\n2\n' };

const snapshotOf = async (
  before: Files,
  after: Files,
  pull: Partial<PullOrder> = {},
): ReturnType<typeof openSnapshot> => openSnapshot(github, await openChange(github, before, after, pull));

test('the pull request, its change and where they come from', async () => {
  const { snapshot } = await snapshotOf(base, head, {
    title: 'Say two',
    body: 'Because.',
    author: 'octocat',
  });
  const { pullRequest } = snapshot;
  expect(pullRequest).toMatchObject({
    title: 'Say two',
    body: 'Because.',
    author: { login: 'octocat', kind: 'person' },
    state: 'open',
    draft: false,
    changedFiles: 1,
    commits: 1,
    base: { ref: 'main' },
    head: { ref: 'topic', repo: `octo-org/${pullRequest.repo.name}` },
  });
  expect(pullRequest.mergeBase).toBe(pullRequest.base.sha);
  expect(pullRequest.repo.htmlUrl).toBe(`${github.url}/octo-org/${pullRequest.repo.name}`);
  expect(snapshot.diff).toMatchObject([{ path: 'a.ts', status: 'modified', additions: 1, deletions: 1 }]);
  expect(snapshot).toMatchObject({ threads: [], ownReviews: [], passRecords: [], lacks: [] });
});

test('REVIEW.md is that of the base, and binds the policy hash', async () => {
  const changed = await snapshotOf(base, { ...head, 'REVIEW.md': '# Rules\nNothing matters.\n' });
  expect(changed.snapshot.reviewRules).toBe('# Rules\nOld rules.');
  const same = await snapshotOf(base, head);
  const other = await snapshotOf({ ...base, 'REVIEW.md': 'Other.\n' }, { ...head, 'REVIEW.md': 'Other.\n' });
  const none = await snapshotOf({ 'a.ts': 'one\n' }, { 'a.ts': 'two\n' });
  expect(none.snapshot.reviewRules).toBeNull();
  expect(same.snapshot.policyHash).toBe(changed.snapshot.policyHash);
  expect(new Set([same, other, none].map(({ snapshot }) => snapshot.policyHash)).size).toBe(3);
});

test('the policy hash does not depend on the order of its settings', async () => {
  const change = await openChange(github, base, head);
  const turned = Object.fromEntries(Object.entries(defaultPolicy).reverse()) as typeof defaultPolicy;
  const first = await openSnapshot(github, change);
  const second = await openSnapshot(github, change, { policy: turned });
  expect(second.snapshot.policyHash).toBe(first.snapshot.policyHash);
});

test('a deleted fork and a deleted author are read like any other', async () => {
  const change = await openChange(github, base, head, { author: 'gone-soon', headRepository: null });
  github.deleteAccount('gone-soon');
  const { snapshot } = await openSnapshot(github, change);
  expect(snapshot.pullRequest.head.repo).toBeNull();
  expect(snapshot.pullRequest.author).toMatchObject({ login: 'ghost', kind: 'unknown' });
  expect(snapshot.diff).toHaveLength(1);
});

test('a head that GitHub does not show yet is waited for; a newer one is taken', async () => {
  const change = await openChange(github, base, head);
  const { repository, number } = change;
  const client = await clientOf(github, repository);
  const place = { owner: repository.owner, repo: repository.name, number };
  const route = '/repos/{owner}/{repo}/pulls/{pull_number}';
  const stale = await client.get(
    route,
    { owner: place.owner, repo: place.repo, pull_number: number },
    'as it was',
  );
  const pushed = Sha.parse(
    await repository.commit({ branch: 'topic', message: 'More', files: { 'b.ts': 'more\n' } }),
  );
  github.faults.add({
    match: ({ method, path }) => method === 'GET' && path.endsWith(`/pulls/${number}`),
    before: { status: 200, body: stale },
  });
  const waits: number[] = [];
  const options = { policy: defaultPolicy, sleep: async (ms: number) => void waits.push(ms) };
  const first = await readSnapshot(client, { ...place, head: pushed }, options);
  expect(first.snapshot.pullRequest.head.sha).toBe(pushed);
  expect(waits).toHaveLength(1);
  const older = Sha.parse('a'.repeat(40));
  const second = await readSnapshot(client, { ...place, head: older }, options);
  expect(second.snapshot.pullRequest.head.sha).toBe(pushed);
});

test('an agent is known by its branch', async () => {
  const { snapshot } = await snapshotOf(base, head, { head: 'agent/two' });
  expect(snapshot.pullRequest.author).toMatchObject({ kind: 'agent', because: 'branch `agent/two`' });
});

test('secrets are labelled in title, description and rows, and the change keeps its identity', async () => {
  const leaking = { ...head, 'b.ts': `const id = "${key}";\n` };
  const { snapshot } = await snapshotOf(base, leaking, { title: `Use ${key}`, body: `The key is ${key}.` });
  expect(JSON.stringify(snapshot)).not.toContain(key);
  expect(snapshot.pullRequest.title).toMatch(/\[secret: /);
  const row = snapshot.diff.find((file) => file.path === 'b.ts')?.content;
  expect(row).toMatchObject({ hunks: [{ lines: [{ new: 1, text: expect.stringMatching(/\[secret: /) }] }] });
});

test('rows of what the operator withholds are not shown, and the file counts as missing', async () => {
  const change = await openChange(
    github,
    { ...base, 'secrets/a.env': 'A=1\n' },
    { ...head, 'secrets/a.env': 'A=2\n' },
  );
  const { snapshot } = await openSnapshot(github, change, { neverSend: ['secrets/'] });
  expect(snapshot.diff.find((file) => file.path === 'secrets/a.env')?.content).toEqual({
    kind: 'missing',
    why: 'not_listed',
    detail: "withheld by the operator's setting (secrets/)",
  });
});

test('modes, links, submodules and binary files are told apart by the trees', async () => {
  const from = 'a'.repeat(40);
  const to = 'b'.repeat(40);
  const before: Files = {
    'run.sh': 'echo\n',
    link: { symlink: 'old' },
    'file-then-link': 'text\n',
    lib: { submodule: from },
    'logo.dat': Buffer.from([0, 1]),
    'old.ts': 'moved\nas\nit\nis\n',
  };
  const after: Files = {
    'run.sh': { mode: '100755', content: 'echo\n' },
    link: { symlink: 'new' },
    'file-then-link': { symlink: 'elsewhere' },
    lib: { submodule: to },
    'logo.dat': Buffer.from([0, 2]),
    'new.ts': 'moved\nas\nit\nis\n',
    'empty.ts': '',
    'new.dat': Buffer.from([0]),
  };
  const { snapshot } = await snapshotOf(before, after);
  const byPath = Object.fromEntries(snapshot.diff.map((file) => [file.path, file]));
  expect(byPath).toMatchObject({
    'run.sh': { status: 'mode_only', oldMode: '100644', newMode: '100755', content: { kind: 'unchanged' } },
    link: { status: 'modified', symlink: true, content: { kind: 'text' } },
    'file-then-link': { status: 'type_changed', newMode: '120000', symlink: true },
    lib: { content: { kind: 'submodule', from, to } },
    'logo.dat': { content: { kind: 'binary' } },
    'new.ts': { status: 'renamed', oldPath: 'old.ts', content: { kind: 'unchanged' } },
    'empty.ts': { status: 'added', content: { kind: 'text', hunks: [] } },
    'new.dat': { status: 'added', content: { kind: 'binary' } },
  });
});

const manyBase: Files = { 'a.ts': 'one\n' };
const manyHead: Files = {
  'a.ts': 'two\n',
  ...Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`f${String(at).padStart(2, '0')}.ts`, 'x\n'])),
};

test('more files than a comparison lists are paged', async () => {
  const small = await startLocalGitHub({ limits: { comparedFiles: 5 } });
  try {
    const { snapshot, client } = await openSnapshot(small, await openChange(small, manyBase, manyHead));
    expect(snapshot.diff).toHaveLength(12);
    expect(snapshot.lacks).toEqual([]);
    expect(client.requests().some(({ path }) => path.includes('/pulls/1/files'))).toBe(true);
  } finally {
    await small.close();
  }
});

test('files that GitHub counts and does not list are missing by name', async () => {
  const small = await startLocalGitHub({ limits: { comparedFiles: 5, listedFiles: 8 } });
  try {
    const { snapshot } = await openSnapshot(small, await openChange(small, manyBase, manyHead));
    expect(snapshot.diff).toHaveLength(12);
    const missing = snapshot.diff.filter((file) => file.content.kind === 'missing');
    expect(missing.map((file) => file.path)).toEqual(['f07.ts', 'f08.ts', 'f09.ts', 'f10.ts']);
    expect(snapshot.lacks).toEqual([{ what: '4 changed files', why: 'GitHub lists 8 of 12 changed files' }]);
  } finally {
    await small.close();
  }
});

test('a change above the limit of a patch is missing, and its file can be read', async () => {
  const small = await startLocalGitHub({ limits: { patch: { lines: 20, bytes: 1000 } } });
  try {
    const long = Array.from({ length: 50 }, (_, at) => `row ${at}\n`).join('');
    const { snapshot, reader } = await openSnapshot(
      small,
      await openChange(small, { 'long.ts': long }, { 'long.ts': long.replaceAll('row', 'line') }),
    );
    expect(snapshot.diff[0]?.content).toMatchObject({ kind: 'missing', why: 'too_large' });
    expect(await reader.read('head', 'long.ts')).toMatchObject({ lines: expect.arrayContaining(['line 0']) });
    expect(await reader.read('base', 'long.ts')).toMatchObject({ lines: expect.arrayContaining(['row 0']) });
  } finally {
    await small.close();
  }
});

test.each([
  ['the comparison', '/compare/'],
  ['a tree', '/git/trees/'],
  ['the conversation', '/graphql'],
])('without %s there is no snapshot', async (_name, path) => {
  const change = await openChange(github, base, head);
  github.faults.add({
    match: (request) => request.path.includes(path),
    times: 20,
    before: { status: 500, body: { message: 'Server Error' } },
  });
  const failure: unknown = await openSnapshot(github, change).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ForgeError);
  expect(failure).toMatchObject({ retryable: true });
});

test('a permission that is missing is named', async () => {
  const narrow = await startLocalGitHub();
  try {
    const change = await openChange(narrow, base, head);
    change.repository.permissions = { metadata: 'read', pull_requests: 'read' };
    await expect(openSnapshot(narrow, change)).rejects.toMatchObject({
      status: 403,
      acceptedPermissions: expect.stringContaining('contents'),
    });
  } finally {
    await narrow.close();
  }
});

test('a review of 20 changed files is read with eight requests at most', async () => {
  const before = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`src/f${at}.ts`, 'a\nb\nc\n']));
  const after = Object.fromEntries(Object.keys(before).map((path) => [path, 'a\nB\nc\n']));
  const { client, reader } = await snapshotOf(before, after);
  const asked = client.requests().length;
  for (const path of Object.keys(before)) await reader.read('base', path);
  await reader.search({ ref: 'base', pattern: 'b', limit: 100 });
  expect(client.requests().length).toBe(asked);
  expect(asked).toBeLessThanOrEqual(8);
});
