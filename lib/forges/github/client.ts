import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Octokit } from '@octokit/core';
import { graphql, GraphqlResponseError } from '@octokit/graphql';
import { RequestError } from '@octokit/request-error';
import { ForgeError } from '../../core/errors.js';
import type { Log } from '../../ports/log.js';
import { graphqlUrlOf } from './addresses.js';

/**
 * GitHub over HTTP: reads are tried again while the run has time, writes are sent once. Every request that leaves is
 * recorded with its reason. Throws `ForgeError`, or the signal's reason when the run was aborted.
 */
export type GitHubClient = {
  readonly apiUrl: string;
  get<T>(route: string, params: Params, reason: string): Promise<T>;
  /** `status` tells created (201) from already there (200). A failure with `unknown` may have happened. */
  write<T>(
    method: WriteMethod,
    route: string,
    params: Params,
    reason: string,
  ): Promise<{ readonly status: number; readonly data: T }>;
  /**
   * A query is a read; a `mutation` is a write. An answer with `errors`, or without data, is a failure, unless all that
   * it lacks are the fields of `mayLack`, which are not there or not shown: they are null then.
   */
  graphql<T>(query: string, variables: Params, reason: string, mayLack?: readonly string[]): Promise<T>;
  paginate<T>(route: string, params: Params, reason: string, options?: PageOptions<T>): Promise<Pages<T>>;
  /** A stream of what the route redirects to. The token is never sent to another host. */
  download(route: string, params: Params, reason: string): Promise<Readable>;
  requests(): readonly RequestRecord[];
};

export type Params = Readonly<Record<string, unknown>>;

export type WriteMethod = 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export type RequestRecord = { readonly method: string; readonly path: string; readonly reason: string };

export type PageOptions<T> = {
  /** Pages of 100; 30 by default. */
  readonly maxPages?: number;
  /** Where the list stands in a page that is an object. */
  readonly pick?: (page: unknown) => readonly T[];
  /** Asked after each page: whether what comes after it is of no use. */
  readonly isEnough?: (page: readonly T[]) => boolean;
};

/** `complete` is false when there was more than `maxPages`. */
export type Pages<T> = { readonly items: readonly T[]; readonly complete: boolean };

export type GitHubClientOptions = {
  /** REST base: `https://api.github.com`, or `https://HOST/api/v3` on Enterprise Server. */
  readonly apiUrl: string;
  readonly token: () => Promise<string>;
  readonly log: Log;
  /** Epoch milliseconds; no request is waited for beyond it. */
  readonly deadline: number;
  /** How often a read is sent at most; 4 unless told. */
  readonly tries?: number;
  readonly clock?: () => number;
  readonly signal?: AbortSignal;
  readonly fetch?: typeof fetch;
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
};

const TRIES = 4;
const REQUEST_MS = 30_000;
const ROOM_AFTER_WAIT_MS = 2_000;
const DEFAULT_MAX_PAGES = 30;

type Call = {
  readonly method: string;
  readonly route: string;
  readonly params: Params;
  readonly reason: string;
  readonly safe: boolean;
  /** A document for GraphQL; `params` are its variables. */
  readonly query?: string;
  readonly mayLack?: readonly string[];
};

type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly data: unknown;
};

