import { main } from '../../../cli/main.js';
import { startLocalGitHub, type LocalGitHub, type LocalRepository } from '../../../local-github/index.js';

/** `evident review --pr`: a dry run against a GitHub, with a token that may only read. */

let github: LocalGitHub;
let shop: LocalRepository;
let number: number;

beforeAll(async () => {
  github = await startLocalGitHub();
  shop = await github.createRepository({
    owner: 'octo-org',
    name: 'shop',
    files: { 'src/pay.ts': 'export const currency = "EUR";\n', 'README.md': '# Shop\n' },
  });
  await shop.commit({
    branch: 'key',
    from: 'main',
    files: { 'src/pay.ts': `export const currency = "EUR";\nexport const key = "${key}";\n` },
    message: 'Add the key',
    author: 'octocat',
  });
  number = await shop.openPullRequest({ head: 'key', title: 'Pay', author: 'octocat' });
});

afterAll(() => github.close());

/** Made up here, so that it is no secret in this file. */
const key = `${'AKIA'}${'Q3EGLK7VZ2NXW5TD'}`;

type Said = { readonly code: number; readonly out: string; readonly err: string };

async function review(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Said> {
  let out = '';
  let err = '';
  const code = await main(['review', ...args], {
    stdout: (text) => void (out += text),
    stderr: (text) => void (err += text),
    readStdin: async () => new Uint8Array(),
    isTerminal: false,
    env: {
      EVIDENT_MODEL: 'rules',
      GITHUB_TOKEN: github.tokenOf('monalisa'),
      GITHUB_API_URL: github.apiUrl,
      ...env,
    },
    cwd: '/',
  });
  return { code, out, err };
}

const written = (): readonly string[] =>
  github
    .requests()
    .filter(({ method, path }) => method !== 'GET' && !path.endsWith('/graphql'))
    .map(({ method, path }) => `${method} ${path}`);

test('a pull request by its address: the finding, its place, and nothing is written', async () => {
  const { code, out, err } = await review(['--pr', `${github.url}/octo-org/shop/pull/${number}`]);
  expect(err).toBe('');
  expect(out).toMatch(/Important\s+F1/);
  expect(out).toContain('src/pay.ts:2');
  expect(out).toContain('Nothing was posted.');
  expect(code).toBe(1);
  expect(written()).toEqual([]);
  expect(shop.pull(number)).toMatchObject({ threads: [], comments: [], reviews: [], checks: [] });
});

test('as JSON, with what was compared', async () => {
  const { code, out } = await review(['--pr', `octo-org/shop#${number}`, '--json']);
  expect(code).toBe(1);
  const said = JSON.parse(out) as { readonly findings: readonly object[]; readonly compared: object };
  expect(said.compared).toMatchObject({
    repository: 'octo-org/shop',
    base: 'main',
    head: 'key',
    files: 1,
    additions: 1,
    deletions: 0,
  });
  expect(said.findings).toHaveLength(1);
});

test('a pull request that was merged long ago is compared with its base of then', async () => {
  await shop.commit({
    branch: 'old',
    from: 'main',
    files: { 'src/old.ts': `export const key = "${key}";\n` },
    message: 'An old one',
    author: 'octocat',
  });
  const old = await shop.openPullRequest({ head: 'old', title: 'Old', author: 'octocat' });
  await shop.closePullRequest(old, { merged: true });
  await shop.commit({ branch: 'main', files: { 'NEW.md': 'later\n' }, message: 'Later', author: 'octocat' });
  const { code, out } = await review(['--pr', `octo-org/shop#${old}`]);
  expect(out).toContain('src/old.ts:1');
  expect(out).not.toContain('NEW.md');
  expect(code).toBe(1);
});

test.each([
  ['a number outside of a clone', ['--pr', '7'], {}, /write --pr OWNER\/REPO#N, or its address/],
  ['no pull request at all', ['--pr', 'shop'], {}, /--pr names no pull request/],
  ['another server', ['--pr', 'https://example.com/octo-org/shop/pull/1'], {}, /GITHUB_API_URL/],
  [
    'a base beside it',
    ['--pr', 'octo-org/shop#1', '--base', 'main'],
    {},
    /--pr and --base exclude each other/,
  ],
  ['no token', ['--pr', 'octo-org/shop#1'], { GITHUB_TOKEN: undefined }, /Set GITHUB_TOKEN or GH_TOKEN/],
  [
    'a token that is none',
    ['--pr', 'octo-org/shop#1'],
    { GITHUB_TOKEN: 'x y' },
    /GITHUB_TOKEN is not a token/,
  ],
  [
    'a token that ended',
    ['--pr', 'octo-org/shop#1'],
    { GITHUB_TOKEN: 'gho_gone' },
    /does not take this token/,
  ],
  ['a pull request that there is not', ['--pr', 'octo-org/shop#99'], {}, /does not show octo-org\/shop#99/],
])('%s ends with a sentence', async (_name, args, env, sentence) => {
  const { code, out, err } = await review(args, env);
  expect(err.replace(/\s+/g, ' ')).toMatch(sentence);
  expect(out).toBe('');
  expect([2, 3]).toContain(code);
});
