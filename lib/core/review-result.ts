import type { Spend } from './budget.js';
import type { Finding } from './finding.js';
import type { Question } from './question.js';
import type { Dropped } from './transcript.js';

/** Per changed file: was every changed line served? Only `missing` makes a pass partial. */
export type FileCoverage =
  | { readonly kind: 'seen'; readonly path: string }
  | { readonly kind: 'unreviewable'; readonly path: string; readonly why: string }
  | { readonly kind: 'missing'; readonly path: string; readonly why: string };

export type Coverage = {
  readonly files: readonly FileCoverage[];
  /** Unchanged files of which lines were served. */
  readonly othersRead: number;
  readonly complete: boolean;
};

/** A suspicion that cited code disproves: listed, never raised. */
export type Disproved = {
  readonly claim: string;
  readonly because: string;
  readonly path: string;
  readonly line: number;
  readonly quote: string;
};

/** A pass, finalized by code: every claim checked, anchored, classified and matched with what is known. */
export type ReviewResult = {
  readonly findings: readonly Finding[];
  readonly questions: readonly Question[];
  readonly dropped: readonly Dropped[];
  readonly disproved: readonly Disproved[];
  readonly coverage: Coverage;
  readonly summary: string;
  readonly spend: Spend;
};
