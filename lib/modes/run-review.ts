import type { LoopEvent } from '../agent/loop-event.js';
import { runLoop, toolDefinitions } from '../agent/loop.js';
import { goesOnLater, runJournal } from '../agent/run-journal.js';
import { timeLimitOf, type Attempt } from '../core/attempt.js';
import { continuing, type AnsweredQuestion } from '../core/continuing.js';
import { countRead, linesRead } from '../core/coverage.js';
import { addUsage, noSpend, noUsage, timeLimit, type Spend, type Usage } from '../core/budget.js';
import { fileDigests } from '../core/diff.js';
import { decide, streakOf, type Verdict } from '../core/gate.js';
import { addFound, addPass, blockingKeys, coverageIn, type Ledger, type PassRecord } from '../core/ledger.js';
import { openToAsk } from '../core/prior.js';
import { finalize, reportFrom, type AcceptedReview, type ReviewResult } from '../core/review-result.js';
import type { Settled } from '../core/pass-record.js';
import type { Snapshot } from '../core/snapshot.js';
import type { Outcome, Transcript } from '../core/transcript.js';
import { jobKey, type Trigger } from '../core/trigger.js';
import type { RepoReader, Wanted } from '../ports/forge.js';
import type { Journal } from '../ports/job-runner.js';
import type { Model } from '../ports/model.js';
import { createEvidenceSource } from '../tools/evidence-source.js';
import { taskFor } from './index.js';
import {
  afterVote,
  agreed,
  fewQuestions,
  panelOf,
  seatsOf,
  undisputed,
  unsettled,
  type Seat,
} from './panel.js';
import type { ReviewLimits } from './review.js';

export type ReviewRun = {
  readonly trigger: Trigger;
  readonly snapshot: Snapshot;
  readonly reader: RepoReader;
  /** What was known when the snapshot was read. */
  readonly known: Ledger;
  /** What the run has taken so far: milliseconds, and requests to the forge. */
  readonly spent: () => { readonly elapsedMs: number; readonly requests: number };
  /** The same read again, after each pass: replies may have come meanwhile. */
  readonly readLedger: () => Promise<Ledger>;
  readonly model: Model;
  /** Reads after a clean pass, so that two looks are two pairs of eyes. Absent: the same one. */
  readonly confirming?: Model;
  readonly limits: ReviewLimits;
  /** A forge where the check holds real merges. */
  readonly realForge: boolean;
  readonly journal?: Journal;
  readonly stillWanted?: () => Promise<Wanted>;
  readonly clock: () => number;
  /** Epoch milliseconds; a pass is begun only if a good part of the first one's time is left. */
  readonly deadline: number;
  /** The limit of time as a person set it, in milliseconds, to be told where it is met; absent: what is left. */
  readonly longestMs?: number;
  readonly signal: AbortSignal;
  readonly emit?: (event: LoopEvent) => void;
  /** Told after each pass that another one follows, for the check. */
  readonly onNextPass?: (soFar: Reviewed) => Promise<void>;
};

/** How the passes of one trigger ended. */
export type Reviewed = {
  readonly before: Ledger;
  readonly ledger: Ledger;
  /** What all finalized passes of this run found, also when a later one did not finish; null if none was finalized. */
  readonly result: ReviewResult | null;
  readonly pass: PassRecord | null;
  readonly verdict: Verdict;
  /** The pass that did not end with a submission, if one did not. */
  readonly failed: Exclude<Outcome, { kind: 'submitted' }> | null;
  /** The pass that was cut off by the time, or met somebody busy: it may go on later. */
  readonly stopped?: Pick<Attempt, 'why' | 'pass' | 'read'>;
  readonly transcripts: readonly Transcript[];
  readonly spend: Spend;
};

/**
 * Rounds of passes until the verdict is no longer "review again" or the time is out. Each pass is whole and blind and
 * reads in a way of its own, and the record says how. Where the settings ask for several reviewers, they make a round
 * side by side; else a round is one pass.
 */
