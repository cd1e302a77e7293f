import type { Category } from './finding.js';

/** A rule that is known by name on every surface. A model may use another name; it is then shown as it is. */
export type Rule = {
  readonly id: string;
  readonly category: Category;
  /** What breaks, in one line. */
  readonly text: string;
  /** Other names that models use for the same thing. */
  readonly aliases: readonly string[];
  /** Whether the accused lines prove the claim by themselves. Absent: other evidence is needed. */
  readonly selfEvident?: (lines: readonly string[]) => boolean;
};

/** A placeholder of the reader's view, or a literal of some length that is given a name. */
const showsSecret = (lines: readonly string[]): boolean =>
  lines.some(
    (line) =>
      /\[secret: [^\]]+\]/.test(line) ||
      /[:=]\s*["'`][^"'`\s]{8,}["'`]/.test(line) ||
      /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(line),
  );

const showsConflict = (lines: readonly string[]): boolean =>
  lines.some((line) => /^(<{7}( |$)|={7}\r?$|>{7}( |$)|\|{7}( |$))/.test(line));

export const rulesCatalogue: readonly Rule[] = [
  {
    id: 'committed-secret',
    category: 'security',
    text: 'a password, key or token is in the repository',
    aliases: [
      'hardcoded-secret',
      'hard-coded-secret',
      'hardcoded-credential',
      'hardcoded-credentials',
      'leaked-secret',
      'secret-in-code',
      'exposed-secret',
      'hardcoded-api-key',
    ],
    selfEvident: showsSecret,
  },
  {
    id: 'conflict-marker',
    category: 'logic',
    text: 'a merge conflict marker is left in the file',
    aliases: ['merge-conflict', 'merge-conflict-marker', 'unresolved-conflict', 'conflict-markers'],
    selfEvident: showsConflict,
  },
  {
    id: 'changed-signature',
    category: 'logic',
    text: 'a signature changed and a caller did not',
    aliases: [
      'signature-mismatch',
      'caller-not-updated',
      'callers-not-updated',
      'stale-caller',
      'breaking-signature',
    ],
  },
  {
    id: 'inverted-condition',
    category: 'logic',
    text: 'a condition means the opposite of what it meant before',
    aliases: ['condition-inverted', 'negated-condition', 'inverted-check', 'inverted-guard'],
  },
  {
    id: 'falsy-zero',
    category: 'logic',
    text: '0 or an empty string is taken for a missing value',
    aliases: ['zero-is-falsy', 'falsy-check', 'falsy-default', 'or-default'],
  },
  {
    id: 'react-dom-mutation',
    category: 'logic',
    text: 'code outside React changes nodes that React renders',
    aliases: ['dom-mutation', 'jquery-in-react', 'direct-dom-mutation', 'third-party-dom-mutation'],
  },
  {
    id: 'missing-guard',
    category: 'logic',
    text: 'a value is used where it may be absent or out of range',
    aliases: ['null-dereference', 'missing-null-check', 'undefined-access', 'empty-input', 'missing-check'],
  },
  {
    id: 'unguarded-empty',
    category: 'logic',
    text: 'an empty list reaches code that cannot take one',
    aliases: ['empty-list', 'reduce-of-empty', 'division-by-zero-length'],
  },
  {
    id: 'missing-authorization',
    category: 'security',
    text: 'something is done without asking whether the caller may',
    aliases: ['missing-auth', 'missing-permission-check', 'authorization-bypass', 'auth-bypass'],
  },
  {
    id: 'injection',
    category: 'security',
    text: 'input of a stranger becomes code, a query, a path or markup',
    aliases: ['sql-injection', 'command-injection', 'xss', 'path-traversal', 'html-injection'],
  },
  {
    id: 'missing-await',
    category: 'logic',
    text: 'a promise is not waited for',
    aliases: ['unawaited-promise', 'floating-promise', 'foreach-async', 'async-foreach'],
  },
  {
    id: 'race-condition',
    category: 'logic',
    text: 'the result depends on which of two things happens first',
    aliases: ['race', 'toctou', 'data-race'],
  },
];

const byName = new Map(
  rulesCatalogue.flatMap((rule) => [rule.id, ...rule.aliases].map((name) => [name, rule] as const)),
);

/** The rule of a name or an alias; undefined for a name that the catalogue does not have. */
export const ruleOf = (name: string): Rule | undefined => byName.get(name.toLowerCase());

/** The name that is shown. */
export const ruleName = (name: string): string => ruleOf(name)?.id ?? name;

/** Whether these accused lines need no other evidence for this rule. */
export const isSelfEvident = (name: string, lines: readonly string[]): boolean =>
  ruleOf(name)?.selfEvident?.(lines) ?? false;
