import type { Category } from '../finding.js';

/** Unresolved threads of one pull request, by category. */
export type Unresolved = Readonly<Record<Category, number>>;

export type Penalty = {
  /** What the threads add up to. */
  readonly raw: number;
  /** The same, at most `mostPerPull`. */
  readonly penalty: number;
};

/** In hundredths: sums of whole numbers have no float noise. */
const weights: Readonly<Record<Category, number>> = { security: 6, logic: 3, quality: 1 };

/** A pull request costs at most this, however many threads it has. */
export const mostPerPull = 0.15;

/** All pull requests of one update together cost at most this. */
const mostPerUpdate = 0.25;

export function penaltyOf({ security, logic, quality }: Unresolved): Penalty {
  const raw = security * weights.security + logic * weights.logic + quality * weights.quality;
  return { raw: raw / 100, penalty: Math.min(raw, hundredths(mostPerPull)) / 100 };
}

/** What one update loses by the pull requests it holds. */
export const aggregateOf = (penalties: readonly number[]): number =>
  Math.min(
    penalties.reduce((sum, one) => sum + hundredths(one), 0),
    hundredths(mostPerUpdate),
  ) / 100;

const hundredths = (value: number): number => Math.round(value * 100);
