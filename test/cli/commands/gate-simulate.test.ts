import { main } from '../../../cli/main.js';

async function simulate(...args: readonly string[]) {
  let out = '';
  let err = '';
  const code = await main(['gate', 'simulate', ...args], {
    stdout: (text) => void (out += text),
    stderr: (text) => void (err += text),
    readStdin: async () => new Uint8Array(),
    isTerminal: false,
    env: {},
    cwd: process.cwd(),
  });
  return { code, out, err };
}

test('as JSON, the same figures for the same seed', async () => {
  const first = await simulate('--prs', '1000', '--seed', '3', '--json');
  expect([first.code, first.err]).toEqual([0, '']);
  const figures = {
    escapes: expect.any(Number) as number,
    passedWithBug: expect.any(Number) as number,
    fixRounds: expect.any(Number) as number,
    escalated: expect.any(Number) as number,
    fivePlus: expect.any(Number) as number,
    passes: expect.any(Number) as number,
    stuck: 0,
  };
  expect(JSON.parse(first.out)).toMatchObject({
    prs: 1000,
    seed: 3,
    noisy: figures,
    oneClean: figures,
    twoClean: { ...figures, fivePlus: 0 },
    capRounds: { ...figures, escalated: 0 },
    newLinesOnly: figures,
    equal: { oneClean: figures, twoClean: figures },
    blindSpot: { oneClean: figures, twoClean: figures },
    rates: { recall: 0.5, newBug: 0.3 },
  });
  expect((await simulate('--prs', '1000', '--seed', '3', '--json')).out).toBe(first.out);
  expect((await simulate('--prs', '1000', '--seed', '4', '--json')).out).not.toBe(first.out);
});

test('as a table, with the figures of the JSON', async () => {
  const { twoClean } = JSON.parse((await simulate('--prs', '500', '--json')).out) as {
    twoClean: { passedWithBug: number; fixRounds: number };
  };
  const { code, out } = await simulate('--prs', '500');
  expect(code).toBe(0);
  expect(out).toMatch(/^500 simulated pull requests of agents, seed 1\n/);
  const row = out.split('\n').find((line) => line.includes('two clean passes (the default)')) ?? '';
  expect(row.split(/ {2,}/).slice(2, 5)).toEqual([
    `${twoClean.passedWithBug.toFixed(1)}%`,
    expect.stringMatching(/%$/),
    twoClean.fixRounds.toFixed(2),
  ]);
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
});

test.each([
  [['--prs', '0'], /--prs is 0: write a whole number/],
  [['--prs', '1e6'], /--prs is 1e6/],
  [['--prs', '2000001'], /2000000/],
  [['--seed', '1.5'], /--seed is 1\.5/],
  [['--seed', '9999999999'], /--seed/],
  [['--fast'], /--help lists the options/],
])('%j is refused with a sentence', async (args, sentence) => {
  const { code, out, err } = await simulate(...args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(sentence);
});

test('help', async () => expect((await simulate('--help')).out).toMatch(/--prs {6}how many for each row/));
