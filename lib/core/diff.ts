import { createHash } from 'node:crypto';
import { parsePatch } from 'diff';

/**
 * A raw git diff as files with addressable lines. Bytes are read as UTF-8 and lines end in LF alone, as git counts
 * them. Files are parsed one by one: what cannot be read becomes `missing`, and never hides its neighbours.
 *
 * Source: `git diff` with `a/` and `b/` prefixes (also mnemonic or none), merge base to head.
 */
export function parseDiff(bytes: Uint8Array | string): FileDiff[] {
  const text = typeof bytes === 'string' ? bytes : decodeUtf8(bytes);
  return joinTypeChanges(splitFiles(text.split('\n')).map(parseFile));
}

/**
 * An entry of GitHub's lists of changed files (pull request or comparison). `patch` is absent for binary files,
 * for files without changed lines and for files that GitHub finds too large.
 */
export type ApiFile = {
  readonly filename: string;
  readonly previous_filename?: string | undefined;
  readonly status: string;
  readonly additions?: number | undefined;
  readonly deletions?: number | undefined;
  readonly changes?: number | undefined;
  readonly sha?: string | null | undefined;
  readonly patch?: string | null | undefined;
};

/** The same change from GitHub's file list, whose paths are not quoted and which knows no modes. */
export function diffFromApiFiles(files: readonly ApiFile[]): FileDiff[] {
  return joinTypeChanges(files.map(fromApiFile));
}

/** Every place that takes a comment, in diff order. Added and context rows are RIGHT, removed rows LEFT. */
export function commentable(diff: readonly FileDiff[]): Position[] {
  return diff.flatMap((file) => rowsOf(file).map(({ line }) => ({ path: file.path, ...placeOf(line) })));
}

/** Whether GitHub would take a comment there. A context row is RIGHT only: LEFT names are not accepted. */
export function isCommentable(diff: readonly FileDiff[], position: Position): boolean {
  const file = findFile(diff, position.path);
  return file !== undefined && rowAt(file, position.side, position.line) !== undefined;
}

/** A comment over several lines; without a start it is a comment on `line`. */
export type Range = {
  readonly path: string;
  readonly side: Side;
  readonly line: number;
  readonly startSide?: Side | undefined;
  readonly startLine?: number | undefined;
};

