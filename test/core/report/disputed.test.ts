import { isDisputed } from '../../../lib/core/report/disputed.js';

test.each([
  'This is a false positive.',
  'false positive, `total` is never null here',
  'The finding is wrong, see validate.ts',
  'This is not a bug.',
  "It isn't an issue here",
  'by design',
  'Intentional: the partner needs it.',
  'dismiss covered by the test',
  "Won't fix: goes away next week",
])('whoever says it: %s', (reply) => {
  expect(isDisputed(reply, 'another')).toBe(true);
  expect(isDisputed(reply, 'its author')).toBe(true);
});

test.each([
  ["You're right, my mistake.", 'its author'],
  ['I stand corrected.', 'its author'],
  ["That's wrong, see validate.ts", 'another'],
  ['This is incorrect, the list is never empty.', 'another'],
] as const)('%s, says %s, and in another mouth it is none', (reply, by) => {
  expect(isDisputed(reply, by)).toBe(true);
  expect(isDisputed(reply, by === 'another' ? 'its author' : 'another')).toBe(false);
});

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
  'Good catch, this is wrong. Fixed in a1b2c3d.',
  "It's wrong, you are right.",
  '',
])('nothing of it: %s', (reply) => expect(isDisputed(reply, 'another')).toBe(false));

test('a long reply is read in its beginning', () => {
  expect(isDisputed(`${"isn't ".repeat(200_000)}x`, 'another')).toBe(false);
  expect(isDisputed(`${'x '.repeat(200_000)}false positive`, 'another')).toBe(false);
});
