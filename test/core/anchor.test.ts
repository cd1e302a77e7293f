import { resolveAnchor, type Claimed } from '../../lib/core/anchor.js';
import { parseDiff } from '../../lib/core/diff.js';
import type { Anchor } from '../../lib/core/finding.js';

/** Two hunks; old 10..17 and 40..43 of `src/a.ts`, and a deleted, a binary and a pure renamed file. */
const diff = parseDiff(
  [
    'diff --git a/src/a.ts b/src/a.ts',
    'index 1111111..2222222 100644',
    '--- a/src/a.ts',
    '+++ b/src/a.ts',
    '@@ -10,8 +10,9 @@',
    ' function total(order) {', //            10 10
    '-  const tax = rate(order);', //         11
    '+  const tax = rateOf(order);', //          11
    '+  log(tax);', //                           12
    '   check(order);', //                    12 13
    '-  return order.sum + tax;', //          13
    '-  // unreachable', //                   14
    '+  return order.sum;', //                   14
    '+  ', //                                    15
    '   }', //                                15 16
    '   check(order);', //                    16 17
    ' }', //                                  17 18
    '@@ -40,3 +41,4 @@',
    ' }', //                                  40 41
    '+log(tax);', //                             42
    ' tail();', //                            41 43
    ' last();', //                            42 44
    'diff --git a/gone.ts b/gone.ts',
    'deleted file mode 100644',
    '--- a/gone.ts',
    '+++ /dev/null',
    '@@ -1,2 +0,0 @@',
    '-export const gone = 1;',
    '-export const also = 2;',
    'diff --git a/logo.png b/logo.png',
    'index 1111111..2222222 100644',
    'Binary files a/logo.png and b/logo.png differ',
    'diff --git a/old/b.ts b/new/b.ts',
    'similarity index 90%',
    'rename from old/b.ts',
    'rename to new/b.ts',
    '--- a/old/b.ts',
    '+++ b/new/b.ts',
    '@@ -1 +1 @@',
    '-moved(1);',
    '+moved(2);',
    '',
  ].join('\n'),
);

const at = (
  line: number,
  side: 'LEFT' | 'RIGHT' = 'RIGHT',
  startLine?: number,
  path = 'src/a.ts',
): Anchor => ({
  kind: 'line',
  path,
  side,
  line,
  ...(startLine !== undefined && { startLine }),
});
const path = 'src/a.ts';

describe('a claim is anchored', () => {
  const table: [string, Claimed, Anchor][] = [
    [
      'at its number, where its code stands',
      { path, line: 11, code: '  const tax = rateOf(order);' },
      at(11),
    ],
    [
      'with white space folded and a carriage return',
      { path, line: 11, code: 'const  tax = rateOf(order);\r' },
      at(11),
    ],
    ['by a part of a line', { path, line: 14, code: 'order.sum' }, at(14)],
    [
      'at the number that it states when the code stands twice',
      { path, line: 17, code: 'check(order);' },
      at(17),
    ],
    [
      'on the removed line when only that holds the code',
      { path, line: 11, code: 'const tax = rate(order);' },
      at(11, 'LEFT'),
    ],
    [
      'on the removed line though it said RIGHT',
      { path, line: 11, side: 'RIGHT', code: 'tax = rate(order)' },
      at(11, 'LEFT'),
    ],
    ['by code that occurs once, whatever the number', { path, line: 999, code: 'return order.sum;' }, at(14)],
    ['by removed code that occurs once', { path, line: 2, code: '// unreachable' }, at(14, 'LEFT')],
    [
      'over the lines of its code',
      { path, line: 12, code: 'const tax = rateOf(order);\nlog(tax);' },
      at(12, 'RIGHT', 11),
    ],
    [
      'by the first line of its code',
      { path, line: 11, code: 'const tax = rateOf(order);\nlog(tax);' },
      at(12, 'RIGHT', 11),
    ],
    ['over its code at another place', { path, line: 70, code: '\n}\nlog(tax);\n' }, at(42, 'RIGHT', 41)],
    [
      'over the range that it states around its code',
      { path, startLine: 11, line: 14, code: 'check(order);' },
      at(14, 'RIGHT', 11),
    ],
    [
      'over removed lines with context between them',
      { path, line: 13, code: 'const tax = rate(order);\ncheck(order);\nreturn order.sum + tax;' },
      at(13, 'LEFT', 11),
    ],
    [
      'clamped to the hunk of its end',
      { path, startLine: 14, line: 43, code: 'tail();' },
      at(43, 'RIGHT', 41),
    ],
    [
      'on RIGHT when a context line is named by its old number',
      { path, line: 41, side: 'LEFT', code: 'tail();' },
      at(43),
    ],
    ['by number alone', { path, line: 13 }, at(13)],
    ['by number alone, on LEFT when it says so', { path, line: 13, side: 'LEFT' }, at(13, 'LEFT')],
    ['by the old number of a context line alone', { path, line: 41, side: 'LEFT' }, at(43)],
    ['by number alone over a range', { path, startLine: 11, line: 13 }, at(13, 'RIGHT', 11)],
    ['on one line when start and end are the same', { path, startLine: 13, line: 13 }, at(13)],
    [
      'on LEFT of a deleted file without a side',
      { path: 'gone.ts', line: 2 },
      at(2, 'LEFT', undefined, 'gone.ts'),
    ],
    [
      'by the new path when it names the old one',
      { path: 'old/b.ts', line: 1, code: 'moved(2);' },
      at(1, 'RIGHT', undefined, 'new/b.ts'),
    ],
    ['as a blank line only by its number', { path, line: 15, code: '  ' }, at(15)],
  ];
  test.each(table)('%s', (_, claimed, anchor) => {
    expect(resolveAnchor(diff, claimed)).toEqual(anchor);
  });
});

describe('a claim becomes a row', () => {
  test.each<[string, Claimed, RegExp]>([
    [
      'when its number is wrong and its code stands twice',
      { path, line: 3, code: 'check(order);' },
      /stands at 2 places/,
    ],
    ['when its number is near but not right', { path, line: 14, code: 'log(tax);' }, /stands at 2 places/],
    ['when its code stands nowhere', { path, line: 11, code: 'const tax = price(order);' }, /does not stand/],
    [
      'when its lines are not one after the other',
      { path, line: 12, code: 'log(tax);\nreturn order.sum;' },
      /does not stand/,
    ],
    ['when its code is too short to be a part of a line', { path, line: 11, code: 'tax' }, /does not stand/],
    ['when its line is not part of the diff', { path, line: 25 }, /line 25 is not part of the diff/],
    [
      'when its line is only in the old file',
      { path: 'gone.ts', line: 1, side: 'RIGHT' },
      /not part of the diff/,
    ],
    [
      'when its file is not part of the change',
      { path: 'src/b.ts', line: 1, code: 'x' },
      /not part of this change/,
    ],
    ['when its file is binary', { path: 'logo.png', line: 1 }, /is binary/],
  ])('%s', (_, claimed, why) => {
    expect(resolveAnchor(diff, claimed)).toEqual({
      kind: 'row',
      path: claimed.path,
      line: claimed.line,
      why: expect.stringMatching(why),
    });
  });
});