export async function runReview(run: ReviewRun): Promise<Reviewed> {
  const { snapshot, clock } = run;
  const before = run.known;
  const longestMs = run.longestMs ?? run.deadline - clock();
  const transcripts: Transcript[] = [];
  let known: Known = { ledger: before, result: null, pass: null };
  let spend = noSpend;

  for (;;) {
    const began = clock();
    const answered = continuing(known.ledger);
    const read = await readRound(run, known.ledger, answered);
    transcripts.push(...read.map(({ transcript }) => transcript));
    spend = read.reduce((sum, { transcript }) => addSpend(sum, transcript.spend), spend);
    const submitted = read.filter(isSubmitted);
    // What would end so again is told before what may go on.
    const failed = read.find(({ outcome }) => !goesOnLater(outcome)) ?? read[0];
    if (submitted.length === 0 && failed !== undefined && failed.outcome.kind !== 'submitted') {
      const { outcome } = failed;
      const verdict = decideNow(run, known.ledger, known.result);
      const stopped =
        mayGoOn(run, outcome, known.result) &&
        stoppedBy(outcome.kind === 'failed' ? 'busy' : 'time', failed, snapshot);
      return { before, ...known, verdict, failed: outcome, ...stopped, transcripts, spend };
    }

    const round = await finalizeRound(run, submitted, {
      known: { ...known, ledger: joinPasses(await run.readLedger(), known.ledger) },
      panel: panelOf(read.length, began),
      answered,
      spend,
      longestMs,
    });
    known = round.known;
    // What was cut off goes on after its last turn.
    for (const { key } of submitted) if (key !== round.cutOff?.key) await run.journal?.clear(key);
    const verdict = decideNow(run, known.ledger, known.result);

    const took = clock() - began;
    const time = run.deadline - clock();
    const later = read.find(({ outcome }) => outcome.kind !== 'submitted' && mayGoOn(run, outcome, null));
    const stopped =
      round.cutOff !== undefined
        ? stoppedBy('time', round.cutOff, snapshot)
        : later !== undefined &&
          verdict.kind === 'incomplete' &&
          stoppedBy(later.outcome.kind === 'failed' ? 'busy' : 'time', later, snapshot);
    const reviewed: Reviewed = { before, ...known, verdict, failed: null, ...stopped, transcripts, spend };
    if (verdict.kind !== 'review_again' || run.signal.aborted || time < Math.max(took, 30_000))
      return reviewed;
    await run.onNextPass?.(reviewed);
  }
}

const stoppedBy = (
  why: Attempt['why'],
  { way, transcript }: Read,
  { diff }: Snapshot,
): Pick<Reviewed, 'stopped'> => {
  const served = transcript.turns.flatMap((turn) => turn.served);
  return { stopped: { why, pass: way, read: linesRead(diff, served) } };
};

/** After a pass of the same run the time that was left says nothing about the next one. */
const mayGoOn = ({ signal }: ReviewRun, outcome: Outcome, earlier: ReviewResult | null): boolean =>
  goesOnLater(outcome) && !signal.aborted && (outcome.kind === 'failed' || earlier === null);

/** Whether a run had to submit what it had because of this limit. */
const isClosedFor = ({ turns }: Transcript, limit: string): boolean =>
  turns
    .slice(
      Math.max(
        0,
        turns.findLastIndex(({ wentOn }) => wentOn === true),
      ),
    )
    .some(({ closing }) => closing === limit);

/** What a record of before does not count already: that of the part which was submitted when the time was up. */
const usageOf = ({ turns, spend }: Transcript): Usage => {
  const from = turns.findLastIndex(({ wentOn }, at) => wentOn === true && turns[at - 1]?.ended !== undefined);
  return from === -1
    ? spend.usage
    : turns.slice(from).reduce((sum, { usage }) => addUsage(sum, usage), noUsage);
};

/** What the passes so far have come to. */
type Known = Pick<Reviewed, 'ledger' | 'result' | 'pass'>;

/** How one of those who read side by side ended. `way` tells it from the others, `key` names its journal. */
type Read = {
  readonly seat: Seat;
  readonly way: string;
  readonly key: string;
  readonly outcome: Outcome<AcceptedReview>;
  readonly transcript: Transcript;
};

type Submitted = Read & { readonly outcome: Extract<Read['outcome'], { kind: 'submitted' }> };

const isSubmitted = (read: Read): read is Submitted => read.outcome.kind === 'submitted';

async function readRound(
  run: ReviewRun,
  ledger: Ledger,
  answered: readonly AnsweredQuestion[],
): Promise<readonly Read[]> {
  const { snapshot } = run;
  const seats = seatsOf(
    { models: modelsFor(run, ledger), reviewers: snapshot.policy.gate.reviewers },
    ledger.passes,
    snapshot.diffHash,
  );
  // An error of one is an error of the run: nobody reads on for nothing.
  const stop = new AbortController();
  const signal = AbortSignal.any([run.signal, stop.signal]);
  try {
    return await Promise.all(seats.map((seat) => readAlone({ ...run, signal }, seat, ledger, answered)));
  } catch (error) {
    stop.abort(error);
    throw error;
  }
}

