import fc from 'fast-check';
import {
  createRepoView,
  normalizePath,
  readBytes,
  similarPaths,
  splitText,
} from '../../lib/core/repo-view.js';
import type { RawFile, RawVersion } from '../../lib/core/repo-view.js';

const version = (files: Readonly<Record<string, RawFile>>): RawVersion => ({
  entries: new Map(Object.keys(files).map((path) => [path, { path, mode: '100644' }])),
  load: async (path) => files[path] ?? { kind: 'unavailable', why: 'not asked for' },
});

const text = (content: string): RawFile => ({ kind: 'text', text: content });

test.each([
  ['src/a.ts', 'src/a.ts'],
  ['./src//a.ts', 'src/a.ts'],
  ['/src/a.ts', 'src/a.ts'],
  ['src/../lib/./b.ts', 'lib/b.ts'],
  [' leading space.ts', ' leading space.ts'],
  ['', ''],
  ['.', ''],
  ['src/', 'src'],
  ['..', null],
  ['src/../../etc/passwd', null],
  ['/../etc/passwd', null],
])('%s is read as %s', (asked, path) => expect(normalizePath(asked)).toBe(path));

test.each<[string, readonly string[], boolean]>([
  ['', [], false],
  ['\n', [''], false],
  ['a', ['a'], true],
  ['a\n', ['a'], false],
  ['a\n\n', ['a', ''], false],
  ['a\r\nb\rc\n', ['a\r', 'b\rc'], false],
])('%j has the lines that git counts', (content, lines, noFinalNewline) => {
  expect(splitText(content)).toEqual({ kind: 'text', lines, noFinalNewline });
});

test('lines and the final newline give the text back', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\u2028') }), (content) => {
      const { lines, noFinalNewline } = splitText(content);
      expect(lines.map((line) => `${line}\n`).join('')).toBe(noFinalNewline ? `${content}\n` : content);
    }),
  );
});

test.each<[string, Uint8Array, object]>([
  ['text', Buffer.from('a\n'), { kind: 'text', text: 'a\n' }],
  ['nothing', Buffer.alloc(0), { kind: 'text', text: '' }],
  ['a NUL', Buffer.from('a\0b'), { kind: 'binary', bytes: 3 }],
  ['a NUL far away', Buffer.from(`${'a'.repeat(8000)}\0`), { kind: 'text' }],
  ['bytes that are not UTF-8', Buffer.from([0x61, 0xff, 0x62]), { kind: 'text', text: 'a\ufffdb' }],
  ['a byte order mark', Buffer.from('\ufeffa'), { kind: 'text', text: '\ufeffa' }],
  ['more than a mebibyte', Buffer.alloc((1 << 20) + 1, 97), { kind: 'too_large', bytes: (1 << 20) + 1 }],
  [
    'code behind the first lines of an LFS pointer',
    Buffer.from('version https://git-lfs.github.com/spec/v1\nsize 1\nsteal()\n'),
    { kind: 'text' },
  ],
  [
    'an LFS pointer',
    Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12345\n'),
    {
      kind: 'unavailable',
      why: 'Git LFS pointer: the file itself (12345 bytes) is stored outside the repository',
    },
  ],
])('%s', (_name, bytes, expected) => expect(readBytes(bytes)).toMatchObject(expected));

test.each([
  ['src/refnd.ts', ['src/refund.ts', 'lib/refund.ts']],
  ['refund.ts', ['lib/refund.ts', 'src/refund.ts', 'src/refund.test.ts']],
  ['src/refund.js', ['src/refund.test.ts', 'src/refund.ts', 'lib/refund.ts']],
  ['src/nothing-like-it.ts', []],
])('similar to %s', (path, expected) => {
  const paths = ['src/refund.ts', 'src/refund.test.ts', 'lib/refund.ts', 'README.md'];
  expect(similarPaths(path, paths)).toEqual(expected);
});

