import fc from 'fast-check';
import { advise } from '../../../lib/core/reward/advise.js';
import { armsOf, createArm, updateArm, type Arm } from '../../../lib/core/reward/arm.js';
import { armsAmong, choose, drawFrom } from '../../../lib/core/reward/choose.js';
import { learn, learnedArms, nothingLearned, readLearned } from '../../../lib/core/reward/learned.js';
import { chanceAbove, onGrid, posteriorOf } from '../../../lib/core/reward/posterior.js';
import { readReviews } from '../../../lib/core/reward/read-reviews.js';
import { score } from '../../../lib/core/reward/score.js';
import { createSeeded } from '../../../lib/core/reward/seeded.js';
import { readRewardSettings } from '../../../lib/core/reward/settings.js';

const settings = readRewardSettings(
  '{"categories": [{"name": "billing", "repo": "octo-org/billing"}, {"name": "web", "repo": "octo-org/web"}]}',
  'it',
);

/** What is known after these inputs, one update after the other. */
const learnedFrom = (...inputs: readonly (readonly unknown[])[]) =>
  inputs.reduce(
    ({ learned }: { readonly learned: typeof nothingLearned }, input) => {
      const { pulls, sessions } = readReviews(JSON.stringify(input), 'it');
      return learn(learned, { pulls: score(pulls, settings, 0).prs, sessions });
    },
    { learned: nothingLearned },
  );

const counted = (
  pr: number,
  security: number,
  logic: number,
  quality: number,
  repo = 'octo-org/billing',
) => ({
  repo,
  pr,
  security,
  logic,
  quality,
});

describe('alpha and beta after n updates', () => {
  const vectors: readonly (readonly [string, readonly number[], number, number])[] = [
    ['none', [], 1, 1],
    ['one whole reward', [1], 2, 1],
    ['none at all', [0], 1, 2],
    ['fractions', [0.4, 0.7, 0.05], 2.15, 2.85],
    ['what is outside of 0 and 1 is held there', [1.7, -0.3, Number.POSITIVE_INFINITY, Number.NaN], 3, 3],
    ['700 in sevenths', Array.from({ length: 700 }, (_, index) => (index % 7) / 6), 351, 351],
    ['1000 thirds', Array.from({ length: 1000 }, () => 1 / 3), 334.3333333333333, 667.6666666666666],
  ];
  test.each(vectors)('%s', (_, rewards, alpha, beta) => {
    const arm = rewards.reduce(updateArm, createArm('billing'));
    expect(Math.abs(arm.alpha - alpha)).toBeLessThan(1e-9);
    expect(Math.abs(arm.beta - beta)).toBeLessThan(1e-9);
    expect(arm.updates).toBe(rewards.length);
  });

  test('of pull requests: 1 less the share of the cap that their threads cost', () => {
    // Penalties 0.15 (of 0.31), 0.09, 0.05 and 0: rewards 0, 0.4, 2/3 and 1.
    const { learned } = learnedFrom([
      counted(1, 4, 2, 1),
      counted(2, 1, 1, 0),
      counted(3, 0, 1, 2),
      counted(4, 0, 0, 0),
    ]);
    const [arm] = learnedArms(learned);
    expect(Math.abs((arm?.alpha ?? 0) - (1 + 0.4 + 2 / 3 + 1))).toBeLessThan(1e-9);
    expect(Math.abs((arm?.beta ?? 0) - (1 + 1 + 0.6 + 1 / 3))).toBeLessThan(1e-9);
  });

  test('of sessions: their own reward less what their pull requests cost together, at most 0.25', () => {
    const pulls = [counted(1, 4, 2, 1), counted(2, 1, 1, 0), counted(3, 0, 1, 2)];
    const names = [1, 2, 3].map((pr) => `octo-org/billing#${pr}`);
    const { learned } = learnedFrom([...pulls, { session: 'monday', reward: 0.9, pulls: names }]);
    expect(learnedArms(learned)).toEqual([
      {
        category: 'billing',
        alpha: expect.closeTo(1.65, 9) as number,
        beta: expect.closeTo(1.35, 9) as number,
        updates: 1,
      },
    ]);
  });

  test('a pull request that two sessions name costs the first one', () => {
    const sessions = ['a', 'b'].map((session) => ({
      session,
      category: session,
      reward: 1,
      pulls: ['Octo-Org/billing#1'],
    }));
    const { learned } = learnedFrom([counted(1, 1, 1, 0), ...sessions]);
    expect(learnedArms(learned).map(({ category, alpha }) => [category, Number(alpha.toFixed(9))])).toEqual([
      ['a', 1.91],
      ['b', 2],
    ]);
  });
});

