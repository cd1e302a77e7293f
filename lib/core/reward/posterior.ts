import type { Arm } from './arm.js';

/** What an arm says of the mean reward of its category. */
export type Posterior = {
  readonly mean: number;
  /** 95 of 100 that the mean is between `low` and `high`. */
  readonly low: number;
  readonly high: number;
};

/**
 * Computed on a grid: exact to one part in 4,000, which is less than any arm here knows. Alpha and beta are at least 1,
 * so the density is nowhere infinite.
 */
export function posteriorOf(arm: Pick<Arm, 'alpha' | 'beta'>): Posterior {
  const { below } = onGrid(arm);
  return { mean: meanOf(arm), low: quantile(below, 0.025), high: quantile(below, 0.975) };
}

const meanOf = ({ alpha, beta }: Pick<Arm, 'alpha' | 'beta'>): number => alpha / (alpha + beta);

/** An arm as shares of probability on the grid: `at` of each cell, `below` with all cells before and half of this one. */
export type Gridded = { readonly at: readonly number[]; readonly below: readonly number[] };

export function onGrid({ alpha, beta }: Pick<Arm, 'alpha' | 'beta'>): Gridded {
  const logs = cells.map((x) => (alpha - 1) * Math.log(x) + (beta - 1) * Math.log1p(-x));
  const highest = logs.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY);
  const weights = logs.map((log) => Math.exp(log - highest));
  const total = weights.reduce((sum, one) => sum + one, 0);
  const at = weights.map((weight) => weight / total);
  let sum = 0;
  const below = at.map((share) => {
    const half = sum + share / 2;
    sum += share;
    return half;
  });
  return { at, below };
}

/** How likely the first arm's mean is above that of the second. */
export const chanceAbove = (one: Gridded, other: Gridded): number =>
  one.at.reduce((sum, share, cell) => sum + share * (other.below[cell] ?? 0), 0);

const size = 4_000;
const cells: readonly number[] = Array.from({ length: size }, (_, cell) => (cell + 0.5) / size);

function quantile(below: readonly number[], share: number): number {
  const cell = below.findIndex((sum) => sum >= share);
  return cells[cell === -1 ? size - 1 : cell] ?? 1;
}
