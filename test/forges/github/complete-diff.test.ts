import { diffFromApiFiles } from '../../../lib/core/diff.js';
import type { ApiFile } from '../../../lib/core/diff.js';
import type { RawFile } from '../../../lib/core/repo-view.js';
import { completeDiff, unlistedPaths } from '../../../lib/forges/github/complete-diff.js';
import type { Versions } from '../../../lib/forges/github/complete-diff.js';
import type { GitEntry, GitTree } from '../../../lib/forges/github/reader.js';
import withoutPatch from '../../fixtures/github/file-list-without-patch.json' with { type: 'json' };

type Stands = { readonly mode?: string; readonly id: string; readonly file?: RawFile };

const text = (content: string): RawFile => ({ kind: 'text', text: content });
const binary: RawFile = { kind: 'binary', bytes: 9 };

function versions(base: Readonly<Record<string, Stands>>, head: Readonly<Record<string, Stands>>): Versions {
  const treeOf = (files: Readonly<Record<string, Stands>>): GitTree => ({
    truncated: false,
    entries: new Map(
      Object.entries(files).map(([path, { mode = '100644', id }]): [string, GitEntry] => [
        path,
        { path, mode, id, size: 1 },
      ]),
    ),
  });
  return {
    trees: { base: treeOf(base), head: treeOf(head) },
    raw: (ref, path) => (ref === 'head' ? head : base)[path]?.file,
  };
}

const listed = (file: Partial<ApiFile>) =>
  diffFromApiFiles([{ filename: 'x', status: 'modified', additions: 0, deletions: 0, changes: 0, ...file }]);

test.each<[string, Partial<ApiFile>, Stands | null, Stands | null, object]>([
  [
    'a text that an attribute hides from diffs',
    {},
    { id: '1', file: text('a\n') },
    { id: '2', file: text('b\n') },
    { content: { kind: 'missing', detail: 'its content changed and GitHub shows no rows of it' } },
  ],
  [
    'a text with the name of a binary format',
    { filename: 'x.dat' },
    { id: '1', file: text('a\n') },
    { id: '2', file: text('b\n') },
    { content: { kind: 'missing' } },
  ],
  [
    'a new text without rows',
    { status: 'added' },
    null,
    { id: '2', file: text('evil()\n') },
    { content: { kind: 'missing' } },
  ],
  [
    'a binary file',
    {},
    { id: '1', file: binary },
    { id: '2', file: binary },
    { content: { kind: 'binary' } },
  ],
  [
    'a text that became binary',
    {},
    { id: '1', file: text('a') },
    { id: '2', file: binary },
    { content: { kind: 'binary' } },
  ],
  [
    'a mode alone',
    {},
    { id: '1' },
    { id: '1', mode: '100755' },
    { status: 'mode_only', content: { kind: 'unchanged' } },
  ],
  [
    'an empty file',
    { status: 'added' },
    null,
    { id: '2', file: text('') },
    { content: { kind: 'text', hunks: [] } },
  ],
  [
    'an empty file that went',
    { status: 'removed' },
    { id: '2', file: text('') },
    null,
    { status: 'deleted', content: { kind: 'text', hunks: [] } },
  ],
  [
    'a file of unknown content with a binary name',
    { filename: 'x.png' },
    { id: '1', file: { kind: 'too_large', bytes: 2e6 } },
    { id: '2', file: { kind: 'too_large', bytes: 2e6 } },
    { content: { kind: 'binary' } },
  ],
  [
    'a file of unknown content',
    {},
    { id: '1', file: { kind: 'too_large', bytes: 2e6 } },
    { id: '2', file: { kind: 'too_large', bytes: 2e6 } },
    { content: { kind: 'missing' } },
  ],
  [
    'a submodule that moved',
    {
      patch: '@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2',
      additions: 1,
      deletions: 1,
      changes: 2,
    },
    { id: '1', mode: '160000' },
    { id: '2', mode: '160000' },
    { content: { kind: 'submodule', from: '1', to: '2' } },
  ],
  [
    'a link',
    {
      patch: '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file',
      additions: 1,
      deletions: 1,
      changes: 2,
    },
    { id: '1', mode: '120000' },
    { id: '2', mode: '120000' },
    { symlink: true, content: { kind: 'text' } },
  ],
])('%s', (_name, file, before, after, expected) => {
  const path = file.filename ?? 'x';
  const made = versions(before ? { [path]: before } : {}, after ? { [path]: after } : {});
  expect(completeDiff(listed(file), made)).toMatchObject([expected]);
});

test('a list without patches: what the trees say decides', () => {
  const at = (id: string, file?: RawFile, mode?: string): Stands => ({
    id,
    ...(file && { file }),
    ...(mode !== undefined && { mode }),
  });
  const made = versions(
    {
      'README.md': at('1', text('same')),
      'bin/run': at('2', text('run')),
      'logo.png': at('3', binary),
      'yarn.lock': at('4', text('old')),
      'src/a.ts': at('5', text('a\n')),
    },
    {
      'assets/anim.json': at('6', text('{}')),
      'docs/TS.md': at('1', text('same')),
      'bin/run': at('2', text('run'), '100755'),
      'logo.png': at('7', binary),
      'yarn.lock': at('8', text('new')),
      'src/a.ts': at('9', text('b\n')),
    },
  );
  const diff = completeDiff(diffFromApiFiles(withoutPatch.input.files), made);
  expect(Object.fromEntries(diff.map((file) => [file.path, file.content.kind]))).toEqual({
    'assets/anim.json': 'missing',
    'docs/TS.md': 'unchanged',
    'bin/run': 'unchanged',
    'logo.png': 'binary',
    'yarn.lock': 'missing',
    'src/a.ts': 'text',
  });
});

test('changed paths that are not listed are known from the trees', () => {
  const { trees } = versions(
    { same: { id: '1' }, gone: { id: '2' }, x: { id: '3' }, mode: { id: '4' } },
    { same: { id: '1' }, fresh: { id: '5' }, x: { id: '6' }, mode: { id: '4', mode: '100755' } },
  );
  expect(unlistedPaths(listed({}), trees)).toEqual(['fresh', 'gone', 'mode']);
});
