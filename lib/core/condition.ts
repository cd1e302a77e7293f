import { createHash } from 'node:crypto';
import { foldSpace, type EvidenceSource, type Ref } from './evidence.js';

/** Lines whose text code has found there. */
export type CitedPlace = {
  readonly path: string;
  readonly ref: Ref;
  readonly start: number;
  readonly end: number;
};

/** Lines at head whose change takes the effect away. */
export type Condition = {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly digest: string;
};

/** White space folded, blank lines left out: what a condition compares. */
export const digestOfLines = (lines: readonly string[]): string =>
  hash(
    lines
      .map(foldSpace)
      .filter((line) => line !== '')
      .join('\n'),
  );

/** Those whose lines stand nowhere in their file any more. Lines that only moved have not changed. */
export async function changedOf(
  conditions: readonly Condition[],
  source: Pick<EvidenceSource, 'lines'>,
): Promise<readonly Condition[]> {
  const changed: Condition[] = [];
  for (const condition of conditions) {
    const lines = await source.lines('head', condition.path);
    const height = condition.end - condition.start + 1;
    if (lines === null || !standsSomewhere(condition, lines, height)) changed.push(condition);
  }
  return changed;
}

function standsSomewhere({ digest, start }: Condition, lines: readonly string[], height: number): boolean {
  const isAt = (at: number): boolean => digestOfLines(lines.slice(at, at + height)) === digest;
  if (isAt(start - 1)) return true;
  for (let at = 0; at + height <= Math.min(lines.length, MAX_SEARCHED_LINES); at++) if (isAt(at)) return true;
  return false;
}

const MAX_SEARCHED_LINES = 20_000;

const hash = (value: string): string => createHash('sha256').update(value).digest('hex').slice(0, 16);
