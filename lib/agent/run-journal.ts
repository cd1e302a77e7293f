import { createHash } from 'node:crypto';
import type { Message, Outcome, Turn } from '../core/transcript.js';
import { timeLimit } from '../core/budget.js';
import type { Journal } from '../ports/job-runner.js';
import type { ToolDefinition } from '../ports/model.js';

/** The journal of one run, as the loop sees it. */
export type RunJournal = {
  readonly load: () => Promise<readonly Turn[]>;
  readonly append: (turn: Turn) => Promise<void>;
};

/** The part of `journal` under `key` that belongs to exactly this task: another prompt or model starts afresh. */
export function runJournal(journal: Journal, key: string, task: RunTask): RunJournal {
  const identity = runIdentity(task);
  return {
    load: () => journal.load(key, identity),
    append: (turn) => journal.append(key, identity, turn),
  };
}

export type RunTask = {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly opening: Message;
};

/** A hash over all that a request starts with: turns of one prefix must never follow another. */
export const runIdentity = ({ model, system, tools, opening }: RunTask): string =>
  createHash('sha256')
    .update(JSON.stringify([model, system, tools, opening]))
    .digest('hex');

/**
 * Whether a run that ended like this goes on from its journal when it is asked for again. After any other ending the
 * journal is to be cleared: taken up, it would give that ending back, or the conversation that cannot go on.
 */
export const goesOnLater = (outcome: Outcome): boolean =>
  (outcome.kind === 'failed' && outcome.retryable) ||
  (outcome.kind === 'out_of_budget' && outcome.limit === timeLimit);
