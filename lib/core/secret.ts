import { createHash } from 'node:crypto';
import { RE2JS } from 're2js';
import type { DiffLine, FileDiff, Hunk } from './diff.js';
import type { Ref } from './evidence.js';

/** A value that was replaced. `maskedLength` lets people be told "32 characters, not repeated here". */
export type SecretLabel = {
  /** 1-based. */
  readonly line: number;
  readonly kind: string;
  /** What stands in its place: `[secret: aws access key 1a2b3c]`. */
  readonly label: string;
  readonly maskedLength: number;
};

/**
 * Replaces secret values by labels and leaves the code around them. Lines keep their numbers and their line endings;
 * the same value always gets the same label; labelled text is left as it is. Linear in the length of the text.
 *
 * Made for precision: what reads like a hash, an id, a variable or a placeholder is no secret.
 */
export function labelSecrets(text: string): {
  readonly text: string;
  readonly labels: readonly SecretLabel[];
} {
  const labels: SecretLabel[] = [];
  const keys = keyStarts.test(text) ? privateKeyLines(text) : noKeys;
  let labelled = '';
  let copied = 0;
  let line = 1;
  let counted = 0;
  for (const from of suspectLines(text, keys.keys())) {
    const spans = spansOf(text.slice(from, lineEnd(text, from)), keys.get(from) ?? []);
    if (spans.length === 0) continue;
    for (let at = text.indexOf('\n', counted); at !== -1 && at < from; at = text.indexOf('\n', at + 1))
      line++;
    counted = from;
    for (const { start, end, kind, of } of spans) {
      const label = `[secret: ${kind} ${fingerprint(of)}]`;
      labels.push({ line, kind, label, maskedLength: of.length });
      labelled += text.slice(copied, from + start) + label;
      copied = from + end;
    }
  }
  return { text: labels.length === 0 ? text : labelled + text.slice(copied), labels };
}

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
};

/**
 * Rows of a diff in the view that the tools show. `linesOf` gives the labelled lines of a file where they are known,
 * which also catches a key whose first line is outside the hunk; otherwise each column of a hunk is labelled.
 */
export function labelSecretsInDiff(
  diff: readonly FileDiff[],
  linesOf: (ref: Ref, path: string) => readonly string[] | null,
): FileDiff[] {
  return diff.map((file) => {
    if (file.content.kind !== 'text') return file;
    const head = linesOf('head', file.path);
    const base = linesOf('base', file.oldPath);
    const hunks = file.content.hunks.map((hunk) => labelHunk(hunk, head, base));
    return { ...file, content: { kind: 'text', hunks } };
  });
}

function labelHunk(hunk: Hunk, head: readonly string[] | null, base: readonly string[] | null): Hunk {
  const right = labelColumn(hunk.lines.filter((line) => line.kind !== 'removed'));
  const left = labelColumn(hunk.lines.filter((line) => line.kind !== 'added'));
  let changed = false;
  const lines = hunk.lines.map((line): DiffLine => {
    const whole = line.kind === 'removed' ? base?.[line.old - 1] : head?.[line.new - 1];
    const alone = line.kind === 'removed' ? left.get(line) : right.get(line);
    // A file line without a label is the row itself, or it is of another version: then the row speaks for itself.
    const text = whole !== undefined && isLabelled.test(whole) ? whole : (alone ?? line.text);
    if (text === line.text) return line;
    changed = true;
    return { ...line, text };
  });
  return changed ? { ...hunk, lines } : hunk;
}

function labelColumn(column: readonly DiffLine[]): ReadonlyMap<DiffLine, string> {
  const { text, labels } = labelSecrets(column.map((line) => line.text).join('\n'));
  if (labels.length === 0) return new Map();
  const lines = text.split('\n');
  return new Map(column.map((line, index) => [line, lines[index] ?? line.text]));
}

/** Six hex digits tell two secrets of a kind apart and say nothing about either. */
const fingerprint = (value: string): string =>
  createHash('sha256').update(`evident:secret:${value}`).digest('hex').slice(0, 6);

