import { ForgeError } from '../../core/errors.js';

/**
 * GitHub's refusal as a sentence for whoever holds the token: what to mend. Anything else as it is.
 *
 * @param what what was to be read, as in "GitHub refuses to show WHAT to this token"
 * @param rights what the token needs, as in "it needs to read ..."
 */
export function forReader(error: unknown, what: string, rights: string): unknown {
  if (!(error instanceof ForgeError) || error.status === undefined || error.retryable) return error;
  const mend =
    error.status === 401
      ? 'GitHub does not take this token: it has expired, was revoked, or belongs to another server (GITHUB_API_URL).'
      : error.status === 404
        ? `GitHub does not show ${what} to this token: there is no such thing, or the token may not read it; ${rights}.`
        : error.status === 403
          ? `GitHub refuses to show ${what} to this token; ${rights}. (${error.message})`
          : null;
  return mend === null ? error : new ForgeError(mend, { status: error.status, cause: error });
}
