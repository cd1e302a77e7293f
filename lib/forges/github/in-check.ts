import type { Publication } from '../../core/publication.js';
import { splitHidden } from './hidden-lines.js';

/**
 * A review that cannot be posted, in the text of the check: what its body and its threads would have said comes first,
 * each thread under its place. Nothing is lost, and the conclusion is the same; `note` says why, and who mends it.
 */
export function inCheck(publication: Publication, note: string): Publication {
  const { check, review, summaryEdit, ...rest } = publication;
  const body = review?.body ?? summaryEdit?.body;
  const said = [
    ...(body === undefined ? [] : [splitHidden(body).visible]),
    ...(review?.threads ?? []).map(
      ({ anchor, body: text }) =>
        `### \`${anchor.path.replaceAll('`', "'")}:${anchor.line}\`\n\n${splitHidden(text).visible}`,
    ),
  ];
  const own = splitHidden(check.text);
  const text = [...said, own.visible, own.hidden.join('\n')].filter((part) => part.trim() !== '');
  return {
    ...rest,
    check: { ...check, summary: `${check.summary}\n\n${note}`, text: text.join('\n\n') },
  };
}
