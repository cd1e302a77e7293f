import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';
import { type Api, apiOfApp, createApi, graphql, type Json } from './api.js';

const lines = (count: number, change: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: count }, (_, at) => `${change[at + 1] ?? `line ${at + 1}`}\n`).join('');

const THREADS = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  viewer { login }
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      headRefOid state isDraft
      reviewThreads(first: 2, after: $after) {
        totalCount
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved isOutdated path line startLine originalLine diffSide viewerCanResolve
          resolvedBy { login }
          comments(first: 50) { nodes { ...words pullRequestReview { fullDatabaseId state } replyTo { id } } }
        }
      }
      reviews(last: 100) { nodes { fullDatabaseId databaseId state body viewerDidAuthor author { login __typename } editor { login } } }
      comments(first: 100) { nodes { fullDatabaseId body isMinimized minimizedReason viewerDidAuthor author { login } } }
    }
  }
}
fragment words on PullRequestReviewComment {
  id fullDatabaseId databaseId body viewerDidAuthor createdAt lastEditedAt
  author { __typename login ... on Bot { databaseId } }
  editor { login }
}`;

describe('the conversation on a pull request', () => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  let api: Api;
  let number: number;
  let pull: string;
  let count = 0;

  beforeAll(async () => {
    github = await startLocalGitHub();
    repository = await github.createRepository({
      owner: 'octo-org',
      name: 'shop',
      files: { 'a.ts': lines(60), 'b.ts': lines(5) },
    });
    api = await apiOfApp(github);
  });
  afterAll(() => github.close());
  beforeEach(async () => {
    count += 1;
    await repository.commit({
      branch: `change-${count}`,
      from: 'main',
      files: { 'a.ts': lines(60, { 5: 'changed 5', 46: 'changed 46' }) },
      message: 'change',
    });
    number = await repository.openPullRequest({
      head: `change-${count}`,
      title: 'Change',
      author: 'octocat',
    });
    pull = `/repos/octo-org/shop/pulls/${number}`;
  });

  const review = async (comments: readonly unknown[], rest: Readonly<Record<string, unknown>> = {}) =>
    api('POST', `${pull}/reviews`, { event: 'COMMENT', body: 'summary', comments, ...rest });
  const ask = (token: Api = api, after: string | null = null) =>
    graphql(token, github, THREADS, { owner: 'octo-org', name: 'shop', number, after });

  test('a review is stored whole, with the hunk down to its line', async () => {
    const answer = await review([
      { path: 'a.ts', line: 5, side: 'LEFT', body: 'gone' },
      { path: 'a.ts', start_line: 4, start_side: 'RIGHT', line: 5, side: 'RIGHT', body: 'range' },
    ]);
    expect(answer.data).toMatchObject({
      state: 'COMMENTED',
      body: 'summary',
      commit_id: repository.pull(number).head.sha,
    });
    const stored = await api('GET', `${pull}/comments`);
    expect(stored.data[0].diff_hunk.split('\n').at(-1)).toBe('-line 5');
    expect(stored.data[1]).toMatchObject({
      start_line: 4,
      line: 5,
      original_line: 5,
      original_start_line: 4,
      position: 5,
      subject_type: 'line',
    });
    expect((await api('GET', `${pull}/reviews/${answer.data.id}/comments`)).data).toHaveLength(2);
    expect(repository.pull(number).threads.map((thread) => thread.line)).toEqual([5, 5]);
  });

  test.each([
    ['a line outside every hunk', [{ path: 'a.ts', line: 20, body: 'x' }], /line must be part of the diff/],
    [
      'a context line as LEFT',
      [{ path: 'a.ts', line: 4, side: 'LEFT', body: 'x' }],
      /line must be part of the diff/,
    ],
    ['a file that did not change', [{ path: 'b.ts', line: 1, body: 'x' }], /path is invalid/],
    [
      'a range that starts at its end',
      [{ path: 'a.ts', start_line: 5, line: 5, body: 'x' }],
      /start line must precede/,
    ],
    ['a range over two hunks', [{ path: 'a.ts', start_line: 5, line: 46, body: 'x' }], /same hunk/],
    ['an empty comment', [{ path: 'a.ts', line: 5, body: ' ' }], /blank/],
  ])('%s refuses the whole review', async (_, comments, sentence) => {
    const answer = await review([{ path: 'a.ts', line: 5, body: 'good' }, ...comments]);
    expect([answer.status, answer.data.message]).toEqual([422, 'Unprocessable Entity']);
    expect(answer.data.errors[0]).toMatch(sentence);
    expect(repository.pull(number).reviews).toEqual([]);
  });

  test.each([
    ['a comment without a body', { comments: [{ path: 'a.ts', line: 5 }] }],
    ['a line that is no number', { comments: [{ path: 'a.ts', line: '5', body: 'x' }] }],
    ['an unknown event', { event: 'LGTM', body: 'x' }],
    ['a commit of elsewhere', { commit_id: 'a'.repeat(40), body: 'x' }],
    ['a body above 65,536 characters', { body: 'x'.repeat(65_537) }],
    ['nothing at all', { body: '' }],
  ])('%s is refused', async (_, rest) => {
    const answer = await api('POST', `${pull}/reviews`, { event: 'COMMENT', ...rest });
    expect(answer.status).toBe(422);
    expect(repository.pull(number).reviews).toEqual([]);
  });

  test('65,536 characters are taken', async () => {
    expect((await review([], { body: 'x'.repeat(65_536) })).status).toBe(200);
  });

  test('nobody approves or rejects a pull request of their own', async () => {
    const octocat = createApi(github, github.tokenOf('octocat'));
    for (const event of ['APPROVE', 'REQUEST_CHANGES'])
      expect((await octocat('POST', `${pull}/reviews`, { event, body: 'x' })).status).toBe(422);
    const other = createApi(github, github.tokenOf('monalisa'));
    expect((await other('POST', `${pull}/reviews`, { event: 'APPROVE' })).data.state).toBe('APPROVED');
  });

  test('one pending review a person: hidden from others, taken back or sent off', async () => {
    const pending = await api('POST', `${pull}/reviews`, {
      comments: [{ path: 'a.ts', line: 5, body: 'draft' }],
    });
    expect([pending.status, pending.data.state]).toEqual([200, 'PENDING']);
    const second = await review([]);
    expect(second.data.errors).toEqual(['User can only have one pending review per pull request']);
    const other = createApi(github, github.tokenOf('monalisa'));
    expect((await other('GET', `${pull}/reviews`)).data).toEqual([]);
    expect((await ask(other)).data.repository.pullRequest.reviewThreads.totalCount).toBe(0);
    expect((await api('DELETE', `${pull}/reviews/${pending.data.id}`)).status).toBe(200);
    const again = await api('POST', `${pull}/reviews`, {
      comments: [{ path: 'a.ts', line: 5, body: 'draft' }],
    });
    const sent = await api('POST', `${pull}/reviews/${again.data.id}/events`, {
      event: 'COMMENT',
      body: 'now',
    });
    expect([sent.data.state, sent.data.body]).toEqual(['COMMENTED', 'now']);
    expect((await api('DELETE', `${pull}/reviews/${again.data.id}`)).status).toBe(422);
    expect(repository.pull(number).threads).toHaveLength(1);
  });

  test('the body of a review and its comments can be edited by who wrote them', async () => {
    const made = await review([{ path: 'a.ts', line: 5, body: 'first' }]);
    await api('PUT', `${pull}/reviews/${made.data.id}`, { body: 'second' });
    const [comment] = repository.pull(number).reviewComments;
    await api('PATCH', `/repos/octo-org/shop/pulls/comments/${comment?.id}`, { body: 'edited' });
    const seen = await ask();
    const request = seen.data.repository.pullRequest;
    expect(request.reviews.nodes[0]).toMatchObject({
      body: 'second',
      viewerDidAuthor: true,
      editor: { login: 'evident' },
    });
    expect(request.reviewThreads.nodes[0].comments.nodes[0]).toMatchObject({
      body: 'edited',
      editor: { login: 'evident' },
    });
    const reply = repository.as('octocat').reply(comment?.id ?? 0, 'a word');
    expect(
      (await api('PATCH', `/repos/octo-org/shop/pulls/comments/${reply.id}`, { body: 'mine now' })).status,
    ).toBe(403);
    expect((await api('DELETE', `/repos/octo-org/shop/pulls/comments/${reply.id}`)).status).toBe(403);
    expect((await api('DELETE', `/repos/octo-org/shop/pulls/comments/${comment?.id}`)).status).toBe(204);
  });

  test('a reply joins its thread and makes a review without a body', async () => {
    await review([{ path: 'a.ts', line: 5, body: 'question' }]);
    const [thread] = repository.pull(number).threads;
    repository.as('octocat').reply(thread?.id ?? '', 'yes, because');
    const own = await api('POST', `${pull}/comments/${thread?.comments[0]?.id}/replies`, { body: 'thanks' });
    expect(own.data.in_reply_to_id).toBe(thread?.comments[0]?.id);
    const seen = (await ask()).data.repository.pullRequest.reviewThreads.nodes[0].comments.nodes;
    expect(
      seen.map((comment: Json) => [comment.author.__typename, comment.author.login, comment.viewerDidAuthor]),
    ).toEqual([
      ['Bot', 'evident', true],
      ['User', 'octocat', false],
      ['Bot', 'evident', true],
    ]);
    expect(repository.pull(number).reviews.map((entry) => entry.body)).toEqual(['summary', '', '']);
    expect((await api('POST', `${pull}/comments/1/replies`, { body: 'x' })).status).toBe(404);
  });

  test('ids past 32 bits come as text', async () => {
    await review([{ path: 'a.ts', line: 5, body: 'x' }]);
    const [comment] = (await ask()).data.repository.pullRequest.reviewThreads.nodes[0].comments.nodes;
    expect(comment.databaseId).toBeNull();
    expect(Number(comment.fullDatabaseId)).toBe(repository.pull(number).reviewComments[0]?.id);
  });

  test('threads come in pages; a page must be asked for', async () => {
    await review([5, 6, 7].map((line) => ({ path: 'a.ts', line, body: 'x' })));
    const first = (await ask()).data.repository.pullRequest.reviewThreads;
    expect([first.totalCount, first.nodes.length, first.pageInfo.hasNextPage]).toEqual([3, 2, true]);
    const second = (await ask(api, first.pageInfo.endCursor)).data.repository.pullRequest.reviewThreads;
    expect([second.nodes.length, second.pageInfo.hasNextPage]).toEqual([1, false]);
    const greedy = await graphql(
      api,
      github,
      `{ repository(owner: "octo-org", name: "shop") { pullRequest(number: ${number}) { reviewThreads { totalCount } } } }`,
    );
    expect(greedy.errors[0].type).toBe('MISSING_PAGINATION_BOUNDARIES');
    const huge = await graphql(
      api,
      github,
      `{ repository(owner: "octo-org", name: "shop") { pullRequest(number: ${number}) { reviewThreads(first: 101) { totalCount } } } }`,
    );
    expect(huge.errors[0].type).toBe('EXCESSIVE_PAGINATION');
  });

  test('an app resolves a thread with contents: write only; the author and writers always may', async () => {
    await review([{ path: 'a.ts', line: 5, body: 'x' }]);
    const [thread] = repository.pull(number).threads;
    const id = thread?.id ?? '';
    const resolve = (token: Api) =>
      graphql(
        token,
        github,
        'mutation ($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { id isResolved } } }',
        { id },
      );
    const before = repository.permissions;
    expect((await ask()).data.repository.pullRequest.reviewThreads.nodes[0].viewerCanResolve).toBe(false);
    const refused = await resolve(api);
    expect([refused.data.resolveReviewThread, refused.errors[0].type]).toEqual([null, 'FORBIDDEN']);
    repository.permissions = { ...before, contents: 'write' };
    expect((await ask()).data.repository.pullRequest.reviewThreads.nodes[0].viewerCanResolve).toBe(true);
    expect((await resolve(api)).data.resolveReviewThread.thread.isResolved).toBe(true);
    repository.permissions = before;
    expect(() => repository.as('stranger').unresolve(id)).toThrow(/may not/);
    repository.as('octocat').unresolve(id);
    repository.as('octocat').resolve(id);
    expect(repository.pull(number).threads[0]).toMatchObject({ isResolved: true, resolvedBy: 'octocat' });
  });

  test('a push carries threads along or marks them outdated', async () => {
    await review([
      { path: 'a.ts', line: 5, body: 'stays' },
      { path: 'a.ts', line: 46, body: 'is changed' },
      { path: 'a.ts', line: 48, body: 'moves' },
      { path: 'a.ts', line: 5, side: 'LEFT', body: 'base side' },
    ]);
    const head = await repository.commit({
      branch: `change-${count}`,
      files: { 'a.ts': lines(60, { 5: 'changed 5', 20: 'two\nmore', 46: 'changed again' }) },
      message: 'more',
    });
    const [stays, changed, moves, left] = repository.pull(number).threads;
    expect([stays?.line, stays?.isOutdated]).toEqual([5, false]);
    expect([changed?.line, changed?.isOutdated, changed?.originalLine]).toEqual([null, true, 46]);
    expect([moves?.line, moves?.originalLine]).toEqual([49, 48]);
    expect([left?.line, left?.side]).toEqual([5, 'LEFT']);
    const stored = await api('GET', `${pull}/comments`);
    expect(
      stored.data.map((entry: Json) => [entry.line, entry.position === null, entry.commit_id === head]),
    ).toEqual([
      [5, false, true],
      [null, true, false],
      [49, false, true],
      [5, false, true],
    ]);
  });

  test('a line that left the diff is outdated, on either side', async () => {
    await review([
      { path: 'a.ts', line: 5, body: 'x' },
      { path: 'a.ts', line: 5, side: 'LEFT', body: 'y' },
    ]);
    await repository.commit({
      branch: `change-${count}`,
      files: { 'a.ts': lines(60, { 46: 'changed 46' }) },
      message: 'undo 5',
    });
    expect(repository.pull(number).threads.map((thread) => thread.isOutdated)).toEqual([true, true]);
  });

  test('a review of an earlier head of the same pull request is taken, and is outdated at once', async () => {
    const before = repository.pull(number).head.sha;
    await repository.commit({
      branch: `change-${count}`,
      files: { 'a.ts': lines(60, { 46: 'changed 46' }) },
      message: 'undo 5',
    });
    const answer = await review([{ path: 'a.ts', line: 5, body: 'late' }], { commit_id: before });
    expect(answer.data.commit_id).toBe(before);
    expect(repository.pull(number).threads[0]).toMatchObject({
      isOutdated: true,
      line: null,
      originalLine: 5,
    });
  });

  test('a forced push back, a retarget, a close, a push while closed, an opening again', async () => {
    const first = repository.pull(number).head.sha;
    const second = await repository.commit({
      branch: `change-${count}`,
      files: { 'b.ts': 'b\n' },
      message: 'more',
    });
    await repository.forcePush(`change-${count}`, first);
    expect(repository.pull(number)).toMatchObject({ head: { sha: first }, changedFiles: 1 });
    await repository.commit({
      branch: `base-${count}`,
      from: first,
      files: { 'c.ts': 'c\n' },
      message: 'base',
    });
    await repository.forcePush(`change-${count}`, second);
    await repository.retarget(number, `base-${count}`);
    expect(repository.pull(number)).toMatchObject({
      base: { ref: `base-${count}` },
      mergeBase: first,
      changedFiles: 1,
    });
    await repository.closePullRequest(number);
    await repository.forcePush(`change-${count}`, first);
    expect(repository.pull(number)).toMatchObject({ state: 'closed', head: { sha: second } });
    await repository.commit({ branch: `change-${count}`, files: { 'd.ts': 'd\n' }, message: 'later' });
    await repository.reopen(number);
    expect(repository.pull(number).state).toBe('open');
    expect(repository.pull(number).head.sha).not.toBe(second);
  });

  test('a merge moves the base; a conflict is told and cannot be merged', async () => {
    await repository.commit({
      branch: `rival-${count}`,
      from: 'main',
      files: { 'b.ts': `rival ${count}\n` },
      message: 'rival',
    });
    const rival = await repository.openPullRequest({ head: `rival-${count}`, title: 'Rival' });
    await repository.commit({
      branch: `twin-${count}`,
      from: 'main',
      files: { 'b.ts': `twin ${count}\n` },
      message: 'twin',
    });
    const twin = await repository.openPullRequest({ head: `twin-${count}`, title: 'Twin' });
    await api('GET', `/repos/octo-org/shop/pulls/${twin}`);
    expect((await api('GET', `/repos/octo-org/shop/pulls/${twin}`)).data.mergeable).toBe(true);
    await repository.closePullRequest(rival, { merged: true });
    const seen = await api('GET', `/repos/octo-org/shop/pulls/${twin}`);
    expect([seen.data.mergeable, seen.data.mergeable_state]).toEqual([false, 'dirty']);
    await expect(repository.closePullRequest(twin, { merged: true })).rejects.toThrow(/not mergeable/);
    const merged = await api('GET', `/repos/octo-org/shop/pulls/${rival}`);
    expect(merged.data).toMatchObject({ merged: true, state: 'closed' });
  });

  test('comments on the pull request: made, edited, hidden, deleted, listed in pages', async () => {
    const issue = `/repos/octo-org/shop/issues/${number}`;
    const made = await api('POST', `${issue}/comments`, { body: 'hello' });
    expect([made.status, made.data.user.login, made.data.performed_via_github_app.slug]).toEqual([
      201,
      'evident[bot]',
      'evident',
    ]);
    const person = repository.as('octocat').comment(number, 'a person speaks');
    await api('PATCH', `/repos/octo-org/shop/issues/comments/${made.data.id}`, { body: 'hello again' });
    expect(
      (await api('PATCH', `/repos/octo-org/shop/issues/comments/${person.id}`, { body: 'no' })).status,
    ).toBe(403);
    await graphql(
      api,
      github,
      'mutation ($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) { minimizedComment { isMinimized minimizedReason } } }',
      { id: made.data.node_id },
    );
    const seen = (await ask()).data.repository.pullRequest.comments.nodes;
    expect(seen.map((entry: Json) => [entry.body, entry.isMinimized, entry.viewerDidAuthor])).toEqual([
      ['hello again', true, true],
      ['a person speaks', false, false],
    ]);
    const paged = await api('GET', `${issue}/comments?per_page=1`);
    expect([paged.data.length, /page=2/.test(paged.headers.get('link') ?? '')]).toEqual([1, true]);
    expect((await api('DELETE', `/repos/octo-org/shop/issues/comments/${made.data.id}`)).status).toBe(204);
    expect((await api('GET', `/repos/octo-org/shop/issues/comments/${made.data.id}`)).status).toBe(404);
    expect((await api('POST', `${issue}/comments`, { body: '' })).status).toBe(422);
    expect((await api('GET', issue)).data.comments).toBe(1);
  });

  test('a reaction is new once: 201, then 200; it is a lock that only its owner opens', async () => {
    const issue = `/repos/octo-org/shop/issues/${number}`;
    const first = await api('POST', `${issue}/reactions`, { content: 'eyes' });
    const again = await api('POST', `${issue}/reactions`, { content: 'eyes' });
    expect([first.status, again.status, again.data.id === first.data.id]).toEqual([201, 200, true]);
    const other = createApi(github, github.tokenOf('monalisa'));
    expect((await other('POST', `${issue}/reactions`, { content: 'eyes' })).status).toBe(201);
    expect((await other('DELETE', `${issue}/reactions/${first.data.id}`)).status).toBe(403);
    expect((await api('DELETE', `${issue}/reactions/${first.data.id}`)).status).toBe(204);
    expect((await api('POST', `${issue}/reactions`, { content: 'eyes' })).status).toBe(201);
    expect((await api('POST', `${issue}/reactions`, { content: 'shrug' })).status).toBe(422);
  });

  test('labels and requested reviewers', async () => {
    const issue = `/repos/octo-org/shop/issues/${number}`;
    repository.addCollaborator('monalisa', 'write');
    expect((await api('POST', `${issue}/labels`, { labels: ['needs a person'] })).data[0].name).toBe(
      'needs a person',
    );
    expect((await api('DELETE', `${issue}/labels/needs%20a%20person`)).status).toBe(200);
    expect((await api('DELETE', `${issue}/labels/needs%20a%20person`)).status).toBe(404);
    const asked = await api('POST', `${pull}/requested_reviewers`, { reviewers: ['monalisa'] });
    expect([asked.status, asked.data.requested_reviewers[0].login]).toEqual([201, 'monalisa']);
    expect((await api('POST', `${pull}/requested_reviewers`, { reviewers: ['octocat'] })).status).toBe(422);
    expect((await api('POST', `${pull}/requested_reviewers`, { reviewers: ['passer-by'] })).status).toBe(422);
    expect((await api('GET', `${pull}/requested_reviewers`)).data.users[0].login).toBe('monalisa');
  });

  test('a deleted account is nobody, in REST and in GraphQL', async () => {
    await review([{ path: 'a.ts', line: 5, body: 'x' }]);
    const [thread] = repository.pull(number).threads;
    repository.as('shortlived').reply(thread?.id ?? '', 'by design');
    github.deleteAccount('shortlived');
    const rest = await api('GET', `${pull}/comments`);
    expect(rest.data[1].user).toBeNull();
    expect(
      (await ask()).data.repository.pullRequest.reviewThreads.nodes[0].comments.nodes[1].author,
    ).toBeNull();
  });

  test('what GraphQL cannot answer is an error and never a silent null', async () => {
    const off = await graphql(
      api,
      github,
      `{ repository(owner: "octo-org", name: "shop") { pullRequest(number: ${number}) { timelineItems(first: 1) { totalCount } } } }`,
    );
    expect(off.errors[0].message).toMatch(/does not answer PullRequest.timelineItems/);
    const wrong = await graphql(api, github, '{ repository(owner: "octo-org", name: "shop") { nonsense } }');
    expect([wrong.data, /nonsense/.test(wrong.errors[0].message as string)]).toEqual([undefined, true]);
    const missing = await graphql(api, github, '{ repository(owner: "octo-org", name: "nowhere") { id } }');
    expect([missing.data.repository, missing.errors[0].type]).toEqual([null, 'NOT_FOUND']);
    const typed = await graphql(api, github, THREADS, { owner: 'octo-org', name: 'shop', number: 'one' });
    expect(typed.errors[0].message).toMatch(/\$number/);
  });

  test('blobs, trees and commits over GraphQL', async () => {
    const answer = await graphql(
      api,
      github,
      `
        query ($at: String!) {
          repository(owner: "octo-org", name: "shop") {
            blob: object(expression: $at) {
              __typename
              oid
              ... on Blob {
                text
                byteSize
                isBinary
                isTruncated
              }
            }
            tree: object(expression: "main:") {
              ... on Tree {
                entries {
                  name
                  type
                }
              }
            }
            none: object(expression: "main:nothing") {
              oid
            }
            defaultBranchRef {
              name
              target {
                oid
                ... on Commit {
                  message
                }
              }
            }
          }
        }
      `,
      { at: `${repository.pull(number).head.sha}:b.ts` },
    );
    expect(answer.data.repository).toMatchObject({
      blob: { __typename: 'Blob', isBinary: false, isTruncated: false },
      tree: {
        entries: [
          { name: 'a.ts', type: 'blob' },
          { name: 'b.ts', type: 'blob' },
        ],
      },
      none: null,
      defaultBranchRef: { name: 'main' },
    });
  });

  test('pull requests from a fork and from one that is gone', async () => {
    await repository.commit({
      branch: `fork-${count}`,
      from: 'main',
      files: { 'f.ts': 'f\n' },
      message: 'fork',
    });
    const fork = await repository.openPullRequest({
      head: `fork-${count}`,
      title: 'From a fork',
      author: 'hubot',
      headRepository: { owner: 'hubot' },
    });
    expect((await api('GET', `/repos/octo-org/shop/pulls/${fork}`)).data.head).toMatchObject({
      label: `hubot:fork-${count}`,
      repo: { full_name: 'hubot/shop', fork: true },
    });
    await repository.commit({
      branch: `gone-${count}`,
      from: 'main',
      files: { 'g.ts': 'g\n' },
      message: 'gone',
    });
    const gone = await repository.openPullRequest({
      head: `gone-${count}`,
      title: 'Gone',
      author: 'hubot',
      headRepository: null,
    });
    expect((await api('GET', `/repos/octo-org/shop/pulls/${gone}`)).data.head.repo).toBeNull();
    const open = await api('GET', '/repos/octo-org/shop/pulls?per_page=100');
    expect(open.data.some((entry: Json) => entry.number === fork)).toBe(true);
  });
});
