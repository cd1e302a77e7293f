import type { Arm } from './arm.js';
import { posteriorOf, type Posterior } from './posterior.js';

/**
 * Where people should look more closely: categories whose mean is, 97.5 of 100, below that of all the others taken
 * together. Weakest first.
 */
export function advise(arms: readonly Arm[]): string {
  if (arms.length < 2) return 'Nothing to compare yet: rewards of two categories at least are needed.';
  const weak = arms
    .map((arm) => ({
      arm,
      posterior: posteriorOf(arm),
      others: pooledMean(arms.filter((one) => one !== arm)),
    }))
    .filter(({ posterior, others }) => posterior.high < others)
    .toSorted((a, b) => a.posterior.mean - b.posterior.mean);
  if (weak.length === 0) return 'No category stands out yet: review all of them alike.';
  const reasons = weak.map(({ arm, posterior, others }) => reason(arm, posterior, others));
  return `Allocate more review to ${listed(weak.map(({ arm }) => arm.category))}: ${reasons.join('; ')}.`;
}

const pooledMean = (arms: readonly Arm[]): number => {
  const alpha = arms.reduce((sum, arm) => sum + arm.alpha, 0);
  const beta = arms.reduce((sum, arm) => sum + arm.beta, 0);
  return alpha / (alpha + beta);
};

const reason = ({ category, updates }: Arm, { mean, low, high }: Posterior, others: number): string =>
  `${category} has ${two(mean)} (${two(low)} to ${two(high)}) after ${updates} ${updates === 1 ? 'reward' : 'rewards'}, the others ${two(others)}`;

const two = (value: number): string => value.toFixed(2);

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
