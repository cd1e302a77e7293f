import { assess, carriesException } from '../../lib/core/assess.js';
import type { CodeReview } from '../../lib/core/submission.js';
import { all, diff, paymentKey, policy, served, source, zeroRefund } from './shop.js';

const review = (over: Partial<CodeReview>): CodeReview => ({
  findings: [],
  humanReviewRequests: [],
  disproved: [],
  prior: [],
  summary: '',
  ...over,
});
const context = { diff, source, served, calls: [], policy: policy() };

describe('a finding that holds', () => {
  test('is anchored, classified and carries the accused line as its first evidence', async () => {
    const { findings, problems } = await assess(review({ findings: [zeroRefund] }), context);
    expect(problems).toEqual([]);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({
      anchor: { kind: 'line', path: 'src/billing/refund.ts', side: 'RIGHT', line: 5 },
      origin: 'introduced',
      severity: 'important',
      suggestion: '  const amount = refund ?? order.total;',
      standing: { kind: 'open' },
    });
    expect(findings[0]?.evidence[0]).toEqual({
      kind: 'quote',
      role: 'at',
      path: 'src/billing/refund.ts',
      ref: 'head',
      start: 5,
      end: 5,
      quote: '  const amount = refund || order.total;',
    });
    expect(findings[0]?.evidence).toHaveLength(3);
  });
});

test('the removed and the added line of one number are two places', async () => {
  const removed = {
    ...zeroRefund,
    side: 'LEFT' as const,
    code: '  const amount = refund ?? order.total;',
    suggestion: undefined,
    evidence: zeroRefund.evidence.slice(0, 1),
  };
  const { findings, dropped } = await assess(
    review({ findings: [zeroRefund, removed, zeroRefund] }),
    context,
  );
  expect(findings.map(({ anchor }) => anchor)).toMatchObject([{ side: 'RIGHT' }, { side: 'LEFT' }]);
  expect(new Set(findings.map(({ key }) => key)).size).toBe(2);
  expect(dropped).toHaveLength(1);
});

const { evidence } = zeroRefund;
const problems: readonly (readonly [string, CodeReview['findings'][number], RegExp])[] = [
  ['medium confidence', { ...zeroRefund, confidence: 'medium' }, /confidence is medium/],
  ['low confidence', { ...zeroRefund, confidence: 'low' }, /confidence is low/],
  ['no evidence but the accused line', { ...zeroRefund, evidence: [] }, /at least one piece of evidence/],
  [
    'the accused line as its own evidence',
    {
      ...zeroRefund,
      evidence: [{ path: 'src/billing/refund.ts', ref: 'head', start: 5, end: 5, quote: zeroRefund.code }],
    },
    /at least one piece of evidence/,
  ],
  [
    'the accused line with a bracket beside it',
    {
      ...zeroRefund,
      line: 6,
      code: '  return charge(order, amount);',
      suggestion: undefined,
      evidence: [
        {
          path: 'src/billing/refund.ts',
          ref: 'head',
          start: 6,
          end: 7,
          quote: '  return charge(order, amount);\n}',
        },
      ],
    },
    /at least one piece of evidence/,
  ],
  [
    'a bracket of another file',
    {
      ...zeroRefund,
      evidence: [{ path: 'src/billing/validate.ts', ref: 'head', start: 3, end: 3, quote: '};' }],
    },
    /at least one piece of evidence/,
  ],
  [
    'a quote that stands elsewhere',
    { ...zeroRefund, evidence: [{ ...evidence[0]!, start: 3, end: 3 }] },
    /not at src\/billing\/refund-for\.ts:3 \(head\); it stands at 2/,
  ],
  [
    'a quote that was changed',
    { ...zeroRefund, evidence: [{ ...evidence[0]!, quote: 'if (order.refunded) return 1;' }] },
    /is not at/,
  ],
  ['a line that is nowhere', { ...zeroRefund, code: 'const amount = 12;' }, /does not stand at/],
  [
    'a file that is nowhere',
    { ...zeroRefund, path: 'src/billing/Refund.ts' },
    /did you mean src\/billing\/refund\.ts/,
  ],
  [
    'its own exception',
    { ...zeroRefund, body: 'This charges twice, unless this is intended.' },
    /exception of intent/,
  ],
  ['a body of 121 words', { ...zeroRefund, body: 'word '.repeat(121) }, /121 words/],
  [
    'a suggestion that changes nothing',
    { ...zeroRefund, suggestion: zeroRefund.code },
    /the same as the code/,
  ],
];

describe('a finding is sent back for', () => {
  test.each(problems)('%s', async (_, finding, reason) => {
    const assessed = await assess(review({ findings: [finding] }), context);
    expect(assessed.findings).toEqual([]);
    expect(assessed.problems.map((one) => one.reason).join('\n')).toMatch(reason);
    expect(assessed.problems[0]?.item).toBe('findings[0] `a refund of 0 charges the full amount`');
  });

  test('a cited line that was not read in this run', async () => {
    const unread = {
      ...context,
      served: [all('src/billing/refund.ts'), all('src/billing/refund.ts', 'base')],
    };
    const assessed = await assess(review({ findings: [zeroRefund] }), unread);
    expect(assessed.problems.map((one) => one.reason)).toEqual([
      'src/billing/refund-for.ts:2 (head) was not read in this run: read it first',
    ]);
  });
});

describe('exceptions of intent', () => {
  test.each([
    'Breaks, unless this is intended.',
    'A problem if required by no one, or if required by law.',
    'This may be intentional, but it breaks.',
    'Wrong if this was not done on purpose.',
    'Fails, assuming it is not by design.',
  ])('%s', (text) => expect(carriesException(text)).toBe(true));

  test.each([
    'This may throw when the list is empty.',
    'The caller could pass null here.',
    'Fails unless the caller checks the list first.',
    'The lock required by `flush` is not held.',
    'Rendered twice if the `intended` flag is set.',
  ])('not: %s', (text) => expect(carriesException(text)).toBe(false));
});

test('an accused line that only the diff shows is not quoted from the file', async () => {
  const shifted = {
    ...source,
    lines: async (ref: 'head' | 'base', path: string) => ['', ...((await source.lines(ref, path)) ?? [])],
  };
  const { findings, problems: reasons } = await assess(review({ findings: [paymentKey] }), {
    ...context,
    source: shifted,
  });
  expect(findings).toEqual([]);
  expect(reasons.map(({ reason }) => reason)).toEqual([
    'the accused code does not stand at config/payments.ts:2 (head), though the diff shows it there',
  ]);
});

test('a submission full of absences runs a bounded number of searches, each once', async () => {
  let searches = 0;
  const counting = {
    ...source,
    count: async (query: Parameters<typeof source.count>[0]) => {
      searches += 1;
      return source.count(query);
    },
  };
  const claims = Array.from({ length: 60 }, (_, at) => ({
    ...zeroRefund,
    title: `claim ${at}`,
    rule: `rule-${at}`,
    absences: [
      { pattern: 'refundFor', glob: 'config/**', ref: 'head' as const },
      { pattern: `nowhere${at}`, glob: 'config/**', ref: 'head' as const },
    ],
  }));
  await assess(review({ findings: claims }), { ...context, source: counting });
  expect(searches).toBe(40);
});
