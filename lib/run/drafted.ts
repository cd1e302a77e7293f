import { repliesTo } from '../commands/replies.js';
import { clockTime } from '../core/attempt.js';
import type { Verdict } from '../core/gate.js';
import { addPass, reportOf, type Ledger } from '../core/ledger.js';
import {
  draft,
  draftEnding,
  type DraftInput,
  type Ending,
  type Publication,
  type RunFacts,
} from '../core/publication.js';
import { readingReplies } from '../core/reading-replies.js';
import { goingOnWords, startsAgain } from '../core/render/going-on.js';
import type { Snapshot } from '../core/snapshot.js';
import type { Trigger } from '../core/trigger.js';
import { isDueBy } from '../core/wish.js';
import type { Reviewed } from '../modes/run-review.js';
import { decideNow } from './decision.js';
import type { Given } from './given.js';
import { limitsOf } from './limits.js';
import type { Following } from './following.js';
import { followingOf } from './next-pass.js';

export function publicationOf(reviewed: Reviewed, given: Given, goesOn = false): Publication {
  const { result, pass } = reviewed;
  if (result === null || pass === null)
    throw new Error('A review without a finalized pass has nothing to publish.');
  return draft({
    snapshot: given.snapshot,
    before: reviewed.before,
    ledger: reviewed.ledger,
    verdict: reviewed.verdict,
    pass,
    goesOn,
    replies: [
      ...repliesTo({ ...given.snapshot, ledger: reviewed.ledger, verdict: reviewed.verdict }, given.trust),
      ...readingReplies(reviewed.ledger, given.snapshot, given.trust),
    ],
    run: given.facts ?? factsOf(given),
    now: given.deps.clock(),
    ...(!goesOn && nextOf(reviewed, given)),
    ...(given.trust !== undefined && { trust: given.trust }),
  });
}

/** What comes next, where only another review helps. */
function nextOf(reviewed: Reviewed, { snapshot, turn, ended }: Given): Partial<Told> {
  if (!isUnfinished(reviewed.verdict)) return {};
  if (turn === undefined || ended === undefined) return { next: startsAgain };
  const unread = reportOf(reviewed.ledger, snapshot.diffHash).coverage.missing.map(({ path }) => path);
  return told(followingOf(reviewed, snapshot, turn, ended), unread);
}

/** How what follows is said, to people and to programs. */
export type Told = Pick<DraftInput, 'follows' | 'followsAt'> & { readonly next: string };

export function told(following: Following, unread: readonly string[] = []): Told {
  switch (following.kind) {
    case 'nothing':
      return { next: startsAgain };
    case 'next_pass':
      return {
        follows: true,
        next: 'The next one starts by itself; if it does not, `/evident review` starts it.',
      };
    case 'again':
      return {
        follows: true,
        ...(following.how !== 'queue' && { followsAt: following.at }),
        next: goingOnWords(following, unread),
      };
    case 'stops':
      return { next: goingOnWords(following) };
  }
}

/**
 * A run that ended without a result, above clean passes that stand: once is once, and why there is no second is said.
 * Null where nothing stands of this change that another clean pass would complete.
 */
export function halfDone(
  ending: Ending,
  ledger: Ledger,
  following: Following,
  given: Given,
): Publication | null {
  const { snapshot, deps, trust } = given;
  if (!['no_submission', 'refused', 'failed', 'out_of_budget'].includes(ending.kind)) return null;
  const verdict = decideNow(ledger, snapshot, deps);
  if (verdict.kind !== 'review_again' || verdict.done === 0) return null;
  const { check } = draftEnding(ending, { key: '', head: snapshot.pullRequest.head.sha });
  const why = check.title.replace(/^Not (?:reviewed|finished): /, '');
  return draft({
    snapshot,
    before: ledger,
    ledger,
    verdict,
    pass: null,
    ...told(following),
    next: `The next one ended without a result: ${why}. ${told(following).next}`,
    run: factsOf(given),
    ...(trust !== undefined && { trust }),
  });
}

/** Neither clean nor to be fixed: only another review helps. */
export const isUnfinished = (verdict: Verdict): boolean =>
  verdict.kind === 'review_again' ||
  (verdict.kind === 'incomplete' && ['partial', 'not_reviewed'].includes(verdict.reason.kind));

/** What the check on the head says about a review that comes by itself; null: none does. */
export type Promised = {
  readonly at: number | undefined;
  readonly isDue: boolean;
  readonly how: Extract<Following, { kind: 'again' }>['how'];
};

export function promiseOf(
  { head: sha }: Pick<Trigger, 'head'>,
  { snapshot, deps }: Pick<Given, 'snapshot' | 'deps'>,
  now: number,
): Promised | null {
  const { ref } = snapshot.pullRequest.base;
  const head = snapshot.heads.findLast((one) => one.sha === sha && (one.base ?? ref) === ref);
  if (head?.owed !== true) return null;
  return {
    at: head.due,
    isDue: isDueBy(head, now),
    how: head.due === undefined ? 'queue' : deps.waits === true ? 'timer' : 'event',
  };
}

/** The same words again, whatever else changed in the text; what is due comes with this very event. */
export function keptWords(
  promised: Promised,
  ledger: Ledger,
  { pullRequest, diffHash }: Snapshot,
): Partial<Told> {
  const { at, how, isDue } = promised;
  if (at === undefined || isDue) return told({ kind: 'next_pass' });
  const why = ledger.attempts?.findLast(({ head }) => head === pullRequest.head.sha)?.why ?? 'busy';
  const unread = reportOf(ledger, diffHash).coverage.missing.map(({ path }) => path);
  return told({ kind: 'again', how, at, why }, unread);
}

/** Nothing is known, and that is told with when it is tried again. */
export function stillUnread({ at, how, isDue }: Promised): Verdict {
  const going = at === undefined || isDue ? '' : ` ${goingOnWords({ kind: 'again', how, at, why: 'busy' })}`;
  return {
    kind: 'incomplete',
    reason: {
      kind: 'not_reviewed',
      title:
        going === '' || at === undefined || how !== 'timer'
          ? 'Not reviewed yet'
          : `Not reviewed yet, again at ${clockTime(at)}`,
      sentence: `No review of this change has finished.${going}`,
      meant: false,
    },
  };
}

export const factsOf = ({ deps, forge, began, snapshot }: Given): RunFacts => {
  const { dollars } = limitsOf(deps, snapshot);
  return {
    model: { name: deps.model.name, kind: deps.model.kind },
    elapsedMs: deps.clock() - began,
    requests: forge.requests().length,
    ...(dollars !== undefined && { dollars }),
  };
};

/** A review as it stands after somebody wrote meanwhile: what they said decides as if it had been there before. */
export function since(reviewed: Reviewed, now: Ledger, decided: (ledger: Ledger) => Verdict): Reviewed {
  const { result, pass } = reviewed;
  if (result === null || pass === null) return reviewed;
  const ledger = addPass(now, result, pass);
  return { ...reviewed, before: now, ledger, verdict: decided(ledger) };
}
