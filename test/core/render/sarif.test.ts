import schema from '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json' with { type: 'json' };
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { Finding, FindingKey } from '../../../lib/core/finding.js';
import type { Question } from '../../../lib/core/question.js';
import { sarif, type SarifInput } from '../../../lib/core/render/sarif.js';
import { noSpend } from '../../../lib/core/budget.js';
import { Sha } from '../../../lib/core/pull-request.js';

// The schema is of draft 4, of which it uses nothing that later drafts read otherwise but its own name.
const { $schema: _draft, id: _id, ...official } = schema as Record<string, unknown>;
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
(addFormats as unknown as (target: Ajv) => void)(ajv);
const check: ValidateFunction = ajv.compile(official);

/** Throws what the official schema says against it. */
const valid = (log: unknown): void => {
  if (!check(JSON.parse(JSON.stringify(log)))) throw new Error(ajv.errorsText(check.errors));
};

const file = ['one', 'two', 'three', 'four'];

const finding: Finding = {
  id: 'F1',
  key: 'logic.0123456789.0123456789abcdef.01234567.0' as FindingKey,
  anchor: { kind: 'line', path: 'src/a b#.ts', side: 'RIGHT', startLine: 2, line: 3 },
  rule: 'falsy-zero',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  origin: 'introduced',
  title: 'a refund of 0 gives back the whole total',
  body: 'See [here](https://evil.example).',
  suggestion: 'both',
  evidence: [
    { kind: 'quote', role: 'at', path: 'src/a b#.ts', ref: 'head', start: 2, end: 3, quote: 'two\nthree' },
    { kind: 'quote', role: 'because', path: 'src/b.ts', ref: 'base', start: 9, end: 9, quote: 'nine' },
    { kind: 'absence', role: 'because', pattern: 'guard\\(', glob: 'src/**', ref: 'head' },
  ],
  standing: { kind: 'open' },
};
const { id: _of, ...claim } = finding;
const question: Question = {
  id: 'Q1',
  finding: claim,
  reason: 'no caller is in the repository',
  searched: [],
  question: 'Is 0 a refund?',
  answerEffects: { yes: 'suppress_finding', no: 'include_finding' },
  standing: { kind: 'open' },
};

const input = (
  change: Partial<SarifInput['result'] & object> = {},
  more: Partial<SarifInput> = {},
): SarifInput => ({
  version: '1.2.3',
  pullRequest: {
    repo: {
      host: 'github.com',
      owner: 'octo-org',
      name: 'shop',
      htmlUrl: 'https://github.com/octo-org/shop',
    } as never,
    head: { ref: 'refunds', sha: Sha.parse('a'.repeat(40)) } as never,
  },
  result: {
    findings: [finding],
    questions: [],
    dropped: [],
    disproved: [],
    coverage: { files: [{ kind: 'seen', path: 'src/a b#.ts' }], othersRead: 0, complete: true },
    summary: '',
    spend: noSpend,
    ...change,
  },
  finished: true,
  exitCode: 1,
  notices: [],
  began: 0,
  ended: 1000,
  model: { name: 'rules', kind: 'rules' },
  linesOf: () => file,
  ...more,
});
const runOf = (given: SarifInput) => {
  const log = sarif(given);
  valid(log);
  return log.runs[0];
};
const resultOf = (given: SarifInput) => {
  const [result] = runOf(given).results ?? [];
  if (result === undefined) throw new Error('no result');
  return result;
};

