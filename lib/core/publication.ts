import { createHash } from 'node:crypto';
import { clockTime } from './attempt.js';
import { timeLimit } from './budget.js';
import { goesOnAt, writeCheckResult } from './check-result.js';
import { checkState, type CheckState } from './check.js';
import { blocks, type Anchor, type Finding } from './finding.js';
import type { Verdict } from './gate.js';
import { markOf, markOfQuestion, marksOf, shortDiff, type Ledger, type OwnThread } from './ledger.js';
import {
  withoutMarkers,
  writeMarker,
  writeState,
  type KnownMark,
  type KnownState,
  type MarkerTrust,
} from './marker.js';
import { isOpenReply } from './open-reply.js';
import type { PassRecord } from './pass-record.js';
import type { GateMode, Policy } from './policy.js';
import { shortSha, type Sha } from './pull-request.js';
import { checkTexts } from './render/check.js';
import { escalationComment, passedOn } from './render/escalation.js';
import { goingOnWords, type GoingOn } from './render/going-on.js';
import { codeSpan, prose, withMarkers } from './render/markdown.js';
import { reminderComment } from './render/reminder.js';
import { rulingReply } from './render/ruling-reply.js';
import { summary, type RunFacts } from './render/summary.js';
import { findingReply, threadFinding } from './render/thread-finding.js';
import { itemNow, stateName, threadNow } from './render/thread-now.js';
import { threadQuestion } from './render/thread-question.js';
import { unusableSettings } from './render/unusable-settings.js';
import { isOpenQuestion, listed, money, plural } from './render/words.js';
import { effectOf } from './question.js';
import { reminderKey, reminderOf } from './reminder.js';
import { writeReplyMarker } from './reply-marker.js';
import { nameOfStatement, readingKey, type Ruling } from './ruling.js';
import type { Snapshot } from './snapshot.js';
import type { Statement, Subject } from './statement.js';

export type { RunFacts } from './render/summary.js';

export type CheckWrite = CheckState & { readonly summary: string; readonly text: string };

/** A thread to open: a finding or a question, with its hidden key in the body. */
export type ThreadWrite = {
  readonly key: string;
  readonly anchor: Extract<Anchor, { kind: 'line' }>;
  readonly body: string;
};

/** Every write of a run as data. What is absent is not written. */
export type Publication = {
  readonly key: string;
  readonly head: Sha;
  /** One review call: its body is the summary, its comments the threads. Absent: nothing to say. */
  readonly review?: { readonly key: string; readonly body: string; readonly threads: readonly ThreadWrite[] };
  /** The body of our first review, edited in place. */
  readonly summaryEdit?: { readonly reviewId: number; readonly body: string };
  /** First comments of our threads, brought to the present state. */
  readonly threadEdits?: readonly ThreadEdit[];
  readonly replies?: readonly ReplyWrite[];
  readonly reactions?: readonly ReactionWrite[];
  /** Threads to resolve, by their GraphQL ids. */
  readonly resolves?: readonly { readonly thread: string }[];
  /** People and teams who are asked to review. */
  readonly reviewers?: ReviewersWrite;
  readonly check: CheckWrite;
};

/** `comment`: the REST id of the first comment of the thread. */
export type ThreadEdit = {
  readonly id: `F${number}` | `Q${number}`;
  readonly comment: number;
  readonly body: string;
};

/** News, told once: `body` ends with a hidden comment that carries `key`, by which it is found again. */
export type ReplyWrite = { readonly key: string; readonly to: Subject; readonly body: string };

/** `+1`: seen and done; `eyes`: seen, it takes a while; `confused`: not understood, or not theirs to say. */
export type ReactionContent = '+1' | 'eyes' | 'confused';

export type ReactionWrite = { readonly subject: Subject; readonly content: ReactionContent };

/** Logins and team slugs. */
export type ReviewersWrite = { readonly users: readonly string[]; readonly teams: readonly string[] };

