import { parseArgs } from 'node:util';
import { advise } from '../../lib/core/reward/advise.js';
import type { Arm } from '../../lib/core/reward/arm.js';
import {
  learn,
  learnedArms,
  nothingLearned,
  readLearned,
  type Learned,
} from '../../lib/core/reward/learned.js';
import { posteriorOf } from '../../lib/core/reward/posterior.js';
import { outcomeOf } from '../../lib/core/reward/replay.js';
import { score } from '../../lib/core/reward/score.js';
import { alarms } from '../../lib/core/reward/unvarying.js';
import type { Io } from '../io.js';
import { writeWhole } from '../write-whole.js';
import { json, readScored, readTextIfThere, reviewFlags, rounded } from './input.js';
import { tellUnmatched } from './score.js';
import { whileLocked } from './while-locked.js';

const usage = `evident reward update --state STATE [FILE] [options]

Learns from reviews: what evident reward score reads, and sessions
{session, category, reward, pulls}, from FILE or standard input. STATE is read,
if it is there, and written; without --state what was learned is printed.
A pull request counts once: what is seen later replaces what it said before.

  --state     the file that keeps what was learned, as JSON
  --settings  a JSON file: docs/REWARD.md has its keys
  --now       the time to measure long waiting by: 2027-06-01T00:00:00Z

Exit codes: 0 learned, 2 wrong use.
`;

/** `evident reward update`. Settles with the exit code. */
export async function runUpdate(args: readonly string[], io: Io): Promise<number> {
  const given = parseArgs({
    args: [...args],
    options: { ...reviewFlags, state: { type: 'string' } },
    allowPositionals: true,
  });
  if (given.values.help) {
    io.stdout(usage);
    return 0;
  }
  const { pulls, sessions, settings, now } = await readScored(given, io);
  const scored = score(pulls, settings, now);
  const seen = { pulls: scored.prs, sessions };
  const { state } = given.values;
  if (state === undefined) io.stdout(json(withArms(learn(nothingLearned, seen).learned)));
  else {
    const named = { flag: '--state', file: state };
    const { learned, changes } = await whileLocked(named, io, async () => {
      const next = learn(await readState(state, io), seen);
      await writeWhole(named, json(withArms(next.learned)), io);
      return next;
    });
    const arms = learnedArms(learned);
    io.stdout(
      json({
        ...changes,
        aggregate: scored.aggregate,
        arms: arms.map(shownArm),
        advice: advise(arms),
        alarms: alarms(Object.values(learned.pulls).map(outcomeOf)),
      }),
    );
  }
  tellUnmatched(scored, io);
  return 0;
}

/** Nothing learned yet where there is no such file. */
async function readState(file: string, io: Io): Promise<Learned> {
  const text = await readTextIfThere(file, io, '--state');
  return text === null ? nothingLearned : readLearned(text, file);
}

/** The arms are for readers; the next update folds its own. */
const withArms = (learned: Learned) => ({ ...learned, arms: learnedArms(learned).map(shownArm) });

/** An arm as it is printed, with its mean and where that is, 95 of 100. */
export function shownArm(arm: Arm) {
  const { mean, low, high } = posteriorOf(arm);
  return {
    category: arm.category,
    alpha: rounded(arm.alpha),
    beta: rounded(arm.beta),
    updates: arm.updates,
    mean: shown(mean),
    low: shown(low),
    high: shown(high),
  };
}

const shown = (value: number): number => Number(value.toFixed(4));
