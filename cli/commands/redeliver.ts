import { parseArgs } from 'node:util';
import { readEnv } from '../../lib/config/env.js';
import { createLog } from '../../lib/config/log.js';
import { ConfigError } from '../../lib/core/errors.js';
import { forges } from '../../lib/forges/index.js';
import type { Io } from '../io.js';

const usage = `evident redeliver

Asks GitHub once for the deliveries of the last three days that failed, and has
the newest for each head of a pull request delivered again. The app does the
same when it starts and after reviews; this is for operators and for cron.
Settings come from the environment, see docs/CONFIGURATION.md.

Exit codes: 0 all were looked at, 2 wrong settings, or GitHub refuses, 3 there
are more: run it once more.
`;

/** Settles with the exit code: 3 when there are more than one look takes. */
export async function runRedeliver(args: readonly string[], io: Io): Promise<number> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: { help: { type: 'boolean', short: 'h' } },
  });
  if (flags.help === true) {
    io.stdout(usage);
    return 0;
  }
  const { github, logLevel } = readEnv(io.env);
  if (github === null) throw new ConfigError('APP_ID is not set.', 'APP_ID');
  const { createAppAuth, createRedeliverer } = await forges.github();
  // What is logged for a server is noise beside the one sentence below.
  const log = createLog(logLevel === 'info' ? 'silent' : logLevel);
  const auth = createAppAuth({ ...github, log });
  const { looked, failed, sent, complete } = await createRedeliverer({ auth, log, clock: Date.now }).now();
  io.stdout(
    `${plural(looked, 'delivery', 'deliveries')} looked at, ${failed} of ours failed, ${sent} sent again.${complete ? '' : ' There are more: run this once more.'}\n`,
  );
  return complete ? 0 : 3;
}

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
