import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';
import { apiOfApp, type Api } from './api.js';

describe('an open page hears of what changes', () => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  let api: Api;
  const pull = '/octo-org/shop/pull/1';
  beforeEach(async () => {
    github = await startLocalGitHub();
    repository = await github.createRepository({
      owner: 'octo-org',
      name: 'shop',
      files: { 'a.ts': 'one\ntwo\n' },
    });
    repository.addCollaborator('octocat', 'write');
    for (const [at, branch] of ['feature', 'other'].entries()) {
      await repository.commit({ branch, from: 'main', files: { 'a.ts': `${at}\ntwo\n` }, message: 'c' });
      await repository.openPullRequest({ head: branch, title: branch, author: 'octocat' });
    }
    api = await apiOfApp(github);
  });
  afterEach(() => github.close());

  const read = async (path = pull) => {
    const text = await (await fetch(`${github.url}${path}`)).text();
    const told = (name: string) => new RegExp(`data-${name}="([^"]*)"`).exec(text)?.[1] ?? '';
    const parts = [...text.matchAll(/id="([\w-]+)" class="[^"]*" aria-label="[^"]*" data-part="([^"]*)"/g)];
    return {
      version: told('version'),
      says: told('says'),
      parts: new Map(parts.map(([, id = '', part = '']) => [id, part])),
    };
  };

  /** The versions that a listener is told, one at a time. */
  const listen = async (known: string) => {
    const stop = new AbortController();
    const answer = await fetch(`${github.url}${pull}/events?known=${known}`, { signal: stop.signal });
    const reader = answer.body?.getReader();
    const decoder = new TextDecoder();
    let text = '';
    const next = async (): Promise<string> => {
      for (;;) {
        const [whole, version] = /event: change\ndata: (.*)\n\n/.exec(text) ?? [];
        if (whole !== undefined && version !== undefined) {
          text = text.slice(text.indexOf(whole) + whole.length);
          return version;
        }
        const chunk = await reader?.read();
        if (chunk?.value === undefined) throw new Error('the events ended');
        text += decoder.decode(chunk.value, { stream: true });
      }
    };
    return { answer, next, stop: () => stop.abort() };
  };

  test('every kind of change is told once, with the version of the page that then stands', async () => {
    const head = repository.pull(1).head.sha;
    let run = 0;
    let thread = '';
    const changes: readonly (readonly [string, () => unknown])[] = [
      [
        'a check begins',
        async () => {
          const made = await api('POST', '/repos/octo-org/shop/check-runs', {
            name: 'Evident',
            head_sha: head,
            status: 'in_progress',
            output: { title: 'Reading', summary: '$0.01' },
          });
          run = made.data.id;
        },
      ],
      [
        'a check says how far it is',
        () =>
          api('PATCH', `/repos/octo-org/shop/check-runs/${run}`, {
            output: { title: 'Reading, 1 of 2 files', summary: '$0.02' },
          }),
      ],
      [
        'a review',
        async () => {
          await api('POST', '/repos/octo-org/shop/pulls/1/reviews', {
            commit_id: head,
            event: 'COMMENT',
            comments: [{ path: 'a.ts', line: 1, side: 'RIGHT', body: 'Why?' }],
          });
          thread = repository.pull(1).threads[0]?.id ?? '';
        },
      ],
      ['a reply', () => repository.as('octocat').reply(thread, 'So.')],
      [
        'an edit',
        () =>
          api('PATCH', `/repos/octo-org/shop/pulls/comments/${repository.pull(1).reviewComments[0]?.id}`, {
            body: 'Why so?',
          }),
      ],
      ['a conversation that is resolved', () => repository.as('octocat').resolve(thread)],
      [
        'a reaction',
        () => repository.as('octocat').react(repository.pull(1).reviewComments[0]?.id ?? 0, 'eyes'),
      ],
      ['a comment', () => repository.as('octocat').comment(1, 'Hello')],
      ['a label', () => repository.as('octocat').label(1, 'bug')],
      ['a required check', () => (repository.requiredChecks = ['Evident'])],
      ['the title', () => repository.editTitle(1, 'Another')],
      ['a push', () => repository.commit({ branch: 'feature', files: { 'a.ts': 'x\ntwo\n' }, message: 'p' })],
      ['the end', () => repository.closePullRequest(1)],
    ];
    const { version } = await read();
    const { answer, next, stop } = await listen(version);
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    let before = version;
    for (const [name, change] of changes) {
      await change();
      const { version: wanted } = await read();
      expect([name, wanted === before]).toEqual([name, false]);
      // What changes in several steps may be told in several.
      for (let told = ''; told !== wanted;) told = await next();
      before = wanted;
    }
    stop();
  });

  test('what is known is not told, what is old is at once', async () => {
    const { version } = await read();
    repository.as('octocat').comment(1, 'Hello');
    const late = await listen(version);
    const now = (await read()).version;
    expect(await late.next()).toBe(now);
    late.stop();
    const knows = await listen(now);
    // Another pull request is none of its business: the next thing told is what happens to this one.
    repository.as('octocat').comment(2, 'Elsewhere');
    await new Promise((resolve) => setTimeout(resolve, 200));
    repository.as('octocat').comment(1, 'Again');
    expect(await knows.next()).toBe((await read()).version);
    expect((await read()).version).not.toBe(now);
    knows.stop();
  });

  test('only the parts that changed are other ones, and what is said tells of the checks', async () => {
    repository.requiredChecks = ['Evident'];
    const before = await read();
    expect(before.says).toBe('Evident: Expected, nothing reported yet. Merging is blocked');
    await api('POST', '/repos/octo-org/shop/check-runs', {
      name: 'Evident',
      head_sha: repository.pull(1).head.sha,
      status: 'in_progress',
      output: { title: 'Reading, 1 of 2 files', summary: 'Spent $0.02.' },
    });
    const after = await read();
    expect(after.says).toBe('Evident: In progress, Reading, 1 of 2 files. Merging is blocked');
    const changed = [...after.parts].filter(([id, part]) => before.parts.get(id) !== part);
    expect(changed.map(([id]) => id)).toEqual(['merge-box']);
    repository.as('octocat').comment(1, 'Hello');
    const then = await read();
    const id = repository.pull(1).comments[0]?.id;
    expect([...then.parts.keys()].filter((part) => !after.parts.has(part))).toEqual([`issuecomment-${id}`]);
  });

  test('a listener that goes away is forgotten; too many at once are refused', async () => {
    const { version } = await read();
    const open = await Promise.all(Array.from({ length: 100 }, () => listen(version)));
    expect((await fetch(`${github.url}${pull}/events`)).status).toBe(503);
    for (const { stop } of open) stop();
    for (;;) {
      const again = await listen(version).catch(() => null);
      if (again?.answer.status === 200) {
        again.stop();
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    // Closing does not wait for those who listen still.
    await listen(version);
  });

  test('one that goes away before it is answered is forgotten too', async () => {
    const isOne = ({ path }: { readonly path: string }): boolean => path.endsWith('/events');
    let reached = 0;
    const match = (request: { readonly path: string }): boolean => isOne(request) && (reached += 1) > 0;
    github.faults.add({ match, times: 100, delayMs: 500 });
    const stop = new AbortController();
    const { signal } = stop;
    const left = Array.from({ length: 100 }, () =>
      fetch(`${github.url}${pull}/events`, { signal }).catch(() => 'gone'),
    );
    const until = async (is: () => boolean): Promise<void> => {
      while (!is()) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await until(() => reached === 100);
    stop.abort();
    await Promise.all(left);
    await until(() => github.requests().filter(isOne).length === 100);
    const here = await listen('');
    expect(here.answer.status).toBe(200);
    expect(await here.next()).toBe((await read()).version);
    here.stop();
  });

  test.each(['/octo-org/shop/pull/9/events', '/octo-org/shop/pull/1/events/x'])(
    '%s is not there',
    async (path) => {
      expect((await fetch(`${github.url}${path}`)).status).toBe(404);
    },
  );
});

describe('a long conversation', () => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  const text = (at: number) =>
    `**Important (F${at}): \`value${at}\` may be null here**\n\n${'It is read without a test, and `load` gives null where there is none. '.repeat(8)}\n\n\`\`\`suggestion\nconst value${at} = load(${at}) ?? null;\n\`\`\`\n\n<details><summary>More</summary>\n\n- one\n- two\n\n</details>\n\n<!-- ${'hidden state '.repeat(60)} -->`;
  const threads = 700;
  const body = Array.from({ length: threads }, (_, at) => `const value${at} = load(${at});`).join('\n');
  beforeAll(async () => {
    github = await startLocalGitHub();
    repository = await github.createRepository({ owner: 'octo-org', name: 'shop', files: { 'a.ts': '\n' } });
    repository.addCollaborator('octocat', 'write');
    await repository.commit({ branch: 'feature', files: { 'a.ts': `${body}\n` }, message: 'c' });
    for (const base of ['main', 'second'] as const) {
      if (base === 'second') await repository.commit({ branch: base, from: 'main', files: {}, message: 'b' });
      const number = await repository.openPullRequest({
        head: 'feature',
        base,
        title: base,
        author: 'octocat',
      });
      const count = base === 'main' ? 200 : threads;
      await repository.as('monalisa').review(number, {
        body: 'Many things.',
        comments: Array.from({ length: count }, (_, at) => ({ path: 'a.ts', line: at + 1, body: text(at) })),
      });
    }
  });
  afterAll(() => github.close());

  const get = async (path: string) => (await fetch(`${github.url}/octo-org/shop/pull/${path}`)).text();

  test.each(['1', '1/files'])('of 200 stays below 1.5 MB: %s', async (path) => {
    const page = await get(path);
    expect(page.match(/id="discussion_r/g)).toHaveLength(200);
    expect(page.match(/<textarea id="reply-/g)).toHaveLength(200);
    expect(Buffer.byteLength(page)).toBeLessThan(1_500_000);
    expect(page).not.toContain('hidden state');
  });

  test('of 700 comes in pages, each thread once, and one who replies is led to the right one', async () => {
    const pages = await Promise.all([1, 2, 3].map((at) => get(`2?page=${at}`)));
    const ids = pages.flatMap((page) => [...page.matchAll(/id="discussion_r(\d+)"/g)].map(([, id]) => id));
    expect(new Set(ids).size).toBe(threads);
    expect(ids).toHaveLength(threads);
    expect(await get('2?page=9')).toBe((await get('2?page=3')).replaceAll('page=3', 'page=9'));
    const last = ids.at(-1) ?? '';
    const answer = await fetch(`${github.url}/octo-org/shop/pull/2/reply`, {
      method: 'POST',
      headers: { origin: github.url, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ thread: last, body: 'So.' }),
      redirect: 'manual',
    });
    expect(answer.headers.get('location')).toMatch(/^\/octo-org\/shop\/pull\/2\?page=3#discussion_r\d+$/);
    const files = await get('2/files');
    expect(files).toContain('The first 300 of 700 conversations are shown here');
  });
});