export function createGitHubClient(options: GitHubClientOptions): GitHubClient {
  const clock = options.clock ?? Date.now;
  const sleep = options.sleep ?? ((ms, signal) => delay(ms, undefined, signal ? { signal } : {}));
  const apiUrl = options.apiUrl.replace(/\/+$/, '');
  const send = options.fetch ?? fetch;
  const octokit = new Octokit({
    baseUrl: apiUrl,
    userAgent: 'evident',
    request: { fetch: send },
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  });
  const records: RequestRecord[] = [];

  const record = (method: string, url: string, reason: string): void => {
    const path =
      url === graphqlUrlOf(apiUrl) ? '/graphql' : url.startsWith(apiUrl) ? url.slice(apiUrl.length) : url;
    records.push({ method, path, reason });
    options.log.info({ method, path, reason, count: records.length }, 'github request');
  };

  /** A signal that ends with the run, after `ms`, or at the deadline, whichever comes first. */
  const within = (ms: number): AbortSignal => {
    const left = options.deadline - clock();
    if (left <= 0)
      throw new ForgeError('The time of this run is over; nothing more was asked of GitHub.', {
        retryable: true,
      });
    const limit = AbortSignal.timeout(Math.max(1, Math.min(ms, left)));
    return options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  };

  const speak = graphql.defaults({ baseUrl: apiUrl });

  async function onceGraphQL(query: string, call: Call, authorization: string): Promise<Answer> {
    record(call.method, call.route, call.reason);
    const speaking: Promise<unknown> = speak(query, {
      ...call.params,
      headers: { authorization },
      request: { fetch: send, signal: within(REQUEST_MS) },
    });
    const data = await speaking.catch((error: unknown) => answeredInPart(error, call.mayLack ?? []));
    if (data === undefined) throw new CutShort(200);
    if (typeof data !== 'object' || data === null) throw new GraphQLRefusal('', 'an answer without data', {});
    return { status: 200, headers: {}, data };
  }

  async function once(call: Call, authorization: string): Promise<Answer> {
    if (call.query !== undefined) return onceGraphQL(call.query, call, authorization);
    const endpoint = octokit.request.endpoint(`${call.method} ${call.route}`, call.params);
    record(call.method, endpoint.url, call.reason);
    const answer = (await octokit.request(`${call.method} ${call.route}`, {
      ...call.params,
      headers: { 'x-github-api-version': '2022-11-28', authorization },
      request: { fetch: send, signal: within(REQUEST_MS) },
    })) as Answer;
    // A body that was cut short reaches us as text: an empty answer and a lost one must not look alike.
    if (answer.status !== 204 && (typeof answer.data !== 'object' || answer.data === null))
      throw new CutShort(answer.status);
    return answer;
  }

  /** One request, tried again when that is safe and worth it. Always throws `ForgeError` or the abort reason. */
  async function ask(call: Call): Promise<Answer> {
    for (let tried = 1; ; tried++) {
      options.signal?.throwIfAborted();
      const authorization = `Bearer ${await options.token()}`;
      try {
        return await once(call, authorization);
      } catch (error) {
        if (error instanceof ForgeError) throw error;
        await pauseOrThrow(error, call, tried);
      }
    }
  }

  /** Waits when another try is safe and fits before the deadline; else throws what the failure means. */
  async function pauseOrThrow(error: unknown, call: Call, tried: number): Promise<void> {
    if (options.signal?.aborted && call.safe) throw options.signal.reason;
    const { error: failure, waitMs } = readFailure(error, call, clock(), tried);
    const fits = waitMs !== null && clock() + waitMs + ROOM_AFTER_WAIT_MS <= options.deadline;
    const again = call.safe && fits && tried < (options.tries ?? TRIES);
    // What is thrown is told by whoever it reaches.
    options.log[again ? 'warn' : 'info'](
      { status: failure.status, reason: call.reason, tried, again, waitMs },
      failure.message,
    );
    if (!again) throw failure;
    await sleep(waitMs, options.signal).catch((stopped: unknown) => {
      options.signal?.throwIfAborted();
      throw stopped;
    });
  }

  const client: GitHubClient = {
    apiUrl,
    requests: () => [...records],
    async get<T>(route: string, params: Params, reason: string) {
      return (await ask({ method: 'GET', route, params, reason, safe: true })).data as T;
    },
    async write<T>(method: WriteMethod, route: string, params: Params, reason: string) {
      const answer = await ask({ method, route, params, reason, safe: false });
      return { status: answer.status, data: answer.data as T };
    },
    async graphql<T>(query: string, variables: Params, reason: string, mayLack: readonly string[] = []) {
      const safe = !/^\s*mutation\b/.test(query);
      const call = {
        method: 'POST',
        route: graphqlUrlOf(apiUrl),
        params: variables,
        query,
        mayLack,
        reason,
        safe,
      };
      return (await ask(call)).data as T;
    },
    async paginate<T>(route: string, params: Params, reason: string, page: PageOptions<T> = {}) {
      const items: T[] = [];
      const most = page.maxPages ?? DEFAULT_MAX_PAGES;
      let cursor: string | null = null;
      for (let number = 1; number <= most; number++) {
        // Lists that are paged by a cursor know no page, not even a first one.
        const at = cursor !== null ? { cursor } : number > 1 ? { page: number } : {};
        const call = { method: 'GET', route, params: { per_page: 100, ...params, ...at } };
        const answer = await ask({ ...call, reason, safe: true });
        const found = page.pick ? page.pick(answer.data) : answer.data;
        if (!Array.isArray(found))
          throw new ForgeError(`GitHub answered ${route} with something that is not a list.`, {
            retryable: true,
          });
        items.push(...(found as T[]));
        if (!hasNextPage(answer.headers) || page.isEnough?.(found as T[]) === true)
          return { items, complete: true };
        cursor = nextCursor(answer.headers);
      }
      return { items, complete: false };
    },
    async download(route: string, params: Params, reason: string) {
      for (let tried = 1; ; tried++) {
        const authorization = `Bearer ${await options.token()}`;
        try {
          return await openStream(route, params, reason, authorization);
        } catch (error) {
          if (error instanceof ForgeError) throw error;
          await pauseOrThrow(error, { method: 'GET', route, params, reason, safe: true }, tried);
        }
      }
    },
  };

  async function openStream(
    route: string,
    params: Params,
    reason: string,
    authorization: string,
  ): Promise<Readable> {
    const first = octokit.request.endpoint(`GET ${route}`, params);
    let url = new URL(first.url);
    const home = url.origin;
    // The time limit covers the whole stream; an archive may take longer than an answer.
    const signal = within(REQUEST_MS * 10);
    for (let hops = 0; hops < 5; hops++) {
      // The query of a redirect carries a short-lived token of its own.
      record('GET', `${url.origin}${url.pathname}`, hops === 0 ? reason : `${reason} (redirect)`);
      const response = await send(url, {
        redirect: 'manual',
        signal,
        headers: {
          'user-agent': 'evident',
          ...(url.origin === home ? { authorization, 'x-github-api-version': '2022-11-28' } : {}),
        },
      });
      if (response.status >= 300 && response.status < 400) {
        await response.body?.cancel();
        const next = parseUrl(response.headers.get('location') ?? '', url);
        if (!next || (next.protocol !== 'https:' && next.protocol !== url.protocol))
          throw new ForgeError(`GitHub redirected ${route} to an address that is not safe to follow.`);
        url = next;
        continue;
      }
      if (!response.ok || !response.body) {
        const headers = Object.fromEntries(response.headers);
        const data = await readMessage(response);
        throw new RequestError(data, response.status, {
          request: { method: 'GET', url: url.origin + url.pathname, headers: {} },
          response: { url: '', status: response.status, headers, data },
        });
      }
      return Readable.fromWeb(response.body);
    }
    throw new ForgeError(`GitHub redirected ${route} more than five times.`, { retryable: true });
  }

  return client;
}

