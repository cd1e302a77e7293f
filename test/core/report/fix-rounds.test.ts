import type { PastPull } from '../../../lib/core/past-pull.js';
import { pullFacts } from '../../../lib/core/report/pull-facts.js';
import { readRewardSettings } from '../../../lib/core/reward/settings.js';
import { bot, history, person } from './history.js';

const rules = readRewardSettings(null, '');
const roundsOf = (pull: PastPull) => pullFacts(pull, new Set(['evident']), rules).rounds;

const monalisa = person('monalisa');
const nit = { body: 'Rename this: naming.' };
const crash = { body: 'This crashes.' };

/** What happened, and its rounds. */
const rows: readonly (readonly [string, PastPull, readonly string[]])[] = [
  ['nobody looked', history(1).push().push().merged(), []],
  ['a review that left nothing', history(1).push().review(monalisa).push().merged(), []],
  ['an approval, then a push', history(1).push().review(monalisa, 'approved').push().merged(), []],
  ['a thread and no push', history(1).push().thread(crash).merged(), []],
  ['a thread, then a push', history(1).push().thread(crash).push().merged(), ['important']],
  [
    'changes asked for without a thread',
    history(1).push().review(monalisa, 'changes_requested').push().merged(),
    ['important'],
  ],
  [
    'two reviewers before one push',
    history(1).push().thread(crash).review(monalisa, 'changes_requested').push().merged(),
    ['important'],
  ],
  [
    'two pushes before the next review',
    history(1).push().thread(crash).push().push().review(monalisa).merged(),
    ['important'],
  ],
  ['a merge of the base after it', history(1).push().thread(crash).push({ parents: 2 }).merged(), []],
  ['a forced push after it', history(1).push().thread(crash).force().merged(), ['important']],
  [
    'a forced push, a review, another one',
    history(1).push().thread(crash).force().review(monalisa).thread(nit).force().merged(),
    ['important', 'minor'],
  ],
  [
    'without any CI',
    history(1)
      .push({ ci: [] })
      .thread(crash)
      .push({ ci: [] })
      .review(monalisa)
      .thread(nit)
      .push({ ci: [] })
      .merged(),
    ['important', 'minor'],
  ],
  [
    'of which nothing was dealt with',
    history(1)
      .push()
      .thread({ ...crash, end: 'open' })
      .push()
      .merged(),
    ['unclear'],
  ],
  [
    'of which the nit was',
    history(1)
      .push()
      .thread({ ...crash, end: 'open' })
      .thread(nit)
      .push()
      .merged(),
    ['minor'],
  ],
  ['of which both were', history(1).push().thread(crash).thread(nit).push().merged(), ['important']],
  [
    "the author's own thread",
    history(1)
      .push()
      .thread({ ...crash, by: person('octocat') })
      .push()
      .merged(),
    [],
  ],
  [
    'a reply, which GitHub keeps as a review',
    history(1).push().review(monalisa, 'commented', '').push().merged(),
    [],
  ],
  [
    "a question of Evident's",
    history(1)
      .push()
      .pass({ items: [{ id: 'Q1', state: 'open' }] })
      .push()
      .merged(),
    [],
  ],
  [
    "a row of Evident's that blocks",
    history(1)
      .push()
      .pass({ items: [{ id: 'F1' }], blocks: true })
      .push()
      .merged(),
    ['important'],
  ],
  [
    'old code, by Evident',
    history(1)
      .push()
      .pass({ items: [{ id: 'F1', origin: 'pre_existing', state: 'fixed x' }] })
      .push()
      .merged(),
    ['minor'],
  ],
];

test.each(rows)('%s', (_, pull, rounds) => expect(roundsOf(pull)).toEqual(rounds));

test('a commit made before a review and pushed after it counts by when it was pushed', () => {
  const pull = history(1).push().wait(5).review(monalisa).thread(crash).wait(5).push().merged();
  const [first, second] = pull.commits;
  const early = { ...pull, commits: [first, { ...second, at: first?.at }] } as PastPull;
  expect(roundsOf(early)).toEqual(['important']);
  expect(roundsOf({ ...early, checks: [] })).toEqual(['important']);
});

test('a review on a single commit of several that are there is followed by no push', () => {
  const pull = history(1).push().push().wait(1).thread(crash).merged();
  const threads = pull.threads.map((thread) => ({ ...thread, sha: pull.commits[0]?.sha ?? null }));
  expect(roundsOf({ ...pull, threads })).toEqual([]);
});

test('a review whose commit is lost is placed by the clock', () => {
  const pull = history(1).push({ ci: [] }).review(bot('r'), 'changes_requested').push({ ci: [] }).merged();
  const reviews = pull.reviews.map((review) => ({ ...review, sha: null }));
  expect(roundsOf({ ...pull, reviews })).toEqual(['important']);
  expect(roundsOf({ ...pull, reviews, commits: pull.commits.slice(0, 1) })).toEqual([]);
});
