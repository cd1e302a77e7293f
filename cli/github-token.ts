import { ConfigError } from '../lib/core/errors.js';
import type { Io } from './io.js';

/** A token of a person, or that of Actions: `GITHUB_TOKEN`, else `GH_TOKEN`. Null when neither is set. */
export function tokenOfPerson(env: Io['env']): string | null {
  const name = (['GITHUB_TOKEN', 'GH_TOKEN'] as const).find((one) => (env[one]?.trim() ?? '') !== '');
  if (name === undefined) return null;
  const token = env[name]?.trim() ?? '';
  // What cannot stand in a header would be shown in the error.
  if (!/^[\x21-\x7e]{1,2000}$/.test(token))
    throw new ConfigError(`${name} is not a token: it has blanks or unusual characters in it.`, name);
  return token;
}

export const noToken = (): ConfigError =>
  new ConfigError(
    'No token is set. Set GITHUB_TOKEN or GH_TOKEN to one that may read the repository, for example GH_TOKEN=$(gh auth token).',
    'GITHUB_TOKEN',
  );
