import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  published,
  simulateGate,
  simulatePolicy,
  tolerance,
  type Figures,
} from '../../evals/gate-simulation.js';
import type { decide } from '../../lib/core/gate.js';
import { chart, shown, withFigures } from '../../scripts/gate-simulation/figures.js';
import { withPassCost } from '../../scripts/gate-simulation/pass-cost.js';

/** The figures of a policy that are out of tolerance, in words. */
const off = (figures: Figures, wanted: Partial<Record<keyof typeof tolerance, number>>): readonly string[] =>
  (Object.keys(wanted) as (keyof typeof tolerance)[])
    .filter((name) => Math.abs(figures[name] - (wanted[name] ?? Number.NaN)) > tolerance[name])
    .map((name) => `${name} ${figures[name]} is not ${wanted[name]}`);

describe('200,000 simulated pull requests', () => {
  const simulation = simulateGate(shown);

  test('the page and its picture show these: node --import tsx scripts/write-gate-simulation.ts', () => {
    const doc = (path: string): string =>
      readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');
    expect(shown.prs).toBe(200_000);
    expect(doc('GATE.md')).toBe(withFigures(doc('GATE.md'), simulation));
    expect(doc('img/gate-simulation.svg')).toBe(chart(simulation));
    const cost = doc('../lib/core/pass-cost.ts');
    expect(cost).toBe(withPassCost(cost, simulation));
  });

  test.each(['noisy', 'oneClean', 'twoClean'] as const)('%s comes to what is published', (policy) =>
    expect(off(simulation[policy], published[policy])).toEqual([]),
  );

  test('none is stuck', () => {
    const { noisy, oneClean, twoClean, capRounds, newLinesOnly, twoCleanLowered, equal, blindSpot } =
      simulation;
    const all = [noisy, oneClean, twoClean, capRounds, newLinesOnly, twoCleanLowered];
    for (const { stuck } of [...all, ...Object.values(equal), ...Object.values(blindSpot)])
      expect(stuck).toBe(0);
  });

  test('two clean passes let out what noise lets out, in less than half of its rounds', () => {
    const { noisy, twoClean } = simulation;
    expect(Math.abs(twoClean.escapes - noisy.escapes)).toBeLessThan(1.5);
    expect(twoClean.passedWithBug).toBeLessThan(noisy.passedWithBug);
    expect(twoClean.fixRounds).toBeLessThan(noisy.fixRounds / 2);
    expect(noisy.fivePlus).toBeGreaterThan(10);
  });

  test('the tempting policies let more out', () => {
    const { twoClean, capRounds, newLinesOnly, twoCleanLowered } = simulation;
    for (const tempting of [capRounds, newLinesOnly, twoCleanLowered]) {
      expect(tempting.escapes).toBeGreaterThan(twoClean.escapes + 3);
      expect(tempting.passedWithBug).toBeGreaterThan(twoClean.passedWithBug + 8);
    }
  });

  test('a second pass that finds the same bugs is worth nothing, one with blind spots is worth less', () => {
    const worth = ({ oneClean, twoClean }: Record<'oneClean' | 'twoClean', Figures>): number =>
      oneClean.passedWithBug - twoClean.passedWithBug;
    expect(Math.abs(worth(simulation.equal))).toBeLessThan(0.5);
    expect(worth(simulation.blindSpot)).toBeLessThan(worth(simulation) - 5);
    expect(worth(simulation.blindSpot)).toBeGreaterThan(3);
  });
});

test('the same seed gives the same figures, another one other figures', () => {
  const [first, again, other] = [7, 7, 8].map((seed) => simulateGate({ prs: 500, seed }));
  expect(again).toEqual(first);
  expect(other?.twoClean).not.toEqual(first?.twoClean);
});

/** Each is one line of lib/core/gate.ts as it stands there, and that line with a fault. */
const mutants: readonly { readonly fault: string; readonly line: string; readonly instead: string }[] = [
  {
    fault: 'a pass that reads the same way counts again',
    line: 'ways.add(JSON.stringify([pass.lens, pass.order, pass.model]));',
    instead: 'ways.add(JSON.stringify([pass.lens, pass.order, pass.model, pass.at]));',
  },
  {
    fault: 'passes that are cut short, failed or of the fixed rules count',
    line: "if (!pass.finished || !pass.complete || (pass.modelKind === 'rules' && !withRules)) continue;",
    instead: '',
  },
  {
    fault: 'blockers are not looked at',
    line: 'const blocking = ledger.findings.filter(blocks);',
    instead: 'const blocking: readonly Finding[] = [];',
  },
  {
    fault: 'nits block',
    line: 'const blocking = ledger.findings.filter(blocks);',
    instead: "const blocking = ledger.findings.filter(({ standing }) => standing.kind === 'open');",
  },
  {
    fault: 'rounds are not counted',
    line: 'const round = fixRound(ledger.passes);',
    instead: 'const round = 1;',
  },
  {
    fault: 'a person is asked one round too early',
    line: 'if (round > rounds)',
    instead: 'if (round >= rounds)',
  },
  {
    fault: 'a person is asked one round too late',
    line: 'if (round > rounds)',
    instead: 'if (round > rounds + 1)',
  },
  {
    fault: 'one clean pass is enough for agents',
    line: 'const required = tierOf(input).passes;',
    instead: 'const required = policy.gate.passes.person;',
  },
  {
    fault: 'clean passes of an older diff count',
    line: 'if (pass.diffHash !== diffHash || pass.policyHash !== policyHash) break;',
    instead: 'if (pass.policyHash !== policyHash) break;',
  },
];

describe('a gate with one wrong line is noticed:', () => {
  const gate = fileURLToPath(new URL('../../lib/core/gate.ts', import.meta.url));
  const source = readFileSync(gate, 'utf8');
  const folder = mkdtempSync(join(tmpdir(), 'evident-mutants-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The module with one line replaced, under a name of its own; what it imports is the real code. */
  const decideWith = async (name: string, line: string, instead: string): Promise<typeof decide> => {
    expect(source.split(line)).toHaveLength(2);
    const file = join(folder, `${name}.ts`);
    writeFileSync(
      file,
      source
        .replace(line, () => instead)
        .replace(/from '(\.[^']*)\.js'/g, (_, path: string) => `from '${join(gate, '..', path)}.ts'`),
    );
    return ((await import(file)) as { decide: typeof decide }).decide;
  };
  const run = { prs: 25_000, seed: 1, eyes: 'differing' } as const;

  test('but one that is only a copy is not', async () => {
    const gate = await decideWith('copy', 'round > rounds', 'round > rounds');
    const figures = simulatePolicy('twoClean', { ...run, gate });
    expect(figures).toEqual(simulatePolicy('twoClean', run));
    expect(off(figures, published.twoClean)).toEqual([]);
  });

  test.each(mutants)('$fault', async ({ fault, line, instead }) => {
    const gate = await decideWith(fault.replaceAll(' ', '-'), line, instead);
    expect(off(simulatePolicy('twoClean', { ...run, gate }), published.twoClean)).not.toEqual([]);
  });
});
