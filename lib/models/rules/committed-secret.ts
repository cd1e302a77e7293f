import { literally, readFile, searchCode, together } from './look.js';
import type { Look } from './look.js';
import { fileOf, folderOf, isExample, isForeign, isTestLike } from './paths.js';
import type { Judgement, Rule } from './rule.js';
import type { ChangedFile, DiffRow, SearchRow } from './tool-texts.js';

/**
 * A secret on an added line. The reader has already replaced it by a label, `[secret: kind id]`, so this rule never
 * sees one and cannot repeat it. Nothing is said in tests, fixtures, documentation and examples, where made-up
 * keys are at home. A key that the base holds too was in the history before: that is a nit. A secret on an
 * unchanged row of the diff is reported where it stands; code then lists it as old code, which blocks nothing.
 */
export const committedSecret: Rule = {
  name: 'committed-secret',
  looksFor: 'a secret on an added line',
  suspect: (change) =>
    change.files
      .filter((file) => !isTestLike(file.path) && !isExample(file.path) && !isForeign(file.path))
      .flatMap((file) =>
        labelled(file).map((row) => ({ rule: 'committed-secret', weigh: () => weigh(file, row) })),
      )
      .slice(0, 20),
};

const label = /\[secret: ([^\]]+?)(?: ([0-9a-f]{4,16}))?\]/;

function labelled(file: ChangedFile): readonly DiffRow[] {
  const seen = new Set<string>();
  return file.hunks.flat().filter((row) => {
    const found = row.kind === 'removed' ? undefined : label.exec(row.text)?.[0];
    // A private key spans lines: its rows carry one label.
    if (found === undefined || seen.has(found)) return false;
    seen.add(found);
    return true;
  });
}

function* weigh(file: ChangedFile, row: DiffRow): Look<Judgement> {
  const [whole, kind = 'secret'] = label.exec(row.text)!;
  const [before, environment] = yield* together([
    searchCode({ pattern: literally(whole), ref: 'base' }),
    searchCode({
      pattern: readsEnvironment,
      glob: '**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,py,go,rb,php,java,kt,rs}',
    }),
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
      title: `${article(kind)} ${kind} is committed`,
      body:
        `\`${file.path}:${row.line}\` holds ${article(kind)} ${kind} (not repeated here). It is in the history from this commit on: ` +
        `revoke it first, removing the line does not help. ${how}`,
      evidence:
        example === undefined
          ? []
          : [
              {
                path: example.path,
                ref: 'head',
                start: example.line,
                end: example.line,
                quote: example.text,
              },
            ],
      absences: [],
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

const readsEnvironment = String.raw`\bprocess\.env\b|\bos\.environ\b|\bos\.getenv\(|\bos\.Getenv\(|\bENV\[|\bgetenv\(|\benv::var\(`;

function nearest(path: string, matches: readonly SearchRow[]): SearchRow | undefined {
  const usable = matches.filter(
    (match) =>
      match.path !== path && !isTestLike(match.path) && !isExample(match.path) && !isForeign(match.path),
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

const article = (noun: string): string => (/^[aeiou]/i.test(noun) ? 'an' : 'a');
