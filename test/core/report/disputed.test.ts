import { isDisputed } from '../../../lib/core/report/disputed.js';

test.each([
  'This is a false positive.',
  'false positive, `total` is never null here',
  "That's wrong, see validate.ts",
  'This is not a bug.',
  "It isn't an issue here",
  'by design',
  'Intentional: the partner needs it.',
  'dismiss covered by the test',
  "Won't fix: goes away next week",
  "You're right, my mistake.",
  'I stand corrected.',
  'This is incorrect, the list is never empty.',
])('%s', (reply) => expect(isDisputed(reply)).toBe(true));

test.each([
  'Fixed in a1b2c3d.',
  'Done.',
  'Thanks, good catch',
  'This is not a false positive, I could reproduce it.',
  'Is this a problem?',
  'Is it by design?',
  '> This is a false positive.\n\nNo, it is real.',
  'The total is wrong when the list is empty, fixed.',
  'What is wrong here?',
  '',
])('nothing of it: %s', (reply) => expect(isDisputed(reply)).toBe(false));

test('a long reply is read in its beginning', () => {
  expect(isDisputed(`${"isn't ".repeat(200_000)}x`)).toBe(false);
  expect(isDisputed(`${'x '.repeat(200_000)}false positive`)).toBe(false);
});