/** What happened to a write: `unknown` (time-out, 5xx) is read back with patience and never sent again. */
export type WriteOutcome =
  | { readonly kind: 'confirmed'; readonly id: number }
  | { readonly kind: 'already_there'; readonly id: number }
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** How publishing ended. */
export type Published =
  /** `unchecked`: the check, and with it what is known of this pass, may not stand there. */
  | { readonly kind: 'published'; readonly writes: readonly WriteOutcome[]; readonly unchecked?: true }
  | { readonly kind: 'superseded'; readonly by: Sha }
  | { readonly kind: 'closed' }
  /** The base branch changed under the same head. */
  | { readonly kind: 'base_changed' }
  /** Another run took this head over. */
  | { readonly kind: 'taken_over' }
  /** `permission`: what an owner has to accept, when GitHub said so. */
  | { readonly kind: 'failed'; readonly reason: string; readonly permission?: string };

export type DraftInput = {
  readonly snapshot: Snapshot;
  /** As it was before this run. */
  readonly before: Ledger;
  /** With the passes of this run. */
  readonly ledger: Ledger;
  readonly verdict: Verdict;
  /** The newest pass of this run; null: it only folded what people said. */
  readonly pass: PassRecord | null;
  readonly run: RunFacts;
  /** Another pass runs now, in this run: the check stays in progress. */
  readonly goesOn?: boolean;
  /** The next pass comes by itself, in a run of its own. */
  readonly follows?: boolean;
  /** Not before then, epoch milliseconds; absent: at once. */
  readonly followsAt?: number;
  /** What will happen by itself or what starts it again, in a sentence; only what is true. */
  readonly next?: string;
  /** Answers to commands and other words, made by who read them. */
  readonly replies?: readonly ReplyWrite[];
  /** Epoch milliseconds, for what is due by then; absent: nothing is. */
  readonly now?: number;
  readonly trust?: MarkerTrust;
};

/**
 * What a run writes. The first time there is something to say: one review, its body the summary. Later: the summary is
 * edited, and only new threads make a new review. Nothing to say: the check alone. What people said is acted on in the
 * threads where they said it.
 */
export function draft(input: DraftInput): Publication {
  const { snapshot, before, ledger, verdict, pass, trust } = input;
  const key = pass === null ? conversationKey(input) : passKey(pass);
  const isNew = newIn(before);
  const threads = threadsOf(input, isNew);
  const anythingNew =
    pass !== null &&
    (ledger.questions.some((one) => isNew(one) && isOpenQuestion(one)) ||
      ledger.findings.some(
        (one) => isNew(one) && one.origin === 'introduced' && one.standing.kind === 'open',
      ));
  const heard = heardAfter(input);
  const state: KnownState = { ...knownIn(ledger), heard };

  const body = withMarkers(summary({ ...input, untold: untoldOf(input, threads) }), [
    writeMarker({ kind: 'summary', pass: before.summary?.pass ?? key }, trust),
    writeState(state, MAX_STATE_IN_SUMMARY, trust),
  ]);
  const check: CheckWrite = {
    ...checkState(verdict, snapshot.policy.gate.mode, {
      goesOn: input.goesOn === true,
      rules: input.run.model.kind === 'rules',
      openQuestions: ledger.questions.filter(isOpenQuestion).map(({ id }) => id),
    }),
    ...checkTexts({ ...input, state }),
  };
  const conversation = conversationWrites(input);
  const publication = { key, head: snapshot.pullRequest.head.sha, check, ...conversation };
  if (before.summary === undefined)
    return anythingNew ? { ...publication, review: { key, body, threads } } : publication;
  return {
    ...publication,
    ...(body !== before.summary.body && { summaryEdit: { reviewId: before.summary.reviewId, body } }),
    ...(threads.length > 0 && {
      review: {
        key,
        body: withMarkers(newsLine(input, isNew), [writeMarker({ kind: 'summary', pass: key }, trust)]),
        threads,
      },
    }),
  };
}

/** Whether anything that people said, or a thread that shows an old state, waits to be acted on. */
export const isDue = (input: EditsInput): boolean =>
  newRulings(input.ledger).some((ruling) => !isTalk(ruling, input.ledger)) || editsOf(input).length > 0;

