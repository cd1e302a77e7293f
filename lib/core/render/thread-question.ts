import type { Policy } from '../policy.js';
import type { PullRequest } from '../pull-request.js';
import type { AnswerEffect, Question } from '../question.js';
import { effectWords } from './effect-words.js';
import { bold, codeSpan, fence, inline, prose } from './markdown.js';
import { lowerQuestion } from './words.js';

/** The first comment of a question's thread. A question that stands on no line carries its snippet. */
export function threadQuestion(
  question: Question,
  {
    pullRequest,
    policy,
    model,
  }: {
    readonly pullRequest: Pick<PullRequest, 'author'>;
    readonly policy: Policy;
    readonly model: { readonly kind: 'language_model' | 'rules' };
  },
): string {
  return [
    bold(`Question (${question.id}): ${lowerQuestion(question.question)}`),
    ...(question.snippet === undefined
      ? []
      : [
          `${codeSpan(`${question.finding.anchor.path}:${question.finding.anchor.line}`)}\n\n${fence(question.snippet)}`,
        ]),
    prose(question.finding.body),
    `Could not tell from the repository: ${withoutStop(inline(question.reason))}${lookedUp(question)}.`,
    ...whatAnswersDo(question, { pullRequest, policy }),
    ...(model.kind === 'rules' ? ['Asked by a fixed rule, not a language model.'] : []),
  ].join('\n\n');
}

/** What each answer will do, and what happens without one. */
function whatAnswersDo(
  question: Question,
  { pullRequest, policy }: { readonly pullRequest: Pick<PullRequest, 'author'>; readonly policy: Policy },
): readonly string[] {
  const { yes, no, unsure = 'lower_confidence' } = question.answerEffects;
  const words = (effect: AnswerEffect): string => {
    const { does, there } = effectWords(effect, question, policy.gate.mode);
    return `${does}${there}`;
  };
  return [
    'Reply here:',
    [`- **yes**: ${words(yes)}`, `- **no**: ${words(no)}`, `- **not sure**: ${words(unsure)}`].join('\n'),
    `${policy.gate.openQuestionsHold ? 'Without an answer the check stays at `waiting for an answer`.' : 'Without an answer it stays open and does not hold the merge.'} ${whoAnswers(pullRequest)}`,
  ];
}

function lookedUp({ searched, read = [] }: Question): string {
  const parts = [
    ...(searched.length > 0 ? [`searched ${searched.map(codeSpan).join(', ')}`] : []),
    ...(read.length > 0 ? [`read ${read.map(codeSpan).join(', ')}`] : []),
  ];
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

/** An agent never answers for its own change. */
const whoAnswers = ({ author }: Pick<PullRequest, 'author'>): string =>
  author.kind === 'person'
    ? `${inline(author.login)} and anyone with write access can answer.`
    : 'Anyone with write access can answer.';

const withoutStop = (text: string): string => text.replace(/\.$/, '');
