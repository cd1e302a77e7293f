import { skipOf } from './coverage.js';
import { isDependencyUpdate } from './dependency-files.js';
import type { FileDiff } from './diff.js';
import type { Policy, StartingEvent } from './policy.js';
import type { Sha } from './pull-request.js';
import { listed } from './render/words.js';
import { branchMatches, firstGlob } from './search.js';
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
    /** A run ended after a clean pass, and the next one is owed: nobody asked, and nothing was pushed. */
    | 'next_pass'
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
  /** What was written, for `said`. */
  readonly subjects?: readonly Said[];
} & PutOff;

/** How often an event was put off because the forge did not answer before anything was begun. */
type PutOff = { readonly putOff?: number };

/** Something that somebody wrote, by its REST id. */
export type Said = { readonly kind: 'comment' | 'reply' | 'review'; readonly databaseId: number };

/**
 * An event that names no head, or no pull request: the forge looks both up. A check may stand on a commit of a fork,
 * whose events name no pull request.
 */
export type Incoming =
  | Trigger
  | ({
      readonly kind: 'conversation';
      readonly owner: string;
      readonly repo: string;
      readonly number: number;
      readonly installation: number;
      readonly sender: string;
      readonly at?: number;
      /** What the events are about: each gets its reaction. Empty for resolving, labels and approvals. */
      readonly subjects: readonly Said[];
    } & PutOff)
  | ({
      readonly kind: 'check';
      /** `next_pass`: this app brings itself back. */
      readonly wish: 'rerun' | 'ask_person' | 'next_pass';
      readonly owner: string;
      readonly repo: string;
      readonly head: Sha;
      /** From the key of our own check run; absent: every open pull request of this head that we know. */
      readonly number?: number;
      readonly installation: number;
      readonly sender: string;
      readonly at?: number;
    } & PutOff)
  | ({
      /** A merge queue asks for the check on the commit of a group. */
      readonly kind: 'queue';
      readonly owner: string;
      readonly repo: string;
      readonly head: Sha;
      /** The name of the branch that is merged into. */
      readonly base: string;
      readonly installation: number;
      readonly sender: string;
    } & PutOff);

/** A payload that starts nothing, with the reason that is logged. */
export type Ignored = { readonly kind: 'ignored'; readonly reason: string };

/** One run for one head against one base: a redelivery has the same key. */
export const jobKey = (trigger: Pick<Trigger, 'owner' | 'repo' | 'number' | 'head'>, base: string): string =>
  `${trigger.owner}/${trigger.repo}#${trigger.number}:${trigger.head}:${base}`;

