import type { GateSimulation } from '../../evals/gate-simulation.js';

/** The product's own gate, with two passes, with one and by a vote, as lib/core/pass-cost.ts has it. */
export function withPassCost(
  source: string,
  { prs, twoClean, twoCleanLowered, twoOfThree }: GateSimulation,
): string {
  const figures = `{ prs: ${prs.toLocaleString('en-US').replaceAll(',', '_')}, twoClean: ${twoClean.passedWithBug.toFixed(1)}, oneClean: ${twoCleanLowered.passedWithBug.toFixed(1)}, twoOfThree: ${twoOfThree.passedWithBug.toFixed(1)} }`;
  return source.replace(/(?<=export const passCost = )\{[^}]*\}/, figures);
}
