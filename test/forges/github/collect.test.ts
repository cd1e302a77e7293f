import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCollect } from '../../../cli/reward/collect.js';
import type { CollectFlags } from '../../../cli/reward/collect.js';
import type { PastPull } from '../../../lib/core/past-pull.js';
import type { LocalGitHub } from '../../../local-github/index.js';
import { startProxy } from '../../conformance/proxy.js';
import { isQuery, numbersOf, startCollecting, type Collecting } from './collecting.js';
import { plantPast, totalsOf, type Truth } from './planted-past.js';

let on: Collecting;
let github: LocalGitHub;
let truth: Truth;
let collect: Collecting['collect'];
let cache: string;
let named = 0;

beforeAll(async () => {
  on = await startCollecting();
  ({ github, truth, collect } = on);
});
beforeEach(() => {
  on.nextHour();
  cache = join(on.folder, String((named += 1)));
});
afterEach(() => github.faults.clear());
afterAll(() => on.close());

describe('what is read', () => {
  test('every query and every answer is what the schema of GitHub says', async () => {
    const proxy = await startProxy(github);
    try {
      const at = { apiUrl: proxy.apiUrl };
      const first = await collect({ cache }, at);
      const second = await collect({ cache }, at);
      await collect({ author: ['hubot'] }, at);
      await collect({ 'no-threads': true }, at);
      expect(proxy.faults()).toEqual([]);
      expect(first.missing).toEqual([]);
      expect(totalsOf(first.pulls)).toEqual(truth);
      expect(second.pulls).toEqual(first.pulls);
      const queries = proxy.exchanges.map(
        ({ body }) => /query (\w+)/.exec((body as { query: string }).query)?.[1],
      );
      expect(new Set(queries)).toEqual(
        new Set([
          'EvidentPastList',
          'EvidentPastPulls',
          'EvidentPastReplies',
          'EvidentPastChecks',
          'EvidentMoreThreadPrints',
          'EvidentPrints',
        ]),
      );
    } finally {
      await proxy.close();
    }
  });

  test('a pull request with its actors, threads, checks and times', async () => {
    const { pulls } = await collect({ last: '14' });
    const pull = pulls.find(({ number }) => number === 4);
    expect(numbersOf(pulls)).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(pull).toMatchObject({
      repo: 'octo-org/shop',
      url: `${github.url}/octo-org/shop/pull/4`,
      title: 'Change module 3',
      body: 'Because of 3.',
      state: 'merged',
      author: { login: 'octocat', bot: false },
      base: 'main',
      head: 'planted-4',
      createdAt: '2026-01-04T00:00:00Z',
      mergedAt: '2026-01-05T00:00:00Z',
      files: ['src/area-3/module-3.ts'],
      labels: [],
    });
    expect(pull?.mergeSha).toBe(pull?.headSha);
    expect(pull?.commits.map(({ headline, parents }) => [headline, parents])).toEqual([
      ['Change module 3', 1],
      ['Mend 1', 1],
      ['Mend 2', 1],
      ['Mend 3', 1],
    ]);
    // The reviewer's account is gone.
    expect(pull?.threads[0]).toMatchObject({
      path: 'src/area-3/module-3.ts',
      line: null,
      isResolved: true,
      resolvedBy: { login: 'octocat' },
      isOutdated: true,
      sha: pull?.headSha,
      comments: [
        { author: null, body: 'Thread 0 of 3: an unused variable', editedAt: '2026-01-06T00:00:00Z' },
      ],
    });
    expect(pull?.threads[1]).toMatchObject({
      line: 1,
      isResolved: false,
      resolvedBy: null,
      isOutdated: false,
    });
    expect(pull?.checks.filter(({ name }) => name === 'Evident')).toHaveLength(4);
    expect(pull?.checks[0]).toMatchObject({
      name: 'test',
      app: 'ci-shop',
      conclusion: 'success',
      text: null,
    });
    expect(pull?.checks[1]?.text).toContain('evident:state');
    const bots = pulls
      .flatMap(({ reviews }) => reviews)
      .flatMap(({ author }) => (author?.bot ? [author.login] : []));
    expect(new Set(bots)).toEqual(new Set(['coderabbitai', 'greptile-apps', 'evident']));
  });

  test('checks of a head that a forced push took away', async () => {
    const { repository: other } = await plantPast(github, 'forced', 1);
    await other.commit({
      branch: 'topic',
      from: 'main',
      message: 'One',
      files: { 'a.ts': '1\n' },
      author: 'octocat',
    });
    const number = await other.openPullRequest({ head: 'topic', title: 'Forced', author: 'octocat' });
    const before = other.pull(number).head.sha;
    other.reportCheck(before, { name: 'test', conclusion: 'failure' });
    const after = await other.commit({
      branch: 'again',
      from: 'main',
      message: 'Two',
      files: { 'a.ts': '2\n' },
    });
    await other.forcePush('topic', after, 'octocat');
    const { pulls } = await collect({ repo: ['octo-org/forced'], last: '1' });
    expect(pulls[0]?.checks).toMatchObject([{ sha: before, name: 'test', conclusion: 'failure' }]);
    expect(pulls[0]?.headSha).toBe(after);
  });

  test('without threads it says so on every pull request', async () => {
    const { pulls, requests, missing } = await collect({ 'no-threads': true });
    const whole = await collect();
    expect(missing).toEqual([]);
    expect(pulls.every((pull) => pull.withoutThreads === true && pull.threads.length === 0)).toBe(true);
    expect(totalsOf(pulls)).toEqual({ ...truth, threads: 0, threadComments: 0, resolved: 0, outdated: 0 });
    expect(requests).toBeLessThan(whole.requests);
    expect(whole.pulls.some((pull) => 'withoutThreads' in pull)).toBe(false);
  });

  test.each<[string, CollectFlags, readonly number[]]>([
    ['the last ones', { last: '3' }, [14, 13, 12]],
    ['open ones', { state: 'open' }, [10, 9]],
    ['merged ones', { state: 'merged', last: '2' }, [14, 13]],
    ['closed ones are not merged', { state: 'closed' }, [8, 7]],
    ['of an author', { author: ['hubot'] }, [13, 9, 5]],
    ['of an author, the last ones', { author: ['HUBOT[bot]'], last: '1' }, [13]],
    ['of nobody', { author: ['monalisa'] }, []],
    ['with a label', { label: ['agent'] }, [8, 1]],
    ['with all of several labels', { label: ['Agent', 'area/checkout'] }, [1]],
    ['opened since', { since: '2026-01-12' }, [14, 13, 12]],
  ])('%s', async (_, flags, numbers) => {
    const { pulls, missing } = await collect({ ...flags, 'no-threads': true });
    expect([numbersOf(pulls), missing]).toEqual([numbers, []]);
  });
});

