import { createServer, request as sendRequest, type ClientRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sign } from '@octokit/webhooks-methods';
import { receiveDelivery, type Received } from '../../../lib/forges/github/receive-delivery.js';

/** The limit of time while a body arrives; all that is checked of it is in test/api/github/webhooks.test.ts. */

const secret = 'a secret of this test';
const body = JSON.stringify({ action: 'opened' });
const limits = { milliseconds: 100 };

let server: Server;
let sent: ClientRequest;

afterEach(async () => {
  sent.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** What becomes of a delivery whose headers are here and whose body is not; `meanwhile` runs while it is waited for. */
async function received(meanwhile: () => void): Promise<Received> {
  const signature = await sign(secret, body);
  return new Promise((resolve, reject) => {
    server = createServer((request) => {
      receiveDelivery(request, secret, limits).then(resolve, reject);
      meanwhile();
    });
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      sent = sendRequest({
        host: '127.0.0.1',
        port,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-github-event': 'pull_request',
          'x-github-delivery': 'd1',
          'x-hub-signature-256': signature,
          'content-length': Buffer.byteLength(body),
        },
      });
      sent.on('error', () => {});
      sent.flushHeaders();
    });
  });
}

test('a body that does not come is not waited for', async () => {
  expect(await received(() => {})).toEqual({
    kind: 'refused',
    status: 408,
    reason: 'The body did not arrive in time.',
  });
});

test('a body that came while the machine stood still is read', async () => {
  const came = await received(() => {
    sent.end(body);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * limits.milliseconds);
  });
  expect(came).toEqual({
    kind: 'received',
    delivery: { id: 'd1', name: 'pull_request', payload: { action: 'opened' } },
  });
});
