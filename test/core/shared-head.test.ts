import fc from 'fast-check';
import type { CheckConclusion } from '../../lib/core/check.js';
import { satisfiesRequiredCheck } from '../../lib/core/check.js';
import type { GateMode } from '../../lib/core/policy.js';
import { besideNeighbours, ownResult, type CompletedCheck } from '../../lib/core/shared-head.js';

const conclusions: readonly CheckConclusion[] = [
  'success',
  'skipped',
  'neutral',
  'cancelled',
  'action_required',
  'failure',
];

const check = (conclusion: CheckConclusion, change: Partial<CompletedCheck> = {}): CompletedCheck => ({
  status: 'completed',
  conclusion,
  title: `it is ${conclusion}`,
  summary: '**Two clean reviews.**\n\nMore.',
  text: 'Details.\n\n<!-- evident:state {"v":2} -->\n<!-- evident:result {"v":1} -->',
  ...change,
});

const shown = (own: CheckConclusion, other: CheckConclusion | null, mode: GateMode): string =>
  besideNeighbours(check(own), [{ number: 12, own: other === null ? null : check(other) }], mode).conclusion;

describe('the worst of two', () => {
  const rows: readonly (readonly [GateMode, CheckConclusion, CheckConclusion | null, CheckConclusion])[] = [
    ['blocking', 'success', 'success', 'success'],
    ['blocking', 'success', 'skipped', 'skipped'],
    ['blocking', 'success', 'failure', 'failure'],
    ['blocking', 'success', 'action_required', 'action_required'],
    ['blocking', 'success', 'cancelled', 'cancelled'],
    ['blocking', 'failure', 'success', 'failure'],
    ['blocking', 'action_required', 'failure', 'failure'],
    ['blocking', 'failure', 'action_required', 'failure'],
    ['blocking', 'success', null, 'action_required'],
    ['blocking', 'failure', null, 'failure'],
    ['advisory', 'success', null, 'success'],
    ['advisory', 'success', 'neutral', 'neutral'],
    ['advisory', 'neutral', 'success', 'neutral'],
  ];
  test.each(rows)('%s: %s beside %s is %s', (mode, own, other, wanted) => {
    expect(shown(own, other, mode)).toBe(wanted);
  });
});

test('it names the other pull request, and keeps its own result and its last line', () => {
  const beside = besideNeighbours(check('success'), [{ number: 12, own: check('failure') }], 'blocking');
  expect(beside.title).toBe('#12 on this commit: it is failure');
  expect(beside.summary.split('\n')[0]).toBe(
    'This commit is the head of #12 too, and GitHub shows one result for both: that of #12, `it is failure`. The result of this pull request itself is `it is success` (success).',
  );
  expect(beside.text.split('\n').at(-1)).toBe('<!-- evident:result {"v":1} -->');
  expect(ownResult(beside)).toEqual(check('success'));
});

test('more of them than can be looked at hold in blocking, and its own result stays readable', () => {
  const more = [
    { number: 12, own: check('success') },
    { number: 'more', own: null },
  ] as const;
  const beside = besideNeighbours(check('success'), more, 'blocking');
  expect([beside.conclusion, beside.title]).toEqual([
    'action_required',
    'Too many pull requests have this commit',
  ]);
  expect(ownResult(beside)).toEqual(check('success'));
  expect(besideNeighbours(check('failure'), more, 'blocking')).toEqual(check('failure'));
  expect(besideNeighbours(check('success'), more, 'advisory')).toEqual(check('success'));
});

test('in blocking nothing merges that one of them would not', () => {
  const some = fc.constantFrom(...conclusions);
  fc.assert(
    fc.property(some, fc.array(fc.option(some), { maxLength: 4 }), (own, others) => {
      const beside = besideNeighbours(
        check(own),
        others.map((other, at) => ({ number: at + 2, own: other === null ? null : check(other) })),
        'blocking',
      );
      const each = [own, ...others].map((one) => one !== null && satisfiesRequiredCheck(check(one)));
      expect(satisfiesRequiredCheck(beside)).toBe(each.every(Boolean));
    }),
  );
});

test('the own result comes back, whatever stands in the texts', () => {
  const line = fc.constantFrom(
    '',
    'text',
    '<!-- evident:own {"v":1} -->',
    '<!-- evident:state {} -->',
    '```',
  );
  const block = fc.array(line, { maxLength: 6 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(
      fc.constantFrom(...conclusions),
      fc.string({ unit: 'binary', maxLength: 60 }),
      block,
      block,
      (conclusion, title, summary, text) => {
        const own = check(conclusion, { title, summary, text });
        const beside = besideNeighbours(own, [{ number: 3, own: check('failure') }], 'blocking');
        expect(ownResult(beside)).toEqual(own);
        expect(beside.title.length).toBeLessThanOrEqual(60);
      },
    ),
  );
});