describe('a second run', () => {
  /** What moves no timestamp of the pull request, or only that. */
  test.each<
    [string, (pull: PastPull) => void | Promise<void>, (pull: PastPull | undefined) => unknown, unknown]
  >([
    [
      'a thread is resolved',
      ({ threads }) => on.repository.as('monalisa').resolve(threads.find((one) => !one.isResolved)?.id ?? ''),
      (pull) => pull?.threads.filter((one) => one.resolvedBy?.login === 'monalisa').length,
      1,
    ],
    [
      'the first comment of a thread is edited',
      () => on.repository.as('monalisa').editComment(commentOf(4, 1), 'Other words'),
      (pull) => pull?.threads[1]?.comments[0]?.body,
      'Other words',
    ],
    [
      'a reply is deleted',
      () => on.repository.as('monalisa').deleteComment(commentOf(4, 2, 1)),
      (pull) => pull?.threads[2]?.comments.length,
      1,
    ],
    ['a label is added', () => on.repository.as('monalisa').label(4, 'new'), (pull) => pull?.labels, ['new']],
    [
      'a check is run again',
      () => void on.repository.reportCheck(4, { name: 'test', conclusion: 'failure' }),
      (pull) => pull?.checks.filter(({ conclusion }) => conclusion === 'failure').length,
      1,
    ],
    [
      'a review is written over',
      () => on.repository.as('monalisa').editReview(on.repository.pull(4).reviews[0]?.id ?? 0, 'Never mind'),
      (pull) => pull?.reviews[0]?.body,
      'Never mind',
    ],
  ])('reads again when %s', async (_, act, look, expected) => {
    const before = await collect({ cache });
    const pull = before.pulls.find(({ number }) => number === 4);
    if (pull === undefined) throw new Error('There is no #4.');
    await act(pull);
    const after = await collect({ cache });
    expect(look(after.pulls.find(({ number }) => number === 4))).toEqual(expected);
    expect(after.pulls.filter(({ number }) => number !== 4)).toEqual(
      before.pulls.filter(({ number }) => number !== 4),
    );
    expect(after.said).toContain('13 of them unchanged');
    expect(after.pulls).toEqual((await collect()).pulls);
  });

  const commentOf = (number: number, thread: number, nth = 0): number =>
    on.repository.pull(number).threads[thread]?.comments[nth]?.id ?? 0;

  test('that wants threads does not take what was read without', async () => {
    const without = await collect({ cache, 'no-threads': true });
    const whole = await collect({ cache });
    expect(whole.pulls).toEqual((await collect()).pulls);
    // And what was read with them serves a run without.
    const again = await collect({ cache, 'no-threads': true });
    expect(again.pulls).toEqual(without.pulls);
    expect(again.requests).toBeLessThan(without.requests);
  });

  test('a cache that cannot be used is said, and written anew', async () => {
    const first = await collect({ cache });
    const host = (await readdir(cache))[0] ?? '';
    const file = join(cache, host, 'octo-org+shop.json');
    expect(await readdir(join(cache, host))).toEqual(['octo-org+shop.json']);
    for (const bad of ['{', '{"kind":"evident past pulls","version":0,"pulls":{}}', '[1]']) {
      await writeFile(file, bad);
      const second = await collect({ cache });
      expect(second.said).toContain(
        'octo-org+shop.json is not a cache of this version: everything is read anew.',
      );
      expect(second.pulls).toEqual(first.pulls);
    }
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      kind: 'evident past pulls',
      version: 1,
    });
  });
});

