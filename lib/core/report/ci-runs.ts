import type { PastPull } from '../past-pull.js';
import { plainLogin } from './own-marks.js';

/**
 * All checks of one app on one commit are one run, all commit statuses on it another. What reviewers write there is none,
 * and neither is what was skipped.
 */
export const ciRuns = ({ checks }: Pick<PastPull, 'checks'>, reviewers: ReadonlySet<string>): number =>
  new Set(
    checks
      .filter(({ conclusion }) => conclusion !== 'skipped')
      .filter(({ app }) => app === null || !reviewers.has(plainLogin(app)))
      .map(({ sha, app }) => `${sha} ${app ?? ''}`),
  ).size;