test.each([
  ['a', 'b'],
  ['10', '9'],
])('of two sessions that name one pull request %s pays, whichever came first', (payer, other) => {
  const session = (name: string) => ({
    session: name,
    category: `of ${name}`,
    reward: 1,
    pulls: ['octo-org/billing#1'],
  });
  for (const order of [
    [payer, other],
    [other, payer],
  ]) {
    const { learned } = learnedFrom([counted(1, 2, 0, 0)], ...order.map((name) => [session(name)]));
    const alphas = learnedArms(learned).map(({ category, alpha }) => [category, alpha]);
    expect(Object.fromEntries(alphas)).toEqual({ [`of ${payer}`]: 1.88, [`of ${other}`]: 2 });
  }
});

describe('a pull request counts once', () => {
  test('however often it is seen', () => {
    const once = learnedFrom([counted(1, 0, 1, 2)]).learned;
    expect(learnedFrom([counted(1, 0, 1, 2)], [counted(1, 0, 1, 2)], [counted(1, 0, 1, 2)]).learned).toEqual(
      once,
    );
    expect(learnedFrom([counted(1, 0, 1, 2), counted(1, 0, 1, 2)]).learned).toEqual(once);
  });

  test('and as it was seen last: a late finding replaces what it said, and so does a fix', () => {
    const late = learnedFrom([counted(1, 0, 0, 0)], [counted(1, 1, 0, 0)]).learned;
    expect(late).toEqual(learnedFrom([counted(1, 1, 0, 0)]).learned);
    expect(learnedArms(late)).toEqual([{ category: 'billing', alpha: 1.6, beta: 1.4, updates: 1 }]);
    expect(learnedFrom([counted(1, 1, 0, 0)], [counted(1, 0, 0, 0)]).learned).toEqual(
      learnedFrom([counted(1, 0, 0, 0)]).learned,
    );
  });

  test('a late finding reaches the session that the pull request belongs to', () => {
    const session = { session: 's', category: 'web', reward: 1, pulls: ['octo-org/web#1'] };
    const { learned } = learnedFrom([session], [counted(1, 1, 1, 0, 'octo-org/web')]);
    expect(learnedArms(learned)).toEqual([
      {
        category: 'web',
        alpha: expect.closeTo(1.91, 9) as number,
        beta: expect.closeTo(1.09, 9) as number,
        updates: 1,
      },
    ]);
  });

  test('any order of updates, any cut into updates, the same arms', () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.nat(30), fc.nat(3), fc.nat(3), fc.nat(3)), { selector: ([pr]) => pr }),
        fc.nat(10),
        (all, cut) => {
          const rows = all.map(([pr, s, l, q]) =>
            counted(pr + 1, s, l, q, pr % 2 === 0 ? 'octo-org/web' : 'octo-org/billing'),
          );
          const whole = learnedArms(learnedFrom(rows).learned);
          const parts = learnedArms(
            learnedFrom(rows.slice(cut).toReversed(), rows.slice(0, cut), rows).learned,
          );
          expect(parts.map(({ category, updates }) => [category, updates])).toEqual(
            whole.map(({ category, updates }) => [category, updates]),
          );
          parts.forEach((arm, index) => expect(arm.alpha).toBeCloseTo(whole[index]?.alpha ?? 0, 9));
        },
      ),
      { numRuns: 60, seed: 3 },
    ));

  test('what changed is told', () => {
    const { learned } = learnedFrom([counted(1, 0, 0, 0), counted(2, 0, 0, 0)]);
    const { pulls, sessions } = readReviews(
      JSON.stringify([counted(1, 0, 0, 0), counted(2, 1, 0, 0), counted(3, 0, 0, 0)]),
      'it',
    );
    expect(learn(learned, { pulls: score(pulls, settings, 0).prs, sessions }).changes).toEqual({
      added: 1,
      changed: 1,
      same: 1,
    });
  });

  test('sessions without a name count each time', () => {
    const one = { category: 'web', reward: 0.5 };
    expect(learnedArms(learnedFrom([one, one], [one]).learned)).toEqual([
      { category: 'web', alpha: 2.5, beta: 2.5, updates: 3 },
    ]);
    // Names that are seen again leave gaps that no new one falls into.
    const a = { session: 'a', ...one };
    expect(learnedArms(learnedFrom([a], [a, a, one], [one, one]).learned)[0]?.updates).toBe(4);
  });
});

