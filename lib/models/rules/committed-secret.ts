import { readFile, searchCode, together } from './look.js';
import type { Look } from './look.js';
import { fileOf, folderOf, isExample, isForeign, isTestLike, isThrowaway } from './paths.js';
import type { Judgement, Rule } from './rule.js';
import type { ChangedFile, DiffRow, SearchRow } from './tool-texts.js';

/**
 * A secret on an added line. The reader has already replaced it by a label, `[secret: kind id]`, so this rule never
 * sees one and cannot repeat it. Nothing is said in tests, fixtures, documentation and examples, where made-up
 * keys are at home. A key that the base holds too was in the history before: that is a nit. A secret on an
 * unchanged row of the diff is reported where it stands; code then lists it as old code, which blocks nothing.
 *
 * Where services are started only to build and test (workflows, compose files) a value that is known by its name
 * alone may be made up, and a Google key may be one that browsers carry; the repository cannot tell, so that is a
 * question, asked once. Any other key in the format of its issuer is a finding there too.
 */
export const committedSecret: Rule = {
  name: 'committed-secret',
  looksFor: 'a secret on an added line',
  suspect: (change) => {
    const found = change.files
      .filter((file) => !isTestLike(file.path) && !isExample(file.path) && !isForeign(file.path))
      .flatMap((file) => labelled(file).map((secret) => ({ ...secret, file })));
    const madeUp = found.filter(mayBeMadeUp);
    return found
      .filter(
        (secret) => !madeUp.includes(secret) || secret === madeUp.find(({ row }) => row.kind === 'added'),
      )
      .map((secret) => ({ rule: 'committed-secret', weigh: () => weigh(secret) }))
      .slice(0, 20);
  },
};

type Secret = {
  readonly file: ChangedFile;
  readonly row: DiffRow;
  readonly kind: string;
  readonly id: string;
};

const label = /\[secret: ([a-z ]+) ([0-9a-f]{6})\]/;

/** The rows of a file that carry a secret, each secret once: a private key spans lines, and its rows carry one label. */
function labelled(file: ChangedFile): readonly Omit<Secret, 'file'>[] {
  const seen = new Set<string>();
  return file.hunks.flat().flatMap((row) => {
    const [, kind, id] = (row.kind === 'removed' ? null : label.exec(row.text)) ?? [];
    if (kind === undefined || id === undefined || seen.has(id)) return [];
    seen.add(id);
    return [{ row, kind, id }];
  });
}

/** Known by the name it is given to, not by a format of its issuer, where services are started for a while. */
const mayBeMadeUp = ({ file, kind }: Secret): boolean =>
  isThrowaway(file.path) && /^(?:password|secret|token|api key|aws secret key)$/.test(kind);

/** Keys that browsers carry look like the others: https://firebase.google.com/docs/projects/api-keys */
const mayBePublic = ({ kind }: Secret): boolean => kind === 'google api key';

const mayBeMeant = (secret: Secret): boolean => mayBeMadeUp(secret) || mayBePublic(secret);

