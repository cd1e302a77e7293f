import type { PastPull } from '../../../lib/core/past-pull.js';
import { ownApps, readOwnMarks } from '../../../lib/core/report/own-marks.js';
import { bot, history, person } from './history.js';

const apps = new Set(['evident']);

const full = history(1)
  .push()
  .pass({
    items: [
      { id: 'F1', state: 'fixed abc' },
      { id: 'F2', severity: 'nit' },
      { id: 'Q1', state: 'open' },
    ],
    blocks: true,
  })
  .push()
  .pass({ seen: ['F2'], settled: [{ id: 'F1', kind: 'fixed' }] })
  .escalate()
  .merged();

test('findings, questions, passes and escalations', () => {
  const own = readOwnMarks(full, apps);
  expect(own.passes.map(({ at }) => at)).toEqual(own.passes.map(({ at }) => at).toSorted((a, b) => a - b));
  expect(own.findings.map(({ id, standing, found }) => [id, standing, found?.at])).toEqual([
    ['F1', 'fixed', own.passes[0]?.at],
    ['F2', 'open', own.passes[0]?.at],
  ]);
  expect(own.questions).toEqual([{ id: 'Q1', rule: 'falsy-zero', became: { kind: 'open' } }]);
  expect(own.escalations).toBe(1);
});

/** What a thread says now, and what becomes of its item. */
test.each([
  ['F1', 'open', 'open'],
  ['F1', 'back abc', 'open'],
  ['F1', 'fixed abc', 'fixed'],
  ['F1', 'dismissed octocat 2026-01-01', 'dismissed'],
  ['F1', 'withdrawn octocat 2026-01-01', 'withdrawn'],
  ['F1', 'obsolete abc', 'obsolete'],
  ['F1', 'some new word', 'open'],
  ['Q1', 'open', { kind: 'open' }],
  ['Q1', 'open waits yes octocat 1', { kind: 'open' }],
  ['Q1', 'asks 2 Is it?', { kind: 'open' }],
  ['Q1', 'obsolete', { kind: 'obsolete' }],
  ['Q1', 'obsolete F2', { kind: 'obsolete' }],
  ['Q1', 'yes suppress_finding octocat 2026-01-01', { kind: 'answered', effect: 'suppress_finding' }],
  ['Q1', 'unsure lower_confidence octocat 2026-01-01', { kind: 'answered', effect: 'lower_confidence' }],
  ['Q1', 'no continue octocat 2026-01-01 read', { kind: 'answered', effect: 'continue' }],
  ['Q1', 'F3 open no octocat', { kind: 'answered', effect: 'include_finding' }],
])('%s, %s', (id, state, became) => {
  const { findings, questions } = readOwnMarks(
    history(1)
      .push()
      .pass({ items: [{ id, state }] })
      .merged(),
    apps,
  );
  expect(id.startsWith('F') ? findings[0]?.standing : questions[0]?.became).toEqual(became);
});

test('what an answer made a finding is one, whether or not a state names it', () => {
  const told = history(1)
    .push()
    .pass({ items: [{ id: 'Q1', state: 'F3 dismissed octocat 2026-01-01' }] });
  const known = { id: 'F3', standing: 'dismissed', from: 'Q1' };
  expect(readOwnMarks(told.merged(), apps).findings).toMatchObject([known]);
  const later = told
    .push()
    .pass({ items: [{ id: 'F3', from: 'Q1' }] })
    .merged();
  expect(readOwnMarks(later, apps).findings).toMatchObject([known]);
});

describe('what is not written by the app is not believed', () => {
  const by = (author: PastPull['author'], app: string | null): PastPull => ({
    ...full,
    checks: full.checks.map((check) => (check.text === null ? check : { ...check, app })),
    comments: full.comments.map((comment) => ({ ...comment, author })),
    reviews: full.reviews.map((review) => ({ ...review, author })),
    threads: full.threads.map((thread) => ({
      ...thread,
      comments: thread.comments.map((comment) => ({ ...comment, author })),
    })),
  });
  const nothing = { passes: [], findings: [], questions: [], escalations: 0 };

  test.each([
    ['a person of that name', person('evident'), 'other'],
    ['another bot', bot('other'), 'other'],
    ['a deleted account', null, null],
  ])('%s', (_, author, app) => expect(readOwnMarks(by(author, app), apps)).toMatchObject(nothing));

  test('a workflow can write any check in the name of GitHub Actions', () => {
    expect([...ownApps([by(bot('github-actions'), 'github-actions')])]).toEqual([]);
    expect([...ownApps([full])]).toEqual(['evident']);
    expect([...ownApps([by(bot('house-review[bot]'), 'house-review')])]).toEqual(['house-review']);
    expect([...ownApps([full], 'House-Review[bot]')]).toEqual(['house-review']);
  });
});

test('broken and foreign lines cost nothing else', () => {
  const broken = {
    ...full,
    checks: [
      ...full.checks,
      {
        ...full.checks[0],
        app: 'evident',
        name: 'Evident',
        text: '<!-- evident:state {"v":2,"packed":"x"} -->',
      },
    ],
  } as PastPull;
  expect(readOwnMarks(broken, apps)).toEqual(readOwnMarks(full, apps));
});
