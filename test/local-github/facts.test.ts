import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { facts } from '../../local-github/facts.js';
import { type LocalGitHub, startLocalGitHub } from '../../local-github/index.js';
import { createAppSpeaker } from '../../scripts/probe/app-speaker.js';
import { factsPage } from '../../scripts/probe/facts-page.js';
import { lookUp, probedFacts } from '../../scripts/probe/look-up.js';
import { probes } from '../../scripts/probe/probes.js';
import { createMeter, createSpeaker } from '../../scripts/probe/speaker.js';
import { createStage, type Stage } from '../../scripts/probe/stage.js';
import { type Proxy, startProxy } from '../conformance/proxy.js';

/*
 * The same probes that look the facts up on GitHub, one test a row of docs/github-facts.md: the local GitHub must give
 * the stated answer.
 */

const scratch = { owner: 'octo-org', name: 'scratch', files: { 'README.md': '# scratch\n' } } as const;

describe('the local GitHub does what the table says of GitHub', () => {
  let github: LocalGitHub;
  let proxy: Proxy;
  let stage: Stage;
  beforeAll(async () => {
    github = await startLocalGitHub();
    const repository = await github.createRepository(scratch);
    repository.addCollaborator('octocat', 'write');
    proxy = await startProxy(github);
    const meter = createMeter({ most: 500, betweenWritesMs: 0 });
    const token = `token ${github.tokenOf('octocat')}`;
    stage = createStage({
      owner: scratch.owner,
      repo: scratch.name,
      login: 'octocat',
      meter,
      tell: () => {},
      person: createSpeaker({ apiUrl: proxy.apiUrl, meter, token: async () => token }),
      app: await createAppSpeaker({
        apiUrl: proxy.apiUrl,
        appId: github.app.id,
        privateKey: github.app.privateKey,
        owner: scratch.owner,
        repo: scratch.name,
        meter,
      }),
    });
  });
  afterAll(async () => {
    await proxy.close();
    await github.close();
  });

  test.each(probedFacts.map(({ id, fact }) => [id, fact] as const))('%s: %s', async (id) => {
    const found = await probes[id]?.(stage);
    expect([found?.saw, found?.holds]).toEqual([found?.saw, true]);
  });

  test('all of that is put away, within the bound of requests', async () => {
    await stage.putAway();
    const repository = github.repository('octo-org/scratch');
    expect(repository.pulls().map((number) => repository.pull(number).state)).toEqual([
      'closed',
      'closed',
      'closed',
    ]);
    const refs = await stage.person.rest('GET', `${stage.route}/branches/main`);
    expect(refs.status).toBe(200);
    const gone = await stage.main();
    expect((await stage.person.rest('GET', `${stage.route}/branches/${gone.head}`)).status).toBe(404);
    expect(stage.meter.count()).toBeLessThan(400);
  });

  test('on the way no answer was off GitHub’s descriptions', () => {
    // Requests are: probes ask for what is refused.
    const asked = new Set([
      'must NOT have more than 65535',
      'must NOT have more than 50 items',
      '/actions must NOT have more than 3 items',
      '/actions/0/label must NOT have more than 20 characters',
    ]);
    expect(proxy.exchanges.length).toBeGreaterThan(100);
    expect(proxy.faults().filter((fault) => ![...asked].some((one) => fault.includes(one)))).toEqual([]);
  });
});

test('a probe says otherwise where GitHub does otherwise, and a probe that fails stops no other', async () => {
  const github = await startLocalGitHub({ limits: { comparedFiles: 7, diffFiles: 1000 } });
  try {
    const repository = await github.createRepository(scratch);
    repository.addCollaborator('octocat', 'write');
    const meter = createMeter({ most: 500, betweenWritesMs: 0 });
    const token = `token ${github.tokenOf('octocat')}`;
    const person = createSpeaker({ apiUrl: github.apiUrl, meter, token: async () => token });
    const [owner, repo] = [scratch.owner, scratch.name];
    const stage = createStage({ owner, repo, login: 'octocat', meter, tell: () => {}, person, app: null });
    github.faults.add({
      match: ({ method, path }) => method === 'POST' && path.endsWith('/reviews'),
      after: { status: 200, body: { id: 1 } },
      times: 50,
    });
    github.faults.add({ match: ({ path }) => path.endsWith('/files'), before: 'reset' });
    const ids = [
      'compare-first-page',
      'files-by-page',
      'diff-too-large',
      'anchor-outside',
      'own-verdict',
      'bot-login',
    ];
    const found = await lookUp(
      stage,
      probedFacts.filter(({ id }) => ids.includes(id)),
      () => {},
    );
    const words = [...found].map(
      ([id, one]) => `${id}: ${one.kind === 'unknown' ? 'unknown' : String(one.holds)}`,
    );
    expect(words.sort()).toEqual([
      'anchor-outside: false',
      'bot-login: unknown',
      'compare-first-page: false',
      'diff-too-large: false',
      'files-by-page: unknown',
      'own-verdict: false',
    ]);
  } finally {
    await github.close();
  }
});

