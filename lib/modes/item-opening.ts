import type { Budget } from '../core/budget.js';
import type { Conversation } from '../core/conversation.js';
import type { EvidenceSource, Served } from '../core/evidence.js';
import type { Finding } from '../core/finding.js';
import { withoutMarkers } from '../core/marker.js';
import { placeToday } from '../core/place-today.js';
import type { CitedPlace } from '../core/condition.js';
import { labelSecrets } from '../core/secret.js';
import type { Snapshot } from '../core/snapshot.js';
import type { Statement } from '../core/statement.js';
import type { RepoReader } from '../ports/forge.js';
import type { Talk } from '../prompts/talk.js';
import { readLines } from '../tools/read-lines.js';
import { reviewBudget, type ReviewGiven } from './review.js';

/** What reading a reply starts from: the code that the item rests on, read again, and what was said about it. */
export type ItemOpening = Pick<Talk, 'earlier' | 'by' | 'reply' | 'code'> & {
  /** Lines that the opening shows. */
  readonly opened: readonly Served[];
  /** Where the accused lines stand today; none when they are gone. */
  readonly accused: readonly CitedPlace[];
};

export type ItemGiven = {
  readonly snapshot: Snapshot;
  readonly reader: RepoReader;
  readonly source: EvidenceSource;
  readonly statement: Statement;
  /** Comments as they stood when the statement was read. */
  readonly conversation: Pick<Conversation, 'threads' | 'comments'>;
};

/** Code looks it all up again, so that what is quoted from the opening was shown in this run. */
export async function itemOpening(
  finding: Pick<Finding, 'key' | 'anchor' | 'evidence'>,
  { snapshot, reader, source, statement, conversation }: ItemGiven,
): Promise<ItemOpening> {
  const today = await placeToday(finding, snapshot.diff, source);
  const accused = (today.places ?? []).map(({ start, end }) => ({
    path: today.path,
    ref: today.ref,
    start,
    end,
  }));
  const wanted: readonly CitedPlace[] = [
    ...accused.slice(0, 1),
    ...finding.evidence.flatMap((one) => (one.kind === 'quote' && one.role === 'because' ? [one] : [])),
  ];
  const code: string[] = [];
  const opened: Served[] = [];
  for (const { path, ref, start, end } of wanted.slice(0, MAX_PLACES)) {
    const isShown = opened.some(
      (one) => one.path === path && one.ref === ref && one.start <= start && one.end >= end,
    );
    if (isShown) continue;
    try {
      const around = { path, start: Math.max(1, start - LINES_AROUND), end: end + LINES_AROUND };
      const shown = await readLines(around, { reader, ref, diff: snapshot.diff });
      code.push(shown.text);
      opened.push(...shown.served);
    } catch {
      // The file is shorter than it was: the tools show what stands there now.
    }
  }
  return { ...saidBefore(statement, conversation), code, opened, accused };
}

const MAX_PLACES = 6;
const LINES_AROUND = 12;

function saidBefore(
  { subject, by, says }: Statement,
  { threads }: Pick<Conversation, 'threads'>,
): Pick<ItemOpening, 'earlier' | 'by' | 'reply'> {
  const comments =
    threads.find(({ comments: [first] }) => first?.databaseId === subject.threadRoot)?.comments ?? [];
  const at = comments.findIndex(({ databaseId }) => databaseId === subject.databaseId);
  return {
    // The first comment is the item itself.
    earlier: comments.slice(1, Math.max(1, at)).map((one) => ({
      by: one.ours ? 'The review' : one.author,
      text: labelSecrets(one.ours ? withoutMarkers(one.body) : one.body).text,
    })),
    by,
    reply: labelSecrets(says.kind === 'words' ? says.text : '').text,
  };
}

/** A small part of what a review of the change may spend. */
export function readingBudget(
  given: Pick<ReviewGiven, 'snapshot' | 'limits' | 'clock' | 'deadline' | 'modelKind'>,
): Budget {
  const whole = reviewBudget(given);
  const deadline = Math.min(whole.deadline, given.clock() + MAX_MS);
  return {
    ...whole,
    turns: Math.min(whole.turns, 12),
    toolCalls: Math.min(whole.toolCalls, 40),
    tokens: Math.round(whole.tokens * SHARE),
    dollars: whole.dollars * SHARE,
    deadline,
    closingMs: Math.min(20_000, Math.max(0, Math.floor((deadline - given.clock()) / 4))),
  };
}

const SHARE = 0.25;
const MAX_MS = 150_000;
