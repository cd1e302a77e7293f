import { blocks, type Finding } from '../finding.js';
import { fixRound, type Verdict } from '../gate.js';
import { reportOf, type Ledger, type Pardon } from '../ledger.js';
import type { PassRecord, PassReport } from '../pass-record.js';
import type { Question } from '../question.js';
import { shortSha } from '../pull-request.js';
import type { Snapshot } from '../snapshot.js';
import { tierOf } from '../tier.js';
import { passedOn } from './escalation.js';
import { codeSpan, inline } from './markdown.js';
import { notRaisedRow, pastRows } from './past.js';
import {
  allFiles,
  duration,
  isOpenQuestion,
  limitWords,
  listed,
  lowerQuestion,
  money,
  numberWord,
  ordinal,
  placeLink,
  plural,
  upperFirst,
  votesWords,
} from './words.js';

export type SummaryInput = {
  readonly snapshot: Snapshot;
  /** With this pass. */
  readonly ledger: Ledger;
  readonly verdict: Verdict;
  readonly run: RunFacts;
  /** What will happen by itself, or what starts it again: only what is true. */
  readonly next?: string;
  /** Texts of what has no thread of its own: nobody would read them elsewhere. */
  readonly untold?: readonly string[];
};

/** What a run was: shown where people ask what it cost. */
export type RunFacts = {
  readonly model: { readonly name: string; readonly kind: 'language_model' | 'rules' };
  /** Who runs this installation; the owner of the repository if nobody said. */
  readonly operator?: string;
  readonly elapsedMs: number;
  readonly requests?: number;
  /** The limit of dollars, where there is one. */
  readonly dollars?: number;
};

