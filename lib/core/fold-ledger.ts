import { unionOfAttempts } from './attempt.js';
import type { Conversation } from './conversation.js';
import {
  ageOf,
  byId,
  findingOf,
  highest,
  isOvertaken,
  overtaken,
  questionOf,
  sightings,
  unionOf,
  type Escalation,
  type Ledger,
  type OwnThread,
} from './ledger.js';
import { readMarkers, readState, type KnownMark, type MarkerTrust } from './marker.js';
import { lastWordOf } from './open-reply.js';
import type { PassRecord } from './pass-record.js';
import type { Policy } from './policy.js';
import { remindedBy } from './reminder.js';
import { readReplyKey } from './reply-marker.js';
import { rule, type RuleInput } from './rulings.js';
import { byVotes } from './votes.js';

/** What a fold needs beside the conversation. */
export type FoldInput = RuleInput & { readonly policy: Pick<Policy, 'gate'> };

/**
 * What is known about a pull request, from what stands on it now. Only check runs, threads and reviews of ours count,
 * and only markers that `trust` accepts. It is a union over everything that can be read: an older copy adds nothing and
 * takes nothing away, and what is missing everywhere is found anew, never taken for clean.
 */
export function foldLedger(conversation: Conversation, input: FoldInput): Ledger {
  const { trust } = input;
  const { summary, states } = readOwnReviews(conversation, trust);
  const inChecks = {
    passes: conversation.passRecords,
    marks: conversation.marks,
    heard: conversation.heard,
    attempts: conversation.attempts ?? [],
  };
  const passes = unionOf([...states, inChecks].flatMap((state) => state.passes));
  const threads = readOwnThreads(conversation, trust);
  const marks = new Map<string, KnownMark>();
  for (const { mark } of threads) marks.set(mark.id, mark);
  for (const state of [...states, inChecks].toSorted((a, b) => ageOf(a.passes) - ageOf(b.passes)))
    for (const mark of state.marks) marks.set(mark.id, filled(mark, marks.get(mark.id)));

  const all = [...marks.values()].sort(byId);
  const seen = sightings(passes, presentIn(passes, input));
  const items = all
    .filter(({ id }) => id.startsWith('F'))
    .map((mark) => findingOf(mark, seen.standing(mark.id)));
  const questions = all
    .filter(({ id }) => id.startsWith('Q'))
    .map((mark) => questionOf(mark, seen.standing(mark.id)))
    .map((question) => (isOvertaken(question, items) ? overtaken(question) : question));
  const used = [
    ...all.map(({ id }) => id),
    ...passes.flatMap((pass) => [...pass.findings, ...pass.questions]),
  ];
  const bare: Ledger = {
    findings: items,
    questions,
    known: all.map(({ id, key, rule, landmarks }) => ({ id, key, rule, ...(landmarks && { landmarks }) })),
    passes,
    nextFinding: highest(used, 'F') + 1,
    nextQuestion: highest(used, 'Q') + 1,
    threads: threads.map(({ thread }) => thread),
    cameBack: seen.cameBack,
    escalations: escalationsIn(conversation, trust),
    reminded: conversation.comments.flatMap(({ ours, body }) =>
      ours ? remindedBy(readReplyKey(body, trust)) : [],
    ),
    moreRounds: 0,
    rulings: [],
    unread: [],
    keptOn: [],
    heard: [...new Set([...states, inChecks].flatMap(({ heard }) => heard))],
    attempts: unionOfAttempts([...states, inChecks].flatMap(({ attempts = [] }) => attempts)),
    ...(conversation.wasReviewed === true && { wasReviewed: true }),
    ...(summary !== undefined && { summary }),
  };
  const ruled = rule(bare, conversation, input);
  return { ...ruled, findings: byVotes(ruled, passes, input.policy.gate) };
}

/** The passes that read the change as it is now. A look knows no diff: there it is that of the newest pass of the head. */
function presentIn(
  passes: readonly PassRecord[],
  { pullRequest: { head, base }, diffHash }: FoldInput,
): (pass: PassRecord) => boolean {
  const isThisBase = ({ baseRef }: PassRecord): boolean => base === undefined || baseRef === base.ref;
  const hash = diffHash ?? passes.findLast((pass) => pass.head === head.sha && isThisBase(pass))?.diffHash;
  return (pass) => pass.diffHash === hash && isThisBase(pass);
}

/** Texts that a shortened copy left out, from an older one of the same. */
function filled(mark: KnownMark, older: KnownMark | undefined): KnownMark {
  if (older === undefined || older.key !== mark.key) return mark;
  const { body, fix, quotes } = older;
  return {
    ...(body !== undefined && { body }),
    ...(fix !== undefined && { fix }),
    ...(quotes !== undefined && { quotes }),
    ...mark,
  };
}

/** The keys of our own comments say when people were asked, and about which diff or question. */
const escalationsIn = (
  { comments }: Pick<Conversation, 'comments'>,
  trust: MarkerTrust | undefined,
): readonly Escalation[] =>
  comments.flatMap(({ ours, body, at }): readonly Escalation[] => {
    const key = ours ? readReplyKey(body, trust) : null;
    const parts = /^escalated:([0-9a-f]+|Q[1-9]\d*)(?::(.+))?$/.exec(key ?? '');
    if (parts === null) return [];
    const [, diff = '', by] = parts;
    return [{ diff, at: Date.parse(at) || 0, ...(by !== undefined && { by }) }];
  });

function readOwnReviews(
  { ownReviews }: Conversation,
  trust: MarkerTrust | undefined,
): { readonly summary?: Ledger['summary']; readonly states: readonly ReturnType<typeof readState>[] } {
  let summary: Ledger['summary'];
  const states = [];
  for (const review of [...ownReviews].sort((a, b) => a.databaseId - b.databaseId)) {
    const mark = readMarkers(review.body, trust).find((one) => one.kind === 'summary');
    if (mark?.kind !== 'summary') continue;
    summary ??= { reviewId: review.databaseId, body: review.body, pass: mark.pass };
    states.push(readState(review.body, trust));
  }
  return { ...(summary !== undefined && { summary }), states };
}

function readOwnThreads(
  { threads }: Conversation,
  trust: MarkerTrust | undefined,
): readonly { readonly thread: OwnThread; readonly mark: KnownMark }[] {
  const found = new Map<string, { readonly thread: OwnThread; readonly mark: KnownMark }>();
  for (const { id, comments, resolved, resolvedBy, canResolve } of threads) {
    const first = comments[0];
    if (first?.ours !== true) continue;
    const marker = readMarkers(first.body, trust).find((one) => one.kind === 'thread');
    if (marker?.kind !== 'thread' || found.has(marker.known.id)) continue;
    const lastWord = lastWordOf(comments);
    const asked = Date.parse(first.at);
    const thread: OwnThread = {
      id: marker.known.id as OwnThread['id'],
      thread: id,
      comment: first.databaseId,
      body: first.body,
      state: marker.state,
      resolved,
      canResolve: canResolve === true,
      ...(Number.isFinite(asked) && { asked }),
      ...(resolvedBy !== undefined && { resolvedBy }),
      ...(lastWord !== undefined && { lastWord }),
    };
    found.set(marker.known.id, { thread, mark: marker.known });
  }
  return [...found.values()];
}
