import type { PastPull } from '../../../lib/core/past-pull.js';
import { pullFacts } from '../../../lib/core/report/pull-facts.js';
import { readRewardSettings } from '../../../lib/core/reward/settings.js';
import { bot, history, person } from './history.js';

const rules = readRewardSettings(null, '');
const lateIn = (pull: PastPull) =>
  pullFacts(pull, new Set(['evident']), rules).threads.map(({ isLate }) => isLate);

const [monalisa, hubot, rabbit] = [person('monalisa'), person('hubot'), bot('coderabbitai')];
const same = { 'src/cart.ts': 'd1' };

/** Whether the threads, in their order, are late. */
const rows: readonly (readonly [string, PastPull, readonly boolean[]])[] = [
  ['the first review', history(1).push().thread().review(rabbit).merged(), [false]],
  [
    'another one of the same commit',
    history(1).push().review(monalisa).thread({ by: hubot }).merged(),
    [true],
  ],
  ['the same account within minutes', history(1).push().review(rabbit).thread().merged(), [false]],
  ['the same account, hours later', history(1).push().review(rabbit).wait(3).thread().merged(), [true]],
  [
    'after a push, nobody knows',
    history(1).push().review(monalisa).push().thread({ by: hubot }).merged(),
    [false],
  ],
  [
    'after a merge of the base alone',
    history(1).push().review(monalisa).push({ parents: 2 }).thread({ by: hubot }).merged(),
    [true],
  ],
  [
    'a reply before it is no review',
    history(1).push().review(monalisa, 'commented', '').thread({ by: hubot }).merged(),
    [false],
  ],
  [
    "after a review of the author's",
    history(1).push().review(person('octocat')).thread({ by: hubot }).merged(),
    [false],
  ],
  ['after a clean pass', history(1).push().pass().thread({ by: hubot }).merged(), [true]],
  [
    'found by that very pass',
    history(1)
      .push()
      .pass({ items: [{ id: 'F1', state: 'open' }] })
      .merged(),
    [false],
  ],
  [
    'found by the second pass',
    history(1)
      .push()
      .pass()
      .pass({ items: [{ id: 'F1', state: 'open' }] })
      .merged(),
    [true],
  ],
  [
    'in a file whose change is as it was, by two passes',
    history(1)
      .push()
      .pass({ files: same })
      .push()
      .pass({ files: same, items: [{ id: 'F1', state: 'open' }] })
      .merged(),
    [true],
  ],
  [
    'in a file whose change is another',
    history(1)
      .push()
      .pass({ files: same })
      .push()
      .pass({ files: { 'src/cart.ts': 'd2' }, items: [{ id: 'F1', state: 'open' }] })
      .merged(),
    [false],
  ],
  [
    'a question is none',
    history(1)
      .push()
      .pass()
      .pass({ items: [{ id: 'Q1', state: 'open' }] })
      .merged(),
    [],
  ],
];

test.each(rows)('%s', (_, pull, late) => expect(lateIn(pull)).toEqual(late));

test('a thread whose commit is lost is not late', () => {
  const pull = history(1).push().review(monalisa).thread({ by: hubot }).merged();
  expect(lateIn({ ...pull, threads: pull.threads.map((one) => ({ ...one, sha: null })) })).toEqual([false]);
});
