import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';
import { type Api, apiOfApp, createApi, graphql, type Json, signJwt } from './api.js';
import { faultsOf, type Receiver, startReceiver } from './receiver.js';

const EVENTS = [
  'pull_request',
  'repository',
  'push',
  'check_suite',
  'check_run',
  'merge_group',
  'issue_comment',
];

let github: LocalGitHub;
let repository: LocalRepository;
let api: Api;
let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
  github = await startLocalGitHub({ events: EVENTS });
  repository = await github.createRepository({ owner: 'octo-org', name: 'shop', files: { 'a.ts': 'a\n' } });
  await repository.commit({ branch: 'feature', files: { 'b.ts': 'b\n' }, message: 'b' });
  await repository.openPullRequest({ head: 'feature', title: 'Add b', author: 'octocat' });
  api = await apiOfApp(github);
  github.onWebhook(receiver.url);
});
afterEach(async () => {
  await github.close();
  await receiver.close();
});

/** Does something and answers what was told of it, every payload held to GitHub's schemas. */
const hear = async (act: () => unknown): Promise<string[]> => {
  await github.settled();
  receiver.received.length = 0;
  await act();
  await github.settled();
  expect(faultsOf(receiver.received)).toEqual([]);
  return receiver.heard();
};

/** As a person, and not held to the description: it leaves out what is asked here. */
const raw = (method: string, path: string): Promise<Response> =>
  fetch(`${github.apiUrl}${path}`, {
    method,
    headers: { authorization: `token ${github.tokenOf('octocat')}` },
    redirect: 'manual',
  });

describe('repositories that move and go', () => {
  test('the old name leads to the id; what is no GET keeps its method', async () => {
    expect(await hear(() => github.renameRepository('octo-org/shop', { name: 'store' }))).toEqual([
      'repository.renamed',
    ]);
    expect(receiver.received[0]?.payload.changes.repository.name.from).toBe('shop');
    const to = `${github.apiUrl}/repositories/${repository.id}`;
    const read = await raw('GET', '/repos/octo-org/shop/pulls/1/files?per_page=5');
    const address = `${to}/pulls/1/files?per_page=5`;
    expect([read.status, read.headers.get('location'), ((await read.json()) as Json).url]).toEqual([
      301,
      address,
      address,
    ]);
    expect((await api('GET', address)).data[0].filename).toBe('b.ts');
    const write = await raw('POST', '/repos/octo-org/shop/issues/1/comments');
    expect([write.status, write.headers.get('location')]).toEqual([307, `${to}/issues/1/comments`]);
    expect((await api('GET', '/repos/octo-org/shop')).status).toBe(301);
    // A client that follows redirects is where it wanted to be.
    const followed = await fetch(`${github.apiUrl}/repos/octo-org/shop`, {
      headers: { authorization: `token ${github.tokenOf('octocat')}` },
    });
    expect(((await followed.json()) as Json).full_name).toBe('octo-org/store');
    const asked = await graphql(
      api,
      github,
      '{ repository(owner: "octo-org", name: "shop") { nameWithOwner } }',
    );
    expect(asked.data.repository.nameWithOwner).toBe('octo-org/store');
    expect([repository.fullName, github.repository('octo-org/shop').id]).toEqual([
      'octo-org/store',
      repository.id,
    ]);
  });

  test('a token for one repository goes with it to its new name', async () => {
    const narrow = await apiOfApp(github, github.app, { repositories: ['shop'] });
    github.renameRepository('octo-org/shop', { name: 'store' });
    expect((await narrow('GET', '/repos/octo-org/store')).status).toBe(200);
    expect((await narrow('GET', '/repositories/999999')).status).toBe(404);
    // A new repository takes the name over.
    await github.createRepository({ owner: 'octo-org', name: 'shop', files: { 'n.ts': 'n\n' } });
    expect((await api('GET', '/repos/octo-org/shop')).data.id).not.toBe(repository.id);
  });

  test('a fork that is deleted leaves a null head repository', async () => {
    await repository.commit({ branch: 'patch', from: 'main', files: { 'p.ts': 'p\n' }, message: 'p' });
    const number = await repository.openPullRequest({
      head: 'patch',
      title: 'From a fork',
      author: 'stranger',
      headRepository: { owner: 'stranger' },
    });
    const path = `/repos/octo-org/shop/pulls/${number}`;
    expect((await api('GET', path)).data.head.repo.full_name).toBe('stranger/shop');
    expect(await hear(() => github.deleteRepository('stranger/shop'))).toEqual(['repository.deleted']);
    const after = await api('GET', path);
    expect([after.data.head.repo, after.data.head.label, after.data.head.sha]).toEqual([
      null,
      'stranger:patch',
      repository.pull(number).head.sha,
    ]);
    const asked = await graphql(
      api,
      github,
      `{ repository(owner: "octo-org", name: "shop") { pullRequest(number: ${number}) { headRepository { id } isCrossRepository } } }`,
    );
    expect(asked.data.repository.pullRequest).toEqual({ headRepository: null, isCrossRepository: true });
    expect((await api('GET', '/repos/stranger/shop')).status).toBe(404);
  });

  test('another base changes the diff and leaves the head; draft and back', async () => {
    await repository.commit({ branch: 'release', from: 'main', files: { 'b.ts': 'b\n' }, message: 'r' });
    const before = repository.pull(1);
    expect(await hear(() => repository.retarget(1, 'release', 'octocat'))).toEqual(['pull_request.edited']);
    const payload: Json = receiver.received[0]?.payload;
    expect(payload.changes.base).toEqual({ ref: { from: 'main' }, sha: { from: before.base.sha } });
    expect([payload.pull_request.head.sha, payload.pull_request.base.ref]).toEqual([
      before.head.sha,
      'release',
    ]);
    await repository.retarget(1, 'main');
    expect(await hear(() => repository.convertToDraft(1))).toEqual(['pull_request.converted_to_draft']);
    expect(await hear(() => repository.readyForReview(1))).toEqual(['pull_request.ready_for_review']);
  });
});

