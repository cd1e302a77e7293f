import type { Usage } from './budget.js';
import type { FindingId, FindingKey } from './finding.js';
import type { Sha } from './pull-request.js';

/** How one pass differed from the others: an emphasis on a full review, not a cut of scope. */
export type Lens = 'correctness' | 'contracts' | 'security';

export type FileOrder = 'as_shown' | 'reverse';

/** One pass, as it stands in the text of our check run. */
export type PassRecord = {
  readonly v: 1;
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
  readonly finished: boolean;
  readonly complete: boolean;
  /** Findings of this pass that may block. */
  readonly blocking: readonly FindingKey[];
  readonly findings: readonly FindingId[];
  readonly usage: Usage;
};
