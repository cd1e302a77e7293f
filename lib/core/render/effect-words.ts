import type { GateMode } from '../policy.js';
import type { AnswerEffect, Question } from '../question.js';

/** What an answer does, in words, for every surface that asks. */
export type EffectWords = {
  readonly does: string;
  /** What follows from it where the answer is remembered and a check waits: on a pull request. */
  readonly there: string;
};

export function effectWords(
  effect: AnswerEffect,
  { finding }: Pick<Question, 'finding'>,
  mode: GateMode,
): EffectWords {
  switch (effect) {
    case 'suppress_finding':
      return { does: 'dropped', there: ', and not raised again while these lines stay as they are' };
    case 'include_finding': {
      if (finding.severity === 'nit') return { does: 'becomes a nit', there: ', which does not block' };
      const fails = mode === 'blocking' && finding.origin === 'introduced';
      return {
        does: 'becomes an important finding',
        there: fails ? '; the check fails until it is fixed or dismissed' : '',
      };
    }
    case 'lower_confidence':
      return { does: 'kept as a possible problem', there: ', does not block' };
    case 'escalate':
      return { does: 'someone responsible for this code decides', there: '; they are asked' };
    case 'continue':
      return { does: 'the review goes on with this answer', there: '' };
  }
}