/** `clamped` carries the range that may be sent in place of the one asked for. */
export type RangeCheck =
  | { readonly kind: 'valid'; readonly range: Range }
  | { readonly kind: 'clamped'; readonly range: Range; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * GitHub's rules for a range: both ends stand in one hunk and the start comes first. A start outside the hunk of
 * the end is clamped to that hunk, because the end is where the comment is shown.
 */
export function checkRange(diff: readonly FileDiff[], range: Range): RangeCheck {
  const file = findFile(diff, range.path);
  const { path, side, line, startLine } = range;
  const startSide = range.startSide ?? side;
  if (file === undefined) return { kind: 'refused', reason: `${path} is not part of this change` };
  const end = rowAt(file, side, line);
  if (end === undefined) return { kind: 'refused', reason: `line ${line} (${side}) is not part of the diff` };
  const single: Range = { path, side, line };
  if (startLine === undefined) return { kind: 'valid', range: single };
  if (startSide === side && startLine === line)
    return {
      kind: 'clamped',
      range: single,
      reason: 'start and end are the same line: this is a comment on one line',
    };
  if (startSide === side && startLine > line)
    return { kind: 'refused', reason: `the range starts after its end (${startLine} > ${line})` };
  const start = rowAt(file, startSide, startLine);
  if (start !== undefined && start.hunk === end.hunk)
    return start.index < end.index
      ? { kind: 'valid', range: { ...single, startSide, startLine } }
      : { kind: 'refused', reason: 'the range starts after its end' };
  const first = rowsOf(file).find(
    (row) =>
      row.hunk === end.hunk &&
      placeOf(row.line).side === side &&
      (startSide !== side || start !== undefined || placeOf(row.line).line >= startLine),
  );
  const reason =
    start === undefined
      ? `line ${startLine} (${startSide}) is not part of the diff`
      : 'the two ends are in different hunks';
  return first === undefined || first.index >= end.index
    ? { kind: 'clamped', range: single, reason }
    : {
        kind: 'clamped',
        range: { ...single, startSide: side, startLine: placeOf(first.line).line },
        reason,
      };
}

/** Numbers of the lines that this change added (RIGHT) and removed (LEFT). */
export function changedLines(file: FileDiff): {
  readonly RIGHT: readonly number[];
  readonly LEFT: readonly number[];
} {
  const changed = rowsOf(file)
    .filter(({ line }) => line.kind !== 'context')
    .map(({ line }) => placeOf(line));
  const on = (wanted: Side) => changed.filter(({ side }) => side === wanted).map(({ line }) => line);
  return { RIGHT: on('RIGHT'), LEFT: on('LEFT') };
}

/**
 * Whether this change touched a line of the range: added on RIGHT, removed on LEFT. Where the rows of a file are
 * missing, only a wholly added (or deleted) file is known to be touched.
 */
export function isIntroduced(
  diff: readonly FileDiff[],
  path: string,
  side: Side,
  startLine: number,
  line: number,
): boolean {
  const file = findFile(diff, path);
  if (file === undefined) return false;
  if (file.content.kind === 'missing')
    return (side === 'RIGHT' && file.status === 'added') || (side === 'LEFT' && file.status === 'deleted');
  return changedLines(file)[side].some((changed) => changed >= startLine && changed <= line);
}

/**
 * The base version of a file from its head version: hunks taken back exactly, final newline included.
 *
 * `headText` is null when the head has no such file; the result is null when the base has none. Throws an `Error`
 * when the rows do not stand in `headText`, or when there are no rows to take back (binary, submodule, missing).
 * Works on the text as committed: label secrets afterwards.
 */
export function undoPatch(headText: string | null, file: FileDiff): string | null {
  if (file.oldMode === submoduleMode) throw new Error(`${file.oldPath} was a submodule`);
  if (file.content.kind === 'unchanged') {
    if (file.status === 'added') return null;
    return file.status === 'deleted' ? '' : headText;
  }
  if (file.content.kind !== 'text') throw new Error(`${file.path}: ${whyNoLines(file)}`);
  const head = (headText ?? '').split(/(?<=\n)/);
  const base: string[] = [];
  let at = 0;
  for (const hunk of file.content.hunks) {
    // With no lines on the new side, git names the line before the hunk.
    const start = hunk.newCount === 0 ? hunk.newStart : hunk.newStart - 1;
    if (start < at || start > head.length)
      throw new Error(`${file.path}: a hunk at line ${hunk.newStart} is outside the file`);
    while (at < start) base.push(head[at++]!);
    for (const line of hunk.lines) {
      const text = line.noNewline === true ? line.text : `${line.text}\n`;
      if (line.kind !== 'removed' && head[at++] !== text)
        throw new Error(`${file.path}:${line.new} does not hold what the diff shows`);
      if (line.kind !== 'added') base.push(text);
    }
  }
  return file.status === 'added' ? null : base.concat(head.slice(at)).join('');
}

/** The path at the merge base; null when the file is new. A path that the change does not name is unchanged. */
export function pathBefore(diff: readonly FileDiff[], path: string): string | null {
  const file = findFile(diff, path);
  if (file === undefined) return path;
  return file.status === 'added' ? null : file.oldPath;
}

/**
 * Identifies a change: paths, statuses, modes and rows with their numbers, and the blob id where there are no rows
 * (a new binary is a new change). SHA-256, hex.
 */
export function diffHash(diff: readonly FileDiff[]): string {
  const hash = createHash('sha256');
  for (const file of diff) {
    const { path, oldPath, status, oldMode, newMode, content } = file;
    hash.update(JSON.stringify([path, oldPath, status, oldMode ?? '', newMode ?? '', content.kind]));
    switch (content.kind) {
      case 'text':
        for (const hunk of content.hunks) hash.update(JSON.stringify(hunk));
        break;
      case 'submodule':
        hash.update(JSON.stringify([content.from ?? '', content.to ?? '']));
        break;
      case 'binary':
      case 'missing':
      case 'unchanged':
        hash.update(JSON.stringify([file.blob ?? '', file.additions, file.deletions]));
        break;
    }
    hash.update('\n');
  }
  return hash.digest('hex');
}

/** Digests of at most so many files are kept: beyond, nothing is known of what changed since. */
export const MAX_DIGESTS = 400;

/**
 * What each changed file's change is, by its added and removed rows alone: tells a later read which ones changed since.
 * Its name, its line numbers and the code around are no part of it: a rename or a merge of the base changes nothing.
 */
export function fileDigests(diff: readonly FileDiff[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    diff
      .filter(({ path }) => path.length <= 1_000)
      .slice(0, MAX_DIGESTS)
      .map((file) => {
        const rows =
          file.content.kind === 'text'
            ? file.content.hunks.flatMap(({ lines }) =>
                lines.flatMap(({ kind, text }) => (kind === 'context' ? [] : [[kind, text.trimEnd()]])),
              )
            : [file.content.kind, file.blob ?? ''];
        const digest = createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 8);
        return [file.path, digest];
      }),
  );
}

