import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';
import { type Browser, createBrowser } from './browser.js';
import { startReceiver } from './receiver.js';

describe('forms', () => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  let browser: Browser;
  let number: number;
  let thread: number;
  const url = () => `/octo-org/shop/pull/${number}`;
  beforeEach(async () => {
    github = await startLocalGitHub();
    repository = await github.createRepository({
      owner: 'octo-org',
      name: 'shop',
      files: { 'a.ts': 'one\ntwo\nthree\n' },
    });
    repository.addCollaborator('octocat', 'write');
    repository.addCollaborator('monalisa', 'maintain');
    repository.addCollaborator('hubot', 'read');
    await repository.commit({ branch: 'feature', files: { 'a.ts': 'one\nTWO\nthree\n' }, message: 'c' });
    number = await repository.openPullRequest({ head: 'feature', title: 'Two', author: 'octocat' });
    await repository.as('hubot').review(number, { comments: [{ path: 'a.ts', line: 2, body: 'Why?' }] });
    thread = repository.pull(number).threads[0]?.comments[0]?.id ?? 0;
    browser = createBrowser(github);
  });
  afterEach(() => github.close());

  test('it is the author who reads at first; the switch keeps another choice in a strict cookie', async () => {
    const selected = async () =>
      /<option value="(\w+)" selected>\s*([^<]*?)\s*<\/option>/.exec((await browser.get(url())).text)?.[2];
    expect(await selected()).toBe('octocat (author)');
    const answer = await browser.post('/_pages/viewer', { login: 'monalisa', back: `${url()}/files` });
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe(`${url()}/files`);
    expect(answer.headers['set-cookie']).toEqual([
      'local_github_viewer=monalisa; Path=/; HttpOnly; SameSite=Strict',
    ]);
    await browser.be('monalisa');
    expect(await selected()).toBe('monalisa (maintainer)');
    await browser.be('hubot');
    expect(await selected()).toBe('hubot (stranger)');
  });

  test.each(['//evil.example/', '/\\evil.example', '/.//evil.example', 'http://evil.example/', ''])(
    'the switch leads to %j never',
    async (back) => {
      const answer = await browser.post('/_pages/viewer', { login: 'hubot', back });
      expect(answer.headers.location).toBe('/');
    },
  );

  test('nobody becomes somebody who is not there, or a bot', async () => {
    for (const login of ['nobody', 'evident[bot]', 'octo-org', ''])
      expect((await browser.post('/_pages/viewer', { login, back: '/' })).status).toBe(422);
  });

  test('a comment', async () => {
    await browser.be('hubot');
    const answer = await browser.post(`${url()}/comment`, { as: 'hubot', body: 'Hello\r\nthere' });
    const [comment] = repository.pull(number).comments;
    expect(comment).toMatchObject({ author: 'hubot', body: 'Hello\nthere' });
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe(`${url()}#issuecomment-${comment?.id}`);
    expect((await browser.get(url())).text).toContain(`id="issuecomment-${comment?.id}"`);
  });

  test.each([
    ['conversation', ''],
    ['files', '/files'],
  ])('a reply from the tab %s leads back to it', async (tab, path) => {
    const answer = await browser.post(`${url()}/reply`, {
      as: 'octocat',
      tab,
      thread: String(thread),
      body: 'Because.',
    });
    const reply = repository.pull(number).threads[0]?.comments[1];
    expect(reply).toMatchObject({ author: 'octocat', body: 'Because.' });
    expect(answer.headers.location).toBe(`${url()}${path}#discussion_r${reply?.id}`);
    expect((await browser.get(`${url()}${path}`)).text).toContain(`id="discussion_r${reply?.id}"`);
  });

  test('the author resolves and opens again; a stranger may not and has no button', async () => {
    const settle = (resolved: string) =>
      browser.post(`${url()}/resolve`, { thread: String(thread), resolved });
    const isResolved = () => repository.pull(number).threads[0]?.isResolved;
    expect((await settle('yes')).headers.location).toBe(`${url()}#thread-${thread}`);
    expect(isResolved()).toBe(true);
    const page = (await browser.get(url())).text;
    expect(page).toMatch(/<details>\s*<summary>\s*<h4><bdi>a\.ts<\/bdi>, line 2/);
    expect(page).toContain('Unresolve conversation');
    await settle('no');
    expect(isResolved()).toBe(false);
    await browser.be('hubot');
    expect((await settle('yes')).status).toBe(403);
    expect(isResolved()).toBe(false);
    expect((await browser.get(url())).text).not.toContain('Resolve conversation');
  });

  test('a maintainer approves or requests changes; the author may not, nor anyone without words', async () => {
    const review = (event: string, body = '') => browser.post(`${url()}/review`, { event, body });
    const refused = await review('APPROVE', 'Mine is good');
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Can not approve your own pull request');
    await browser.be('monalisa');
    expect((await review('REQUEST_CHANGES', ' ')).status).toBe(422);
    expect((await review('MERGE')).status).toBe(422);
    expect((await review('REQUEST_CHANGES', 'Not yet')).status).toBe(303);
    const answer = await review('APPROVE');
    const mine = repository.pull(number).reviews.filter((one) => one.author === 'monalisa');
    expect(mine.map((one) => one.state)).toEqual(['CHANGES_REQUESTED', 'APPROVED']);
    expect(answer.headers.location).toBe(`${url()}#pullrequestreview-${mine[1]?.id}`);
    expect((await browser.get(url())).text).toContain('monalisa approved these changes');
  });

  test('what is offered can be pushed by whoever has write access, as that person', async () => {
    repository.offers.push({
      label: 'Push a fix',
      branch: 'feature',
      push: (login) =>
        repository.commit({
          branch: 'feature',
          files: { 'a.ts': 'one\n2\nthree\n' },
          message: 'f',
          author: login,
        }),
    });
    repository.offers.push({
      label: 'Fails',
      branch: 'feature',
      push: () => Promise.reject(new Error('no space left')),
    });
    repository.offers.push({ label: 'Elsewhere', branch: 'other', push: () => Promise.reject(new Error()) });
    const page = (await browser.get(url())).text;
    expect(page).toContain('value="Push a fix"');
    expect(page).not.toContain('Elsewhere');
    const before = repository.pull(number).head.sha;
    await browser.be('hubot');
    expect((await browser.get(url())).text).toContain('hubot has no write access here and cannot push.');
    expect((await browser.post(`${url()}/push`, { offer: 'Push a fix' })).status).toBe(403);
    await browser.be('monalisa');
    expect((await browser.post(`${url()}/push`, { offer: 'Elsewhere' })).status).toBe(422);
    const said: string[] = [];
    const { write } = process.stderr;
    process.stderr.write = (text) => said.push(String(text)) > 0;
    const failed = await browser.post(`${url()}/push`, { offer: 'Fails', body: 'my words' });
    process.stderr.write = write;
    expect(said.join('')).toContain('no space left');
    expect(failed.status).toBe(500);
    expect(failed.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(failed.text).toContain('Something failed here.');
    expect(failed.text).toContain('my words</textarea>');
    expect(failed.text).not.toContain('no space left');
    expect(repository.pull(number).head.sha).toBe(before);
    expect((await browser.post(`${url()}/push`, { offer: 'Push a fix' })).headers.location).toBe(url());
    expect(repository.pull(number).head.sha).not.toBe(before);
  });

  test('who has write access merges what may be merged: a commit on the base, and its webhook', async () => {
    const receiver = await startReceiver();
    try {
      github.onWebhook(receiver.url);
      const head = repository.pull(number).head.sha;
      const at = async (ref: string) => (await browser.get(`/octo-org/shop/raw/${ref}/a.ts`)).text;
      const merge = (given = head) => browser.post(`${url()}/merge`, { as: '', head: given });
      const hasButton = async () => (await browser.get(url())).text.includes('Merge pull request</button>');

      repository.requiredChecks = ['Evident'];
      expect(await hasButton()).toBe(false);
      const held = await merge();
      expect(held.status).toBe(405);
      expect(held.text).toContain('Merging is blocked. Evident: nothing reported yet.');

      repository.requiredChecks = [];
      await browser.be('hubot');
      expect(await hasButton()).toBe(false);
      expect((await merge()).status).toBe(403);
      await browser.be('monalisa');
      expect(await hasButton()).toBe(true);
      expect((await merge('0'.repeat(40))).status).toBe(409);
      expect(repository.pull(number)).toMatchObject({ state: 'open', merged: false });
      expect(await at('main')).toBe('one\ntwo\nthree\n');
      expect(receiver.heard()).toEqual([]);

      expect((await merge()).headers.location).toBe(`${url()}#merge-box`);
      await github.settled();
      expect(repository.pull(number)).toMatchObject({ state: 'closed', merged: true });
      expect(receiver.heard()).toContain('pull_request.closed');
      const closed = receiver.received.find(({ payload }) => payload.action === 'closed')?.payload;
      expect(closed).toMatchObject({ sender: { login: 'monalisa' }, pull_request: { merged: true } });
      expect(closed?.pull_request.merge_commit_sha).not.toBe(head);
      for (const ref of ['main', closed?.pull_request.merge_commit_sha])
        expect(await at(ref)).toBe('one\nTWO\nthree\n');
      expect(await hasButton()).toBe(false);
      expect((await merge()).text).toContain('Merged.');
    } finally {
      await receiver.close();
    }
  });

  test('each act sends the webhook that the API sends', async () => {
    const receiver = await startReceiver();
    try {
      github.onWebhook(receiver.url);
      await browser.be('monalisa');
      await browser.post(`${url()}/comment`, { body: 'c' });
      await browser.post(`${url()}/reply`, { thread: String(thread), body: 'r' });
      await browser.post(`${url()}/resolve`, { thread: String(thread), resolved: 'yes' });
      await browser.post(`${url()}/review`, { event: 'APPROVE' });
      await github.settled();
      expect(receiver.heard()).toEqual([
        'issue_comment.created',
        'pull_request_review.submitted',
        'pull_request_review_comment.created',
        'pull_request_review_thread.resolved',
        'pull_request_review.submitted',
      ]);
      expect(new Set(receiver.received.map(({ payload }) => payload.sender.login))).toEqual(
        new Set(['monalisa']),
      );
    } finally {
      await receiver.close();
    }
  });
});
