import { request } from 'node:http';
import type { LocalGitHub } from '../../local-github/index.js';

export type Page = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
};

export type Browser = {
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Page>;
  /** As a browser sends a form of a page of that site; a header of `''` is left out. */
  readonly post: (
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Page>;
  /** Chooses who reads, and keeps the cookie. */
  readonly be: (login: string) => Promise<void>;
};

/** Reads pages and sends forms as a browser without scripts does: any `Host`, one cookie, no redirect followed. */
export const createBrowser = (github: LocalGitHub): Browser => {
  let cookie: string | undefined;
  const send = (
    method: string,
    path: string,
    body: string | null,
    headers: Readonly<Record<string, string>>,
  ): Promise<Page> =>
    new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: github.port,
          method,
          path,
          headers: Object.fromEntries(
            Object.entries({ ...(cookie === undefined ? {} : { cookie }), ...headers }).filter(
              ([, value]) => value !== '',
            ),
          ),
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              text: Buffer.concat(chunks).toString('utf8'),
            }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body ?? undefined);
    });
  const post: Browser['post'] = (path, fields, headers = {}) =>
    send('POST', path, new URLSearchParams(fields).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
      origin: github.url,
      'sec-fetch-site': 'same-origin',
      ...headers,
    });
  return {
    get: (path, headers = {}) => send('GET', path, null, headers),
    post,
    be: async (login) => {
      const answer = await post('/_pages/viewer', { login, back: '/' });
      const [set] = (answer.headers['set-cookie'] ?? []) as readonly string[];
      if (answer.status !== 303 || set === undefined) throw new Error(`nobody became ${login}`);
      cookie = set.split(';')[0];
    },
  };
};
