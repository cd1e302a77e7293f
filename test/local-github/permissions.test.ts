import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';
import { checkRoutes } from '../../local-github/routes/checks.js';
import { contentRoutes } from '../../local-github/routes/contents.js';
import { issueRoutes } from '../../local-github/routes/issues.js';
import { pullRoutes } from '../../local-github/routes/pulls.js';
import { reviewRoutes } from '../../local-github/routes/reviews.js';
import { type Api, apiOfApp, createApi, graphql, signJwt } from './api.js';

const routes = [...checkRoutes, ...contentRoutes, ...issueRoutes, ...pullRoutes, ...reviewRoutes].flatMap(
  (route) => (route.for === 'repository' ? [route] : []),
);

const pathOf = (pattern: string) =>
  pattern
    .replace(':owner/:repo', 'octo-org/shop')
    .replace(':number', '1')
    .replace(/[:*][a-z]+/gi, '1');

describe('every route has its need', () => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  let api: Api;
  let token: string;
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
    const asApp = createApi(github, signJwt(github.app), 'Bearer');
    const tokens = `/app/installations/${github.app.installationId}/access_tokens`;
    token = (await asApp('POST', tokens)).data.token as string;
  });
  afterAll(() => github.close());

  test('a token that was narrowed is refused what the installation may', async () => {
    repository.permissions = { contents: 'read', pull_requests: 'write', checks: 'write' };
    const narrow = await apiOfApp(github, github.app, { permissions: { pull_requests: 'read' } });
    const body = { event: 'COMMENT', body: 'x' };
    expect((await narrow('POST', '/repos/octo-org/shop/pulls/1/reviews', body)).status).toBe(403);
    expect((await narrow('GET', '/repos/octo-org/shop/git/trees/main')).status).toBe(403);
    expect((await api('POST', '/repos/octo-org/shop/pulls/1/reviews', body)).status).toBe(200);
  });

  test('resolving a thread needs contents: write beside pull_requests: write', async () => {
    repository.permissions = { contents: 'read', pull_requests: 'write' };
    await api('POST', '/repos/octo-org/shop/pulls/1/reviews', {
      event: 'COMMENT',
      body: 'x',
      comments: [{ path: 'a.ts', line: 1, body: 'y' }],
    });
    const [thread] = repository.pull(1).threads;
    const resolve = () =>
      graphql(
        api,
        github,
        `mutation { resolveReviewThread(input: { threadId: "${thread?.id ?? ''}" }) { thread { isResolved } } }`,
      );
    const refused = await resolve();
    expect([refused.data.resolveReviewThread, refused.errors[0].type]).toEqual([null, 'FORBIDDEN']);
    expect(repository.pull(1).threads[0]?.isResolved).toBe(false);
    repository.permissions = { contents: 'write', pull_requests: 'write' };
    expect((await resolve()).data.resolveReviewThread.thread.isResolved).toBe(true);
  });

  /** Only whether it may be asked is looked at, with bodies that no description knows. */
  const ask = async (method: string, url: string, body?: unknown) => {
    const answer = await fetch(url.startsWith('http') ? url : `${github.apiUrl}${url}`, {
      method,
      headers: { authorization: `token ${token}` },
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: answer.status,
      accepted: answer.headers.get('x-accepted-github-permissions'),
      message: /"message":"([^"]*)"/.exec(await answer.text())?.[1],
    };
  };

  test.each(routes.map((route) => [`${route.method} ${route.pattern}`, route] as const))(
    '%s',
    async (_, route) => {
      const isRead = route.method === 'GET';
      expect(route.needs.length).toBeGreaterThan(0);
      for (const need of route.needs) expect(need.endsWith(isRead ? '=read' : '=write')).toBe(true);
      const path = pathOf(route.pattern);
      const url = path.startsWith('/_codeload') ? `${github.url}${path}` : path;
      if (route.needs.every((need) => need === 'metadata=read')) {
        repository.permissions = {};
        expect((await ask(route.method, url)).status).not.toBe(403);
        return;
      }
      // One step below what is needed.
      repository.permissions = isRead
        ? {}
        : { contents: 'read', pull_requests: 'read', checks: 'read', issues: 'read' };
      const refused = await ask(route.method, url, isRead ? undefined : {});
      expect([refused.status, refused.accepted]).toEqual([403, route.needs.join('; ')]);
      for (const need of route.needs) {
        const [name = '', access] = need.split('=');
        repository.permissions = { [name]: access === 'write' ? 'write' : 'read' };
        const answer = await ask(route.method, url, isRead ? undefined : {});
        expect(answer.message).not.toBe('Resource not accessible by integration');
      }
    },
  );
});
