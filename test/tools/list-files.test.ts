import { changedRepository } from './changed-repository.js';

const { call } = changedRepository({
  base: { 'old.ts': '' },
  head: {
    'README.md': 'x\n',
    'src/a.ts': '',
    'src/deep/b.ts': '',
    'src/deep/b.test.ts': '',
    link: { symlink: 'src/a.ts' },
    vendor: { submodule: '1'.repeat(40) },
  },
});

test.each([
  [
    {},
    [
      '1 folder and 3 files in the repository at head',
      'src/',
      'README.md',
      'link -> src/a.ts',
      'vendor (submodule)',
    ],
  ],
  [{ folder: './src/' }, ['1 folder and 1 file in src at head', 'src/deep/', 'src/a.ts']],
  [{ ref: 'base' }, ['0 folders and 1 file in the repository at base', 'old.ts']],
  [
    { glob: '**/*.ts' },
    ['3 files matching **/*.ts in the repository at head', 'src/a.ts', 'src/deep/b.test.ts', 'src/deep/b.ts'],
  ],
  [{ folder: 'src', glob: '*.test.ts' }, ['1 file matching *.test.ts in src at head', 'src/deep/b.test.ts']],
  [{ glob: '*.rs' }, ['0 files matching *.rs in the repository at head']],
  [{ folder: 'src/a.ts' }, ['src/a.ts at head is a file, not a folder.']],
  [
    { folder: 'src/gone/away' },
    ['There is no folder src/gone/away at head. The nearest that exists is src/: list that.'],
  ],
  [
    { folder: 'lib' },
    ['There is no folder lib at head. The nearest that exists is the top of the repository: list that.'],
  ],
])('%j', async (input, lines) => {
  const { text } = await call('list_files', input);
  const [head, ...rest] = text.split('\n');
  expect([head, ...rest.sort()]).toEqual([lines[0], ...lines.slice(1).sort()]);
});

test('comes in pages that say how to go on', async () => {
  const head = Object.fromEntries(
    Array.from({ length: 1_200 }, (_, i) => [`f${String(i).padStart(4, '0')}`, '']),
  );
  const many = changedRepository({ base: {}, head, snapshot: { diff: [] } });
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { text } = await many.call('list_files', cursor === undefined ? {} : { cursor });
    seen.push(...text.split('\n').filter((line) => line.startsWith('f')));
    cursor = /\[cut: \d+ more; go on with cursor "(\d+)"\]$/.exec(text)?.[1];
  } while (cursor !== undefined);
  expect(seen).toEqual(Object.keys(head));
});

test.each([
  [{ cursor: 'x' }, 'is no cursor of this list'],
  [{ cursor: '99' }, 'is no cursor of this list'],
  [{ folder: '..' }, 'is not a path of the repository'],
  [{ glob: '../*' }, 'leaves the repository'],
])('%j is refused with advice', async (input, message) => {
  await expect(call('list_files', input)).rejects.toThrow(message);
});
