import { z } from 'zod';
import { ForgeError } from '../../core/errors.js';
import { labelSecrets } from '../../core/secret.js';
import type { OwnReview, Thread, ThreadComment } from '../../core/conversation.js';
import type { Lack } from '../../core/snapshot.js';
import type { GitHubClient } from './client.js';
import { liveFields, LiveFields, livePullOf } from './own-reviews.js';
import type { LivePull } from './own-reviews.js';

export type Conversation = {
  readonly threads: readonly Thread[];
  /** Reviews that this app wrote and that nobody else has edited, oldest first. */
  readonly ownReviews: readonly OwnReview[];
  readonly lacks: readonly Lack[];
  /** The pull request as it stood with them: saves a look before publishing. Null when the answer lacks it. */
  readonly live: LivePull | null;
};

type Place = { readonly owner: string; readonly repo: string; readonly number: number };

/** Pages of 100; above 2,000 threads, reviews or comments of one thread the rest is said to be unread. */
const MAX_PAGES = 20;

/**
 * Review threads with all their comments, and our own reviews, to the end. REST does not know what is resolved.
 * A failed read throws: it never looks like "no threads".
 */
export async function readConversation(client: GitHubClient, place: Place): Promise<Conversation> {
  const { owner, repo, number } = place;
  const rawThreads: GraphQLThread[] = [];
  const rawReviews: GraphQLReview[] = [];
  const lacks: Lack[] = [];
  let threadsAfter: string | null = null;
  let reviewsAfter: string | null = null;
  let wantThreads = true;
  let wantReviews = true;
  let pull: z.infer<typeof LiveFields> | undefined;
  for (let page = 1; wantThreads || wantReviews; page++) {
    if (page > MAX_PAGES) {
      lacks.push({
        what: wantThreads ? 'older review threads' : 'older reviews',
        why: `the pull request has more than ${MAX_PAGES * 100} of them`,
      });
      break;
    }
    const answer: unknown = await client.graphql(
      conversationQuery,
      { owner, name: repo, number, threadsAfter, reviewsAfter, wantThreads, wantReviews },
      page === 1 ? 'review threads and our reviews' : 'more review threads and reviews',
    );
    const answered = parsePull(ConversationPull, answer);
    pull = LiveFields.safeParse(answered).data;
    const { reviewThreads, reviews } = answered;
    if (reviewThreads) rawThreads.push(...present(reviewThreads.nodes));
    if (reviews) rawReviews.push(...present(reviews.nodes));
    wantThreads = wantThreads && reviewThreads?.pageInfo.hasNextPage === true;
    wantReviews = wantReviews && reviews?.pageInfo.hasNextPage === true;
    threadsAfter = reviewThreads?.pageInfo.endCursor ?? threadsAfter;
    reviewsAfter = reviews?.pageInfo.endCursor ?? reviewsAfter;
  }
  const threads: Thread[] = [];
  for (const thread of rawThreads) {
    const { comments, complete } = await readAllComments(client, thread);
    if (!complete)
      lacks.push({ what: `older replies of a thread on ${thread.path}`, why: 'it has too many' });
    threads.push(threadOf(thread, comments));
  }
  const reviews = rawReviews.map((one) => ({ ...one, fullDatabaseId: Number(one.fullDatabaseId ?? 0) }));
  return {
    threads,
    ownReviews: rawReviews.flatMap(ownReview),
    lacks,
    live: pull === undefined ? null : livePullOf(pull, reviews),
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
  createdAt: z.string().optional(),
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
  comments: Comments,
});
type GraphQLThread = z.infer<typeof GraphQLThread>;

const GraphQLReview = z.object({
  id: z.string(),
  fullDatabaseId: z.union([z.string(), z.number()]).nullish(),
  body: z.string(),
  state: z.string(),
  author: Actor,
  editor: Actor,
  viewerDidAuthor: z.boolean(),
});
type GraphQLReview = z.infer<typeof GraphQLReview>;

const ConversationPull = LiveFields.partial().extend({
  reviewThreads: z
    .object({ pageInfo: PageInfo, nodes: z.array(GraphQLThread.nullable()).nullable() })
    .optional(),
  reviews: z.object({ pageInfo: PageInfo, nodes: z.array(GraphQLReview.nullable()).nullable() }).nullish(),
});

function parsePull<T>(schema: z.ZodType<T>, answer: unknown): T {
  const wrapped = z.object({ repository: z.object({ pullRequest: schema }) }).safeParse(answer);
  if (!wrapped.success) throw unreadable('review threads');
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
    outdated: thread.isOutdated,
    comments: comments.map(commentOf),
  };
}

function commentOf(comment: GraphQLComment): ThreadComment {
  const ours = isOurs(comment);
  return {
    id: comment.id ?? String(comment.fullDatabaseId ?? ''),
    databaseId: Number(comment.fullDatabaseId ?? 0),
    author: loginOf(comment.author),
    by: !comment.author ? 'ghost' : comment.author.__typename === 'Bot' ? 'bot' : 'person',
    ours,
    // Our own text carries keys and signatures that must stay as they are, and was labelled when it was written.
    body: ours ? comment.body : labelSecrets(comment.body).text,
    at: comment.createdAt ?? '',
  };
}

function ownReview(review: GraphQLReview): OwnReview[] {
  const databaseId = Number(review.fullDatabaseId ?? NaN);
  if (!isOurs(review) || !Number.isSafeInteger(databaseId)) return [];
  return [{ id: review.id, databaseId, body: review.body, state: review.state }];
}

/** Written by this app, and not changed by anyone else since: a maintainer can edit what a bot wrote. */
const isOurs = (text: Pick<GraphQLComment, 'author' | 'editor' | 'viewerDidAuthor'>): boolean =>
  text.viewerDidAuthor === true && (!text.editor || loginOf(text.editor) === loginOf(text.author));

/** REST writes `NAME[bot]` where GraphQL writes `NAME`; people read the first. A deleted account is `ghost`. */
function loginOf(actor: z.infer<typeof Actor>): string {
  if (!actor) return 'ghost';
  return actor.__typename === 'Bot' && !actor.login.endsWith('[bot]') ? `${actor.login}[bot]` : actor.login;
}

const commentFields = `
  pageInfo { hasNextPage endCursor }
  nodes {
    id fullDatabaseId body createdAt viewerDidAuthor
    author { __typename login }
    editor { __typename login }
  }`;

const conversationQuery = `
query EvidentConversation(
  $owner: String!, $name: String!, $number: Int!,
  $threadsAfter: String, $reviewsAfter: String, $wantThreads: Boolean!, $wantReviews: Boolean!
) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      ${liveFields}
      reviewThreads(first: 100, after: $threadsAfter) @include(if: $wantThreads) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved isOutdated path line originalLine
          comments(first: 50) {${commentFields}
          }
        }
      }
      reviews(first: 100, after: $reviewsAfter) @include(if: $wantReviews) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id fullDatabaseId body state viewerDidAuthor
          author { __typename login }
          editor { __typename login }
        }
      }
    }
  }
}`;

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