function* weigh(secret: Secret): Look<Judgement> {
  const { file, row, kind, id } = secret;
  const [before, environment] = yield* together([
    searchCode({ pattern: `\\[secret: [a-z ]+ ${id}\\]`, ref: 'base' }),
    searchCode({ pattern: readsEnvironment, glob: sourceFiles }),
  ]);
  const earlier = before?.matches[0];
  if (row.kind === 'context') return oldCode(file, row, kind);
  if (earlier !== undefined) return knownBefore(file, row, kind, earlier);
  const example = nearest(file.path, environment?.matches ?? []);
  // Read the example so that the quote stands in what was shown with its surroundings.
  if (example !== undefined) yield* readFile('head', example.path);
  const how =
    example === undefined
      ? 'Then read it from the environment or from the secret store of the place where this runs.'
      : `Then read it from the environment, as \`${example.path}:${example.line}\` does.`;
  const finding = {
    path: file.path,
    line: row.line,
    side: 'RIGHT' as const,
    code: row.text,
    rule: 'committed-secret',
    severity: 'important' as const,
    category: 'security' as const,
    title: `${article(kind)} ${kind} is committed`,
    body:
      `\`${file.path}:${row.line}\` holds ${article(kind)} ${kind} (not repeated here). Once it is pushed it stays in the history, and ` +
      `removing the line does not help: revoke it. ${how}`,
    evidence:
      example === undefined
        ? []
        : [
            {
              path: example.path,
              ref: 'head' as const,
              start: example.line,
              end: example.line,
              quote: example.text,
            },
          ],
    absences: [],
  };
  if (!mayBeMeant(secret)) return { kind: 'finding', finding: { ...finding, confidence: 'high' } };
  return {
    kind: 'question',
    request: {
      reason: mayBePublic(secret)
        ? 'keys of this kind are also given to browsers on purpose'
        : 'the repository does not say whether anything else knows this value',
      searched: [],
      question: mayBePublic(secret)
        ? `is this ${kind} meant for browsers and restricted to them?`
        : `is this ${kind} made up for services that run only in tests?`,
      answerEffects: { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' },
      finding: { ...finding, confidence: 'medium' },
    },
  };
}

/** Nothing but the row itself is claimed: it stands in the file, and this change did not put it there. */
function oldCode(file: ChangedFile, row: DiffRow, kind: string): Judgement {
  return {
    kind: 'finding',
    finding: {
      path: file.path,
      line: row.line,
      side: 'RIGHT',
      code: row.text,
      rule: 'committed-secret',
      severity: 'important',
      category: 'security',
      confidence: 'high',
      title: `${article(kind)} ${kind} is in the repository`,
      body: `This change does not touch it. It is in the history: revoke it, then read it from the environment.`,
      evidence: [],
      absences: [],
    },
  };
}

function knownBefore(file: ChangedFile, row: DiffRow, kind: string, earlier: SearchRow): Judgement {
  // Moved or touched within one file: the change does not make it worse, and the base says so itself.
  return {
    kind: 'finding',
    finding: {
      path: file.path,
      line: row.line,
      side: 'RIGHT',
      code: row.text,
      rule: 'committed-secret',
      severity: 'nit',
      category: 'security',
      confidence: 'high',
      title: `${article(kind)} ${kind} that was committed before is used again`,
      body: `The same ${kind} stands at \`${earlier.path}:${earlier.line}\` before this change, so it is in the history already. Revoke it, then read it from the environment.`,
      evidence: [
        { path: earlier.path, ref: 'base', start: earlier.line, end: earlier.line, quote: earlier.text },
      ],
      absences: [],
    },
  };
}

const sourceFiles = '**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,py,go,rb,php,java,kt,rs}';

const readsEnvironment = String.raw`\bprocess\.env\b|\bos\.environ\b|\bos\.getenv\(|\bos\.Getenv\(|\bENV\[|\bgetenv\(|\benv::var\(`;

function nearest(path: string, matches: readonly SearchRow[]): SearchRow | undefined {
  // What code reads is no example for a file that is none, or of another language.
  const usable = matches.filter(
    (match) =>
      extensionOf(match.path) === extensionOf(path) &&
      match.path !== path &&
      !isTestLike(match.path) &&
      !isExample(match.path) &&
      !isForeign(match.path),
  );
  return (
    usable.find(
      (match) => folderOf(match.path) === folderOf(path) && /passw|secret|token|key/i.test(match.text),
    ) ??
    usable.find((match) => folderOf(match.path) === folderOf(path)) ??
    usable.find((match) => /config|settings|env/i.test(fileOf(match.path))) ??
    usable[0]
  );
}

const extensionOf = (path: string): string =>
  (/\.[^./]+$/.exec(path)?.[0] ?? path).replace(/^\.[cm]?[jt]sx?$/, '.js');

const article = (noun: string): string => (/^[aeiou]/i.test(noun) ? 'an' : 'a');
