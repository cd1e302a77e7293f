import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';
import { type Browser, createBrowser } from './browser.js';

let github: LocalGitHub;
let repository: LocalRepository;
let browser: Browser;
const pull = '/octo-org/shop/pull/1';
beforeAll(async () => {
  github = await startLocalGitHub();
  repository = await github.createRepository({
    owner: 'octo-org',
    name: 'shop',
    files: { 'a.ts': 'one\n', 'page.js': 'alert(1)\n' },
  });
  repository.addCollaborator('octocat', 'write');
  await repository.commit({ branch: 'feature', files: { 'a.ts': 'two\n' }, message: 'c' });
  await repository.openPullRequest({ head: 'feature', title: 'Two', author: 'octocat' });
  repository.reportCheck(1, { name: 'ci', conclusion: 'success' });
  browser = createBrowser(github);
});
afterAll(() => github.close());

const said = () => repository.pull(1).comments.length;
const comment = (headers: Readonly<Record<string, string>>) =>
  browser.post(`${pull}/comment`, { body: 'hello' }, headers);

describe('a form from elsewhere does nothing', () => {
  test.each<[string, Readonly<Record<string, string>>, number]>([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 403],
    ['another site, from an older browser', { origin: 'https://evil.example', 'sec-fetch-site': '' }, 403],
    ['another port of this machine', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }, 403],
    ['the same port by another name', { origin: 'http://evil.example', 'sec-fetch-site': '' }, 403],
    ['a page without an origin', { origin: 'null', 'sec-fetch-site': '' }, 403],
    ['an origin that fits and a site that does not', { 'sec-fetch-site': 'cross-site' }, 403],
    ['nowhere that is told', { origin: '', 'sec-fetch-site': '' }, 403],
    [
      'another page, by its address',
      { origin: '', 'sec-fetch-site': '', referer: 'http://evil.example/' },
      403,
    ],
    ['what is no address', { origin: '', 'sec-fetch-site': '', referer: 'here' }, 403],
    ['a name that leads here (rebinding)', { host: 'evil.example', origin: 'http://evil.example' }, 421],
    ['text/plain', { 'content-type': 'text/plain' }, 415],
    ['JSON', { 'content-type': 'application/json' }, 415],
  ])('%s', async (_name, headers, status) => {
    const before = said();
    const answer = await comment(headers);
    expect([answer.status, said()]).toEqual([status, before]);
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  });

  test('nor does one choose who reads', async () => {
    const answer = await browser.post(
      '/_pages/viewer',
      { login: 'octocat', back: '/' },
      { origin: 'https://evil.example' },
    );
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
  });
});

test.each<[string, (port: number) => Readonly<Record<string, string>>]>([
  ['origin alone', () => ({ 'sec-fetch-site': '' })],
  ['the site alone', () => ({ origin: '' })],
  [
    'an address alone',
    (port) => ({ origin: '', 'sec-fetch-site': '', referer: `http://127.0.0.1:${port}${pull}` }),
  ],
  ['localhost', (port) => ({ host: `localhost:${port}`, origin: `http://localhost:${port}` })],
])('a form of ours is taken by %s', async (_name, headers) => {
  const before = said();
  expect([(await comment(headers(github.port))).status, said()]).toEqual([303, before + 1]);
});

test.each(['evil.example', '127.0.0.1.evil.example', '127.0.0.1@evil.example', '2130706433', '0.0.0.0'])(
  'nothing is read by the name %s',
  async (name) => {
    for (const path of ['/', pull, '/octo-org/shop/raw/main/a.ts', '/_pages/page.js', `${pull}/events`]) {
      const answer = await browser.get(path, { host: `${name}:${github.port}` });
      expect([path, answer.status]).toEqual([path, 421]);
      expect(answer.text).not.toContain('Two');
    }
  },
);

test.each(['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])('it is read by the name %s', async (name) => {
  expect((await browser.get(pull, { host: `${name}:${github.port}` })).status).toBe(200);
});

