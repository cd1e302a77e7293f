import type { Ledger } from './ledger.js';
import type { Question, QuestionStanding } from './question.js';

/** A question with its answer. */
export type AnsweredQuestion = Question & {
  readonly standing: Extract<QuestionStanding, { kind: 'answered' }>;
};

/** Questions whose answer wants one whole review more and had none yet: one a question, whatever is answered later. */
export const continuing = ({
  questions,
  passes,
}: Pick<Ledger, 'questions' | 'passes'>): readonly AnsweredQuestion[] =>
  questions
    .filter(isAnswered)
    .filter(({ standing }) => standing.effect === 'continue')
    .filter(({ id }) => !passes.some((pass) => pass.continued?.includes(id)));

const isAnswered = (question: Question): question is AnsweredQuestion =>
  question.standing.kind === 'answered';
