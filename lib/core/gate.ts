import { continuing } from './continuing.js';
import type { FileDiff } from './diff.js';
import { blocks, type Finding } from './finding.js';
import { shortDiff, type Ledger, type Pardon } from './ledger.js';
import type { Decider } from './deciders.js';
import type { PassRecord } from './pass-record.js';
import type { Policy } from './policy.js';
import type { PullRequest } from './pull-request.js';
import { listed } from './render/words.js';
import { tierOf } from './tier.js';

/**
 * What the merge box says. On the wire the seed's four words: pass, review, fix, escalate; `waiting` and
 * `incomplete` are spelled out.
 */
export type Verdict =
  /** `by`: a person's word in the place of clean passes. */
  | { readonly kind: 'passed'; readonly streak: number; readonly by?: Pardon }
  | { readonly kind: 'review_again'; readonly done: number; readonly required: number }
  | {
      readonly kind: 'fix';
      readonly blocking: readonly Finding[];
      readonly round: number;
      readonly rounds: number;
    }
  | { readonly kind: 'waiting'; readonly questions: readonly string[] }
  | { readonly kind: 'escalated'; readonly to: readonly string[]; readonly why: string }
  | { readonly kind: 'incomplete'; readonly reason: IncompleteReason };

export type IncompleteReason =
  | { readonly kind: 'partial'; readonly seen: number; readonly of: number; readonly limit: string }
  | {
      readonly kind: 'not_reviewed';
      readonly title: string;
      readonly sentence: string;
      readonly meant: boolean;
    }
  | { readonly kind: 'superseded'; readonly by: string }
  | { readonly kind: 'rules_only' };

export type GateInput = {
  readonly policy: Policy;
  readonly pullRequest: Pick<PullRequest, 'author'> & Partial<Pick<PullRequest, 'base' | 'labels'>>;
  readonly diff: readonly FileDiff[];
  readonly diffHash: string;
  readonly policyHash: string;
  /** Who decides what the gate cannot. */
  readonly deciders?: readonly Decider[];
  /** A forge where the check holds real merges: passes of the fixed rules never satisfy a blocking gate there. */
  readonly realForge: boolean;
  /** How the newest pass fell short, in numbers and words; used when it is not complete. */
  readonly coverage?: { readonly seen: number; readonly of: number; readonly limit: string };
};

/**
 * Whether a change may pass, from the ledger and the policy alone. A pass is earned: what is missing, unfinished, of
 * another diff or of another policy never counts.
 */
export function decide(ledger: Decidable, input: GateInput): Verdict {
  const { pardon } = ledger;
  const earned = earn(ledger, input);
  if (earned.kind === 'passed' || pardon === undefined) return earned;
  // An approval or a yes answers only what a person was asked.
  return pardon.how === 'override' || earned.kind === 'escalated'
    ? { kind: 'passed', streak: 0, by: pardon }
    : earned;
}

/** What a decision is made of. */
export type Decidable = Pick<Ledger, 'findings' | 'questions' | 'passes' | 'pardon'> &
  Partial<Pick<Ledger, 'escalations' | 'moreRounds'>>;

function earn(ledger: Decidable, input: GateInput): Verdict {
  const verdict = judge(ledger, input);
  if (verdict.kind === 'passed' || verdict.kind === 'escalated') return verdict;
  const asked = ledger.escalations?.findLast(
    ({ diff, by }) => by !== undefined && diff === shortDiff(input.diffHash),
  );
  // A no of those who were asked gives the change back to its author.
  return asked?.by === undefined || (ledger.moreRounds ?? 0) > 0
    ? verdict
    : escalated(input, `${asked.by} asked for a person's decision, so this waits for one.`);
}

const escalated = ({ deciders = [], pullRequest }: GateInput, why: string): Verdict => ({
  kind: 'escalated',
  to: deciders
    .filter(({ who }) => who.toLowerCase() !== pullRequest.author.login.toLowerCase())
    .map(({ who }) => who),
  why,
});

