import { agreed, seatsOf } from '../../lib/modes/panel.js';
import type { AcceptedReview } from '../../lib/core/review-result.js';
import type { PriorVerdict } from '../../lib/core/submission.js';
import { createScriptedModel } from '../../lib/models/scripted.js';
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
