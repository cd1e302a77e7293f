import { agreed, fewQuestions, seatsOf, undisputed } from '../../lib/modes/panel.js';
import { noSpend } from '../../lib/core/budget.js';
import type { FindingKey } from '../../lib/core/finding.js';
import type { Question } from '../../lib/core/question.js';
import type { AcceptedReview, ReviewResult } from '../../lib/core/review-result.js';
import type { PriorVerdict } from '../../lib/core/submission.js';
import { createScriptedModel } from '../../lib/models/scripted.js';
import { sha } from '../core/shop.js';
import { createRulesModel } from '../../lib/models/rules.js';

const said = (
  ...verdicts: readonly (readonly [id: 'F1' | 'F2', verdict: PriorVerdict['verdict']])[]
): AcceptedReview => ({
  findings: [],
  questions: [],
  disproved: [],
  summary: '',
  served: [],
  prior: { served: [], verdicts: verdicts.map(([id, verdict]) => ({ id, verdict, evidence: [] })) },
});

const verdictsOf = (reviews: readonly AcceptedReview[]): readonly (readonly string[])[] =>
  reviews.map(({ prior }) => (prior?.verdicts ?? []).map(({ id, verdict }) => `${id} ${verdict}`));

test('a finding that one reviewer still sees is fixed by no other one', () => {
  const reviews = agreed([
    said(['F1', 'fixed'], ['F2', 'fixed']),
    said(['F1', 'still'], ['F2', 'cannot_tell']),
  ]);
  expect(verdictsOf(reviews)).toEqual([['F2 fixed'], ['F1 still', 'F2 cannot_tell']]);
});

test('each seat reads in its own way, and two models take turns', () => {
  const [one, other] = [createScriptedModel([], { name: 'one' }), createScriptedModel([], { name: 'other' })];
  const seats = seatsOf({ models: [one, other], reviewers: 3 }, [], 'd');
  expect(seats.map(({ lens, order, model }) => `${lens} ${order} ${model.name}`)).toEqual([
    'correctness as_shown one',
    'contracts reverse other',
    'security as_shown one',
  ]);
});

test('the fixed rules read alone: they see the same thing however many look', () => {
  expect(seatsOf({ models: [createRulesModel()], reviewers: 3 }, [], 'd')).toHaveLength(1);
});

const question: Question = {
  id: 'Q1',
  finding: {
    key: 'logic.1' as FindingKey,
    anchor: { kind: 'line', path: 'src/a.ts', side: 'RIGHT', line: 1 },
    rule: 'falsy-zero',
    severity: 'important',
    category: 'logic',
    confidence: 'medium',
    origin: 'introduced',
    title: 'a',
    body: '',
    evidence: [],
    standing: { kind: 'open' },
  },
  reason: '',
  searched: [],
  question: 'Is it so?',
  answerEffects: { yes: 'suppress_finding', no: 'include_finding' },
  standing: { kind: 'open' },
};

const result = (over: Partial<ReviewResult>): { readonly result: ReviewResult } => ({
  result: {
    findings: [],
    questions: [],
    dropped: [],
    disproved: [],
    coverage: { files: [], othersRead: 0, complete: true },
    summary: '',
    spend: noSpend,
    ...over,
  },
});

test('a finding is as heavy for all as for the last who knew it, and gone only where nobody shows it', () => {
  const { finding } = question;
  const [light, heavy] = [
    { ...finding, id: 'F1' as const, severity: 'nit' as const, key: 'logic.2' as FindingKey },
    { ...finding, id: 'F1' as const },
  ];
  const gone = { ...finding, id: 'F2' as const, standing: { kind: 'fixed', in: sha('3') } as const };
  const still = {
    id: 'F2',
    said: 'still',
    kind: 'still',
    shown: true,
    why: 'it was looked at again',
  } as const;
  const round = undisputed(
    [result({ findings: [light], settled: [gone] }), result({ findings: [heavy], prior: [still] })],
    { findings: [] },
  );
  expect(round.map(({ result: one }) => [one.findings, one.settled])).toEqual([
    [[heavy], []],
    [[heavy], []],
  ]);
});

test('a question that one closed and another one asks again lives', () => {
  const [closed] = undisputed(
    [
      result({ questions: [{ ...question, standing: { kind: 'obsolete' } }] }),
      result({ questions: [question] }),
    ],
    { findings: [] },
  );
  expect(closed?.result.questions).toEqual([]);
});

test('a round asks no more than one reviewer may, and tells what it left out', () => {
  const asking = (...ids: readonly Question['id'][]): { readonly result: ReviewResult } =>
    result({ questions: ids.map((id) => ({ ...question, id, question: `Is ${id} so?` })) });
  const before = { questions: [{ ...question, id: 'Q1' as const }] };
  const round = fewQuestions([asking('Q1', 'Q2'), asking('Q2', 'Q3', 'Q4'), asking('Q5')], before, 2);
  expect(round.map(({ result: one }) => one.questions.map(({ id }) => id))).toEqual([
    ['Q1', 'Q2'],
    ['Q2', 'Q3'],
    [],
  ]);
  expect(round.flatMap(({ result: one }) => one.dropped)).toEqual([
    { what: 'Is Q4 so?', why: 'more than 2 questions in one round' },
    { what: 'Is Q5 so?', why: 'more than 2 questions in one round' },
  ]);
});
