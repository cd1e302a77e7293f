import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import nock from 'nock';
import { ForgeError } from '../../../lib/core/errors.js';
import { graphqlUrlOf } from '../../../lib/forges/github/addresses.js';
import { createGitHubClient } from '../../../lib/forges/github/client.js';
import type { GitHubClient, GitHubClientOptions } from '../../../lib/forges/github/client.js';
import { silentLog } from '../../../lib/ports/log.js';
import graphql200WithErrors from '../../fixtures/github/graphql-200-with-errors.json' with { type: 'json' };

const apiUrl = 'https://github.example/api/v3';
const api = (): nock.Scope => nock('https://github.example');
const now = Date.UTC(2026, 0, 1, 12, 0, 0);

/** A client whose clock moves only when it waits; `waits` are the pauses it took. */
function client(options: Partial<GitHubClientOptions> = {}): GitHubClient & { readonly waits: number[] } {
  let time = now;
  const waits: number[] = [];
  const made = createGitHubClient({
    apiUrl,
    token: async () => 'the-token',
    log: silentLog,
    deadline: now + 240_000,
    clock: () => time,
    sleep: async (ms) => {
      waits.push(ms);
      time += ms;
    },
    ...options,
  });
  return { ...made, waits };
}

async function failureOf(promise: Promise<unknown>): Promise<ForgeError> {
  const error: unknown = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ForgeError);
  return error as ForgeError;
}

beforeAll(() => {
  nock.disableNetConnect();
  nock.enableNetConnect('127.0.0.1');
});
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([]);
  nock.cleanAll();
});
afterAll(() => nock.restore());

test.each([
  ['https://api.github.com', 'https://api.github.com/graphql'],
  ['https://github.example/api/v3', 'https://github.example/api/graphql'],
  ['https://github.example/api/v3/', 'https://github.example/api/graphql'],
  ['https://api.octo.ghe.com', 'https://api.octo.ghe.com/graphql'],
  ['http://127.0.0.1:8080/api/v3', 'http://127.0.0.1:8080/api/graphql'],
])('GraphQL of %s is at %s', (rest, graphql) => expect(graphqlUrlOf(rest)).toBe(graphql));

