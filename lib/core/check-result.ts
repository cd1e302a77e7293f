import { z } from 'zod';
import { toJson } from './marker.js';

/**
 * The last line of a check of a review, for programs: `<!-- evident:result {...} -->`. A statement, not a state: no
 * verdict is read back from it, and whoever reads it takes it for data.
 */
export type CheckResult = z.infer<typeof CheckResult>;

const itemId = (letter: string) => z.string().regex(new RegExp(`^${letter}[1-9]\\d{0,5}$`));
const count = z.int().min(0).max(1_000_000);

export const CheckResult = z.object({
  v: z.literal(1),
  verdict: z.enum(['pass', 'review', 'fix', 'waiting', 'escalate', 'incomplete']),
  /** The first seven digits of the commit. */
  head: z.string().regex(/^[0-9a-f]{7,64}$/),
  complete: z.boolean(),
  important: count,
  nit: count,
  pre_existing: count,
  questions_open: count,
  fix_round: count,
  blocking: z.array(itemId('F')).max(1_000),
  /** The open questions; checks from before it was written lack it. */
  questions: z.array(itemId('Q')).max(1_000).optional(),
  /** The next review comes by itself, without a commit; absent: it does not. */
  goes_on: z.literal(true).optional(),
  /** Not before then, ISO 8601 in UTC; absent: at once. */
  goes_on_at: z.iso.datetime().optional(),
});

/** When it goes on, where it is not at once. `at`: epoch milliseconds. */
export const goesOnAt = ({
  how,
  at,
}: {
  readonly how: 'timer' | 'queue' | 'event';
  readonly at: number;
}): Pick<CheckResult, 'goes_on_at'> => (how === 'queue' ? {} : { goes_on_at: new Date(at).toISOString() });

export const writeCheckResult = (result: CheckResult): string => `<!-- evident:result ${toJson(result)} -->`;

export type ReadResult =
  | { readonly kind: 'result'; readonly result: CheckResult }
  | { readonly kind: 'none' }
  /** A line of another version, or one that is broken (`version` is null then). */
  | { readonly kind: 'unknown'; readonly version: number | null };

const MAX_LINE = 40_000;

/** The result among the hidden lines that end the text of a check. What looks like one above them is quoted text. */
export function readCheckResult(text: string): ReadResult {
  const lines = text.split(/\r?\n/);
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = (lines[at] ?? '').trim();
    if (line === '') continue;
    if (!line.startsWith('<!-- evident:')) break;
    const json = /^<!-- evident:result (\{.*\}) -->$/.exec(line.slice(0, MAX_LINE))?.[1];
    if (json !== undefined) return parsed(json);
    if (line.startsWith('<!-- evident:result')) return { kind: 'unknown', version: null };
  }
  return { kind: 'none' };
}

function parsed(json: string): ReadResult {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { kind: 'unknown', version: null };
  }
  const read = CheckResult.safeParse(value);
  if (read.success) return { kind: 'result', result: read.data };
  const version = z.object({ v: z.number() }).safeParse(value).data?.v ?? null;
  return { kind: 'unknown', version: version === 1 ? null : version };
}
