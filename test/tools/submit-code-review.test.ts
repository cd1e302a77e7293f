import { readFileSync } from 'node:fs';
import { parseDiff } from '../../lib/core/diff.js';
import { noSpend } from '../../lib/core/budget.js';
import { emptyLedger } from '../../lib/core/ledger.js';
import { finalize, type AcceptedReview } from '../../lib/core/review-result.js';
import type { ProposedFinding } from '../../lib/core/submission.js';
import { submitCodeReview } from '../../lib/tools/submit-code-review.js';
import {
  all,
  calls,
  nit,
  old,
  paymentKey,
  promoQuestion,
  served,
  snapshot,
  source,
  sourceOf,
  zeroRefund,
} from '../core/shop.js';

const seen = { served, calls };
const tool = submitCodeReview({ snapshot, source });
const submit = (input: unknown, lastTry = false) => tool.accept(input, seen, lastTry);
const accepted = async (
  input: unknown,
  lastTry = false,
): Promise<AcceptedReview & { readonly dropped: readonly string[] }> => {
  const submission = await submit(input, lastTry);
  if (submission.kind === 'sent_back') throw new Error(submission.reasons.join('\n'));
  return { ...submission.value, dropped: submission.dropped.map(({ what, why }) => `${what}: ${why}`) };
};
const reasons = async (input: unknown): Promise<readonly string[]> => {
  const submission = await submit(input);
  return submission.kind === 'sent_back' ? submission.reasons : [];
};

describe('a submission is accepted', () => {
  test.each([
    ['empty', { findings: [] }],
    ['with lists as JSON text', { findings: JSON.stringify([zeroRefund]), humanReviewRequests: '[]' }],
    ['with items as JSON text', { findings: [JSON.stringify(zeroRefund)] }],
    ['with numbers as text', { findings: [{ ...zeroRefund, line: '5.0' }] }],
    ['as JSON text', JSON.stringify({ findings: [zeroRefund] })],
  ])('%s', async (name, input) =>
    expect((await accepted(input)).findings).toHaveLength(name === 'empty' ? 0 : 1),
  );

  test('with a wrong line number whose code stands at one place', async () => {
    const { findings } = await accepted({
      findings: [
        { ...zeroRefund, line: 788 },
        { ...paymentKey, line: 'N/A' },
      ],
    });
    expect(findings.map(({ anchor }) => anchor.line)).toEqual([5, 2]);
  });
});

describe('a submission is sent back', () => {
  test.each([
    ['nothing at all', {}, /send an empty list/],
    ['findings that are no list', { findings: '[{"path":' }, /findings: it must be a list/],
    ['questions that are no list', { findings: [], humanReviewRequests: 'Q1' }, /humanReviewRequests/],
    ['findings of which none can be read', { findings: [{ line: 3 }, 'x'] }, /^findings\[0\]: /],
    [
      'questions of which none can be read',
      { findings: [], humanReviewRequests: [{ question: 'Is it?' }] },
      /^humanReviewRequests\[0\]: /,
    ],
  ])('on the last try too when it carries %s', async (_name, input, reason) => {
    expect(await submit(input, true)).toEqual({
      kind: 'sent_back',
      reasons: expect.arrayContaining([expect.stringMatching(reason)]),
    });
  });

  test('with the number and title of each bad item, and its other items are looked at too', async () => {
    expect(
      await reasons({
        findings: [{ line: 3 }, zeroRefund, { ...zeroRefund, path: 'src/nowhere.ts' }],
        humanReviewRequests: [{ ...promoQuestion, question: 'Is this not required?' }],
      }),
    ).toEqual([
      expect.stringMatching(/^findings\[0\]: /),
      'findings[2] `a refund of 0 charges the full amount`: there is no readable file src/nowhere.ts at head',
      'humanReviewRequests[0] `Is this not required?`: the question is negative: ask so that yes clears the code',
    ]);
  });

  test.each([
    ['that is no object', 'findings: none', /must be an object/],
    ['whose list is none', { findings: 'none' }, /findings: it must be a list/],
    ['of null', null, /must be an object/],
  ])('%s', async (_, input, reason) => expect((await reasons(input)).join('\n')).toMatch(reason));

  test('with a fourth question', async () => {
    const rules = ['a', 'b', 'c', 'd'].map((letter) => ({
      ...promoQuestion,
      finding: { ...promoQuestion.finding, rule: `rule-${letter}`, title: `claim ${letter}` },
    }));
    expect(await reasons({ humanReviewRequests: rules })).toEqual([
      expect.stringContaining('at most 3 questions'),
    ]);
    const kept = await accepted({ humanReviewRequests: rules }, true);
    expect(kept.questions).toHaveLength(3);
    expect(kept.dropped).toHaveLength(1);
  });

  test('when the accused line is old and the change is its evidence', async () => {
    const caller: ProposedFinding = {
      ...old,
      evidence: [{ path: 'src/billing/refund.ts', ref: 'head', start: 5, end: 5, quote: zeroRefund.code }],
    };
    expect((await reasons({ findings: [caller] })).join('')).toMatch(
      /accuse the changed line \(src\/billing\/refund\.ts:5 \(head\)\)/,
    );
    expect((await accepted({ findings: [caller] }, true)).findings[0]?.origin).toBe('pre_existing');
  });
});