/** RIGHT is the head, LEFT the merge base: GitHub's names for the two columns of a diff. */
export type Side = 'LEFT' | 'RIGHT';

/**
 * One row of a hunk. `text` is the line without its `\n`; a carriage return stays part of it, because git numbers
 * lines by `\n` alone. `noNewline` marks the last line of a file that does not end in one.
 */
export type DiffLine =
  | {
      readonly kind: 'context';
      readonly old: number;
      readonly new: number;
      readonly text: string;
      readonly noNewline?: true;
    }
  | { readonly kind: 'added'; readonly new: number; readonly text: string; readonly noNewline?: true }
  | { readonly kind: 'removed'; readonly old: number; readonly text: string; readonly noNewline?: true };

export type Hunk = {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
  readonly lines: readonly DiffLine[];
};

/** Why a file of the change has no rows. Only `missing` makes a pass partial. */
export type FileContent =
  | { readonly kind: 'text'; readonly hunks: readonly Hunk[] }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'binary' }
  | { readonly kind: 'submodule'; readonly from?: string; readonly to?: string }
  | {
      readonly kind: 'missing';
      readonly why: 'too_large' | 'not_parsed' | 'not_listed';
      readonly detail: string;
    };

export type FileStatus =
  'added' | 'deleted' | 'modified' | 'renamed' | 'copied' | 'mode_only' | 'type_changed';

/** One file of a change, as GitHub shows it: merge base to head. `oldPath` equals `path` unless renamed or copied. */
export type FileDiff = {
  readonly path: string;
  readonly oldPath: string;
  readonly status: FileStatus;
  readonly oldMode?: string;
  readonly newMode?: string;
  /** Blob id of the head version (it may be abbreviated), where it is known. */
  readonly blob?: string;
  readonly symlink: boolean;
  /** By what it is known to be generated; absent: it is not. */
  readonly generated?: string;
  readonly additions: number;
  readonly deletions: number;
  readonly content: FileContent;
};

/** A place on the diff that GitHub accepts a comment on. Context rows are RIGHT. */
export type Position = { readonly path: string; readonly side: Side; readonly line: number };

const submoduleMode = '160000';
const symlinkMode = '120000';

/** A byte order mark is content: git counts it, so it stays. */
const decodeUtf8 = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

export const findFile = (diff: readonly FileDiff[], path: string): FileDiff | undefined =>
  diff.find((file) => file.path === path);

/** A row with where it stands: the hunk and its place among all rows of the file. */
type Row = { readonly line: DiffLine; readonly hunk: number; readonly index: number };

export function rowsOf(file: FileDiff): Row[] {
  if (file.content.kind !== 'text') return [];
  let index = 0;
  return file.content.hunks.flatMap((hunk, number) =>
    hunk.lines.map((line) => ({ line, hunk: number, index: index++ })),
  );
}

