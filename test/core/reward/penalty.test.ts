import fc from 'fast-check';
import { aggregateOf, penaltyOf } from '../../../lib/core/reward/penalty.js';

test.each([
  [4, 2, 1, 0.31, 0.15],
  [1, 1, 0, 0.09, 0.09],
  [0, 1, 2, 0.05, 0.05],
  [0, 0, 0, 0, 0],
  [3, 0, 0, 0.18, 0.15],
  [0, 5, 0, 0.15, 0.15],
])('%i security, %i logic and %i quality are %d, at most %d', (security, logic, quality, raw, penalty) => {
  expect(penaltyOf({ security, logic, quality })).toEqual({ raw, penalty });
});

test.each([
  [[], 0],
  [[0.09, 0.05], 0.14],
  [[0.1, 0.15], 0.25],
  [[0.15, 0.15], 0.25],
  [Array.from({ length: 40 }, () => 0.15), 0.25],
])('an update of %j costs %d', (penalties, aggregate) => expect(aggregateOf(penalties)).toBe(aggregate));

test('no count of threads leaves a tail of floating-point noise', () =>
  fc.assert(
    fc.property(fc.nat(500), fc.nat(500), fc.nat(500), (security, logic, quality) => {
      const { raw, penalty } = penaltyOf({ security, logic, quality });
      expect(String(raw)).toMatch(/^\d+(\.\d{1,2})?$/);
      expect(penalty).toBe(Math.min(raw, 0.15));
    }),
    { numRuns: 100, seed: 1 },
  ));
