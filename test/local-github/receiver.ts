import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { faultsOfPayload } from '../conformance/webhooks.js';
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

/** What is off GitHub's schema in each of the events. */
export const faultsOf = (received: readonly Received[]): string[] =>
  received.flatMap(({ headers, payload }) => {
    const event = String(headers['x-github-event']);
    const action = payload.action === undefined ? 'event' : String(payload.action);
    return faultsOfPayload(event, action, payload).map((fault) => `${event}.${action}: ${fault}`);
  });
