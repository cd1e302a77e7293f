import type { Category } from '../finding.js';
import type { PastPull, PastThread } from '../past-pull.js';
import { classify, type ClassifyRules } from '../reward/classify.js';
import { isDoneWith, type ResolutionRules } from '../reward/resolution.js';
import { toReviewedPull, type ReviewedPull, type ReviewedThread } from '../reward/reviewed-pull.js';
import { isDisputed } from './disputed.js';
import { isLate } from './late.js';
import type { OwnFinding, OwnMarks, OwnStanding } from './own-marks.js';
import { isAuthors, loginOf, type SeenReview } from './reviews-seen.js';

/** A thread that somebody but the pull request's author began. */
export type ReviewThread = {
  /** Lower-case login of who began it. */
  readonly by: string;
  /** Epoch milliseconds: when it began; of a finding of Evident's, when the pass ended that found it. */
  readonly at: number;
  readonly sha: string | null;
  readonly category: Category;
  /** A nit, or about code that the change did not touch. */
  readonly isMinor: boolean;
  readonly fate: Fate;
  /** On a line that an earlier review had before it, as it was. */
  readonly isLate: boolean;
};

/** `done`: by a change of the lines, or closed by who may say so; `wrong`: there was nothing to do. */
export type Fate = 'done' | 'wrong' | 'open';

/** How threads of other reviewers are read: the same rules as the reward signal's. */
export type ThreadRules = ClassifyRules & ResolutionRules;

/** Questions of Evident's are left out until an answer makes a finding of one. `reviews`: oldest first. */
export const reviewThreads = (
  pull: PastPull,
  own: OwnMarks,
  reviews: readonly SeenReview[],
  rules: ThreadRules,
): readonly ReviewThread[] => {
  const asReward = toReviewedPull(pull);
  return pull.threads.flatMap((thread, index): readonly ReviewThread[] => {
    const other = asReward.threads[index];
    const [first] = thread.comments;
    if (first === undefined || other === undefined || isAuthors(first.author, pull)) return [];
    const item = own.threads.get(thread.id);
    const found = item === undefined ? undefined : findingIn(item, own);
    if (item !== undefined && found === undefined) return [];
    const at = found?.found?.at ?? Date.parse(first.at);
    if (Number.isNaN(at)) return [];
    const known = { by: loginOf(first.author), at, sha: thread.sha };
    return [
      {
        ...known,
        ...(found === undefined
          ? ofAnother(thread, other, asReward, rules)
          : {
              category: found.category,
              isMinor: found.severity === 'nit' || found.origin === 'pre_existing',
              fate: fateOf(found.standing),
            }),
        isLate: isLate({ ...known, path: thread.path }, pull, own, reviews),
      },
    ];
  });
};

/** The finding of a thread of Evident's; that of a question once an answer made one of it. */
const findingIn = (item: string, { findings }: OwnMarks): OwnFinding | undefined =>
  findings.find(({ id, from }) => id === item || from === item);

export function fateOf(standing: OwnStanding): Fate {
  switch (standing) {
    case 'fixed':
    case 'obsolete':
      return 'done';
    case 'dismissed':
    case 'withdrawn':
    case 'suppressed':
      return 'wrong';
    case 'open':
    case 'uncertain':
      return 'open';
  }
}

/** What is about quality counts as minor: other reviewers do not say what a nit is in one way. */
function ofAnother(
  { comments, isOutdated }: PastThread,
  thread: ReviewedThread,
  pull: ReviewedPull,
  rules: ThreadRules,
): Pick<ReviewThread, 'category' | 'isMinor' | 'fate'> {
  const { category } = classify(thread, rules);
  const isDone = isDoneWith(thread, pull, rules);
  const [first, ...replies] = comments;
  const beganBy = loginOf(first?.author ?? null);
  const isWrong =
    !(isDone && isOutdated) &&
    replies.some(({ author, body }) =>
      isDisputed(body, loginOf(author) === beganBy ? 'its author' : 'another'),
    );
  return { category, isMinor: category === 'quality', fate: isWrong ? 'wrong' : isDone ? 'done' : 'open' };
}
