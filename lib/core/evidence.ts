import { z } from 'zod';

/** `head` is the reviewed commit, `base` the merge base. */
export const Ref = z.enum(['head', 'base']);
export type Ref = z.infer<typeof Ref>;

/** Lines of a file that a tool has shown in this run; recorded by code, 1-based and inclusive. */
export type Served = {
  readonly path: string;
  readonly ref: Ref;
  readonly start: number;
  readonly end: number;
};

/** A quotation: this text stands at these lines of this version. */
export const Quote = z.object({
  kind: z.literal('quote'),
  role: z.enum(['at', 'because']),
  path: z.string().min(1),
  ref: Ref,
  start: z.number().int().positive(),
  end: z.number().int().positive(),
  quote: z.string().min(1),
});
export type Quote = z.infer<typeof Quote>;

/**
 * An absence: this search finds nothing in this scope. It holds only when the pattern does match somewhere
 * outside the scope or in the other version, because a search that can match nothing proves nothing.
 */
export const Absence = z.object({
  kind: z.literal('absence'),
  role: z.literal('because'),
  pattern: z.string().min(1),
  glob: z.string().min(1),
  ref: Ref,
});
export type Absence = z.infer<typeof Absence>;

export const Evidence = z.discriminatedUnion('kind', [Quote, Absence]);
export type Evidence = z.infer<typeof Evidence>;

/** What the code's own look found. Quotes are "found", never "verified": the text stands there, no more. */
export type EvidenceCheck = { readonly kind: 'held' } | { readonly kind: 'failed'; readonly reason: string };

/** Where code re-reads what a claim cites: the same view the tools show (secrets labelled), at both refs. */
export type EvidenceSource = {
  /** Null when there are no readable lines at that path. */
  lines(ref: Ref, path: string): Promise<readonly string[] | null>;
  /**
   * Over the whole tree of the ref. `total` counts matching lines, `files` the files of the scope that were searched,
   * `notSearched` those that could not be.
   */
  count(query: { readonly pattern: string; readonly ref: Ref; readonly glob?: string }): Promise<
    | {
        readonly kind: 'counted';
        readonly total: number;
        readonly files: number;
        readonly notSearched: number;
      }
    | { readonly kind: 'bad'; readonly why: string }
  >;
};

/** Looks a citation up again. A failed check says what is wrong and how to mend it. */
export function checkEvidence(
  evidence: Evidence,
  source: EvidenceSource,
  served: readonly Served[],
): Promise<EvidenceCheck> {
  return evidence.kind === 'quote' ? checkQuote(evidence, source, served) : checkAbsence(evidence, source);
}

/** A citation of more lines than this points at nothing in particular. */
const MAX_QUOTED_LINES = 80;

/** In longer files the hint where a text stands would cost more than it is worth. */
const MAX_SEARCHED_LINES = 20_000;

/** Part of a line may be quoted when it is at least this long (white space left out) and cuts no word. */
const MIN_PART = 8;

/**
 * A quote holds when its text stands at exactly those lines (white space folded, nothing else) and every one of them
 * was shown in this run. The first and the last line may be quoted in part.
 */
export async function checkQuote(
  quote: Pick<Quote, 'path' | 'ref' | 'start' | 'end' | 'quote'>,
  source: EvidenceSource,
  served: readonly Served[],
): Promise<EvidenceCheck> {
  const failed = (reason: string): EvidenceCheck => ({ kind: 'failed', reason });
  const place = placeOf(quote);
  if (quote.end < quote.start)
    return failed(`${place} is not a range: the first line comes after the last one`);
  if (quote.end - quote.start >= MAX_QUOTED_LINES)
    return failed(`${place} is more than ${MAX_QUOTED_LINES} lines: quote the few that matter`);
  const wanted = foldSpace(quote.quote);
  if (wanted === '') return failed(`the quote for ${place} is empty`);

  const lines = await source.lines(quote.ref, quote.path);
  if (lines === null) return failed(`there is no readable file ${quote.path} at ${quote.ref}`);
  if (quote.end > lines.length)
    return failed(
      `${place} is outside the file, which has ${lines.length} lines${elsewhere(wanted, lines, quote)}`,
    );
  const unread = firstUnserved(quote, served);
  if (unread !== null)
    return failed(`${quote.path}:${unread} (${quote.ref}) was not read in this run: read it first`);
  if (!standsAt(wanted, lines.slice(quote.start - 1, quote.end)))
    return failed(`the quoted text is not at ${place}${elsewhere(wanted, lines, quote)}`);
  return { kind: 'held' };
}

/**
 * An absence holds when the search finds nothing in a scope that was searched whole, and the same pattern does match
 * somewhere else in either version.
 */