describe('accounts that are gone', () => {
  test('null in reviews and in GraphQL, the ghost where REST has it, and events that keep to their schemas', async () => {
    await repository
      .as('shortlived')
      .review(1, { body: 'soon gone', comments: [{ path: 'b.ts', line: 1, body: 'x' }] });
    repository.as('shortlived').comment(1, 'hello');
    github.deleteAccount('shortlived');
    const user = async (path: string) => (await api('GET', path)).data[0].user;
    expect(await user('/repos/octo-org/shop/pulls/1/reviews')).toBeNull();
    expect(await user('/repos/octo-org/shop/pulls/1/comments')).toBeNull();
    expect((await user('/repos/octo-org/shop/issues/1/comments')).login).toBe('ghost');
    expect((await api('GET', '/users/shortlived')).status).toBe(404);
    expect((await api('GET', '/users/octocat')).data).toMatchObject({ login: 'octocat', type: 'User' });
    const asked = await graphql(
      api,
      github,
      `
        {
          repository(owner: "octo-org", name: "shop") {
            pullRequest(number: 1) {
              reviews(first: 1) {
                nodes {
                  author {
                    login
                  }
                }
              }
              comments(first: 1) {
                nodes {
                  author {
                    login
                  }
                }
              }
            }
          }
        }
      `,
    );
    const { reviews, comments } = asked.data.repository.pullRequest;
    expect([reviews.nodes[0].author, comments.nodes[0].author]).toEqual([null, null]);
  });
});

