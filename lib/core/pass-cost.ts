/**
 * Of 100 simulated pull requests that passed, those with a bug left: by the gate as it comes, with one clean pass in
 * the place of two, and where two of three who read side by side must agree on what blocks. Written by
 * scripts/write-gate-simulation.ts from the simulation of docs/GATE.md.
 */
export const passCost = { prs: 200_000, twoClean: 14.3, oneClean: 28.6, twoOfThree: 28.5 } as const;
