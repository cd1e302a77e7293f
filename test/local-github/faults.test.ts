import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';
import { type Api, apiOfApp, type Json } from './api.js';

describe('faults by order', () => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  let api: Api;
  const comments = '/repos/octo-org/shop/issues/1/comments';
  const isWrite = (request: { readonly method: string; readonly path: string }) =>
    request.method === 'POST' && request.path === comments;

  beforeAll(async () => {
    github = await startLocalGitHub();
    repository = await github.createRepository({
      owner: 'octo-org',
      name: 'shop',
      files: { 'a.ts': 'one\n' },
    });
    await repository.commit({ branch: 'feature', files: { 'a.ts': 'ONE\n' }, message: 'change' });
    await repository.openPullRequest({ head: 'feature', title: 'Change a' });
    api = await apiOfApp(github);
  });
  afterAll(() => github.close());
  afterEach(() => github.faults.clear());

  const written = () => repository.pull(1).comments.map((comment) => comment.body);

  test('before: the answer without the work', async () => {
    github.faults.add({ match: isWrite, before: { status: 502 } });
    expect((await api('POST', comments, { body: 'before' })).status).toBe(502);
    expect(written()).not.toContain('before');
    expect((await api('POST', comments, { body: 'next' })).status).toBe(201);
  });

  test('after: the work, and an answer that hides it', async () => {
    github.faults.add({ match: isWrite, after: { status: 502 } });
    expect((await api('POST', comments, { body: 'after' })).status).toBe(502);
    expect(written()).toContain('after');
  });

  test('a dropped connection, before or after the work', async () => {
    github.faults.add({ match: isWrite, before: 'reset' });
    await expect(api('POST', comments, { body: 'never' })).rejects.toThrow();
    github.faults.add({ match: isWrite, after: 'reset' });
    await expect(api('POST', comments, { body: 'unheard' })).rejects.toThrow();
    expect(written()).not.toContain('never');
    expect(written()).toContain('unheard');
    expect(github.requests().at(-1)?.status).toBe(0);
  });

  test('the third matching request, and no other', async () => {
    github.faults.add({ match: isWrite, skip: 2, before: { status: 503 } });
    const statuses: number[] = [];
    for (let at = 0; at < 4; at += 1) statuses.push((await api('POST', comments, { body: `n${at}` })).status);
    expect(statuses).toEqual([201, 201, 503, 201]);
    expect(github.faults.pending()).toBe(0);
  });

  test('a secondary limit with its header, as often as told', async () => {
    const limited = {
      status: 403,
      headers: { 'retry-after': '60' },
      body: { message: 'You have exceeded a secondary rate limit' },
    };
    github.faults.add({ match: (request) => request.path === comments, times: 2, before: limited });
    const answers = [await api('GET', comments), await api('GET', comments), await api('GET', comments)];
    expect(answers.map((answer) => [answer.status, answer.headers.get('retry-after')])).toEqual([
      [403, '60'],
      [403, '60'],
      [200, null],
    ]);
  });

  test('latency', async () => {
    github.faults.add({ match: (request) => request.path === comments, delayMs: 120 });
    const started = Date.now();
    await api('GET', comments);
    expect(Date.now() - started).toBeGreaterThanOrEqual(115);
  });

  test('reads that lag behind writes', async () => {
    github.faults.lag(60_000);
    const made = await api('POST', comments, { body: 'not yet seen' });
    const seen = await api('GET', `${comments}?per_page=100`);
    expect(seen.data.map((entry: Json) => entry.id)).not.toContain(made.data.id);
    github.faults.lag(0);
    const later = await api('GET', `${comments}?per_page=100`);
    expect(later.data.map((entry: Json) => entry.id)).toContain(made.data.id);
  });

  test('a head that is not shown at once after a push', async () => {
    const before = repository.pull(1).head.sha;
    github.faults.lag(60_000);
    const pushed = await repository.commit({ branch: 'feature', files: { 'b.ts': 'b\n' }, message: 'more' });
    expect((await api('GET', '/repos/octo-org/shop/pulls/1')).data.head.sha).toBe(before);
    github.faults.lag(0);
    expect((await api('GET', '/repos/octo-org/shop/pulls/1')).data.head.sha).toBe(pushed);
  });

  test('GraphQL is matched by its path and body', async () => {
    github.faults.add({
      match: (request) => request.path === '/graphql' && JSON.stringify(request.body).includes('viewer'),
      before: { status: 200, body: { data: null, errors: [{ message: 'Something went wrong' }] } },
    });
    const answer = await api('POST', `${github.url}/api/graphql`, { query: '{ viewer { login } }' });
    expect(answer.data.errors).toHaveLength(1);
    const next = await api('POST', `${github.url}/api/graphql`, { query: '{ viewer { login } }' });
    expect(next.data.data.viewer.login).toBe('evident[bot]');
  });
});
