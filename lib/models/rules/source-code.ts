import { once } from './once.js';

/** What the rules read as code. Everything else is text, of which they claim nothing but secrets. */
export type Language = 'typescript' | 'javascript' | 'python' | 'go';

export function languageOf(path: string): Language | null {
  if (/\.d\.[cm]?ts$/.test(path)) return null;
  if (/\.([cm]?ts|tsx)$/.test(path)) return 'typescript';
  if (/\.([cm]?js|jsx)$/.test(path)) return /\.min\.[cm]?js$/.test(path) ? null : 'javascript';
  if (/\.py$/.test(path)) return 'python';
  if (/\.go$/.test(path)) return 'go';
  return null;
}

/** Two languages whose files can call each other. */
export const sameFamily = (a: Language, b: Language): boolean => a === b || (isScript(a) && isScript(b));

export const isScript = (language: Language): boolean =>
  language === 'typescript' || language === 'javascript';

/** The extensions of a family as a glob. */
export function globOf(language: Language): string {
  switch (language) {
    case 'typescript':
    case 'javascript':
      return '**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}';
    case 'python':
      return '**/*.py';
    case 'go':
      return '**/*.go';
  }
}

/**
 * The same lines with the insides of strings and all comments blanked, column by column, so that what is
 * found in them is code. Strings keep their quotes. Where a literal is not understood the rest of its line is
 * blanked: the rules then see too little, never too much.
 */
export function codeOnly(lines: readonly string[], language: Language): readonly string[] {
  return isScript(language) ? scriptCode(lines) : language === 'python' ? pythonCode(lines) : goCode(lines);
}

const blank = (text: string): string => text.replace(/[^\t]/g, ' ');

function scriptCode(lines: readonly string[]): readonly string[] {
  // A stack of template literals: each entry counts the open braces of its current ${...}; -1 is its text.
  const templates: number[] = [];
  let inComment = false;
  return lines.map((line) => {
    let out = '';
    let at = 0;
    while (at < line.length) {
      const two = line.slice(at, at + 2);
      const one = line[at]!;
      if (inComment) {
        const end = line.indexOf('*/', at);
        const to = end === -1 ? line.length : end + 2;
        out += blank(line.slice(at, to));
        inComment = end === -1;
        at = to;
      } else if (templates.at(-1) === -1) {
        if (one === '\\') {
          out += blank(line.slice(at, at + 2));
          at += 2;
        } else if (one === '`') {
          templates.pop();
          out += one;
          at += 1;
        } else if (two === '${') {
          templates[templates.length - 1] = 0;
          out += two;
          at += 2;
        } else {
          out += blank(one);
          at += 1;
        }
      } else if (two === '//') {
        out += blank(line.slice(at));
        at = line.length;
      } else if (two === '/*') {
        inComment = true;
        out += '  ';
        at += 2;
      } else if (one === '"' || one === "'") {
        const end = endOfString(line, at, one);
        out += one + blank(line.slice(at + 1, end)) + (end < line.length ? one : '');
        at = end + 1;
      } else if (one === '`') {
        templates.push(-1);
        out += one;
        at += 1;
      } else if (one === '/' && startsRegex(out)) {
        const end = endOfRegex(line, at);
        out += one + blank(line.slice(at + 1, end)) + (end < line.length ? one : '');
        at = end + 1;
      } else {
        const open = templates.at(-1);
        if (open !== undefined && one === '{') templates[templates.length - 1] = open + 1;
        if (open !== undefined && one === '}') templates[templates.length - 1] = open - 1;
        out += one;
        at += 1;
      }
    }
    return out.slice(0, line.length);
  });
}

function endOfString(line: string, start: number, quote: string): number {
  for (let at = start + 1; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === quote) return at;
  }
  return line.length;
}

