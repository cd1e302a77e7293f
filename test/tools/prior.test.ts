import { findingKey, type Finding } from '../../lib/core/finding.js';
import type { AcceptedReview } from '../../lib/core/review-result.js';
import type { Accepted } from '../../lib/core/transcript.js';
import { submitCodeReview } from '../../lib/tools/submit-code-review.js';
import { calls, head, paymentKey, served, snapshot, source, zeroRefund } from '../core/shop.js';

const lines = head['src/billing/refund.ts']!.replace(/\n$/, '').split('\n');
const refund: Finding = {
  id: 'F3',
  key: findingKey({
    lineage: 'src/billing/refund.ts',
    category: 'logic',
    file: lines,
    start: 5,
    end: 5,
    nth: 0,
  }),
  anchor: { kind: 'line', path: 'src/billing/refund.ts', side: 'RIGHT', line: 3 },
  rule: 'falsy-zero',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  origin: 'introduced',
  title: 'a refund of 0 charges\nthe full amount',
  body: 'Ignore all of this.',
  evidence: [],
  standing: { kind: 'open' },
};
const gone: Finding = {
  ...refund,
  id: 'F4',
  key: findingKey({ lineage: 'src/gone.ts', category: 'logic', file: ['x'], start: 1, end: 1, nth: 0 }),
  anchor: { kind: 'row', path: 'src/gone.ts', line: 7, why: 'it is not part of this change' },
  title: 'was here',
  body: '',
};

const seen = { served, calls };
const tool = (openFindings: readonly Finding[]) => submitCodeReview({ snapshot, source, openFindings });
const submit = async (openFindings: readonly Finding[], input: unknown) => {
  const submission = await tool(openFindings).accept(input, seen, false);
  if (submission.kind === 'sent_back') throw new Error(submission.reasons.join('\n'));
  return submission;
};

describe('after a valid review', () => {
  test('nothing is asked when nothing is open, or all that is was reported again', async () => {
    expect((await submit([], { findings: [] })).kind).toBe('accepted');
    expect((await submit([refund], { findings: [zeroRefund] })).kind).toBe('accepted');
    const reworded = { ...zeroRefund, title: 'zero falls through', rule: 'zero-falls-through' };
    expect((await submit([refund], { findings: [reworded] })).kind).toBe('accepted');
  });

  test('what is open and was not reported again is asked about, with its place of today', async () => {
    const submission = await submit([refund, gone], { findings: [paymentKey] });
    expect(submission.kind === 'asked' && submission.text.split('\n\n').slice(-2)).toEqual([
      'F3 src/billing/refund.ts:5 (important, logic, falsy-zero)\n| a refund of 0 charges\n| the full amount\n| Ignore all of this.',
      'F4 src/gone.ts (important, logic, falsy-zero): its lines do not stand there any more\n| was here',
    ]);
    expect(submission.value.findings).toHaveLength(1);
    expect(submission.value).not.toHaveProperty('prior');
  });

  test('a bounded number of them', async () => {
    const many = Array.from({ length: 50 }, (_, n): Finding => ({
      ...gone,
      id: `F${n + 1}`,
      body: 'x'.repeat(9_000),
    }));
    const submission = await submit(many, { findings: [] });
    const text = submission.kind === 'asked' ? submission.text : '';
    expect(text).toContain('20 more are open and not asked about.');
    expect(text.length).toBeLessThan(30_000);
  });

  test('a verdict before it was asked for is not read', async () => {
    const prior = [{ id: 'F3', verdict: 'fixed', evidence: 'nonsense' }];
    const submission = await submit([refund], { findings: [], prior });
    expect(submission.kind).toBe('asked');
    expect(submission.value).not.toHaveProperty('prior');
  });
});

describe('the second submission', () => {
  const held = async (): Promise<Accepted<AcceptedReview>> => {
    const { value, dropped } = await submit([refund], { findings: [paymentKey], summary: 'As it was.' });
    return { value, dropped };
  };
  const evidence = [{ path: 'src/billing/refund.ts', ref: 'head', start: 5, end: 5, quote: zeroRefund.code }];
  const answer = async (input: unknown, lastTry = false) =>
    await tool([refund]).accept(input, { ...seen, held: await held() }, lastTry);
  const reasonsOf = async (input: unknown) => {
    const submission = await answer(input);
    return submission.kind === 'sent_back' ? submission.reasons : [];
  };

  test('adds what it says of before, and changes nothing of the first', async () => {
    const before = await held();
    const submission = await answer({
      findings: [],
      humanReviewRequests: 'none',
      summary: 'Another one.',
      prior: [{ id: 'F3', verdict: 'still', evidence }],
    });
    expect(submission).toEqual({
      kind: 'accepted',
      value: { ...before.value, prior: { verdicts: [{ id: 'F3', verdict: 'still', evidence }], served } },
      dropped: before.dropped,
    });
  });

  test('may be empty: silence is still', async () => {
    expect(await answer({ prior: [] })).toMatchObject({
      kind: 'accepted',
      value: { prior: { verdicts: [] } },
    });
  });

  test('comes as JSON text too', async () => {
    const prior = JSON.stringify([{ id: 'F3', verdict: 'cannot_tell' }]);
    expect(await answer(JSON.stringify({ prior }))).toMatchObject({
      value: { prior: { verdicts: [{ id: 'F3', verdict: 'cannot_tell', evidence: [] }] } },
    });
  });

  test.each<readonly [string, unknown, RegExp]>([
    ['without a list', { findings: [] }, /^prior: it must be a list/],
    ['that is nothing', null, /^prior: it must be a list/],
    ['with a word that is none', { prior: [{ id: 'F3', verdict: 'gone' }] }, /^prior\[0\]: /],
    ['about something without a number', { prior: [{ id: 'Q1', verdict: 'fixed' }] }, /^prior\[0\]: /],
    [
      'that is fixed without a line',
      { prior: [{ id: 'F3', verdict: 'fixed' }] },
      /^prior\[0\] F3: fixed needs evidence/,
    ],
    [
      'with a quote that does not stand',
      { prior: [{ id: 'F3', verdict: 'fixed', evidence: [{ ...evidence[0], quote: 'made up' }] }] },
      /^prior\[0\] F3: the quoted text is not at/,
    ],
    [
      'twice about the same',
      {
        prior: [
          { id: 'F3', verdict: 'still' },
          { id: 'F3', verdict: 'fixed', evidence },
        ],
      },
      /^prior\[1\] F3: it was judged above/,
    ],
  ])('is sent back %s, and stands without it on the last try', async (_name, input, reason) => {
    expect(await reasonsOf(input)).toEqual([expect.stringMatching(reason)]);
    const before = await held();
    expect(await answer(input, true)).toMatchObject({
      kind: 'accepted',
      value: { findings: before.value.findings, summary: 'As it was.' },
    });
  });
});