describe('on the last try', () => {
  test('what holds stays and the rest is listed', async () => {
    const { findings, dropped } = await accepted(
      { findings: [zeroRefund, { ...zeroRefund, title: 'made up', code: 'nowhere();' }, { line: 3 }] },
      true,
    );
    expect(findings.map(({ title }) => title)).toEqual(['a refund of 0 charges the full amount']);
    expect(dropped).toEqual([
      expect.stringMatching(/^findings\[2\]: /),
      expect.stringMatching(/^findings\[1\] `made up`: the accused code does not stand/),
    ]);
  });

  test('a finding stands without the quote that failed, if another holds', async () => {
    const bad = { path: 'src/billing/validate.ts', ref: 'head', start: 1, end: 1, quote: 'made up' };
    const { findings } = await accepted(
      { findings: [{ ...zeroRefund, evidence: [...zeroRefund.evidence, bad] }] },
      true,
    );
    expect(findings[0]?.evidence).toHaveLength(3);
    expect((await accepted({ findings: [{ ...zeroRefund, evidence: [bad] }] }, true)).findings).toEqual([]);
  });

  test('a suggestion that changes nothing is left out', async () => {
    const { findings } = await accepted({ findings: [{ ...zeroRefund, suggestion: zeroRefund.code }] }, true);
    expect(findings).toHaveLength(1);
    expect(findings[0]).not.toHaveProperty('suggestion');
  });
});

describe('within one submission', () => {
  test('the same claim twice is one, with all of its evidence', async () => {
    const [first, second] = zeroRefund.evidence;
    const { findings, dropped } = await accepted({
      findings: [
        { ...zeroRefund, evidence: [first] },
        { ...zeroRefund, title: 'charges again', evidence: [second] },
      ],
    });
    expect(findings).toHaveLength(1);
    expect(findings[0]?.evidence).toHaveLength(3);
    expect(dropped).toHaveLength(1);
  });

  test('two rules on one line are two findings with two keys', async () => {
    const { findings } = await accepted({
      findings: [zeroRefund, { ...zeroRefund, rule: 'missing-await', title: 'not awaited' }],
    });
    expect(new Set(findings.map(({ key }) => key)).size).toBe(2);
  });

  test('a question about a claim that is also made is left out', async () => {
    const made = { ...promoQuestion.finding, confidence: 'high' as const, body: 'It replaces the children.' };
    const { questions, findings, dropped } = await accepted({
      findings: [made],
      humanReviewRequests: [promoQuestion],
    });
    expect([findings.length, questions.length, dropped.length]).toEqual([1, 0, 1]);
  });
});

