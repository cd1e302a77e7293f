import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Answer, Asker } from './ask.js';
import { rateFields } from './ask.js';
import { inHalves } from './in-halves.js';
import { PageInfo } from './shapes.js';

/**
 * What a pull request looks like from outside, cheap enough to ask for 50 at once: equal prints mean that nothing needs
 * to be read again. `updatedAt` alone would not do: resolving a thread moves no timestamp.
 *
 * Seen: every thread's state, who resolved it, how many comments it has and when its first 20 were edited; the last 100
 * comments and reviews with their states and edits; title, labels, base, head and how many commits; the checks of the
 * head. Not seen, unless `updatedAt` moves with it: edits of a thread's comments after the 20th and of comments and
 * reviews before the last 100, checks of earlier commits that are run again, accounts that are renamed or deleted.
 */
export type Print = {
  /** Of all but the threads. */
  readonly rest: string;
  /** Of the threads; null where they were not asked for. */
  readonly threads: string | null;
  /** How much there is to read: comments, threads, reviews and commits. */
  readonly weight: number;
};

export const printFragments = `
fragment EvidentPrint on PullRequest {
  updatedAt state isDraft title baseRefName headRefOid
  author { __typename login }
  labels(first: 100) { nodes { name } }
  comments(last: 100) { totalCount nodes { id updatedAt lastEditedAt } }
  reviews(last: 100) { totalCount nodes { id state updatedAt lastEditedAt } }
  commits(last: 1) {
    totalCount
    nodes {
      commit {
        oid
        statusCheckRollup @include(if: $checks) {
          contexts(last: 100) {
            totalCount
            nodes {
              __typename
              ... on CheckRun { id conclusion completedAt title }
              ... on StatusContext { id state }
            }
          }
        }
      }
    }
  }
  reviewThreads(first: 100) @include(if: $threads) { ...EvidentThreadPrints }
}`;

export const threadPrintsFragment = `
fragment EvidentThreadPrints on PullRequestReviewThreadConnection {
  pageInfo { hasNextPage endCursor }
  nodes {
    id isResolved isOutdated
    resolvedBy { login }
    comments(first: 20) { totalCount nodes { id updatedAt lastEditedAt } }
  }
}`;

const Stamped = z.object({
  id: z.string(),
  updatedAt: z.string(),
  lastEditedAt: z.string().nullish(),
  state: z.string().optional(),
});
const Counted = z.object({ totalCount: z.number(), nodes: z.array(Stamped) });

const ThreadPrints = z.object({
  pageInfo: PageInfo,
  nodes: z.array(
    z.object({
      id: z.string(),
      isResolved: z.boolean(),
      isOutdated: z.boolean(),
      resolvedBy: z.object({ login: z.string() }).nullish(),
      comments: Counted,
    }),
  ),
});
type ThreadPrints = z.infer<typeof ThreadPrints>;

export const PrintFields = z.object({
  id: z.string(),
  updatedAt: z.string(),
  state: z.string(),
  isDraft: z.boolean(),
  title: z.string(),
  baseRefName: z.string(),
  headRefOid: z.string(),
  author: z.object({ login: z.string() }).nullish(),
  labels: z.object({ nodes: z.array(z.object({ name: z.string() })) }).nullish(),
  comments: Counted,
  reviews: Counted,
  commits: z.object({
    totalCount: z.number(),
    nodes: z.array(
      z.object({
        commit: z.object({
          oid: z.string(),
          statusCheckRollup: z
            .object({ contexts: z.object({ totalCount: z.number(), nodes: z.array(z.unknown()) }) })
            .nullish(),
        }),
      }),
    ),
  }),
  reviewThreads: ThreadPrints.optional(),
});
export type PrintFields = z.infer<typeof PrintFields>;