/** Room that a review's body has beside its text. */
const MAX_STATE_IN_SUMMARY = 24_000;

/** What is not known yet, and what blocks or asks and could not be posted when it was found. */
const newIn = (before: Ledger) => {
  const known = new Set<string>(before.known.map(({ id }) => id));
  const isPosted = before.summary !== undefined || before.wasReviewed === true;
  // A vote that went against it may go for it in the next round.
  const outvoted = before.findings.filter(({ standing }) => standing.kind === 'outvoted').map(({ id }) => id);
  const unposted = new Set<string>(isPosted ? outvoted : [...outvoted, ...unpostedIn(before)]);
  return ({ id, from }: { readonly id: string; readonly from?: string }): boolean =>
    from === undefined && (!known.has(id) || unposted.has(id));
};

function unpostedIn({ findings, questions, threads }: Ledger): ReadonlySet<string> {
  const posted = new Set<string>(threads.map(({ id }) => id));
  const open = [...findings.filter(blocks), ...questions.filter(isOpenQuestion)].map(({ id }) => id);
  return new Set<string>(open.filter((id) => !posted.has(id)));
}

/** Names what was said so far: the same conversation drafted twice has the same key. */
const conversationKey = ({ snapshot, ledger }: DraftInput): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        snapshot.pullRequest.head.sha,
        ledger.passes.length,
        ledger.rulings.map(({ statement }) => nameOfStatement(statement)),
      ]),
    )
    .digest('hex')
    .slice(0, 20);

/**
 * What this run acts on. Words that nobody read yet are not among them, nor those whose reading rides in a reply of this
 * run: once it stands there, it says so itself.
 */
function heardAfter({ ledger, replies = [] }: DraftInput): readonly string[] {
  const unread = new Set(ledger.unread.map(({ statement }) => statement));
  const replied = new Set(replies.map(({ key }) => key));
  const acted = ledger.rulings
    .filter(
      ({ statement, reading }) =>
        !unread.has(statement) && (reading === undefined || !replied.has(readingKey(reading))),
    )
    .map(({ statement }) => nameOfStatement(statement));
  return [...new Set([...ledger.heard, ...acted])];
}

/** Said by people to each other, or by somebody whose words have no effect: nothing follows from it. */
const isTalk = ({ statement, outcome, reading }: Ruling, { unread }: Ledger): boolean =>
  statement.says.kind === 'words' &&
  outcome.kind === 'left' &&
  reading === undefined &&
  !unread.some((one) => one.statement === statement);

/** What was not acted on yet. */
export const newRulings = (ledger: Ledger): readonly Ruling[] => {
  const heard = new Set(ledger.heard);
  return ledger.rulings.filter(({ statement }) => !heard.has(nameOfStatement(statement)));
};

/** Threads that show an old state, replies and reactions that are due. */
function conversationWrites(
  input: DraftInput,
): Pick<Publication, 'threadEdits' | 'replies' | 'reactions' | 'resolves' | 'reviewers'> {
  const { ledger, trust, snapshot } = input;
  const edits = editsOf(input);
  const rulings = newRulings(ledger);
  const replies: ReplyWrite[] = [
    ...(input.replies ?? []),
    ...rulings.flatMap((ruling): readonly ReplyWrite[] => {
      if (ruling.reading !== undefined) return [];
      const replaced = ledger.rulings.find(
        ({ outcome }) => outcome.kind === 'replaced' && outcome.by === ruling.statement,
      )?.statement;
      const made = madeBy(ruling, replaced, ledger);
      const text = rulingReply(ruling, {
        pullRequest: snapshot.pullRequest,
        ...(replaced !== undefined && { replaced }),
        ...(made !== undefined && { made: findingReply(made, findingSurroundings(input)) }),
      });
      if (text === null) return [];
      const key = keyOfReply(ruling);
      return [{ key, to: ruling.statement.subject, body: withMarkers(text, [writeReplyMarker(key, trust)]) }];
    }),
  ];
  const reactions = rulings.flatMap(({ statement, outcome }): readonly ReactionWrite[] =>
    (outcome.kind === 'applied' || outcome.kind === 'pending') && statement.subject.kind !== 'review'
      ? [{ subject: statement.subject, content: outcome.kind === 'applied' ? '+1' : 'eyes' }]
      : [],
  );
  const escalation = escalationOf(input);
  if (escalation !== null) replies.push(escalation);
  const reminder = reminderReply(input);
  if (reminder !== null) replies.push(reminder);
  const resolves = ledger.threads.flatMap((thread) =>
    !thread.resolved &&
    thread.canResolve &&
    isSettled(thread, ledger) &&
    !waitsForSomebody(thread, ledger, snapshot.pullRequest.author.login)
      ? [{ thread: thread.thread }]
      : [],
  );
  return {
    ...(edits.length > 0 && { threadEdits: edits }),
    ...(replies.length > 0 && { replies }),
    ...(reactions.length > 0 && { reactions }),
    ...(resolves.length > 0 && { resolves }),
    ...(escalation !== null && { reviewers: reviewersOf(input) }),
  };
}

