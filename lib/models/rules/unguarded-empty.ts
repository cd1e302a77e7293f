import { callsOf } from './calls.js';
import { findCallers } from './callers.js';
import type { Caller } from './callers.js';
import { isPlainPath } from './condition.js';
import { bodyOf, definitionsIn, enclosingDefinition } from './definitions.js';
import type { Definition } from './definitions.js';
import { countsAnything, guardBefore, throwsWhenEmpty } from './guards.js';
import type { Guard } from './guards.js';
import { importsOf, leadsTo, mayPassOn } from './imports.js';
import { literally, readFile, readFiles, searchCode, together } from './look.js';
import type { Look } from './look.js';
import { isExample, isForeign, isTestLike } from './paths.js';
import { nothing } from './rule.js';
import type { Judgement, Rule } from './rule.js';
import { closing, codeOnly, globOf, isScript, languageOf, readSource, splitAtCommas } from './source-code.js';
import type { Language, Source } from './source-code.js';
import type { ChangedFile, DiffRow } from './tool-texts.js';

/**
 * Added code that fails on an empty list: `reduce` without a start value, the largest of none, a division by the
 * length. Whether an empty list can get there is looked up: in the function, in every caller, in what a caller
 * checks before the call, and in the callers' callers.
 *
 * - A guard on every way in: the suspicion is listed as disproved, with the guard.
 * - No calling file looks at a length at all, and the base version coped with an empty list: a finding. The absence is
 *   a search that must find nothing in the calling files.
 * - The same for code that is new, so that nobody has promised to cope: a question.
 * - Anything between: nothing.
 */
export const unguardedEmpty: Rule = {
  name: 'unguarded-empty',
  looksFor: 'code that fails on an empty list which no caller rules out',
  suspect: (change) =>
    change.files
      .filter(
        (file) =>
          readable(languageOf(file.path)) &&
          !isTestLike(file.path) &&
          !isForeign(file.path) &&
          !isExample(file.path),
      )
      .flatMap((file) =>
        file.hunks.flat().flatMap((row) => {
          if (row.kind !== 'added') return [];
          const hazard = readHazard(row.text, languageOf(file.path)!);
          return hazard === null ? [] : [{ rule: 'unguarded-empty', weigh: () => weigh(file, row) }];
        }),
      )
      .slice(0, 6),
};

const readable = (language: Language | null): boolean => language !== null && language !== 'go';

/** What fails on an empty `subject`, and how. */
export type Hazard = {
  readonly kind: 'reduce' | 'largest' | 'division';
  readonly subject: string;
  readonly fails: string;
};

export function readHazard(text: string, language: Language): Hazard | null {
  const code = codeOnly([text], language)[0]!;
  return hazardIn(code, language);
}

