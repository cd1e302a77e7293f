import type { Incoming, Said } from '../../core/trigger.js';
import type { Job } from '../../ports/job-runner.js';

type Conversation = Extract<Incoming, { kind: 'conversation' }>;
type Push = Extract<Incoming, { kind: 'pull_request' }>;

/** A job about a new state of the head: it takes the place of what runs and waits for its pull request. */
export type HeadJob = Job & { readonly trigger: Push };

/** Jobs of one lane run one after the other: those of a pull request, or of a head whose pull request is not known. */
export function laneKey(job: Job): string {
  const { trigger } = job;
  const repository = `${trigger.owner}/${trigger.repo}`;
  const number = 'number' in trigger ? trigger.number : undefined;
  const place = number === undefined && 'head' in trigger ? `@${trigger.head}` : `#${number ?? ''}`;
  return `${repository}${place}`.toLowerCase();
}

/** What is asked and said leaves the head as it is. */
export const isHeadJob = (job: Job): job is HeadJob => {
  const { trigger } = job;
  if (trigger.kind !== 'pull_request') return false;
  switch (trigger.reason) {
    case 'asked':
    case 'next_pass':
    case 'said':
    case 'ask_person':
      return false;
    case 'opened':
    case 'pushed':
    case 'reopened':
    case 'ready_for_review':
    case 'base_changed':
    case 'closed':
    case 'drafted':
      return true;
  }
};

/** A base can change twice under one head: those two are not the same. What is said is joined, never dropped. */
export function isSame(a: Job, b: Job): boolean {
  const [one, other] = [a.trigger, b.trigger];
  switch (one.kind) {
    case 'pull_request':
      return (
        other.kind === 'pull_request' &&
        one.head === other.head &&
        one.reason === other.reason &&
        one.reason !== 'base_changed' &&
        one.reason !== 'said'
      );
    case 'conversation':
      return false;
    case 'check':
      return other.kind === 'check' && one.head === other.head && one.wish === other.wish;
    case 'queue':
      return other.kind === 'queue' && one.head === other.head && one.base === other.base;
  }
}

/** What waits, with one more: all that was said is one job, told of by its newest event. */
export function joined(waiting: readonly Job[], job: Job): readonly Job[] {
  const { trigger } = job;
  const at = waiting.findIndex((one) => one.trigger.kind === 'conversation');
  const before = waiting[at]?.trigger;
  if (trigger.kind !== 'conversation' || before?.kind !== 'conversation') return [...waiting, job];
  return waiting.with(at, { ...job, trigger: { ...trigger, subjects: subjectsOf(before, trigger) } });
}

function subjectsOf(...conversations: readonly Conversation[]): readonly Said[] {
  const said = new Map(
    conversations.flatMap(({ subjects }) =>
      subjects.map((one) => [`${one.kind}:${one.databaseId}`, one] as const),
    ),
  );
  return [...said.values()].slice(-mostSubjects);
}

/** A reaction each is all that hangs on them. */
const mostSubjects = 100;

/** What a job that was aborted by a push leaves to be done: words and wishes for a person, not a run of an older head. */
export function isStillDue({ trigger }: Job): boolean {
  switch (trigger.kind) {
    case 'conversation':
      return true;
    case 'check':
      return trigger.wish === 'ask_person';
    case 'pull_request':
      return trigger.reason === 'said' || trigger.reason === 'ask_person';
    case 'queue':
      return true;
  }
}

export const headOf = ({ trigger }: Job): string | undefined =>
  'head' in trigger ? trigger.head : undefined;

/** For the log. */
export const about = ({ trigger, delivery }: Job): object => ({
  ...('number' in trigger && trigger.number !== undefined
    ? { pullRequest: `${trigger.owner}/${trigger.repo}#${trigger.number}` }
    : { repository: `${trigger.owner}/${trigger.repo}` }),
  ...('head' in trigger && { head: trigger.head }),
  reason: reasonOf(trigger),
  delivery,
});

function reasonOf(trigger: Incoming): string {
  switch (trigger.kind) {
    case 'pull_request':
      return trigger.reason;
    case 'conversation':
      return 'said';
    case 'check':
      return trigger.wish;
    case 'queue':
      return 'merge queue';
  }
}