test('a session that names neither a category nor a pull request is refused', () =>
  expect(() => readReviews('[{"session": "s", "reward": 1}]', 'it')).toThrow(
    'it, entry 1: Expected `category`, or `pulls` to take it from',
  ));

test('what was learned is read back, and nothing else is taken for it', () => {
  const { learned } = learnedFrom([
    counted(1, 0, 1, 0),
    { session: 's', category: 'web', reward: 1, pulls: [] },
  ]);
  expect(readLearned(JSON.stringify({ ...learned, arms: [] }), 'it')).toEqual(learned);
  for (const text of [
    '',
    '[]',
    '{"v": 2, "pulls": {}, "sessions": {}}',
    '{"v": 1, "pulls": {"a#1": {}}, "sessions": {}}',
  ])
    expect(() => readLearned(text, 'state.json')).toThrow(
      /^state\.json (is no JSON|was not written by evident reward update)/,
    );
});

describe('the posterior', () => {
  test.each([
    [1, 1, 0.5, 0.025, 0.975],
    [2, 1, 2 / 3, Math.sqrt(0.025), Math.sqrt(0.975)],
    [1, 5, 1 / 6, 1 - 0.975 ** 0.2, 1 - 0.025 ** 0.2],
    // From tables of the Beta distribution.
    [10, 10, 0.5, 0.2886, 0.7114],
  ])('Beta(%d, %d)', (alpha, beta, mean, low, high) => {
    const posterior = posteriorOf({ alpha, beta });
    expect(posterior.mean).toBeCloseTo(mean, 12);
    expect(posterior.low).toBeCloseTo(low, 3);
    expect(posterior.high).toBeCloseTo(high, 3);
  });
  test('one above another', () => {
    const grid = (alpha: number, beta: number) => onGrid({ alpha, beta });
    expect(chanceAbove(grid(1, 1), grid(1, 1))).toBeCloseTo(0.5, 6);
    expect(chanceAbove(grid(2, 1), grid(1, 1))).toBeCloseTo(2 / 3, 4);
    expect(chanceAbove(grid(1, 1), grid(3, 1))).toBeCloseTo(1 / 4, 4);
    expect(chanceAbove(grid(500, 100), grid(100, 500))).toBeCloseTo(1, 9);
  });
});