/** The part of a line to replace; `of` is the whole value, which is longer where it spans lines. */
type Span = { readonly start: number; readonly end: number; readonly kind: string; readonly of: string };

const isLabelled = /\[secret: [a-z ]{1,40} [0-9a-f]{6}\]/;

function spansOf(line: string, known: readonly Span[]): readonly Span[] {
  const found: Span[] = [...known];
  const covered = new Uint8Array(line.length);
  for (const { start, end } of known) covered.fill(1, start, end);
  for (const label of line.matchAll(new RegExp(isLabelled, 'g')))
    covered.fill(1, label.index, label.index + label[0].length);
  for (const rule of rules()) {
    if (!rule.hint.test(line)) continue;
    // No name alone is a secret, and no value without a digit is taken for one.
    if (rule.named && !digit.test(line)) continue;
    // `test` decides in linear time without captures; most lines end here.
    if (!rule.pattern.test(line)) continue;
    const matcher = rule.pattern.matcher(line);
    for (let from = 0; matcher.find(from);) {
      const group = rule.named ? 2 : 1;
      const start = matcher.start(group);
      const end = matcher.end(group);
      const of = line.slice(start, end);
      const free = !covered.subarray(start, end).includes(1);
      const kind = free ? rule.kindOf(of, rule.named ? (matcher.group(1) ?? '') : '') : null;
      if (kind !== null) {
        found.push({ start, end, kind, of });
        covered.fill(1, start, end);
      }
      // What follows a name that gave nothing may be a name itself: `secret: password = "..."`.
      from = kind === null && rule.named ? matcher.end(1) : Math.max(matcher.end(), from + 1);
      if (from >= line.length) break;
    }
  }
  return found.toSorted((a, b) => a.start - b.start);
}

const digit = /\d/;

/**
 * Where lines start that a rule could match, in order. Most text has none, so that labelling costs a few scans of it:
 * whatever a rule finds must have a hint here, and none of these expressions can take more than linear time.
 */
function suspectLines(text: string, known: Iterable<number>): readonly number[] {
  const found = new Set(known);
  const suspect = (at: number): number => {
    found.add(text.lastIndexOf('\n', at - 1) + 1);
    return lineEnd(text, at);
  };
  for (const hint of [issuedHint, urlHint, bearerHint]) {
    hint.lastIndex = 0;
    for (let hit = hint.exec(text); hit !== null; hit = hint.exec(text)) hint.lastIndex = suspect(hit.index);
  }
  nameHint.lastIndex = 0;
  while (nameHint.test(text)) {
    givenHint.lastIndex = nameHint.lastIndex;
    if (!givenHint.test(text)) continue;
    digitOrEnd.lastIndex = givenHint.lastIndex;
    const next = digitOrEnd.exec(text);
    // Without a digit in the rest of the line, no other name in it is given a secret either.
    nameHint.lastIndex =
      next === null || next[0] === '\n' ? lineEnd(text, givenHint.lastIndex) : suspect(next.index);
  }
  return [...found].sort((a, b) => a - b);
}

/** The least of each format that has a prefix. */
const issuedHint =
  /A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}|gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{50}|glpat-[A-Za-z0-9_-]{20}|sk-[A-Za-z0-9_-]{24}|xox[abeoprs]-|hooks\.slack\.com|[sr]k_live_|AIza[0-9A-Za-z_-]{35}|npm_[A-Za-z0-9]{36}|SG\.[A-Za-z0-9_-]{20}/g;

