import { CST, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, parseDocument } from 'yaml';
import type { Document, Node, YAMLMap } from 'yaml';
import type { z } from 'zod';
import type { AuthoritySettings } from './authority.js';
import { nearest } from './nearest.js';
import type {
  AdditiveSettings,
  AgentSettings,
  BudgetSettings,
  GateSettings,
  PolicyProblem,
  ReviewSettings,
} from './policy.js';
import { otherNames, PolicyFile } from './policy-schema.js';

/** What one file sets, and nothing else. */
export type PolicySettings = {
  readonly gate?: Partial<Omit<GateSettings, 'passes' | 'additive'>> & {
    readonly passes?: Partial<GateSettings['passes']>;
    readonly additive?: Partial<AdditiveSettings>;
  };
  readonly authority?: Partial<AuthoritySettings>;
  readonly budget?: BudgetSettings;
  readonly review?: Partial<Omit<ReviewSettings, 'agents'>> & { readonly agents?: Partial<AgentSettings> };
};

export type ReadPolicy = {
  /** As people call it: `.github/evident.yml`. */
  readonly file: string;
  readonly settings: PolicySettings;
  readonly problems: readonly PolicyProblem[];
  /** The line of each key that is set, 1-based, by its path: `gate.mode`, `paths.skip[0]`. */
  readonly lines: Readonly<Record<string, number>>;
};

/**
 * Reads a settings file. A part that cannot be used is left out, so that what stands behind it holds; each is told with
 * its line and how to mend it. Never throws, and its time and memory are bounded whatever the text.
 */
export function readPolicyFile(text: string, { file }: { readonly file: string }): ReadPolicy {
  const nothing = (line: number, reason: string): ReadPolicy => ({
    file,
    settings: {},
    problems: [{ file, line, path: '', reason }],
    lines: {},
  });
  const unbearable = tooMuch(text);
  if (unbearable !== null) return nothing(unbearable.line, unbearable.reason);
  const counter = new LineCounter();
  const lineOf = (offset: number | undefined): number => Math.max(1, counter.linePos(offset ?? 0).line);
  let document: Document.Parsed;
  try {
    document = parseDocument(text, {
      lineCounter: counter,
      logLevel: 'error',
      prettyErrors: false,
      // Seen to below, so that one of them costs its key and not the file.
      uniqueKeys: false,
      merge: false,
    });
  } catch {
    return nothing(1, 'This cannot be read as YAML: it is nested too deeply. Nothing of the file is used.');
  }
  const [error] = document.errors;
  if (error !== undefined) {
    const kept = keepsBlocking(document.contents) ? ' Only `gate.mode: blocking` is kept.' : '';
    const read = nothing(lineOf(error.pos[0]), `${sayOf(error.code)} Nothing of the file is used.${kept}`);
    return kept === '' ? read : { ...read, settings: { gate: { mode: 'blocking' } } };
  }
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null))
    return { file, settings: {}, problems: [], lines: {} };
  if (!isMap(document.contents))
    return nothing(1, 'Expected keys with values, such as `start: automatic`. Nothing of the file is used.');

  const taken = take(document.contents, lineOf);
  const { value, problems, lines } = withoutBadParts(taken, file);
  const settings = settingsOf(value, file, lines);
  const isGateInDoubt = problems.some(({ path }) => path === 'gate' || path === 'gate.mode');
  return {
    file,
    settings:
      isGateInDoubt && settings.gate?.mode === undefined && keepsBlocking(document.contents)
        ? { ...settings, gate: { ...settings.gate, mode: 'blocking' } }
        : settings,
    problems: problems.toSorted((a, b) => a.line - b.line).slice(0, MAX_PROBLEMS),
    lines,
  };
}

/** A settings file that is there and cannot be read. */
export const unreadPolicyFile = (file: string, why: string): ReadPolicy => ({
  file,
  settings: {},
  problems: [{ file, line: 1, path: '', reason: `The file cannot be read: ${why}. Nothing of it is used.` }],
  lines: {},
});

const MAX_BYTES = 65_536;
const MAX_PROBLEMS = 20;
const MAX_LINE = 1_000;
const MAX_INDENT = 40;
const MAX_BLOCKS_IN_LINE = 6;
const MAX_FLOW = 20;
const MAX_DEPTH = 8;
const MAX_NODES = 20_000;
const MAX_KEYS = 200;

