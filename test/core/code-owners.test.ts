import { codeOwnersOf } from '../../lib/core/code-owners.js';

const file = [
  '# who decides what',
  '*                 @octo-org/everyone',
  '*.ts              @octocat @monalisa',
  '/docs/            @octo-org/writers',
  'src/billing/      @octo-org/payments   # money',
  'src/billing/tax.ts',
  'apps/*            @hubot',
  '/build/**/gen.js  @octo-org/build docs@example.com',
  '[bad]             @defunkt',
];

const owners = (...paths: readonly string[]): readonly string[] =>
  codeOwnersOf(file, paths).map(({ owner, line }) => `${owner}:${line}`);

test.each([
  ['README.md', ['octo-org/everyone:2']],
  ['deep/down/a.ts', ['octocat:3', 'monalisa:3']],
  ['docs/guide/a.md', ['octo-org/writers:4']],
  ['src/billing/refund.ts', ['octo-org/payments:5']],
  ['src/billing/tax.ts', []],
  ['lib/src/billing/x.md', ['octo-org/everyone:2']],
  ['apps/one.md', ['hubot:7']],
  ['apps/one/two.md', ['octo-org/everyone:2']],
  ['build/a/b/gen.js', ['octo-org/build:8']],
] as const)('%s is owned by %j', (path, expected) => {
  expect(owners(path)).toEqual(expected);
});

test('each owner is named once, for the first path', () => {
  expect(owners('src/billing/a.md', 'src/billing/b.md', 'a.ts')).toEqual([
    'octo-org/payments:5',
    'octocat:3',
    'monalisa:3',
  ]);
});

test('a rule without owners takes ownership away, and a file of nonsense owns nothing', () => {
  expect(codeOwnersOf(['* @octocat', 'a.ts'], ['a.ts'])).toEqual([]);
  expect(codeOwnersOf(['!!! @', '{a,b} @octocat', '* octocat'], ['a'])).toEqual([]);
});
