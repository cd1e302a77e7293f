import type { LoopEvent } from '../lib/agent/loop-event.js';
import type { Env } from '../lib/config/env.js';
import { ConfigError } from '../lib/core/errors.js';
import type { Ledger } from '../lib/core/ledger.js';
import type { Trigger } from '../lib/core/trigger.js';
import { runReview, type Reviewed } from '../lib/modes/run-review.js';
import type { Journal } from '../lib/ports/job-runner.js';
import type { Model } from '../lib/ports/model.js';
import { createFileJournal } from '../lib/runners/index.js';
import { onePass } from './answered-review.js';
import type { OpenedChange } from './opened-change.js';

/**
 * One blind pass over what was opened, with what is known; nothing is written anywhere. Ctrl-C ends it at its next turn.
 */
export async function reviewOnce(
  { snapshot, reader }: Pick<OpenedChange, 'snapshot' | 'reader'>,
  run: {
    readonly env: Env;
    readonly model: Model;
    readonly clock: () => number;
    readonly known: Ledger;
    readonly dollars: number;
    readonly emit: (event: LoopEvent) => void;
  },
): Promise<Reviewed> {
  const { pullRequest } = snapshot;
  const began = run.clock();
  const trigger: Trigger = {
    kind: 'pull_request',
    reason: 'asked',
    owner: pullRequest.repo.owner,
    repo: pullRequest.repo.name,
    number: pullRequest.number,
    head: pullRequest.head.sha,
    draft: false,
    installation: 0,
    sender: pullRequest.author.login,
  };
  const stop = new AbortController();
  // The run ends at its next turn, and what was written to the temporary folder is removed.
  const interrupt = (): void => stop.abort(new Error('stopped'));
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    const journal = journalOf(run.env);
    return await runReview({
      trigger,
      snapshot: onePass(snapshot),
      reader,
      known: run.known,
      readLedger: async () => run.known,
      spent: () => ({ elapsedMs: run.clock() - began, requests: 0 }),
      model: run.model,
      limits: run.model.kind === 'rules' ? {} : { dollars: run.dollars },
      realForge: false,
      ...(journal !== null && { journal }),
      clock: run.clock,
      deadline: run.clock() + run.env.maxMinutes * 60_000,
      signal: stop.signal,
      emit: run.emit,
    });
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

/** With EVIDENT_JOURNAL_DIR a run that was killed goes on after its last turn; the key of the model encrypts it. */
function journalOf(env: Env): Journal | null {
  const secret =
    env.signingKeys[0] ?? env.model.variables.ANTHROPIC_API_KEY ?? env.model.variables.ANTHROPIC_AUTH_TOKEN;
  if (env.journalDir === undefined) return null;
  if (secret === undefined)
    throw new ConfigError(
      'EVIDENT_JOURNAL_DIR needs a key to encrypt the journal with. Set EVIDENT_SECRET to a long random text.',
      'EVIDENT_SECRET',
    );
  return createFileJournal(env.journalDir, secret);
}
