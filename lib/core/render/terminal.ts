import { countRead } from '../coverage.js';
import type { Quote } from '../evidence.js';
import { blocks, type Finding } from '../finding.js';
import type { Verdict } from '../gate.js';
import type { AnswerEffect, Question } from '../question.js';
import type { ReviewResult } from '../review-result.js';
import type { Snapshot } from '../snapshot.js';
import { effectWords } from './effect-words.js';
import { keptAnswer } from './keep-answer.js';
import type { RunFacts } from './summary.js';
import { duration, isOpenQuestion, limitWords, lowerQuestion, money, plural } from './words.js';

export type TerminalInput = {
  readonly snapshot: Pick<Snapshot, 'pullRequest' | 'diff'>;
  readonly result: ReviewResult;
  readonly verdict: Verdict;
  readonly run: RunFacts;
  /** Show nits, old code and what was left out too. */
  readonly all?: boolean;
  readonly color?: boolean;
  /** Host that requests went to; null when nothing left this machine. */
  readonly sentTo?: { readonly host: string; readonly files: number; readonly bytes: number } | null;
  /** The day, in epoch milliseconds: offers the lines that keep the answers which dropped something. */
  readonly today?: number;
  /** Lines of a file around an accused one; absent where there are none to show. */
  readonly linesOf?: (ref: 'head' | 'base', path: string) => readonly string[] | null;
};

/** Exit codes of `evident review`: 0 nothing to fix, 1 something to fix, 3 not finished. */
export const exitCode = ({ result, verdict }: Pick<TerminalInput, 'result' | 'verdict'>): 0 | 1 | 3 => {
  if (!result.coverage.complete || (verdict.kind === 'incomplete' && verdict.reason.kind === 'partial'))
    return 3;
  return result.findings.some(blocks) ? 1 : 0;
};

const WIDTH = 80;

/** A review as plain text of 80 columns: the same words and numbers as on a pull request. */
export function terminalReview(input: TerminalInput): string {
  const questions = input.result.questions.filter(isOpenQuestion);
  return joined([
    terminalStanding(input),
    ...questions.map((question, index) =>
      questionBlock(question, `${index + 1} of ${questions.length}`, input),
    ),
    terminalEnding(input),
  ]).concat('\n');
}

/** What blocks, and what has its answer; empty when there is neither. */
export const terminalStanding = (input: TerminalInput): string =>
  joined([
    ...input.result.findings.filter(blocks).map((finding) => findingBlock(finding, input)),
    ...input.result.questions.map((question) => answeredBlock(question, input.result)),
  ]);

/** What does not block, and how it ended. */
export function terminalEnding(input: TerminalInput): string {
  const { result, all = false } = input;
  const nits = result.findings.filter((one) => one.severity === 'nit' && one.origin === 'introduced');
  const old = result.findings.filter((one) => one.origin === 'pre_existing');
  const quiet = [
    ...(nits.length > 0 ? [`Nits (${nits.length})`] : []),
    ...(old.length > 0 ? [`${nits.length > 0 ? 'old' : 'Old'} code (${old.length})`] : []),
  ].join(' and ');
  return joined([
    ...(all
      ? [
          rows('Nits', nits),
          rows('Already there (this change does not touch it)', old),
          disproved(result),
          leftOut(result),
        ]
      : quiet === ''
        ? []
        : [`${quiet}:  evident review --all`]),
    toKeep(input),
    ending(input),
  ]);
}

/** The keys of an answer, in the order in which they are shown. */
export const answerKeys = ['y', 'n', 'u', 'e', 's'] as const;
export type AnswerKey = (typeof answerKeys)[number];

/** A question with what each key does: its effects were stated when it was asked. */
export function terminalQuestion(
  question: Question,
  {
    nth,
    of,
    readsWords,
  }: {
    readonly nth: number;
    readonly of: number;
    /** Whether more than yes, no and not sure is understood. */
    readonly readsWords: boolean;
  },
  input: TerminalInput,
): string {
  const { yes, no, unsure = 'lower_confidence' } = question.answerEffects;
  const does = (effect: AnswerEffect): string => effectWords(effect, question, 'advisory').does;
  const words: Readonly<Record<AnswerKey, readonly [name: string, does: string]>> = {
    y: ['yes', does(yes)],
    n: ['no', does(no)],
    u: ['not sure', does(unsure)],
    e: ['explain', readsWords ? 'in your own words; it reads on from there' : 'yes or no, and why'],
    s: ['skip', 'ask again next time'],
  };
  const choices = answerKeys.map((key) => `    ${key}  ${words[key][0].padEnd(8)}  ${words[key][1]}`);
  return `${questionBlock(question, `${nth} of ${of}`, input)}\n\n${choices.join('\n')}`;
}