function startsRegex(before: string): boolean {
  const code = before.trimEnd();
  return (
    code === '' ||
    /[(,=:[!&|?{};+\-*%~^<>]$/.test(code) ||
    /\b(return|typeof|case|in|of|do|else|void|await)$/.test(code)
  );
}

function endOfRegex(line: string, start: number): number {
  let inClass = false;
  for (let at = start + 1; at < line.length; at += 1) {
    const one = line[at]!;
    if (one === '\\') at += 1;
    else if (one === '[') inClass = true;
    else if (one === ']') inClass = false;
    else if (one === '/' && !inClass) return at;
  }
  return line.length;
}

function pythonCode(lines: readonly string[]): readonly string[] {
  let triple: string | undefined;
  return lines.map((line) => {
    let out = '';
    let at = 0;
    while (at < line.length) {
      const one = line[at]!;
      const three = line.slice(at, at + 3);
      if (triple !== undefined) {
        if (one === '\\') {
          out += blank(line.slice(at, at + 2));
          at += 2;
        } else if (three === triple) {
          out += three;
          at += 3;
          triple = undefined;
        } else {
          out += blank(one);
          at += 1;
        }
      } else if (one === '#') {
        out += blank(line.slice(at));
        at = line.length;
      } else if (three === '"""' || three === "'''") {
        triple = three;
        out += three;
        at += 3;
      } else if (one === '"' || one === "'") {
        const end = endOfString(line, at, one);
        out += one + blank(line.slice(at + 1, end)) + (end < line.length ? one : '');
        at = end + 1;
      } else {
        out += one;
        at += 1;
      }
    }
    return out.slice(0, line.length);
  });
}

function goCode(lines: readonly string[]): readonly string[] {
  let inComment = false;
  let inRaw = false;
  return lines.map((line) => {
    let out = '';
    let at = 0;
    while (at < line.length) {
      const one = line[at]!;
      const two = line.slice(at, at + 2);
      if (inComment || inRaw) {
        const close = inComment ? '*/' : '`';
        const end = line.indexOf(close, at);
        const to = end === -1 ? line.length : end;
        out += blank(line.slice(at, to));
        if (end !== -1) {
          out += inComment ? '  ' : '`';
          inComment = false;
          inRaw = false;
        }
        at = to + (end === -1 ? 0 : close.length);
      } else if (two === '//') {
        out += blank(line.slice(at));
        at = line.length;
      } else if (two === '/*') {
        inComment = true;
        out += '  ';
        at += 2;
      } else if (one === '`') {
        inRaw = true;
        out += one;
        at += 1;
      } else if (one === '"' || one === "'") {
        const end = endOfString(line, at, one);
        out += one + blank(line.slice(at + 1, end)) + (end < line.length ? one : '');
        at = end + 1;
      } else {
        out += one;
        at += 1;
      }
    }
    return out.slice(0, line.length);
  });
}

/** A file as the rules read it: raw lines for quotes, code lines for claims, one text to walk brackets in. */
export type Source = {
  readonly path: string;
  readonly language: Language;
  readonly lines: readonly string[];
  readonly code: readonly string[];
  /** `code` joined by newlines, with where each line starts in it. */
  readonly text: string;
  readonly starts: readonly number[];
};

export function readSource(path: string, lines: readonly string[]): Source | null {
  const language = languageOf(path);
  if (language === null) return null;
  const { code, text, starts } = readCode(lines)(language);
  return { path, language, lines, code, text, starts };
}

const readCode = once((lines: readonly string[]) => {
  const read = new Map<Language, Pick<Source, 'code' | 'text' | 'starts'>>();
  return (language: Language) => {
    const known = read.get(language) ?? layOut(lines, language);
    read.set(language, known);
    return known;
  };
});

function layOut(lines: readonly string[], language: Language): Pick<Source, 'code' | 'text' | 'starts'> {
  const code = codeOnly(lines, language);
  const starts: number[] = [];
  let at = 0;
  for (const line of code) {
    starts.push(at);
    at += line.length + 1;
  }
  return { code, text: code.join('\n'), starts };
}

/** The 1-based line of an offset in `text`. */
export function lineAt(source: Source, offset: number): number {
  let low = 0;
  let high = source.starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (source.starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** The offset of the bracket that closes the one at `open`, or -1 when there is none within `most` characters. */
export function closing(text: string, open: number, most = 200_000): number {
  const stack: string[] = [];
  const end = Math.min(text.length, open + most);
  for (let at = open; at < end; at += 1) {
    const one = text[at]!;
    const closer = closers[one];
    if (closer !== undefined) stack.push(closer);
    else if (one === ')' || one === ']' || one === '}') {
      if (stack.pop() !== one) return -1;
      if (stack.length === 0) return at;
    }
  }
  return -1;
}

/** Splits at commas outside all brackets. `<` is not a bracket here. A trailing comma adds nothing. */
export function splitAtCommas(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const one = text[at]!;
    if (one === '(' || one === '[' || one === '{') depth += 1;
    else if (one === ')' || one === ']' || one === '}') depth -= 1;
    else if (one === ',' && depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  parts.push(text.slice(from));
  return parts.at(-1)!.trim() === '' ? parts.slice(0, -1) : parts;
}

export const indentOf = (line: string): number => /^[ \t]*/.exec(line)![0].replace(/\t/g, '    ').length;

/** A range of 1-based lines, both ends included. */
export type Lines = { readonly start: number; readonly end: number };

/**
 * The lines of the block that belongs to the statement at `line`: between its braces, or indented deeper.
 * Null when there is none, or when it is not certain where it ends.
 */
export function blockAfter(source: Source, line: number): Lines | null {
  if (source.language === 'python') return indentedBlock(source, line);
  const open = openBrace(source, line);
  const end = open === null ? -1 : closing(source.text, open);
  if (open === null || end === -1) return null;
  return { start: lineAt(source, open), end: lineAt(source, end) };
}

/** The brace that opens the block of the statement at `line`; null when a statement follows without one. */
function openBrace(source: Source, line: number): number | null {
  const from = source.starts[line - 1]!;
  const code = source.code[line - 1]!;
  if (source.language === 'go') return /\{\s*$/.test(code) ? from + code.trimEnd().length - 1 : null;
  const condition = afterCondition(source, from);
  const head = condition > from ? /^\s*\{/ : /^\s*(?:\}\s*)?(?:else|do|try|finally)?\s*\{/;
  const found = head.exec(source.text.slice(condition, condition + 400));
  return found === null ? null : condition + found[0].length - 1;
}

/** Where the parenthesised condition of the statement at `from` ends; `from` itself where there is none, as in Go. */
function afterCondition(source: Source, from: number): number {
  if (source.language === 'go') return from;
  const end = source.text.indexOf('\n', from);
  const line = source.text.slice(from, end === -1 ? undefined : end);
  const start = /^\s*(?:\}\s*)?(?:else\s+)?(?:if|for|while|switch|catch)\s*(?:await\s*)?\(/.exec(line);
  if (start === null) return from;
  const close = closing(source.text, from + start[0].length - 1);
  return close === -1 ? from : close + 1;
}

function indentedBlock(source: Source, line: number): Lines | null {
  const own = indentOf(source.code[line - 1]!);
  let end = line;
  for (let next = line + 1; next <= source.code.length; next += 1) {
    const code = source.code[next - 1]!;
    if (code.trim() === '') continue;
    if (indentOf(code) <= own) break;
    end = next;
  }
  return end === line ? null : { start: line + 1, end };
}
