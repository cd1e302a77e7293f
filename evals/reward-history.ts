import { chance, createRandom, poisson } from './random.js';

/** One pull request of a made-up history, as `evident reward replay` reads it. */
export type MadePull = {
  readonly repo: string;
  readonly pr: number;
  readonly category: string;
  readonly security: number;
  readonly logic: number;
  readonly quality: number;
  readonly merged: boolean;
};

/** Three kinds of work that an agent does well, and three that it does not. */
export const kinds = {
  good: ['dashboard', 'docs', 'search'],
  bad: ['billing', 'imports', 'sessions'],
} as const;

/**
 * How many threads a pull request of each kind leaves open, on average. `remarks`: nits of the reviewer, which come
 * whatever the work is like.
 */
const rates = {
  good: { security: 0.01, logic: 0.1 },
  bad: { security: 0.25, logic: 0.9 },
  remarks: { chatty: 3, quiet: 0.3 },
  /** Nearly all is merged in the end, good or bad. */
  merged: 0.96,
} as const;

/** Whether the reviewers nearly always leave a remark, or hardly ever. */
export type Reviewers = keyof typeof rates.remarks;

/** Pull requests one after the other, each of a kind of work that chance picks. The same seed makes the same ones. */
export function makeHistory(how: {
  readonly updates: number;
  readonly seed: number;
  readonly reviewers: Reviewers;
}): readonly MadePull[] {
  const random = createRandom(how.seed, 0);
  const categories: readonly string[] = [...kinds.good, ...kinds.bad];
  return Array.from({ length: how.updates }, (_, index) => {
    const category = categories[Math.floor(random() * categories.length)] ?? '';
    const { security, logic } = isGood(category) ? rates.good : rates.bad;
    return {
      repo: 'octo-org/shop',
      pr: index + 1,
      category,
      security: poisson(random, security),
      logic: poisson(random, logic),
      quality: poisson(random, rates.remarks[how.reviewers]),
      merged: chance(random, rates.merged),
    };
  });
}

export const isGood = (category: string): boolean => kinds.good.some((name) => name === category);
