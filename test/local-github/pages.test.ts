import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';

describe('pages', () => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  beforeAll(async () => {
    github = await startLocalGitHub();
    repository = await github.createRepository({
      owner: 'octo-org',
      name: 'shop',
      files: { 'a b.ts': 'one\n<b>two</b>\n', 'x.bin': Buffer.from([0, 1]) },
    });
    await repository.commit({ branch: 'feature', files: { 'a b.ts': 'one\n<b>TWO</b>\n' }, message: 'c' });
    await repository.openPullRequest({
      head: 'feature',
      title: 'A <script>title</script>',
      body: 'Hello <script>alert(1)</script> <img src=x onerror=alert(1)> [x](javascript:alert(1)) ![p](http://example.invalid/p.png)',
    });
    await repository.as('monalisa').review(1, {
      body: '**2 important.**\n\n<!-- hidden state -->\n\n<details><summary>More</summary>\n\nfolded\n\n</details>',
      comments: [{ path: 'a b.ts', line: 2, body: 'a word on this line' }],
    });
    repository.as('octocat').reply(repository.pull(1).threads[0]?.id ?? '', 'a reply');
    repository.reportCheck(1, { name: 'ci', conclusion: 'failure' });
  });
  afterAll(() => github.close());

  const get = async (path: string) => {
    const answer = await fetch(`${github.url}${path}`);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  test('the pull request shows its conversation, and nothing that strangers wrote can run', async () => {
    const { status, headers, text } = await get('/octo-org/shop/pull/1');
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const part of [
      '<strong>2 important.</strong>',
      'a word on this line',
      'a reply',
      '<summary>More</summary>',
      'ci',
    ])
      expect(text).toContain(part);
    for (const part of ['<img', 'href="javascript:', 'hidden state']) expect(text).not.toContain(part);
    // Our own.
    expect(text.match(/<script[^>]*>/g)).toEqual(['<script src="/_pages/page.js" defer>']);
  });

  test('links of a review lead somewhere: a file with line anchors, its files, a check run', async () => {
    const head = repository.pull(1).head.sha;
    const file = await get(`/octo-org/shop/blob/${head}/a%20b.ts`);
    expect(file.text).toMatch(
      /<tr id="L2"><td class="n"><a href="#L2">2<\/a><\/td><td>&#60;b&#62;TWO&#60;\/b&#62;<\/td>/,
    );
    expect((await get('/octo-org/shop/pull/1/files')).text).toContain('class="add"');
    expect((await get(`/octo-org/shop/runs/${repository.pull(1).checks[0]?.id}`)).text).toContain('failure');
    expect((await get(`/octo-org/shop/raw/${head}/a%20b.ts`)).text).toBe('one\n<b>TWO</b>\n');
    expect((await get(`/octo-org/shop/blob/${head}/x.bin`)).text).toContain('A binary file of 2 bytes');
  });

  test.each(['/', '/octo-org/shop'])('%s lists what is there', async (path) => {
    expect((await get(path)).text).toContain('octo-org/shop');
  });

  test.each([
    '/nobody',
    '/octo-org/nothing',
    '/octo-org/shop/pull/9',
    '/octo-org/shop/blob/main/..%2f..%2fetc',
    '/octo-org/shop/blob/--all/x',
    '/%ff',
  ])('%s is not found', async (path) => expect((await get(path)).status).toBe(404));
});
