import { changedLines, type FileDiff } from './diff.js';
import { firstUnserved, type Ref, type Served } from './evidence.js';
import type { Policy } from './policy.js';
import { firstGlob } from './search.js';

/** Per changed file: was every changed line served? Only `missing` makes a pass partial. */
export type FileCoverage =
  | { readonly kind: 'seen'; readonly path: string }
  | { readonly kind: 'unreviewable'; readonly path: string; readonly why: string }
  | { readonly kind: 'missing'; readonly path: string; readonly why: string };

export type Coverage = {
  readonly files: readonly FileCoverage[];
  /** Unchanged files of which lines were served. */
  readonly othersRead: number;
  readonly complete: boolean;
};

/**
 * What of a change was shown in a run. Added lines count as shown at head, removed ones at base (under the path of
 * either side of a rename). `changedFiles` is the count the forge gives: files that it counts and does not list are
 * missing.
 */
export function coverageOf(
  diff: readonly FileDiff[],
  served: readonly Served[],
  policy: Policy,
  changedFiles: number = diff.length,
): Coverage {
  const skipped = skipOf(policy);
  const files = diff.map((file) => coverageOfFile(file, served, skipped(file)));
  // A file that became a link, or the other way round, is one here and two entries in a list of GitHub's.
  const listed = diff.length + diff.filter(({ status }) => status === 'type_changed').length;
  const unlisted = changedFiles - listed;
  const all: readonly FileCoverage[] =
    unlisted > 0
      ? [...files, { kind: 'missing', path: `${unlisted} more files`, why: 'not listed by the forge' }]
      : files;
  const changed = new Set(diff.flatMap(({ path, oldPath }) => [path, oldPath]));
  const others = new Set(served.map(({ path }) => path).filter((path) => !changed.has(path)));
  return { files: all, othersRead: others.size, complete: all.every(({ kind }) => kind !== 'missing') };
}

/** How many changed lines were shown: how far a run came. */
export const linesRead = (diff: readonly FileDiff[], served: readonly Served[]): number =>
  diff
    .filter(({ content }) => content.kind === 'text')
    .reduce((sum, file) => {
      const { changed, unread } = countLines(file, served);
      return sum + changed - unread;
    }, 0);

/** How many of the files that can be read were read. */
export function countRead(coverage: Coverage): {
  readonly seen: number;
  readonly of: number;
  readonly unreviewable: number;
} {
  const missing = coverage.files.filter(({ kind }) => kind === 'missing');
  const unlisted = missing.reduce(
    (sum, { path }) => sum + (Number(/^(\d+) more files$/.exec(path)?.[1] ?? 1) - 1),
    0,
  );
  const unreviewable = coverage.files.filter(({ kind }) => kind === 'unreviewable').length;
  const seen = coverage.files.length - missing.length - unreviewable;
  return { seen, of: seen + missing.length + unlisted, unreviewable };
}

/** By what a file is listed and not read as changed code; null: it is read. */
export function skipOf({ review }: Pick<Policy, 'review'>): (file: FileDiff) => string | null {
  const skipped = firstGlob(review.skip);
  return ({ path, generated }) => {
    const glob = review.skip[skipped(path)];
    if (glob !== undefined) return `\`${glob}\``;
    return generated !== undefined && review.generated === 'skip' ? generated : null;
  };
}

function coverageOfFile(file: FileDiff, served: readonly Served[], skip: string | null): FileCoverage {
  const { path } = file;
  const unreviewable = (why: string): FileCoverage => ({ kind: 'unreviewable', path, why });
  if (skip !== null) return unreviewable(`generated (${skip})`);
  switch (file.content.kind) {
    case 'binary':
      return unreviewable('binary');
    case 'submodule':
      return unreviewable('submodule');
    case 'missing':
      return { kind: 'missing', path, why: file.content.detail };
    case 'unchanged':
      return { kind: 'seen', path };
    case 'text':
      break;
  }
  if (file.symlink) return unreviewable('symlink');
  if (isLargeFilePointer(file)) return unreviewable('large file, kept elsewhere (LFS)');
  const { changed, unread } = countLines(file, served);
  return unread === 0
    ? { kind: 'seen', path }
    : { kind: 'missing', path, why: `${unread} of ${changed} changed lines were not read` };
}

function countLines(
  file: FileDiff,
  served: readonly Served[],
): { readonly changed: number; readonly unread: number } {
  const { path, oldPath } = file;
  const { RIGHT, LEFT } = changedLines(file);
  const unread =
    RIGHT.filter((line) => !isServed([path], 'head', line, served)).length +
    LEFT.filter((line) => !isServed([oldPath, path], 'base', line, served)).length;
  return { changed: RIGHT.length + LEFT.length, unread };
}

const isServed = (paths: readonly string[], ref: Ref, line: number, served: readonly Served[]): boolean =>
  paths.some((path) => firstUnserved({ path, ref, start: line, end: line }, served) === null);

/** Nothing but the lines of a pointer, on both sides: code below or above a first line of one is code. */
const isLargeFilePointer = (file: FileDiff): boolean =>
  file.content.kind === 'text' &&
  file.content.hunks.length > 0 &&
  file.content.hunks.every(({ lines }) =>
    lines.every(
      ({ text }, index) =>
        pointerLine.test(text) && (index > 0 || text.startsWith('version https://git-lfs.github.com/spec/')),
    ),
  );

/** https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */
const pointerLine =
  /^(?:version https:\/\/git-lfs\.github\.com\/spec\/v\d+|oid sha256:[0-9a-f]{1,64}|size \d{1,18}|ext-\d-\w+ sha256:[0-9a-f]{1,64})\r?$/;
