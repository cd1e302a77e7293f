import type { Weight } from '../../lib/core/report/figure.js';
import type { Report } from '../../lib/core/report/report.js';
import { plural } from '../../lib/core/render/words.js';

export const weightWords: Readonly<Record<Weight, string>> = {
  act: 'To do',
  watch: 'Watch',
  fine: 'Fine',
  unknown: 'Not known',
};

/** What was counted, in a few lines without Markdown. */
export function headLines({ pulls, from, to, reviewers, split }: Report): readonly string[] {
  const when =
    from === null || to === null ? '' : from === to ? `, opened ${from}` : `, opened ${from} to ${to}`;
  const named = reviewers.slice(0, 4).map(({ login, threads }) => `${login} ${threads}`);
  const more = reviewers.length - named.length;
  return [
    `${plural(pulls.all, 'pull request')}${when}: ${pulls.merged} merged, ${pulls.open} open, ${pulls.reviewed} reviewed by somebody.`,
    ...(named.length === 0
      ? []
      : [`Review threads by ${named.join(', ')}${more > 0 ? ` and ${plural(more, 'other')}` : ''}.`]),
    ...(split === null
      ? []
      : [
          `Before and after: ${split.at.slice(0, 10)}, ${split.by === 'given' ? 'as given' : 'the first review of Evident that was seen'}, by when a pull request was opened.`,
        ]),
  ];
}
