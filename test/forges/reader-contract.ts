import type { FileRead, RepoReader } from '../../lib/ports/forge.js';

/** What stands at a path of a version; the shape that the local GitHub writes into a commit. */
export type ContractFile =
  | string
  | Uint8Array
  | { readonly symlink: string }
  | { readonly submodule: string }
  | { readonly mode: '100644' | '100755'; readonly content: string | Uint8Array };

export type ContractRepository = {
  readonly base: Readonly<Record<string, ContractFile>>;
  readonly head: Readonly<Record<string, ContractFile>>;
  readonly neverSend: readonly string[];
};

export type OpenedContract = {
  readonly reader: RepoReader;
  /** Requests that left the process so far. */
  readonly requests: () => number;
  readonly close: () => Promise<void>;
};

const key = ['AKIA', 'IOSFODNN7', 'QWERTYU'].join('');
const submodule = '5a0ff1fe2fa1d3c6b4d8e2f6a7b8c9d0e1f2a3b4';
const numbered = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('');

const shared = {
  '.gitattributes': 'guards export-ignore\nstamp.txt export-subst\n*.bat text eol=crlf\n',
  'guards/limit.ts': 'export const guard = (n: number) => n > 0;\n',
  'stamp.txt': 'built from $Format:%H$\n',
  'run.bat': 'echo one\necho two\n',
  'src/crlf.txt': 'one\r\ntwo\r\nthree\r\n',
  'src/lone-cr.txt': 'one\rstill one\r\r\ntwo\n',
  'src/empty.ts': '',
  'src/no-newline.ts': 'first\nlast',
  'src/naïve café.ts': 'unicode name\n',
  'src/latin1.txt': Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]),
  'src/deep/er/file.ts': 'const deep = true;\n',
  'bin/run': { mode: '100755', content: '#!/bin/sh\necho run\n' },
  link: { symlink: 'src/deep/er/file.ts' },
  'outside-link': { symlink: '../../etc/passwd' },
  'vendor/lib': { submodule },
  'logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]),
  'data/large.txt': 'x'.repeat((1 << 20) + 1),
  'data/pointer.psd': 'version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 777\n',
  'secrets/prod.env': 'NAME=value\n',
  'config.ts': `const a = 1;\nconst id = "${key}";\nconst b = 2;\n`,
  'long.js': `${'x'.repeat(5000)}needle${'y'.repeat(5000)}\n`,
} satisfies Record<string, ContractFile>;

export const contractRepository: ContractRepository = {
  base: {
    ...shared,
    'src/modified.ts': numbered(40),
    'src/modified-no-newline.ts': 'one\ntwo',
    'src/old-name.ts': `${numbered(30)}old end\n`,
    'src/deleted.ts': 'gone at head\nalso gone\n',
    'src/crlf-modified.txt': 'a\r\nb\r\nc\r\n',
    'guards/changed.ts': 'export const hidden = 1;\n',
    'changed.bin': Buffer.from([0, 1, 2]),
  },
  head: {
    ...shared,
    'src/modified.ts': numbered(40).replace('line 20\n', 'line twenty\nand more\n'),
    'src/modified-no-newline.ts': 'one\ntwo\nthree\n',
    'src/new-name.ts': `${numbered(30)}new end\n`,
    'src/added.ts': 'new at head\n',
    'src/crlf-modified.txt': 'a\r\nB\r\nc\r\n',
    'guards/changed.ts': 'export const hidden = 2;\n',
    'changed.bin': Buffer.from([0, 1, 2, 3, 4]),
  },
  neverSend: ['secrets/**'],
};

const text = (content: string): FileRead => ({
  kind: 'text',
  lines: content.replace(/\n$/, '').split('\n'),
  noFinalNewline: !content.endsWith('\n'),
});

/**
 * What every `RepoReader` must answer over the same repository. `open` is called once; nothing that a test reads
 * afterwards may send a request.
 */
