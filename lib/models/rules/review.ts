import type { CodeReview } from '../../core/submission.js';
import { createChange } from './change.js';
import { advance, askKey, readDiff } from './look.js';
import type { Answer, Ask } from './look.js';
import { namesAsked } from './rule.js';
import type { Judgement, Rule } from './rule.js';

export type ReviewSoFar =
  | { readonly kind: 'asks'; readonly asks: readonly Ask[] }
  | {
      readonly kind: 'submits';
      readonly submission: CodeReview;
      readonly judgements: readonly Judgement[];
    };

/** Side by side in one turn; the rest waits for the next. */
const asksPerTurn = 12;

/**
 * How far the known answers carry the review: what to ask next, or the review itself when nothing is left to
 * ask. Under `closing` nothing can be asked any more, so what is undecided is left out, and the summary says so.
 */
export function reviewSoFar(
  rules: readonly Rule[],
  known: ReadonlyMap<string, Answer>,
  closing: boolean,
): ReviewSoFar {
  const diff = advance(readDiff(), known);
  if (diff.kind === 'waiting' && !closing) return { kind: 'asks', asks: diff.asks };
  const change = createChange(diff.kind === 'done' ? diff.value : []);
  const judgements: Judgement[] = [];
  const asks = new Map<string, Ask>();
  let undecided = 0;
  for (const rule of rules) {
    for (const suspicion of rule.suspect(change)) {
      const progress = advance(suspicion.weigh(), known);
      if (progress.kind === 'waiting') {
        undecided += 1;
        for (const ask of progress.asks) asks.set(askKey(ask), ask);
      } else judgements.push(withSearched(progress.value, progress.asked));
    }
  }
  if (asks.size > 0 && !closing) return { kind: 'asks', asks: [...asks.values()].slice(0, asksPerTurn) };
  return {
    kind: 'submits',
    judgements,
    submission: {
      findings: judgements.flatMap((each) => (each.kind === 'finding' ? [each.finding] : [])),
      humanReviewRequests: judgements.flatMap((each) => (each.kind === 'question' ? [each.request] : [])),
      disproved: judgements.flatMap((each) => (each.kind === 'disproved' ? [each.claim] : [])),
      prior: [],
      summary: summarize(rules, change.files.length, undecided),
    },
  };
}

/** What was searched for a question is the record of what was asked for it. */
function withSearched(judgement: Judgement, asked: readonly Ask[]): Judgement {
  return judgement.kind === 'question'
    ? { ...judgement, request: { ...judgement.request, searched: [...namesAsked(asked)] } }
    : judgement;
}

function summarize(rules: readonly Rule[], files: number, undecided: number): string {
  const looked = `Fixed rules looked through ${files} changed ${files === 1 ? 'file' : 'files'} for ${listed(rules.map((rule) => rule.looksFor))}, and for nothing else.`;
  if (undecided === 0) return looked;
  return `${looked} ${undecided} ${undecided === 1 ? 'suspicion was' : 'suspicions were'} left undecided for want of budget.`;
}

const listed = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
