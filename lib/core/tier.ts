import { whyNotAdditive } from './additive.js';
import { changedLines, type FileDiff } from './diff.js';
import type { Policy } from './policy.js';
import type { PullRequest } from './pull-request.js';
import { listed } from './render/words.js';

/** How many clean, differing passes in a row a change needs, by whose change it is and what it changes. */
export type Tier = {
  /** `person`: a small change or documents of a person. */
  readonly kind: 'person' | 'agent' | 'large' | 'additive';
  /** At least 1. */
  readonly passes: number;
  /** Why, in plain words; absent where nothing has to be explained. */
  readonly because?: string;
};

export type TierInput = {
  readonly pullRequest: Pick<PullRequest, 'author'> & Partial<Pick<PullRequest, 'labels'>>;
  readonly policy: Policy;
  readonly diff: readonly FileDiff[];
};

/**
 * The policy's number for agents where an agent (or nobody known) opened it or it is large, the number for persons where a
 * person's change is small or touches only documents. A change that only adds, where the settings say so, needs theirs.
 */
export function tierOf({ pullRequest, policy, diff }: TierInput): Tier {
  const { person, agent } = policy.gate.passes;
  const { author, labels = [] } = pullRequest;
  const isFew = author.kind === 'person' && (isSmall(diff) || isDocsOnly(diff));
  // Zero required passes would make an unread change mergeable.
  if (isFew) return { kind: 'person', passes: Math.max(1, person) };
  const passes = Math.max(1, person, agent);
  const usual: Tier & { readonly because: string } =
    author.kind === 'person'
      ? {
          kind: 'large',
          passes,
          because: `this is a large change: ${diff.length} files, ${changedLineCount(diff)} lines`,
        }
      : {
          kind: 'agent',
          passes,
          because: `this counts as an agent's change${author.because === undefined ? '' : `: ${author.because}`}`,
        };
  const { additive } = policy.gate;
  if (additive.paths.length === 0 || additive.passes >= passes) return usual;
  const why = isSmall(diff) ? whyNotAdditive(diff, labels, policy) : 'it is large';
  return why === null
    ? {
        kind: 'additive',
        passes: Math.max(1, additive.passes),
        because: `this only adds, in ${listed(additive.paths.slice(0, MAX_SHOWN))} (setting gate.additive)`,
      }
    : { ...usual, because: `${usual.because}; no addition by the setting gate.additive: ${why}` };
}

const MAX_SHOWN = 5;

const LARGE_LINES = 400;
const LARGE_FILES = 20;

const isSmall = (diff: readonly FileDiff[]): boolean =>
  diff.length <= LARGE_FILES &&
  changedLineCount(diff) <= LARGE_LINES &&
  diff.every(({ content }) => content.kind !== 'missing');

/** What is not listed counts by its numbers, where the forge gives them. */
const changedLineCount = (diff: readonly FileDiff[]): number =>
  diff.reduce((sum, file) => {
    const { RIGHT, LEFT } = changedLines(file);
    return sum + Math.max(RIGHT.length + LEFT.length, file.additions + file.deletions);
  }, 0);

const isDocsOnly = (diff: readonly FileDiff[]): boolean =>
  diff.length > 0 &&
  diff.every(
    ({ path, content, symlink }) =>
      content.kind !== 'submodule' &&
      !symlink &&
      /(\.(md|markdown|rst|adoc)$|(^|\/)(LICENSE|NOTICE|AUTHORS)$)/i.test(path),
  );
