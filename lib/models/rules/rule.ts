import type { DisprovedClaim, HumanReviewRequest, ProposedFinding } from '../../core/submission.js';
import type { Change } from './change.js';
import type { Ask, Look } from './look.js';

/** What weighing a suspicion came to. */
export type Judgement =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'finding'; readonly finding: ProposedFinding }
  | { readonly kind: 'question'; readonly request: HumanReviewRequest }
  /** `of`: the line that was suspected, and of what. */
  | {
      readonly kind: 'disproved';
      readonly claim: DisprovedClaim;
      readonly of: { readonly rule: string; readonly path: string; readonly line: number };
    };

/** A place of the change that may be wrong; weighing it looks for what proves or disproves it. */
export type Suspicion = { readonly rule: string; readonly weigh: () => Look<Judgement> };

/** Reads changed lines only and is quick; all looking happens in `weigh`. */
export type Rule = {
  readonly name: string;
  /** What it looks for, in a few words. */
  readonly looksFor: string;
  readonly suspect: (change: Change) => readonly Suspicion[];
};

export const nothing: Judgement = { kind: 'nothing' };

/** The patterns and paths that were asked for a suspicion: the record of the run, not a claim. */
export function namesAsked(asks: readonly Ask[]): readonly string[] {
  const names = asks.map((ask) => ask.input[ask.name === 'search_code' ? 'pattern' : 'path']);
  return [...new Set(names.filter((name): name is string => typeof name === 'string'))];
}
