/** Writes docs/img/gate-simulation.svg, the table of docs/GATE.md and lib/core/pass-cost.ts anew from the simulation. */
import { readFileSync, writeFileSync } from 'node:fs';
import { simulateGate } from '../evals/gate-simulation.js';
import { chart, shown, withFigures } from './gate-simulation/figures.js';
import { withPassCost } from './gate-simulation/pass-cost.js';

const cost = new URL('../lib/core/pass-cost.ts', import.meta.url);
const page = new URL('../docs/GATE.md', import.meta.url);
const simulation = simulateGate(shown);
writeFileSync(new URL('../docs/img/gate-simulation.svg', import.meta.url), chart(simulation));
writeFileSync(page, withFigures(readFileSync(page, 'utf8'), simulation));
writeFileSync(cost, withPassCost(readFileSync(cost, 'utf8'), simulation));
