import type { Change } from './change.js';
import { flipBetween, identifiers, isPlainPath, readConditionLine, readPredicate } from './condition.js';
import type { ConditionLine, Predicate } from './condition.js';
import { literally, readFile, searchCode, together } from './look.js';
import type { Look } from './look.js';
import { fileOf, isForeign, isTestLike } from './paths.js';
import { nothing } from './rule.js';
import type { Judgement, Rule, Suspicion } from './rule.js';
import { blockAfter, globOf, indentOf, isScript, languageOf, readSource } from './source-code.js';
import type { Language, Lines, Source } from './source-code.js';
import type { ChangedFile, DiffRow } from './tool-texts.js';

/**
 * A test that was turned round (`x` to `!x`, `===` to `!==`, `<` to `>=`, `&&` to `||`) while the code it guards
 * stayed as it was. A mended bug looks the same from outside, so turning round is only a suspicion; it becomes a
 * finding when the code that did not change contradicts the new test and agrees with the old one:
 *
 * - the guarded error says the opposite ("was already refunded" when it was not, "exceeds" when it is less);
 * - a value is used where the test has just found it null;
 * - an error is returned where the test has just found none;
 * - a loop that counts up from 0 never starts;
 * - the same error is raised elsewhere, at least twice, under the old test and never under the new one.
 *
 * Nothing is said when any other changed line names what is tested, when the guarded lines changed too, or when
 * the statement spans lines.
 */
export const invertedCondition: Rule = {
  name: 'inverted-condition',
  looksFor: 'a condition turned round while the code it guards stayed',
  suspect: (change) => change.files.flatMap((file) => suspectFile(change, file)).slice(0, 12),
};

type Turned = {
  readonly file: ChangedFile;
  readonly language: Language;
  readonly base: DiffRow;
  readonly head: DiffRow;
  readonly was: ConditionLine;
  readonly is: ConditionLine;
};

function suspectFile(change: Change, file: ChangedFile): Suspicion[] {
  const language = languageOf(file.path);
  if (language === null || isTestLike(file.path) || isForeign(file.path)) return [];
  const suspicions: Suspicion[] = [];
  for (const [removed, added] of file.hunks.flatMap(replacements)) {
    const was = readConditionLine(removed.text, language);
    const is = readConditionLine(added.text, language);
    if (was === null || is === null || was.frame !== is.frame) continue;
    if (flipBetween(was.condition, is.condition) === null) continue;
    const turned: Turned = { file, language, base: removed, head: added, was, is };
    if (othersName(change, turned)) continue;
    suspicions.push({ rule: 'inverted-condition', weigh: () => weigh(turned) });
  }
  return suspicions;
}

/** Rows replaced by as many rows, each by the one in its place. Larger blocks are rewritten code. */
function replacements(hunk: readonly DiffRow[]): readonly (readonly [DiffRow, DiffRow])[] {
  const pairs: (readonly [DiffRow, DiffRow])[] = [];
  for (let at = 0; at < hunk.length;) {
    const removed = runOf(hunk, at, 'removed');
    const added = runOf(hunk, at + removed.length, 'added');
    if (removed.length === added.length && removed.length <= mostReplaced)
      pairs.push(...removed.map((row, index) => [row, added[index]!] as const));
    at += Math.max(1, removed.length + added.length);
  }
  return pairs;
}

const mostReplaced = 6;

function runOf(hunk: readonly DiffRow[], from: number, kind: DiffRow['kind']): readonly DiffRow[] {
  let end = from;
  while (hunk[end]?.kind === kind) end += 1;
  return hunk.slice(from, end);
}

