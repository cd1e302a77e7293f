import { Minimatch, minimatch } from 'minimatch';
import { RE2JS } from 're2js';
import type { Ref } from './evidence.js';

export type SearchQuery = {
  /** RE2 syntax: linear time for any pattern. A match is a line. */
  readonly pattern: string;
  readonly ref: Ref;
  readonly glob?: string;
  /** Matches to list; all are counted. */
  readonly limit: number;
};

/** `text` is the line, without a trailing carriage return, cut with a mark when it is very long. */
export type SearchMatch = { readonly path: string; readonly line: number; readonly text: string };

export type NotSearched = { readonly path: string; readonly why: string };

export type SearchResult =
  | {
      readonly kind: 'searched';
      readonly matches: readonly SearchMatch[];
      /** All matching lines, also those above the limit. */
      readonly total: number;
      /** Files of the scope that were searched. */
      readonly files: number;
      /** Files of the scope that could not be searched: an absence in this scope cannot hold then. */
      readonly notSearched: readonly NotSearched[];
    }
  | { readonly kind: 'bad_pattern'; readonly why: string }
  | { readonly kind: 'bad_glob'; readonly why: string };

export type SearchableFile = { readonly path: string; readonly text: string };

export type SearchLimits = {
  /** Files that cannot be searched, in any scope; those outside the glob are left out of the answer. */
  readonly notSearched?: Iterable<NotSearched>;
  /** Asked between lines; once true, the files that are left are listed as not searched. */
  readonly expired?: () => boolean;
};

export const MAX_PATTERN_LENGTH = 1000;
export const MAX_GLOB_LENGTH = 500;
export const MAX_MATCH_LENGTH = 400;
const MAX_BRACE_ALTERNATIVES = 256;
/** RE2 takes time in program size times text; this bounds one line of a megabyte to a few seconds. */
const MAX_PROGRAM_SIZE = 500;
const LINES_BETWEEN_CLOCKS = 256;

/**
 * Searches line by line, in the order given. Lines end at `\n`; a `\r` before it is not part of the matched text,
 * so that `;$` finds the ends of CRLF lines too. Never throws on a pattern or a glob.
 */
export function searchFiles(
  files: Iterable<SearchableFile>,
  query: Pick<SearchQuery, 'pattern' | 'glob' | 'limit'>,
  limits: SearchLimits = {},
): SearchResult {
  const line = compilePattern(query.pattern);
  if (line.kind === 'bad') return { kind: 'bad_pattern', why: line.why };
  const scope = compileGlob(query.glob);
  if (scope.kind === 'bad') return { kind: 'bad_glob', why: scope.why };

  const matches: SearchMatch[] = [];
  const notSearched: NotSearched[] = [];
  let total = 0;
  let searched = 0;
  let expired = false;
  for (const file of files) {
    if (!scope.covers(file.path)) continue;
    expired ||= limits.expired?.() ?? false;
    if (expired) {
      notSearched.push({ path: file.path, why: tooSlow });
      continue;
    }
    let number = 0;
    for (const text of linesOf(file.text)) {
      number += 1;
      if (number % LINES_BETWEEN_CLOCKS === 0 && (limits.expired?.() ?? false)) {
        expired = true;
        notSearched.push({ path: file.path, why: tooSlow });
        break;
      }
      const at = line.find(text);
      if (at === -1) continue;
      total += 1;
      if (matches.length < query.limit)
        matches.push({ path: file.path, line: number, text: cutAround(text, at) });
    }
    if (!expired) searched += 1;
  }
  for (const skipped of limits.notSearched ?? []) if (scope.covers(skipped.path)) notSearched.push(skipped);
  return { kind: 'searched', matches, total, files: searched, notSearched };
}

const tooSlow = 'the search ran out of time: use a simpler pattern or a narrower glob';

/**
 * Whether a path is in a glob's scope. A glob without a slash is matched against base names at any depth, and one
 * that names a folder covers what is in it. A glob that cannot be read matches nothing: check it with `checkGlob`.
 */
export function globMatches(glob: string, path: string): boolean {
  const scope = compileGlob(glob);
  return scope.kind === 'good' && scope.covers(path);
}

/** Null when the glob can be used, else a sentence that says how to mend it. */
export function checkGlob(glob: string): string | null {
  const scope = compileGlob(glob);
  return scope.kind === 'good' ? null : scope.why;
}

export type Scope =
  | { readonly kind: 'good'; readonly covers: (path: string) => boolean }
  | { readonly kind: 'bad'; readonly why: string };

