import { type Git, GitFailure } from './git.js';

/**
 * What git says changed between two commits, file by file, with the rows that a comment may stand on. This is read
 * from git's own output and shares no code with the product's diff parser, so that each can catch the other's errors.
 */
export type Change = {
  readonly files: readonly ChangedFile[];
  readonly additions: number;
  readonly deletions: number;
};

export type ChangedFile = {
  readonly path: string;
  readonly oldPath: string;
  /** GitHub's words; `changed` is a file that became another kind (a symlink, a submodule). */
  readonly status: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed';
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldSha: string;
  readonly newSha: string;
  readonly additions: number;
  readonly deletions: number;
  readonly binary: boolean;
  readonly submodule: boolean;
  readonly hunks: readonly Hunk[];
  /** As GitHub gives it: hunks only, no final newline. Absent for binaries, pure renames, modes and what is too large. */
  readonly patch?: string;
};

export type Hunk = { readonly header: string; readonly rows: readonly Row[] };
export type Row = {
  readonly sign: ' ' | '+' | '-';
  readonly old?: number;
  readonly new?: number;
  readonly text: string;
  readonly noNewline: boolean;
};

export type Side = 'LEFT' | 'RIGHT';

/** GitHub's documented limits of one file's diff; past them a file has no `patch`. */
export type PatchLimits = { readonly lines: number; readonly bytes: number };

const DIFF = [
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '-M',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];

/** `from` null stands for the empty tree (two histories without a common commit). */
export const readChange = async (
  git: Git,
  from: string | null,
  to: string,
  limits: PatchLimits,
): Promise<Change> => {
  const base = from ?? EMPTY_TREE;
  const [raw, patches] = await Promise.all([
    git.run([...DIFF, '--raw', '--no-abbrev', '-z', base, to]),
    readPatches(git, base, to),
  ]);
  const sections = patches === null ? null : splitPatches(patches);
  let at = 0;
  const files = parseRaw(raw).map((entry): ChangedFile => {
    const own = sections?.[at];
    // git prints a changed kind as a deletion and an addition: two sections of one entry.
    const second = entry.status === 'changed' ? sections?.[at + 1] : undefined;
    at += entry.status === 'changed' ? 2 : 1;
    const hunks = [...(own?.hunks ?? []), ...(second?.hunks ?? [])];
    const binary = (own?.binary ?? false) || (second?.binary ?? false);
    const rows = hunks.flatMap((hunk) => hunk.rows);
    const patch = hunks.map(patchOf).join('\n');
    const shown =
      sections !== null &&
      hunks.length > 0 &&
      rows.length <= limits.lines &&
      Buffer.byteLength(patch) <= limits.bytes;
    return {
      ...entry,
      additions: rows.filter((row) => row.sign === '+').length,
      deletions: rows.filter((row) => row.sign === '-').length,
      binary,
      submodule: entry.oldMode === '160000' || entry.newMode === '160000',
      hunks: shown ? hunks : [],
      ...(shown ? { patch } : {}),
    };
  });
  return {
    files,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
  };
};

/** git's own text of the change, as the diff media type answers it. */
export const readDiffText = (git: Git, from: string | null, to: string): Promise<Buffer> =>
  git.run([...DIFF, '-p', from ?? EMPTY_TREE, to]);

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const PATCH_LIMIT = 64 * 1024 * 1024;

const readPatches = async (git: Git, from: string, to: string): Promise<Buffer | null> => {
  try {
    return await git.run([...DIFF, '-p', from, to], { limit: PATCH_LIMIT });
  } catch (error) {
    if (error instanceof GitFailure && error.tooLarge) return null;
    throw error;
  }
};

type RawEntry = Pick<
  ChangedFile,
  'path' | 'oldPath' | 'status' | 'oldMode' | 'newMode' | 'oldSha' | 'newSha'
>;

const STATUS: Readonly<Record<string, ChangedFile['status']>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'changed',
};

const parseRaw = (raw: Buffer): RawEntry[] => {
  const fields = raw.toString('utf8').split('\0');
  const entries: RawEntry[] = [];
  for (let at = 0; at < fields.length - 1;) {
    const [oldMode = '', newMode = '', oldSha = '', newSha = '', code = ''] = (fields[at] ?? '')
      .slice(1)
      .split(' ');
    const first = fields[at + 1] ?? '';
    const two = code.startsWith('R') || code.startsWith('C');
    const path = two ? (fields[at + 2] ?? '') : first;
    entries.push({
      path,
      oldPath: first,
      status: STATUS[code.charAt(0)] ?? 'modified',
      oldMode,
      newMode,
      oldSha,
      newSha,
    });
    at += two ? 3 : 2;
  }
  return entries;
};