/** The pull request that a job's key names; null for the key of somebody else. The repository may be renamed since. */
export function numberOfKey(key: string): number | null {
  const found = /^[^#\s]{3,201}#([1-9]\d{0,9}):/.exec(key)?.[1];
  return found === undefined ? null : Number(found);
}

/** The base branch that a job's key names. */
export const baseOfKey = (key: string): string | undefined => /^[^#\s]+#\d+:[0-9a-f]+:(.+)$/.exec(key)?.[1];

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

/** What the conversation says about whether a review is wanted. */
export type Wanting = {
  /** Some pass was made, or somebody with the right to do so asked for a review: pushes are followed from then on. */
  readonly followed: boolean;
  readonly paused?: { readonly by: string };
};

type NotReviewed = Extract<Decision, { kind: 'not_reviewed' }>;

/**
 * Whether a trigger goes on to a review, from what is live. Somebody who asks is given a review in spite of a setting,
 * except where there is nothing to read, or the base is none that is reviewed here.
 */
export function shouldReview(
  trigger: Pick<Trigger, 'reason' | 'head'>,
  snapshot: Pick<Snapshot, 'pullRequest' | 'policy' | 'diff'>,
  wanting: Wanting = { followed: false },
): Decision {
  const { pullRequest } = snapshot;
  if (pullRequest.state !== 'open') return { kind: 'closed' };
  if (pullRequest.head.sha !== trigger.head) return { kind: 'overtaken', by: pullRequest.head.sha };
  const never = nothingToRead(snapshot) ?? otherBase(snapshot);
  if (never !== null) return never;
  if (trigger.reason === 'asked') return { kind: 'review' };
  return (
    paused(wanting) ??
    draft(snapshot) ??
    dependencyUpdate(snapshot) ??
    firstContribution(snapshot, wanting) ??
    notAsked(trigger, snapshot, wanting) ?? { kind: 'review' }
  );
}

const not = (title: string, sentence: string, meant: boolean): NotReviewed => ({
  kind: 'not_reviewed',
  title: `Not reviewed: ${title}`,
  sentence,
  meant,
});

type Given = Pick<Snapshot, 'pullRequest' | 'policy' | 'diff'>;

function nothingToRead({ pullRequest, policy, diff }: Given): NotReviewed | null {
  if (diff.length === 0 && pullRequest.changedFiles === 0)
    return not('no changes', `This pull request changes no file against \`${pullRequest.base.ref}\`.`, true);
  if (diff.length === 0 || diff.length < pullRequest.changedFiles) return null;
  const isSkipped = skipOf(policy);
  if (diff.some((file) => isSkipped(file) === null)) return null;
  const files =
    diff.length === 1 ? 'the only file' : diff.length === 2 ? 'both files' : `all ${diff.length} files`;
  return not('only generated files', `${whatCovers(policy, diff)} covers ${files}.`, true);
}

/** The setting by which no file is read, with its line where one entry covers all. */
function whatCovers({ review, places }: Policy, diff: readonly FileDiff[]): string {
  const skipped = firstGlob(review.skip);
  const covering = diff.map(({ path }) => skipped(path));
  const [first] = covering;
  const isMarked = covering.includes(-1);
  const key = isMarked ? 'paths.generated' : 'paths.skip';
  const place =
    (covering.every((index) => index === first) ? places[`${key}[${first}]`] : undefined) ?? places[key];
  const where = place === undefined ? '' : ` in \`${place.file}\`, line ${place.line},`;
  return `\`${key}\`${where}`;
}

function otherBase({ pullRequest, policy }: Given): NotReviewed | null {
  const { baseBranches } = policy.review;
  const { ref } = pullRequest.base;
  if (baseBranches.length === 0 || baseBranches.some((glob) => branchMatches(glob, ref))) return null;
  const names = baseBranches.map((glob) => `\`${glob}\``);
  return not('base branch', `Only pull requests into ${listed(names)} are reviewed here.`, true);
}

const paused = ({ paused }: Wanting): NotReviewed | null =>
  paused === undefined ? null : not(`paused by ${paused.by}`, '`/evident resume` starts it again.', false);

/** A draft becomes ready in one moment: a skipped check would let it merge unread in that moment. */
const draft = ({ pullRequest, policy }: Given): NotReviewed | null =>
  pullRequest.draft && !policy.review.drafts
    ? not(
        'draft',
        'Reviewed when it is marked ready. `/evident review` does it now.',
        policy.gate.mode === 'advisory',
      )
    : null;

/** Anybody may call an account like a bot of that kind: one that may push here was let in. */
const isFromHere = ({ head, repo }: Given['pullRequest']): boolean =>
  head.repo?.toLowerCase() === `${repo.owner}/${repo.name}`.toLowerCase();

function dependencyUpdate({ pullRequest, policy, diff }: Given): NotReviewed | null {
  const isUpdate =
    pullRequest.author.kind === 'dependency_bot' &&
    diff.length >= pullRequest.changedFiles &&
    isFromHere(pullRequest) &&
    diff.every(isDependencyUpdate);
  return isUpdate && !policy.review.dependencyBots
    ? not(
        'dependency update',
        'Updates by dependabot and renovate are left alone here. `/evident review` does it now.',
        true,
      )
    : null;
}

const firstContribution = ({ pullRequest, policy }: Given, { followed }: Wanting): NotReviewed | null =>
  pullRequest.author.isNew === true && policy.review.outsideAuthors === 'on_request' && !followed
    ? not(
        'first contribution',
        'Someone with write access starts it with `/evident review` (setting `outside_authors`).',
        false,
      )
    : null;

/** In `blocking` what nobody asked for yet holds the merge: it is meant to be asked for. */
function notAsked(
  { reason }: Pick<Trigger, 'reason'>,
  { policy }: Given,
  { followed }: Wanting,
): NotReviewed | null {
  const { start, when } = policy.review;
  const meant = policy.gate.mode === 'advisory';
  if (start === 'on_request' && !followed)
    return not('not asked for yet', '`/evident review` starts it, and later pushes are followed.', meant);
  const event = eventOf(reason);
  if (event === null || when.includes(event)) return null;
  const events =
    when.length === 0
      ? 'No event starts'
      : `Only ${listed(when.map((one) => `\`${one}\``))} ${when.length === 1 ? 'starts' : 'start'}`;
  return not(
    'not asked for yet',
    `${events} a review here (setting \`when\`). \`/evident review\` does it now.`,
    meant,
  );
}

function eventOf(reason: Trigger['reason']): StartingEvent | null {
  switch (reason) {
    case 'opened':
    case 'reopened':
      return 'opened';
    case 'pushed':
    case 'base_changed':
      return 'pushed';
    case 'ready_for_review':
      return 'ready';
    case 'closed':
    case 'drafted':
    case 'asked':
    case 'next_pass':
    case 'said':
    case 'ask_person':
      return null;
  }
}
