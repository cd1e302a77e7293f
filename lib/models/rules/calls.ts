import { literally } from './look.js';
import { closing, isScript, lineAt, splitAtCommas } from './source-code.js';
import type { Source } from './source-code.js';

export type Call = {
  readonly line: number;
  readonly endLine: number;
  /** What stands before the dot: `m` in `m.total(x)`, `this` in `this.total(x)`; undefined for a bare call. */
  readonly qualifier?: string;
  /** The arguments as written, strings and all. */
  readonly args: readonly string[];
};

/** Calls of a name in code, outside strings and comments. Definitions of it and calls that cannot be read are left out. */
export function callsOf(source: Source, name: string): readonly Call[] {
  const typeArguments = isScript(source.language) ? '(?:<[^()<>;{}]*>)?' : '';
  const pattern = new RegExp(`(?<![\\w$])${literally(name)}${typeArguments}\\(`, 'g');
  const raw = source.lines.join('\n');
  const found: Call[] = [];
  let seen = 0;
  for (const match of source.text.matchAll(pattern)) {
    // So many calls in one file are written by a tool, or to keep us busy.
    if ((seen += 1) > mostCalls) return [];
    const before = source.text.slice(Math.max(0, match.index - 80), match.index);
    if (
      /\b(?:function|def|func|class|new)[ \t*]+$/.test(before) ||
      /\bfunc[ \t]*\([^)]*\)[ \t]*$/.test(before)
    )
      continue;
    const open = match.index + match[0].length - 1;
    const close = closing(source.text, open, longestCall);
    if (close === -1) continue;
    const after = source.text.slice(close + 1, close + 120);
    // A method's own head, or a signature in an interface.
    if (
      isScript(source.language) &&
      /^\s*(?::[^;,)]*)?\{/.test(after) &&
      /(?:^|\n)[ \t]*(?:(?:public|private|protected|static|async|override)[ \t]+)*$/.test(before)
    )
      continue;
    if (isScript(source.language) && /(?:^|[\n{;,])[ \t]*$/.test(before) && /^\s*\??:\s*[\w{[(]/.test(after))
      continue;
    const args = argumentsOf(source.text.slice(open + 1, close), raw.slice(open + 1, close));
    if (args === null) continue;
    const qualifier = /([\w$)\]]+)\s*[?!]?\.\s*$/.exec(before)?.[1];
    found.push({
      line: lineAt(source, match.index),
      endLine: lineAt(source, close),
      ...(qualifier === undefined ? {} : { qualifier }),
      args,
    });
  }
  return found;
}

const mostCalls = 400;
/** Characters of a list of arguments. */
const longestCall = 4_000;

/** Null when `<` and a comma leave it open how many there are. */
function argumentsOf(code: string, raw: string): readonly string[] | null {
  const parts = splitAtCommas(code);
  const uncertain =
    parts.some((part) => /[\w$]</.test(part) && !part.includes('>')) &&
    parts.some((part) => part.includes('>'));
  if (uncertain) return null;
  let at = 0;
  return parts.map((part) => {
    const text = raw.slice(at, at + part.length).trim();
    at += part.length + 1;
    return text;
  });
}
