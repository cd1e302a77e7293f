import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';
import { type Api, createApi, type Json, signJwt } from './api.js';
import { type Receiver, startReceiver } from './receiver.js';

describe('the record of deliveries', () => {
  let time = Date.now();
  let github: LocalGitHub;
  let repository: LocalRepository;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    github = await startLocalGitHub({
      clock: () => time,
      limits: { deliveryMs: 200 },
      events: ['issue_comment'],
    });
    repository = await github.createRepository({ owner: 'octo-org', name: 'shop', files: { 'a.ts': 'a\n' } });
    await repository.commit({ branch: 'feature', files: { 'b.ts': 'b\n' }, message: 'b' });
    await repository.openPullRequest({ head: 'feature', title: 'Add b', author: 'octocat' });
  });
  afterAll(async () => {
    await github.close();
    await receiver.close();
  });
  beforeEach(() => {
    receiver.status = 202;
    receiver.received.length = 0;
    github.onWebhook(receiver.url);
  });

  // The clock stands still for JSON web tokens: each test makes its own.
  const asApp = (): Api => {
    const seconds = Math.floor(time / 1000);
    return createApi(github, signJwt(github.app, { iat: seconds - 30, exp: seconds + 500 }), 'Bearer');
  };
  const comment = async (body: string, status: number | null = 202): Promise<void> => {
    receiver.status = status;
    repository.as('octocat').comment(1, body);
    await github.settled();
  };
  const bodies = () => receiver.received.map(({ payload }) => payload.comment.body as string);

  test('newest first, by cursors, and by how it went', async () => {
    for (let at = 1; at <= 5; at += 1) await comment(`n${at}`, at === 2 ? 500 : 202);
    const pages: Json[][] = [];
    let path = '/app/hook/deliveries?per_page=2';
    while (path !== '') {
      const answer = await asApp()('GET', path);
      pages.push(answer.data);
      path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
    }
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    const ids = pages.flat().map((entry) => entry.id as number);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(pages[0]?.[0]).toMatchObject({
      event: 'issue_comment',
      action: 'created',
      status: 'OK',
      status_code: 202,
      redelivery: false,
      installation_id: github.app.installationId,
      repository_id: repository.id,
    });
    const failed = await asApp()('GET', '/app/hook/deliveries?status=failure');
    expect(failed.data.map((entry: Json) => [entry.status, entry.status_code] as unknown)).toEqual([
      ['Invalid HTTP Response: 500', 500],
    ]);
    expect((await asApp()('GET', '/app/hook/deliveries?cursor=what')).status).toBe(400);
  });

  test('one of them with what was sent and answered; sent again under the same guid', async () => {
    await comment('look at me', 500);
    const [entry] = (await asApp()('GET', '/app/hook/deliveries?per_page=1')).data as Json[];
    const detail = (await asApp()('GET', `/app/hook/deliveries/${entry.id}`)).data;
    expect(detail).toMatchObject({
      guid: entry.guid,
      url: receiver.url,
      request: { payload: { comment: { body: 'look at me' } } },
      response: { headers: { 'x-receiver': 'here' }, payload: 'noted' },
    });
    expect(detail.request.headers['x-github-event']).toBe('issue_comment');
    receiver.received.length = 0;
    receiver.status = 202;
    expect((await asApp()('POST', `/app/hook/deliveries/${entry.id}/attempts`)).status).toBe(202);
    await github.settled();
    expect(receiver.received.map(({ headers }) => headers['x-github-delivery'])).toEqual([entry.guid]);
    const again = await asApp()('GET', '/app/hook/deliveries?redelivery=true');
    expect(again.data.map((each: Json) => [each.guid, each.status_code] as unknown)).toEqual([
      [entry.guid, 202],
    ]);
    expect((await asApp()('GET', '/app/hook/deliveries/1')).status).toBe(404);
    expect((await asApp()('POST', '/app/hook/deliveries/1/attempts')).status).toBe(404);
  });

  test('no answer in time is a failure, and nothing is sent again by itself', async () => {
    await comment('slow', null);
    expect(github.deliveries().at(-1)?.outcome).toEqual({ kind: 'timedOut' });
    const [entry] = (await asApp()('GET', '/app/hook/deliveries?status=failure')).data as Json[];
    expect([entry.status, entry.status_code]).toEqual(['timed out', 0]);
    time += 3_600_000;
    await github.settled();
    expect(bodies()).toEqual(['slow']);
  });

  test('held back behind others, until nothing comes any more', async () => {
    const isFirst = ({ payload }: { readonly payload: unknown }) =>
      (payload as Json).comment.body === 'first';
    github.faults.addDelivery({ match: isFirst, fate: { behind: 2 } });
    for (const body of ['first', 'second', 'third', 'fourth']) repository.as('octocat').comment(1, body);
    await github.settled();
    expect(bodies()).toEqual(['second', 'third', 'first', 'fourth']);
    receiver.received.length = 0;
    github.faults.addDelivery({ match: isFirst, fate: { behind: 9 } });
    for (const body of ['first', 'second']) repository.as('octocat').comment(1, body);
    await github.settled();
    expect(bodies()).toEqual(['second', 'first']);
  });

  test('a delivery that was lost can be asked for again', async () => {
    github.faults.addDelivery({ match: () => true, fate: 'lose' });
    await comment('lost');
    expect(bodies()).toEqual([]);
    const [entry] = (await asApp()('GET', '/app/hook/deliveries?status=failure&per_page=1')).data as Json[];
    await asApp()('POST', `/app/hook/deliveries/${entry.id}/attempts`);
    await github.settled();
    expect(bodies()).toEqual(['lost']);
  });

  test('after three days nothing is left of it', async () => {
    await comment('old');
    time += 3 * 24 * 3_600_000 + 1000;
    expect((await asApp()('GET', '/app/hook/deliveries')).data).toEqual([]);
    await comment('new');
    expect((await asApp()('GET', '/app/hook/deliveries')).data).toHaveLength(1);
  });
});
