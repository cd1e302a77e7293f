import { rowsOf, type FileDiff } from '../diff.js';
import { standsIn, type Decision, type Finding } from '../finding.js';
import type { CameBack, Ledger, OwnThread } from '../ledger.js';
import type { GateMode } from '../policy.js';
import type { PullRequest } from '../pull-request.js';
import type { Question } from '../question.js';
import type { Ruling } from '../ruling.js';
import { keptAnswer } from './keep-answer.js';
import { earlierAnswer } from './earlier-answer.js';
import { bold, codeSpan, fence, inline, prose } from './markdown.js';
import { followUpText, placesOf } from './reading-reply.js';
import { weightOf } from './thread-finding.js';
import { lowerQuestion, upperFirst, votesWords } from './words.js';

/** What a thread of ours is about now: an answered question may have become a finding. */
export type ItemNow =
  | {
      readonly kind: 'finding';
      readonly finding: Finding;
      readonly was?: Question;
      readonly back?: CameBack;
      readonly waits?: Waiting;
    }
  | {
      readonly kind: 'question';
      readonly question: Question;
      readonly waits?: Waiting;
      /** The finding that a later pass made of what was asked. */
      readonly became?: Finding['id'];
      /** A review that goes on with the answer has read it. */
      readonly isContinued?: true;
    };

/** Words of an author without the right to decide, which a maintainer confirms. */
export type Waiting = {
  readonly by: string;
  readonly says: 'yes' | 'no' | 'unsure' | 'dismiss';
  readonly why?: string;
  /** Epoch milliseconds. */
  readonly at: number;
};

/** Null for a thread whose item is not known. */
export function itemNow(id: OwnThread['id'], ledger: Ledger): ItemNow | null {
  const finding = ledger.findings.find((one) => one.id === id || one.from === id);
  const question = ledger.questions.find((one) => one.id === id);
  const waits = waitingFor([id, ...(finding === undefined ? [] : [finding.id])], ledger);
  if (finding !== undefined && !isLeftToQuestion(finding)) {
    const back = ledger.cameBack.find((one) => one.id === finding.id);
    return {
      kind: 'finding',
      finding,
      ...(question !== undefined && { was: question }),
      ...(back !== undefined && { back }),
      ...(waits !== undefined && { waits }),
    };
  }
  if (question === undefined) return null;
  const became =
    question.standing.kind === 'obsolete'
      ? ledger.findings.find((one) => one.key === question.finding.key && one.from !== id)
      : undefined;
  return {
    kind: 'question',
    question,
    ...(waits !== undefined && { waits }),
    ...(became !== undefined && { became: became.id }),
    ...(ledger.passes.some(({ continued }) => continued?.includes(question.id) === true) && {
      isContinued: true,
    }),
  };
}

function waitingFor(ids: readonly string[], { rulings }: Ledger): Waiting | undefined {
  const last = rulings.findLast(
    ({ item, outcome }) =>
      item !== undefined && ids.includes(item) && ['pending', 'applied'].includes(outcome.kind),
  );
  return last?.outcome.kind === 'pending' ? waitingOf(last) : undefined;
}

function waitingOf({ statement: { by, at, says }, reading }: Ruling): Waiting | undefined {
  switch (says.kind) {
    case 'answer':
      return { by, at, says: says.answer, ...(says.reason !== undefined && { why: says.reason }) };
    case 'dismiss':
      return { by, at, says: 'dismiss', why: says.reason };
    case 'words':
      return reading?.as.kind === 'answer' ? { by, at, says: reading.as.answer, why: says.text } : undefined;
    case 'command':
    case 'forget':
    case 'confirm':
    case 'approval':
    case 'bare':
      return undefined;
  }
}

/** A finding that hangs on an answer which was taken back or turned round: the question says where it stands. */
const isLeftToQuestion = ({ from, standing }: Finding): boolean =>
  from !== undefined && ['suppressed', 'uncertain', 'obsolete'].includes(standing.kind);

