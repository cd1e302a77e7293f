import type { Toolset } from '../agent/tool.js';
import type { Budget } from '../core/budget.js';
import type { AnsweredQuestion } from '../core/continuing.js';
import type { Finding } from '../core/finding.js';
import type { FileOrder, Lens } from '../core/ledger.js';
import type { AcceptedReview } from '../core/review-result.js';
import { labelSecrets } from '../core/secret.js';
import type { Snapshot } from '../core/snapshot.js';
import type { Message } from '../core/transcript.js';
import type { RepoReader } from '../ports/forge.js';
import type { Model } from '../ports/model.js';
import { reviewOpening, reviewSystem } from '../prompts/review.js';
import { createEvidenceSource } from '../tools/evidence-source.js';
import { evidenceTools } from '../tools/index.js';
import { submitCodeReview } from '../tools/submit-code-review.js';

/** What a run may spend, as a person set it; what is absent follows from the size of the change. */
export type ReviewLimits = {
  readonly turns?: number;
  readonly toolCalls?: number;
  readonly tokens?: number;
  readonly dollars?: number;
  readonly submissionTries?: number;
};

export type ReviewTask = {
  readonly kind: 'review';
  readonly toolset: Toolset<AcceptedReview>;
  readonly system: string;
  readonly opening: Message;
  readonly budget: Budget;
  readonly lens: Lens;
  readonly order: FileOrder;
};

export type ReviewGiven = {
  readonly snapshot: Snapshot;
  readonly reader: RepoReader;
  readonly lens: Lens;
  readonly order: FileOrder;
  /** Asked about once there is a submission that does not report them again; none of it is in the prompt. */
  readonly openFindings?: readonly Finding[];
  /** Questions of before whose answers this pass goes on with: the one thing of ours that it knows beforehand. */
  readonly answered?: readonly AnsweredQuestion[];
  readonly limits?: ReviewLimits;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Epoch milliseconds; below the host's own limit. */
  readonly deadline: number;
  readonly modelKind: Model['kind'];
};

/** One pass over a whole pull request: read-only tools, one submission. */
export function reviewTask(given: ReviewGiven): ReviewTask {
  const { snapshot, reader, lens, order } = given;
  const budget = reviewBudget(given);
  const { pullRequest, diff, policy, reviewRules } = snapshot;
  const opening = reviewOpening({
    pullRequest,
    files: diff.length,
    additions: diff.reduce((sum, file) => sum + file.additions, 0),
    deletions: diff.reduce((sum, file) => sum + file.deletions, 0),
    lens,
    order,
    reviewRules: reviewRules === null ? null : labelSecrets(reviewRules).text,
    rules: policy.review.rules.map((one) =>
      one.text === undefined ? one : { ...one, text: labelSecrets(one.text).text },
    ),
    language: policy.review.language,
    answered: (given.answered ?? []).map(({ question, followUps = [], standing }) => ({
      question: followUps.at(-1)?.question ?? question,
      answer: standing.answer,
      by: standing.by,
      words: labelSecrets(standing.why ?? '').text,
    })),
    turns: budget.turns,
    toolCalls: budget.toolCalls,
  });
  return {
    kind: 'review',
    toolset: {
      tools: evidenceTools({ snapshot, reader, order }),
      terminal: submitCodeReview({
        snapshot,
        source: createEvidenceSource(reader),
        clock: given.clock,
        ...(given.openFindings !== undefined && { openFindings: given.openFindings }),
      }),
    },
    system: reviewSystem(),
    opening: { role: 'user', content: [{ type: 'text', text: opening }] },
    budget,
    lens,
    order,
  };
}

/** For a change of up to ten files and 500 lines; grows to two and a half times that with the size of the change. */
const defaults = { turns: 40, toolCalls: 160, tokens: 1_500_000, dollars: 0.6, submissionTries: 3 } as const;

/** One request never gets larger than today's smallest context, whatever the model. */
const contextTokens = 200_000;

/** Fixed rules spend nothing, so that only their own steps and the time hold them. */
const forRules = { turns: 60, toolCalls: 5_000, tokens: 0, dollars: 0, submissionTries: 3 } as const;

/** Dollars never grow with the change: they are the operator's word. A repository's settings only lower all of it. */
export function reviewBudget({
  snapshot,
  limits = {},
  clock,
  deadline: hostDeadline,
  modelKind,
}: Pick<ReviewGiven, 'snapshot' | 'limits' | 'clock' | 'deadline' | 'modelKind'>): Budget {
  const { minutes, ...lower } = snapshot.policy.budget;
  const deadline = minutes === undefined ? hostDeadline : Math.min(hostDeadline, clock() + minutes * 60_000);
  // A run that is nearly over from the start keeps a fifth of its time for closing.
  const closingMs = Math.min(45_000, Math.max(0, Math.floor((deadline - clock()) / 5)));
  const common = { deadline, closingMs };
  if (modelKind === 'rules') return { ...forRules, ...given(limits), ...common };
  const growth = growthOf(snapshot);
  const allowed = {
    turns: Math.round(defaults.turns * growth),
    toolCalls: Math.round(defaults.toolCalls * growth),
    tokens: Math.round(defaults.tokens * growth),
    dollars: defaults.dollars,
    submissionTries: defaults.submissionTries,
    ...given(limits),
  };
  return {
    ...allowed,
    turns: Math.min(allowed.turns, lower.turns ?? Infinity),
    toolCalls: Math.min(allowed.toolCalls, lower.toolCalls ?? Infinity),
    dollars: lowerDollars(allowed.dollars, lower.dollars),
    ...common,
    contextTokens,
  };
}

/** 0 is no limit. */
const lowerDollars = (allowed: number, lower: number | undefined): number =>
  lower === undefined ? allowed : allowed === 0 ? lower : Math.min(allowed, lower);

/** 1 for a small change, 2.5 for the largest. */
function growthOf({ diff }: Pick<Snapshot, 'diff'>): number {
  const lines = diff.reduce((sum, file) => sum + file.additions + file.deletions, 0);
  const more = Math.max(0, diff.length - 10) / 60 + Math.max(0, lines - 500) / 4000;
  return Math.min(2.5, 1 + more);
}

const given = (limits: ReviewLimits): ReviewLimits =>
  Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
