import { changedRepository, numbered, places } from './changed-repository.js';

const { call } = changedRepository({
  base: { 'src/a.ts': 'refund(1)\n' },
  head: {
    'src/a.ts': 'import x\n\nrefund(1)\nrefund(2)\n\nnote\n\nrefund(3)\nend\n',
    'src/b.ts': 'no\nrefund(0)',
    'test/a.test.ts': 'refund(9)\n',
    'huge.sql': 'x'.repeat(1 << 21),
    'min.js': `${'x'.repeat(3_000)}refund(7)${'y'.repeat(3_000)}\n`,
  },
});

test('matches with their numbers, by file, and recorded as served', async () => {
  const answer = await call('search_code', { pattern: 'refund\\(', glob: 'src/**' });
  expect(answer.text).toBe(
    [
      '4 matches in 2 files (2 files searched at head)',
      '== src/a.ts',
      '>    3 | refund(1)',
      '>    4 | refund(2)',
      '--',
      '>    8 | refund(3)',
      '== src/b.ts',
      '>    2 | refund(0)',
    ].join('\n'),
  );
  expect(places(answer)).toEqual(['head:src/a.ts:3-4', 'head:src/a.ts:8-8', 'head:src/b.ts:2-2']);
});

test('context around matches is shown once where it overlaps', async () => {
  const answer = await call('search_code', { pattern: 'refund', glob: 'src/a.ts', context: '2' });
  expect(answer.text).toBe(
    [
      '3 matches in 1 file (1 file searched at head)',
      '== src/a.ts',
      '     1 | import x',
      '     2 | ',
      '>    3 | refund(1)',
      '>    4 | refund(2)',
      '     5 | ',
      '     6 | note',
      '     7 | ',
      '>    8 | refund(3)',
      '     9 | end',
    ].join('\n'),
  );
  expect(places(answer)).toEqual(['head:src/a.ts:1-9']);
});

test('at base, and nothing found', async () => {
  expect((await call('search_code', { pattern: 'refund', ref: 'base' })).text).toBe(
    '1 match in 1 file (1 file searched at base)\n== src/a.ts\n>    1 | refund(1)',
  );
  expect((await call('search_code', { pattern: 'nowhere', glob: '*.ts' })).text).toBe(
    '0 matches in 0 files (3 files searched at head)',
  );
});

test('what could not be searched is said', async () => {
  const { text } = await call('search_code', { pattern: 'nowhere' });
  expect(text).toMatch(/\n\[not searched: huge\.sql \(.+\)\]$/);
});

test('a match in a very long line is shown around it and is not served', async () => {
  const answer = await call('search_code', { pattern: 'refund\\(7', glob: 'min.js' });
  expect(answer.text).toContain('refund(7)');
  expect(answer.text.length).toBeLessThan(700);
  expect(answer.served).toEqual([]);
});

test('a hundred matches are shown, all are counted', async () => {
  const many = changedRepository({
    base: {},
    head: { a: numbered(250), b: numbered(5) },
    snapshot: { diff: [] },
  });
  const answer = await many.call('search_code', { pattern: '^line' });
  expect(answer.text.split('\n')[0]).toBe('255 matches, 100 shown in 1 file (2 files searched at head)');
  expect(answer.text).toMatch(/\n\[cut: 155 more matches; narrow the pattern or the glob\]$/);
  expect(places(answer)).toEqual(['head:a:1-100']);
});

test('one answer stays below its cap, whatever the lines', async () => {
  const wide = Array.from({ length: 90 }, (_, i) => `${'w'.repeat(1_500)} ${i}\n`).join('');
  const many = changedRepository({ base: {}, head: { a: wide }, snapshot: { diff: [] } });
  const answer = await many.call('search_code', { pattern: '\\d$', context: 5 });
  expect(answer.text.length).toBeLessThan(41_000);
  const shown = Number(/, (\d+) shown/.exec(answer.text)?.[1]);
  expect(answer.text.match(/^>/gm)).toHaveLength(shown);
  expect(answer.text).toContain(`[cut: ${90 - shown} more matches`);
});

test.each([
  [{ pattern: '(' }, 'The pattern is not RE2'],
  [{ pattern: 'a(?=b)' }, 'RE2 has no lookahead'],
  [{ pattern: 'x', glob: '../**' }, 'leaves the repository'],
])('%j is refused with advice', async (input, message) => {
  await expect(call('search_code', input)).rejects.toThrow(message);
});