/**
 * What is refused before anything parses it. The parser calls itself at every level, and near the end of the stack an
 * expression that is compiled there ends the whole process: depth is bounded first, by tokens alone.
 */
function tooMuch(text: string): { readonly line: number; readonly reason: string } | null {
  const refuse = (line: number, what: string) => ({ line, reason: `${what} Nothing of the file is used.` });
  if (Buffer.byteLength(text) > MAX_BYTES)
    return refuse(1, `The file is larger than ${MAX_BYTES / 1024} kB: shorten it.`);
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (line.length > MAX_LINE)
      return refuse(index + 1, `This line has more than ${MAX_LINE} characters: break it.`);
    if (line.trim() !== '' && line.length - line.trimStart().length > MAX_INDENT)
      return refuse(index + 1, `This line begins with more than ${MAX_INDENT} spaces: indent it by two.`);
  }
  let line = 1;
  let blocks = 0;
  let flow = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const type = CST.tokenType(lexeme);
    if (type === 'explicit-key-ind')
      return refuse(line, 'Keys that begin with `?` are not read here: write the key and a colon.');
    if (flow === 0 && (type === 'seq-item-ind' || type === 'map-value-ind')) blocks += 1;
    if (type === 'flow-seq-start' || type === 'flow-map-start') flow += 1;
    if (type === 'flow-seq-end' || type === 'flow-map-end') flow = Math.max(0, flow - 1);
    if (blocks > MAX_BLOCKS_IN_LINE || flow > MAX_FLOW) return refuse(line, 'This is nested too deeply.');
    const ends = lexeme.split('\n').length - 1;
    line += ends;
    if (ends > 0) blocks = 0;
  }
  return null;
}

function sayOf(code: string): string {
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'YAML is indented with spaces: replace the tab.';
    case 'MULTIPLE_DOCS':
      return 'There is a second document (`---`): keep one.';
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return 'This line is not valid YAML: a text with `: ` in it stands in quotes.';
    case 'BAD_INDENT':
    case 'MISSING_CHAR':
      return 'This is not valid YAML: a bracket or a quote is not closed, or a line is not indented as the others.';
    case 'BAD_ALIAS':
      return 'This is not valid YAML: a text that begins with `*` or `&` stands in quotes.';
    default:
      return 'This line is not valid YAML.';
  }
}

/** Whether anything in what could be parsed asks for a blocking gate: a slip elsewhere must not open it. */
function keepsBlocking(contents: Node | null): boolean {
  if (!isMap(contents)) return false;
  const under = (map: YAMLMap, name: string): readonly unknown[] =>
    map.items.flatMap(({ key, value }) => (isScalar(key) && key.value === name ? [value] : []));
  return under(contents, 'gate').some(
    (gate) => isMap(gate) && under(gate, 'mode').some((mode) => isScalar(mode) && mode.value === 'blocking'),
  );
}

type Path = readonly (string | number)[];

const pathText = (path: Path): string =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );

/** Plain data of a document. A part that is no such data is a symbol whose description is the reason. */
type Taken = { readonly value: unknown; readonly lines: ReadonlyMap<string, number> };

