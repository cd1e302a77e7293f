import { parseSearch } from '../../lib/models/rules/tool-texts.js';
import type { RepoReader } from '../../lib/ports/forge.js';
import { createSearchCode } from '../../lib/tools/search-code.js';
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
  [8, 5, '     8 | '],
  ['12', 5, '     8 | '],
  [-1, 0, '>    3 | refund(1)'],
])('context %j is brought to %d and said', async (context, shown, last) => {
  const { text } = await call('search_code', { pattern: 'refund\\(1', glob: 'src/a.ts', context });
  expect(text.split('\n').slice(-2)).toEqual([
    expect.stringContaining(last),
    `[note: context goes from 0 to 5; ${context} was asked for, ${shown} is shown]`,
  ]);
});

test('a search that ran out of time says so first, and what to do', async () => {
  const late = changedRepository({ base: {}, head: { a: 'x\n' }, snapshot: { diff: [] } });
  const notSearched = Array.from({ length: 1_750 }, (_, at) => ({ path: `locales/${at}.json`, why: 'late' }));
  const matches = [{ path: 'a', line: 1, text: 'x' }];
  const reader: RepoReader = {
    ...late.reader,
    search: async () => ({ kind: 'searched', matches, total: 1, files: 555, notSearched, outOfTime: 1_750 }),
  };
  const answer = await createSearchCode({ reader }).run(
    { pattern: 'x' },
    { signal: new AbortController().signal },
  );
  const lines = answer.text.split('\n');
  expect(lines[0]).toMatch(
    /^Not finished: 555 of 2,305 files searched at head; 1 match so far in 1 file\. .*search again with a glob/,
  );
  expect(lines.slice(1, 3)).toEqual(['== a', '>    1 | x']);
  expect(lines.at(-1)).toMatch(/^\[not searched: .*and 1740 more\]$/);
  expect(parseSearch(answer.text)).toMatchObject({
    total: 1,
    files: 1,
    matches: [{ path: 'a', line: 1, text: 'x' }],
    notSearched: expect.stringContaining('locales/0.json'),
  });
});

test.each([
  [{ pattern: '(' }, 'The pattern is not RE2'],
  [{ pattern: 'a(?=b)' }, 'RE2 has no lookahead'],
  [{ pattern: 'x', glob: '../**' }, 'leaves the repository'],
])('%j is refused with advice', async (input, message) => {
  await expect(call('search_code', input)).rejects.toThrow(message);
});
