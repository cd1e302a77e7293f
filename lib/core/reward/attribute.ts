import { minimatch } from 'minimatch';
import { branchMatches } from '../search.js';
import type { ReviewedPull } from './reviewed-pull.js';

/** A category of work, and which pull requests are of it: all that is given must fit, and one of each list is enough. */
export type CategoryRule = {
  readonly name: string;
  /** Globs of `owner/name`. */
  readonly repos?: readonly string[];
  readonly labels?: readonly string[];
  /** Globs of changed files: one file is enough. */
  readonly paths?: readonly string[];
  /** Globs of head branches. */
  readonly branches?: readonly string[];
};

export type AttributeRules = {
  readonly categories: readonly CategoryRule[];
  /** The category of what no rule fits. */
  readonly otherwise: string;
};

/** The category of work that a pull request counts for: the first rule that fits. */
export const attribute = (pull: ReviewedPull, { categories, otherwise }: AttributeRules): string =>
  categories.find((rule) => isOf(pull, rule))?.name ?? otherwise;

function isOf(pull: ReviewedPull, { repos, labels, paths, branches }: CategoryRule): boolean {
  const { branch, files } = pull;
  return (
    (repos === undefined || repos.some((glob) => covers(glob.toLowerCase(), pull.repo.toLowerCase()))) &&
    (labels === undefined ||
      labels.some((label) => pull.labels.some((given) => given.toLowerCase() === label.toLowerCase()))) &&
    (paths === undefined || paths.some((glob) => files.some((file) => covers(glob, file)))) &&
    (branches === undefined || (branch !== undefined && branches.some((glob) => branchMatches(glob, branch))))
  );
}

const covers = (glob: string, path: string): boolean =>
  minimatch(path, glob, { dot: true, nocomment: true, nonegate: true, noext: true });
