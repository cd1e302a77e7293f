import { anyOf, goesWith, isReason, opposite } from './answer-reason.js';
import {
  closings,
  confirming,
  doubtingEmoji,
  doubts,
  greetings,
  japaneseDoubts,
  leads,
  negations,
  noEmoji,
  plainEmoji,
  thanks,
  yesEmoji,
  yesWords,
  type Lead,
} from './answer-words.js';
import { readOwnWords } from './own-words.js';
import type { AnswerEffect, QuestionId } from './question.js';

/** A short plain reply, read by code; anything else re-enters the loop in answer mode. */
export type PlainAnswer = 'yes' | 'no' | 'unsure';

/** An answer that counted, with who gave it and what it did. */
export type Answer = {
  readonly question: QuestionId;
  readonly answer: PlainAnswer;
  readonly reason?: string;
  readonly by: string;
  readonly at: string;
  readonly effect: AnswerEffect;
};

export type ReadAnswer =
  | { readonly kind: PlainAnswer; readonly reason?: string }
  /** `ok`: of no meaning alone, it confirms what somebody said before. */
  | { readonly kind: 'confirm' }
  /** `begun`: it begins as an answer does, and goes on in words that code does not read. */
  | { readonly kind: 'unclear'; readonly begun: boolean };

/**
 * Reads a short plain reply. Never a wrong yes and never a wrong no: it has to begin with a word for it, and whatever
 * follows must not limit, doubt, contradict or ask. A condition, two answers, a promise to change the code after a
 * `yes`, a question back: all that is unclear and read by the loop. Pictures are no answer, because a thumb says "seen"
 * as often as "yes"; one that contradicts the word makes it unclear. A language that is not known here is unclear.
 */
export function parseAnswer(text: string): ReadAnswer {
  const said = sayingOf(text);
  if (said === null) return unclear;
  const bare = said.view.replace(/[\s.!,;]+/gu, ' ').trim();
  if (confirming.test(bare) && !contradicts(text, 'yes')) return { kind: 'confirm' };
  const start = startOf(said.view);
  for (const lead of readLeads) {
    lead.pattern.lastIndex = start;
    const found = lead.pattern.exec(said.view);
    if (found === null) continue;
    const end = start + found[0].length;
    // Accents are left out of the view: the Portuguese for "already" is not the German for "yes".
    if (found[0] === 'ja' && /á/iu.test(said.raw.slice(start, end))) continue;
    const given = said.raw.slice(start, end);
    const rest = said.view.slice(end);
    const reason = judge(lead, { before: said.view.slice(0, start), given, rest });
    if (reason === null || contradicts(text, lead.kind)) return { kind: 'unclear', begun: true };
    const words = reasonOf(said.raw, end + reason.from, end + reason.to);
    return words === '' ? { kind: lead.kind } : { kind: lead.kind, reason: words };
  }
  return unclear;
}

const unclear: ReadAnswer = { kind: 'unclear', begun: false };

/** A longer reply is not a short one. */
const MAX_WORDS = 600;
/** With a closing, and before anything is looked at more closely. */
const MAX_OWN = 1_500;

type Said = {
  /** As it was written. */
  readonly raw: string;
  /** Of the same length: lower-case, plain quotes and dashes, no accents, no marks of Markdown, no pictures, no code. */
  readonly view: string;
};

