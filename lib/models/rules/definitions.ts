import { once } from './once.js';
import { closing, indentOf, isScript, lineAt, splitAtCommas } from './source-code.js';
import type { Source } from './source-code.js';

export type Parameter = {
  readonly name: string;
  /** A call must pass it. */
  readonly required: boolean;
  readonly kind: 'plain' | 'rest' | 'keyword_only' | 'keyword_rest';
  readonly text: string;
};

export type Definition = {
  readonly name: string;
  readonly kind: 'function' | 'method';
  /** The class or receiver type of a method. */
  readonly owner?: string;
  /** First to last line of the head: from the keyword to the closing parenthesis. */
  readonly line: number;
  readonly endLine: number;
  readonly parameters: readonly Parameter[];
  /** Offset of the closing parenthesis in the source's text: the body comes after it. */
  readonly close: number;
  /** Wrapped by something that may change how it is called. */
  readonly wrapped: boolean;
};

/** Functions and methods whose parameters can be read with certainty; nested functions are left out. */
export const definitionsIn = (source: Source): readonly Definition[] => definitionsOf(source.code)(source);

/** By the code lines, which one file has once. */
const definitionsOf = once((_code: readonly string[]) => {
  let found: readonly Definition[] | undefined;
  return (source: Source) => (found ??= readDefinitions(source));
});

function readDefinitions(source: Source): readonly Definition[] {
  const found = isScript(source.language)
    ? scriptDefinitions(source)
    : source.language === 'python'
      ? pythonDefinitions(source)
      : goDefinitions(source);
  return found;
}

/** Characters of a list of parameters. */
const longestHead = 8_000;

