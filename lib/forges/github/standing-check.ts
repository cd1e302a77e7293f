import type { CheckWrite } from '../../core/publication.js';
import { readOperatorPass } from '../../core/operator-pass.js';
import { listOwnCheckRuns, postCheckRun, writeCheckRun } from './check-run.js';
import type { CheckTarget } from './check-run.js';
import { besideOthers, checkOf, isSameCheck, newestOf, settleSharedHead } from './shared-head.js';
import type { SharedHead } from './shared-head.js';
import type { Sent, WriteContext } from './write.js';

export type StandingWish = {
  readonly key: string;
  readonly shared: SharedHead;
  /** A run in progress for longer than this has died. */
  readonly longestRunMs: number;
  /** The end of a run that published nothing: it takes nothing away from what stands. */
  readonly onlyIfNone: boolean;
};

/**
 * Brings the newest check run of a pull request on its head to what is wanted. A completed run is edited; a completed one
 * is never set back to in progress, so that is a new run. A review that is at work writes the end itself, and what an
 * operator passed by hand stays. Null: nothing was to be written.
 */
export async function writeStandingCheck(
  context: WriteContext,
  target: CheckTarget,
  check: CheckWrite,
  { key, shared, longestRunMs, onlyIfNone }: StandingWish,
): Promise<Sent<number> | null> {
  const runs = await listOwnCheckRuns(context, target);
  const newest = newestOf(runs, shared.number);
  if (newest !== undefined && onlyIfNone) return null;
  const isLive =
    newest !== undefined &&
    newest.status !== 'completed' &&
    context.clock() - newest.startedAt < longestRunMs;
  if (isLive) {
    context.log.info({ checkRun: newest.id }, 'a review of this head is at work: it writes the check');
    return null;
  }
  if (newest !== undefined && readOperatorPass(newest.text, shared.trust) !== null) {
    context.log.info({ checkRun: newest.id }, 'an operator passed this commit: its check stays');
    return null;
  }
  if (check.status !== 'completed') return postCheckRun(context, target, key, check);
  const wanted = besideOthers(check, shared, runs);
  const sent =
    newest === undefined
      ? await postCheckRun(context, target, key, wanted)
      : newest.status === 'completed' && isSameCheck(checkOf(newest), wanted)
        ? null
        : await writeCheckRun(context, target, newest.id, wanted);
  const top = runs.at(-1);
  const isCovered = top !== undefined && top.id !== newest?.id;
  if (shared.others.length > 0 || isCovered) await settleSharedHead(context, target, shared);
  return sent;
}
