import fc from 'fast-check';
import type { PastPull } from '../../../lib/core/past-pull.js';
import { reportOf } from '../../../lib/core/report/report.js';
import { readRewardSettings } from '../../../lib/core/reward/settings.js';
import { bot, history, person } from './history.js';

const options = {
  now: Date.parse('2026-06-01T00:00:00Z'),
  rules: readRewardSettings(null, ''),
  floor: 0.3,
  missing: 0,
};

const step = fc.constantFrom(
  'push',
  'push',
  'merge base',
  'force',
  'crash',
  'nit',
  'disputed',
  'review',
  'changes',
  'clean pass',
  'finding',
  'question',
  'escalate',
);

/** Any order of things on a pull request. */
const anyPull = (
  number: number,
  steps: readonly string[],
  end: 'open' | 'merged' | 'closed',
  day: number,
): PastPull => {
  const told = history(number, { createdAt: new Date(Date.UTC(2026, 1, 1 + day)).toISOString() }).push();
  let id = 0;
  for (const one of steps)
    switch (one) {
      case 'merge base':
        told.push({ parents: 2 });
        break;
      case 'force':
        told.force();
        break;
      case 'crash':
        told.thread({ body: 'This crashes.' });
        break;
      case 'nit':
        told.thread({ by: person('monalisa'), body: 'naming', end: 'open' });
        break;
      case 'disputed':
        told.thread({ by: bot('hubot'), end: 'closed by author', replies: ['false positive'] });
        break;
      case 'review':
        told.review(person('monalisa'), 'approved');
        break;
      case 'changes':
        told.review(person('hubot'), 'changes_requested');
        break;
      case 'clean pass':
        told.pass();
        break;
      case 'finding':
        told.pass({ items: [{ id: `F${++id}`, state: 'fixed abc' }], blocks: true });
        break;
      case 'question':
        told.pass({ items: [{ id: `Q${++id}`, state: 'yes suppress_finding octocat 2026-01-01' }] });
        break;
      case 'escalate':
        told.escalate();
        break;
      default:
        told.push();
    }
  return told[end]();
};

const pulls = fc
  .array(
    fc.record({
      steps: fc.array(step, { maxLength: 8 }),
      end: fc.constantFrom('open' as const, 'merged' as const, 'closed' as const),
      day: fc.integer({ min: 0, max: 60 }),
    }),
    { maxLength: 12 },
  )
  .map((all) => all.map(({ steps, end, day }, index) => anyPull(index + 1, steps, end, day)));

const shuffled = <T>(items: readonly T[], seed: number): T[] =>
  items
    .map((item, index) => ({
      item,
      at: (Math.imul(index + 1, 2_654_435_761) ^ Math.imul(seed, 40_503)) >>> 0,
    }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);

const run = { seed: 8, numRuns: 60 };

test('the order in which things are read changes nothing', () =>
  fc.assert(
    fc.property(pulls, fc.integer({ min: 1, max: 9_999 }), (all, seed) => {
      const mixed = shuffled(all, seed).map((pull) => ({
        ...pull,
        reviews: shuffled(pull.reviews, seed),
        threads: shuffled(pull.threads, seed),
        checks: shuffled(pull.checks, seed),
        comments: shuffled(pull.comments, seed),
      }));
      expect(reportOf(mixed, options)).toEqual(reportOf(all, options));
    }),
    run,
  ));

test('before and after add up, and no share is more than all', () =>
  fc.assert(
    fc.property(pulls, fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }), (all, day) => {
      const since = day === undefined ? {} : { since: Date.UTC(2026, 1, 1 + day) };
      for (const { all: whole, before, after, unit, parts } of reportOf(all, { ...options, ...since })
        .figures) {
        for (const { n, hits, value, low, high } of [
          whole,
          ...parts.flatMap(({ rows }) => rows.map(({ measure }) => measure)),
        ]) {
          expect(value === null).toBe(n === 0);
          if (value === null) continue;
          expect(Number.isFinite(value)).toBe(true);
          expect(value).toBeGreaterThanOrEqual(0);
          if (unit === 'share') expect(hits).toBeLessThanOrEqual(n);
          if (low !== null && high !== null) {
            expect(low).toBeLessThanOrEqual(value + 1e-9);
            expect(high).toBeGreaterThanOrEqual(value - 1e-9);
          }
        }
        if (before === null || after === null) continue;
        expect(before.n + after.n).toBe(whole.n);
        if (whole.hits !== null) expect((before.hits ?? 0) + (after.hits ?? 0)).toBe(whole.hits);
      }
    }),
    run,
  ));

test('a pull request that nobody looked at moves no figure but those of CI and reverts', () =>
  fc.assert(
    fc.property(pulls, (all) => {
      const figures = (some: readonly PastPull[]) =>
        reportOf(some, options).figures.flatMap(({ id, all: whole }) =>
          ['ci_runs', 'reverts'].includes(id) ? [] : [[id, whole]],
        );
      const quiet = history(99, { createdAt: '2026-02-20T08:00:00Z' }).push().push().merged();
      expect(figures([...all, quiet])).toEqual(figures(all));
    }),
    run,
  ));

test('the same lines of a state once more, in an older check, change nothing', () =>
  fc.assert(
    fc.property(pulls, (all) => {
      const doubled = all.map((pull) => ({ ...pull, checks: [...pull.checks, ...pull.checks] }));
      expect(reportOf(doubled, options)).toEqual(reportOf(all, options));
    }),
    run,
  ));

test('nothing to report on is told as that', () => {
  const report = reportOf([], options);
  expect(report).toMatchObject({ from: null, split: null, proposals: [], settings: '' });
  expect(report.figures.every(({ weight }) => weight === 'unknown')).toBe(true);
});
