import { checkSuggestion } from '../../lib/core/suggestion.js';

const file = [
  'export function amountOf(order) {', // 1
  '  const refund = refundFor(order);', // 2
  '  const amount = refund || order.total;', // 3
  '  return charge(order, amount);', // 4
  '}', // 5
  '', // 6
  'if (a) {', // 7
  '  foo();', // 8
  '}', // 9
];
const crlf = file.map((line) => `${line}\r`);
const at3 = { start: 3, end: 3 };

describe('a suggestion', () => {
  test.each([
    [
      'that replaces its line',
      '  const amount = refund ?? order.total;',
      at3,
      '  const amount = refund ?? order.total;',
    ],
    ['with a final newline', '  const amount = 1;\n', at3, '  const amount = 1;'],
    ['of several lines', '  a();\n\n  b();', at3, '  a();\n\n  b();'],
    ['that deletes', '', at3, ''],
    [
      'whose first line repeats the line above',
      '  const refund = refundFor(order);\n  const amount = 1;',
      at3,
      '  const amount = 1;',
    ],
    [
      'whose last line repeats the line below',
      '  const amount = 1;\n  return charge(order, amount);',
      at3,
      '  const amount = 1;',
    ],
    [
      'that repeats both neighbours',
      '  const refund = refundFor(order);\n  const amount = 1;\n  return charge(order, amount);',
      at3,
      '  const amount = 1;',
    ],
    ['that repeats the brace below', '  foo(b);\n}', { start: 8, end: 8 }, '  foo(b);'],
    [
      'that repeats its own first line',
      '  const amount = refund || order.total;\n  log(amount);',
      at3,
      '  const amount = refund || order.total;\n  log(amount);',
    ],
  ])('%s applies', (_, proposal, range, text) =>
    expect(checkSuggestion(proposal, file, range)).toEqual({ kind: 'applies', text }),
  );

  test('keeps the line endings of the file', () => {
    expect(checkSuggestion('  a();\n  b();', crlf, at3)).toEqual({
      kind: 'applies',
      text: '  a();\r\n  b();\r',
    });
    expect(checkSuggestion('  a();\r\n', file, at3)).toEqual({ kind: 'applies', text: '  a();' });
  });

  test.each([
    ['the code itself', '  const amount = refund || order.total;'],
    ['the code with another line ending', '  const amount = refund || order.total;\r\n'],
    [
      'the code with the line above it',
      '  const refund = refundFor(order);\n  const amount = refund || order.total;',
    ],
  ])('is useless when it is %s', (_, proposal) =>
    expect(checkSuggestion(proposal, file, at3).kind).toBe('useless'),
  );

  test('is only shown when it repeats a neighbour and its brackets do not say what is meant', () =>
    expect(checkSuggestion('  const refund = refundFor(order);\n  if (amount) {', file, at3)).toMatchObject({
      kind: 'plain',
    }));
});
