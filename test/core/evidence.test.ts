import {
  checkAbsence,
  checkQuote,
  firstUnserved,
  foldSpace,
  type Absence,
  type Quote,
  type Served,
} from '../../lib/core/evidence.js';
import fc from 'fast-check';
import { sourceOf } from './shop.js';

const file = [
  'import a from "a";', // 1
  '',
  'export function check(user: User) {', // 3
  '  if (!isAdmin(user)) throw new Error("no");', // 4
  '  return user;', // 5
  '}',
  'const retries = 3;', // 7
  'const retries = 3;', // 8
  '\tlog(retries);\r', // 9
].join('\n');
const source = sourceOf({ head: { 'src/a.ts': file }, base: { 'src/a.ts': 'const old = 1;\n' } });
const read: readonly Served[] = [
  { path: 'src/a.ts', ref: 'head', start: 1, end: 5 },
  { path: 'src/a.ts', ref: 'head', start: 6, end: 9 },
  { path: 'src/a.ts', ref: 'base', start: 1, end: 1 },
];
const quote = (start: number, end: number, text: string, over: Partial<Quote> = {}): Quote => ({
  kind: 'quote',
  role: 'because',
  path: 'src/a.ts',
  ref: 'head',
  start,
  end,
  quote: text,
  ...over,
});

describe('a quote holds', () => {
  test.each([
    ['word for word', quote(5, 5, '  return user;')],
    ['with white space folded', quote(5, 5, 'return   user;')],
    ['over two lines', quote(4, 5, 'if (!isAdmin(user)) throw new Error("no");\n  return user;')],
    ['with a tab and a carriage return in the file', quote(9, 9, 'log(retries);')],
    ['at the base version', quote(1, 1, 'const old = 1;', { ref: 'base' })],
    ['as a telling part of a line', quote(4, 4, 'throw new Error("no")')],
    ['over a range whose ends were served apart', quote(5, 6, 'return user;\n}')],
    ['with an empty line around it', quote(2, 3, 'export function check(user: User) {')],
  ])('%s', async (_, one) => expect(await checkQuote(one, source, read)).toEqual({ kind: 'held' }));
});

describe('a quote fails', () => {
  test.each([
    [
      'on another line',
      quote(4, 4, 'return user;'),
      'the quoted text is not at src/a.ts:4 (head); it stands at 5',
    ],
    [
      'on other lines',
      quote(3, 4, '  return user;\n}'),
      'the quoted text is not at src/a.ts:3-4 (head); it stands at 5-6',
    ],
    [
      'that stands at two other places',
      quote(5, 5, 'const retries = 3;'),
      'the quoted text is not at src/a.ts:5 (head)',
    ],
    ['that was made up', quote(5, 5, 'return null;'), 'the quoted text is not at src/a.ts:5 (head)'],
    [
      'in which one character differs',
      quote(5, 5, 'return user'.replace('user', 'User')),
      'the quoted text is not at src/a.ts:5 (head)',
    ],
    [
      'in which spaces were taken out',
      quote(5, 5, 'returnuser;'),
      'the quoted text is not at src/a.ts:5 (head)',
    ],
    [
      'that leaves out a negation',
      quote(4, 4, 'isAdmin(user)) throw new Error("no");'),
      'the quoted text is not at src/a.ts:4 (head)',
    ],
    [
      'that cuts a word',
      quote(4, 4, 'Admin(user)) throw new'),
      'the quoted text is not at src/a.ts:4 (head)',
    ],
    ['too short to tell anything', quote(5, 5, 'user'), 'the quoted text is not at src/a.ts:5 (head)'],
    [
      'whose range is wider than the text',
      quote(3, 6, 'throw new Error("no");'),
      'the quoted text is not at src/a.ts:3-6 (head); it stands at 4',
    ],
    ['at the wrong version', quote(1, 1, 'const old = 1;'), 'the quoted text is not at src/a.ts:1 (head)'],
    [
      'beyond the end',
      quote(90, 90, 'return user;'),
      'src/a.ts:90 (head) is outside the file, which has 9 lines; it stands at 5',
    ],
    [
      'with its ends the wrong way round',
      quote(5, 4, 'return user;'),
      'src/a.ts:5-4 (head) is not a range: the first line comes after the last one',
    ],
    ['of white space', quote(2, 2, ' \n'), 'the quote for src/a.ts:2 (head) is empty'],
    [
      'in a file that is not there',
      quote(1, 1, 'x', { path: 'src/b.ts' }),
      'there is no readable file src/b.ts at head',
    ],
  ])('%s', async (_, one, reason) =>
    expect(await checkQuote(one, source, read)).toEqual({ kind: 'failed', reason }),
  );

  test('whose lines were not shown in this run, in part', async () => {
    const served: readonly Served[] = [{ path: 'src/a.ts', ref: 'head', start: 1, end: 4 }];
    expect(
      await checkQuote(
        quote(4, 5, 'if (!isAdmin(user)) throw new Error("no");\nreturn user;'),
        source,
        served,
      ),
    ).toEqual({
      kind: 'failed',
      reason: 'src/a.ts:5 (head) was not read in this run: read it first',
    });
  });

  test('whose lines were shown at the other version only', async () => {
    const served: readonly Served[] = [{ path: 'src/a.ts', ref: 'base', start: 1, end: 99 }];
    expect((await checkQuote(quote(5, 5, 'return user;'), source, served)).kind).toBe('failed');
  });
});