export function describeReaderContract(
  name: string,
  open: (repository: ContractRepository) => Promise<OpenedContract>,
): void {
  describe(`${name} as a RepoReader`, () => {
    let opened: OpenedContract;
    let requestsAtStart = 0;
    beforeAll(async () => {
      opened = await open(contractRepository);
      requestsAtStart = opened.requests();
    });
    afterAll(async () => {
      await opened?.close();
    });

    test.each<[string, 'head' | 'base', string, FileRead]>([
      ['text', 'head', 'src/deep/er/file.ts', text('const deep = true;\n')],
      ['an executable', 'head', 'bin/run', text('#!/bin/sh\necho run\n')],
      ['CRLF kept as content', 'head', 'src/crlf.txt', text('one\r\ntwo\r\nthree\r\n')],
      ['lone CR inside a line', 'head', 'src/lone-cr.txt', text('one\rstill one\r\r\ntwo\n')],
      ['an empty file', 'head', 'src/empty.ts', { kind: 'text', lines: [], noFinalNewline: false }],
      ['no newline at the end', 'head', 'src/no-newline.ts', text('first\nlast')],
      ['a name in Unicode', 'head', 'src/naïve café.ts', text('unicode name\n')],
      ['bytes that are not UTF-8', 'head', 'src/latin1.txt', text('caf\ufffd\n')],
      ['a symlink is not followed', 'head', 'link', { kind: 'symlink', target: 'src/deep/er/file.ts' }],
      ['a symlink that leaves', 'head', 'outside-link', { kind: 'symlink', target: '../../etc/passwd' }],
      ['a submodule', 'head', 'vendor/lib', { kind: 'submodule', commit: submodule }],
      ['a binary file', 'head', 'logo.png', { kind: 'binary', bytes: 8 }],
      ['a large file', 'head', 'data/large.txt', { kind: 'too_large', bytes: (1 << 20) + 1, limit: 1 << 20 }],
      ['what the operator withholds', 'head', 'secrets/prod.env', { kind: 'withheld', glob: 'secrets/**' }],
      ['a path with a dot', 'head', './src//empty.ts', { kind: 'text', lines: [], noFinalNewline: false }],
      ['a path that leaves', 'head', '../../etc/passwd', { kind: 'missing', similar: [] }],
      ['a folder', 'head', 'src/deep', { kind: 'folder', entries: ['er/'] }],
      [
        'left out of archives',
        'head',
        'guards/limit.ts',
        text('export const guard = (n: number) => n > 0;\n'),
      ],
      ['rewritten in archives', 'head', 'stamp.txt', text('built from $Format:%H$\n')],
      ['line endings rewritten in archives', 'head', 'run.bat', text('echo one\necho two\n')],
      [
        'modified, at head',
        'head',
        'src/modified.ts',
        text(numbered(40).replace('line 20\n', 'line twenty\nand more\n')),
      ],
      ['modified, at base', 'base', 'src/modified.ts', text(numbered(40))],
      ['a newline added, at base', 'base', 'src/modified-no-newline.ts', text('one\ntwo')],
      ['CRLF modified, at base', 'base', 'src/crlf-modified.txt', text('a\r\nb\r\nc\r\n')],
      ['renamed, at head', 'head', 'src/new-name.ts', text(`${numbered(30)}new end\n`)],
      ['renamed, at base', 'base', 'src/old-name.ts', text(`${numbered(30)}old end\n`)],
      ['deleted, at base', 'base', 'src/deleted.ts', text('gone at head\nalso gone\n')],
      ['unchanged, at base', 'base', 'src/deep/er/file.ts', text('const deep = true;\n')],
      [
        'changed and left out of archives, at head',
        'head',
        'guards/changed.ts',
        text('export const hidden = 2;\n'),
      ],
      [
        'changed and left out of archives, at base',
        'base',
        'guards/changed.ts',
        text('export const hidden = 1;\n'),
      ],
      ['a changed binary file, at base', 'base', 'changed.bin', { kind: 'binary', bytes: 3 }],
    ])('reads %s', async (_name, ref, path, expected) => {
      expect(await opened.reader.read(ref, path)).toEqual(expected);
    });

    test.each<['head' | 'base', string]>([
      ['head', 'src/deleted.ts'],
      ['head', 'src/old-name.ts'],
      ['base', 'src/added.ts'],
      ['base', 'src/new-name.ts'],
    ])('at %s there is no %s', async (ref, path) => {
      expect((await opened.reader.read(ref, path)).kind).toBe('missing');
    });

    test('a missing path names the likely one', async () => {
      expect(await opened.reader.read('head', 'lib/modified.ts')).toMatchObject({
        kind: 'missing',
        similar: expect.arrayContaining(['src/modified.ts']),
      });
    });

    test('a Git LFS pointer says that the file is elsewhere', async () => {
      expect(await opened.reader.read('head', 'data/pointer.psd')).toMatchObject({
        kind: 'unavailable',
        why: expect.stringContaining('Git LFS pointer'),
      });
    });

    test('secrets are labelled and lines keep their numbers, at both versions', async () => {
      for (const ref of ['head', 'base'] as const) {
        const file = await opened.reader.read(ref, 'config.ts');
        expect(file).toMatchObject({
          kind: 'text',
          lines: ['const a = 1;', expect.stringMatching(/^const id = "\[secret: .*\]";$/), 'const b = 2;'],
        });
        expect(JSON.stringify(file)).not.toContain(key);
        expect(await opened.reader.search({ ref, pattern: key, limit: 1 })).toMatchObject({ total: 0 });
      }
    });

    test('lists every file with its mode, and no folder', async () => {
      const entries = await opened.reader.list('head');
      expect(entries.map((entry) => entry.path)).toEqual(Object.keys(contractRepository.head).sort());
      const modes = new Map(entries.map((entry) => [entry.path, entry.mode]));
      expect(modes.get('link')).toBe('120000');
      expect(modes.get('vendor/lib')).toBe('160000');
      expect(modes.get('bin/run')).toBe('100755');
      expect(modes.get('src/added.ts')).toBe('100644');
      const base = await opened.reader.list('base');
      expect(base.map((entry) => entry.path)).toEqual(Object.keys(contractRepository.base).sort());
    });

    test('the top folder lists files and folders', async () => {
      const top = await opened.reader.read('head', '');
      expect(top).toMatchObject({ kind: 'folder' });
      expect(top.kind === 'folder' && top.entries).toEqual(
        expect.arrayContaining(['bin/', 'guards/', 'link', 'src/', 'vendor/', 'config.ts']),
      );
    });

    test.each<[string, 'head' | 'base', string, string | undefined, number, readonly string[]]>([
      ['text', 'head', 'const guard', undefined, 1, ['guards/limit.ts:1']],
      ['a pattern in a scope', 'head', '^line (20|twenty)$', 'src/modified.ts', 1, ['src/modified.ts:20']],
      ['the base', 'base', '^line (20|twenty)$', 'src/modified.ts', 1, ['src/modified.ts:20']],
      ['a changed file left out of archives', 'base', 'hidden = 1', 'guards', 1, ['guards/changed.ts:1']],
      ['what only the head has', 'base', 'new at head', undefined, 0, []],
      ['what only the base has', 'head', 'gone at head', undefined, 0, []],
      ['a file in CRLF', 'head', 'three$', 'src/crlf.txt', 1, ['src/crlf.txt:3']],
      ['one kind of file', 'head', '(?i)NEEDLE', '*.js', 1, ['long.js:1']],
    ])('searches %s', async (_name, ref, pattern, glob, total, places) => {
      const result = await opened.reader.search({
        ref,
        pattern,
        limit: 20,
        ...(glob === undefined ? {} : { glob }),
      });
      expect(result).toMatchObject({ kind: 'searched', total });
      expect(
        result.kind === 'searched' && result.matches.map((match) => `${match.path}:${match.line}`),
      ).toEqual(places);
    });

    test('counts all matches and lists as many as asked', async () => {
      const result = await opened.reader.search({ ref: 'head', pattern: '^line', glob: 'src/**', limit: 3 });
      expect(result).toMatchObject({ kind: 'searched', total: 70 });
      expect(result.kind === 'searched' && result.matches).toHaveLength(3);
    });

    test('says what a search could not read, in its scope only', async () => {
      const whole = await opened.reader.search({ ref: 'head', pattern: 'nowhere', limit: 1 });
      const paths = whole.kind === 'searched' ? whole.notSearched.map((file) => file.path).sort() : [];
      expect(paths).toEqual(['data/large.txt', 'data/pointer.psd', 'secrets/prod.env', 'vendor/lib']);
      const scoped = await opened.reader.search({
        ref: 'head',
        pattern: 'nowhere',
        glob: 'src/**',
        limit: 1,
      });
      expect(scoped).toMatchObject({ total: 0, notSearched: [] });
    });

    test.each([
      [{ pattern: '(?<=a)b' }, 'bad_pattern'],
      [{ pattern: 'a', glob: '../**' }, 'bad_glob'],
    ])('answers %j with what is wrong', async (query, kind) => {
      expect((await opened.reader.search({ ref: 'head', limit: 1, ...query })).kind).toBe(kind);
    });

    // Runs last: everything above has read by now.
    test('no read sent a request', () => {
      expect(opened.requests() - requestsAtStart).toBe(0);
    });
  });
}