async function readAlone(
  run: ReviewRun,
  seat: Seat,
  ledger: Ledger,
  answered: readonly AnsweredQuestion[],
): Promise<Read> {
  const { snapshot, trigger, clock } = run;
  const { lens, order, model } = seat;
  const task = taskFor({
    trigger,
    snapshot,
    reader: run.reader,
    lens,
    order,
    openFindings: openToAsk(ledger, snapshot.diffHash),
    answered,
    limits: run.limits,
    clock,
    deadline: run.deadline,
    modelKind: model.kind,
  });
  const way = `${snapshot.diffHash.slice(0, 16)}:${lens}:${order}`;
  const key = `${jobKey(trigger, snapshot.pullRequest.base.ref)}:${way}`;
  const { outcome, transcript } = await runLoop({
    model,
    toolset: task.toolset,
    system: task.system,
    opening: task.opening,
    budget: task.budget,
    clock,
    signal: run.signal,
    ...(run.stillWanted !== undefined && { stillWanted: run.stillWanted }),
    ...(run.emit !== undefined && { emit: run.emit }),
    ...(run.journal !== undefined && {
      journal: runJournal(run.journal, key, {
        model: model.name,
        system: task.system,
        tools: toolDefinitions(task.toolset),
        opening: task.opening,
      }),
    }),
  });
  if (outcome.kind !== 'submitted' && !goesOnLater(outcome)) await run.journal?.clear(key);
  return { seat, way, key, outcome, transcript };
}

/** What a round found, numbered and recorded; where several read, by their vote. */
async function finalizeRound(
  run: ReviewRun,
  submitted: readonly Submitted[],
  {
    known,
    panel,
    answered,
    spend,
    longestMs,
  }: {
    readonly known: Known;
    readonly panel: Pick<PassRecord, 'panel'>;
    readonly answered: readonly AnsweredQuestion[];
    readonly spend: Spend;
    readonly longestMs: number;
  },
): Promise<{ readonly known: Known; readonly cutOff?: Read }> {
  const { snapshot } = run;
  const source = createEvidenceSource(run.reader);
  const reviews = agreed(submitted.map(({ outcome }) => outcome.value));
  const found: { readonly read: Submitted; readonly result: ReviewResult }[] = [];
  let numbered = known.ledger;
  for (const [index, accepted] of reviews.entries()) {
    const read = submitted[index];
    if (read === undefined) continue;
    const result = await finalize({
      accepted,
      dropped: read.outcome.dropped,
      ledger: numbered,
      snapshot,
      source,
      spend: read.transcript.spend,
    });
    found.push({ read, result });
    numbered = addFound(numbered, unsettled(result));
  }

  let { ledger, result } = known;
  const records: PassRecord[] = [];
  const at = run.clock();
  // What one could not read to its end is not hidden by another one that could: the newest tells how far it was read.
  const asked = fewQuestions(undisputed(found, ledger), ledger, snapshot.policy.review.maxQuestions);
  const inOrder = asked.toSorted(
    (a, b) => Number(a.result.coverage.complete) - Number(b.result.coverage.complete),
  );
  let cutOff: Read | undefined;
  for (const [index, one] of inOrder.entries()) {
    const isCutOff = !one.result.coverage.complete && isClosedFor(one.read.transcript, timeLimit);
    // Nothing has to go on where another one read all.
    cutOff = isCutOff ? one.read : one.result.coverage.complete ? undefined : cutOff;
    result = joinResults(result, one.result, spend);
    const record: PassRecord = {
      v: 2,
      at: at + index,
      jobKey: jobKey(run.trigger, snapshot.pullRequest.base.ref),
      head: snapshot.pullRequest.head.sha,
      baseRef: snapshot.pullRequest.base.ref,
      diffHash: snapshot.diffHash,
      policyHash: snapshot.policyHash,
      lens: one.read.seat.lens,
      order: one.read.seat.order,
      model: one.read.seat.model.name,
      modelKind: one.read.seat.model.kind,
      ...panel,
      finished: true,
      complete: one.result.coverage.complete,
      blocking: blockingKeys(one.result.findings),
      findings: one.result.findings.map(({ id }) => id),
      questions: one.result.questions
        .filter(({ standing }) => standing.kind !== 'obsolete')
        .map(({ id }) => id),
      settled: settledBy(one.result),
      ...(answered.length > 0 && { continued: answered.map(({ id }) => id) }),
      files: fileDigests(snapshot.diff),
      usage: usageOf(one.read.transcript),
      report: reportFrom(result, {
        usage: spend.usage,
        ...run.spent(),
        ...(isCutOff && { limit: timeLimitOf(longestMs) }),
      }),
    };
    records.push(record);
    ledger = addPass(ledger, one.result, record);
  }
  return {
    known: afterVote({ ledger, result }, records, snapshot.policy.gate),
    ...(cutOff !== undefined && { cutOff }),
  };
}

