import { z } from 'zod';
import { ForgeError } from '../../core/errors.js';
import { Sha } from '../../core/pull-request.js';
import type { GitHubClient } from './client.js';

/** The pull request as it stands now, with the reviews that this app wrote. */
export type LivePull = {
  readonly state: 'open' | 'closed';
  readonly head: Sha;
  /** The name of the base branch. */
  readonly base: string;
  readonly ownReviews: readonly LiveReview[];
  /** The newest review or reply by anybody else (a reply is a review of its own); 0 when there is none. */
  readonly newestOfOthers: number;
  readonly eyes: SeenEyes;
  /** Other open pull requests of the same head: GitHub shows one check for all of them. */
  readonly sameHead: readonly number[];
  /** There are more of them than are shown. */
  readonly isCrowded?: true;
};

export type LiveReview = { readonly id: number; readonly body: string; readonly pending: boolean };

/** The eyes on a pull request, as they are read together with it. */
export type SeenEyes = {
  readonly viewerHasReacted: boolean;
  readonly complete: boolean;
  readonly reactions: readonly {
    readonly nodeId: string;
    readonly id: number | null;
    readonly since: number;
  }[];
};

export type PullTarget = { readonly owner: string; readonly repo: string; readonly number: number };

/** What is asked of a pull request, beside its reviews, wherever it is looked at. A bot's reaction has no `user`. */
export const liveFields = `number state headRefOid baseRefName
      reactionGroups { content viewerHasReacted }
      reactions(content: EYES, last: 100) { totalCount nodes { id databaseId createdAt } }
      baseRepository { nameWithOwner }
      tip: commits(last: 1) { nodes { commit { associatedPullRequests(first: 100) {
        totalCount
        nodes { number state headRefOid baseRepository { nameWithOwner } }
      } } } }`;

/** `viewerDidAuthor` is the only sure sign: logins can be copied and REST does not name the app of a review. */
const query = `query EvidentLivePull($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      ${liveFields}
      reviews(last: 100) { nodes { fullDatabaseId state body viewerDidAuthor } }
    }
  }
}`;

const present = <T>(nodes: readonly (T | null)[] | null | undefined): readonly T[] =>
  (nodes ?? []).filter((node) => node !== null);

const Repository = z.object({ nameWithOwner: z.string() }).nullish();

export const LiveFields = z.object({
  number: z.number().int().nullish(),
  state: z.enum(['OPEN', 'CLOSED', 'MERGED']),
  headRefOid: Sha,
  baseRefName: z.string(),
  reactionGroups: z.array(z.object({ content: z.string(), viewerHasReacted: z.boolean() })).nullish(),
  reactions: z
    .object({
      totalCount: z.number().int(),
      nodes: z
        .array(
          z
            .object({ id: z.string(), databaseId: z.number().int().nullish(), createdAt: z.string() })
            .nullable(),
        )
        .nullish(),
    })
    .nullish(),
  baseRepository: Repository,
  tip: z
    .object({
      nodes: z
        .array(
          z
            .object({
              commit: z.object({
                associatedPullRequests: z
                  .object({
                    totalCount: z.number().int().nullish(),
                    nodes: z
                      .array(
                        z
                          .object({
                            number: z.number().int(),
                            state: z.string(),
                            headRefOid: z.string(),
                            baseRepository: Repository,
                          })
                          .nullable(),
                      )
                      .nullish(),
                  })
                  .nullish(),
              }),
            })
            .nullable(),
        )
        .nullish(),
    })
    .nullish(),
});

const RawReview = z.object({
  fullDatabaseId: z.coerce.number().int(),
  state: z.string(),
  body: z.string(),
  viewerDidAuthor: z.boolean(),
});

const Answer = z.object({
  repository: z
    .object({
      pullRequest: LiveFields.extend({
        reviews: z.object({ nodes: z.array(RawReview.nullable()).nullable() }).nullable(),
      }).nullable(),
    })
    .nullable(),
});

/** One request for all that is looked at before something is written, and when an outcome is read back. */
export async function readLivePull(
  client: GitHubClient,
  { owner, repo, number }: PullTarget,
  reason: string,
): Promise<LivePull> {
  const data = await client.graphql<unknown>(query, { owner, repo, number }, reason);
  const pull = Answer.safeParse(data).data?.repository?.pullRequest;
  if (pull === null || pull === undefined) {
    throw new ForgeError(
      `GitHub does not show ${owner}/${repo}#${number} any more: it was deleted, or the app lost its access.`,
    );
  }
  return livePullOf(pull, present(pull.reviews?.nodes));
}

export function livePullOf(
  pull: z.infer<typeof LiveFields>,
  reviews: readonly z.infer<typeof RawReview>[],
): LivePull {
  const eyes = present(pull.reactions?.nodes);
  const others = reviews.filter((review) => !review.viewerDidAuthor).map((review) => review.fullDatabaseId);
  return {
    state: pull.state === 'OPEN' ? 'open' : 'closed',
    head: pull.headRefOid,
    base: pull.baseRefName,
    ownReviews: reviews
      .filter((review) => review.viewerDidAuthor)
      .map((review) => ({
        id: review.fullDatabaseId,
        body: review.body,
        pending: review.state === 'PENDING',
      })),
    newestOfOthers: others.reduce((newest, id) => Math.max(newest, id), 0),
    eyes: {
      viewerHasReacted:
        pull.reactionGroups?.some(
          ({ content, viewerHasReacted }) => content === 'EYES' && viewerHasReacted,
        ) === true,
      complete: (pull.reactions?.totalCount ?? 0) <= eyes.length,
      reactions: eyes.map(({ id, databaseId, createdAt }) => ({
        nodeId: id,
        id: databaseId ?? null,
        since: Date.parse(createdAt) || 0,
      })),
    },
    sameHead: sameHeadOf(pull),
    ...(isCrowded(pull) && { isCrowded: true }),
  };
}

/** A commit names the pull requests that it is part of, of forks too. */
const sameHeadOf = ({ number, headRefOid, baseRepository, tip }: z.infer<typeof LiveFields>): number[] =>
  present(tip?.nodes)
    .flatMap(({ commit }) => present(commit.associatedPullRequests?.nodes))
    .filter(
      (other) =>
        other.number !== number &&
        other.state === 'OPEN' &&
        other.headRefOid === headRefOid &&
        other.baseRepository?.nameWithOwner === baseRepository?.nameWithOwner,
    )
    .map((other) => other.number)
    .sort((a, b) => a - b);

const isCrowded = ({ tip }: z.infer<typeof LiveFields>): boolean =>
  present(tip?.nodes).some(
    ({ commit: { associatedPullRequests: all } }) => (all?.totalCount ?? 0) > (all?.nodes?.length ?? 0),
  );
