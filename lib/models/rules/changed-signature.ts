import type { Change } from './change.js';
import { findCallers } from './callers.js';
import type { Caller } from './callers.js';
import { bodyOf, definitionsIn } from './definitions.js';
import type { Definition, Parameter } from './definitions.js';
import { literally, readFile, together } from './look.js';
import type { Look } from './look.js';
import { isExample, isForeign, isTestLike } from './paths.js';
import { nothing } from './rule.js';
import type { Judgement, Rule } from './rule.js';
import { languageOf, readSource } from './source-code.js';
import type { Source } from './source-code.js';
import type { ChangedFile, DiffRow } from './tool-texts.js';

/**
 * A function on changed lines that must now be called differently (a parameter more, fewer, or in another order),
 * while a call elsewhere that this change does not touch still passes what the base version took. Only calls that are
 * certain to reach it count: see callers.ts. A call must fit the base version and not fit the new one.
 *
 * Nothing is said of decorated functions, overloads, spread arguments, tests, and, in plain JavaScript,
 * of a parameter that the body copes without.
 */
export const changedSignature: Rule = {
  name: 'changed-signature',
  looksFor: 'a changed signature whose callers stayed',
  suspect: (change) =>
    change.files
      .filter(
        (file) =>
          languageOf(file.path) !== null &&
          !file.status.startsWith('added') &&
          !isTestLike(file.path) &&
          !isForeign(file.path) &&
          !isExample(file.path),
      )
      .flatMap((file) => {
        const names = [...new Set(file.hunks.flat().flatMap(namesDefined))];
        return names.map((name) => ({ rule: 'changed-signature', weigh: () => weigh(change, file, name) }));
      })
      .slice(0, 24),
};

