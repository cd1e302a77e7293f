import type { LoopEvent } from '../agent/loop-event.js';
import { addUsage, noSpend, type Spend } from '../core/budget.js';
import type { Conversation } from '../core/conversation.js';
import type { Ledger } from '../core/ledger.js';
import { changedOf } from '../core/condition.js';
import { digestOfWords, type Reading } from '../core/reading.js';
import { nameOfStatement } from '../core/ruling.js';
import type { Snapshot } from '../core/snapshot.js';
import type { RepoReader } from '../ports/forge.js';
import type { Journal } from '../ports/job-runner.js';
import type { Model } from '../ports/model.js';
import { createEvidenceSource } from '../tools/evidence-source.js';
import { readWords } from './read-words.js';
import type { ReviewLimits } from './review.js';

/** What a run reads of people's words: each once, and every fold of the run knows it. */
export type Readings = {
  readonly fold: (now: Partial<Conversation>) => Ledger;
  /** Folds after it has read what nobody read yet, and looked whether what earlier answers rest on still stands. */
  readonly read: (now: Partial<Conversation>) => Promise<Ledger>;
  readonly spend: () => Spend;
};

export type ReadingsRun = {
  readonly snapshot: Snapshot;
  readonly reader: RepoReader;
  readonly fold: (now: Partial<Conversation>, readings: readonly Reading[]) => Ledger;
  readonly model: Model;
  readonly limits: ReviewLimits;
  readonly clock: () => number;
  /** Epoch milliseconds. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly journal?: Journal;
  readonly emit?: (event: LoopEvent) => void;
};

/** More words than these wait for the next event: a run is about the change first. */
const MAX_IN_RUN = 3;

/** Time that is left for at least one look. */
const LEAST_MS = 20_000;

export function createReadings(run: ReadingsRun): Readings {
  const done: Reading[] = [];
  const stuck = new Set<string>();
  const looked = new Set<string>();
  let calls = 0;
  let spend = noSpend;

  const fold = (now: Partial<Conversation>): Ledger => run.fold(now, done);

  /** An answer that holds for the code as it was goes with it. */
  async function lapse(ledger: Ledger): Promise<void> {
    const source = createEvidenceSource(run.reader);
    for (const { item, statement, conditions } of ledger.keptOn) {
      const name = nameOfStatement(statement);
      if (looked.has(name)) continue;
      looked.add(name);
      const changed = await changedOf(conditions, source);
      if (changed.length > 0)
        done.push({
          statement: name,
          words: digestOfWords(statement),
          item,
          round: 1,
          as: { kind: 'lapsed', changed },
        });
    }
  }

  return {
    fold,
    spend: () => spend,
    async read(now) {
      await lapse(fold(now));
      for (;;) {
        const ledger = fold(now);
        const unread = ledger.unread.find(({ statement }) => !stuck.has(nameOfStatement(statement)));
        if (unread === undefined || run.signal.aborted) return ledger;
        const isFree = run.model.kind === 'rules';
        if (!isFree && (calls >= MAX_IN_RUN || run.deadline - run.clock() < LEAST_MS)) return ledger;
        calls += 1;
        const { reading, spend: spent } = await readWords({
          ...run,
          unread,
          ledger,
          conversation: { ...run.snapshot, ...now },
        });
        spend = addSpend(spend, spent);
        if (reading === null) stuck.add(nameOfStatement(unread.statement));
        else done.push(reading);
      }
    },
  };
}

const addSpend = (a: Spend, b: Spend): Spend => ({
  turns: a.turns + b.turns,
  toolCalls: a.toolCalls + b.toolCalls,
  submissions: a.submissions + b.submissions,
  usage: addUsage(a.usage, b.usage),
});
