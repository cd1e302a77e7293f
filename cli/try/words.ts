import type { LaterChange, TriedPull, TriedTotals } from '../../lib/core/report/tried.js';
import { money, plural } from '../../lib/core/render/words.js';

export const laterWords = ({ number, title, how }: LaterChange): string =>
  ({
    revert: `#${number} took it back: ${title}`,
    names: `#${number}, a fix, names it: ${title}`,
    files: `#${number}, a fix, changed the same files: ${title}`,
  })[how];

export const endWords = ({ ended }: Pick<TriedPull, 'ended'>): string | null =>
  ended.kind === 'failed'
    ? `not reviewed: ${ended.why}`
    : ended.complete
      ? null
      : 'not everything was read: what stands here is what was found in the rest';

export const kindWords = { important: 'important', nit: 'nit', question: 'question' } as const;

/** What all of it comes to, a sentence a line. */
export function totalLines(totals: TriedTotals): readonly string[] {
  const { reviewed, failed, dollars } = totals;
  return [
    `${plural(reviewed, 'pull request')} reviewed${failed > 0 ? `, ${failed} not` : ''}: ${totals.important} important in ${totals.withImportant}, ${plural(totals.nits, 'nit')}, ${plural(totals.questions, 'question')}. Cost: ${money(dollars)}.`,
    totals.threads === 0
      ? 'Nobody left a review thread on them.'
      : `${plural(totals.threads, 'thread')} ${totals.threads === 1 ? 'was' : 'were'} left then, ${totals.threadsNear} within ten lines of a remark above.`,
    totals.proven === 0
      ? 'None of them was taken back or mended by a fix that names it, as far as these pull requests show.'
      : `${totals.proven} of them ${totals.proven === 1 ? 'was' : 'were'} taken back or mended by a fix that names ${totals.proven === 1 ? 'it' : 'them'}; ${totals.provenSeen} had an important finding or a question in a file that was touched then.`,
    'One blind pass each, without answers. A merged change is not proof that it was right, and a model may have learned what came later.',
  ];
}
