import { allFiles } from '../../../lib/core/render/words.js';

test.each([
  [1, 0, 'the changed file'],
  [2, 0, 'both changed files'],
  [14, 0, 'all 14 changed files'],
  [13, 1, 'all 13 changed files that can be reviewed (1 cannot)'],
  [1, 2, 'the changed file that can be reviewed (2 cannot)'],
  [0, 3, 'no changed file, because none can be reviewed'],
])('%i read and %i that nobody can read: %s', (read, unreviewable, words) => {
  expect(allFiles(read, unreviewable)).toBe(words);
});
