import type { FindingId } from '../core/finding.js';
import { blockingKeys, type FileOrder, type Ledger, type Lens, type PassRecord } from '../core/ledger.js';
import type { GateSettings } from '../core/policy.js';
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

/** What one of a round settled and another one reported was never gone, and nothing came back. */
export function undisputed<Found extends { readonly result: ReviewResult }>(
  found: readonly Found[],
  before: Pick<Ledger, 'findings'>,
): readonly Found[] {
  const reported = new Set(found.flatMap(({ result }) => result.findings.map(({ id }) => id)));
  const wasOver = new Set<FindingId>(
    before.findings.flatMap(({ id, standing }) =>
      standing.kind === 'fixed' || standing.kind === 'obsolete' ? [id] : [],
    ),
  );
  return found.map((one) => ({
    ...one,
    result: {
      ...one.result,
      settled: (one.result.settled ?? []).filter(({ id }) => !reported.has(id)),
      cameBack: (one.result.cameBack ?? []).filter((id) => wasOver.has(id)),
    },
  }));
}

/** A round asks people no more than one reviewer may: what was asked first stays, and the rest is told as left out. */
export function fewQuestions<Found extends { readonly result: ReviewResult }>(
  found: readonly Found[],
  before: Pick<Ledger, 'questions'>,
  most: number,
): readonly Found[] {
  const known = new Set(before.questions.map(({ id }) => id));
  const asked = new Set(found.flatMap(({ result }) => result.questions.map(({ id }) => id)));
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
  const findings = byVotes(ledger.findings, ledger.passes, gate);
  const standings = new Map(findings.map(({ id, standing }) => [id, standing]));
  const mayBlock = new Set(blockingKeys(findings));
  const voted = new Map(
    round.map((pass) => [pass.at, { ...pass, blocking: pass.blocking.filter((key) => mayBlock.has(key)) }]),
  );
  const passes = ledger.passes.map((pass) => voted.get(pass.at) ?? pass);
  return {
    pass: [...voted.values()].at(-1) ?? null,
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
