import { repliesTo } from '../commands/replies.js';
import type { Verdict } from '../core/gate.js';
import { addPass, type Ledger } from '../core/ledger.js';
import { draft, type Publication, type RunFacts } from '../core/publication.js';
import { readingReplies } from '../core/reading-replies.js';
import type { Reviewed } from '../modes/run-review.js';
import type { Given } from './given.js';
import { limitsOf } from './limits.js';

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
    ...(!goesOn &&
      isUnfinished(reviewed.verdict) && {
        next: 'A push, or `/evident review`, starts a new review.',
      }),
    ...(given.trust !== undefined && { trust: given.trust }),
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
