import { resolveAnchor } from './anchor.js';
import { changedLines, fileDigests, findFile, MAX_DIGESTS, pathBefore, type FileDiff } from './diff.js';
import { checkQuote, placeOf, type EvidenceSource, type Quote, type Served } from './evidence.js';
import {
  findingKey,
  landmarksOf,
  type Anchor,
  type Finding,
  type FindingId,
  type FindingKey,
  type Landmarks,
} from './finding.js';
import type { PassRecord } from './pass-record.js';
import { placeToday, type PlaceToday } from './place-today.js';
import type { PriorVerdict } from './submission.js';

/** What a pass says about a finding of before, once code has looked. */
export type PriorJudgement = {
  readonly id: FindingId;
  readonly said: PriorVerdict['verdict'];
  /** What counts, in words; where it is not what was said, why not. */
  readonly why: string;
} & (
  | {
      readonly kind: 'still';
      /** A line at head was quoted for it, and stands there. */
      readonly shown: boolean;
    }
  | { readonly kind: 'cannot_tell' }
  | { readonly kind: 'fixed' }
  | { readonly kind: 'moved'; readonly to: MovedTo }
);

export type MovedTo = {
  readonly anchor: Anchor;
  readonly key: FindingKey;
  readonly landmarks: Landmarks;
  readonly at: Quote;
};

export type PriorGiven = {
  readonly source: EvidenceSource;
  /** Lines that were shown in the run, up to the verdict. */
  readonly served: readonly Served[];
  readonly diff: readonly FileDiff[];
  /** Whether the change of this file is another one than when the finding was last reported. */
  readonly changedSince: (path: string) => boolean | 'unknown';
  /** Keys of everything else that is known. */
  readonly taken?: ReadonlySet<FindingKey>;
};

/**
 * A verdict as far as code can follow it: never more generously than said, and silence is still. "fixed" while the
 * accused lines stand counts only with a line at head that this change touched, in a file whose change is not what it
 * was when the finding was last reported: then something that bears on it did change. "moved" counts when the accused
 * lines stand no more where they stood and the quoted ones do.
 */
export async function judgePrior(
  verdict: PriorVerdict,
  finding: Finding,
  given: PriorGiven,
): Promise<PriorJudgement> {
  const about = { id: finding.id, said: verdict.verdict };
  const { held, failed } = await readEvidence(verdict, given);
  switch (verdict.verdict) {
    case 'cannot_tell':
      return { ...about, kind: 'cannot_tell', why: 'it could not be told, so it is taken to be still there' };
    case 'still':
      return { ...about, kind: 'still', shown: held.length > 0, why: 'it was looked at again' };
    case 'fixed':
    case 'moved':
      break;
  }
  const still = (why: string): PriorJudgement => ({ ...about, kind: 'still', shown: false, why });
  if (held.length === 0) return still(failed ?? 'no line at head was quoted for it');
  const today = await placeToday(finding, given.diff, given.source);
  if (verdict.verdict === 'moved') return moved(finding, held, today, given, still);

  const bearing: Quote[] = [];
  for (const quote of held) if (await bearsOn(quote, today, given)) bearing.push(quote);
  if (bearing.length === 0)
    return still('none of the quoted lines was changed by this pull request, the accused ones left out');
  const since = bearing.map((quote) => ({ quote, changed: given.changedSince(quote.path) }));
  const proof = since.find(({ changed }) => changed === true);
  if (proof !== undefined)
    return { ...about, kind: 'fixed', why: `put right at ${placeOf(proof.quote)}, which changed since` };
  return still(
    since.some(({ changed }) => changed === 'unknown')
      ? 'what this change was when it was last reported is not known any more'
      : `the change of ${[...new Set(bearing.map(({ path }) => path))].join(', ')} is what it was when it was last reported`,
  );
}

/** By the record of the newest pass that reported the finding; a file that was only renamed since is the same. */
export function changedSince(
  id: FindingId,
  passes: readonly Pick<PassRecord, 'findings' | 'files'>[],
  diff: readonly FileDiff[],
): (path: string) => boolean | 'unknown' {
  const then = passes.findLast(({ findings }) => findings.includes(id))?.files;
  if (then === undefined) return () => 'unknown';
  const now = fileDigests(diff);
  const known = new Set(Object.values(then));
  const isWhole = Object.keys(then).length < MAX_DIGESTS;
  return (path) => {
    const digest = now[path];
    if (findFile(diff, path) === undefined) return false;
    if (digest === undefined || (then[path] === undefined && !isWhole)) return 'unknown';
    return !known.has(digest);
  };
}

