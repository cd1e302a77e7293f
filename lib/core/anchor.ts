import {
  checkRange,
  findFile,
  placeOf,
  rowAt,
  rowsOf,
  whyNoLines,
  type FileDiff,
  type Side,
} from './diff.js';
import type { Anchor } from './finding.js';

/** Where a claim says that its code stands. `code` is quoted text of one or more whole lines, or part of one. */
export type Claimed = {
  readonly path: string;
  readonly line: number;
  readonly startLine?: number | undefined;
  readonly side?: Side | undefined;
  readonly code?: string | undefined;
};

/**
 * The place on the diff for a claim, or a row of the summary with the reason in words. The stated number counts if
 * the quoted code stands there; a wrong number is mended only by quoted code that occurs exactly once on the lines
 * of that file. Never the nearest line. White space is folded (a trailing CR included), nothing else.
 */
export function resolveAnchor(diff: readonly FileDiff[], claimed: Claimed): Anchor {
  const file = findFile(diff, claimed.path) ?? diff.find(({ oldPath }) => oldPath === claimed.path);
  const row = (why: string): Anchor => ({ kind: 'row', path: claimed.path, line: claimed.line, why });
  if (file === undefined) return row(`\`${claimed.path}\` is not part of this change`);
  if (file.content.kind !== 'text') return row(whyNoLines(file));

  const code = (claimed.code ?? '').split('\n').map(fold);
  while (code[0] === '') code.shift();
  while (code.at(-1) === '') code.pop();

  if (code.length === 0) {
    const place = placeByNumber(file, claimed.line, claimed.side);
    if (place === undefined) return row(`line ${claimed.line} is not part of the diff`);
    // A start that counts lines of the other column says nothing here.
    const startLine = place.line === claimed.line ? claimed.startLine : undefined;
    return lineAnchor(diff, file, { ...place, startLine });
  }

  const places = occurrences(file, code);
  const onSide = places.filter(({ side }) => side === claimed.side);
  // Code that stands on the stated side is not looked for on the other.
  const here = (onSide.length > 0 ? onSide : places).filter((place) => standsAt(place, claimed));
  const exact = here.find(({ side }) => side === 'RIGHT') ?? here[0];
  if (exact !== undefined) return lineAnchor(diff, file, statedRange(file, exact, claimed));
  const only = places.length === 1 ? places[0] : onSide.length === 1 ? onSide[0] : undefined;
  if (only !== undefined)
    return lineAnchor(diff, file, { side: only.side, line: only.end, startLine: only.start });
  if (places.length > 1)
    return row(
      `the quoted code is not at line ${claimed.line} and stands at ${places.length} places of this change`,
    );
  return row(`the quoted code does not stand on the lines of this change`);
}

const fold = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/** RIGHT if it stands there, else LEFT if that old line was removed. A context row named by its old number is RIGHT. */
function placeByNumber(
  file: FileDiff,
  line: number,
  side: Side | undefined,
): { readonly side: Side; readonly line: number } | undefined {
  if (side !== 'LEFT' && rowAt(file, 'RIGHT', line) !== undefined) return { side: 'RIGHT', line };
  if (side !== 'RIGHT' && rowAt(file, 'LEFT', line) !== undefined) return { side: 'LEFT', line };
  if (side !== 'LEFT') return undefined;
  const context = rowsOf(file).find((row) => row.line.kind === 'context' && row.line.old === line);
  return context === undefined ? undefined : placeOf(context.line);
}

/** Consecutive lines of one column within one hunk that hold the quoted code. */
type Occurrence = {
  readonly side: Side;
  readonly start: number;
  readonly end: number;
  /** The same rows by their old numbers: a claim about LEFT may name context rows so. */
  readonly oldStart?: number;
  readonly oldEnd?: number;
};

/** Fewer letters than this are no quotation when they are only a part of a line. */
const partialQuote = 6;

function occurrences(file: FileDiff, code: readonly string[]): Occurrence[] {
  const whole = match(file, code, (row, quote) => row === quote);
  if (whole.length > 0 || code.length > 1 || code[0]!.length < partialQuote) return whole;
  return match(file, code, (row, quote) => row.includes(quote));
}

function match(
  file: FileDiff,
  code: readonly string[],
  same: (row: string, quote: string) => boolean,
): Occurrence[] {
  if (file.content.kind !== 'text') return [];
  const found: Occurrence[] = [];
  for (const hunk of file.content.hunks)
    for (const side of ['RIGHT', 'LEFT'] as const) {
      const column = hunk.lines.filter((line) => line.kind !== (side === 'RIGHT' ? 'removed' : 'added'));
      const folded = column.map((line) => fold(line.text));
      for (let at = 0; at + code.length <= column.length; at++) {
        if (!code.every((quote, offset) => same(folded[at + offset]!, quote))) continue;
        const rows = column.slice(at, at + code.length);
        // Context alone is found in the RIGHT column already.
        const named = side === 'RIGHT' ? rows : rows.filter((line) => line.kind === 'removed');
        if (named.length === 0) continue;
        const first = rows[0]!;
        const last = rows.at(-1)!;
        found.push({
          side,
          start: placeOf(named[0]!).line,
          end: placeOf(named.at(-1)!).line,
          ...(first.kind !== 'added' && { oldStart: first.old }),
          ...(last.kind !== 'added' && { oldEnd: last.old }),
        });
      }
    }
  return found;
}

/** Whether the code stands where the claim says: it ends there, starts there, or lies within the stated range. */
function standsAt({ start, end, oldStart, oldEnd }: Occurrence, claimed: Claimed): boolean {
  if (isStated(start, end, claimed)) return true;
  return (
    claimed.side === 'LEFT' &&
    oldStart !== undefined &&
    oldEnd !== undefined &&
    isStated(oldStart, oldEnd, claimed)
  );
}

const isStated = (start: number, end: number, { line, startLine }: Claimed): boolean =>
  end === line ||
  start === (startLine ?? line) ||
  (startLine !== undefined && start >= startLine && end <= line);

/** The range that was stated around the code, as far as it stands on the diff; else the code alone. */
function statedRange(
  file: FileDiff,
  { side, start, end }: Occurrence,
  claimed: Claimed,
): { readonly side: Side; readonly line: number; readonly startLine: number } {
  const { startLine, line } = claimed;
  // Named by old numbers, or with no start: nothing more was stated than the code.
  if (startLine === undefined || !isStated(start, end, claimed)) return { side, line: end, startLine: start };
  const last = line > end && rowAt(file, side, line) !== undefined ? line : end;
  return { side, line: last, startLine: Math.min(startLine, start) };
}

/** The anchor of a place that takes comments; a start outside its hunk is clamped. */
function lineAnchor(
  diff: readonly FileDiff[],
  file: FileDiff,
  place: { readonly side: Side; readonly line: number; readonly startLine?: number | undefined },
): Anchor {
  const { side, line } = place;
  const startLine = place.startLine !== undefined && place.startLine < line ? place.startLine : undefined;
  const check = checkRange(diff, { path: file.path, side, line, startLine });
  if (check.kind === 'refused') return { kind: 'row', path: file.path, line, why: check.reason };
  const start = check.range.startLine;
  return { kind: 'line', path: file.path, side, line, ...(start !== undefined && { startLine: start }) };
}
