import { z } from 'zod';
import { digestOfLines, type CitedPlace, type Condition } from '../core/condition.js';
import { checkQuote, firstUnserved, foldSpace, type EvidenceSource, type Served } from '../core/evidence.js';
import { MAX_CITED, MAX_CONDITIONS } from '../core/reading.js';
import { fromJson, type ProposedQuote } from '../core/submission.js';

/** What the terminal tools that read people's words check alike. */

const lineNumber = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,8}$/.test(value.trim()) ? Number(value) : value),
  z.int().positive(),
);

export const ProposedPlace = z.object({ path: z.string().min(1), start: lineNumber, end: lineNumber });

/** Arguments as an object, whatever they came as. */
export const recordOf = (input: unknown): unknown => {
  const given = fromJson(input);
  return typeof given === 'object' && given !== null && !Array.isArray(given)
    ? Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
    : given;
};

/** Each quote looked up again by code; what stands is cited by its place. */
export async function checkQuotes(
  quotes: readonly ProposedQuote[],
  source: EvidenceSource,
  served: readonly Served[],
): Promise<{ readonly places: readonly CitedPlace[]; readonly reasons: readonly string[] }> {
  if (quotes.length > MAX_CITED)
    return { places: [], reasons: [`evidence: at most ${MAX_CITED} quotes, the ones that decide`] };
  const places: CitedPlace[] = [];
  const reasons: string[] = [];
  for (const [index, quote] of quotes.entries()) {
    const check = quote.path.length > MAX_PATH ? tooLong : await checkQuote(quote, source, served);
    const { path, ref, start, end } = quote;
    if (check.kind === 'held') places.push({ path, ref, start, end });
    else reasons.push(`evidence[${index}]: ${check.reason}`);
  }
  return { places, reasons };
}

/** Lines at head as a condition keeps them: shown in this run, and told by their text. */
export async function checkPlaces(
  places: readonly z.infer<typeof ProposedPlace>[],
  source: EvidenceSource,
  served: readonly Served[],
): Promise<{ readonly conditions: readonly Condition[]; readonly reasons: readonly string[] }> {
  if (places.length > MAX_CONDITIONS)
    return {
      conditions: [],
      reasons: [`conditions: at most ${MAX_CONDITIONS} places, the ones that decide`],
    };
  const conditions: Condition[] = [];
  const reasons: string[] = [];
  for (const [index, { path, start, end }] of places.entries()) {
    const wrong = (why: string): void => void reasons.push(`conditions[${index}]: ${why}`);
    const lines = path.length > MAX_PATH ? null : await source.lines('head', path);
    const text = lines?.slice(start - 1, end) ?? [];
    if (lines === null) wrong(`there is no readable file ${path.slice(0, MAX_PATH)} at head`);
    else if (end < start || end > lines.length) wrong(`${path} has ${lines.length} lines`);
    else if (end - start >= MAX_LINES) wrong(`more than ${MAX_LINES} lines: name the few that matter`);
    else if (text.every((line) => foldSpace(line) === '')) wrong('these lines are blank');
    else {
      const unread = firstUnserved({ path, ref: 'head', start, end }, served);
      if (unread !== null) wrong(`${path}:${unread} was not read in this run: read it first`);
      else conditions.push({ path, start, end, digest: digestOfLines(text) });
    }
  }
  return { conditions, reasons };
}

const MAX_LINES = 40;
const MAX_PATH = 300;
const tooLong = { kind: 'failed', reason: 'the path is too long' } as const;

/** Whether a place shares a line with one of these. */
export const isOn = (place: CitedPlace, others: readonly CitedPlace[]): boolean =>
  others.some(
    (one) =>
      one.path === place.path && one.ref === place.ref && one.start <= place.end && one.end >= place.start,
  );

/** What the person will read: there, short, and without agreeing first and thinking later. */
export function checkProse(name: string, text: string): readonly string[] {
  if (text === '') return [`${name}: it is missing`];
  const words = text.split(' ').length;
  if (words > MAX_PROSE_WORDS || text.length > MAX_PROSE)
    return [`${name}: ${words} words; at most ${MAX_PROSE_WORDS}`];
  return flattery.test(text)
    ? [`${name}: no praise, no thanks, no apology and no "you are right": say what the code shows`]
    : [];
}

export const MAX_PROSE_WORDS = 80;
const MAX_PROSE = 700;

const flattery =
  /\b(?:you(?:'|\u2019)?(?: a)?re (?:\w+ )?(?:right|correct)|(?:good|great|excellent|fair|valid) (?:point|catch|question)|thank(?:s| you)|apologi[sz]e|sorry|my mistake|happy to help|let me know)\b/iu;

/** White space folded. */
export const trimmed = (text: string): string => foldSpace(text);

export const issuesOf = (error: z.ZodError): string =>
  z.prettifyError(error).replace(/\s+/g, ' ').slice(0, 600);