/** Names what the text says, so that it is edited only when that changed. `earlier`: what it said so far. */
export function stateName(now: ItemNow, earlier: string): string {
  const waits = now.waits === undefined ? '' : ` waits ${now.waits.says} ${now.waits.by} ${now.waits.at}`;
  switch (now.kind) {
    case 'finding': {
      const { finding, was } = now;
      const before = was === undefined ? '' : `${finding.id} `;
      const by =
        was?.standing.kind === 'answered' && finding.standing.kind === 'open'
          ? ` ${was.standing.answer} ${was.standing.by}`
          : '';
      return `${before}${standingName(finding.standing, now.back)}${by}${waits}`;
    }
    case 'question': {
      const { standing, followUps = [] } = now.question;
      const newest = followUps.at(-1);
      switch (standing.kind) {
        case 'open':
          if (waits !== '') return `open${waits}`;
          if (standing.forgotten !== undefined)
            return `forgotten ${decisionName(standing.forgotten)} ${decisionName(standing.forgotten.answer)}`;
          if (isOpenAgain(earlier)) return 'open again';
          return newest === undefined ? 'open' : `asks ${newest.round} ${newest.question}`;
        case 'obsolete':
          return now.became === undefined ? 'obsolete' : `obsolete ${now.became}`;
        case 'answered':
          return `${standing.answer} ${standing.effect} ${decisionName(standing)}${isRead(now) ? ' read' : ''}${waits}`;
      }
    }
  }
}

const isRead = ({ question: { standing }, isContinued }: Extract<ItemNow, { kind: 'question' }>): boolean =>
  standing.kind === 'answered' && standing.effect === 'continue' && isContinued === true;

function standingName(standing: Finding['standing'], back: CameBack | undefined): string {
  switch (standing.kind) {
    case 'open':
      return back === undefined ? 'open' : `back ${back.since}`;
    case 'fixed':
      return `fixed ${standing.in}`;
    case 'obsolete':
      return `obsolete ${standing.since}`;
    case 'outvoted':
      return `outvoted ${standing.for} ${standing.of} ${standing.needed}`;
    case 'dismissed':
    case 'suppressed':
    case 'uncertain':
    case 'withdrawn':
      return `${standing.kind} ${decisionName(standing)}`;
  }
}

const decisionName = ({ by, at, confirmedBy }: Decision): string =>
  `${by} ${at}${confirmedBy === undefined ? '' : ` ${confirmedBy}`}`;

/** Where a thread stands, and the text that it has. */
export type ThreadText = {
  readonly pullRequest: Pick<PullRequest, 'number' | 'repo' | 'head' | 'mergeBase'>;
  readonly mode: GateMode;
  /** Its text without hidden lines. */
  readonly earlier: string;
  /** The state that this text shows, by its name. */
  readonly earlierState: string;
  /** Whether this app resolves the thread by itself. */
  readonly canResolve: boolean;
  /** The change, where it was read: the entry that keeps an answer quotes its line. */
  readonly diff?: readonly FileDiff[];
};

/**
 * The first comment of a thread, as it stands now: state first. What somebody has to decide on is shown, what is over
 * is in a fold.
 */
export function threadNow(now: ItemNow, thread: ThreadText): string {
  const posted = asPosted(thread);
  const told = now.kind === 'finding' ? toldFinding(now, thread) : toldQuestion(now, thread);
  if (told === null) return posted;
  const done = told.end === 'settled' && !thread.canResolve ? 'You can resolve this conversation.' : '';
  const rest = told.end === 'open' ? `${rule}${posted}` : folded(now, posted);
  return [told.text, done, ...(told.more ?? []), rest].filter((part) => part !== '').join('\n\n');
}

type Told = {
  readonly text: string;
  /** `settled`: nothing more is asked here; `moved`: it goes on under the new state; `open`: it waits for somebody. */
  readonly end: 'settled' | 'moved' | 'open';
  readonly more?: readonly string[];
};

