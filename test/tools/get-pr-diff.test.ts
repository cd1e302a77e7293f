import { createGetPrDiff } from '../../lib/tools/get-pr-diff.js';
import { changedRepository, numbered, places } from './changed-repository.js';

const before = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].join('\n') + '\n';

test('rows carry the line at head, removed rows the line at base; both sides are recorded', async () => {
  const { call } = changedRepository({
    base: { 'src/old.ts': `${before}${numbered(20)}` },
    head: { 'src/new.ts': `${before.replace('four\n', 'FOUR\nfour and a half\n')}${numbered(20)}` },
  });
  const answer = await call('get_pr_diff');
  expect(answer.text).toBe(
    [
      '=== src/new.ts (renamed from src/old.ts, +2 -1)',
      '@@ -1,7 +1,8 @@',
      '     1 | one',
      '     2 | two',
      '     3 | three',
      '-    4 | four',
      '+    4 | FOUR',
      '+    5 | four and a half',
      '     6 | five',
      '     7 | six',
      '     8 | seven',
    ].join('\n'),
  );
  expect(places(answer)).toEqual(['head:src/new.ts:1-8', 'base:src/old.ts:1-7']);
});

test('every kind of changed file has a head line that says why it has no rows', async () => {
  const { call } = changedRepository({
    base: {
      gone: 'x\n',
      'logo.png': new Uint8Array([0, 1, 2]),
      lib: { submodule: '1'.repeat(40) },
      link: { symlink: 'gone' },
      moved: numbered(9),
    },
    head: {
      'logo.png': new Uint8Array([0, 1, 3]),
      lib: { submodule: '2'.repeat(40) },
      link: { symlink: 'new' },
      'to/moved': numbered(9),
      new: 'y',
      empty: '',
    },
  });
  const { text } = await call('get_pr_diff');
  expect(text.split('\n').filter((line) => line.startsWith('==='))).toEqual([
    '=== empty (added, +0 -0)',
    '=== gone (deleted, +0 -1)',
    `=== lib (submodule ${'1'.repeat(40)}..${'2'.repeat(40)})`,
    '=== link (modified, symlink, +1 -1)',
    '=== logo.png (binary)',
    '=== new (added, +1 -0)',
    '=== to/moved (renamed from moved, +0 -0)',
  ]);
  expect(text).toContain('+    1 | y\n\\ no newline at the end of the file');
});

test('a file that was not given says so, and how to see it', async () => {
  const { call } = changedRepository({
    base: {},
    head: {},
    snapshot: {
      diff: [
        {
          path: 'big.json',
          oldPath: 'big.json',
          status: 'modified',
          symlink: false,
          additions: 9000,
          deletions: 1,
          content: { kind: 'missing', why: 'too_large', detail: 'GitHub gives only a part of its patch' },
        },
      ],
    },
  });
  expect((await call('get_pr_diff')).text).toBe(
    '=== big.json (modified, +9000 -1, not shown: too large)\n[not shown: GitHub gives only a part of its patch; get_file_content and get_file_at_base may show the file itself]',
  );
});

describe('pages', () => {
  const wide = (n: number): string => `${'x'.repeat(90)} ${n}\n`;
  const many = Array.from({ length: 1_000 }, (_, i) => wide(i)).join('');
  const repository = () =>
    changedRepository({ base: { keep: '' }, head: { keep: '', a: many, b: many, c: 'end\n' } });

  test('together show every row once, each page below the cap and naming the next', async () => {
    const { call } = repository();
    const rows: string[] = [];
    const served: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const answer = await call('get_pr_diff', cursor === undefined ? {} : { cursor });
      expect(answer.text.length).toBeLessThan(40_500);
      expect(answer.text).toMatch(/^=== [abc] \(added, \+\d+ -0\)\n@@ -0,0 \+1,?\d* @@/);
      rows.push(...answer.text.split('\n').filter((line) => line.startsWith('+')));
      served.push(...places(answer));
      cursor = /\[cut: .*go on with cursor "([^"]+)"\]$/.exec(answer.text)?.[1];
      pages += 1;
    } while (cursor !== undefined && pages < 20);
    expect(pages).toBe(6);
    expect(rows).toHaveLength(2_001);
    const lines = served.reduce((sum, place) => {
      const [start, end] = (/(\d+)-(\d+)$/.exec(place)?.slice(1) ?? []).map(Number);
      return sum + (end ?? 0) - (start ?? 0) + 1;
    }, 0);
    expect(lines).toBe(2_001);
  });

  test('the cut says what is left', async () => {
    const { call } = repository();
    const { text } = await call('get_pr_diff');
    expect(text).toMatch(
      /\[cut: the rest of a and 2 more files not shown yet; go on with cursor "0\.\d+"\]$/,
    );
  });

  test('one file has its own pages', async () => {
    const { call } = repository();
    const first = await call('get_pr_diff', { path: './b' });
    const cursor = /cursor "([^"]+)"/.exec(first.text)?.[1];
    expect(first.text).toContain('[cut: the rest of b not shown yet;');
    expect((await call('get_pr_diff', { path: 'b', cursor })).text).toMatch(/^=== b \(/);
  });

  test.each(['7.0', '0.9999', 'next', '-1.0', '1'])('cursor %s is refused with advice', async (cursor) => {
    await expect(repository().call('get_pr_diff', { cursor })).rejects.toThrow('is no cursor of this diff');
  });
});

