import { createHash } from 'node:crypto';

/**
 * What a repository and its operator decide. Defaults here; the files that change them are read by the forge.
 * `gate`, authority and budgets come from the default branch, the rest from the base ref, frozen per diff.
 */
export type GateMode = 'advisory' | 'blocking';

export type Policy = {
  readonly gate: {
    readonly mode: GateMode;
    /** Clean, differing passes in a row that a diff needs; by whose change it is and how large. */
    readonly passes: { readonly person: number; readonly agent: number };
    /** Fix rounds (new diffs after a `fix`) before a person decides. */
    readonly fixRounds: number;
    readonly openQuestionsHold: boolean;
  };
  readonly review: {
    readonly drafts: boolean;
    readonly dependencyBots: boolean;
    /** Threads a review may open; the rest are rows. */
    readonly maxThreads: number;
    readonly suggestions: boolean;
    /** Globs that are listed and never read as changed code: generated files, snapshots. */
    readonly skip: readonly string[];
  };
  /** Where these settings come from: shown in the check. */
  readonly source: string;
};

export const defaultPolicy: Policy = {
  gate: { mode: 'advisory', passes: { person: 1, agent: 2 }, fixRounds: 3, openQuestionsHold: false },
  review: { drafts: false, dependencyBots: false, maxThreads: 5, suggestions: true, skip: [] },
  source: 'defaults',
};

/** Names the rules that a pass was made under, whatever the order of their keys: REVIEW.md is one of them. */
export const policyHash = (policy: Policy, reviewRules: string | null): string =>
  createHash('sha256').update(canonicalJson({ policy, reviewRules })).digest('hex');

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
