import { z } from 'zod';
import type { Tool, ToolAnswer } from '../agent/tool.js';
import { skipOf } from '../core/coverage.js';
import type { DiffLine, FileDiff, Hunk } from '../core/diff.js';
import { ToolError } from '../core/errors.js';
import type { FileOrder } from '../core/ledger.js';
import type { Snapshot } from '../core/snapshot.js';
import { repositoryPath } from './arguments.js';
import { changedFile, fileState } from './changed-file.js';
import { pageChars, servedRanges, shownLine, type Place } from './shown-lines.js';
import { shownPath } from './shown-path.js';

const Input = z.strictObject({
  path: z.string().optional().describe('one changed file; leave out for the whole change'),
  cursor: z.string().optional().describe('from the last line of the page before'),
});

/**
 * The change, merge base to head, with line numbers: `+` and context rows carry the line at head, `-` rows the line
 * at base. Pages of about 40,000 characters. Rows that are shown whole are recorded as served.
 */
export function createGetPrDiff({
  snapshot,
  order = 'as_shown',
}: {
  readonly snapshot: Snapshot;
  readonly order?: FileOrder;
}): Tool {
  const skipped = skipOf(snapshot.policy);
  const files = order === 'reverse' ? [...snapshot.diff].reverse() : snapshot.diff;
  return {
    name: 'get_pr_diff',
    description:
      'The changed lines with their numbers. "+" and unmarked rows are numbered as at head, "-" rows as at base. Comes in pages: the last line says how to get the next.',
    schema: Input,
    run: async (input) => {
      const { path, cursor } = Input.parse(input);
      if (path === undefined || path === '') return page(files, cursor, (file) => skipped(file) !== null);
      const file = changedFile(files, repositoryPath(path));
      if (file === undefined)
        throw new ToolError(
          `${path} is not changed by this pull request. get_file_content shows it; get_pr_info lists the changed files.`,
        );
      return page([file], cursor, () => false);
    },
  };
}

/** One line of a page. `hunk` is the header that stands above it when a page starts here. */
type Entry = { readonly text: string; readonly shows: readonly Place[]; readonly hunk?: string };

function page(
  files: readonly FileDiff[],
  cursor: string | undefined,
  skipped: (file: FileDiff) => boolean,
): ToolAnswer {
  if (files.length === 0) return { text: 'No file is changed.', served: [] };
  const start = parseCursor(cursor);
  if (start.file >= files.length) throw badCursor(cursor);
  const lines: string[] = [];
  const shown: Place[] = [];
  let room = pageChars;
  const push = (text: string): void => {
    lines.push(text);
    room -= text.length + 1;
  };
  for (const [i, file] of files.entries()) {
    if (i < start.file) continue;
    const from = i === start.file ? start.row : 0;
    const entries = skipped(file) ? skippedEntries.slice(from) : entriesFrom(file, from);
    const head = `=== ${shownPath(file.path)} (${fileState(file)})`;
    if (lines.length > 0 && head.length > room) return cutPage(lines, shown, files, i, 0);
    push(head);
    let row = from;
    for (const entry of entries) {
      if (row === from && from > 0 && entry.hunk !== undefined) push(entry.hunk);
      if (row > from && entry.text.length > room) return cutPage(lines, shown, files, i, row);
      push(entry.text);
      shown.push(...entry.shows);
      row += 1;
    }
    if (from > 0 && row === from) throw badCursor(cursor);
  }
  return { text: lines.join('\n'), served: servedRanges(shown) };
}

function cutPage(
  lines: readonly string[],
  shown: readonly Place[],
  files: readonly FileDiff[],
  file: number,
  row: number,
): ToolAnswer {
  const after = files.length - file - (row > 0 ? 1 : 0);
  const left = [
    ...(row > 0 ? [`the rest of ${shownPath(files[file]?.path ?? '')}`] : []),
    ...(after > 0 ? [`${after} more ${after === 1 ? 'file' : 'files'}`] : []),
  ];
  const cut = `[cut: ${left.join(' and ')} not shown yet; go on with cursor "${file}.${row}"]`;
  return { text: [...lines, cut].join('\n'), served: servedRanges(shown) };
}

function parseCursor(cursor: string | undefined): { readonly file: number; readonly row: number } {
  if (cursor === undefined || cursor.trim() === '') return { file: 0, row: 0 };
  const found = /^"?(\d{1,7})\.(\d{1,9})"?$/.exec(cursor.trim());
  if (found === null) throw badCursor(cursor);
  return { file: Number(found[1]), row: Number(found[2]) };
}

const badCursor = (cursor: string | undefined): ToolError =>
  new ToolError(
    `"${cursor ?? ''}" is no cursor of this diff. Use the one at the end of a page as it stands there, with the same path, or leave it out to start at the top.`,
  );

const skippedEntries: readonly Entry[] = [
  { text: "[not shown: the repository's settings skip this file; ask for it by path to see it]", shows: [] },
];

/** One by one: a page of a file of hundreds of thousands of rows must cost no more than what it shows. */
function* entriesFrom(file: FileDiff, from: number): Generator<Entry> {
  switch (file.content.kind) {
    case 'text': {
      let before = 0;
      for (const hunk of file.content.hunks) {
        yield* hunkEntries(file, hunk, Math.max(0, from - before));
        before += 1 + hunk.lines.length;
      }
      return;
    }
    case 'missing':
      if (from === 0)
        yield {
          text: `[not shown: ${file.content.detail}; get_file_content and get_file_at_base may show the file itself]`,
          shows: [],
        };
      return;
    case 'unchanged':
    case 'binary':
    case 'submodule':
      return;
  }
}

function* hunkEntries(file: FileDiff, hunk: Hunk, from: number): Generator<Entry> {
  const header = `@@ -${hunk.oldStart},${hunk.oldCount} +${hunk.newStart},${hunk.newCount} @@`;
  if (from === 0) yield { text: header, shows: [] };
  for (let index = Math.max(0, from - 1); index < hunk.lines.length; index += 1) {
    const line = hunk.lines[index];
    if (line !== undefined) yield { ...rowEntry(file, line), hunk: header };
  }
}

function rowEntry(file: FileDiff, line: DiffLine): Entry {
  const { text, whole } = shownLine(line.text);
  const [sign, number] =
    line.kind === 'added' ? ['+', line.new] : line.kind === 'removed' ? ['-', line.old] : [' ', line.new];
  const places: Place[] = [];
  if (line.kind !== 'removed') places.push({ path: file.path, ref: 'head', line: line.new });
  if (line.kind !== 'added') places.push({ path: file.oldPath, ref: 'base', line: line.old });
  const reader = line.kind === 'removed' ? 'get_file_at_base' : 'get_file_content';
  const row = `${sign}${String(number).padStart(5)} | ${text}`;
  return {
    text: [
      whole ? row : `${row} [${reader} with start and end ${number} shows more of it]`,
      ...(line.noNewline === true ? ['\\ no newline at the end of the file'] : []),
    ].join('\n'),
    shows: whole ? places : [],
  };
}