/** The fingerprints of what was shown, by id; further pages of threads are read for them. Lacks those that cannot be had. */
export async function printsOf(
  asker: Asker,
  shown: readonly PrintFields[],
): Promise<ReadonlyMap<string, Print>> {
  const prints = new Map<string, Print>();
  const unfinished: PrintFields[] = [];
  for (const fields of shown) {
    if (fields.reviewThreads?.pageInfo.hasNextPage === true) unfinished.push(fields);
    else prints.set(fields.id, printOf(fields, fields.reviewThreads?.nodes ?? null));
  }
  for (let at = 0; at < unfinished.length; at += mostMore) {
    const batch = unfinished.slice(at, at + mostMore);
    for (const [fields, threads] of await readAllThreadPrints(asker, batch))
      prints.set(fields.id, printOf(fields, threads));
  }
  return prints;
}

/** Pull requests whose further threads are asked for in one query. */
const mostMore = 20;

/** Page after page, each for all of them that have one. Those that fail are left out: they are read again. */
async function readAllThreadPrints(
  asker: Asker,
  pulls: readonly PrintFields[],
): Promise<ReadonlyMap<PrintFields, ThreadPrints['nodes']>> {
  const found = new Map(pulls.map((fields) => [fields, [...(fields.reviewThreads?.nodes ?? [])]]));
  let waiting = pulls.map((fields) => ({ fields, after: fields.reviewThreads?.pageInfo.endCursor ?? null }));
  while (waiting.length > 0) {
    const next: typeof waiting = [];
    for (const one of await inHalves(waiting, (batch) => askMore(asker, batch))) {
      const { fields, after } = one.item;
      const page = one.kind === 'read' ? one.found : null;
      const isStuck = page?.pageInfo.hasNextPage === true && (page.pageInfo.endCursor ?? after) === after;
      if (page === null || isStuck) {
        found.delete(fields);
        continue;
      }
      found.get(fields)?.push(...page.nodes);
      if (page.pageInfo.hasNextPage) next.push({ fields, after: page.pageInfo.endCursor ?? null });
    }
    waiting = next;
  }
  return found;
}

async function askMore(
  asker: Asker,
  batch: readonly { readonly fields: PrintFields; readonly after: string | null }[],
): Promise<Answer<readonly ThreadPrints[]>> {
  const answer = await asker.ask(
    moreThreadPrintsQuery(batch.length),
    Object.fromEntries(
      batch.flatMap(({ fields, after }, at) => [
        [`id${at}`, fields.id],
        [`after${at}`, after],
      ]),
    ),
    z.record(z.string(), z.unknown()),
    'fingerprints of more threads',
  );
  if (answer.kind !== 'read') return answer;
  const Page = z.object({ reviewThreads: ThreadPrints });
  const pages = batch.map((_, at) => Page.safeParse(answer.data[`p${at}`]).data?.reviewThreads);
  return pages.some((page) => page === undefined)
    ? { kind: 'heavy', why: 'GitHub left a page of threads out of its answer.' }
    : { kind: 'read', data: pages.flatMap((page) => page ?? []) };
}

const moreThreadPrintsQuery = (many: number): string => {
  const at = Array.from({ length: many }, (_, index) => index);
  return `
query EvidentMoreThreadPrints(${at.map((n) => `$id${n}: ID!, $after${n}: String`).join(', ')}) {
  ${rateFields}
${at.map((n) => `  p${n}: node(id: $id${n}) { ... on PullRequest { reviewThreads(first: 100, after: $after${n}) { ...EvidentThreadPrints } } }`).join('\n')}
}${threadPrintsFragment}`;
};

function printOf(fields: PrintFields, threads: ThreadPrints['nodes'] | null): Print {
  const { reviewThreads: _, ...rest } = fields;
  const comments = (threads ?? []).reduce((sum, thread) => sum + thread.comments.totalCount, 0);
  return {
    rest: hashOf(rest),
    threads: threads === null ? null : hashOf(threads),
    weight:
      1 +
      (threads?.length ?? 0) +
      comments +
      rest.comments.totalCount +
      rest.reviews.totalCount +
      rest.commits.totalCount,
  };
}

/** Of values whose fields stand in one order, as parsing puts them. */
export const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 27);
