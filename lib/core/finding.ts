import { z } from 'zod';
import type { Evidence } from './evidence.js';
import type { Side } from './diff.js';
import type { Sha } from './pull-request.js';

export const Severity = z.enum(['important', 'nit']);
export type Severity = z.infer<typeof Severity>;

export const Category = z.enum(['security', 'logic', 'quality']);
export type Category = z.infer<typeof Category>;

/** The model's claim. It routes (high: a finding; else a question or nothing) and is never changed by code. */
export const Confidence = z.enum(['high', 'medium', 'low']);
export type Confidence = z.infer<typeof Confidence>;

/** Computed: on a line that this change touched, or not. */
export type Origin = 'introduced' | 'pre_existing';

/** `F1`, `F2`, ...: counts up per pull request and is never reused. */
export type FindingId = `F${number}`;

/** Stable over pushes: path lineage, category, hash of the normalised anchored lines, neighbours and ordinal. */
export type FindingKey = string & { readonly __brand: 'FindingKey' };

/** Where a finding stands. What cannot be anchored is a row of the summary and still counted. */
export type Anchor =
  | {
      readonly kind: 'line';
      readonly path: string;
      readonly side: Side;
      readonly line: number;
      readonly startLine?: number;
    }
  | { readonly kind: 'row'; readonly path: string; readonly line: number; readonly why: string };

/** Who or what decided, when and why; shown with the name. */
export type Decision = { readonly by: string; readonly at: string; readonly why?: string };

export type Standing =
  | { readonly kind: 'open' }
  | { readonly kind: 'fixed'; readonly in: Sha }
  | ({ readonly kind: 'dismissed' } & Decision)
  | ({ readonly kind: 'suppressed' } & Decision)
  | ({ readonly kind: 'uncertain' } & Decision)
  | ({ readonly kind: 'withdrawn' } & Decision)
  | { readonly kind: 'obsolete'; readonly since: Sha };

export type Finding = {
  readonly id: FindingId;
  readonly key: FindingKey;
  readonly anchor: Anchor;
  readonly rule: string;
  readonly severity: Severity;
  readonly category: Category;
  readonly confidence: Confidence;
  readonly origin: Origin;
  readonly title: string;
  readonly body: string;
  /** Replaces exactly the anchored range; an empty string deletes it. Absent: no suggestion. */
  readonly suggestion?: string;
  readonly evidence: readonly Evidence[];
  readonly standing: Standing;
};

/** Open, important and introduced: the only thing that may block. */
export const blocks = (finding: Finding): boolean =>
  finding.standing.kind === 'open' && finding.severity === 'important' && finding.origin === 'introduced';
