import type { Finding } from '../../../lib/core/finding.js';
import type { FollowUp, Question } from '../../../lib/core/question.js';
import type { ReadAs } from '../../../lib/core/reading.js';
import { readingReply } from '../../../lib/core/render/reading-reply.js';
import type { RulingOutcome } from '../../../lib/core/ruling.js';
import type { Statement } from '../../../lib/core/statement.js';
import { expectGolden } from '../golden.js';
import { pullRequest } from '../shop.js';

const digest = 'a'.repeat(16);
const condition = '`Promo` is rendered only with `promo-ab` on';
const conditions = [
  { path: 'src/widgets/Promo.tsx', start: 12, end: 20, digest },
  { path: 'src/flags.ts', start: 41, end: 41, digest },
];
const evidence = [
  { path: 'src/widgets/Promo.tsx', ref: 'head', start: 12, end: 12 },
  { path: 'src/flags.ts', ref: 'head', start: 41, end: 41 },
] as const;

const finding: Omit<Finding, 'id'> = {
  key: 'logic.0000000000.0000000000000000.00000000.0' as Finding['key'],
  anchor: { kind: 'line', path: 'src/widgets/Promo.tsx', side: 'RIGHT', line: 18 },
  rule: 'react-dom-mutation',
  severity: 'important',
  category: 'logic',
  confidence: 'medium',
  origin: 'introduced',
  title: "this jQuery change breaks React's rendering of `#promo`",
  body: '',
  evidence: [],
  standing: { kind: 'open' },
};
const followUp: FollowUp = {
  round: 2,
  question: 'Is the checkout page shown only to people with `promo-ab` on?',
  because:
    '`CheckoutPage.tsx:88` renders `Promo` without looking at the flag. Where the flag is off, React owns the node and line 18 breaks it.',
  condition,
  conditions,
};
const question: Question = {
  id: 'Q1',
  finding,
  reason: '',
  searched: [],
  question: 'Is this jQuery change required by a third-party widget?',
  answerEffects: { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' },
  standing: { kind: 'open' },
  followUps: [followUp, { ...followUp, round: 3, question: 'Is it shown in Europe?', conditions: [] }],
};
const statement: Statement = {
  by: 'octocat',
  writer: 'person',
  at: 0,
  subject: { kind: 'reply', databaseId: 7, id: 'C_7', threadRoot: 1 },
  says: { kind: 'words', item: 'Q1', text: 'it depends' },
};

const told = (
  as: ReadAs,
  {
    outcome = { kind: 'applied' },
    item = 'Q1',
    round = 1,
    of = question,
  }: {
    outcome?: RulingOutcome;
    item?: 'Q1' | 'F1';
    round?: number;
    of?: Question;
  } = {},
): string | null =>
  readingReply(
    { statement, item, outcome, reading: { statement: 's', words: digest, item, round, as } },
    {
      pullRequest,
      mode: 'blocking',
      ...(item === 'Q1' && { question: of }),
      ...(item === 'F1' && { finding: 'F1' }),
    },
  );

const left: RulingOutcome = { kind: 'left' };
const yes: ReadAs = {
  kind: 'answer',
  answer: 'yes',
  because:
    "`Promo` returns before line 18 when the flag is off (`Promo.tsx:12`), and the flag loads the partner's script (`src/flags.ts:41`).",
  evidence,
  condition,
  conditions,
};
const no: ReadAs = {
  kind: 'answer',
  answer: 'no',
  because: 'The box is drawn here, they say.',
  evidence: [],
  conditions: [],
};
const unsure: ReadAs = { ...no, answer: 'unsure', because: 'They do not know who draws it.' };
const asked: ReadAs = {
  kind: 'question',
  question: followUp.question,
  because: followUp.because,
  conditions,
};
const stands: ReadAs = {
  kind: 'stands',
  because:
    '`validate.ts:12` checks the list, not its items; an item without a price gets to line 44 (`cart.ts:19`).',
  evidence: [{ path: 'src/cart.ts', ref: 'head', start: 19, end: 19 }],
};
const withdrawn: ReadAs = {
  kind: 'withdrawn',
  because: '`validate.ts:12` rejects an empty list before this line.',
  evidence: [{ path: 'src/validate.ts', ref: 'head', start: 12, end: 12 }],
  conditions: [{ path: 'src/validate.ts', start: 12, end: 12, digest }],
};

const surfaces: readonly (readonly [string, string | null])[] = [
  ['settled', told(yes)],
  ['settled-waits', told(yes, { outcome: { kind: 'pending' } })],
  ['no', told(no)],
  ['unsure', told(unsure)],
  ['asks', told(asked, { outcome: left })],
  ['asks-third', told({ ...asked, question: 'Is it shown in Europe?' }, { outcome: left, round: 2 })],
  ['left-open', told(unsure, { round: 3 })],
  [
    'asked-again',
    told({ kind: 'lapsed', changed: conditions.slice(0, 1) }, { outcome: { kind: 'overtaken' } }),
  ],
  ['unclear', told({ kind: 'unclear' }, { outcome: left })],
  ['stands', told(stands, { outcome: left, item: 'F1' })],
  ['withdrawn', told(withdrawn, { item: 'F1' })],
  ['withdrawn-waits', told(withdrawn, { item: 'F1', outcome: { kind: 'pending' } })],
  [
    'open-again',
    told({ kind: 'lapsed', changed: conditions.slice(0, 1) }, { item: 'F1', outcome: { kind: 'overtaken' } }),
  ],
  [
    'explained',
    told(
      { kind: 'explained', text: 'With `refunded: 0` line 44 charges the total.' },
      { item: 'F1', outcome: left },
    ),
  ],
];

test.each(surfaces)('the reply is as written: %s', (name, text) => {
  expectGolden(`reading-${name}.md`, text ?? '');
});

test.each(surfaces)('at most 150 words, and no agreeing first: %s', (_name, text) => {
  const words = (text ?? '').replace(/\]\([^)]*\)/g, ']').split(/\s+/);
  expect(words.length).toBeLessThanOrEqual(150);
  expect(text).not.toMatch(/you are right|good point/i);
});

test.each<readonly [string, string | null]>([
  ['thanks', told({ kind: 'noted' }, { outcome: left })],
  ['what later words replaced', told(no, { outcome: { kind: 'replaced', by: statement } })],
  ['what the code overtook', told(no, { outcome: { kind: 'overtaken' } })],
])('nothing is said to %s', (_name, text) => {
  expect(text).toBeNull();
});

test('who may not decide it is told so', () => {
  expect(told(yes, { outcome: { kind: 'refused', why: 'Someone else decides this one.' } })).toBe(
    'Noted, thanks. Someone else decides this one.',
  );
});

test('what an answer does is said by its stated effect alone', () => {
  const turned: Question = {
    ...question,
    answerEffects: { yes: 'lower_confidence', no: 'escalate', unsure: 'continue' },
  };
  expect(told(yes, { of: turned })).toContain('So it is kept as a possible problem and does not block');
  expect(told(no, { of: turned })).toContain('So it is passed on to someone responsible for this code');
  expect(told(unsure, { of: turned })).toContain('read once more, with this answer');
});
