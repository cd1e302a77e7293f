import { join } from 'node:path';
import type { CollectFlags } from '../../../cli/reward/collect.js';
import type { PastPull } from '../../../lib/core/past-pull.js';
import type { LocalGitHub } from '../../../local-github/index.js';
import { startProxy } from '../../conformance/proxy.js';
import { isQuery, numbersOf, startCollecting, type Collecting } from './collecting.js';
import { totalsOf, type Truth } from './planted-past.js';

let on: Collecting;
let github: LocalGitHub;
let truth: Truth;
let collect: Collecting['collect'];
let cache: string;
let named = 0;
/** As it is read when nothing goes wrong. */
let whole: readonly PastPull[];

beforeAll(async () => {
  on = await startCollecting();
  ({ github, truth, collect } = on);
  whole = (await collect()).pulls;
});
beforeEach(() => {
  on.nextHour();
  cache = join(on.folder, String((named += 1)));
});
afterEach(() => github.faults.clear());
afterAll(() => on.close());

describe('when GitHub does not answer as it should', () => {
  const idOf = async (number: number): Promise<string> => {
    const response = await fetch(`${github.url}/api/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${github.tokenOf('octo-org')}` },
      body: JSON.stringify({
        query: `{ repository(owner: "octo-org", name: "shop") { pullRequest(number: ${number}) { id } } }`,
      }),
    });
    const answer = (await response.json()) as { data: { repository: { pullRequest: { id: string } } } };
    return answer.data.repository.pullRequest.id;
  };
  const of = (id: string) => (variables: Readonly<Record<string, unknown>>) =>
    (variables.ids as readonly string[]).includes(id);

  test.each<[string, Parameters<LocalGitHub['faults']['add']>[0]]>([
    [
      '502 for more than three at once',
      {
        match: isQuery('EvidentPastPulls', ({ ids }) => (ids as []).length > 3),
        times: 99,
        before: { status: 502 },
      },
    ],
    [
      '502 for a long list',
      {
        match: isQuery('EvidentPastList', ({ size }) => Number(size) > 7),
        times: 9,
        before: { status: 502 },
      },
    ],
    [
      '502 for pages above 20',
      {
        match: isQuery('EvidentPastPulls', ({ threads }) => Number(threads) > 20),
        times: 99,
        before: { status: 502 },
      },
    ],
    ['an answer that is lost', { match: isQuery('EvidentPastPulls'), times: 2, skip: 1, after: 'reset' }],
    [
      'a timeout that answers 200',
      {
        match: isQuery('EvidentPastPulls'),
        times: 2,
        graphql: {
          type: '',
          message: 'Something went wrong while executing your query. This may be the result of a timeout.',
        },
      },
    ],
    [
      'an error beside the data, once',
      {
        match: isQuery('EvidentPastPulls'),
        times: 1,
        graphql: { type: 'INTERNAL', field: 'PullRequest.reviewThreads' },
      },
    ],
    [
      'no fingerprints at all',
      {
        match: isQuery('EvidentPrints'),
        times: 99,
        graphql: { type: 'INTERNAL', field: 'PullRequest.reviewThreads' },
      },
    ],
    [
      'no fingerprints in the list',
      {
        match: isQuery('EvidentPastList', ({ print }) => print === true),
        times: 99,
        graphql: { type: 'INTERNAL', field: 'PullRequest.reviewThreads' },
      },
    ],
    [
      'no more fingerprints',
      { match: isQuery('EvidentMoreThreadPrints'), times: 99, before: { status: 502 } },
    ],
    [
      'a secondary limit',
      {
        match: isQuery('EvidentPastPulls'),
        times: 1,
        before: {
          status: 403,
          headers: { 'retry-after': '60' },
          body: { message: 'You have exceeded a secondary rate limit.' },
        },
      },
    ],
  ])('all is read in spite of %s', async (_, fault) => {
    github.faults.add(fault);
    const { pulls, missing } = await collect();
    expect(missing).toEqual([]);
    expect(pulls).toEqual(whole);
  });

  test.each<[string, Omit<Parameters<LocalGitHub['faults']['add']>[0], 'match'>]>([
    [
      'answered with errors',
      { graphql: { type: 'INTERNAL', field: 'PullRequest.reviewThreads', message: 'No threads today.' } },
    ],
    ['not allowed', { graphql: { type: 'FORBIDDEN', field: 'PullRequest.reviewThreads' } }],
    ['left empty', { after: { status: 200, body: { data: { nodes: [null] } } } }],
    ['never answered in time', { before: { status: 504 } }],
  ])('a pull request whose threads are %s is missing by name', async (_, fault) => {
    github.faults.add({ match: isQuery('EvidentPastPulls', of(await idOf(4))), times: 99, ...fault });
    const { pulls, missing, said } = await collect({ cache });
    expect(numbersOf(pulls)).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 3, 2, 1]);
    expect(missing).toEqual([
      { repo: 'octo-org/shop', number: 4, what: 'the pull request', why: expect.any(String) },
    ]);
    expect(said).toContain('Missing: octo-org/shop#4: the pull request. ');
    github.faults.clear();
    const after = await collect({ cache });
    expect([after.missing, totalsOf(after.pulls).pulls]).toEqual([[], 14]);
    expect(after.said).toContain('13 of them unchanged');
  });

  test.each([
    ['EvidentPastReplies', [8, 6]],
    ['EvidentPastChecks', [14]],
  ])('a later page that fails (%s) makes the whole pull request missing', async (query, numbers) => {
    github.faults.add({ match: isQuery(query), times: 99, before: { status: 502 } });
    const { pulls, missing } = await collect();
    expect(missing).toMatchObject(numbers.map((number) => ({ number })));
    expect(pulls).toEqual(whole.filter(({ number }) => !numbers.includes(number)));
  });

  test('threads that are counted and not shown are no silence', async () => {
    const proxy = await startProxy(github);
    await collect({}, { apiUrl: proxy.apiUrl });
    await proxy.close();
    const id = await idOf(4);
    type Page = { nodes: { number: number; reviewThreads: { nodes: unknown[] } }[] };
    const page = proxy.exchanges.flatMap(({ data }) => (data as { data?: Partial<Page> }).data?.nodes ?? []);
    const real = page.find(({ number }) => number === 4);
    if (real === undefined) throw new Error('#4 was not read.');
    for (const nodes of [[], [null], [...real.reviewThreads.nodes.slice(1), null]]) {
      const body = { data: { nodes: [{ ...real, reviewThreads: { ...real.reviewThreads, nodes } }] } };
      const match = isQuery(
        'EvidentPastPulls',
        (variables) => of(id)(variables) && (variables.ids as readonly string[]).length === 1,
      );
      github.faults.add({
        match: isQuery('EvidentPastPulls', ({ ids }) => (ids as []).length > 1),
        times: 99,
        before: { status: 502 },
      });
      github.faults.add({ match, times: 99, after: { status: 200, body } });
      const { pulls, missing } = await collect();
      expect(missing).toMatchObject([{ number: 4 }]);
      expect(pulls).toHaveLength(13);
      github.faults.clear();
    }
  });

  test('a token that may not see checks gives the rest, and it is said', async () => {
    github.faults.add({
      match: ({ path }) => path === '/graphql',
      times: 999,
      graphql: { type: 'FORBIDDEN', field: 'Commit.statusCheckRollup' },
    });
    const { pulls, missing } = await collect();
    expect(missing).toMatchObject([{ repo: 'octo-org/shop', number: null, what: 'checks' }]);
    expect(totalsOf(pulls)).toEqual({
      ...truth,
      labels: expect.any(Number),
      resolved: expect.any(Number),
      threadComments: expect.any(Number),
      checks: 0,
      ownTexts: 0,
    });
  });

  test('GitHub that is down is not asked for long', async () => {
    await collect({ cache, last: '5' });
    github.faults.add({ match: isQuery('EvidentPastPulls'), times: 999, before: { status: 500 } });
    const { pulls, missing, requests } = await collect({ cache });
    expect(numbersOf(pulls)).toEqual([14, 13, 12, 11, 10]);
    expect(missing).toMatchObject([{ number: null, what: '9 pull requests (from #1 to #9)' }]);
    expect(missing[0]?.why).toMatch(
      /^GitHub failed 14 requests in a row\. The last reason: .* Go on later with the same command\.$/,
    );
    expect(requests).toBeLessThan(20);
  });

  test('a list that breaks off, and one that cannot be had', async () => {
    github.faults.add({ match: isQuery('EvidentPastList'), times: 99, before: { status: 500 } });
    const nothing = await collect();
    expect(nothing).toMatchObject({
      pulls: [],
      missing: [{ number: null, what: 'the list of pull requests' }],
    });
  });

  test.each<CollectFlags>([{}, { author: ['octocat'] }, { 'no-threads': true }])(
    'a repository that GitHub does not show ends the command with a sentence: %j',
    async (flags) => {
      await expect(collect({ ...flags, repo: ['octo-org/nowhere'] })).rejects.toThrow(
        /^GitHub does not show octo-org\/nowhere to this token: there is no such thing, or the token may not read it; it needs to read /,
      );
    },
  );

  test('a server that says "again, now" for ever is left when the patience ends', async () => {
    github.faults.add({
      match: isQuery('EvidentPastList'),
      times: 1_000,
      before: { status: 429, headers: { 'retry-after': '0' } },
    });
    const { missing, requests } = await collect({ wait: '1' });
    expect(missing).toMatchObject([{ number: null, what: 'the list of pull requests' }]);
    expect(requests).toBe(61);
  });

  test('a token that is not taken ends the command with a sentence', async () => {
    await expect(collect({}, { token: 'ghp_expired' })).rejects.toThrow(
      /^GitHub does not take this token: it has expired, was revoked, or belongs to another server/,
    );
  });
});

