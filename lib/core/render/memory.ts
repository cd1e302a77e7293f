import { hasRunOut, isAbout } from '../kept-answer.js';
import type { FileDiff } from '../diff.js';
import type { Decision, Finding } from '../finding.js';
import { reportOf, type Ledger } from '../ledger.js';
import type { KeptAnswer, Policy } from '../policy.js';
import type { PullRequest } from '../pull-request.js';
import type { Answered, Question } from '../question.js';
import { codeSpan, inline } from './markdown.js';
import { shortReason } from './earlier-answer.js';
import { placesOf } from './reading-reply.js';
import { dayWords, lineOf, listed, placeLink, plural } from './words.js';

export type MemoryInput = {
  readonly ledger: Ledger;
  readonly policy: Pick<Policy, 'review'>;
  readonly pullRequest: Pick<PullRequest, 'repo' | 'head' | 'mergeBase'>;
  readonly diff: readonly FileDiff[];
  readonly diffHash: string;
  /** Epoch milliseconds: kept answers run out. */
  readonly now: number;
};

/** The answers that keep something from being raised on this pull request: what was said on it, then the settings. */
export function memoryText(input: MemoryInput): string {
  const rows = [...saidRows(input), ...settingsRows(input)];
  if (rows.length === 0) return 'No kept answer touches this pull request.';
  const more = rows.length - MAX_ROWS;
  return [
    '**Kept answers that touch this pull request.** Nothing else is held back by one.',
    [...rows.slice(0, MAX_ROWS), ...(more > 0 ? [`- and ${plural(more, 'more', 'more')}`] : [])].join('\n'),
  ].join('\n\n');
}

const MAX_ROWS = 40;

/** Questions and findings whose answer, dismissal or withdrawal can be forgotten, by their numbers. */
export const forgettable = (ledger: Pick<Ledger, 'findings' | 'questions'>): readonly string[] => [
  ...ledger.questions.filter(isCleared).map(({ id }) => id),
  ...ledger.findings
    .filter(({ standing: { kind } }) => kind === 'dismissed' || kind === 'withdrawn')
    .map(({ id }) => id),
];

const isCleared = (question: Question): question is Question & { readonly standing: Answered } =>
  question.standing.kind === 'answered' && question.standing.effect === 'suppress_finding';

function saidRows({ ledger, pullRequest }: MemoryInput): readonly string[] {
  const here = (id: string): string =>
    ` This pull request only. \`/evident memory forget ${id}\` ${id.startsWith('Q') ? 'asks again' : 'opens it again'}.`;
  return [
    ...ledger.questions.filter(isCleared).map(({ id, finding, standing }) => {
      const { answer, conditions = [] } = standing;
      const until =
        conditions.length === 0 ? '' : ` Asked again when ${placesOf(conditions, { pullRequest })} change.`;
      return `- **${id}** ${about(finding, pullRequest)}: ${who(standing, answer === 'unsure' ? 'not sure' : answer)}.${until}${here(id)}`;
    }),
    ...ledger.findings.flatMap((finding): readonly string[] => {
      const { id, standing } = finding;
      return standing.kind === 'dismissed' || standing.kind === 'withdrawn'
        ? [`- **${id}** ${about(finding, pullRequest)}: ${who(standing, standing.kind)}.${here(id)}`]
        : [];
    }),
  ];
}

const about = (finding: Omit<Finding, 'id'>, pullRequest: MemoryInput['pullRequest']): string =>
  `${codeSpan(finding.rule)}, ${placeLink(pullRequest, finding)}`;

/** `octocat, yes, "the partner's script draws into that box"`. */
const who = ({ by, why, confirmedBy }: Decision, said: string): string =>
  [
    inline(by),
    said,
    ...(why === undefined ? [] : [`"${shortReason(why)}"`]),
    ...(confirmedBy === undefined ? [] : [`confirmed by ${inline(confirmedBy)}`]),
  ].join(', ');

/** Entries about a file of this change. */
function settingsRows({ ledger, policy, diff, diffHash, now }: MemoryInput): readonly string[] {
  const held = reportOf(ledger, diffHash).notRaised ?? [];
  return policy.review.answers
    .filter((answer) => diff.some(({ path }) => isAbout(answer, path)))
    .map((answer) => {
      const { rule, path, file, line, because } = answer;
      const places = held
        .filter((one) => one.file === file && one.fileLine === line)
        .map((one) => codeSpan(lineOf({ anchor: { kind: 'row', path: one.path, line: one.line, why: '' } })));
      const holds = places.length === 0 ? '' : ` Not raised by it: ${listed(places.slice(0, MAX_PLACES))}.`;
      return `- ${codeSpan(rule)}, ${codeSpan(path)}: ${codeSpan(file)} line ${line}, "${shortReason(because)}", ${untilWords(answer, now)}.${holds} Change it there.`;
    });
}

const MAX_PLACES = 5;

const untilWords = (answer: KeptAnswer, now: number): string =>
  hasRunOut(answer, now) ? `ran out on ${dayWords(answer.until)}` : `until ${dayWords(answer.until)}`;
