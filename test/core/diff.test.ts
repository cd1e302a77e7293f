import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import {
  changedLines,
  checkRange,
  commentable,
  diffFromApiFiles,
  diffHash,
  isIntroduced,
  parseDiff,
  pathBefore,
  undoPatch,
  type ApiFile,
  type FileDiff,
} from '../../lib/core/diff.js';

const diffOf = (...lines: string[]): FileDiff[] => parseDiff(`${lines.join('\n')}\n`);
const titled = (...lines: string[]): FileDiff => diffOf('diff --git a/x b/x', ...lines)[0]!;

describe('a file list without patches', () => {
  const listed = (file: Partial<ApiFile>): FileDiff =>
    diffFromApiFiles([
      { filename: 'x', status: 'modified', additions: 0, deletions: 0, changes: 0, ...file },
    ])[0]!;

  test.each<[string, Partial<ApiFile>, string, string]>([
    [
      'a large new file',
      { filename: 'assets/anim.json', status: 'added', additions: 1, changes: 1 },
      'added',
      'missing',
    ],
    ['a pure rename', { previous_filename: 'README.md', status: 'renamed' }, 'renamed', 'unchanged'],
    [
      'a renamed picture',
      { filename: 'b.png', previous_filename: 'a.png', status: 'renamed' },
      'renamed',
      'unchanged',
    ],
    ['a new mode', { filename: 'bin/run' }, 'modified', 'unchanged'],
    ['a picture', { filename: 'logo.png' }, 'modified', 'binary'],
    ['a large change', { additions: 9000, deletions: 8000, changes: 17000 }, 'modified', 'missing'],
    ['a new empty file', { status: 'added' }, 'added', 'text'],
    ['a removed empty file', { status: 'removed' }, 'deleted', 'text'],
    ['a word that is new to us', { status: 'sideways' }, 'modified', 'unchanged'],
    ['a patch that is null', { patch: null, changes: 3 }, 'modified', 'missing'],
    ['a patch that was cut', { additions: 2, patch: '@@ -1 +1 @@\n-a\n+b' }, 'modified', 'missing'],
    ['a patch that is none', { patch: 'hello' }, 'modified', 'missing'],
    ['a patch with no numbers', { patch: '@@ wrong @@\n-a' }, 'modified', 'missing'],
    ['a whole patch', { additions: 1, deletions: 1, patch: '@@ -1 +1 @@\n-a\n+b' }, 'modified', 'text'],
  ])('%s', (_, file, status, kind) => {
    const { content, ...about } = listed(file);
    expect([about.status, content.kind, about.oldPath]).toEqual([
      status,
      kind,
      file.previous_filename ?? file.filename ?? 'x',
    ]);
  });

  test('the list of op03 has positions on one file and names two that are too large', () => {
    const { input } = JSON.parse(
      readFileSync(new URL('../fixtures/cases/op03-file-list-without-patch.json', import.meta.url), 'utf8'),
    );
    const diff = diffFromApiFiles(input.files);
    expect(diff).toHaveLength(input.changed_files);
    expect(commentable(diff)).toEqual([
      { path: 'src/a.ts', side: 'LEFT', line: 1 },
      { path: 'src/a.ts', side: 'RIGHT', line: 1 },
    ]);
    expect(diff.filter(({ content }) => content.kind === 'missing').map(({ path }) => path)).toEqual([
      'assets/anim.json',
      'yarn.lock',
    ]);
  });

  test('a file whose two entries are a type change is one file', () => {
    const diff = diffFromApiFiles([
      { filename: 'x', status: 'removed', additions: 0, deletions: 1, patch: '@@ -1 +0,0 @@\n-a' },
      {
        filename: 'x',
        status: 'added',
        additions: 1,
        deletions: 0,
        patch: '@@ -0,0 +1 @@\n+b\n\\ No newline at end of file',
      },
    ]);
    expect(diff.map(({ status, additions, deletions }) => [status, additions, deletions])).toEqual([
      ['type_changed', 1, 1],
    ]);
    expect(undoPatch('b', diff[0]!)).toBe('a\n');
  });
});

