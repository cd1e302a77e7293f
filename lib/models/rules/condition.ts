import { closing, codeOnly, isScript } from './source-code.js';
import type { Language } from './source-code.js';

/** A line that tests something: `if (...)`, `elif ...:`, `for i := 0; i < n; i++ {`. */
export type ConditionLine = {
  readonly word: 'if' | 'while' | 'for';
  /** The tested expression, as written. */
  readonly condition: string;
  /** What stands around it; two lines that differ in `frame` differ in more than the test. */
  readonly frame: string;
  /** A statement on the same line: `if (x) return y;`. */
  readonly inline: string;
};

export function readConditionLine(text: string, language: Language): ConditionLine | null {
  const code = codeOnly([text], language)[0]!;
  if (isScript(language)) return scriptCondition(text, code);
  return language === 'python' ? pythonCondition(text, code) : goCondition(text, code);
}

function scriptCondition(text: string, code: string): ConditionLine | null {
  const start = /^\s*(?:\}\s*)?(?:else\s+)?(if|while|for)\s*\(/.exec(code);
  if (start === null) return null;
  const open = start[0].length - 1;
  const close = closing(code, open);
  if (close === -1) return null;
  const tail = text.slice(close + 1).trim();
  const inline = tail === '{' || tail === '' ? '' : tail;
  if (start[1] !== 'for')
    return {
      word: start[1] as 'if' | 'while',
      condition: text.slice(open + 1, close),
      frame: `${start[0].trim()}|${tail}`,
      inline,
    };
  const parts = text.slice(open + 1, close).split(';');
  if (parts.length !== 3) return null;
  return {
    word: 'for',
    condition: parts[1]!,
    frame: `for|${parts[0]!.trim()}|${parts[2]!.trim()}|${tail}`,
    inline,
  };
}

function pythonCondition(text: string, code: string): ConditionLine | null {
  const start = /^\s*(if|elif|while)\b\s*/.exec(code);
  if (start === null) return null;
  let depth = 0;
  for (let at = start[0].length; at < code.length; at += 1) {
    const one = code[at]!;
    if ('([{'.includes(one)) depth += 1;
    else if (')]}'.includes(one)) depth -= 1;
    else if (one === ':' && depth === 0 && code[at + 1] !== '=') {
      const inline = code.slice(at + 1).trim() === '' ? '' : text.slice(at + 1).trim();
      return {
        word: start[1] === 'while' ? 'while' : 'if',
        condition: text.slice(start[0].length, at),
        frame: `${start[1]}|${inline}`,
        inline,
      };
    }
  }
  return null;
}

function goCondition(text: string, code: string): ConditionLine | null {
  const start = /^\s*(?:\}\s*)?(?:else\s+)?(if|for)\s+/.exec(code);
  const end = /\{\s*$/.exec(code);
  if (start === null || end === null || /\brange\b/.test(code)) return null;
  const parts = text.slice(start[0].length, end.index).split(';');
  if (start[1] === 'for') {
    if (parts.length !== 3) return null;
    return {
      word: 'for',
      condition: parts[1]!,
      frame: `for|${parts[0]!.trim()}|${parts[2]!.trim()}`,
      inline: '',
    };
  }
  return {
    word: 'if',
    condition: parts.at(-1)!,
    frame: `${start[0].trim()}|${parts.slice(0, -1).join(';').trim()}`,
    inline: '',
  };
}

const token =
  /===|!==|==|!=|<=|>=|&&|\|\||\?\?|\?\.|=>|:=|<<|>>|[A-Za-z_$][\w$]*|\d[\w.]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|\S/g;

export function tokens(condition: string): readonly string[] {
  const found: string[] = [];
  for (const [word] of condition.matchAll(token)) {
    const last = found.at(-1);
    if (word === 'not' && last === 'is') found[found.length - 1] = 'is not';
    else if (word === 'in' && last === 'not') found[found.length - 1] = 'not in';
    else found.push(word);
  }
  return found;
}

const flips: readonly (readonly [string, string])[] = [
  ['===', '!=='],
  ['==', '!='],
  ['<', '>='],
  ['>', '<='],
  ['<', '>'],
  ['<=', '>='],
  ['&&', '||'],
  ['and', 'or'],
  ['is', 'is not'],
  ['in', 'not in'],
];
const flipped = (a: string, b: string): boolean =>
  flips.some(([one, other]) => (a === one && b === other) || (a === other && b === one));

/** How the second condition turns the first round; null when they differ in any other way, or not at all. */
export type Flip = { readonly kind: 'negated' | 'operator'; readonly from: string; readonly to: string };

