import { once } from './once.js';
import { parseDiff, parseFile, parseSearch } from './tool-texts.js';
import type { ChangedFile, SearchText } from './tool-texts.js';

/**
 * A look is a computation that now and then needs a tool's answer: it yields the calls it wants, side by side,
 * and goes on when all are answered. It holds no state outside itself, so that it can be run again from its
 * start over a growing transcript and always asks the same things in the same order.
 */
export type Look<T> = Generator<readonly Ask[], T, readonly Answer[]>;

export type Ask = { readonly name: string; readonly input: Readonly<Record<string, string | number>> };

export type Answer = { readonly text: string; readonly isError: boolean };

/** Two asks with the same key are one call. */
export const askKey = (ask: Ask): string =>
  JSON.stringify([ask.name, Object.entries(ask.input).sort(([a], [b]) => (a < b ? -1 : 1))]);

export type Progress<T> =
  | { readonly kind: 'done'; readonly value: T; readonly asked: readonly Ask[] }
  | { readonly kind: 'waiting'; readonly asks: readonly Ask[] };

/** Runs a look as far as the known answers carry it. */
export function advance<T>(look: Look<T>, known: ReadonlyMap<string, Answer>): Progress<T> {
  const asked: Ask[] = [];
  let step = look.next();
  while (step.done !== true) {
    const answers = step.value.map((ask) => known.get(askKey(ask)));
    const missing = step.value.filter((_, index) => answers[index] === undefined);
    if (missing.length > 0) return { kind: 'waiting', asks: missing };
    asked.push(...step.value);
    step = look.next(answers as readonly Answer[]);
  }
  return { kind: 'done', value: step.value, asked };
}

/** Several looks side by side: what they ask goes out in one turn. */
export function* together<T>(looks: readonly Look<T>[]): Look<T[]> {
  const steps = looks.map((look) => look.next());
  for (;;) {
    const open = steps.flatMap((step, index) => (step.done === true ? [] : [{ step, index }]));
    if (open.length === 0) return steps.map((step) => step.value as T);
    const answers = yield open.flatMap(({ step }) => step.value);
    let from = 0;
    for (const { step, index } of open) {
      const count = step.value.length;
      steps[index] = looks[index]!.next(answers.slice(from, from + count));
      from += count;
    }
  }
}

/** The whole diff, page by page, in the order of the tool. */
export function* readDiff(): Look<readonly ChangedFile[]> {
  const files: ChangedFile[] = [];
  const [, first] = yield [
    { name: 'get_pr_info', input: {} },
    { name: 'get_pr_diff', input: {} },
  ];
  let answer = first!;
  const cursors = new Set<string>();
  for (;;) {
    if (answer.isError) return files;
    const page = parseDiff(answer.text);
    for (const file of page.files) {
      const last = files.at(-1);
      // A page may end in the middle of a file: the next one goes on with the same path.
      if (last?.path === file.path)
        files[files.length - 1] = { ...last, hunks: [...last.hunks, ...file.hunks] };
      else files.push(file);
    }
    const cursor = page.cut?.cursor;
    if (cursor === undefined || cursors.has(cursor)) return files;
    cursors.add(cursor);
    [answer] = (yield [{ name: 'get_pr_diff', input: { cursor } }]) as [Answer];
  }
}

/** A whole file that was shown in this run. Index 0 is line 1. */
export type ReadFile = {
  readonly path: string;
  readonly ref: 'head' | 'base';
  readonly lines: readonly string[];
};

/** As many as one answer carries. */
const linesPerCall = 800;
/** Longer files are left alone: nothing certain is said about them. */
const mostCalls = 8;
/** A longer line comes cut, and then brackets no longer pair up. */
const longestLine = 2000;

const fileOf = once((answer: Answer) => (answer.isError ? null : parseFile(answer.text)));

/** The whole text of a file, or null when it is missing, not text, too long, or not shown whole. */
export function* readFile(ref: 'head' | 'base', path: string): Look<ReadFile | null> {
  const name = ref === 'head' ? 'get_file_content' : 'get_file_at_base';
  const lines: string[] = [];
  for (let call = 0; call < mostCalls; call += 1) {
    const start = lines.length + 1;
    const [answer] = yield [{ name, input: { path, start, end: start + linesPerCall - 1 } }];
    const part = fileOf(answer!);
    if (part === null || part.total > linesPerCall * mostCalls || part.start !== start) return null;
    if (part.lines.some((text) => text.length > longestLine)) return null;
    if (start === 1 && part.lines.length === part.total) return { path, ref, lines: part.lines };
    lines.push(...part.lines);
    if (lines.length >= part.total) return { path, ref, lines };
    if (part.lines.length === 0) return null;
  }
  return null;
}

export function* readFiles(
  ref: 'head' | 'base',
  paths: readonly string[],
): Look<ReadonlyMap<string, ReadFile>> {
  const unique = [...new Set(paths)];
  const files = yield* together(unique.map((path) => readFile(ref, path)));
  return new Map(files.flatMap((file) => (file === null ? [] : [[file.path, file] as const])));
}

/** Null when the search was refused. Patterns are RE2, so only what RE2 knows may be used. */
export function* searchCode(query: {
  readonly pattern: string;
  readonly glob?: string;
  readonly ref?: 'head' | 'base';
}): Look<SearchText | null> {
  const input: Record<string, string> = { pattern: query.pattern };
  if (query.glob !== undefined) input['glob'] = query.glob;
  if (query.ref !== undefined) input['ref'] = query.ref;
  const [answer] = yield [{ name: 'search_code', input }];
  return answer!.isError ? null : parseSearch(answer!.text);
}

/** The text with everything escaped that a pattern would read as a sign. */
export const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
