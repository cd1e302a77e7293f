import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';
import { type Api, apiOfApp, createApi, signJwt } from './api.js';

describe('who may do what', () => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  let api: Api;
  beforeAll(async () => {
    github = await startLocalGitHub();
    repository = await github.createRepository({
      owner: 'octo-org',
      name: 'shop',
      files: { 'a.ts': 'one\n' },
    });
    await github.createRepository({ owner: 'octo-org', name: 'other', files: { 'b.ts': 'two\n' } });
    await repository.commit({ branch: 'feature', files: { 'a.ts': 'ONE\n' }, message: 'change' });
    await repository.openPullRequest({ head: 'feature', title: 'Change a' });
    api = await apiOfApp(github);
  });
  afterAll(() => github.close());

  test('an app introduces itself with its own key', async () => {
    const answer = await createApi(github, signJwt(github.app), 'Bearer')('GET', '/app');
    expect(answer.status).toBe(200);
    expect(answer.data.slug).toBe('evident');
    const installation = await createApi(
      github,
      signJwt(github.app),
      'Bearer',
    )('GET', '/repos/octo-org/shop/installation');
    expect(installation.data.id).toBe(github.app.installationId);
  });

  const seconds = Math.floor(Date.now() / 1000);
  test.each([
    ['a lifetime above ten minutes', { exp: seconds + 1200 }],
    ['an end in the past', { exp: seconds - 10 }],
    ['a start in the future', { iat: seconds + 600 }],
    ['no end', { exp: undefined }],
  ])('a JSON web token with %s is refused', async (_, claims) => {
    const answer = await createApi(github, signJwt(github.app, claims), 'Bearer')('GET', '/app');
    expect(answer.status).toBe(401);
  });

  test('a JSON web token of another key is refused', async () => {
    const stranger = github.registerApp({ slug: 'stranger' });
    const forged = signJwt({ ...stranger, id: github.app.id });
    expect((await createApi(github, forged, 'Bearer')('GET', '/app')).status).toBe(401);
  });

  test.each([
    ['nobody', null, 401],
    ['a made-up token', 'ghs_madeup', 401],
  ])('%s reads nothing', async (_, token, status) => {
    expect((await createApi(github, token)('GET', '/repos/octo-org/shop')).status).toBe(status);
  });

  test('a token narrowed to one repository does not see the other', async () => {
    const narrow = await apiOfApp(github, github.app, { repositories: ['shop'] });
    expect((await narrow('GET', '/repos/octo-org/shop')).status).toBe(200);
    expect((await narrow('GET', '/repos/octo-org/other')).status).toBe(404);
    expect((await api('GET', '/repos/octo-org/other')).status).toBe(200);
    const seen = await narrow('GET', '/installation/repositories');
    expect(seen.data.total_count).toBe(1);
  });

  test('a token cannot be wider than the installation', async () => {
    const asApp = createApi(github, signJwt(github.app), 'Bearer');
    const path = `/app/installations/${github.app.installationId}/access_tokens`;
    expect((await asApp('POST', path, { permissions: { contents: 'write' } })).status).toBe(422);
    expect((await asApp('POST', path, { repositories: ['nowhere'] })).status).toBe(422);
  });

  test('tokens end after an hour', async () => {
    let time = Date.now();
    const own = await startLocalGitHub({ clock: () => time });
    await own.createRepository({ owner: 'octo-org', name: 'shop', files: { 'a.ts': 'one\n' } });
    const soon = await apiOfApp(own);
    expect((await soon('GET', '/repos/octo-org/shop')).status).toBe(200);
    time += 3_600_001;
    expect((await soon('GET', '/repos/octo-org/shop')).status).toBe(401);
    await own.close();
  });

  test.each([
    ['contents', 'none', 'GET', '/repos/octo-org/shop/git/trees/main', undefined],
    ['pull_requests', 'none', 'GET', '/repos/octo-org/shop/pulls/1', undefined],
    [
      'pull_requests',
      'read',
      'POST',
      '/repos/octo-org/shop/pulls/1/reviews',
      { event: 'COMMENT', body: 'x' },
    ],
    ['checks', 'read', 'POST', '/repos/octo-org/shop/check-runs', { name: 'x', head_sha: 'x' }],
  ] as const)('with %s: %s, %s %s is refused and told why', async (name, access, method, path, body) => {
    const before = repository.permissions;
    repository.permissions = { ...before, [name]: access };
    const answer = await api(method, path, body);
    repository.permissions = before;
    expect(answer.status).toBe(403);
    expect(answer.data.message).toBe('Resource not accessible by integration');
    expect(answer.headers.get('x-accepted-github-permissions')).toContain(`${name}=`);
  });

  test('a comment on a pull request needs issues or pull_requests', async () => {
    const before = repository.permissions;
    repository.permissions = { pull_requests: 'read', issues: 'write' };
    const one = await api('POST', '/repos/octo-org/shop/issues/1/comments', { body: 'by issues' });
    repository.permissions = { pull_requests: 'write', issues: 'none' };
    const two = await api('POST', '/repos/octo-org/shop/issues/1/comments', { body: 'by pull requests' });
    repository.permissions = { pull_requests: 'read', issues: 'read' };
    const none = await api('POST', '/repos/octo-org/shop/issues/1/comments', { body: 'by nothing' });
    repository.permissions = before;
    expect([one.status, two.status, none.status]).toEqual([201, 201, 403]);
  });

  test('roles of people, with the two words that GitHub folds', async () => {
    repository.addCollaborator('monalisa', 'maintain');
    repository.addCollaborator('hubot', 'triage');
    const told = async (login: string) =>
      (await api('GET', `/repos/octo-org/shop/collaborators/${login}/permission`)).data;
    expect([(await told('monalisa')).permission, (await told('monalisa')).role_name]).toEqual([
      'write',
      'maintain',
    ]);
    expect([(await told('hubot')).permission, (await told('hubot')).role_name]).toEqual(['read', 'triage']);
    expect((await told('octocat')).permission).toBe('read');
    expect((await api('GET', '/repos/octo-org/shop/collaborators/nobody-here/permission')).status).toBe(404);
  });

  test('a suspended installation is shut out', async () => {
    github.suspend(true);
    const answer = await api('GET', '/repos/octo-org/shop');
    github.suspend(false);
    expect(answer.status).toBe(403);
  });

  test('requests are counted, told in headers and written down', async () => {
    github.clearRequests();
    const first = await api('GET', '/repos/octo-org/shop');
    const second = await api('GET', '/repos/octo-org/shop');
    const left = (answer: typeof first) => Number(answer.headers.get('x-ratelimit-remaining'));
    expect(left(first) - left(second)).toBe(1);
    const overview = await api('GET', '/rate_limit');
    expect(overview.data.resources.core.remaining).toBe(left(second));
    expect(github.requests().map(({ method, path, status, as }) => [method, path, status, as])).toEqual([
      ['GET', '/repos/octo-org/shop', 200, 'evident[bot]'],
      ['GET', '/repos/octo-org/shop', 200, 'evident[bot]'],
      ['GET', '/rate_limit', 200, 'evident[bot]'],
    ]);
  });

  test('when the hour is used up, the answer is 403 until it is over', async () => {
    const own = await startLocalGitHub({ limits: { requestsAnHour: 3 } });
    await own.createRepository({ owner: 'octo-org', name: 'shop', files: { 'a.ts': 'one\n' } });
    const few = await apiOfApp(own);
    const statuses = [];
    for (let at = 0; at < 4; at += 1) statuses.push((await few('GET', '/repos/octo-org/shop')).status);
    expect(statuses).toEqual([200, 200, 200, 403]);
    await own.close();
  });

  test('the same answers stand at the path of github.com', async () => {
    const root = await api('GET', `${github.url}/repos/octo-org/shop`);
    expect([root.status, root.data.full_name]).toEqual([200, 'octo-org/shop']);
  });

  test('a taken port is passed over for the next', async () => {
    const second = await startLocalGitHub({ port: github.port });
    expect(second.port).toBeGreaterThan(github.port);
    await second.close();
  });

  test.each([
    ['a body that is no JSON', '{"a":', 400],
    ['a body above 25 MB', `"${'x'.repeat(26 * 1024 * 1024)}"`, 413],
  ])('%s is refused', async (_, body, status) => {
    const answer = await fetch(`${github.apiUrl}/repos/octo-org/shop/issues/1/comments`, {
      method: 'POST',
      headers: { authorization: `token ${github.tokenOf('octocat')}` },
      body,
    });
    expect(answer.status).toBe(status);
  });
});
