import { callsOf } from './calls.js';
import type { Call } from './calls.js';
import type { Definition } from './definitions.js';
import { importsOf, leadsTo, mayPassOn } from './imports.js';
import { literally, readFiles, searchCode } from './look.js';
import type { Look } from './look.js';
import { folderOf, isForeign } from './paths.js';
import { globOf, isScript, languageOf, readSource, sameFamily } from './source-code.js';
import type { Source } from './source-code.js';

export type Caller = { readonly source: Source; readonly call: Call };

export type Callers = {
  /** Calls that are certain to reach the definition. */
  readonly certain: readonly Caller[];
  /** Whether everything that names it could be read; otherwise there may be more. */
  readonly all: boolean;
};

const mostFiles = 8;

/**
 * The calls of a definition in the head. A call counts only when its file takes the name from that very file,
 * or is the same file or Go package; one name for two things is left out.
 */
export function* findCallers(definition: Definition, home: Source): Look<Callers> {
  const { name } = definition;
  if (definition.kind === 'method') return { certain: ownCalls(definition, home), all: false };
  const found = yield* searchCode({ pattern: `\\b${literally(name)}\\b`, glob: globOf(home.language) });
  if (found === null) return { certain: [], all: false };
  // Calls first; files that only import it may call it by another name.
  const called = new RegExp(`\\b${literally(name)}\\b\\s*(?:<[^()]*>)?\\s*\\(`);
  const taken = /\b(?:import|from|require)\b|^\s*[\w$]+(?:\s+as\s+[\w$]+)?\s*,?\s*$/;
  const rows = [
    ...found.matches.filter((match) => called.test(match.text)),
    ...found.matches.filter((match) => taken.test(match.text)),
  ];
  const paths = [...new Set(rows.map((match) => match.path))].filter(
    (path) =>
      path !== home.path &&
      !isForeign(path) &&
      languageOf(path) !== null &&
      sameFamily(languageOf(path)!, home.language),
  );
  const files = yield* readFiles('head', paths.slice(0, mostFiles));
  const certain = [
    ...ownCalls(definition, home),
    ...[...files.values()].flatMap((file) => {
      const source = readSource(file.path, file.lines);
      return source === null ? [] : certainCalls(definition, home, source);
    }),
  ];
  return {
    certain,
    all:
      found.cut === undefined &&
      found.notSearched === '' &&
      found.matches.length >= found.total &&
      files.size === paths.length,
  };
}

/** Calls in the defining file itself: bare ones of a function, `this.` and `self.` ones of a method of one class. */
function ownCalls(definition: Definition, home: Source): readonly Caller[] {
  const calls = callsOf(home, definition.name).filter(
    (call) => call.line < definition.line || call.line > definition.endLine,
  );
  if (definition.kind === 'function')
    return bindsLocally(home, definition.name) > 1
      ? []
      : calls.filter((call) => call.qualifier === undefined).map((call) => ({ source: home, call }));
  const own = isScript(home.language) ? ['this'] : home.language === 'python' ? ['self', 'cls'] : [];
  const classes = home.code.filter((code) =>
    /^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s/.test(code),
  ).length;
  return classes === 1
    ? calls.filter((call) => own.includes(call.qualifier ?? '')).map((call) => ({ source: home, call }))
    : [];
}

function certainCalls(definition: Definition, home: Source, source: Source): readonly Caller[] {
  const { name } = definition;
  const calls = (local: string, qualifier?: string): readonly Caller[] =>
    callsOf(source, local)
      .filter((call) => call.qualifier === qualifier)
      .map((call) => ({ source, call }));
  if (home.language === 'go') {
    if (folderOf(source.path) === folderOf(home.path))
      return packageOf(source) === packageOf(home) && bindsLocally(source, name) === 0 ? calls(name) : [];
    const taken = importsOf(source).find((each) => leadsTo(each.module, source, home.path));
    return taken === undefined ? [] : calls(name, taken.local);
  }
  return importsOf(source).flatMap((taken) => {
    const leads = leadsTo(taken.module, source, home.path) || mayPassOn(taken.module, source, home.path);
    if (!leads) {
      // `from a import b` where b is the module itself: its functions are called as b.name().
      const asModule =
        home.language === 'python' &&
        taken.imported !== '*' &&
        leadsTo(`${taken.module.replace(/\.$/, '')}.${taken.imported}`, source, home.path);
      return asModule ? calls(name, taken.local) : [];
    }
    if (taken.imported === '*') return calls(name, taken.local.split('.').at(-1));
    if (taken.imported !== name) return [];
    return bindsLocally(source, taken.local) === 0 ? calls(taken.local) : [];
  });
}

const packageOf = (source: Source): string | undefined => /(?:^|\n)package\s+(\w+)/.exec(source.text)?.[1];

/** How often a file gives the name a meaning of its own: definitions, variables, parameters. */
function bindsLocally(source: Source, name: string): number {
  const word = literally(name);
  const patterns = [
    `\\b(?:function\\*?|def|func|class|const|let|var)\\s+${word}\\b`,
    `(?:^|[\\n;{])[ \\t]*${word}\\s*(?::[^=\\n]*)?(?::?=)(?!=)`,
    `\\bfor\\s+\\(?(?:const|let|var)?\\s*${word}\\s+(?:of|in)\\b`,
    `\\bas\\s+${word}\\b(?=\\s*:)`,
    `\\(\\s*(?:[^()]*,\\s*)?${word}\\s*(?:[:?,][^()]*)?\\)\\s*(?::[^={;]*)?(?:=>|\\{)`,
    `(?<![\\w$.])${word}\\s*=>`,
    // A typed parameter; a property of that name is given up with it.
    `[(,{]\\s*${word}\\s*\\??\\s*:`,
    `\\bdef\\s+\\w+\\([^)]*\\b${word}\\b\\s*[,:=)]`,
  ];
  const script = isScript(source.language);
  // Arrow and brace heads are only JavaScript's; in Go a name in parentheses before a brace is a call.
  const used = script ? patterns : patterns.filter((_, index) => index < 4 || index > 6);
  return used.reduce((sum, pattern) => sum + [...source.text.matchAll(new RegExp(pattern, 'g'))].length, 0);
}
