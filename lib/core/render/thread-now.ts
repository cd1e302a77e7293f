import type { Finding } from '../finding.js';
import type { CameBack, Ledger, OwnThread } from '../ledger.js';
import type { GateMode } from '../policy.js';
import type { PullRequest } from '../pull-request.js';
import type { Question } from '../question.js';
import { bold, codeSpan, inline, prose } from './markdown.js';
import { weightOf } from './thread-finding.js';

/** What a thread of ours is about now: an answered question may have become a finding. */
export type ItemNow =
  | { readonly kind: 'finding'; readonly finding: Finding; readonly was?: Question; readonly back?: CameBack }
  | { readonly kind: 'question'; readonly question: Question; readonly waits?: string };

/** Null for a thread whose item is not known. */
export function itemNow(id: OwnThread['id'], ledger: Ledger): ItemNow | null {
  const finding = ledger.findings.find((one) => one.id === id || one.from === id);
  const question = ledger.questions.find((one) => one.id === id);
  if (finding !== undefined && !isLeftToQuestion(finding)) {
    const back = ledger.cameBack.find((one) => one.id === finding.id);
    return {
      kind: 'finding',
      finding,
      ...(question !== undefined && { was: question }),
      ...(back !== undefined && { back }),
    };
  }
  if (question === undefined) return null;
  const waits = ledger.rulings.findLast(({ item, outcome }) => item === id && outcome.kind === 'pending');
  return { kind: 'question', question, ...(waits !== undefined && { waits: waits.statement.by }) };
}

/** A finding that hangs on an answer which was taken back or turned round: the question says where it stands. */
const isLeftToQuestion = ({ from, standing }: Finding): boolean =>
  from !== undefined && (standing.kind === 'suppressed' || standing.kind === 'uncertain');

/** Names what the text says, so that it is edited only when that changed. */
export function stateName(now: ItemNow): string {
  switch (now.kind) {
    case 'finding': {
      const { standing, id } = now.finding;
      const was = now.was === undefined ? '' : `${id} `;
      switch (standing.kind) {
        case 'open':
          return `${was}${now.back === undefined ? 'open' : `back ${now.back.since}`}`;
        case 'fixed':
          return `${was}fixed ${standing.in}`;
        case 'obsolete':
          return `${was}obsolete ${standing.since}`;
        case 'dismissed':
        case 'suppressed':
        case 'uncertain':
        case 'withdrawn':
          return `${was}${standing.kind} ${standing.by} ${standing.at}`;
      }
    }
    // falls through: every case above returns
    case 'question': {
      const { standing } = now.question;
      switch (standing.kind) {
        case 'open':
          return now.waits === undefined ? 'open' : `waits ${now.waits}`;
        case 'obsolete':
          return 'obsolete';
        case 'answered':
          return `${standing.answer} ${standing.effect} ${standing.by} ${standing.at}`;
      }
    }
  }
}

/**
 * The first comment of a thread, as it stands now: state first, what was said before in a fold. `earlier` is its text
 * without hidden lines.
 */
export function threadNow(
  now: ItemNow,
  {
    mode,
    earlier,
    canResolve,
  }: {
    readonly pullRequest: PullRequest;
    readonly mode: GateMode;
    readonly earlier: string;
    /** Whether this app resolves the thread by itself. */
    readonly canResolve: boolean;
  },
): string {
  const first = asPosted(earlier);
  const told = toldNow(now, mode);
  if (told === null) return first;
  const done = told.settled && !canResolve ? 'You can resolve this conversation.' : '';
  return [told.text, done, folded(now, first)].filter((part) => part !== '').join('\n\n');
}

type Told = { readonly text: string; readonly settled: boolean };

function toldNow(now: ItemNow, mode: GateMode): Told | null {
  return now.kind === 'finding' ? toldFinding(now, mode) : toldQuestion(now);
}

