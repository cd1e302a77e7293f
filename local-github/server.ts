import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { authenticate, type Caller, may, type Need, reaches } from './auth.js';
import type { Fault, FaultAnswer, FaultBook, FaultRequest, GraphqlFault } from './faults.js';
import type { Call, PageCall, Reply, Route } from './http.js';
import { notAccessible, notFound, Refusal } from './refusal.js';
import { asSeen, noteWrite } from './past.js';
import { createRateLimits, type Figures, type RateLimits } from './rate-limits.js';
import {
  type Actor,
  fullName,
  type Repository,
  repositoryNamed,
  repositoryOfId,
  type World,
} from './state.js';

/** One request as it was answered. */
export type RequestLogEntry = {
  readonly method: string;
  /** Without the Enterprise prefix; GraphQL is `/graphql`. */
  readonly path: string;
  readonly query: string;
  /** 0 when the connection was dropped on purpose. */
  readonly status: number;
  /** The login of the token, `app:slug` for a JSON web token, null without either. */
  readonly as: string | null;
  /** Name of the GraphQL operation's first field, for reading a log. */
  readonly graphql?: string;
  readonly body: unknown;
  readonly at: number;
};

export type Handlers = {
  readonly routes: readonly Route[];
  readonly graphql: (
    world: World,
    actor: Actor,
    body: unknown,
    faults: readonly GraphqlFault[],
    rate: Figures,
  ) => Promise<Reply>;
  /** What a browser asks for, and the forms that it sends. */
  readonly page: (call: PageCall) => Promise<Reply>;
};

export type LocalServer = {
  readonly port: number;
  readonly limits: RateLimits;
  readonly log: readonly RequestLogEntry[];
  readonly clearLog: () => void;
  readonly close: () => Promise<void>;
};

const BODY_LIMIT = 25 * 1024 * 1024;
const LOG_LIMIT = 20_000;
const PORT_TRIES = 20;

