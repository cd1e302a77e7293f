import { z } from 'zod';
import type { PastCheck, PastPull, PastThread } from '../../../core/past-pull.js';
import type { Answer, Asker } from './ask.js';
import { rateFields } from './ask.js';
import { inHalves } from './in-halves.js';
import {
  Actor,
  type Checked,
  Checked as CheckedCommit,
  checkOf,
  Comment,
  Commit,
  commitOf,
  Contexts,
  pageOf,
  Review,
  Thread,
} from './shapes.js';

/** One pull request, read to the end of all of its lists; or why it is not. */
export type PullRead =
  | { readonly kind: 'read'; readonly id: string; readonly pull: PastPull; readonly lacks: readonly string[] }
  | { readonly kind: 'failed'; readonly id: string; readonly why: string };

type Wanted = { readonly repo: string; readonly threads: boolean; readonly checks: boolean };

/** Page sizes are halved so often before a pull request is given up. */
const mostSmaller = 4;

/**
 * Reads some pull requests whole: their first pages in one request, then what is left of each list. One that cannot be
 * read to its end is `failed`: half of its threads would look like all of them.
 */
export async function* readPulls(
  asker: Asker,
  ids: readonly string[],
  wanted: Wanted,
): AsyncGenerator<PullRead, void, void> {
  const halved = await inHalves(
    ids,
    async (batch, smaller) => {
      const variables = firstPages(batch, smaller, wanted);
      const answer = await asker.ask(pullsQuery, variables, PullsAnswer, 'pull requests');
      if (answer.kind !== 'read') return answer;
      return { kind: 'read' as const, data: answer.data.nodes.map((page) => ({ page, smaller })) };
    },
    mostSmaller,
  );
  for (const one of halved)
    yield one.kind === 'failed'
      ? { kind: 'failed', id: one.item, why: one.why }
      : await readRest(asker, one.item, one.found, wanted);
}

const lists = [
  'labels',
  'files',
  'commits',
  'reviews',
  'comments',
  'reviewThreads',
  'timelineItems',
] as const;
type List = (typeof lists)[number];

async function readRest(
  asker: Asker,
  id: string,
  { page: first, smaller }: { readonly page: PullPage; readonly smaller: number },
  wanted: Wanted,
): Promise<PullRead> {
  const pages = [first];
  const failed = (why: string): PullRead => ({ kind: 'failed', id, why });
  const after = new Map<List, string>();
  let want = lists.filter((list) => first[list]?.pageInfo.hasNextPage === true);
  while (want.length > 0) {
    const last = pages.at(-1) ?? first;
    for (const list of want) {
      const cursor = last[list]?.pageInfo.endCursor ?? null;
      if (cursor === null || cursor === after.get(list))
        return failed(`GitHub says that there is more of its ${words[list]}, and not where.`);
      after.set(list, cursor);
    }
    const [next] = await inHalves(
      [id],
      async (_, less) => {
        const sizes = firstPages([id], smaller + less, wanted);
        const cursors = Object.fromEntries(want.map((list) => [`${list}After`, after.get(list)]));
        const only = Object.fromEntries(lists.map((list) => [`${list}Wanted`, want.includes(list)]));
        const variables = { ...sizes, ...cursors, ...only };
        const answer = await asker.ask(pullsQuery, variables, PullsAnswer, 'more of a pull request');
        return answer.kind === 'read' ? { ...answer, data: answer.data.nodes } : answer;
      },
      mostSmaller,
    );
    if (next === undefined || next.kind === 'failed') return failed(next?.why ?? 'GitHub answered nothing.');
    pages.push(next.found);
    want = want.filter((list) => next.found[list]?.pageInfo.hasNextPage === true);
  }
  const threads = await readReplies(asker, all(pages, 'reviewThreads'));
  if (threads.kind !== 'read') return failed(threads.why);
  const announced = first.reviewThreads?.totalCount ?? 0;
  if (threads.data.length === 0 && announced > 0)
    return failed(`GitHub counts ${announced} review threads on it and shows none.`);
  const commits = all(pages, 'commits');
  const formerHeads = all(pages, 'timelineItems').flatMap(
    ({ beforeCommit }) => beforeCommit?.history.nodes ?? [],
  );
  const checks = await readChecks(asker, [...formerHeads, ...commits.map(({ commit }) => commit)]);
  if (checks.kind !== 'read') return failed(checks.why);
  const lacks = first.files === null ? ['the names of its files'] : [];
  return {
    kind: 'read',
    id,
    lacks,
    pull: {
      repo: wanted.repo,
      number: first.number,
      url: first.url,
      title: first.title,
      body: first.body,
      state: first.state === 'MERGED' ? 'merged' : first.state === 'OPEN' ? 'open' : 'closed',
      draft: first.isDraft,
      author: first.author,
      labels: all(pages, 'labels').map(({ name }) => name),
      base: first.baseRefName,
      head: first.headRefName,
      headSha: first.headRefOid,
      mergeSha: first.mergeCommit?.oid ?? null,
      createdAt: first.createdAt,
      updatedAt: first.updatedAt,
      mergedAt: first.mergedAt ?? null,
      closedAt: first.closedAt ?? null,
      files: all(pages, 'files').map(({ path }) => path),
      commits: commits.map(commitOf),
      reviews: all(pages, 'reviews').flatMap((review) => review ?? []),
      comments: all(pages, 'comments').map(({ comment }) => comment),
      threads: threads.data,
      checks: checks.data,
      ...(!wanted.threads && { withoutThreads: true as const }),
    },
  };
}