describe('the installation', () => {
  const asApp = () => createApi(github, signJwt(github.app), 'Bearer');
  const tokens = () => `/app/installations/${github.app.installationId}/access_tokens`;

  test('suspended: 403 for its tokens and for new ones, until it is not', async () => {
    expect(await hear(() => github.suspend(true))).toEqual(['installation.suspend']);
    expect((await api('GET', '/repos/octo-org/shop')).status).toBe(403);
    expect((await asApp()('POST', tokens())).status).toBe(403);
    expect((await asApp()('GET', '/repos/octo-org/shop/installation')).data.suspended_at).not.toBeNull();
    expect(await hear(() => repository.as('octocat').comment(1, 'unheard'))).toEqual([]);
    expect(await hear(() => github.suspend(false))).toEqual(['installation.unsuspend']);
    expect((await api('GET', '/repos/octo-org/shop')).status).toBe(200);
  });

  test('uninstalled: no tokens, no installation, no events; installed again under another id', async () => {
    const before = github.app.installationId;
    const path = tokens();
    expect(await hear(() => github.uninstall())).toEqual(['installation.deleted']);
    expect((await api('GET', '/repos/octo-org/shop')).status).toBe(401);
    expect((await asApp()('POST', path)).status).toBe(404);
    expect((await asApp()('GET', '/repos/octo-org/shop/installation')).status).toBe(404);
    expect((await asApp()('GET', '/app/installations')).data).toEqual([]);
    expect((await asApp()('GET', '/app')).data.installations_count).toBe(0);
    expect(await hear(() => repository.as('octocat').comment(1, 'unheard'))).toEqual([]);
    expect(await hear(() => github.install())).toEqual(['installation.created']);
    expect(github.app.installationId).not.toBe(before);
    expect((await asApp()('POST', path)).status).toBe(404);
    expect((await (await apiOfApp(github))('GET', '/repos/octo-org/shop')).status).toBe(200);
  });

  test('without this repository: 404 as if it were not there', async () => {
    expect(await hear(() => github.selectRepository('octo-org/shop', false))).toEqual([
      'installation_repositories.removed',
    ]);
    expect((await api('GET', '/repos/octo-org/shop')).status).toBe(404);
    expect((await asApp()('GET', '/repos/octo-org/shop/installation')).status).toBe(404);
    expect((await asApp()('POST', tokens(), { repositories: ['shop'] })).status).toBe(422);
    expect(await hear(() => repository.as('octocat').comment(1, 'unheard'))).toEqual([]);
    expect(await hear(() => github.selectRepository('octo-org/shop', true))).toEqual([
      'installation_repositories.added',
    ]);
    expect((await api('GET', '/repos/octo-org/shop')).status).toBe(200);
  });

  test('permissions that the owner accepts are told, and bind the tokens that are out', async () => {
    const told = await hear(() => github.acceptPermissions({ contents: 'read' }));
    expect(told).toEqual(['installation.new_permissions_accepted']);
    expect((await api('GET', '/repos/octo-org/shop/pulls/1')).status).toBe(403);
  });

  test('the client id signs as well as the number', async () => {
    const { clientId } = github.app;
    const answer = await createApi(github, signJwt(github.app, { iss: clientId }), 'Bearer')('GET', '/app');
    expect(answer.data.id).toBe(github.app.id);
  });
});

