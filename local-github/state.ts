import type { KeyObject } from 'node:crypto';
import type { Git } from './git.js';
import type { Commit, PushedCommit } from './objects.js';
import type { Side, PatchLimits } from './diff.js';

/** Everything the local GitHub knows beside what git holds. Plain mutable records, one process, one owner. */
export type World = {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Set once the server listens: `http://127.0.0.1:PORT`. */
  url: string;
  readonly folder: string;
  readonly limits: Limits;
  readonly accounts: Map<string, Account>;
  readonly apps: App[];
  readonly repositories: Map<string, Repository>;
  /** Former full names, in lower case, and the id of the repository that had them. */
  readonly moved: Map<string, number>;
  readonly tokens: Map<string, Token>;
  readonly counters: Map<string, number>;
  readonly rules: Rules;
  readonly past: Past;
  /** Work that goes on after an answer was given: `settled` waits for it. */
  readonly background: Set<Promise<unknown>>;
  /** By the id of a repository: pushes that the page of a pull request offers. Not saved. */
  readonly offers: Map<number, Offer[]>;
  /** By the id of a repository: what the page of a pull request says to look at. Not saved. */
  readonly captions: Map<number, readonly Caption[]>;
  /** Told after each write to a repository. Not saved. */
  readonly watchers: Set<(repository: Repository) => void>;
  emit: (event: WorldEvent) => void;
};

/** GitHub's own unkindness, which a test may switch off. */
export type Rules = {
  /** A review with more comments than this is stored and answered with 502; null never. */
  lateAnswerAbove: number | null;
  /** Requests a minute and account that may create content before the secondary limit; null for no limit. */
  contentRequestsAMinute: number | null;
  /** Whether `mergeable` is null until it was asked for once. */
  mergeableLater: boolean;
  /** Of a spent primary limit. */
  spentStatus: 403 | 429;
};

/** A push that a page offers as a button. */
export type Offer = {
  /** What the button says: `Push a fix`. */
  readonly label: string;
  /** Where it goes: offered on the open pull requests whose head this branch is. */
  readonly branch: string;
  /** Pushes as the account of that login. */
  readonly push: (login: string) => Promise<unknown>;
};

/** A line above a conversation that says what to look at. */
export type Caption = {
  /** What leads there: `Read a finding`. */
  readonly name: string;
  /** What follows after a colon. */
  readonly text: string;
  /** The first conversation on lines whose first comment begins so, or the checks. */
  readonly to: { readonly kind: 'thread'; readonly begins: RegExp } | { readonly kind: 'checks' };
};

/** How repositories were, for reads that lag behind writes. Made by `createPast`. */
export type Past = {
  lagMs: number;
  readonly states: Map<Repository, { readonly at: number; readonly state: Repository }[]>;
  readonly dirty: Set<Repository>;
};

export type Limits = {
  readonly patch: PatchLimits;
  /** Of the diff media type: more files or lines answer 406. */
  readonly diffFiles: number;
  readonly diffLines: number;
  readonly listedFiles: number;
  readonly comparedFiles: number;
  /** Entries of a recursive tree before it says `truncated`. */
  readonly treeEntries: number;
  readonly requestsAnHour: number;
  /** What a webhook's receiver has for its answer. */
  readonly deliveryMs: number;
};

export type Account = {
  readonly login: string;
  readonly id: number;
  readonly nodeId: string;
  readonly type: 'User' | 'Bot' | 'Organization';
  /** A deleted account: REST shows ghost, GraphQL null. */
  gone: boolean;
};

export type Access = 'read' | 'write' | 'none';
export type Permissions = Record<string, Access>;

export type App = {
  readonly id: number;
  readonly nodeId: string;
  readonly slug: string;
  readonly name: string;
  /** What GitHub recommends as the issuer of JSON web tokens. */
  readonly clientId: string;
  readonly owner: Account;
  readonly bot: Account;
  readonly privateKey: string;
  readonly publicKey: KeyObject;
  readonly webhookSecret: string;
  /** Another one after each new installation. */
  installationId: number;
  readonly createdAt: string;
  readonly events: readonly string[];
  webhookUrl: string | null;
  permissions: Permissions;
  suspendedAt: string | null;
  installed: boolean;
  /** Ids of repositories that the installation was taken away from. */
  readonly withheld: Set<number>;
};

export type Token = {
  readonly value: string;
  readonly account: Account;
  readonly app?: App;
  /** Milliseconds since the epoch; absent for a person's token. */
  readonly expiresAt?: number;
  /** Ids; absent means every repository. */
  readonly repositories?: ReadonlySet<number>;
  /** What the token was narrowed to; the installation's own permissions still bound it. */
  readonly permissions?: Permissions;
};

