import { readFileSync } from 'node:fs';
import { isGood, makeHistory } from '../../../evals/reward-history.js';
import { outcomeOf, replay } from '../../../lib/core/reward/replay.js';
import { alarms } from '../../../lib/core/reward/unvarying.js';
import { chart, historyOf, replayOf, separated, shown } from '../../../scripts/reward/figures.js';
import { withFigures } from '../../../scripts/reward/page.js';
import { confusionOf, readSample } from '../../../scripts/reward/sample.js';

describe('700 updates', () => {
  test.each([1, 2, 3, 4, 5])(
    'seed %i: graded rewards tell good from bad work, binary ones do not',
    (seed) => {
      const replayed = replayOf(makeHistory({ updates: 700, seed, reviewers: 'chatty' }));
      expect(separated(replayed.graded)).toBe(9);
      expect(separated(replayed.clean)).toBeLessThanOrEqual(4);
      // Nothing to see: of many pairs a few differ by chance.
      expect(separated(replayed.merged)).toBeLessThanOrEqual(2);
      const means = replayed.graded.arms.map(({ category, mean }) => [isGood(category), mean > 0.65]);
      expect(means.every(([good, high]) => good === high)).toBe(true);
      // Two kinds that are alike are not told apart.
      expect(replayed.graded.told).toEqual({ pairs: 9, of: 15 });
    },
  );

  test('where reviewers hardly ever leave a nit, "clean" does as well: the page says so', () => {
    const replayed = replayOf(historyOf('quiet'));
    expect([separated(replayed.graded), separated(replayed.clean)]).toEqual([9, 9]);
  });

  test('kinds that are alike are not told apart', () =>
    expect(replayOf(historyOf('chatty')).graded.told).toEqual({ pairs: 9, of: 15 }));

  test('at 20 and 50 sessions', () => {
    const { graded } = replayOf(historyOf('chatty'));
    expect(graded.after.map(({ updates }) => updates)).toEqual([20, 50]);
    const widths = [...graded.after, graded].map(({ arms }) =>
      Math.max(...arms.map(({ low, high }) => high - low)),
    );
    expect(widths).toEqual(widths.toSorted((a, b) => b - a));
    for (const { updates, arms } of graded.after)
      expect(arms.reduce((sum, arm) => sum + arm.updates, 0)).toBe(updates);
  });
});

test('merged is left out where nobody knows it', () => {
  const history = [
    { category: 'web', security: 0, logic: 0, quality: 0, penalty: 0, merged: true },
    { category: 'web', security: 0, logic: 0, quality: 0, penalty: 0 },
  ].map(outcomeOf);
  const { graded, merged } = replay(history, [5]);
  expect([graded.updates, merged.updates, graded.after]).toEqual([2, 1, []]);
});

describe('an alarm on what never varies', () => {
  const pull = { category: 'web', security: 0, logic: 0, quality: 0, penalty: 0, merged: true };
  const many = (count: number, fields: Partial<typeof pull> = {}) =>
    Array.from({ length: count }, () => outcomeOf({ ...pull, ...fields }));
  test('names each field', () =>
    expect(alarms(many(20))).toEqual(
      [
        '`security` is 0',
        '`logic` is 0',
        '`quality` is 0',
        '`reward` is 1',
        '`clean` is true',
        '`merged` is true',
      ].map((what) => `${what} in all 20: nothing can be learned from it. Look whether it is filled at all.`),
    ));
  test('says nothing of few, nor of what varies once', () => {
    expect(alarms(many(19))).toEqual([]);
    expect(alarms([...many(30), ...many(1, { quality: 1, penalty: 0.01 })]).join(' ')).not.toMatch(
      /quality|reward|clean/,
    );
  });
});

describe('the page', () => {
  test('has the figures, the examples, the picture and the history of now', () => {
    const page = readFileSync('docs/REWARD.md', 'utf8');
    expect(withFigures(page)).toBe(page);
    expect(readFileSync('docs/img/reward-replay.svg', 'utf8')).toBe(chart(replayOf(historyOf('chatty'))));
    expect(readFileSync('examples/reward/history.jsonl', 'utf8')).toBe(
      historyOf('chatty')
        .map((pull) => `${JSON.stringify(pull)}\n`)
        .join(''),
    );
    expect(shown).toEqual({ updates: 700, seed: 1, at: [20, 50] });
  });

  test('rests on a sample that is large and varied enough', () => {
    const sample = readSample();
    expect(new Set(sample.map(({ body }) => body)).size).toBe(sample.length);
    expect(sample.length).toBeGreaterThanOrEqual(120);
    expect(new Set(sample.map(({ author }) => author)).size).toBeGreaterThanOrEqual(8);
    for (const set of ['seen', 'held_out'] as const)
      for (const label of ['security', 'logic', 'quality'] as const)
        expect(sample.filter((one) => one.set === set && one.label === label).length).toBeGreaterThanOrEqual(
          18,
        );
    expect(confusionOf('held_out', sample).of).toBeGreaterThanOrEqual(60);
  });
});
