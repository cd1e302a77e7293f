import { combinePolicy, type PolicyLayer, type PolicyLayers } from './combine-policy.js';
import { decidersOf, type Decider } from './deciders.js';
import type { FileDiff } from './diff.js';
import { policyHash, type Policy } from './policy.js';
import { readPolicyFile, unreadPolicyFile } from './policy-file.js';
import {
  composeReviewRules,
  editedSettings,
  readCodeOwners,
  readText,
  SETTINGS_FILE,
  type BaseReader,
} from './review-rules.js';

/** The settings and rules of one review. */
export type PolicyRead = {
  readonly policy: Policy;
  readonly policyHash: string;
  readonly reviewRules: string | null;
  /** Settings and rules that the change edits: another copy was used. */
  readonly editedByPull: readonly string[];
  /** Who decides what the gate cannot, and why they. */
  readonly deciders: readonly Decider[];
};

export type PolicyToRead = {
  /** Sees what the change cannot write. */
  readonly reader: BaseReader;
  readonly diff: readonly FileDiff[];
  /** The base in words: `main@77aa0e2`. */
  readonly at: string;
  /** What guards. Absent where no branch is live but the base (the terminal): the base's file does both. */
  readonly live?: {
    readonly layers: Omit<PolicyLayers, 'repositoryBase' | 'codeOwners'>;
    /** The text of the repository's own file; null when there is none. */
    readonly text: string | null;
  };
  readonly deployment: Policy;
};

/** Reads what a review is made by from the base, and puts it together with what guards. */
export async function readPolicy({ reader, diff, at, live, deployment }: PolicyToRead): Promise<PolicyRead> {
  const [base, reviewRules, codeOwners] = await Promise.all([
    readBase(reader, at, live),
    composeReviewRules(reader, diff),
    readCodeOwners(reader),
  ]);
  const layers = live?.layers ?? { deployment, organization: null, repositoryDefault: base };
  const policy = combinePolicy({ ...layers, repositoryBase: base, codeOwners: codeOwners !== null });
  return {
    policy,
    policyHash: policyHash(policy, reviewRules),
    reviewRules,
    editedByPull: editedSettings(diff),
    deciders: decidersOf(policy, codeOwners, diff),
  };
}

async function readBase(
  reader: BaseReader,
  at: string,
  live: PolicyToRead['live'],
): Promise<PolicyLayer | null> {
  const read = await readText(reader, SETTINGS_FILE);
  const source = `${SETTINGS_FILE} at ${at}`;
  switch (read.kind) {
    case 'none':
      return null;
    case 'unread':
      return { ...unreadPolicyFile(SETTINGS_FILE, read.why), source };
    case 'text':
      return read.text === live?.text
        ? live.layers.repositoryDefault
        : { ...readPolicyFile(read.text, { file: SETTINGS_FILE }), source };
  }
}
