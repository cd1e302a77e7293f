import type { Sha } from './pull-request.js';
import type { Snapshot } from './snapshot.js';

/** Why a run starts, whatever forge said so. Payloads are hints: the snapshot reads the live state. */
export type Trigger = {
  readonly kind: 'pull_request';
  readonly reason:
    | 'opened'
    | 'pushed'
    | 'reopened'
    | 'ready_for_review'
    | 'base_changed'
    | 'closed'
    /** A draft again. */
    | 'drafted'
    /** Somebody with the right to do so wants a new pass: a command, a re-run, a button. */
    | 'asked'
    /** Somebody wrote, edited, deleted, resolved, labelled or approved: the conversation is folded again. */
    | 'said'
    /** The button that asks for a person. */
    | 'ask_person';
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
  /** The head that the event spoke of. An event about an older head than the live one is overtaken. */
  readonly head: Sha;
  /** The base branch of then, where the event names one. */
  readonly base?: string;
  readonly draft: boolean;
  /** GitHub's installation id; 0 where there is none (terminal). */
  readonly installation: number;
  readonly sender: string;
  /** When it happened by the forge's clock, epoch milliseconds; absent where the event does not say. */
  readonly at?: number;
  /** The head before a push. */
  readonly before?: Sha;
};

/**
 * An event that names no head, or no pull request: the forge looks both up. A check may stand on a commit of a fork,
 * whose events name no pull request.
 */
export type Incoming =
  | Trigger
  | {
      readonly kind: 'conversation';
      readonly owner: string;
      readonly repo: string;
      readonly number: number;
      readonly installation: number;
      readonly sender: string;
      readonly at?: number;
      /** What the event is about: it gets the reaction. Absent for resolving, labels and approvals. */
      readonly subject?: {
        readonly kind: 'comment' | 'reply' | 'review';
        readonly databaseId: number;
      };
    }
  | {
      readonly kind: 'check';
      readonly wish: 'rerun' | 'ask_person';
      readonly owner: string;
      readonly repo: string;
      readonly head: Sha;
      /** From the key of our own check run; absent: every open pull request of this head that we know. */
      readonly number?: number;
      readonly installation: number;
      readonly sender: string;
      readonly at?: number;
    }
  | {
      /** A merge queue asks for the check on the commit of a group. */
      readonly kind: 'queue';
      readonly owner: string;
      readonly repo: string;
      readonly head: Sha;
      /** The name of the branch that is merged into. */
      readonly base: string;
      readonly installation: number;
      readonly sender: string;
    };

/** A payload that starts nothing, with the reason that is logged. */
export type Ignored = { readonly kind: 'ignored'; readonly reason: string };

/** One run for one head against one base: a redelivery has the same key. */
export const jobKey = (trigger: Pick<Trigger, 'owner' | 'repo' | 'number' | 'head'>, base: string): string =>
  `${trigger.owner}/${trigger.repo}#${trigger.number}:${trigger.head}:${base}`;

/** Whether a run goes on to a review, or why not. `meant`: by a setting or the default, so that `skipped` is right. */
export type Decision =
  | { readonly kind: 'review' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'overtaken'; readonly by: Sha }
  | {
      readonly kind: 'not_reviewed';
      readonly title: string;
      readonly sentence: string;
      readonly meant: boolean;
    };

/** Draft, closed, overtaken, author and size, in that order. Rights, pause and base branches come with the policy file. */
export function shouldReview(trigger: Trigger, snapshot: Snapshot): Decision {
  const { pullRequest, policy, diff } = snapshot;
  const asked = trigger.reason === 'asked';
  if (pullRequest.state !== 'open') return { kind: 'closed' };
  if (pullRequest.head.sha !== trigger.head) return { kind: 'overtaken', by: pullRequest.head.sha };
  if (pullRequest.draft && !policy.review.drafts && !asked)
    return {
      kind: 'not_reviewed',
      title: 'Not reviewed: draft',
      sentence: 'Reviewed when it is marked ready.',
      meant: true,
    };
  if (pullRequest.author.kind === 'dependency_bot' && !policy.review.dependencyBots && !asked)
    return {
      kind: 'not_reviewed',
      title: 'Not reviewed: dependency update',
      sentence: `Updates by ${pullRequest.author.login} are left alone here.`,
      meant: true,
    };
  if (diff.length === 0 && pullRequest.changedFiles === 0)
    return {
      kind: 'not_reviewed',
      title: 'Not reviewed: no changes',
      sentence: `This pull request changes no file against \`${pullRequest.base.ref}\`.`,
      meant: true,
    };
  return { kind: 'review' };
}