/** The model that reads now, and the other one. A pass that follows a clean one of the same change confirms it. */
function modelsFor({ model, confirming, snapshot }: ReviewRun, ledger: Ledger): readonly [Model, ...Model[]] {
  if (confirming === undefined) return [model];
  const { diffHash, policyHash } = snapshot;
  return streakOf(ledger, { diffHash, policyHash, withRules: true }) > 0
    ? [confirming, model]
    : [model, confirming];
}

const settledBy = ({ settled = [], questions }: ReviewResult): readonly Settled[] => [
  ...settled.flatMap(({ id, standing }): readonly Settled[] =>
    standing.kind === 'fixed' || standing.kind === 'obsolete' ? [{ id, kind: standing.kind }] : [],
  ),
  ...questions.flatMap(({ id, standing }): readonly Settled[] =>
    standing.kind === 'obsolete' ? [{ id, kind: 'obsolete' }] : [],
  ),
];

const decideNow = (run: ReviewRun, ledger: Ledger, result: ReviewResult | null): Verdict => {
  const { snapshot } = run;
  return decide(ledger, {
    policy: snapshot.policy,
    pullRequest: snapshot.pullRequest,
    diff: snapshot.diff,
    diffHash: snapshot.diffHash,
    policyHash: snapshot.policyHash,
    realForge: run.realForge,
    deciders: snapshot.deciders ?? [],
    ...(result !== null && {
      coverage: {
        ...countRead(result.coverage),
        limit: coverageIn(ledger, snapshot.diffHash).limit,
      },
    }),
  });
};

/** What stands on the pull request now, with the passes and numbers of this run that are not written there yet. */
const joinPasses = (now: Ledger, mine: Ledger): Ledger => {
  const newer = mine.passes.filter((pass) => !now.passes.some((one) => samePass(one, pass)));
  if (newer.length === 0) return now;
  const knownNow = new Set(now.known.map(({ id }) => id));
  return {
    ...now,
    findings: [...now.findings, ...mine.findings.filter(({ id }) => !knownNow.has(id))],
    questions: [...now.questions, ...mine.questions.filter(({ id }) => !knownNow.has(id))],
    known: [...now.known, ...mine.known.filter(({ id }) => !knownNow.has(id))],
    passes: [...now.passes, ...newer],
    nextFinding: Math.max(now.nextFinding, mine.nextFinding),
    nextQuestion: Math.max(now.nextQuestion, mine.nextQuestion),
  };
};

const samePass = (a: PassRecord, b: PassRecord): boolean =>
  a.at === b.at &&
  a.jobKey === b.jobKey &&
  a.diffHash === b.diffHash &&
  a.lens === b.lens &&
  a.order === b.order;

/** Several passes read as one review: everything found, the newest coverage and summary, all that was spent. */
const joinResults = (earlier: ReviewResult | null, found: ReviewResult, spend: Spend): ReviewResult => {
  if (earlier === null) return { ...found, spend };
  const byId = <T extends { readonly id: string }>(a: readonly T[], b: readonly T[]): readonly T[] => {
    const again = new Set(b.map(({ id }) => id));
    return [...a.filter(({ id }) => !again.has(id)), ...b];
  };
  return {
    ...found,
    findings: byId(earlier.findings, found.findings),
    questions: byId(earlier.questions, found.questions),
    settled: byId(earlier.settled ?? [], found.settled ?? []),
    prior: [...(earlier.prior ?? []), ...(found.prior ?? [])],
    cameBack: [...new Set([...(earlier.cameBack ?? []), ...(found.cameBack ?? [])])],
    dropped: [...earlier.dropped, ...found.dropped],
    disproved: [
      ...earlier.disproved,
      ...found.disproved.filter((one) => !earlier.disproved.some((other) => other.claim === one.claim)),
    ],
    spend,
  };
};

const addSpend = (a: Spend, b: Spend): Spend => ({
  ...b,
  turns: a.turns + b.turns,
  toolCalls: a.toolCalls + b.toolCalls,
  submissions: a.submissions + b.submissions,
  usage: addUsage(a.usage, b.usage),
});