/** Listens on `port`, or on the next free one; 0 takes any. */
export const startServer = async (
  world: World,
  faults: FaultBook,
  handlers: Handlers,
  options: { readonly host: string; readonly port: number },
): Promise<LocalServer> => {
  const log: RequestLogEntry[] = [];
  const table = handlers.routes.map((route) => ({ route, match: compile(route.pattern) }));
  const limits = createRateLimits(world);
  const server = createServer((request, response) => {
    void handle(request, response).catch((error: unknown) => {
      // Nothing above throws by design; whatever does must not take the process with it.
      process.stderr.write(
        `local GitHub: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      );
      request.socket.destroy();
    });
  });

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = Date.now();
    const url = new URL(request.url ?? '/', 'http://local');
    const { path, isApi } = apiPath(url.pathname);
    const headers = flat(request);
    const method = request.method ?? 'GET';
    const bytes = await readBody(request);
    const body = bytes === null ? undefined : parse(bytes, headers['content-type']);
    const seen: FaultRequest = { method, path, query: url.searchParams, headers, body };
    const who: { as: string | null } = { as: null };
    const note = (status: number): void => {
      const first = path === '/graphql' ? firstField(body) : undefined;
      log.push({
        method,
        path,
        query: url.search,
        status,
        as: who.as,
        ...(first === undefined ? {} : { graphql: first }),
        body,
        at,
      });
      if (log.length > LOG_LIMIT) log.shift();
    };
    const orders = faults.take(seen);
    for (const order of orders) {
      if (order.delayMs !== undefined) await pause(order.delayMs);
      await order.until?.();
    }
    const early = orders.find((order) => order.before !== undefined)?.before;
    if (early === 'reset') {
      note(0);
      request.socket.destroy();
      return;
    }
    let reply: Reply;
    if (early !== undefined) reply = answerOf(early);
    else if (bytes === null) reply = refusalReply(new Refusal(413, 'Payload too large'));
    else {
      const graphql = orders.flatMap((order) => order.graphql ?? []);
      reply = await route(seen, isApi, url, who, graphql);
      if (isLate(world, seen, reply)) reply = LATE;
    }
    const late = lateOf(orders);
    if (late === 'reset') {
      note(0);
      request.socket.destroy();
      return;
    }
    if (late !== undefined) reply = answerOf(late);
    note(reply.status);
    write(response, method, { ...reply, headers: { ...limits.count(who.as, path), ...reply.headers } });
  };

  const route = async (
    seen: FaultRequest,
    isApi: boolean,
    url: URL,
    who: { as: string | null },
    graphql: readonly GraphqlFault[],
  ): Promise<Reply> => {
    try {
      if (!isApi) return await handlers.page({ world, ...seen, path: url.pathname });
      const query = new URLSearchParams(url.searchParams);
      const inAddress = seen.path.startsWith('/_codeload/') ? query.get('token') : null;
      const authorization =
        seen.headers.authorization ?? (inAddress === null ? undefined : `token ${inAddress}`);
      const caller = authenticate(world, authorization);
      who.as = nameOf(caller);
      try {
        limits.check(who.as, seen.path);
        if (writesContent(seen)) limits.countWrite(who.as);
      } catch (error) {
        if (!(error instanceof Refusal) || seen.path !== '/graphql' || error.headers['retry-after'])
          throw error;
        // GraphQL tells of a spent limit in an answer that succeeds.
        return { status: 200, body: { errors: [{ type: 'RATE_LIMITED', message: error.message }] } };
      }
      if (seen.body === UNREADABLE) throw new Refusal(400, 'Problems parsing JSON');
      if (seen.path === '/rate_limit') return { status: 200, body: limits.overview(who.as) };
      if (seen.path === '/graphql') {
        if (seen.method !== 'POST') throw notFound();
        if (caller.kind !== 'token')
          throw new Refusal(401, 'This endpoint requires you to be authenticated.');
        const rate = limits.figures(who.as, 'graphql');
        return await handlers.graphql(world, caller.actor, seen.body, graphql, rate);
      }
      if (seen.path === '/meta')
        return {
          status: 200,
          body: { verifiable_password_authentication: false, installed_version: '3.99.0' },
        };
      const path = byName(world, seen.path);
      for (const { route: entry, match } of table) {
        if (entry.method !== (seen.method === 'HEAD' ? 'GET' : seen.method)) continue;
        const params = match(path);
        if (params === null) continue;
        if ([...Object.values(params), ...query.values()].some((value) => value.includes('\0')))
          throw notFound();
        return await dispatch(entry, caller, { world, ...seen, path, params, query });
      }
      throw notFound();
    } catch (error) {
      if (error instanceof Refusal) return refusalReply(error);
      if (error instanceof URIError) return refusalReply(notFound());
      process.stderr.write(
        `local GitHub: ${seen.method} ${seen.path}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      );
      return refusalReply(new Refusal(500, 'Server Error'));
    }
  };

  // A test that thinks for longer than node's five seconds must not find its connection closed.
  server.keepAliveTimeout = 65_000;
  const port = await listen(server, options.host, options.port);
  return {
    port,
    limits,
    log,
    clearLog: () => void (log.length = 0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const dispatch = async (route: Route, caller: Caller, call: Call): Promise<Reply> => {
  if (route.for === 'anyone') return route.handle(call);
  if (caller.kind === 'nobody') throw new Refusal(401, 'Requires authentication');
  if (route.for === 'app') {
    if (caller.kind !== 'app') throw new Refusal(401, 'A JSON web token could not be decoded');
    return route.handle(call, caller.app);
  }
  if (caller.kind === 'app')
    throw new Refusal(401, 'A JSON web token cannot be used here: use an installation token');
  if (route.for === 'token') return route.handle(call, caller.actor);
  const { owner = '', repo = '' } = call.params;
  const { world } = call;
  const named = repositoryNamed(world, `${owner}/${repo}`);
  if (named === null || !reaches(caller.actor, named.repository)) throw notFound();
  const { repository } = named;
  if (named.moved) return movedTo(call, repository);
  const told = { 'x-accepted-github-permissions': acceptedBy(route.needs) };
  if (!may(caller.actor, repository, route.needs)) {
    const refused = notAccessible();
    throw new Refusal(403, refused.message, {}, told);
  }
  if (route.method === 'GET') {
    const seen = asSeen(world, repository);
    const reply = await route.handle({ ...call, repository: seen, actor: caller.actor });
    return { ...reply, headers: { ...told, ...reply.headers } };
  }
  try {
    const reply = await route.handle({ ...call, repository, actor: caller.actor });
    return { ...reply, headers: { ...told, ...reply.headers } };
  } finally {
    noteWrite(world, repository);
  }
};

/** The old name of a renamed repository leads to its id; what is no GET keeps its method by 307. */
const movedTo = (call: Call, repository: Repository): Reply => {
  const rest = call.path.split('/').slice(4).join('/');
  const query = call.query.toString();
  const url = `${call.world.url}/api/v3/repositories/${repository.id}${rest === '' ? '' : `/${rest}`}${query === '' ? '' : `?${query}`}`;
  const isRead = call.method === 'GET' || call.method === 'HEAD';
  return {
    status: isRead ? 301 : 307,
    headers: { location: url },
    body: {
      message: isRead ? 'Moved Permanently' : 'Temporary Redirect',
      url,
      documentation_url:
        'https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api#follow-redirects',
    },
  };
};

/** `/repositories/:id/...` is `/repos/:owner/:repo/...`. */
const byName = (world: World, path: string): string => {
  const [, id, rest = ''] = /^\/repositories\/(\d+)(\/.*)?$/.exec(path) ?? [];
  if (id === undefined) return path;
  const repository = repositoryOfId(world, Number(id));
  if (repository === undefined) throw notFound();
  return `/repos/${fullName(repository)}${rest}`;
};

/** Tokens and what apps do as themselves are no content. */
const writesContent = (request: FaultRequest): boolean => {
  if (request.path === '/graphql') {
    const { query } = (request.body ?? {}) as { query?: unknown };
    return typeof query === 'string' && /^\s*mutation\b/.test(query);
  }
  return /^\/repos(itories)?\//.test(request.path) && ['POST', 'PUT', 'PATCH'].includes(request.method);
};

/** A review with many comments takes GitHub longer than its front waits: it is stored, and the answer is 502. */
const isLate = (world: World, request: FaultRequest, reply: Reply): boolean => {
  const most = world.rules.lateAnswerAbove;
  if (most === null || reply.status !== 200 || request.method !== 'POST') return false;
  if (!/\/pulls\/\d+\/reviews$/.test(request.path)) return false;
  const { comments } = (request.body ?? {}) as { comments?: unknown };
  return Array.isArray(comments) && comments.length > most;
};

const LATE: Reply = { status: 502, body: { message: 'Server Error' } };

/** Alternatives are set apart by `;`, as GitHub writes them. */
const acceptedBy = (needs: readonly Need[]): string => needs.join('; ');

const nameOf = (caller: Caller): string | null =>
  caller.kind === 'nobody'
    ? null
    : caller.kind === 'app'
      ? `app:${caller.app.slug}`
      : caller.actor.account.login;

/** `/api/v3/...` and `/api/graphql` are Enterprise's paths; github.com's stand at the root. */
const apiPath = (pathname: string): { readonly path: string; readonly isApi: boolean } => {
  if (pathname === '/api/graphql') return { path: '/graphql', isApi: true };
  // Enterprise has no GraphQL below /api/v3; a client that looks there is told so.
  if (pathname === '/api/v3/graphql') return { path: '/api/v3/graphql', isApi: true };
  if (pathname.startsWith('/api/v3')) return { path: pathname.slice('/api/v3'.length) || '/', isApi: true };
  const isApi =
    /^\/(repos|repositories|app|app-manifests|installation|users|_codeload)(\/|$)/.test(pathname) ||
    ['/graphql', '/rate_limit', '/meta', '/user'].includes(pathname);
  return { path: pathname, isApi };
};

/** `:name` is one segment, `*name` any number of them. */
const compile = (pattern: string): ((path: string) => Record<string, string> | null) => {
  const names: string[] = [];
  const source = pattern
    .split('/')
    .map((part) => {
      if (part.startsWith(':')) {
        names.push(part.slice(1));
        return '([^/]+)';
      }
      if (part.startsWith('*')) {
        names.push(part.slice(1));
        return '(.+)';
      }
      return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    })
    .join('/');
  const expression = new RegExp(`^${source}$`);
  return (path) => {
    const found = expression.exec(path);
    if (found === null) return null;
    return Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(found[at + 1] ?? '')]));
  };
};

const UNREADABLE = Symbol('a body that is not JSON');

const parse = (bytes: Buffer, type: string | undefined): unknown => {
  if (bytes.length === 0) return undefined;
  if (type?.startsWith('application/x-www-form-urlencoded') === true)
    return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return UNREADABLE;
  }
};

/** Null for a body above the limit; the rest of it is let run out unread. */
const readBody = (request: IncomingMessage): Promise<Buffer | null> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_LIMIT) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on('end', () => resolve(size > BODY_LIMIT ? null : Buffer.concat(chunks)));
    request.on('error', reject);
  });

