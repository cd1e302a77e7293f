/** Speaks GitHub's API as somebody: bounded, polite, and never shows a token. */

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; undefined for anything else. */
  readonly data: unknown;
  readonly bytes: Buffer;
};

export type Speaker = {
  readonly rest: (
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    accept?: string,
  ) => Promise<Answer>;
  /** `errors` are their types, or messages where there is no type. */
  readonly graphql: (
    query: string,
    variables?: Readonly<Record<string, unknown>>,
  ) => Promise<{ readonly status: number; readonly data: unknown; readonly errors: readonly string[] }>;
};

/** Shared by all who speak: GitHub counts an address and a person, not a program's parts. */
export type Meter = {
  readonly count: () => number;
  /** Waits until it is polite to go on; throws when the bound is reached. */
  readonly take: (isWrite: boolean) => Promise<void>;
  readonly pause: (ms: number) => Promise<void>;
  /** For putting away: that must not fail for want of requests. */
  readonly lift: () => void;
};

/** One second between writes is what GitHub asks for: https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api */
export function createMeter({
  most,
  betweenWritesMs,
}: {
  readonly most: number;
  readonly betweenWritesMs: number;
}): Meter {
  let count = 0;
  let bound = most;
  let lastWrite = 0;
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  return {
    count: () => count,
    pause,
    lift: () => {
      bound = Infinity;
    },
    take: async (isWrite) => {
      count += 1;
      if (count > bound) throw new Error(`More than ${most} requests: stopped.`);
      if (!isWrite) return;
      const wait = lastWrite + betweenWritesMs - Date.now();
      if (wait > 0) await pause(wait);
      lastWrite = Date.now();
    },
  };
}

const LONGEST_WAIT_S = 120;
const REQUEST_MS = 60_000;

export function createSpeaker({
  apiUrl,
  token,
  meter,
}: {
  readonly apiUrl: string;
  /** With its scheme: `Bearer ...`, `token ...`. */
  readonly token: () => Promise<string>;
  readonly meter: Meter;
}): Speaker {
  const base = apiUrl.replace(/\/+$/, '');
  const graphqlUrl = base.endsWith('/api/v3') ? base.replace(/\/v3$/, '/graphql') : `${base}/graphql`;

  async function send(method: string, url: string, body: unknown, accept: string): Promise<Answer> {
    for (let tried = 1; ; tried += 1) {
      await meter.take(method !== 'GET');
      const response = await fetch(url, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(REQUEST_MS),
        headers: {
          accept,
          authorization: await token(),
          'user-agent': 'evident-probe',
          'x-github-api-version': '2022-11-28',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      const wait = Number(response.headers.get('retry-after') ?? NaN);
      // A limit is a clear no: what was refused for it has not happened, and may be asked again.
      if ((response.status === 403 || response.status === 429) && wait <= LONGEST_WAIT_S && tried < 3) {
        await meter.pause((wait + 1) * 1000);
        continue;
      }
      const isJson = response.headers.get('content-type')?.includes('json') === true && bytes.length > 0;
      const data: unknown = isJson ? JSON.parse(bytes.toString('utf8')) : undefined;
      return { status: response.status, headers: response.headers, data, bytes };
    }
  }

  return {
    rest: (method, path, body, accept = 'application/vnd.github+json') =>
      send(method, path.startsWith('http') ? path : `${base}${path}`, body, accept),
    graphql: async (query, variables = {}) => {
      const { status, data } = await send('POST', graphqlUrl, { query, variables }, 'application/json');
      const errors = listAt(data, 'errors').map((error) => textAt(error, 'type') || textAt(error, 'message'));
      return { status, data: at(data, 'data'), errors };
    },
  };
}

/** What stands at a place of an answer; undefined when there is nothing. */
export function at(data: unknown, ...path: readonly (string | number)[]): unknown {
  let value = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[key];
  }
  return value;
}

export const textAt = (data: unknown, ...path: readonly (string | number)[]): string => {
  const value = at(data, ...path);
  return typeof value === 'string' ? value : '';
};

export const numberAt = (data: unknown, ...path: readonly (string | number)[]): number => {
  const value = at(data, ...path);
  return typeof value === 'number' ? value : NaN;
};

export const listAt = (data: unknown, ...path: readonly (string | number)[]): readonly unknown[] => {
  const value = at(data, ...path);
  return Array.isArray(value) ? value : [];
};

/** What GitHub said in words: the message and what `errors` adds to it. */
export function saidBy({ status, data }: Pick<Answer, 'status' | 'data'>): string {
  const errors = listAt(data, 'errors').map((error) =>
    typeof error === 'string'
      ? error
      : [textAt(error, 'message'), textAt(error, 'field'), textAt(error, 'code')]
          .filter((part) => part !== '')
          .join(' '),
  );
  const words = [textAt(data, 'message'), ...errors].filter((part) => part !== '').join(': ');
  return `${status}${words === '' ? '' : ` ${words}`}`.replace(/\s+/g, ' ').slice(0, 160);
}
