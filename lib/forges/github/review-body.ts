import type { ThreadWrite } from '../../core/publication.js';
import { capText } from './cap-text.js';
import { splitHidden } from './hidden-lines.js';

/** Longest body of a review or a comment on GitHub, in characters. */
export const mostBody = 65_536;

/**
 * The body of a review some of whose threads GitHub would not place: each stands here with its whole text, because it
 * counts in the verdict all the same. Hidden comments stay at the very end, where they are looked for.
 */
export function bodyWithRows(body: string, rows: readonly ThreadWrite[]): string {
  if (rows.length === 0) return capText(body, mostBody);
  const own = splitHidden(body);
  const parts = rows.map((row) => ({ row, ...splitHidden(row.body) }));
  const listed = parts.map(({ row, visible }) => `- \`${place(row)}\`: ${firstLine(visible)}`).join('\n');
  const folds = parts.map(
    ({ row, visible }) =>
      `<details><summary><code>${place(row)}</code></summary>\n\n${visible}\n\n</details>`,
  );
  const hidden = [...parts.flatMap((part) => part.hidden), ...own.hidden].join('\n');
  const head = `${own.visible}\n\nCould not be placed on the diff (still counted):\n\n${listed}`;
  const whole = [head, ...folds, hidden].filter((part) => part !== '').join('\n\n');
  if (Buffer.byteLength(whole) <= mostBody) return whole;
  return capText(hidden === '' ? head : `${head}\n\n${hidden}`, mostBody);
}

const place = ({ anchor }: ThreadWrite): string =>
  `${anchor.path.replaceAll('`', "'").replaceAll('<', '&lt;')}:${anchor.line}`;

const firstLine = (text: string): string => text.split('\n').find((line) => line.trim() !== '') ?? '';