/** What went wrong with one try, and how long to wait before another would make sense; null: never. */
type Failure = { readonly error: ForgeError; readonly waitMs: number | null };

function readFailure(error: unknown, call: Call, now: number, tried: number): Failure {
  const what = `${call.method} ${call.route.startsWith('http') ? 'graphql' : call.route}`;
  const backOff = 500 * 2 ** (tried - 1);
  if (error instanceof CutShort) {
    const message = `GitHub's answer to ${what} was cut short.`;
    return {
      error: new ForgeError(message, { status: error.status, retryable: true, unknown: !call.safe }),
      waitMs: backOff,
    };
  }
  if (error instanceof GraphqlResponseError)
    return readGraphQLRefusal(refusalOfErrors(error, call.mayLack), now, tried, call);
  if (error instanceof GraphQLRefusal) return readGraphQLRefusal(error, now, tried, call);
  const answered = error instanceof RequestError && error.response !== undefined;
  if (!answered) {
    const message = `GitHub did not answer ${what}: ${rootMessage(error)}.`;
    return {
      error: new ForgeError(message, { retryable: true, unknown: !call.safe, cause: stripped(error) }),
      waitMs: backOff,
    };
  }
  const { status } = error;
  const headers = error.response?.headers ?? {};
  const said = error.message.replace(/ - https:\/\/docs\.github\.com\S*/g, '').slice(0, 600);
  const limited = rateLimitWait(status, headers, said, now, tried);
  if (limited !== null) {
    const message = `GitHub's rate limit is reached (${what}). Try again after ${when(now + limited)}.`;
    return {
      error: new ForgeError(message, {
        status,
        retryable: true,
        retryAfterMs: limited,
        cause: stripped(error),
      }),
      waitMs: limited,
    };
  }
  if (status >= 500) {
    const message = `GitHub answered ${what} with ${status}: ${said || 'no reason given'}.`;
    return {
      error: new ForgeError(message, {
        status,
        retryable: true,
        unknown: !call.safe,
        cause: stripped(error),
      }),
      waitMs: backOff,
    };
  }
  const accepted = text(headers['x-accepted-github-permissions']);
  return { error: refusal(what, status, said, accepted, error), waitMs: null };
}

