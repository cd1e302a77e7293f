import { defaultPolicy } from '../../../lib/core/policy.js';
import { createAppAuth } from '../../../lib/forges/github/app-auth.js';
import { createGitHubClient } from '../../../lib/forges/github/client.js';
import type { GitHubClient } from '../../../lib/forges/github/client.js';
import { readSnapshot } from '../../../lib/forges/github/snapshot.js';
import type { SnapshotOptions } from '../../../lib/forges/github/snapshot.js';
import { silentLog } from '../../../lib/ports/log.js';
import type { FileChange, LocalGitHub, LocalRepository, PullOrder } from '../../../local-github/index.js';

export type Files = Readonly<Record<string, FileChange>>;

export type OpenChange = { readonly repository: LocalRepository; readonly number: number };

/** A pull request on its own repository: the default branch has `base`, the topic branch exactly `head`. */
export async function openChange(
  github: LocalGitHub,
  base: Files,
  head: Files,
  pull: Partial<PullOrder> = {},
): Promise<OpenChange> {
  const name = `shop-${github.requests().length}-${Math.random().toString(36).slice(2, 8)}`;
  const repository = await github.createRepository({ owner: 'octo-org', name, files: base });
  const branch = pull.head ?? 'topic';
  const gone = Object.keys(base).filter((path) => !(path in head));
  await repository.commit({
    branch,
    from: 'main',
    message: 'Change',
    files: { ...head, ...Object.fromEntries(gone.map((path) => [path, null])) },
  });
  return {
    repository,
    number: await repository.openPullRequest({ title: 'Change', ...pull, head: branch }),
  };
}

/** As the app would: a token narrowed to the repository, and a client on it. */
export async function clientOf(github: LocalGitHub, repository: LocalRepository): Promise<GitHubClient> {
  const auth = createAppAuth({
    appId: github.app.id,
    privateKey: github.app.privateKey,
    apiUrl: github.apiUrl,
    log: silentLog,
  });
  const { token } = await auth.installationToken({
    installation: github.app.installationId,
    owner: repository.owner,
    repo: repository.name,
  });
  return createGitHubClient({
    apiUrl: github.apiUrl,
    token: async () => token,
    log: silentLog,
    deadline: Date.now() + 60_000,
    sleep: async () => {},
  });
}

export async function openSnapshot(
  github: LocalGitHub,
  { repository, number }: OpenChange,
  options: Partial<SnapshotOptions> = {},
): Promise<Awaited<ReturnType<typeof readSnapshot>> & { readonly client: GitHubClient }> {
  const client = await clientOf(github, repository);
  const place = { owner: repository.owner, repo: repository.name, number };
  return { client, ...(await readSnapshot(client, place, { policy: defaultPolicy, ...options })) };
}