function sayingOf(text: string): Said | null {
  const own = readOwnWords(text).lines;
  const all = own.map((line) => line.text).join('\n');
  const raw = all.trim();
  if (raw === '' || raw.length > MAX_OWN) return null;
  const from = all.length - all.trimStart().length;
  const hidden = own.map((line) => line.masked).join('\n');
  const masked = unwrapped(hidden.slice(from, from + raw.length), raw);
  const view = [...masked.matchAll(/[^]/gu)].map(([char]) => viewOf(char)).join('');
  const plain = view
    // Before the marks of Markdown are gone, so that what is crossed out goes with them.
    .replace(/~~[^~\n]{1,200}~~/gu, blank)
    .replace(/@evident[\w-]*(?:\[bot\])?/gu, blank)
    .replace(/<\/?(?:b|i|em|strong|u)>/gu, blank)
    .replace(/https?:\/\/\S+/gu, (url) => 'x'.repeat(url.length))
    .replace(/:[a-z0-9_+-]{1,40}:/gu, blank)
    .replace(/(?:^|(?<=\s))[:=]-?[)d](?=\s|$)/gu, blank)
    .replace(/^[ \t]*(?:[-+*\u2022]|#{1,6})(?=\s)/gmu, blank)
    .replace(/[*_]/gu, ' ');
  const end = withoutClosing(plain);
  if (plain.slice(0, end).trim() === '' || plain.slice(0, end).trim().length > MAX_WORDS) return null;
  return { raw: raw.slice(0, end), view: unquoted(plain.slice(0, end)) };
}

const blank = (text: string): string => ' '.repeat(text.length);

/** An answer that is written as code, as the question shows it, is an answer: `no`. */
function unwrapped(masked: string, raw: string): string {
  const [, lead = '', span = ''] = /^([\s*_-]*)(`[^`\n]{1,20}`)(?=[\s,.;:!*_]|$)/u.exec(raw) ?? [];
  return span === '' ? masked : `${lead} ${span.slice(1, -1)} ${masked.slice(lead.length + span.length)}`;
}

/** One character, or a space for each half of a picture. */
function viewOf(char: string): string {
  if (/[\u2018\u2019\u02bc\u00b4\u201b\uff07]/u.test(char)) return "'";
  if (/[\u201c\u201d\u201e\u00ab\u00bb\uff02]/u.test(char)) return '"';
  if (/[\u2010\u2011\u2212]/u.test(char)) return '-';
  if (/[\u2012\u2013\u2015]/u.test(char)) return '\u2014';
  if (/[\u3002\uff61]/u.test(char)) return '.';
  if (/[\u3001\uff64]/u.test(char)) return ',';
  if (/[^\S\n]/u.test(char)) return ' ';
  if (/[\uff01-\uff5e]/u.test(char)) return String.fromCharCode(char.charCodeAt(0) - 0xfee0).toLowerCase();
  if (/[\u00c0-\u024f]/u.test(char)) return same(char, char.normalize('NFD').slice(0, 1).toLowerCase());
  if (
    /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200d|\ufe0e|\ufe0f|\u20e3)$/u.test(
      char,
    )
  )
    return ' '.repeat(char.length);
  return same(char, char.toLowerCase());
}

const same = (char: string, mapped: string): string => (mapped.length === char.length ? mapped : char);

/** Where "Thanks, Mona" begins, or the end. */
function withoutClosing(view: string): number {
  const lines = view.split('\n');
  let at = 0;
  for (const [index, line] of lines.entries()) {
    const said = lines.slice(0, index).some((one) => one.trim() !== '');
    const below = lines.slice(index + 1);
    if (said && below.length <= 5 && closingLine.test(line) && below.every(isName)) return at;
    at += line.length + 1;
  }
  return view.length;
}

/** Who wrote it, and nothing that they add: "PS: not on mobile". */
const isName = (line: string): boolean =>
  !/^\s*(?:p\.? ?s\b|edit|update|nb|note|nachtrag|on|at)[\s.:]|[?;]/u.test(line) &&
  line.trim().split(/\s+/u).length <= 8 &&
  !anyOf([doubts.all, negations, yesWords]).test(line);

const closingLine = new RegExp(`^\\s*(?:${closings})\\s*[,.!\u2014-]*\\s*$`, 'u');

/** "yes" in quotes and nothing else. */
const unquoted = (view: string): string =>
  /^\s*(["'])[^"']*\1[\s.!]*$/u.test(view) ? view.replace(/["']/gu, ' ') : view;

/** After a greeting, our own name and "answer:". */
function startOf(view: string): number {
  const [before = ''] = opening.exec(view) ?? [];
  return before.length;
}

const opening = new RegExp(
  `^[\\s\u00a1]*(?:(?:${greetings})(?: (?:there|all|team|everyone|zusammen|a todos|tous))?(?: evident)?[\\s,.!:\u2014-]+)?(?:(?:${thanks})(?: for (?:asking|checking|the question|the review))?\\s*[,.!:\u2014-]+\\s*)?(?:(?:my |the )?(?:answer|antwort|reponse|respuesta|resposta|回答)(?: is)?\\s*[:,]?\\s+|回答:\\s*)?`,
  'u',
);

type ReadLead = Lead & { readonly pattern: RegExp };

const readLeads: readonly ReadLead[] = leads.map((lead) => ({
  ...lead,
  pattern: new RegExp(
    `(?:${lead.words.join('|')})(?=$|[\\s,;:!()"\u2014\u2026]|\\.(?![\\p{L}\\p{N}])|-\\s${lead.languages.includes('ja') ? '|\\p{P}' : ''})`,
    'uy',
  ),
}));

