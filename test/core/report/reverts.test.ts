import type { PastPull } from '../../../lib/core/past-pull.js';
import { isWeekOver, revertedWithinAWeek } from '../../../lib/core/report/reverts.js';
import { history } from './history.js';

const first = history(1, { title: 'Add "refunds"', createdAt: '2026-03-02T08:00:00Z' }).push().merged();

const later = (told: Partial<PastPull>, { headline = 'x', days = 2 } = {}) =>
  history(2, {
    createdAt: new Date(Date.parse('2026-03-02T08:00:00Z') + days * 24 * 3_600_000).toISOString(),
    ...told,
  })
    .push({ headline })
    .merged();

/** The later pull request, and whether it takes the first one back. */
const rows: readonly (readonly [string, PastPull, boolean])[] = [
  ['something else', later({ title: 'Add more' }), false],
  ['its title', later({ title: 'Revert "Add "refunds""' }), true],
  ['its title with a number', later({ title: 'Revert "Add "refunds" (#1)" (#2)' }), true],
  ['another title', later({ title: 'Revert "Add refunds"' }), false],
  ['a commit of it', later({}, { headline: 'Revert "Add "refunds""' }), true],
  ["GitHub's button", later({ body: 'Reverts octo-org/shop#1' }), true],
  ['its number alone', later({ body: 'Reverts #1' }), true],
  ['of another repository', later({ body: 'Reverts octo-org/other#1' }), false],
  ['in the middle of a sentence', later({ body: 'See what reverts octo-org/shop#1 and why' }), false],
  ['its commit', later({ body: `This reverts commit ${first.mergeSha}.` }), true],
  [
    'the beginning of its commit',
    later({ body: `This reverts commit ${first.mergeSha?.slice(0, 9)}.` }),
    true,
  ],
  ['another commit', later({ body: `This reverts commit ${'0'.repeat(40)}.` }), false],
  ['after more than a week', later({ title: 'Revert "Add "refunds""' }, { days: 8 }), false],
  [
    'a revert that is not merged',
    { ...later({ title: 'Revert "Add "refunds""' }), mergedAt: null, state: 'closed' },
    false,
  ],
  [
    'one of another repository',
    { ...later({ title: 'Revert "Add "refunds""' }), repo: 'octo-org/other' },
    false,
  ],
];

test.each(rows)('%s', (_, pull, isReverted) =>
  expect([...revertedWithinAWeek([pull, first])]).toEqual(isReverted ? ['octo-org/shop#1'] : []),
);

test('a revert of a revert takes the revert back', () => {
  const revert = later({ title: 'Revert "Add "refunds""' });
  const again = {
    ...history(3, { createdAt: '2026-03-06T08:00:00Z', title: 'Revert "Revert "Add "refunds"""' })
      .push()
      .merged(),
  };
  expect([...revertedWithinAWeek([again, revert, first])].toSorted()).toEqual([
    'octo-org/shop#1',
    'octo-org/shop#2',
  ]);
});

test('of two with one title the newer one is meant', () => {
  const twin = history(4, { title: first.title, createdAt: '2026-03-03T08:00:00Z' }).push().merged();
  expect([...revertedWithinAWeek([first, twin, later({ title: 'Revert "Add "refunds""' })])]).toEqual([
    'octo-org/shop#4',
  ]);
});

test('before a week is over nobody knows', () => {
  const merged = Date.parse(first.mergedAt ?? '');
  expect([6.9, 7].map((days) => isWeekOver(first, merged + days * 24 * 3_600_000))).toEqual([false, true]);
  expect(isWeekOver({ mergedAt: null }, merged)).toBe(false);
});

test('of very many pull requests only those that say so are compared with the others', () => {
  const title = Object.getOwnPropertyDescriptor(first, 'title') as { readonly value: string };
  let read = 0;
  const many = Array.from({ length: 300 }, (_, index) => {
    const pull = { ...first, number: index + 10, mergedAt: new Date(1e12 + index * 1000).toISOString() };
    return Object.defineProperty(pull, 'title', {
      get: () => {
        read += 1;
        return title.value;
      },
    });
  });
  expect(revertedWithinAWeek(many).size).toBe(0);
  expect(read).toBe(300);
});
