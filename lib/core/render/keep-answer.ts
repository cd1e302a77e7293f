import { escape } from 'minimatch';
import { stringify } from 'yaml';
import type { Quote } from '../evidence.js';
import type { Question } from '../question.js';

/**
 * The entry for `answers:` of `.github/evident.yml` that keeps a yes for later changes, as YAML; null where there is
 * nothing to keep, or where the line could not be known again. `today`: epoch milliseconds.
 */
export function keptAnswer(
  { finding, standing }: Question,
  { today, from }: { readonly today: number; readonly from?: string },
): string | null {
  if (standing.kind !== 'answered' || standing.effect !== 'suppress_finding') return null;
  const at = finding.evidence.find((one): one is Quote => one.kind === 'quote' && one.role === 'at');
  const code = at?.quote
    .split('\n')
    .findLast((line) => line.trim() !== '')
    ?.trim();
  // A label stands for what is not shown: no line of the file equals it.
  if (code === undefined || code.length > MAX_CODE || /\[secret: /.test(code)) return null;
  const why = (standing.why?.replace(/\s+/g, ' ').trim() ?? 'say why, in a few words').slice(0, MAX_WHY);
  return stringify(
    [
      {
        rule: finding.rule,
        path: escape(finding.anchor.path),
        code,
        because: from === undefined ? why : `${why} (${from})`,
        until: inHalfAYear(today),
      },
    ],
    { lineWidth: 0, singleQuote: false },
  ).trimEnd();
}

const MAX_CODE = 400;
/** With the name behind it a line of at most 300 characters. */
const MAX_WHY = 200;

/** The first day of a month: `2027-06-01`. */
function inHalfAYear(today: number): string {
  const now = new Date(today);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 6, 1)).toISOString().slice(0, 10);
}
