import type { LoopEvent } from '../lib/agent/loop-event.js';
import { addUsage, type Spend } from '../lib/core/budget.js';
import { continuing } from '../lib/core/continuing.js';
import { countRead } from '../lib/core/coverage.js';
import { decide } from '../lib/core/gate.js';
import { coverageIn, type Ledger } from '../lib/core/ledger.js';
import type { Reading } from '../lib/core/reading.js';
import { money } from '../lib/core/render/words.js';
import type { UnreadWords } from '../lib/core/ruling.js';
import type { Snapshot } from '../lib/core/snapshot.js';
import { readWords } from '../lib/modes/read-words.js';
import type { Reviewed } from '../lib/modes/run-review.js';
import type { RepoReader } from '../lib/ports/forge.js';
import type { Model } from '../lib/ports/model.js';

/** A person in front of a terminal runs it again as often as they like. */
export const onePass = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  policy: {
    ...snapshot.policy,
    gate: { ...snapshot.policy.gate, passes: { person: 1, agent: 1 }, reviewers: 1, votes: 1 },
  },
});

/** The review as it stands after answers. */
export function withAnswers(reviewed: Reviewed, ledger: Ledger, snapshot: Snapshot): Reviewed {
  const { result } = reviewed;
  if (result === null || ledger === reviewed.ledger) return reviewed;
  const { findings, questions } = ledger;
  const verdict = decide(ledger, {
    policy: onePass(snapshot).policy,
    pullRequest: snapshot.pullRequest,
    diff: snapshot.diff,
    diffHash: snapshot.diffHash,
    policyHash: snapshot.policyHash,
    realForge: false,
    coverage: coverageIn(ledger, snapshot.diffHash),
  });
  return { ...reviewed, ledger, verdict, result: { ...result, findings, questions } };
}

/** Reads replies that are not plain; `spent`: what that took beside the review. */
export type WordsReader = {
  readonly read: (words: UnreadWords, ledger: Ledger) => Promise<Reading | string>;
  readonly spent: () => Spend | null;
};

export type WordsReaderOptions = {
  readonly snapshot: Snapshot;
  readonly reader: RepoReader;
  readonly model: Model;
  /** US dollars that the whole command may cost, and what the review has cost. */
  readonly dollars: { readonly most: number; readonly spent: number | null };
  readonly clock: () => number;
  readonly maxMs: number;
  readonly emit: (event: LoopEvent) => void;
};

/** Reads replies that are not plain, within what is left of the limit. The sentence says why one could not be read. */
export function createWordsReader(options: WordsReaderOptions): WordsReader {
  const { snapshot, reader, model, dollars, clock } = options;
  let spent: Spend | null = null;
  return {
    spent: () => spent,
    async read(unread, ledger) {
      if (model.kind === 'rules') return 'The fixed rules read no other words than yes, no and not sure.';
      const left = dollars.most - (dollars.spent ?? 0) - (spent?.usage.dollars ?? 0);
      if (left <= 0) return `The limit of ${money(dollars.most)} is met, so no more words are read.`;
      const stop = new AbortController();
      const interrupt = (): void => stop.abort(new Error('stopped'));
      process.once('SIGINT', interrupt);
      try {
        const { reading, spend } = await readWords({
          unread,
          ledger,
          snapshot,
          reader,
          model,
          // Reading takes a quarter of what a review may: never more than is left.
          limits: { dollars: Math.min(dollars.most, left * 4) },
          clock,
          deadline: clock() + options.maxMs,
          signal: stop.signal,
          emit: options.emit,
        });
        spent = spent === null ? spend : addSpend(spent, spend);
        return reading ?? 'It could not be read now.';
      } finally {
        process.off('SIGINT', interrupt);
      }
    },
  };
}

export const addSpend = (a: Spend, b: Spend): Spend => ({
  ...b,
  turns: a.turns + b.turns,
  toolCalls: a.toolCalls + b.toolCalls,
  submissions: a.submissions + b.submissions,
  usage: addUsage(a.usage, b.usage),
});

/** The same review with more spent. */
export function withSpend(reviewed: Reviewed, more: Spend | null): Reviewed {
  if (more === null) return reviewed;
  const { result, spend } = reviewed;
  const all = addSpend(more, spend);
  return { ...reviewed, spend: all, result: result === null ? null : { ...result, spend: all } };
}

/**
 * Answers whose effect is that the review goes on: one whole review more, with them as context. `again` runs it from
 * what is known; where it does not finish, neither has the whole. Null where no answer wants it.
 */
export async function goOn(
  reviewed: Reviewed,
  snapshot: Snapshot,
  again: (known: Ledger) => Promise<Reviewed>,
): Promise<Reviewed | null> {
  const { result } = reviewed;
  if (result === null || continuing(reviewed.ledger).length === 0) return null;
  const next = await again(reviewed.ledger);
  if (next.result === null) {
    const limit = 'the review with the answer did not finish';
    const reason = { kind: 'partial', ...countRead(result.coverage), limit } as const;
    return withSpend({ ...reviewed, verdict: { kind: 'incomplete', reason } }, next.spend);
  }
  const joined = { ...next, ledger: reviewed.ledger };
  return withSpend(withAnswers(joined, next.ledger, snapshot), reviewed.spend);
}
