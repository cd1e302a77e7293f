import { z } from 'zod';
import { Sha } from '../../core/pull-request.js';
import { numberOfKey } from '../../core/trigger.js';
import type { Ignored, Incoming, Said, Trigger } from '../../core/trigger.js';
import { accept, actionIdentifiers, type Own } from './accept.js';

/**
 * A delivery as what starts a run, or the reason why it starts nothing. Only hints: the snapshot reads the live state.
 * Never throws, whatever the payload holds.
 */
export function toTrigger(name: string, payload: unknown, own: Own = {}): Incoming | Ignored {
  const acceptance = accept(name, payload, own);
  if (acceptance.kind === 'ignored') return acceptance;
  const read = readers[name as keyof typeof readers];
  return read(payload);
}

const Repository = z.object({
  // The names go into addresses of requests, so their alphabet is checked.
  name: z.string().regex(/^[A-Za-z0-9_.-]{1,100}$/),
  owner: z.object({ login: z.string().regex(/^[A-Za-z0-9_-]{1,100}$/) }),
});

/** What every event carries. Old payloads lack `installation`; a GitHub App's own always have it. */
const common = {
  repository: Repository,
  installation: z.object({ id: z.number().int().positive() }),
  sender: z.object({ login: z.string() }).nullish(),
};

const time = z.string().max(40).nullish().catch(undefined);
const number = z.number().int().positive();
const branch = z.string().min(1).max(255);

const PullRequestEvent = z.object({
  ...common,
  action: z.enum([
    'opened',
    'synchronize',
    'reopened',
    'ready_for_review',
    'converted_to_draft',
    'edited',
    'closed',
    'labeled',
    'unlabeled',
  ]),
  number,
  before: Sha.nullish().catch(undefined),
  pull_request: z.object({
    draft: z.boolean().default(false),
    head: z.object({ sha: Sha }),
    base: z.object({ ref: branch }).optional(),
    updated_at: time,
  }),
});

/** Labels say something about a pull request; the others are about its head. */
const reasons = {
  opened: 'opened',
  synchronize: 'pushed',
  reopened: 'reopened',
  ready_for_review: 'ready_for_review',
  converted_to_draft: 'drafted',
  edited: 'base_changed',
  closed: 'closed',
  labeled: null,
  unlabeled: null,
} as const satisfies Record<z.infer<typeof PullRequestEvent>['action'], Trigger['reason'] | null>;

const Written = z.object({ id: number, created_at: time, updated_at: time });
const Pull = z.object({ number, updated_at: time });

const IssueComment = z.object({ ...common, issue: z.object({ number }), comment: Written });
const ReviewComment = z.object({ ...common, pull_request: Pull, comment: Written });
const Review = z.object({
  ...common,
  action: z.string(),
  pull_request: Pull,
  review: z.object({ id: number, body: z.string().nullish(), submitted_at: time, updated_at: time }),
});
const ReviewThread = z.object({ ...common, pull_request: Pull, updated_at: time });

const CheckRun = z.object({
  ...common,
  sender: z.object({ login: z.string(), type: z.string().nullish().catch(undefined) }).nullish(),
  check_run: z.object({
    head_sha: Sha,
    external_id: z.string().nullish().catch(undefined),
    app: z.object({ slug: z.string().nullish() }).nullish().catch(undefined),
  }),
  requested_action: z.object({ identifier: z.enum(['review_again', 'ask_person']) }).optional(),
});
const CheckSuite = z.object({ ...common, check_suite: z.object({ head_sha: Sha }) });

const MergeGroup = z.object({
  ...common,
  merge_group: z.object({ head_sha: Sha, base_ref: branch }),
});

