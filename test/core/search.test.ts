import fc from 'fast-check';
import { RE2JS } from 're2js';
import { checkGlob, globMatches, MAX_MATCH_LENGTH, searchFiles } from '../../lib/core/search.js';
import type { SearchResult } from '../../lib/core/search.js';

const repository = [
  { path: 'src/refund.ts', text: 'const a = 1;\nif (a.b) refund(a);\n\nexport const REFUND = 2;\n' },
  { path: 'src/deep/tax.ts', text: 'const tax = refund;' },
  { path: 'src/crlf.ts', text: 'const x = 1;\r\nrefund();\r\n' },
  { path: '.github/ci.yml', text: 'run: refund\n' },
  { path: 'README.md', text: '' },
];

const search = (pattern: string, glob?: string, limit = 100): SearchResult =>
  searchFiles(repository, { pattern, limit, ...(glob === undefined ? {} : { glob }) });

const places = (result: SearchResult): string[] =>
  result.kind === 'searched' ? result.matches.map((match) => `${match.path}:${match.line}`) : [result.kind];

test.each<[string, string, boolean]>([
  ['app/[id]/page.tsx', 'app/[id]/page.tsx', true],
  ['app/[id]/**/*.tsx', 'app/[id]/deep/page.tsx', true],
  ['app/[id]', 'app/[id]/page.tsx', true],
  ['app/[ab]/page.tsx', 'app/b/page.tsx', true],
  ['app/[ab]/page.tsx', 'app/c/page.tsx', false],
  [' leading.txt', ' leading.txt', true],
  ['{a,b}.txt', '{a,b}.txt', true],
  ['!app/[id]/**', 'app/[id]/page.tsx', false],
  ['*.env', 'deep/prod.env', true],
  ['deep/*.env', 'other/deep/prod.env', false],
])('the scope of %s and %s: %s', (glob, path, expected) => expect(globMatches(glob, path)).toBe(expected));

