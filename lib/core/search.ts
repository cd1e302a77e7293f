import { Minimatch, minimatch } from 'minimatch';
import { RE2JS } from 're2js';
import type { Ref } from './evidence.js';
import { requiredWords } from './required-words.js';

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

export type SearchResult = Searched | BadQuery;

export type Searched = {
  readonly kind: 'searched';
  /** By path and line. Those above the limit are left out, from the files searched last. */
  readonly matches: readonly SearchMatch[];
  /** All matching lines, also those above the limit. */
  readonly total: number;
  /** Files of the scope that were searched whole. */
  readonly files: number;
  /** Files of the scope that could not be searched: an absence in this scope cannot hold then. */
  readonly notSearched: readonly NotSearched[];
  /** How many of `notSearched` were left when the time was up; 0 for a search that is finished. */
  readonly outOfTime: number;
};

export type BadQuery =
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
/** Longer texts are searched by line alone, between which the clock is asked. */
const MAX_WHOLE_TEXT = 1 << 17;

/**
 * Searches line by line. Lines end at `\n`; a `\r` before it is not part of the matched text, so that `;$` finds the
 * ends of CRLF lines too. Never throws on a pattern or a glob.
 */
export function searchFiles(
  files: Iterable<SearchableFile>,
  query: Pick<SearchQuery, 'pattern' | 'glob' | 'limit'>,
  limits: SearchLimits = {},
): SearchResult {
  const search = startSearch(query, limits.expired);
  if (search.kind !== 'started') return search;
  for (const file of files) if (search.covers(file.path)) search.look(file);
  for (const skipped of limits.notSearched ?? []) if (search.covers(skipped.path)) search.skip(skipped);
  return search.result();
}

export type Search = {
  readonly kind: 'started';
  /** Whether a path is in the scope. The calls below are for such paths only. */
  readonly covers: (path: string) => boolean;
  /** Once true, files need not be loaded any more. */
  readonly expired: () => boolean;
  readonly look: (file: SearchableFile) => void;
  /** A file of the scope that is not looked at; without a reason, because the time is up. */
  readonly skip: (file: { readonly path: string; readonly why?: string }) => void;
  readonly result: () => Searched;
};

/** A search that is given its files one by one, best first: when its time is up, those that are left are said. */
export function startSearch(
  query: Pick<SearchQuery, 'pattern' | 'glob' | 'limit'>,
  isTimeUp: () => boolean = () => false,
): Search | BadQuery {
  const pattern = compilePattern(query.pattern);
  if (pattern.kind === 'bad') return { kind: 'bad_pattern', why: pattern.why };
  const scope = compileGlob(query.glob);
  if (scope.kind === 'bad') return { kind: 'bad_glob', why: scope.why };

  const matches: SearchMatch[] = [];
  const notSearched: NotSearched[] = [];
  let total = 0;
  let files = 0;
  let outOfTime = 0;
  let late = false;
  const expired = (): boolean => (late ||= isTimeUp());
  const skip: Search['skip'] = ({ path, why }) => {
    if (why === undefined) outOfTime += 1;
    notSearched.push({ path, why: why ?? tooSlow });
  };
  const look: Search['look'] = ({ path, text }) => {
    if (expired()) return skip({ path });
    let number = 0;
    let counted = 0;
    let looked = 0;
    for (let from = pattern.next(text, 0); from !== -1 && from < text.length;) {
      if (++looked % LINES_BETWEEN_CLOCKS === 0 && expired()) return skip({ path });
      const end = lineEnd(text, from);
      const line = text.slice(from, end > from && text.charCodeAt(end - 1) === 13 ? end - 1 : end);
      const at = pattern.find(line);
      if (at !== -1) {
        total += 1;
        if (matches.length < query.limit) {
          for (; counted <= from; counted = lineEnd(text, counted) + 1) number += 1;
          matches.push({ path, line: number, text: cutAround(line, at) });
        }
      }
      from = end < text.length ? pattern.next(text, end + 1) : -1;
    }
    files += 1;
  };
  const result = (): Searched => {
    const sorted = matches.toSorted((a, b) => comparePaths(a.path, b.path) || a.line - b.line);
    return { kind: 'searched', matches: sorted, total, files, notSearched, outOfTime };
  };
  return { kind: 'started', covers: scope.covers, expired, look, skip, result };
}