function refusal(
  what: string,
  status: number,
  said: string,
  accepted: string | undefined,
  cause: unknown,
): ForgeError {
  const mend =
    status === 401
      ? ' Check the app id and its private key.'
      : status === 403 && /not accessible by integration/i.test(said)
        ? ` The app lacks a permission${accepted ? ` (one of: ${accepted})` : ''}; grant it in the app's settings and accept it for the installation.`
        : status === 403 && /suspended/i.test(said)
          ? ' The installation is suspended; lift that in the settings of its account.'
          : '';
  return new ForgeError(`GitHub refused ${what} with ${status}: ${said || 'no reason given'}.${mend}`, {
    status,
    cause: stripped(cause),
    ...(accepted === undefined ? {} : { acceptedPermissions: accepted }),
  });
}

/** Milliseconds until GitHub takes requests again; null when the refusal is about something else. */
function rateLimitWait(
  status: number,
  headers: Readonly<Record<string, unknown>>,
  said: string,
  now: number,
  tried: number,
): number | null {
  if (status !== 403 && status !== 429) return null;
  const after = Number(text(headers['retry-after']) ?? NaN);
  if (Number.isFinite(after)) return Math.max(0, after) * 1000;
  const reset = Number(text(headers['x-ratelimit-reset']) ?? NaN);
  if (text(headers['x-ratelimit-remaining']) === '0' && Number.isFinite(reset))
    return Math.max(1000, reset * 1000 - now);
  // Without a header GitHub asks for at least a minute, and longer each time.
  if (status === 429 || /rate limit|abuse detection/i.test(said)) return 60_000 * tried;
  return null;
}

/** A 2xx answer whose body did not arrive whole. */
class CutShort extends Error {
  readonly status: number;
  constructor(status: number) {
    super('cut short');
    this.status = status;
  }
}

/** GraphQL said 200 and no. */
class GraphQLRefusal extends Error {
  readonly type: string;
  readonly headers: Readonly<Record<string, unknown>>;
  constructor(type: string, message: string, headers: Readonly<Record<string, unknown>>) {
    super(message);
    this.type = type;
    this.headers = headers;
  }
}

/** The data of an answer whose errors are all about fields that may be missing; throws any other error as it is. */
function answeredInPart(error: unknown, mayLack: readonly string[]): unknown {
  if (!(error instanceof GraphqlResponseError)) throw error;
  const errors = errorsOf(error);
  if (errors.length === 0 || !errors.every((one) => isLack(one, mayLack)) || !error.data) throw error;
  return error.data;
}

