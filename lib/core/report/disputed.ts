import { parseDismissal } from '../dismissal.js';

/**
 * Whether a reply says that there is nothing to fix: plain words for it, in English, or `dismiss` and a reason. Some words
 * mean the opposite in another mouth: "my mistake" takes a remark back when who made it says so, and agrees with it when the
 * author does; "this is wrong" is said of the remark by the author, and of the code by who made it.
 */
export function isDisputed(reply: string, by: 'its author' | 'another'): boolean {
  const text = reply.slice(0, MOST);
  if (parseDismissal(text)?.kind === 'dismiss') return true;
  const own = ownLines(text);
  if (wrong.test(own)) return true;
  return by === 'its author' ? takenBack.test(own) : denied.test(own) && !agreed.test(own);
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
  /(?<!\b(?:not|no|isn't|wasn't) (?:a )?)\bfalse positive\b|\b(?:not|isn't|is not) (?:actually |really )?(?:a |an )(?:bug|problem|issue|concern)\b|\b(?:this|that|it|the (?:comment|suggestion|finding|review))(?:'s| is| was) (?:just |simply |plainly )?(?:intended|intentional|by design|on purpose)\b|\bthe (?:comment|suggestion|finding|review)(?:'s| is| was) (?:just |simply |plainly )?(?:wrong|incorrect|mistaken)\b|\b(?:intentional|by design|works as (?:intended|designed)|won't fix|wontfix)\b/iu;

const denied =
  /\b(?:this|that|it)(?:'s| is| was) (?:just |simply |plainly )?(?:wrong|incorrect|mistaken)\b/iu;

const agreed = /\b(?:fixed|(?:good|nice) (?:catch|point|find)|you(?:'re| are) right|my (?:mistake|bad))\b/iu;

const takenBack = /\b(?:my mistake|i was (?:wrong|mistaken)|i stand corrected|withdrawn)\b/iu;
