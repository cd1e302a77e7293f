import { z } from 'zod';
import { ForgeError } from '../../core/errors.js';
import { labelSecrets } from '../../core/secret.js';
import type { Comment, Conversation, OwnReview, PeerReview, Thread } from '../../core/conversation.js';
import type { KnownState } from '../../core/marker.js';
import { Sha } from '../../core/pull-request.js';
import type { Lack } from '../../core/snapshot.js';
import type { GitHubClient } from './client.js';
import { historyFields, HistoryFields, historyFragment, historyOf } from './history.js';
import { liveFields, LiveFields, livePullOf } from './own-reviews.js';
import type { LivePull } from './own-reviews.js';
import {
  mayLackOrganization,
  organizationFields,
  settingsFields,
  settingsFilesOf,
  settingsFragment,
} from './policy.js';
import type { SettingsFiles } from './policy.js';

/** A conversation without the rights of those who spoke, and what was read with it. */
export type ConversationRead = Omit<Conversation, 'permissions'> & {
  readonly lacks: readonly Lack[];
  /** The pull request as it stood with them: saves a look before publishing. Null when the answer lacks it. */
  readonly live: LivePull | null;
  /** The settings files that stand now, which come with them. Null when the answer lacks them. */
  readonly settings: SettingsFiles | null;
};

type Place = { readonly owner: string; readonly repo: string; readonly number: number };

/** Where the past is read from: only check runs of this app count. */
export type HistorySource = {
  readonly appId: number;
  /** Whether the app may see check runs here. */
  readonly mayRead: boolean;
  /** `key`: of the job that wrote the text. */
  readonly readState: (text: string, key: string) => KnownState;
};

/** Pages of 100; above 2,000 threads, reviews or comments the rest is said to be unread. */
const MAX_PAGES = 20;

/**
 * All that was said on a pull request, to the end: review threads with their comments, reviews, comments, and what our
 * check runs on all of its heads keep. REST does not know what is resolved, nor who edited. A failed read throws: it
 * never looks like "nothing was said".
 */
export async function readConversation(
  client: GitHubClient,
  place: Place,
  source?: HistorySource,
): Promise<ConversationRead> {
  const pages = await readPages(client, place, source);
  const lacks = [...pages.lacks];
  const threads: Thread[] = [];
  for (const thread of pages.threads) {
    const { comments, complete } = await readAllComments(client, thread);
    if (!complete)
      lacks.push({ what: `older replies of a thread on ${thread.path}`, why: 'it has too many' });
    threads.push(threadOf(thread, comments));
  }
  return {
    threads,
    ownReviews: pages.reviews.flatMap(ownReview),
    wasReviewed: pages.reviews.some((one) => one.viewerDidAuthor && one.state !== 'PENDING'),
    comments: pages.comments.map(commentOf),
    peerReviews: pages.reviews.flatMap(peerReview),
    ...knownOf(pages.first, place, source),
    lacks,
    live: pages.live,
    settings: pages.settings,
  };
}

type Pages = {
  readonly threads: readonly GraphQLThread[];
  readonly reviews: readonly GraphQLReview[];
  readonly comments: readonly GraphQLComment[];
  readonly live: LivePull | null;
  readonly settings: SettingsFiles | null;
  /** The answer to the first query, which carries the past. */
  readonly first: Answered;
  readonly lacks: readonly Lack[];
};

const lists = ['threads', 'reviews', 'comments'] as const;
type List = (typeof lists)[number];

