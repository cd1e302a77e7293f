/** What is believed of a category of work: Beta(alpha, beta), which begins at Beta(1, 1), where everything is likely. */
export type Arm = {
  readonly category: string;
  readonly alpha: number;
  readonly beta: number;
  /** Rewards that it has taken in. */
  readonly updates: number;
};

export type Reward = { readonly category: string; readonly reward: number };

export const createArm = (category: string): Arm => ({ category, alpha: 1, beta: 1, updates: 0 });

/** The fractional update: alpha + r, beta + 1 - r, with r held in [0, 1]. */
export function updateArm(arm: Arm, reward: number): Arm {
  const r = clamp(reward);
  return { ...arm, alpha: arm.alpha + r, beta: arm.beta + (1 - r), updates: arm.updates + 1 };
}

/** One arm for each category that a reward names, by name. */
export function armsOf(rewards: readonly Reward[]): readonly Arm[] {
  const arms = new Map<string, Arm>();
  for (const { category, reward } of rewards)
    arms.set(category, updateArm(arms.get(category) ?? createArm(category), reward));
  return [...arms.values()].toSorted((a, b) => (a.category < b.category ? -1 : 1));
}

/** What is no number is 0: a reward that nobody can read is none. */
export const clamp = (reward: number): number =>
  Number.isNaN(reward) ? 0 : Math.min(1, Math.max(0, reward));