const readers = {
  pull_request: reading(PullRequestEvent, (event) => {
    const { action, pull_request: pull, before } = event;
    const reason = reasons[action];
    if (reason === null) return conversation(event, event.number, pull.updated_at);
    return {
      kind: 'pull_request',
      reason,
      number: event.number,
      head: pull.head.sha,
      ...(pull.base !== undefined && { base: pull.base.ref }),
      draft: pull.draft,
      ...placeOf(event),
      ...atOf(pull.updated_at),
      ...(before != null && { before }),
    };
  }),
  issue_comment: reading(IssueComment, (event) =>
    conversation(event, event.issue.number, timeOf(event.comment), {
      kind: 'comment',
      databaseId: event.comment.id,
    }),
  ),
  pull_request_review_comment: reading(ReviewComment, (event) =>
    conversation(event, event.pull_request.number, timeOf(event.comment), {
      kind: 'reply',
      databaseId: event.comment.id,
    }),
  ),
  pull_request_review: reading(Review, (event) => {
    const { id, body, submitted_at: submitted, updated_at: updated } = event.review;
    const isText = event.action !== 'dismissed' && (body ?? '').trim() !== '';
    return conversation(
      event,
      event.pull_request.number,
      updated ?? submitted,
      ...(isText ? [{ kind: 'review', databaseId: id } as const] : []),
    );
  }),
  pull_request_review_thread: reading(ReviewThread, (event) =>
    conversation(event, event.pull_request.number, event.updated_at ?? event.pull_request.updated_at),
  ),
  check_run: reading(CheckRun, (event) => ({
    kind: 'check',
    wish:
      event.requested_action === undefined
        ? isByItsApp(event)
          ? 'next_pass'
          : 'rerun'
        : actionIdentifiers[event.requested_action.identifier],
    head: event.check_run.head_sha,
    ...numberOf(event.check_run.external_id),
    ...placeOf(event),
  })),
  check_suite: reading(CheckSuite, (event) => ({
    kind: 'check',
    wish: 'rerun',
    head: event.check_suite.head_sha,
    ...placeOf(event),
  })),
  merge_group: reading(MergeGroup, (event) => ({
    kind: 'queue',
    head: event.merge_group.head_sha,
    base: event.merge_group.base_ref.replace(/^refs\/heads\//, ''),
    ...placeOf(event),
  })),
} as const;

type Common = z.infer<z.ZodObject<typeof common>>;

const placeOf = ({ repository, installation, sender }: Common) => ({
  owner: repository.owner.login,
  repo: repository.name,
  installation: installation.id,
  sender: sender?.login ?? 'ghost',
});

function conversation(
  event: Common,
  about: number,
  at: string | null | undefined,
  ...subjects: readonly Said[]
): Incoming {
  return { kind: 'conversation', number: about, subjects, ...placeOf(event), ...atOf(at) };
}

/** We ask for our own run again where the next pass is owed; anybody else who does so is a person or another app. */
const isByItsApp = ({ sender, check_run: { app } }: z.infer<typeof CheckRun>): boolean =>
  sender?.type === 'Bot' && app?.slug != null && sender.login === `${app.slug}[bot]`;

const timeOf = (text: z.infer<typeof Written>): string | null | undefined =>
  text.updated_at ?? text.created_at;

function numberOf(key: string | null | undefined): { readonly number?: number } {
  const found = numberOfKey(key ?? '');
  return found === null ? {} : { number: found };
}

function atOf(written: string | null | undefined): { readonly at?: number } {
  const at = Date.parse(written ?? '');
  return Number.isFinite(at) ? { at } : {};
}

/** Reads by shape; what does not fit is told by the name of its place. */
function reading<T>(schema: z.ZodType<T>, toIncoming: (event: T) => Incoming) {
  return (payload: unknown): Incoming | Ignored => {
    const parsed = schema.safeParse(payload);
    if (parsed.success) return toIncoming(parsed.data);
    const where = parsed.error.issues[0]?.path.join('.') ?? '';
    return {
      kind: 'ignored',
      reason: where.startsWith('installation')
        ? 'the payload names no installation: it comes from a repository webhook, not from the GitHub App'
        : `the payload is malformed at ${where || 'its root'}`,
    };
  };
}
