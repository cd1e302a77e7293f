import type { CitedPlace, Condition } from '../condition.js';
import type { GateMode } from '../policy.js';
import type { PullRequest } from '../pull-request.js';
import type { AnswerEffect, FollowUp, Question } from '../question.js';
import { MAX_ROUNDS, type ReadAs } from '../reading.js';
import type { Ruling } from '../ruling.js';
import { effectWords } from './effect-words.js';
import { bold, codeSpan, inline, link, prose } from './markdown.js';
import { evidenceLine } from './thread-finding.js';
import { listed, lowerQuestion, ordinal, permalink } from './words.js';

export type ReadingSurroundings = {
  readonly pullRequest: Pick<PullRequest, 'repo' | 'head' | 'mergeBase'>;
  readonly mode: GateMode;
  /** Of the item that was spoken of, where it is one. */
  readonly question?: Question;
  /** `F1`; of the finding that was spoken of. */
  readonly finding?: string;
};

/** The one reply to words that were read: how they were read, or one more question. Null: nothing is said. */
export function readingReply(
  { reading, outcome, statement }: Ruling,
  given: ReadingSurroundings,
): string | null {
  if (reading === undefined || reading.as.kind === 'noted') return null;
  if (outcome.kind === 'refused')
    return outcome.why === ''
      ? 'Noted, thanks. Someone with write access decides this one.'
      : `Noted, thanks. ${inline(outcome.why)}`;
  if (outcome.kind !== 'applied' && outcome.kind !== 'pending' && !isLeft(outcome, reading.as)) return null;
  const { as, item } = reading;
  const id =
    item.startsWith('Q') && as.kind !== 'stands' && as.kind !== 'withdrawn' && as.kind !== 'explained'
      ? item
      : (given.finding ?? item);
  const waits = outcome.kind === 'pending';
  switch (as.kind) {
    case 'answer':
      return given.question === undefined
        ? null
        : readAnswer(as, reading.round, { ...given, question: given.question, waits });
    case 'question': {
      const followUp = given.question?.followUps?.find(({ question }) => question === as.question);
      return given.question === undefined || followUp === undefined
        ? leftOpen(id)
        : followUpText(given.question, followUp, given.mode);
    }
    case 'stands':
      return [`${bold(`Still stands (${id}).`)} ${inline(as.because)}`, quotesOf(as.evidence, given)].join(
        '\n\n',
      );
    case 'withdrawn':
      return [
        waits
          ? `${bold(`To be withdrawn (${id}): a maintainer confirms.`)} ${inline(as.because)}`
          : `${bold(`Withdrawn (${id}): this was wrong.`)} ${inline(as.because)}`,
        ...(waits ? ['Anyone with write access: reply `ok` to confirm. Until then it counts as open.'] : []),
        `${quotesOf(as.evidence, given)}${as.conditions.length === 0 ? '' : ` Open again when ${placesOf(as.conditions, given)} ${as.conditions.length === 1 ? 'changes' : 'change'}.`}`,
      ].join('\n\n');
    case 'explained':
      return `${bold(`Open as before (${id}).`)} ${inline(as.text)}`;
    case 'unclear':
      return 'Could not read that as yes, no or not sure. One word is enough.';
    case 'lapsed':
      return lapsed(id, as, statement.by, given);
  }
}

/** A question, a reason, a lapse: nothing is applied, and it is told. */
const isLeft = ({ kind }: Ruling['outcome'], as: ReadAs): boolean =>
  kind === 'left' || (kind === 'overtaken' && as.kind === 'lapsed');

/** The question that is open now, with what each answer does. */
export function followUpText(question: Question, followUp: FollowUp, mode: GateMode): string {
  const { yes, no, unsure = 'lower_confidence' } = question.answerEffects;
  const words = (effect: AnswerEffect): string => {
    const { does, there } = effectWords(effect, question, mode);
    return `${does}${there}`;
  };
  const keeps = yes === 'suppress_finding' && followUp.conditions.length > 0;
  return [
    bold(
      `Question (${question.id}, ${ordinalWord(followUp.round)} of at most ${MAX_ROUNDS === 3 ? 'three' : MAX_ROUNDS}): ${lowerQuestion(followUp.question)}`,
    ),
    prose(followUp.because),
    [
      `- **yes**: ${keeps ? 'dropped, with that condition kept' : words(yes)}`,
      `- **no**: ${words(no)}`,
      `- **not sure**: ${words(unsure)}`,
    ].join('\n'),
  ].join('\n\n');
}