/** The one comment that asks people, once for a diff or a question; null where nobody has to be asked, or they were. */
function escalationOf({ verdict, ledger, snapshot, trust }: DraftInput): ReplyWrite | null {
  if (verdict.kind !== 'escalated') return null;
  const diff = shortDiff(snapshot.diffHash);
  const wish = ledger.escalations.findLast((one) => one.diff === diff);
  if (wish !== undefined && wish.at !== 0) return null;
  const question = wish === undefined ? passedOn(ledger)?.id : undefined;
  if (question !== undefined && ledger.escalations.some((one) => one.diff === question)) return null;
  const key = `escalated:${question ?? diff}${wish?.by === undefined ? '' : `:${wish.by}`}`;
  const body = escalationComment({
    verdict,
    ledger,
    pullRequest: snapshot.pullRequest,
    deciders: snapshot.deciders ?? [],
    policy: snapshot.policy,
  });
  return { key, to: onThePullRequest, body: withMarkers(body, [writeReplyMarker(key, trust)]) };
}

/** Those who were asked and did not answer in time are told of it, once. */
function reminderReply({ verdict, ledger, snapshot, now, trust }: DraftInput): ReplyWrite | null {
  const { policy, diffHash, pullRequest } = snapshot;
  const reminder = reminderOf({ verdict, diffHash, ledger, policy, ...(now !== undefined && { now }) });
  if (reminder === null) return null;
  const key = reminderKey(reminder);
  const to = verdict.kind === 'escalated' ? verdict.to : [];
  const text = reminderComment({ reminder, to, ledger, pullRequest });
  return { key, to: onThePullRequest, body: withMarkers(text, [writeReplyMarker(key, trust)]) };
}

/** Nobody's words are answered. */
const onThePullRequest: Subject = { kind: 'comment', databaseId: 0, id: '' };

const reviewersOf = ({ verdict, snapshot }: DraftInput): ReviewersWrite => {
  const to = verdict.kind === 'escalated' ? verdict.to : [];
  const author = snapshot.pullRequest.author.login.toLowerCase();
  return {
    users: to.filter((who) => !who.includes('/') && who.toLowerCase() !== author),
    teams: to.filter((who) => who.includes('/')),
  };
};

/** The finding that an answer made of its question; undefined where what was `replaced` had made it already. */
function madeBy(
  { statement: { says }, outcome }: Ruling,
  replaced: Statement | undefined,
  { findings, questions }: Ledger,
): Finding | undefined {
  if (outcome.kind !== 'applied' || says.kind !== 'answer') return undefined;
  const question = questions.find(({ id }) => id === says.question);
  if (question?.standing.kind !== 'answered' || question.standing.answer !== says.answer) return undefined;
  const before = replaced?.says.kind === 'answer' ? effectOf(question, replaced.says.answer) : undefined;
  return before === 'include_finding'
    ? undefined
    : findings.find(({ from, standing }) => from === question.id && standing.kind === 'open');
}