function toldFinding(
  { finding, was, back, waits }: Extract<ItemNow, { kind: 'finding' }>,
  { mode }: ThreadText,
): Told | null {
  const { id, standing, title } = finding;
  switch (standing.kind) {
    case 'open': {
      const asks =
        waits === undefined
          ? ''
          : `${bold(`${inline(waits.by)} says ${waits.says === 'dismiss' ? 'that it is none' : said(waits.says)} (${id}), a maintainer confirms.`)}${quoted(waits.why)}\n\nAnyone with write access: reply \`ok\` to confirm. Until then it stands.`;
      const more = asks === '' ? '' : `\n\n${asks}`;
      if (back !== undefined)
        return {
          text: `${bold(`${weightOf(finding, mode)}: back since ${codeSpan(back.since.slice(0, 7))}.`)} ${stop(inline(title))} Fixed in ${codeSpan(back.fixedIn.slice(0, 7))}, and there again.${more}`,
          end: 'open',
        };
      if (was !== undefined)
        return {
          text: `${bold(`${weightOf(finding, mode)}: ${stop(title)}`)} Was ${was.id}; ${answeredBy(was)}.${more}`,
          end: waits === undefined ? 'moved' : 'open',
        };
      return waits === undefined ? null : { text: asks, end: 'open' };
    }
    case 'fixed':
      return {
        text: `${bold(`Fixed in ${codeSpan(standing.in.slice(0, 7))} (${id}).`)} The code changed, and the next pass read it again and did not find it.`,
        end: 'settled',
      };
    case 'obsolete':
      return {
        text: `${bold(`Gone (${id}).`)} The code that this was about is not part of the change any more.`,
        end: 'settled',
      };
    case 'dismissed':
      return {
        text: `${bold(`Dismissed by ${inline(standing.by)} (${id})${standing.why === undefined ? '.' : `: "${inline(standing.why)}".`}`)} Not raised again while these lines stay as they are. To undo, edit or delete the words that did it.${confirmedBy(standing)}`,
        end: 'settled',
      };
    case 'withdrawn':
      return {
        text: `${bold(`Withdrawn (${id}): this was wrong.`)}${standing.why === undefined ? '' : ` ${prose(standing.why)}`}`,
        end: 'settled',
      };
    case 'outvoted':
      return {
        text: `${bold(`Possible (${id}, does not block): ${stop(title)}`)} ${upperFirst(votesWords(standing))}.`,
        end: 'moved',
      };
    case 'suppressed':
    case 'uncertain':
      return { text: bold(`Possible (${id}, does not block): ${title}`), end: 'moved' };
  }
}

function toldQuestion(now: Extract<ItemNow, { kind: 'question' }>, thread: ThreadText): Told | null {
  const { question, waits, became } = now;
  const { id, standing, finding, followUps = [] } = question;
  const newest = followUps.at(-1);
  const asks =
    waits === undefined
      ? ''
      : `${bold(`${inline(waits.by)} says ${said(waits.says)} (${id}), a maintainer confirms.`)}${quoted(waits.why)}\n\nAnyone with write access: reply \`ok\` to confirm or \`no\` to keep it as a finding.`;
  switch (standing.kind) {
    case 'open':
      if (waits !== undefined) return { text: asks, end: 'open' };
      if (standing.forgotten !== undefined)
        return {
          text: `${bold(`Open again (${id}): ${inline(standing.forgotten.by)} had the answer forgotten.`)} ${earlierAnswer(standing.forgotten.answer, thread)}`,
          end: 'open',
        };
      if (isOpenAgain(thread.earlierState))
        return { text: `${bold(`Open again (${id}).`)} The answer that stood here is gone.`, end: 'open' };
      return newest === undefined
        ? null
        : { text: followUpText(question, newest, thread.mode), end: 'moved' };
    case 'obsolete':
      return {
        text:
          became === undefined
            ? `${bold(`Not asked any more (${id}).`)} The code that this was about is not there any more.`
            : `${bold(`Not asked any more (${id}).`)} A later review found what it was about: ${became}.`,
        end: 'settled',
      };
    case 'answered': {
      const more = asks === '' ? '' : `\n\n${asks}`;
      const isConditional = (standing.conditions ?? []).length > 0;
      const why = `${quoted(standing.why)}${standing.confirmedBy === undefined ? '' : `\n\nConfirmed by ${inline(standing.confirmedBy)}.`}`;
      switch (standing.effect) {
        case 'suppress_finding':
          return {
            text: `${bold(`Answered ${said(standing.answer)} by ${inline(standing.by)} (${id}): ${lowerQuestion(question.question)}`)} No finding.${why}\n\nNot raised again on this pull request while these lines stay as they are${isConditional ? `, and asked again when ${placesOf(standing.conditions ?? [], thread)} change` : ''}. To undo, reply \`no\`, or edit or delete the answer.${more}`,
            end: 'settled',
            // Kept in a file it would hold without its condition.
            ...(!isConditional && { more: keeping(question, thread) }),
          };
        case 'lower_confidence':
          return {
            text: `${bold(`Possible (${id}, does not block): ${stop(finding.title)}`)} ${inline(standing.by)} ${standing.answer === 'unsure' ? 'is not sure' : `answered ${standing.answer}`}.${why}\n\nStays listed in the summary until someone answers \`yes\` or \`no\`, or these lines change.${more}`,
            end: 'settled',
          };
        case 'escalate':
          return {
            text: `${bold(`Passed on by ${inline(standing.by)} (${id}): a person decides.`)}${why}${more}`,
            end: 'open',
          };
        case 'continue':
          return {
            text: `${bold(`Answered ${said(standing.answer)} by ${inline(standing.by)} (${id}).`)} ${isRead(now) ? 'A review has read the change with this answer.' : 'The next review reads the change with this answer.'}${why}${more}`,
            end: isRead(now) ? 'settled' : 'moved',
          };
        case 'include_finding':
          return null;
      }
    }
  }
}