describe('what a person can know', () => {
  test('carries what was searched and read in this run, whatever the model says', async () => {
    const { questions } = await accepted({ humanReviewRequests: [promoQuestion] });
    expect(questions[0]).toMatchObject({ searched: ['#promo', 'data-widget'], read: ['package.json'] });
    const other = await accepted({
      humanReviewRequests: [{ ...promoQuestion, searched: ['the whole internet'] }],
    });
    expect(other.questions[0]).toMatchObject({
      searched: ['#promo', 'data-widget', 'order.total'],
      read: ['package.json'],
    });
  });
});

describe('secrets', () => {
  const key = ['AKIA', 'QYLPMN5HXW3DZ7RT'].join('');
  test('are never repeated in a text of the model', async () => {
    const { findings } = await accepted({
      findings: [
        {
          ...nit,
          title: `the key ${key} is old`,
          body: `Found \`${key}\`.`,
          suggestion: `const key = "${key}";`,
        },
      ],
    });
    expect(JSON.stringify(findings)).not.toContain(key);
    expect(findings[0]).not.toHaveProperty('suggestion');
  });

  test('need no other evidence, but a name alone is no secret', async () => {
    expect((await accepted({ findings: [paymentKey] })).findings[0]).toMatchObject({
      rule: 'committed-secret',
      severity: 'important',
    });
    expect(
      await reasons({ findings: [{ ...zeroRefund, rule: 'committed-secret', evidence: [] }] }),
    ).toHaveLength(1);
  });
});

test('lines of odd submissions, as other reviewers made them', async () => {
  const diff = parseDiff(readFileSync(new URL('../fixtures/cases/o01-two-hunks.diff', import.meta.url)));
  const lines = Array.from({ length: 62 }, (_, n) => {
    const line = n + 1;
    if (line === 5) return 'line 5 changed';
    if (line === 46) return 'inserted A';
    if (line === 47) return 'inserted B';
    return `line ${line > 47 ? line - 2 : line}`;
  });
  const odd = submitCodeReview({
    snapshot: { ...snapshot, diff },
    source: sourceOf({ head: { 'src/app.ts': lines.join('\n') }, base: {} }),
  });
  const claim = (line: unknown, code: string, over: object = {}): object => ({
    ...nit,
    path: 'src/app.ts',
    line,
    code,
    ...over,
  });
  const submission = await odd.accept(
    {
      findings: [
        claim(46, 'inserted A'),
        claim('5.0', 'line 5 changed'),
        claim('N/A', 'inserted B'),
        claim(46, 'inserted A', { path: 'src/App.ts', rule: 'rule-b', title: 'b' }),
        claim(788, 'line 20', { rule: 'rule-c', title: 'c' }),
        claim(46, 'inserted A', { start_line: 2, rule: 'rule-d', title: 'd' }),
        { line: 3 },
      ],
    },
    { served: [all('src/app.ts')], calls },
    true,
  );
  if (submission.kind === 'sent_back') throw new Error('sent back');
  expect(
    submission.value.findings.map(({ anchor }) => [
      anchor.kind,
      anchor.line,
      anchor.kind === 'line' ? anchor.startLine : undefined,
    ]),
  ).toEqual([
    ['line', 46, undefined],
    ['line', 5, undefined],
    ['line', 47, undefined],
    ['row', 20, undefined],
    ['line', 46, 43],
  ]);
  expect(submission.dropped.map(({ what }) => what)).toEqual(['findings[6]', 'findings[3] `b`']);
});

test('a finalized pass carries numbers, coverage and what was dropped', async () => {
  const submission = await submit({ findings: [zeroRefund, nit], summary: 'Moves refunds.' });
  if (submission.kind === 'sent_back') throw new Error('sent back');
  const result = await finalize({
    accepted: submission.value,
    dropped: submission.dropped,
    ledger: { ...emptyLedger, nextFinding: 8 },
    snapshot,
    source,
    spend: noSpend,
  });
  expect(result).toMatchObject({
    coverage: { complete: true, othersRead: 2 },
    summary: 'Moves refunds.',
    settled: [],
  });
  expect(result.findings.map(({ id }) => id)).toEqual(['F8', 'F9']);
});
