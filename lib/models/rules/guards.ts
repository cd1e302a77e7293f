import { readConditionLine } from './condition.js';
import { literally } from './look.js';
import { blockAfter, isScript } from './source-code.js';
import type { Source } from './source-code.js';

/** A line that keeps an empty list away from what follows it. */
export type Guard = { readonly path: string; readonly line: number; readonly text: string };

/**
 * The guard that keeps an empty `subject` from `line`: a test before it that leaves (`leaves`), one around it, or
 * one on the line itself. `subject` is a plain path such as `cart.items`; `from` is where its function starts.
 */
export function guardBefore(source: Source, subject: string, from: number, line: number): Guard | null {
  for (let at = from; at < line; at += 1) {
    if (leavesWhenEmpty(source, subject, at, anyExit)) return guard(source, at);
    const holds = holdsItems(source, subject);
    if (
      !holds.test(source.code[at - 1]!) ||
      !/^\s*(?:\}\s*)?(?:else\s+)?(?:if|elif|while)\b/.test(source.code[at - 1]!)
    )
      continue;
    if (emptyTest(source, subject).test(source.code[at - 1]!)) continue;
    const block = blockAfter(source, at);
    if (block !== null && block.start <= line && block.end >= line) return guard(source, at);
  }
  const own = source.code[line - 1]!;
  const inLine =
    source.language === 'python'
      ? new RegExp(`\\bif\\s+(?:len\\(\\s*)?${path(subject)}(?![\\w.])`)
      : new RegExp(`${path(subject)}\\??\\.length(?:\\s*(?:>|!==?)\\s*0)?\\s*(?:\\?|&&)`);
  return inLine.test(own) ? guard(source, line) : null;
}

/** The guard within a function that throws when `subject` is empty: whoever comes back has items. */
export function throwsWhenEmpty(source: Source, subject: string, from: number, to: number): Guard | null {
  for (let at = from; at <= to; at += 1)
    if (leavesWhenEmpty(source, subject, at, throwing)) return guard(source, at);
  return null;
}

const anyExit = /^\s*(?:throw\b|return\b|raise\b|continue\b|break\b|(?:process|sys)\.exit\()/;
const throwing = /^\s*(?:throw\b|raise\b|(?:process|sys)\.exit\()/;

function leavesWhenEmpty(source: Source, subject: string, line: number, exit: RegExp): boolean {
  const code = source.code[line - 1]!;
  if (
    source.language === 'python' &&
    new RegExp(`^\\s*assert\\s+(?:len\\(\\s*)?${path(subject)}(?![\\w.])`).test(code)
  )
    return true;
  if (!emptyTest(source, subject).test(code)) return false;
  const condition = readConditionLine(code, source.language);
  if (condition === null || condition.word !== 'if' || /&&|\band\b/.test(condition.condition)) return false;
  if (condition.inline !== '') return exit.test(condition.inline);
  const block = blockAfter(source, line);
  const lines = block === null ? [source.code[line] ?? ''] : source.code.slice(block.start - 1, block.end);
  return lines.some((text) => exit.test(text));
}

const path = (subject: string): string =>
  `(?<![\\w$.])${literally(subject).replace(/\\\./g, '\\s*[?!]?\\.\\s*')}`;

const emptyTest = (source: Source, subject: string): RegExp =>
  source.language === 'python'
    ? new RegExp(
        `\\bnot\\s+${path(subject)}(?![\\w.([])|len\\(\\s*${path(subject)}\\s*\\)\\s*(?:==\\s*0|<\\s*1|<=\\s*0)`,
      )
    : new RegExp(
        `!\\s*${path(subject)}\\??\\.length\\b|${path(subject)}\\??\\.length\\s*(?:===?\\s*0|<\\s*1|<=\\s*0)(?![\\d.])`,
      );

const holdsItems = (source: Source, subject: string): RegExp =>
  source.language === 'python'
    ? new RegExp(
        `\\b(?:if|elif|and|while)\\s+${path(subject)}(?![\\w.([])|len\\(\\s*${path(subject)}\\s*\\)\\s*(?:>=?|!=)`,
      )
    : new RegExp(`${path(subject)}\\??\\.length\\s*(?:>\\s*0|>=\\s*1|!==?\\s*0|\\)|&&)`);

const guard = (source: Source, line: number): Guard => ({
  path: source.path,
  line,
  text: source.lines[line - 1]!,
});

/**
 * A pattern for any look at how many there are of something, RE2. Where it matches in a calling file nothing is
 * claimed: the look may be the guard.
 */
export const countsAnything = (source: Source, subject: string): string => {
  const last = literally(subject.split('.').at(-1)!);
  return isScript(source.language)
    ? String.raw`\.length\b|\.size\b|\bisEmpty\w*\(`
    : String.raw`\blen\(|\bif (not )?[\w.]*\b${last}\b|\bassert\b`;
};
