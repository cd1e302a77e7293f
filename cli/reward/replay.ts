import { parseArgs } from 'node:util';
import { ConfigError } from '../../lib/core/errors.js';
import { advise } from '../../lib/core/reward/advise.js';
import { learn, nothingLearned } from '../../lib/core/reward/learned.js';
import { outcomeOf, replay, schemes, type Replayed } from '../../lib/core/reward/replay.js';
import type { ReviewedPull } from '../../lib/core/reward/reviewed-pull.js';
import { score } from '../../lib/core/reward/score.js';
import { alarms } from '../../lib/core/reward/unvarying.js';
import type { Io } from '../io.js';
import { json, readScored, reviewFlags } from './input.js';
import { shownArm } from './update.js';

const usage = `evident reward replay [FILE] [options]

What would have been learned from a history, by three ways to reward a pull
request: graded (by its unresolved threads), clean (none, or not) and merged
(or not). Reads what evident reward score reads or prints, JSON lines too;
collected pull requests are taken oldest first, others as they come.
Prints for each way the arms, and how many pairs of categories it tells apart.

  --at        also after so many updates, with commas: 20,50
  --settings  a JSON file: docs/REWARD.md has its keys
  --now       the time to measure long waiting by: 2027-06-01T00:00:00Z

Exit codes: 0 shown, 2 wrong use.
`;

/** `evident reward replay`. Settles with the exit code. */
export async function runReplayHistory(args: readonly string[], io: Io): Promise<number> {
  const given = parseArgs({
    args: [...args],
    options: { ...reviewFlags, at: { type: 'string', default: '20,50' } },
    allowPositionals: true,
  });
  if (given.values.help) {
    io.stdout(usage);
    return 0;
  }
  const at = countsIn(given.values.at);
  const { pulls, settings, now } = await readScored(given, io);
  const { prs } = score(inOrder(pulls), settings, now);
  const history = Object.values(learn(nothingLearned, { pulls: prs, sessions: [] }).learned.pulls).map(
    outcomeOf,
  );
  const replayed = replay(history, at);
  io.stdout(
    json({
      updates: history.length,
      ...Object.fromEntries(schemes.map((scheme) => [scheme, shownReplay(replayed[scheme])])),
      advice: advise(replayed.graded.arms),
      alarms: alarms(history),
    }),
  );
  return 0;
}

function inOrder(pulls: readonly ReviewedPull[]): readonly ReviewedPull[] {
  const dated = pulls.flatMap((pull) =>
    pull.life === undefined ? [] : [{ pull, at: Date.parse(pull.life.createdAt) }],
  );
  return dated.length < pulls.length ? pulls : dated.toSorted((a, b) => a.at - b.at).map(({ pull }) => pull);
}

const shownReplay = ({ updates, told, arms, after }: Replayed) => ({
  updates,
  toldApart: told,
  arms: arms.map(shownArm),
  after: after.map((one) => ({ updates: one.updates, arms: one.arms.map(shownArm) })),
});

function countsIn(text: string): readonly number[] {
  const counts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(Number);
  if (counts.length > 20 || counts.some((count) => !Number.isSafeInteger(count) || count < 1))
    throw new ConfigError(
      `--at is ${text}: write at most 20 whole numbers with commas, such as 20,50.`,
      '--at',
    );
  return counts;
}
