import { fateOf } from './review-thread.js';
import type { OwnFinding } from './own-marks.js';
import { PolicyFile } from '../policy-schema.js';

/** A rule of Evident's that does too little, and what it could weigh instead. */
export type Proposal = {
  readonly rule: string;
  readonly weight: 'off' | 'nit';
  readonly n: number;
  readonly done: number;
  readonly wrong: number;
  readonly why: string;
};

/** Fewer findings of a rule than this decide nothing. */
const LEAST = 5;

/**
 * Rules of which less than `floor` (0 to 1) of what they found was fixed, on pull requests that are merged or closed: nits
 * from then on, and off where more than half was dismissed as wrong or they are nits already. A rule of security is never
 * proposed to be off.
 */
export function proposalsOf(findings: readonly OwnFinding[], floor: number): readonly Proposal[] {
  const rules = new Map<string, OwnFinding[]>();
  for (const one of findings) rules.set(one.rule, [...(rules.get(one.rule) ?? []), one]);
  return [...rules]
    .flatMap(([rule, found]): readonly Proposal[] => {
      const n = found.length;
      const done = found.filter(({ standing }) => fateOf(standing) === 'done').length;
      const wrong = found.filter(({ standing }) => fateOf(standing) === 'wrong').length;
      if (n < LEAST || done / n >= floor || !isNamed(rule)) return [];
      const isNit = found.every(({ severity }) => severity === 'nit');
      const isSecurity = found.some(({ category }) => category === 'security');
      if (isSecurity && isNit) return [];
      const weight = !isSecurity && (isNit || wrong > n / 2) ? 'off' : 'nit';
      return [{ rule, weight, n, done, wrong, why: `${done} of ${n} fixed, ${wrong} dismissed as wrong` }];
    })
    .toSorted((a, b) => b.n - b.done - (a.n - a.done) || (a.rule < b.rule ? -1 : 1));
}

/** Whether a settings file can name it: models make names up. */
const isNamed = (rule: string): boolean => PolicyFile.safeParse({ rules: [{ rule }] }).success;

/** Lines for `.github/evident.yml`; empty where nothing is proposed. */
export const settingLines = (proposals: readonly Proposal[]): string =>
  proposals.length === 0
    ? ''
    : [
        'rules:',
        ...proposals.flatMap(({ rule, weight, why }) => [
          `  - rule: ${rule}`,
          `    weight: ${weight === 'off' ? "'off'" : weight} # ${why}`,
        ]),
      ].join('\n');