const ordinalWord = (round: number): string =>
  round === 2 ? 'second' : round === 3 ? 'third' : ordinal(round);

function readAnswer(
  as: Extract<ReadAs, { kind: 'answer' }>,
  round: number,
  given: ReadingSurroundings & { readonly question: Question; readonly waits: boolean },
): string {
  const { question, waits, mode } = given;
  const { answerEffects, id } = question;
  const effect =
    as.answer === 'unsure' ? (answerEffects.unsure ?? 'lower_confidence') : answerEffects[as.answer];
  const word = as.answer === 'unsure' ? 'not sure' : as.answer;
  if (as.answer === 'unsure' && round >= MAX_ROUNDS) return leftOpen(id, effectWords(effect, question, mode));
  const holds = as.condition === undefined ? '' : `, for as long as ${as.condition}`;
  const kept =
    as.conditions.length === 0
      ? '.'
      : `${as.condition === undefined ? '' : ', with your condition kept'}: it is asked again when ${placesOf(as.conditions, given)} ${as.conditions.length === 1 ? 'changes' : 'change'}.`;
  const checked = as.evidence.length > 0 ? `Checked: ${inline(as.because)}` : inline(as.because);
  if (waits)
    return [
      bold(`Read as ${word} (${id})${holds}; a maintainer confirms.`),
      checked,
      'Anyone with write access: reply `ok` to confirm or `no` to keep it as a finding. Until then it counts as open.',
    ].join('\n\n');
  return [
    bold(`Read as ${word} (${id})${holds}.`),
    `${checked} So it ${happens(effect, question)}${kept}`,
    ...(as.evidence.length > 0 ? [quotesOf(as.evidence, given)] : []),
    as.answer === 'unsure'
      ? 'A plain `yes` or `no` still counts.'
      : `Reply \`${as.answer === 'yes' ? 'no' : 'yes'}\` if this reads you wrong.`,
  ].join('\n\n');
}

const leftOpen = (
  id: string,
  words = { does: 'kept as a possible problem', there: ', does not block' },
): string =>
  `${bold(`Left open (${id}): ${words.does}${words.there}.`)} Three rounds did not settle it; a person can with \`yes\` or \`no\`.`;

/** "So it ...": what was stated beforehand, as done. */
function happens(effect: AnswerEffect, { finding }: Question): string {
  switch (effect) {
    case 'suppress_finding':
      return 'is dropped';
    case 'include_finding':
      return finding.severity === 'nit' ? 'becomes a nit' : 'becomes an important finding';
    case 'lower_confidence':
      return 'is kept as a possible problem and does not block';
    case 'escalate':
      return 'is passed on to someone responsible for this code';
    case 'continue':
      return 'is read once more, with this answer';
  }
}

function lapsed(
  id: string,
  { changed }: Extract<ReadAs, { kind: 'lapsed' }>,
  by: string,
  given: ReadingSurroundings,
): string {
  const places = `${placesOf(changed, given)} ${changed.length === 1 ? 'has' : 'have'} changed since`;
  return given.question !== undefined && id.startsWith('Q')
    ? `${bold(`Asked again (${id}): ${lowerQuestion(given.question.question)}`)} ${inline(by)}'s answer held for the code as it was, and ${places}.`
    : `${bold(`Open again (${id}).`)} It was withdrawn for the code as it was, and ${places}.`;
}

const quotesOf = (evidence: readonly CitedPlace[], { pullRequest }: ReadingSurroundings): string =>
  evidence.length === 0
    ? ''
    : evidenceLine(
        { evidence: evidence.map((place) => ({ kind: 'quote', role: 'because', quote: '', ...place })) },
        pullRequest,
      );

/** `Promo.tsx:12-20` or `flags.ts:41`, linked at head. */
export const placesOf = (
  conditions: readonly Condition[],
  { pullRequest }: Pick<ReadingSurroundings, 'pullRequest'>,
): string => {
  const names = conditions.map(({ path, start, end }) => {
    const name = codeSpan(
      `${path.slice(path.lastIndexOf('/') + 1)}:${start === end ? start : `${start}-${end}`}`,
    );
    return pullRequest.repo.htmlUrl === ''
      ? name
      : link(name, permalink(pullRequest, { path, ref: 'head', start, end }));
  });
  return listed(names).replace(/ and (?=[^,]*$)/u, ' or ');
};
