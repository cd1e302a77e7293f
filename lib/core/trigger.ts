import type { Sha } from './pull-request.js';

/** Why a run starts, whatever forge said so. Payloads are hints: the snapshot reads the live state. */
export type Trigger = {
  readonly kind: 'pull_request';
  readonly reason:
    'opened' | 'pushed' | 'reopened' | 'ready_for_review' | 'base_changed' | 'closed' | 'asked';
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
  /** The head that the event spoke of. An event about an older head than the live one is overtaken. */
  readonly head: Sha;
  readonly draft: boolean;
  /** GitHub's installation id; 0 where there is none (terminal). */
  readonly installation: number;
  readonly sender: string;
};

/** A payload that starts nothing, with the reason that is logged. */
export type Ignored = { readonly kind: 'ignored'; readonly reason: string };

/** One run for one head against one base: a redelivery has the same key. */
export const jobKey = (trigger: Pick<Trigger, 'owner' | 'repo' | 'number' | 'head'>, base: string): string =>
  `${trigger.owner}/${trigger.repo}#${trigger.number}:${trigger.head}:${base}`;
