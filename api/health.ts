import type { IncomingMessage, ServerResponse } from 'node:http';
import type { VercelApiHandler } from '@vercel/node';
import { describeEnv, readEnv } from '../lib/config/env.js';
import { readVersion } from '../lib/config/version.js';
import { ConfigError } from '../lib/core/errors.js';
import { chooseModel } from '../lib/models/index.js';
import { silentLog } from '../lib/ports/log.js';

type Source = Readonly<Record<string, string | undefined>>;

/**
 * Whether this installation could review: version, settings that may be shown, and otherwise what is missing. Always
 * 200: a missing setting is news, not a failure of this page. No secret and no address is in it.
 */
export function health(source: Source): Readonly<Record<string, unknown>> {
  const version = readVersion();
  try {
    const env = readEnv(source);
    const { name, kind } = chooseModel(env.model.variables, { log: silentLog });
    return {
      version,
      configured: true,
      model: { name, kind },
      settings: describeEnv(env),
      warnings: env.warnings,
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { version, configured: false, missing: { setting: error.where, mend: error.message } };
  }
}

function handler(_request: IncomingMessage, response: ServerResponse): void {
  response.statusCode = 200;
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('cache-control', 'no-store');
  response.end(`${JSON.stringify(health(process.env))}\n`);
}

export default handler satisfies VercelApiHandler;