export function flipBetween(base: string, head: string): Flip | null {
  const a = tokens(base);
  const b = tokens(head);
  if (a.length === b.length) {
    const different = a.flatMap((word, index) => (word === b[index] ? [] : [index]));
    const [at] = different;
    if (different.length !== 1 || at === undefined || !flipped(a[at]!, b[at]!)) return null;
    return { kind: 'operator', from: a[at]!, to: b[at]! };
  }
  const [longer, shorter] = a.length > b.length ? [a, b] : [b, a];
  if (longer.length - shorter.length !== 1) return null;
  const at = longer.findIndex((word, index) => word !== shorter[index]);
  const extra = longer[at]!;
  if ((extra !== '!' && extra !== 'not') || longer.slice(at + 1).join(' ') !== shorter.slice(at).join(' '))
    return null;
  return longer === a ? { kind: 'negated', from: extra, to: '' } : { kind: 'negated', from: '', to: extra };
}

/** What a condition says, as far as it is simple enough to say it. */
export type Predicate =
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Predicate[]; readonly texts: readonly string[] }
  /** The subject is true (`holds`) or false. */
  | { readonly kind: 'truthy'; readonly subject: string; readonly holds: boolean }
  /** The subject is null, undefined, None or nil (`holds`), or is not. */
  | { readonly kind: 'missing'; readonly subject: string; readonly holds: boolean }
  | { readonly kind: 'compare'; readonly left: string; readonly op: string; readonly right: string }
  | { readonly kind: 'other' };

export const readPredicate = (condition: string): Predicate => predicateOf(tokens(condition));

const nothingWords = new Set(['null', 'undefined', 'None', 'nil']);
const orders = new Set(['<', '>', '<=', '>=']);
const equals = new Set(['==', '===', 'is']);
const differs = new Set(['!=', '!==', 'is not']);

function predicateOf(words: readonly string[]): Predicate {
  const inner = withoutParentheses(words);
  for (const [kind, joins] of [
    ['any', ['||', 'or']],
    ['all', ['&&', 'and']],
  ] as const) {
    const parts = splitAt(inner, joins);
    if (parts.length > 1)
      return { kind, parts: parts.map(predicateOf), texts: parts.map((part) => part.join('')) };
  }
  if (inner[0] === '!' || inner[0] === 'not') return negate(predicateOf(inner.slice(1)));
  const at = topLevel(inner, (word) => orders.has(word) || equals.has(word) || differs.has(word));
  if (at !== -1) {
    const left = inner.slice(0, at).join('');
    const right = inner.slice(at + 1).join('');
    const op = inner[at]!;
    if (orders.has(op)) return { kind: 'compare', left, op, right };
    if (nothingWords.has(right) && isPath(inner.slice(0, at)))
      return { kind: 'missing', subject: left, holds: equals.has(op) };
    return { kind: 'compare', left, op, right };
  }
  return isPath(inner) ? { kind: 'truthy', subject: inner.join(''), holds: true } : { kind: 'other' };
}

function negate(predicate: Predicate): Predicate {
  return predicate.kind === 'truthy' || predicate.kind === 'missing'
    ? { ...predicate, holds: !predicate.holds }
    : { kind: 'other' };
}

function withoutParentheses(words: readonly string[]): readonly string[] {
  if (words[0] !== '(' || words.at(-1) !== ')') return words;
  let depth = 0;
  for (const [index, word] of words.entries()) {
    if (word === '(') depth += 1;
    if (word === ')') depth -= 1;
    if (depth === 0) return index === words.length - 1 ? withoutParentheses(words.slice(1, -1)) : words;
  }
  return words;
}

function topLevel(words: readonly string[], wanted: (word: string) => boolean): number {
  let depth = 0;
  for (const [index, word] of words.entries()) {
    if (word === '(' || word === '[' || word === '{') depth += 1;
    else if (word === ')' || word === ']' || word === '}') depth -= 1;
    else if (depth === 0 && wanted(word)) return index;
  }
  return -1;
}

function splitAt(words: readonly string[], joins: readonly string[]): readonly (readonly string[])[] {
  const at = topLevel(words, (word) => joins.includes(word));
  return at === -1 ? [words] : [words.slice(0, at), ...splitAt(words.slice(at + 1), joins)];
}

/** `order.refunded`, `isOpen(order)`, `this.items[0]`: something that is read, not computed. */
const isPath = (words: readonly string[]): boolean =>
  words.length > 0 && /^[A-Za-z_$][\w$]*$/.test(words[0]!) && !/[=<>!&|+*/%?:]/.test(words.join(''));

/** A path without calls and indexes, whose value does not change by being read. */
export const isPlainPath = (subject: string): boolean =>
  /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/.test(subject);

export const identifiers = (text: string): readonly string[] => [
  ...new Set(text.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, ' ').match(/[A-Za-z_$][\w$]*/g) ?? []),
];
