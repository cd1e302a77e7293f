import { main } from '../../../cli/main.js';
import { readOperatorPass } from '../../../lib/core/operator-pass.js';
import { markerScope } from '../../../lib/forges/github/index.js';
import { readEnv } from '../../../lib/config/env.js';
import { startLocalGitHub } from '../../../local-github/index.js';
import type { LocalGitHub, LocalRepository } from '../../../local-github/index.js';

let github: LocalGitHub;
let repository: LocalRepository;
let number: number;
let permissions: LocalRepository['permissions'];

beforeAll(async () => {
  github = await startLocalGitHub();
  repository = await github.createRepository({ owner: 'octo-org', name: 'shop', files: { 'a.txt': 'a\n' } });
  permissions = repository.permissions;
  repository.requiredChecks = ['Evident'];
});
afterAll(() => github.close());

let branch = 0;
beforeEach(async () => {
  repository.permissions = permissions;
  branch += 1;
  const name = `feature-${branch}`;
  await repository.commit({ branch: name, from: 'main', files: { [`${name}.txt`]: name }, message: name });
  number = await repository.openPullRequest({ head: name, title: name });
});

const environment = () => ({
  APP_ID: String(github.app.id),
  PRIVATE_KEY: github.app.privateKey,
  WEBHOOK_SECRET: github.app.webhookSecret,
  GITHUB_API_URL: github.apiUrl,
});

async function gate(...args: readonly string[]) {
  let out = '';
  let err = '';
  const code = await main(['gate', ...args], {
    stdout: (text) => void (out += text),
    stderr: (text) => void (err += text),
    readStdin: async () => new Uint8Array(),
    isTerminal: false,
    env: environment(),
    cwd: process.cwd(),
  });
  return { code, out, err };
}

const pass = (...args: readonly string[]) => gate('pass', ...args);
const reason = 'the provider is down, "reviewed" by monalisa @ 14:20';

test('the live head passes, and everybody sees why', async () => {
  expect(repository.pull(number).mergeable()).toBe(false);
  const { code, out, err } = await pass('--pr', `octo-org/shop#${number}`, '--reason', reason);
  expect([code, err]).toEqual([0, '']);
  const view = repository.pull(number);
  const [run] = view.checks;
  expect(out.split('\n')).toEqual([
    `Passed by hand: ${github.url}/octo-org/shop/pull/${number} at ${view.head.sha.slice(0, 7)}`,
    `Check run ${run?.id}: ${run?.title}`,
    'It lasts for this commit, until a new review of it is asked for.',
    '',
  ]);
  expect(run).toMatchObject({ name: 'Evident', conclusion: 'success', headSha: view.head.sha });
  expect(run?.title).toBe('Passed by an operator: "the provider is down, "reviewed"..."');
  expect(run?.summary).toContain('Reason: the provider is down, "reviewed" by monalisa');
  expect(view.mergeable()).toBe(true);
  const env = readEnv(environment());
  const trust = {
    keys: env.signingKeys,
    scope: markerScope(
      { apiUrl: github.apiUrl, appId: github.app.id },
      { owner: 'octo-org', repo: 'shop', number },
    ),
  };
  expect(readOperatorPass(run?.text ?? '', trust)).toMatchObject({ head: view.head.sha, reason });
  await repository.commit({ branch: `feature-${branch}`, files: { 'more.txt': 'm' }, message: 'more' });
  expect(repository.pull(number).mergeable()).toBe(false);
});

test('by its address, and the other pull request of the commit is named', async () => {
  await repository.commit({
    branch: `release-${branch}`,
    from: 'main',
    files: { 'r.txt': 'r' },
    message: 'r',
  });
  const other = await repository.openPullRequest({
    head: `feature-${branch}`,
    base: `release-${branch}`,
    title: 'Same',
  });
  const address = `${github.url}/octo-org/shop/pull/${number}/files`;
  const { code, out } = await pass('--pr', address, '--reason', 'INC-12');
  expect(code).toBe(0);
  expect(out).toContain(`The same commit is the head of #${other}: it counts there too.`);
});

test.each<readonly [string, readonly string[], RegExp]>([
  ['no subcommand', [], /^evident gate SUBCOMMAND/],
  ['an unknown one', ['open'], /there is no `open`/],
  ['no pull request', ['pass', '--reason', 'x'], /--pr names no pull request/],
  ['a name that is none', ['pass', '--pr', 'octo-org/shop', '--reason', 'x'], /--pr names no pull request/],
  ['a name with a path in it', ['pass', '--pr', 'a/b/c#1', '--reason', 'x'], /--pr names no pull request/],
  ['no reason', ['pass', '--pr', 'octo-org/shop#1'], /--reason is missing/],
  ['an empty reason', ['pass', '--pr', 'octo-org/shop#1', '--reason', ' \n'], /--reason is missing/],
  ['a reason too long', ['pass', '--pr', 'octo-org/shop#1', '--reason', 'x'.repeat(501)], /too long/],
  [
    'another host',
    ['pass', '--pr', 'https://github.com/octo-org/shop/pull/1', '--reason', 'x'],
    /GITHUB_API_URL/,
  ],
  [
    'another repository',
    ['pass', '--pr', 'octo-org/none#1', '--reason', 'x'],
    /not installed on octo-org\/none/,
  ],
  ['no such pull request', ['pass', '--pr', 'octo-org/shop#999', '--reason', 'x'], /999/],
  ['an option that is none', ['pass', '--force'], /--help lists the options/],
])('%s is refused with a sentence', async (_what, args, sentence) => {
  const { code, out, err } = await gate(...args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(sentence);
  expect(repository.pull(number).allChecks).toEqual([]);
});

test('a closed pull request, and an app that may not write checks', async () => {
  repository.permissions = { ...permissions, checks: 'read' };
  expect(await pass('--pr', `octo-org/shop#${number}`, '--reason', 'x')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/lacks checks=write/) as string,
  });
  repository.permissions = permissions;
  await repository.closePullRequest(number);
  expect(await pass('--pr', `octo-org/shop#${number}`, '--reason', 'x')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/is closed/) as string,
  });
  expect(repository.pull(number).allChecks).toEqual([]);
});

test('help', async () => {
  expect((await gate('--help')).out).toMatch(/ {2}pass {6}pass the head/);
  expect((await pass('--help')).out).toMatch(/--reason {3}why/);
});