function judge(ledger: Decidable, input: GateInput): Verdict {
  const { policy, diffHash, policyHash } = input;
  const base = input.pullRequest.base?.ref;
  // The same diff against another branch stands on other code.
  const passes = ledger.passes.filter(({ baseRef }) => base === undefined || baseRef === base);
  const present = passes.filter((pass) => pass.diffHash === diffHash && pass.policyHash === policyHash);
  const newest = present.at(-1);
  if (newest === undefined)
    return {
      kind: 'incomplete',
      reason: {
        kind: 'not_reviewed',
        title: 'Not reviewed yet',
        sentence: 'No review of this change has finished.',
        meant: false,
      },
    };
  if (!newest.finished || !newest.complete) {
    const { seen, of, limit } = input.coverage ?? {
      seen: 0,
      of: input.diff.length,
      limit: 'it did not finish',
    };
    return { kind: 'incomplete', reason: { kind: 'partial', seen, of, limit } };
  }
  const blocking = ledger.findings.filter(blocks);
  if (blocking.length > 0) {
    const rounds = policy.gate.fixRounds + (ledger.moreRounds ?? 0);
    const round = fixRound(ledger.passes);
    if (round > rounds)
      return escalated(
        input,
        `After ${rounds} fix ${rounds === 1 ? 'round' : 'rounds'} ${listed(blocking.map(({ id }) => id))} ${blocking.length === 1 ? 'is' : 'are'} still open, so this waits for a person.`,
      );
    return { kind: 'fix', blocking, round: Math.max(1, round), rounds };
  }
  const passedOn = ledger.questions.find(
    ({ standing }) => standing.kind === 'answered' && standing.effect === 'escalate',
  );
  if (passedOn?.standing.kind === 'answered')
    return escalated(input, `${passedOn.standing.by} passed ${passedOn.id} on, so this waits for a person.`);
  const open = ledger.questions.filter(({ standing }) => standing.kind === 'open').map(({ id }) => id);
  if (policy.gate.openQuestionsHold && open.length > 0) return { kind: 'waiting', questions: open };

  const strict = policy.gate.mode === 'blocking' && input.realForge;
  const required = tierOf(input).passes;
  const streak = streakOf({ ...ledger, passes }, { diffHash, policyHash, withRules: !strict });
  const isAnsweredAnew = continuing(ledger).length > 0;
  if (streak >= required && !isAnsweredAnew) return { kind: 'passed', streak };
  if (strict && newest.modelKind === 'rules') return { kind: 'incomplete', reason: { kind: 'rules_only' } };
  // An answer that a review goes on with is no answer before that review has read it.
  return {
    kind: 'review_again',
    done: streak,
    required: Math.max(required, isAnsweredAnew ? streak + 1 : 0),
  };
}

/** The round of fixes that is asked for now: distinct diffs that were found to be in need of one. */
export const fixRound = (passes: readonly PassRecord[]): number =>
  new Set(
    passes
      .filter(({ blocking, finished }) => finished && blocking.length > 0)
      .map(({ diffHash }) => diffHash),
  ).size;

/**
 * Clean passes in a row, newest first, of one diff under one policy. Two that do not differ in lens, order or model
 * count once. A pass that found something that is still open ends the row; where the ledger does not know any more what
 * a pass of this diff found, there is none.
 */
export function streakOf(
  { passes, findings }: Pick<Ledger, 'passes' | 'findings'>,
  { diffHash, policyHash, withRules }: { diffHash: string; policyHash: string; withRules: boolean },
): number {
  const cleared = new Set(findings.filter((finding) => !blocks(finding)).map(({ key }) => key));
  const keys = new Set(findings.map(({ key }) => key));
  const ids = new Set(findings.map(({ id }) => id));
  const isLost = passes.some(
    (pass) =>
      pass.diffHash === diffHash &&
      pass.policyHash === policyHash &&
      pass.blocking.some((key) => !keys.has(key)) &&
      pass.findings.some((id) => !ids.has(id)),
  );
  if (isLost) return 0;
  const ways = new Set<string>();
  for (const pass of passes.toReversed()) {
    if (pass.diffHash !== diffHash || pass.policyHash !== policyHash) break;
    if (!pass.blocking.every((key) => cleared.has(key))) break;
    if (!pass.finished || !pass.complete || (pass.modelKind === 'rules' && !withRules)) continue;
    ways.add(JSON.stringify([pass.lens, pass.order, pass.model]));
  }
  return ways.size;
}
