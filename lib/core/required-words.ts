/** Every line that a pattern matches holds one of `words`; `anyCase` when letters of either case do. */
export type RequiredWords = { readonly words: readonly string[]; readonly anyCase: boolean };

/** A shorter word stands in too many lines to spare anything. */
const MIN_WORD = 2;
const MAX_WORDS = 64;

/**
 * Words of a valid RE2 pattern of which every match holds at least one, so that plain text search can find the lines
 * where a match is possible at all. Null when there are none, or when the pattern is not read well enough to be sure.
 */
export function requiredWords(pattern: string): RequiredWords | null {
  const anyCase = pattern.startsWith('(?i)');
  const source = [...(anyCase ? pattern.slice(4) : pattern)];
  const read = readAlternatives(source, 0, 0);
  if (read === null || read.end !== source.length || read.words === null) return null;
  return { words: read.words, anyCase };
}

/** `words` is null when a match may hold none; `end` is where the alternatives end, at `)` or at the end. */
type Read = { readonly words: readonly string[] | null; readonly end: number };

function readAlternatives(source: readonly string[], from: number, depth: number): Read | null {
  if (depth > 50) return null;
  const words: string[] = [];
  let sure = true;
  for (let at = from; ; at++) {
    const one = readSequence(source, at, depth);
    if (one === null) return null;
    if (one.words === null) sure = false;
    else words.push(...one.words);
    at = one.end;
    if (source[at] !== '|') return { words: sure && words.length <= MAX_WORDS ? words : null, end: at };
  }
}

/** Of everything that a sequence must hold, what is likely to be the rarest: the longest. */
function readSequence(source: readonly string[], from: number, depth: number): Read | null {
  let best: readonly string[] | null = null;
  let run: string[] = [];
  const offer = (words: readonly string[] | null): void => {
    if (words !== null && shortest(words) >= MIN_WORD && shortest(words) > shortest(best)) best = words;
  };
  const endRun = (): void => {
    offer([run.join('')]);
    run = [];
  };
  let at = from;
  while (at < source.length && source[at] !== '|' && source[at] !== ')') {
    const part = readPart(source, at, depth);
    if (part === null) return null;
    const quantifier = readQuantifier(source, part.end);
    at = quantifier.end;
    if (part.kind === 'nothing') continue;
    if (part.kind === 'letter' && !quantifier.optional) run.push(part.letter);
    if (part.kind === 'letter' && !quantifier.present) continue;
    endRun();
    if (part.kind === 'group' && !quantifier.optional) offer(part.words);
  }
  endRun();
  return { words: best, end: at };
}

type Part =
  | { readonly kind: 'letter'; readonly letter: string; readonly end: number }
  /** Stands between letters and takes no room: `^`, `\b`. */
  | { readonly kind: 'nothing'; readonly end: number }
  | { readonly kind: 'group'; readonly words: readonly string[] | null; readonly end: number };

function readPart(source: readonly string[], at: number, depth: number): Part | null {
  const char = source[at]!;
  switch (char) {
    case '^':
    case '$':
      return { kind: 'nothing', end: at + 1 };
    case '.':
      return { kind: 'group', words: null, end: at + 1 };
    case '[':
      return readClass(source, at);
    case '(':
      return readGroup(source, at, depth);
    case '\\':
      return readEscape(source, at);
    default:
      // An operator where none is expected: the pattern is not what it seems.
      return /[*+?]/.test(char) ? null : { kind: 'letter', letter: char, end: at + 1 };
  }
}

function readEscape(source: readonly string[], at: number): Part | null {
  const next = source[at + 1] ?? '';
  if (/^[!-/:-@[-`{-~]$/.test(next)) return { kind: 'letter', letter: next, end: at + 2 };
  if (/^[bBA]$/.test(next)) return { kind: 'nothing', end: at + 2 };
  return /^[dDsSwWt]$/.test(next) ? { kind: 'group', words: null, end: at + 2 } : null;
}

/** Classes inside a class are left alone. */
function readClass(source: readonly string[], at: number): Part | null {
  let end = at + (source[at + 1] === '^' ? 2 : 1);
  for (let first = true; ; first = false) {
    const char = source[end];
    if (char === undefined || char === '[') return null;
    if (char === ']' && !first) return { kind: 'group', words: null, end: end + 1 };
    end += char === '\\' ? 2 : 1;
  }
}

/** `(...)` and `(?:...)`; names and flags are left alone. */
function readGroup(source: readonly string[], at: number, depth: number): Part | null {
  const plain = source[at + 1] !== '?';
  if (!plain && source[at + 2] !== ':') return null;
  const inside = readAlternatives(source, at + (plain ? 1 : 3), depth + 1);
  if (inside === null || source[inside.end] !== ')') return null;
  return { kind: 'group', words: inside.words, end: inside.end + 1 };
}

function readQuantifier(
  source: readonly string[],
  at: number,
): { readonly present: boolean; readonly optional: boolean; readonly end: number } {
  let end = at;
  let optional = false;
  for (;;) {
    const char = source[end] ?? '';
    if (char === '*' || char === '?') optional = true;
    if (/^[*+?]$/.test(char)) end += 1;
    else if (char === '{') {
      // A brace that is no count is a letter; as a count it asks for nothing, so that nothing is claimed of it.
      const count = /^\{\d+(?:,\d*)?\}/.exec(source.slice(end, end + 16).join(''));
      if (count === null) return { present: end > at, optional, end };
      optional = true;
      end += count[0].length;
    } else return { present: end > at, optional, end };
  }
}

const shortest = (words: readonly string[] | null): number =>
  words === null ? 0 : Math.min(...words.map((word) => word.length));
