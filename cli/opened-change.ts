import { readGitHubPlace } from '../lib/config/env.js';
import { ConfigError } from '../lib/core/errors.js';
import { defaultPolicy } from '../lib/core/policy.js';
import type { OpenedReadOnly } from '../lib/forges/github/index.js';
import { forges } from '../lib/forges/index.js';
import type { OpenedLocalGit } from '../lib/forges/local-git.js';
import type { Log } from '../lib/ports/log.js';
import { pullOf, tokenFor, type Time } from './github-access.js';
import type { Io } from './io.js';
import type { Named } from './named-pull.js';

/** A change ready to be read, wherever it stands. */
export type OpenedChange = OpenedLocalGit;

/** Reading a large repository and its conversation; GitHub's own waits included. */
const openingMs = 5 * 60_000;

/**
 * A pull request, read-only: what stands on it is read with a token that may read it, and nothing is written. Throws
 * `ConfigError` when it is named wrongly or nothing differs, `ForgeError` when GitHub does not show it.
 */
export async function openPull(
  text: string,
  io: Io,
  { neverSend, log, ...time }: Time & { readonly neverSend: readonly string[]; readonly log: Log },
): Promise<OpenedChange> {
  const github = await forges.github();
  const { apiUrl } = readGitHubPlace(io.env);
  const place = await pullOf(text, io.cwd, github.webUrlOf(apiUrl));
  if (typeof place === 'string') throw new ConfigError(place, '--pr');
  const { owner, repo, number } = place;
  const opened = await openReadOnly(
    { owner, repo, number },
    { ...time, env: io.env, log, neverSend, token: await tokenFor(io, place, { ...time, log }) },
  );
  return changeOf(opened);
}

/** The same by its place, as it was read. Throws `ForgeError` when GitHub does not show it. */
export async function openReadOnly(
  place: Pick<Named, 'owner' | 'repo' | 'number'>,
  {
    env,
    token,
    neverSend,
    log,
    ...time
  }: Time & {
    readonly env: Io['env'];
    readonly token: () => Promise<string>;
    readonly neverSend: readonly string[];
    readonly log: Log;
  },
): Promise<OpenedReadOnly> {
  const github = await forges.github();
  const client = github.createGitHubClient({
    ...{ apiUrl: readGitHubPlace(env).apiUrl, token, log },
    deadline: time.clock() + openingMs,
    ...time,
  });
  return github.openReadOnly(client, place, { policy: defaultPolicy, neverSend, ...time });
}

/** What the terminal calls a comparison, of a pull request. */
function changeOf({ snapshot, reader }: OpenedReadOnly): OpenedChange {
  const { pullRequest, diff } = snapshot;
  const name = `${pullRequest.repo.owner}/${pullRequest.repo.name}#${pullRequest.number}`;
  if (diff.length === 0) throw new ConfigError(`${name} changes no file: there is nothing to read.`, '--pr');
  const sum = (count: (file: (typeof diff)[number]) => number): number =>
    diff.reduce((total, file) => total + count(file), 0);
  return {
    snapshot,
    reader,
    comparison: {
      repository: `${pullRequest.repo.owner}/${pullRequest.repo.name}`,
      base: pullRequest.base.ref,
      head: pullRequest.head.ref,
      uncommitted: 0,
      files: diff.length,
      additions: sum(({ additions }) => additions),
      deletions: sum(({ deletions }) => deletions),
      sentence: `${name}, ${pullRequest.base.ref}...${pullRequest.head.ref}`,
    },
    close: async () => {},
  };
}
