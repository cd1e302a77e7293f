import { createSign } from 'node:crypto';
import type { App, LocalGitHub } from '../../local-github/index.js';
import { checkAnswer } from '../conformance/openapi.js';

/** Answers are read as they come; each is held against GitHub's description where they arrive. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly data: Json;
  readonly bytes: Buffer;
};

export type Api = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/** Speaks to the local GitHub over real HTTP; every JSON answer is held against GitHub's OpenAPI description. */
export const createApi =
  (github: LocalGitHub, token: string | null, scheme = 'token'): Api =>
  async (method, path, body, headers = {}) => {
    const url = path.startsWith('http') ? path : `${github.apiUrl}${path}`;
    const answer = await fetch(url, {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        ...(token === null ? {} : { authorization: `${scheme} ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
    const data: unknown = isJson && bytes.length > 0 ? JSON.parse(bytes.toString('utf8')) : undefined;
    if (data !== undefined)
      checkAnswer(method, new URL(url).pathname.replace('/api/v3', ''), answer.status, data);
    return { status: answer.status, headers: answer.headers, data, bytes };
  };

export const signJwt = (app: App, claims: Readonly<Record<string, unknown>> = {}): string => {
  const seconds = Math.floor(Date.now() / 1000);
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat: seconds - 30, exp: seconds + 500, iss: app.id, ...claims })}`;
  return `${head}.${createSign('RSA-SHA256').update(head).sign(app.privateKey, 'base64url')}`;
};

/** The installation's API, with a token narrowed as asked. */
export const apiOfApp = async (
  github: LocalGitHub,
  app: App = github.app,
  narrowed: unknown = {},
): Promise<Api> => {
  const asApp = createApi(github, signJwt(app), 'Bearer');
  const issued = await asApp('POST', `/app/installations/${app.installationId}/access_tokens`, narrowed);
  if (issued.status !== 201) throw new Error(`no token: ${JSON.stringify(issued.data)}`);
  return createApi(github, issued.data.token as string);
};

export const graphql = async (
  api: Api,
  github: LocalGitHub,
  query: string,
  variables: unknown = {},
): Promise<Json> => (await api('POST', `${github.url}/api/graphql`, { query, variables })).data;
