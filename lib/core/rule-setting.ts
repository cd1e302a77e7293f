import type { Policy, PolicyPlace, RuleSetting } from './policy.js';
import { ruleName } from './rules-catalogue.js';
import { firstGlob } from './search.js';

/** What a repository says about one finding's rule. `off` carries the entry that says so. */
export type RuleVerdict = {
  /** The name that is shown: the repository's own, else the catalogue's, else the model's. */
  readonly rule: string;
  readonly weight: 'off' | 'nit' | 'important' | null;
  readonly category: RuleSetting['category'];
  readonly at?: PolicyPlace;
};

/** Names and aliases of both, the repository's first; of the entries that say something about a path the last one holds. */
export function judgeRule(name: string, path: string, { review }: Pick<Policy, 'review'>): RuleVerdict {
  const rule = nameOfRule(name, review.rules);
  const about = review.rules.filter(
    (one) =>
      nameOfRule(one.rule, review.rules) === rule &&
      (one.paths === undefined || firstGlob(one.paths)(path) !== -1),
  );
  const weighed = about.findLast(({ weight }) => weight !== undefined);
  return {
    rule,
    weight: weighed?.weight ?? null,
    category: about.findLast(({ category }) => category !== undefined)?.category,
    ...(weighed?.at !== undefined && { at: weighed.at }),
  };
}

/** The name under which a repository knows a rule. */
export function nameOfRule(name: string, rules: readonly RuleSetting[]): string {
  const catalogued = ruleName(name);
  const own = rules.find(({ aliases }) =>
    aliases?.some((alias) => alias === name || ruleName(alias) === catalogued),
  );
  return own === undefined ? catalogued : ruleName(own.rule);
}
