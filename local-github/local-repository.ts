import { addIssueComment, deleteIssueComment, editIssueComment, react } from './comments.js';
import { canWrite } from './auth.js';
import {
  createCheckRun,
  latestRuns,
  mergeability,
  type Mergeability,
  requestAction,
  rerequest,
  rerequestSuite,
} from './checks.js';
import type { Side } from './diff.js';
import { addLabel, removeLabel } from './labels.js';
import { dequeue, enqueue } from './merge-queue.js';
import type { FileChange } from './objects.js';
import { noteWrite } from './past.js';
import { type PlantedPull, plantPulls } from './plant.js';
import {
  closePull,
  editPull,
  openPull,
  push,
  pushExisting,
  reopenPull,
  retargetPull,
  setDraft,
} from './pulls.js';
import {
  createReview,
  deleteReviewComment,
  dismissReview,
  editReview,
  editReviewComment,
  type NewAnchor,
  replyTo,
  type ReviewEvent,
  setResolved,
} from './reviews.js';
import {
  type Account,
  accountOf,
  type App,
  type Caption,
  type CheckRun,
  type CollaboratorPermission,
  commentsOf,
  type Conclusion,
  fullName,
  inTurn,
  type Offer,
  type Permissions,
  type Pull,
  type QueueEntry,
  type Reaction,
  type ReactionContent,
  type Repository,
  type RequiredCheck,
  type ReviewState,
  type Thread,
  type World,
} from './state.js';

export type CommitOrder = {
  readonly branch: string;
  /** A branch, tag or commit to start from; the branch's own tip unless told. */
  readonly from?: string;
  readonly files: Readonly<Record<string, FileChange>>;
  readonly message: string;
  /** Login of who pushes; the repository's owner unless told. */
  readonly author?: string;
};

export type PullOrder = {
  readonly head: string;
  readonly base?: string;
  readonly title: string;
  readonly body?: string | null;
  readonly author?: string;
  readonly draft?: boolean;
  /** null: the fork was deleted. A name: the head lives in that fork (its branch in this repository's store). */
  readonly headRepository?: null | { readonly owner: string; readonly name?: string };
};

export type ReactionView = { readonly content: ReactionContent; readonly by: string };

export type CommentView = {
  readonly id: number;
  readonly nodeId: string;
  readonly author: string;
  readonly body: string;
  readonly createdAt: string;
  readonly edited: boolean;
  readonly editor: string | null;
  readonly minimized: string | null;
  readonly reactions: readonly ReactionView[];
};

export type ThreadView = {
  /** Node id: what `as(...).reply` and `resolve` take, beside the id of any of its comments. */
  readonly id: string;
  readonly path: string;
  readonly side: Side;
  readonly line: number | null;
  readonly startLine: number | null;
  readonly originalLine: number | null;
  readonly isResolved: boolean;
  readonly resolvedBy: string | null;
  readonly isOutdated: boolean;
  readonly diffHunk: string;
  readonly comments: readonly (CommentView & { readonly reviewId: number })[];
};

export type ReviewView = {
  readonly id: number;
  readonly nodeId: string;
  readonly author: string;
  readonly state: ReviewState;
  readonly body: string;
  readonly commitId: string;
  readonly edited: boolean;
  readonly minimized: string | null;
  readonly reactions: readonly ReactionView[];
};

export type CheckView = {
  readonly id: number;
  readonly app: string;
  readonly name: string;
  readonly headSha: string;
  readonly status: string;
  readonly conclusion: Conclusion | null;
  readonly externalId: string | null;
  readonly title: string | null;
  readonly summary: string | null;
  readonly text: string | null;
};

/** A pull request as it stands, by value, with the rule for merging. */
export type PullView = {
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  readonly author: string;
  readonly state: 'open' | 'closed';
  readonly merged: boolean;
  readonly draft: boolean;
  readonly head: { readonly ref: string; readonly sha: string };
  readonly base: { readonly ref: string; readonly sha: string };
  readonly mergeBase: string | null;
  readonly changedFiles: number;
  readonly additions: number;
  readonly deletions: number;
  readonly url: string;
  readonly labels: readonly string[];
  readonly requestedReviewers: readonly string[];
  readonly requestedTeams: readonly string[];
  readonly reactions: readonly ReactionView[];
  readonly reviews: readonly ReviewView[];
  readonly threads: readonly ThreadView[];
  /** Every comment on a line, oldest first. */
  readonly reviewComments: readonly (CommentView & {
    readonly threadId: string;
    readonly path: string;
    readonly line: number | null;
    readonly side: Side;
  })[];
  readonly comments: readonly CommentView[];
  /** The newest run of each name at the head. */
  readonly checks: readonly CheckView[];
  /** Every run at any head this pull request has had. */
  readonly allChecks: readonly CheckView[];
  readonly mergeable: (requiredChecks?: readonly RequiredCheck[]) => boolean;
  readonly mergeability: (requiredChecks?: readonly RequiredCheck[]) => Mergeability;
};

