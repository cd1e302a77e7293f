import { totalLines } from '../../cli/try/words.js';
import { totalsOf } from '../../lib/core/report/tried.js';

test.each([
  [0, 'Nobody left a review thread on them.'],
  [1, '1 thread was left then, 0 within ten lines of a remark above.'],
  [2, '2 threads were left then, 0 within ten lines of a remark above.'],
])('%i threads', (threads, line) => expect(totalLines({ ...totalsOf([]), threads })).toContain(line));
