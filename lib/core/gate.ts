import type { Finding } from './finding.js';

/**
 * What the merge box says. On the wire the seed's four words: pass, review, fix, escalate; `waiting` and
 * `incomplete` are spelled out.
 */
export type Verdict =
  | { readonly kind: 'passed'; readonly streak: number }
  | { readonly kind: 'review_again'; readonly done: number; readonly required: number }
  | {
      readonly kind: 'fix';
      readonly blocking: readonly Finding[];
      readonly round: number;
      readonly rounds: number;
    }
  | { readonly kind: 'waiting'; readonly questions: readonly string[] }
  | { readonly kind: 'escalated'; readonly to: readonly string[]; readonly why: string }
  | { readonly kind: 'incomplete'; readonly reason: IncompleteReason };

export type IncompleteReason =
  | { readonly kind: 'partial'; readonly seen: number; readonly of: number; readonly limit: string }
  | {
      readonly kind: 'not_reviewed';
      readonly title: string;
      readonly sentence: string;
      readonly meant: boolean;
    }
  | { readonly kind: 'superseded'; readonly by: string }
  | { readonly kind: 'rules_only' };