const chain =
  /((?:[A-Za-z_$][\w$]*\s*[?!]?\.\s*)*[A-Za-z_$][\w$]*)((?:\.map\([^]*\))?)\.reduce(?:<[^()]*>)?\($/;

function hazardIn(code: string, language: Language): Hazard | null {
  if (isScript(language)) {
    const at = /\.reduce(?:<[^()]*>)?\(/.exec(code);
    if (at !== null) {
      const open = at.index + at[0].length - 1;
      const close = closing(code, open);
      const args = close === -1 ? [] : splitAtCommas(code.slice(open + 1, close));
      const subject = chain.exec(code.slice(0, open + 1))?.[1]?.replace(/\s|[?!]/g, '');
      if (args.length === 1 && /=>|\bfunction\b|^[\w$.]+$/.test(args[0]!.trim()) && subject !== undefined)
        return named(
          subject.replace(/\.map$/, ''),
          'reduce',
          '`reduce` without a start value throws a `TypeError`',
        );
    }
    return null;
  }
  const reduced = /(?<![\w.])(?:functools\.)?reduce\(/.exec(code);
  if (reduced !== null) {
    const open = reduced.index + reduced[0].length - 1;
    const close = closing(code, open);
    const args = close === -1 ? [] : splitAtCommas(code.slice(open + 1, close));
    if (args.length === 2)
      return named(args[1]!.trim(), 'reduce', '`reduce` without a start value raises a `TypeError`');
  }
  const largest = /(?<![\w.])(max|min)\(\s*([\w.]+)\s*\)/.exec(code);
  if (largest !== null) return named(largest[2]!, 'largest', `\`${largest[1]}\` raises a \`ValueError\``);
  const divided = /\/\s*len\(\s*([\w.]+)\s*\)/.exec(code);
  return divided === null
    ? null
    : named(divided[1]!, 'division', 'the division raises a `ZeroDivisionError`');
}

const named = (subject: string, kind: Hazard['kind'], fails: string): Hazard | null =>
  isPlainPath(subject) ? { kind, subject, fails } : null;

/** The place in the head: which parameter of which function must not be empty. */
type Place = {
  readonly source: Source;
  readonly definition: Definition;
  readonly index: number;
  /** What follows the parameter in the path: `.items` of `cart.items`. */
  readonly suffix: string;
  readonly hazard: Hazard;
};

function* weigh(file: ChangedFile, row: DiffRow): Look<Judgement> {
  const [now, before] = yield* together([
    readFile('head', file.path),
    file.status.startsWith('added') ? noFile() : readFile('base', file.oldPath),
  ]);
  const source = now == null ? null : readSource(file.path, now.lines);
  if (source === null || source.lines[row.line - 1] !== row.text) return nothing;
  const place = readPlace(source, row.line);
  if (place === null || guardBefore(source, place.hazard.subject, place.definition.line, row.line) !== null)
    return nothing;

  const callers = yield* findCallers(place.definition, source);
  const used = callers.certain.filter((caller) => !isTestLike(caller.source.path));
  if (used.length === 0 || used.length > 6 || !callers.all) return nothing;
  const ways = yield* together(used.map((caller) => wayIn(caller, place.index, place.suffix, 1)));
  if (ways.some((way) => way.kind === 'unknown')) return nothing;
  const guarded = ways.find((way) => way.kind === 'guarded');
  if (guarded !== undefined && ways.every((way) => way.kind !== 'open'))
    return disproved({ path: file.path, line: row.line }, place, guarded.guard, guarded.call);
  const open = ways.filter((way) => way.kind === 'open');
  if (open.length === 0) return nothing;

  const files = [...new Set(open.flatMap((way) => way.files))];
  const absence = yield* absenceIn(source, place.hazard.subject, files);
  if (absence === null) return nothing;
  const old = before == null ? null : readSource(file.oldPath, before.lines);
  const safe = old === null ? null : copedBefore(old, place);
  return accuse(file, row, place, open[0]!.call, absence, safe);
}

// A look that asks nothing.
// eslint-disable-next-line require-yield
function* noFile(): Look<null> {
  return null;
}

function readPlace(source: Source, line: number): Place | null {
  const hazard = hazardIn(source.code[line - 1]!, source.language);
  const definition = enclosingDefinition(source, line);
  if (hazard === null || definition === null || definition.wrapped) return null;
  const [root = ''] = hazard.subject.split('.');
  const index = definition.parameters.findIndex(
    (parameter) => parameter.kind === 'plain' && parameter.name === root,
  );
  const parameter = definition.parameters[index];
  // A default may be what keeps it from being empty.
  if (parameter === undefined || !parameter.required) return null;
  const body = source.code.slice(definition.line - 1, line - 1).join('\n');
  if (
    new RegExp(`(?<![\\w$.])${literally(root)}\\s*(?:=(?!=)|\\|\\|=|\\?\\?=)`).test(
      body.slice(body.indexOf(')')),
    )
  )
    return null;
  return { source, definition, index, suffix: hazard.subject.slice(root.length), hazard };
}

type Way =
  | { readonly kind: 'guarded'; readonly guard: Guard; readonly call: Caller }
  /** A literal with items in it. */
  | { readonly kind: 'filled' }
  | { readonly kind: 'open'; readonly call: Caller; readonly files: readonly string[] }
  | { readonly kind: 'unknown' };

/** One way in: whether an empty list can come along it. `above` counts how many levels of callers may still be read. */
function* wayIn(caller: Caller, index: number, suffix: string, above: number): Look<Way> {
  const { source, call } = caller;
  const arg = call.args[index];
  if (arg === undefined || call.args.some((each) => each.startsWith('...') || each.startsWith('*')))
    return { kind: 'unknown' };
  if (/^\[\s*[^\]\s.]/.test(arg) && suffix === '') return { kind: 'filled' };
  const subject = `${arg}${suffix}`;
  if (!isPlainPath(subject)) return { kind: 'unknown' };
  const home = enclosingDefinition(source, call.line);
  const from = home?.line ?? 1;
  const near = guardBefore(source, subject, from, call.line);
  if (near !== null) return { kind: 'guarded', guard: near, call: caller };
  const checked = yield* checkedBefore(source, subject, from, call.line);
  if (checked.guard !== null) return { kind: 'guarded', guard: checked.guard, call: caller };
  const files = [source.path, ...checked.files];
  const [root = ''] = subject.split('.');
  const position =
    home?.parameters.findIndex((parameter) => parameter.name === root && parameter.kind === 'plain') ?? -1;
  if (home === null || position === -1) return { kind: 'open', call: caller, files };
  if (above === 0 || home.wrapped) return { kind: 'open', call: caller, files };
  const callers = yield* findCallers(home, source);
  const used = callers.certain.filter((each) => !isTestLike(each.source.path));
  if (used.length === 0) return { kind: 'open', call: caller, files };
  if (!callers.all || used.length > 4) return { kind: 'unknown' };
  const ways = yield* together(
    used.map((each) => wayIn(each, position, subject.slice(root.length), above - 1)),
  );
  const open = ways.find((way) => way.kind === 'open');
  if (open !== undefined) return { ...open, files: [...files, ...open.files] };
  return (
    ways.find((way) => way.kind === 'unknown') ??
    ways.find((way) => way.kind === 'guarded') ?? { kind: 'filled' }
  );
}

/**
 * What the caller hands the same thing to before the call: `validateCart(cart)`, or `const cart = validateCart(raw)`. A guard
 * counts when that function throws on an empty list.
 */
function* checkedBefore(
  source: Source,
  subject: string,
  from: number,
  line: number,
): Look<{ readonly guard: Guard | null; readonly files: readonly string[] }> {
  const [root = ''] = subject.split('.');
  const suffix = subject.slice(root.length);
  const word = literally(root);
  const handed: { name: string; index: number | null }[] = [];
  for (let at = from; at < line; at += 1) {
    const code = source.code[at - 1]!;
    const given = new RegExp(
      `^\\s*(?:const|let|var)?\\s*${word}\\s*(?::[^=]*)?=\\s*(?:await\\s+)?([A-Za-z_$][\\w$]*)\\(`,
    ).exec(code)?.[1];
    if (given !== undefined) handed.push({ name: given, index: null });
    for (const match of code.matchAll(/(?<![\w$.])([A-Za-z_$][\w$]*)\(/g)) {
      const name = match[1]!;
      if (/^(?:if|for|while|switch|return|def|function|await)$/.test(name)) continue;
      // Only a plain statement is sure to have run: not one inside a deeper block.
      const own = callsOf(source, name).find((call) => call.line === at);
      const index = own?.args.findIndex((arg) => arg === root) ?? -1;
      if (
        index !== -1 &&
        /^\s*(?:await\s+|(?:const|let|var)\s+[\w$]+\s*=\s*(?:await\s+)?)?[A-Za-z_$][\w$]*\(/.test(code)
      )
        handed.push({ name, index });
    }
  }
  const files: string[] = [];
  for (const { name, index } of handed.slice(0, 4)) {
    const home = yield* findDefinition(source, name);
    if (home === null) continue;
    files.push(home.source.path);
    const parameter = home.definition.parameters[index ?? 0];
    if (parameter === undefined || parameter.name === '') continue;
    const body = bodyOf(home.source, home.definition);
    const returnsIt = new RegExp(`\\breturn\\s+${literally(parameter.name)}\\s*;?\\s*$`, 'm');
    if (index === null && !returnsIt.test(home.source.code.slice(body.start - 1, body.end).join('\n')))
      continue;
    const guard = throwsWhenEmpty(home.source, `${parameter.name}${suffix}`, body.start, body.end);
    if (guard !== null) return { guard, files };
  }
  return { guard: null, files };
}

/** Where a name that a file uses is defined: in that file, or in the one it is taken from. */
function* findDefinition(
  source: Source,
  name: string,
): Look<{ readonly source: Source; readonly definition: Definition } | null> {
  const single = (where: Source, wanted: string): Definition | null => {
    const found = definitionsIn(where).filter((each) => each.name === wanted && each.kind === 'function');
    return found.length === 1 ? found[0]! : null;
  };
  const own = single(source, name);
  if (own !== null) return { source, definition: own };
  const taken = importsOf(source).find(
    (each) => each.local === name && each.imported !== '*' && each.imported !== 'default',
  );
  if (taken === undefined) return null;
  const word = literally(taken.imported);
  const found = yield* searchCode({
    pattern: `\\b(function|def|const)\\s+${word}\\b`,
    glob: globOf(source.language),
  });
  const paths = [...new Set((found?.matches ?? []).map((match) => match.path))].filter(
    (path) => leadsTo(taken.module, source, path) || mayPassOn(taken.module, source, path),
  );
  if (paths.length !== 1) return null;
  const files = yield* readFiles('head', paths);
  const file = files.get(paths[0]!);
  const home = file === undefined ? null : readSource(file.path, file.lines);
  const definition = home === null ? null : single(home, taken.imported);
  return home === null || definition === null ? null : { source: home, definition };
}

type Absent = { readonly pattern: string; readonly glob: string; readonly ref: 'head' };

/** A search that finds no look at a length in the calling files, and does find one elsewhere. Null when none holds. */
function* absenceIn(source: Source, subject: string, files: readonly string[]): Look<Absent | null> {
  if (files.some((path) => /[{},*?[\]()!@+\\]/.test(path))) return null;
  const glob = files.length === 1 ? files[0]! : `{${files.join(',')}}`;
  const pattern = countsAnything(source, subject);
  const [inside, anywhere, before] = yield* together([
    searchCode({ pattern, glob }),
    searchCode({ pattern }),
    searchCode({ pattern, ref: 'base' }),
  ]);
  if (inside == null || inside.total > 0) return null;
  if ((anywhere?.total ?? 0) === 0 && (before?.total ?? 0) === 0) return null;
  return { pattern, glob, ref: 'head' };
}

/** The line of the base version that coped with an empty list: a start value, a default, or a guard. */
function copedBefore(old: Source, place: Place): { readonly line: number; readonly text: string } | null {
  const was = definitionsIn(old).filter((each) => each.name === place.definition.name);
  const parameter = was[0]?.parameters[place.index];
  if (was.length !== 1 || parameter === undefined) return null;
  const body = bodyOf(old, was[0]!);
  const subject = `${parameter.name}${place.suffix}`;
  const code = old.code.slice(body.start - 1, body.end);
  if (code.some((text) => hazardIn(text, old.language)?.kind === place.hazard.kind)) return null;
  const guard = guardBefore(old, subject, body.start, body.end);
  if (guard !== null) return { line: guard.line, text: guard.text };
  const start = code.findIndex((text) =>
    place.hazard.kind === 'reduce'
      ? /\breduce(?:<[^()]*>)?\(/.test(text)
      : place.hazard.kind === 'largest' && /\b(?:max|min)\([^)]*\bdefault\s*=/.test(text),
  );
  if (start === -1) return null;
  return { line: body.start + start, text: old.lines[body.start + start - 1]! };
}

const claimOf = ({ hazard, definition }: Place): string =>
  `empty ${hazard.subject.split('.')[0]} reaches ${definition.name}()`;

/** How far one has to go from the accused line to the guard: its callers are one file away, theirs two. */
function distance({ source }: Place, guard: Guard, caller: Caller): string {
  const steps = [caller.source.path, guard.path].filter(
    (path, index, all) => path !== (all[index - 1] ?? source.path),
  );
  return steps.length === 0 ? '' : steps.length === 1 ? ', one file away' : ', two files away';
}

function disproved(
  of: { readonly path: string; readonly line: number },
  place: Place,
  guard: Guard,
  caller: Caller,
): Judgement {
  return {
    kind: 'disproved',
    of: { rule: 'unguarded-empty', ...of },
    claim: {
      claim: claimOf(place),
      because: `guarded at \`${guard.path}:${guard.line}\`${distance(place, guard, caller)}, before \`${caller.source.path}:${caller.call.line}\` calls it`,
      path: guard.path,
      ref: 'head',
      line: guard.line,
      quote: guard.text,
    },
  };
}

function accuse(
  file: ChangedFile,
  row: DiffRow,
  place: Place,
  { source, call }: Caller,
  absence: Absent,
  safe: { readonly line: number; readonly text: string } | null,
): Judgement {
  const { hazard, definition } = place;
  if (safe === null && hazard.kind !== 'reduce') return nothing;
  const reached = `\`${source.path}:${call.line}\` calls it and no file on the way looks at how many there are.`;
  const quote = {
    path: source.path,
    ref: 'head' as const,
    start: call.line,
    end: call.line,
    quote: source.lines[call.line - 1]!,
  };
  const finding = {
    path: file.path,
    line: row.line,
    side: 'RIGHT' as const,
    code: row.text,
    rule: 'unguarded-empty',
    severity: 'important' as const,
    category: 'logic' as const,
    title: claimOf(place).replace(/\b(\w+)\(\)$/, '`$1()`, which fails on it'),
    evidence: [
      quote,
      ...(safe === null
        ? []
        : [{ path: file.oldPath, ref: 'base' as const, start: safe.line, end: safe.line, quote: safe.text }]),
    ],
    absences: [{ ...absence }],
  };
  if (safe !== null)
    return {
      kind: 'finding',
      finding: {
        ...finding,
        confidence: 'high',
        body: `For an empty \`${hazard.subject}\` ${hazard.fails}. Before this change \`${definition.name}\` coped with it (line ${safe.line} of the base). ${reached}`,
      },
    };
  return {
    kind: 'question',
    request: {
      reason: 'the repository does not say what its callers are given',
      searched: [],
      question: `does every caller of \`${definition.name}\` pass at least one item?`,
      answerEffects: { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' },
      finding: {
        ...finding,
        confidence: 'medium',
        body: `For an empty \`${hazard.subject}\` ${hazard.fails}. ${reached}`,
      },
    },
  };
}