describe('pushes, suites, re-runs and buttons', () => {
  const head = () => repository.pull(1).head.sha;

  test('a push is told with its commits, and a suite is asked for', async () => {
    const before = head();
    const told = await hear(() =>
      repository.commit({
        branch: 'feature',
        files: { 'b.ts': null, 'ü.ts': 'u\n', 'a.ts': 'A\n' },
        message: 'c',
      }),
    );
    expect(told).toEqual(['push', 'check_suite.requested', 'pull_request.synchronize']);
    expect(receiver.received[0]?.payload).toMatchObject({
      ref: 'refs/heads/feature',
      before,
      after: head(),
      created: false,
      forced: false,
      commits: [{ added: ['ü.ts'], removed: ['b.ts'], modified: ['a.ts'] }],
    });
    await hear(() => repository.forcePush('feature', before));
    expect(receiver.received[0]?.payload).toMatchObject({ forced: true, commits: [] });
  });

  test('a suite completes with its last run, and is asked for again as a whole or by one run', async () => {
    const one = await api('POST', '/repos/octo-org/shop/check-runs', { name: 'Evident', head_sha: head() });
    const two = await api('POST', '/repos/octo-org/shop/check-runs', { name: 'Second', head_sha: head() });
    const finish = (id: number) =>
      api('PATCH', `/repos/octo-org/shop/check-runs/${id}`, { conclusion: 'success' });
    expect(await hear(() => finish(one.data.id))).toEqual(['check_run.completed']);
    expect(await hear(() => finish(two.data.id))).toEqual(['check_run.completed', 'check_suite.completed']);
    const suite = one.data.check_suite.id as number;
    const path = `/repos/octo-org/shop/check-suites/${suite}`;
    expect((await api('GET', path)).data).toMatchObject({ status: 'completed', latest_check_runs_count: 2 });
    expect((await api('GET', `${path}/check-runs`)).data.total_count).toBe(2);
    const listed = await raw('GET', `/repos/octo-org/shop/commits/${head()}/check-suites`);
    expect((await listed.json()) as Json).toMatchObject({ total_count: 1, check_suites: [{ id: suite }] });
    const again = () => api('POST', `/repos/octo-org/shop/check-runs/${one.data.id}/rerequest`);
    expect(await hear(again)).toEqual(['check_run.rerequested']);
    // The suite is queued again; the run itself stays as it was.
    expect((await api('GET', path)).data).toMatchObject({ status: 'queued', conclusion: null });
    expect((await api('GET', `/repos/octo-org/shop/check-runs/${one.data.id}`)).data.conclusion).toBe(
      'success',
    );
    expect(await hear(() => api('POST', `${path}/rerequest`))).toEqual(['check_suite.rerequested']);
    expect(await hear(() => repository.as('octocat').rerequestSuite(suite))).toEqual([
      'check_suite.rerequested',
    ]);
  });

  test('a button of a run is told to its app with its identifier', async () => {
    const made = await api('POST', '/repos/octo-org/shop/check-runs', {
      name: 'Evident',
      head_sha: head(),
      conclusion: 'neutral',
      actions: [{ label: 'Run now', description: 'Reviews this head', identifier: 'run' }],
    });
    expect(await hear(() => repository.as('octocat').pressAction(made.data.id as number, 'run'))).toEqual([
      'check_run.requested_action',
    ]);
    expect(receiver.received[0]?.payload.requested_action).toEqual({ identifier: 'run' });
    expect(() => repository.as('octocat').pressAction(made.data.id as number, 'other')).toThrow();
  });

  const long = (length: number) => 'x'.repeat(length);
  const note = { path: 'b.ts', start_line: 1, end_line: 1, annotation_level: 'notice', message: 'm' };
  test.each([
    ['four buttons', { actions: Array(4).fill({ label: 'a', description: 'b', identifier: 'c' }) }],
    ['a label above 20', { actions: [{ label: long(21), description: 'b', identifier: 'c' }] }],
    ['a description above 40', { actions: [{ label: 'a', description: long(41), identifier: 'c' }] }],
    ['a button without an identifier', { actions: [{ label: 'a', description: 'b' }] }],
    [
      'a level of nobody',
      { output: { title: 't', summary: 's', annotations: [{ ...note, annotation_level: 'info' }] } },
    ],
    [
      'an end before its start',
      { output: { title: 't', summary: 's', annotations: [{ ...note, start_line: 2 }] } },
    ],
    [
      'a title above 255',
      { output: { title: 't', summary: 's', annotations: [{ ...note, title: long(256) }] } },
    ],
    [
      'a message above 64 KB',
      { output: { title: 't', summary: 's', annotations: [{ ...note, message: long(65_537) }] } },
    ],
    [
      'columns over two lines',
      { output: { title: 't', summary: 's', annotations: [{ ...note, end_line: 2, start_column: 1 }] } },
    ],
  ])('%s is refused whole', async (_, write) => {
    const made = await api('POST', '/repos/octo-org/shop/check-runs', { name: 'Evident', head_sha: head() });
    const path = `/repos/octo-org/shop/check-runs/${made.data.id}`;
    expect((await api('PATCH', path, { conclusion: 'success', ...write })).status).toBe(422);
    expect((await api('GET', path)).data).toMatchObject({
      conclusion: null,
      output: { annotations_count: 0 },
    });
  });

  test('comments and reviews are hidden with a reason and shown again', async () => {
    const comment = await api('POST', '/repos/octo-org/shop/issues/1/comments', { body: 'old' });
    const call = (name: string, extra: string) =>
      graphql(
        api,
        github,
        `mutation { ${name}(input: { subjectId: "${comment.data.node_id}"${extra} }) { clientMutationId } }`,
      );
    await call('minimizeComment', ', classifier: OFF_TOPIC');
    const asked = `{ node(id: "${comment.data.node_id}") { ... on IssueComment { isMinimized minimizedReason } } }`;
    expect((await graphql(api, github, asked)).data.node).toEqual({
      isMinimized: true,
      minimizedReason: 'off-topic',
    });
    await call('unminimizeComment', '');
    expect((await graphql(api, github, asked)).data.node).toEqual({
      isMinimized: false,
      minimizedReason: null,
    });
    const review = await repository.as('octocat').review(1, { body: 'to hide' });
    repository.as('octocat').minimize(review.id, 'outdated');
    expect(repository.pull(1).reviews[0]?.minimized).toBe('outdated');
  });
});