/** Another changed line that names what is tested may be the other half of one sound change. */
function othersName(change: Change, { file, base, head, is }: Turned): boolean {
  // `order` in `order.refunded` is only the way there: it counts where it is given another value.
  const roots = identifiers(is.condition).filter((name) => isRoot(is.condition, name));
  const names = identifiers(is.condition).filter((name) => !commonWords.has(name) && !roots.includes(name));
  const members = new Set(
    [...is.condition.matchAll(/\.\s*([A-Za-z_$][\w$]*)|([A-Za-z_$][\w$]*)\s*\(/g)].map(
      (match) => match[1] ?? match[2],
    ),
  );
  return change.files.some((other) =>
    change.touched(other.path).some((row) => {
      if (other === file && (row === base || row === head)) return false;
      const named = identifiers(row.text);
      if (other === file && roots.some((name) => named.includes(name) && isGivenTo(row.text, name)))
        return true;
      return names.some(
        (name) => named.includes(name) && (other === file || (members.has(name) && !plainMembers.has(name))),
      );
    }),
  );
}

const isRoot = (condition: string, name: string): boolean =>
  !commonWords.has(name) &&
  new RegExp(`(?<![\\w$.])${literally(name)}\\s*\\??\\.`).test(condition) &&
  !new RegExp(`(?<![\\w$.])${literally(name)}(?![\\w$])(?!\\s*\\??\\.)`).test(condition);

const isGivenTo = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\w$.])${literally(name)}\\s*(?::[^=]*)?(?::?=)(?!=)`).test(text);

const commonWords = new Set([
  ...[
    'this',
    'self',
    'null',
    'undefined',
    'None',
    'nil',
    'true',
    'false',
    'True',
    'False',
    'not',
    'is',
    'in',
    'and',
  ],
  ...[
    'or',
    'typeof',
    'instanceof',
    'len',
    'err',
    'i',
    'j',
    'k',
    'length',
    'isinstance',
    'Object',
    'Array',
    'string',
  ],
]);
const plainMembers = new Set([
  'length',
  'size',
  'get',
  'has',
  'test',
  'includes',
  'startsWith',
  'endsWith',
  'name',
  'type',
  'id',
  'value',
]);

function* weigh(turned: Turned): Look<Judgement> {
  const { file, head, base } = turned;
  const [now, before] = yield* together([readFile('head', file.path), readFile('base', file.oldPath)]);
  if (now === null || now === undefined || before === null || before === undefined) return nothing;
  if (now.lines[head.line - 1] !== head.text || before.lines[base.line - 1] !== base.text) return nothing;
  const source = readSource(file.path, now.lines)!;
  // The line may stand in a comment or in a long string.
  if (readConditionLine(source.code[head.line - 1]!, turned.language) === null) return nothing;
  const guarded = readGuarded(source, head.line, turned.is);
  if (guarded === null || changedWithin(file, guarded.whole, turned)) return nothing;
  const was = readPredicate(turned.was.condition);
  const is = readPredicate(turned.is.condition);
  const proof =
    contradiction(source, guarded, is, was, turned) ?? (yield* elsewhere(source, guarded, turned));
  return proof === null ? nothing : finding(turned, proof);
}

/** What a condition guards, in the head. */
type Guarded = {
  /** The guarded statements, without the condition. */
  readonly body: Lines;
  /** Body and every `else` that belongs to it. */
  readonly whole: Lines;
  /** The raw and the code lines of the body; only the statement itself when it stands on the condition's line. */
  readonly raw: readonly string[];
  readonly code: readonly string[];
  /** The body always leaves: returns, throws, goes on with the loop. */
  readonly exits: boolean;
  /** After the whole, to the end of the enclosing block. */
  readonly after: Lines | null;
};

const exit =
  /^\s*(?:throw\b|return\b|raise\b|continue\b|break\b|panic\(|(?:process|sys|os)\.(?:exit|Exit)\(|log\.Fatal|(?:t|b)\.Fatal|next\()/;

function readGuarded(source: Source, line: number, condition: ConditionLine): Guarded | null {
  if (condition.inline !== '') {
    const raw = source.lines[line - 1]!;
    const at = raw.lastIndexOf(condition.inline);
    if (at === -1 || condition.inline.includes('{')) return null;
    const own = { start: line, end: line };
    const code = ' '.repeat(at) + source.code[line - 1]!.slice(at);
    return {
      body: own,
      whole: own,
      raw: [' '.repeat(at) + raw.slice(at)],
      code: [code],
      exits: exit.test(code),
      after: restOfBlock(source, line, line),
    };
  }
  const block = blockAfter(source, line) ?? nextStatement(source, line);
  if (block === null) return null;
  const braces = source.language !== 'python' && source.code[block.start - 1]!.includes('{');
  const body = braces ? { start: block.start + 1, end: block.end - 1 } : block;
  if (body.end < body.start || body.end - body.start > 60) return null;
  const code = source.code.slice(body.start - 1, body.end);
  const deepest = Math.min(...code.filter((text) => text.trim() !== '').map(indentOf));
  const whole = { start: block.start, end: endOfElse(source, block.end, indentOf(source.code[line - 1]!)) };
  return {
    body,
    whole,
    raw: source.lines.slice(body.start - 1, body.end),
    code,
    exits: code.some((text) => indentOf(text) === deepest && exit.test(text)),
    after: whole.end === block.end ? restOfBlock(source, line, whole.end) : null,
  };
}

/** A single statement without braces on the next line. */
function nextStatement(source: Source, line: number): Lines | null {
  if (!isScript(source.language)) return null;
  const next = source.code[line];
  if (next === undefined || indentOf(next) <= indentOf(source.code[line - 1]!) || !/;\s*$/.test(next))
    return null;
  return { start: line + 1, end: line + 1 };
}

/** The last line of every `else` that follows a block which ends at `end`. */
function endOfElse(source: Source, end: number, indent: number): number {
  let last = end;
  for (;;) {
    const at = lineOfElse(source, last, indent);
    const next = at === null ? last : (blockAfter(source, at)?.end ?? at + 1);
    if (next <= last) return last;
    last = Math.min(next, source.code.length);
  }
}

function lineOfElse(source: Source, last: number, indent: number): number | null {
  const python = source.language === 'python';
  if (!python && /^\s*\}\s*else\b/.test(source.code[last - 1]!)) return last;
  let at = last + 1;
  while (source.code[at - 1]?.trim() === '') at += 1;
  const code = source.code[at - 1] ?? '';
  const follows = python ? /^\s*(?:elif|else)\b/ : /^\s*else\b/;
  return follows.test(code) && indentOf(code) === indent ? at : null;
}

function restOfBlock(source: Source, line: number, end: number): Lines | null {
  const indent = indentOf(source.code[line - 1]!);
  let last = end;
  for (let at = end + 1; at <= source.code.length; at += 1) {
    const code = source.code[at - 1]!;
    if (code.trim() === '') continue;
    if (indentOf(code) < indent) break;
    last = at;
  }
  return last === end ? null : { start: end + 1, end: Math.min(last, end + 80) };
}

function changedWithin(file: ChangedFile, lines: Lines, turned: Turned): boolean {
  for (const hunk of file.hunks) {
    // A removed row stands before the next row of the head.
    let next = Infinity;
    for (const row of [...hunk].reverse()) {
      if (row.kind !== 'removed') next = row.line;
      if (row.kind === 'context' || row === turned.head || row === turned.base) continue;
      const at = row.kind === 'added' ? row.line : next;
      if (at >= lines.start && at <= lines.end + (row.kind === 'removed' ? 1 : 0)) return true;
    }
  }
  return false;
}

/** Why the new test cannot be meant, with the unchanged line that says so. */
type Proof = Meaning & { readonly path: string; readonly line: number; readonly text: string };

/** What goes wrong, in one line, and what says so. */
type Meaning = { readonly title: string; readonly why: string };

function contradiction(
  source: Source,
  guarded: Guarded,
  is: Predicate,
  was: Predicate,
  turned: Turned,
): Proof | null {
  return (
    saysTheOpposite(source, guarded, is) ??
    usedWhenMissing(source, guarded, is, was) ??
    returnsNoError(source, guarded, is) ??
    fillsWhatIsThere(source, guarded, is) ??
    usedInSameTest(source, is, was, turned) ??
    neverStarts(source, turned)
  );
}

const quoted = (raw: string): readonly string[] =>
  [...raw.matchAll(/"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|`((?:\\.|[^`\\])*)`/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  );

const fails =
  /^\s*(?:throw\b|raise\b|panic\(|log\.(?:Fatal|Panic)|return\b.*(?:\b(?:Errorf|errors\.New|Error|Exception|reject|fail|abort|status)\b|[Ee]rr\w*\())/;

/** The error that the body raises names the very state that the new test excludes. */
function saysTheOpposite(source: Source, guarded: Guarded, is: Predicate): Proof | null {
  const from = guarded.code.findIndex((text) => fails.test(text));
  if (from === -1 || guarded.code.length > 8) return null;
  for (const [index, raw] of guarded.raw.entries()) {
    if (index < from) continue;
    const names = [...guarded.code[index]!.matchAll(/\b([A-Z]\w*(?:Error|Exception))\b/g)].map((match) =>
      wordsOf(match[1]!).join(' '),
    );
    const message = [...quoted(raw), ...names].join(' . ').toLowerCase().replace(/[_-]/g, ' ');
    const wanted = wantedBy(message, is);
    if (wanted === null) continue;
    const line = guarded.body.start + index;
    return {
      ...wanted,
      path: source.path,
      line,
      text: source.lines[line - 1]!,
    };
  }
  return null;
}

export const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[\s_]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());

const filler = new Set([
  'is',
  'has',
  'get',
  'can',
  'should',
  'are',
  'was',
  'the',
  'on',
  'in',
  'to',
  'of',
  'ok',
]);

/** What the message says must be so, when `is` says the contrary; null when it says nothing certain. */
export function wantedBy(message: string, is: Predicate): Meaning | null {
  if (is.kind === 'compare') return wantedOrder(message, is);
  if (is.kind !== 'truthy' && is.kind !== 'missing') return null;
  const present = is.kind === 'truthy' ? is.holds : !is.holds;
  const last = is.subject.replace(/\(.*$/, '').split('.').at(-1)!;
  const words = wordsOf(last).filter((word) => word.length >= 3 && !filler.has(word));
  for (const word of words) {
    const saysAbsent = absent(message, word);
    const saysPresent = presentIn(message, word);
    if (saysAbsent === saysPresent) continue;
    if (saysAbsent && present)
      return {
        title: `a missing ${word} gets through, and one that is there is refused`,
        why: `its error is for a missing ${word}`,
      };
    if (saysPresent && !present)
      return {
        title: `what is ${word} gets through, and everything else is refused`,
        why: `its error is for what is ${word}`,
      };
  }
  return null;
}

function absent(message: string, word: string): boolean {
  const before = new RegExp(
    `(?<!(?:expect(?:ed|s)?|have|has|allow(?:ed|s)?|must|should|be|contain) )\\b(?:no|missing|without|lacks?|unknown|requires?|needs?|not|isn't|wasn't|must be|should be|must have) (?:an? |the |valid |any |yet )?${word}\\b`,
  );
  const after = new RegExp(
    `\\b${word}s? (?:\\S+ )?(?:is |was |are |has been |have been )?(?:not found|missing|required|unset|undefined|not set|not provided|not defined|not given|not configured|does not exist|doesn't exist|must be (?:set|given|provided))\\b`,
  );
  return (before.test(message) && !new RegExp(`not be ${word}\\b`).test(message)) || after.test(message);
}

function presentIn(message: string, word: string): boolean {
  return (
    new RegExp(`\\balready (?:been )?${word}\\b`).test(message) ||
    new RegExp(
      `(?<!(?:not|unless|if|must|should|until|that) )\\b(?:is|was|are|has been|have been) (?:already )?${word}\\b`,
    ).test(message)
  );
}

const tooMuch =
  /\b(?:exceed(?:s|ed|ing)?|too (?:large|big|long|many|high|much|late|old)|at most|larger than|greater than|more than|above|over the)\b/;
const tooLittle =
  /\b(?:too (?:small|short|few|low|little|early|young)|at least|less than|fewer than|smaller than|below|insufficient|not enough|under the)\b/;

function wantedOrder(message: string, is: Predicate & { kind: 'compare' }): Meaning | null {
  const much = tooMuch.test(message);
  if (much === tooLittle.test(message) || /\b(?:not|must|should|cannot|can't)\b/.test(message)) return null;
  // "at most" and "at least" state the rule, the others state the fault; both are raised on the same side.
  const subject = wordsOf(identifiers(is.left).at(-1) ?? '').some(
    (word) => word.length >= 3 && message.includes(word),
  );
  const constant = /^(?:\d+|[A-Z][A-Z0-9_]*|(?:.*\.)?(?:max|min|limit)\w*)$/i.test(is.right);
  if (!subject && !constant) return null;
  if (much && is.op.startsWith('<'))
    return {
      title: 'too much gets through, and what is within the limit is refused',
      why: 'its error is for what is too much',
    };
  if (!much && is.op.startsWith('>'))
    return {
      title: 'too little gets through, and what is enough is refused',
      why: 'its error is for what is too little',
    };
  return null;
}

/** The value is read where the new test has just found it null. */
function usedWhenMissing(source: Source, guarded: Guarded, is: Predicate, was: Predicate): Proof | null {
  const region = regionWithout(source, guarded, is);
  if (region === null || is.kind === 'other' || was.kind !== is.kind) return null;
  const used = firstUse(source, region, (is as { subject: string }).subject);
  if (used === null) return null;
  const before = regionWithout(source, guarded, was);
  if (before !== null && firstUse(source, before, (is as { subject: string }).subject) !== null) return null;
  return {
    title: `\`${(is as { subject: string }).subject}\` is read exactly when it is missing`,
    why: `what follows reads \`${(is as { subject: string }).subject}\` where this test has just found it missing`,
    path: source.path,
    line: used,
    text: source.lines[used - 1]!,
  };
}

/** The lines that run only when the tested value is absent. Truth says that of a value only in JavaScript. */
function regionWithout(source: Source, guarded: Guarded, is: Predicate): Lines | null {
  if (is.kind !== 'missing' && !(is.kind === 'truthy' && isScript(source.language))) return null;
  if (!isPlainPath(is.subject)) return null;
  const present = is.kind === 'truthy' ? is.holds : !is.holds;
  if (!present) return guarded.body;
  return guarded.exits ? guarded.after : null;
}

function firstUse(source: Source, region: Lines, subject: string): number | null {
  const word = new RegExp(`(?<![\\w$.])${literally(subject)}(?![\\w$])`, 'g');
  const own = source.code[region.start - 1]!;
  for (let line = region.start; line <= region.end; line += 1) {
    const code = source.code[line - 1]!;
    // A nested test, a function or a loop may make the value present again.
    if (code !== own && /\b(?:function|def|func|lambda|while|for|catch|except|case)\b|=>/.test(code))
      return null;
    for (const match of code.matchAll(word)) {
      const rest = code.slice(match.index + subject.length);
      const around = code.slice(0, match.index);
      if (
        /^\s*(?:=(?!=)|:=|\?\?=|\|\|=)/.test(rest) ||
        (/[{,]\s*$/.test(around) === false && /^\s*,.*(?<![=!<>])=(?!=)/.test(rest))
      )
        return null;
      if (/\b(?:if|elif|else|and|or|typeof|unless|assert|instanceof|isinstance)\b|&&|\|\||\?/.test(code))
        return null;
      const member = source.language === 'go' ? /^\.[A-Za-z_]/ : /^(?:\.[A-Za-z_$]|\[)/;
      if (member.test(rest)) return line;
    }
  }
  return null;
}

/** `if err == nil { return err }`: the error that is passed on is always none. */
function returnsNoError(source: Source, guarded: Guarded, is: Predicate): Proof | null {
  if (source.language !== 'go' || is.kind !== 'missing' || !is.holds) return null;
  if (!/^(?:err|\w+Err|err[A-Z]\w*)$/.test(is.subject)) return null;
  const index = guarded.code.findIndex(
    (text) => exit.test(text) && new RegExp(`\\b${is.subject}\\b`).test(text),
  );
  if (
    index === -1 ||
    guarded.code.slice(0, index).some((text) => new RegExp(`\\b${is.subject}\\b[^=]*:?=`).test(text))
  )
    return null;
  const line = guarded.body.start + index;
  return {
    title: `an error is dropped: \`${is.subject}\` is passed on exactly when it is nil`,
    why: `what follows passes \`${is.subject}\` on where this test has just found it nil`,
    path: source.path,
    line,
    text: source.lines[line - 1]!,
  };
}

/** `if x is not None: x = default`: what is there is replaced, and what is missing stays missing. */
function fillsWhatIsThere(source: Source, guarded: Guarded, is: Predicate): Proof | null {
  if (is.kind !== 'missing' || is.holds || !isPlainPath(is.subject)) return null;
  const first = guarded.code.findIndex((text) => text.trim() !== '');
  const given = new RegExp(`^\\s*${literally(is.subject)}\\s*=(?!=)\\s*(.+)$`).exec(
    guarded.code[first] ?? '',
  )?.[1];
  // Taking a value back, or making one out of it, is done where there is one.
  if (
    given === undefined ||
    /^(?:null|undefined|None|nil|true|false|True|False|0|""|'')\s*;?$/.test(given.trim())
  )
    return null;
  const [root = ''] = is.subject.split('.');
  const last = is.subject.split('.').at(-1)!;
  if (identifiers(given).some((name) => name === last || (name === root && !commonWords.has(name))))
    return null;
  const line = guarded.body.start + first;
  return {
    title: `\`${is.subject}\` is replaced when it is there and stays missing when it is not`,
    why: `what follows gives \`${is.subject}\` the value that it lacks`,
    path: source.path,
    line,
    text: source.lines[line - 1]!,
  };
}

/** `x || x.y`: the right side runs exactly when the left one has found nothing. */
function usedInSameTest(source: Source, is: Predicate, was: Predicate, turned: Turned): Proof | null {
  if ((is.kind !== 'all' && is.kind !== 'any') || (was.kind !== 'all' && was.kind !== 'any')) return null;
  if (is.kind === was.kind) return null;
  for (const [index, part] of is.parts.entries()) {
    if (part.kind !== 'missing' && !(part.kind === 'truthy' && isScript(source.language))) continue;
    if (!isPlainPath(part.subject)) continue;
    const present = part.kind === 'truthy' ? part.holds : !part.holds;
    // In `a || b`, b runs when a is false; in `a && b`, when a is true.
    if (present !== (is.kind === 'any')) continue;
    const member = new RegExp(`(?<![\\w$.])${literally(part.subject)}(?:\\.[A-Za-z_$]|\\[)`);
    if (!is.texts.slice(index + 1).some((text) => member.test(text))) continue;
    return {
      title: `\`${part.subject}\` is read exactly when it is missing`,
      why: `its right side reads \`${part.subject}\` exactly when its left side has found it missing`,
      path: turned.file.path,
      line: turned.head.line,
      text: turned.head.text,
    };
  }
  return null;
}

/** `for (let i = 0; i >= n; i++)`. */
function neverStarts(_source: Source, turned: Turned): Proof | null {
  if (turned.is.word !== 'for') return null;
  const start = /^for\|\s*(?:let|var)?\s*(\w+)\s*:?=\s*0\s*\|\s*(?:\w+\s*(?:\+\+|\+=\s*\d+)|\+\+\s*\w+)/.exec(
    turned.is.frame,
  );
  const is = readPredicate(turned.is.condition);
  const was = readPredicate(turned.was.condition);
  if (start === null || is.kind !== 'compare' || was.kind !== 'compare') return null;
  if (is.left !== start[1] || !is.op.startsWith('>') || !was.op.startsWith('<')) return null;
  return {
    title: 'this loop does not start',
    why: `it counts up from 0, so the loop does not start, or does not end`,
    path: turned.file.path,
    line: turned.head.line,
    text: turned.head.text,
  };
}

/** The same error under the old test in other places, and nowhere under the new one. */
function* elsewhere(source: Source, guarded: Guarded, turned: Turned): Look<Proof | null> {
  const first = guarded.raw.find((text) => text.trim() !== '')?.trim() ?? '';
  if (
    turned.was.word !== 'if' ||
    !guarded.exits ||
    first.length < 12 ||
    !fails.test(guarded.code.join('\n').trimStart())
  )
    return null;
  const found = yield* searchCode({ pattern: literally(first), glob: globOf(source.language) });
  if (found === null || found.cut !== undefined || found.total > 20) return null;
  const others = found.matches.filter(
    (match) => match.path !== turned.file.path || match.line !== guarded.body.start,
  );
  const files = yield* together(
    [...new Set(others.map((match) => match.path))].slice(0, 6).map((path) => readFile('head', path)),
  );
  let proof: Proof | null = null;
  let old = 0;
  for (const match of others) {
    const lines = files.find((file) => file?.path === match.path)?.lines;
    if (lines === undefined) return null;
    const own = readConditionLine(lines[match.line - 1]!, source.language);
    const at = own !== null && own.inline !== '' ? match.line : match.line - 1;
    const condition =
      own !== null && own.inline !== '' ? own : readConditionLine(lines[at - 1] ?? '', source.language);
    if (condition === null) return null;
    if (squeeze(condition.condition) !== squeeze(turned.was.condition)) return null;
    old += 1;
    proof ??= {
      title: 'this check is inverted: the same error is raised elsewhere under the opposite test',
      why: `the same error is raised under the old test`,
      path: match.path,
      line: at,
      text: lines[at - 1]!,
    };
  }
  return old >= 2 ? proof : null;
}

const squeeze = (text: string): string => text.replace(/\s+/g, '');

function finding({ file, base, head, was, is }: Turned, proof: Proof): Judgement {
  const own = proof.path === file.path && proof.line === head.line;
  const [old, now] = [was.condition.trim(), is.condition.trim()];
  return {
    kind: 'finding',
    finding: {
      path: file.path,
      line: head.line,
      side: 'RIGHT',
      code: head.text,
      rule: 'inverted-condition',
      severity: 'important',
      category: 'logic',
      confidence: 'high',
      title: proof.title,
      body:
        `\`${shorten(old)}\` became \`${shorten(now)}\`; what it guards is as it was. ` +
        `The new test contradicts the code that stayed: ${proof.why}${own ? '' : ` (\`${fileOf(proof.path)}:${proof.line}\`)`}.`,
      suggestion: base.text,
      evidence: [
        { path: file.oldPath, ref: 'base', start: base.line, end: base.line, quote: base.text },
        ...(own
          ? []
          : [
              {
                path: proof.path,
                ref: 'head' as const,
                start: proof.line,
                end: proof.line,
                quote: proof.text,
              },
            ]),
      ],
      absences: [],
    },
  };
}

const shorten = (text: string): string => {
  const plain = text.replace(/`/g, "'");
  return plain.length <= 60 ? plain : `${plain.slice(0, 57)}...`;
};
