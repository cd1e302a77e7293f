import type { Usage } from './budget.js';
import type { FindingId, FindingKey } from './finding.js';
import type { NotRaised } from './not-raised.js';
import type { Sha } from './pull-request.js';
import type { QuestionId } from './question.js';

/** How one pass differed from the others: an emphasis on a full review, not a cut of scope. */
export type Lens = 'correctness' | 'contracts' | 'security';

export type FileOrder = 'as_shown' | 'reverse';

/** Reviewers that read one change side by side, none knowing what the others find: each makes a pass of its own. */
export type Panel = {
  /** Names the round, on one pull request: when it began, epoch milliseconds. */
  readonly round: number;
  /** How many were asked to read; fewer passes than that stand where some did not finish. */
  readonly size: number;
};

/** A finding or question that was open before a pass and is not any more. */
export type Settled = {
  readonly id: FindingId | QuestionId;
  /** `fixed`: the code changed, was read again and is right; `obsolete`: what was asked about is gone. */
  readonly kind: 'fixed' | 'obsolete';
};

/** What the surfaces say about a pass beside its findings: kept of the newest one only. */
export type PassReport = {
  /** Of the changed files; `others` are unchanged files of which lines were read. */
  readonly coverage: {
    readonly seen: number;
    readonly of: number;
    readonly unreviewable: number;
    readonly others: number;
    readonly missing: readonly { readonly path: string; readonly why: string }[];
    readonly skipped: readonly { readonly path: string; readonly why: string }[];
    /** The limit by which the pass was cut off, as it is told. */
    readonly limit?: string;
  };
  /** Suspicions that cited code disproves. */
  readonly disproved: readonly {
    readonly claim: string;
    readonly because: string;
    readonly path: string;
    readonly line: number;
  }[];
  /** Claims that did not hold. */
  readonly dropped: readonly { readonly what: string; readonly why: string }[];
  /** What an answer that a settings file keeps has settled. */
  readonly notRaised?: readonly NotRaised[];
  /** Of the run that made it, all its passes together. */
  readonly usage: Usage;
  readonly elapsedMs: number;
  readonly requests: number;
};

export const noReport: PassReport = {
  coverage: { seen: 0, of: 0, unreviewable: 0, others: 0, missing: [], skipped: [] },
  disproved: [],
  dropped: [],
  usage: { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, dollars: 0 },
  elapsedMs: 0,
  requests: 0,
};

/** One pass, as it stands in the text of our check run. */
export type PassRecord = {
  readonly v: 2;
  /** When it was finalized, epoch milliseconds: passes are ordered by it. */
  readonly at: number;
  readonly jobKey: string;
  readonly head: Sha;
  readonly baseRef: string;
  readonly diffHash: string;
  readonly policyHash: string;
  readonly lens: Lens;
  readonly order: FileOrder;
  readonly model: string;
  /** `rules` passes never satisfy a blocking gate on a real forge. */
  readonly modelKind: 'language_model' | 'rules';
  /** Absent: nobody read beside it. */
  readonly panel?: Panel;
  readonly finished: boolean;
  readonly complete: boolean;
  /** Findings of this pass that may block. */
  readonly blocking: readonly FindingKey[];
  /** All that it reported, known or new. */
  readonly findings: readonly FindingId[];
  readonly questions: readonly QuestionId[];
  readonly settled: readonly Settled[];
  /** Questions whose answers it was told: each is continued once. */
  readonly continued?: readonly QuestionId[];
  /** A digest of the change of each file, by path: tells a later pass what changed since. Kept of the newest passes. */
  readonly files?: Readonly<Record<string, string>>;
  readonly usage: Usage;
  readonly report?: PassReport;
};
