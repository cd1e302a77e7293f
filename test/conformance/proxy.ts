import { createServer, type IncomingHttpHeaders, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { faultsOfGraphql } from './graphql.js';
import { faultsOfAnswer, faultsOfRequest, operationName } from './openapi.js';

/** One request with its answer, as both went over the wire. */
export type Exchange = {
  readonly method: string;
  /** Without the Enterprise prefix; GraphQL is `/graphql`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** 0 when the connection was dropped. */
  readonly status: number;
  /** Parsed JSON; undefined for anything else. */
  readonly data: unknown;
};

export type Proxy = {
  readonly url: string;
  readonly apiUrl: string;
  readonly exchanges: readonly Exchange[];
  /** What GitHub's descriptions have against any exchange so far. */
  readonly faults: () => readonly string[];
  /** `GET /repos/{owner}/{repo}`: what was used of the description. */
  readonly operations: () => readonly string[];
  readonly close: () => Promise<void>;
};

/** Stands between a client and a local GitHub and holds what both say against GitHub's descriptions. */
export async function startProxy(github: { readonly url: string }): Promise<Proxy> {
  const exchanges: Exchange[] = [];
  const faults: string[] = [];
  let url = '';
  const server = createServer((request, response) => {
    void (async () => {
      const asked = new URL(request.url ?? '/', github.url);
      const sent = await bytesOf(request);
      const path = apiPath(asked.pathname);
      const note = (status: number, data: unknown): void => {
        const exchange = {
          method: request.method ?? 'GET',
          path,
          query: asked.searchParams,
          body: parsed(sent),
          status,
          data,
        };
        exchanges.push(exchange);
        faults.push(...headerFaults(request), ...faultsOf(exchange));
      };
      const answer = await ask(asked, request, sent);
      if (answer === null) {
        note(0, undefined);
        request.socket.destroy();
        return;
      }
      const isJson = answer.headers['content-type']?.includes('json') === true;
      note(answer.status, isJson ? parsed(answer.bytes) : undefined);
      const headers = Object.fromEntries(
        Object.entries(answer.headers).flatMap(([name, value]) =>
          value === undefined || hop.has(name) ? [] : [[name, String(value).replaceAll(github.url, url)]],
        ),
      );
      response.writeHead(answer.status, headers);
      response.end(answer.bytes);
    })().catch(() => request.socket.destroy());
  });
  // A client that was slow for a while finds its connection still there.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    apiUrl: `${url}/api/v3`,
    exchanges,
    faults: () => [...new Set(faults)],
    operations: () =>
      [
        ...new Set(
          exchanges.flatMap(({ method, path }) => {
            const name = path === '/graphql' ? 'POST /graphql' : operationName(method, path);
            return name === null ? [] : [name];
          }),
        ),
      ].sort(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly bytes: Buffer };

/** On a connection of its own, so that a drop is always this request's; null for a dropped one. */
const ask = (url: URL, { method, headers }: IncomingMessage, body: Buffer): Promise<Answer | null> =>
  new Promise((resolve) => {
    const { host: _host, ...passed } = headers;
    const asked = send(url, { agent: false, method, headers: passed }, (answer) => {
      bytesOf(answer).then(
        (bytes) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes }),
        () => resolve(null),
      );
    });
    asked.on('error', () => resolve(null));
    asked.end(body);
  });

function faultsOf({ method, path, query, body, status, data }: Exchange): readonly string[] {
  // The address that an archive is redirected to belongs to no description.
  if (path.startsWith('/_codeload/')) return [];
  if (path === '/graphql') return faultsOfGraphql(body, status, data);
  return [
    ...faultsOfRequest({ method, path, query, body }),
    ...(status === 0 ? [] : faultsOfAnswer(method, path, status, data)),
  ];
}

/** https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#user-agent-required */
const headerFaults = ({ headers, method, url }: IncomingMessage): readonly string[] =>
  headers['user-agent'] === undefined ? [`${method ?? ''} ${url ?? ''}: no user agent`] : [];

const apiPath = (pathname: string): string =>
  pathname === '/api/graphql' ? '/graphql' : pathname.replace(/^\/api\/v3(?=\/|$)/, '');

const hop: ReadonlySet<string> = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function parsed(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