/** Where the reason stands in what follows; null where what follows makes the answer unclear. */
function judge(
  lead: ReadLead,
  { before, given, rest }: { readonly before: string; readonly given: string; readonly rest: string },
): { from: number; to: number } | null {
  if (rest.includes('?') || /^\s*(?:\u2026|\.{2})/u.test(rest)) return null;
  const polite = new RegExp(
    `[\\s,.!\u2014-]+(?:${thanks})(?: (?:a lot|so much|very much|again|dir|euch|schon|beaucoup))?[\\s.!]*$`,
    'u',
  ).exec(rest);
  // "No, thanks" declines something; nobody offered.
  const isPolite = polite !== null || new RegExp(`^\\s*(?:${thanks})`, 'u').test(before);
  if (isPolite && lead.kind === 'no' && /^[\s.!,]*$/u.test(rest.slice(0, polite?.index))) return null;
  const text = polite === null ? rest : rest.slice(0, polite.index);
  if (/^[\s.!,;:()"\u2014-]*$/u.test(text)) return { from: 0, to: 0 };
  const gap = /^(?:\s|(?![@#/&%])\p{P})*/u.exec(text)?.[0] ?? '';
  const isSeparated = /[,.;:!()"\u2014\n-]/u.test(gap);
  const after = text.slice(gap.length);
  if (!isSeparated && !isFollowed(lead, given, after)) return null;
  if (lead.exact === true && !isReason(after)) return null;
  // "No. 5", and other questions that may be answered along with this one.
  if ((lead.kind === 'no' && /^\d/u.test(after)) || /\b[qf]\d+\b/u.test(after)) return null;
  if (/^yeah?$/u.test(given.toLowerCase()) && /^(?:sure|right|ok|okay|whatever)(?![\p{L}])/u.test(after))
    return null;
  const isPlain =
    lead.kind === 'unsure'
      ? isPlainDoubt(after)
      : goesWith(lead.kind, { languages: lead.languages, given, after });
  return isPlain ? { from: 0, to: text.length } : null;
}

function isFollowed({ follow }: Lead, given: string, after: string): boolean {
  // With its accent it is no "if".
  const more = /^sí$/iu.test(given) ? '|es|esto|esta|eso|el|la|los|las|lo|se' : '';
  return follow !== '' && new RegExp(`^(?:${follow}${more})(?![\\p{L}\\p{N}])`, 'u').test(after);
}

function isPlainDoubt(after: string): boolean {
  return (
    !japaneseDoubts.test(after.replace(/(?:分か|わか)(?:りません|らない)/gu, '')) &&
    !opposite.yes.test(after) &&
    !opposite.no.test(after) &&
    !anyOf([leaning, passedOn]).test(after) &&
    !after.includes('@')
  );
}

/** More than not knowing: a guess, or a condition. */
const leaning =
  'but|however|though|although|unless|depend\\p{L}*|prob(?:ably|s)?|likely|unlikely|maybe|perhaps|possibly|i (?:think|guess|believe|assume|suspect|suppose|doubt|would)|think so|hopefully|please|aber|wahrscheinlich|vermutlich|vielleicht|glaube|denke|bitte|mais|probablement|peut[- ]etre|pense|crois|pero|aunque|creo|probablemente|mas|porem|acho|provavelmente|creio';

/** Somebody else is named, or something is about to happen. */
const passedOn =
  "ask|ping|cc|talk to|check|someone|somebody|team|knows?|owners?|will|i'll|we'll|would|should|could|looking|find out|frag|fragt|fragen|team|jemand|demande|demander|equipe|pregunt\\p{L}*|equipo|pergunt\\p{L}*|what|why|how|which|if|whether|fix\\p{L}*|remove\\p{L}*";

/** A picture that says something else than the word. */
function contradicts(text: string, kind: PlainAnswer): boolean {
  const own = readOwnWords(text)
    .lines.map(({ masked }) => masked)
    .join('\n');
  if (kind === 'unsure') return yesEmoji.test(own) || noEmoji.test(own);
  const opposed = kind === 'yes' ? noEmoji : yesEmoji;
  return (
    doubtingEmoji.test(own) ||
    face.test(own) ||
    opposed.test(own) ||
    [...own.matchAll(picture)].some(isStrange)
  );
}

/** A picture that is neither a plain one nor an answer says something that code does not know. */
const isStrange = ([shown]: RegExpExecArray): boolean =>
  !plainEmoji.test(shown) && !yesEmoji.test(shown) && !noEmoji.test(shown);

const picture = /\p{Extended_Pictographic}|(?<![\w:]):[a-z0-9_+-]{2,40}:/giu;

/** `:/`, `:(`, `;)`: all but a smile. */
const face =
  /(?:^|\s)(?:;['\u2019]?-?[()dp]|;[-_];|[:=]['\u2019]?-?[(/\\|[{pos<@#]|[-._>o]_+[-.<o])(?=\s|$)/iu;

/** The reason as it was written, without the words that only lead to it. Empty where nothing is said. */
function reasonOf(raw: string, from: number, to: number): string {
  let reason = raw.slice(from, to).trim();
  for (let rest = ''; rest !== reason;) {
    rest = reason;
    reason = reason.replace(leadIn, '').trim();
  }
  return /[\p{L}\p{N}]/u.test(reason) ? reason.replace(/[\s*_]+$/u, '') : '';
}

const leadIn = new RegExp(
  `^(?:[\\s,.;:!*_~"\u3001\u3002\uff0c\uff01()\u2012-\u2015\u2026-]+|\\p{Extended_Pictographic}|\u200d|\ufe0f|(?:because|bc|cuz|since|weil|denn|car|parce que|puisque|porque|pois)(?=\\s)|(?:${yesWords}|nope|no|nein|non|nao|não|sí|it is|it does|it isn['\u2019]t|it is not|it doesn['\u2019]t|not|indeed|exactly|certainly|definitely not|absolutely not|not at all|tbh|honestly|sorry|for sure|genau|klar|natürlich|leider|exactement|tout à fait|bien sûr|claro|exacto|exatamente|そうです)(?=[\\s,.;:!]*$))`,
  'iu',
);
