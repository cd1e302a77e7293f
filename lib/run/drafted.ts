import { repliesTo } from '../commands/replies.js';
import type { Verdict } from '../core/gate.js';
import { addPass, type Ledger } from '../core/ledger.js';
import { draft, draftEnding, type Ending, type Publication, type RunFacts } from '../core/publication.js';
import { readingReplies } from '../core/reading-replies.js';
import type { Reviewed } from '../modes/run-review.js';
import { decideNow } from './decision.js';
import type { Given } from './given.js';
import { limitsOf } from './limits.js';
import { isNextPassOwed } from './next-pass.js';

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
function nextOf(
  reviewed: Reviewed,
  { snapshot, turn }: Given,
): { readonly next?: string; readonly follows?: true } {
  if (!isUnfinished(reviewed.verdict)) return {};
  if (turn === undefined || !isNextPassOwed(reviewed, snapshot, turn)) return { next: startsAgain };
  return {
    follows: true,
    next: 'The next one starts by itself; if it does not, `/evident review` starts it.',
  };
}

/** Where nothing comes by itself. */
export const startsAgain = 'A push, or `/evident review`, starts a new review.';

/**
 * A run that ended without a result, above clean passes that stand: once is once, and why there is no second is said.
 * Null where nothing stands of this change that another clean pass would complete.
 */
export function halfDone(ending: Ending, ledger: Ledger, given: Given): Publication | null {
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
    next: `The next one ended without a result: ${why}. ${startsAgain}`,
    run: factsOf(given),
    ...(trust !== undefined && { trust }),
  });
}

/** Neither clean nor to be fixed: only another review helps. */
const isUnfinished = (verdict: Verdict): boolean =>
  verdict.kind === 'review_again' || (verdict.kind === 'incomplete' && verdict.reason.kind === 'partial');

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