describe('reads', () => {
  test('carry the token and are recorded with their reason', async () => {
    api().get('/api/v3/repos/o/r').matchHeader('authorization', 'Bearer the-token').reply(200, { id: 1 });
    const github = client();
    await expect(github.get('/repos/{owner}/{repo}', { owner: 'o', repo: 'r' }, 'why')).resolves.toEqual({
      id: 1,
    });
    expect(github.requests()).toEqual([{ method: 'GET', path: '/repos/o/r', reason: 'why' }]);
  });

  test.each([
    ['a 502', (scope: nock.Interceptor) => scope.reply(502, 'bad gateway')],
    ['a reset', (scope: nock.Interceptor) => scope.replyWithError('socket hang up')],
    [
      'an answer cut short',
      (scope: nock.Interceptor) => scope.reply(200, '{"id":', { 'content-type': 'application/json' }),
    ],
  ])('are tried again after %s', async (_name, fail) => {
    fail(api().get('/api/v3/x'));
    api().get('/api/v3/x').reply(200, { ok: true });
    const github = client();
    await expect(github.get('/x', {}, 'why')).resolves.toEqual({ ok: true });
    expect(github.waits).toEqual([500]);
    expect(github.requests()).toHaveLength(2);
  });

  test('give up after three more tries', async () => {
    api().get('/api/v3/x').times(4).reply(503, { message: 'Service unavailable' });
    const github = client();
    const error = await failureOf(github.get('/x', {}, 'why'));
    expect(error).toMatchObject({ status: 503, retryable: true, unknown: false });
    expect(error.message).toBe('GitHub answered GET /x with 503: Service unavailable.');
    expect(github.waits).toEqual([500, 1000, 2000]);
  });

  test.each<[string, number, Record<string, string>, string, number]>([
    ['retry-after', 429, { 'retry-after': '7' }, 'slow down', 7_000],
    ['a secondary limit', 403, { 'retry-after': '30' }, 'You have exceeded a secondary rate limit', 30_000],
    ['a secondary limit without a header', 403, {}, 'You have exceeded a secondary rate limit', 60_000],
    [
      'a reset',
      403,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 90) },
      'API rate limit exceeded',
      90_000,
    ],
  ])('wait for %s', async (_name, status, headers, message, wait) => {
    api().get('/api/v3/x').reply(status, { message }, headers);
    api().get('/api/v3/x').reply(200, { ok: true });
    const github = client();
    await github.get('/x', {}, 'why');
    expect(github.waits).toEqual([wait]);
  });

  test('a limit beyond the deadline ends with the time to try again', async () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 1800) };
    api().get('/api/v3/x').reply(403, { message: 'API rate limit exceeded' }, headers);
    const error = await failureOf(client().get('/x', {}, 'why'));
    expect(error).toMatchObject({ status: 403, retryable: true });
    expect(error.message).toBe(
      "GitHub's rate limit is reached (GET /x). Try again after 2026-01-01 12:30 UTC.",
    );
  });

  test('a missing permission is named and not tried again', async () => {
    api()
      .get('/api/v3/x')
      .reply(
        403,
        { message: 'Resource not accessible by integration' },
        { 'x-accepted-github-permissions': 'checks=write' },
      );
    const error = await failureOf(client().get('/x', {}, 'why'));
    expect(error).toMatchObject({ status: 403, retryable: false, acceptedPermissions: 'checks=write' });
    expect(error.message).toContain('checks=write');
  });

  test('the token stands in no error', async () => {
    api().get('/api/v3/x').times(4).reply(500, { message: 'boom' });
    const error = await failureOf(client().get('/x', {}, 'why'));
    expect(JSON.stringify([error.message, error.cause, error])).not.toContain('the-token');
  });

  test('nothing is asked after the deadline', async () => {
    const github = client({ deadline: now - 1 });
    expect((await failureOf(github.get('/x', {}, 'why'))).message).toMatch(/time of this run is over/);
  });

  test('an aborted run throws its reason', async () => {
    const abort = new AbortController();
    abort.abort(new Error('superseded'));
    await expect(client({ signal: abort.signal }).get('/x', {}, 'why')).rejects.toThrow('superseded');
  });
});

describe('writes', () => {
  test('tell created from already there', async () => {
    api().post('/api/v3/x', { a: 1 }).reply(201, { id: 1 });
    api().post('/api/v3/x', { a: 1 }).reply(200, { id: 1 });
    const github = client();
    expect((await github.write('POST', '/x', { a: 1 }, 'why')).status).toBe(201);
    expect((await github.write('POST', '/x', { a: 1 }, 'why')).status).toBe(200);
  });

  test('without a body of the answer are confirmed too', async () => {
    api().delete('/api/v3/x').reply(204);
    expect((await client().write('DELETE', '/x', {}, 'why')).status).toBe(204);
  });

  test.each([
    ['a 502', (scope: nock.Interceptor) => scope.reply(502, 'bad gateway')],
    ['a reset', (scope: nock.Interceptor) => scope.replyWithError('socket hang up')],
    [
      'an answer cut short',
      (scope: nock.Interceptor) => scope.reply(201, '{"id"', { 'content-type': 'application/json' }),
    ],
  ])('are sent once and are unknown after %s', async (_name, fail) => {
    fail(api().post('/api/v3/x'));
    const github = client();
    expect(await failureOf(github.write('POST', '/x', {}, 'why'))).toMatchObject({ unknown: true });
    expect(github.requests()).toHaveLength(1);
    expect(github.waits).toEqual([]);
  });

  test.each([
    [422, { message: 'Unprocessable Entity', errors: ['Line must be part of the diff'] }, {}, false],
    [403, { message: 'You have exceeded a secondary rate limit' }, { 'retry-after': '60' }, true],
  ])('a refusal with %i is known', async (status, body, headers, retryable) => {
    api().post('/api/v3/x').reply(status, body, headers);
    const error = await failureOf(client().write('POST', '/x', {}, 'why'));
    expect(error).toMatchObject({ status, unknown: false, retryable });
  });
});

