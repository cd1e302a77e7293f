import { readOwnWords } from './own-words.js';

/** `missing`: it asks to dismiss and does not say why. */
export type ReadDismissal =
  { readonly kind: 'dismiss'; readonly reason: string } | { readonly kind: 'missing' };

/**
 * Reads `dismiss why`, `won't fix: why` and `by design, ...` at the beginning of a reply. Null for anything else, and
 * where a condition, a doubt or a question is in it: those are words that somebody has to think about.
 */
export function parseDismissal(text: string): ReadDismissal | null {
  const own = readOwnWords(text)
    .lines.map((line) => line.text)
    .join('\n')
    .trim();
  const plain = own
    .replace(/[\u2018\u2019\u02bc]/gu, "'")
    .replace(/^[\s*_`-]+/u, (marks) => ' '.repeat(marks.length));
  for (const { pattern, whole } of ways) {
    const found = pattern.exec(plain);
    if (found === null) continue;
    const rest = own.slice(found[0].length);
    if (doubtful.test(rest)) return null;
    const reason = tidy(whole ? own.replace(/^[\s*_`-]+/u, '') : rest);
    return reason === '' ? (whole ? null : { kind: 'missing' }) : { kind: 'dismiss', reason };
  }
  return null;
}

/** What people write as a reason: bounded, on one line. */
const MAX_REASON = 1_000;

/** A reason without what only leads to it; empty where nothing is said. */
export function tidy(text: string): string {
  const reason = text
    .replace(/\s+/gu, ' ')
    .replace(/^(?:[\s,.:;!*_\u2010-\u2015-]+|(?:this|it|please|because|since|as)(?=[\s,.:]|$))+/iu, '')
    .trim()
    .slice(0, MAX_REASON);
  return /[\p{L}\p{N}]{2}/u.test(reason) &&
    !/^(?:please|thanks|thank you|this|it|one|now|\s)+[.!]*$/iu.test(reason)
    ? reason.replace(/[\ud800-\udbff]$/u, '')
    : '';
}

const ways: readonly { readonly pattern: RegExp; readonly whole: boolean }[] = [
  { pattern: /^\s*(?:please )?dismiss(?=[\s:,.!\u2010-\u2015-]|[*_`]|$)[*_`]*/iu, whole: false },
  { pattern: /^\s*dismissed(?=[:,\u2010-\u2015]| because\b| - |[*_`]+[:,])[*_`]*/iu, whole: false },
  {
    pattern:
      /^\s*(?:(?:i|we|this|it)(?:'ll)? )?(?:won'?t|will not|am not going to|are not going to|not going to)[ -]?fix(?: (?:this|it|that|here|this one|in this (?:pr|pull request)))*(?=\s*(?:[:,.;!(\u2010-\u2015]|- |because\b|since\b|\n|$)|[*_`]*(?:[:,.;!]|$))/iu,
    whole: true,
  },
  {
    pattern:
      /^\s*(?:(?:this|it|that)(?:'s| is| was)? )?(?:by design|as designed|work(?:s|ing) as (?:intended|designed))(?=\s*(?:[:,.;!(\u2010-\u2015]|- |because\b|since\b|see\b|\n|$)|[*_`]*(?:[:,.;!]|$))/iu,
    whole: true,
  },
];

const doubtful =
  /\?|(?<![\p{L}])(?:but|unless|if|maybe|perhaps|probably|not sure|unsure|depends|i think|i guess|wait|never ?mind|just kidding|undo)(?![\p{L}])/iu;