export const placeOf = (line: DiffLine): { readonly side: Side; readonly line: number } =>
  line.kind === 'removed' ? { side: 'LEFT', line: line.old } : { side: 'RIGHT', line: line.new };

export function rowAt(file: FileDiff, side: Side, line: number): Row | undefined {
  return rowsOf(file).find((row) => {
    const place = placeOf(row.line);
    return place.side === side && place.line === line;
  });
}

/** Why a file of the change has no rows, in words. */
export function whyNoLines(file: FileDiff): string {
  switch (file.content.kind) {
    case 'text':
      return `\`${file.path}\` has lines`;
    case 'unchanged':
      return `the text of \`${file.path}\` did not change`;
    case 'binary':
      return `\`${file.path}\` is binary`;
    case 'submodule':
      return `\`${file.path}\` is a submodule`;
    case 'missing':
      return `the diff of \`${file.path}\` is not shown: ${file.content.detail}`;
  }
}

/** The lines of one file: headers up to the first hunk, then hunks. */
type Section = {
  readonly title: string;
  readonly headers: readonly string[];
  readonly body: readonly string[];
  /** The count in a hunk header does not fit its rows. */
  readonly broken: boolean;
};

const hunkHeader = /^@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@/;

/**
 * Inside a hunk only the first byte and the counts decide, so content can never start a file; between hunks a line
 * that starts with `diff --` does. After a broken hunk the next such line is the place to go on.
 */
function splitFiles(lines: readonly string[]): Section[] {
  const sections: Section[] = [];
  let at = 0;
  while (at < lines.length && !isTitle(lines[at]!)) at++;
  while (at < lines.length) {
    const title = lines[at++]!;
    const headers: string[] = [];
    const body: string[] = [];
    let broken = false;
    while (at < lines.length && !isTitle(lines[at]!)) {
      const line = lines[at++]!;
      const counts: RegExpExecArray | null = broken ? null : hunkHeader.exec(line);
      if (counts === null) {
        (body.length === 0 ? headers : body).push(line);
        continue;
      }
      body.push(line);
      let old: number = Number(counts[2] ?? 1);
      let now: number = Number(counts[4] ?? 1);
      while ((old > 0 || now > 0 || lines[at]?.startsWith('\\') === true) && at < lines.length) {
        const row = lines[at]!;
        const sign = row === '' && at < lines.length - 1 ? ' ' : row.charAt(0);
        if (!' +-\\'.includes(sign) || sign === '') break;
        if (sign === ' ' || sign === '-') old--;
        if (sign === ' ' || sign === '+') now--;
        body.push(row);
        at++;
      }
      broken = old !== 0 || now !== 0;
    }
    sections.push({ title, headers, body, broken });
  }
  return sections;
}

const isTitle = (line: string): boolean => /^diff --(git|cc|combined) /.test(line);

