import { parseDismissal } from '../dismissal.js';

/** Whether a reply says that there is nothing to fix: plain words for it, in English, or `dismiss` and a reason. */
export function isDisputed(reply: string): boolean {
  const text = reply.slice(0, MOST);
  return parseDismissal(text)?.kind === 'dismiss' || wrong.test(ownLines(text));
}

const MOST = 4_000;

/** What is quoted was said by somebody else, and a question says nothing. */
const ownLines = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('>') && !line.trimEnd().endsWith('?'))
    .join('\n')
    .replace(/[\u2018\u2019]/gu, "'");

const wrong =
  /(?<!\b(?:not|no|isn't|wasn't) (?:a )?)\bfalse positive\b|\b(?:not|isn't|is not) (?:actually |really )?(?:a |an )(?:bug|problem|issue|concern)\b|\b(?:this|that|it|the (?:comment|suggestion|finding|review))(?:'s| is| was) (?:just |simply |plainly )?(?:wrong|incorrect|mistaken|intended|intentional|by design|on purpose)\b|\b(?:intentional|by design|works as (?:intended|designed)|won't fix|wontfix)\b|\b(?:my mistake|i was (?:wrong|mistaken)|i stand corrected|withdrawn)\b/iu;