/** The body of the first review; later passes edit it, so that it always says the present state. */
export function summary(input: SummaryInput): string {
  const { ledger, verdict } = input;
  const report = reportOf(ledger, input.snapshot.diffHash);
  const open = openItems(ledger);
  const rows = rowsOf(input, open);
  const quiet = quietRows(input);
  const partial = verdict.kind === 'incomplete' && verdict.reason.kind === 'partial';
  return [
    headline(input, open),
    rows.join('\n'),
    ...(quiet.length === 0 ? [] : ['Not blocking, no thread:', quiet.join('\n')]),
    ...(partial
      ? [notRead(report, verdict.reason.kind === 'partial' ? verdict.reason.limit : '', input.next)]
      : []),
    ...(partial ? [] : [nextStep(input, open)]),
    newHere(input, open),
    pausedLine(input.ledger),
    ...(input.untold ?? []),
    reviewsLine(ledger.passes),
    footer(input),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

type Open = { readonly important: readonly Finding[]; readonly questions: readonly Question[] };

const openItems = ({ findings, questions }: Ledger): Open => ({
  important: findings.filter(blocks),
  questions: questions.filter(isOpenQuestion),
});

/** The count of important findings comes first: it is what a phone shows. */
function headline({ snapshot, verdict, ledger }: SummaryInput, open: Open): string {
  const head = codeSpan(shortSha(snapshot.pullRequest.head.sha));
  const { seen, of, unreviewable } = reportOf(ledger, snapshot.diffHash).coverage;
  if (verdict.kind === 'passed' && verdict.by !== undefined) return passedBy(verdict.by, open);
  if (verdict.kind === 'incomplete' && verdict.reason.kind === 'partial')
    return `**Not finished: ${seen} of ${plural(of, 'changed file')} read.** This is not a clean review and does not count as one.`;
  const read = `Read ${allFiles(of, unreviewable)} at ${head}.`;
  if (open.important.length === 0 && open.questions.length === 0) {
    if (verdict.kind === 'escalated') {
      const passed = passedOn(ledger);
      return `**0 important, ${passed === undefined ? 'and a person decides' : `and ${passed.id} waits for a person`}.** ${read}`;
    }
    if (verdict.kind !== 'passed') return `**Nothing open so far.** ${read}`;
    const isNew =
      ledger.passes.length === 1 && ledger.findings.some(({ standing }) => standing.kind === 'open');
    const reviews = `${upperFirst(numberWord(verdict.streak))} clean ${verdict.streak === 1 ? 'review' : 'reviews in a row'} of ${head}`;
    return isNew
      ? `**0 important.** ${read}`
      : `**Nothing open.** ${reviews}, ${allFiles(of, unreviewable)} read.`;
  }
  const counts = [
    `${open.important.length} important`,
    ...(open.questions.length > 0 ? [plural(open.questions.length, 'question')] : []),
  ];
  return `**${counts.join(', ')}.** ${read}`;
}

/** A person's word in the place of clean reviews; what is open is said with it. */
function passedBy({ by: login, why, how }: Pardon, open: Open): string {
  const still = [
    ...(open.important.length > 0 ? [`${open.important.length} important`] : []),
    ...(open.questions.length > 0 ? [plural(open.questions.length, 'question')] : []),
  ];
  return `**Passed by ${inline(login)}${why === undefined ? '' : `: "${inline(why)}"`}.** ${how === 'approval' ? 'Approved at this commit' : how === 'override' ? 'Overridden for this change as it is' : 'A yes to what was asked, for this change as it is'}; ${still.length === 0 ? 'nothing is open' : `open all the same: ${still.join(', ')}`}.`;
}

function rowsOf({ snapshot, ledger }: SummaryInput, open: Open): readonly string[] {
  const { pullRequest } = snapshot;
  const closed = new Map<string, string | undefined>(
    ledger.threads.flatMap(({ id, resolved, resolvedBy }) => (resolved ? [[id, resolvedBy] as const] : [])),
  );
  return [
    ...open.important.map(
      (finding) =>
        `- **${finding.id}** important, ${placeLink(pullRequest, finding)}: ${inline(finding.title)}${notes([
          ...(finding.from === undefined ? [] : [`was ${finding.from}`]),
          ...(finding.anchor.kind === 'row' ? [`no thread: ${inline(finding.anchor.why)}`] : []),
        ])}`,
    ),
    ...open.questions.map(
      ({ id, finding, question, standing }) =>
        `- **${id}** question, ${placeLink(pullRequest, finding)}: ${inline(lowerQuestion(question))}${notes(
          standing.kind === 'open' && standing.forgotten !== undefined
            ? [
                `asked again by ${inline(standing.forgotten.by)}${closed.has(id) ? '; its thread is resolved' : ''}`,
              ]
            : closed.has(id)
              ? [`closed without an answer${by(closed.get(id))}`]
              : [],
        )}`,
    ),
    ...pastRows(ledger, pullRequest),
    ...(reportOf(ledger, snapshot.diffHash).notRaised ?? []).map(notRaisedRow),
  ];
}

const notes = (all: readonly string[]): string => (all.length === 0 ? '' : ` (${all.join('; ')})`);

const by = (login: string | undefined): string => (login === undefined ? '' : ` by ${inline(login)}`);

/** Nits and old code: rows, each once, never threads. */
function quietRows({ snapshot: { pullRequest }, ledger }: SummaryInput): readonly string[] {
  const open = ledger.findings.filter((finding) => finding.standing.kind === 'open' && !blocks(finding));
  const nits = open.filter(({ origin }) => origin === 'introduced');
  const old = open.filter(({ origin }) => origin === 'pre_existing');
  const outvoted = ledger.findings.flatMap((finding) =>
    finding.standing.kind === 'outvoted' ? [{ finding, votes: finding.standing }] : [],
  );
  const left = (all: readonly unknown[], word: string): readonly string[] =>
    all.length > MAX_ROWS
      ? [`- ${plural(all.length - MAX_ROWS, `more ${word}`, `more ${word}`)} in the check`]
      : [];
  return [
    ...outvoted
      .slice(0, MAX_ROWS)
      .map(
        ({ finding, votes }) =>
          `- **${finding.id}** possible, ${placeLink(pullRequest, finding)}: ${inline(finding.title)} (${votesWords(votes)})`,
      ),
    ...left(outvoted, 'possible'),
    ...nits
      .slice(0, MAX_ROWS)
      .map(
        (finding) => `- **${finding.id}** nit, ${placeLink(pullRequest, finding)}: ${inline(finding.title)}`,
      ),
    ...left(nits, 'nits'),
    ...old
      .slice(0, MAX_ROWS)
      .map(
        (finding) =>
          `- **${finding.id}** already there, ${placeLink(pullRequest, finding)}: ${inline(finding.title)} (this change does not touch it; listed once)`,
      ),
    ...left(old, 'already there'),
  ];
}

const MAX_ROWS = 5;

function nextStep({ snapshot, verdict, ledger, next }: SummaryInput, open: Open): string {
  if (verdict.kind === 'passed' && (verdict.by !== undefined || open.questions.length === 0)) return '';
  const todo = [
    ...(open.important.length > 0 ? [`fix ${listed(open.important.map(({ id }) => id))}`] : []),
    ...(open.questions.length > 0 ? [`answer ${listed(open.questions.map(({ id }) => id))}`] : []),
  ];
  const { passes: required, because } = tierOf(snapshot);
  const passes = `The check passes after ${numberWord(required)} clean ${required === 1 ? 'review' : 'reviews in a row'}${because === undefined ? '' : ` (${inline(because)})`}.`;
  if (verdict.kind === 'escalated') return `${inline(verdict.why)} The check says how it ends.`;
  return [
    ...(todo.length > 0 ? [`Next: ${todo.join(', ')}.`] : []),
    ...(verdict.kind === 'passed' ? [] : [passes]),
    ...(verdict.kind === 'fix' && fixRound(ledger.passes) > 1
      ? [`Fix round ${verdict.round} of ${verdict.rounds}.`]
      : []),
    ...(next === undefined ? [] : [next]),
  ].join(' ');
}

/** Somebody who does not know how it goes here. */
const newHere = ({ snapshot: { pullRequest } }: SummaryInput, open: Open): string =>
  pullRequest.author.isNew === true && open.important.length + open.questions.length > 0
    ? 'New here? Only the items marked important need a change, and a question can be answered with one word. A maintainer decides the rest.'
    : '';

export const pausedLine = ({ paused }: Pick<Ledger, 'paused'>): string =>
  paused === undefined
    ? ''
    : `Paused by ${inline(paused.by)}${paused.why === undefined ? '' : `: "${inline(paused.why)}"`}. Later pushes are not reviewed until \`/evident resume\`.`;

function notRead(
  { coverage: { missing, seen, of } }: PassReport,
  limit: string,
  next: string | undefined,
): string {
  const names = missing.slice(0, 8).map(({ path, why }) => `${codeSpan(path)} (${inline(why)})`);
  const more = missing.length > 8 ? ` and ${Math.max(of - seen, missing.length) - 8} more` : '';
  const because = limitWords(limit, missing);
  return [
    ...(names.length === 0 ? [] : [`Not read: ${names.join(', ')}${more}.`]),
    ...(because === '' ? [] : [`${upperFirst(inline(because))}.`]),
    ...(next === undefined ? [] : [next]),
  ].join(' ');
}

/** From the second review on: what each looked for. */
function reviewsLine(passes: readonly PassRecord[]): string {
  if (passes.length < 2) return '';
  const reviews = passes.slice(-6).map((pass, index, shown) => {
    const number = passes.length - shown.length + index + 1;
    return `${ordinal(number)} ${lensWords[pass.lens]}${pass.order === 'reverse' ? ', files in reverse order' : ''}`;
  });
  const dollars = passes.map(({ usage }) => usage.dollars);
  const all = dollars.some((one) => one === null)
    ? null
    : dollars.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  return `Reviews: ${reviews.join('; ')}. ${money(all)} in all.`;
}

export const lensWords = {
  correctness: 'correctness',
  contracts: 'contracts and callers',
  security: 'security and failure paths',
} as const;

function footer({ snapshot, ledger, run }: SummaryInput): string {
  const { coverage, usage, elapsedMs } = reportOf(ledger, snapshot.diffHash);
  const read = `${coverage.seen} changed and ${coverage.others} other files read`;
  const spent = run.model.kind === 'rules' ? '' : `, ${money(usage.dollars)}`;
  const who =
    run.model.kind === 'rules'
      ? 'Evident, fixed rules, not a language model'
      : `Evident, run by ${inline(run.operator ?? snapshot.pullRequest.repo.owner)} with ${inline(run.model.name)}`;
  return `${who}: ${read}${spent}, ${duration(elapsedMs)}. More in the check; \`/evident help\`.`;
}