test('the other order shows the same files from the end', async () => {
  const trees = { base: { a: '1\n', b: '1\n' }, head: { a: '2\n', b: '2\n' } };
  const heads = async (order: 'as_shown' | 'reverse') =>
    (await changedRepository({ ...trees, order }).call('get_pr_diff')).text.match(/^=== \w/gm);
  expect(await heads('as_shown')).toEqual(['=== a', '=== b']);
  expect(await heads('reverse')).toEqual(['=== b', '=== a']);
});

test('a long line is cut with a mark, is not served, and can be had alone', async () => {
  const { call } = changedRepository({ base: { a: 'x\n' }, head: { a: `x\n${'y'.repeat(5_000)}\nz\n` } });
  const answer = await call('get_pr_diff');
  expect(answer.text).toContain(
    '[cut: 3000 of the 5000 characters of this line] [get_file_content with start and end 2 shows more of it]',
  );
  expect(places(answer)).toEqual(['head:a:1-1', 'head:a:3-3', 'base:a:1-1']);
  expect(places(await call('get_file_content', { path: 'a', start: 2, end: 2 }))).toEqual(['head:a:2-2']);
});

test('a file that the settings skip is listed, and shown when asked for by path', async () => {
  const { call, snapshot } = changedRepository({
    base: { 'dist/a.js': '1\n' },
    head: { 'dist/a.js': '2\n' },
  });
  const skipping = changedRepository({
    base: { 'dist/a.js': '1\n' },
    head: { 'dist/a.js': '2\n' },
    snapshot: { policy: { ...snapshot.policy, review: { ...snapshot.policy.review, skip: ['dist/**'] } } },
  });
  expect((await call('get_pr_diff')).text).toContain('+    1 | 2');
  const skipped = await skipping.call('get_pr_diff');
  expect(skipped.text).toBe(
    "=== dist/a.js (modified, +1 -1)\n[not shown: the repository's settings skip this file; ask for it by path to see it]",
  );
  expect(skipped.served).toEqual([]);
  expect((await skipping.call('get_pr_diff', { path: 'dist/a.js' })).text).toContain('+    1 | 2');
});

test('a file that is not changed, and a change without files', async () => {
  const { call } = changedRepository({ base: { a: '1\n', b: '1\n' }, head: { a: '2\n', b: '1\n' } });
  await expect(call('get_pr_diff', { path: 'b' })).rejects.toThrow('b is not changed by this pull request.');
  await expect(call('get_pr_diff', { path: '../b' })).rejects.toThrow('is not a path of the repository');
  const none = changedRepository({ base: { a: '1\n' }, head: { a: '1\n' } });
  expect((await none.call('get_pr_diff')).text).toBe('No file is changed.');
});

test('a page of a very large file reads no more rows than it shows', async () => {
  const { snapshot } = changedRepository({ base: { a: '' }, head: { a: numbered(20_000) } });
  const [file] = snapshot.diff;
  if (file?.content.kind !== 'text') throw new Error('no text');
  let read = 0;
  const counted = file.content.hunks.map((hunk) => ({
    ...hunk,
    lines: new Proxy(hunk.lines, {
      get: (rows, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) read += 1;
        return Reflect.get(rows, key) as unknown;
      },
    }),
  }));
  const tool = createGetPrDiff({
    snapshot: { ...snapshot, diff: [{ ...file, content: { ...file.content, hunks: counted } }] },
  });
  const first = await tool.run({}, { signal: new AbortController().signal });
  const cursor = /cursor "(.*)"/.exec(first.text)?.[1];
  read = 0;
  const { text } = await tool.run({ cursor }, { signal: new AbortController().signal });
  expect(text.split('\n').length).toBeGreaterThan(1000);
  expect(read).toBeLessThan(text.split('\n').length + 2);
});