function parseFile({ title, headers, body, broken }: Section): FileDiff {
  const header = (pattern: RegExp): string | undefined => {
    for (const line of headers) {
      const found = pattern.exec(line);
      if (found !== null) return found[1];
    }
    return undefined;
  };
  const has = (pattern: RegExp): boolean => headers.some((line) => pattern.test(line));

  const added = header(/^new file mode (\d+)$/);
  const deleted = header(/^deleted file mode (\d+)$/);
  const kept = header(/^index [0-9a-f]+\.\.[0-9a-f]+ (\d+)$/);
  const oldMode = deleted ?? header(/^old mode (\d+)$/) ?? (added === undefined ? kept : undefined);
  const newMode = added ?? header(/^new mode (\d+)$/) ?? (deleted === undefined ? kept : undefined);
  const blob = header(/^index [0-9a-f]+\.\.([0-9a-f]+)/);
  const binary = has(/^Binary files .* differ$/) || has(/^GIT binary patch$/);
  const paths = pathsOf(title, headers);
  const status: FileStatus =
    added !== undefined
      ? 'added'
      : deleted !== undefined
        ? 'deleted'
        : has(/^rename to /)
          ? 'renamed'
          : has(/^copy to /)
            ? 'copied'
            : has(/^new mode /) && body.length === 0 && !binary
              ? 'mode_only'
              : 'modified';
  const about = {
    path: paths?.path ?? title.replace(/^diff --(git|cc|combined) /, ''),
    oldPath: paths?.oldPath ?? title.replace(/^diff --(git|cc|combined) /, ''),
    status,
    ...(oldMode !== undefined && { oldMode }),
    ...(newMode !== undefined && { newMode }),
    ...(blob !== undefined && !/^0+$/.test(blob) && { blob }),
    symlink: oldMode === symlinkMode || newMode === symlinkMode,
  };
  const missing = (detail: string): FileDiff => ({
    ...about,
    additions: 0,
    deletions: 0,
    content: { kind: 'missing', why: 'not_parsed', detail },
  });

  if (!title.startsWith('diff --git ')) return missing('a combined diff of a merge has no single base');
  if (title.endsWith('\r')) return missing('the line endings of this diff were converted');
  if (paths === undefined) return missing('its path could not be read');
  if (binary) return { ...about, additions: 0, deletions: 0, content: { kind: 'binary' } };
  if (broken) return missing('a hunk does not hold as many lines as its header says');
  const hunks = parseHunks(body);
  if (typeof hunks === 'string') return missing(hunks);
  const submodule = (oldMode ?? submoduleMode) === submoduleMode && (newMode ?? oldMode) === submoduleMode;
  const content = submodule ? submoduleOf(hunks) : contentOf(hunks, status);
  return { ...about, ...countLines(hunks), content };
}

const contentOf = (hunks: readonly Hunk[], status: FileStatus): FileContent =>
  hunks.length === 0 && status !== 'added' && status !== 'deleted'
    ? { kind: 'unchanged' }
    : { kind: 'text', hunks };

