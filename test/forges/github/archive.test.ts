import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { defaultArchiveLimits, readArchive } from '../../../lib/forges/github/archive.js';
import type { Archive, ArchiveLimits } from '../../../lib/forges/github/archive.js';

let folder = '';
let archive: Buffer;
let tree: ReadonlyMap<string, string>;

const git = (...args: string[]): Buffer =>
  execFileSync('git', args, {
    cwd: folder,
    maxBuffer: 1 << 28,
    env: {
      ...process.env,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
      GIT_AUTHOR_NAME: 'Test',
      GIT_AUTHOR_EMAIL: 'test@example.com',
      GIT_COMMITTER_NAME: 'Test',
      GIT_COMMITTER_EMAIL: 'test@example.com',
    },
  });

const long = `${'deep/'.repeat(30)}${'n'.repeat(120)}.txt`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'evident-archive-'));
  git('init', '-q');
  const files: Record<string, string | Buffer> = {
    'src/a.ts': 'one\ntwo\n',
    'crlf.txt': 'one\r\ntwo\r\n',
    'empty.txt': '',
    'naïve café.txt': 'unicode name\n',
    [long]: 'a name that needs a pax header\n',
    'logo.bin': Buffer.from([0, 1, 2]),
    'big.txt': 'x'.repeat((1 << 20) + 1),
    'big.bin': Buffer.alloc((1 << 20) + 1),
    'hidden/guard.ts': 'left out of archives\n',
    'stamp.txt': '$Format:%H$\n',
    '.gitattributes': 'hidden export-ignore\nstamp.txt export-subst\n',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  symlinkSync('../../etc/passwd', join(folder, 'link'));
  git('add', '-A');
  git('commit', '-q', '-m', 'files');
  archive = git('archive', '--format=tar.gz', '--prefix=octo-org-shop-3f9c2d1/', 'HEAD');
  tree = new Map(
    git('ls-tree', '-r', '-z', 'HEAD')
      .toString()
      .split('\0')
      .filter((row) => row !== '')
      .map((row) => [row.slice(row.indexOf('\t') + 1), row.split(/[ \t]/)[2] ?? '']),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (bytes: Buffer, limits: Partial<ArchiveLimits> = {}): Promise<Archive> => {
  const pieces = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, at) =>
    bytes.subarray(at * 1000, (at + 1) * 1000),
  );
  return readArchive(Readable.from(pieces), 40, { ...defaultArchiveLimits, ...limits });
};

/** One entry of a tar with whatever name, type and content. */
function entry(
  path: string,
  content: string,
  type: 'File' | 'SymbolicLink' | 'Link' = 'File',
  linkpath = '',
): Buffer {
  const header = Buffer.alloc(512);
  new Header({ path, type, linkpath, size: content.length, mode: 0o644, mtime: new Date(0) }).encode(header);
  return Buffer.concat([header, Buffer.from(content.padEnd(Math.ceil(content.length / 512) * 512, '\0'))]);
}

const tarOf = (...entries: Buffer[]): Buffer => gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]));

test('files of a real archive have the blob ids of the tree, but for what attributes change', async () => {
  const { files, end } = await read(archive);
  expect(end).toEqual({ kind: 'whole' });
  const differing = [...tree].filter(([path, id]) => files.get(path)?.id !== id).map(([path]) => path);
  expect(differing).toEqual(['hidden/guard.ts', 'stamp.txt']);
  expect(files.has('hidden/guard.ts')).toBe(false);
  expect(files.get(long)?.file).toEqual({ kind: 'text', text: 'a name that needs a pax header\n' });
  expect(files.get('naïve café.txt')?.file).toMatchObject({ kind: 'text' });
  expect(files.get('crlf.txt')?.file).toEqual({ kind: 'text', text: 'one\r\ntwo\r\n' });
  expect(files.get('empty.txt')?.file).toEqual({ kind: 'text', text: '' });
  expect(files.get('link')?.file).toEqual({ kind: 'symlink', target: '../../etc/passwd' });
  expect(files.get('logo.bin')?.file).toEqual({ kind: 'binary', bytes: 3 });
  expect(files.get('big.txt')?.file).toEqual({ kind: 'too_large', bytes: (1 << 20) + 1 });
  expect(files.get('big.bin')?.file).toEqual({ kind: 'binary', bytes: (1 << 20) + 1 });
});

test('names that leave the archive, hard links and the top folder are left out', async () => {
  const { files } = await read(
    tarOf(
      entry('/etc/passwd', 'x'),
      entry('top/../../x', 'x'),
      entry('top', 'x'),
      entry('top/hard', '', 'Link', 'top/a'),
      entry('top/a', 'fine'),
    ),
  );
  expect([...files.keys()]).toEqual(['a']);
  expect(files.get('a')?.id).toBe(createHash('sha1').update('blob 4\0fine').digest('hex'));
});

test.each<[string, Partial<ArchiveLimits>, RegExp]>([
  ['entries', { entries: 3 }, /more than 3 files/],
  ['declared bytes', { declaredBytes: 1 << 20 }, /holds more than 1 MiB/],
  ['kept text', { keptBytes: 10 }, /text is more than/],
  ['compressed bytes', { compressedBytes: 200 }, /larger than/],
])('stops at the limit of %s and says so', async (_name, limits, why) => {
  const { files, end } = await read(archive, limits);
  expect(end).toMatchObject({ kind: 'capped', why: expect.stringMatching(why) });
  expect(files.size).toBeLessThan(tree.size - 1);
});

test('a compression bomb ends early', async () => {
  const bomb = tarOf(entry('top/a', '0'.repeat(64 << 20)));
  const { end } = await read(bomb, { declaredBytes: 1 << 20 });
  expect(end.kind).toBe('capped');
});

test.each([
  ['a gzip that is cut', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2), 'failed'],
  [
    'a gzip with damaged bytes',
    (bytes: Buffer) =>
      Buffer.concat([bytes.subarray(0, 600), Buffer.alloc(200, 7), bytes.subarray(800), bytes]),
    'failed',
  ],
  ['bytes that are no gzip', () => Buffer.from('<html>not found</html>'.repeat(100)), undefined],
  [
    'a tar cut short inside a valid gzip',
    (bytes: Buffer) => gzipSync(gunzipSync(bytes).subarray(0, 5000)),
    undefined,
  ],
])('%s never looks whole once compared with the tree', async (_name, harm, kind) => {
  const { files, end } = await read(harm(archive));
  if (kind !== undefined) expect(end.kind).toBe(kind);
  expect([...tree].filter(([path, id]) => files.get(path)?.id !== id).length).toBeGreaterThan(2);
});

test('a stream that breaks is a failure with its reason', async () => {
  async function* broken(): AsyncGenerator<Buffer> {
    yield archive.subarray(0, 200);
    throw new Error('socket hang up');
  }
  const { end } = await readArchive(Readable.from(broken()));
  expect(end).toEqual({ kind: 'failed', why: 'socket hang up' });
});
