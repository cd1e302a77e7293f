import { randomBeta } from 'd3-random';
import { createArm, type Arm } from './arm.js';
import { createSeeded } from './seeded.js';

export type Draw = { readonly arm: Arm; readonly drawn: number };

export type Choice = { readonly category: string; readonly draws: readonly Draw[] };

/**
 * Thompson's choice: one draw from each arm, and the highest is taken. What does well is chosen often, what is hardly
 * known now and then. The same arms and seed choose the same, in whatever order the arms come. Null without arms.
 */
export function choose(arms: readonly Arm[], seed: string): Choice | null {
  const draws = arms
    .toSorted((a, b) => (a.category < b.category ? -1 : 1))
    // A stream for each arm: another arm more does not change what this one draws.
    .map((arm): Draw => ({ arm, drawn: drawFrom(arm, createSeeded(`${seed}\n${arm.category}`)) }));
  const best = draws.reduce<Draw | null>(
    (most, one) => (most === null || one.drawn > most.drawn ? one : most),
    null,
  );
  return best === null ? null : { category: best.arm.category, draws };
}

/** One draw from Beta(alpha, beta). */
export const drawFrom = ({ alpha, beta }: Pick<Arm, 'alpha' | 'beta'>, random: () => number): number =>
  randomBeta.source(random)(alpha, beta)();

/** The arms of these categories, those that nothing is known of among them. */
export const armsAmong = (arms: readonly Arm[], categories: readonly string[]): readonly Arm[] =>
  categories.map((category) => arms.find((arm) => arm.category === category) ?? createArm(category));
