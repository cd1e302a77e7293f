import type { FindingId } from '../core/finding.js';
import {
  blockingKeys,
  isOvertaken,
  type FileOrder,
  type Ledger,
  type Lens,
  type PassRecord,
} from '../core/ledger.js';
import type { GateSettings } from '../core/policy.js';
import type { Question } from '../core/question.js';
import type { AcceptedReview, ReviewResult } from '../core/review-result.js';
import type { Panel } from '../core/pass-record.js';
import { plural } from '../core/render/words.js';
import { byVotes } from '../core/votes.js';
import type { Model } from '../ports/model.js';
import { lensFor } from './lens.js';

/** One of those who read side by side: its own way of reading and, where two models are offered, every other one. */
export type Seat = { readonly lens: Lens; readonly order: FileOrder; readonly model: Model };

/** `models`: whose turn it is, then the other one, if there is one. Fixed rules see the same thing however often they look. */
export function seatsOf(
  { models, reviewers }: { readonly models: readonly [Model, ...Model[]]; readonly reviewers: number },
  passes: readonly PassRecord[],
  diffHash: string,
): readonly [Seat, ...Seat[]] {
  const [first] = models;
  const seat = (ahead: number): Seat => ({
    ...lensFor(passes, diffHash, ahead),
    model: models[ahead % models.length] ?? first,
  });
  const others = first.kind === 'rules' ? 0 : Math.max(0, reviewers - 1);
  return [seat(0), ...Array.from({ length: others }, (_, index) => seat(index + 1))];
}

/** Absent where one read alone. */
export const panelOf = (size: number, round: number): { readonly panel?: Panel } =>
  size > 1 ? { panel: { round, size } } : {};

/** What one says is fixed and another one still sees is not: of words that differ, those against the code count. */
export function agreed(reviews: readonly AcceptedReview[]): readonly AcceptedReview[] {
  const verdicts = reviews.flatMap(({ prior }) => prior?.verdicts ?? []);
  const stands = new Set(verdicts.flatMap(({ id, verdict }) => (verdict === 'still' ? [id] : [])));
  return reviews.map((review) =>
    review.prior === undefined
      ? review
      : {
          ...review,
          prior: {
            ...review.prior,
            verdicts: review.prior.verdicts.filter(
              ({ id, verdict }) => verdict !== 'fixed' || !stands.has(id),
            ),
          },
        },
  );
}

/** One of a round, with what it found. */
type Found = { readonly result: ReviewResult };

/**
 * What one of a round settled and another one reported, or showed to be there still, was never gone, and nothing came
 * back; likewise with questions. Of a finding that several know, the version that was numbered last holds for all:
 * nobody makes it lighter again.
 */
export function undisputed<One extends Found>(
  found: readonly One[],
  before: Pick<Ledger, 'findings'>,
): readonly One[] {
  const results = found.map(({ result }) => result);
  const latest = new Map(results.flatMap(({ findings }) => findings.map((one) => [one.id, one] as const)));
  const stands = new Set<string>([
    ...latest.keys(),
    ...results.flatMap(({ prior = [] }) =>
      prior.flatMap((one) => (one.kind === 'still' && one.shown ? [one.id] : [])),
    ),
  ]);
  const asked = new Set(results.flatMap(({ questions }) => questions.filter(isLive).map(({ id }) => id)));
  const wasOver = new Set<FindingId>(
    before.findings.flatMap(({ id, standing }) =>
      standing.kind === 'fixed' || standing.kind === 'obsolete' ? [id] : [],
    ),
  );
  return found.map((one) => ({
    ...one,
    result: {
      ...one.result,
      findings: one.result.findings.map((finding) => latest.get(finding.id) ?? finding),
      questions: one.result.questions.filter((question) => isLive(question) || !asked.has(question.id)),
      settled: (one.result.settled ?? []).filter(({ id }) => !stands.has(id)),
      cameBack: (one.result.cameBack ?? []).filter((id) => wasOver.has(id)),
    },
  }));
}

const isLive = ({ standing }: Question): boolean => standing.kind !== 'obsolete';

/** What the next one of a round is numbered after: nothing is settled before all of them have spoken. */
export const unsettled = (result: ReviewResult): ReviewResult => ({
  ...result,
  settled: [],
  questions: result.questions.filter(
    (question) => isLive(question) || isOvertaken(question, result.findings),
  ),
});

/** A round asks people no more than one reviewer may: what was asked first stays, and the rest is told as left out. */
export function fewQuestions<One extends Found>(
  found: readonly One[],
  before: Pick<Ledger, 'questions'>,
  most: number,
): readonly One[] {
  const known = new Set(before.questions.map(({ id }) => id));
  const asked = new Set(found.flatMap(({ result }) => result.questions.filter(isLive).map(({ id }) => id)));
  const left = new Set([...asked].filter((id) => !known.has(id)).slice(most));
  return found.map((one) => ({
    ...one,
    result: {
      ...one.result,
      questions: one.result.questions.filter(({ id }) => !left.has(id)),
      dropped: [
        ...one.result.dropped,
        ...one.result.questions.flatMap(({ id, question }) =>
          left.has(id) ? [{ what: question, why: `more than ${plural(most, 'question')} in one round` }] : [],
        ),
      ],
    },
  }));
}

/**
 * What the settings let block after a vote. The records of the round name nothing else as blocking: what was outvoted
 * asks for no fix.
 */
export function afterVote(
  { ledger, result }: { readonly ledger: Ledger; readonly result: ReviewResult | null },
  round: readonly PassRecord[],
  gate: Pick<GateSettings, 'reviewers' | 'votes'>,
): { readonly ledger: Ledger; readonly result: ReviewResult | null; readonly pass: PassRecord | null } {
  const findings = byVotes(ledger, ledger.passes, gate);
  const standings = new Map(findings.map(({ id, standing }) => [id, standing]));
  const mayBlock = new Set(blockingKeys(findings));
  const mine = new Set(round);
  const passes = ledger.passes.map((pass) =>
    mine.has(pass) ? { ...pass, blocking: pass.blocking.filter((key) => mayBlock.has(key)) } : pass,
  );
  return {
    pass: passes[ledger.passes.findLastIndex((pass) => mine.has(pass))] ?? null,
    ledger: { ...ledger, findings, passes },
    result: result && {
      ...result,
      findings: result.findings.map((finding) => {
        const standing = standings.get(finding.id);
        return standing?.kind === 'outvoted' ? { ...finding, standing } : finding;
      }),
    },
  };
}