describe('the merge queue', () => {
  beforeEach(async () => {
    repository.requiredChecks = ['ci'];
    await repository.commit({ branch: 'second', from: 'main', files: { 'c.ts': 'c\n' }, message: 'c' });
    await repository.openPullRequest({ head: 'second', title: 'Add c', author: 'octocat' });
  });

  test('groups stand on each other, and merge in order once their checks pass', async () => {
    const told = await hear(() => repository.enqueue(1, 'octocat'));
    expect(told).toEqual(['pull_request.enqueued', 'merge_group.checks_requested']);
    const group = receiver.received[1]?.payload.merge_group;
    const base = repository.pull(1).base.sha;
    expect(group).toMatchObject({
      base_sha: base,
      base_ref: 'refs/heads/main',
      head_ref: `refs/heads/gh-readonly-queue/main/pr-1-${base}`,
    });
    const branch = await api('GET', `/repos/octo-org/shop/branches/gh-readonly-queue/main/pr-1-${base}`);
    expect(branch.data.commit.sha).toBe(group.head_sha);
    const second = await repository.enqueue(2, 'octocat');
    expect(second.baseSha).toBe(group.head_sha);
    const asked = await graphql(
      api,
      github,
      `
        {
          repository(owner: "octo-org", name: "shop") {
            mergeQueue(branch: "main") {
              entries(first: 5) {
                totalCount
                nodes {
                  position
                  state
                  pullRequest {
                    number
                  }
                  headCommit {
                    oid
                  }
                }
              }
            }
            pullRequest(number: 2) {
              isInMergeQueue
              mergeQueueEntry {
                position
              }
            }
          }
        }
      `,
    );
    expect(asked.data.repository.mergeQueue.entries.nodes).toEqual([
      {
        position: 1,
        state: 'AWAITING_CHECKS',
        pullRequest: { number: 1 },
        headCommit: { oid: group.head_sha },
      },
      { position: 2, state: 'QUEUED', pullRequest: { number: 2 }, headCommit: { oid: second.headSha } },
    ]);
    expect(asked.data.repository.pullRequest).toEqual({
      isInMergeQueue: true,
      mergeQueueEntry: { position: 2 },
    });
    repository.reportCheck(second.headSha, { name: 'ci', conclusion: 'success' });
    await github.settled();
    expect(repository.queue()).toHaveLength(2);
    const merged = await hear(() =>
      repository.reportCheck(group.head_sha as string, { name: 'ci', conclusion: 'success' }),
    );
    expect(merged.filter((event) => event.startsWith('merge_group'))).toEqual([
      'merge_group.destroyed',
      'merge_group.destroyed',
    ]);
    expect(receiver.received.map(({ payload }) => payload.reason).filter(Boolean)).toEqual([
      'MERGE',
      'merged',
      'MERGE',
      'merged',
    ]);
    expect([repository.pull(1).merged, repository.pull(2).merged, repository.queue()]).toEqual([
      true,
      true,
      [],
    ]);
    expect((await api('GET', '/repos/octo-org/shop/branches/main')).data.commit.sha).toBe(second.headSha);
  });

  test('a failed check takes the first out; the group behind it is built anew', async () => {
    const first = await repository.enqueue(1);
    const second = await repository.enqueue(2);
    const told = await hear(() =>
      repository.reportCheck(first.headSha, { name: 'ci', conclusion: 'failure' }),
    );
    expect(told.filter((event) => !event.startsWith('check_'))).toEqual([
      'merge_group.destroyed',
      'pull_request.dequeued',
      'merge_group.destroyed',
      'merge_group.checks_requested',
    ]);
    expect(receiver.received.map(({ payload }) => payload.reason)).toContain('CI_FAILURE');
    const [left] = repository.queue();
    expect([left?.pull, left?.baseSha, left?.headSha === second.headSha]).toEqual([
      2,
      repository.pull(2).base.sha,
      false,
    ]);
  });

  test('a push takes a pull request out, as does a person; what cannot merge does not get in', async () => {
    await repository.enqueue(1);
    await hear(() => repository.commit({ branch: 'feature', files: { 'd.ts': 'd\n' }, message: 'd' }));
    expect(repository.queue()).toEqual([]);
    await repository.enqueue(2);
    const told = await hear(() => repository.dequeue(2, 'octocat'));
    expect(told).toEqual(['merge_group.destroyed', 'pull_request.dequeued']);
    expect(receiver.received.map(({ payload }) => payload.reason)).toEqual(['dequeued', 'MANUAL']);
    repository.convertToDraft(2);
    await expect(repository.enqueue(2)).rejects.toThrow();
  });
});

