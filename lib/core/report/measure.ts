/**
 * A number and how much it rests on. `value` is null where nothing was counted. `low` and `high` hold 95 of 100 such
 * numbers: Wilson's interval for shares, two standard errors for means; null where there is none.
 */
export type Measure = {
  readonly value: number | null;
  /** How many were counted. */
  readonly n: number;
  /** Of a share: how many of them; else null. */
  readonly hits: number | null;
  readonly low: number | null;
  readonly high: number | null;
};

export const none: Measure = { value: null, n: 0, hits: null, low: null, high: null };

const z = 1.96;

/** `hits` of `n`. */
export function share(hits: number, n: number): Measure {
  if (n === 0) return { ...none, hits: 0 };
  const p = hits / n;
  const middle = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))) / (1 + (z * z) / n);
  return { value: p, n, hits, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

export const shareOf = <T>(all: readonly T[], isHit: (one: T) => boolean): Measure =>
  share(all.filter(isHit).length, all.length);

export function mean(values: readonly number[]): Measure {
  const n = values.length;
  if (n === 0) return none;
  const value = values.reduce((sum, one) => sum + one, 0) / n;
  if (n === 1) return { ...none, value, n };
  const variance = values.reduce((sum, one) => sum + (one - value) ** 2, 0) / (n - 1);
  const half = z * Math.sqrt(variance / n);
  return { value, n, hits: null, low: Math.max(0, value - half), high: value + half };
}

/** Half lie below: one that waited for weeks does not move it. */
export function median(values: readonly number[]): Measure {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  const [below, above] = [sorted[Math.floor((n - 1) / 2)], sorted[Math.floor(n / 2)]];
  return below === undefined || above === undefined ? none : { ...none, value: (below + above) / 2, n };
}

/** Below this many, a figure is a hint. */
export const FEW = 10;

export const isFew = ({ n }: Measure): boolean => n < FEW;

/** Whether two measures differ by more than chance: their intervals do not meet. */
export const differ = (a: Measure, b: Measure): boolean =>
  a.low !== null &&
  a.high !== null &&
  b.low !== null &&
  b.high !== null &&
  (a.high < b.low || b.high < a.low);