const definedHere =
  /^\s*(?:export\s+)?(?:default\s+)?(?:(?:public|private|protected|static|async|override)\s+)*(?:function\*?\s+|def\s+|func\s+(?:\([^)]*\)\s*)?|(?:const|let)\s+)?([A-Za-z_$][\w$]*)\s*(?:=\s*(?:async\s*)?(?:function\b\s*\w*)?)?\s*(?:<[^()]*>|\[[^\]]*\])?\(/;
const keywords = new Set([
  'if',
  'for',
  'while',
  'switch',
  'catch',
  'return',
  'await',
  'function',
  'func',
  'elif',
  'assert',
  'print',
  'super',
  'constructor',
  'describe',
  'it',
  'test',
  'expect',
]);

/** Names whose definition may stand on a row, or may have its parameters there: the head is read to make sure. */
function namesDefined(row: DiffRow): readonly string[] {
  const name = definedHere.exec(row.text)?.[1];
  return name === undefined || keywords.has(name) || name.startsWith('__') ? [] : [name];
}

function* weigh(change: Change, file: ChangedFile, name: string): Look<Judgement> {
  const [now, before] = yield* together([readFile('head', file.path), readFile('base', file.oldPath)]);
  const source = now == null ? null : readSource(file.path, now.lines);
  const old = before == null ? null : readSource(file.oldPath, before.lines);
  if (source === null || old === null) return nothing;
  const is = only(source, name);
  const was = only(old, name);
  if (
    is === null ||
    was === null ||
    is.kind !== was.kind ||
    is.owner !== was.owner ||
    is.wrapped ||
    was.wrapped
  )
    return nothing;
  const row = firstAdded(change, file, is);
  const difference = row === null ? null : differenceBetween(was, is);
  if (row === null || difference === null || copesWithout(source, is, was)) return nothing;
  const callers = yield* findCallers(is, source);
  const stale = callers.certain.find(
    (caller) =>
      isStale(change, caller, was, is, difference) &&
      !isTestLike(caller.source.path) &&
      !isExample(caller.source.path),
  );
  return stale === undefined ? nothing : finding(file, source, old, is, was, row, stale, difference);
}

/** The definition of a name when there is exactly one: overloads and branches are left alone. */
function only(source: Source, name: string): Definition | null {
  const found = definitionsIn(source).filter((each) => each.name === name);
  const overloads =
    source.text.match(new RegExp(`\\bfunction\\s+${literally(name)}\\s*[<(]`, 'g'))?.length ?? 0;
  return found.length === 1 && overloads <= 1 ? found[0]! : null;
}

function firstAdded(change: Change, file: ChangedFile, definition: Definition): number | null {
  for (let line = definition.line; line <= definition.endLine; line += 1)
    if (change.added(file.path, line)) return line;
  return null;
}

type Difference = 'more' | 'fewer' | 'order';

function differenceBetween(was: Definition, is: Definition): Difference | null {
  const [before, after] = [positional(was), positional(is)];
  const names = (parameters: readonly Parameter[]): string => parameters.map((each) => each.name).join(',');
  if (
    is.parameters.some((each) => each.kind === 'keyword_rest') &&
    !was.parameters.some((each) => each.kind === 'keyword_rest')
  )
    return null;
  if (required(is) > required(was)) return 'more';
  if (most(is) < most(was)) return 'fewer';
  if (
    before.length === after.length &&
    before.every((each) => each.name !== '') &&
    names(before) !== names(after) &&
    names([...before].sort(byName)) === names([...after].sort(byName))
  )
    return 'order';
  return null;
}

const byName = (a: Parameter, b: Parameter): number => (a.name < b.name ? -1 : 1);
const positional = (definition: Definition): readonly Parameter[] =>
  definition.parameters.filter((each) => each.kind === 'plain');
const required = (definition: Definition): number =>
  definition.parameters.filter((each) => each.required).length;
const most = (definition: Definition): number =>
  definition.parameters.some((each) => each.kind === 'rest') ? Infinity : positional(definition).length;

/** In plain JavaScript every parameter may be left out; a body that tests it, or never uses it, means it so. */
function copesWithout(source: Source, is: Definition, was: Definition): boolean {
  if (source.language !== 'javascript') return false;
  const body = bodyOf(source, is);
  const text = source.code
    .slice(is.endLine - 1, body.end)
    .join('\n')
    .slice(0, 20_000);
  if (/\barguments\b/.test(text)) return true;
  return is.parameters.slice(positional(was).length).some((parameter) => {
    if (parameter.name === '') return false;
    const word = literally(parameter.name);
    const used = new RegExp(`(?<![\\w$.])${word}\\s*(?:\\.|\\[|\\()`).test(text);
    const tested = new RegExp(
      `(?:!\\s*|typeof\\s+|if\\s*\\(\\s*|&&\\s*|\\|\\|\\s*|\\?\\?\\s*)${word}\\b|\\b${word}\\s*(?:\\?\\.|\\?\\?|\\|\\||&&|\\?|[!=]==?|=(?!=))`,
    ).test(text);
    return !used || tested;
  });
}

/** Fits the base version, does not fit the new one, and stands on lines that this change did not touch. */
function isStale(
  change: Change,
  { source, call }: Caller,
  was: Definition,
  is: Definition,
  difference: Difference,
): boolean {
  for (let line = call.line; line <= call.endLine; line += 1)
    if (change.added(source.path, line)) return false;
  if (call.args.some((arg) => arg.startsWith('...') || /^\*{1,2}\w/.test(arg) || arg.endsWith('...')))
    return false;
  // In Go one call may fill several parameters.
  if (source.language === 'go' && call.args.length === 1 && /\)$/.test(call.args[0]!)) return false;
  if (isExpectedToFail(source, call.line)) return false;
  if (difference === 'order') return passesOldOrder(call.args, was, is);
  return fits(call.args, was, source) && !fits(call.args, is, source);
}

const keyword = /^([A-Za-z_]\w*)\s*=(?!=)/;

