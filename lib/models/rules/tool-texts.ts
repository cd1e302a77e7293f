/**
 * Reads what the evidence tools print: the only view of the repository that the fixed rules have.
 * Rows carry their line numbers, so nothing is counted here; lines that are not understood are skipped.
 */

/** One row of the diff. `line` counts in the head for context and added rows, in the base for removed ones. */
export type DiffRow = {
  readonly kind: 'context' | 'added' | 'removed';
  readonly line: number;
  readonly text: string;
};

export type ChangedFile = {
  readonly path: string;
  /** The path in the base; equals `path` unless the file was renamed or copied. */
  readonly oldPath: string;
  readonly status: string;
  /** Rows hunk by hunk, in the order of the diff. */
  readonly hunks: readonly (readonly DiffRow[])[];
};

/** What a cut left out; `cursor` is where the next page starts, when the tool names one. */
export type Cut = { readonly text: string; readonly cursor?: string };

export type DiffText = { readonly files: readonly ChangedFile[]; readonly cut?: Cut };

export type FileText = {
  readonly path: string;
  /** The first line that is shown. */
  readonly start: number;
  readonly total: number;
  readonly lines: readonly string[];
};

export type SearchRow = { readonly path: string; readonly line: number; readonly text: string };

export type SearchText = {
  readonly matches: readonly SearchRow[];
  /** All matches, also those that are not shown. */
  readonly total: number;
  readonly files: number;
  /** Files of the scope that could not be searched, as the tool lists them. */
  readonly notSearched: string;
  readonly cut?: Cut;
};

const fileHead = /^=== (.*) \(([^()]*(?:\([^()]*\)[^()]*)*)\)$/;
const diffRow = /^([ +-]) *(\d+) \| ?(.*)$/s;
const hunkHead = /^@@ -\d/;
const fileRow = /^ *(\d+) \| ?(.*)$/s;
const searchRow = /^([> ]) *(\d+) \| ?(.*)$/s;

export function parseDiff(text: string): DiffText {
  const files: { path: string; oldPath: string; status: string; hunks: DiffRow[][] }[] = [];
  let cut: Cut | undefined;
  for (const line of text.split('\n')) {
    const file = files.at(-1);
    const row = diffRow.exec(line);
    const head = fileHead.exec(line);
    if (row !== null && file !== undefined) {
      const kind = row[1] === '+' ? 'added' : row[1] === '-' ? 'removed' : 'context';
      if (file.hunks.length === 0) file.hunks.push([]);
      file.hunks.at(-1)!.push({ kind, line: Number(row[2]), text: row[3]! });
    } else if (head !== null) {
      const [, path, note] = head;
      const from =
        /^(?:renamed|copied) from (.*?)(?:, symlink)?(?:, mode \d+ -> \d+)?(?:, (?:\+\d+ -\d+.*|binary|submodule .*))?$/.exec(
          note!,
        );
      files.push({
        path: path!,
        oldPath: from?.[1] ?? path!,
        status: /^[a-z_ ]+/i.exec(note!)?.[0]?.trim() ?? '',
        hunks: [],
      });
    } else if (hunkHead.test(line)) {
      file?.hunks.push([]);
    } else {
      cut = cutOf(line) ?? cut;
    }
  }
  return cut === undefined ? { files } : { files, cut };
}

/** Null when the tool answered with a sentence instead of lines (missing, binary, withheld, ...). */
export function parseFile(text: string): FileText | null {
  const [first = '', ...rest] = text.split('\n');
  const head = /^(.*) at (?:head|base), lines? (\d+)(?:-(\d+))? of (\d+)/.exec(first);
  if (head === null) return null;
  const lines: string[] = [];
  for (const line of rest) {
    const row = fileRow.exec(line);
    if (row !== null && Number(row[1]) === Number(head[2]) + lines.length) lines.push(row[2]!);
  }
  return { path: head[1]!, start: Number(head[2]), total: Number(head[4]), lines };
}

/** Null when the search was refused (a bad pattern or glob). */
export function parseSearch(text: string): SearchText | null {
  const [first = '', ...rest] = text.split('\n');
  const head = /^(?:Not finished: [^;]*; )?(\d+|no) match(?:es)?(?:,? .*?\bin (\d+) files?)?/i.exec(first);
  if (head === null) return null;
  const matches: SearchRow[] = [];
  let path: string | undefined;
  let cut: Cut | undefined;
  let notSearched = '';
  for (const line of rest) {
    const row = searchRow.exec(line);
    if (row !== null && path !== undefined) {
      if (row[1] === '>') matches.push({ path, line: Number(row[2]), text: row[3]! });
    } else if (line.startsWith('== ')) path = line.slice(3);
    else if (line.startsWith('[not searched: ')) notSearched = line;
    else cut = cutOf(line) ?? cut;
  }
  const total = Number(head[1]);
  const found = { matches, total: Number.isNaN(total) ? 0 : total, files: Number(head[2] ?? 0), notSearched };
  return cut === undefined ? found : { ...found, cut };
}

function cutOf(line: string): Cut | undefined {
  if (!/^\[cut[:\]]/.test(line)) return undefined;
  // The last word of the line: a path in it may hold the same words.
  const cursor = /.*\bcursor "([^"]+)"/.exec(line)?.[1];
  return cursor === undefined ? { text: line } : { text: line, cursor };
}