/** Who was told that they may not decide something is not told again. */
function keyOfReply({ statement, outcome, item }: Ruling): string {
  const { says, by } = statement;
  if (outcome.kind !== 'refused') return `ruling:${nameOfStatement(statement)}`;
  return `refused:${by.toLowerCase()}:${item ?? (says.kind === 'command' ? says.name : says.kind)}`;
}

/** Nothing more is asked of anybody in this thread. */
function isSettled({ id }: OwnThread, ledger: Ledger): boolean {
  const finding = ledger.findings.find((one) => one.id === id || one.from === id);
  if (finding !== undefined) return !['open', 'uncertain', 'outvoted'].includes(finding.standing.kind);
  const standing = ledger.questions.find((one) => one.id === id)?.standing;
  if (standing?.kind === 'answered' && standing.effect === 'continue')
    return ledger.passes.some(({ continued }) => continued?.some((one) => one === id) === true);
  return (
    standing?.kind === 'obsolete' || (standing?.kind === 'answered' && standing.effect === 'suppress_finding')
  );
}

const waitsForSomebody = (
  { lastWord }: OwnThread,
  { rulings }: Pick<Ledger, 'rulings'>,
  author: string,
): boolean => lastWord !== undefined && isOpenReply(lastWord, { rulings, author });

type EditsInput = {
  readonly ledger: Ledger;
  readonly snapshot: Pick<Snapshot, 'pullRequest' | 'policy'> & Partial<Pick<Snapshot, 'diff'>>;
  readonly trust?: MarkerTrust;
};

/** First comments whose text does not say where the item stands now. */
function editsOf({ ledger, snapshot, trust }: EditsInput): readonly ThreadEdit[] {
  return ledger.threads.flatMap((thread): readonly ThreadEdit[] => {
    const now = itemNow(thread.id, ledger);
    if (now === null) return [];
    const state = stateName(now, thread.state);
    if (state === thread.state) return [];
    const mark =
      now.kind === 'finding' && now.finding.from === undefined
        ? markOf(now.finding, thread.id)
        : markOfThread(thread.id, ledger);
    const text = threadNow(now, {
      pullRequest: snapshot.pullRequest,
      mode: snapshot.policy.gate.mode,
      earlier: withoutMarkers(thread.body).trim(),
      earlierState: thread.state,
      canResolve: thread.canResolve,
      ...(snapshot.diff !== undefined && { diff: snapshot.diff }),
    });
    return [
      { id: thread.id, comment: thread.comment, body: withMarkers(text, [threadMarker(mark, state, trust)]) },
    ];
  });
}

const markOfThread = (id: OwnThread['id'], ledger: Ledger): KnownMark => {
  const question = ledger.questions.find((one) => one.id === id);
  if (question !== undefined) return markOfQuestion(question);
  const finding = ledger.findings.find((one) => one.id === id);
  if (finding === undefined) throw new Error(`The thread of ${id} has no item.`);
  return markOf(finding, id);
};

/** The marker that fits; a text of a finding that is too long for one is left out of it. */
const threadMarker = (known: KnownMark, state: string, trust: MarkerTrust | undefined): string =>
  writeMarker({ kind: 'thread', known, state: state.slice(0, 400) }, trust);

/** Names one pass of one job: the same pass published twice has the same key. */
export const passKey = ({ jobKey, lens, order, model }: PassRecord): string =>
  createHash('sha256')
    .update(JSON.stringify([jobKey, lens, order, model]))
    .digest('hex')
    .slice(0, 20);