type FieldError = { readonly type?: string; readonly message?: string; readonly path?: readonly unknown[] };

const errorsOf = ({ errors }: GraphqlResponseError<unknown>): readonly FieldError[] =>
  (errors ?? []) as readonly FieldError[];

const isLack = ({ type, path }: FieldError, mayLack: readonly string[]): boolean =>
  (type === 'NOT_FOUND' || type === 'FORBIDDEN') && mayLack.some((field) => path?.[0] === field);

/**
 * GraphQL answers 200 with errors; an empty list and a failed read must not look alike. What may be missing does not
 * hide the refusal that stands beside it.
 */
function refusalOfErrors(
  error: GraphqlResponseError<unknown>,
  mayLack: readonly string[] = [],
): GraphQLRefusal {
  const errors = errorsOf(error);
  const first = errors.find((one) => !isLack(one, mayLack)) ?? errors[0];
  return new GraphQLRefusal(first?.type ?? '', first?.message ?? 'no reason given', error.headers);
}

function readGraphQLRefusal(error: GraphQLRefusal, now: number, tried: number, call: Call): Failure {
  const said = error.message.slice(0, 600);
  const accepted = text(error.headers['x-accepted-github-permissions']);
  switch (error.type) {
    case 'RATE_LIMITED':
    case 'RATE_LIMIT': {
      const wait = rateLimitWait(429, error.headers, said, now, tried) ?? 60_000;
      const message = `GitHub's rate limit is reached (graphql). Try again after ${when(now + wait)}.`;
      return {
        error: new ForgeError(message, { status: 429, retryable: true, retryAfterMs: wait }),
        waitMs: wait,
      };
    }
    case 'FORBIDDEN':
    case 'INSUFFICIENT_SCOPES':
      return { error: refusal('graphql', 403, said, accepted, undefined), waitMs: null };
    case 'NOT_FOUND':
      return { error: refusal('graphql', 404, said, accepted, undefined), waitMs: null };
    case 'UNPROCESSABLE':
      return { error: refusal('graphql', 422, said, accepted, undefined), waitMs: null };
    default: {
      // "Something went wrong while executing your query": a 5xx in other clothes, so a write may have happened.
      const passing = error.type === '' && /something went wrong|timed? ?out|without data/i.test(said);
      const message = `GitHub refused graphql: ${said}.`;
      return {
        error: new ForgeError(message, { status: 200, retryable: passing, unknown: passing && !call.safe }),
        waitMs: passing ? 500 * 2 ** (tried - 1) : null,
      };
    }
  }
}

async function readMessage(response: Response): Promise<string> {
  const body = (await response.text().catch(() => '')).slice(0, 2000);
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null && 'message' in parsed) return String(parsed.message);
  } catch {
    // Not JSON: the text itself is the message.
  }
  return body.slice(0, 300);
}

function parseUrl(address: string, base: URL | null): URL | null {
  try {
    return new URL(address, base ?? undefined);
  } catch {
    return null;
  }
}

const hasNextPage = (headers: Readonly<Record<string, unknown>>): boolean =>
  /rel="next"/.test(text(headers.link) ?? '');

/** Some lists are paged by a cursor that only the link to the next page knows. */
function nextCursor(headers: Readonly<Record<string, unknown>>): string | null {
  const next = /<([^>]+)>;\s*rel="next"/.exec(text(headers.link) ?? '')?.[1];
  return next === undefined ? null : (parseUrl(next, null)?.searchParams.get('cursor') ?? null);
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

const when = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The innermost reason: "fetch failed" alone tells nobody anything. */
function rootMessage(error: unknown): string {
  let message = 'no reason given';
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (at.message !== '') message = at.name === 'TimeoutError' ? 'it took too long' : at.message;
  return message.slice(0, 300);
}

/** A cause without the request that it was for: request objects carry headers and bodies into logs. */
const stripped = (error: unknown): { readonly name: string; readonly message: string } | undefined =>
  error instanceof Error ? { name: error.name, message: error.message.slice(0, 600) } : undefined;
