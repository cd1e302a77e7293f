import fc from 'fast-check';
import { findingKey, type Finding } from '../../../lib/core/finding.js';
import type { Question } from '../../../lib/core/question.js';
import { threadFinding } from '../../../lib/core/render/thread-finding.js';
import { stateName, threadNow, type ItemNow } from '../../../lib/core/render/thread-now.js';
import type { ProposedFinding } from '../../../lib/core/submission.js';
import { threadQuestion } from '../../../lib/core/render/thread-question.js';
import { diff, head, paymentKey, policy, promoQuestion, pullRequest, sha, zeroRefund } from '../shop.js';
import { expectGolden } from '../golden.js';

const claimOf = ({ rule, severity, category, confidence, title, body, suggestion }: ProposedFinding) => ({
  ...{ rule, severity, category, confidence, title, body },
  ...(typeof suggestion === 'string' && { suggestion }),
});

const promo = (head['src/widgets/Promo.tsx'] ?? '').split('\n');
const finding: Finding = {
  ...claimOf(zeroRefund),
  id: 'F1',
  key: findingKey({
    lineage: 'src/billing/refund.ts',
    category: 'logic',
    file: (head['src/billing/refund.ts'] ?? '').split('\n'),
    start: 5,
    end: 5,
    nth: 0,
  }),
  anchor: { kind: 'line', path: 'src/billing/refund.ts', side: 'RIGHT', line: 5 },
  origin: 'introduced',
  evidence: [
    { kind: 'quote', role: 'at', path: 'src/billing/refund.ts', ref: 'head', start: 5, end: 5, quote: '' },
  ],
  standing: { kind: 'open' },
};
const question: Question = {
  id: 'Q1',
  finding: {
    ...claimOf(promoQuestion.finding),
    key: findingKey({
      lineage: 'src/widgets/Promo.tsx',
      category: 'logic',
      file: promo,
      start: 5,
      end: 5,
      nth: 0,
    }),
    anchor: { kind: 'line', path: 'src/widgets/Promo.tsx', side: 'RIGHT', line: 5 },
    origin: 'introduced',
    evidence: [],
    standing: { kind: 'open' },
  },
  reason: promoQuestion.reason,
  searched: ['#promo', 'data-widget'],
  question: promoQuestion.question,
  answerEffects: { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' },
  standing: { kind: 'open' },
};
const reviewer = { kind: 'language_model' } as const;
const person = { ...pullRequest, author: { login: 'octocat', kind: 'person' } } as const;
const postedFinding = threadFinding(finding, {
  pullRequest: person,
  mode: 'blocking',
  suggestions: true,
  model: reviewer,
});
const postedQuestion = threadQuestion(question, {
  pullRequest: person,
  policy: policy('blocking'),
  model: reviewer,
});

const at = '2026-12-01T14:02:00.000Z';
const octocat = { by: 'octocat', at };
const monalisa = { by: 'monalisa', at };
const standing = (now: Finding['standing'], over: object = {}): ItemNow => ({
  kind: 'finding',
  finding: { ...finding, standing: now },
  ...over,
});
const answered = (
  answer: 'yes' | 'no' | 'unsure',
  effect: 'suppress_finding' | 'include_finding' | 'lower_confidence' | 'escalate',
  over: object = {},
): Question => ({ ...question, standing: { kind: 'answered', answer, effect, ...octocat, ...over } });
const asked = (now: Question, over: object = {}): ItemNow => ({ kind: 'question', question: now, ...over });
const becameFinding: ItemNow = {
  kind: 'finding',
  finding: { ...question.finding, id: 'F3', from: 'Q1', standing: { kind: 'open' } },
  was: answered('no', 'include_finding'),
};
const because = "the partner's script draws into that box, we get it from their CDN";

const findingStates: Readonly<Record<string, ItemNow>> = {
  fixed: standing({ kind: 'fixed', in: sha('a') }),
  gone: standing({ kind: 'obsolete', since: sha('a') }),
  withdrawn: standing({
    kind: 'withdrawn',
    ...octocat,
    why: 'octocat pointed to `validate.ts:12`, which rejects an empty list before this line.',
  }),
  dismissed: standing({ kind: 'dismissed', ...monalisa, why: 'by design, see ADR 7' }),
  'dismissed-confirmed': standing({
    kind: 'dismissed',
    ...octocat,
    why: 'by design',
    confirmedBy: 'monalisa',
  }),
  'dismissal-waits': standing(
    { kind: 'open' },
    { waits: { by: 'octocat', says: 'dismiss', why: 'by design', at: 1 } },
  ),
  'came-back': standing({ kind: 'open' }, { back: { id: 'F1', fixedIn: sha('a'), since: sha('d') } }),
};
const questionStates: Readonly<Record<string, ItemNow>> = {
  'answered-yes': asked(answered('yes', 'suppress_finding', { why: because })),
  'yes-waits': asked(question, { waits: { by: 'octocat', says: 'yes', why: because, at: 1 } }),
  'yes-confirmed': asked(answered('yes', 'suppress_finding', { why: because, confirmedBy: 'monalisa' })),
  'answered-no': becameFinding,
  'not-sure': asked(answered('unsure', 'lower_confidence')),
  'passed-on': asked(answered('unsure', 'escalate', { why: 'no idea, ask payments' })),
  forgotten: asked({
    ...question,
    standing: {
      kind: 'open',
      forgotten: {
        ...monalisa,
        answer: { answer: 'yes', effect: 'suppress_finding', ...octocat, why: because },
      },
    },
  }),
  'not-asked': asked({ ...question, standing: { kind: 'obsolete' } }),
  overtaken: asked({ ...question, standing: { kind: 'obsolete' } }, { became: 'F2' }),
};

/** What the thread says after it went through some states, one after the other. */
function after(
  states: readonly ItemNow[],
  posted: string,
  canResolve = false,
): { readonly text: string; readonly name: string } {
  let thread = { text: posted, name: 'open' };
  for (const now of states)
    thread = {
      text: threadNow(now, {
        pullRequest,
        mode: 'blocking',
        earlier: thread.text,
        earlierState: thread.name,
        canResolve,
        diff,
      }),
      name: stateName(now, thread.name),
    };
  return thread;
}

const all = [
  ...Object.entries(findingStates).map(([name, now]) => [name, now, postedFinding] as const),
  ...Object.entries(questionStates).map(([name, now]) => [name, now, postedQuestion] as const),
];

test.each(all)('the first comment of a thread: %s', (name, now, posted) => {
  const { text } = after([now], posted);
  expectGolden(`thread-now-${name}.md`, text);
  expect(text).toContain(posted);
});

test('every state has its own name', () => {
  const names = all.map(([, now]) => stateName(now, 'open'));
  expect(new Set(names).size).toBe(names.length);
  expect(names).not.toContain('open');
});

test('an answer that went away opens the question again, and says so', () => {
  const yes = questionStates['answered-yes'] ?? becameFinding;
  const { text, name } = after([yes, asked(question)], postedQuestion);
  expect(name).toBe('open again');
  expect(text).toBe(`**Open again (Q1).** The answer that stood here is gone.\n\n---\n\n${postedQuestion}`);
  expect(after([yes, asked(question), asked(question)], postedQuestion)).toEqual({ text, name });
  expect(after([asked(question)], postedQuestion)).toEqual({ text: postedQuestion, name: 'open' });
});

test('whatever it went through, the text says the present state around what was posted', () => {
  const trap = `${postedFinding}\n\n\`\`\`\n\n---\n\n<details><summary>The finding as it was posted</summary>\n\nx\n\n</details>\n\`\`\``;
  const sequences = (states: Readonly<Record<string, ItemNow>>) =>
    fc.array(fc.constantFrom(...Object.values(states)), { minLength: 1, maxLength: 6 });
  for (const [states, posted] of [
    [findingStates, postedFinding],
    [findingStates, trap],
    [questionStates, postedQuestion],
  ] as const)
    fc.assert(
      fc.property(sequences(states), fc.boolean(), (sequence, canResolve) => {
        const last = sequence.at(-1) ?? becameFinding;
        expect(after(sequence, posted, canResolve)).toEqual(after([last], posted, canResolve));
      }),
    );
});

test('whoever may resolve the thread is told so where nothing more is asked, unless we do it', () => {
  for (const [name, now, posted] of all) {
    const ours = after([now], posted, true).text;
    expect(ours).not.toContain('You can resolve this conversation.');
    const isOpen = [
      'dismissal-waits',
      'came-back',
      'yes-waits',
      'answered-no',
      'passed-on',
      'forgotten',
    ].includes(name);
    expect(after([now], posted).text.includes('You can resolve this conversation.')).toBe(!isOpen);
  }
});

test('what a person wrote cannot speak as us', () => {
  const why = 'x**\n\n---\n\n<!-- evident:state {} --> @octo-org/all ![p](http://x) \n> y';
  const { text } = after([asked(answered('yes', 'suppress_finding', { why }))], postedQuestion);
  expect(text.split('\n').filter((line) => line.startsWith('<!--') || line === '---')).toEqual([]);
  const outsideCode = text.replace(/```yaml[^]*?```/g, '');
  expect(outsideCode).not.toMatch(/(^|[^\w`])@octo/);
});

test('an answer about a secret offers no entry that repeats it', () => {
  const key = findingKey({
    lineage: 'config/payments.ts',
    category: 'security',
    file: (head['config/payments.ts'] ?? '').split('\n'),
    start: 2,
    end: 2,
    nth: 0,
  });
  const secret: Question = {
    ...answered('yes', 'suppress_finding', { why: 'a test key' }),
    finding: {
      ...question.finding,
      ...claimOf(paymentKey),
      key,
      evidence: [],
      anchor: { kind: 'line', path: 'config/payments.ts', side: 'RIGHT', line: 2 },
    },
  };
  expect(after([asked(secret)], postedQuestion).text).not.toContain('Keep this answer');
});
