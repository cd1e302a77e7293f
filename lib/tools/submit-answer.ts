import { z } from 'zod';
import type { TerminalTool } from '../agent/tool.js';
import { parseAnswer } from '../core/answer.js';
import { foldSpace, type EvidenceSource, type Served } from '../core/evidence.js';
import { checkQuestion, type Question } from '../core/question.js';
import type { CitedPlace } from '../core/condition.js';
import { MAX_CONDITIONS, MAX_ROUNDS, type ReadAs } from '../core/reading.js';
import { fromJson, ProposedQuote } from '../core/submission.js';
import {
  checkPlaces,
  checkProse,
  checkQuotes,
  isOn,
  issuesOf,
  ProposedPlace,
  recordOf,
  trimmed,
} from './submission-checks.js';

const description = `Ends the task: says how the reply is to be read. Code checks it, and sends back what does not hold with the reason; mend it and submit again.

choice: yes and no only where the reply says so, or says something from which the cited code makes it follow; unsure where the person does not know; ask for one more question about the one fact that is still open; unclear where the reply answers nothing.
said: the words of the reply that the choice rests on, copied from it.
What each answer does is fixed and cannot be chosen here.`;

const list = <T extends z.ZodType>(item: T) => z.preprocess(fromJson, z.array(item)).default([]);

const Answer = z.object({
  choice: z.enum(['yes', 'no', 'unsure', 'ask', 'unclear']),
  said: z.string().default('').describe('words of the reply, copied exactly'),
  basis: z
    .enum(['words', 'code'])
    .default('words')
    .describe('words: the reply itself says yes or no; code: it follows from the reply and the cited code'),
  because: z.string().default('').describe('what was checked and what it shows, in at most 80 words'),
  evidence: list(ProposedQuote),
  condition: z
    .string()
    .nullish()
    .describe(
      'for a yes that holds only as long as something does: that, in at most 20 words; fits after "for as long as"',
    ),
  conditions: list(ProposedPlace).describe('the lines at head that the condition rests on'),
  question: z.string().nullish().describe('for ask: one fact, at most 25 words, yes clears the code'),
});
type Answer = z.infer<typeof Answer>;

export type AnswerRead = Extract<ReadAs, { kind: 'answer' | 'question' | 'unclear' }>;

/** The one way to end a look at what somebody replied to a question. It chooses an answer, and never what that does. */
export function submitAnswer({
  question,
  text,
  round,
  asked,
  accused,
  source,
  opened,
}: {
  readonly question: Question;
  /** What the person wrote. */
  readonly text: string;
  readonly round: number;
  /** Questions so far, the first one among them. */
  readonly asked: readonly string[];
  /** Where the lines that it is about stand today. */
  readonly accused: readonly CitedPlace[];
  readonly source: EvidenceSource;
  /** Lines that the opening message showed. */
  readonly opened: readonly Served[];
}): TerminalTool<AnswerRead> {
  return {
    name: 'submit_answer',
    description,
    schema: Answer,
    async accept(input, seen) {
      const parsed = Answer.safeParse(recordOf(input));
      if (!parsed.success) return { kind: 'sent_back', reasons: [issuesOf(parsed.error)] };
      const given = parsed.data;
      const served = [...opened, ...seen.served];
      const lookedUp = seen.calls.some(({ failed }) => !failed);
      const quotes = await checkQuotes(given.evidence, source, served);
      const kept = await checkPlaces(given.conditions, source, served);
      const accept = (value: AnswerRead) => ({ kind: 'accepted' as const, value, dropped: [] });
      if (given.choice === 'unclear') return accept({ kind: 'unclear' });

      const because = trimmed(given.because);
      const reasons = [...quotes.reasons, ...kept.reasons, ...checkProse('because', because)];
      const condition = trimmed(given.condition ?? '');
      if (condition !== '' && condition.split(' ').length > MAX_CONDITION_WORDS)
        reasons.push(`condition: at most ${MAX_CONDITION_WORDS} words`);
      if (condition !== '' && kept.conditions.length === 0)
        reasons.push('conditions: name the lines at head that the condition rests on');
      const conditional = {
        ...(condition !== '' && { condition: condition.replace(/\.$/u, '') }),
        conditions: kept.conditions,
      };

      if (given.choice === 'ask') {
        reasons.push(...checkFollowUp(given.question ?? '', { question, round, asked, lookedUp }));
        return reasons.length > 0
          ? { kind: 'sent_back', reasons }
          : accept({ kind: 'question', question: trimmed(given.question ?? ''), because, ...conditional });
      }
      const { choice } = given;
      reasons.push(...checkSaid(given.said, text, choice));
      if (choice !== 'unsure' && given.basis === 'code') {
        if (quotes.places.every((place) => isOn(place, accused)))
          reasons.push(
            'evidence: what follows from the code needs a quote of it, besides the line that the question is about',
          );
      }
      if (reasons.length > 0) return { kind: 'sent_back', reasons };
      const atHead = quotes.places.filter(({ ref }) => ref === 'head');
      const holds =
        choice !== 'yes'
          ? []
          : kept.conditions.length > 0 || given.basis === 'words'
            ? kept.conditions
            : (await checkPlaces(atHead.slice(0, MAX_CONDITIONS), source, served)).conditions;
      return accept({
        kind: 'answer',
        answer: choice,
        because,
        evidence: quotes.places,
        ...(choice === 'yes' && conditional.condition !== undefined && { condition: conditional.condition }),
        conditions: holds,
      });
    },
  };
}

const MAX_CONDITION_WORDS = 20;

/** A choice rests on words that the person wrote, and not on a question of theirs. */
function checkSaid(quoted: string, text: string, choice: 'yes' | 'no' | 'unsure'): readonly string[] {
  const said = foldSpace(quoted).replace(/^["'\u201c\u2018]|["'\u201d\u2019]$/gu, '');
  if (!/\p{L}{2}/u.test(said))
    return [
      `said: quote the words of the reply that say ${choice}; if it has none, it does not answer: choose unclear or ask`,
    ];
  if (!foldSpace(text).toLowerCase().includes(said.toLowerCase()))
    return ['said: these words are not in the reply. Nobody is answered for: copy them from it'];
  if (said.endsWith('?'))
    return [
      'said: a question is no answer. Quote what the reply states; if it states nothing, choose unclear or ask',
    ];
  const plain = parseAnswer(said);
  const isOpposite = (plain.kind === 'yes' && choice === 'no') || (plain.kind === 'no' && choice === 'yes');
  return isOpposite ? [`said: these words say ${plain.kind}, and the choice is ${choice}`] : [];
}

/** Looked for first, about another fact than before, in the words of the first question's rules. */
function checkFollowUp(
  given: string,
  {
    question,
    round,
    asked,
    lookedUp,
  }: {
    readonly question: Question;
    readonly round: number;
    readonly asked: readonly string[];
    readonly lookedUp: boolean;
  },
): readonly string[] {
  if (round >= MAX_ROUNDS)
    return [`no question is left: this was the last of ${MAX_ROUNDS} rounds. Choose yes, no or unsure`];
  const text = trimmed(given);
  if (text === '') return ['question: it is missing'];
  const isSame = (one: string): boolean => foldSpace(one).toLowerCase() === text.toLowerCase();
  return [
    ...checkQuestion(text, question.answerEffects).map((reason) => `question: ${reason}`),
    ...(asked.some(isSame) ? ['question: it was asked already; ask about the fact that is still open'] : []),
    ...(lookedUp
      ? []
      : [
          'question: nothing was looked up in this run. Read what the repository can tell first, and ask only what it cannot',
        ]),
  ];
}
