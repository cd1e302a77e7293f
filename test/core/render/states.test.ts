import fc from 'fast-check';
import { noUsage } from '../../../lib/core/budget.js';
import { checkState } from '../../../lib/core/check.js';
import { findingKey, type Finding, type FindingKey } from '../../../lib/core/finding.js';
import { decide, type Verdict } from '../../../lib/core/gate.js';
import {
  emptyLedger,
  marksOf,
  type Ledger,
  type OwnThread,
  type PassRecord,
} from '../../../lib/core/ledger.js';
import { readState, withoutMarkers } from '../../../lib/core/marker.js';
import { noReport, type PassReport } from '../../../lib/core/pass-record.js';
import type { Policy } from '../../../lib/core/policy.js';
import { draft, type DraftInput } from '../../../lib/core/publication.js';
import type { Question } from '../../../lib/core/question.js';
import { checkTexts } from '../../../lib/core/render/check.js';
import { summary } from '../../../lib/core/render/summary.js';
import type { Snapshot } from '../../../lib/core/snapshot.js';
import { expectGolden } from '../golden.js';
import { head, policy, pullRequest, sha, snapshot } from '../shop.js';

const trust = { keys: ['secret'], scope: 'github.test/1/octo-org/shop/482' };
const refund = (head['src/billing/refund.ts'] ?? '').split('\n');
const keyOf = (line: number): FindingKey =>
  findingKey({
    lineage: 'src/billing/refund.ts',
    category: 'logic',
    file: refund,
    start: line,
    end: line,
    nth: 0,
  });
const finding = (id: Finding['id'], over: Partial<Finding> = {}): Finding => ({
  id,
  key: keyOf(5),
  anchor: { kind: 'line', path: 'src/billing/refund.ts', side: 'RIGHT', line: 5 },
  rule: 'falsy-zero',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  origin: 'introduced',
  title: 'a refund of 0 charges the full amount',
  body: '`refundFor` returns 0 when an order was refunded before.',
  evidence: [],
  standing: { kind: 'open' },
  ...over,
});
const { id: _id, ...asked } = finding('F9', {
  title: "this jQuery change breaks React's rendering of `#promo`",
  anchor: { kind: 'line', path: 'src/widgets/Promo.tsx', side: 'RIGHT', line: 5 },
  key: keyOf(4),
});
const question = (id: Question['id'], over: Partial<Question> = {}): Question => ({
  id,
  finding: asked,
  reason: 'nothing names a widget',
  searched: [],
  question: 'Is this jQuery change required by a third-party widget?',
  answerEffects: { yes: 'suppress_finding', no: 'include_finding' },
  standing: { kind: 'open' },
  ...over,
});
const report: PassReport = {
  ...noReport,
  coverage: { ...noReport.coverage, seen: 3, of: 3, others: 2 },
  usage: { ...noUsage, dollars: 0.22 },
  elapsedMs: 112_000,
  requests: 9,
};
const pass = (at: number, over: Partial<PassRecord> = {}): PassRecord => ({
  v: 2,
  at,
  jobKey: `octo-org/shop#482:${at}:main`,
  head: snapshot.pullRequest.head.sha,
  baseRef: 'main',
  diffHash: snapshot.diffHash,
  policyHash: snapshot.policyHash,
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
  usage: { ...noUsage, dollars: 0.22 },
  report,
  ...over,
});
const thread = (id: OwnThread['id'], over: Partial<OwnThread> = {}): OwnThread => ({
  id,
  thread: `t-${id}`,
  comment: 1,
  body: '',
  state: 'open',
  resolved: false,
  canResolve: false,
  ...over,
});
const decision = { by: 'monalisa', at: '2026-12-01T14:02:00.000Z' };

