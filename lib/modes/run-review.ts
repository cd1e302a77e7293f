import type { LoopEvent } from '../agent/loop-event.js';
import { runLoop, toolDefinitions } from '../agent/loop.js';
import { goesOnLater, runJournal } from '../agent/run-journal.js';
import { timeLimitOf, type Attempt } from '../core/attempt.js';
import { continuing } from '../core/continuing.js';
import { countRead, linesRead } from '../core/coverage.js';
import { addUsage, noSpend, noUsage, timeLimit, type Spend, type Usage } from '../core/budget.js';
import { fileDigests } from '../core/diff.js';
import { decide, streakOf, type Verdict } from '../core/gate.js';
import { addPass, blockingKeys, coverageIn, type Ledger, type PassRecord } from '../core/ledger.js';
import { openToAsk } from '../core/prior.js';
import { finalize, reportFrom, type ReviewResult } from '../core/review-result.js';
import type { Settled } from '../core/pass-record.js';
import type { Snapshot } from '../core/snapshot.js';
import type { Outcome, Transcript } from '../core/transcript.js';
import { jobKey, type Trigger } from '../core/trigger.js';
import type { RepoReader, Wanted } from '../ports/forge.js';
import type { Journal } from '../ports/job-runner.js';
import type { Model } from '../ports/model.js';
import { createEvidenceSource } from '../tools/evidence-source.js';
import { taskFor } from './index.js';
import { lensFor } from './lens.js';
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
 * Passes until the verdict is no longer "review again" or the time is out. Each is whole and blind; the next one
 * differs in lens and file order, and the record says how.
 */
export async function runReview(run: ReviewRun): Promise<Reviewed> {
  const { snapshot, trigger, clock } = run;
  const source = createEvidenceSource(run.reader);
  const before = run.known;
  const longestMs = run.longestMs ?? run.deadline - clock();
  const transcripts: Transcript[] = [];
  let ledger = before;
  let result: ReviewResult | null = null;
  let pass: PassRecord | null = null;
  let spend = noSpend;

  for (;;) {
    const began = clock();
    const model = modelFor(run, ledger);
    const { lens, order } = lensFor(ledger.passes, snapshot.diffHash);
    const answered = continuing(ledger);
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
    transcripts.push(transcript);
    const stoppedBy = (why: Attempt['why']): Pick<Reviewed, 'stopped'> => {
      const served = transcript.turns.flatMap((turn) => turn.served);
      return { stopped: { why, pass: way, read: linesRead(snapshot.diff, served) } };
    };
    spend = addSpend(spend, transcript.spend);
    if (outcome.kind !== 'submitted') {
      if (!goesOnLater(outcome)) await run.journal?.clear(key);
      return {
        before,
        ledger,
        result,
        pass,
        verdict: decideNow(run, ledger, result),
        failed: outcome,
        ...(mayGoOn(run, outcome, result) && stoppedBy(outcome.kind === 'failed' ? 'busy' : 'time')),
        transcripts,
        spend,
      };
    }

    ledger = joinPasses(await run.readLedger(), ledger);
    const found = await finalize({
      accepted: outcome.value,
      dropped: outcome.dropped,
      ledger,
      snapshot,
      source,
      spend: transcript.spend,
    });
    result = joinResults(result, found, spend);
    const isCutOff = !found.coverage.complete && isClosedFor(transcript, timeLimit);
    const finalized: PassRecord = {
      v: 2,
      at: clock(),
      jobKey: jobKey(trigger, snapshot.pullRequest.base.ref),
      head: snapshot.pullRequest.head.sha,
      baseRef: snapshot.pullRequest.base.ref,
      diffHash: snapshot.diffHash,
      policyHash: snapshot.policyHash,
      lens,
      order,
      model: model.name,
      modelKind: model.kind,
      finished: true,
      complete: found.coverage.complete,
      blocking: blockingKeys(found.findings),
      findings: found.findings.map(({ id }) => id),
      questions: found.questions.filter(({ standing }) => standing.kind !== 'obsolete').map(({ id }) => id),
      settled: settledBy(found),
      ...(answered.length > 0 && { continued: answered.map(({ id }) => id) }),
      files: fileDigests(snapshot.diff),
      usage: usageOf(transcript),
      report: reportFrom(result, {
        usage: spend.usage,
        ...run.spent(),
        ...(isCutOff && { limit: timeLimitOf(longestMs) }),
      }),
    };
    pass = finalized;
    ledger = addPass(ledger, found, finalized);
    // What was cut off goes on after its last turn.
    if (!isCutOff) await run.journal?.clear(key);
    const verdict = decideNow(run, ledger, result);

    const took = clock() - began;
    const time = run.deadline - clock();
    const reviewed: Reviewed = {
      before,
      ledger,
      result,
      pass,
      verdict,
      failed: null,
      ...(isCutOff && stoppedBy('time')),
      transcripts,
      spend,
    };
    if (verdict.kind !== 'review_again' || run.signal.aborted || time < Math.max(took, 30_000))
      return reviewed;
    await run.onNextPass?.(reviewed);
  }
}

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

/** A pass that follows a clean one of the same change confirms it. */
function modelFor({ model, confirming, snapshot }: ReviewRun, ledger: Ledger): Model {
  if (confirming === undefined) return model;
  const { diffHash, policyHash } = snapshot;
  return streakOf(ledger, { diffHash, policyHash, withRules: true }) > 0 ? confirming : model;
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
