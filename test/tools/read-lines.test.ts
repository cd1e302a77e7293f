import { changedRepository, numbered, places } from './changed-repository.js';

const repository = changedRepository({
  base: { 'src/old.ts': numbered(30), 'gone.ts': 'was here\n', 'a.ts': 'was\n' },
  head: {
    'src/new.ts': `${numbered(30)}more\n`,
    'a.ts': 'is\nnow',
    'added.ts': 'new\n',
    'empty.ts': '',
    'long.ts': numbered(2_000),
    'wide.ts': `a\n${'w'.repeat(3_000)}\nb\n`,
    'huge.txt': 'x'.repeat(1 << 21),
    'logo.png': new Uint8Array([0, 1]),
    lib: { submodule: '1'.repeat(40) },
    link: { symlink: 'src/new.ts' },
    '.env': 'A=1\n',
  },
  neverSend: ['.env'],
});
const { call } = repository;
const content = (input: object) => call('get_file_content', input);
const atBase = (input: object) => call('get_file_at_base', input);

test('a whole file, numbered, and recorded as served', async () => {
  const answer = await content({ path: 'a.ts' });
  expect(answer.text).toBe(
    'a.ts at head, lines 1-2 of 2\n     1 | is\n     2 | now\n[note: no newline at the end of the file]',
  );
  expect(places(answer)).toEqual(['head:a.ts:1-2']);
  const base = await atBase({ path: '/a.ts' });
  expect(base.text).toBe('a.ts at base, lines 1-1 of 1\n     1 | was');
  expect(places(base)).toEqual(['base:a.ts:1-1']);
});

test.each([
  [{ start: 3, end: 4 }, 'lines 3-4 of 31', '     4 | line 4', 'head:src/new.ts:3-4'],
  [{ start: '3', end: ' 4' }, 'lines 3-4 of 31', '     4 | line 4', 'head:src/new.ts:3-4'],
  [{ start: 30 }, 'lines 30-31 of 31', '    31 | more', 'head:src/new.ts:30-31'],
  [{ end: 1 }, 'lines 1-1 of 31', '     1 | line 1', 'head:src/new.ts:1-1'],
  [
    { start: 0, end: 2 },
    'lines 1-2 of 31',
    '[note: lines are counted from 1; 0 was asked for]',
    'head:src/new.ts:1-2',
  ],
  [
    { start: '-5', end: 1 },
    'lines 1-1 of 31',
    '[note: lines are counted from 1; -5 was asked for]',
    'head:src/new.ts:1-1',
  ],
  [
    { start: 31, end: 99 },
    'lines 31-31 of 31',
    '[note: the file ends at line 31; line 99 was asked for]',
    'head:src/new.ts:31-31',
  ],
])('the range %j', async (range, head, last, served) => {
  const answer = await content({ path: 'src/new.ts', ...range });
  expect(answer.text.split('\n')[0]).toBe(`src/new.ts at head, ${head}`);
  expect(answer.text.split('\n').at(-1)).toBe(last);
  expect(places(answer)).toEqual([served]);
});

test('more than 800 lines come in parts that say how to go on', async () => {
  const first = await content({ path: 'long.ts' });
  expect(first.text).toMatch(/^long\.ts at head, lines 1-800 of 2000\n/);
  expect(first.text).toMatch(/\n\[cut: lines 801-2000 are not shown; go on with start 801\]$/);
  expect(places(first)).toEqual(['head:long.ts:1-800']);
  const last = await content({ path: 'long.ts', start: 1_601 });
  expect(last.text).toMatch(/\n {2}2000 \| line 2000$/);
});

test('long lines are cut among others and count as not served', async () => {
  const answer = await content({ path: 'wide.ts' });
  expect(answer.text).toContain('[cut: 1000 of the 3000 characters of this line]');
  expect(answer.text).toMatch(/\[cut: long lines were cut; ask with start and end of one line/);
  expect(places(answer)).toEqual(['head:wide.ts:1-1', 'head:wide.ts:3-3']);
});

test.each([
  ['head', 'empty.ts', 'empty.ts at head is empty.'],
  ['head', 'src', 'src at head is a folder with 1 entries: new.ts. list_files shows all of them.'],
  [
    'head',
    'link',
    'link at head is a symbolic link to src/new.ts. Links are not followed; read that path if it is in the repository.',
  ],
  [
    'head',
    'lib',
    `lib at head is a submodule at commit ${'1'.repeat(40)}. Its files are in another repository and cannot be read here.`,
  ],
  ['head', 'logo.png', 'logo.png at head is binary, 2 bytes. It has no lines to show.'],
  [
    'head',
    'huge.txt',
    'huge.txt at head has 2097152 bytes, more than the 1048576 that are read. It cannot be shown.',
  ],
  [
    'head',
    '.env',
    '.env at head is withheld: the operator\'s setting ".env" keeps it from being sent. Do without it and say so where it matters.',
  ],
  [
    'base',
    'src/new.ts',
    'There is no src/new.ts at base: this change renames it, at base it is called src/old.ts.',
  ],
  [
    'head',
    'src/old.ts',
    'There is no src/old.ts at head: this change renames it, at head it is called src/new.ts.',
  ],
  ['base', 'added.ts', 'There is no added.ts at base: this change adds it.'],
  [
    'head',
    'gone.ts',
    'There is no gone.ts at head: this change deletes it; get_file_at_base shows what it was.',
  ],
  ['head', 'lib/x.c', expect.stringMatching(/^lib\/x\.c at head could not be read: .*submodule/)],
  ['head', 'NEW.ts', expect.stringMatching(/^There is no NEW\.ts at head\. Similar: src\/new\.ts/)],
  ['head', 'zzz/qqq.rs', 'There is no zzz/qqq.rs at head, and no similar name.'],
])('at %s, %s', async (ref, path, sentence) => {
  const answer = await (ref === 'head' ? content : atBase)({ path });
  expect(answer.text).toEqual(sentence);
  expect(answer.served).toEqual([]);
});

test.each([
  [{ path: '' }, 'Give the path of a file.'],
  [{ path: '.' }, 'Give the path of a file.'],
  [{ path: '../etc/passwd' }, 'is not a path of the repository'],
  [{ path: 'a.ts', start: 9 }, 'a.ts at head has 2 lines; there is no line 9.'],
  [{ path: 'a.ts', start: 2, end: 1 }, 'start 2 is after end 1.'],
])('a call that cannot be answered: %j', async (input, message) => {
  await expect(content(input)).rejects.toThrow(message);
});