/** One query for the next page of each list that has more. */
async function readPages(
  client: GitHubClient,
  { owner, repo, number }: Place,
  source: HistorySource | undefined,
): Promise<Pages> {
  const found = {
    threads: [] as GraphQLThread[],
    reviews: [] as GraphQLReview[],
    comments: [] as GraphQLComment[],
  };
  const lacks: Lack[] = [];
  const after: Record<List, string | null> = { threads: null, reviews: null, comments: null };
  const want: Record<List, boolean> = { threads: true, reviews: true, comments: true };
  let first: Answered | null = null;
  let settings: SettingsFiles | null = null;
  let live: z.infer<typeof LiveFields> | undefined;
  let wantHistory = source?.mayRead === true;
  if (source !== undefined && !wantHistory) lacks.push(noHistory);
  for (let page = 1; lists.some((list) => want[list]); page++) {
    if (page > MAX_PAGES) {
      const what = { threads: 'older review threads', reviews: 'older reviews', comments: 'older comments' };
      for (const list of lists.filter((one) => want[one]))
        lacks.push({ what: what[list], why: `the pull request has more than ${MAX_PAGES * 100} of them` });
      break;
    }
    const variables = {
      ...{ owner, name: repo, number, appId: source?.appId ?? 0 },
      ...{ threadsAfter: after.threads, reviewsAfter: after.reviews, commentsAfter: after.comments },
      ...{ wantThreads: want.threads, wantReviews: want.reviews, wantComments: want.comments },
      wantHistory: page === 1 && wantHistory,
      wantSettings: page === 1,
    };
    const reason = page === 1 ? 'what was said, and our reviews' : 'more of what was said';
    let answer: unknown;
    try {
      answer = await client.graphql(conversationQuery, variables, reason, mayLackOrganization);
    } catch (error) {
      // Check runs that may not be seen refuse the whole answer: the rest is asked for without them.
      if (!variables.wantHistory || !(error instanceof ForgeError) || error.status !== 403) throw error;
      lacks.push(noHistory);
      wantHistory = false;
      page = 0;
      continue;
    }
    const answered = parsePull(answer);
    first ??= answered;
    settings ??= settingsFilesOf(answer);
    live = LiveFields.safeParse(answered).data ?? live;
    const { reviewThreads, reviews, comments } = answered;
    if (reviewThreads) found.threads.push(...present(reviewThreads.nodes));
    if (reviews) found.reviews.push(...present(reviews.nodes));
    if (comments) found.comments.push(...present(comments.nodes));
    const connections = { threads: reviewThreads, reviews, comments };
    for (const list of lists) {
      const info = connections[list]?.pageInfo;
      want[list] = want[list] && info?.hasNextPage === true;
      after[list] = info?.endCursor ?? after[list];
    }
  }
  const raw = found.reviews.map((one) => ({ ...one, fullDatabaseId: idOf(one) }));
  return {
    ...found,
    first: first ?? {},
    live: live === undefined ? null : livePullOf(live, raw),
    settings,
    lacks,
  };
}

const noHistory: Lack = {
  what: 'earlier reviews of this pull request',
  why: 'the app may not see check runs here, where they are kept',
};

function knownOf(
  first: Answered,
  { number }: Place,
  source: HistorySource | undefined,
): Pick<Conversation, 'heads' | 'passRecords' | 'marks' | 'heard' | 'attempts'> {
  const fields = HistoryFields.safeParse(first).data;
  if (fields === undefined || source === undefined)
    return { heads: [], passRecords: [], marks: [], heard: [] };
  const { heads, runs } = historyOf(fields, { appId: source.appId, number });
  const states = runs.map(({ text, key }) => source.readState(text, key));
  return {
    heads,
    passRecords: states.flatMap(({ passes }) => passes),
    marks: states.flatMap(({ marks }) => marks),
    heard: [...new Set(states.flatMap(({ heard }) => heard))],
    attempts: states.flatMap(({ attempts = [] }) => attempts),
  };
}

async function readAllComments(
  client: GitHubClient,
  thread: GraphQLThread,
): Promise<{ readonly comments: readonly GraphQLComment[]; readonly complete: boolean }> {
  const comments = present(thread.comments.nodes);
  let page = thread.comments.pageInfo;
  for (let number = 2; page.hasNextPage; number++) {
    if (number > MAX_PAGES) return { comments, complete: false };
    const answer: unknown = await client.graphql(
      repliesQuery,
      { id: thread.id, after: page.endCursor ?? null },
      'more replies of a long thread',
    );
    const more = z.object({ node: z.object({ comments: Comments }) }).safeParse(answer);
    if (!more.success) throw unreadable('replies');
    comments.push(...present(more.data.node.comments.nodes));
    page = more.data.node.comments.pageInfo;
  }
  return { comments, complete: true };
}

const PageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() });

const Actor = z.object({ login: z.string(), __typename: z.string().optional() }).nullish();

const GraphQLComment = z.object({
  id: z.string().optional(),
  fullDatabaseId: z.union([z.string(), z.number()]).nullish(),
  author: Actor,
  editor: Actor,
  viewerDidAuthor: z.boolean().optional(),
  body: z.string(),
  createdAt: z.string().nullish(),
  lastEditedAt: z.string().nullish(),
});
type GraphQLComment = z.infer<typeof GraphQLComment>;

const Comments = z.object({ pageInfo: PageInfo, nodes: z.array(GraphQLComment.nullable()).nullable() });

const GraphQLThread = z.object({
  id: z.string(),
  isResolved: z.boolean(),
  isOutdated: z.boolean(),
  path: z.string(),
  line: z.number().nullish(),
  originalLine: z.number().nullish(),
  resolvedBy: z.object({ login: z.string() }).nullish(),
  viewerCanResolve: z.boolean().optional(),
  comments: Comments,
});
type GraphQLThread = z.infer<typeof GraphQLThread>;

const GraphQLReview = GraphQLComment.extend({
  id: z.string(),
  state: z.string(),
  viewerDidAuthor: z.boolean(),
  submittedAt: z.string().nullish(),
  commit: z.object({ oid: Sha }).nullish(),
});
type GraphQLReview = z.infer<typeof GraphQLReview>;

const listOf = <T extends z.ZodType>(node: T) =>
  z.object({ pageInfo: PageInfo, nodes: z.array(node.nullable()).nullable() });

/** Read by two shapes more, each where it is used: what the pull request is now, and its past. */
const ConversationPull = z.looseObject({
  reviewThreads: listOf(GraphQLThread).optional(),
  reviews: listOf(GraphQLReview).nullish(),
  comments: Comments.nullish(),
});
type Answered = z.infer<typeof ConversationPull>;

function parsePull(answer: unknown): Answered {
  const wrapped = z.object({ repository: z.object({ pullRequest: ConversationPull }) }).safeParse(answer);
  if (!wrapped.success) throw unreadable('what was said');
  return wrapped.data.repository.pullRequest;
}

const unreadable = (what: string): ForgeError =>
  new ForgeError(
    `GitHub's answer about ${what} is not what its schema says. Nothing was concluded from it.`,
    {
      retryable: true,
    },
  );

/** Nodes may be null one by one: what GitHub could not resolve. */
const present = <T>(nodes: readonly (T | null)[] | null): T[] =>
  (nodes ?? []).filter((node) => node !== null);

function threadOf(thread: GraphQLThread, comments: readonly GraphQLComment[]): Thread {
  return {
    id: thread.id,
    path: thread.path,
    line: thread.isOutdated ? null : (thread.line ?? null),
    originalLine: thread.originalLine ?? null,
    resolved: thread.isResolved,
    ...(thread.resolvedBy && { resolvedBy: thread.resolvedBy.login }),
    canResolve: thread.viewerCanResolve === true,
    outdated: thread.isOutdated,
    comments: comments.map(commentOf),
  };
}

function commentOf(comment: GraphQLComment): Comment {
  const ours = isOurs(comment);
  const editor = foreignEditor(comment);
  return {
    id: comment.id ?? String(comment.fullDatabaseId ?? ''),
    databaseId: idOf(comment),
    author: loginOf(comment.author),
    by: !comment.author ? 'ghost' : comment.author.__typename === 'Bot' ? 'bot' : 'person',
    ours,
    // Our own text carries keys and signatures that must stay as they are, and was labelled when it was written.
    body: ours ? comment.body : labelSecrets(comment.body).text,
    at: comment.createdAt ?? '',
    ...(comment.lastEditedAt && { editedAt: comment.lastEditedAt }),
    ...(editor !== null && { editedBy: editor }),
  };
}

function ownReview(review: GraphQLReview): OwnReview[] {
  const databaseId = idOf(review);
  if (!isOurs(review) || databaseId === 0) return [];
  return [{ id: review.id, databaseId, body: review.body, state: review.state }];
}

