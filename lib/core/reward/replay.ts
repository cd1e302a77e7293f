import { armsOf, type Arm } from './arm.js';
import { pullReward, type LearnedPull } from './learned.js';
import { chanceAbove, onGrid, posteriorOf, type Posterior } from './posterior.js';

/** One pull request of a history, with the rewards that it gives by each way to reward. */
export type Outcome = {
  readonly category: string;
  readonly security: number;
  readonly logic: number;
  readonly quality: number;
  /** Graded: 1 less the share of the cap that its open threads cost. */
  readonly reward: number;
  /** Binary: nothing was left open. */
  readonly clean: boolean;
  /** Binary: it was merged; absent where nobody knows. */
  readonly merged?: boolean;
};

export const outcomeOf = (pull: LearnedPull): Outcome => ({
  category: pull.category,
  security: pull.security,
  logic: pull.logic,
  quality: pull.quality,
  reward: pullReward(pull),
  clean: pull.penalty === 0,
  ...(pull.merged !== undefined && { merged: pull.merged }),
});

/** `graded` is the reward that is learned from; the other two are what it is compared with. */
export type Scheme = 'graded' | 'clean' | 'merged';

export const schemes = ['graded', 'clean', 'merged'] as const satisfies readonly Scheme[];

export type Replay = Readonly<Record<Scheme, Replayed>>;

export type Replayed = {
  readonly updates: number;
  /** By mean, lowest first. */
  readonly arms: readonly (Arm & Posterior)[];
  readonly told: ToldApart;
  /** The same after so many updates of the whole history. */
  readonly after: readonly { readonly updates: number; readonly arms: readonly (Arm & Posterior)[] }[];
};

/** Pairs of categories of which, 97.5 of 100, one is above the other. */
export type ToldApart = { readonly pairs: number; readonly of: number };

/** What each way to reward would have learned from a history, in its order. `at`: after how many updates to look besides. */
export function replay(history: readonly Outcome[], at: readonly number[]): Replay {
  const by = (scheme: Scheme): Replayed => {
    const rewards = history.map((one) => rewardBy(scheme, one));
    const arms = after(rewards, rewards.length);
    return {
      updates: rewards.filter((one) => one !== null).length,
      arms,
      told: toldApart(arms),
      after: at
        .filter((updates) => updates <= history.length)
        .map((updates) => ({ updates, arms: after(rewards, updates) })),
    };
  };
  return { graded: by('graded'), clean: by('clean'), merged: by('merged') };
}

type Rewarded = { readonly category: string; readonly reward: number };

function rewardBy(scheme: Scheme, { category, reward, clean, merged }: Outcome): Rewarded | null {
  switch (scheme) {
    case 'graded':
      return { category, reward };
    case 'clean':
      return { category, reward: Number(clean) };
    case 'merged':
      return merged === undefined ? null : { category, reward: Number(merged) };
  }
}

const after = (rewards: readonly (Rewarded | null)[], updates: number): readonly (Arm & Posterior)[] =>
  armsOf(rewards.slice(0, updates).filter((one) => one !== null))
    .map((arm) => ({ ...arm, ...posteriorOf(arm) }))
    .toSorted((a, b) => a.mean - b.mean);

function toldApart(arms: readonly Arm[]): ToldApart {
  const grids = arms.slice(0, mostCompared).map(onGrid);
  const chances = grids.flatMap((one, index) =>
    grids.slice(index + 1).map((other) => chanceAbove(one, other)),
  );
  return { pairs: chances.filter((chance) => chance >= 0.975 || chance <= 0.025).length, of: chances.length };
}

/** Each pair costs time: of very many categories the weakest are compared. */
const mostCompared = 100;