function take(contents: YAMLMap, lineOf: (offset: number | undefined) => number): Taken {
  const lines = new Map<string, number>();
  let nodes = 0;
  const valueOf = (node: unknown, path: Path): unknown => {
    nodes += 1;
    if (nodes > MAX_NODES) return Symbol('The file has too many entries.');
    if (path.length > MAX_DEPTH) return Symbol('This is nested too deeply.');
    if (node === null || node === undefined) return null;
    if (isAlias(node)) return Symbol('References (`*name`) are not read here: write the value out.');
    if (!isMap(node) && !isSeq(node) && !isScalar(node)) return Symbol('This cannot be read.');
    if (node.tag !== undefined) return Symbol('Types (`!name`) are not read here: write the value alone.');
    if (isScalar(node))
      return typeof node.value === 'string' && node.value.length > MAX_LINE
        ? Symbol(`This text has more than ${MAX_LINE} characters.`)
        : node.value;
    if (isSeq(node))
      return node.items.map((item, index) => {
        lines.set(pathText([...path, index]), lineOf(startOf(item)));
        return valueOf(item, [...path, index]);
      });
    return mapOf(node, path);
  };
  const mapOf = (node: YAMLMap, path: Path): unknown => {
    if (node.items.length > MAX_KEYS) return Symbol('There are too many keys here.');
    const seen = new Set<string>();
    const map: Record<string, unknown> = {};
    for (const { key, value } of node.items) {
      const name = isScalar(key) && key.tag === undefined ? key.value : null;
      const isName = typeof name === 'string' && /^[A-Za-z][\w-]{0,60}$/.test(name) && !(name in {});
      const written = isName ? name : UNREADABLE;
      const line = lineOf(startOf(key));
      const at = pathText([...path, written]);
      if (!seen.has(written)) lines.set(at, line);
      map[written] = !isName
        ? Symbol(
            name === '<<'
              ? 'Merging (`<<`) is not read here: write the keys out.'
              : 'A key here is a word, such as `language`.',
          )
        : seen.has(written)
          ? Symbol(
              `It is written twice, on lines ${lines.get(at) ?? line} and ${line}: keep one. Neither is used.`,
            )
          : valueOf(value, [...path, written]);
      seen.add(written);
    }
    // An empty value is an absent one: `rules:` above entries that are commented out.
    for (const [name, value] of Object.entries(map)) if (value === null) delete map[name];
    return map;
  };
  return { value: mapOf(contents, []), lines };
}

/** Where a key would stand whose name cannot be one. */
const UNREADABLE = '?';

const startOf = (node: unknown): number | undefined =>
  typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
    ? Number(node.range[0])
    : undefined;

type Usable = {
  readonly value: PolicyFile;
  readonly problems: readonly PolicyProblem[];
  readonly lines: Readonly<Record<string, number>>;
};

/** Takes bad parts out until the rest is right. */
function withoutBadParts({ value, lines }: Taken, file: string): Usable {
  const problems: PolicyProblem[] = [];
  let left: unknown = value;
  let known = lines;
  for (let round = 0; round < 5; round += 1) {
    const parsed = PolicyFile.safeParse(left);
    if (parsed.success) return { value: parsed.data, problems, lines: Object.fromEntries(known) };
    const removed = new Set<string>();
    for (const { path, reason } of parsed.error.issues.flatMap((issue) => readIssue(issue, left))) {
      const unit = pathText(unitOf(path));
      const line = known.get(pathText(path)) ?? known.get(unit) ?? 1;
      const isNew = !problems.some((one) => one.line === line && one.reason === reason);
      if (isNew) problems.push({ file, line, path: pathText(path), reason: withEffect(reason, unit, path) });
      removed.add(unit);
    }
    ({ value: left, lines: known } = rebuilt(left, removed, known));
  }
  const reason = 'The file cannot be read. Nothing of it is used.';
  return { value: {}, problems: [{ file, line: 1, path: '', reason }], lines: {} };
}

/** What follows from a problem, for whoever reads it. */
const withEffect = (reason: string, unit: string, path: Path): string =>
  unit.endsWith(']')
    ? `${reason} This entry is left out.`
    : unit === pathText(path)
      ? reason
      : `${reason} \`${unit}\` is left out.`;

/**
 * The smallest part that can be missing without making anything looser than the default: a rule or a kept answer as a
 * whole, of lists that narrow down what is reviewed the whole list, and what lets some changes pass sooner as a whole.
 */
function unitOf(path: Path): Path {
  const [top, index] = path;
  if (top === 'gate' && index === 'additive') return [top, index];
  if (top === 'base_branches' || top === 'when') return [top];
  if ((top === 'rules' || top === 'answers') && typeof index === 'number') return [top, index];
  return path;
}

type Told = { readonly path: Path; readonly reason: string };

function readIssue(issue: z.core.$ZodIssue, value: unknown): readonly Told[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? UNREADABLE : part));
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: [...path, key],
      reason: brokenAt(value, [...path, key]) ?? unknownKey(key, path),
    }));
  return [{ path, reason: brokenAt(value, path) ?? issue.message }];
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, part) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, part)
        ? (inner as Readonly<Record<string | number, unknown>>)[part]
        : undefined,
    value,
  );