export type QueueView = {
  readonly pull: number;
  readonly headRef: string;
  readonly headSha: string;
  readonly baseSha: string;
};

/** Acts as a person; each act sends its webhook. A thread is its node id or the id of one of its comments. */
export type PersonActions = {
  readonly reply: (thread: string | number, body: string) => { readonly id: number };
  readonly comment: (number: number, body: string) => { readonly id: number };
  readonly editComment: (id: number, body: string) => void;
  readonly deleteComment: (id: number) => void;
  readonly resolve: (thread: string | number) => void;
  readonly unresolve: (thread: string | number) => void;
  readonly review: (
    number: number,
    review: {
      readonly event?: ReviewEvent;
      readonly body?: string;
      readonly comments?: readonly NewAnchor[];
    },
  ) => Promise<{ readonly id: number }>;
  /** Another text for a review that was submitted; anyone with write access may edit another's. */
  readonly editReview: (id: number, body: string) => void;
  readonly dismissReview: (id: number) => void;
  readonly label: (number: number, name: string) => void;
  readonly unlabel: (number: number, name: string) => void;
  readonly react: (comment: number, content: ReactionContent) => void;
  readonly rerequest: (checkRun: number) => void;
  /** "Re-run all" of an app's suite at a commit. */
  readonly rerequestSuite: (suite: number) => void;
  /** Presses a button that the app put on its run. */
  readonly pressAction: (checkRun: number, identifier: string) => void;
  /** Hides a comment or a review; null shows it again. Reasons as GitHub shows them: `outdated`, `off-topic`. */
  readonly minimize: (id: number, reason: string | null) => void;
};

export type LocalRepository = {
  readonly owner: string;
  readonly name: string;
  readonly fullName: string;
  /** Stays when it is renamed: `/repositories/ID`. */
  readonly id: number;
  readonly url: string;
  readonly gitDir: string;
  readonly defaultBranch: string;
  /** The installation's permissions, for reading and setting; they bound every token at once. */
  permissions: Permissions;
  /** The checks that branch protection requires. */
  requiredChecks: readonly RequiredCheck[];
  readonly commit: (order: CommitOrder) => Promise<string>;
  /** Sets a branch to a commit that is there already: a forced push. */
  readonly forcePush: (branch: string, sha: string, author?: string) => Promise<void>;
  readonly openPullRequest: (order: PullOrder) => Promise<number>;
  readonly pull: (number: number) => PullView;
  readonly pulls: () => readonly number[];
  readonly closePullRequest: (
    number: number,
    options?: { readonly merged?: boolean; readonly by?: string },
  ) => Promise<void>;
  readonly reopen: (number: number, by?: string) => Promise<void>;
  readonly readyForReview: (number: number, by?: string) => void;
  readonly convertToDraft: (number: number, by?: string) => void;
  readonly retarget: (number: number, base: string, by?: string) => Promise<void>;
  /** Puts a pull request into the merge queue of its base: `merge_group` asks for the checks of the group. */
  readonly enqueue: (number: number, by?: string) => Promise<QueueView>;
  readonly dequeue: (number: number, by?: string) => Promise<void>;
  readonly queue: () => readonly QueueView[];
  readonly editTitle: (number: number, title: string, by?: string) => void;
  readonly editBody: (number: number, body: string, by?: string) => void;
  readonly addCollaborator: (login: string, permission: CollaboratorPermission) => void;
  readonly removeCollaborator: (login: string) => void;
  /** A check by another app (CI), at the head of a pull request or a commit. */
  readonly reportCheck: (
    at: number | string,
    check: {
      readonly name: string;
      readonly status?: string;
      readonly conclusion?: Conclusion;
      readonly app?: App;
    },
  ) => { readonly id: number };
  readonly as: (login: string) => PersonActions;
  /** Puts pull requests of the past there, as they are told; answers their numbers. */
  readonly plant: (pulls: readonly PlantedPull[]) => Promise<readonly number[]>;
  /** The pushes that the pages of its pull requests offer as buttons, in order. */
  readonly offers: Offer[];
  /** What the conversations of its pull requests say to look at, in order. */
  captions: readonly Caption[];
};