describe('the view', () => {
  const key = ['AKIA', 'IOSFODNN7', 'QWERTYU'].join('');
  const head = version({
    'src/a.ts': text(`one\nconst k = "${key}";\nthree\n`),
    'src/deep/b.ts': text('one\n'),
    'secrets/prod.env': text('one\n'),
    link: { kind: 'symlink', target: '../outside' },
    vendor: { kind: 'submodule', commit: 'c'.repeat(40) },
    'logo.png': { kind: 'binary', bytes: 12 },
    'big.sql': { kind: 'too_large', bytes: 9_000_000 },
  });
  const view = createRepoView({ head, base: version({}) }, { neverSend: ['secrets/'] });

  test('secrets are labelled and lines keep their numbers', async () => {
    const read = await view.read('head', 'src/a.ts');
    expect(read).toMatchObject({
      kind: 'text',
      lines: ['one', expect.stringContaining('[secret: '), 'three'],
    });
    expect(JSON.stringify(read)).not.toContain(key);
    await expect(view.search({ pattern: 'AKIA', ref: 'head', limit: 9 })).resolves.toMatchObject({
      total: 0,
    });
  });

  test.each<[string, object]>([
    ['secrets/prod.env', { kind: 'withheld', glob: 'secrets/' }],
    ['link', { kind: 'symlink', target: '../outside' }],
    ['link/x', { kind: 'unavailable', why: expect.stringContaining('not followed') }],
    ['vendor/src/x.c', { kind: 'unavailable', why: expect.stringContaining('submodule at ccccccc') }],
    ['', { kind: 'folder', entries: ['big.sql', 'link', 'logo.png', 'secrets/', 'src/', 'vendor'] }],
    ['src/', { kind: 'folder', entries: ['a.ts', 'deep/'] }],
    ['src/bbb/b.ts', { kind: 'missing', similar: ['src/deep/b.ts', 'src/a.ts'] }],
    ['../a', { kind: 'missing', similar: [] }],
    ['big.sql', { kind: 'too_large', bytes: 9_000_000, limit: 1 << 20 }],
  ])('%j', async (path, expected) => expect(await view.read('head', path)).toEqual(expected));

  test('a search says what it could not read, in its scope only', async () => {
    const whole = await view.search({ pattern: 'one', ref: 'head', limit: 1 });
    expect(whole).toMatchObject({
      kind: 'searched',
      total: 2,
      files: 2,
      matches: [{ path: 'src/a.ts', line: 1 }],
    });
    expect(whole.kind === 'searched' && whole.notSearched.map(({ path }) => path).sort()).toEqual([
      'big.sql',
      'secrets/prod.env',
      'vendor',
    ]);
    const scoped = await view.search({ pattern: 'one', ref: 'head', glob: 'src/**', limit: 1 });
    expect(scoped).toMatchObject({ total: 2, notSearched: [] });
  });

  test.each([
    ['AKIA', 0],
    ['QWERTYU', 0],
    ['"[A-Z0-9]{20}"', 0],
    ['\\[secret: aws access key [0-9a-f]{6}\\]', 1],
    ['secret: aws', 1],
    ['^const k = "\\[', 1],
  ])('a search sees what is shown and nothing else: %s', async (pattern, total) => {
    expect(await view.search({ pattern, ref: 'head', glob: 'src/**', limit: 9 })).toMatchObject({ total });
  });

  test('a version that is known to be incomplete proves no absence', async () => {
    const cut = createRepoView({ head: { ...head, incomplete: 'the tree was cut' }, base: version({}) });
    const result = await cut.search({ pattern: 'nowhere', ref: 'head', glob: 'src/**', limit: 1 });
    expect(result).toMatchObject({ total: 0, notSearched: [{ path: 'src/**', why: 'the tree was cut' }] });
  });

  test('a glob of the operator that cannot be read withholds everything', async () => {
    const strict = createRepoView({ head, base: version({}) }, { neverSend: ['../x'] });
    await expect(strict.read('head', 'src/a.ts')).resolves.toEqual({ kind: 'withheld', glob: '../x' });
  });

  test('a long search lets others run and ends in time', async () => {
    let now = 0;
    let pauses = 0;
    const many = version(
      Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`f${at}`, text('x\n'.repeat(500_000))])),
    );
    const slow = createRepoView(
      { head: many, base: many },
      { clock: () => now, searchMs: 100, pause: async () => void ((pauses += 1), (now += 60)) },
    );
    const result = await slow.search({ pattern: 'y', ref: 'head', limit: 1 });
    expect(pauses).toBe(2);
    expect(result).toMatchObject({ kind: 'searched', files: 10 });
    expect(result.kind === 'searched' && result.notSearched).toHaveLength(2);
  });

  test('a machine that stood still in the middle of a search has not searched for too long', async () => {
    let now = 0;
    let loaded = 0;
    const files = version(Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`f${at}`, text('x\n')])));
    const frozen: RawVersion = {
      ...files,
      load: (path) => {
        if ((loaded += 1) === 6) now += 60_000;
        return files.load(path);
      },
    };
    const view = createRepoView(
      { head: frozen, base: version({}) },
      { clock: () => (now += 1), searchMs: 100 },
    );
    const result = await view.search({ pattern: 'x', ref: 'head', limit: 99 });
    expect(result).toMatchObject({ kind: 'searched', total: 12, notSearched: [], outOfTime: 0 });
  });

  test('content is loaded once: by searches side by side, by reads, and for both versions', async () => {
    const loaded: string[] = [];
    const of = (ids: Readonly<Record<string, string>>): RawVersion => ({
      entries: new Map(Object.entries(ids).map(([path, id]) => [path, { path, mode: '100644', id }])),
      load: async (path) => (loaded.push(path), text(`${ids[path]}\n`)),
    });
    const shared = createRepoView({
      head: of({ 'a.ts': 'one', 'b.ts': 'two' }),
      base: of({ 'a.ts': 'one', 'old.ts': 'two' }),
    });
    const query = { pattern: 'one|two', limit: 9 } as const;
    const found = await Promise.all([
      shared.search({ ...query, ref: 'head' }),
      shared.search({ ...query, ref: 'head' }),
      shared.search({ ...query, ref: 'base' }),
    ]);
    expect(found.map((result) => result.kind === 'searched' && result.total)).toEqual([2, 2, 2]);
    await shared.read('base', 'old.ts');
    expect(loaded.sort()).toEqual(['a.ts', 'b.ts']);
  });

  test('a load that failed is tried again by who asks again', async () => {
    let fails = true;
    const flaky = createRepoView({
      head: {
        ...head,
        load: async () => {
          if (fails) throw new Error('git has ended');
          return text('one\n');
        },
      },
      base: version({}),
    });
    const query = { pattern: 'one', ref: 'head', glob: 'src/**', limit: 9 } as const;
    await expect(flaky.search(query)).rejects.toThrow('git has ended');
    fails = false;
    expect(await flaky.search(query)).toMatchObject({ total: 2 });
  });

  test('when time runs out, what changed and code were searched, and nothing more is loaded', async () => {
    const paths = ['.yarn/a.cjs', 'lib/near.ts', 'lib/z.ts', 'locales/de.json', 'package.json', 'src/far.ts'];
    const of = (changed: string): RawVersion => ({
      entries: new Map(
        paths.map((path) => [path, { path, mode: '100644', id: path === 'lib/z.ts' ? changed : path }]),
      ),
      load: async () => text('x\n'),
    });
    let asked = 0;
    const late = createRepoView(
      { head: of('new'), base: of('old') },
      { clock: () => (asked += 1), searchMs: 5 },
    );
    const result = await late.search({ pattern: 'x', ref: 'head', limit: 9 });
    expect(result).toMatchObject({ total: 2, files: 2, outOfTime: 4 });
    expect(result.kind === 'searched' && result.matches.map(({ path }) => path)).toEqual([
      'lib/near.ts',
      'lib/z.ts',
    ]);
    expect(result.kind === 'searched' && result.notSearched.map(({ path }) => path)).toEqual([
      ...['src/far.ts', 'package.json', '.yarn/a.cjs', 'locales/de.json'],
    ]);
  });
});
