import { grow, type Grown } from '../../local-github/grow.js';
import { type LocalGitHub, startLocalGitHub } from '../../local-github/index.js';
import { type Api, apiOfApp, graphql, type Json } from './api.js';

describe('a pull request of 3,000 files and 2,000 threads', () => {
  let github: LocalGitHub;
  let api: Api;
  let grown: Grown;
  beforeAll(async () => {
    github = await startLocalGitHub();
    grown = await grow(github, { name: 'huge', files: 3000, threads: 2000, commentsInFirst: 250 });
    api = await apiOfApp(github);
  });
  afterAll(() => github.close());

  test('has what was ordered', () => {
    const pull = grown.repository.pull(grown.number);
    expect([pull.changedFiles, pull.threads.length, pull.threads[0]?.comments.length]).toEqual([
      3000, 2000, 250,
    ]);
  });

  test('its diff is refused and its files come in thirty pages', async () => {
    const path = `/repos/octo-org/huge/pulls/${grown.number}`;
    const diff = await api('GET', path, undefined, { accept: 'application/vnd.github.v3.diff' });
    expect([diff.status, diff.data.errors[0].code]).toEqual([406, 'too_large']);
    const last = await api('GET', `${path}/files?per_page=100&page=30`);
    expect([last.data.length, last.headers.get('link')?.includes('rel="next"')]).toEqual([100, false]);
  });

  const query = `query ($number: Int!, $after: String) {
    repository(owner: "octo-org", name: "huge") { pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        totalCount pageInfo { hasNextPage endCursor }
        nodes { id comments(first: 100) { totalCount pageInfo { hasNextPage endCursor } nodes { body } } } } } } }`;

  test('its threads come in twenty pages, each once', async () => {
    const seen = new Set<string>();
    let after: string | null = null;
    let pages = 0;
    for (;;) {
      const answer: Json = await graphql(api, github, query, { number: grown.number, after });
      const threads = answer.data.repository.pullRequest.reviewThreads;
      pages += 1;
      for (const { id } of threads.nodes) seen.add(id as string);
      if (threads.pageInfo.hasNextPage !== true) break;
      after = threads.pageInfo.endCursor as string;
    }
    expect([pages, seen.size]).toEqual([20, 2000]);
  });

  test('the first thread has pages of its own, from both ends', async () => {
    const [first] = grown.repository.pull(grown.number).threads;
    const page = async (args: string) =>
      (
        await graphql(
          api,
          github,
          `{ node(id: "${first?.id ?? ''}") { ... on PullRequestReviewThread { comments(${args}) {
            pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { body } } } } }`,
        )
      ).data.node.comments;
    const one = await page('first: 100');
    const two = await page(`first: 100, after: "${one.pageInfo.endCursor}"`);
    const three = await page(`first: 100, after: "${two.pageInfo.endCursor}"`);
    expect([one, two, three].map((each) => [each.nodes.length, each.nodes[0].body])).toEqual([
      [100, 'Thread 1'],
      [100, 'Comment 101'],
      [50, 'Comment 201'],
    ]);
    expect([three.pageInfo.hasNextPage, three.pageInfo.hasPreviousPage]).toEqual([false, true]);
    const last = await page('last: 60');
    const before = await page(`last: 60, before: "${last.pageInfo.startCursor}"`);
    expect([last.nodes[0].body, before.nodes[0].body, before.nodes.at(-1).body]).toEqual([
      'Comment 191',
      'Comment 131',
      'Comment 190',
    ]);
  });

  test.each([
    ['more than a hundred', 'first: 101', 'EXCESSIVE_PAGINATION'],
    ['neither first nor last', '', 'MISSING_PAGINATION_BOUNDARIES'],
    ['both first and last', 'first: 1, last: 1', 'INVALID_PAGINATION_BOUNDARIES'],
    ['a cursor of nobody', 'first: 1, after: "x"', 'INVALID_CURSOR_ARGUMENTS'],
  ])('%s is refused with 200', async (_, args, type) => {
    const list = args === '' ? 'reviewThreads' : `reviewThreads(${args})`;
    const answer = await api('POST', `${github.url}/api/graphql`, {
      query: `{ repository(owner: "octo-org", name: "huge") { pullRequest(number: ${grown.number}) { ${list} { totalCount } } } }`,
    });
    expect([answer.status, answer.data.errors[0].type]).toEqual([200, type]);
  });

  test('a query for more than 500,000 nodes is refused before anything is read', async () => {
    const answer = await graphql(
      api,
      github,
      `{ repository(owner: "octo-org", name: "huge") { pullRequest(number: ${grown.number}) {
        reviewThreads(first: 100) { nodes { comments(first: 100) { nodes { reactions(first: 100) { totalCount } } } } } } } }`,
    );
    expect([answer.data, answer.errors[0].type]).toEqual([undefined, 'MAX_NODE_LIMIT_EXCEEDED']);
  });
});

test('20,001 added lines answer the diff with 406, and other files make an archive that does not shrink', async () => {
  const github = await startLocalGitHub();
  const { number } = await grow(github, {
    name: 'long',
    lines: 20_001,
    otherFiles: 40,
    otherFileBytes: 50_000,
  });
  const api = await apiOfApp(github);
  const diff = await api('GET', `/repos/octo-org/long/pulls/${number}`, undefined, {
    accept: 'application/vnd.github.v3.diff',
  });
  const to = (await api('GET', '/repos/octo-org/long/tarball/main')).headers.get('location') ?? '';
  const archive = await api('GET', to);
  await github.close();
  expect([diff.status, diff.data.message]).toEqual([406, expect.stringContaining('lines (20000)')]);
  expect(archive.bytes.length).toBeGreaterThan(2_000_000);
});