describe("Thompson's choice", () => {
  test.each([
    [1, 1],
    [1, 4.5],
    [2.5, 7.3],
    [340.25, 21],
  ])('draws from Beta(%d, %d) have its mean and variance', (alpha, beta) => {
    const random = createSeeded('moments');
    const drawn = Array.from({ length: 20_000 }, () => drawFrom({ alpha, beta }, random));
    const mean = drawn.reduce((sum, one) => sum + one, 0) / drawn.length;
    const variance = drawn.reduce((sum, one) => sum + (one - mean) ** 2, 0) / drawn.length;
    const wanted = (alpha * beta) / ((alpha + beta) ** 2 * (alpha + beta + 1));
    expect(Math.abs(mean - alpha / (alpha + beta))).toBeLessThan(4 * Math.sqrt(wanted / drawn.length));
    expect(Math.abs(variance / wanted - 1)).toBeLessThan(0.05);
    expect(drawn.every((one) => one >= 0 && one <= 1)).toBe(true);
  });

  const arms: readonly Arm[] = [
    { category: 'good', alpha: 40, beta: 10, updates: 48 },
    { category: 'bad', alpha: 10, beta: 40, updates: 48 },
  ];
  const chosen = (among: readonly Arm[]): Readonly<Record<string, number>> =>
    Array.from({ length: 1_000 }, (_, seed) => choose(among, String(seed))?.category ?? '').reduce(
      (counts: Record<string, number>, name) => ({ ...counts, [name]: (counts[name] ?? 0) + 1 }),
      {},
    );

  test('takes what is good, and tries what is not known yet', () => {
    expect(chosen(arms)).toEqual({ good: 1_000 });
    const counts = chosen(armsAmong(arms, ['good', 'bad', 'new']));
    // The chance that a draw from Beta(1, 1) beats one from Beta(40, 10) is 1 - 0.8.
    expect(counts['new']).toBeGreaterThan(150);
    expect(counts['new']).toBeLessThan(250);
    expect(counts['bad'] ?? 0).toBe(0);
  });
  test('is the same for the same seed, in any order and whatever other arms there are', () => {
    expect(choose(arms.toReversed(), 'monday')).toEqual(choose(arms, 'monday'));
    const [first] = choose(arms, 'monday')?.draws ?? [];
    expect(choose(armsAmong(arms, ['bad', 'new']), 'monday')?.draws[0]).toEqual(first);
  });
  test('of nothing is none', () => expect(choose([], '1')).toBeNull());
});

test('seeded numbers are spread evenly, and streams of neighbouring seeds have nothing in common', () => {
  const counts = new Array<number>(10).fill(0);
  const random = createSeeded('1');
  for (let index = 0; index < 10_000; index++) {
    const cell = Math.floor(random() * 10);
    counts[cell] = (counts[cell] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  const firsts = Array.from({ length: 1_000 }, (_, seed) => createSeeded(String(seed))());
  const pairs = firsts.slice(1).map((one, index) => (one - 0.5) * ((firsts[index] ?? 0) - 0.5));
  expect(Math.abs(pairs.reduce((sum, one) => sum + one, 0) / pairs.length)).toBeLessThan(0.015);
});

describe('advice', () => {
  const arm = (category: string, alpha: number, beta: number): Arm => ({
    category,
    alpha,
    beta,
    updates: alpha + beta - 2,
  });
  test.each<[string, readonly Arm[], RegExp]>([
    ['nothing', [], /^Nothing to compare yet/],
    ['one category', [arm('web', 9, 1)], /^Nothing to compare yet/],
    ['few rewards', [arm('web', 2, 1), arm('billing', 1, 2)], /^No category stands out yet/],
    [
      'one that is weak',
      [arm('web', 45, 5), arm('billing', 20, 30)],
      /^Allocate more review to billing: billing has 0\.40 \(0\.27 to 0\.54\) after 48 rewards, the others 0\.90\.$/,
    ],
    [
      'two that are weak, the weakest first',
      [arm('imports', 20, 30), arm('web', 450, 50), arm('billing', 10, 40)],
      /^Allocate more review to billing and imports: /,
    ],
  ])('%s', (_, arms, sentence) => expect(advise(arms)).toMatch(sentence));
});

test('arms stand by name', () =>
  expect(
    armsOf([
      { category: 'b', reward: 1 },
      { category: 'a', reward: 1 },
    ]).map(({ category }) => category),
  ).toEqual(['a', 'b']));