/** New findings and questions that get a thread: important first, then questions, at most as many as the policy takes. */
function threadsOf(
  input: DraftInput,
  isNew: (one: { readonly id: string }) => boolean,
): readonly ThreadWrite[] {
  const { ledger, trust } = input;
  const { policy } = input.snapshot;
  if (input.pass === null) return [];
  const findings = ledger.findings
    .filter((finding) => isNew(finding) && blocks(finding))
    .flatMap((finding): readonly ThreadWrite[] =>
      finding.anchor.kind === 'line'
        ? [
            {
              key: finding.key,
              anchor: finding.anchor,
              body: withMarkers(threadFinding(finding, findingSurroundings(input)), [
                threadMarker(markOf(finding, finding.id), 'open', trust),
              ]),
            },
          ]
        : [],
    );
  const questions = ledger.questions
    .filter((question) => isNew(question) && isOpenQuestion(question))
    .flatMap((question): readonly ThreadWrite[] =>
      question.finding.anchor.kind === 'line'
        ? [
            {
              key: question.finding.key,
              anchor: question.finding.anchor,
              body: withMarkers(threadQuestion(question, questionSurroundings(input)), [
                threadMarker(markOfQuestion(question), 'open', trust),
              ]),
            },
          ]
        : [],
    );
  return [...findings, ...questions].slice(0, policy.review.maxThreads);
}

/** What the text of a thread is made of besides its finding or question. */
const surroundings = ({ snapshot: { pullRequest }, run: { model } }: DraftInput) => ({ pullRequest, model });

const findingSurroundings = (input: DraftInput) => ({
  ...surroundings(input),
  mode: input.snapshot.policy.gate.mode,
  suggestions: input.snapshot.policy.review.suggestions,
});

const questionSurroundings = (input: DraftInput) => ({
  ...surroundings(input),
  policy: input.snapshot.policy,
  permissions: input.snapshot.permissions,
  known: input.ledger.questions,
});

/** What the reader has to know and no thread tells: an important finding or a question without a place on the diff. */
function untoldOf(input: DraftInput, threads: readonly ThreadWrite[]): readonly string[] {
  const { ledger } = input;
  const told = new Set<string>([...ledger.threads.map(({ id }) => id), ...threads.map(({ key }) => key)]);
  const isUntold = (id: string, key: string, from?: string): boolean =>
    !told.has(id) && !told.has(key) && (from === undefined || !told.has(from));
  return [
    ...ledger.findings
      .filter((finding) => blocks(finding) && isUntold(finding.id, finding.key, finding.from))
      .map((finding) => threadFinding(finding, { ...findingSurroundings(input), suggestions: false })),
    ...ledger.questions
      .filter((question) => isOpenQuestion(question) && isUntold(question.id, question.finding.key))
      .map((question) => threadQuestion(question, questionSurroundings(input))),
  ].slice(0, MAX_UNTOLD);
}

/** Texts of full length in the summary; further ones are rows. */
const MAX_UNTOLD = 10;

/** The body of a later review: one line, because the summary holds the state. */
function newsLine(
  { snapshot, ledger }: DraftInput,
  isNew: (one: { readonly id: string }) => boolean,
): string {
  const important = ledger.findings.filter((one) => isNew(one) && blocks(one)).map(({ id }) => id);
  const questions = ledger.questions.filter((one) => isNew(one) && isOpenQuestion(one)).map(({ id }) => id);
  const parts = [
    ...(important.length > 0 ? [`${important.length} more important (${listed(important)})`] : []),
    ...(questions.length > 0
      ? [`${plural(questions.length, 'more question', 'more questions')} (${listed(questions)})`]
      : []),
  ];
  return `**${parts.join(', ')}** at ${codeSpan(shortSha(snapshot.pullRequest.head.sha))}. The first summary says where everything stands.`;
}

/** How a run ended when it was not with a submission; what stands on the pull request then is one check. */
export type Ending =
  | {
      readonly kind: 'not_reviewed';
      readonly title: string;
      readonly sentence: string;
      readonly meant: boolean;
    }
  | { readonly kind: 'no_submission'; readonly detail: string }
  | { readonly kind: 'refused'; readonly detail: string }
  /** Who failed: the model's provider, unless it was the forge. */
  | {
      readonly kind: 'failed';
      readonly detail: string;
      readonly retryable: boolean;
      readonly by?: 'provider' | 'forge';
    }
  /** The forge did not answer, or refused what is needed to read. */
  | { readonly kind: 'forge_failed'; readonly detail: string; readonly retryable: boolean }
  /** The review ended, and what it found could not be written. */
  | { readonly kind: 'not_written'; readonly detail: string }
  | { readonly kind: 'out_of_budget'; readonly limit: string; readonly seen?: number; readonly of?: number }
  | { readonly kind: 'superseded'; readonly by: Sha }
  | { readonly kind: 'closed' }
  /** Another event about the same head came: a run of its own follows. */
  | { readonly kind: 'started_again' }
  /** Another run of the app reviews this head. */
  | { readonly kind: 'taken_over' }
  | { readonly kind: 'permission_missing'; readonly permission: string; readonly where?: string }
  | { readonly kind: 'crashed'; readonly detail: string };