const inputOf = (
  known: Partial<Ledger>,
  {
    at = {},
    settings = policy('blocking'),
  }: { readonly at?: Partial<Snapshot>; readonly settings?: Policy } = {},
): DraftInput & { readonly verdict: Verdict } => {
  const ledger = { ...emptyLedger, ...known };
  const there = { ...snapshot, ...at, policy: settings };
  return {
    snapshot: there,
    before: { ...ledger, summary: { reviewId: 1, body: '', pass: 'p' } },
    ledger,
    verdict: decide(ledger, { ...there, realForge: true }),
    pass: null,
    run: {
      model: { name: 'claude-sonnet', kind: 'language_model' },
      operator: 'octo-org',
      elapsedMs: 1,
      requests: 1,
    },
    trust,
  };
};

const showing = (name: string, input: DraftInput): string => {
  const { check, summaryEdit, replies = [] } = draft(input);
  const text = [
    summaryEdit === undefined ? '' : withoutMarkers(summaryEdit.body),
    '--- the check ---',
    `Title: ${check.title}`,
    check.summary,
    withoutMarkers(check.text),
    ...replies.flatMap(({ body }) => ['--- a comment ---', withoutMarkers(body)]),
  ].join('\n\n');
  expectGolden(`state-${name}.md`, text);
  return text;
};

const first = (digit: string) => ({ head: sha(digit), diffHash: digit.repeat(8) });

test('after three rounds a person decides: who, and what became of each finding', () => {
  const blocking = [keyOf(5)];
  const known = {
    findings: [finding('F1'), finding('F2', { key: keyOf(6), standing: { kind: 'fixed', in: sha('5') } })],
    passes: [
      pass(1, { ...first('4'), blocking: [keyOf(5), keyOf(6)], findings: ['F1', 'F2'] }),
      pass(2, { ...first('5'), blocking, findings: ['F1'], settled: [{ id: 'F2', kind: 'fixed' }] }),
      pass(3, { ...first('6'), blocking, findings: ['F1'] }),
      pass(4, { blocking, findings: ['F1'] }),
    ],
  } as const;
  const deciders = [
    {
      who: 'octo-org/payments',
      namedBy: '.github/CODEOWNERS line 14',
      path: 'src/billing/refund.ts',
    },
  ];
  const input = inputOf(known, { at: { deciders } });
  expect(input.verdict.kind).toBe('escalated');
  showing('escalated', input);
  // Where the settings name all of them, it is said once.
  const namedBy = '.github/evident.yml line 4';
  const two = inputOf(known, {
    at: {
      deciders: [
        { who: 'hubot', namedBy },
        { who: 'monalisa', namedBy },
      ],
    },
    settings: policy('blocking', { remindAfterHours: 0 }),
  });
  const { check, replies } = draft(two);
  expect(check.summary).toContain('asked of hubot and monalisa (.github/evident.yml line 4): may');
  expect(replies?.[0]?.body).toContain('You are asked because .github/evident.yml line 4 names you.');
  expect(replies?.[0]?.body).toContain('nobody is reminded');
});

test('a question that was passed on is not nothing open: it waits for a person, with what each answer does', () => {
  const input = inputOf({
    questions: [
      question('Q1', {
        answerEffects: { yes: 'suppress_finding', no: 'include_finding', unsure: 'escalate' },
        standing: { kind: 'answered', answer: 'unsure', effect: 'escalate', ...decision },
      }),
    ],
    passes: [pass(1, { questions: ['Q1'] })],
  });
  expect(input.verdict.kind).toBe('escalated');
  showing('passed-on', input);
});

test('what a pass without a find saw fixed stands in the next round', () => {
  const input = inputOf({
    findings: [
      finding('F1', { standing: { kind: 'fixed', in: sha('5') } }),
      finding('F2', { key: keyOf(6) }),
    ],
    passes: [
      pass(1, { ...first('4'), blocking: [keyOf(5)], findings: ['F1'] }),
      pass(2, { ...first('5'), settled: [{ id: 'F1', kind: 'fixed' }] }),
      pass(3, { blocking: [keyOf(6)], findings: ['F2'] }),
    ],
  });
  const rows = draft(input)
    .check.text.split('\n')
    .filter((row) => /^\| \d/.test(row) && row.includes('`'));
  expect(rows).toEqual([
    expect.stringMatching(/^\| 1 \| .* \| F1 found \|$/),
    expect.stringMatching(/^\| 2 \| .* \| F1 fixed; F2 found \|$/),
  ]);
});