/** What an answer did, in one line: `Q1 is now F2, important.` */
export function answerDone(
  question: Question,
  { findings }: { readonly findings: readonly Pick<Finding, 'id' | 'from' | 'severity'>[] },
): string {
  const { standing, id } = question;
  if (standing.kind !== 'answered') return `${id} stays open.`;
  switch (standing.effect) {
    case 'include_finding': {
      const finding = findings.find(({ from }) => from === id);
      return `${id} is now ${finding?.id ?? 'a finding'}, ${finding?.severity === 'nit' ? 'a nit' : 'important'}.`;
    }
    case 'suppress_finding':
      return `${id} is dropped.`;
    case 'lower_confidence':
      return `${id} is kept as a possible problem.`;
    case 'escalate':
      return `${id} is left to someone responsible for this code.`;
    case 'continue':
      return `${id} is answered; the change is read once more with it.`;
  }
}

/** A question that has its answer: one that became a finding stands there. */
function answeredBlock(question: Question, result: Pick<ReviewResult, 'findings'>): string {
  const { standing, id, finding } = question;
  if (standing.kind !== 'answered') return '';
  const answer = standing.answer === 'unsure' ? 'not sure' : standing.answer;
  const why = standing.why === undefined ? '' : `: ${paragraph(standing.why)}`;
  return [
    wrap(`Answered  ${id}  ${plain(lowerQuestion(question.question))}`, 4),
    `  ${plain(`${finding.anchor.path}:${finding.anchor.line}`)}`,
    wrap(`  ${answer}${why}`, 2),
    `  ${answerDone(question, result)}`,
  ].join('\n');
}

const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');

/** What was reviewed and with what: the first lines, before anything is read. */
export function terminalHeading({
  snapshot: { pullRequest, diff },
  run,
  uncommitted = 0,
}: {
  readonly snapshot: Pick<Snapshot, 'pullRequest' | 'diff'>;
  readonly run: Pick<RunFacts, 'model' | 'dollars'>;
  readonly uncommitted?: number;
}): string {
  const added = diff.reduce((sum, { additions }) => sum + additions, 0);
  const removed = diff.reduce((sum, { deletions }) => sum + deletions, 0);
  const more = uncommitted > 0 ? ` and ${plural(uncommitted, 'uncommitted file')}` : '';
  const size = `${plural(diff.length, 'file')}  +${added} -${removed}`;
  const what = `${plain(pullRequest.repo.name)}   ${plain(pullRequest.base.ref)}...${plain(pullRequest.head.ref)}${more}`;
  const model =
    run.model.kind === 'rules'
      ? 'model  fixed rules, not a language model'
      : `model  ${run.model.name}${run.dollars === undefined ? '' : `, at most ${money(run.dollars)}`}`;
  const hint = run.model.kind === 'rules' ? '' : '(--model rules: no key, no cost)';
  return `${apart(what, size)}\n${hint === '' ? model : apart(model, hint)}\n`;
}

function findingBlock(finding: Finding, input: TerminalInput): string {
  const paint = painter(input.color);
  const quotes = finding.evidence.filter((one) => one.kind === 'quote').length;
  const fix = finding.suggestion ?? finding.fix;
  return [
    wrap(
      `${paint('red', 'Important')}  ${finding.id}  ${plain(finding.title)}`,
      4,
      input.color === true ? 9 : 0,
    ),
    `  ${plain(`${finding.anchor.path}:${finding.anchor.line}`)}`,
    ...snippet(finding, input),
    wrap(`  ${paragraph(finding.body)}`, 2),
    ...(fix === undefined ? [] : fixLines(fix)),
    `  rule ${finding.rule}, quotes found ${quotes} of ${quotes}`,
  ].join('\n');
}

function questionBlock(question: Question, number: string, input: TerminalInput): string {
  const paint = painter(input.color);
  const { finding, searched, read = [] } = question;
  const looked = [
    ...(searched.length > 0 ? [`searched ${searched.map(plain).join(', ')}`] : []),
    ...(read.length > 0 ? [`read ${read.map(plain).join(', ')}`] : []),
  ].join('; ');
  const why = `Could not tell: ${paragraph(question.reason).replace(/\.$/, '')}${looked === '' ? '' : ` (${looked})`}.`;
  return [
    wrap(
      `${paint('yellow', 'Question')}  ${question.id}  ${plain(lowerQuestion(question.question))}   ${number}`,
      4,
      input.color === true ? 9 : 0,
    ),
    `  ${plain(`${finding.anchor.path}:${finding.anchor.line}`)}`,
    ...snippet(finding, input),
    wrap(`  ${paragraph(finding.body)}`, 2),
    wrap(`  ${why}`, 2),
  ].join('\n');
}