/**
 * The check of a run without a review. Where the mode is not known (nothing could be read), it is taken for blocking:
 * an unread change never becomes mergeable by accident. `again`: what starts it again, where a person should want that.
 */
export function draftEnding(
  ending: Ending,
  {
    key,
    head,
    mode = 'blocking',
    again,
    problems = [],
    state = '',
    going,
  }: {
    readonly key: string;
    readonly head: Sha;
    readonly mode?: GateMode;
    readonly again?: string;
    /** What of the settings could not be used: it may be why nothing was reviewed. */
    readonly problems?: Policy['problems'];
    /** A hidden line, see `stateLine`. */
    readonly state?: string;
    /** Whether it goes on by itself: told in the place of `again`. */
    readonly going?: GoingOn;
  },
): Publication {
  const { verdict, sentence } = endingOf(ending);
  const isStopped = ['closed', 'started_again', 'taken_over'].includes(ending.kind);
  const shown: CheckState =
    isStopped && verdict.kind === 'incomplete' && verdict.reason.kind === 'not_reviewed'
      ? { title: verdict.reason.title, status: 'completed', conclusion: 'cancelled' }
      : checkState(timed(verdict, going), mode);
  const next = going === undefined ? again : goingOnWords(going);
  const text =
    next === undefined ||
    isStopped ||
    ending.kind === 'superseded' ||
    // It says itself what would change it.
    ending.kind === 'not_reviewed'
      ? sentence
      : `${sentence} ${next}`;
  const hidden = [
    ...(state === '' ? [] : [state]),
    ...(going?.kind === 'again' ? [goesOnLine(head, going)] : []),
  ];
  return {
    key,
    head,
    check: {
      ...shown,
      summary: prose(text),
      text: withMarkers(unusableSettings(problems), hidden).trimStart(),
    },
  };
}

/** A title that says when it is tried again, where that is certain. */
function timed(verdict: Verdict, going: GoingOn | undefined): Verdict {
  if (going?.kind !== 'again' || going.how !== 'timer' || going.why !== 'busy') return verdict;
  if (verdict.kind !== 'incomplete' || verdict.reason.kind !== 'not_reviewed') return verdict;
  const { reason } = verdict;
  return { ...verdict, reason: { ...reason, title: `${reason.title}, again at ${clockTime(going.at)}` } };
}

/** For programs: nothing is known, and it goes on without a commit. */
const goesOnLine = (head: Sha, going: Extract<GoingOn, { kind: 'again' }>): string =>
  writeCheckResult({
    v: 1,
    verdict: 'incomplete',
    head: shortSha(head),
    complete: false,
    important: 0,
    nit: 0,
    pre_existing: 0,
    questions_open: 0,
    fix_round: 0,
    blocking: [],
    goes_on: true,
    ...goesOnAt(going),
  });

/**
 * What is known, for a check that says nothing of it: every check carries it, so that no one of them is missed. That a
 * review was asked for is acted on, however the run ended.
 */
export function stateLine(ledger: Ledger, trust?: MarkerTrust): string {
  const asked = ledger.rulings.filter(
    ({ statement: { says }, outcome }) =>
      outcome.kind === 'left' && says.kind === 'command' && says.name === 'review',
  );
  const heard = [...new Set([...ledger.heard, ...asked.map(({ statement }) => nameOfStatement(statement))])];
  const attempts = ledger.attempts?.length ?? 0;
  if (ledger.passes.length + ledger.known.length + heard.length + attempts === 0) return '';
  return writeState({ ...knownIn(ledger), heard }, MAX_STATE_IN_SUMMARY, trust);
}

