import { z } from 'zod';
import type { Decision, Finding } from './finding.js';
import type { Condition } from './condition.js';
import type { NotRaised } from './not-raised.js';

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
  /** `forgotten`: it was answered, and somebody took that back for everybody. */
  | { readonly kind: 'open'; readonly forgotten?: Decision & { readonly answer: Answered } }
  | ({ readonly kind: 'answered' } & Answered)
  /** `answered`: as it was when its code went away. */
  | { readonly kind: 'obsolete'; readonly answered?: Answered };

export type Answered = {
  readonly answer: 'yes' | 'no' | 'unsure';
  readonly effect: AnswerEffect;
  /** Asked again when one of these changes. */
  readonly conditions?: readonly Condition[];
} & Decision;

/** A finding that hangs on one fact which only a person can know. */
export type Question = {
  readonly id: QuestionId;
  /** The finding that `no` would make of it; its standing is `open` and it does not block while the question is open. */
  readonly finding: Omit<Finding, 'id'>;
  readonly reason: string;
  readonly snippet?: string;
  /** Patterns that were searched for it: written by code from the run, never by the model. */
  readonly searched: readonly string[];
  /** Files and folders that were read for it, likewise. */
  readonly read?: readonly string[];
  readonly question: string;
  readonly answerEffects: AnswerEffects;
  readonly standing: QuestionStanding;
  /** What was said before about the same thing, on the code as it was then. */
  readonly earlier?: Earlier;
  /** Further questions under the same number, oldest first; the newest is the one that is open. */
  readonly followUps?: readonly FollowUp[];
};

export type Earlier =
  /** A question of this pull request that was answered: its words are looked up there, as they stand now. */
  | { readonly kind: 'answered'; readonly question: QuestionId }
  /** An answer that a settings file keeps: its line of code has changed, or its day has come. */
  | ({ readonly kind: 'kept'; readonly is: 'changed' | 'ran_out' } & Pick<
      NotRaised,
      'because' | 'until' | 'file' | 'fileLine'
    >);

/** A further question about what the first one asked; it has the same effects. */
export type FollowUp = {
  /** 2 or 3. */
  readonly round: number;
  readonly question: string;
  readonly because: string;
  /** Kept with a yes. */
  readonly condition?: string;
  readonly conditions: readonly Condition[];
};

/** What an answer does, by what was stated with the question. */
export const effectOf = (
  { answerEffects }: Pick<Question, 'answerEffects'>,
  said: 'yes' | 'no' | 'unsure',
): AnswerEffect => (said === 'unsure' ? (answerEffects.unsure ?? 'lower_confidence') : answerEffects[said]);

/** At most this many questions a review: a fourth is rarely answered. */
export const MAX_QUESTIONS = 3;

const MAX_WORDS = 25;

/** What is wrong with a question, in words; empty when it can be asked. */
export function checkQuestion(question: string, effects: AnswerEffects): readonly string[] {
  const text = question.trim();
  const wrong: string[] = [];
  const words = text.split(/\s+/).length;
  if (words > MAX_WORDS) wrong.push(`the question has ${words} words; ${MAX_WORDS} is the most`);
  if (!text.endsWith('?')) wrong.push('the question must end with a question mark');
  if ((text.match(/\?(\s|$)/g) ?? []).length > 1) wrong.push('ask one question, about one fact');
  if (/^(what|why|which|how|who|whom|whose|when|where)\b/i.test(text))
    wrong.push('the question must be answerable by yes or no');
  if (
    /\b(and|or)\s+(is|are|was|were|do|does|did|has|have|can|could|will|would|should|may|must)\b/i.test(
      outsideCode(text),
    )
  )
    wrong.push('the question asks about two facts: ask about the one that decides');
  if (
    /\b(not|no|never|none|nobody|nothing|neither|nor|without|cannot)\b|n['\u2019]t\b/i.test(outsideCode(text))
  )
    wrong.push('the question is negative: ask so that yes clears the code');
  if (effects.yes === effects.no)
    wrong.push(`both answers do the same (${effects.yes}): do not ask unless the answer changes the review`);
  if (effects.yes === 'include_finding' || effects.yes === 'escalate')
    wrong.push(`yes must clear the code, so its effect cannot be ${effects.yes}: turn the question round`);
  if (effects.no === 'suppress_finding')
    wrong.push(
      'no must speak against the code, so its effect cannot be suppress_finding: turn the question round',
    );
  return wrong;
}

const outsideCode = (text: string): string => text.replace(/(`+)[^`]*\1/g, ' ');