test('each fact has an id of its own, a source, and a probe where it says so', () => {
  const ids = facts.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(probedFacts.map(({ id }) => id).sort()).toEqual(Object.keys(probes).sort());
  for (const { id, source, state } of facts) {
    expect([id, source === 'reports' || /^https:\/\//.test(source)]).toEqual([id, true]);
    // What GitHub documents can be looked up; the rest names no page that would not say it.
    if (state === 'documented') expect([id, source]).not.toEqual([id, 'reports']);
  }
});

test('docs/github-facts.md is up to date: node --import tsx scripts/write-github-facts.ts', () => {
  const page = new URL('../../docs/github-facts.md', import.meta.url);
  expect(readFileSync(page, 'utf8')).toBe(factsPage());
});

test('what a run saw stands on the page in the place of the state', () => {
  const page = factsPage(
    new Map([
      ['anchor-rows', { kind: 'seen', holds: true, saw: '200' }],
      ['anchor-outside', { kind: 'seen', holds: false, saw: '200 | taken' }],
      ['body-limit', { kind: 'unknown', why: 'stopped' }],
    ]),
  );
  const row = (id: string) => page.split('\n').find((line) => line.includes(`\`${id}\``)) ?? '';
  expect(row('anchor-rows')).toMatch(/ \| seen +\| /);
  expect(row('anchor-outside')).toContain('**seen otherwise**: 200 \\| taken');
  expect(row('body-limit')).toContain('reported, probed');
});

describe('the script', () => {
  const script = fileURLToPath(new URL('../../scripts/probe-github.ts', import.meta.url));
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
      const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], {
        env: { PATH: process.env['PATH'], ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let out = '';
      let err = '';
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
      child.on('close', (code) => resolve({ code, out, err }));
    });

  test('asks before it writes, then prints the page and leaves nothing open', async () => {
    const github = await startLocalGitHub();
    const folder = mkdtempSync(join(tmpdir(), 'probe-'));
    try {
      const repository = await github.createRepository(scratch);
      repository.addCollaborator('octocat', 'write');
      const key = join(folder, 'key.pem');
      writeFileSync(key, github.app.privateKey);
      const token = github.tokenOf('octocat');
      const args = ['--repo', 'octo-org/scratch', '--api', github.apiUrl, '--pause', '0'];
      const asked = await run(args, { GITHUB_TOKEN: token });
      expect(asked).toMatchObject({ code: 2, out: '' });
      expect(asked.err).toContain('--yes');
      expect(repository.pulls()).toEqual([]);

      const few = [
        '--only',
        'anchor-rows,check-same-name',
        '--yes',
        '--app',
        String(github.app.id),
        '--key',
        key,
      ];
      const done = await run([...args, ...few], { GITHUB_TOKEN: token });
      expect(done.err).toContain('as stated anchor-rows');
      expect(done.code).toBe(0);
      expect(done.out.split('\n').filter((line) => / seen +\|/.test(line))).toHaveLength(2);
      expect(done.out + done.err).not.toContain(token);
      expect(repository.pulls().map((number) => repository.pull(number).state)).toEqual(['closed']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await github.close();
    }
  });

  test.each([
    [[], /Name the repository/],
    [['--repo', 'a/b'], /Give a token/],
    [['--repo', 'a/b', '--token', 'x', '--app', '1'], /go together/],
    [['--repo', 'a/b', '--token', 'x', '--only', 'nothing'], /no probe of nothing/],
  ])('%j is wrong use', async (args, sentence) => {
    const { code, err } = await run(args);
    expect(code).toBe(2);
    expect(err).toMatch(sentence);
  });
});
