import { parseArgs } from 'node:util';
import { simulateGate, type Figures, type GateSimulation } from '../../evals/gate-simulation.js';
import type { Io } from '../io.js';

const usage = `evident gate simulate [--prs N] [--seed S] [--json]

Simulated pull requests of agents, read by passes that miss half of the bugs,
judged by the gate of this version. Shows what each way to set a gate lets out
and what it costs; docs/GATE.md says what the figures mean and what they leave
out.

  --prs      how many for each row: 50000, at most 2000000
  --seed     a whole number: the same one gives the same figures; 1
  --json     all figures and the rates they come from, as one object

Exit codes: 0 shown, 2 wrong use.
`;

/** `evident gate simulate`. Settles with the exit code: 0, or 2 for wrong use. */
export async function runGateSimulate(args: readonly string[], io: Io): Promise<number> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      prs: { type: 'string', default: '50000' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (flags.help) {
    io.stdout(usage);
    return 0;
  }
  const prs = wholeNumber(flags.prs, 1, 2_000_000);
  if (prs === null) {
    io.stderr(`--prs is ${flags.prs}: write a whole number from 1 to 2000000.\n`);
    return 2;
  }
  const seed = wholeNumber(flags.seed, 0, 4_294_967_295);
  if (seed === null) {
    io.stderr(`--seed is ${flags.seed}: write a whole number from 0 to 4294967295.\n`);
    return 2;
  }
  const simulation = simulateGate({ prs, seed });
  io.stdout(flags.json ? `${JSON.stringify(simulation, null, 2)}\n` : simulationTable(simulation));
  return 0;
}

function simulationTable({ prs, seed, equal, blindSpot, ...simulation }: GateSimulation): string {
  const line = (name: string, cells: readonly string[]): string =>
    `  ${name.padEnd(42)}${cells.map((cell) => cell.padStart(9)).join('')}`.trimEnd();
  const row = (name: string, of: Figures): string =>
    line(name, [
      `${of.passedWithBug.toFixed(1)}%`,
      `${of.escapes.toFixed(1)}%`,
      of.fixRounds.toFixed(2),
      `${of.fivePlus.toFixed(1)}%`,
      `${of.escalated.toFixed(1)}%`,
      of.passes.toFixed(2),
    ]);
  return [
    `${prs} simulated pull requests of agents, seed ${seed}`,
    '',
    line('', ['with bug', 'escapes', 'rounds', '5 rounds', 'person', 'passes']),
    line('', ['', '', '', 'or more', 'asked']),
    row('fix all until nothing is said', simulation.noisy),
    row('one clean pass', simulation.oneClean),
    row('two clean passes (the default)', simulation.twoClean),
    '',
    '  tempting',
    row('pass what is open after three rounds', simulation.capRounds),
    row('read only new lines after a fix', simulation.newLinesOnly),
    row('the default with one clean pass', simulation.twoCleanLowered),
    row('three side by side, two must agree', simulation.twoOfThree),
    '',
    '  side by side, each may block',
    row('two reviewers', simulation.anyOfTwo),
    row('three reviewers', simulation.anyOfThree),
    '',
    '  where all passes find the same bugs',
    row('one clean pass', equal.oneClean),
    row('two clean passes', equal.twoClean),
    '',
    '  where no pass finds one bug in five',
    row('one clean pass', blindSpot.oneClean),
    row('two clean passes', blindSpot.twoClean),
    '',
    'with bug: of the passed pull requests. escapes: of all bugs that those ever had.',
    'rounds and passes: means over all pull requests.',
    '',
  ].join('\n');
}

function wholeNumber(text: string, least: number, most: number): number | null {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : null;
}
