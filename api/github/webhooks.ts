import type { IncomingMessage, ServerResponse } from 'node:http';
import { waitUntil } from '@vercel/functions';
import type { VercelApiHandler } from '@vercel/node';
import { readWebhookSecret } from '../../lib/config/webhook-secret.js';
import { ConfigError } from '../../lib/core/errors.js';
import { accept } from '../../lib/forges/github/accept.js';
import { receiveDelivery } from '../../lib/forges/github/receive-delivery.js';
import type { Delivery } from '../../lib/forges/github/receive-delivery.js';
import type { Log } from '../../lib/ports/log.js';

/** The rest of the program, loaded after the answer. `receive` settles when the work it started is done. */
export type LoadedApp = { receive(delivery: Delivery): Promise<void> };

export type WebhookOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Loads what is heavy. Called once, and again only after it failed. */
  readonly load: () => Promise<LoadedApp>;
  /** Keeps the host alive until the work is done. */
  readonly keepAlive: (work: Promise<void>) => void;
  readonly log: () => Promise<Log>;
};

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * GitHub's deliveries: checked, answered with 202 in well under a second (GitHub gives up after ten and never repeats),
 * then worked on. Plain node:http, so that Vercel, `npm start` and the tests run the same code.
 */
export function createWebhookHandler(options: WebhookOptions): RequestHandler {
  let app: Promise<LoadedApp> | undefined;
  const load = (): Promise<LoadedApp> =>
    (app ??= options.load().catch((error: unknown) => {
      app = undefined;
      throw error;
    }));

  const work = async (delivery: Delivery): Promise<void> => {
    await answerSent();
    try {
      await (await load()).receive(delivery);
    } catch (error) {
      // ConfigError and whatever else stopped the program from starting: the run itself catches its own.
      const log = await options.log();
      log.error(
        { delivery: delivery.id, event: delivery.name, error: sentence(error) },
        'delivery not handled',
      );
    }
  };

  const tell = async (fields: object, message: string): Promise<void> =>
    (await options.log()).warn(fields, message);

  return async (request, response) => {
    let secret: string;
    try {
      secret = readWebhookSecret(options.environment);
    } catch (error) {
      answer(response, 500, sentence(error));
      await tell({ where: error instanceof ConfigError ? error.where : undefined }, sentence(error));
      return;
    }
    const received = await receiveDelivery(request, secret);
    if (received.kind === 'refused') {
      answer(response, received.status, received.reason);
      await tell({ status: received.status }, `delivery refused: ${received.reason}`);
      return;
    }
    const { delivery } = received;
    const acceptance = accept(delivery.name, delivery.payload);
    if (acceptance.kind === 'ignored') {
      answer(response, 202, `ignored: ${acceptance.reason}`);
      return;
    }
    options.keepAlive(work(delivery));
    answer(response, 202, 'accepted');
  };
}

/** Loading is heavy and partly synchronous: it begins when the answer has left. */
const answerSent = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

function answer(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  if (status === 405) response.setHeader('allow', 'POST');
  // The rest of a body that was not read is not waited for.
  if (status === 408 || status === 413) response.setHeader('connection', 'close');
  response.end(`${text}\n`);
}

const sentence = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const plainLog: Log = {
  info: (fields, message) => console.log(message, fields),
  warn: (fields, message) => console.warn(message, fields),
  error: (fields, message) => console.error(message, fields),
};

export default createWebhookHandler({
  environment: process.env,
  load: async () => (await import('../../lib/app.js')).startApp(process.env),
  keepAlive: waitUntil,
  log: async () => {
    try {
      return (await import('../../lib/config/log.js')).createLog(process.env['LOG_LEVEL']);
    } catch {
      // A broken deployment must still be able to say so.
      return plainLog;
    }
  },
}) satisfies VercelApiHandler;
