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
  /** Fewer of the reviewers who read side by side found it than the settings ask for: listed, and it does not block. */
  | { readonly kind: 'outvoted'; readonly for: number; readonly of: number; readonly needed: number }
  | { readonly kind: 'obsolete'; readonly since: Sha };

export type Finding = {
  readonly id: FindingId;
  readonly key: FindingKey;
  readonly landmarks?: Landmarks;
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

/**
 * Hashes of the nearest line above and below that stands only once in its file; '' where there is none. They tell places
 * apart that are equal in lines and neighbours, also when another such place comes or goes above them.
 */
export type Landmarks = readonly string[];

export const landmarksOf = (file: readonly string[], start: number, end: number): Landmarks =>
  landmarkFinder(file.map(foldSpace))(start, end);

function landmarkFinder(folded: readonly string[]): (start: number, end: number) => Landmarks {
  const times = new Map<string, number>();
  for (const line of folded) times.set(line, (times.get(line) ?? 0) + 1);
  const isOne = (line: string): boolean => times.get(line) === 1 && /[\p{L}\p{N}]/u.test(line);
  return (start, end) =>
    [folded.slice(0, start - 1).findLast(isOne), folded.slice(end).find(isOne)].map((line) =>
      line === undefined ? '' : hash(line, 8),
    );
}

/** Whether they have one in common; where one has none that are known, nothing speaks against it. */
export const shareLandmark = (a: Landmarks | undefined, b: Landmarks | undefined): boolean =>
  a === undefined || b === undefined || a.some((one, side) => one !== '' && one === b[side]);

/** Whether a file still has a place with the lines, the neighbours and a landmark of a finding. */
export function standsUnmoved(
  { key, landmarks }: Pick<Finding, 'key' | 'landmarks'>,
  height: number,
  file: readonly string[],
): boolean {
  return placesOf(key, height, file).some((place) => shareLandmark(landmarks, place.landmarks));
}

/** Places (1-based) with the lines and the neighbours of a key. */
function placesOf(
  key: string,
  height: number,
  file: readonly string[],
): readonly { readonly start: number; readonly landmarks: Landmarks }[] {
  const parts = partsOfKey(key);
  if (parts === null) return [];
  const folded = file.map(foldSpace);
  const landmarks = landmarkFinder(folded);
  const places = [];
  for (let at = 0; at + height <= folded.length; at++)
    if (
      linesHash(folded.slice(at, at + height)) === parts.lines &&
      hash(neighboursOf(folded, at + 1, at + height), 8) === parts.neighbours
    )
      places.push({ start: at + 1, landmarks: landmarks(at + 1, at + height) });
  return places;
}

/** The line (1-based) where the very place of a finding begins, by its landmarks, else by its ordinal; null if none. */
export function exactStart(
  { key, landmarks }: Pick<Finding, 'key' | 'landmarks'>,
  height: number,
  file: readonly string[],
): number | null {
  const places = placesOf(key, height, file);
  const near = landmarks === undefined ? [] : places.filter((one) => shareLandmark(landmarks, one.landmarks));
  const ordinal = Number(partsOfKey(key)?.spot.split('-')[0]);
  return (near.length === 1 ? near[0] : places[ordinal])?.start ?? null;
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
