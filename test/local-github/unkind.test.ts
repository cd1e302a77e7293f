import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';
import { type Api, apiOfApp, createApi, graphql, type Json } from './api.js';

/** One pull request that adds forty lines, on a GitHub whose clock the test moves. */
const start = async (options: Parameters<typeof startLocalGitHub>[0] = {}) => {
  let time = Date.now();
  const github = await startLocalGitHub({ clock: () => time, ...options });
  const repository = await github.createRepository({
    owner: 'octo-org',
    name: 'shop',
    files: { 'a.ts': 'a\n' },
  });
  const text = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`).join('');
  const sha = await repository.commit({ branch: 'feature', files: { 'b.ts': text }, message: 'b' });
  await repository.openPullRequest({ head: 'feature', title: 'Add b', author: 'octocat' });
  return { github, repository, sha, api: await apiOfApp(github), pass: (ms: number) => void (time += ms) };
};

const pull = '/repos/octo-org/shop/pulls/1';
const comments = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ path: 'b.ts', line: at + 1, body: `at ${at + 1}` }));

describe('GitHub’s own rules', () => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  let api: Api;
  let pass: (ms: number) => void;
  beforeEach(async () => {
    ({ github, repository, api, pass } = await start({ rules: 'github' }));
  });
  afterEach(() => github.close());

  test('a review of 31 comments is stored and answered with 502; one of 30 is answered', async () => {
    const body = { event: 'COMMENT', body: 'many' };
    const many = await api('POST', `${pull}/reviews`, { ...body, comments: comments(31) });
    expect([many.status, repository.pull(1).threads.length]).toEqual([502, 31]);
    expect((await api('POST', `${pull}/reviews`, { ...body, comments: comments(30) })).status).toBe(200);
    github.rules.lateAnswerAbove = null;
    expect((await api('POST', `${pull}/reviews`, { ...body, comments: comments(31) })).status).toBe(200);
    const bad = [...comments(31), { path: 'b.ts', line: 99, body: 'off' }];
    github.rules.lateAnswerAbove = 30;
    expect((await api('POST', `${pull}/reviews`, { ...body, comments: bad })).status).toBe(422);
  });

  test('mergeable is null when it is first asked for, and again after a push', async () => {
    const ask = async () => (await api('GET', pull)).data.mergeable;
    expect([await ask(), await ask()]).toEqual([null, true]);
    await repository.commit({ branch: 'feature', files: { 'c.ts': 'c\n' }, message: 'c' });
    expect([await ask(), await ask()]).toEqual([null, true]);
    github.rules.mergeableLater = false;
    await repository.commit({ branch: 'feature', files: { 'd.ts': 'd\n' }, message: 'd' });
    expect(await ask()).toBe(true);
  });

  test('after eighty writes in a minute the next is refused, until the minute is over', async () => {
    const write = () => api('POST', '/repos/octo-org/shop/issues/1/comments', { body: 'again' });
    for (let at = 0; at < 79; at += 1) expect((await write()).status).toBe(201);
    const id = (await api('GET', pull)).data.node_id;
    const mutate = () =>
      api('POST', `${github.url}/api/graphql`, {
        query: `mutation { addReaction(input: { subjectId: "${id}", content: EYES }) { clientMutationId } }`,
      });
    expect((await mutate()).status).toBe(200);
    pass(20_000);
    const refused = await write();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([403, '40']);
    expect(refused.data.message).toMatch(/secondary rate limit/);
    expect((await mutate()).status).toBe(403);
    expect((await api('GET', pull)).status).toBe(200);
    pass(40_000);
    expect((await write()).status).toBe(201);
    expect(repository.pull(1).comments).toHaveLength(80);
  });
});

describe('limits', () => {
  test('the primary limit tells what is left, refuses with 403 or 429, and is full again after the reset', async () => {
    const { github, pass } = await start();
    // A person's token, which does not end before the reset.
    const api = createApi(github, github.tokenOf('octocat'));
    const first = await api('GET', pull);
    const second = await api('GET', pull);
    const left = (answer: typeof first) => Number(answer.headers.get('x-ratelimit-remaining'));
    expect(left(first) - left(second)).toBe(1);
    github.spendRateLimit('octocat');
    const spent = await api('GET', pull);
    expect([spent.status, left(spent), spent.headers.get('retry-after')]).toEqual([403, 0, null]);
    github.rules.spentStatus = 429;
    expect((await api('GET', pull)).status).toBe(429);
    expect((await api('GET', '/rate_limit')).data.resources.core.remaining).toBe(0);
    // REST and GraphQL are counted apart.
    expect((await graphql(api, github, '{ viewer { login } }')).data.viewer.login).toBe('octocat');
    pass(1_800_000);
    expect((await api('GET', pull)).status).toBe(429);
    pass(1_800_001);
    expect((await api('GET', pull)).status).toBe(200);
    await github.close();
  });

  test('GraphQL tells of a spent limit with 200', async () => {
    const { github, api } = await start();
    github.spendRateLimit('evident[bot]', 'graphql');
    const answer = await api('POST', `${github.url}/api/graphql`, { query: '{ viewer { login } }' });
    expect([answer.status, answer.data.errors[0].type, answer.data.data]).toEqual([
      200,
      'RATE_LIMITED',
      undefined,
    ]);
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
    await github.close();
  });

  test('a secondary limit by order, with and without retry-after', async () => {
    const { github, api } = await start();
    github.faults.secondaryLimit({ retryAfter: 7 });
    github.faults.secondaryLimit({ retryAfter: null, status: 429, match: ({ method }) => method === 'POST' });
    const one = await api('GET', pull);
    const two = await api('POST', `${pull}/reviews`, { event: 'COMMENT', body: 'x' });
    const three = await api('POST', `${pull}/reviews`, { event: 'COMMENT', body: 'x' });
    expect([one, two, three].map((each) => [each.status, each.headers.get('retry-after')])).toEqual([
      [403, '7'],
      [429, null],
      [200, null],
    ]);
    expect(two.data.message).toMatch(/secondary rate limit/);
    await github.close();
  });

  test('a token ends after the hour: 401 in REST and in GraphQL', async () => {
    const { github, api, pass } = await start();
    pass(3_600_000);
    const rest = await api('GET', pull);
    const asked = await api('POST', `${github.url}/api/graphql`, { query: '{ viewer { login } }' });
    expect([rest.status, rest.data.message, asked.status]).toEqual([401, 'Bad credentials', 401]);
    await github.close();
  });

  test('a token that was given back is worth nothing', async () => {
    const { github, api } = await start();
    expect((await api('DELETE', '/installation/token')).status).toBe(204);
    expect((await api('GET', pull)).status).toBe(401);
    await github.close();
  });
});

describe('GraphQL that answers 200 and errors', () => {
  let github: LocalGitHub;
  let api: Api;
  beforeAll(async () => {
    ({ github, api } = await start());
  });
  afterAll(() => github.close());
  afterEach(() => github.faults.clear());

  const query = `{ repository(owner: "octo-org", name: "shop") { name pullRequest(number: 1) {
    title author { login } reviewThreads(first: 1) { totalCount } } } }`;
  const isGraphql = ({ path }: { readonly path: string }) => path === '/graphql';
  const ask = async (): Promise<Json> => {
    const answer = await api('POST', `${github.url}/api/graphql`, { query });
    expect(answer.status).toBe(200);
    return answer.data;
  };

  test.each(['RATE_LIMITED', 'FORBIDDEN', 'NOT_FOUND', 'INTERNAL'])('%s and no data', async (type) => {
    github.faults.add({ match: isGraphql, graphql: { type } });
    const answer = await ask();
    expect([answer.data, answer.errors[0].type, typeof answer.errors[0].message]).toEqual([
      null,
      type,
      'string',
    ]);
    expect((await ask()).data.repository.pullRequest.title).toBe('Add b');
  });

  test('one field alone: what may be null around it is null, the rest is answered', async () => {
    github.faults.add({
      match: isGraphql,
      graphql: { type: 'FORBIDDEN', field: 'PullRequest.reviewThreads' },
    });
    // The list may not be null: the pull request is.
    const list = await ask();
    expect(list.data).toEqual({ repository: { name: 'shop', pullRequest: null } });
    expect(list.errors[0]).toMatchObject({
      type: 'FORBIDDEN',
      path: ['repository', 'pullRequest', 'reviewThreads'],
    });
    github.faults.add({ match: isGraphql, graphql: { type: 'INTERNAL', field: 'PullRequest.author' } });
    const author = await ask();
    expect(author.data.repository.pullRequest).toEqual({
      title: 'Add b',
      author: null,
      reviewThreads: { totalCount: 0 },
    });
    expect(author.errors).toHaveLength(1);
  });
});

describe('reads that lag', () => {
  test('lists, single things and GraphQL show the old state for that long', async () => {
    const { github, repository, sha, api, pass } = await start();
    const check = await api('POST', '/repos/octo-org/shop/check-runs', { name: 'Evident', head_sha: sha });
    const review = await api('POST', `${pull}/reviews`, {
      event: 'COMMENT',
      body: 'first',
      comments: comments(1),
    });
    const [thread] = repository.pull(1).threads;
    github.faults.lag(10_000);
    await api('PATCH', `/repos/octo-org/shop/check-runs/${check.data.id}`, { conclusion: 'success' });
    const written = await api('PUT', `${pull}/reviews/${review.data.id}`, { body: 'second' });
    repository.as('octocat').resolve(thread?.id ?? '');
    const comment = repository.as('octocat').comment(1, 'hello');
    const pushed = await repository.commit({ branch: 'feature', files: { 'c.ts': 'c\n' }, message: 'c' });
    github.rules.mergeableLater = false;
    const seen = async () => {
      const graph = await graphql(
        api,
        github,
        `{ node(id: "${thread?.id ?? ''}") { ... on PullRequestReviewThread { isResolved } }
           repository(owner: "octo-org", name: "shop") { pullRequest(number: 1) { headRefOid comments(first: 9) { totalCount } } } }`,
      );
      return [
        (await api('GET', `/repos/octo-org/shop/check-runs/${check.data.id}`)).data.status,
        (await api('GET', `/repos/octo-org/shop/commits/${sha}/check-runs`)).data.check_runs[0].status,
        (await api('GET', `${pull}/reviews/${review.data.id}`)).data.body,
        (await api('GET', `/repos/octo-org/shop/issues/comments/${comment.id}`)).status,
        (await api('GET', pull)).data.head.sha,
        graph.data.node.isResolved,
        graph.data.repository.pullRequest.headRefOid,
        graph.data.repository.pullRequest.comments.totalCount,
      ];
    };
    const old = ['queued', 'queued', 'first', 404, sha, false, sha, 0];
    // The write itself answers with what it wrote.
    expect(written.data.body).toBe('second');
    expect(await seen()).toEqual(old);
    pass(9999);
    expect(await seen()).toEqual(old);
    pass(1);
    const fresh = ['completed', 'completed', 'second', 200, pushed, true, pushed, 1];
    expect(await seen()).toEqual(fresh);
    await api('DELETE', `/repos/octo-org/shop/issues/comments/${comment.id}`).catch(() => undefined);
    repository.as('octocat').deleteComment(comment.id);
    expect((await api('GET', `/repos/octo-org/shop/issues/comments/${comment.id}`)).status).toBe(200);
    github.faults.lag(0);
    expect((await api('GET', `/repos/octo-org/shop/issues/comments/${comment.id}`)).status).toBe(404);
    await github.close();
  });

  test('tokens do not lag, and a writer meets the real state', async () => {
    const { github, repository, api } = await start();
    github.faults.lag(60_000);
    const fresh = await apiOfApp(github);
    expect((await fresh('GET', pull)).status).toBe(200);
    const pending = await api('POST', `${pull}/reviews`, { body: 'pending' });
    expect((await api('GET', `${pull}/reviews`)).data).toEqual([]);
    // What reads do not show yet is in the way all the same.
    expect((await api('POST', `${pull}/reviews`, { event: 'COMMENT', body: 'x' })).status).toBe(422);
    expect((await api('DELETE', `${pull}/reviews/${pending.data.id}`)).status).toBe(200);
    expect(repository.pull(1).reviews).toEqual([]);
    await github.close();
  });
});

describe('heads that move', () => {
  test('after a forced push the commit before is no part of the pull request', async () => {
    const { github, repository, sha, api } = await start();
    const posted = await api('POST', `${pull}/reviews`, {
      event: 'COMMENT',
      body: 'x',
      commit_id: sha,
      comments: comments(1),
    });
    const other = await repository.commit({
      branch: 'other',
      from: 'main',
      files: { 'd.ts': 'd\n' },
      message: 'd',
    });
    await repository.forcePush('feature', other, 'octocat');
    const late = await api('POST', `${pull}/reviews`, { event: 'COMMENT', body: 'late', commit_id: sha });
    expect([late.status, late.data.errors]).toEqual([422, ['commit_id is not part of the pull request']]);
    expect(repository.pull(1).threads[0]).toMatchObject({ isOutdated: true, line: null, originalLine: 1 });
    expect((await api('GET', `${pull}/reviews/${posted.data.id}`)).data.commit_id).toBe(sha);
    const listed = await api('GET', `${pull}/comments`);
    expect([listed.data[0].line, listed.data[0].original_commit_id]).toEqual([null, sha]);
    await github.close();
  });

  test('an earlier commit of the same line of work is taken, outdated at once', async () => {
    const { github, repository, sha, api } = await start();
    await repository.commit({ branch: 'feature', files: { 'c.ts': 'c\n' }, message: 'c' });
    const body = { event: 'COMMENT', body: 'x', commit_id: sha, comments: comments(1) };
    expect((await api('POST', `${pull}/reviews`, body)).status).toBe(200);
    expect(repository.pull(1).threads[0]?.isOutdated).toBe(true);
    await github.close();
  });

  test('two pull requests on one head are both named by its check runs', async () => {
    const { github, repository, sha, api } = await start();
    await repository.commit({ branch: 'release', from: 'main', files: { 'r.ts': 'r\n' }, message: 'r' });
    const second = await repository.openPullRequest({ head: 'feature', base: 'release', title: 'Twin' });
    const made = await api('POST', '/repos/octo-org/shop/check-runs', { name: 'Evident', head_sha: sha });
    expect(made.data.pull_requests.map((entry: Json) => entry.number)).toEqual([1, second]);
    await api('PATCH', `/repos/octo-org/shop/check-runs/${made.data.id}`, { conclusion: 'failure' });
    expect([1, second].map((number) => repository.pull(number).checks[0]?.conclusion)).toEqual([
      'failure',
      'failure',
    ]);
    await github.close();
  });

  test('the author does not approve or refuse his own pull request, and one review is pending at a time', async () => {
    const { github, repository, api } = await start();
    await repository.commit({ branch: 'own', from: 'main', files: { 'o.ts': 'o\n' }, message: 'o' });
    const own = await api('POST', '/repos/octo-org/shop/pulls', { title: 'Own', head: 'own', base: 'main' });
    const path = `/repos/octo-org/shop/pulls/${own.data.number}/reviews`;
    for (const event of ['APPROVE', 'REQUEST_CHANGES']) {
      const answer = await api('POST', path, { event, body: 'mine' });
      expect([answer.status, answer.data.errors[0]]).toEqual([
        422,
        expect.stringMatching(/own pull request/),
      ]);
    }
    expect((await api('POST', path, { event: 'COMMENT', body: 'mine' })).status).toBe(200);
    expect((await api('POST', path, { body: 'pending' })).status).toBe(200);
    const second = await api('POST', path, { event: 'COMMENT', body: 'another' });
    expect(second.data.errors).toEqual(['User can only have one pending review per pull request']);
    await github.close();
  });
});

describe('texts', () => {
  const long = 'x'.repeat(65_537);
  // Counted in characters: each of these is two units of UTF-16 and four bytes.
  const full = '\u{1F600}'.repeat(65_536);
  test.each<[string, string, string, (body: string) => unknown]>([
    ['a review', 'POST', `${pull}/reviews`, (body) => ({ event: 'COMMENT', body })],
    [
      'a comment on a line',
      'POST',
      `${pull}/reviews`,
      (body) => ({ event: 'COMMENT', body: 'x', comments: [{ path: 'b.ts', line: 1, body }] }),
    ],
    ['a comment', 'POST', '/repos/octo-org/shop/issues/1/comments', (body) => ({ body })],
    ['a pull request', 'PATCH', pull, (body) => ({ body })],
  ])('%s takes 65,536 characters and no more', async (_, method, path, write) => {
    const { github, api } = await start();
    expect((await api(method, path, write(long))).status).toBe(422);
    expect((await api(method, path, write(full))).status).toBeLessThan(300);
    await github.close();
  });

  test('a title takes 256 characters', async () => {
    const { github, api } = await start();
    expect((await api('PATCH', pull, { title: 'x'.repeat(257) })).status).toBe(422);
    expect((await api('PATCH', pull, { title: 'x'.repeat(256) })).status).toBe(200);
    await github.close();
  });
});
