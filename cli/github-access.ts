import { readEnv } from '../lib/config/env.js';
import { ConfigError } from '../lib/core/errors.js';
import { forges } from '../lib/forges/index.js';
import type { Log } from '../lib/ports/log.js';
import { noToken, tokenOfPerson } from './github-token.js';
import type { Io } from './io.js';
import { placeOf, repositoryHere, type Named } from './named-pull.js';

/** What a test replaces. Milliseconds. */
export type Time = { readonly clock: () => number; readonly sleep: (ms: number) => Promise<void> };

/** How long signing in as the app may take. */
const signInMs = 30_000;

/** The pull request that is meant, or a sentence. */
export async function pullOf(
  text: string,
  cwd: string,
  web: string,
): Promise<Pick<Named, 'owner' | 'repo' | 'number'> | string> {
  const number = /^#?([1-9]\d{0,8})$/.exec(text)?.[1];
  if (number !== undefined) {
    const here = await repositoryHere(cwd, web);
    return typeof here === 'string' ? here : { owner: here.owner, repo: here.repo, number: Number(number) };
  }
  const place = placeOf(text);
  if (place === null) return '--pr names no pull request: write its number, OWNER/REPO#N, or its address.';
  if (place.origin !== null && place.origin !== new URL(web).origin)
    return `--pr is on ${place.origin}, and tokens are for ${web} (GITHUB_API_URL).`;
  return place;
}

/** A person's token, or that of Actions; else one of the app itself. */
export async function tokenFor(
  { env }: Io,
  place: Pick<Named, 'owner' | 'repo' | 'number'>,
  { clock, log }: Pick<Time, 'clock'> & { readonly log: Log },
): Promise<() => Promise<string>> {
  const token = tokenOfPerson(env);
  if (token !== null) return async () => token;
  if ((env['APP_ID'] ?? env['EVIDENT_APP_ID']) === undefined) throw noToken();
  const { github } = readEnv(env);
  if (github === null) throw new ConfigError('APP_ID is not set.', 'APP_ID');
  const { createAppAuth, installationOf } = await forges.github();
  const auth = createAppAuth({ ...github, log, clock });
  const installation = await installationOf({ auth, place }, clock() + signInMs);
  return async () => (await auth.installationToken({ ...place, installation })).token;
}
