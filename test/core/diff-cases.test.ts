import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { resolveAnchor } from '../../lib/core/anchor.js';
import {
  changedLines,
  checkRange,
  commentable,
  diffFromApiFiles,
  isCommentable,
  isIntroduced,
  parseDiff,
  type ApiFile,
  type FileDiff,
  type Side,
} from '../../lib/core/diff.js';

type Place = readonly [string, Side, number];
type Case = {
  id: string;
  commentable: Place[];
  not_commentable: Place[];
  files: {
    path: string;
    old_path: string;
    status: string;
    old_mode: string;
    new_mode: string;
    binary: boolean;
    submodule: boolean;
    symlink: boolean;
    additions: number;
    deletions: number;
    hunks: number[][];
    added: [number, number][];
    deleted: [number, number][];
    context_left: [number, number][];
  }[];
  range_checks: {
    path: string;
    start_side: Side;
    start_line: number;
    side: Side;
    line: number;
    valid: boolean;
  }[];
  anchors_by_text: { path: string; side: Side; line: number; text: string }[];
  api_files: ApiFile[];
};

const folder = fileURLToPath(new URL('../fixtures/cases/', import.meta.url));
const cases = readdirSync(folder)
  .filter((name) => /^o\d\d-.*\.diff$/.test(name) && !name.includes('.two-dot.'))
  .map((name) => {
    const wanted = JSON.parse(readFileSync(folder + name.replace('.diff', '.json'), 'utf8')) as Case;
    return { id: wanted.id, wanted, bytes: readFileSync(folder + name) };
  });

const places = (diff: readonly FileDiff[]): Place[] =>
  commentable(diff).map(({ path, side, line }) => [path, side, line]);
const numbers = (ranges: [number, number][]): number[] =>
  ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, offset) => first + offset));

test('all twenty diffs are here', () => {
  expect(cases).toHaveLength(20);
});

describe.each(cases)('$id', ({ wanted, bytes }) => {
  const diff = parseDiff(bytes);
  const listed = diffFromApiFiles(wanted.api_files);

  test('takes comments where git has rows, from the raw diff and from the file list', () => {
    expect(places(diff)).toEqual(wanted.commentable);
    expect(places(listed)).toEqual(wanted.commentable);
    expect(places(parseDiff(bytes.toString('utf8')))).toEqual(wanted.commentable);
  });

  test('refuses every other place', () => {
    for (const [path, side, line] of wanted.commentable)
      expect(isCommentable(diff, { path, side, line })).toBe(true);
    for (const [path, side, line] of wanted.not_commentable)
      expect([path, side, line, isCommentable(diff, { path, side, line })]).toEqual([
        path,
        side,
        line,
        false,
      ]);
  });

  test('knows each file as git does', () => {
    expect(
      diff.map((file) => ({
        path: file.path,
        old_path: file.oldPath,
        status: file.status,
        old_mode: file.oldMode ?? '000000',
        new_mode: file.newMode ?? '000000',
        binary: file.content.kind === 'binary',
        submodule: file.content.kind === 'submodule',
        symlink: file.symlink,
        additions: file.additions,
        deletions: file.deletions,
      })),
    ).toEqual(
      wanted.files.map(
        ({
          path,
          old_path,
          status,
          old_mode,
          new_mode,
          binary,
          submodule,
          symlink,
          additions,
          deletions,
        }) => ({
          path,
          old_path,
          status,
          // git names no mode for a pure rename.
          ...(diff.find((file) => file.path === path)?.newMode === undefined && status === 'renamed'
            ? { old_mode: '000000', new_mode: '000000' }
            : { old_mode, new_mode }),
          binary,
          submodule,
          symlink,
          additions,
          deletions,
        }),
      ),
    );
    for (const file of wanted.files.filter(({ submodule }) => !submodule)) {
      const parsed = diff.find(({ path }) => path === file.path)!;
      const hunks = parsed.content.kind === 'text' ? parsed.content.hunks : [];
      expect(hunks.map((hunk) => [hunk.oldStart, hunk.oldCount, hunk.newStart, hunk.newCount])).toEqual(
        file.hunks,
      );
      expect(changedLines(parsed)).toEqual({ RIGHT: numbers(file.added), LEFT: numbers(file.deleted) });
      for (const line of numbers(file.added))
        expect(isIntroduced(diff, file.path, 'RIGHT', line, line)).toBe(true);
      for (const line of numbers(file.context_left))
        expect(isIntroduced(diff, file.path, 'LEFT', line, line)).toBe(false);
    }
  });

  test('takes the ranges that GitHub takes', () => {
    expect(
      wanted.range_checks.map(
        ({ path, side, line, start_side, start_line }) =>
          checkRange(diff, { path, side, line, startSide: start_side, startLine: start_line }).kind ===
          'valid',
      ),
    ).toEqual(wanted.range_checks.map(({ valid }) => valid));
  });

  test('finds quoted code, whatever number stands with it', () => {
    for (const { path, side, line, text } of wanted.anchors_by_text)
      for (const stated of [line, 9999])
        expect(resolveAnchor(diff, { path, line: stated, code: text })).toEqual({
          kind: 'line',
          path,
          side,
          line,
        });
  });
});