export const createLocalRepository = (
  world: World,
  repository: Repository,
  app: App,
  otherApp: () => App,
): LocalRepository => {
  const account = (login: string | undefined): Account =>
    login === undefined ? repository.owner : accountOf(world, login);
  const find = (number: number): Pull => {
    const pull = repository.pulls.get(number);
    if (pull === undefined) throw new Error(`${fullName(repository)} has no pull request ${number}`);
    return pull;
  };
  return {
    get owner() {
      return repository.owner.login;
    },
    get name() {
      return repository.name;
    },
    get fullName() {
      return fullName(repository);
    },
    get url() {
      return `${world.url}/${fullName(repository)}`;
    },
    id: repository.id,
    gitDir: repository.git.dir,
    defaultBranch: repository.defaultBranch,
    get permissions() {
      return app.permissions;
    },
    set permissions(next: Permissions) {
      app.permissions = { metadata: 'read', ...next };
    },
    get requiredChecks() {
      return repository.requiredChecks;
    },
    set requiredChecks(names: readonly RequiredCheck[]) {
      repository.requiredChecks = names;
      noteWrite(world, repository);
    },
    commit: ({ branch, from, files, message, author }) => {
      const who = account(author);
      return inTurn(repository, () =>
        push(
          world,
          repository,
          { branch, files, message, author: identityOf(who), ...(from === undefined ? {} : { from }) },
          who,
        ),
      );
    },
    forcePush: (branch, sha, author) =>
      inTurn(repository, () => pushExisting(world, repository, branch, sha, account(author))),
    openPullRequest: async ({ author, headRepository, ...order }) => {
      const fork =
        headRepository === undefined || headRepository === null
          ? headRepository
          : forkOf(world, repository, headRepository);
      const pull = await inTurn(repository, () =>
        openPull(world, repository, {
          ...order,
          author: accountOf(world, author ?? 'octocat', author?.endsWith('[bot]') === true ? 'Bot' : 'User'),
          ...(fork === undefined ? {} : { headRepository: fork }),
          ...(fork === null ? { headOwner: accountOf(world, author ?? 'octocat') } : {}),
        }),
      );
      return pull.number;
    },
    pull: (number) => viewOf(world, repository, find(number)),
    pulls: () => [...repository.pulls.keys()],
    closePullRequest: (number, options = {}) =>
      inTurn(repository, () =>
        closePull(world, repository, find(number), account(options.by), options.merged === true),
      ),
    reopen: (number, by) =>
      inTurn(repository, () => reopenPull(world, repository, find(number), account(by))),
    readyForReview: (number, by) => setDraft(world, repository, find(number), false, account(by)),
    convertToDraft: (number, by) => setDraft(world, repository, find(number), true, account(by)),
    retarget: (number, base, by) =>
      inTurn(repository, () => retargetPull(world, repository, find(number), base, account(by))),
    enqueue: async (number, by) =>
      queueView(await inTurn(repository, () => enqueue(world, repository, find(number), account(by)))),
    dequeue: (number, by) => inTurn(repository, () => dequeue(world, repository, find(number), account(by))),
    queue: () => repository.queue.map(queueView),
    editTitle: (number, title, by) => editPull(world, repository, find(number), { title }, account(by)),
    editBody: (number, body, by) => editPull(world, repository, find(number), { body }, account(by)),
    addCollaborator: (login, permission) => {
      accountOf(world, login);
      repository.collaborators.set(login.toLowerCase(), permission);
      noteWrite(world, repository);
    },
    removeCollaborator: (login) => {
      repository.collaborators.delete(login.toLowerCase());
      noteWrite(world, repository);
    },
    reportCheck: (at, { name, status, conclusion, app: by }) =>
      createCheckRun(world, repository, by ?? otherApp(), typeof at === 'number' ? find(at).headSha : at, {
        name,
        ...(status === undefined ? {} : { status }),
        ...(conclusion === undefined ? {} : { conclusion }),
      }),
    as: (login) => actionsOf(world, repository, accountOf(world, login)),
    plant: (pulls) => plantPulls(world, repository, pulls),
    get captions() {
      return world.captions.get(repository.id) ?? [];
    },
    set captions(lines: readonly Caption[]) {
      world.captions.set(repository.id, lines);
      noteWrite(world, repository);
    },
    get offers() {
      const offers = world.offers.get(repository.id) ?? [];
      world.offers.set(repository.id, offers);
      return offers;
    },
  };
};

