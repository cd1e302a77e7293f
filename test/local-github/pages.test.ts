import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';
import { apiOfApp } from './api.js';

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

  test('a check run shows all that it says, and its annotations lead to their lines', async () => {
    const api = await apiOfApp(github);
    const { sha } = repository.pull(1).head;
    const made = await api('POST', '/repos/octo-org/shop/check-runs', {
      name: 'Evident',
      head_sha: sha,
      status: 'completed',
      conclusion: 'action_required',
      output: {
        title: 'A person decides',
        summary: '## Looked for\n\n|  | where |\n| --- | --- |\n| F1 | here |',
        text: 'word '.repeat(12_000),
        annotations: [
          { path: 'a b.ts', start_line: 2, end_line: 2, annotation_level: 'warning', message: 'see there' },
          // Half of a sign, as JSON may hold it and no address can.
          { path: 'x\ud800', start_line: 1, end_line: 1, annotation_level: 'notice', message: 'or there' },
        ],
      },
      actions: [{ label: 'Review again', description: 'Run a new pass', identifier: 'again' }],
    });
    const { text } = await get(`/octo-org/shop/runs/${made.data.id}`);
    expect(text).toMatch(/<h1>Evident <span class="pill action_required">Action required<\/span><\/h1>/);
    expect(text).toContain('<h2>A person decides</h2>');
    expect(text).toContain('<h4>Looked for</h4>');
    // A cell without words is no heading.
    expect(text).toMatch(/<tr>\s*<td><\/td>\s*<th>where<\/th>/);
    expect(text.match(/word /g)?.length).toBeGreaterThan(11_998);
    expect(text).toContain(`href="/octo-org/shop/blob/${sha}/a%20b.ts#L2"`);
    expect(text).toContain('/x%EF%BF%BD#L1"');
    expect(text).not.toContain('Review again');
    repository.addCollaborator('octocat', 'write');
    expect((await get(`/octo-org/shop/runs/${made.data.id}`)).text).toContain('Review again</button>');
  });

  test('what was hidden is folded, with the reason; labels and reactions are told', async () => {
    const { id } = repository.as('octocat').comment(1, 'off the point');
    repository.as('monalisa').minimize(id, 'off-topic');
    repository.as('monalisa').react(id, '+1');
    repository.as('octocat').label(1, 'needs care');
    const { text } = await get('/octo-org/shop/pull/1');
    expect(text).toMatch(/<summary>Hidden: off-topic<\/summary>.{0,40}<p>off the point<\/p>/s);
    expect(text).toContain('<li>thumbs up by monalisa</li>');
    expect(text).toContain('<li class="pill">needs care</li>');
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

describe('the merge box says what the branch rules say', () => {
  type Check = Parameters<LocalRepository['reportCheck']>[1];
  type Case = {
    readonly required: readonly string[];
    readonly checks: readonly Check[];
    readonly heading: string;
    readonly rows: readonly string[];
    readonly merge: string;
  };
  const can = 'Can be merged. Every required check has passed, and there are no conflicts.';
  const cases: readonly (readonly [string, Case])[] = [
    [
      'nothing reported, nothing required',
      {
        required: [],
        checks: [],
        heading: 'No checks have been reported',
        rows: [],
        merge: 'Can be merged. No check is required, and there are no conflicts.',
      },
    ],
    [
      'a required check that nobody reported',
      {
        required: ['Evident'],
        checks: [],
        heading: 'Some checks are not done yet',
        rows: ['Expected, nothing reported yet Evident Required'],
        merge: 'Merging is blocked. Evident: nothing reported yet.',
      },
    ],
    [
      'a failure that is not required',
      {
        required: ['Evident'],
        checks: [
          { name: 'Evident', conclusion: 'success' },
          { name: 'ci', conclusion: 'failure' },
        ],
        heading: 'Some checks did not pass',
        rows: ['Passed Evident Required', 'Failed ci'],
        merge: can,
      },
    ],
    [
      'neutral and skipped, which satisfy',
      {
        required: ['Evident', 'ci'],
        checks: [
          { name: 'Evident', conclusion: 'neutral' },
          { name: 'ci', conclusion: 'skipped' },
        ],
        heading: 'All checks have passed',
        rows: ['Neutral Evident Required', 'Skipped ci Required'],
        merge: can,
      },
    ],
    [
      'one that runs',
      {
        required: ['Evident'],
        checks: [{ name: 'Evident', status: 'in_progress' }],
        heading: 'Some checks are not done yet',
        rows: ['In progress Evident Required'],
        merge: 'Merging is blocked. Evident: in progress.',
      },
    ],
    [
      'the newest run of a name',
      {
        required: ['Evident'],
        checks: [
          { name: 'Evident', conclusion: 'failure' },
          { name: 'Evident', conclusion: 'action_required' },
        ],
        heading: 'Some checks did not pass',
        rows: ['Action required Evident Required'],
        merge: 'Merging is blocked. Evident: action required.',
      },
    ],
  ];
  let github: LocalGitHub;
  beforeAll(async () => {
    github = await startLocalGitHub();
  });
  afterAll(() => github.close());

  test.each(cases)('%s', async (name, { required, checks, heading, rows, merge }) => {
    const repository = await github.createRepository({
      owner: 'octo-org',
      name: `shop-${name.replace(/\W/g, '-')}`,
      files: { a: '1\n' },
    });
    await repository.commit({ branch: 'feature', files: { a: '2\n' }, message: 'c' });
    await repository.openPullRequest({ head: 'feature', title: 'Two' });
    repository.requiredChecks = required;
    for (const check of checks) repository.reportCheck(1, check);
    const text = await (await fetch(`${repository.url}/pull/1`)).text();
    const [, box = ''] = /<section[^>]* id="merge-box"[^>]*>(.*?)<\/section>/s.exec(text) ?? [];
    const words = (html: string) =>
      html
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim();
    expect({
      heading: words(/<h3>(.*?)<\/h3>/s.exec(box)?.[1] ?? ''),
      rows: [...box.matchAll(/<li class="check.*?<\/li>/gs)].map(([row]) => words(row)),
      merge: words(/<p class="merge.*?<\/p>/s.exec(box)?.[0] ?? ''),
    }).toEqual({ heading, rows, merge });
    const mergeable = repository.pull(1).mergeable();
    expect(text).toContain(mergeable ? 'Can be merged.' : 'Merging is blocked.');
  });

  test.each([
    ['Closed', false],
    ['Merged', true],
  ])('%s, of one that is over, and nothing of blocking', async (words, merged) => {
    const repository = await github.createRepository({ owner: 'octo-org', name: words, files: { a: '1\n' } });
    await repository.commit({ branch: 'feature', files: { a: '2\n' }, message: 'c' });
    await repository.openPullRequest({ head: 'feature', title: 'Two' });
    repository.requiredChecks = ['Evident'];
    await repository.closePullRequest(1, { merged });
    const text = await (await fetch(`${repository.url}/pull/1`)).text();
    expect(text).toContain(`<strong>${words}.</strong>`);
    expect(text).toContain(`data-says="Evident: Expected, nothing reported yet. ${words}"`);
    expect(text).not.toContain('blocked');
  });

  test('a title that reads from right to left turns nothing else around', async () => {
    const repository = await github.createRepository({
      owner: 'octo-org',
      name: 'rtl',
      files: { 'x\u202e.ts': '1\n' },
    });
    await repository.commit({ branch: 'feature', files: { 'x\u202e.ts': '2\n' }, message: 'c' });
    await repository.openPullRequest({ head: 'feature', title: 'שלום', body: 'שלום' });
    await repository.as('monalisa').review(1, { comments: [{ path: 'x\u202e.ts', line: 1, body: 'a' }] });
    const text = await (await fetch(`${repository.url}/pull/1/files`)).text();
    expect(text).toContain('<h1><bdi>שלום</bdi> <span');
    expect(text).toMatch(/<h3 class="bar"><bdi>x\u202e\.ts<\/bdi>, line 1/);
    expect(text).toContain('<h2 class="bar"><bdi>x\u202e.ts</bdi></h2>');
    expect(await (await fetch(`${repository.url}/pull/1`)).text()).toMatch(
      /<div class="text" dir="auto">\s*<p>שלום/,
    );
  });

  test('whoever reads is among the choices, however many people there are', async () => {
    for (let at = 0; at < 120; at += 1)
      await fetch(`${github.apiUrl}/rate_limit`, {
        headers: { authorization: `token ${github.tokenOf(`person-${at}`)}` },
      });
    const answer = await fetch(`${github.url}/`, { headers: { cookie: 'local_github_viewer=person-119' } });
    const text = await answer.text();
    expect(text.match(/<option value="person-119" selected>/g)).toHaveLength(1);
    expect(text.match(/<option/g)?.length).toBeLessThan(110);
  });
});