/** The accused lines with one line around them; the accused ones marked. */
function snippet(finding: Omit<Finding, 'id'>, { linesOf }: TerminalInput): readonly string[] {
  const at = finding.evidence.find((one): one is Quote => one.kind === 'quote' && one.role === 'at');
  if (at === undefined) return [];
  const file = linesOf?.(at.ref, at.path) ?? null;
  const first = file === null ? at.start : Math.max(1, at.start - 1);
  const last = file === null ? at.end : Math.min(file.length, at.end + 1);
  const quoted = at.quote.split('\n');
  const rows: string[] = [];
  for (let line = first; line <= last && rows.length < 8; line++) {
    const text = file?.[line - 1] ?? quoted[line - at.start] ?? '';
    const mark = line >= at.start && line <= at.end ? '>' : ' ';
    rows.push(
      cutLine(
        `  ${mark} ${String(line).padStart(String(last).length)} | ${plain(text.replaceAll('\t', '  '))}`.trimEnd(),
      ),
    );
  }
  return rows;
}

function fixLines(fix: string): readonly string[] {
  if (fix === '') return ['  fix    delete these lines'];
  const [first = '', ...rest] = dedent(fix.replace(/\r/g, '').replace(/\n$/, '').split('\n'));
  return [`  fix    ${plain(first)}`, ...rest.slice(0, 12).map((line) => `         ${plain(line)}`)].map(
    cutLine,
  );
}

function toKeep({ result, today }: TerminalInput): string {
  if (today === undefined) return '';
  const entries = result.questions.flatMap((question) => keptAnswer(question, { today }) ?? []);
  if (entries.length === 0) return '';
  return [
    `To keep ${entries.length === 1 ? 'this answer' : 'these answers'} for later changes, add to .github/evident.yml:`,
    '  answers:',
    ...entries.flatMap((entry) => entry.split('\n')).map((line) => `    ${plain(line)}`),
  ].join('\n');
}

const rows = (title: string, findings: readonly Finding[]): string =>
  findings.length === 0
    ? ''
    : [
        title,
        ...findings.map((finding) =>
          wrap(
            `  ${finding.id}  ${plain(`${finding.anchor.path}:${finding.anchor.line}`)}  ${plain(finding.title)}`,
            4,
          ),
        ),
      ].join('\n');

const disproved = ({ disproved: claims }: ReviewResult): string =>
  claims.length === 0
    ? ''
    : [
        'Looked into and dropped, because the code disproves it',
        ...claims.map(({ claim, because, path, line }) =>
          wrap(`  ${plain(claim)}: ${plain(because)} (${plain(path)}:${line})`, 4),
        ),
      ].join('\n');

const leftOut = ({ dropped }: ReviewResult): string =>
  dropped.length === 0
    ? ''
    : [
        'Left out, because it did not hold',
        ...dropped.map(({ what, why }) => wrap(`  ${plain(what)}: ${plain(why)}`, 4)),
      ].join('\n');