test('what a person passed says who, how and why, and what is open all the same', () => {
  const passes = [pass(1, { blocking: [keyOf(5)], findings: ['F1'] })];
  const known = { findings: [finding('F1')], passes };
  const input = inputOf({
    ...known,
    pardon: { ...decision, why: 'hotfix, see INC-12', how: 'override' },
  });
  expect(input.verdict).toMatchObject({ kind: 'passed', by: { by: 'monalisa' } });
  const text = showing('passed-by-person', input);
  expect(text).toContain('**F1** important');
});

test('a question that holds the merge is waited for', () => {
  const input = inputOf(
    {
      questions: [question('Q1'), question('Q2', { standing: { kind: 'obsolete' } })],
      threads: [thread('Q1', { resolved: true, resolvedBy: 'octocat' })],
      passes: [pass(1, { questions: ['Q1'] })],
    },
    { settings: policy('blocking', { openQuestionsHold: true }) },
  );
  expect(input.verdict.kind).toBe('waiting');
  showing('waiting', input);
});

test('a clean one says what was fixed, answered, dismissed and not raised on the way', () => {
  const input = inputOf({
    findings: [
      finding('F1', { standing: { kind: 'fixed', in: sha('5') } }),
      finding('F2', { standing: { kind: 'fixed', in: sha('5') } }),
      finding('F3', { standing: { kind: 'dismissed', ...decision, why: 'by design, see ADR 7' } }),
      finding('F4', { standing: { kind: 'withdrawn', ...decision } }),
      finding('F5', { standing: { kind: 'obsolete', since: sha('5') } }),
      finding('F6', { severity: 'nit', category: 'quality', title: '`amt` is called `amount` elsewhere' }),
      finding('F7', { origin: 'pre_existing', title: 'rounds before summing' }),
    ],
    questions: [
      question('Q1', {
        standing: { kind: 'answered', answer: 'yes', effect: 'suppress_finding', ...decision },
      }),
      question('Q2', {
        standing: { kind: 'answered', answer: 'unsure', effect: 'lower_confidence', ...decision },
      }),
    ],
    passes: [
      pass(1, { ...first('4'), blocking: [keyOf(5)], findings: ['F1', 'F2'] }),
      pass(2, { findings: ['F6', 'F7'], settled: [{ id: 'F1', kind: 'fixed' }] }),
      pass(3, {
        lens: 'security',
        order: 'reverse',
        findings: ['F6'],
        report: {
          ...report,
          notRaised: [
            {
              rule: 'missing-timeout',
              path: 'src/jobs/run.ts',
              line: 18,
              because: 'batch host has its own limit',
              until: '2027-06-01',
              file: '.github/evident.yml',
              fileLine: 14,
            },
          ],
        },
      }),
    ],
  });
  expect(input.verdict).toEqual({ kind: 'passed', streak: 2 });
  showing('clean-after-fixes', input);
});

test('what was not as the reader may think is said: threads, settings, rules, pauses, whose change', () => {
  const settings: Policy = {
    ...policy('blocking'),
    source: '`.github/evident.yml`',
    problems: [{ file: '.github/evident.yml', line: 6, path: 'gate.passes', reason: 'a number is missing' }],
  };
  const input = inputOf(
    {
      findings: [finding('F1'), finding('F3', { from: 'Q1', key: keyOf(4) })],
      questions: [
        question('Q1', {
          standing: { kind: 'answered', answer: 'no', effect: 'include_finding', ...decision },
        }),
      ],
      threads: [thread('F1', { resolved: true, resolvedBy: 'octocat' }), thread('Q1')],
      passes: [pass(1, { blocking: [keyOf(5)], findings: ['F1'], questions: ['Q1'] })],
      paused: { ...decision, why: 'release week' },
    },
    {
      settings,
      at: {
        editedByPull: ['REVIEW.md', '.github/evident.yml'],
        lacks: [{ what: 'older replies of a thread on src/a.ts', why: 'it has too many' }],
        pullRequest: {
          ...pullRequest,
          author: {
            login: 'octocat',
            kind: 'person',
            isNew: true,
            hint: 'a commit says `Co-authored-by: Claude`',
          },
        },
      },
    },
  );
  showing('all-notes', input);
});

