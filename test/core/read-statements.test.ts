/** Words as they were read, in the fold: whose word they are, and what nothing can add to them. */
import fc from 'fast-check';
import { noConversation, type Comment, type Conversation } from '../../lib/core/conversation.js';
import { emptyLedger, type Ledger } from '../../lib/core/ledger.js';
import { defaultPolicy } from '../../lib/core/policy.js';
import type { Question } from '../../lib/core/question.js';
import { digestOfWords, type ReadAs, type Reading } from '../../lib/core/reading.js';
import { writeReplyMarker } from '../../lib/core/reply-marker.js';
import { nameOfStatement } from '../../lib/core/ruling.js';
import { rule } from '../../lib/core/rulings.js';
import { readStatements } from '../../lib/core/statement.js';
import { pullRequest } from './shop.js';

const trust = { keys: ['k'.repeat(32)], scope: 'here' };
const author = { login: 'octocat', kind: 'person' } as const;

const question: Question = {
  id: 'Q1',
  finding: {
    key: 'logic.0000000000.0000000000000000.00000000.0' as Question['finding']['key'],
    anchor: { kind: 'line', path: 'src/a.ts', side: 'RIGHT', line: 5 },
    rule: 'r',
    severity: 'important',
    category: 'logic',
    confidence: 'medium',
    origin: 'introduced',
    title: 't',
    body: 'b',
    evidence: [],
    standing: { kind: 'open' },
  },
  reason: '',
  searched: [],
  question: 'Is it required?',
  answerEffects: { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' },
  standing: { kind: 'open' },
};
const known: Ledger = {
  ...emptyLedger,
  questions: [question],
  threads: [
    { id: 'Q1', thread: 'T', comment: 1, body: '', state: 'open', resolved: false, canResolve: false },
  ],
};

const comment = (databaseId: number, by: string, body: string, more: Partial<Comment> = {}): Comment => ({
  id: `C_${databaseId}`,
  databaseId,
  author: by,
  by: 'person',
  ours: false,
  body,
  at: `2025-12-01T10:00:${String(databaseId).padStart(2, '0')}Z`,
  ...more,
});
const ours = (databaseId: number, body: string): Comment =>
  comment(databaseId, 'evident[bot]', body, { by: 'bot', ours: true });

const talk = (...said: readonly Comment[]): Conversation => ({
  ...noConversation,
  permissions: { monalisa: 'write', hubot: 'maintain' },
  threads: [
    {
      id: 'T',
      path: 'src/a.ts',
      line: 5,
      originalLine: 5,
      resolved: false,
      outdated: false,
      comments: [ours(1, '**Question (Q1)**'), ...said],
    },
  ],
});

const words = 'it depends on the flag, I would say';
const yes: ReadAs = { kind: 'answer', answer: 'yes', because: '', evidence: [], conditions: [] };
const no: ReadAs = { ...yes, answer: 'no' };
const ask = (text: string): ReadAs => ({ kind: 'question', question: text, because: '', conditions: [] });

/** The reading of what stands in a comment now. */
function readingOf(conversation: Conversation, databaseId: number, as: ReadAs): Reading {
  const statement = readStatements(conversation, new Map([['T', 'Q1']])).find(
    ({ subject }) => subject.databaseId === databaseId,
  );
  if (statement === undefined) throw new Error('Nothing was said there.');
  return { statement: nameOfStatement(statement), words: digestOfWords(statement), item: 'Q1', round: 1, as };
}

const fold = (conversation: Conversation, readings: readonly Reading[] = [], by: Ledger = known): Ledger =>
  rule(by, conversation, {
    pullRequest: { author, head: pullRequest.head },
    policy: defaultPolicy,
    trust,
    readings,
  });

const standing = (ledger: Ledger): string => {
  const now = ledger.questions[0]?.standing;
  return now?.kind === 'answered' ? `${now.answer} ${now.effect} by ${now.by}` : (now?.kind ?? '');
};

const told = (databaseId: number, reading: Reading): Comment =>
  ours(databaseId, `Read.\n\n${writeReplyMarker('k', trust, reading)}`);

test('words are unread until somebody reads them, then they are an answer of whoever said them', () => {
  const said = talk(comment(2, 'monalisa', words));
  expect(fold(said).unread).toMatchObject([{ item: 'Q1', round: 1, statement: { by: 'monalisa' } }]);
  const read = fold(said, [readingOf(said, 2, yes)]);
  expect(read.unread).toEqual([]);
  expect(standing(read)).toBe('yes suppress_finding by monalisa');
  expect(read.rulings[0]).toMatchObject({ outcome: { kind: 'applied' }, isFresh: true });
});

test('our own reply says so from then on, and it is heard', () => {
  const said = talk(comment(2, 'monalisa', words));
  const reading = readingOf(said, 2, no);
  const later = fold(talk(comment(2, 'monalisa', words), told(3, reading)));
  expect(standing(later)).toBe('no include_finding by monalisa');
  expect(later.findings).toMatchObject([{ id: 'F1', from: 'Q1', standing: { kind: 'open' } }]);
  expect(later.heard).toEqual([reading.statement]);
  expect(later.rulings[0]).not.toHaveProperty('isFresh');
});

test.each<readonly [string, (reading: Reading) => Comment]>([
  ['by somebody else', (reading) => ({ ...told(3, reading), ours: false, author: 'octocat', by: 'person' })],
  ['without a signature', (reading) => ours(3, `x\n\n${writeReplyMarker('k', undefined, reading)}`)],
  [
    'for another pull request',
    (reading) => ours(3, `x\n\n${writeReplyMarker('k', { ...trust, scope: 'there' }, reading)}`),
  ],
  ['above other text', (reading) => ours(3, `${writeReplyMarker('k', trust, reading)}\n\nx`)],
])('a reading written %s is none', (_name, forged) => {
  const said = talk(comment(2, 'monalisa', words));
  const ledger = fold(talk(comment(2, 'monalisa', words), forged(readingOf(said, 2, yes))));
  expect(standing(ledger)).toBe('open');
  expect(ledger.unread).toHaveLength(1);
});

test('edited words are read anew, within the same second too', () => {
  const said = talk(comment(2, 'monalisa', words));
  const reading = readingOf(said, 2, yes);
  const edited = talk(comment(2, 'monalisa', 'well, who can say'), told(3, reading));
  expect(standing(fold(edited))).toBe('open');
});

test.each<readonly [string, Comment, number]>([
  ['a stranger', comment(2, 'defunkt', words), 0],
  ['a bot', comment(2, 'dependabot[bot]', words, { by: 'bot' }), 0],
  ['a text that somebody else edited', comment(2, 'monalisa', words, { editedBy: 'defunkt' }), 0],
  ['a writer', comment(2, 'monalisa', words), 1],
  ['the author', comment(2, 'octocat', words), 1],
])('words of %s', (_name, said, count) => {
  expect(fold(talk(said)).unread).toHaveLength(count);
});

test('of an author without write access they wait for an ok, and keep its name', () => {
  const said = talk(comment(2, 'octocat', words));
  const readings = [readingOf(said, 2, yes)];
  expect(standing(fold(said, readings))).toBe('open');
  const confirmed = talk(comment(2, 'octocat', words), comment(3, 'hubot', 'ok'));
  expect(standing(fold(confirmed, readings))).toBe('yes suppress_finding by octocat');
  expect(fold(confirmed, readings).questions[0]?.standing).toMatchObject({ confirmedBy: 'hubot' });
});

test('security wants a reason, and the words are one', () => {
  const secure: Ledger = {
    ...known,
    questions: [{ ...question, finding: { ...question.finding, category: 'security' } }],
  };
  const said = talk(comment(2, 'monalisa', words));
  expect(fold(said, [readingOf(said, 2, yes)], secure).questions[0]?.standing).toMatchObject({
    answer: 'yes',
    why: words,
  });
});

test('a fourth question is not sure, whatever a reading says', () => {
  const said = talk(...[2, 3, 4].map((id) => comment(id, 'monalisa', `${words} ${id}`)));
  const readings = [2, 3, 4].map((id) => readingOf(said, id, ask(`Is it ${id}?`)));
  expect(fold(said, readings.slice(0, 2)).questions[0]).toMatchObject({
    standing: { kind: 'open' },
    followUps: [{ round: 2 }, { round: 3 }],
  });
  expect(standing(fold(said, readings))).toBe('unsure lower_confidence by monalisa');
});

test('a yes to a further question keeps its condition, and lapses with it', () => {
  const condition = { path: 'src/a.ts', start: 1, end: 1, digest: 'a'.repeat(16) };
  const said = talk(comment(2, 'monalisa', words), comment(3, 'monalisa', 'yes'));
  const asked = readingOf(said, 2, {
    kind: 'question',
    question: 'Is it on?',
    because: '',
    conditions: [condition],
  });
  const ledger = fold(said, [asked]);
  expect(ledger.keptOn).toMatchObject([{ item: 'Q1', conditions: [condition] }]);
  const lapsed = readingOf(said, 3, { kind: 'lapsed', changed: [condition] });
  expect(standing(fold(said, [asked, lapsed]))).toBe('open');
  expect(fold(said, [asked, lapsed]).keptOn).toEqual([]);
});

test('a later plain answer counts instead', () => {
  const said = talk(comment(2, 'monalisa', words), comment(3, 'monalisa', 'no'));
  expect(standing(fold(said, [readingOf(said, 2, yes)]))).toBe('no include_finding by monalisa');
});

test('whatever is read, an effect is one that was stated, under the name of somebody who spoke', () => {
  const as = fc.oneof(
    fc.constantFrom<ReadAs>(
      yes,
      no,
      { ...yes, answer: 'unsure' },
      ask('Is it on?'),
      { kind: 'unclear' },
      { kind: 'noted' },
    ),
    fc.constant<ReadAs>({ kind: 'withdrawn', because: 'x', evidence: [], conditions: [] }),
    fc.constant<ReadAs>({ kind: 'lapsed', changed: [] }),
  );
  const speaker = fc.constantFrom('monalisa', 'octocat', 'defunkt', 'hubot');
  fc.assert(
    fc.property(fc.array(fc.tuple(speaker, as), { maxLength: 6 }), (said) => {
      const conversation = talk(...said.map(([by], index) => comment(index + 2, by, `${words} ${index}`)));
      const ledger = fold(
        conversation,
        said.map(([, one], index) => readingOf(conversation, index + 2, one)),
      );
      const now = ledger.questions[0]?.standing;
      if (now?.kind !== 'answered') return;
      expect(Object.values(question.answerEffects)).toContain(now.effect);
      // The author's own no needs nobody else.
      expect(now.answer === 'no' ? ['monalisa', 'hubot', 'octocat'] : ['monalisa', 'hubot']).toContain(
        now.by,
      );
      expect(
        ledger.findings.every(({ standing: { kind } }) => kind !== 'withdrawn' || now.answer === 'no'),
      ).toBe(true);
    }),
  );
});
