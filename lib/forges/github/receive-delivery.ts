import type { IncomingMessage } from 'node:http';
import { verify } from '@octokit/webhooks-methods';

/** A delivery whose signature holds. `payload` is parsed JSON of unknown shape. */
export type Delivery = { readonly id: string; readonly name: string; readonly payload: unknown };

export type Received =
  | { readonly kind: 'received'; readonly delivery: Delivery }
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string };

/** GitHub caps payloads at 25 MB (docs: webhook events and payloads). */
const mostBytes = 25 * 1024 * 1024;
/** GitHub gives up after 10 seconds, so a body that takes longer is of no use. */
const mostMilliseconds = 9_000;

/**
 * Reads the bytes of a request, checks the signature over exactly these bytes and parses them, in this order: nothing
 * of an unsigned request is looked into. Works under node:http and under Vercel's helpers alike.
 */
export async function receiveDelivery(
  request: IncomingMessage,
  secret: string,
  limits: { readonly bytes?: number; readonly milliseconds?: number } = {},
): Promise<Received> {
  const bytesLimit = limits.bytes ?? mostBytes;
  if (request.method !== 'POST') return refused(405, 'Only POST is accepted here.');
  const type = header(request, 'content-type').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    return refused(415, 'Set the content type of the webhook to application/json.');
  }
  const name = header(request, 'x-github-event');
  const id = header(request, 'x-github-delivery');
  if (!/^[a-z_]{1,60}$/.test(name) || !/^[\w-]{1,100}$/.test(id)) {
    return refused(400, 'The headers X-GitHub-Event and X-GitHub-Delivery are missing or malformed.');
  }
  const signature = header(request, 'x-hub-signature-256');
  if (signature === '') {
    return refused(
      401,
      'The delivery is not signed. Set a secret in the webhook settings of the GitHub App.',
    );
  }
  if (Number(header(request, 'content-length')) > bytesLimit) return tooLarge(bytesLimit);
  const body = await readBody(request, bytesLimit, limits.milliseconds ?? mostMilliseconds);
  switch (body.kind) {
    case 'too_large':
      return tooLarge(bytesLimit);
    case 'too_slow':
      return refused(408, 'The body did not arrive in time.');
    case 'broken':
      return refused(400, 'The body broke off.');
    case 'consumed':
      return refused(
        500,
        'Something in front of the webhook has consumed the body, so the signature cannot be checked. ' +
          'Turn body parsing off for this path.',
      );
    case 'read':
      break;
  }
  if (body.bytes.length === 0) return refused(400, 'The body is empty.');
  // Invalid UTF-8 decodes to other bytes than were sent, so it fails the check: GitHub sends valid UTF-8.
  const json = body.bytes.toString('utf8');
  if (!(await verify(secret, json, signature))) {
    return refused(401, 'The signature does not match. Is WEBHOOK_SECRET the secret of the GitHub App?');
  }
  try {
    return { kind: 'received', delivery: { id, name, payload: JSON.parse(json) as unknown } };
  } catch {
    return refused(400, 'The body is not valid JSON.');
  }
}

type Body =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' | 'too_slow' | 'broken' | 'consumed' };

/**
 * `for await (const chunk of request)` yields nothing under Vercel's helpers, which replay the body only through
 * `on('data')` and `on('end')`. A stream that something else has read to its end would never speak again: then raw
 * bytes kept beside it (`rawBody`) are taken, and without those the answer is `consumed`, never a guess.
 */
function readBody(request: IncomingMessage, limit: number, milliseconds: number): Promise<Body> {
  return new Promise((resolve) => {
    const raw = (request as { rawBody?: unknown }).rawBody;
    if (typeof raw === 'string' || raw instanceof Uint8Array) {
      const bytes = Buffer.from(raw as Uint8Array);
      resolve(bytes.length > limit ? { kind: 'too_large' } : { kind: 'read', bytes });
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    let done = false;
    const settle = (body: Body): void => {
      if (done) return;
      done = true;
      clearTimeout(timer);
      clearTimeout(silence);
      resolve(body);
    };
    // A process that stood still reads what arrived meanwhile before it calls that late.
    const timer = setTimeout(() => setImmediate(settle, { kind: 'too_slow' }), milliseconds);
    // Read to its end before we listened: only a replayed body can still come, and it comes at once.
    const silence = request.readableEnded
      ? setTimeout(() => {
          if (size === 0) settle({ kind: 'consumed' });
        }, 250)
      : undefined;
    request.on('data', (chunk: Buffer | string) => {
      if (done) return;
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size > limit) {
        chunks.length = 0;
        settle({ kind: 'too_large' });
        return;
      }
      chunks.push(bytes);
    });
    request.on('end', () => settle({ kind: 'read', bytes: Buffer.concat(chunks) }));
    request.on('error', () => settle({ kind: 'broken' }));
    request.on('close', () => {
      if (!request.readableEnded) settle({ kind: 'broken' });
    });
  });
}

const header = (request: IncomingMessage, name: string): string => {
  const value = request.headers[name];
  return (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
};

const refused = (status: number, reason: string): Received => ({ kind: 'refused', status, reason });

const tooLarge = (limit: number): Received =>
  refused(413, `The body is larger than ${limit} bytes, which GitHub never sends.`);
