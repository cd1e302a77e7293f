import { z } from 'zod';
import type { ReviewersWrite, WriteOutcome } from '../../core/publication.js';
import type { PullTarget } from './own-reviews.js';
import { setState } from './write.js';
import type { Sent, WriteContext } from './write.js';

const route = '/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers';

/**
 * Asks people and teams to review. GitHub refuses the whole request for one who cannot be asked (not a collaborator, the
 * author, a team that the app may not see), so each is asked alone then: the others are to be reached all the same.
 */
export async function requestReviewers(
  context: WriteContext & { readonly target: PullTarget },
  { users, teams }: ReviewersWrite,
): Promise<readonly WriteOutcome[]> {
  const all = [
    ...users.map((login): Asked => ({ users: [login], teams: [] })),
    ...teams.map((slug): Asked => ({ users: [], teams: [slugOf(slug)] })),
  ].slice(0, mostAsked);
  if (all.length === 0) return [];
  const together = await ask(context, joined(all));
  if (together.kind !== 'refused' || !isAboutSomeone(together.status) || all.length === 1)
    return [outcome(context, joined(all), together)];
  const outcomes: WriteOutcome[] = [];
  for (const one of all) outcomes.push(outcome(context, one, await ask(context, one)));
  return outcomes;
}

/** GitHub takes 15 reviewers of a pull request on the free plans. */
const mostAsked = 15;

type Asked = { readonly users: readonly string[]; readonly teams: readonly string[] };

const joined = (all: readonly Asked[]): Asked => ({
  users: all.flatMap((one) => one.users),
  teams: all.flatMap((one) => one.teams),
});

/** `octo-org/payments` is how people and CODEOWNERS write a team. */
const slugOf = (team: string): string => team.slice(team.indexOf('/') + 1);

const isAboutSomeone = (status: number): boolean => [403, 404, 422].includes(status);

async function ask(
  context: WriteContext & { readonly target: PullTarget },
  { users, teams }: Asked,
): Promise<Sent<true>> {
  const { owner, repo, number } = context.target;
  const params = { owner, repo, pull_number: number };
  return setState<true>(
    context,
    {
      method: 'POST',
      route,
      params: {
        ...params,
        ...(users.length > 0 && { reviewers: users }),
        ...(teams.length > 0 && { team_reviewers: teams }),
      },
      reason: 'ask for a review by people',
    },
    () => true,
    async () => {
      const data = await context.client.get<unknown>(route, params, 'who is asked for a review');
      const now = Requested.parse(data);
      const has = (list: readonly string[], name: string): boolean =>
        list.some((one) => one.toLowerCase() === name.toLowerCase());
      return users.every((login) => has(now.users, login)) && teams.every((slug) => has(now.teams, slug))
        ? true
        : null;
    },
  );
}

const Requested = z
  .object({ users: z.array(z.object({ login: z.string() })), teams: z.array(z.object({ slug: z.string() })) })
  .transform(({ users, teams }) => ({
    users: users.map(({ login }) => login),
    teams: teams.map(({ slug }) => slug),
  }));

function outcome(context: WriteContext, asked: Asked, sent: Sent<true>): WriteOutcome {
  if (sent.kind === 'confirmed') return { kind: 'confirmed', id: 0 };
  context.log.warn({ ...asked, reason: sent.reason }, 'people could not be asked for a review');
  return sent;
}
