import type { PastPull } from '../past-pull.js';
import { ciRuns } from './ci-runs.js';
import { fixRounds, type FixRound } from './fix-rounds.js';
import { looksAt } from './look.js';
import { readOwnMarks, type OwnMarks } from './own-marks.js';
import { reviewThreads, type ReviewThread, type ThreadRules } from './review-thread.js';
import { reviewsSeen } from './reviews-seen.js';

/** What is known of one pull request, before anything is counted over many. */
export type PullFacts = {
  readonly pull: PastPull;
  readonly own: OwnMarks;
  readonly threads: readonly ReviewThread[];
  readonly rounds: readonly FixRound[];
  /** Epoch milliseconds; null: nobody but its author looked at it. */
  readonly firstLook: number | null;
  readonly ciRuns: number;
};

export function pullFacts(pull: PastPull, apps: ReadonlySet<string>, rules: ThreadRules): PullFacts {
  const own = readOwnMarks(pull, apps);
  const reviews = reviewsSeen(pull, own, apps);
  const threads = reviewThreads(pull, own, reviews, rules);
  const looks = looksAt(reviews, threads);
  const reviewers = new Set([...apps, ...looks.map(({ by }) => by)]);
  return {
    pull,
    own,
    threads,
    rounds: fixRounds(pull, looks),
    firstLook: looks[0]?.at ?? null,
    ciRuns: ciRuns(pull, reviewers),
  };
}