/** Who acts: an account, and the app it acts through. */
export type Actor = { readonly account: Account; readonly app?: App; readonly token?: Token };

export type CollaboratorPermission = 'admin' | 'maintain' | 'write' | 'triage' | 'read';

export type Repository = {
  readonly id: number;
  readonly nodeId: string;
  owner: Account;
  name: string;
  readonly private: boolean;
  readonly fork: boolean;
  readonly git: Git;
  readonly createdAt: string;
  pushedAt: string;
  defaultBranch: string;
  nextNumber: number;
  readonly pulls: Map<number, Pull>;
  readonly labels: Map<string, Label>;
  readonly collaborators: Map<string, CollaboratorPermission>;
  readonly checkRuns: CheckRun[];
  readonly checkSuites: CheckSuite[];
  requiredChecks: readonly RequiredCheck[];
  /** The merge queues of all branches, in order. */
  readonly queue: QueueEntry[];
  /** Pushes and reviews of a repository happen one after the other. */
  turn: Promise<unknown>;
};

/** A name, or a name that only one app may answer: the check's "source" in the branch's rules. */
export type RequiredCheck = string | { readonly name: string; readonly app: number };

export type QueueEntry = {
  readonly id: number;
  readonly nodeId: string;
  readonly pull: Pull;
  readonly enqueuer: Account;
  readonly enqueuedAt: string;
  /** What the pull request's head was: another one takes it out of the queue. */
  readonly pullHead: string;
  readonly baseRef: string;
  /** The commit the group stands on: the branch's tip, or the group before. */
  baseSha: string;
  /** `gh-readonly-queue/main/pr-1-<base sha>`. */
  headRef: string;
  headSha: string;
  commit: Commit;
};

export type Label = {
  readonly id: number;
  readonly nodeId: string;
  readonly name: string;
  readonly color: string;
  readonly description: string | null;
};

/** `born`: real milliseconds at which it was written; the times above know whole seconds only. */
type Written = { readonly born: number };

export type Pull = Written & {
  readonly id: number;
  readonly issueId: number;
  readonly nodeId: string;
  readonly number: number;
  readonly author: Account;
  readonly createdAt: string;
  updatedAt: string;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  draft: boolean;
  merged: boolean;
  mergedAt: string | null;
  closedAt: string | null;
  mergedBy: Account | null;
  mergeCommit: string | null;
  readonly headRef: string;
  /** The repository the head lives in; null when it was deleted. */
  headRepository: Repository | null;
  readonly headOwner: Account;
  headSha: string;
  baseRef: string;
  baseSha: string;
  /** Null when the two sides share no history. */
  mergeBase: string | null;
  /** Every head this pull request has had, the present one included. */
  readonly heads: string[];
  readonly forcedPushes: ForcedPush[];
  stats: PullStats;
  /** Pairs of base and head for which somebody has asked whether they merge. Shared with every copy. */
  readonly computed: Set<string>;
  readonly labels: Set<string>;
  readonly requestedReviewers: Set<string>;
  readonly requestedTeams: Set<string>;
  readonly reviews: Review[];
  readonly threads: Thread[];
  readonly comments: IssueComment[];
  readonly reactions: Reaction[];
};

/** A push that took the head before it away. */
export type ForcedPush = {
  readonly nodeId: string;
  readonly before: string;
  readonly after: string;
  readonly by: Account;
  readonly at: string;
};

export type PullStats = {
  readonly commits: number;
  readonly additions: number;
  readonly deletions: number;
  readonly changedFiles: number;
  readonly mergeable: boolean | null;
};

export type ReviewState = 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED';

type Text = {
  body: string;
  updatedAt: string;
  /** Null until somebody edits it. */
  lastEditedAt: string | null;
  editor: Account | null;
};

export type Review = Written &
  Text & {
    readonly id: number;
    readonly nodeId: string;
    readonly author: Account;
    readonly commitId: string;
    readonly createdAt: string;
    state: ReviewState;
    submittedAt: string | null;
    minimized: string | null;
    readonly reactions: Reaction[];
  };

export type Thread = Written & {
  readonly nodeId: string;
  readonly path: string;
  readonly subject: 'line' | 'file';
  readonly side: Side;
  readonly startSide: Side | null;
  readonly originalLine: number | null;
  readonly originalStartLine: number | null;
  readonly originalCommitId: string;
  readonly originalPosition: number | null;
  readonly diffHunk: string;
  /** Null once the code it stood on has changed. */
  line: number | null;
  startLine: number | null;
  position: number | null;
  outdated: boolean;
  commitId: string;
  resolvedBy: Account | null;
  readonly comments: ReviewComment[];
};