describe('what was saved goes on', () => {
  test('people’s words, checks, keys and commits that no branch leads to', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'saved-'));
    const file = join(folder, 'world.json');
    try {
      await repository
        .as('monalisa')
        .review(1, { body: 'first', comments: [{ path: 'b.ts', line: 1, body: 'why?' }] });
      const old = repository.pull(1).head.sha;
      repository.reportCheck(1, { name: 'ci', conclusion: 'success' });
      const other = await repository.commit({
        branch: 'x',
        from: 'main',
        files: { 'x.ts': 'x\n' },
        message: 'x',
      });
      await repository.forcePush('feature', other);
      repository.as('octocat').react(repository.pull(1).threads[0]?.comments[0]?.id ?? 0, 'eyes');
      await github.save(file);
      await github.save(file);
      expect([(await stat(file)).mode & 0o777, await readdir(`${file}.git`)]).toEqual([
        0o600,
        [`${repository.id}.bundle`],
      ]);
      const next = await startLocalGitHub({ from: file });
      try {
        const again = next.repository('octo-org/shop');
        expect(again.pull(1)).toEqual({
          ...repository.pull(1),
          url: repository.pull(1).url.replace(github.url, next.url),
          mergeable: expect.any(Function),
          mergeability: expect.any(Function),
        });
        expect([next.app.privateKey, next.app.webhookSecret]).toEqual([
          github.app.privateKey,
          github.app.webhookSecret,
        ]);
        const later = await apiOfApp(next);
        expect((await later('GET', `/repos/octo-org/shop/git/commits/${old}`)).status).toBe(200);
        expect((await later('GET', '/repos/octo-org/shop/pulls/1/files')).data[0].filename).toBe('x.ts');
        // It is alive: a push, a thread and a number that was not given yet.
        await again.commit({ branch: 'feature', files: { 'y.ts': 'y\n' }, message: 'y' });
        again.as('octocat').resolve(again.pull(1).threads[0]?.id ?? '');
        await again.commit({ branch: 'more', from: 'main', files: { 'm.ts': 'm\n' }, message: 'm' });
        expect(await again.openPullRequest({ head: 'more', title: 'More' })).toBe(2);
        expect(again.pull(1).threads[0]?.isResolved).toBe(true);
      } finally {
        await next.close();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

test('a person labels, edits and dismisses, and each is told', async () => {
  github.onWebhook(null);
  await github.close();
  github = await startLocalGitHub({ events: ['pull_request', 'pull_request_review'] });
  repository = await github.createRepository({ owner: 'octo-org', name: 'shop', files: { 'a.ts': 'a\n' } });
  await repository.commit({ branch: 'feature', files: { 'b.ts': 'b\n' }, message: 'b' });
  const number = await repository.openPullRequest({ head: 'feature', title: 'Add b', author: 'octocat' });
  github.onWebhook(receiver.url);
  repository.addCollaborator('monalisa', 'write');
  const person = repository.as('monalisa');
  expect(await hear(() => person.label(number, 'Agent'))).toEqual(['pull_request.labeled']);
  expect(receiver.received[0]?.payload.label.name).toBe('Agent');
  expect(await hear(() => person.label(number, 'agent'))).toEqual([]);
  expect(await hear(() => person.unlabel(number, 'agent'))).toEqual(['pull_request.unlabeled']);
  expect(await hear(() => person.unlabel(number, 'agent'))).toEqual([]);
  const review = await person.review(number, { event: 'APPROVE', body: 'Fine' });
  await github.settled();
  expect(await hear(() => person.editReview(review.id, 'Finer'))).toEqual(['pull_request_review.edited']);
  expect(() => repository.as('hubot').editReview(review.id, 'Mine')).toThrow(/may not edit/);
  expect(await hear(() => person.dismissReview(review.id))).toEqual(['pull_request_review.dismissed']);
  expect(repository.pull(number).reviews).toMatchObject([
    { state: 'DISMISSED', body: 'Finer', edited: true },
  ]);
});

test('the past of a head in GraphQL: commits, what was forced away, and its check runs by permission', async () => {
  const number = 1;
  const first = repository.pull(number).head.sha;
  const report = (text: string) =>
    api('POST', '/repos/octo-org/shop/check-runs', {
      name: 'Evident',
      head_sha: first,
      external_id: text,
      status: 'completed',
      conclusion: 'neutral',
      output: { title: 't', summary: 's', text },
    });
  await report('one');
  await report('two');
  const other = await repository.commit({
    branch: 'aside',
    from: 'main',
    files: { 'c.ts': 'c\n' },
    message: 'c',
  });
  await repository.forcePush('feature', other, 'octocat');
  await repository.commit({ branch: 'feature', files: { 'd.ts': 'd\n' }, message: 'd' });
  const query = (type: string) => `{ repository(owner: "octo-org", name: "shop") { pullRequest(number: 1) {
    commits(last: 10) { totalCount nodes { commit { message associatedPullRequests(first: 5) { nodes { number } } } } }
    timelineItems(itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT], last: 10) { nodes { ... on HeadRefForcePushedEvent {
      actor { login } afterCommit { oid }
      beforeCommit { oid history(first: 1) { nodes { oid } }
        checkSuites(first: 5, filterBy: { appId: ${github.app.id} }) { nodes { app { databaseId }
          checkRuns(first: 5, filterBy: { checkType: ${type} }) { nodes { databaseId externalId status conclusion text } }
        } } } } } }
  } } }`;
  const read = async (type: string) => (await graphql(api, github, query(type))).data.repository.pullRequest;
  const pull = await read('ALL');
  expect(pull.commits.nodes.map((node: Json) => node.commit.message)).toEqual(['c', 'd']);
  expect(pull.commits.nodes[1].commit.associatedPullRequests.nodes).toEqual([{ number: 1 }]);
  const [forced, ...rest] = pull.timelineItems.nodes;
  expect(rest).toEqual([]);
  expect(forced).toMatchObject({ actor: { login: 'octocat' }, afterCommit: { oid: other } });
  expect(forced.beforeCommit).toMatchObject({ oid: first, history: { nodes: [{ oid: first }] } });
  const run = { databaseId: null, status: 'COMPLETED', conclusion: 'NEUTRAL' };
  expect(forced.beforeCommit.checkSuites.nodes).toEqual([
    {
      app: { databaseId: github.app.id },
      checkRuns: {
        nodes: [
          { ...run, externalId: 'two', text: 'two' },
          { ...run, externalId: 'one', text: 'one' },
        ],
      },
    },
  ]);
  const latest = await read('LATEST');
  const [suite] = latest.timelineItems.nodes[0].beforeCommit.checkSuites.nodes;
  expect(suite.checkRuns.nodes.map((node: Json) => node.text)).toEqual(['two']);

  repository.permissions = { contents: 'read', pull_requests: 'write' };
  const refused = await graphql(await apiOfApp(github), github, query('ALL'));
  expect(refused.errors).toMatchObject([{ type: 'FORBIDDEN' }]);
});
