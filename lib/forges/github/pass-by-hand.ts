import { z } from 'zod';
import { MAX_TITLE } from '../../core/check.js';
import { ForgeError } from '../../core/errors.js';
import type { MarkerTrust } from '../../core/marker.js';
import { writeOperatorPass } from '../../core/operator-pass.js';
import type { Sha } from '../../core/pull-request.js';
import { inline } from '../../core/render/markdown.js';
import { jobKey } from '../../core/trigger.js';
import type { Log } from '../../ports/log.js';
import { webUrlOf } from './addresses.js';
import type { AppAuth } from './app-auth.js';
import { capabilitiesOf } from './capabilities.js';
import { postCheckRun } from './check-run.js';
import { createGitHubClient } from './client.js';
import { readLivePull } from './own-reviews.js';
import type { PullTarget } from './own-reviews.js';

export type HandOrder = {
  readonly auth: AppAuth;
  readonly appId: number;
  readonly apiUrl: string;
  readonly place: PullTarget;
  readonly reason: string;
  readonly trust: MarkerTrust;
  readonly log: Log;
  readonly clock: () => number;
};

/** What was written, and on what. */
export type PassedByHand = {
  readonly head: Sha;
  readonly checkRun: number;
  readonly title: string;
  /** The page of the pull request. */
  readonly url: string;
  /** Other open pull requests of the same commit: the check counts for them too. */
  readonly others: readonly number[];
};

/**
 * Writes a passing check on the live head of a pull request, with the app's own key and a reason for everybody to see: for
 * an operator, when nothing else helps. It asks for no review and knows no policy. Throws `ForgeError` when the app is
 * not installed there, the pull request is closed, or the check cannot be written.
 */
export async function passByHand(order: HandOrder): Promise<PassedByHand> {
  const { auth, apiUrl, place, log, clock } = order;
  const deadline = clock() + allMs;
  const installation = await installationOf(order, deadline);
  const { permissions, token } = await auth.installationToken({ ...place, installation });
  if (!capabilitiesOf(permissions).writeChecks)
    throw new ForgeError(
      `The app may not write checks in ${place.owner}/${place.repo}: it lacks checks=write.`,
      { status: 403, acceptedPermissions: 'checks=write' },
    );
  const client = createGitHubClient({ apiUrl, token: async () => token, log, deadline, clock });
  const live = await readLivePull(client, place, 'the head that is passed by hand');
  const name = `${place.owner}/${place.repo}#${place.number}`;
  if (live.state === 'closed') throw new ForgeError(`${name} is closed: there is nothing to pass.`);
  const title = titleOf(order.reason);
  const sent = await postCheckRun(
    { client, log, clock, sleep: delay, deadline },
    { ...place, head: live.head, appId: order.appId },
    jobKey({ ...place, head: live.head }, live.base),
    {
      status: 'completed',
      conclusion: 'success',
      title,
      summary:
        `**Passed by an operator, not by a review.** Reason: ${inline(order.reason)}\n\n` +
        "Written with `evident gate pass` by somebody who holds the app's key; who that was is not known here. " +
        'It lasts for this commit, until a new review of it is asked for.',
      text: writeOperatorPass({ v: 1, head: live.head, reason: order.reason, at: clock() }, order.trust),
    },
  );
  if (sent.kind !== 'confirmed') throw new ForgeError(`The check was not written. ${sent.reason}`);
  return {
    head: live.head,
    checkRun: sent.value,
    title,
    url: `${webUrlOf(apiUrl)}/${place.owner}/${place.repo}/pull/${place.number}`,
    others: live.sameHead,
  };
}

/** For all of it, waits for rate limits included. */
const allMs = 120_000;

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Where the app may act in the repository. Throws `ForgeError` when it is not installed there. */
export async function installationOf(
  { auth, place }: Pick<HandOrder, 'auth' | 'place'>,
  deadline: number,
): Promise<number> {
  const { owner, repo } = place;
  try {
    const data = await auth
      .client(deadline)
      .get<unknown>('/repos/{owner}/{repo}/installation', { owner, repo }, 'where the app is installed');
    return z.object({ id: z.number().int() }).parse(data).id;
  } catch (error) {
    if (!(error instanceof ForgeError) || error.status !== 404) throw error;
    throw new ForgeError(`The app is not installed on ${owner}/${repo}, or there is no such repository.`, {
      status: 404,
    });
  }
}

function titleOf(reason: string): string {
  const line = reason.replace(/\s+/g, ' ');
  const whole = `Passed by an operator: "${line}"`;
  return whole.length <= MAX_TITLE
    ? whole
    : `${whole.slice(0, MAX_TITLE - 4).replace(/[\uD800-\uDBFF]$/, '')}..."`;
}
