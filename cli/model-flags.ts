import { readEnv, type Env } from '../lib/config/env.js';
import { ConfigError } from '../lib/core/errors.js';
import { chooseModels } from '../lib/models/index.js';
import { silentLog, type Log } from '../lib/ports/log.js';
import type { Model } from '../lib/ports/model.js';
import type { Io } from './io.js';

/** What `--model` and `--limit` choose over the environment, and where warnings go. */
export type Chosen = { readonly env: Env; readonly log: Log; readonly model: Model };

/**
 * The environment of a review in the terminal; without a key its model is the fixed rules. `given` stands in for the
 * model. Throws `ConfigError` for what cannot be used.
 */
export function readModelFlags(
  flags: { readonly model?: string | undefined; readonly limit?: string | undefined },
  io: Pick<Io, 'env' | 'stderr'>,
  given: Model | undefined,
): Chosen {
  if (flags.limit !== undefined && !isAmount(flags.limit))
    throw new ConfigError(
      `--limit "${flags.limit}" is no amount. Give US dollars, from 0.01 to 1000.`,
      '--limit',
    );
  const env = readEnv(
    {
      ...io.env,
      ...(flags.model !== undefined && { EVIDENT_MODEL: flags.model }),
      ...(flags.limit !== undefined && { EVIDENT_MAX_DOLLARS: flags.limit }),
    },
    'terminal',
  );
  for (const warning of env.warnings) io.stderr(`${warning}\n`);
  const log: Log = { ...silentLog, warn: (_, message) => io.stderr(`${message}\n`) };
  const model =
    given ??
    chooseModels(env.model.variables, {
      log,
      fallback: 'rules',
      ...(flags.model !== undefined && { namedBy: '--model' }),
    })[0];
  return { env, log, model };
}

const isAmount = (text: string): boolean =>
  /^\d{1,4}(\.\d{1,6})?$/.test(text) && Number(text) >= 0.01 && Number(text) <= 1000;
