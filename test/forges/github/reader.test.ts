import { defaultArchiveLimits } from '../../../lib/forges/github/archive.js';
import { defaultBlobLimits } from '../../../lib/forges/github/blobs.js';
import type { RepoReader } from '../../../lib/ports/forge.js';
import { startLocalGitHub } from '../../../local-github/index.js';
import type { FaultRequest, LocalGitHub } from '../../../local-github/index.js';
import { contractRepository, describeReaderContract } from '../reader-contract.js';
import { openChange, openSnapshot } from './open-change.js';

let github: LocalGitHub;
beforeAll(async () => {
  github = await startLocalGitHub();
});
afterEach(() => github.faults.clear());
afterAll(() => github.close());

describeReaderContract('GitHub', async ({ base, head, neverSend }) => {
  const opened = await openSnapshot(github, await openChange(github, base, head), { neverSend });
  expect(opened.snapshot.lacks).toEqual([]);
  return {
    reader: opened.reader,
    requests: () => opened.client.requests().length,
    close: async () => {},
  };
});

describeReaderContract('GitHub without an archive', async ({ base, head, neverSend }) => {
  github.faults.add({ match: isTarball, times: 9, before: { status: 404, body: { message: 'Not Found' } } });
  const opened = await openSnapshot(github, await openChange(github, base, head), { neverSend });
  expect(opened.snapshot.lacks).toEqual([]);
  return {
    reader: opened.reader,
    requests: () => opened.client.requests().length,
    close: async () => {},
  };
});

const isTarball = (request: FaultRequest): boolean => request.path.includes('/tarball/');

async function read(reader: RepoReader, path: string): Promise<string> {
  const file = await reader.read('head', path);
  return file.kind === 'text' ? file.lines.join('\n') : `${file.kind}: ${'why' in file ? file.why : ''}`;
}

test('the requests of the contract are few, and each has its reason', async () => {
  const change = await openChange(github, contractRepository.base, contractRepository.head);
  const { client } = await openSnapshot(github, change);
  const requests = client.requests().map(({ method, path }) => {
    const plain = path.replace(/[0-9a-f]{40}/g, 'SHA').replace(change.repository.name, 'shop');
    return `${method} ${plain}`;
  });
  expect(requests.sort()).toEqual([
    'GET /repos/octo-org/shop/compare/SHA...SHA?per_page=1',
    'GET /repos/octo-org/shop/git/trees/SHA?recursive=1',
    'GET /repos/octo-org/shop/git/trees/SHA?recursive=1',
    'GET /repos/octo-org/shop/pulls/1',
    'GET /repos/octo-org/shop/tarball/SHA',
    expect.stringContaining('legacy.tar.gz'),
    'POST /graphql',
    'POST /graphql',
  ]);
  for (const { reason } of client.requests()) expect(reason).toMatch(/\w+ \w+/);
});

const many = Object.fromEntries(
  Array.from({ length: 60 }, (_, at) => [
    `src/f${String(at).padStart(2, '0')}.ts`,
    `const f${at} = ${at};\n`,
  ]),
);
const changed = { ...many, 'src/f30.ts': 'const f30 = 31;\n', 'zz/new.ts': 'const added = 1;\n' };

test('a repository above the limits: the change is read, the rest is said to be unread', async () => {
  const { reader, snapshot } = await openSnapshot(github, await openChange(github, many, changed), {
    archiveLimits: { ...defaultArchiveLimits, entries: 10 },
    blobLimits: { ...defaultBlobLimits, count: 20 },
  });
  expect(await read(reader, 'zz/new.ts')).toBe('const added = 1;');
  expect(await reader.read('base', 'src/f30.ts')).toMatchObject({ lines: ['const f30 = 30;'] });
  expect(await read(reader, 'src/f59.ts')).toMatch(
    /unavailable: the repository is too large to be read whole/,
  );
  const search = await reader.search({ ref: 'head', pattern: 'nowhere', limit: 1 });
  expect(search.kind === 'searched' && search.notSearched.length).toBeGreaterThan(20);
  expect(snapshot.lacks.map(({ what }) => what)).toEqual([
    expect.stringMatching(/^\d+ files of the head$/),
    expect.stringMatching(/^\d+ files of the merge base$/),
  ]);
});

test('blobs that cannot be had cost their files, not the run', async () => {
  const isBlobs = (request: FaultRequest): boolean =>
    request.path === '/graphql' && JSON.stringify(request.body).includes('EvidentBlobs');
  github.faults.add({ match: isBlobs, times: 99, before: { status: 502, body: 'bad gateway' } });
  const base = { ...many, '.gitattributes': 'left-out export-ignore\n', 'left-out/a.ts': 'a\n' };
  const { reader, snapshot } = await openSnapshot(
    github,
    await openChange(github, base, { ...base, 'b.ts': 'b\n' }),
  );
  expect(await read(reader, 'b.ts')).toBe('b');
  expect(await read(reader, 'left-out/a.ts')).toMatch(
    /unavailable: GitHub answered graphql with 502|unavailable: GitHub/,
  );
  const search = await reader.search({ ref: 'head', pattern: 'nowhere', limit: 1 });
  expect(search).toMatchObject({ total: 0, notSearched: [{ path: 'left-out/a.ts' }] });
  expect(snapshot.lacks).toHaveLength(2);
});

test('an archive that breaks off is asked for once more', async () => {
  github.faults.add({
    match: (request) => request.path.includes('legacy.tar.gz'),
    before: { status: 200, headers: { 'content-type': 'application/x-gzip' }, body: 'not a gzip' },
  });
  const { reader } = await openSnapshot(github, await openChange(github, many, changed));
  expect(await read(reader, 'src/f59.ts')).toBe('const f59 = 59;');
});

test('what bulk reading garbles is read alone, and checked by its id', async () => {
  const latin = Buffer.from([0x63, 0xe9, 0x0a]);
  const base = { '.gitattributes': 'left-out export-ignore\n', 'left-out/latin.txt': latin };
  const opened = await openSnapshot(github, await openChange(github, base, { ...base, 'b.ts': 'b\n' }));
  expect(await read(opened.reader, 'left-out/latin.txt')).toBe('c\ufffd');
  expect(opened.client.requests().filter(({ path }) => path.includes('/git/blobs/'))).toHaveLength(1);
});

test('a cut list of files is said, proves no absence, and does not lose the change', async () => {
  const small = await startLocalGitHub({ limits: { treeEntries: 20 } });
  try {
    const { reader, snapshot } = await openSnapshot(small, await openChange(small, many, changed));
    expect(await read(reader, 'zz/new.ts')).toBe('const added = 1;');
    expect(snapshot.lacks.map(({ why }) => why)).toContainEqual(expect.stringMatching(/cut its list/));
    const search = await reader.search({ ref: 'head', pattern: 'nowhere', glob: 'zz/**', limit: 1 });
    expect(search).toMatchObject({ total: 0, notSearched: [{ why: expect.stringMatching(/cut its list/) }] });
  } finally {
    await small.close();
  }
});

test('the base is the merge base, not the tip of the base branch', async () => {
  const change = await openChange(github, many, changed);
  await change.repository.commit({
    branch: 'main',
    message: 'Moves on',
    files: { 'src/f01.ts': 'const moved = true;\n' },
  });
  const { reader, snapshot } = await openSnapshot(github, change);
  expect(await reader.read('base', 'src/f01.ts')).toMatchObject({ lines: ['const f1 = 1;'] });
  expect(snapshot.diff.map((file) => file.path)).toEqual(['src/f30.ts', 'zz/new.ts']);
});
