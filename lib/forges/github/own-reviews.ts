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
};

export type LiveReview = { readonly id: number; readonly body: string; readonly pending: boolean };

export type PullTarget = { readonly owner: string; readonly repo: string; readonly number: number };

/** `viewerDidAuthor` is the only sure sign: logins can be copied and REST does not name the app of a review. */
const query = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      state
      headRefOid
      baseRefName
      reviews(last: 100) { nodes { fullDatabaseId state body viewerDidAuthor } }
    }
  }
}`;

const Answer = z.object({
  repository: z
    .object({
      pullRequest: z
        .object({
          state: z.enum(['OPEN', 'CLOSED', 'MERGED']),
          headRefOid: Sha,
          baseRefName: z.string(),
          reviews: z
            .object({
              nodes: z
                .array(
                  z
                    .object({
                      fullDatabaseId: z.coerce.number().int(),
                      state: z.string(),
                      body: z.string(),
                      viewerDidAuthor: z.boolean(),
                    })
                    .nullable(),
                )
                .nullable(),
            })
            .nullable(),
        })
        .nullable(),
    })
    .nullable(),
});

/** One request for all that is looked at before something is written, and when an outcome is read back. */
export async function readLivePull(
  client: GitHubClient,
  target: PullTarget,
  reason: string,
): Promise<LivePull> {
  const data = await client.graphql<unknown>(query, { ...target }, reason);
  const pull = Answer.safeParse(data).data?.repository?.pullRequest;
  if (pull === null || pull === undefined) {
    throw new ForgeError(
      `GitHub does not show ${target.owner}/${target.repo}#${target.number} any more: it was deleted, or the app lost its access.`,
    );
  }
  return {
    state: pull.state === 'OPEN' ? 'open' : 'closed',
    head: pull.headRefOid,
    base: pull.baseRefName,
    ownReviews: (pull.reviews?.nodes ?? []).flatMap((review) =>
      review?.viewerDidAuthor === true
        ? [{ id: review.fullDatabaseId, body: review.body, pending: review.state === 'PENDING' }]
        : [],
    ),
  };
}