const scriptFunction =
  /(?:^|\n)[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:async[ \t]+)?function[ \t]*\*?[ \t]*([A-Za-z_$][\w$]*)[ \t]*(?:<[^()]*>)?[ \t]*\(/g;
const scriptConstant =
  /(?:^|\n)[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]+([A-Za-z_$][\w$]*)[ \t]*=[ \t]*(?:async[ \t]*)?(?:(function)[ \t]*\*?[ \t]*[\w$]*[ \t]*)?(?:<[^()]*>)?\(/g;
const scriptMethod =
  /(?:^|\n)[ \t]+(?:(?:public|private|protected|static|async|override)[ \t]+)*(?:\*[ \t]*)?(#?[A-Za-z_$][\w$]*)[ \t]*(?:<[^()]*>)?\(/g;
const notMethods = new Set([
  'if',
  'for',
  'while',
  'switch',
  'catch',
  'function',
  'return',
  'with',
  'super',
  'constructor',
  'await',
  'new',
  'typeof',
  'throw',
  'import',
  'get',
  'set',
  'else',
  'do',
]);

function scriptDefinitions(source: Source): readonly Definition[] {
  const found: Definition[] = [];
  for (const [pattern, kind] of [
    [scriptFunction, 'function'],
    [scriptConstant, 'function'],
    [scriptMethod, 'method'],
  ] as const) {
    for (const match of source.text.matchAll(pattern)) {
      const name = match[1]!;
      const open = match.index + match[0].length - 1;
      const close = closing(source.text, open, longestHead);
      if (close === -1 || (kind === 'method' && notMethods.has(name))) continue;
      const line = lineAt(source, match.index + (match[0].startsWith('\n') ? 1 : 0));
      const owner = ownerOf(source, line);
      if (kind === 'method' ? owner === null : indentOf(source.code[line - 1]!) > 0) continue;
      const after = source.text.slice(close + 1, close + 400);
      const isArrow = pattern === scriptConstant && match[2] === undefined;
      if (isArrow ? !/^\s*(?::[^;=]*(?:=>[^;=]*)?)?=>/.test(after) : !/^\s*(?::[^;]*?)?\{/.test(after))
        continue;
      const parameters = scriptParameters(
        source.text.slice(open + 1, close),
        source.language === 'typescript',
      );
      if (parameters === null) continue;
      found.push({
        name,
        kind,
        ...(owner === null || kind === 'function' ? {} : { owner }),
        line,
        endLine: lineAt(source, close),
        parameters,
        close,
        wrapped: /^\s*@/.test(source.code[line - 2] ?? ''),
      });
    }
  }
  return found;
}

/** The class whose body directly holds the line; null when it is something else. */
function ownerOf(source: Source, line: number): string | null {
  const own = indentOf(source.code[line - 1]!);
  for (let at = line - 1; at >= 1; at -= 1) {
    const code = source.code[at - 1]!;
    if (code.trim() === '' || indentOf(code) >= own) continue;
    return /\bclass[ \t]+([A-Za-z_$][\w$]*)/.exec(code)?.[1] ?? null;
  }
  return null;
}

/** Null when a type or default makes the commas uncertain. */
function scriptParameters(text: string, typed: boolean): readonly Parameter[] | null {
  const parts = splitParameters(text);
  if (parts === null) return null;
  const parameters: Parameter[] = [];
  for (const part of parts) {
    const bare = part
      .trim()
      .replace(/^(?:@[\w.]+(?:\([^)]*\))?\s*)+/, '')
      .replace(/^(?:(?:public|private|protected|readonly|override)\s+)+/, '');
    if (/^this\s*:/.test(bare)) continue;
    const rest = bare.startsWith('...');
    const pattern = /^[[{]/.test(bare);
    const name = pattern ? '' : (/^(?:\.\.\.)?([A-Za-z_$][\w$]*)/.exec(bare)?.[1] ?? '');
    if (!pattern && name === '') return null;
    const tail = pattern ? bare.slice(closing(bare, 0) + 1) : bare.slice(bare.indexOf(name) + name.length);
    const optional =
      /^\s*\?/.test(tail) || hasDefault(tail) || (typed && /:\s*(?:void|undefined|any|unknown)\b/.test(tail));
    parameters.push({ name, required: !rest && !optional, kind: rest ? 'rest' : 'plain', text: part.trim() });
  }
  return parameters;
}

const hasDefault = (tail: string): boolean => {
  let depth = 0;
  for (let at = 0; at < tail.length; at += 1) {
    const one = tail[at]!;
    if ('([{'.includes(one)) depth += 1;
    else if (')]}'.includes(one)) depth -= 1;
    else if (one === '=' && depth === 0 && tail[at + 1] !== '>' && tail[at + 1] !== '=') return true;
  }
  return false;
};

/** Splits at commas outside brackets and outside type arguments; null when `<` and `>` do not pair up. */
function splitParameters(text: string): readonly string[] | null {
  const parts: string[] = [];
  let depth = 0;
  let angle = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const one = text[at]!;
    if ('([{'.includes(one)) depth += 1;
    else if (')]}'.includes(one)) depth -= 1;
    else if (one === '<' && /[\w$]/.test(text[at - 1] ?? '')) angle += 1;
    else if (one === '>' && text[at - 1] !== '=' && angle > 0) angle -= 1;
    else if (one === ',' && depth === 0 && angle === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  if (angle !== 0) return null;
  parts.push(text.slice(from));
  return parts.at(-1)!.trim() === '' ? parts.slice(0, -1) : parts;
}

function pythonDefinitions(source: Source): readonly Definition[] {
  const found: Definition[] = [];
  for (const match of source.text.matchAll(
    /(?:^|\n)([ \t]*)(?:async[ \t]+)?def[ \t]+([A-Za-z_]\w*)[ \t]*\(/g,
  )) {
    const open = match.index + match[0].length - 1;
    const close = closing(source.text, open, longestHead);
    if (close === -1) continue;
    const line = lineAt(source, match.index + (match[0].startsWith('\n') ? 1 : 0));
    const owner = match[1] === '' ? null : ownerOf(source, line);
    if (match[1] !== '' && owner === null) continue;
    const decorators = decoratorsAbove(source, line);
    const isStatic = decorators.some((text) => text === '@staticmethod');
    const parts = splitAtCommas(source.text.slice(open + 1, close));
    const own = owner !== null && !isStatic ? parts.slice(1) : parts;
    found.push({
      name: match[2]!,
      kind: owner === null ? 'function' : 'method',
      ...(owner === null ? {} : { owner }),
      line,
      endLine: lineAt(source, close),
      parameters: pythonParameters(own),
      close,
      wrapped: decorators.some(
        (text) =>
          !/^@(?:staticmethod|classmethod|(?:contextlib\.)?(?:async)?contextmanager|(?:functools\.)?(?:lru_cache|cache)\b.*|(?:typing\.)?(?:override|final)|(?:abc\.)?abstractmethod)$/.test(
            text,
          ),
      ),
    });
  }
  return found;
}

function decoratorsAbove(source: Source, line: number): readonly string[] {
  const found: string[] = [];
  for (let at = line - 1; at >= 1; at -= 1) {
    const code = source.code[at - 1]!.trim();
    if (code === '' || code === ')') break;
    if (!code.startsWith('@')) break;
    found.push(code);
  }
  // A decorator whose arguments span lines ends in a lone parenthesis.
  return source.code[line - 2]?.trim().endsWith(')') === true && found.length === 0 ? ['@?'] : found;
}

function pythonParameters(parts: readonly string[]): readonly Parameter[] {
  let keywordOnly = false;
  return parts.flatMap((part): Parameter[] => {
    const text = part.trim();
    if (text === '/' || text === '') return [];
    if (text === '*') {
      keywordOnly = true;
      return [];
    }
    const name = /^\*{0,2}([A-Za-z_]\w*)/.exec(text)?.[1] ?? '';
    if (text.startsWith('**')) return [{ name, required: false, kind: 'keyword_rest', text }];
    if (text.startsWith('*')) {
      keywordOnly = true;
      return [{ name, required: false, kind: 'rest', text }];
    }
    return [{ name, required: !hasDefault(text), kind: keywordOnly ? 'keyword_only' : 'plain', text }];
  });
}

function goDefinitions(source: Source): readonly Definition[] {
  const found: Definition[] = [];
  for (const match of source.text.matchAll(
    /(?:^|\n)func[ \t]+(?:\(([^)]*)\)[ \t]*)?([A-Za-z_]\w*)(?:\[[^\]]*\])?\(/g,
  )) {
    const open = match.index + match[0].length - 1;
    const close = closing(source.text, open, longestHead);
    if (close === -1) continue;
    const line = lineAt(source, match.index + (match[0].startsWith('\n') ? 1 : 0));
    const owner = match[1] === undefined ? undefined : /(\w+)(?:\[[^\]]*\])?\s*$/.exec(match[1])?.[1];
    found.push({
      name: match[2]!,
      kind: match[1] === undefined ? 'function' : 'method',
      ...(owner === undefined ? {} : { owner }),
      line,
      endLine: lineAt(source, close),
      parameters: splitAtCommas(source.text.slice(open + 1, close)).map((part) => {
        const text = part.trim();
        const rest = text.includes('...');
        return { name: /^\w+/.exec(text)?.[0] ?? '', required: !rest, kind: rest ? 'rest' : 'plain', text };
      }),
      close,
      wrapped: false,
    });
  }
  return found;
}

/** The function or method whose body holds the line: the nearest definition above that is indented less. */
export function enclosingDefinition(source: Source, line: number): Definition | null {
  const own = indentOf(source.code[line - 1] ?? '');
  const candidates = definitionsIn(source).filter(
    (definition) =>
      definition.line <= line &&
      (definition.endLine >= line || indentOf(source.code[definition.line - 1]!) < own),
  );
  const nearest = candidates.reduce<Definition | null>(
    (best, each) => (best === null || each.line > best.line ? each : best),
    null,
  );
  return nearest !== null && bodyOf(source, nearest).end >= line ? nearest : null;
}

/** The lines of a definition, head and body. */
export function bodyOf(
  source: Source,
  definition: Definition,
): { readonly start: number; readonly end: number } {
  if (source.language === 'python') {
    const own = indentOf(source.code[definition.line - 1]!);
    let end = definition.endLine;
    for (let at = definition.endLine + 1; at <= source.code.length; at += 1) {
      const code = source.code[at - 1]!;
      if (code.trim() === '') continue;
      if (indentOf(code) <= own) break;
      end = at;
    }
    return { start: definition.line, end };
  }
  const after = source.text.slice(definition.close + 1);
  const arrow = /^\s*(?::[^;={]*)?=>\s*(?=[^\s{])/.exec(after);
  if (arrow !== null) {
    const own = indentOf(source.code[definition.line - 1]!);
    let end = lineAt(source, definition.close + arrow[0].length + 1);
    while (
      end < source.code.length &&
      !/;\s*$/.test(source.code[end - 1]!) &&
      indentOf(source.code[end]!) > own
    )
      end += 1;
    return { start: definition.line, end };
  }
  const open = bodyBrace(source.text, definition.close + 1);
  const close = open === -1 ? -1 : closing(source.text, open);
  return { start: definition.line, end: close === -1 ? definition.endLine : lineAt(source, close) };
}

/** The brace that opens the body: the last `{` on the line where the head ends, past any type in braces. */
function bodyBrace(text: string, from: number): number {
  let at = from;
  for (let tries = 0; tries < 4; tries += 1) {
    const open = text.indexOf('{', at);
    if (open === -1) return -1;
    const close = closing(text, open);
    if (close === -1) return open;
    // `(): { a: string } {`: a type is followed by the body on the same line.
    if (!/^[ \t\][>|&\w]*\{/.test(text.slice(close + 1, close + 200))) return open;
    at = close + 1;
  }
  return -1;
}
