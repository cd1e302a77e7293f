import type { Finding } from '../../lib/core/finding.js';
import type { Question } from '../../lib/core/question.js';
import { submitAnswer } from '../../lib/tools/submit-answer.js';
import { submitReply } from '../../lib/tools/submit-reply.js';
import { served, source } from '../core/shop.js';

const accused = [{ path: 'src/widgets/Promo.tsx', ref: 'head', start: 5, end: 5 }] as const;
const finding: Finding = {
  id: 'F1',
  key: 'logic.0000000000.0000000000000000.00000000.0' as Finding['key'],
  anchor: { kind: 'line', path: 'src/widgets/Promo.tsx', side: 'RIGHT', line: 5 },
  rule: 'react-dom-mutation',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  origin: 'introduced',
  title: 'this breaks React',
  body: 'It does.',
  evidence: [
    { kind: 'quote', role: 'at', path: 'src/widgets/Promo.tsx', ref: 'head', start: 5, end: 5, quote: '' },
    {
      kind: 'quote',
      role: 'because',
      path: 'src/widgets/Promo.tsx',
      ref: 'head',
      start: 7,
      end: 7,
      quote: '',
    },
  ],
  standing: { kind: 'open' },
};
const question: Question = {
  id: 'Q1',
  finding,
  reason: 'nothing names a widget',
  searched: [],
  question: 'Is this jQuery change required by a third-party widget?',
  answerEffects: { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' },
  standing: { kind: 'open' },
};

const text = 'it depends, when the effect runs their script owns the box. Who wrote it?';
const cited = {
  path: 'src/widgets/Promo.tsx',
  ref: 'head',
  start: 4,
  end: 4,
  quote: '  useEffect(() => {',
};
const inReact = {
  path: 'src/widgets/Promo.tsx',
  ref: 'head',
  start: 7,
  end: 7,
  quote: '<div id="promo">{children}</div>',
};
const atAccused = { ...cited, start: 5, end: 5, quote: "    $('#promo').html(content);" };
const yes = {
  choice: 'yes',
  said: 'their script owns the box',
  basis: 'code',
  because: 'It runs in an effect (`Promo.tsx:4`).',
  evidence: [cited],
};
const ask = {
  choice: 'ask',
  because: 'The caller is elsewhere.',
  question: 'Is the box drawn by the partner?',
};

const looked = [{ name: 'search_code', input: {}, failed: false }];

const answering = async (input: unknown, { round = 1, calls = looked, opened = served } = {}) =>
  await submitAnswer({
    question,
    text,
    round,
    asked: [question.question],
    accused,
    source,
    opened,
  }).accept(input, { served: [], calls }, false);

const replying = async (input: unknown, opened = served) =>
  await submitReply({ finding, accused, source, opened }).accept(input, { served: [], calls: [] }, false);

const reasons = (submission: Awaited<ReturnType<typeof answering>> | Awaited<ReturnType<typeof replying>>) =>
  submission.kind === 'sent_back' ? submission.reasons.join('\n') : submission.kind;

describe('submit_answer', () => {
  test('takes a yes with its words and its quotes, and keeps the cited lines as what it rests on', async () => {
    expect(await answering(yes)).toMatchObject({
      kind: 'accepted',
      value: {
        kind: 'answer',
        answer: 'yes',
        evidence: [{ path: cited.path, ref: 'head', start: 4, end: 4 }],
        conditions: [{ path: cited.path, start: 4, end: 4, digest: expect.stringMatching(/^[0-9a-f]{16}$/) }],
      },
    });
  });

  test('carries no effect, whatever is sent along', async () => {
    const submission = await answering({
      ...yes,
      effect: 'include_finding',
      answerEffects: { yes: 'escalate' },
    });
    expect(JSON.stringify(submission)).not.toMatch(/include_finding|escalate/);
  });

  test('comes as JSON text and with nulls too', async () => {
    expect(await answering(JSON.stringify({ ...yes, question: null, condition: null }))).toMatchObject({
      kind: 'accepted',
    });
  });

  test('asks one more question once it has looked', async () => {
    expect(await answering(ask)).toMatchObject({
      kind: 'accepted',
      value: { kind: 'question', question: ask.question, conditions: [] },
    });
  });

  test('unclear needs nothing', async () => {
    expect(await answering({ choice: 'unclear' })).toMatchObject({ value: { kind: 'unclear' } });
  });

  test.each<readonly [string, object, RegExp]>([
    ['words that the reply has not', { ...yes, said: 'yes, it is required' }, /not in the reply/],
    ['no words', { ...yes, said: '' }, /quote the words/],
    ['a question of theirs', { ...yes, said: 'Who wrote it?' }, /a question is no answer/],
    ['no evidence for what follows from code', { ...yes, evidence: [] }, /needs a quote/],
    ['the accused line alone', { ...yes, evidence: [atAccused] }, /besides the line/],
    [
      'a quote that does not stand',
      { ...yes, evidence: [{ ...cited, quote: 'partner.owns(box)' }] },
      /is not at/,
    ],
    ['praise', { ...yes, because: 'You are right, it runs in an effect.' }, /no praise/],
    ['too many words', { ...yes, because: 'word '.repeat(90) }, /at most 80/],
    ['a condition without lines', { ...yes, condition: 'the box is theirs' }, /name the lines/],
    [
      'a condition on lines that there are not',
      { ...yes, conditions: [{ path: cited.path, start: 90, end: 91 }] },
      /has 8 lines/,
    ],
    ['a negative question', { ...ask, question: 'Is the box not drawn by us?' }, /negative/],
    ['two questions', { ...ask, question: 'Is it ours? Is it theirs?' }, /one question/],
    ['the first question again', { ...ask, question: question.question }, /asked already/],
    ['a choice that there is not', { ...yes, choice: 'dismiss' }, /choice/],
  ])('sends back %s', async (_name, input, reason) => {
    expect(reasons(await answering(input))).toMatch(reason);
  });

  test('sends back what was not shown in this run', async () => {
    expect(reasons(await answering(yes, { opened: [] }))).toMatch(/was not read in this run/);
  });

  test('sends back a question that nobody looked for, and any in the last round', async () => {
    expect(reasons(await answering(ask, { calls: [] }))).toMatch(/nothing was looked up/);
    expect(reasons(await answering(ask, { round: 3 }))).toMatch(/no question is left/);
  });

  test('sends back a choice that its own words contradict', async () => {
    const submission = await submitAnswer({
      question,
      text: 'no, leave me alone',
      round: 1,
      asked: [],
      accused,
      source,
      opened: served,
    }).accept({ ...yes, said: 'no', basis: 'words', evidence: [] }, { served: [], calls: looked }, false);
    expect(reasons(submission)).toMatch(/these words say no/);
  });
});

describe('submit_reply', () => {
  const concede = { kind: 'concede', text: 'It runs in an effect (`Promo.tsx:4`).', evidence: [cited] };

  test('withdraws for other code than the accused line, for as long as that stands', async () => {
    expect(await replying(concede)).toMatchObject({
      kind: 'accepted',
      value: { kind: 'withdrawn', conditions: [{ path: cited.path, start: 4, end: 4 }] },
    });
  });

  test('stands for code that the finding does not cite', async () => {
    expect(await replying({ ...concede, kind: 'stand' })).toMatchObject({ value: { kind: 'stands' } });
  });

  test('explains without evidence, and says nothing to thanks', async () => {
    expect(await replying({ kind: 'explain', text: 'The next draw fails.' })).toMatchObject({
      value: { kind: 'explained', text: 'The next draw fails.' },
    });
    expect(await replying({ kind: 'nothing' })).toMatchObject({ value: { kind: 'noted' } });
  });

  test.each<readonly [string, object, RegExp]>([
    ['a concession without code', { ...concede, evidence: [] }, /needs a quote of other code/],
    [
      'a concession for the accused line',
      { ...concede, evidence: [atAccused] },
      /needs a quote of other code/,
    ],
    [
      'a quote that does not stand',
      { ...concede, evidence: [{ ...cited, quote: 'if (box === null) return;' }] },
      /is not at/,
    ],
    [
      'old evidence for what stands',
      { ...concede, kind: 'stand', evidence: [inReact] },
      /cites these lines already/,
    ],
    ['agreeing first', { ...concede, text: "You're right, it runs in an effect." }, /no praise/],
    ['nothing to read', { kind: 'explain' }, /it is missing/],
  ])('sends back %s', async (_name, input, reason) => {
    expect(reasons(await replying(input))).toMatch(reason);
  });

  test('sends back what was not shown in this run', async () => {
    expect(reasons(await replying(concede, []))).toMatch(/was not read in this run/);
  });
});