export type ReviewComment = Written &
  Text & {
    readonly id: number;
    readonly nodeId: string;
    readonly author: Account;
    readonly review: Review;
    readonly thread: Thread;
    readonly inReplyTo: number | null;
    readonly createdAt: string;
    readonly reactions: Reaction[];
    minimized: string | null;
  };

export type IssueComment = Written &
  Text & {
    readonly id: number;
    readonly nodeId: string;
    readonly author: Account;
    readonly app: App | null;
    readonly createdAt: string;
    readonly reactions: Reaction[];
    minimized: string | null;
  };

export const REACTIONS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const;
export type ReactionContent = (typeof REACTIONS)[number];

export type Reaction = Written & {
  readonly id: number;
  readonly nodeId: string;
  readonly account: Account;
  readonly content: ReactionContent;
  readonly createdAt: string;
};

export type CheckSuite = {
  readonly id: number;
  readonly nodeId: string;
  readonly app: App;
  readonly headSha: string;
  readonly createdAt: string;
  /** Somebody asked for a run again: queued and without a conclusion until a run moves. */
  reset: boolean;
};

export const CONCLUSIONS = [
  'success',
  'failure',
  'neutral',
  'cancelled',
  'skipped',
  'timed_out',
  'action_required',
] as const;
export type Conclusion = (typeof CONCLUSIONS)[number];
export const CHECK_STATUSES = [
  'queued',
  'in_progress',
  'completed',
  'waiting',
  'requested',
  'pending',
] as const;
export type CheckStatus = (typeof CHECK_STATUSES)[number];

export type Annotation = {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly start_column: number | null;
  readonly end_column: number | null;
  readonly annotation_level: string;
  readonly title: string | null;
  readonly message: string;
  readonly raw_details: string | null;
};

export type CheckRun = Written & {
  readonly id: number;
  readonly nodeId: string;
  readonly app: App;
  readonly suite: CheckSuite;
  readonly headSha: string;
  name: string;
  externalId: string | null;
  detailsUrl: string | null;
  status: CheckStatus;
  conclusion: Conclusion | null;
  startedAt: string | null;
  completedAt: string | null;
  title: string | null;
  summary: string | null;
  text: string | null;
  readonly annotations: Annotation[];
  actions: readonly { readonly label: string; readonly description: string; readonly identifier: string }[];
};

/** What happened, for the webhooks. Payloads are built at once, so that they show the state of that moment. */
export type WorldEvent =
  | {
      readonly kind: 'pull_request';
      readonly action:
        | 'opened'
        | 'synchronize'
        | 'reopened'
        | 'ready_for_review'
        | 'converted_to_draft'
        | 'edited'
        | 'closed'
        | 'labeled'
        | 'unlabeled'
        | 'review_requested'
        | 'review_request_removed'
        | 'enqueued'
        | 'dequeued';
      readonly repository: Repository;
      readonly pull: Pull;
      readonly sender: Account;
      readonly before?: string;
      readonly after?: string;
      readonly changes?: unknown;
      readonly label?: Label;
      readonly reviewer?: Account;
      readonly team?: string;
      readonly reason?: string;
    }
  | {
      readonly kind: 'pull_request_review';
      readonly action: 'submitted' | 'edited' | 'dismissed';
      readonly repository: Repository;
      readonly pull: Pull;
      readonly review: Review;
      readonly sender: Account;
      readonly changes?: unknown;
    }
  | {
      readonly kind: 'pull_request_review_comment';
      readonly action: 'created' | 'edited' | 'deleted';
      readonly repository: Repository;
      readonly pull: Pull;
      readonly comment: ReviewComment;
      readonly sender: Account;
      readonly changes?: unknown;
    }
  | {
      readonly kind: 'pull_request_review_thread';
      readonly action: 'resolved' | 'unresolved';
      readonly repository: Repository;
      readonly pull: Pull;
      readonly thread: Thread;
      readonly sender: Account;
    }
  | {
      readonly kind: 'issue_comment';
      readonly action: 'created' | 'edited' | 'deleted';
      readonly repository: Repository;
      readonly pull: Pull;
      readonly comment: IssueComment;
      readonly sender: Account;
      readonly changes?: unknown;
    }
  | {
      readonly kind: 'check_run';
      readonly action: 'created' | 'completed' | 'rerequested' | 'requested_action';
      readonly repository: Repository;
      readonly run: CheckRun;
      readonly sender: Account;
      readonly identifier?: string;
    }
  | {
      readonly kind: 'check_suite';
      readonly action: 'requested' | 'completed' | 'rerequested';
      readonly repository: Repository;
      readonly suite: CheckSuite;
      readonly commit: Commit;
      readonly sender: Account;
    }
  | {
      readonly kind: 'push';
      readonly action: null;
      readonly repository: Repository;
      readonly branch: string;
      readonly before: string | null;
      readonly after: string;
      readonly forced: boolean;
      readonly commits: readonly PushedCommit[];
      readonly sender: Account;
    }
  | {
      readonly kind: 'merge_group';
      readonly action: 'checks_requested' | 'destroyed';
      readonly reason?: 'merged' | 'invalidated' | 'dequeued';
      readonly repository: Repository;
      /** By value: an entry may be built anew. */
      readonly group: Pick<QueueEntry, 'headSha' | 'headRef' | 'baseSha' | 'baseRef' | 'commit'>;
      readonly sender: Account;
    }
  | {
      readonly kind: 'repository';
      readonly action: 'renamed' | 'deleted';
      readonly repository: Repository;
      readonly sender: Account;
      readonly changes?: unknown;
    }
  | {
      readonly kind: 'installation';
      readonly action: 'created' | 'deleted' | 'suspend' | 'unsuspend' | 'new_permissions_accepted';
      readonly app: App;
      readonly sender: Account;
    }
  | {
      readonly kind: 'installation_repositories';
      readonly action: 'added' | 'removed';
      readonly app: App;
      readonly repository: Repository;
      readonly sender: Account;
    };