function ending(input: TerminalInput): string {
  const { result, verdict, run, sentTo } = input;
  const { seen, of } = countRead(result.coverage);
  const code = exitCode(input);
  const exit = `exit ${code}`;
  const spentLine =
    run.model.kind === 'rules'
      ? ''
      : `${money(result.spend.usage.dollars)}, ${shortDuration(run.elapsedMs)}.`;
  const sent =
    sentTo === undefined || sentTo === null
      ? ''
      : `  Sent to ${plain(sentTo.host)}: ${plural(sentTo.files, 'file')}, ${Math.max(1, Math.round(sentTo.bytes / 1000))} kB (--sent lists them).`;
  const rules =
    run.model.kind === 'rules' ? 'The reviewer was a set of fixed rules, not a language model.' : '';
  const details = [wrap(`${spentLine}${sent}`.trim(), 0), rules].filter((line) => line !== '');
  if (code === 3) {
    const because = limitWords(
      verdict.kind === 'incomplete' && verdict.reason.kind === 'partial' ? verdict.reason.limit : '',
      result.coverage.files.flatMap((file) => (file.kind === 'missing' ? [file] : [])),
    );
    const why = because === '' ? '' : `, ${plain(because)}`;
    const important = result.findings.filter(blocks).length;
    return [
      apart(`Not finished: ${seen} of ${plural(of, 'file')} read${why}.`, exit),
      ...result.coverage.files
        .filter(({ kind }) => kind === 'missing')
        .slice(0, 20)
        .map((file) =>
          wrap(
            `  not read  ${plain(file.path)}${file.kind === 'missing' ? ` (${plain(file.why)})` : ''}`,
            12,
          ),
        ),
      ...(important > 0 ? [`What it found so far stands: ${important} important.`] : []),
      ...details,
    ].join('\n');
  }
  const unreviewable = result.coverage.files.flatMap((file) => (file.kind === 'unreviewable' ? [file] : []));
  const read =
    of === 0
      ? 'No changed file can be reviewed.'
      : `Read ${seen} of ${plural(of, 'changed file')}, finished.`;
  const unread = unreviewable
    .slice(0, 20)
    .map(({ path, why }) => wrap(`  not reviewed  ${plain(path)} (${paragraph(why)})`, 16));
  const more =
    unreviewable.length > unread.length ? [`  and ${unreviewable.length - unread.length} more`] : [];
  const important = result.findings.filter(blocks).length;
  const questions = result.questions.filter(isOpenQuestion).length;
  const uncertain = answeredWith(result, 'lower_confidence');
  const elsewhere = answeredWith(result, 'escalate');
  const also = [
    ...(uncertain > 0 ? [`, ${uncertain} possible`] : []),
    ...(elsewhere > 0 ? [`, ${elsewhere} not decided`] : []),
  ].join('');
  if (important === 0 && questions === 0)
    return [...unread, ...more, ...details, apart(`Nothing to fix${also}.  ${read}`, exit)].join('\n');
  return [
    wrap(`${important} important, ${plural(questions, 'question')} open${also}.  ${read}`, 0),
    ...unread,
    ...more,
    ...details,
    apart('Nothing was posted.', exit),
  ].join('\n');
}

const answeredWith = ({ questions }: Pick<ReviewResult, 'questions'>, effect: AnswerEffect): number =>
  questions.filter(({ standing }) => standing.kind === 'answered' && standing.effect === effect).length;

const shortDuration = (ms: number): string =>
  duration(ms)
    .replace(/ min /, 'm')
    .replace(/(\d) s$/, '$1s');

/** Two texts at both ends of a line, or one below the other when they do not fit. */
const apart = (left: string, right: string): string =>
  left.length + right.length + 2 <= WIDTH
    ? `${left}${' '.repeat(WIDTH - left.length - right.length)}${right}`
    : `${left}\n${right.padStart(WIDTH)}`;

/** Breaks at spaces; a word that is longer than a line stands alone. `hidden`: characters that take no room. */
function wrap(text: string, indent: number, hidden = 0): string {
  const lines: string[] = [];
  let line = '';
  let room = WIDTH + hidden;
  const lead = /^ */.exec(text)?.[0] ?? '';
  for (const word of text.trimStart().split(/ (?=\S)/)) {
    const next = line === '' ? word : `${line} ${word}`;
    const start = lines.length === 0 ? lead : ' '.repeat(indent);
    if (line !== '' && start.length + next.length > room) {
      lines.push(`${start}${line}`.trimEnd());
      line = word.trimStart();
      room = WIDTH;
    } else line = next;
  }
  lines.push(`${lines.length === 0 ? lead : ' '.repeat(indent)}${line}`.trimEnd());
  return lines.join('\n');
}

const cutLine = (line: string): string =>
  line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 3).replace(/[\uD800-\uDBFF]$/, '')}...`;

/** Markdown of a model as one paragraph: backticks are left out, they are noise on a terminal. */
export const paragraph = (markdown: string): string =>
  plain(
    markdown
      .replace(/(`+)([^`]*)\1/g, '$2')
      .replace(/\s+/g, ' ')
      .trim(),
  );

/** No control character reaches the terminal: escape sequences of strangers would be obeyed. */
export const plain = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '');

function dedent(lines: readonly string[]): readonly string[] {
  const indents = lines
    .filter((line) => line.trim() !== '')
    .map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const least = indents.length === 0 ? 0 : Math.min(...indents);
  return lines.map((line) => line.slice(least));
}

const painter =
  (color = false) =>
  (name: 'red' | 'yellow', text: string): string =>
    color ? `\u001b[${name === 'red' ? 31 : 33}m${text}\u001b[0m` : text;
