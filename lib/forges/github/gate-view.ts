import { z } from 'zod';
import { ForgeError } from '../../core/errors.js';
import { Sha } from '../../core/pull-request.js';
import { numberOfKey } from '../../core/trigger.js';
import { checkName } from './check-run.js';
import type { GitHubClient } from './client.js';
import { forReader } from './for-reader.js';
import type { PullTarget } from './own-reviews.js';

/** What GitHub shows of the gate of a pull request to anybody who may read it. */
export type GateView = {
  readonly pull: {
    readonly state: 'open' | 'merged' | 'closed';
    readonly head: Sha;
    readonly headRef: string;
    /** `OWNER/REPO`; null when the repository of the head is gone. */
    readonly headRepo: string | null;
    readonly url: string;
  };
  /** The newest run of our check on the live head, for this pull request. */
  readonly check: ShownCheck | null;
  /** Slugs of other apps that wrote a check of that name there; it was not read. */
  readonly others: readonly string[];
};

export type ShownCheck = {
  readonly id: number;
  /** The slug of the app that wrote it. */
  readonly app: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly title: string;
  readonly summary: string;
  readonly text: string;
  readonly url: string;
};

const Pull = z.object({
  state: z.enum(['open', 'closed']),
  merged: z.boolean().nullish(),
  html_url: z.string(),
  head: z.object({ sha: Sha, ref: z.string(), repo: z.object({ full_name: z.string() }).nullish() }),
});

const Run = z.object({
  id: z.number().int(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullish(),
  external_id: z.string().nullish(),
  html_url: z.string().nullish(),
  app: z.object({ id: z.number().int(), slug: z.string().nullish() }).nullish(),
  output: z
    .object({ title: z.string().nullish(), summary: z.string().nullish(), text: z.string().nullish() })
    .nullish(),
});

/** Every workflow of a pull request may write checks under this app, whatever their name: none of them is ours. */
const workflows = 'github-actions';

/**
 * Two requests: the pull request, and the checks of its head. Ours are known by their name, by the key they carry and,
 * where it is known, by the id of the app. Throws `ForgeError` with a sentence for whoever holds the token.
 */
export async function readGateView(
  client: GitHubClient,
  place: PullTarget,
  appId: number | null,
): Promise<GateView> {
  const { owner, repo, number } = place;
  const data = await client
    .get<unknown>(
      '/repos/{owner}/{repo}/pulls/{pull_number}',
      { owner, repo, pull_number: number },
      'the live head',
    )
    .catch((error: unknown) => {
      throw forReader(error, `${owner}/${repo}#${number}`, rights);
    });
  const pull = read(Pull, data, 'the pull request');
  const { items } = await client
    .paginate<unknown>(
      '/repos/{owner}/{repo}/commits/{ref}/check-runs',
      { owner, repo, ref: pull.head.sha, check_name: checkName, filter: 'all' },
      'the check of that head',
      { maxPages: 3, pick: (page) => read(Page, page, 'the checks').check_runs },
    )
    .catch((error: unknown) => {
      throw forReader(error, `the checks of ${owner}/${repo}`, rights);
    });
  const named = items
    .flatMap((item) => Run.safeParse(item).data ?? [])
    .filter((run) => run.name === checkName)
    .sort((a, b) => a.id - b.id);
  const isOurApp = (run: z.infer<typeof Run>): boolean =>
    numberOfKey(run.external_id ?? '') !== null &&
    run.app?.slug !== workflows &&
    (appId === null || run.app?.id === appId);
  const newest = named.findLast((run) => isOurApp(run) && numberOfKey(run.external_id ?? '') === number);
  const others = named.filter((run) =>
    newest === undefined ? !isOurApp(run) : run.app?.id !== newest.app?.id,
  );
  return {
    pull: {
      state: pull.merged === true ? 'merged' : pull.state,
      head: pull.head.sha,
      headRef: pull.head.ref,
      headRepo: pull.head.repo?.full_name ?? null,
      url: pull.html_url,
    },
    check: newest === undefined ? null : shown(newest, pull.html_url),
    others: [...new Set(others.map(slugOf))],
  };
}

const Page = z.object({ check_runs: z.array(z.unknown()) });

const slugOf = (run: z.infer<typeof Run>): string => run.app?.slug ?? 'unknown';

const shown = (run: z.infer<typeof Run>, pullUrl: string): ShownCheck => ({
  id: run.id,
  app: slugOf(run),
  status: run.status,
  conclusion: run.conclusion ?? null,
  title: run.output?.title ?? '',
  summary: run.output?.summary ?? '',
  text: run.output?.text ?? '',
  url: run.html_url ?? pullUrl,
});

function read<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ForgeError(`GitHub showed ${what} in a shape that is not known here.`, { retryable: true });
}

const rights = 'it needs to read pull requests and checks (`repo` of a personal token of the classic kind)';