describe('a damaged diff', () => {
  const good = ['diff --git a/y b/y', '--- a/y', '+++ b/y', '@@ -1 +1 @@', '-a', '+b'];

  test.each<[string, string[]]>([
    ['a hunk that is cut', ['--- a/x', '+++ b/x', '@@ -1,4 +1,4 @@', ' a', '-b']],
    ['a hunk with a foreign row', ['--- a/x', '+++ b/x', '@@ -1,2 +1,2 @@', ' a', '*b']],
    ['more rows than its header says', ['--- a/x', '+++ b/x', '@@ -1 +1 @@', '-a', '+b', '+c']],
    ['a header inside a hunk', ['--- a/x', '+++ b/x', '@@ -1,9 +1,9 @@', ' a']],
  ])('%s: the file is missing and the next one is there', (_, lines) => {
    const diff = diffOf('diff --git a/x b/x', ...lines, ...good);
    expect(diff.map(({ path, content }) => [path, content.kind])).toEqual([
      ['x', 'missing'],
      ['y', 'text'],
    ]);
    expect(commentable(diff).map(({ path }) => path)).toEqual(['y', 'y']);
  });

  test.each<[string, string, RegExp]>([
    ['an unknown escape', 'diff --git "a/\\400" "b/\\400"', /path could not be read/],
    ['an unclosed quote', 'diff --git "a/x b/x"', /path could not be read/],
    ['halves that differ', 'diff --git a/x b/yy', /path could not be read/],
    ['a combined diff', 'diff --cc x', /combined diff/],
    ['converted line endings', 'diff --git a/x b/x\r', /line endings/],
  ])('%s is said', (_, title, detail) => {
    const [file] = diffOf(title, 'index 1..2 100644', '@@ -1 +1 @@', '-a', '+b');
    expect(file?.content).toEqual({
      kind: 'missing',
      why: 'not_parsed',
      detail: expect.stringMatching(detail),
    });
    expect(isIntroduced([file!], file!.path, 'RIGHT', 1, 1)).toBe(false);
  });

  test('any text is read without a throw', () => {
    const piece = fc.constantFrom(
      'diff --git a/x b/x',
      'diff --git "a/\\303\\251" "b/\\303\\251"',
      'diff --cc x',
      '--- a/x',
      '+++ b/x',
      '--- ',
      '+++ ',
      '@@ -1 +1 @@',
      '@@ -1,2 +1,2 @@',
      '@@ -0,0 +1 @@',
      '@@ -9999999999,9999999999 +1 @@',
      '@@',
      '-a',
      '+b',
      ' c',
      '',
      '\\ No newline',
      'rename from x',
      'rename to y',
      'copy from "',
      'new file mode 120000',
      'deleted file mode 100644',
      'index 1..2 160000',
      'Binary files a/x and b/x differ',
      'GIT binary patch',
      '\r',
      '-- ',
      '2.40.1',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ unit: 'binary' })), { maxLength: 30 }), (lines) => {
        const diff = parseDiff(lines.join('\n'));
        expect(diff.length).toBeLessThanOrEqual(lines.length);
        expect(diffHash(diff)).toMatch(/^[0-9a-f]{64}$/);
        const places = commentable(diff).map((place) => JSON.stringify(place));
        for (const file of diff) expect(file.path).not.toBe('');
        expect(diff.flatMap((file) => Object.values(changedLines(file)).flat()).length).toBeLessThanOrEqual(
          places.length,
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe('odd headers', () => {
  test.each<[string, string[], Partial<FileDiff>]>([
    [
      'no prefix',
      ['diff --git dir/x dir/x', 'old mode 100644', 'new mode 100755'],
      { path: 'dir/x', status: 'mode_only' },
    ],
    ['mnemonic prefixes', ['diff --git i/x w/x', 'old mode 100644', 'new mode 100755'], { path: 'x' }],
    [
      'a prefix as a folder',
      ['diff --git a/b/x b/b/x', 'new file mode 100644'],
      { path: 'b/x', status: 'added' },
    ],
    [
      'a tab and a quote',
      ['diff --git "a/t\\tq\\"" "b/t\\tq\\""', 'deleted file mode 100644'],
      { path: 't\tq"', status: 'deleted' },
    ],
    [
      'raw letters in quotes',
      ['diff --git "a/\u{1F600}\\t" "b/\u{1F600}\\t"', 'new file mode 100644'],
      { path: '\u{1F600}\t' },
    ],
    [
      'a quoted rename',
      ['diff --git "a/\\303\\251" b/e', 'similarity index 100%', 'rename from "\\303\\251"', 'rename to e'],
      { path: 'e', oldPath: 'é', status: 'renamed' },
    ],
    [
      'a copy',
      ['diff --git a/x b/y', 'similarity index 100%', 'copy from x', 'copy to y'],
      { path: 'y', oldPath: 'x', status: 'copied' },
    ],
    [
      'two folders',
      [
        'diff --git a/old/x b/new/x',
        'index 1..2 100644',
        '--- a/old/x',
        '+++ b/new/x',
        '@@ -1 +1 @@',
        '-a',
        '+b',
      ],
      { path: 'new/x', oldPath: 'old/x' },
    ],
  ])('%s', (_, lines, wanted) => {
    expect(diffOf(...lines)).toEqual([expect.objectContaining(wanted)]);
  });

  test('a file that became a symlink is one file with both versions', () => {
    const diff = diffOf(
      'diff --git a/x b/x',
      'deleted file mode 100644',
      'index 1111111..0000000',
      '--- a/x',
      '+++ /dev/null',
      '@@ -1,2 +0,0 @@',
      '-a',
      '-b',
      'diff --git a/x b/x',
      'new file mode 120000',
      'index 0000000..2222222',
      '--- /dev/null',
      '+++ b/x',
      '@@ -0,0 +1 @@',
      '+target',
      '\\ No newline at end of file',
    );
    expect(diff).toMatchObject([
      { status: 'type_changed', oldMode: '100644', newMode: '120000', symlink: true },
    ]);
    expect(commentable(diff).map(({ side, line }) => [side, line])).toEqual([
      ['LEFT', 1],
      ['LEFT', 2],
      ['RIGHT', 1],
    ]);
    expect(undoPatch('target', diff[0]!)).toBe('a\nb\n');
    expect(pathBefore(diff, 'x')).toBe('x');
  });

  test('a file that became a submodule keeps its removed lines', () => {
    const diff = diffOf(
      'diff --git a/x b/x',
      'deleted file mode 100644',
      '--- a/x',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-a',
      'diff --git a/x b/x',
      'new file mode 160000',
      '--- /dev/null',
      '+++ b/x',
      '@@ -0,0 +1 @@',
      `+Subproject commit ${'1'.repeat(40)}`,
    );
    expect(commentable(diff)).toEqual([{ path: 'x', side: 'LEFT', line: 1 }]);
  });

  test('the signature of a mailed patch is not a row', () => {
    const file = titled('--- a/x', '+++ b/x', '@@ -1 +1 @@', '-a', '+b', '-- ', '2.40.1', '');
    expect(changedLines(file)).toEqual({ RIGHT: [1], LEFT: [1] });
  });
});

describe('a range', () => {
  const diff = diffOf(
    'diff --git a/x b/x',
    '--- a/x',
    '+++ b/x',
    '@@ -1,3 +1,3 @@',
    ' a',
    '-b',
    '+B',
    ' c',
    '@@ -20,2 +20,3 @@',
    ' t',
    '+u',
    ' v',
  );
  const range = (
    startLine: number,
    line: number,
    startSide?: 'LEFT' | 'RIGHT',
    side: 'LEFT' | 'RIGHT' = 'RIGHT',
  ) => checkRange(diff, { path: 'x', side, line, startLine, startSide });

  test.each<[string, ReturnType<typeof range>, object]>([
    ['in one hunk', range(1, 3), { kind: 'valid', range: { startLine: 1, startSide: 'RIGHT', line: 3 } }],
    [
      'from a removed line',
      range(2, 3, 'LEFT'),
      { kind: 'valid', range: { startLine: 2, startSide: 'LEFT' } },
    ],
    ['over two hunks', range(2, 21), { kind: 'clamped', range: { startLine: 20, line: 21 } }],
    ['from before the hunk', range(12, 21), { kind: 'clamped', range: { startLine: 20, line: 21 } }],
    [
      'to the first line of the next hunk',
      range(2, 20),
      { kind: 'clamped', range: { path: 'x', side: 'RIGHT', line: 20 } },
    ],
    ['on one line', range(2, 2), { kind: 'clamped', range: { path: 'x', side: 'RIGHT', line: 2 } }],
    ['backwards', range(3, 1), { kind: 'refused' }],
    ['backwards over the sides', range(2, 2, 'RIGHT', 'LEFT'), { kind: 'refused' }],
    ['to a line between the hunks', range(2, 10), { kind: 'refused' }],
  ])('%s', (_, checked, wanted) => {
    expect(checked).toMatchObject(wanted);
    if (checked.kind === 'clamped' && checked.range.startLine === undefined)
      expect(checked.range).toEqual((wanted as { range: object }).range);
  });

  test('of a file that is not part of the change is refused', () => {
    expect(checkRange(diff, { path: 'y', side: 'RIGHT', line: 1 }).kind).toBe('refused');
  });
});

describe('undoing a patch', () => {
  test.each<[string, FileDiff, string | null, string | null]>([
    [
      'a new file',
      titled('new file mode 100644', '--- /dev/null', '+++ b/x', '@@ -0,0 +1 @@', '+a'),
      'a\n',
      null,
    ],
    ['a new empty file', titled('new file mode 100644', 'index 0000000..e69de29'), '', null],
    [
      'a deleted file',
      titled(
        'deleted file mode 100644',
        '--- a/x',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-a',
        '\\ No newline at end of file',
      ),
      null,
      'a',
    ],
    ['a deleted empty file', titled('deleted file mode 100644', 'index e69de29..0000000'), null, ''],
    ['a mode', titled('old mode 100644', 'new mode 100755'), 'a\r\n', 'a\r\n'],
    [
      'a lost final newline',
      titled('--- a/x', '+++ b/x', '@@ -1 +1 @@', '-a', '+a', '\\ No newline at end of file'),
      'a',
      'a\n',
    ],
    [
      'a deletion without context',
      titled('--- a/x', '+++ b/x', '@@ -2 +1,0 @@', '-b'),
      'a\nc\n',
      'a\nb\nc\n',
    ],
  ])('%s', (_, file, head, base) => {
    expect(undoPatch(head, file)).toBe(base);
  });

  test.each<[string, FileDiff, string | null]>([
    ['another text', titled('--- a/x', '+++ b/x', '@@ -1 +1 @@', '-a', '+b'), 'c\n'],
    ['another final newline', titled('--- a/x', '+++ b/x', '@@ -1 +1 @@', '-a', '+b'), 'b'],
    ['a shorter text', titled('--- a/x', '+++ b/x', '@@ -9 +9 @@', '-a', '+b'), 'b\n'],
    ['no text', titled('--- a/x', '+++ b/x', '@@ -1 +1 @@', '-a', '+b'), null],
    ['a binary', titled('index 1..2 100644', 'Binary files a/x and b/x differ'), ''],
    [
      'a submodule',
      titled(
        'index 1..2 160000',
        '--- a/x',
        '+++ b/x',
        '@@ -1 +1 @@',
        `-Subproject commit ${'1'.repeat(40)}`,
        `+Subproject commit ${'2'.repeat(40)}`,
      ),
      '',
    ],
  ])('%s is refused', (_, file, head) => {
    expect(() => undoPatch(head, file)).toThrow(/x/);
  });
});

describe('the hash of a change', () => {
  const file = ['--- a/x', '+++ b/x', '@@ -1 +1 @@', '-a', '+b'];
  const hash = (...lines: string[]) => diffHash([titled(...lines)]);

  test('is the same for the same change', () => {
    expect(hash('index 1111111..2222222 100644', ...file)).toBe(
      hash('index 3333333..4444444 100644', ...file),
    );
  });
  test.each<[string, string[]]>([
    ['a row', ['index 1..2 100644', '--- a/x', '+++ b/x', '@@ -1 +1 @@', '-a', '+c']],
    ['a place', ['index 1..2 100644', '--- a/x', '+++ b/x', '@@ -2 +2 @@', '-a', '+b']],
    ['a mode', ['old mode 100644', 'new mode 100755', 'index 1..2', ...file]],
    ['a final newline', ['index 1..2 100644', ...file, '\\ No newline at end of file']],
  ])('changes with %s', (_, lines) => {
    expect(hash(...lines)).not.toBe(hash('index 1..2 100644', ...file));
  });
  test('changes with the bytes of a binary', () => {
    const binary = (blob: string) => hash(`index 1111111..${blob} 100644`, 'Binary files a/x and b/x differ');
    expect(binary('2222222')).not.toBe(binary('3333333'));
    expect(binary('2222222')).toBe(binary('2222222'));
  });
});

describe('against git', () => {
  let folder: string;
  const git = (...args: string[]): Buffer =>
    execFileSync('git', ['-c', 'core.hooksPath=/dev/null', '-c', 'core.autocrlf=false', ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1 << 26,
    });
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'evident-diff-'));
    git('init', '-q', '-b', 'main');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The tree of some files; paths of one run are apart from those of others. */
  function treeOf(files: ReadonlyMap<string, string>): string {
    rmSync(join(folder, 'tree'), { recursive: true, force: true });
    git('read-tree', '--empty');
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, 'tree', path)), { recursive: true });
      writeFileSync(join(folder, 'tree', path), text);
    }
    if (files.size > 0) git('add', '-f', '-A', 'tree');
    return git('write-tree').toString().trim();
  }

  const line = fc.constantFrom(
    'a',
    'b',
    '',
    ' ',
    '\t',
    '-- c',
    '++ d',
    '@@ -1,2 +1,2 @@',
    'diff --git a/x b/x',
    '\\ No newline at end of file',
    'e\r',
    'f\rg',
    '\r',
    '--- a/x',
    '+++ b/x',
    '\u2028',
    '\f',
    'é',
    '\u{1F600}',
    '\uFEFF',
  );
  const text = fc
    .tuple(fc.array(line, { maxLength: 14 }), fc.boolean())
    .map(([lines, end]) => (lines.length === 0 ? '' : lines.join('\n') + (end ? '\n' : '')));
  const path: fc.Arbitrary<string> = fc.constantFrom(
    'x',
    'a b',
    'é',
    'q"\\',
    'd/x b/x',
    't\tb',
    ' lead',
    'b/b',
    'z\u{1F600}',
  );
  const files = fc
    .uniqueArray(fc.tuple(path, text), { maxLength: 4, selector: ([name]) => name })
    .map((list) => new Map(list));

  test('every row stands where git says, and undoing the patch gives the base', () => {
    fc.assert(
      fc.property(files, files, (before, after) => {
        const base = treeOf(before);
        const head = treeOf(after);
        const raw = git('diff', '--text', '-M', '--no-color', base, head);
        const diff = parseDiff(raw);
        const strip = (name: string) => name.replace(/^tree\//, '');
        const touched = new Set(
          [...before.keys(), ...after.keys()].filter((name) => before.get(name) !== after.get(name)),
        );
        const named = new Set<string>();
        for (const file of diff) {
          const old = file.status === 'added' ? undefined : before.get(strip(file.oldPath));
          const now = file.status === 'deleted' ? undefined : after.get(strip(file.path));
          if (old !== undefined) named.add(strip(file.oldPath));
          if (now !== undefined) named.add(strip(file.path));
          expect(file.content.kind).not.toBe('missing');
          expect(undoPatch(now ?? null, file)).toBe(old ?? null);
          const lines = { LEFT: (old ?? '').split('\n'), RIGHT: (now ?? '').split('\n') };
          for (const hunk of file.content.kind === 'text' ? file.content.hunks : [])
            for (const row of hunk.lines) {
              if (row.kind !== 'added') expect(lines.LEFT[row.old - 1]).toBe(row.text);
              if (row.kind !== 'removed') expect(lines.RIGHT[row.new - 1]).toBe(row.text);
            }
          const { RIGHT, LEFT } = changedLines(file);
          expect([RIGHT.length, LEFT.length]).toEqual([file.additions, file.deletions]);
          const api = diffFromApiFiles([apiFileOf(file, raw)]);
          if (file.content.kind === 'text') expect(commentable(api)).toEqual(commentable([file]));
        }
        expect(named).toEqual(touched);
      }),
      { numRuns: 60 },
    );
  });

  /** What the file list would say of it: the patch starts at the first hunk and has no final newline. */
  function apiFileOf(file: FileDiff, raw: Buffer): ApiFile {
    const at = parseDiff(raw).findIndex(({ path, status }) => path === file.path && status === file.status);
    const section = raw.toString('utf8').split(/^(?=diff --git (?:"?a\/tree))/m)[at] ?? '';
    const hunk = section.search(/^@@ /m);
    const status =
      file.status === 'deleted' ? 'removed' : file.status === 'mode_only' ? 'modified' : file.status;
    return {
      filename: file.path,
      previous_filename: file.oldPath,
      status,
      additions: file.additions,
      deletions: file.deletions,
      ...(hunk !== -1 && { patch: section.slice(hunk).replace(/\n$/, '') }),
    };
  }
});
