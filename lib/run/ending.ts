import { ForgeError } from '../core/errors.js';
import type { Ending } from '../core/publication.js';
import type { Reviewed } from '../modes/run-review.js';

/** The ending of a run that has nothing to publish but its check; null when at least one pass was finalized. */
export function endingOf({ failed, result }: Reviewed): Ending | null {
  if (failed === null) return null;
  switch (failed.kind) {
    case 'superseded':
      return { kind: 'closed' };
    case 'no_submission':
    case 'refused':
    case 'failed':
    case 'out_of_budget':
      // A first pass that stands is published, with a verdict that says that the second one is missing.
      if (result !== null) return null;
      return failed.kind === 'failed' && failed.defect === true ? crashed : failed;
  }
}

const crashed: Ending = {
  kind: 'crashed',
  detail: 'The run ended with an error that nothing here expected',
};

export function endingOfError(error: unknown): Ending {
  if (error instanceof ForgeError && error.acceptedPermissions !== undefined)
    return { kind: 'permission_missing', permission: error.acceptedPermissions };
  if (error instanceof ForgeError)
    return { kind: 'failed', detail: error.message, retryable: error.retryable, by: 'forge' };
  return crashed;
}

/** How long the forge asked to be left alone, in milliseconds. */
export const retryAfterOf = (error: unknown): number =>
  error instanceof ForgeError ? (error.retryAfterMs ?? 0) : 0;

export const whereToAccept = (ending: Ending, where: string): Ending =>
  ending.kind === 'permission_missing' ? { where, ...ending } : ending;
