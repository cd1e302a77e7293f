import type { PastPull } from '../../../lib/core/past-pull.js';
import { besideItsPast, laterChanges, totalsOf } from '../../../lib/core/report/tried.js';

const past = (number: number, order: Partial<PastPull> = {}): PastPull => ({
  repo: 'octo-org/shop',
  number,
  url: `https://github.com/octo-org/shop/pull/${number}`,
  title: `Change ${number}`,
  body: '',
  state: 'merged',
  draft: false,
  author: { login: 'octocat', bot: false },
  labels: [],
  base: 'main',
  head: `branch-${number}`,
  headSha: String(number).padStart(40, 'a'),
  mergeSha: String(number).padStart(40, 'b'),
  createdAt: day(number),
  updatedAt: day(number),
  mergedAt: day(number),
  closedAt: day(number),
  files: ['src/pay.ts'],
  commits: [],
  reviews: [],
  comments: [],
  threads: [],
  checks: [],
  ...order,
});

/** The n-th day of 2026: numbers are in the order of the merges. */
const day = (n: number): string => new Date(Date.UTC(2026, 0, n, 12)).toISOString();

const first = past(1, { title: 'Add refunds' });

test.each<[string, PastPull, string | null]>([
  ['a revert by its title', past(2, { title: 'Revert "Add refunds"' }), 'revert'],
  ['a revert by the commit it names', past(2, { body: `This reverts commit ${first.mergeSha}.` }), 'revert'],
  ['a revert that was not merged', past(2, { title: 'Revert "Add refunds"', mergedAt: null }), null],
  ['a fix that names it', past(50, { title: 'fix: refunds of #1', files: ['other.ts'] }), 'names'],
  ['a fix that links to it', past(2, { title: 'Fix it', body: 'see /pull/1', files: [] }), 'names'],
  ['a fix that names another', past(2, { title: 'Fix #11', files: ['other.ts'] }), null],
  ['a feature that names it', past(2, { title: 'More after #1', files: ['other.ts'] }), null],
  ['a fix of the same file', past(20, { title: 'Fix a crash' }), 'files'],
  ['a scoped fix of the same file', past(20, { title: 'pay: fix rounding' }), 'files'],
  ['a fix of another file', past(20, { title: 'Fix a crash', files: ['other.ts'] }), null],
  ['a fix of the same file long after', past(40, { title: 'Fix a crash' }), null],
  ['a word that only begins like it', past(20, { title: 'Fixture for payments' }), null],
  ['a fix in another repository', past(2, { title: 'Fix #1', repo: 'octo-org/app' }), null],
])('%s', (_name, later, how) => {
  expect(laterChanges(first, [later, first]).map((one) => one.how)).toEqual(how === null ? [] : [how]);
});

test('what came before is not later', () => {
  const fix = past(2, { title: 'Fix #5' });
  expect(laterChanges(past(5), [fix])).toEqual([]);
});

const comment = (login: string, body: string) => ({
  author: { login, bot: false },
  at: day(1),
  editedAt: null,
  body,
});

const thread = (line: number | null, login = 'monalisa', path = 'src/pay.ts') => ({
  id: `T${line}${login}${path}`,
  path,
  line,
  isResolved: false,
  resolvedBy: null,
  isOutdated: false,
  sha: null,
  comments: [comment(login, '<!-- hidden -->\n**Why** this?\nmore')],
});

const finding = (id: string, line: number) =>
  ({
    id,
    severity: 'important',
    title: 'It breaks',
    anchor: { path: 'src/pay.ts', line },
  }) as unknown as Parameters<typeof besideItsPast>[1]['findings'][number];

test('within ten lines of one file is one place; the author of the change is no reviewer of it', () => {
  const tried = besideItsPast(
    past(1, {
      threads: [
        thread(20),
        thread(21, 'hubot'),
        thread(9, 'octocat'),
        thread(10, 'hubot', 'src/other.ts'),
        thread(null),
      ],
    }),
    {
      ended: { kind: 'reviewed', complete: true, dollars: 0.1 },
      findings: [finding('F1', 10)],
      questions: [],
    },
    [past(3, { title: 'Fix the payment' })],
  );
  expect(tried.remarks).toMatchObject([{ id: 'F1', saidBy: ['monalisa'], later: [3] }]);
  expect(tried.said.map(({ by, near, words }) => ({ by, near, words }))).toEqual([
    { by: 'monalisa', near: ['F1'], words: 'Why this?' },
    { by: 'hubot', near: [], words: 'Why this?' },
    { by: 'hubot', near: [], words: 'Why this?' },
    { by: 'monalisa', near: [], words: 'Why this?' },
  ]);
  expect(totalsOf([tried])).toMatchObject({
    reviewed: 1,
    failed: 0,
    important: 1,
    withImportant: 1,
    threads: 4,
    threadsNear: 1,
    // A fix of the same file proves nothing about this change.
    proven: 0,
    dollars: 0.1,
  });
});

test('a cost that is not known is not counted as none', () => {
  const ended = { kind: 'reviewed', complete: true, dollars: null } as const;
  const tried = besideItsPast(past(1), { ended, findings: [], questions: [] }, []);
  expect(totalsOf([tried]).dollars).toBeNull();
});