const comparePaths = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const tooSlow = 'the search ran out of time: use a simpler pattern or a narrower glob';

/**
 * Whether a path is in a glob's scope. A glob without a slash is matched against base names at any depth, and one
 * that names a folder covers what is in it. A glob that cannot be read matches nothing: check it with `checkGlob`.
 */
export function globMatches(glob: string, path: string): boolean {
  const scope = compileGlob(glob);
  return scope.kind === 'good' && scope.covers(path);
}

/** Globs made ready: the index of the first one that covers a path, or -1. */
export function firstGlob(globs: readonly string[]): (path: string) => number {
  const scopes = globs.map(compileGlob);
  return (path) => scopes.findIndex((scope) => scope.kind === 'good' && scope.covers(path));
}

/** Whether a glob means a branch: `*` covers one part between slashes, and a folder covers nothing. */
export const branchMatches = (glob: string, branch: string): boolean =>
  glob === branch || minimatch(branch, glob, { dot: true, nocomment: true, nonegate: true, noext: true });

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
  | {
      readonly kind: 'good';
      /** The index of the first match in a line, or -1. */
      readonly find: (line: string) => number;
      /** Where the next line starts that may match, at or after the start of a line; -1 when none may. */
      readonly next: (text: string, from: number) => number;
    }
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
  if (literal !== null)
    return {
      kind: 'good',
      find: (line) => line.indexOf(literal),
      next: (text, from) => lineStart(text, text.indexOf(literal, from)),
    };
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
      next: nextByWords(pattern) ?? nextByText(pattern),
    };
  } catch (error) {
    return bad(mend(pattern, messageOf(error)));
  }
}

/** Lines without a word that every match holds are passed over by plain text search, which is linear too. */
function nextByWords(pattern: string): ((text: string, from: number) => number) | null {
  const required = requiredWords(pattern);
  if (required === null) return null;
  const words = required.words.map((word) => word.replace(/[.*+?()[\]{}^$|\\]/g, '\\$&')).join('|');
  const expression = new RegExp(words, required.anyCase ? 'giu' : 'gu');
  return (text, from) => {
    expression.lastIndex = from;
    return lineStart(text, expression.exec(text)?.index ?? -1);
  };
}

/**
 * A text without a match is asked once. What matches a line also matches where that line stands in its text, once `^`
 * and `$` mean lines: not so for `\A` and `\z`, for flags that are switched off, and for `$` before a carriage return.
 */
function nextByText(pattern: string): (text: string, from: number) => number {
  if (/\\[AzZQ]|\(\?[a-zA-Z]*-/.test(pattern)) return (_, from) => from;
  const expression = RE2JS.compile(pattern, RE2JS.MULTILINE);
  const ends = pattern.includes('$');
  return (text, from) => {
    if (from > 0 || text.length > MAX_WHOLE_TEXT || (ends && text.includes('\r'))) return from;
    return expression.test(text) ? from : -1;
  };
}

const lineStart = (text: string, at: number): number => (at < 1 ? at : text.lastIndexOf('\n', at - 1) + 1);

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
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

/** At most `MAX_MATCH_LENGTH` characters of a line, with its match in sight, and a mark that says so. */
function cutAround(line: string, at: number): string {
  if (line.length <= MAX_MATCH_LENGTH) return line;
  const start = at < MAX_MATCH_LENGTH / 2 ? 0 : Math.min(at - 80, line.length - MAX_MATCH_LENGTH);
  const shown = line.slice(start, start + MAX_MATCH_LENGTH).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
  return `${shown} [cut: characters ${start + 1} to ${start + MAX_MATCH_LENGTH} of ${line.length}]`;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