test('however much is known, the check fits and ends with a readable state of what blocks and a result', () => {
  const anyText = fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme' });
  const hex = (digits: number): fc.Arbitrary<string> =>
    fc.string({ minLength: digits, maxLength: digits, unit: fc.constantFrom(...'0123456789abcdef') });
  const anyKey = fc
    .tuple(hex(10), hex(16), hex(8))
    .map(([path, lines, around]) => `logic.${path}.${lines}.${around}.0` as FindingKey);
  const anyFinding = fc
    .record({
      key: anyKey,
      title: anyText,
      body: fc.string({ maxLength: 1500 }),
      fix: fc.string({ maxLength: 500 }),
      path: fc.string({ minLength: 1, maxLength: 120 }),
      line: fc.integer({ min: 1, max: 9_999 }),
      isNit: fc.boolean(),
      isFixed: fc.boolean(),
    })
    .map(({ path, line, isNit, isFixed, ...over }) =>
      finding('F1', {
        ...over,
        anchor: { kind: 'line', path, side: 'RIGHT', line },
        severity: isNit ? 'nit' : 'important',
        standing: isFixed ? { kind: 'fixed', in: sha('5') } : { kind: 'open' },
      }),
    );
  fc.assert(
    fc.property(
      fc.array(anyFinding, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 40 }),
      (some, times, rounds) => {
        const findings = Array.from({ length: times }, () => some)
          .flat()
          .map((one, index): Finding => ({
            ...one,
            id: `F${index + 1}`,
            key: one.key.replace(
              /\.[0-9a-f]{8}\.0$/,
              `.${(index + 1).toString(16).padStart(8, '0')}.0`,
            ) as FindingKey,
          }));
        const open = findings.filter(({ standing }) => standing.kind === 'open');
        const fixed = findings.filter(({ standing }) => standing.kind === 'fixed');
        const blocking = open.filter(({ severity }) => severity === 'important');
        const passes = Array.from({ length: rounds }, (_, index) =>
          pass(index + 1, {
            ...(index < rounds - 1 && first((index % 10).toString())),
            blocking: blocking.slice(0, 500).map(({ key }) => key),
            findings: open.map(({ id }) => id),
            settled: fixed.map(({ id }) => ({ id, kind: 'fixed' as const })),
            report: {
              ...report,
              dropped: some.slice(0, 40).map(({ title }) => ({ what: title, why: title })),
            },
          }),
        );
        const input = inputOf({ findings, passes });
        const { text, summary: shown } = checkTexts({
          ...input,
          state: { passes, marks: marksOf(input.ledger), heard: [] },
        });
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(60_100);
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(60_000);
        const result = /^<!-- evident:result (\{.*\}) -->$/.exec(text.split('\n').at(-1) ?? '')?.[1];
        expect(JSON.parse(result ?? 'null')).toMatchObject({ important: blocking.length });
        const state = readState(text, trust);
        expect(state.passes.at(-1)?.diffHash).toBe(snapshot.diffHash);
        const kept = new Set(state.marks.map(({ id }) => id));
        const mostKept = Math.min(blocking.length, 20);
        expect(blocking.filter(({ id }) => kept.has(id)).length).toBeGreaterThanOrEqual(mostKept);
        expect(Buffer.byteLength(summary(input))).toBeGreaterThan(0);
      },
    ),
    { numRuns: 25 },
  );
}, 300_000);

test('titles of every state fit beside the check', () => {
  const long = 'x'.repeat(300);
  for (const verdict of [
    { kind: 'passed', streak: 2, by: { ...decision, why: long, how: 'override' } },
    { kind: 'waiting', questions: Array.from({ length: 40 }, (_, at) => `Q${at}`) },
    { kind: 'escalated', to: [long], why: '' },
  ] satisfies readonly Verdict[])
    expect(checkState(verdict, 'blocking').title.length).toBeLessThanOrEqual(60);
});
