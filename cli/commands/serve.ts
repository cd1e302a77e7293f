import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import health from '../../api/health.js';
import { createWebhookHandler } from '../../api/github/webhooks.js';
import type { LoadedApp } from '../../api/github/webhooks.js';
import { readEnv } from '../../lib/config/env.js';
import { createLog } from '../../lib/config/log.js';
import { ConfigError } from '../../lib/core/errors.js';
import type { Log } from '../../lib/ports/log.js';
import type { Io } from '../io.js';

type Environment = Readonly<Record<string, string | undefined>>;

const usage = `evident serve [--port 3000] [--host ADDRESS]   (all addresses)

The webhook function under node:http: POST /api/github/webhooks and
GET /api/health. Settings come from the environment, see docs/CONFIGURATION.md.
SIGTERM: no more deliveries are taken, what runs is finished.

Exit codes: 0 ended by a signal, 1 by a second one, 2 wrong settings or port.
`;

/** The long-running server: the same functions as on Vercel, under node:http. Settles with the exit code. */
export async function runServe(args: readonly string[], io: Io): Promise<number> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: { port: { type: 'string' }, host: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (flags.help === true) {
    io.stdout(usage);
    return 0;
  }
  const environment = { ...io.env, ...(flags.port === undefined ? {} : { PORT: flags.port }) };
  const env = readEnv(environment);
  const { startApp } = await import('../../lib/app.js');
  // Started before the first delivery: a server that cannot work does not begin to listen.
  const app = await startApp(environment);
  const server = await startServer({
    environment,
    port: env.port,
    host: flags.host ?? env.host,
    load: async () => app,
    log: createLog(env.logLevel),
  });
  io.stdout(`Listening at ${server.url} (POST /api/github/webhooks, GET /api/health).\n`);
  const signal = await nextSignal();
  io.stdout(`${signal}: finishing what runs; once more stops at once.\n`);
  void nextSignal().then(() => process.exit(1));
  await server.stop();
  // What went on by itself came with no delivery.
  await app.idle();
  return 0;
}

export type RunningServer = {
  /** Without a trailing slash. */
  readonly url: string;
  /** Settles when the work in hand is done. */
  idle(): Promise<void>;
  /** Takes no more deliveries and settles when the work in hand is done. */
  stop(): Promise<void>;
};

export async function startServer(options: {
  readonly environment: Environment;
  /** 0: any free one. */
  readonly port: number;
  /** Undefined: all interfaces. */
  readonly host: string | undefined;
  readonly load: () => Promise<LoadedApp>;
  readonly log: Log;
}): Promise<RunningServer> {
  const inHand = new Set<Promise<void>>();
  const webhook = createWebhookHandler({
    environment: options.environment,
    load: options.load,
    keepAlive: (work) => {
      inHand.add(work);
      void work.finally(() => inHand.delete(work));
    },
    log: async () => options.log,
  });
  const server = createServer((request, response) => {
    switch ((request.url ?? '').replace(/\?.*$/s, '')) {
      case '/api/github/webhooks':
        webhook(request, response).catch((error: unknown) => {
          options.log.error({ error: String(error) }, 'the webhook function failed');
          if (!response.headersSent) response.statusCode = 500;
          response.end();
        });
        return;
      case '/api/health':
        health(request, response);
        return;
      default:
        response.statusCode = 404;
        response.end('Nothing is here. Deliveries go to /api/github/webhooks.\n');
    }
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 20_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new ConfigError(`Cannot listen: ${error.message}. Choose another port with --port or PORT.`, 'PORT'),
      ),
    );
    server.listen(options.port, options.host, resolve);
  });
  const { address, family, port } = server.address() as AddressInfo;
  const shown = ['0.0.0.0', '::'].includes(address)
    ? 'localhost'
    : family === 'IPv6'
      ? `[${address}]`
      : address;
  const idle = async (): Promise<void> => {
    while (inHand.size > 0) await Promise.allSettled([...inHand]);
  };
  return {
    url: `http://${shown}:${port}`,
    idle,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await closed;
      await idle();
    },
  };
}

const nextSignal = (): Promise<string> =>
  new Promise((resolve) => {
    const heard = (signal: string): void => {
      process.off('SIGTERM', heard);
      process.off('SIGINT', heard);
      resolve(signal);
    };
    process.on('SIGTERM', heard);
    process.on('SIGINT', heard);
  });
