import { noUsage } from '../../lib/core/budget.js';
import type { Finding, FindingKey } from '../../lib/core/finding.js';
import { emptyLedger, type Ledger } from '../../lib/core/ledger.js';
import type { PassRecord } from '../../lib/core/pass-record.js';
import type { Question } from '../../lib/core/question.js';
import { byVotes, votesNeeded } from '../../lib/core/votes.js';
import { sha } from './shop.js';

const passRecord = (over: Partial<PassRecord>): PassRecord => ({
  v: 2,
  at: 1,
  jobKey: 'octo-org/shop#1',
  head: sha('3'),
  baseRef: 'main',
  diffHash: 'd',
  policyHash: 'p',
  lens: 'correctness',
  order: 'as_shown',
  model: 'scripted',
  modelKind: 'language_model',
  finished: true,
  complete: true,
  blocking: [],
  findings: [],
  questions: [],
  settled: [],
  usage: noUsage,
  ...over,
});

const finding = (over: Partial<Finding> = {}): Finding => ({
  id: 'F1',
  key: 'logic.1' as FindingKey,
  anchor: { kind: 'line', path: 'src/a.ts', side: 'RIGHT', line: 1 },
  rule: 'falsy-zero',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  origin: 'introduced',
  title: 'a',
  body: '',
  evidence: [],
  standing: { kind: 'open' },
  ...over,
});

/** A round of three, each reviewer by what it found; null: it did not finish. */
const round = (at: number, ...found: readonly (readonly 'F1'[] | null)[]): readonly PassRecord[] =>
  found.flatMap((findings, index) =>
    findings === null
      ? []
      : [passRecord({ at: at + index, panel: { round: at, size: found.length }, findings })],
  );

const vote = (findings: readonly Finding[], passes: readonly PassRecord[], known: Partial<Ledger> = {}) =>
  byVotes({ ...emptyLedger, ...known, findings }, passes, { reviewers: 3, votes: 2 });

const alone = passRecord({ at: 1, findings: ['F1'] });
const outvoted = { kind: 'outvoted', for: 1, of: 3, needed: 2 } as const;

test.each<[string, Partial<Finding>, readonly PassRecord[], Finding['standing']['kind']]>([
  ['one of three', {}, round(1, ['F1'], [], []), 'outvoted'],
  ['two of three', {}, round(1, ['F1'], ['F1'], []), 'open'],
  ['one of three, and one did not finish', {}, round(1, ['F1'], [], null), 'open'],
  ['one of two', {}, round(1, ['F1'], []), 'outvoted'],
  ['found by one who read alone', {}, [alone, ...round(2, [], [], [])], 'open'],
  ['one of three, twice', {}, [...round(1, ['F1'], [], []), ...round(9, [], ['F1'], [])], 'outvoted'],
  [
    'two of three once, and none later',
    {},
    [...round(1, ['F1'], ['F1'], []), ...round(9, [], [], [])],
    'open',
  ],
  ['no record of who found it is left', {}, [], 'open'],
  ['outvoted before, and agreed on since', { standing: outvoted }, round(1, ['F1'], ['F1'], []), 'open'],
  ['made by an answer', { from: 'Q1' }, round(1, ['F1'], [], []), 'open'],
  ['a rule that speaks for itself', { rule: 'committed-secret' }, round(1, ['F1'], [], []), 'open'],
  ['a nit blocks nothing anyway', { severity: 'nit' }, round(1, ['F1'], [], []), 'open'],
  ['old code blocks nothing anyway', { origin: 'pre_existing' }, round(1, ['F1'], [], []), 'open'],
  [
    'what a person decided stays',
    { standing: { kind: 'dismissed', by: 'monalisa', at: '2025-12-01T10:00:00Z' } },
    round(1, ['F1'], [], []),
    'dismissed',
  ],
])('%s', (_what, over, passes, kind) => {
  const [now] = vote([finding(over)], passes);
  expect(now?.standing.kind).toBe(kind);
});

test('it says how many found it, and settings that ask for one vote open it again', () => {
  const passes = round(1, ['F1'], [], []);
  const voted = vote([finding()], passes);
  expect(voted[0]?.standing).toEqual(outvoted);
  expect(byVotes({ ...emptyLedger, findings: voted }, passes, { reviewers: 3, votes: 1 })).toEqual([
    finding(),
  ]);
});

test.each([
  [1, 1, 1],
  [3, 2, 2],
  [1, 3, 1],
  [2, 3, 2],
])('of %d reviewers and %d votes, %d must find it', (reviewers, votes, needed) =>
  expect(votesNeeded({ reviewers, votes })).toBe(needed),
);

test('who read only a part has not said that it is not there', () => {
  const passes = round(1, ['F1'], [], []).map((pass) => ({ ...pass, complete: pass.findings.length > 0 }));
  expect(vote([finding()], passes)[0]?.standing.kind).toBe('open');
});

test('what has a thread blocked once, and what took the place of a question is no mere opinion', () => {
  const passes = round(1, ['F1'], [], []);
  const thread = {
    id: 'F1',
    thread: 'T',
    comment: 1,
    body: '',
    state: 'open',
    resolved: false,
    canResolve: false,
  } as const;
  expect(vote([finding()], passes, { threads: [thread] })[0]?.standing.kind).toBe('open');
  const { id: _id, ...asked } = finding();
  const question: Question = {
    id: 'Q1',
    finding: asked,
    reason: '',
    searched: [],
    question: 'Is it so?',
    answerEffects: { yes: 'suppress_finding', no: 'include_finding' },
    standing: { kind: 'obsolete' },
  };
  expect(vote([finding()], passes, { questions: [question] })[0]?.standing.kind).toBe('open');
});