export const now = (world: World): string => stamp(world.clock());

/** GitHub's times have whole seconds. */
export const stamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/**
 * Ids of the things GitHub numbers past 32 bits start there here too: GraphQL's `databaseId` cannot carry them.
 * https://docs.github.com/en/graphql/reference/objects (fullDatabaseId)
 */
const FIRST: Readonly<Record<string, number>> = {
  comment: 3_100_000_000,
  review: 3_200_000_000,
  reviewComment: 2_600_000_000,
  checkRun: 51_000_000_000,
  checkSuite: 49_000_000_000,
};

export const nextId = (world: World, kind: string): number => {
  const id = (world.counters.get(kind) ?? FIRST[kind] ?? 1000) + 1;
  world.counters.set(kind, id);
  return id;
};

export const nodeId = (prefix: string, id: number): string =>
  `${prefix}_${Buffer.from(`local:${prefix}:${id}`).toString('base64url')}`;

/** The account of that name, made on first use. */
export const accountOf = (world: World, login: string, type: Account['type'] = 'User'): Account => {
  const known = world.accounts.get(login.toLowerCase());
  if (known !== undefined) return known;
  const id = nextId(world, 'account');
  const prefix = type === 'Bot' ? 'BOT' : type === 'Organization' ? 'O' : 'U';
  const account: Account = { login, id, nodeId: nodeId(prefix, id), type, gone: false };
  world.accounts.set(login.toLowerCase(), account);
  return account;
};

export const fullName = (repository: Repository): string => `${repository.owner.login}/${repository.name}`;

/** The repository of that name, or the one that had it before it was renamed. */
export const repositoryNamed = (
  world: World,
  name: string,
): { readonly repository: Repository; readonly moved: boolean } | null => {
  const key = name.toLowerCase();
  const here = world.repositories.get(key);
  if (here !== undefined) return { repository: here, moved: false };
  const id = world.moved.get(key);
  const gone = id === undefined ? undefined : repositoryOfId(world, id);
  return gone === undefined ? null : { repository: gone, moved: true };
};

export const repositoryOfId = (world: World, id: number): Repository | undefined =>
  [...world.repositories.values()].find((repository) => repository.id === id);

/** Lets `work` run on after the answer; `settled` waits for it. */
export const inBackground = (world: World, work: Promise<unknown>): void => {
  const told = work
    .catch((error: unknown) => {
      process.stderr.write(`local GitHub: ${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
    })
    .finally(() => world.background.delete(told));
  world.background.add(told);
};

/** Runs `act` after everything that was queued on the repository before. */
export const inTurn = <T>(repository: Repository, act: () => Promise<T>): Promise<T> => {
  const mine = repository.turn.then(act, act);
  repository.turn = mine.catch(() => undefined);
  return mine;
};

/** Every review comment of a pull request, oldest first. */
export const commentsOf = (pull: Pull): ReviewComment[] =>
  pull.threads.flatMap((thread) => thread.comments).sort((a, b) => a.id - b.id);
