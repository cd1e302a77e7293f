import type { LoopEvent } from '../lib/agent/loop-event.js';
import { runLoop } from '../lib/agent/loop.js';
import type { Spend } from '../lib/core/budget.js';
import type { Finding } from '../lib/core/finding.js';
import { emptyLedger, type FileOrder, type Lens } from '../lib/core/ledger.js';
import { finalize } from '../lib/core/review-result.js';
import type { Outcome } from '../lib/core/transcript.js';
import { openLocalGit } from '../lib/forges/local-git.js';
import { reviewTask, type ReviewLimits } from '../lib/modes/review.js';
import type { Model } from '../lib/ports/model.js';
import { silentLog } from '../lib/ports/log.js';
import { createEvidenceSource } from '../lib/tools/evidence-source.js';

/** One pass over one case: a git repository with the branches `base` and `pr`. */
export type LookGiven = {
  readonly dir: string;
  readonly lens: Lens;
  readonly order: FileOrder;
  readonly model: Model;
  readonly limits: ReviewLimits;
  /** Milliseconds. */
  readonly maxMs: number;
  readonly clock: () => number;
  readonly signal: AbortSignal;
  readonly emit?: (event: LoopEvent) => void;
};

/** What was said about one place; a question counts as what `no` would make of it. */
export type Remark = {
  readonly path: string;
  readonly line: number;
  readonly end_line: number;
  readonly title: string;
  readonly body: string;
  readonly severity: Finding['severity'];
  readonly as: 'finding' | 'question';
};

export type Look = {
  readonly lens: Lens;
  readonly order: FileOrder;
  readonly model: string;
  readonly ended: Outcome['kind'];
  /** Why it ended without a submission. */
  readonly why?: string;
  /** Whether every changed line was shown: a look that did not see all is no look. */
  readonly complete: boolean;
  readonly remarks: readonly Remark[];
  readonly spend: Spend;
  readonly elapsedMs: number;
};

/**
 * A whole blind pass as the gate would run it, with the lens and file order that are asked for instead of those whose
 * turn it is. Nothing of an earlier pass is known to it. Throws `ConfigError` when the case is no such repository.
 */
export async function look(given: LookGiven): Promise<Look> {
  const { model, lens, order, clock } = given;
  const { snapshot, reader, close } = await openLocalGit({
    dir: given.dir,
    base: 'base',
    head: 'pr',
    log: silentLog,
  });
  const began = clock();
  try {
    const task = reviewTask({
      snapshot,
      reader,
      lens,
      order,
      limits: given.limits,
      clock,
      deadline: began + given.maxMs,
      modelKind: model.kind,
    });
    const { outcome, transcript } = await runLoop({
      model,
      toolset: task.toolset,
      system: task.system,
      opening: task.opening,
      budget: task.budget,
      clock,
      signal: given.signal,
      ...(given.emit !== undefined && { emit: given.emit }),
    });
    const ended = {
      lens,
      order,
      model: model.name,
      ended: outcome.kind,
      spend: transcript.spend,
      elapsedMs: clock() - began,
    };
    if (outcome.kind !== 'submitted') {
      const why = outcome.kind === 'out_of_budget' ? outcome.limit : outcome.detail;
      return { ...ended, why, complete: false, remarks: [] };
    }
    const { findings, questions, coverage } = await finalize({
      accepted: outcome.value,
      dropped: outcome.dropped,
      ledger: emptyLedger,
      snapshot,
      source: createEvidenceSource(reader),
      spend: transcript.spend,
    });
    return {
      ...ended,
      complete: coverage.complete,
      remarks: [
        ...findings.map((finding) => remarkOf(finding, 'finding')),
        ...questions.map(({ finding }) => remarkOf(finding, 'question')),
      ],
    };
  } finally {
    await close();
  }
}

function remarkOf({ anchor, title, body, severity }: Omit<Finding, 'id'>, as: Remark['as']): Remark {
  const first = anchor.kind === 'line' ? (anchor.startLine ?? anchor.line) : anchor.line;
  return { path: anchor.path, line: first, end_line: anchor.line, title, body, severity, as };
}
