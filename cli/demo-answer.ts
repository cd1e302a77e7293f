import type { Ledger } from '../lib/core/ledger.js';
import { answerDone, paragraph, plain } from '../lib/core/render/terminal.js';
import type { Played, Standing } from './play-demo.js';
import { columns } from './wrapped.js';

/** What the author of the demo may reply, and in which words. */
const replies = { yes: 'yes', no: 'no', unsure: 'not sure' } as const;
export type DemoAnswer = keyof typeof replies;

type Answered = {
  readonly standing: Standing;
  readonly known: Ledger;
  readonly counted: boolean;
  /** Who said what, and what followed. */
  readonly text: string;
};

/** The author replies in the thread of the first open question; null where there is none. */
export async function answerFirst(
  played: Played,
  before: Ledger,
  answer: DemoAnswer,
): Promise<Answered | null> {
  const asked = before.questions.find(({ standing }) => standing.kind === 'open');
  if (asked === undefined) return null;
  const { author } = played.repository.pull(played.number);
  const standing = await played.reply(author, asked.id, replies[answer]);
  const known = await played.known();
  const question = known.questions.find(({ id }) => id === asked.id) ?? asked;
  const rows = known.findings
    .filter(({ id }) => !before.findings.some((one) => one.id === id))
    .map(({ id, severity, title, anchor }) => ({
      label: `  ${id} ${severity}`,
      place: plain(`${anchor.path}:${anchor.line}`),
      text: paragraph(title),
    }));
  return {
    standing,
    known,
    counted: question.standing.kind === 'answered',
    text: [
      `${author} answers ${asked.id}: ${replies[answer]}`,
      ...(rows.length > 0 ? columns(rows) : [`  ${answerDone(question, known)}`]),
      '',
      '',
    ].join('\n'),
  };
}
