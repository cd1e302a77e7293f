import type { Ledger } from '../lib/core/ledger.js';
import type { Question } from '../lib/core/question.js';
import { answerDone, answerKeys, paragraph, type AnswerKey } from '../lib/core/render/terminal.js';
import { applyAnswers, type Asked, type Heard, type Outcome } from './answers.js';
import type { Asker } from './asker.js';
import { wrapped } from './wrapped.js';

export type Asking = {
  readonly snapshot: Asked;
  readonly asker: Asker;
  readonly print: (text: string) => void;
  /** A question as it is shown, with its keys. */
  readonly show: (question: Question, nth: number) => string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
};

/** Asks one question after the other. Leaving at any prompt keeps what was answered; the rest stays open. */
export async function askQuestions(
  ledger: Ledger,
  questions: readonly Question[],
  asking: Asking,
): Promise<Ledger> {
  let now = ledger;
  for (const [index, question] of questions.entries()) {
    asking.print(`${asking.show(question, index + 1)}\n\n`);
    const told = await askOne(now, question, asking);
    asking.print('\n');
    if (told === 'left') break;
    if (told !== 'skipped') now = told;
  }
  return now;
}

const plainWords = { y: 'yes', n: 'no', u: 'not sure' } as const satisfies Partial<Record<AnswerKey, string>>;

/** Until an answer counts, or none is wanted. */
async function askOne(
  ledger: Ledger,
  question: Question,
  asking: Asking,
): Promise<Ledger | 'skipped' | 'left'> {
  const { asker, snapshot } = asking;
  const say = (words: string): Heard =>
    applyAnswers(ledger, question.id, [{ words, at: asking.clock() }], snapshot);
  for (;;) {
    const key = await asker.key('answer', answerKeys);
    if (key.kind === 'left') return 'left';
    if (key.kind === 'back' || key.text === 's') return 'skipped';
    let words: string = key.text === 'e' ? '' : plainWords[key.text];
    if (words === '') {
      const told = await asker.line('words');
      if (told.kind === 'left') return 'left';
      if (told.kind === 'back') continue;
      words = told.text;
    }
    let heard = say(words);
    if (heard.outcome?.kind === 'needs_reason') {
      tell(asking, 'This rule is about security, so a yes also needs why, in a few words.');
      const why = await asker.line('why');
      if (why.kind === 'left') return 'left';
      if (why.kind === 'back') continue;
      words = `yes, because ${why.text}`;
      heard = say(words);
    }
    const now = heard.ledger.questions.find(({ id }) => id === question.id);
    if (heard.outcome?.kind === 'applied' && now !== undefined) {
      tell(asking, answerDone(now, heard.ledger));
      return heard.ledger;
    }
    tell(asking, notCounted(heard.outcome));
  }
}

const tell = ({ print }: Asking, text: string): void =>
  print(`${wrapped(`  ${paragraph(text)}`, 2).join('\n')}\n`);

/** Why an answer had no effect. */
export function notCounted(outcome: Outcome | null): string {
  switch (outcome?.kind) {
    case 'refused':
      return outcome.why === '' ? 'This is for somebody else to decide.' : outcome.why;
    case 'needs_reason':
      return 'A yes to this question also needs why, in a few words.';
    case 'left':
    case undefined:
      return 'That is not plainly yes, no or not sure, and nothing here reads other words.';
    case 'applied':
    case 'pending':
    case 'replaced':
    case 'overtaken':
    case 'unknown_item':
    case 'unnamed':
      return 'That had no effect.';
  }
}
