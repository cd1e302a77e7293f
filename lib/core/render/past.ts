import type { Finding } from '../finding.js';
import type { Ledger } from '../ledger.js';
import type { NotRaised } from '../not-raised.js';
import type { PullRequest } from '../pull-request.js';
import type { Question } from '../question.js';
import { codeSpan, inline } from './markdown.js';
import { listed, lowerQuestion, placeLink, plural } from './words.js';

/** What is not open any more, and by whom: rows of the summary. */
export function pastRows(
  { findings, questions }: Pick<Ledger, 'findings' | 'questions'>,
  pullRequest: Pick<PullRequest, 'repo' | 'head' | 'mergeBase'>,
): readonly string[] {
  const rows = [
    ...fixedRows(findings),
    ...findings.flatMap(({ id, standing }) => {
      if (standing.kind === 'dismissed')
        return [`- **${id}** dismissed by ${inline(standing.by)}${because(standing.why)}`];
      if (standing.kind === 'withdrawn') return [`- **${id}** withdrawn: it was wrong`];
      return [];
    }),
    ...questions.flatMap((question) => answeredRows(question, pullRequest)),
  ];
  return rows.length <= MAX_ROWS
    ? rows
    : [...rows.slice(0, MAX_ROWS), `- ${plural(rows.length - MAX_ROWS, 'more', 'more')} in the check`];
}

const MAX_ROWS = 20;

function fixedRows(findings: readonly Finding[]): readonly string[] {
  const fixedIn = new Map<string, string[]>();
  for (const { id, standing } of findings)
    if (standing.kind === 'fixed')
      fixedIn.set(standing.in, [...(fixedIn.get(standing.in) ?? []), `**${id}**`]);
  return [...fixedIn].map(([sha, ids]) => `- ${listed(ids)} fixed in ${codeSpan(sha.slice(0, 7))}`);
}

function answeredRows(
  { id, finding, question, standing }: Question,
  pullRequest: Pick<PullRequest, 'repo' | 'head' | 'mergeBase'>,
): readonly string[] {
  if (standing.kind !== 'answered') return [];
  const by = inline(standing.by);
  switch (standing.effect) {
    case 'suppress_finding':
      return [
        `- **${id}** answered ${answerWords(standing.answer)} by ${by}: not a finding, not raised again while its lines stay as they are`,
      ];
    case 'lower_confidence':
      return [
        `- **${id}** possible, ${placeLink(pullRequest, finding)}: ${inline(finding.title)} (${by} ${standing.answer === 'unsure' ? 'is not sure' : `answered ${standing.answer}`}; does not block)`,
      ];
    case 'escalate':
      return [
        `- **${id}** question, ${placeLink(pullRequest, finding)}: ${inline(lowerQuestion(question))} (passed on by ${by}: a person decides)`,
      ];
    case 'continue':
      return [`- **${id}** answered ${answerWords(standing.answer)} by ${by}: the next review is told`];
    case 'include_finding':
      // Its finding has a row.
      return [];
  }
}

/** The same in one line, for the check: `Fixed on the way: F1 and F2 (1 fix round of 3). Answered: Q1 (octocat, yes).` */
export function pastLine(
  { findings, questions }: Pick<Ledger, 'findings' | 'questions'>,
  rounds: { readonly round: number; readonly rounds: number },
): string {
  const fixed = findings.flatMap(({ id, standing }) => (standing.kind === 'fixed' ? [id] : []));
  const dismissed = findings.flatMap(({ id, standing }) =>
    standing.kind === 'dismissed' ? [`${id} (${inline(standing.by)}${because(standing.why)})`] : [],
  );
  const withdrawn = findings.flatMap(({ id, standing }) => (standing.kind === 'withdrawn' ? [id] : []));
  const answered = questions.flatMap(({ id, standing }) =>
    standing.kind === 'answered' ? [`${id} (${inline(standing.by)}, ${answerWords(standing.answer)})`] : [],
  );
  const round = rounds.round === 0 ? '' : ` (${plural(rounds.round, 'fix round')} of ${rounds.rounds})`;
  return [
    ...(fixed.length > 0 ? [`Fixed on the way: ${few(fixed)}${round}.`] : []),
    ...(answered.length > 0 ? [`Answered: ${few(answered)}.`] : []),
    ...(dismissed.length > 0 ? [`Dismissed: ${few(dismissed)}.`] : []),
    ...(withdrawn.length > 0 ? [`Withdrawn: ${few(withdrawn)}.`] : []),
  ].join(' ');
}

const few = (names: readonly string[]): string =>
  names.length <= MAX_NAMES
    ? names.join(', ')
    : `${names.slice(0, MAX_NAMES).join(', ')} and ${names.length - MAX_NAMES} more`;

const MAX_NAMES = 40;

/** What an answer that a settings file keeps has settled. */
export const notRaisedRow = ({ rule, path, line, because: why, file, fileLine, until }: NotRaised): string =>
  `- not raised: ${codeSpan(rule)} at ${codeSpan(`${path}:${line}`)}, kept in ${codeSpan(file)} line ${fileLine}${because(why)}, until ${until}`;

const because = (why: string | undefined): string => (why === undefined ? '' : `: "${inline(why)}"`);

const answerWords = (answer: 'yes' | 'no' | 'unsure'): string => (answer === 'unsure' ? 'not sure' : answer);
