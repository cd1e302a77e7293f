import type { Ref, Served } from '../core/evidence.js';

/** A longer line is cut where many are shown, and shown up to `pageChars` where it is asked for alone. */
export const longestLine = 2_000;

/** Characters that one answer carries: about ten thousand tokens. */
export const pageChars = 40_000;

export type Place = { readonly path: string; readonly ref: Ref; readonly line: number };

/** A line as it is shown; `whole` when nothing was cut, because only then it counts as served. */
export function shownLine(
  text: string,
  most: number = longestLine,
): { readonly text: string; readonly whole: boolean } {
  if (text.length <= most) return { text, whole: true };
  const kept = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
  return {
    text: `${kept} [cut: ${text.length - kept.length} of the ${text.length} characters of this line]`,
    whole: false,
  };
}

/** Places as ranges: sorted, joined, no line twice. */
export function servedRanges(places: Iterable<Place>): readonly Served[] {
  const byFile = new Map<string, { path: string; ref: Ref; lines: Set<number> }>();
  for (const { path, ref, line } of places) {
    const key = `${ref}:${path}`;
    const file = byFile.get(key) ?? { path, ref, lines: new Set() };
    file.lines.add(line);
    byFile.set(key, file);
  }
  return [...byFile.values()].flatMap(({ path, ref, lines }) => {
    const ranges: { path: string; ref: Ref; start: number; end: number }[] = [];
    for (const line of [...lines].sort((a, b) => a - b)) {
      const last = ranges.at(-1);
      if (last !== undefined && last.end === line - 1) last.end = line;
      else ranges.push({ path, ref, start: line, end: line });
    }
    return ranges;
  });
}
