import { readState, type KnownState, type MarkerTrust } from '../../core/marker.js';
import type { PullTarget } from './own-reviews.js';

/** What the signatures on a pull request are bound to: host, app, repository and number. */
export const markerScope = (
  { apiUrl, appId }: { readonly apiUrl: string; readonly appId: string | number },
  { owner, repo, number }: PullTarget,
): string => `${new URL(apiUrl).host}/${appId}/${owner}/${repo}#${number}`.toLowerCase();

/**
 * What a check run of ours keeps. The repository may have had another name when it was written: then the key of its job
 * says which, and only this app writes either.
 */
export function readKept(text: string, key: string, trust: MarkerTrust | undefined): KnownState {
  const now = readState(text, trust);
  const [app] = /^[^/]+\/[^/]+\//.exec(trust?.scope ?? '') ?? [];
  const [place] = /^[^/\s#:]+\/[^/\s#:]+#[1-9]\d{0,9}(?=:)/.exec(key) ?? [];
  if (trust === undefined || app === undefined || place === undefined) return now;
  const scope = `${app}${place}`.toLowerCase();
  // What was written since has the present name, also where the key is from before.
  return scope === trust.scope || now.passes.length + now.marks.length > 0
    ? now
    : readState(text, { ...trust, scope });
}
