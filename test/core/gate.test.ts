import { checkState, MAX_TITLE, satisfiesRequiredCheck } from '../../lib/core/check.js';
import { parseDiff, type FileDiff } from '../../lib/core/diff.js';
import type { Finding, FindingKey } from '../../lib/core/finding.js';
import { decide, type GateInput, type Verdict } from '../../lib/core/gate.js';
import type { Ledger, PassRecord } from '../../lib/core/ledger.js';
import type { Question } from '../../lib/core/question.js';
import type { Author } from '../../lib/core/pull-request.js';
import { noUsage } from '../../lib/core/budget.js';
import { tierOf } from '../../lib/core/tier.js';
import { diff, policy, pullRequest, sha } from './shop.js';

const key = 'logic.aaaaaaaaaa.bbbbbbbbbbbbbbbb.cccccccc.0' as FindingKey;

const pass = (over: Partial<PassRecord> = {}): PassRecord => ({
  v: 2,
  at: 1_800_000_000_000,
  jobKey: 'octo-org/shop#482',
  head: sha('3'),
  baseRef: 'main',
  diffHash: 'd1',
  policyHash: 'p1',
  lens: 'correctness',
  order: 'as_shown',
  model: 'claude-sonnet',
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
const second = (over: Partial<PassRecord> = {}): PassRecord =>
  pass({ lens: 'contracts', order: 'reverse', ...over });

const finding = (over: Partial<Finding> = {}): Finding => ({
  id: 'F1',
  key,
  anchor: { kind: 'line', path: 'src/a.ts', side: 'RIGHT', line: 1 },
  rule: 'falsy-zero',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  origin: 'introduced',
  title: 'a refund of 0 charges the full amount',
  body: '',
  evidence: [],
  standing: { kind: 'open' },
  ...over,
});
const question = (standing: Question['standing'] = { kind: 'open' }): Question => ({
  id: 'Q1',
  finding: finding(),
  reason: '',
  searched: [],
  question: 'Is it?',
  answerEffects: { yes: 'suppress_finding', no: 'include_finding' },
  standing,
});
const ledger = (
  passes: readonly PassRecord[],
  findings: readonly Finding[] = [],
  questions: readonly Question[] = [],
) => ({ passes, findings, questions }) satisfies Pick<Ledger, 'passes' | 'findings' | 'questions'>;
const input = (over: Partial<GateInput> = {}): GateInput => ({
  policy: policy('blocking'),
  pullRequest,
  diff,
  diffHash: 'd1',
  policyHash: 'p1',
  realForge: true,
  ...over,
});
const byPerson: Partial<GateInput> = { pullRequest: { author: { login: 'octocat', kind: 'person' } } };
const cleared = finding({ standing: { kind: 'dismissed', by: 'monalisa', at: 'now' } });

describe('a change passes', () => {
  test.each([
    ["an agent's after two clean passes that differ", ledger([pass(), second()]), {}, 2],
    ["a person's small one after one", ledger([pass()]), byPerson, 1],
    ['with a nit', ledger([pass(), second()], [finding({ severity: 'nit' })]), {}, 2],
    [
      'with an important finding in old code',
      ledger([pass(), second()], [finding({ origin: 'pre_existing' })]),
      {},
      2,
    ],
    [
      'with a finding that was fixed',
      ledger(
        [pass({ diffHash: 'd0', blocking: [key] }), pass(), second()],
        [finding({ standing: { kind: 'fixed', in: sha('4') } })],
      ),
      {},
      2,
    ],
    ['with a finding that was dismissed', ledger([pass({ blocking: [key] })], [cleared]), byPerson, 1],
    ['with an open question', ledger([pass()], [], [question()]), byPerson, 1],
    [
      'by the fixed rules where the gate only advises',
      ledger([pass({ modelKind: 'rules' })]),
      { ...byPerson, policy: policy('advisory') },
      1,
    ],
    [
      'by the fixed rules on a GitHub that holds no real merges',
      ledger([pass({ modelKind: 'rules' })]),
      { ...byPerson, realForge: false },
      1,
    ],
    ['read by two models alike', ledger([pass(), pass({ model: 'other' })]), {}, 2],
  ] as const)('%s', (_, given, over, streak) =>
    expect(decide(given, input(over))).toEqual({ kind: 'passed', streak }),
  );
});

describe('a change does not pass', () => {
  test.each([
    ['after one clean pass of two', ledger([pass()]), {}, { kind: 'review_again', done: 1, required: 2 }],
    [
      'after the same pass twice',
      ledger([pass(), pass({ head: sha('4') })]),
      {},
      { kind: 'review_again', done: 1 },
    ],
    [
      'when one of the passes was of another diff',
      ledger([pass({ diffHash: 'd0' }), second()]),
      {},
      { kind: 'review_again', done: 1 },
    ],
    [
      'when one of the passes had another policy',
      ledger([pass({ policyHash: 'p0' }), second()]),
      {},
      { kind: 'review_again', done: 1 },
    ],
    [
      'when the diff went away and came back',
      ledger([pass(), pass({ diffHash: 'd2' }), second()]),
      {},
      { kind: 'review_again', done: 1 },
    ],
    [
      'when a pass between found something that nobody knows',
      ledger([pass(), pass({ lens: 'security', blocking: [key] }), second()]),
      {},
      { kind: 'review_again', done: 1 },
    ],
    [
      'when no pass is of this diff',
      ledger([pass({ diffHash: 'd0' })]),
      {},
      { kind: 'incomplete', reason: { kind: 'not_reviewed', meant: false } },
    ],
    ['when nothing was reviewed', ledger([]), {}, { kind: 'incomplete' }],
    [
      'when the newest pass is partial',
      ledger([pass(), second({ complete: false })]),
      { coverage: { seen: 9, of: 14, limit: 'x' } },
      { kind: 'incomplete', reason: { kind: 'partial', seen: 9, of: 14 } },
    ],
    [
      'when the newest pass did not finish',
      ledger([pass(), second({ finished: false })]),
      {},
      { kind: 'incomplete', reason: { kind: 'partial' } },
    ],
    [
      'when a partial pass is all there was before',
      ledger([pass({ complete: false }), second()]),
      {},
      { kind: 'review_again', done: 1 },
    ],
    [
      'by the fixed rules where the gate blocks',
      ledger([pass({ modelKind: 'rules' }), second({ modelKind: 'rules' })]),
      {},
      { kind: 'incomplete', reason: { kind: 'rules_only' } },
    ],
    [
      'with the fixed rules as the second reader',
      ledger([pass(), second({ modelKind: 'rules' })]),
      {},
      { kind: 'incomplete', reason: { kind: 'rules_only' } },
    ],
    [
      'with an open important finding',
      ledger([pass({ blocking: [key] })], [finding()]),
      {},
      { kind: 'fix', round: 1, rounds: 3 },
    ],
    [
      'with one that the newest pass did not see',
      ledger([pass({ blocking: [key] }), second()], [finding()]),
      {},
      { kind: 'fix' },
    ],
    [
      'with one that has no place on the diff',
      ledger(
        [pass({ blocking: [key] })],
        [finding({ anchor: { kind: 'row', path: 'a', line: 1, why: 'x' } })],
      ),
      {},
      { kind: 'fix' },
    ],
    [
      'in its second round',
      ledger([pass({ diffHash: 'd0', blocking: [key] }), pass({ blocking: [key] })], [finding()]),
      {},
      { kind: 'fix', round: 2 },
    ],
    [
      'after three rounds',
      ledger(
        ['a', 'b', 'c', 'd1'].map((diffHash) => pass({ diffHash, blocking: [key] })),
        [finding()],
      ),
      {},
      { kind: 'escalated' },
    ],
    [
      'with a question that holds',
      ledger([pass(), second()], [], [question()]),
      { policy: policy('blocking', { openQuestionsHold: true }) },
      { kind: 'waiting', questions: ['Q1'] },
    ],
    [
      'with a policy that asks for no pass at all',
      ledger([]),
      { ...byPerson, policy: policy('blocking', { passes: { person: 0, agent: 0 } }) },
      { kind: 'incomplete' },
    ],
  ] as const)('%s', (_, given, over, verdict) => expect(decide(given, input(over))).toMatchObject(verdict));
});

describe('passes that a change needs', () => {
  const author = (kind: Author['kind']): Pick<typeof pullRequest, 'author'> => ({
    author: { login: 'x', kind },
  });
  const change = (path: string, lines: number): FileDiff[] =>
    parseDiff(
      `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines} @@\n${'+x\n'.repeat(lines)}`,
    );
  test.each([
    ["a person's small change", 'person', change('src/a.ts', 10), 1],
    ["a person's 400 lines", 'person', change('src/a.ts', 400), 1],
    ["a person's 401 lines", 'person', change('src/a.ts', 401), 2],
    [
      "a person's 21 files",
      'person',
      Array.from({ length: 21 }, (_, n) => change(`src/${n}.ts`, 1)).flat(),
      2,
    ],
    ["a person's long document", 'person', change('docs/guide.md', 900), 1],
    ["a person's document beside code", 'person', [...change('docs/guide.md', 900), ...change('a.ts', 1)], 2],
    ["an agent's small change", 'agent', change('src/a.ts', 1), 2],
    ["a person's long list of dependencies", 'person', change('requirements.txt', 900), 2],
    ["an agent's document", 'agent', change('README.md', 1), 2],
    ["nobody's change", 'unknown', change('src/a.ts', 1), 2],
    ["a bot's change", 'dependency_bot', change('src/a.ts', 1), 2],
  ] as const)('%s', (_, kind, change_, required) =>
    expect(tierOf({ pullRequest: author(kind), policy: policy(), diff: change_ }).passes).toBe(required),
  );
});

/** SURFACES 5, row by row. */
const table: readonly (readonly [Verdict, string, string, string])[] = [
  [{ kind: 'passed', streak: 2 }, 'Nothing open, two clean reviews', 'success', 'success'],
  [{ kind: 'passed', streak: 1 }, 'Nothing open, one clean review', 'success', 'success'],
  [
    { kind: 'review_again', done: 1, required: 2 },
    'Clean once, second review running',
    'in_progress',
    'in_progress',
  ],
  [
    { kind: 'fix', blocking: [finding(), finding({ id: 'F2' })], round: 1, rounds: 3 },
    '2 important to fix',
    'neutral',
    'failure',
  ],
  [{ kind: 'waiting', questions: ['Q1'] }, '1 answer awaited: Q1', 'neutral', 'action_required'],
  [
    { kind: 'escalated', to: ['octo-org/payments'], why: '' },
    'A person decides: octo-org/payments',
    'neutral',
    'action_required',
  ],
  [
    { kind: 'incomplete', reason: { kind: 'partial', seen: 9, of: 14, limit: '' } },
    'Not finished: 9 of 14 files read',
    'neutral',
    'action_required',
  ],
  [
    {
      kind: 'incomplete',
      reason: { kind: 'not_reviewed', title: 'Not reviewed: provider busy', sentence: '', meant: false },
    },
    'Not reviewed: provider busy',
    'neutral',
    'action_required',
  ],
  [
    {
      kind: 'incomplete',
      reason: { kind: 'not_reviewed', title: 'Not reviewed: draft', sentence: '', meant: true },
    },
    'Not reviewed: draft',
    'skipped',
    'skipped',
  ],
  [
    { kind: 'incomplete', reason: { kind: 'superseded', by: 'd4e5f6a'.padEnd(40, '0') } },
    'Overtaken by d4e5f6a',
    'cancelled',
    'cancelled',
  ],
  [
    { kind: 'incomplete', reason: { kind: 'rules_only' } },
    'Not reviewed by a model: fixed rules only',
    'neutral',
    'action_required',
  ],
];

describe('the check', () => {
  test.each(table)('%j', (verdict, title, advisory, blocking) => {
    for (const [mode, wanted] of [
      ['advisory', advisory],
      ['blocking', blocking],
    ] as const) {
      const check = checkState(verdict, mode, { goesOn: true });
      expect(check.title).toBe(title);
      expect(check.status === 'completed' ? check.conclusion : check.status).toBe(wanted);
      expect(check.title.length).toBeLessThanOrEqual(MAX_TITLE);
    }
  });

  test('in blocking, only a pass and what was not meant to be reviewed is mergeable', () => {
    const mergeable = table
      .map(([verdict]) => verdict)
      .filter((verdict) => satisfiesRequiredCheck(checkState(verdict, 'blocking')));
    expect(
      mergeable.map((verdict) => (verdict.kind === 'incomplete' ? verdict.reason.kind : verdict.kind)),
    ).toEqual(['passed', 'passed', 'not_reviewed']);
  });

  test('is completed when no further pass runs now', () => {
    const verdict: Verdict = { kind: 'review_again', done: 1, required: 2 };
    expect(checkState(verdict, 'blocking')).toMatchObject({
      status: 'completed',
      conclusion: 'action_required',
    });
    expect(checkState(verdict, 'advisory')).toMatchObject({ status: 'completed', conclusion: 'neutral' });
  });

  test('says that a question is open beside a pass', () =>
    expect(checkState({ kind: 'passed', streak: 1 }, 'advisory', { openQuestions: ['Q1'] }).title).toBe(
      'Nothing to fix, one clean review; open: Q1',
    ));
});
