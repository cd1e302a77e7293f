import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { ConfigError } from '../../lib/core/errors.js';
import { advise } from '../../lib/core/reward/advise.js';
import { armsAmong, choose } from '../../lib/core/reward/choose.js';
import { learnedArms, readLearned } from '../../lib/core/reward/learned.js';
import type { Io } from '../io.js';
import { json, readTextFile } from './input.js';
import { shownArm } from './update.js';

const usage = `evident reward choose --state STATE [options]

Chooses the category of work to take next: one draw from what is known of each,
and the highest wins (Thompson). Also says where people should review more.
Prints {choice, seed, arms, advice}.

  --state   what evident reward update has written
  --among   categories to choose from, with commas; those that nothing is known
            of are drawn from too. Without it all that were learned
  --seed    any text: the same one chooses the same; else one is made up

Exit codes: 0 chosen, 2 wrong use, or nothing to choose from.
`;

/** `evident reward choose`. Settles with the exit code. */
export async function runChoose(args: readonly string[], io: Io): Promise<number> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      state: { type: 'string' },
      among: { type: 'string' },
      seed: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (flags.help) {
    io.stdout(usage);
    return 0;
  }
  if (flags.state === undefined)
    throw new ConfigError('--state is missing: name the file that evident reward update writes.', '--state');
  const learned = learnedArms(readLearned(await readTextFile(flags.state, io, '--state'), flags.state));
  const arms = flags.among === undefined ? learned : armsAmong(learned, categoriesIn(flags.among));
  const seed = flags.seed ?? randomBytes(8).toString('hex');
  const choice = choose(arms, seed);
  if (choice === null)
    throw new ConfigError(
      `${flags.state} knows no category yet: update it first, or name some with --among.`,
      '--state',
    );
  io.stdout(
    json({
      choice: choice.category,
      seed,
      arms: choice.draws.map(({ arm, drawn }) => ({ ...shownArm(arm), drawn: Number(drawn.toFixed(6)) })),
      advice: advise(arms),
    }),
  );
  return 0;
}

function categoriesIn(text: string): readonly string[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  if (names.length === 0)
    throw new ConfigError('--among names no category: write them with commas between.', '--among');
  return names;
}