/** A glob made ready to be asked often. */
export function compileGlob(given: string | undefined): Scope {
  if (given === undefined) return { kind: 'good', covers: () => true };
  const bad = (why: string): Scope => ({ kind: 'bad', why });
  if (given.length > MAX_GLOB_LENGTH)
    return bad(`The glob has ${given.length} characters; ${MAX_GLOB_LENGTH} is the most. Use a shorter one.`);
  const negated = given.startsWith('!');
  const body = (negated ? given.slice(1) : given).replace(/^(\.?\/)+/, '');
  if (body === '' || body === '.')
    return bad('The glob is empty. Leave it out to search every file, or use one such as `src/**/*.ts`.');
  if (/(^|\/)\.\.(\/|$)/.test(body))
    return bad('The glob leaves the repository with `..`. Paths start at the top of the repository.');
  const glob = body.endsWith('/') ? `${body}**` : body;
  try {
    if (
      minimatch.braceExpand(glob, { braceExpandMax: MAX_BRACE_ALTERNATIVES + 1 }).length >
      MAX_BRACE_ALTERNATIVES
    )
      return bad(
        `The braces of this glob make more than ${MAX_BRACE_ALTERNATIVES} patterns. Use \`*\` instead.`,
      );
    const options = {
      dot: true,
      nocomment: true,
      nonegate: true,
      matchBase: true,
      platform: 'linux',
      braceExpandMax: MAX_BRACE_ALTERNATIVES + 1,
    } as const;
    const inFolder = { ...options, matchBase: false };
    // `[id]` is a class of letters, and the name of a folder in many a repository: both are meant.
    const readings = glob.includes('[') ? [glob, glob.replace(/[[\]]/g, '\\$&')] : [glob];
    const matchers = readings.flatMap((reading) => [
      new Minimatch(reading, options),
      new Minimatch(`${reading}/**`, inFolder),
    ]);
    const covers = (path: string): boolean =>
      path === glob || matchers.some((matcher) => matcher.match(path));
    return { kind: 'good', covers: negated ? (path) => !covers(path) : covers };
  } catch (error) {
    return bad(`The glob cannot be read: ${messageOf(error)}.`);
  }
}

type LinePattern =
  /** The index of the first match in a line, or -1. */
  | { readonly kind: 'good'; readonly find: (line: string) => number }
  | { readonly kind: 'bad'; readonly why: string };

function compilePattern(pattern: string): LinePattern {
  const bad = (why: string): LinePattern => ({ kind: 'bad', why });
  if (pattern === '') return bad('The pattern is empty. Give the text or the expression to look for.');
  if (pattern.length > MAX_PATTERN_LENGTH)
    return bad(
      `The pattern has ${pattern.length} characters; ${MAX_PATTERN_LENGTH} is the most. Search for a shorter part.`,
    );
  if (asksForNewline(pattern))
    return bad(
      'A match is one line, so a pattern with a line break matches nothing. Search for one of the lines.',
    );
  const literal = literalOf(pattern);
  if (literal !== null) return { kind: 'good', find: (line) => line.indexOf(literal) };
  try {
    const expression = RE2JS.compile(pattern);
    if (expression.programSize() > MAX_PROGRAM_SIZE)
      return bad(
        'The pattern is too large once its counts are written out. Use smaller counts, or `*` and `+`.',
      );
    return {
      kind: 'good',
      find: (line) => {
        if (!expression.test(line)) return -1;
        if (line.length <= MAX_MATCH_LENGTH) return 0;
        const matcher = expression.matcher(line);
        return matcher.find() ? matcher.start() : 0;
      },
    };
  } catch (error) {
    return bad(mend(pattern, messageOf(error)));
  }
}

/** RE2's message, with what to do about it. */
function mend(pattern: string, message: string): string {
  const said = message.replace(/^error parsing regexp: /, '').slice(0, 200);
  const advice = /\(\?<?[=!]/.test(pattern)
    ? 'RE2 has no lookahead or lookbehind: search for the main part and read the lines around each match.'
    : /\\[1-9]/.test(pattern)
      ? 'RE2 has no backreferences: write the repeated part out, or search for the first part alone.'
      : /repeat count/.test(said)
        ? 'Counts go up to 1000 in all: use a smaller one, or `*` and `+`.'
        : /\(\?>|[*+?}]\+/.test(pattern)
          ? 'RE2 has no atomic groups or possessive counts: leave them out, it never backtracks.'
          : 'To look for the text as it is, put a backslash before each of . * + ? ( ) [ ] { } ^ $ | and \\.';
  return `The pattern is not RE2: ${said}. ${advice}`;
}

/** A raw line break, or `\n` outside a class; `[^\n]` is fine. */
function asksForNewline(pattern: string): boolean {
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === '\n') return true;
    if (char === '\\') {
      if (pattern[i + 1] === 'n' && !inClass) return true;
      i += 1;
    } else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
  }
  return false;
}

/** The text that a pattern without operators stands for; null when it needs the engine. */
function literalOf(pattern: string): string | null {
  let text = '';
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i] ?? '';
    if (char === '\\') {
      const next = pattern[i + 1] ?? '';
      if (!/^[!-/:-@[-`{-~]$/.test(next)) return null;
      text += next;
      i += 1;
    } else if (/[.*+?()[\]{}^$|]/.test(char)) return null;
    else text += char;
  }
  return text;
}

function* linesOf(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf('\n', start);
    const stop = end === -1 ? text.length : end;
    yield text.slice(start, stop > start && text.charCodeAt(stop - 1) === 13 ? stop - 1 : stop);
    start = stop + 1;
  }
}

/** At most `MAX_MATCH_LENGTH` characters of a line, with its match in sight, and a mark that says so. */
function cutAround(line: string, at: number): string {
  if (line.length <= MAX_MATCH_LENGTH) return line;
  const start = at < MAX_MATCH_LENGTH / 2 ? 0 : Math.min(at - 80, line.length - MAX_MATCH_LENGTH);
  const shown = line.slice(start, start + MAX_MATCH_LENGTH).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
  return `${shown} [cut: characters ${start + 1} to ${start + MAX_MATCH_LENGTH} of ${line.length}]`;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
