import type { CheckConclusion } from '../../core/check.js';
import type { MarkerTrust } from '../../core/marker.js';
import { readOperatorPass } from '../../core/operator-pass.js';
import type { GateMode } from '../../core/policy.js';
import { besideNeighbours, ownResult } from '../../core/shared-head.js';
import type { CompletedCheck, Neighbour } from '../../core/shared-head.js';
import { numberOfKey } from '../../core/trigger.js';
import { listOwnCheckRuns, writeCheckRun } from './check-run.js';
import type { CheckTarget, OwnCheckRun } from './check-run.js';
import type { WriteContext } from './write.js';

export type SharedHead = {
  /** The pull request of this run. */
  readonly number: number;
  /** The other open pull requests of the head. */
  readonly others: readonly number[];
  readonly mode: GateMode;
  readonly trust?: MarkerTrust;
};

/** A check as it may be written beside the other pull requests of its head. */
export const besideOthers = (
  check: CompletedCheck,
  { others, mode }: SharedHead,
  runs: readonly OwnCheckRun[],
): CompletedCheck => besideNeighbours(check, neighboursOf(others, runs), mode);

/**
 * Brings the newest run of each open pull request of a head to what it may show beside the others, until nothing changes:
 * two runs that end in the same moment each see the other one, at the latest in the second round.
 */
export async function settleSharedHead(
  context: WriteContext,
  target: CheckTarget,
  { number, others, mode, trust }: SharedHead,
): Promise<void> {
  const all = [number, ...others];
  for (let round = 1; round <= mostRounds; round += 1) {
    const runs = await listOwnCheckRuns(context, target);
    let changed = false;
    for (const one of all) {
      const run = newestOf(runs, one);
      if (run?.status !== 'completed' || readOperatorPass(run.text, trust) !== null) continue;
      const shown = checkOf(run);
      const neighbours = neighboursOf(
        all.filter((other) => other !== one),
        runs,
      );
      const wanted = besideNeighbours(ownResult(shown), neighbours, mode);
      if (isSameCheck(shown, wanted)) continue;
      await writeCheckRun(context, target, run.id, wanted.text === '' ? { ...wanted, text: ' ' } : wanted);
      changed = true;
    }
    if (!changed) return;
  }
}

const mostRounds = 3;

const neighboursOf = (numbers: readonly number[], runs: readonly OwnCheckRun[]): readonly Neighbour[] =>
  numbers.map((number) => {
    const run = newestOf(runs, number);
    return { number, own: run?.status === 'completed' ? ownResult(checkOf(run)) : null };
  });

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
