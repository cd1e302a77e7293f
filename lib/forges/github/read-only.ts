import { ForgeError } from '../../core/errors.js';
import type { Snapshot } from '../../core/snapshot.js';
import type { RepoReader } from '../../ports/forge.js';
import type { GitHubClient } from './client.js';
import { forReader } from './for-reader.js';
import type { PullTarget } from './own-reviews.js';
import { readSnapshot, type SnapshotOptions } from './snapshot.js';

export type OpenedReadOnly = { readonly snapshot: Snapshot; readonly reader: RepoReader };

/**
 * A pull request for a dry run: everything that a review reads, with whatever token may read it, and no request that
 * writes. Open, merged or closed; its change is the one between its base and its head as GitHub keeps them. What
 * Evident said on it earlier is not read, so the review is a first one. Throws `ForgeError` with a sentence for whoever
 * holds the token.
 */
export async function openReadOnly(
  client: GitHubClient,
  place: PullTarget,
  options: Omit<SnapshotOptions, 'history'>,
): Promise<OpenedReadOnly> {
  try {
    return await readSnapshot(client, place, options);
  } catch (error) {
    throw error instanceof ForgeError
      ? forReader(error, `${place.owner}/${place.repo}#${place.number}`, rights)
      : error;
  }
}

const rights = 'it needs to read pull requests and contents (`repo` of a personal token of the classic kind)';