type Section = { readonly hunks: Hunk[]; binary: boolean };

/** Inside a hunk only the counts of its header say where it ends: contents may look like any header. */
const splitPatches = (patches: Buffer): Section[] => {
  // latin1 keeps one character a byte, so that no text can be split or joined by decoding.
  const lines = patches.toString('latin1').split('\n');
  const sections: Section[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const section = sections.at(-1);
    if (line.startsWith('diff --git ')) {
      sections.push({ hunks: [], binary: false });
      at += 1;
    } else if (section !== undefined && line.startsWith('Binary files ')) {
      section.binary = true;
      at += 1;
    } else if (section !== undefined && line.startsWith('@@ ')) {
      const { hunk, next } = readHunk(lines, at);
      section.hunks.push(hunk);
      at = next;
    } else at += 1;
  }
  return sections;
};

const readHunk = (lines: readonly string[], start: number): { hunk: Hunk; next: number } => {
  const header = lines[start] ?? '';
  const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(header);
  if (found === null) throw new Error(`git printed a hunk header that cannot be read: ${header}`);
  let old = Number(found[1]);
  let now = Number(found[3]);
  let oldLeft = Number(found[2] ?? 1);
  let newLeft = Number(found[4] ?? 1);
  const rows: Row[] = [];
  let at = start + 1;
  while (oldLeft > 0 || newLeft > 0 || (lines[at] ?? '').startsWith('\\')) {
    const line = lines[at];
    if (line === undefined) break;
    at += 1;
    const last = rows.at(-1);
    if (line.startsWith('\\')) {
      if (last !== undefined) rows[rows.length - 1] = { ...last, noNewline: true };
      continue;
    }
    const content = { text: utf8(line.slice(1)), noNewline: false };
    if (line.startsWith('+')) {
      rows.push({ sign: '+', new: now, ...content });
      now += 1;
      newLeft -= 1;
    } else if (line.startsWith('-')) {
      rows.push({ sign: '-', old, ...content });
      old += 1;
      oldLeft -= 1;
    } else {
      rows.push({ sign: ' ', old, new: now, ...content });
      old += 1;
      now += 1;
      oldLeft -= 1;
      newLeft -= 1;
    }
  }
  return { hunk: { header: utf8(header), rows }, next: at };
};

const utf8 = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('utf8');

const patchOf = (hunk: Hunk): string => [hunk.header, ...hunk.rows.map(printRow)].join('\n');

const printRow = (row: Row): string =>
  `${row.sign}${row.text}${row.noNewline ? '\n\\ No newline at end of file' : ''}`;

/** Where a line stands in a file's diff. `order` counts rows from the file's first hunk, headers included. */
export type Place = { readonly hunk: Hunk; readonly row: Row; readonly order: number };

/**
 * Finds the row a comment may stand on: RIGHT for added and context rows, LEFT for removed rows. LEFT on a context
 * row is refused, the strict reading of GitHub's documentation ("unchanged lines" belong to RIGHT). A submodule's
 * `Subproject commit` row takes no comment.
 */
export const placeOf = (file: ChangedFile, side: Side, line: number): Place | null => {
  if (file.submodule) return null;
  let order = 0;
  for (const [at, hunk] of file.hunks.entries()) {
    if (at > 0) order += 1;
    for (const row of hunk.rows) {
      order += 1;
      const hit = side === 'RIGHT' ? row.new === line : row.sign === '-' && row.old === line;
      if (hit) return { hunk, row, order };
    }
  }
  return null;
};

/** The hunk's text down to the commented row: GitHub's `diff_hunk`. */
export const diffHunkTo = (place: Place): string => {
  const upTo = place.hunk.rows.slice(0, place.hunk.rows.indexOf(place.row) + 1);
  return [place.hunk.header, ...upTo.map(printRow)].join('\n');
};

/** The line a line of `from` has in `to`, or null when it was changed or removed. The file keeps its path. */
export const carryLine = (change: Change, path: string, line: number): number | null => {
  const file = change.files.find((entry) => entry.oldPath === path && entry.status !== 'copied');
  if (file === undefined) return line;
  if (file.path !== path || file.binary || file.status === 'removed' || file.status === 'changed')
    return null;
  if (file.hunks.length === 0) return file.additions + file.deletions === 0 ? line : null;
  let shift = 0;
  for (const hunk of file.hunks)
    for (const row of hunk.rows) {
      if (row.sign === '-') {
        if (row.old === line) return null;
        if ((row.old ?? 0) < line) shift -= 1;
      } else if (row.sign === '+') {
        // An added row counts when it stands before the line's new place.
        if ((row.new ?? 0) <= line + shift) shift += 1;
      } else if (row.old === line) return row.new ?? null;
    }
  return line + shift;
};