test('a finding says where, how grave, because of what, and by what it is known again', () => {
  const run = runOf(input());
  const result = resultOf(input());
  expect(result).toMatchObject({
    ruleId: 'falsy-zero',
    kind: 'fail',
    level: 'error',
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'src/a%20b%23.ts', uriBaseId: '%SRCROOT%' },
          region: { startLine: 2, endLine: 3, snippet: { text: 'two\nthree' } },
        },
      },
    ],
    relatedLocations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'src/b.ts', uriBaseId: 'MERGEBASE' },
          region: { startLine: 9 },
        },
      },
    ],
    partialFingerprints: { 'evidentFindingKey/v1': finding.key },
    properties: { id: 'F1', quotesFound: '2 of 2', absences: [{ pattern: 'guard\\(' }] },
  });
  expect(result.partialFingerprints['primaryLocationLineHash']).toMatch(/^[0-9a-f]{16}:1$/);
  expect(run.tool.driver.rules[result.ruleIndex]).toMatchObject({ id: 'falsy-zero' });
  expect(run.invocations[0]).toMatchObject({ executionSuccessful: true, exitCode: 1 });
  expect(run.versionControlProvenance).toHaveLength(1);
});

test('a text of others makes no link', () => {
  expect(resultOf(input()).message.text).toContain('[here\\](https://evil.example)');
});

test.each<[string, Partial<Finding>, string]>([
  ['important and introduced', {}, 'error'],
  ['important and there before', { origin: 'pre_existing' }, 'warning'],
  ['a nit', { severity: 'nit' }, 'note'],
  ['an old nit', { severity: 'nit', origin: 'pre_existing' }, 'note'],
])('%s: the level', (_name, change, level) => {
  expect(resultOf(input({ findings: [{ ...finding, ...change }] })).level).toBe(level);
});

test('a question is for a person: kind review, no level; an answered one is left out', () => {
  const asked = input({ findings: [], questions: [question] });
  expect(resultOf(asked)).toMatchObject({ kind: 'review', level: 'none', properties: { id: 'Q1' } });
  expect(resultOf(asked).message.text).toMatch(/^Is 0 a refund\?/);
  expect(
    runOf(input({ findings: [], questions: [{ ...question, standing: { kind: 'obsolete' } }] })).results,
  ).toEqual([]);
});

test('what somebody dismissed is suppressed with the name, not gone', () => {
  const dismissed = {
    ...finding,
    standing: { kind: 'dismissed', by: 'mona', at: '2026-01-01', why: 'meant' } as const,
  };
  expect(resultOf(input({ findings: [dismissed] }))).toMatchObject({
    level: 'error',
    suppressions: [{ status: 'accepted', justification: 'dismissed by mona: meant' }],
  });
});

test('a rule of a name that the catalogue does not have is listed behind it; an alias is the rule itself', () => {
  const run = runOf(
    input({
      findings: [
        { ...finding, rule: 'off-by-one' },
        { ...finding, rule: 'floating-promise' },
      ],
    }),
  );
  expect(run.results?.map(({ ruleId }) => ruleId)).toEqual(['off-by-one', 'missing-await']);
  expect(run.results?.map(({ ruleIndex }) => run.tool.driver.rules[ruleIndex]?.id)).toEqual([
    'off-by-one',
    'missing-await',
  ]);
  const ids = run.tool.driver.rules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a run that did not finish was not successful, and says what is missing and what was left out', () => {
  const run = runOf(
    input(
      {
        coverage: {
          files: [
            { kind: 'missing', path: 'src/big.ts', why: 'too large' },
            { kind: 'missing', path: '7 more files', why: 'not listed by the forge' },
          ],
          othersRead: 0,
          complete: false,
        },
        dropped: [{ what: 'a claim', why: 'no evidence' }],
      },
      { finished: false, exitCode: 3 },
    ),
  );
  const [invocation] = run.invocations;
  expect(invocation.executionSuccessful).toBe(false);
  expect(invocation.toolExecutionNotifications).toMatchObject([
    { level: 'error', message: { text: 'src/big.ts was not read whole: too large.' }, locations: [{}] },
    { level: 'error', message: { text: '7 more files was not read whole: not listed by the forge.' } },
    { level: 'note', message: { text: 'Left out: a claim (no evidence)' } },
  ]);
});

test('a run without a submission has no list of results, not an empty one', () => {
  const run = runOf(
    input({}, { result: null, finished: false, exitCode: 3, notices: ['The model refused.'] }),
  );
  expect(run).not.toHaveProperty('results');
  expect(run.invocations[0]).toMatchObject({
    executionSuccessful: false,
    toolExecutionNotifications: [{ level: 'error', message: { text: 'The model refused.' } }],
  });
});