function toldFinding(
  { finding, was, back }: Extract<ItemNow, { kind: 'finding' }>,
  mode: GateMode,
): Told | null {
  const { id, standing, title } = finding;
  switch (standing.kind) {
    case 'open': {
      if (back !== undefined)
        return {
          text: `${bold(`${weightOf(finding, mode)}: back since ${codeSpan(back.since.slice(0, 7))}.`)} ${inline(title)}. Fixed in ${codeSpan(back.fixedIn.slice(0, 7))}, undone by this commit.`,
          settled: false,
        };
      if (was === undefined) return null;
      return {
        text: `${bold(`${weightOf(finding, mode)}: ${title}.`)} Was ${was.id}; ${answeredBy(was)}.`,
        settled: false,
      };
    }
    case 'fixed':
      return {
        text: `${bold(`Fixed in ${codeSpan(standing.in.slice(0, 7))} (${id}).`)} The code changed, and the next pass read it again and did not find it.`,
        settled: true,
      };
    case 'obsolete':
      return {
        text: `${bold(`Gone (${id}).`)} The code that this was about is not part of the change any more.`,
        settled: true,
      };
    case 'dismissed':
      return {
        text: `${bold(`Dismissed by ${inline(standing.by)} (${id})${standing.why === undefined ? '' : `: "${inline(standing.why)}"`}.`)} Not raised again while these lines stay as they are.${standing.confirmedBy === undefined ? '' : ` Confirmed by ${inline(standing.confirmedBy)}.`}`,
        settled: true,
      };
    case 'withdrawn':
      return {
        text: `${bold(`Withdrawn (${id}): this was wrong.`)}${standing.why === undefined ? '' : ` ${prose(standing.why)}`}`,
        settled: true,
      };
    case 'suppressed':
    case 'uncertain':
      return {
        text: `${bold(`Possible (${id}, does not block): ${title}.`)}`,
        settled: false,
      };
  }
}

function toldQuestion({ question, waits }: Extract<ItemNow, { kind: 'question' }>): Told | null {
  const { id, standing, finding } = question;
  switch (standing.kind) {
    case 'open':
      return waits === undefined
        ? null
        : {
            text: `${bold(`${inline(waits)} answered (${id}), a maintainer confirms.`)}\n\nAnyone with write access: reply \`ok\` to confirm or \`no\` to keep it as a finding.`,
            settled: false,
          };
    case 'obsolete':
      return {
        text: `${bold(`Not asked any more (${id}).`)} The lines have changed since this was asked.`,
        settled: true,
      };
    case 'answered': {
      const quoted = standing.why === undefined ? '' : `\n\n> ${inline(standing.why)}`;
      switch (standing.effect) {
        case 'suppress_finding':
          return {
            text: `${bold(`Answered ${standing.answer} by ${inline(standing.by)} (${id}).`)} No finding.${quoted}\n\nNot raised again on this pull request while these lines stay as they are. To undo, reply \`no\`, or edit or delete the answer.`,
            settled: true,
          };
        case 'lower_confidence':
          return {
            text: `${bold(`Possible (${id}, does not block): ${finding.title}.`)} ${inline(standing.by)} ${standing.answer === 'unsure' ? 'is not sure' : `answered ${standing.answer}`}.${quoted}\n\nStays listed in the summary until someone answers \`yes\` or \`no\`, or the lines change.`,
            settled: true,
          };
        case 'escalate':
          return {
            text: `${bold(`Passed on by ${inline(standing.by)} (${id}).`)} A person decides.${quoted}`,
            settled: false,
          };
        case 'continue':
          return {
            text: `${bold(`Answered ${standing.answer} by ${inline(standing.by)} (${id}).`)} The change is read once more with this answer.${quoted}`,
            settled: false,
          };
        case 'include_finding':
          return null;
      }
    }
  }
}

const answeredBy = ({ standing }: Question): string =>
  standing.kind === 'answered' ? `${inline(standing.by)} answered ${standing.answer}` : 'it was answered';

const foldTitles = {
  finding: 'The finding as it was posted',
  question: 'The question as it was asked',
} as const;

const folded = (now: ItemNow, first: string): string => {
  const title = now.kind === 'question' || now.was !== undefined ? foldTitles.question : foldTitles.finding;
  return `<details><summary>${title}</summary>\n\n${first}\n\n</details>`;
};

/** The text as it was posted: as it stands, or out of the fold that a later state put it in. */
function asPosted(text: string): string {
  const titles = Object.values(foldTitles).join('|');
  const fold = new RegExp(
    `<details><summary>(?:${titles})</summary>\\n\\n([\\s\\S]*)\\n\\n</details>\\s*$`,
  ).exec(text);
  return fold?.[1] ?? text;
}
