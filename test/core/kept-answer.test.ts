import { askedAgain } from '../../lib/core/asked-again.js';
import { parseDiff } from '../../lib/core/diff.js';
import { findingKey, landmarksOf } from '../../lib/core/finding.js';
import { outlivedAnswerTo } from '../../lib/core/kept-answer.js';
import { defaultPolicy, type KeptAnswer } from '../../lib/core/policy.js';
import type { Question } from '../../lib/core/question.js';

const diff = parseDiff(`diff --git a/src/mail.ts b/src/mail.ts
--- a/src/mail.ts
+++ b/src/mail.ts
@@ -1,9 +1,9 @@
 const one = 1;
-send(order);
+send(order, now);
+log(order);
 const two = 2;
 const three = 3;
-close();
+close(now);
 const four = 4;
-gone();
 const five = 5;
 const six = 6;
`);
const file = [
  ...['const one = 1;', 'send(order, now);', 'log(order);', 'const two = 2;', 'const three = 3;'],
  ...['close(now);', 'const four = 4;', 'const five = 5;', 'const six = 6;'],
];
const now = Date.parse('2026-12-01T14:02:00Z');
const kept = (over: Partial<KeptAnswer> = {}): KeptAnswer => ({
  rule: 'lost-mail',
  path: 'src/mail.ts',
  code: 'send(order);',
  because: 'the queue keeps it',
  until: '2027-06-01',
  file: '.github/evident.yml',
  line: 14,
  ...over,
});

test.each<[string, readonly KeptAnswer[], readonly [number, number], 'changed' | 'ran_out' | null]>([
  ['its line was replaced just there', [kept()], [2, 2], 'changed'],
  ['and by more than one line', [kept()], [2, 3], 'changed'],
  ['white space is folded', [kept({ code: '  send(order);  ' })], [2, 2], 'changed'],
  ['it was replaced elsewhere', [kept()], [6, 6], null],
  ['its line went away next to it', [kept({ code: 'gone();' })], [8, 8], 'changed'],
  ['its line never was there', [kept({ code: 'other();' })], [2, 2], null],
  ['its line stands still', [kept({ code: 'const two = 2;' })], [3, 4], null],
  ['another rule', [kept({ rule: 'lost-letter' })], [2, 2], null],
  ['another file', [kept({ path: 'src/post.ts' })], [2, 2], null],
  ['its day has come', [kept({ code: 'const two = 2;', until: '2026-12-01' })], [4, 4], 'ran_out'],
  ['its day has come, for a line that has changed', [kept({ until: '2026-12-01' })], [2, 2], null],
  ['the last of several', [kept({ code: 'other();' }), kept(), kept({ path: 'docs/**' })], [2, 2], 'changed'],
])('a kept answer that does not hold any more: %s', (_name, answers, [start, end], expected) => {
  const policy = { review: { ...defaultPolicy.review, answers } };
  const outlived = outlivedAnswerTo(
    { rule: 'lost-mail', path: 'src/mail.ts', start, end, file },
    policy,
    diff,
    now,
  );
  expect(outlived?.is ?? null).toBe(expected);
});

const code = Array.from({ length: 60 }, (_, at) => `step(${at});`);
const question = (
  id: Question['id'],
  line: number,
  {
    rule = 'lost-mail',
    path = 'src/mail.ts',
    category = 'logic',
    text = code,
  }: { rule?: string; path?: string; category?: 'logic' | 'security'; text?: readonly string[] } = {},
): Question => ({
  id,
  finding: {
    ...{ rule, category, title: '', body: '', evidence: [] },
    ...{ severity: 'important', confidence: 'medium', origin: 'introduced', standing: { kind: 'open' } },
    key: findingKey({ lineage: path, category, file: text, start: line, end: line, nth: 0 }),
    landmarks: landmarksOf(text, line, line),
    anchor: { kind: 'line', path, side: 'RIGHT', line },
  },
  reason: '',
  searched: [],
  question: '',
  answerEffects: { yes: 'suppress_finding', no: 'include_finding' },
  standing: { kind: 'open' },
});
const changed = code.with(9, 'step(9, now);');
const shifted = [...Array.from({ length: 300 }, (_, at) => `above(${at});`), ...changed];

test.each<[string, readonly Question[], readonly Question[], readonly (string | null)[]]>([
  ['the line changed', [question('Q5', 10, { text: changed })], [question('Q1', 10)], ['Q1']],
  ['and is far below now', [question('Q5', 310, { text: shifted })], [question('Q1', 10)], ['Q1']],
  [
    'under another name of the model',
    [question('Q5', 10, { text: changed, rule: 'mail-gone' })],
    [question('Q1', 10)],
    ['Q1'],
  ],
  ['a line elsewhere in the file', [question('Q5', 50, { text: changed })], [question('Q1', 10)], [null]],
  [
    'another file',
    [question('Q5', 10, { text: changed, path: 'src/post.ts' })],
    [question('Q1', 10)],
    [null],
  ],
  [
    'another category',
    [question('Q5', 10, { text: changed, category: 'security' })],
    [question('Q1', 10)],
    [null],
  ],
  [
    'two rules of the catalogue',
    [question('Q5', 10, { text: changed, rule: 'falsy-zero' })],
    [question('Q1', 10, { rule: 'react-dom-mutation' })],
    [null],
  ],
  [
    'the likest of two',
    [question('Q5', 10, { text: changed })],
    [question('Q1', 14), question('Q2', 10)],
    ['Q2'],
  ],
  [
    'the newest of equal ones',
    [question('Q5', 10, { text: changed })],
    [question('Q1', 10), question('Q2', 10)],
    ['Q2'],
  ],
  [
    'each is asked again once',
    [question('Q5', 12, { text: changed }), question('Q6', 10, { text: changed })],
    [question('Q1', 10)],
    [null, 'Q1'],
  ],
])('what is asked again: %s', (_name, wanted, over, expected) => {
  const again = askedAgain(wanted, over);
  expect(wanted.map((_, index) => again.get(index) ?? null)).toEqual(expected);
});