export async function checkAbsence(
  absence: Pick<Absence, 'pattern' | 'glob' | 'ref'>,
  source: EvidenceSource,
): Promise<EvidenceCheck> {
  const failed = (reason: string): EvidenceCheck => ({ kind: 'failed', reason });
  const said = `\`${absence.pattern}\` in ${absence.glob} (${absence.ref})`;
  const scope = await source.count(absence);
  if (scope.kind === 'bad') return failed(`the search for ${said} cannot be run: ${scope.why}`);
  if (scope.total > 0)
    return failed(
      `the search for ${said} finds ${scope.total} ${scope.total === 1 ? 'line' : 'lines'}, so it is not absent`,
    );
  if (scope.notSearched > 0)
    return failed(
      `${scope.notSearched} files of ${absence.glob} could not be searched, so nothing can be said to be absent there`,
    );
  if (scope.files === 0)
    return failed(`no file is in the scope ${absence.glob} at ${absence.ref}: check the glob`);
  for (const ref of absence.ref === 'head' ? (['head', 'base'] as const) : (['base', 'head'] as const)) {
    const anywhere = await source.count({ pattern: absence.pattern, ref });
    if (anywhere.kind === 'counted' && anywhere.total > 0) return { kind: 'held' };
  }
  return failed(
    `\`${absence.pattern}\` matches nothing in the whole repository, and a search that can match nothing proves nothing: ` +
      'use a pattern that finds the thing where it does exist',
  );
}

/** White space folded, nothing else. A carriage return at the end of a line is white space. */
export const foldSpace = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/** `src/a.ts:12-13 (head)`. */
export const placeOf = (at: Pick<Quote, 'path' | 'ref' | 'start' | 'end'>): string =>
  `${at.path}:${at.start === at.end ? at.start : `${at.start}-${at.end}`} (${at.ref})`;

/** The first line of a range that no tool has shown, or null when all were. */
export function firstUnserved(
  at: Pick<Quote, 'path' | 'ref' | 'start' | 'end'>,
  served: readonly Served[],
): number | null {
  const shown = served
    .filter((one) => one.path === at.path && one.ref === at.ref && one.end >= at.start && one.start <= at.end)
    .sort((a, b) => a.start - b.start);
  let next = at.start;
  for (const one of shown) {
    if (one.start > next) break;
    next = Math.max(next, one.end + 1);
  }
  return next > at.end ? null : next;
}

/** Whether folded text covers these lines: all of the inner ones, and at least a telling part of the outer ones. */
function standsAt(wanted: string, lines: readonly string[]): boolean {
  const folded = lines.map(foldSpace);
  const whole = foldSpace(folded.join(' '));
  if (whole === wanted) return true;
  if (whole === '' || wanted.replaceAll(' ', '').length < MIN_PART) return false;
  const first = folded.findIndex((line) => line !== '');
  const last = folded.findLastIndex((line) => line !== '');
  const firstEnds = folded[first]?.length ?? 0;
  const lastStarts = whole.length - (folded[last]?.length ?? 0);
  for (let at = whole.indexOf(wanted); at !== -1; at = whole.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    if (at < firstEnds && end > lastStarts && !cutsWord(whole, at) && !cutsWord(whole, end)) return true;
  }
  return false;
}

/** Whether the place between two characters is inside a word; a `!` cut off from what it negates counts as one. */
const cutsWord = (text: string, at: number): boolean =>
  at > 0 &&
  at < text.length &&
  (/[\p{L}\p{N}_$][\p{L}\p{N}_$]/u.test(text.slice(at - 1, at + 1)) || text[at - 1] === '!');

/** Where else the text stands, when that is one place only. */
function elsewhere(
  wanted: string,
  lines: readonly string[],
  at: Pick<Quote, 'start' | 'end' | 'quote'>,
): string {
  const height = at.quote.replace(/\s+$/u, '').split('\n').length;
  if (height > MAX_QUOTED_LINES || lines.length > MAX_SEARCHED_LINES) return '';
  const found = findText(wanted, lines, height);
  if (found.length !== 1) return '';
  const start = found[0] ?? 0;
  return start === at.start && height === at.end - at.start + 1
    ? ''
    : `; it stands at ${height === 1 ? start : `${start}-${start + height - 1}`}`;
}

/** First lines (1-based) of the places where the folded text covers `height` lines; at most two are looked for. */
function findText(wanted: string, lines: readonly string[], height: number): readonly number[] {
  const found: number[] = [];
  for (let start = 1; start + height - 1 <= lines.length && found.length < 2; start++) {
    if (foldSpace(lines[start - 1] ?? '') === '') continue;
    if (standsAt(wanted, lines.slice(start - 1, start - 1 + height))) found.push(start);
  }
  return found;
}
