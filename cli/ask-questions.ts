import type { Ledger } from '../lib/core/ledger.js';
import type { Question } from '../lib/core/question.js';
import { MAX_ROUNDS, type Reading } from '../lib/core/reading.js';
import { answerDone, answerKeys, paragraph, type AnswerKey } from '../lib/core/render/terminal.js';
import { lowerQuestion } from '../lib/core/render/words.js';
import type { RulingOutcome, UnreadWords } from '../lib/core/ruling.js';
import { applyAnswers, type Asked, type Heard, type Said } from './answers.js';
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
  /** How words were read that are not plain, or a sentence that says why they were not. */
  readonly read: (words: UnreadWords, ledger: Ledger) => Promise<Reading | string>;
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
  const { asker } = asking;
  let talk = nothingSaid;
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
    let heard = await hear(ledger, question, words, talk, asking);
    if (heard.ruling?.outcome.kind === 'needs_reason') {
      tell(asking, 'This rule is about security, so a yes also needs why, in a few words.');
      const why = await asker.line('why');
      if (why.kind === 'left') return 'left';
      if (why.kind === 'back') continue;
      heard = await hear(ledger, question, `yes, because ${why.text}`, talk, asking);
    }
    const reading = heard.ruling?.reading;
    if (heard.ruling?.outcome.kind === 'applied' && heard.question !== undefined) {
      if (reading !== undefined) tell(asking, readAsWords(reading));
      tell(asking, answerDone(heard.question, heard.ledger));
      return heard.ledger;
    }
    // A further question rests on what was said before it.
    if (reading?.as.kind === 'question') talk = heard.talk;
    tell(asking, whyNot(heard));
  }
}

/** What was said to a question so far, and how it was read. */
type Talk = { readonly said: readonly Said[]; readonly readings: readonly Reading[] };

export const nothingSaid: Talk = { said: [], readings: [] };

/** Plain words are read by code; others by a model, where there is one. */
export async function hear(
  ledger: Ledger,
  { id }: Question,
  words: string,
  { said, readings }: Talk,
  { snapshot, clock, read, print }: Pick<Asking, 'snapshot' | 'clock' | 'read' | 'print'>,
): Promise<Heard & { readonly talk: Talk; readonly why?: string }> {
  const all = [...said, { words, at: clock() }];
  const heard = applyAnswers(ledger, id, all, snapshot, readings);
  const talk = { said: all, readings };
  if (heard.unread === undefined) return { ...heard, talk };
  print('  reading...\n');
  const reading = await read(heard.unread, heard.folded);
  if (typeof reading === 'string') return { ...heard, talk, why: reading };
  const known = [...readings, reading];
  return { ...applyAnswers(ledger, id, all, snapshot, known), talk: { said: all, readings: known } };
}

function readAsWords({ as, round }: Reading): string {
  switch (as.kind) {
    case 'answer': {
      const holds = as.condition === undefined ? '' : `, for as long as ${as.condition}`;
      return `Read as ${as.answer === 'unsure' ? 'not sure' : as.answer}${holds}: ${as.because}`;
    }
    case 'question':
      return `One more question, ${round + 1} of at most ${MAX_ROUNDS}: ${lowerQuestion(as.question)} ${as.because}`;
    case 'stands':
    case 'withdrawn':
    case 'explained':
    case 'noted':
    case 'unclear':
    case 'lapsed':
      return 'Could not read that as yes, no or not sure. One word is enough.';
  }
}

const tell = ({ print }: Asking, text: string): void =>
  print(`${wrapped(`  ${paragraph(text)}`, 2).join('\n')}\n`);

/** Why words had no effect, as a sentence. */
export const whyNot = ({ why, ruling }: Pick<Heard, 'ruling'> & { readonly why?: string }): string =>
  why ?? (ruling?.reading === undefined ? notCounted(ruling?.outcome ?? null) : readAsWords(ruling.reading));

function notCounted(outcome: RulingOutcome | null): string {
  switch (outcome?.kind) {
    case 'refused':
      return outcome.why === '' ? 'This is for somebody else to decide.' : outcome.why;
    case 'needs_reason':
      return 'A yes to this question also needs why, in a few words.';
    case 'left':
    case undefined:
      return 'That is not plainly yes, no or not sure, and nothing read it as one of them.';
    case 'applied':
    case 'pending':
    case 'replaced':
    case 'overtaken':
    case 'unknown_item':
    case 'nothing_kept':
    case 'unnamed':
      return 'That had no effect.';
  }
}
