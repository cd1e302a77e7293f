import { readFileSync } from 'node:fs';
import type { FigureId } from '../../../lib/core/report/figure.js';
import { plantedReport } from './planted-history.js';

const report = plantedReport();

const figure = (id: FigureId) => {
  const found = report.figures.find((one) => one.id === id);
  if (found === undefined) throw new Error(`There is no figure ${id}.`);
  return found;
};

type Counted = readonly [value: number, n: number];

/** Of all, before and after; -1 is no value; worked out by hand from what the lines of the history say. */
const planted: readonly (readonly [FigureId, Counted, Counted, Counted])[] = [
  // Before: 4 with 3, 2 with 5, 3 with 1, 3 with none. After: 9 with 1, 58 with 3, 59 with 1.
  ['rounds', [38 / 32, 32], [25 / 12, 12], [13 / 20, 20]],
  ['five_rounds', [2 / 32, 32], [2 / 12, 12], [0, 20]],
  ['minor_rounds', [10 / 38, 38], [10 / 25, 25], [0, 13]],
  // Before: 12 + 10 + 3 + 1 + 1. After: 8 + 5 + 1 (56) + 1 (58) + 1 (59) + 1 (60).
  ['late', [2 / 44, 44], [0, 27], [2 / 17, 17]],
  // Before: 16 + 12 + 9 + 3 runs of 12 + 25 rounds. After: 16 + 5 + 2 + 2 + 1 + 4 + 2 + 1 runs of 20 + 13.
  ['ci_runs', [73 / 70, 70], [40 / 37, 37], [33 / 33, 33]],
  ['escalations', [1 / 20, 20], [-1, 0], [1 / 20, 20]],
  ['reverts', [1 / 30, 30], [1 / 12, 12], [0, 18]],
  ['wrong', [6 / 44, 44], [1 / 27, 27], [5 / 17, 17]],
  // Merged ones only: all fixed but 11 and 12, then 8 + 1 + 1 of 15.
  ['resolved', [35 / 42, 42], [25 / 27, 27], [10 / 15, 15]],
  ['answered', [3 / 4, 4], [-1, 0], [3 / 4, 4]],
  // A push after one hour, a look after two.
  ['first_review', [2, 32], [2, 12], [2, 20]],
  // 10 at $0.40 (41 to 48, 56, 60), 9 at $0.20; 58 has an unknown price.
  ['cost', [5.8 / 19, 19], [-1, 0], [5.8 / 19, 19]],
];

test.each(planted)('%s', (id, ...wanted) => {
  const { all, before, after } = figure(id);
  for (const [index, measure] of [all, before, after].entries()) {
    const [value = -1, n] = wanted[index] ?? [];
    expect([index, measure?.n]).toEqual([index, n]);
    if (value === -1) expect(measure?.value).toBeNull();
    else expect(measure?.value).toBeCloseTo(value, 9);
  }
});

const rowsOf = (id: FigureId, title: RegExp) =>
  Object.fromEntries(
    (figure(id).parts.find((part) => title.test(part.title))?.rows ?? []).map(({ name, measure }) => [
      name,
      [measure.hits, measure.n],
    ]),
  );

test('taken apart', () => {
  expect(rowsOf('rounds', /by fix rounds/)).toEqual({
    0: [12, 32],
    1: [13, 32],
    2: [0, 32],
    3: [5, 32],
    4: [0, 32],
    '5 or more': [2, 32],
  });
  expect(rowsOf('late', /class/)).toEqual({ security: [1, 4], logic: [1, 30], quality: [0, 10] });
  expect(rowsOf('wrong', /reviewer/)).toEqual({ coderabbitai: [1, 24], evident: [5, 16], monalisa: [0, 4] });
  expect(rowsOf('resolved', /by category/)).toEqual({ security: [3, 3], logic: [22, 29], quality: [10, 10] });
  expect(rowsOf('resolved', /by rule/)).toEqual({ 'falsy-zero': [9, 9], 'missing-guard': [0, 5] });
  expect(rowsOf('resolved', /by model/)).toEqual({ 'model-a': [9, 9], 'model-b': [0, 5] });
  expect(rowsOf('answered', /answers/)).toEqual({ 'cleared the code': [2, 3], 'became a finding': [1, 3] });
});

test('who, when and what divides it', () => {
  expect(report).toMatchObject({
    repos: ['octo-org/shop'],
    pulls: { all: 32, merged: 30, open: 1, reviewed: 32 },
    split: { by: 'first_review', at: expect.stringMatching(/^2026-03-13/) as string },
  });
  expect(report.reviewers[0]).toEqual({ login: 'coderabbitai', threads: 24 });
});

test('each figure has its sentence, and small samples say so', () => {
  for (const { sentence, all } of report.figures) {
    expect(sentence).toMatch(/^[A-Z].*\.$/s);
    if (all.n > 0 && all.n < 10) expect(sentence).toContain(`Counted from ${all.n} only`);
  }
  expect(figure('five_rounds')).toMatchObject({
    weight: 'fine',
    sentence: 'Since then: no change went round that often. 17% before, 0% after: that may be chance.',
  });
  expect(figure('minor_rounds').sentence).toMatch(/40% before, 0% after\.$/);
});

test('a rule that did too little is proposed, as lines for the settings file', () => {
  expect(report.settings).toBe(
    ['rules:', '  - rule: missing-guard', "    weight: 'off' # 0 of 5 fixed, 5 dismissed as wrong"].join(
      '\n',
    ),
  );
});

test('each figure is explained in the docs', () => {
  const page = readFileSync('docs/REPORT.md', 'utf8');
  for (const { title } of report.figures) expect(page.toLowerCase()).toContain(`| ${title.toLowerCase()} `);
});
