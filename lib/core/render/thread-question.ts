import type { Permission } from '../conversation.js';
import { partsOfKey } from '../finding.js';
import type { Policy } from '../policy.js';
import { repoName, type PullRequest } from '../pull-request.js';
import type { AnswerEffect, Question } from '../question.js';
import { earlierAnswer, shortReason } from './earlier-answer.js';
import { effectWords } from './effect-words.js';
import { bold, codeSpan, fence, inline, prose } from './markdown.js';
import { dayWords, lowerQuestion } from './words.js';

/** The first comment of a question's thread. A question that stands on no line carries its snippet. */
export function threadQuestion(question: Question, how: QuestionSurroundings): string {
  return [
    bold(`Question (${question.id}): ${lowerQuestion(question.question)}`),
    ...(question.snippet === undefined
      ? []
      : [
          `${codeSpan(`${question.finding.anchor.path}:${question.finding.anchor.line}`)}\n\n${fence(question.snippet)}`,
        ]),
    ...askedBefore(question, how),
    prose(question.finding.body),
    `Could not tell from the repository: ${withoutStop(inline(question.reason))}${lookedUp(question)}.`,
    ...whatAnswersDo(question, how),
    ...(how.model.kind === 'rules' ? ['Asked by a fixed rule, not a language model.'] : []),
  ].join('\n\n');
}

export type QuestionSurroundings = {
  readonly pullRequest: Pick<PullRequest, 'author' | 'head' | 'repo' | 'number'>;
  readonly policy: Policy;
  readonly model: { readonly kind: 'language_model' | 'rules' };
  /** Live rights by lower-case login, as far as they were looked up. */
  readonly permissions?: Readonly<Record<string, Permission>>;
  /** All questions of the pull request: one of them may have been about the same thing. */
  readonly known?: readonly Question[];
};

/** What was said about the same thing before, and why it is asked again: by code alone. */
function askedBefore(
  { finding, earlier }: Question,
  { pullRequest, known = [] }: QuestionSurroundings,
): readonly string[] {
  switch (earlier?.kind) {
    case undefined:
      return [];
    case 'kept': {
      const { file, fileLine, because, until, is } = earlier;
      const where = `${codeSpan(file)} line ${fileLine}`;
      return [
        is === 'changed'
          ? `Kept in ${where}: "${shortReason(because)}". ${hasChanged(finding)}.`
          : `Kept in ${where} until ${dayWords(until)}: "${shortReason(because)}". That day has come.`,
      ];
    }
    case 'answered': {
      const before = known.find(({ id }) => id === earlier.question);
      // Whoever took their words back is not quoted.
      if (before?.standing.kind !== 'obsolete' || before.standing.answered === undefined) return [];
      const isBack = partsOfKey(before.finding.key)?.lines === partsOfKey(finding.key)?.lines;
      return [
        `${earlierAnswer(before.standing.answered, { pullRequest })} ${isBack ? 'The code was gone since, and is back' : hasChanged(finding)}.`,
      ];
    }
  }
}

function hasChanged({ anchor }: Question['finding']): string {
  const start = anchor.kind === 'line' ? (anchor.startLine ?? anchor.line) : anchor.line;
  return start === anchor.line
    ? `Line ${anchor.line} has changed since`
    : `Lines ${start} to ${anchor.line} have changed since`;
}

/** What each answer will do, and what happens without one. */
function whatAnswersDo(question: Question, how: QuestionSurroundings): readonly string[] {
  const { policy } = how;
  const { yes, no, unsure = 'lower_confidence' } = question.answerEffects;
  const words = (effect: AnswerEffect): string => {
    const { does, there } = effectWords(effect, question, policy.gate.mode);
    return `${does}${there}`;
  };
  return [
    'Reply here:',
    [
      `- **yes**: ${words(yes)}`,
      `- **no**: ${words(no)}`,
      `- **not sure**: ${words(unsure)}`,
      // Fixed rules read no words.
      ...(how.model.kind === 'language_model' ? ['- or say it in your own words'] : []),
    ].join('\n'),
    [
      policy.gate.openQuestionsHold
        ? 'Without an answer the check stays at `waiting for an answer`.'
        : 'Without an answer it stays open and does not hold the merge.',
      ...(question.finding.category === 'security' ? ['A yes needs a few words of why.'] : []),
      whoAnswers(how),
    ].join(' '),
  ];
}

function lookedUp({ searched, read = [] }: Question): string {
  const parts = [
    ...(searched.length > 0 ? [`searched ${searched.map(codeSpan).join(', ')}`] : []),
    ...(read.length > 0 ? [`read ${read.map(codeSpan).join(', ')}`] : []),
  ];
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

/** By the settings and the author's rights. An agent never answers for its own change. */
function whoAnswers({
  pullRequest: { author, head, repo },
  policy,
  permissions,
}: QuestionSurroundings): string {
  const { answer } = policy.authority;
  if (answer === 'maintain') return 'Anyone with maintain access can answer.';
  if (answer === 'write' || author.kind !== 'person') return 'Anyone with write access can answer.';
  const may = `${inline(author.login)} and anyone with write access can answer.`;
  const rights = permissions?.[author.login.toLowerCase()];
  if (author.isNew === true || (rights !== undefined && !['admin', 'maintain', 'write'].includes(rights)))
    return `${may} A maintainer confirms the author's answer.`;
  // Who has a branch here may write; a fork says nothing about it.
  return rights !== undefined || head.repo === repoName(repo)
    ? may
    : `${may} If ${inline(author.login)} has no write access, a maintainer confirms the answer.`;
}

const withoutStop = (text: string): string => text.replace(/\.$/, '');
