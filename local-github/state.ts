import type { KeyObject } from 'node:crypto';
import type { Git } from './git.js';
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
  readonly tokens: Map<string, Token>;
  readonly counters: Map<string, number>;
  /** Reads do not show what was written less than this many milliseconds of real time ago. */
  lagMs: number;
  emit: (event: WorldEvent) => void;
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
  readonly owner: Account;
  readonly bot: Account;
  readonly privateKey: string;
  readonly publicKey: KeyObject;
  readonly webhookSecret: string;
  readonly installationId: number;
  readonly createdAt: string;
  readonly events: readonly string[];
  webhookUrl: string | null;
  permissions: Permissions;
  suspended: boolean;
};

export type Token = {
  readonly value: string;
  readonly account: Account;
  readonly app?: App;
  /** Milliseconds since the epoch; absent for a person's token. */
  readonly expiresAt?: number;
  /** Full names in lower case; absent means every repository. */
  readonly repositories?: ReadonlySet<string>;
  /** What the token was narrowed to; the installation's own permissions still bound it. */
  readonly permissions?: Permissions;
};

/** Who acts: an account, and the app it acts through. */
export type Actor = { readonly account: Account; readonly app?: App; readonly token?: Token };

export type CollaboratorPermission = 'admin' | 'maintain' | 'write' | 'triage' | 'read';

export type Repository = {
  readonly id: number;
  readonly nodeId: string;
  readonly owner: Account;
  readonly name: string;
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
  requiredChecks: readonly string[];
  /** Pushes and reviews of a repository happen one after the other. */
  turn: Promise<unknown>;
};

export type Label = {
  readonly id: number;
  readonly nodeId: string;
  readonly name: string;
  readonly color: string;
  readonly description: string | null;
};

/** `born`: real milliseconds at which it was written, for read-after-write lag. */
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
  readonly headRepository: Repository | null;
  readonly headOwner: Account;
  headSha: string;
  baseRef: string;
  baseSha: string;
  /** Null when the two sides share no history. */
  mergeBase: string | null;
  /** Every head this pull request has had, the present one included. */
  readonly heads: string[];
  /** Real milliseconds at which the present head came. */
  headBorn: number;
  stats: PullStats;
  readonly labels: Set<string>;
  readonly requestedReviewers: Set<string>;
  readonly requestedTeams: Set<string>;
  readonly reviews: Review[];
  readonly threads: Thread[];
  readonly comments: IssueComment[];
  readonly reactions: Reaction[];
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
        | 'review_request_removed';
      readonly repository: Repository;
      readonly pull: Pull;
      readonly sender: Account;
      readonly before?: string;
      readonly after?: string;
      readonly changes?: unknown;
      readonly label?: Label;
      readonly reviewer?: Account;
      readonly team?: string;
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
      readonly kind: 'installation';
      readonly action: 'created' | 'deleted' | 'suspend' | 'unsuspend' | 'new_permissions_accepted';
      readonly app: App;
      readonly sender: Account;
    }
  | {
      readonly kind: 'installation_repositories';
      readonly action: 'added';
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

export const isVisible = (world: World, item: { readonly born: number }): boolean =>
  world.lagMs === 0 || item.born <= Date.now() - world.lagMs;

/** The head that reads show: for a while after a push that may be the one before. */
export const seenHead = (world: World, pull: Pull): string =>
  isVisible(world, { born: pull.headBorn }) ? pull.headSha : (pull.heads.at(-2) ?? pull.headSha);

/** Runs `act` after everything that was queued on the repository before. */
export const inTurn = <T>(repository: Repository, act: () => Promise<T>): Promise<T> => {
  const mine = repository.turn.then(act, act);
  repository.turn = mine.catch(() => undefined);
  return mine;
};

/** Every review comment of a pull request, oldest first. */
export const commentsOf = (pull: Pull): ReviewComment[] =>
  pull.threads.flatMap((thread) => thread.comments).sort((a, b) => a.id - b.id);
