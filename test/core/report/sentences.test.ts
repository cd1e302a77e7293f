import type { Figure, FigureId } from '../../../lib/core/report/figure.js';
import { differ, mean, median, none, share } from '../../../lib/core/report/measure.js';
import { measureWords, sentenceOf } from '../../../lib/core/report/sentences.js';

const figure = (id: FigureId, told: Partial<Figure>) => ({
  id,
  title: 'x',
  unit: 'share' as const,
  of: 'things',
  all: none,
  before: null,
  after: null,
  parts: [],
  ...told,
});

/** A figure, how much it weighs and what is said. */
test.each([
  ['escalations', { all: share(12, 40) }, 'act', /^Far above one in ten: important is too loose/],
  ['escalations', { all: share(6, 40) }, 'watch', /^Above one in ten/],
  ['escalations', { all: share(4, 40) }, 'fine', /^One in ten or fewer/],
  [
    'escalations',
    { all: share(3, 5) },
    'watch',
    /important is too loose.* Counted from 5 only: a hint, no more\.$/,
  ],
  ['reverts', { all: share(1, 25), before: share(0, 21), after: share(1, 4) }, 'watch', /too few to compare/],
  [
    'reverts',
    { all: share(3, 40), before: share(1, 20), after: share(2, 20) },
    'act',
    /reverts are up: raise the clean passes before anything else/i,
  ],
  [
    'reverts',
    { all: share(3, 40), before: share(2, 20), after: share(1, 20) },
    'watch',
    /raise the clean passes before anything else.*that may be chance\.$/,
  ],
  ['reverts', { all: share(0, 40) }, 'fine', /^None was taken back/],
  ['wrong', { all: share(9, 40) }, 'act', /^More than one in five/],
  [
    'wrong',
    { all: share(20, 80), before: share(20, 40), after: share(0, 40) },
    'fine',
    /^Since then: one in ten or fewer.* 50% before, 0% after\.$/,
  ],
  ['resolved', { all: share(10, 40) }, 'act', /^Fewer than half/],
  ['late', { all: share(10, 40) }, 'act', /clean passes/],
  [
    'late',
    { all: share(10, 40), before: share(9, 35), after: share(1, 5) },
    'act',
    /26% before, 20% after, of 35 and 5: too few to compare\.$/,
  ],
  ['rounds', { unit: 'count', all: mean(Array(20).fill(3) as number[]) }, 'act', /circles/],
  [
    'first_review',
    { unit: 'hours', all: median(Array(20).fill(30) as number[]) },
    'watch',
    /longer than a day/,
  ],
  ['cost', { unit: 'dollars', all: none }, 'unknown', /^No pass of Evident/],
  ['escalations', { all: none }, 'unknown', /^Not known/],
] as const)('%s, %j', (id, told, weight, sentence) => {
  const said = sentenceOf(figure(id, told));
  expect(said.weight).toBe(weight);
  expect(said.sentence).toMatch(sentence);
});

test.each([
  [share(5, 16), 'share', '31% (5 of 16)'],
  [share(0, 0), 'share', '-'],
  [mean([1, 2, 3, 4]), 'count', '2.50 (n 4)'],
  [median([0.5]), 'hours', '30 min (n 1)'],
  [median([1, 5, 100]), 'hours', '5.0 h (n 3)'],
  [median([60, 100]), 'hours', '3.3 d (n 2)'],
  [mean([0.2, 0.4]), 'dollars', '$0.30 (n 2)'],
] as const)('%j as words', (measure, unit, words) => expect(measureWords(measure, unit)).toBe(words));

test('intervals of shares, by Wilson', () => {
  expect(share(1, 10).low).toBeCloseTo(0.0179, 3);
  expect(share(1, 10).high).toBeCloseTo(0.4042, 3);
  expect(share(0, 10)).toMatchObject({ value: 0, low: 0 });
  expect(share(10, 10)).toMatchObject({ value: 1, high: 1 });
});

test('two measures differ when their intervals do not meet', () => {
  expect(differ(share(1, 10), share(5, 10))).toBe(false);
  expect(differ(share(10, 100), share(50, 100))).toBe(true);
  expect(differ(median([1]), median([100]))).toBe(false);
});
