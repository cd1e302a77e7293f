import type { PullTarget } from './own-reviews.js';

/** What the signatures on a pull request are bound to: host, app, repository and number. */
export const markerScope = (
  { apiUrl, appId }: { readonly apiUrl: string; readonly appId: string | number },
  { owner, repo, number }: PullTarget,
): string => `${new URL(apiUrl).host}/${appId}/${owner}/${repo}#${number}`.toLowerCase();
