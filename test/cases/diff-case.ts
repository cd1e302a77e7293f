import { readdirSync, readFileSync } from 'node:fs';
import type { FileChange } from '../../local-github/index.js';

/** A diff of test/fixtures/cases with the positions that git has for it. */
export type DiffCase = {
  readonly id: string;
  readonly commentable: readonly (readonly [string, 'LEFT' | 'RIGHT', number])[];
  readonly not_commentable: readonly (readonly [string, 'LEFT' | 'RIGHT', number])[];
  readonly range_checks: readonly {
    readonly path: string;
    readonly start_side: string;
    readonly start_line: number;
    readonly side: string;
    readonly line: number;
    readonly valid: boolean;
  }[];
  readonly anchors_by_text: readonly {
    readonly path: string;
    readonly side: 'LEFT' | 'RIGHT';
    readonly line: number;
    readonly text: string;
  }[];
  readonly files: readonly CaseFile[];
  readonly api_files: readonly {
    readonly filename: string;
    readonly status: string;
    readonly additions: number;
    readonly deletions: number;
    readonly changes: number;
    readonly previous_filename?: string;
    readonly patch?: string;
  }[];
};

type CaseFile = {
  readonly path: string;
  readonly old_path: string;
  readonly status: string;
  readonly old_mode: string;
  readonly new_mode: string;
  readonly binary: boolean;
  readonly submodule: boolean;
  readonly symlink: boolean;
  readonly old_lines: number;
  readonly new_lines: number;
};

const folder = new URL('../fixtures/cases/', import.meta.url);

export const diffCases: readonly DiffCase[] = readdirSync(folder)
  .filter((name) => /^o\d\d-.*\.json$/.test(name))
  .sort()
  .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as DiffCase);

/** Both versions of a repository whose git diff has the hunks of the case; in the head, null removes a path. */
export function filesOfCase(item: DiffCase): {
  readonly base: Readonly<Record<string, FileChange>>;
  readonly head: Readonly<Record<string, FileChange>>;
} {
  const base: Record<string, FileChange> = { 'ANCHOR.md': 'not part of the change\n' };
  const head: Record<string, FileChange> = {};
  for (const file of item.files) {
    const patch = item.api_files.find((entry) => entry.filename === file.path)?.patch;
    const made = changesOf(file, patch);
    if (file.status !== 'added') base[file.old_path] = made.base;
    if (file.old_path !== file.path || file.status === 'deleted') head[file.old_path] = null;
    if (file.status !== 'deleted') head[file.path] = made.head;
  }
  return { base, head };
}

type Rows = { readonly old: Map<number, string>; readonly now: Map<number, string> };

/** Texts by line number, a missing final newline as the text's own end. */
const rowsOf = (patch: string): Rows => {
  const rows: Rows = { old: new Map(), now: new Map() };
  let old = 0;
  let now = 0;
  let oldLeft = 0;
  let newLeft = 0;
  let last: (() => void) | null = null;
  for (const line of patch.split('\n')) {
    if (oldLeft === 0 && newLeft === 0 && line.startsWith('@@')) {
      const [, a = '0', b = '1', c = '0', d = '1'] =
        /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
      [old, oldLeft, now, newLeft] = [Number(a), Number(b), Number(c), Number(d)];
      continue;
    }
    if (line.startsWith('\\')) {
      last?.();
      continue;
    }
    const text = `${line.slice(1)}\n`;
    const [atOld, atNow] = [old, now];
    const inOld = !line.startsWith('+');
    const inNew = !line.startsWith('-');
    if (inOld) {
      rows.old.set(atOld, text);
      old += 1;
      oldLeft -= 1;
    }
    if (inNew) {
      rows.now.set(atNow, text);
      now += 1;
      newLeft -= 1;
    }
    last = () => {
      if (inOld) rows.old.set(atOld, text.slice(0, -1));
      if (inNew) rows.now.set(atNow, text.slice(0, -1));
    };
  }
  return rows;
};

/** Lines outside every hunk are the same on both sides; what they say does not matter. */
const contentOf = (rows: Map<number, string>, lines: number, fill: (line: number) => string): string =>
  Array.from({ length: lines }, (_, at) => rows.get(at + 1) ?? fill(at + 1)).join('');

const changesOf = (file: CaseFile, patch: string | undefined): { base: FileChange; head: FileChange } => {
  if (file.submodule) {
    const [, from = ''] = /^-Subproject commit (\w+)/m.exec(patch ?? '') ?? [];
    const [, to = ''] = /^\+Subproject commit (\w+)/m.exec(patch ?? '') ?? [];
    return { base: { submodule: from }, head: { submodule: to } };
  }
  if (file.binary)
    return { base: Buffer.from([0, 1, 2, 10, 0, 200, 255]), head: Buffer.from([0, 9, 8, 10, 0, 7, 255, 3]) };
  const rows = rowsOf(patch ?? '');
  const ends = (file.path + file.old_path).length;
  const base = contentOf(rows.old, file.old_lines, (line) => `filler ${line} of ${ends}\n`);
  // The n-th line that stands in no hunk is the same on both sides.
  const fillers = Array.from({ length: file.old_lines }, (_, at) => at + 1).filter(
    (line) => !rows.old.has(line),
  );
  const free = Array.from({ length: file.new_lines }, (_, at) => at + 1).filter(
    (line) => !rows.now.has(line),
  );
  const head = contentOf(
    rows.now,
    file.new_lines,
    (line) => `filler ${fillers[free.indexOf(line)] ?? -1} of ${ends}\n`,
  );
  const dress = (mode: string, content: string): FileChange =>
    file.symlink ? { symlink: content } : { mode: mode === '100755' ? '100755' : '100644', content };
  return { base: dress(file.old_mode, base), head: dress(file.new_mode, head) };
};