describe('rate limits', () => {
  let on: Collecting;
  let expected: readonly PastPull[];

  beforeAll(async () => {
    on = await startCollecting({ limits: { requestsAnHour: 16 } });
  });
  beforeEach(() => on.nextHour());
  afterAll(() => on.close());

  test('it waits when that is allowed, and reads all', async () => {
    const { pulls, missing, said } = await on.collect({ wait: '300' });
    expected = pulls;
    expect([missing, pulls.length]).toEqual([[], 14]);
    expect(on.slept.length).toBeGreaterThan(0);
    expect(said).toMatch(/GitHub's rate limit is used up\. Waiting until \d{4}-\d\d-\d\d \d\d:\d\d UTC\./);
  });

  test('it stops before the limit, says when to go on, and goes on from there', async () => {
    const first = await on.collect({ cache, wait: '0' });
    expect(on.slept).toEqual([]);
    expect(first.pulls.length).toBeGreaterThan(0);
    expect(first.pulls.length).toBeLessThan(14);
    expect(first.missing).toHaveLength(1);
    expect(first.missing[0]?.why).toMatch(
      /^GitHub's rate limit is used up\. Go on after \d{4}-\d\d-\d\d \d\d:\d\d UTC with the same command\.$/,
    );
    for (let tries = 0; tries < 5; tries += 1) {
      on.nextHour();
      const next = await on.collect({ cache, wait: '0' });
      if (next.missing.length > 0) continue;
      expect(next.pulls).toEqual(expected);
      return;
    }
    throw new Error('It never came to an end.');
  });

  test('a limit that is spent already answers 200 with errors', async () => {
    on.github.spendRateLimit('octo-org', 'graphql');
    const stopped = await on.collect({ wait: '0' });
    expect(stopped).toMatchObject({
      pulls: [],
      missing: [{ number: null, what: 'the list of pull requests' }],
    });
    expect(stopped.missing[0]?.why).toMatch(/^GitHub's rate limit is reached\. Go on after /);
    const waited = await on.collect({ wait: '300' });
    expect([waited.missing, waited.pulls]).toEqual([[], expected]);
  });
});