test('a cache that is no folder is told, with what to do', async () => {
  const file = join(on.folder, 'no-folder');
  await writeFile(file, 'kept');
  await expect(collect({ cache: file, last: '1' })).rejects.toThrow(
    /^The cache .*no-folder.* cannot be used: .* Name another folder, or none\.$/,
  );
  expect(await readFile(file, 'utf8')).toBe('kept');
});

test('what was kept under an old name of the repository is shown under its name of now', async () => {
  const folder = join(on.folder, 'renamed');
  await collect({ cache: folder, last: '2' });
  const file = join(folder, (await readdir(folder))[0] ?? '', 'octo-org+shop.json');
  await writeFile(
    file,
    (await readFile(file, 'utf8')).replaceAll('"repo":"octo-org/shop"', '"repo":"octo-org/old"'),
  );
  const { pulls } = await collect({ cache: folder, last: '2' });
  expect([...new Set(pulls.map(({ repo }) => repo))]).toEqual(['octo-org/shop']);
});

describe('evident reward collect', () => {
  async function run(...args: string[]) {
    const out: string[] = [];
    const err: string[] = [];
    const io = {
      env: { GITHUB_API_URL: github.apiUrl, GITHUB_TOKEN: github.tokenOf('octo-org') },
      cwd: on.folder,
      stdout: (text: string) => void out.push(text),
      stderr: (text: string) => void err.push(text),
      readStdin: async () => new Uint8Array(),
      isTerminal: false,
    };
    const code = await runCollect(args, io, on.time);
    return { code, out: out.join(''), err: err.join('') };
  }

  test('prints a pull request a line; the rest goes to standard error', async () => {
    const { code, out, err } = await run('--repo', 'octo-org/shop', '--last', '2');
    expect(code).toBe(0);
    expect(
      numbersOf(
        out
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as PastPull),
      ),
    ).toEqual([14, 13]);
    expect(err).toMatch(
      /^octo-org\/shop: 2 of 2 pull requests\. \d+ requests?, \d+ points of this hour left\.\n$/,
    );
  });

  test('writes a file, and ends with 3 when something is missing', async () => {
    github.faults.add({ match: isQuery('EvidentPastReplies'), times: 99, before: { status: 502 } });
    const { code, out } = await run('--repo', 'octo-org/shop', '--out', 'pulls.jsonl');
    expect([code, out]).toEqual([3, '']);
    expect((await readFile(join(on.folder, 'pulls.jsonl'), 'utf8')).trimEnd().split('\n')).toHaveLength(12);
  });

  test('several repositories, one after the other', async () => {
    await github.createRepository({ owner: 'octo-org', name: 'empty', files: { a: 'a' } });
    const { code, out, err } = await run(
      '--repo',
      'octo-org/empty',
      '--repo',
      'octo-org/shop',
      '--last',
      '1',
    );
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n')).toHaveLength(1);
    expect(err).toContain('octo-org/empty: 0 of 0 pull requests');
  });

  test.each([
    [[], '--repo is missing'],
    [['--repo', 'shop'], '--repo is shop: write OWNER/NAME'],
    [['--repo', '../..'], '--repo is ../..: write OWNER/NAME'],
    [['--repo', 'o/r', '--last', '0'], '--last is 0'],
    [['--repo', 'o/r', '--state', 'done'], '--state is done: write open, merged, closed or all.'],
    [['--repo', 'o/r', '--since', 'monday'], '--since is monday: write a date'],
    [['--repo', 'o/r', '--since', '2026-13-01'], '--since is 2026-13-01'],
    [['--repo', 'o/r', '--since', '2026-02-31'], '--since is 2026-02-31'],
    [['--repo', 'o/r', '--wait', 'x'], '--wait is x'],
  ])('%j is refused with a sentence', async (args, sentence) => {
    await expect(run(...args)).rejects.toThrow(sentence);
  });

  test('its help fits a terminal', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});
