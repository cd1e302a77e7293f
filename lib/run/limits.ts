import type { Snapshot } from '../core/snapshot.js';
import type { ReviewLimits } from '../modes/review.js';
import type { Deps } from './given.js';

/** The operator's limits, lowered where the repository's settings ask for less. */
export function limitsOf({ limits }: Deps, { policy: { budget } }: Snapshot): ReviewLimits {
  const { minutes: _minutes, ...asked } = budget;
  const lowered = Object.entries({ ...limits, ...asked }).map(([name, value]) => {
    const operators = limits[name as keyof ReviewLimits];
    return [name, operators === undefined ? value : Math.min(operators, value ?? operators)] as const;
  });
  return Object.fromEntries(lowered);
}

/** Epoch milliseconds; what comes after it is finalizing and publishing. */
export const deadlineOf = (began: number, { longestRunMs }: Deps, { policy: { budget } }: Snapshot): number =>
  began + Math.min(longestRunMs - publishMs, (budget.minutes ?? Infinity) * 60_000);

/** The limit of time as a person set it, in milliseconds. */
export const longestOf = ({ longestRunMs }: Deps, { policy: { budget } }: Snapshot): number =>
  Math.min(longestRunMs, (budget.minutes ?? Infinity) * 60_000);

/** Kept for finalizing and publishing when the run's time is nearly over. */
const publishMs = 20_000;
