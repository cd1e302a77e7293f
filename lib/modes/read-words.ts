import type { LoopEvent } from '../agent/loop-event.js';
import { runLoop, toolDefinitions } from '../agent/loop.js';
import { goesOnLater, runJournal } from '../agent/run-journal.js';
import type { Toolset } from '../agent/tool.js';
import { noSpend, type Budget, type Spend } from '../core/budget.js';
import type { Conversation } from '../core/conversation.js';
import type { Ledger } from '../core/ledger.js';
import { digestOfWords, MAX_ROUNDS, type ReadAs, type Reading } from '../core/reading.js';
import { nameOfStatement, type UnreadWords } from '../core/ruling.js';
import type { Snapshot } from '../core/snapshot.js';
import type { Message, Outcome } from '../core/transcript.js';
import type { RepoReader } from '../ports/forge.js';
import type { Journal } from '../ports/job-runner.js';
import type { Model } from '../ports/model.js';
import { createEvidenceSource } from '../tools/evidence-source.js';
import { answerTask } from './answer.js';
import { chatTask } from './chat.js';
import { readingBudget, type ItemGiven } from './item-opening.js';
import type { ReviewLimits } from './review.js';

export type WordsRun = {
  readonly unread: UnreadWords;
  readonly ledger: Pick<Ledger, 'findings' | 'questions'>;
  readonly snapshot: Snapshot;
  /** What was said, where it was read anew since the snapshot. */
  readonly conversation?: Pick<Conversation, 'threads' | 'comments'>;
  readonly reader: RepoReader;
  readonly model: Model;
  /** Of a review: reading a reply takes a part of them. */
  readonly limits: ReviewLimits;
  readonly clock: () => number;
  /** Epoch milliseconds. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly journal?: Journal;
  readonly emit?: (event: LoopEvent) => void;
};

/**
 * Reads one reply that code could not read. Every expected ending is a reading: without a submission it is unclear, in
 * the last round of a question it is left open. Null where nobody looked (the run was stopped, the provider is busy): the
 * words stay unread, and the next run reads them. Fixed rules read no words.
 */
export async function readWords(
  run: WordsRun,
): Promise<{ readonly reading: Reading | null; readonly spend: Spend }> {
  const { unread, model } = run;
  const about = itemOf(run);
  if (about === null || model.kind === 'rules')
    return { reading: readingOf(unread, unclear(about)), spend: noSpend };
  const { statement, round } = unread;
  const given: ItemGiven & { readonly budget: Budget } = {
    snapshot: run.snapshot,
    reader: run.reader,
    source: createEvidenceSource(run.reader),
    statement,
    conversation: run.conversation ?? run.snapshot,
    budget: readingBudget({ ...run, modelKind: model.kind }),
  };
  const key = `reading:${run.snapshot.pullRequest.htmlUrl}:${nameOfStatement(statement)}`;
  const ended =
    about.kind === 'question'
      ? await loop(run, key, await answerTask({ ...given, question: about.question, round }))
      : await loop(run, key, await chatTask({ ...given, finding: about.finding }));
  const as = readAs(ended.outcome, about, round);
  return { reading: as === null ? null : readingOf(unread, as), spend: ended.spend };
}

type About =
  | { readonly kind: 'question'; readonly question: Ledger['questions'][number] }
  | { readonly kind: 'finding'; readonly finding: Ledger['findings'][number] };

/** In the thread of a question that became a finding, people speak of the finding. */
function itemOf({ unread: { item }, ledger }: Pick<WordsRun, 'unread' | 'ledger'>): About | null {
  const finding = ledger.findings.find((one) => one.id === item || one.from === item);
  if (finding?.standing.kind === 'open') return { kind: 'finding', finding };
  const question = ledger.questions.find(({ id }) => id === item);
  if (question !== undefined) return { kind: 'question', question };
  return finding === undefined ? null : { kind: 'finding', finding };
}

async function loop<Read extends ReadAs>(
  run: WordsRun,
  key: string,
  task: {
    readonly toolset: Toolset<Read>;
    readonly system: string;
    readonly opening: Message;
    readonly budget: Budget;
  },
): Promise<{ readonly outcome: Outcome<Read>; readonly spend: Spend }> {
  const { model, clock, signal, journal, emit } = run;
  const { toolset, system, opening, budget } = task;
  const { outcome, transcript } = await runLoop<Read>({
    model,
    toolset,
    system,
    opening,
    budget,
    clock,
    signal,
    ...(emit !== undefined && { emit }),
    ...(journal !== undefined && {
      journal: runJournal(journal, key, {
        model: model.name,
        system,
        tools: toolDefinitions(toolset),
        opening,
      }),
    }),
  });
  if (!goesOnLater(outcome)) await journal?.clear(key);
  return { outcome, spend: transcript.spend };
}

function readAs(outcome: Outcome<ReadAs>, about: About, round: number): ReadAs | null {
  switch (outcome.kind) {
    case 'submitted':
      return about.kind === 'question' && outcome.value.kind === 'unclear' ? unsettled(round) : outcome.value;
    case 'superseded':
      return null;
    case 'failed':
      return outcome.retryable ? null : unclear(about);
    case 'no_submission':
    case 'refused':
    case 'out_of_budget':
      return about.kind === 'question' ? unsettled(round) : unclear(about);
  }
}

/** After the last round a question is left open: what was said beforehand for not sure. */
const unsettled = (round: number): ReadAs =>
  round < MAX_ROUNDS
    ? { kind: 'unclear' }
    : { kind: 'answer', answer: 'unsure', because: '', evidence: [], conditions: [] };

/** Of a finding nothing was asked: there is nothing to say about words that nobody read. */
const unclear = (about: About | null): ReadAs =>
  about?.kind === 'question' ? { kind: 'unclear' } : { kind: 'noted' };

const readingOf = ({ statement, item, round }: UnreadWords, as: ReadAs): Reading => ({
  statement: nameOfStatement(statement),
  words: digestOfWords(statement),
  item,
  round,
  as,
});
