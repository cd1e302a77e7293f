import { continuing } from './continuing.js';
import type { Conversation, HeadSeen } from './conversation.js';
import type { Ledger } from './ledger.js';
import { isDue, newRulings } from './publication.js';
import { mayRemind } from './reminder.js';
import type { PullRequest } from './pull-request.js';
import type { Ruling } from './ruling.js';
import type { Snapshot } from './snapshot.js';
import type { Statement } from './statement.js';

/** What a look at a conversation calls for. `at` are the words that asked for it. */
export type Wish =
  | { readonly kind: 'nothing'; readonly why: string }
  /** Somebody with the right to do so asked for a review. */
  | { readonly kind: 'review'; readonly at: readonly Statement[] }
  /** No check of ours stands on the head against this base: an event was lost, or the pull request was paused. */
  | { readonly kind: 'catch_up' }
  /** The next pass is owed, one that did not finish is to go on, and it never came; or a run died. */
  | { readonly kind: 'next_pass' }
  /** What was said changes what stands there. */
  | { readonly kind: 'state' };

/** From the conversation and the ledger alone, so that words between people cost one look. */
export function wishOf(
  {
    ledger,
    pullRequest,
    conversation,
    policy,
  }: {
    readonly ledger: Ledger;
    readonly pullRequest: PullRequest;
    readonly conversation: Pick<Conversation, 'heads'>;
    readonly policy: Snapshot['policy'];
  },
  {
    silent,
    isButton = false,
    now,
    longestRunMs = Infinity,
  }: {
    readonly silent: boolean;
    /** Somebody asked for a person, in a way that stands nowhere: whatever was reviewed, people are asked. */
    readonly isButton?: boolean;
    /** Epoch milliseconds; absent: nobody is reminded of anything. */
    readonly now?: number;
    /** A check in progress for longer is that of a run that died. */
    readonly longestRunMs?: number;
  },
): Wish {
  if (pullRequest.state !== 'open') return { kind: 'nothing', why: 'the pull request is closed' };
  const asks = asksForReview(newRulings(ledger));
  if (asks.length > 0) return { kind: 'review', at: asks };
  const head = conversation.heads.findLast(({ sha }) => sha === pullRequest.head.sha);
  const isChecked = head !== undefined && (head.base ?? pullRequest.base.ref) === pullRequest.base.ref;
  const isMissed = !isChecked || isPausedCheck(head, { ledger, pullRequest, policy });
  if (isMissed && ledger.paused === undefined) return { kind: 'catch_up' };
  if (isButton) return { kind: 'state' };
  const isDead =
    head?.running === true && now !== undefined && now - (head.last ?? head.since) >= longestRunMs;
  if (isDead && ledger.paused === undefined) return { kind: 'next_pass' };
  // A label, a resolved thread or an approval says nothing in words, and may change the verdict. Where nothing was read,
  // words that were acted on may stand in the check, and be gone.
  if (silent && (ledger.passes.length > 0 || ledger.heard.length > 0)) return { kind: 'state' };
  // What comes by itself at its time is not brought before by anybody's words.
  const isEarly = isChecked && head.owed === true && !isDueBy(head, now);
  if (!isEarly && !isDue({ ledger, snapshot: { pullRequest, policy } }) && continuing(ledger).length > 0)
    return { kind: 'review', at: [] };
  if (isDue({ ledger, snapshot: { pullRequest, policy } })) return { kind: 'state' };
  if (isChecked && mayRemind(head, { ledger, policy, ...(now !== undefined && { now }) }))
    return { kind: 'state' };
  if (!isChecked || head.owed !== true || ledger.paused !== undefined)
    return { kind: 'nothing', why: 'nothing was said to us' };
  return isDueBy(head, now)
    ? { kind: 'next_pass' }
    : { kind: 'nothing', why: 'a review goes on by itself, and its time has not come' };
}

/** Whether what is owed may come now. */
export const isDueBy = ({ due }: Pick<HeadSeen, 'due'>, now: number | undefined): boolean =>
  due === undefined || now === undefined || due <= now;

/** Whether the check on the head says that the pull request is paused, while it is not any more. */
const isPausedCheck = (
  head: HeadSeen,
  { ledger, pullRequest, policy }: Pick<Parameters<typeof wishOf>[0], 'ledger' | 'pullRequest' | 'policy'>,
): boolean =>
  !(pullRequest.draft && !policy.review.drafts) &&
  !ledger.passes.some((pass) => pass.head === head.sha && pass.finished) &&
  newRulings(ledger).some(
    ({ statement: { says, at }, outcome }) =>
      outcome.kind === 'applied' &&
      says.kind === 'command' &&
      says.name === 'resume' &&
      at >= (head.last ?? head.since),
  );

/** Whether somebody with the right to do so has asked for a review: pushes are followed from then on. */
export const wasAskedFor = ({ rulings }: Pick<Ledger, 'rulings'>): boolean =>
  asksForReview(rulings).length > 0;

/** Somebody with the right to do so asked for a review, and no run has acted on it yet. */
export const isAskedFor = (ledger: Ledger): boolean => asksForReview(newRulings(ledger)).length > 0;

const asksForReview = (rulings: readonly Ruling[]): readonly Statement[] =>
  rulings.flatMap(({ statement, outcome }) =>
    outcome.kind === 'left' && statement.says.kind === 'command' && statement.says.name === 'review'
      ? [statement]
      : [],
  );