/**
 * What a pass is asked about, the gravest first: open findings, unless a pass over this very change reported them. Then
 * nothing can have been fixed since.
 */
export const openToAsk = (
  { findings, passes }: { readonly findings: readonly Finding[]; readonly passes: readonly PassRecord[] },
  diffHash: string,
): readonly Finding[] =>
  findings
    .filter(
      ({ id, standing }) =>
        standing.kind === 'open' &&
        passes.findLast((pass) => pass.findings.includes(id))?.diffHash !== diffHash,
    )
    .toSorted((a, b) => Number(a.severity === 'nit') - Number(b.severity === 'nit'));

/** Quotes at head that stand where they are said to and were shown; why the first of the others does not. */
async function readEvidence(
  verdict: PriorVerdict,
  { source, served }: PriorGiven,
): Promise<{ readonly held: readonly Quote[]; readonly failed: string | null }> {
  const held: Quote[] = [];
  let failed: string | null = null;
  for (const proposed of verdict.evidence.slice(0, MAX_QUOTES)) {
    const quote: Quote = { kind: 'quote', role: 'because', ...proposed };
    if (quote.ref !== 'head') {
      failed ??= `${placeOf(quote)} is not at head: quote what stands there now`;
      continue;
    }
    const check = await checkQuote(quote, source, served);
    if (check.kind === 'held') held.push(quote);
    else failed ??= check.reason;
  }
  return { held, failed };
}

const MAX_QUOTES = 12;

/** Whether a quote shows a line with something on it that this change added and that is not accused itself. */
async function bearsOn(
  quote: Quote,
  today: PlaceToday,
  { diff, source }: Pick<PriorGiven, 'diff' | 'source'>,
): Promise<boolean> {
  const file = findFile(diff, quote.path);
  if (file === undefined) return false;
  const added = new Set(changedLines(file).RIGHT);
  const lines = (await source.lines('head', quote.path)) ?? [];
  const isAccused = (line: number): boolean =>
    today.ref === 'head' &&
    today.path === quote.path &&
    (today.places ?? []).some(({ start, end }) => line >= start && line <= end);
  for (let line = quote.start; line <= quote.end; line++)
    if (added.has(line) && !isAccused(line) && /[\p{L}\p{N}]/u.test(lines[line - 1] ?? '')) return true;
  return false;
}

async function moved(
  finding: Finding,
  held: readonly Quote[],
  today: PlaceToday,
  { diff, source, taken = new Set() }: PriorGiven,
  still: (why: string) => PriorJudgement,
): Promise<PriorJudgement> {
  const stands = today.places?.[0];
  if (stands !== undefined)
    return still(`its lines stand where they stood: ${placeOf({ ...today, ...stands })}`);
  const quote = held[0];
  const file = quote === undefined ? null : await source.lines('head', quote.path);
  if (quote === undefined || file === null) return still('no line at head was quoted for it');
  const lines = file.slice(quote.start - 1, quote.end);
  if (!lines.some((line) => /[\p{L}\p{N}]/u.test(line))) return still('the quoted lines are empty');
  const anchor = resolveAnchor(diff, {
    path: quote.path,
    line: quote.end,
    startLine: quote.start,
    side: 'RIGHT',
    code: lines.join('\n'),
  });
  const identity = {
    lineage: pathBefore(diff, quote.path) ?? quote.path,
    category: finding.category,
    file,
    start: quote.start,
    end: quote.end,
  };
  let nth = 0;
  while (taken.has(findingKey({ ...identity, nth }))) nth += 1;
  const text = lines.map((line) => line.replace(/\r$/, '')).join('\n');
  return {
    id: finding.id,
    said: 'moved',
    kind: 'moved',
    why: `it stands at ${placeOf(quote)} now`,
    to: {
      anchor,
      key: findingKey({ ...identity, nth }),
      landmarks: landmarksOf(file, quote.start, quote.end),
      at: { ...quote, role: 'at', quote: text },
    },
  };
}