/** Mail addresses that lead nowhere. */
const identityOf = (account: Account) => ({
  name: account.login,
  email: `${account.id}+${account.login.replace(/[^\w.-]/g, '')}@users.noreply.local-github.invalid`,
});

const forkOf = (
  world: World,
  repository: Repository,
  fork: { readonly owner: string; readonly name?: string },
): Repository => {
  const owner = accountOf(world, fork.owner);
  const name = fork.name ?? repository.name;
  const key = `${owner.login}/${name}`.toLowerCase();
  const known = world.repositories.get(key);
  if (known !== undefined) return known;
  const id = repository.id + 500_000 + world.repositories.size;
  const made: Repository = {
    ...repository,
    id,
    nodeId: `R_${Buffer.from(`local:R:${id}`).toString('base64url')}`,
    owner,
    name,
    fork: true,
    pulls: new Map(),
    labels: new Map(),
    collaborators: new Map(),
    checkRuns: [],
    checkSuites: [],
    requiredChecks: [],
    queue: [],
    turn: Promise.resolve(),
  };
  world.repositories.set(key, made);
  return made;
};

const actionsOf = (world: World, repository: Repository, me: Account): PersonActions => {
  const pulls = () => [...repository.pulls.values()];
  const threadOf = (which: string | number): { pull: Pull; thread: Thread } => {
    for (const pull of pulls())
      for (const thread of pull.threads)
        if (thread.nodeId === which || thread.comments.some((comment) => comment.id === which))
          return { pull, thread };
    throw new Error(`no thread ${which}`);
  };
  const commentOf = (id: number) => {
    for (const pull of pulls()) {
      const review = commentsOf(pull).find((comment) => comment.id === id);
      if (review !== undefined) return { kind: 'review' as const, pull, comment: review };
      const issue = pull.comments.find((comment) => comment.id === id);
      if (issue !== undefined) return { kind: 'issue' as const, pull, comment: issue };
    }
    throw new Error(`no comment ${id}`);
  };
  const reviewOf = (id: number) => {
    for (const pull of pulls()) {
      const review = pull.reviews.find((entry) => entry.id === id);
      if (review !== undefined) return { pull, review };
    }
    throw new Error(`no review ${id}`);
  };
  const pullOf = (number: number): Pull => {
    const pull = repository.pulls.get(number);
    if (pull === undefined) throw new Error(`no pull request ${number}`);
    return pull;
  };
  const settle = (which: string | number, resolved: boolean): void => {
    const { pull, thread } = threadOf(which);
    if (me !== pull.author && !canWrite(repository, me))
      throw new Error(`${me.login} may not resolve: neither the author nor somebody with write access`);
    setResolved(world, repository, pull, thread, resolved, me);
  };
  return {
    reply: (which, body) => {
      const { pull, thread } = threadOf(which);
      return { id: replyTo(world, repository, pull, thread, body, me).id };
    },
    comment: (number, body) => ({
      id: addIssueComment(world, repository, pullOf(number), body, { account: me }).id,
    }),
    editComment: (id, body) => {
      const found = commentOf(id);
      if (found.kind === 'review') editReviewComment(world, repository, found.pull, found.comment, body, me);
      else editIssueComment(world, repository, found.pull, found.comment, body, me);
    },
    deleteComment: (id) => {
      const found = commentOf(id);
      if (found.kind === 'review') deleteReviewComment(world, repository, found.pull, found.comment, me);
      else deleteIssueComment(world, repository, found.pull, found.comment, me);
    },
    resolve: (which) => settle(which, true),
    unresolve: (which) => settle(which, false),
    review: async (number, { event, body, comments }) => {
      const review = await inTurn(repository, () =>
        createReview(world, repository, pullOf(number), {
          author: me,
          event: event ?? 'COMMENT',
          comments: comments ?? [],
          ...(body === undefined ? {} : { body }),
        }),
      );
      return { id: review.id };
    },
    editReview: (id, body) => {
      const { pull, review } = reviewOf(id);
      if (me !== review.author && !canWrite(repository, me))
        throw new Error(`${me.login} may not edit a review by ${review.author.login}`);
      editReview(world, repository, pull, review, body, me);
    },
    dismissReview: (id) => {
      const { pull, review } = reviewOf(id);
      dismissReview(world, repository, pull, review, me);
    },
    label: (number, name) => addLabel(world, repository, pullOf(number), name, me),
    unlabel: (number, name) => void removeLabel(world, repository, pullOf(number), name, me),
    react: (id, content) => {
      react(world, commentOf(id).comment.reactions, content, me);
      noteWrite(world, repository);
    },
    rerequest: (id) => {
      const run = repository.checkRuns.find((entry) => entry.id === id);
      if (run === undefined) throw new Error(`no check run ${id}`);
      rerequest(world, repository, run, me);
    },
    rerequestSuite: (id) => {
      const suite = repository.checkSuites.find((entry) => entry.id === id);
      if (suite === undefined) throw new Error(`no check suite ${id}`);
      rerequestSuite(world, repository, suite, me);
    },
    pressAction: (id, identifier) => {
      const run = repository.checkRuns.find((entry) => entry.id === id);
      if (run === undefined) throw new Error(`no check run ${id}`);
      requestAction(world, repository, run, identifier, me);
    },
    minimize: (id, reason) => {
      const review = pulls()
        .flatMap((pull) => pull.reviews)
        .find((entry) => entry.id === id);
      (review ?? commentOf(id).comment).minimized = reason;
      noteWrite(world, repository);
    },
  };
};