test.each([
  ['/'],
  ['/octo-org/shop'],
  [pull],
  [`${pull}/files`],
  ['/octo-org/shop/blob/main/a.ts'],
  ['/octo-org/shop/runs/RUN'],
  ['/nothing/here'],
])('%s has the strict policy', async (path) => {
  const run = String(repository.pull(1).checks[0]?.id);
  const { headers } = await browser.get(path.replace('RUN', run));
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  });
});

test('of all answers of this site only the script is one', async () => {
  const { headers } = await browser.get('/_pages/page.js');
  expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
  // A file of a repository may be named as a script and must not run as one.
  for (const path of ['/octo-org/shop/raw/main/page.js', '/api/v3/rate_limit', '/_pages/page.css', '/none']) {
    const answer = await browser.get(path);
    expect([path, answer.headers['x-content-type-options']]).toEqual([path, 'nosniff']);
    expect(String(answer.headers['content-type'])).not.toContain('javascript');
  }
});

test.each([
  '/_pages/../state.ts',
  '/_pages/%2e%2e%2findex.ts',
  '/_pages/constructor',
  '/_pages/',
  '/_pages/a/b',
])('%s is no asset', async (path) => expect((await browser.get(path)).status).toBe(404));

test('a page that was shown to somebody else does nothing, and gives the words back', async () => {
  const before = said();
  const answer = await browser.post(`${pull}/comment`, { as: 'monalisa', body: 'my <b>long</b> text' });
  expect([answer.status, said()]).toEqual([409, before]);
  expect(answer.text).toContain('The page was shown to monalisa, and you are octocat now');
  expect(answer.text).toContain('my &#60;b&#62;long&#60;/b&#62; text</textarea>');
  expect(answer.text).toContain(`href="${pull}"`);
});

test.each([
  ['/_pages/viewer', '/'],
  ['//evil.example/x', '/'],
  [`${pull}/merge`, pull],
])('a form to %s that is refused leads back to %s', async (path, back) => {
  expect((await browser.post(path, {})).text).toContain(`<a href="${back}">Back</a>`);
});

test.each<[string, Readonly<Record<string, string>>, number]>([
  ['comment', { body: '  ' }, 422],
  ['comment', {}, 422],
  ['reply', { thread: '1', body: 'x' }, 404],
  ['resolve', { thread: 'x' }, 404],
  ['push', { offer: 'anything' }, 422],
  ['merge', {}, 409],
  ['rebase', {}, 404],
  ['files', {}, 404],
])('%s with %j is refused', async (action, fields, status) => {
  const answer = await browser.post(`${pull}/${action}`, fields);
  expect(answer.status).toBe(status);
  expect(answer.text).toMatch(/<h1>(Nothing is here|That was not done)<\/h1>/);
});

test('a check is run again, or its buttons pressed, by people with write access', async () => {
  const run = repository.pull(1).checks[0]?.id ?? 0;
  expect((await browser.post(`/octo-org/shop/runs/${run}/rerequest`, {})).status).toBe(303);
  expect((await browser.post(`/octo-org/shop/runs/${run}/action`, { identifier: 'none' })).status).toBe(422);
  repository.addCollaborator('hubot', 'read');
  const stranger = createBrowser(github);
  await stranger.be('hubot');
  expect((await stranger.post(`/octo-org/shop/runs/${run}/rerequest`, {})).status).toBe(403);
  expect((await stranger.get(`/octo-org/shop/runs/${run}`)).text).not.toContain('Re-run');
});

test('an account that is gone acts no more', async () => {
  repository.addCollaborator('mona', 'maintain');
  const gone = createBrowser(github);
  await gone.be('mona');
  github.deleteAccount('mona');
  const before = said();
  expect((await gone.post(`${pull}/comment`, { as: 'mona', body: 'x' })).status).toBe(409);
  expect(said()).toBe(before);
});

test.each(['PUT', 'DELETE', 'PATCH'])('%s is no way to a page', async (method) => {
  expect((await fetch(`${github.url}${pull}`, { method })).status).toBe(405);
});
