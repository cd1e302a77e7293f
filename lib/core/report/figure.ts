import type { Measure } from './measure.js';

/** `count`: a mean for each of what is counted; `share`: 0 to 1. */
export type Unit = 'count' | 'share' | 'hours' | 'dollars';

/** `act`: something should be changed; `watch`: it may have to; `fine`; `unknown`: nothing to go by. */
export type Weight = 'act' | 'watch' | 'fine' | 'unknown';

export type FigureId =
  | 'rounds'
  | 'five_rounds'
  | 'minor_rounds'
  | 'late'
  | 'ci_runs'
  | 'escalations'
  | 'reverts'
  | 'wrong'
  | 'resolved'
  | 'answered'
  | 'first_review'
  | 'cost';

export type Figure = {
  readonly id: FigureId;
  readonly title: string;
  readonly unit: Unit;
  /** What `n` counts, in the plural. */
  readonly of: string;
  readonly all: Measure;
  /** Null where nothing divides the pull requests. */
  readonly before: Measure | null;
  readonly after: Measure | null;
  readonly weight: Weight;
  /** What it means and what to do, with what it rests on. */
  readonly sentence: string;
  readonly parts: readonly Part[];
};

/** A figure taken apart. */
export type Part = {
  readonly title: string;
  readonly unit: Unit;
  readonly rows: readonly { readonly name: string; readonly measure: Measure }[];
};
