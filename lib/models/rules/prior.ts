import type { PriorVerdict } from '../../core/submission.js';
import type { Judgement } from './rule.js';

/**
 * What the rules say about findings of before, from the look they have taken: still where a rule fires on that line,
 * fixed where it would and a guard disproves it, with the guard. Of anything else they know nothing.
 */
export function priorVerdicts(asked: string, judgements: readonly Judgement[]): readonly PriorVerdict[] {
  return [...asked.matchAll(askedAbout)].flatMap((match): PriorVerdict[] => {
    const [, id = '', path = '', first = '', last = first, rule = ''] = match;
    const isHere = (at: { readonly path: string; readonly line: number }): boolean =>
      at.path === path && at.line >= Number(first) && at.line <= Number(last);
    for (const each of judgements) {
      if (each.kind === 'finding' && each.finding.rule === rule && isHere(each.finding))
        return [{ id, verdict: 'still', evidence: [] }];
      if (each.kind === 'disproved' && each.of.rule === rule && isHere(each.of)) {
        const { claim } = each;
        const guard = { path: claim.path, ref: claim.ref, start: claim.line, end: claim.line };
        return [{ id, verdict: 'fixed', evidence: [{ ...guard, quote: claim.quote }] }];
      }
    }
    return [{ id, verdict: 'cannot_tell', evidence: [] }];
  });
}

/** `F3 src/a.ts:12-13 (important, logic, missing-guard)`; what has no line any more is for code to see. */
const askedAbout = /^(F\d+) (.+):(\d+)(?:-(\d+))? \((?:important|nit), [a-z]+, ([a-z0-9-]+)\)$/gm;