const flat = (request: IncomingMessage): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );

const lateOf = (orders: readonly Fault[]): FaultAnswer | 'reset' | undefined =>
  orders.find((order) => order.after !== undefined)?.after;

const answerOf = (answer: FaultAnswer): Reply => ({
  status: answer.status,
  ...(answer.headers === undefined ? {} : { headers: answer.headers }),
  body: answer.body ?? { message: 'Server Error' },
});

const refusalReply = (refusal: Refusal): Reply => ({
  status: refusal.status,
  headers: refusal.headers,
  body: refusal.body,
});

const write = (response: ServerResponse, method: string, reply: Reply): void => {
  if (reply.stream !== undefined && method !== 'HEAD') {
    // Who went away while the answer was made has been told of already: nothing would ever end that stream.
    if (response.closed || response.destroyed) return;
    response.writeHead(reply.status, { 'x-content-type-options': 'nosniff', ...reply.headers });
    response.flushHeaders();
    reply.stream({
      send: (text) => void response.write(text),
      onClose: (act) => void response.once('close', act),
    });
    return;
  }
  const isBytes = Buffer.isBuffer(reply.body);
  const bytes = isBytes
    ? reply.body
    : Buffer.from(reply.body === undefined ? '' : JSON.stringify(reply.body));
  response.writeHead(reply.status, {
    ...(reply.status === 204 ? {} : { 'content-type': 'application/json; charset=utf-8' }),
    'x-github-request-id': randomUUID().slice(0, 18).toUpperCase(),
    'x-github-media-type': 'github.v3; format=json',
    'x-github-enterprise-version': '3.99.0',
    // Nothing that is answered here may be taken for a script.
    'x-content-type-options': 'nosniff',
    ...reply.headers,
    ...(reply.status === 204 ? {} : { 'content-length': String(bytes.length) }),
  });
  response.end(method === 'HEAD' || reply.status === 204 ? undefined : bytes);
};

const firstField = (body: unknown): string | undefined => {
  if (typeof body !== 'object' || body === null) return undefined;
  const { query } = body as { query?: unknown };
  if (typeof query !== 'string') return undefined;
  return /\{\s*(\w+)/.exec(query.replace(/^[^{]*\([^)]*\)\s*/, ''))?.[1];
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const listen = async (server: Server, host: string, wanted: number): Promise<number> => {
  for (let port = wanted; ; port += 1) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve();
        });
      });
      return (server.address() as AddressInfo).port;
    } catch (error) {
      const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!taken || wanted === 0 || port - wanted >= PORT_TRIES) throw error;
    }
  }
};
