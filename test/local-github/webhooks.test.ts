import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';
import { faultsOfPayload } from '../conformance/webhooks.js';
import { type Api, apiOfApp, createApi, type Json, signJwt } from './api.js';

type Received = { readonly headers: Json; readonly body: string; readonly payload: Json };

describe('webhooks', () => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  let api: Api;
  let receiver: Server;
  let hook: string;
  let answerWith = 202;
  const received: Received[] = [];

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
      request.on('end', () => {
        received.push({ headers: request.headers, body, payload: JSON.parse(body) });
        response.statusCode = answerWith;
        response.end('ok');
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    github = await startLocalGitHub({
      events: [
        'pull_request',
        'pull_request_review',
        'pull_request_review_comment',
        'pull_request_review_thread',
        'issue_comment',
        'check_run',
      ],
    });
    github.onWebhook(hook);
    repository = await github.createRepository({
      owner: 'octo-org',
      name: 'shop',
      files: { 'a.ts': 'one\ntwo\n' },
    });
    api = await apiOfApp(github);
  });
  afterAll(async () => {
    await github.close();
    await new Promise((resolve) => receiver.close(resolve));
  });
  beforeEach(async () => {
    await github.settled();
    received.length = 0;
  });

  /** Does something and answers what arrived: `event.action` in order. */
  const hear = async (act: () => unknown): Promise<string[]> => {
    await github.settled();
    received.length = 0;
    await act();
    await github.settled();
    return received.map((entry) => `${entry.headers['x-github-event']}.${entry.payload.action}`);
  };

  let number = 0;
  const open = async (branch: string) => {
    await repository.commit({ branch, from: 'main', files: { 'a.ts': 'ONE\ntwo\n' }, message: 'change' });
    number = await repository.openPullRequest({
      head: branch,
      title: 'Change',
      author: 'octocat',
      draft: branch === 'draft',
    });
  };

  test('a delivery is signed and carries GitHub’s headers', async () => {
    await hear(() => open('signed'));
    const [first] = received;
    const signature = `sha256=${createHmac('sha256', github.app.webhookSecret)
      .update(first?.body ?? '')
      .digest('hex')}`;
    expect(first?.headers['x-hub-signature-256']).toBe(signature);
    expect(first?.headers['x-github-delivery']).toMatch(/^[0-9a-f-]{36}$/);
    expect(first?.headers['user-agent']).toMatch(/^GitHub-Hookshot\//);
    expect(first?.payload.installation.id).toBe(github.app.installationId);
    expect(first?.payload.pull_request.html_url).toBe(`${github.url}/octo-org/shop/pull/${number}`);
  });

  test('every event that a pull request and its conversation send is valid by GitHub’s schemas', async () => {
    repository.addCollaborator('monalisa', 'write');
    const heard: string[] = [];
    const kept: Received[] = [];
    const run = async (act: () => unknown) => {
      heard.push(...(await hear(act)));
      kept.push(...received);
    };
    await run(() => open('draft'));
    await run(() => repository.readyForReview(number));
    await run(() => repository.convertToDraft(number));
    await run(() => repository.commit({ branch: 'draft', files: { 'a.ts': 'ONE\nTWO\n' }, message: 'more' }));
    await run(() => repository.editTitle(number, 'Another title'));
    await run(() => repository.editBody(number, 'A body'));
    await repository.commit({ branch: 'base', from: 'main', files: { 'b.ts': 'b\n' }, message: 'base' });
    await run(() => repository.retarget(number, 'base'));
    const pull = `/repos/octo-org/shop/pulls/${number}`;
    await run(() =>
      api('POST', `${pull}/reviews`, {
        event: 'COMMENT',
        body: 'b',
        comments: [{ path: 'a.ts', line: 1, body: 'x' }],
      }),
    );
    const [thread] = repository.pull(number).threads;
    const [review] = repository.pull(number).reviews;
    const root = thread?.comments[0]?.id ?? 0;
    await run(() => api('PUT', `${pull}/reviews/${review?.id}`, { body: 'c' }));
    await run(() => repository.as('octocat').reply(root, 'yes'));
    const reply = repository.pull(number).reviewComments.at(-1)?.id ?? 0;
    await run(() => repository.as('octocat').editComment(reply, 'no'));
    await run(() => repository.as('octocat').deleteComment(reply));
    await run(() => repository.as('octocat').resolve(root));
    await run(() => repository.as('octocat').unresolve(root));
    await run(() => repository.as('monalisa').review(number, { event: 'APPROVE', body: 'fine' }));
    const approval = repository.pull(number).reviews.at(-1)?.id ?? 0;
    await run(() =>
      createApi(github, github.tokenOf('monalisa'))('PUT', `${pull}/reviews/${approval}/dismissals`, {
        message: 'm',
      }),
    );
    await run(() => repository.as('octocat').comment(number, 'hello'));
    const comment = repository.pull(number).comments[0]?.id ?? 0;
    await run(() => repository.as('octocat').editComment(comment, 'hello again'));
    await run(() => repository.as('octocat').deleteComment(comment));
    await run(() => api('POST', `/repos/octo-org/shop/issues/${number}/comments`, { body: 'by the app' }));
    await run(() => api('POST', `/repos/octo-org/shop/issues/${number}/labels`, { labels: ['x'] }));
    await run(() => api('DELETE', `/repos/octo-org/shop/issues/${number}/labels/x`));
    await run(() => api('POST', `${pull}/requested_reviewers`, { reviewers: ['monalisa'] }));
    const head = repository.pull(number).head.sha;
    await run(() =>
      api('POST', '/repos/octo-org/shop/check-runs', {
        name: 'Evident',
        head_sha: head,
        status: 'in_progress',
      }),
    );
    const check = repository.pull(number).checks[0]?.id ?? 0;
    await run(() =>
      api('PATCH', `/repos/octo-org/shop/check-runs/${check}`, {
        conclusion: 'failure',
        output: { title: 't', summary: 's' },
      }),
    );
    await run(() => repository.as('octocat').rerequest(check));
    await run(() => repository.closePullRequest(number));
    await run(() => repository.reopen(number));
    await run(() => repository.closePullRequest(number, { merged: true }));

    expect(heard).toEqual([
      'pull_request.opened',
      'pull_request.ready_for_review',
      'pull_request.converted_to_draft',
      'pull_request.synchronize',
      'pull_request.edited',
      'pull_request.edited',
      'pull_request.edited',
      'pull_request_review.submitted',
      'pull_request_review_comment.created',
      'pull_request_review.edited',
      'pull_request_review.submitted',
      'pull_request_review_comment.created',
      'pull_request_review_comment.edited',
      'pull_request_review_comment.deleted',
      'pull_request_review_thread.resolved',
      'pull_request_review_thread.unresolved',
      'pull_request_review.submitted',
      'pull_request_review.dismissed',
      'issue_comment.created',
      'issue_comment.edited',
      'issue_comment.deleted',
      'issue_comment.created',
      'pull_request.labeled',
      'pull_request.unlabeled',
      'pull_request.review_requested',
      'check_run.created',
      'check_run.completed',
      'check_run.rerequested',
      'pull_request.closed',
      'pull_request.reopened',
      'pull_request.closed',
    ]);
    const faults = kept.flatMap(({ headers, payload }) =>
      faultsOfPayload(headers['x-github-event'] as string, payload.action as string, payload).map(
        (fault) => `${headers['x-github-event']}.${payload.action}: ${fault}`,
      ),
    );
    expect(faults).toEqual([]);
    const push = kept.find((entry) => entry.payload.action === 'synchronize');
    expect([push?.payload.after, push?.payload.before === push?.payload.after]).toEqual([
      push?.payload.pull_request.head.sha,
      false,
    ]);
    const moved = kept.find((entry) => entry.payload.changes?.base !== undefined);
    expect(moved?.payload.changes.base.ref.from).toBe('main');
    const own = kept.find((entry) => entry.payload.sender.type === 'Bot');
    expect(own?.payload.sender.login).toBe('evident[bot]');
  });

  test('installations are told too, and valid', async () => {
    expect(await hear(() => github.suspend(true))).toEqual(['installation.suspend']);
    const [suspended] = received;
    expect(faultsOfPayload('installation', 'suspend', suspended?.payload)).toEqual([]);
    expect(await hear(() => github.suspend(false))).toEqual(['installation.unsuspend']);
    expect(faultsOfPayload('installation', 'unsuspend', received[0]?.payload)).toEqual([]);
    expect(
      await hear(() => github.createRepository({ owner: 'octo-org', name: 'second', files: { a: 'x' } })),
    ).toEqual(['installation_repositories.added']);
    expect(faultsOfPayload('installation_repositories', 'added', received[0]?.payload)).toEqual([]);
  });

  test('a push to a closed pull request says nothing', async () => {
    await open('closed');
    await repository.closePullRequest(number);
    expect(
      await hear(() => repository.commit({ branch: 'closed', files: { z: 'z' }, message: 'z' })),
    ).toEqual([]);
  });

  test('a re-run of another app’s check is not told to this app', async () => {
    await open('ci');
    const run = repository.reportCheck(number, { name: 'ci', conclusion: 'failure' });
    expect(await hear(() => repository.as('octocat').rerequest(run.id))).toEqual([]);
  });

  test('a delivery is kept with its outcome and can be sent again under the same id', async () => {
    answerWith = 500;
    await hear(() => open('again'));
    answerWith = 202;
    const failed = github.deliveries().at(-1);
    expect(failed?.outcome).toEqual({ kind: 'answered', status: 500 });
    received.length = 0;
    const again = await github.redeliver(failed?.id ?? 0);
    expect([again.guid, again.redelivery, again.outcome]).toEqual([
      failed?.guid,
      true,
      { kind: 'answered', status: 202 },
    ]);
    expect(received[0]?.body).toBe(failed?.body);
    const asApp = createApi(github, signJwt(github.app), 'Bearer');
    const listed = await asApp('GET', '/app/hook/deliveries?per_page=2');
    expect(listed.data.map((entry: Json) => [entry.guid, entry.redelivery, entry.status_code])).toEqual([
      [failed?.guid, true, 202],
      [failed?.guid, false, 500],
    ]);
    const attempt = await asApp('POST', `/app/hook/deliveries/${failed?.id}/attempts`);
    expect(attempt.status).toBe(202);
  });

  test('deliveries are lost, doubled and held back by order', async () => {
    await open('fates');
    const comment = (body: string) => repository.as('octocat').comment(number, body);
    const isComment = (entry: { readonly event: string }) => entry.event === 'issue_comment';
    github.faults.addDelivery({ match: isComment, fate: 'lose' });
    expect(await hear(() => comment('lost'))).toEqual([]);
    expect(github.deliveries().at(-1)?.outcome).toEqual({ kind: 'lost' });
    github.faults.addDelivery({ match: isComment, fate: 'double' });
    await hear(() => comment('twice'));
    expect(received.map((entry) => entry.headers['x-github-delivery'])).toEqual([
      received[0]?.headers['x-github-delivery'],
      received[0]?.headers['x-github-delivery'],
    ]);
    let release = (): void => {};
    const until = new Promise<void>((resolve) => (release = resolve));
    github.faults.addDelivery({ match: isComment, fate: { until } });
    await hear(() => {
      comment('first written');
      comment('second written');
      release();
    });
    expect(received.map((entry) => entry.payload.comment.body)).toEqual(['second written', 'first written']);
  });

  test('a receiver that is not there is written down and stops nothing', async () => {
    github.onWebhook('http://127.0.0.1:9/nobody');
    repository.as('octocat').comment(number, 'into the void');
    await github.settled();
    expect(github.deliveries().at(-1)?.outcome).toEqual({ kind: 'unreachable' });
    github.onWebhook(null);
    const before = github.deliveries().length;
    repository.as('octocat').comment(number, 'nobody listens');
    expect(github.deliveries()).toHaveLength(before);
    github.onWebhook(hook);
  });
});