const knownIn = (ledger: Ledger): Omit<KnownState, 'heard'> => ({
  passes: ledger.passes,
  marks: marksOf(ledger),
  ...(ledger.attempts !== undefined && { attempts: ledger.attempts }),
});

function endingOf(ending: Ending): { readonly verdict: Verdict; readonly sentence: string } {
  const not = (title: string, sentence: string, meant = false): ReturnType<typeof endingOf> => ({
    verdict: { kind: 'incomplete', reason: { kind: 'not_reviewed', title, sentence, meant } },
    sentence,
  });
  const nothing = 'Nothing is known about this change.';
  switch (ending.kind) {
    case 'not_reviewed':
      return not(ending.title, ending.sentence, ending.meant);
    case 'no_submission':
      return not('Not reviewed: the model submitted nothing', `${stop(ending.detail)} ${nothing}`);
    case 'refused':
      return not('Not reviewed: the model refused', `${stop(ending.detail)} ${nothing}`);
    case 'failed':
      if (ending.by === 'forge')
        return not('Not reviewed: an error from GitHub', `${stop(ending.detail)} ${nothing}`);
      return ending.retryable
        ? not('Not reviewed: provider busy', `${stop(ending.detail)} ${nothing}`)
        : not(
            'Not reviewed: the provider refused',
            `${stop(ending.detail)} ${nothing} Someone who runs this installation has to look at its settings.`,
          );
    case 'forge_failed':
      return not(
        ending.retryable ? 'Not reviewed: GitHub did not answer' : 'Not reviewed: GitHub refused',
        `${stop(ending.detail)} ${nothing}`,
      );
    case 'not_written':
      return not(
        'Reviewed, but the result could not be written',
        `${stop(ending.detail)} What was found is not shown here, so this does not count as a review.`,
      );
    case 'out_of_budget': {
      const { limit, seen, of } = ending;
      const met = limit === timeLimit ? 'the time was up' : `the limit of ${limit} was met`;
      const sentence = `${met.charAt(0).toUpperCase()}${met.slice(1)} before a review was submitted. This is not a clean review and does not count as one.`;
      return seen === undefined || of === undefined
        ? not(`Not finished: ${met}`, sentence)
        : { verdict: { kind: 'incomplete', reason: { kind: 'partial', seen, of, limit } }, sentence };
    }
    case 'superseded':
      return {
        verdict: { kind: 'incomplete', reason: { kind: 'superseded', by: ending.by } },
        sentence: `A newer commit, \`${shortSha(ending.by)}\`, is reviewed instead.`,
      };
    case 'closed':
      return not('Closed before the review ended', 'The pull request was closed; nothing was written.');
    case 'started_again':
      return not(
        'Stopped; started again',
        'Something about the pull request changed under the same commit; a new run follows.',
      );
    case 'taken_over':
      return not('Another run has this head', 'Another run of the app reviews this commit in its own check.');
    case 'permission_missing':
      return not(
        'Not reviewed: permission missing',
        `The app may not do this here. An owner accepts "${ending.permission}"${ending.where === undefined ? ' in the settings of the installation' : ` at ${ending.where}`}.`,
      );
    case 'crashed':
      return not(
        'Not reviewed: an error on our side',
        `${stop(ending.detail)} ${nothing} The log of the installation has the details.`,
      );
  }
}

const stop = (text: string): string => (/[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);

/** The check while a run reads. */
export const readingCheck = (
  { seen, of }: { readonly seen: number; readonly of: number },
  {
    turns,
    lookUps,
    dollars,
  }: { readonly turns: number; readonly lookUps: number; readonly dollars: number | null },
): CheckWrite => ({
  title: of === 0 ? 'Reading' : `Reading, ${seen} of ${plural(of, 'file')}`,
  status: 'in_progress',
  summary: `The review is running. Nothing is decided yet. So far: ${[
    plural(turns, 'turn'),
    plural(lookUps, 'look-up'),
    ...(dollars === null || dollars === 0 ? [] : [money(dollars)]),
  ].join(', ')}.`,
  text: '',
});