/** Hunks of one file, or what is wrong with them. */
function parseHunks(body: readonly string[]): Hunk[] | string {
  if (body.length === 0) return [];
  // `git format-patch` signs below the last hunk.
  const signature = body.findLastIndex((line) => line === '-- ');
  const rows =
    signature > 0 && body.length - signature <= 4 && isSigned(body, signature)
      ? body.slice(0, signature)
      : body;
  try {
    const [patch, ...more] = parsePatch(rows.join('\n'));
    if (patch === undefined || more.length > 0 || patch.hunks.some((hunk) => Number.isNaN(hunk.oldStart)))
      return 'its hunks could not be read';
    return patch.hunks.map((hunk) => {
      let old = hunk.oldStart;
      let now = hunk.newStart;
      const lines: DiffLine[] = [];
      for (const row of hunk.lines) {
        const text = row.slice(1);
        if (row.startsWith('\\')) {
          const last = lines.pop();
          if (last !== undefined) lines.push({ ...last, noNewline: true });
        } else if (row.startsWith('+')) lines.push({ kind: 'added', new: now++, text });
        else if (row.startsWith('-')) lines.push({ kind: 'removed', old: old++, text });
        else lines.push({ kind: 'context', old: old++, new: now++, text });
      }
      return {
        // The parser moves the start of an empty side by one; git's own number is kept here.
        oldStart: hunk.oldLines === 0 ? hunk.oldStart - 1 : hunk.oldStart,
        oldCount: hunk.oldLines,
        newStart: hunk.newLines === 0 ? hunk.newStart - 1 : hunk.newStart,
        newCount: hunk.newLines,
        lines,
      };
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const isSigned = (body: readonly string[], at: number): boolean =>
  /^\d+\.\d+/.test(body[at + 1] ?? '') && body.slice(at + 2).every((line) => line === '');

function countLines(hunks: readonly Hunk[]): { readonly additions: number; readonly deletions: number } {
  let additions = 0;
  let deletions = 0;
  for (const hunk of hunks)
    for (const line of hunk.lines) {
      if (line.kind === 'added') additions++;
      if (line.kind === 'removed') deletions++;
    }
  return { additions, deletions };
}

const submoduleRow = /^Subproject commit ([0-9a-f]{40,64})(-dirty)?$/;

function submoduleOf(hunks: readonly Hunk[]): FileContent {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const commit = (kind: DiffLine['kind']): string | undefined => {
    const line = lines.find((candidate) => candidate.kind === kind);
    return line === undefined ? undefined : submoduleRow.exec(line.text)?.[1];
  };
  const from = commit('removed');
  const to = commit('added');
  return { kind: 'submodule', ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/**
 * A file that became a symlink (or the like) is printed as a deletion and an addition of one path. It is one file of
 * the change; text on either side stays reviewable.
 */
function joinTypeChanges(files: readonly FileDiff[]): FileDiff[] {
  const joined: FileDiff[] = [];
  for (const file of files) {
    const before = joined.at(-1);
    if (before?.path !== file.path || before.status !== 'deleted' || file.status !== 'added') {
      joined.push(file);
      continue;
    }
    joined.pop();
    const { oldMode: _none, ...now } = file;
    joined.push({
      ...now,
      status: 'type_changed',
      ...(before.oldMode !== undefined && { oldMode: before.oldMode }),
      symlink: before.symlink || file.symlink,
      additions: before.additions + file.additions,
      deletions: before.deletions + file.deletions,
      content: joinContents(before.content, file.content),
    });
  }
  return joined;
}

function joinContents(before: FileContent, after: FileContent): FileContent {
  if (before.kind === 'text' && after.kind === 'text')
    return { kind: 'text', hunks: [...before.hunks, ...after.hunks] };
  for (const kind of ['missing', 'binary', 'text'] as const) {
    if (before.kind === kind) return before;
    if (after.kind === kind) return after;
  }
  return after;
}

type Paths = { readonly oldPath: string; readonly path: string };

/**
 * The old and the new path. Rename and copy lines are plain; otherwise both halves of the title name one path, so
 * the title is cut in its middle, which no path can mislead.
 */
function pathsOf(title: string, headers: readonly string[]): Paths | undefined {
  const named = (pattern: RegExp): string | undefined => {
    const found = headers.map((line) => pattern.exec(line)?.[1]).find((name) => name !== undefined);
    return found === undefined ? undefined : unquote(found);
  };
  const from = named(/^(?:rename|copy) from (.+)$/s);
  const to = named(/^(?:rename|copy) to (.+)$/s);
  if (from !== undefined && to !== undefined) return { oldPath: from, path: to };
  if (headers.some((line) => /^(?:rename|copy) (?:from|to) /.test(line))) return undefined;

  return pathsOfTitle(title.slice('diff --git '.length)) ?? pathsOfFileLines(headers);
}

function pathsOfTitle(rest: string): Paths | undefined {
  const middle = (rest.length - 1) / 2;
  const old = rest.charAt(middle) === ' ' ? unquote(rest.slice(0, middle)) : undefined;
  const now = rest.charAt(middle) === ' ' ? unquote(rest.slice(middle + 1)) : undefined;
  if (old === undefined || now === undefined || old === '') return undefined;
  if (old === now) return { oldPath: old, path: now };
  const paths = withoutPrefixes(old, now);
  return paths?.oldPath === paths?.path ? paths : undefined;
}

/** `---` and `+++` lines: a tab ends a name that holds a space. Needed only for `git diff --no-index`. */
function pathsOfFileLines(headers: readonly string[]): Paths | undefined {
  const named = (pattern: RegExp): string | undefined => {
    const line = headers.find((candidate) => pattern.test(candidate));
    return line === undefined ? undefined : unquote(line.slice(4).replace(/\t$/, ''));
  };
  const old = named(/^--- /);
  const now = named(/^\+\+\+ /);
  if (old === undefined || now === undefined) return undefined;
  const none = '/dev/null';
  return withoutPrefixes(old === none ? now : old, now === none ? old : now);
}

const withoutPrefixes = (old: string, now: string): Paths | undefined =>
  /^[a-z0-9]\/./.test(old) && /^[a-z0-9]\/./.test(now)
    ? { oldPath: old.slice(2), path: now.slice(2) }
    : undefined;

/** git's C quoting to bytes, then UTF-8. An unknown escape is refused, because a guessed path is another file. */
function unquote(name: string): string | undefined {
  if (!name.startsWith('"')) return name;
  if (name.length < 2 || !name.endsWith('"')) return undefined;
  const inner = name.slice(1, -1);
  const bytes: Uint8Array[] = [];
  const encoder = new TextEncoder();
  const part = /\\([0-3][0-7]{2})|\\([abfnrtv"\\])|([^"\\]+)/gsy;
  while (part.lastIndex < inner.length) {
    const found = part.exec(inner);
    if (found === null) return undefined;
    if (found[1] !== undefined) bytes.push(Uint8Array.of(Number.parseInt(found[1], 8)));
    else if (found[2] !== undefined) bytes.push(encoder.encode(escapes[found[2]]));
    else bytes.push(encoder.encode(found[3]));
  }
  return decodeUtf8(Buffer.concat(bytes));
}

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '"': '"',
  '\\': '\\',
};

const apiStatus: Readonly<Record<string, FileStatus>> = {
  added: 'added',
  removed: 'deleted',
  modified: 'modified',
  renamed: 'renamed',
  copied: 'copied',
  changed: 'type_changed',
  unchanged: 'modified',
};

function fromApiFile(file: ApiFile): FileDiff {
  const status = apiStatus[file.status] ?? 'modified';
  const about = {
    path: file.filename,
    oldPath: file.previous_filename ?? file.filename,
    status,
    ...(typeof file.sha === 'string' && file.sha !== '' && { blob: file.sha }),
    symlink: false,
  };
  const listed = { additions: file.additions ?? 0, deletions: file.deletions ?? 0 };
  const missing = (why: 'too_large' | 'not_parsed', detail: string): FileDiff => ({
    ...about,
    ...listed,
    content: { kind: 'missing', why, detail },
  });
  if (file.patch === undefined || file.patch === null || file.patch === '') {
    if (listed.additions + listed.deletions > 0 || (file.changes ?? 0) > 0)
      return missing('too_large', 'GitHub lists changed lines and gives no patch');
    return { ...about, ...listed, content: withoutPatch(file.filename, status) };
  }
  const hunks = parseHunks(file.patch.split('\n'));
  if (typeof hunks === 'string') return missing('not_parsed', hunks);
  if (hunks.length === 0) return missing('not_parsed', 'its patch holds no hunk');
  const counted = countLines(hunks);
  if (counted.additions < listed.additions || counted.deletions < listed.deletions)
    return missing('too_large', 'GitHub gives only a part of its patch');
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const submodule = lines.length <= 2 && lines.every((line) => submoduleRow.test(line.text));
  return { ...about, ...counted, content: submodule ? submoduleOf(hunks) : { kind: 'text', hunks } };
}

/**
 * No patch and no changed lines: a pure rename, a mode, an empty file or a binary one. The list does not say which;
 * the name of a binary format does, and the tree says it for certain where it is read.
 */
function withoutPatch(path: string, status: FileStatus): FileContent {
  if (status !== 'renamed' && status !== 'copied' && binaryName.test(path)) return { kind: 'binary' };
  return status === 'added' || status === 'deleted' ? { kind: 'text', hunks: [] } : { kind: 'unchanged' };
}

const binaryName =
  /\.(?:png|jpe?g|gif|webp|avif|bmp|ico|icns|tiff?|psd|pdf|zip|gz|tgz|bz2|xz|zst|7z|rar|jar|war|class|exe|dll|so|dylib|a|o|lib|wasm|bin|dat|db|sqlite3?|woff2?|ttf|otf|eot|mp[34]|m4a|ogg|wav|flac|webm|mov|avi|pyc|parquet|onnx|pt|npy|docx?|xlsx?|pptx?)$/i;
