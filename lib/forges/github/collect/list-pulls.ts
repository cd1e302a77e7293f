import { z } from 'zod';
import { ForgeError } from '../../../core/errors.js';
import { forReader } from '../for-reader.js';
import type { Answer, Asker } from './ask.js';
import { rateFields } from './ask.js';
import { printFragments, type Print, PrintFields, printsOf, threadPrintsFragment } from './fingerprint.js';
import { inHalves } from './in-halves.js';
import { isSelected, isTooOld, statesOf, type Selection } from './selection.js';
import { PageInfo } from './shapes.js';

/** A pull request of the list. Without a fingerprint it is read whole, and not kept. */
export type Listed = { readonly id: string; readonly number: number; readonly print: Print | null };

export type List = {
  /** Newest first. */
  readonly pulls: readonly Listed[];
  /** The repository's name as GitHub writes it now. */
  readonly repo: string;
  /** Why the list ends before its end; null when it is whole. */
  readonly broken: string | null;
  /** False where the token may not see checks: they are not asked for then. */
  readonly checks: boolean;
};

type Wanted = Pick<Selection, 'threads'> & Pick<List, 'checks'>;

const mostAtOnce = 50;
/** Without fingerprints. */
const mostBare = 100;
const fewestAtOnce = 6;

/**
 * All pull requests that are selected, with their fingerprints: one request for 50 of them. Where GitHub does not manage
 * that, smaller pages, and at last fingerprints on their own. With an author they are on their own from the start: the
 * list cannot choose one. Throws `ForgeError` where GitHub shows no such repository: that is a wrong name or token, not a
 * list that is short.
 */
export async function listPulls(asker: Asker, selection: Selection): Promise<List> {
  const { pulls, ...list } = await readList(asker, selection);
  const wanted = { threads: selection.threads, checks: list.checks };
  const bare = pulls.filter(({ fields }) => fields === null);
  const shown = [
    ...pulls.flatMap(({ fields }) => fields ?? []),
    ...(await readPrintFields(asker, bare, wanted)),
  ];
  const prints = await printsOf(asker, shown);
  return { ...list, pulls: pulls.map(({ id, number }) => ({ id, number, print: prints.get(id) ?? null })) };
}

const rights =
  'it needs to read pull requests, contents, checks and commit statuses (`repo` of a personal token of the classic kind)';

type Shown = { readonly id: string; readonly number: number; readonly fields: PrintFields | null };

async function readList(
  asker: Asker,
  selection: Selection,
): Promise<Omit<List, 'pulls'> & { readonly pulls: readonly Shown[] }> {
  const pulls = new Map<string, Shown>();
  const most = selection.last ?? Infinity;
  const isExact = selection.authors.length + selection.labels.length === 0;
  let repo = `${selection.owner}/${selection.repo}`;
  let size = mostAtOnce;
  let print = selection.authors.length === 0;
  let checks = true;
  let after: string | null = null;
  const end = (broken: string | null) => ({
    pulls: [...pulls.values()].slice(0, most),
    repo,
    broken,
    checks,
  });
  while (pulls.size < most) {
    const variables: Readonly<Record<string, unknown>> = {
      owner: selection.owner,
      name: selection.repo,
      size: Math.min(isExact ? most - pulls.size : Infinity, print ? size : mostBare),
      after,
      states: statesOf(selection.state),
      // Several would be joined by "or".
      labels: selection.labels.length > 0 ? selection.labels.slice(0, 1) : null,
      ...{ print, checks, threads: selection.threads },
    };
    const answer: Answer<z.infer<typeof BareList> | z.infer<typeof PrintedList>> = await asker.ask(
      listQuery,
      variables,
      print ? PrintedList : BareList,
      'the list of pull requests',
    );
    if (answer.kind !== 'read') {
      if (print && checks && answer.kind === 'refused' && answer.status === 403) {
        checks = false;
        continue;
      }
      if (answer.kind === 'refused' && answer.status === 404 && pulls.size === 0)
        throw forReader(new ForgeError(answer.why, { status: 404 }), repo, rights);
      if (!print || (answer.kind === 'refused' && answer.status === 404)) return end(answer.why);
      if (answer.kind === 'heavy' && size > fewestAtOnce) size = Math.floor(size / 2);
      else print = false;
      continue;
    }
    const { nameWithOwner, pullRequests }: z.infer<typeof BareList>['repository'] = answer.data.repository;
    repo = nameWithOwner;
    for (const node of pullRequests.nodes) {
      if (isTooOld(selection, node)) return end(null);
      const labels = (node.labels?.nodes ?? []).map(({ name }) => name);
      const fields = 'headRefOid' in node ? PrintFields.parse(node) : null;
      if (isSelected(selection, { author: node.author ?? null, labels }))
        pulls.set(node.id, { id: node.id, number: node.number, fields });
    }
    const { hasNextPage, endCursor } = pullRequests.pageInfo;
    if (!hasNextPage) return end(null);
    if (endCursor == null || endCursor === after)
      return end('GitHub says that there are more, and not where they begin.');
    after = endCursor;
  }
  return end(null);
}

async function readPrintFields(
  asker: Asker,
  pulls: readonly Shown[],
  { threads, checks }: Wanted,
): Promise<readonly PrintFields[]> {
  const found: PrintFields[] = [];
  for (let at = 0; at < pulls.length; at += mostAtOnce) {
    const halved = await inHalves(pulls.slice(at, at + mostAtOnce), async (batch) => {
      const variables = { ids: batch.map(({ id }) => id), threads, checks };
      const answer = await asker.ask(printsQuery, variables, PrintsAnswer, 'fingerprints');
      return answer.kind === 'read' ? { ...answer, data: answer.data.nodes } : answer;
    });
    found.push(...halved.flatMap((one) => (one.kind === 'read' ? [one.found] : [])));
  }
  return found;
}

const BareNode = z.object({
  id: z.string(),
  number: z.number().int(),
  createdAt: z.string(),
  author: z.object({ login: z.string() }).nullish(),
  labels: z.object({ nodes: z.array(z.object({ name: z.string() })) }).nullish(),
});

const listOf = <T extends z.ZodType>(node: T) =>
  z.object({
    repository: z.object({
      nameWithOwner: z.string(),
      pullRequests: z.object({ pageInfo: PageInfo, nodes: z.array(node) }),
    }),
  });

const BareList = listOf(BareNode);
const PrintedList = listOf(BareNode.extend(PrintFields.shape));
const PrintsAnswer = z.object({ nodes: z.array(PrintFields) });

const listQuery = `
query EvidentPastList(
  $owner: String!, $name: String!, $size: Int!, $after: String
  $states: [PullRequestState!], $labels: [String!]
  $print: Boolean!, $threads: Boolean!, $checks: Boolean!
) {
  ${rateFields}
  repository(owner: $owner, name: $name) {
    nameWithOwner
    pullRequests(
      first: $size, after: $after, states: $states, labels: $labels
      orderBy: { field: CREATED_AT, direction: DESC }
    ) {
      pageInfo { hasNextPage endCursor }
      nodes {
        id number createdAt
        author { __typename login }
        labels(first: 100) { nodes { name } }
        ...EvidentPrint @include(if: $print)
      }
    }
  }
}${printFragments}${threadPrintsFragment}`;

const printsQuery = `
query EvidentPrints($ids: [ID!]!, $threads: Boolean!, $checks: Boolean!) {
  ${rateFields}
  nodes(ids: $ids) {
    __typename
    id
    ...EvidentPrint
  }
}${printFragments}${threadPrintsFragment}`;
