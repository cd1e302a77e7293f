import type { CheckConclusion } from '../../core/check.js';
import type { MarkerTrust } from '../../core/marker.js';
import { readOperatorPass } from '../../core/operator-pass.js';
import type { GateMode } from '../../core/policy.js';
import { besideNeighbours, ownResult } from '../../core/shared-head.js';
import type { CompletedCheck, Neighbour } from '../../core/shared-head.js';
import { numberOfKey } from '../../core/trigger.js';
import { listOwnCheckRuns, postCheckRun, writeCheckRun } from './check-run.js';
import type { CheckTarget, OwnCheckRun } from './check-run.js';
import { readLivePull } from './own-reviews.js';
import type { WriteContext } from './write.js';

export type SharedHead = {
  /** The pull request of this run. */
  readonly number: number;
  /** The other open pull requests of the head. */
  readonly others: readonly number[];
  /** There are more than these. */
  readonly isCrowded?: boolean;
  readonly mode: GateMode;
  readonly trust?: MarkerTrust;
};

/** A check as it may be written beside the other pull requests of its head. */
export const besideOthers = (
  check: CompletedCheck,
  { others, isCrowded = false, mode }: SharedHead,
  runs: readonly OwnCheckRun[],
): CompletedCheck => besideNeighbours(check, neighboursOf(others, runs, isCrowded), mode);

/**
 * Brings the newest run of each open pull request of a head to what it may show beside the others, until nothing changes:
 * two runs that end in the same moment each see the other one, at the latest in the second round. The newest run of all,
 * which GitHub shows, must be one of theirs: above that of a closed pull request the result is written once more.
 */
export async function settleSharedHead(
  context: WriteContext,
  target: CheckTarget,
  { number, others, isCrowded = false, mode, trust }: SharedHead,
): Promise<void> {
  const all = [number, ...others];
  for (let round = 1; round <= mostRounds; round += 1) {
    const runs = await listOwnCheckRuns(context, target);
    const standing = all.flatMap((one) => {
      const run = newestOf(runs, one);
      if (run?.status !== 'completed') return [];
      const shown = checkOf(run);
      if (readOperatorPass(run.text, trust) !== null) return [{ run, shown, wanted: shown }];
      const beside = all.filter((other) => other !== one);
      return [
        {
          run,
          shown,
          wanted: besideNeighbours(ownResult(shown), neighboursOf(beside, runs, isCrowded), mode),
        },
      ];
    });
    const changed = standing.filter(({ shown, wanted }) => !isSameCheck(shown, wanted));
    for (const { run, wanted } of changed) await writeCheckRun(context, target, run.id, withText(wanted));
    const top = runs.at(-1);
    const [first] = standing;
    const isCovered =
      top !== undefined &&
      !all.some((one) => one === numberOfKey(top.key)) &&
      top.conclusion !== first?.wanted.conclusion;
    if (isCovered && first !== undefined) await postCheckRun(context, target, first.run.key, first.wanted);
    if (changed.length === 0 && !isCovered) return;
  }
}

/** Where no text is sent the earlier one stays. */
const withText = (check: CompletedCheck): CompletedCheck =>
  check.text === '' ? { ...check, text: ' ' } : check;

const mostRounds = 3;

/**
 * A pull request was closed: its result counts no more for the others of its head. Settles with the numbers of those
 * whose checks were looked at. The mode is that of the results that stand there: only `blocking` writes a failure.
 */
export async function leaveSharedHead(
  context: WriteContext,
  target: CheckTarget & { readonly number: number },
  trust: MarkerTrust | undefined,
  otherwise: GateMode,
): Promise<readonly number[]> {
  const live = await readLivePull(context.client, target, 'who else has the head of a closed pull request');
  const [number, ...others] = live.sameHead;
  if (number === undefined) return [];
  const head = { ...target, head: live.head };
  const runs = await listOwnCheckRuns(context, head);
  const holds = runs.some(({ conclusion }) => conclusion === 'failure' || conclusion === 'action_required');
  await settleSharedHead(context, head, {
    number,
    others,
    ...(live.isCrowded && { isCrowded: true }),
    mode: holds ? 'blocking' : otherwise,
    ...(trust !== undefined && { trust }),
  });
  return live.sameHead;
}

const neighboursOf = (
  numbers: readonly number[],
  runs: readonly OwnCheckRun[],
  isCrowded: boolean,
): readonly Neighbour[] => [
  ...numbers.map((number) => {
    const run = newestOf(runs, number);
    return { number, own: run?.status === 'completed' ? ownResult(checkOf(run)) : null };
  }),
  ...(isCrowded ? [{ number: 'more' as const, own: null }] : []),
];

/** Of one pull request, whatever base it had then. */
export const newestOf = (runs: readonly OwnCheckRun[], number: number): OwnCheckRun | undefined =>
  runs.findLast(({ key }) => numberOfKey(key) === number);

export const checkOf = ({ conclusion, title, summary, text }: OwnCheckRun): CompletedCheck => ({
  status: 'completed',
  conclusion: conclusionOf(conclusion),
  title,
  summary,
  text,
});

const ours: readonly CheckConclusion[] = [
  'success',
  'failure',
  'neutral',
  'skipped',
  'cancelled',
  'action_required',
];

/** GitHub itself ends what was forgotten (`stale`, `timed_out`): that is no result either. */
const conclusionOf = (conclusion: string | null): CheckConclusion =>
  ours.find((one) => one === conclusion) ?? 'cancelled';

/** GitHub may give texts back with other line ends, or without those at the end. */
export const isSameCheck = (a: CompletedCheck, b: CompletedCheck): boolean =>
  a.conclusion === b.conclusion &&
  (['title', 'summary', 'text'] as const).every(
    (field) => a[field].replaceAll('\r\n', '\n').trim() === b[field].replaceAll('\r\n', '\n').trim(),
  );
