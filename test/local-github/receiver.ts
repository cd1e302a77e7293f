import { createServer, type IncomingHttpHeaders } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { Json } from './api.js';

export type Received = {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly payload: Json;
};

/** An app's end of the webhooks: keeps what came and answers as told. */
export type Receiver = {
  readonly url: string;
  readonly received: Received[];
  /** `event.action` of what came, in order. */
  readonly heard: () => string[];
  /** 202 unless told; null never answers. */
  status: number | null;
  readonly close: () => Promise<void>;
};

export const startReceiver = async (): Promise<Receiver> => {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
    request.on('end', () => {
      received.push({ headers: request.headers, body, payload: JSON.parse(body) });
      if (receiver.status === null) return;
      response.writeHead(receiver.status, { 'x-receiver': 'here' });
      response.end('noted');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    heard: () =>
      received.map(({ headers, payload }) => {
        const event = String(headers['x-github-event']);
        return payload.action === undefined ? event : `${event}.${String(payload.action)}`;
      }),
    status: 202,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
};

const schema = JSON.parse(
  readFileSync(new URL('../../node_modules/@octokit/webhooks-schemas/schema.json', import.meta.url), 'utf8'),
) as { definitions: Record<string, unknown> };
const ajv = new Ajv({ strict: false, allErrors: true });
(addFormats as unknown as (target: Ajv) => void)(ajv);
ajv.addSchema(schema, 'webhooks');
const compiled = new Map<string, ValidateFunction>();

/** What is off GitHub's schema in each of the events; an event without a schema is a fault. */
export const faultsOf = (received: readonly Received[]): string[] =>
  received.flatMap(({ headers, payload }) => {
    const event = String(headers['x-github-event']);
    const name = `${event}$${payload.action === undefined ? 'event' : String(payload.action)}`;
    if (schema.definitions[name] === undefined) return [`no schema for ${name}`];
    const check =
      compiled.get(name) ?? ajv.compile({ $ref: `webhooks#/definitions/${encodeURIComponent(name)}` });
    compiled.set(name, check);
    check(payload);
    return (check.errors ?? []).map(
      (error) => `${name}: ${error.instancePath} ${error.message ?? ''} ${JSON.stringify(error.params)}`,
    );
  });