describe('an absence', () => {
  const two = {
    head: { 'src/a.ts': 'save(order);\n', 'lib/guard.ts': 'requireRole("admin");\n' },
    base: { 'src/a.ts': 'audit(order);\nsave(order);\n' },
  };
  const absence = (pattern: string, glob: string, ref: 'head' | 'base' = 'head'): Absence => ({
    kind: 'absence',
    role: 'because',
    pattern,
    glob,
    ref,
  });

  test.each([
    ['the pattern matches elsewhere at head', absence('requireRole', 'src/**')],
    ['the pattern matches at base only', absence('audit', '**')],
    ['the scope is the base version', absence('requireRole', '**', 'base')],
  ])('holds when %s', async (_, one) =>
    expect(await checkAbsence(one, sourceOf(two))).toEqual({ kind: 'held' }),
  );

  test.each([
    ['it is there', absence('save', 'src/**'), /finds 1 line, so it is not absent/],
    ['the pattern matches nothing anywhere', absence('requireRoel', 'src/**'), /proves nothing/],
    ['no file is in the scope', absence('requireRole', 'srcc/**'), /no file is in the scope srcc/],
    ['the pattern cannot be read', absence('(', 'src/**'), /cannot be run: missing \)/],
  ])('fails when %s', async (_, one, reason) => {
    const checked = await checkAbsence(one, sourceOf(two));
    expect(checked).toEqual({ kind: 'failed', reason: expect.stringMatching(reason) });
  });

  test('fails when a part of the scope could not be searched', async () => {
    const checked = await checkAbsence(absence('requireRole', 'src/**'), sourceOf(two, 2));
    expect(checked).toEqual({ kind: 'failed', reason: expect.stringContaining('2 files of src/**') });
  });
});

describe('served lines', () => {
  const range = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 12 }));
  test('the first unserved line is what a count line by line finds', () => {
    fc.assert(
      fc.property(range, fc.array(range, { maxLength: 8 }), ([start, more], shown) => {
        const served = shown.map(([at, n]): Served => ({ path: 'a', ref: 'head', start: at, end: at + n }));
        let wanted: number | null = null;
        for (let line = start; line <= start + more && wanted === null; line++)
          if (!served.some((one) => one.start <= line && line <= one.end)) wanted = line;
        expect(firstUnserved({ path: 'a', ref: 'head', start, end: start + more }, served)).toBe(wanted);
      }),
    );
  });

  test('folding is idempotent and keeps every character that is not white space', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(foldSpace(foldSpace(text))).toBe(foldSpace(text));
        expect(foldSpace(text).replace(/\s/gu, '')).toBe(text.replace(/\s/gu, ''));
      }),
    );
  });
});