const viewOf = (world: World, repository: Repository, pull: Pull): PullView => ({
  number: pull.number,
  title: pull.title,
  body: pull.body,
  author: pull.author.login,
  state: pull.state,
  merged: pull.merged,
  draft: pull.draft,
  head: { ref: pull.headRef, sha: pull.headSha },
  base: { ref: pull.baseRef, sha: pull.baseSha },
  mergeBase: pull.mergeBase,
  changedFiles: pull.stats.changedFiles,
  additions: pull.stats.additions,
  deletions: pull.stats.deletions,
  url: `${world.url}/${fullName(repository)}/pull/${pull.number}`,
  labels: [...pull.labels],
  requestedReviewers: [...pull.requestedReviewers],
  requestedTeams: [...pull.requestedTeams],
  reactions: pull.reactions.map(reactionView),
  reviews: pull.reviews.map((review) => ({
    id: review.id,
    nodeId: review.nodeId,
    author: review.author.login,
    state: review.state,
    body: review.body,
    commitId: review.commitId,
    edited: review.lastEditedAt !== null,
    minimized: review.minimized,
    reactions: review.reactions.map(reactionView),
  })),
  threads: pull.threads.map((thread) => ({
    id: thread.nodeId,
    path: thread.path,
    side: thread.side,
    line: thread.line,
    startLine: thread.startLine,
    originalLine: thread.originalLine,
    isResolved: thread.resolvedBy !== null,
    resolvedBy: thread.resolvedBy?.login ?? null,
    isOutdated: thread.outdated,
    diffHunk: thread.diffHunk,
    comments: thread.comments.map((comment) => ({ ...commentView(comment), reviewId: comment.review.id })),
  })),
  reviewComments: commentsOf(pull).map((comment) => ({
    ...commentView(comment),
    threadId: comment.thread.nodeId,
    path: comment.thread.path,
    line: comment.thread.line,
    side: comment.thread.side,
  })),
  comments: pull.comments.map(commentView),
  checks: latestRuns(repository.checkRuns.filter((run) => run.headSha === pull.headSha)).map(checkView),
  allChecks: repository.checkRuns.filter((run) => pull.heads.includes(run.headSha)).map(checkView),
  mergeable: (required) => mergeability(repository, pull, required).kind === 'mergeable',
  mergeability: (required) => mergeability(repository, pull, required),
});

const queueView = (entry: QueueEntry): QueueView => ({
  pull: entry.pull.number,
  headRef: entry.headRef,
  headSha: entry.headSha,
  baseSha: entry.baseSha,
});

const commentView = (comment: {
  readonly id: number;
  readonly nodeId: string;
  readonly author: Account;
  readonly body: string;
  readonly createdAt: string;
  readonly lastEditedAt: string | null;
  readonly editor: Account | null;
  readonly minimized: string | null;
  readonly reactions: readonly Reaction[];
}): CommentView => ({
  id: comment.id,
  nodeId: comment.nodeId,
  author: comment.author.login,
  body: comment.body,
  createdAt: comment.createdAt,
  edited: comment.lastEditedAt !== null,
  editor: comment.editor?.login ?? null,
  minimized: comment.minimized,
  reactions: comment.reactions.map(reactionView),
});

const reactionView = (reaction: Reaction): ReactionView => ({
  content: reaction.content,
  by: reaction.account.login,
});

const checkView = (run: CheckRun): CheckView => ({
  id: run.id,
  app: run.app.slug,
  name: run.name,
  headSha: run.headSha,
  status: run.status,
  conclusion: run.conclusion,
  externalId: run.externalId,
  title: run.title,
  summary: run.summary,
  text: run.text,
});