describe('GraphQL', () => {
  const endpoint = '/api/graphql';

  test('sends the query and its variables to the Enterprise path', async () => {
    api()
      .post(endpoint, { query: 'query { viewer }', variables: { a: 1 } })
      .reply(200, { data: { viewer: 'x' } });
    await expect(client().graphql('query { viewer }', { a: 1 }, 'why')).resolves.toEqual({ viewer: 'x' });
  });

  test('200 with errors is a failed read, waited for when it is a rate limit', async () => {
    const { status, body } = graphql200WithErrors.input;
    api().post(endpoint).reply(status, body, { 'retry-after': '1000' });
    const error = await failureOf(client().graphql('query { x }', {}, 'why'));
    expect(error).toMatchObject({ status: 429, retryable: true });
  });

  test('without data is never "nothing there"', async () => {
    api().post(endpoint).times(4).reply(200, { data: null });
    expect(await failureOf(client().graphql('query { x }', {}, 'why'))).toMatchObject({ retryable: true });
  });

  test('FORBIDDEN is a refusal', async () => {
    api()
      .post(endpoint)
      .reply(200, {
        data: null,
        errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }],
      });
    const error = await failureOf(client().graphql('mutation { x }', {}, 'why'));
    expect(error).toMatchObject({ status: 403, retryable: false, unknown: false });
  });

  test('a mutation is sent once and is unknown after a 502', async () => {
    api().post(endpoint).reply(502, 'bad gateway');
    const error = await failureOf(client().graphql('mutation { x }', {}, 'why'));
    expect(error.unknown).toBe(true);
  });
});

describe('pages', () => {
  test('are followed by the link, and a cut is said', async () => {
    const link = { link: `<${apiUrl}/x?page=2>; rel="next"` };
    api().get('/api/v3/x?per_page=100').times(2).reply(200, [1], link);
    api().get('/api/v3/x?per_page=100&page=2').reply(200, [2]);
    const github = client();
    await expect(github.paginate('/x', {}, 'why')).resolves.toEqual({ items: [1, 2], complete: true });
    await expect(github.paginate('/x', {}, 'why', { maxPages: 1 })).resolves.toEqual({
      items: [1],
      complete: false,
    });
  });

  test('that are not lists fail', async () => {
    api().get('/api/v3/x?per_page=100').reply(200, { message: 'hm' });
    await failureOf(client().paginate('/x', {}, 'why'));
  });
});

describe('downloads', () => {
  async function hosts(
    first: (other: string) => { readonly status: number; readonly location: string },
  ): Promise<{ apiUrl: string; other: string; seen: (string | undefined)[]; close: () => void }> {
    const seen: (string | undefined)[] = [];
    const target = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('the archive');
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    const other = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
    const start = createServer((request, response) => {
      seen.push(request.headers.authorization);
      const { status, location } = first(other);
      response.writeHead(status, { location }).end();
    });
    await new Promise<void>((resolve) => start.listen(0, '127.0.0.1', resolve));
    return {
      apiUrl: `http://127.0.0.1:${(start.address() as AddressInfo).port}/api/v3`,
      other,
      seen,
      close: () => {
        start.close();
        target.close();
      },
    };
  }

  test('follow the redirect and leave the token behind', async () => {
    const servers = await hosts((other) => ({ status: 302, location: `${other}/archive?token=short-lived` }));
    const github = client({ apiUrl: servers.apiUrl });
    const stream = await github.download('/repos/o/r/tarball/abc', {}, 'archive of head');
    expect(await readText(stream)).toBe('the archive');
    expect(servers.seen).toEqual(['Bearer the-token', undefined]);
    expect(github.requests().map((request) => [request.path, request.reason])).toEqual([
      ['/repos/o/r/tarball/abc', 'archive of head'],
      [`${servers.other}/archive`, 'archive of head (redirect)'],
    ]);
    servers.close();
  });

  test('refuse an address of another scheme', async () => {
    const servers = await hosts(() => ({ status: 302, location: 'file:///etc/passwd' }));
    const github = client({ apiUrl: servers.apiUrl });
    expect((await failureOf(github.download('/x', {}, 'why'))).message).toMatch(/not safe to follow/);
    servers.close();
  });

  test('a missing archive is a failure', async () => {
    api().get('/api/v3/x').reply(404, { message: 'Not Found' });
    expect(await failureOf(client().download('/x', {}, 'why'))).toMatchObject({ status: 404 });
  });
});
