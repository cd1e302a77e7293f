import { paragraph, plain } from '../../lib/core/render/terminal.js';
import { totalsOf, type SaidThen, type TriedPull, type TriedRemark } from '../../lib/core/report/tried.js';
import { columns, wrapped } from '../wrapped.js';
import { endWords, kindWords, laterWords, totalLines } from './words.js';

/** One pull request in 80 columns, with what was said of it then and what came later. */
export function triedText(tried: TriedPull): string {
  const ended = endWords(tried);
  const merged = tried.mergedAt === null ? '' : `, merged ${tried.mergedAt.slice(0, 10)}`;
  return [
    ...wrapped(
      `${plain(tried.repo)} #${tried.number}  "${plain(tried.title)}"  by ${plain(tried.author ?? 'ghost')}${merged}`,
      2,
    ),
    ...(ended === null ? [] : wrapped(`  ${plain(ended)}`, 2)),
    ...(tried.ended.kind === 'reviewed' && tried.remarks.length === 0 ? ['  nothing to remark'] : []),
    ...columns(tried.remarks.map(remarkRow)),
    ...columns(tried.said.filter(({ near }) => near.length === 0).map(saidRow)),
    ...tried.later.flatMap((one) => wrapped(`  later  ${plain(laterWords(one))}`, 9)),
    '',
  ].join('\n');
}

const remarkRow = ({ id, kind, path, line, title, saidBy }: TriedRemark) => ({
  label: `  ${id} ${kindWords[kind]}`,
  place: plain(`${path}:${line}`),
  text: `${paragraph(title)}${saidBy.length > 0 ? ` (said by ${plain(saidBy.join(', '))}, too)` : ''}`,
});

const saidRow = ({ by, path, line, words, done }: SaidThen) => ({
  label: `  ${plain(by).slice(0, 20)}`,
  place: plain(line === null ? path : `${path}:${line}`),
  text: `${paragraph(words)}${done ? '' : ' (left open)'}`,
});

export const triedTotal = (all: readonly TriedPull[]): string =>
  `${totalLines(totalsOf(all))
    .flatMap((line) => wrapped(line, 0))
    .join('\n')}\n`;