const states: ReadonlyMap<string, PeerReview['state']> = new Map([
  ['APPROVED', 'approved'],
  ['CHANGES_REQUESTED', 'changes_requested'],
  ['COMMENTED', 'commented'],
  ['DISMISSED', 'dismissed'],
]);

/** GitHub wraps each reply in a review without words: those say nothing. */
function peerReview(review: GraphQLReview): PeerReview[] {
  const state = states.get(review.state);
  if (review.viewerDidAuthor || state === undefined) return [];
  if (state === 'commented' && review.body.trim() === '') return [];
  return [
    {
      ...commentOf(review),
      at: review.submittedAt ?? review.createdAt ?? '',
      state,
      commit: review.commit?.oid ?? null,
    },
  ];
}

const idOf = ({ fullDatabaseId }: Pick<GraphQLComment, 'fullDatabaseId'>): number => {
  const id = Number(fullDatabaseId ?? 0);
  return Number.isSafeInteger(id) ? id : 0;
};

/** Who changed a text that another person wrote. An edit by an account that is gone is nobody's word either. */
function foreignEditor({ author, editor, lastEditedAt }: GraphQLComment): string | null {
  if (!editor) return lastEditedAt && author?.__typename !== 'Bot' ? 'ghost' : null;
  const login = loginOf(editor);
  return login === loginOf(author) ? null : login;
}

/** Written by this app, and not changed by anyone else since: a maintainer can edit what a bot wrote. */
const isOurs = (text: Pick<GraphQLComment, 'author' | 'editor' | 'viewerDidAuthor'>): boolean =>
  text.viewerDidAuthor === true && (!text.editor || loginOf(text.editor) === loginOf(text.author));

/** REST writes `NAME[bot]` where GraphQL writes `NAME`; people read the first. A deleted account is `ghost`. */
function loginOf(actor: z.infer<typeof Actor>): string {
  if (!actor) return 'ghost';
  return actor.__typename === 'Bot' && !actor.login.endsWith('[bot]') ? `${actor.login}[bot]` : actor.login;
}

const textFields = `
    id fullDatabaseId body createdAt lastEditedAt viewerDidAuthor
    author { __typename login }
    editor { __typename login }`;

const commentFields = `
  pageInfo { hasNextPage endCursor }
  nodes {${textFields}
  }`;

const conversationQuery = `
query EvidentConversation(
  $owner: String!, $name: String!, $number: Int!, $appId: Int!, $wantHistory: Boolean!
  $threadsAfter: String, $reviewsAfter: String, $commentsAfter: String
  $wantThreads: Boolean!, $wantReviews: Boolean!, $wantComments: Boolean!, $wantSettings: Boolean!
) {
  ${organizationFields.trim()}
  repository(owner: $owner, name: $name) {
    ...EvidentSettings @include(if: $wantSettings)
    pullRequest(number: $number) {
      ${liveFields}
      reviewThreads(first: 100, after: $threadsAfter) @include(if: $wantThreads) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved isOutdated path line originalLine viewerCanResolve
          resolvedBy { login }
          comments(first: 50) {${commentFields}
          }
        }
      }
      reviews(first: 100, after: $reviewsAfter) @include(if: $wantReviews) {
        pageInfo { hasNextPage endCursor }
        nodes {${textFields}
          state submittedAt
          commit { oid }
        }
      }
      comments(first: 100, after: $commentsAfter) @include(if: $wantComments) {${commentFields}
      }
      ...EvidentHistory @include(if: $wantHistory)
    }
  }
}
fragment EvidentSettings on Repository {${settingsFields}
}${settingsFragment}
fragment EvidentHistory on PullRequest {${historyFields}
}${historyFragment}`;

const repliesQuery = `
query EvidentReplies($id: ID!, $after: String) {
  node(id: $id) {
    ... on PullRequestReviewThread {
      comments(first: 100, after: $after) {${commentFields}
      }
    }
  }
}`;

/** For the tests that hold our queries against GitHub's schema. */
export const queries = { conversationQuery, repliesQuery };