const urlHint = /:\/\/[^\s/:@'"<>]+:[^\s/@'"<>]+@/g;

const bearerHint = /bearer[^\S\n]+[a-z0-9_.=+/-]{20}/gi;

/** The whole of a name from its word on: another word in it would end where this one does. */
const nameHint =
  /(?:secret|token|passw|pwd|passphrase|credential|(?:api|access|auth|private|signing|encryption|master|account|shared|session|service|storage)[_-]?key)[a-z0-9_-]*/gi;

/** What gives a value to the name before it. */
const givenHint = /["'\]]*[^\S\n]*[:=,!?|]/y;

const digitOrEnd = /[\d\n]/g;

type Rule = {
  /** Must match a line before the pattern is tried. */
  readonly hint: RegExp;
  /** Group 1 is the value; with `named`, group 1 is the name and group 2 the value given to it. */
  readonly pattern: RE2JS;
  readonly named: boolean;
  /** What it is, or null when the value is none after all. */
  readonly kindOf: (value: string, name: string) => string | null;
};

/** A format that its issuer gave a prefix to. */
const issued = (kind: string, hint: RegExp, pattern: string, isReal = isRandom): Rule => ({
  hint,
  pattern: RE2JS.compile(pattern),
  named: false,
  kindOf: (value) => (isReal(value) ? kind : null),
});

const nameWord = new RegExp(nameHint, 'i');

/** A name that says secret, and a value given to it. */
const assigned = (pattern: string, isReal: (value: string, name: string) => boolean): Rule => ({
  hint: nameWord,
  pattern: RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE),
  named: true,
  kindOf: (value, name) => (isSecretName(name) && isReal(value, name) ? kindOfName(name) : null),
});

/** Names may be dotted: `config.password`. Quotes and a closing bracket may follow: `"apiKey"`, `env['TOKEN']`. */
const named = String.raw`([a-z0-9_.-]*(?:secret|token|passw(?:or)?d|passphrase|pwd|credentials?|[a-z][_-]?key)[a-z0-9_-]*)`;

/** Compiled at the first use: most processes never meet a suspect line. */
let compiled: readonly Rule[] | undefined;
const rules = (): readonly Rule[] => (compiled ??= createRules());

const createRules = (): readonly Rule[] => [
  issued('aws access key', /A[KS]IA|A[BC][IC]A/, String.raw`\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})\b`),
  issued('github token', /gh[pousr]_/, String.raw`\b(gh[pousr]_[A-Za-z0-9]{36,})`),
  issued('github token', /github_pat_/, String.raw`\b(github_pat_[A-Za-z0-9_]{50,})`),
  issued('gitlab token', /glpat-/, String.raw`\b(glpat-[A-Za-z0-9_-]{20,})`),
  issued('anthropic key', /sk-ant-/, String.raw`\b(sk-ant-[A-Za-z0-9_-]{24,})`),
  issued(
    'openai key',
    /sk-/,
    String.raw`\b(sk-[A-Za-z0-9_-]{32,})`,
    (value) => isRandom(value) && isMixed(value),
  ),
  issued('slack token', /xox/, String.raw`\b(xox[abeoprs]-[A-Za-z0-9-]{10,})`),
  issued(
    'slack webhook',
    /hooks\.slack\.com/,
    String.raw`https://hooks\.slack\.com/services/(T[A-Za-z0-9_]{6,}/B[A-Za-z0-9_]{6,}/[A-Za-z0-9_]{16,})`,
  ),
  issued('stripe live key', /[sr]k_live_/, String.raw`\b([sr]k_live_[A-Za-z0-9]{16,})`),
  issued('google api key', /AIza/, String.raw`\b(AIza[0-9A-Za-z_-]{35})`),
  issued('npm token', /npm_/, String.raw`\b(npm_[A-Za-z0-9]{36})\b`),
  issued('sendgrid key', /SG\./, String.raw`\b(SG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{40,})`),
  {
    hint: /bearer/i,
    pattern: RE2JS.compile(String.raw`bearer\s+([a-z0-9_.=+/-]{20,})`, RE2JS.CASE_INSENSITIVE),
    named: false,
    kindOf: (value) => (isToken(value) ? 'token' : null),
  },
  {
    hint: /:\/\//,
    pattern: RE2JS.compile(
      String.raw`[a-z][a-z0-9+.-]*://[^\s/:@'"<>]+:([^\s/@'"<>]+)@`,
      RE2JS.CASE_INSENSITIVE,
    ),
    named: false,
    kindOf: (value) => (isPassword(value) || isToken(value) ? 'password' : null),
  },
  // name = "value", name: 'value', "name" => "value", name: string = "value", get("name", "value")
  ...['"', "'", '`'].map((quote) =>
    assigned(
      `${named}["'\\]]*\\s*(?::\\s*[a-z]+\\s*=|:=|=>|={1,3}|!==?|:|,|\\?\\?|\\|\\|)\\s*[bru]?${quote}([^${quote}\\s]+)${quote}`,
      (value, name) => isToken(value) || (isPasswordName(name) && isPassword(value)),
    ),
  ),
  // NAME=value and name: value, alone on their line: env files, YAML, INI, Dockerfiles
  assigned(
    `^\\s*(?:export\\s+|ENV\\s+|ARG\\s+|-\\s+|set\\s+)?["']?${named}["']?\\s*[=:]\\s*([^\\s"'\`;,(){}]+)\\s*(?:#.*)?$`,
    (value, name) => isBareToken(value) || (isPasswordName(name) && hasSymbol(value) && isPassword(value)),
  ),
];

/** The last part of a dotted name ends in a word for a secret and does not say that it is something else. */
function isSecretName(name: string): boolean {
  const last = (name.split('.').at(-1) ?? '').replace(/[_-]/g, '').toLowerCase();
  return secretName.test(last) && !otherName.test(last);
}

const secretName =
  /(?:secret|token|password|passwd|passphrase|pwd|credentials?|(?:api|access|auth|private|secret|signing|encryption|master|account|shared|session|service|storage)key)(?:value|string|prod(?:uction)?|live|dev(?:elopment)?|staging|default|base64|b64|v?\d{1,2})?$/;

const otherName =
  /csrf|xsrf|page|cursor|next|continu|sync|cancel|public|publishable|hash|digest|fingerprint|checksum|regex|pattern|test|example|dummy|mock|fake|sample|placeholder|design|syntax/;

const isPasswordName = (name: string): boolean => /passw|passphrase|pwd/i.test(name);

function kindOfName(name: string): string {
  if (/aws/i.test(name)) return 'aws secret key';
  if (isPasswordName(name)) return 'password';
  if (/key[^.]*$/i.test(name)) return 'api key';
  return /token[^.]*$/i.test(name) ? 'token' : 'secret';
}

const placeholder =
  /example|placeholder|xxxx|your|redacted|change_?-?me|dummy|fake|sample|mock|fixture|insert|replace|\.\.\.|\*\*\*|1234567890|abcdefghij|(.)\1{6}/i;

/** Words that stand where a real password would. */
const obvious =
  /passw|secret|admin|qwerty|letmein|welcome|default|test|hunter2|12345|foobar|none|null|undefined|todo/i;

const isRandom = (value: string): boolean =>
  !placeholder.test(value) && value.length <= 4096 && entropy(value) >= 3;

const isMixed = (value: string): boolean =>
  /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d.*\d/.test(value) && entropy(value) >= 3.5;

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Long, drawn from an alphabet, and no path, identifier, version, uuid or test key. */
function isToken(value: string): boolean {
  if (value.length < 20 || value.length > 4096 || !/^[\w.~+/=:@!#%&*-]+$/.test(value)) return false;
  if (/^[-/.@%&*]/.test(value) || /test|:\/\//i.test(value) || /^pk_/.test(value)) return false;
  if (uuid.test(value) || placeholder.test(value)) return false;
  if (/^[0-9a-f]+$/i.test(value)) return value.length >= 32 && entropy(value) >= 3;
  if (/^sha(?:1|256|384|512)[-:]/.test(value) || entropy(value) < 3.5) return false;
  const longest = value.split(/[._/:-]/).toSorted((a, b) => b.length - a.length)[0] ?? '';
  return longest.length >= 12 && /[a-z]/i.test(longest) && /\d.*\d/.test(longest);
}

/** Without quotes it could be code: then more digits are asked for than names have. */
const isBareToken = (value: string): boolean =>
  isToken(value) && (value.match(/\d/g) ?? []).length >= 4 && /^[^.]+$|^eyJ/.test(value);

const hasSymbol = (value: string): boolean => /[!@#%^&*+=~?$]/.test(value);

/** Three kinds of characters and no word that stands for a password. */
function isPassword(value: string): boolean {
  if (value.length < 8 || value.length > 128 || /[()[\]{}\\<>|]/.test(value)) return false;
  if (/^[$%@*&/.]|:\/\//.test(value) || placeholder.test(value) || obvious.test(value)) return false;
  if (uuid.test(value) || !/\d/.test(value)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^\w.:/-]/].filter((kind) => kind.test(value)).length;
  return kinds >= 3 && entropy(value) >= 2.8;
}

/** Shannon entropy in bits a character: about 4 for random hex, 5 for random base64 of forty characters. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** Parts of private keys by the offset of the line that they stand in. */
type Keys = ReadonlyMap<number, readonly Span[]>;

const noKeys: Keys = new Map();

/** A key of 16,384 bits has under 250 lines. */
const longestKey = 260;

const keyStarts = /-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/;

/**
 * Private keys in PEM armour: the armour stays, so that one sees what it was; each line of the body is labelled with
 * the fingerprint of the whole body. Quotes, `\n` written out and comment signs around a line stay too.
 */
function privateKeyLines(text: string): Keys {
  const lines = text.split('\n');
  const found = new Map<number, readonly Span[]>();
  for (let at = 0; at < lines.length; at++) {
    const opening = keyStarts.exec(lines[at]!);
    if (opening === null) continue;
    const first = readBody(lines[at]!, opening.index + opening[0].length);
    const parts = first.other ? [] : first.parts.map((part) => ({ ...part, line: at }));
    let ended = first.ended;
    for (let next = at + 1; !ended && next < lines.length && next - at < longestKey; next++) {
      const body = readBody(lines[next]!, 0);
      ended = body.ended;
      if (body.other || (!ended && body.parts.length > 1)) break;
      parts.push(...body.parts.map((part) => ({ ...part, line: next })));
    }
    // Without its end (a hunk, a cut) only full lines are surely a key: short ones may be code that follows.
    const sure = ended ? parts : parts.filter(({ start, end }) => end - start >= 40);
    const of = sure.map(({ line, start, end }) => lines[line]!.slice(start, end)).join('');
    if (of.length < 40 || placeholder.test(of) || entropy(of) < 3) continue;
    for (const { line, start, end } of sure)
      found.set(line, [...(found.get(line) ?? []), { start, end, kind: 'private key', of }]);
  }
  const keys = new Map<number, readonly Span[]>();
  let from = 0;
  for (const [line, { length }] of lines.entries()) {
    const spans = found.get(line);
    if (spans !== undefined) keys.set(from, spans);
    from += length + 1;
  }
  return keys;
}

type Body = {
  readonly parts: readonly { readonly start: number; readonly end: number }[];
  /** The closing armour stands in this line. */
  readonly ended: boolean;
  /** The line holds something else than a piece of a key. */
  readonly other: boolean;
};

/** Runs of base64 in a line from `from` to the closing armour, with nothing but quotes and the like around them. */
function readBody(line: string, from: number): Body {
  const closing = line.indexOf('-----END ', from);
  const ended = closing !== -1;
  const text = line.slice(from, ended ? closing : undefined);
  // Headers of an encrypted key.
  if (/^\s*[A-Z][A-Za-z-]{1,30}: /.test(text)) return { parts: [], ended, other: false };
  const parts: { start: number; end: number }[] = [];
  let around = '';
  let last = 0;
  for (const run of text.matchAll(/[A-Za-z0-9+/=]{4,}/g)) {
    // A line break that is written out leaves its letter in front of the run.
    const escaped = text[run.index - 1] === '\\' && /^[nr]/.test(run[0]) ? 1 : 0;
    around += text.slice(last, run.index + escaped);
    last = run.index + run[0].length;
    parts.push({ start: from + run.index + escaped, end: from + last });
  }
  around += text.slice(last);
  return { parts, ended, other: !/^[\s"'`+#*/>|,;\\()nr=]*$/.test(around) };
}
