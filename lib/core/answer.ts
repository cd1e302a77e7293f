import type { AnswerEffect, QuestionId } from './question.js';

/** A short plain reply, read by code; anything else re-enters the loop in answer mode. */
export type PlainAnswer = 'yes' | 'no' | 'unsure';

/** An answer that counted, with who gave it and what it did. */
export type Answer = {
  readonly question: QuestionId;
  readonly answer: PlainAnswer;
  readonly reason?: string;
  readonly by: string;
  readonly at: string;
  readonly effect: AnswerEffect;
};
