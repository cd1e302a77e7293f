import type { Toolset } from '../agent/tool.js';
import type { Budget } from '../core/budget.js';
import type { Question } from '../core/question.js';
import { MAX_ROUNDS } from '../core/reading.js';
import type { Message } from '../core/transcript.js';
import { answerOpening, answerSystem } from '../prompts/answer.js';
import { evidenceTools } from '../tools/index.js';
import { submitAnswer, type AnswerRead } from '../tools/submit-answer.js';
import { itemOpening, type ItemGiven } from './item-opening.js';

export type AnswerTask = {
  readonly kind: 'answer';
  readonly toolset: Toolset<AnswerRead>;
  readonly system: string;
  readonly opening: Message;
  readonly budget: Budget;
};

export type AnswerGiven = ItemGiven & {
  readonly question: Question;
  readonly round: number;
  readonly budget: Budget;
};

/** One look at what somebody replied to a question: the tools of a review, one choice. */
export async function answerTask(given: AnswerGiven): Promise<AnswerTask> {
  const { question, round, budget, snapshot, reader, source, statement } = given;
  const { opened, accused, ...talk } = await itemOpening(question.finding, given);
  const { yes, no, unsure = 'lower_confidence' } = question.answerEffects;
  const text = answerOpening({
    ...talk,
    id: question.id,
    question: question.question,
    reason: question.reason,
    claim: question.finding.title,
    body: question.finding.body,
    effects: [`yes: ${yes}`, `no: ${no}`, `unsure: ${unsure}`],
    searched: question.searched,
    read: question.read ?? [],
    round,
    rounds: MAX_ROUNDS,
    turns: budget.turns,
    toolCalls: budget.toolCalls,
  });
  return {
    kind: 'answer',
    toolset: {
      tools: evidenceTools({ snapshot, reader }),
      terminal: submitAnswer({
        question,
        text: statement.says.kind === 'words' ? talk.reply : '',
        round,
        asked: [question.question, ...(question.followUps ?? []).map((one) => one.question)],
        accused,
        source,
        opened,
      }),
    },
    system: answerSystem(),
    opening: { role: 'user', content: [{ type: 'text', text }] },
    budget,
  };
}
