import { z } from 'zod';
import type { Finding } from './finding.js';
import type { Decision } from './finding.js';

/** What an answer does, stated beforehand and applied by code. (The seed called it ReviewAction.) */
export const AnswerEffect = z.enum([
  'include_finding',
  'suppress_finding',
  'lower_confidence',
  'escalate',
  'continue',
]);
export type AnswerEffect = z.infer<typeof AnswerEffect>;

/** `yes` always clears the code, `no` always speaks against it. */
export const AnswerEffects = z.object({
  yes: AnswerEffect,
  no: AnswerEffect,
  unsure: AnswerEffect.optional(),
});
export type AnswerEffects = z.infer<typeof AnswerEffects>;

export type QuestionId = `Q${number}`;

export type QuestionStanding =
  | { readonly kind: 'open' }
  | ({
      readonly kind: 'answered';
      readonly answer: 'yes' | 'no' | 'unsure';
      readonly effect: AnswerEffect;
    } & Decision)
  | { readonly kind: 'obsolete' };

/** A finding that hangs on one fact which only a person can know. */
export type Question = {
  readonly id: QuestionId;
  /** The finding that `no` would make of it; its standing is `open` and it does not block while the question is open. */
  readonly finding: Omit<Finding, 'id'>;
  readonly reason: string;
  readonly snippet?: string;
  /** What was searched and read for it: written by code from the run, never by the model. */
  readonly searched: readonly string[];
  readonly question: string;
  readonly answerEffects: AnswerEffects;
  readonly standing: QuestionStanding;
};