function fits(args: readonly string[], definition: Definition, source: Source): boolean {
  const python = source.language === 'python';
  const keywords = python ? args.flatMap((arg) => keyword.exec(arg)?.[1] ?? []) : [];
  const count = args.length - keywords.length;
  if (count > most(definition)) {
    // Plain JavaScript drops what is too much.
    return source.language === 'javascript';
  }
  const filled = new Set([
    ...positional(definition)
      .slice(0, count)
      .map((each) => each.name),
    ...keywords,
  ]);
  const open = python
    ? definition.parameters.filter((each) => each.required && !filled.has(each.name))
    : positional(definition)
        .slice(count)
        .filter((each) => each.required);
  if (open.length > 0) return false;
  const known = new Set(definition.parameters.map((each) => each.name));
  return (
    definition.parameters.some((each) => each.kind === 'keyword_rest') ||
    keywords.every((each) => known.has(each))
  );
}

/** At least two plain arguments carry the names of the old order, and the new order would swap them. */
function passesOldOrder(args: readonly string[], was: Definition, is: Definition): boolean {
  const before = positional(was);
  const after = positional(is);
  if (args.length !== before.length) return false;
  const names = args.map((arg) => /(?:^|\.)([A-Za-z_$][\w$]*)$/.exec(arg)?.[1]);
  const moved = names.filter(
    (name, index) => name !== undefined && name === before[index]!.name && name !== after[index]!.name,
  );
  return moved.length >= 2;
}

const isExpectedToFail = (source: Source, line: number): boolean =>
  /@ts-(?:expect-error|ignore)|type:\s*ignore/.test(
    `${source.lines[line - 2] ?? ''}\n${source.lines[line - 1] ?? ''}`,
  );

function finding(
  file: ChangedFile,
  source: Source,
  old: Source,
  is: Definition,
  was: Definition,
  row: number,
  { source: from, call }: Caller,
  difference: Difference,
): Judgement {
  const where = `\`${from.path}:${call.line}\``;
  const passes = `${call.args.length} ${call.args.length === 1 ? 'argument' : 'arguments'}`;
  return {
    kind: 'finding',
    finding: {
      path: file.path,
      line: row,
      side: 'RIGHT',
      code: source.lines[row - 1]!,
      rule: 'changed-signature',
      severity: 'important',
      category: 'logic',
      confidence: 'high',
      title: `\`${is.name}\` takes ${difference === 'order' ? 'its parameters in another order' : described(is)} now, and a caller still passes ${difference === 'order' ? 'the old one' : passes}`,
      body:
        `This change makes \`${is.name}(${listed(was)})\` into \`${is.name}(${listed(is)})\`. ${where}, which it does not touch, ` +
        `still calls it as before. ${consequence(from, difference)} Change that call too, or keep the old form working.`,
      evidence: [
        {
          path: from.path,
          ref: 'head',
          start: call.line,
          end: call.endLine,
          quote: from.lines.slice(call.line - 1, call.endLine).join('\n'),
        },
        {
          path: file.oldPath,
          ref: 'base',
          start: was.line,
          end: was.endLine,
          quote: old.lines.slice(was.line - 1, was.endLine).join('\n'),
        },
      ],
      absences: [],
    },
  };
}

const listed = (definition: Definition): string => {
  const text = definition.parameters.map((each) => each.name || '{}').join(', ');
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
};

function described(definition: Definition): string {
  const [least, most_] = [required(definition), most(definition)];
  const parameters = (count: number): string => `${count} ${count === 1 ? 'parameter' : 'parameters'}`;
  if (most_ === Infinity) return `at least ${parameters(least)}`;
  return least === most_ ? parameters(least) : `${least} to ${parameters(most_)}`;
}

function consequence(from: Source, difference: Difference): string {
  if (difference === 'order') return 'Its values arrive in the wrong places.';
  switch (from.language) {
    case 'python':
      return 'That call raises a `TypeError`.';
    case 'go':
      return 'That package does not compile.';
    case 'typescript':
      return difference === 'more'
        ? 'What it does not pass is `undefined` at run time.'
        : 'What it passes too much is ignored.';
    case 'javascript':
      return difference === 'more'
        ? 'What it does not pass is `undefined`.'
        : 'What it passes too much is ignored.';
  }
}
