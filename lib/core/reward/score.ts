import { attribute } from './attribute.js';
import { classify, type Classified } from './classify.js';
import { aggregateOf, penaltyOf, type Penalty, type Unresolved } from './penalty.js';
import { isDoneWith } from './resolution.js';
import type { ReviewedPull } from './reviewed-pull.js';
import type { RewardSettings } from './settings.js';
import { signalsOf, type Signal } from './signals.js';

export type ScoredPull = Unresolved &
  Penalty & {
    readonly repo: string;
    readonly pr: number;
    readonly category: string;
    readonly signals: readonly Signal[];
    readonly merged?: boolean;
    /** Each thread that counts, and what its class rests on. */
    readonly threads: readonly ScoredThread[];
  };

type ScoredThread = Classified & { readonly id?: string; readonly author?: string | null };

export type Score = {
  readonly prs: readonly ScoredPull[];
  /** What these pull requests take from one update together. */
  readonly aggregate: number;
  /** Unresolved threads whose class rests on nothing, of all unresolved ones. */
  readonly unmatched: { readonly threads: number; readonly of: number };
};

/** What unresolved threads say of pull requests, in the order these were given. `now` is in epoch milliseconds. */
export function score(pulls: readonly ReviewedPull[], settings: RewardSettings, now: number): Score {
  const prs = pulls.map((pull) => scorePull(pull, settings, now));
  const threads = prs.flatMap((one) => one.threads);
  return {
    prs,
    aggregate: aggregateOf(prs.map(({ penalty }) => penalty)),
    unmatched: {
      threads: threads.filter(({ because }) => because.kind === 'nothing').length,
      of: threads.length,
    },
  };
}

function scorePull(pull: ReviewedPull, settings: RewardSettings, now: number): ScoredPull {
  const threads = pull.threads
    .filter((thread) => !isDoneWith(thread, pull, settings))
    .map((thread): ScoredThread => ({
      ...(thread.id !== undefined && { id: thread.id }),
      ...(thread.author !== undefined && { author: thread.author }),
      ...classify(thread, settings),
    }));
  const count = (category: Classified['category']): number =>
    threads.filter((thread) => thread.category === category).length;
  const { counted } = pull;
  const unresolved = counted ?? {
    security: count('security'),
    logic: count('logic'),
    quality: count('quality'),
  };
  const { security, logic, quality } = unresolved;
  const merged = mergedOf(pull);
  return {
    repo: pull.repo,
    pr: pull.pr,
    security,
    logic,
    quality,
    ...penaltyOf(unresolved),
    category: counted?.category ?? attribute(pull, settings),
    signals: signalsOf(pull, settings, now),
    ...(merged !== undefined && { merged }),
    threads,
  };
}

/** Of one that is still open nobody knows. */
function mergedOf({ counted, life }: ReviewedPull): boolean | undefined {
  if (life === undefined || life.state === 'open') return counted?.merged;
  return life.state === 'merged';
}