const words: Readonly<Record<List, string>> = {
  labels: 'labels',
  files: 'files',
  commits: 'commits',
  reviews: 'reviews',
  comments: 'comments',
  reviewThreads: 'review threads',
  timelineItems: 'forced pushes',
};

/** The nodes of one list, page after page. A list that moved while it was read may show one twice. */
function all<L extends List>(pages: readonly PullPage[], list: L): NodeOf<L>[] {
  const nodes = pages.flatMap((page) => (page[list]?.nodes ?? []) as NodeOf<L>[]);
  const seen = new Set<string>();
  return nodes.filter((node) => {
    const id = typeof node === 'object' && node !== null && 'id' in node ? String(node.id) : null;
    if (id === null) return true;
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

type NodeOf<L extends List> = NonNullable<PullPage[L]>['nodes'][number];

/** Threads with all of their comments. */
async function readReplies(
  asker: Asker,
  threads: readonly z.infer<typeof Thread>[],
): Promise<Answer<readonly PastThread[]>> {
  const whole: PastThread[] = [];
  for (const thread of threads) {
    const rest = await readOn(asker, thread.comments, repliesQuery, RepliesAnswer, thread.id, 'replies');
    if (rest.kind !== 'read') return rest;
    const { id, path, isResolved, isOutdated, resolvedBy } = thread;
    whole.push({
      ...{ id, path, line: thread.originalLine ?? null, isResolved, resolvedBy, isOutdated },
      sha: rest.data[0]?.sha ?? null,
      comments: rest.data.map(({ comment }) => comment),
    });
  }
  return { kind: 'read', data: whole };
}

async function readChecks(asker: Asker, commits: readonly Checked[]): Promise<Answer<readonly PastCheck[]>> {
  const checks: PastCheck[] = [];
  const bySha = new Map(commits.map((commit) => [commit.oid, commit]));
  for (const { id, oid, statusCheckRollup } of bySha.values()) {
    if (!statusCheckRollup) continue;
    const rest = await readOn(asker, statusCheckRollup.contexts, checksQuery, ChecksAnswer, id, 'checks');
    if (rest.kind !== 'read') return rest;
    checks.push(...rest.data.map((context) => checkOf(oid, context)));
  }
  return { kind: 'read', data: checks };
}

type Page<T> = {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null | undefined };
  readonly nodes: readonly T[];
};

/** The nodes of a first page, and of those that follow it. */
async function readOn<T>(
  asker: Asker,
  first: Page<T>,
  query: string,
  schema: z.ZodType<Page<T>>,
  id: string,
  what: string,
): Promise<Answer<readonly T[]>> {
  const nodes = [...first.nodes];
  let { hasNextPage, endCursor } = first.pageInfo;
  while (hasNextPage) {
    const [next] = await inHalves(
      [id],
      async (_, smaller): Promise<Answer<readonly Page<T>[]>> => {
        const variables = { id, after: endCursor ?? null, size: 100 >> smaller };
        const answer = await asker.ask(query, variables, schema, `more ${what}`);
        return answer.kind === 'read' ? { kind: 'read', data: [answer.data] } : answer;
      },
      mostSmaller,
    );
    if (next === undefined || next.kind === 'failed')
      return { kind: 'heavy', why: next?.why ?? 'GitHub answered nothing.' };
    const { pageInfo } = next.found;
    if (pageInfo.hasNextPage && (pageInfo.endCursor ?? null) === (endCursor ?? null))
      return { kind: 'heavy', why: `GitHub says that there are more ${what}, and not where.` };
    nodes.push(...next.found.nodes);
    ({ hasNextPage, endCursor } = pageInfo);
  }
  return { kind: 'read', data: nodes };
}

function firstPages(
  ids: readonly string[],
  smaller: number,
  { threads, checks }: Wanted,
): Readonly<Record<string, unknown>> {
  return {
    ids,
    checks,
    threads: Math.max(1, 50 >> smaller),
    replies: Math.max(1, 20 >> smaller),
    commits: Math.max(1, 50 >> smaller),
    contexts: Math.max(1, 50 >> smaller),
    pushes: Math.max(1, 10 >> smaller),
    many: Math.max(1, 50 >> smaller),
    ...Object.fromEntries(lists.map((list) => [`${list}After`, null])),
    ...Object.fromEntries(lists.map((list) => [`${list}Wanted`, list !== 'reviewThreads' || threads])),
  };
}

const PullPage = z.object({
  number: z.number().int(),
  url: z.string(),
  title: z.string(),
  body: z.string(),
  state: z.enum(['OPEN', 'MERGED', 'CLOSED']),
  isDraft: z.boolean(),
  author: Actor,
  createdAt: z.string(),
  updatedAt: z.string(),
  mergedAt: z.string().nullish(),
  closedAt: z.string().nullish(),
  baseRefName: z.string(),
  headRefName: z.string(),
  headRefOid: z.string(),
  mergeCommit: z.object({ oid: z.string() }).nullish(),
  labels: pageOf(z.object({ name: z.string() })).nullish(),
  files: pageOf(z.object({ path: z.string() })).nullish(),
  commits: pageOf(Commit).optional(),
  reviews: pageOf(Review).nullish(),
  comments: pageOf(Comment).optional(),
  reviewThreads: pageOf(Thread).optional(),
  timelineItems: pageOf(
    z.object({ beforeCommit: z.object({ history: z.object({ nodes: z.array(CheckedCommit) }) }).nullish() }),
  ).optional(),
});
type PullPage = z.infer<typeof PullPage>;

const PullsAnswer = z.object({ nodes: z.array(PullPage) });

const RepliesAnswer = z
  .object({ node: z.object({ comments: pageOf(Comment) }) })
  .transform(({ node }) => node.comments);

const ChecksAnswer = z
  .object({ node: z.object({ statusCheckRollup: z.object({ contexts: Contexts }) }) })
  .transform(({ node }) => node.statusCheckRollup.contexts);

const pageInfo = 'pageInfo { hasNextPage endCursor }';

const commentFields = `
  ${pageInfo}
  nodes {
    body createdAt lastEditedAt
    author { __typename login }
    originalCommit { oid }
  }`;

const contextFields = `
  ${pageInfo}
  nodes {
    __typename
    ... on CheckRun { name conclusion startedAt completedAt text checkSuite { app { slug } } }
    ... on StatusContext { context state createdAt }
  }`;

export const pullsQuery = `
query EvidentPastPulls(
  $ids: [ID!]!, $checks: Boolean!
  $threads: Int!, $replies: Int!, $commits: Int!, $contexts: Int!, $pushes: Int!, $many: Int!
  ${lists.map((list) => `$${list}After: String, $${list}Wanted: Boolean!`).join('\n  ')}
) {
  ${rateFields}
  nodes(ids: $ids) {
    __typename
    ... on PullRequest {
      number url title body state isDraft
      author { __typename login }
      createdAt updatedAt mergedAt closedAt
      baseRefName headRefName headRefOid
      mergeCommit { oid }
      labels(first: 100, after: $labelsAfter) @include(if: $labelsWanted) { ${pageInfo} nodes { name } }
      files(first: 100, after: $filesAfter) @include(if: $filesWanted) { ${pageInfo} nodes { path } }
      commits(first: $commits, after: $commitsAfter) @include(if: $commitsWanted) {
        ${pageInfo}
        nodes {
          commit {
            committedDate messageHeadline
            parents(first: 1) { totalCount }
            ...EvidentChecked
          }
        }
      }
      timelineItems(
        first: $pushes, after: $timelineItemsAfter, itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT]
      ) @include(if: $timelineItemsWanted) {
        ${pageInfo}
        nodes {
          ... on HeadRefForcePushedEvent {
            beforeCommit { history(first: 3) { nodes { ...EvidentChecked } } }
          }
        }
      }
      reviews(first: $many, after: $reviewsAfter) @include(if: $reviewsWanted) {
        ${pageInfo}
        nodes {
          state body createdAt submittedAt
          author { __typename login }
          commit { oid }
        }
      }
      comments(first: $many, after: $commentsAfter) @include(if: $commentsWanted) {
        ${pageInfo}
        nodes {
          body createdAt lastEditedAt
          author { __typename login }
        }
      }
      reviewThreads(first: $threads, after: $reviewThreadsAfter) @include(if: $reviewThreadsWanted) {
        totalCount
        ${pageInfo}
        nodes {
          id path originalLine isResolved isOutdated
          resolvedBy { login }
          comments(first: $replies) {${commentFields}
          }
        }
      }
    }
  }
}
fragment EvidentChecked on Commit {
  id oid
  statusCheckRollup @include(if: $checks) {
    contexts(first: $contexts) {${contextFields}
    }
  }
}`;

export const repliesQuery = `
query EvidentPastReplies($id: ID!, $after: String, $size: Int!) {
  ${rateFields}
  node(id: $id) {
    ... on PullRequestReviewThread {
      comments(first: $size, after: $after) {${commentFields}
      }
    }
  }
}`;

export const checksQuery = `
query EvidentPastChecks($id: ID!, $after: String, $size: Int!) {
  ${rateFields}
  node(id: $id) {
    ... on Commit {
      statusCheckRollup {
        contexts(first: $size, after: $after) {${contextFields}
        }
      }
    }
  }
}`;
