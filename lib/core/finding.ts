import { createHash } from 'node:crypto';
import { z } from 'zod';
import { foldSpace, type Evidence } from './evidence.js';
import type { Sha } from './pull-request.js';

export const Severity = z.enum(['important', 'nit']);
export type Severity = z.infer<typeof Severity>;

export const Category = z.enum(['security', 'logic', 'quality']);
export type Category = z.infer<typeof Category>;

/** The model's claim. It routes (high: a finding; else a question or nothing) and is never changed by code. */
export const Confidence = z.enum(['high', 'medium', 'low']);
export type Confidence = z.infer<typeof Confidence>;

/** Computed: on a line that this change touched, or not. */
export type Origin = 'introduced' | 'pre_existing';

/** `F1`, `F2`, ...: counts up per pull request and is never reused. */
export type FindingId = `F${number}`;

/** Stable over pushes: path lineage, category, hash of the normalised anchored lines, neighbours and ordinal. */
export type FindingKey = string & { readonly __brand: 'FindingKey' };

/** Where a finding stands. What cannot be anchored is a row of the summary and still counted. */
export type Anchor =
  | {
      readonly kind: 'line';
      readonly path: string;
      readonly side: 'LEFT' | 'RIGHT';
      readonly line: number;
      readonly startLine?: number;
    }
  | { readonly kind: 'row'; readonly path: string; readonly line: number; readonly why: string };

/** Who or what decided, when and why; shown with the name. */
export type Decision = {
  readonly by: string;
  readonly at: string;
  readonly why?: string;
  /** Who confirmed the word of an author who may not decide alone. */
  readonly confirmedBy?: string;
};

export type Standing =
  | { readonly kind: 'open' }
  | { readonly kind: 'fixed'; readonly in: Sha }
  | ({ readonly kind: 'dismissed' } & Decision)
  | ({ readonly kind: 'suppressed' } & Decision)
  | ({ readonly kind: 'uncertain' } & Decision)
  | ({ readonly kind: 'withdrawn' } & Decision)
  | { readonly kind: 'obsolete'; readonly since: Sha };

export type Finding = {
  readonly id: FindingId;
  readonly key: FindingKey;
  readonly anchor: Anchor;
  readonly rule: string;
  readonly severity: Severity;
  readonly category: Category;
  readonly confidence: Confidence;
  readonly origin: Origin;
  readonly title: string;
  readonly body: string;
  /** Replaces exactly the anchored range; an empty string deletes it. Absent: no suggestion. */
  readonly suggestion?: string;
  /** Code that shows the fix but cannot be applied to the range as it is. */
  readonly fix?: string;
  readonly evidence: readonly Evidence[];
  /** The question that it was before it was answered. */
  readonly from?: `Q${number}`;
  readonly standing: Standing;
};

/** Open, important and introduced: the only thing that may block. */
export const blocks = (finding: Pick<Finding, 'standing' | 'severity' | 'origin'>): boolean =>
  finding.standing.kind === 'open' && finding.severity === 'important' && finding.origin === 'introduced';

/** What a finding is about, whatever it is called and wherever it has moved. */
export type Identity = {
  /** The path at the merge base where the file was renamed, else the path. */
  readonly lineage: string;
  readonly category: Category;
  /** All lines of the version that the finding stands in. */
  readonly file: readonly string[];
  /** 1-based and inclusive. */
  readonly start: number;
  readonly end: number;
  /** Tells findings of one pass on the same lines and of the same category apart. */
  readonly nth: number;
};

/**
 * `logic.<path>.<lines>.<neighbours>.<ordinal>`: category, then hashes of the path, of the anchored lines and of the
 * nearest lines with text around them (white space folded), then the ordinal among places of the file that are equal
 * in all that. Line numbers, rule names and texts are no part of it.
 */
export function findingKey({ lineage, category, file, start, end, nth }: Identity): FindingKey {
  const folded = file.map(foldSpace);
  const lines = folded.slice(start - 1, end);
  const around = neighboursOf(folded, start, end);
  let ordinal = 0;
  for (let at = 1; at < start; at++)
    if (
      lines.every((line, offset) => folded[at - 1 + offset] === line) &&
      neighboursOf(folded, at, at + lines.length - 1) === around
    )
      ordinal += 1;
  const spot = nth === 0 ? `${ordinal}` : `${ordinal}-${nth}`;
  return [category, hash(lineage, 10), linesHash(lines), hash(around, 8), spot].join('.') as FindingKey;
}

/** The parts of a key; null for anything that is not one. */
export function partsOfKey(key: string): {
  readonly category: string;
  readonly path: string;
  readonly lines: string;
  readonly neighbours: string;
  readonly spot: string;
} | null {
  const parts =
    /^(security|logic|quality)\.([0-9a-f]{10})\.([0-9a-f]{16})\.([0-9a-f]{8})\.(\d{1,6}(?:-\d{1,3})?)$/.exec(
      key,
    );
  if (parts === null) return null;
  const [, category = '', path = '', lines = '', neighbours = '', spot = ''] = parts;
  return { category, path, lines, neighbours, spot };
}

/** Whether a file still has a place with the lines and the neighbours of a key. */
export function standsUnmoved(key: string, height: number, file: readonly string[]): boolean {
  const parts = partsOfKey(key);
  if (parts === null) return false;
  const folded = file.map(foldSpace);
  for (let at = 0; at + height <= folded.length; at++)
    if (
      linesHash(folded.slice(at, at + height)) === parts.lines &&
      hash(neighboursOf(folded, at + 1, at + height), 8) === parts.neighbours
    )
      return true;
  return false;
}

/** The line (1-based) where the very place of a key begins: its lines, neighbours and ordinal; null if there is none. */
export function exactStart(key: string, height: number, file: readonly string[]): number | null {
  const parts = partsOfKey(key);
  if (parts === null) return null;
  const folded = file.map(foldSpace);
  let left = Number(parts.spot.split('-')[0]);
  for (let at = 0; at + height <= folded.length; at++)
    if (
      linesHash(folded.slice(at, at + height)) === parts.lines &&
      hash(neighboursOf(folded, at + 1, at + height), 8) === parts.neighbours &&
      left-- === 0
    )
      return at + 1;
  return null;
}

/** Whether the anchored lines of a key (`height` lines of them) still stand anywhere in a file. */
export function standsIn(key: string, height: number, file: readonly string[]): boolean {
  const parts = partsOfKey(key);
  if (parts === null) return true;
  const folded = file.map(foldSpace);
  for (let at = 0; at + height <= folded.length; at++)
    if (linesHash(folded.slice(at, at + height)) === parts.lines) return true;
  return false;
}

const neighboursOf = (folded: readonly string[], start: number, end: number): string => {
  const before = folded.slice(0, start - 1).findLast((line) => line !== '') ?? '';
  const after = folded.slice(end).find((line) => line !== '') ?? '';
  return JSON.stringify([before, after]);
};

const linesHash = (folded: readonly string[]): string =>
  hash(folded.filter((line) => line !== '').join('\n'), 16);

const hash = (text: string, digits: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, digits);