describe('searchFiles', () => {
  test.each<[string, string, string | undefined, string[]]>([
    [
      'plain text',
      'refund',
      undefined,
      ['.github/ci.yml:1', 'src/crlf.ts:2', 'src/deep/tax.ts:1', 'src/refund.ts:2'],
    ],
    ['an escaped dot is a dot', 'a\\.b', undefined, ['src/refund.ts:2']],
    ['a dot is any character', 'a.b', undefined, ['src/refund.ts:2']],
    ['an inline flag', '(?i)export const refund', undefined, ['src/refund.ts:4']],
    [
      'the end of a line',
      ';$',
      'src/**',
      [
        'src/crlf.ts:1',
        'src/crlf.ts:2',
        'src/deep/tax.ts:1',
        'src/refund.ts:1',
        'src/refund.ts:2',
        'src/refund.ts:4',
      ],
    ],
    ['an empty line', '^$', undefined, ['src/refund.ts:3']],
    ['brackets that are escaped', 'refund\\(a\\)', undefined, ['src/refund.ts:2']],
    ['a class that excludes line ends', '^[^\\n]*tax', undefined, ['src/deep/tax.ts:1']],
    ['a base name at any depth', 'refund', '*.ts', ['src/crlf.ts:2', 'src/deep/tax.ts:1', 'src/refund.ts:2']],
    ['a folder', 'refund', 'src/deep', ['src/deep/tax.ts:1']],
    ['a folder with a slash', 'refund', './src/deep/', ['src/deep/tax.ts:1']],
    ['dot folders', 'refund', '**/*.yml', ['.github/ci.yml:1']],
    ['braces', 'refund', 'src/{deep,none}/*.{ts,tsx}', ['src/deep/tax.ts:1']],
    ['all but', 'refund', '!src/**', ['.github/ci.yml:1']],
    ['nothing', 'nowhere', undefined, []],
  ])('%s', (_name, pattern, glob, expected) => {
    expect(places(search(pattern, glob))).toEqual(expected);
  });

  test('counts what is above the limit and the files of the scope', () => {
    const result = search('refund', 'src/**', 1);
    expect(result).toMatchObject({ kind: 'searched', total: 3, files: 3, notSearched: [] });
    expect(places(result)).toEqual(['src/refund.ts:2']);
  });

  test.each([
    ['lookahead', '(?=a)b', /no lookahead/],
    ['lookbehind', '(?<!a)b', /no lookahead or lookbehind/],
    ['backreference', '(a)\\1', /no backreferences/],
    ['counts', 'a{1,2000}', /Counts go up to 1000/],
    ['program', '(?:[ab]{1,30}){1,33}c', /smaller counts/],
    ['unclosed', '[a', /not RE2.*backslash/],
    ['empty', '', /empty/],
    ['line break', 'a\\nb', /one line/],
    ['raw line break', 'a\nb', /one line/],
    ['long', 'a'.repeat(1001), /1001 characters/],
  ])('a bad pattern says how to mend it: %s', (_name, pattern, why) => {
    const result = search(pattern);
    expect(result.kind).toBe('bad_pattern');
    expect(result.kind === 'bad_pattern' && result.why).toMatch(why);
  });

  test.each([
    ['', /empty/],
    ['./', /empty/],
    ['../other/**', /leaves the repository/],
    ['{1..100000}', /more than 256/],
    ['{a,b}'.repeat(20), /more than 256/],
    ['a'.repeat(501), /501 characters/],
  ])('a bad glob says how to mend it: %s', (glob, why) => {
    const result = search('refund', glob);
    expect(result.kind).toBe('bad_glob');
    expect(checkGlob(glob)).toMatch(why);
    expect(globMatches(glob, 'a')).toBe(false);
  });

  test('files that cannot be searched are listed only in their scope', () => {
    const notSearched = [
      { path: 'src/big.ts', why: 'too large' },
      { path: 'docs/big.md', why: 'too large' },
    ];
    const result = searchFiles(repository, { pattern: 'x', glob: 'src/**', limit: 1 }, { notSearched });
    expect(result).toMatchObject({ notSearched: [{ path: 'src/big.ts', why: 'too large' }] });
  });

  test('files that are left when time is up are said, never counted as searched', () => {
    let asked = 0;
    const result = searchFiles(repository, { pattern: 'refund', limit: 9 }, { expired: () => ++asked > 2 });
    expect(result).toMatchObject({ kind: 'searched', files: 2, outOfTime: 3 });
    expect(result.kind === 'searched' && result.notSearched.map((file) => file.path)).toEqual([
      'src/crlf.ts',
      '.github/ci.yml',
      'README.md',
    ]);
  });

  test('a very long line is cut around its match, and says so', () => {
    const text = `${'x'.repeat(50_000)}needle${'y'.repeat(50_000)}`;
    for (const pattern of ['needle', 'ne+dle']) {
      const result = searchFiles([{ path: 'a', text }], { pattern, limit: 1 });
      const found = result.kind === 'searched' ? result.matches[0]?.text : '';
      expect(found).toContain('needle');
      expect(found).toContain('of 100006]');
      expect(found?.length).toBeLessThan(MAX_MATCH_LENGTH + 60);
    }
  });

  test('patterns that make a backtracking engine hang are answered', () => {
    const text = `${'a'.repeat(28)}b\n`.repeat(2000) + 'a'.repeat(20_000);
    for (const pattern of ['(a+)+$', '(a|a)*c|d$', '(.*)*x[0-9]', '(?:a?){30}a{30}[bc]'])
      expect(searchFiles([{ path: 'a', text }], { pattern, limit: 1 }).kind).toBe('searched');
  });

  test('an escaped text finds itself, at the line where it stands', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 40 }), fc.nat(20), (text, before) => {
        fc.pre(!/[\n\r]/.test(text));
        const pattern = text.replace(/[.*+?()[\]{}^$|\\]/g, '\\$&');
        const result = searchFiles([{ path: 'a', text: `${'\n'.repeat(before)}<${text}>\n` }], {
          pattern,
          limit: 1,
        });
        expect(result).toMatchObject({ total: 1, matches: [{ line: before + 1, text: `<${text}>` }] });
      }),
    );
  });

  function agrees(pattern: string, text: string): void {
    const expression = RE2JS.compile(pattern);
    const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
    if (text === '' || text.endsWith('\n')) lines.pop();
    const expected = lines.flatMap((line, at) => (expression.test(line) ? [`a:${at + 1}`] : []));
    expect(places(searchFiles([{ path: 'a', text }], { pattern, limit: 999 }))).toEqual(expected);
  }

  const texts = fc.string({ unit: fc.constantFrom('a', 'b', '_', ' ', '\t', 'é', '\n', '\r', '\r\n') });

  test.each([
    ...[
      'ab',
      'a\\b',
      '\\Ba',
      '^a',
      'b$',
      '^$',
      '^\\s*$',
      'a?$',
      '\\Aab',
      'b\\z',
      '[^b]$',
      '(?-m)^b',
      '(?s)a.b',
    ],
    ...['(?i)B', '(?m)^b$', '\\Qa\\E', '\\W$', '.\\b$', '(^|_)b', '[[:^word:]]a', 'a|^b'],
  ])('%s matches the lines that it matches one by one', (pattern) => {
    fc.assert(fc.property(texts, (text) => agrees(pattern, text)));
  });

  test('any pattern matches the lines that it matches one by one', () => {
    const parts = [
      'ab',
      'a',
      'b-',
      '_b',
      'é',
      '\\.',
      '\\-',
      '.',
      '[ab]',
      '[^a]',
      '\\w',
      '\\b',
      '^',
      '$',
      '(',
      '(?:',
      ')',
    ];
    const operators = [
      '|',
      '|',
      '*',
      '+',
      '?',
      '??',
      '{2}',
      '{0,3}',
      '{',
      '(?i)',
      '(?i:',
      '[]a]',
      '[[:alpha:]]',
      '\\Qa.b\\E',
    ];
    const patterns = fc
      .array(fc.constantFrom(...parts, ...parts, ...operators), { minLength: 1, maxLength: 9 })
      .map((some) => some.join(''))
      .filter((pattern) => searchFiles([], { pattern, limit: 1 }).kind === 'searched');
    const words = fc
      .array(fc.constantFrom('ab', 'a', 'AB', 'b-', '_b', 'é', '.', ' ', '\n', '\r\n'), { maxLength: 12 })
      .map((some) => some.join(''));
    fc.assert(
      fc.property(patterns, words, (pattern, text) => agrees(pattern, text)),
      { numRuns: 3000 },
    );
  });

  test('no pattern and no glob makes it throw', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (pattern, glob) => {
        expect(['searched', 'bad_pattern', 'bad_glob']).toContain(search(pattern, glob).kind);
      }),
    );
  });
});