/** Applies a replacement as the standard reads regions: columns count from 1, a missing end column is the line's end. */
function applied(text: string, given: Partial<Finding>, ending: string): string {
  const lines = text.split('\n');
  const body = (line: number): string => (lines[line - 1] ?? '').replace(/\r$/, '');
  const offset = (line: number, column: number): number =>
    lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
  const { fixes } = resultOf(
    input({ findings: [{ ...finding, ...given }] }, { linesOf: () => text.replace(/\n$/, '').split('\n') }),
  );
  const [fix] = (fixes ?? []) as readonly {
    artifactChanges: {
      replacements: {
        deletedRegion: { startLine: number; startColumn?: number; endLine: number; endColumn?: number };
        insertedContent?: { text: string };
      }[];
    }[];
  }[];
  const replacement = fix?.artifactChanges[0]?.replacements[0];
  if (replacement === undefined) throw new Error('no fix');
  const { startLine, startColumn = 1, endLine, endColumn } = replacement.deletedRegion;
  const from = offset(startLine, startColumn);
  const to = offset(endLine, endColumn ?? body(endLine).length + 1);
  return (text.slice(0, from) + (replacement.insertedContent?.text ?? '') + text.slice(to)).replaceAll(
    '\r\n',
    ending,
  );
}

const lines23 = { kind: 'line', path: 'a.ts', side: 'RIGHT', startLine: 2, line: 3 } as const;
const lines34 = { kind: 'line', path: 'a.ts', side: 'RIGHT', startLine: 3, line: 4 } as const;
test.each<[string, string, Partial<Finding>, string]>([
  ['replaces', 'one\ntwo\nthree\nfour\n', { anchor: lines23, suggestion: 'x\ny\nz' }, 'one\nx\ny\nz\nfour\n'],
  ['replaces at the end', 'one\ntwo\nthree\nfour', { anchor: lines34, suggestion: 'x' }, 'one\ntwo\nx'],
  ['deletes', 'one\ntwo\nthree\nfour\n', { anchor: lines23, suggestion: '' }, 'one\nfour\n'],
  ['deletes at the end', 'one\ntwo\nthree\nfour\n', { anchor: lines34, suggestion: '' }, 'one\ntwo\n'],
  ['deletes at an open end', 'one\ntwo\nthree\nfour', { anchor: lines34, suggestion: '' }, 'one\ntwo'],
  [
    'keeps CRLF',
    'one\r\ntwo\r\nthree\r\nfour\r\n',
    { anchor: lines23, suggestion: 'x\r\ny\r' },
    'one\r\nx\r\ny\r\nfour\r\n',
  ],
])('a suggestion %s exactly its lines when the fix is applied', (_name, text, given, expected) => {
  expect(applied(text, given, '\r\n')).toBe(expected);
});

test.each<[string, Partial<Finding>]>([
  ['no suggestion', { suggestion: undefined }],
  ['only shown, not applicable', { suggestion: undefined, fix: 'x' }],
  ['on a removed line', { anchor: { kind: 'line', path: 'a.ts', side: 'LEFT', line: 3 } }],
  ['a row', { anchor: { kind: 'row', path: 'a.ts', line: 3, why: 'not in the diff' } }],
])('%s: no fix', (_name, change) => {
  expect(resultOf(input({ findings: [{ ...finding, ...change }] }))).not.toHaveProperty('fixes');
});

test('whatever stands in texts and paths, the log is valid and the paths come back', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 }),
      (text, parts) => {
        const path = parts.join('/');
        const given = {
          ...finding,
          title: text,
          body: text,
          evidence: [
            { kind: 'quote', role: 'at', path, ref: 'head', start: 1, end: 1, quote: text },
          ] as const,
        };
        const { physicalLocation } = resultOf(input({ findings: [given] })).locations[0];
        expect(decodeURIComponent(physicalLocation.artifactLocation.uri)).toBe(path);
      },
    ),
    { numRuns: 60 },
  );
});
