import { findFile, type FileDiff } from './diff.js';
import type { EvidenceSource, Ref } from './evidence.js';
import { exactStart, standsIn, standsUnmoved, type Anchor, type Finding } from './finding.js';

type Accused = Pick<Finding, 'key' | 'landmarks' | 'anchor' | 'evidence'>;

/** Where the accused lines of a known finding stand now. */
export type PlaceToday = {
  readonly ref: Ref;
  readonly path: string;
  /** The nearest to where they stood comes first; none when they are gone. Null when the file cannot be read. */
  readonly places: readonly { readonly start: number; readonly end: number }[] | null;
  /** The one of them that has the neighbours and the ordinal of before. */
  readonly exact?: { readonly start: number; readonly end: number };
};

export async function placeToday(
  finding: Accused,
  diff: readonly FileDiff[],
  source: EvidenceSource,
): Promise<PlaceToday> {
  const { ref, path } = versionOf(finding, diff);
  return placeOf(finding, ref, path, source);
}

/** Where the accused lines stand in another file at head. */
export const placeIn = (path: string, finding: Accused, source: EvidenceSource): Promise<PlaceToday> =>
  placeOf(finding, 'head', path, source);

async function placeOf(
  finding: Accused,
  ref: Ref,
  path: string,
  source: EvidenceSource,
): Promise<PlaceToday> {
  const lines = await source.lines(ref, path);
  if (lines === null) return { ref, path, places: null };
  const height = heightOf(finding);
  const places: { start: number; end: number }[] = [];
  for (let at = 0; at + height <= lines.length; at++)
    if (standsIn(finding.key, height, lines.slice(at, at + height)))
      places.push({ start: at + 1, end: at + height });
  const stood = finding.anchor.line;
  const start = exactStart(finding, height, lines);
  return {
    ref,
    path,
    places: places.toSorted((a, b) => Math.abs(a.end - stood) - Math.abs(b.end - stood)),
    ...(start !== null && { exact: { start, end: start + height - 1 } }),
  };
}

/** Known ones whose lines stand with the same neighbours as when they were found. */
export async function unmovedOf(
  known: readonly (Accused & { readonly id: string })[],
  diff: readonly FileDiff[],
  source: EvidenceSource,
): Promise<ReadonlySet<string>> {
  const unmoved = new Set<string>();
  for (const one of known) {
    const { ref, path } = versionOf(one, diff);
    const lines = await source.lines(ref, path);
    if (lines !== null && standsUnmoved(one, heightOf(one), lines)) unmoved.add(one.id);
  }
  return unmoved;
}

/** Lines that a finding accuses. */
export function heightOf({ anchor, evidence }: Pick<Finding, 'anchor' | 'evidence'>): number {
  const at = evidence.find((one) => one.kind === 'quote' && one.role === 'at');
  if (at?.kind === 'quote') return at.end - at.start + 1;
  return anchor.kind === 'line' ? anchor.line - (anchor.startLine ?? anchor.line) + 1 : 1;
}

/** Whether what is accused at an anchor shares a line with this place. */
export const overlaps = (
  anchor: Anchor,
  at: { readonly ref: Ref; readonly path: string; readonly start: number; readonly end: number },
): boolean => {
  const ref = anchor.kind === 'line' && anchor.side === 'LEFT' ? 'base' : 'head';
  const first = anchor.kind === 'line' ? (anchor.startLine ?? anchor.line) : anchor.line;
  return anchor.path === at.path && ref === at.ref && first <= at.end && anchor.line >= at.start;
};

/** The file of a finding in the present change, by the path of today. */
export const fileOf = (
  { anchor }: Pick<Finding, 'anchor'>,
  diff: readonly FileDiff[],
): FileDiff | undefined => findFile(diff, anchor.path) ?? diff.find(({ oldPath }) => oldPath === anchor.path);

function versionOf(
  finding: Pick<Finding, 'anchor'>,
  diff: readonly FileDiff[],
): { readonly ref: Ref; readonly path: string } {
  const { anchor } = finding;
  const file = fileOf(finding, diff);
  const ref = anchor.kind === 'line' && anchor.side === 'LEFT' ? 'base' : 'head';
  return { ref, path: file === undefined ? anchor.path : ref === 'head' ? file.path : file.oldPath };
}