const said = (says: Waiting['says']): string => (says === 'unsure' ? 'not sure' : says);

const quoted = (why: string | undefined): string => (why === undefined ? '' : `\n\n> ${inline(why)}`);

const confirmedBy = ({ confirmedBy: by }: Decision): string =>
  by === undefined ? '' : ` Confirmed by ${inline(by)}.`;

const stop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

const answeredBy = ({ standing }: Question): string =>
  standing.kind === 'answered'
    ? `${inline(standing.by)} answered ${said(standing.answer)}`
    : 'it was answered';

/** Of a question whose answer went away. */
const isOpenAgain = (earlier: string): boolean =>
  /^(yes|no|unsure|F[1-9]\d*|open again|forgotten)( |$)/.test(earlier);

/** What to put where so that the answer holds for later pull requests too. */
function keeping(question: Question, { pullRequest, diff }: ThreadText): readonly string[] {
  const { standing } = question;
  const code = codeOf(question, diff ?? []);
  if (standing.kind !== 'answered' || code === null) return [];
  const today = Date.parse(standing.at);
  const entry = Number.isNaN(today)
    ? null
    : keptAnswer(
        { ...question, finding: { ...question.finding, evidence: [code] } },
        { today, from: `${standing.by}, #${pullRequest.number}` },
      );
  if (entry === null) return [];
  return [
    `<details><summary>Keep this answer for later pull requests</summary>\n\nAdd to \`.github/evident.yml\` on the default branch; it is asked again when that line changes:\n\n${fence(`answers:\n${indented(entry)}`, 'yaml')}\n\n</details>`,
  ];
}

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');

/** The accused lines as they stand in the change; null where others stand there. */
function codeOf({ finding }: Question, diff: readonly FileDiff[]): Finding['evidence'][number] | null {
  const { anchor, key } = finding;
  const file = diff.find(({ path }) => path === anchor.path);
  if (file === undefined || anchor.kind !== 'line' || anchor.side !== 'RIGHT') return null;
  const start = anchor.startLine ?? anchor.line;
  const lines = rowsOf(file).flatMap(({ line }) =>
    line.kind !== 'removed' && line.new >= start && line.new <= anchor.line ? [line.text] : [],
  );
  return lines.length === anchor.line - start + 1 && standsIn(key, lines.length, lines)
    ? {
        kind: 'quote',
        role: 'at',
        path: anchor.path,
        ref: 'head',
        start,
        end: anchor.line,
        quote: lines.join('\n'),
      }
    : null;
}

const foldTitles = {
  finding: 'The finding as it was posted',
  question: 'The question as it was asked',
} as const;

const folded = (now: ItemNow, posted: string): string => {
  const title = now.kind === 'question' || now.was !== undefined ? foldTitles.question : foldTitles.finding;
  return `<details><summary>${title}</summary>\n\n${posted}\n\n</details>`;
};

/** Between what somebody has to decide on now and the text as it was posted. */
const rule = '---\n\n';

/** The text as it was posted: as it stands, or out of what a later state put around it. */
function asPosted({ earlier, earlierState }: ThreadText): string {
  if (earlierState === 'open') return earlier;
  const titles = Object.values(foldTitles).join('|');
  const fold = new RegExp(`<details><summary>(?:${titles})</summary>\\n\\n([\\s\\S]*)\\n\\n</details>\\s*$`);
  const inFold = fold.exec(earlier)?.[1];
  if (inFold !== undefined) return inFold;
  const at = earlier.indexOf(`\n\n${rule}`);
  return at === -1 ? earlier : earlier.slice(at + 2 + rule.length);
}
