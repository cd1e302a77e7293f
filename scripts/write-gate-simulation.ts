/** Writes docs/img/gate-simulation.svg and the table of docs/GATE.md anew from the simulation. */
import { readFileSync, writeFileSync } from 'node:fs';
import { simulateGate } from '../evals/gate-simulation.js';
import { chart, shown, withFigures } from './gate-simulation/figures.js';

const page = new URL('../docs/GATE.md', import.meta.url);
const simulation = simulateGate(shown);
writeFileSync(new URL('../docs/img/gate-simulation.svg', import.meta.url), chart(simulation));
writeFileSync(page, withFigures(readFileSync(page, 'utf8'), simulation));
