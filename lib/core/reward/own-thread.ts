import { plainLogin } from '../author.js';
import type { Category } from '../finding.js';
import { readMarkers } from '../marker.js';
import type { ReviewedThread } from './reviewed-pull.js';
import { reviewerOf } from './badges.js';

/**
 * What the hidden line of a thread of ours says: its category, and whether nothing is open in it any more. Null for a
 * thread of somebody else. Keys to check the line by are not at hand here, so it is believed of an account that is listed,
 * or, without a list, of any but other known reviewers.
 */
export function ownStanding(
  { author, body }: Pick<ReviewedThread, 'author' | 'body'>,
  evident: readonly string[],
): { readonly category: Category; readonly settled: boolean } | null {
  if (!body.includes('<!-- evident:thread ') || !mayBeOurs(author, evident)) return null;
  const marker = readMarkers(body).findLast((one) => one.kind === 'thread');
  if (marker?.kind !== 'thread') return null;
  return { category: marker.known.category, settled: isSettled(marker.state) };
}

function mayBeOurs(author: string | null | undefined, evident: readonly string[]): boolean {
  if (evident.length === 0) return reviewerOf(author) === null;
  return evident.some((login) => plainLogin(login) === plainLogin(author ?? ''));
}

/** By the name that `lib/core/render/thread-now.ts` gives to what the thread says. */
function isSettled(state: string): boolean {
  const [standing = '', effect] = state.replace(/^F[1-9]\d* /, '').split(' ');
  return (
    ['fixed', 'dismissed', 'withdrawn', 'suppressed', 'obsolete'].includes(standing) ||
    (['yes', 'no', 'unsure'].includes(standing) && effect === 'suppress_finding')
  );
}