const brokenAt = (value: unknown, path: Path): string | undefined => {
  const found = at(value, path);
  return typeof found === 'symbol' ? found.description : undefined;
};

function unknownKey(key: string, parent: Path): string {
  const known = keysAt(parent);
  const name = key.toLowerCase().replaceAll('-', '_');
  const near = Object.hasOwn(otherNames, name) ? otherNames[name] : nearest(name, known);
  const mend =
    near === null || near === undefined
      ? ` Known here: ${known.map((one) => `\`${one}\``).join(', ')}.`
      : ` Did you mean \`${near}\`?`;
  return `There is no key \`${key}\` here.${mend}`;
}

/** Names of the keys that a place of the file has. */
function keysAt(path: Path): readonly string[] {
  let schema: unknown = PolicyFile;
  for (const part of path) {
    schema = unwrapped(schema);
    schema =
      typeof part === 'number'
        ? (schema as { readonly element?: unknown }).element
        : (schema as { readonly shape?: Readonly<Record<string, unknown>> }).shape?.[part];
  }
  return Object.keys((unwrapped(schema) as { readonly shape?: object } | undefined)?.shape ?? {});
}

const unwrapped = (schema: unknown): unknown =>
  typeof schema === 'object' && schema !== null && 'unwrap' in schema
    ? (schema as { readonly unwrap: () => unknown }).unwrap()
    : schema;

/** The value without the removed parts, with the lines of what stays under their new numbers. */
function rebuilt(value: unknown, removed: ReadonlySet<string>, lines: ReadonlyMap<string, number>): Taken {
  const kept = new Map<string, number>();
  const copy = (inner: unknown, was: Path, is: Path): unknown => {
    const line = lines.get(pathText(was));
    if (line !== undefined) kept.set(pathText(is), line);
    if (Array.isArray(inner)) {
      const stays = inner.map((_, index) => index).filter((index) => !removed.has(pathText([...was, index])));
      return stays.map((index, now) => copy(inner[index], [...was, index], [...is, now]));
    }
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(
      Object.entries(inner).flatMap(([key, one]) =>
        removed.has(pathText([...was, key])) ? [] : [[key, copy(one, [...was, key], [...is, key])]],
      ),
    );
  };
  return { value: removed.has('') ? {} : copy(value, [], []), lines: kept };
}

function settingsOf(
  given: PolicyFile,
  file: string,
  lines: Readonly<Record<string, number>>,
): PolicySettings {
  const { gate, authority, budget, paths, agents } = given;
  const plain = (login: string): string => login.replace(/^@/, '');
  return present({
    gate:
      gate &&
      present({
        mode: gate.mode,
        passes: gate.passes && present(gate.passes),
        additive: gate.additive && present(gate.additive),
        fixRounds: gate.fix_rounds,
        openQuestionsHold: gate.open_questions_hold,
        reviewers: gate.reviewers,
        votes: gate.votes,
        remindAfterHours: gate.remind_after_hours,
        escalateTo: gate.escalate_to?.map(plain),
      }),
    authority: authority && present(authority),
    budget:
      budget &&
      present({
        dollars: budget.dollars,
        turns: budget.turns,
        toolCalls: budget.tool_calls,
        minutes: budget.minutes,
      }),
    review: present({
      start: given.start,
      when: given.when,
      baseBranches: given.base_branches,
      drafts: given.drafts,
      dependencyBots: given.dependency_bots,
      outsideAuthors: given.outside_authors,
      agents: agents && present({ ...agents, logins: agents.logins?.map(plain) }),
      maxThreads: given.max_threads,
      maxQuestions: given.max_questions,
      maxNits: given.max_nits,
      suggestions: given.suggestions,
      skip: paths?.skip,
      generated: paths?.generated,
      rules: given.rules?.map((rule, index) => ({
        ...present(rule),
        at: { file, line: lines[`rules[${index}]`] ?? 1 },
      })),
      answers: given.answers?.map((answer, index) => ({
        ...answer,
        file,
        line: lines[`answers[${index}]`] ?? 1,
      })),
      language: given.language,
      models: given.models && present(given.models),
    }),
  });
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> } & {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
};

const present = <T extends object>(given: T): Present<T> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Present<T>;
