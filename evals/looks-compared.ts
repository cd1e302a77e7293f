import { z } from 'zod';

/** Of one case: how many bugs are known in it, and which of them a pass did not name. */
export type Score = { readonly id: string; readonly golden: number; readonly missed: readonly string[] };

const Row = z.object({
  id: z.string().min(1),
  golden: z.int().min(0),
  missed: z.array(z.string()),
});
const Scores = z
  .union([z.array(Row), z.object({ cases: z.array(Row) }).transform(({ cases }) => cases)])
  .refine((rows) => rows.every(({ golden, missed }) => new Set(missed).size <= golden), {
    message: 'more bugs are missed than there are',
  });

/** What a scorer prints: a list of { id, golden, missed } or { cases: that list }. Throws `ZodError`. */
export const parseScores = (value: unknown): readonly Score[] => Scores.parse(value);

/** A share with its 95 % interval (Wilson), because cases are few. All from 0 to 1; null when `of` is 0. */
export type Share = {
  readonly found: number;
  readonly of: number;
  readonly share: number | null;
  readonly interval: readonly [number, number] | null;
};

/** A second pass held against the first, over the cases that both were scored on. */
export type Compared = {
  readonly name: string;
  readonly cases: number;
  /** Recall of the first pass alone. */
  readonly first: Share;
  /** Recall of the second pass alone: if the two were independent, `ofMisses` would be as high. */
  readonly second: Share;
  /** Of what the first pass missed: what the second found. */
  readonly ofMisses: Share;
  /** Recall of both together. */
  readonly both: Share;
};

/** Two passes that are one pair of eyes find the same: then `ofMisses` is near 0, whatever `second` is. */
export function compareLooks(
  first: readonly Score[],
  seconds: readonly { readonly name: string; readonly scores: readonly Score[] }[],
): readonly Compared[] {
  return seconds.map(({ name, scores }) => {
    const pairs = first.flatMap((one) => {
      const other = scores.find(({ id }) => id === one.id);
      return other === undefined ? [] : [{ one, other }];
    });
    const of = sum(pairs.map(({ one }) => one.golden));
    const misses = sum(pairs.map(({ one }) => one.missed.length));
    const missedTwice = sum(
      pairs.map(({ one, other }) => one.missed.filter((id) => other.missed.includes(id)).length),
    );
    return {
      name,
      cases: pairs.length,
      first: shareOf(of - misses, of),
      second: shareOf(of - sum(pairs.map(({ other }) => other.missed.length)), of),
      ofMisses: shareOf(misses - missedTwice, misses),
      both: shareOf(of - missedTwice, of),
    };
  });
}

/** As Markdown. */
export function looksTable(compared: readonly Compared[]): string {
  const rows = compared.map(({ name, cases, first, second, ofMisses, both }) =>
    [name, String(cases), inWords(first), inWords(second), inWords(ofMisses), inWords(both)].join(' | '),
  );
  return [
    'second pass | cases | first found | second found | of the misses of the first | both',
    '--- | --- | --- | --- | --- | ---',
    ...rows,
  ]
    .map((row) => `| ${row} |`)
    .join('\n');
}

function inWords({ found, of, share, interval }: Share): string {
  if (share === null || interval === null) return 'none to find';
  const [low, high] = interval.map(percent);
  return `${found} of ${of}, ${percent(share)} % (${low} to ${high})`;
}

const percent = (share: number): string => (share * 100).toFixed(0);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

function shareOf(found: number, of: number): Share {
  if (of === 0) return { found, of, share: null, interval: null };
  const share = found / of;
  const z = 1.96;
  const middle = share + (z * z) / (2 * of);
  const width = z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  const scale = 1 + (z * z) / of;
  const interval = [Math.max(0, (middle - width) / scale), Math.min(1, (middle + width) / scale)] as const;
  return { found, of, share, interval };
}
