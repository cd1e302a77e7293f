import { ProbotOctokit } from 'probot';
import { demoStory } from '../../local-github/demo-story.js';
import { openStory } from '../../local-github/open-story.js';
import { startWholeApp, type WholeApp } from './whole-app.js';

/*
 * Clients that know nothing of this project read what it wrote: Octokit with its own plugins, and plain requests as the
 * `gh` program sends them. A local GitHub that only its own app understands would prove nothing.
 */

let app: WholeApp;
let number = 0;
const place = { owner: demoStory.owner, repo: demoStory.name };
beforeAll(async () => {
  app = await startWholeApp();
  const opened = await openStory(app.github, demoStory);
  await app.settled();
  number = opened.number;
  const people = opened.repository.as(demoStory.author);
  const [thread] = opened.repository.pull(number).threads;
  people.reply(thread?.id ?? '', 'Why?');
  people.comment(number, 'Thanks.');
  await app.settled();
});
afterAll(() => app.close());
afterEach(() => {
  expect(app.faults()).toEqual([]);
});

describe("Octokit's own methods", () => {
  const octokitOf = (login: string) =>
    new ProbotOctokit({
      auth: { token: app.github.tokenOf(login) },
      baseUrl: app.proxy.apiUrl,
      throttle: { enabled: false },
      retry: { enabled: false },
    });

  test('read the pull request, its files, reviews, comments and checks', async () => {
    const octokit = octokitOf('octocat');
    const { data: pull } = await octokit.rest.pulls.get({ ...place, pull_number: number });
    expect(pull).toMatchObject({ number, state: 'open', head: { ref: demoStory.branch } });
    const { data: files } = await octokit.rest.pulls.listFiles({ ...place, pull_number: number });
    expect(files.map(({ filename }) => filename).sort()).toEqual(Object.keys(demoStory.headChanges()).sort());
    const { data: reviews } = await octokit.rest.pulls.listReviews({ ...place, pull_number: number });
    expect(reviews.filter(({ body }) => body !== '')).toHaveLength(1);
    const { data: runs } = await octokit.rest.checks.listForRef({ ...place, ref: pull.head.sha });
    expect(runs.check_runs.map(({ name, status }) => [name, status])).toEqual([['Evident', 'completed']]);
    const { data: run } = await octokit.rest.checks.get({
      ...place,
      check_run_id: runs.check_runs[0]?.id ?? 0,
    });
    expect(run.output.title).toBeTruthy();
    const { data: comments } = await octokit.rest.issues.listComments({ ...place, issue_number: number });
    expect(comments.map(({ body }) => body)).toContain('Thanks.');
    const { data: commits } = await octokit.rest.pulls.listCommits({ ...place, pull_number: number });
    expect(commits).toHaveLength(demoStory.commits.length);
    const diff = await octokit.rest.pulls.get({
      ...place,
      pull_number: number,
      mediaType: { format: 'diff' },
    });
    expect(diff.data as unknown as string).toContain('diff --git a/');
    const { data: compared } = await octokit.rest.repos.compareCommitsWithBasehead({
      ...place,
      basehead: `${pull.base.sha}...${pull.head.sha}`,
    });
    expect(compared.merge_base_commit.sha).toBe(pull.base.sha);
    const { data: tree } = await octokit.rest.git.getTree({
      ...place,
      tree_sha: pull.head.sha,
      recursive: 'true',
    });
    expect(tree.truncated).toBe(false);
    const { data: content } = await octokit.rest.repos.getContent({ ...place, path: 'config/payments.ts' });
    expect(content).toMatchObject({ type: 'file', encoding: 'base64' });
  });

  test('page through lists by the Link header, one item a page', async () => {
    const octokit = octokitOf('octocat');
    const { data: whole } = await octokit.rest.pulls.listReviewComments({ ...place, pull_number: number });
    const paged = await octokit.paginate(octokit.rest.pulls.listReviewComments, {
      ...place,
      pull_number: number,
      per_page: 1,
    });
    expect(whole.length).toBeGreaterThan(3);
    expect(paged.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    const files = await octokit.paginate('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', {
      ...place,
      pull_number: number,
      per_page: 2,
    });
    expect(files).toHaveLength(Object.keys(demoStory.headChanges()).length);
  });

  test('write a reply, a reaction, a review; and are refused as they would be', async () => {
    const octokit = octokitOf('monalisa');
    const { data: comments } = await octokit.rest.pulls.listReviewComments({ ...place, pull_number: number });
    const [first] = comments;
    if (first === undefined) throw new Error('no comment');
    const { data: reply } = await octokit.rest.pulls.createReplyForReviewComment({
      ...place,
      pull_number: number,
      comment_id: first.id,
      body: 'I see.',
    });
    expect(reply.in_reply_to_id).toBe(first.id);
    const react = () =>
      octokit.rest.reactions.createForPullRequestReviewComment({
        ...place,
        comment_id: first.id,
        content: '+1',
      });
    expect([(await react()).status, (await react()).status]).toEqual([201, 200]);
    const { data: review } = await octokit.rest.pulls.createReview({
      ...place,
      pull_number: number,
      event: 'COMMENT',
      body: 'A thought.',
    });
    await octokit.rest.pulls.updateReview({
      ...place,
      pull_number: number,
      review_id: review.id,
      body: 'Two thoughts.',
    });
    const refused = octokit.rest.pulls.createReview({
      ...place,
      pull_number: number,
      event: 'COMMENT',
      body: '',
      comments: [{ path: first.path, body: 'x', line: 99_999, side: 'RIGHT' }],
    });
    await expect(refused).rejects.toMatchObject({ status: 422 });
    await expect(octokit.rest.repos.get({ ...place, repo: 'nothing' })).rejects.toMatchObject({
      status: 404,
    });
  });

  test('over GraphQL, with the cursor of a page', async () => {
    const octokit = octokitOf('octocat');
    const query = `query Threads($owner: String!, $repo: String!, $number: Int!, $after: String) {
      repository(owner: $owner, name: $repo) {
        pullRequest(number: $number) {
          reviewThreads(first: 1, after: $after) {
            totalCount
            pageInfo { hasNextPage endCursor }
            nodes { id isResolved isOutdated path line comments(first: 5) { nodes { author { login } body } } }
          }
        }
      }
    }`;
    type Answer = {
      readonly repository: {
        readonly pullRequest: {
          readonly reviewThreads: {
            readonly totalCount: number;
            readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
            readonly nodes: readonly { readonly id: string }[];
          };
        };
      };
    };
    const seen: string[] = [];
    for (let after: string | null = null; ;) {
      const answer: Answer = await octokit.graphql(query, { ...place, number, after });
      const { reviewThreads } = answer.repository.pullRequest;
      seen.push(...reviewThreads.nodes.map(({ id }) => id));
      if (!reviewThreads.pageInfo.hasNextPage) {
        expect(new Set(seen).size).toBe(reviewThreads.totalCount);
        break;
      }
      after = reviewThreads.pageInfo.endCursor;
    }
  });
});

describe('as gh sends them', () => {
  const gh = async (path: string, accept = 'application/vnd.github+json') => {
    const answer = await fetch(`${app.proxy.apiUrl}/${path}`, {
      headers: {
        accept,
        authorization: `token ${app.github.tokenOf('octocat')}`,
        'user-agent': 'GitHub CLI 2.80.0',
        'x-github-api-version': '2022-11-28',
        'time-zone': 'Europe/Berlin',
      },
    });
    return { status: answer.status, link: answer.headers.get('link'), text: await answer.text() };
  };
  const repo = `repos/${place.owner}/${place.repo}`;

  test('gh api, page by page', async () => {
    let path: string | null = `${repo}/pulls/${number}/comments?per_page=2`;
    const ids: number[] = [];
    while (path !== null) {
      const { text, link } = await gh(path);
      ids.push(...(JSON.parse(text) as readonly { readonly id: number }[]).map(({ id }) => id));
      const next = /<([^>]+)>; rel="next"/.exec(link ?? '')?.[1];
      path = next === undefined ? null : next.replace(`${app.proxy.apiUrl}/`, '');
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(3);
  });

  test('gh pr diff, gh pr checks, gh pr view', async () => {
    expect((await gh(`${repo}/pulls/${number}`, 'application/vnd.github.v3.diff')).text).toMatch(
      /^diff --git /,
    );
    const { head } = JSON.parse((await gh(`${repo}/pulls/${number}`)).text);
    const { check_runs } = JSON.parse((await gh(`${repo}/commits/${head.sha}/check-runs?per_page=100`)).text);
    expect(check_runs).toHaveLength(1);
    const answer = await fetch(`${app.proxy.url}/api/graphql`, {
      method: 'POST',
      headers: {
        authorization: `token ${app.github.tokenOf('octocat')}`,
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'GitHub CLI 2.80.0',
      },
      body: JSON.stringify({
        query: `query PullRequestByNumber($owner: String!, $repo: String!, $pr_number: Int!) {
          repository(owner: $owner, name: $repo) {
            pullRequest(number: $pr_number) {
              id number title state isDraft headRefName headRefOid author { login }
              reviews(first: 100) { nodes { author { login } body state } pageInfo { hasNextPage endCursor } totalCount }
            }
          }
        }`,
        variables: { owner: place.owner, repo: place.repo, pr_number: number },
      }),
    });
    const { data } = (await answer.json()) as { data: { repository: { pullRequest: { number: number } } } };
    expect(data.repository.pullRequest.number).toBe(number);
  });

  test.each([
    [`${repo}/pulls/999`, 404],
    [`${repo}/git/blobs/${'0'.repeat(40)}`, 404],
    [`${repo}/compare/main...no-such-branch`, 404],
    ['rate_limit', 200],
    ['meta', 200],
    ['users/octocat', 200],
  ])('gh api %s answers %i', async (path, status) => {
    expect((await gh(path)).status).toBe(status);
  });
});
