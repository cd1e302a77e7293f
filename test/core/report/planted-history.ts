import type { PastPull } from '../../../lib/core/past-pull.js';
import { reportOf, type Report } from '../../../lib/core/report/report.js';
import { readRewardSettings } from '../../../lib/core/reward/settings.js';
import { bot, history, person } from './history.js';

const day = (n: number): string =>
  new Date(Date.parse('2026-02-01T08:00:00Z') + (n - 1) * 24 * 3_600_000).toISOString();

const dismissed = 'dismissed octocat 2026-03-10T10:00:00.000Z';

/**
 * Twelve pull requests before Evident (1 to 12, February) and twenty with it (41 to 60, from 13 March). Each line below says
 * what it plants; `planted.test.ts` holds the sums.
 */
export function plantedHistory(): readonly PastPull[] {
  const rabbit = bot('coderabbitai');
  return [
    // Three rounds each, for crashes.
    ...[1, 2, 3, 4].map((n) => {
      const told = history(n, { createdAt: day(n) }).push();
      for (let round = 0; round < 3; round++)
        told.review(rabbit).thread({ body: 'This crashes on null.' }).push();
      return told.review(person('monalisa'), 'approved').merged();
    }),
    // Five rounds each, for names.
    ...[5, 6].map((n) => {
      const told = history(n, { createdAt: day(n) }).push();
      for (let round = 0; round < 5; round++)
        told.review(rabbit).thread({ body: 'Rename this: naming.' }).push();
      return told.merged();
    }),
    // One round each, for injections; two pushes for the next review make one round, and CI runs for both.
    ...[7, 8, 9].map((n) =>
      history(n, { createdAt: day(n) })
        .push()
        .review(person('monalisa'), 'changes_requested')
        .thread({ by: person('monalisa'), body: 'SQL injection.' })
        .push()
        .push()
        .review(person('monalisa'), 'approved')
        .merged(),
    ),
    // Takes 8 back two days later, by its title.
    history(10, { createdAt: day(10), title: 'Revert "Change 8"' })
      .push()
      .review(person('monalisa'), 'approved')
      .merged(),
    // Said to be no problem.
    history(11, { createdAt: day(11) })
      .push()
      .review(rabbit)
      .thread({ body: 'This crashes.', end: 'closed by author', replies: ['This is a false positive.'] })
      .merged(),
    // Closed by its author without a change: open.
    history(12, { createdAt: day(12) })
      .push()
      .review(rabbit)
      .thread({ body: 'This crashes.', end: 'closed by author' })
      .merged(),

    // Evident finds something, it is fixed: one round, two passes, $0.40.
    ...[41, 42, 43, 44, 45, 46, 47, 48].map((n) =>
      history(n, { createdAt: day(n) })
        .push()
        .pass({ items: [{ id: 'F1', state: 'fixed abc' }], blocks: true })
        .push()
        .pass({ settled: [{ id: 'F1', kind: 'fixed' }] })
        .merged(),
    ),
    // Dismissed: no round.
    ...[49, 50, 51, 52, 53].map((n) =>
      history(n, { createdAt: day(n) })
        .push()
        .pass({
          items: [{ id: 'F1', rule: 'missing-guard', state: dismissed }],
          blocks: true,
          model: 'model-b',
        })
        .merged(),
    ),
    // Asked and cleared.
    ...[54, 55].map((n) =>
      history(n, { createdAt: day(n) })
        .push()
        .pass({ items: [{ id: 'Q1', state: 'yes suppress_finding octocat 2026-03-20T10:00:00.000Z' }] })
        .merged(),
    ),
    // Asked, answered no, fixed: one round.
    history(56, { createdAt: day(56) })
      .push()
      .pass({ items: [{ id: 'Q1', state: 'F1 fixed abc' }] })
      .push()
      .pass({ items: [{ id: 'F1', from: 'Q1' }] })
      .merged(),
    // Asked, and nobody answered.
    history(57, { createdAt: day(57) })
      .push()
      .pass({ items: [{ id: 'Q1', state: 'open' }] })
      .merged(),
    // Three rounds, then people are asked; the price of one pass is not known.
    history(58, { createdAt: day(58) })
      .push()
      .pass({ items: [{ id: 'F1', state: 'open' }], blocks: true, dollars: null })
      .push()
      .pass({ seen: ['F1'], blocks: true })
      .push()
      .pass({ seen: ['F1'], blocks: true })
      .push()
      .pass({ seen: ['F1'], blocks: true })
      .escalate()
      .closed(),
    // A person finds on the same commit what the pass before did not: late.
    history(59, { createdAt: day(59) })
      .push()
      .pass()
      .review(person('monalisa'))
      .thread({ by: person('monalisa'), body: 'This crashes.' })
      .push()
      .merged(),
    // So does the second pass.
    history(60, { createdAt: day(60) })
      .push()
      .pass()
      .pass({ items: [{ id: 'F1', rule: 'injection', category: 'security', state: 'open' }], blocks: true })
      .open(),
  ];
}

/** As it is two months later. */
export const plantedReport = (pulls: readonly PastPull[] = plantedHistory()): Report =>
  reportOf(pulls, {
    now: Date.parse('2026-06-01T00:00:00Z'),
    rules: readRewardSettings(null, ''),
    floor: 0.3,
    missing: 0,
  });
