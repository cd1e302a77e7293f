import { readdirSync, readFileSync } from 'node:fs';
import { demoStory } from '../../local-github/demo-story.js';
import type { FileChange } from '../../local-github/index.js';
import { openStory } from '../../local-github/open-story.js';
import { bug, change, files, reviews } from '../world.js';
import { isDescribed } from './openapi.js';
import { startWholeApp, type WholeApp } from './whole-app.js';

/*
 * The whole app against the local GitHub, each request and answer held against GitHub's own descriptions. What is asserted
 * of the reviews is only that they were made: other tests say how they must look.
 */

let app: WholeApp;
const used = new Set<string>();
const begin = async (...options: Parameters<typeof startWholeApp>): Promise<void> => {
  app = await startWholeApp(...options);
};
afterEach(async () => {
  for (const operation of app.proxy.operations()) used.add(operation);
  await app.close();
});

test('the demo: reviewed, answered by people, mended, reviewed again', async () => {
  await begin();
  const { repository, number } = await openStory(app.github, demoStory);
  await app.settled();
  const [thread] = repository.pull(number).threads;
  expect(repository.pull(number).reviews).toHaveLength(1);
  repository.as(demoStory.author).reply(thread?.id ?? '', 'It is meant so.');
  repository.as(demoStory.author).comment(number, 'Thanks.');
  const text = demoStory.headChanges()['src/billing/refund.ts'] ?? '';
  await repository.commit({
    branch: demoStory.branch,
    files: { 'src/billing/refund.ts': text.replace('!order.refunded', 'order.refunded') },
    message: 'Mend it',
    author: demoStory.author,
  });
  await app.settled();
  expect(repository.pull(number).reviews.find(({ body }) => body !== '')?.edited).toBe(true);
  expect(repository.pull(number).allChecks.length).toBeGreaterThan(1);
  expect(app.faults()).toEqual([]);
});

type Change = Readonly<Record<string, FileChange>>;

const open = async (
  name: string,
  { base = files, head = change }: { readonly base?: Change; readonly head?: Change } = {},
  order: { readonly headRepository?: null | { readonly owner: string } } = {},
) => {
  const repository = await app.github.createRepository({ owner: 'octo-org', name, files: base });
  repository.addCollaborator('octocat', 'write');
  await repository.commit({ branch: 'work', from: 'main', files: head, message: 'Work', author: 'octocat' });
  const number = await repository.openPullRequest({
    head: 'work',
    title: 'Work',
    author: 'octocat',
    ...order,
  });
  await app.settled();
  return { repository, number };
};

test.each<[string, null | { readonly owner: string }]>([
  ['a fork', { owner: 'stranger' }],
  ['a fork that was deleted', null],
])('%s', async (_name, headRepository) => {
  await begin({ model: reviews([bug]) });
  const { repository, number } = await open('forked', {}, { headRepository });
  expect(repository.pull(number).threads).toHaveLength(1);
  expect(app.faults()).toEqual([]);
});

test('twenty files: text, pictures, renames, modes, links, odd names, what archives leave out', async () => {
  await begin();
  const text = (at: number): string =>
    Array.from({ length: 20 }, (_, line) => `line ${at} ${line}`).join('\n');
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`src/file ${at}.ts`, text(at)]));
  const picture = (last: number) => Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, last]);
  const base: Change = {
    ...many,
    '.gitattributes': 'private/** export-ignore\n',
    'private/a.ts': text(20),
    'old/name.ts': text(21),
    'img/a.png': picture(1),
    'bin/run.sh': { mode: '100644', content: 'echo\n' },
    link: { symlink: 'src' },
    'src/Grüße.ts': text(22),
  };
  const head: Change = {
    ...Object.fromEntries(Object.entries(many).map(([path, was]) => [path, was.replace(/ 5$/m, ' five')])),
    'private/a.ts': text(30),
    'old/name.ts': null,
    'new/name.ts': text(21),
    'img/a.png': picture(2),
    'bin/run.sh': { mode: '100755', content: 'echo\n' },
    link: { symlink: 'bin' },
    'src/Grüße.ts': text(23),
    'src/added.ts': text(24),
  };
  const { repository, number } = await open('many', { base, head });
  expect(repository.pull(number).changedFiles).toBe(19);
  expect(repository.pull(number).checks.map(({ status }) => status)).toEqual(['completed']);
  expect(app.faults()).toEqual([]);
});

describe('failures', () => {
  const isWrite = (method: string, end: RegExp) => (request: { method: string; path: string }) =>
    request.method === method && end.test(request.path);
  const message = (text: string) => ({ message: text, documentation_url: 'https://docs.github.com/rest' });

  test.each<[string, () => void]>([
    [
      '502 after the review was created',
      () =>
        app.github.faults.add({
          match: isWrite('POST', /\/reviews$/),
          after: { status: 502, body: message('Server Error') },
        }),
    ],
    [
      'a dropped connection after the review was created',
      () => app.github.faults.add({ match: isWrite('POST', /\/reviews$/), after: 'reset' }),
    ],
    [
      'a read that fails twice',
      () =>
        app.github.faults.add({
          match: isWrite('GET', /\/compare\//),
          times: 2,
          before: { status: 500, body: message('Server Error') },
        }),
    ],
    [
      'a secondary limit',
      () =>
        app.github.faults.add({
          match: isWrite('PATCH', /\/check-runs\//),
          before: {
            status: 403,
            headers: { 'retry-after': '1' },
            body: message('You have exceeded a secondary rate limit.'),
          },
        }),
    ],
    [
      'GraphQL that answers 200 with errors',
      () =>
        app.github.faults.add({
          match: ({ path }) => path === '/graphql',
          before: {
            status: 200,
            body: { data: null, errors: [{ type: 'INTERNAL', message: 'Something went wrong.' }] },
          },
        }),
    ],
  ])('%s', async (_name, fault) => {
    await begin({ model: reviews([bug]) });
    fault();
    const { repository, number } = await open('failing');
    expect(repository.pull(number).reviews.length).toBeLessThan(2);
    expect(repository.pull(number).checks.map(({ status }) => status)).toEqual(['completed']);
    expect(app.github.faults.pending()).toBe(0);
    expect(app.faults()).toEqual([]);
  });

  test.each(['checks', 'pull_requests', 'contents', 'issues'] as const)(
    'without the permission %s',
    async (name) => {
      await begin({ model: reviews([bug]), permissions: { [name]: 'none' } });
      await open('refused');
      expect(app.proxy.exchanges.length).toBeGreaterThan(1);
      expect(app.faults()).toEqual([]);
    },
  );

  test('a comparison that is cut: files by the page, some without a patch', async () => {
    await begin({ limits: { comparedFiles: 1, patch: { lines: 2, bytes: 40 } } });
    await open('large', { head: { ...change, 'more.ts': 'a\nb\nc\nd\n' } });
    expect(app.proxy.operations()).toContain('GET /repos/{owner}/{repo}/pulls/{pull_number}/files');
    expect(app.faults()).toEqual([]);
  });
});

/** Routes as they stand in the source of the adapter. */
const routesOfSource = (): readonly string[] => {
  const folder = new URL('../../lib/forges/github/', import.meta.url);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      [
        ...readFileSync(new URL(name, folder), 'utf8').matchAll(
          /'(\/(?:repos|app|installation|users?)\b[^']*)'/g,
        ),
      ].map(([, route = '']) => route),
    );
};

test('every route that the source names is described, so that none goes unchecked', () => {
  const routes = new Set(routesOfSource());
  expect(routes.size).toBeGreaterThan(10);
  expect([...routes].filter((route) => !isDescribed(route))).toEqual([]);
});

test('the runs above used the whole way: reading, claiming, publishing, editing, completing', () => {
  expect([...used].sort()).toEqual(
    expect.arrayContaining([
      'GET /repos/{owner}/{repo}/compare/{basehead}',
      'GET /repos/{owner}/{repo}/git/trees/{tree_sha}',
      'GET /repos/{owner}/{repo}/pulls/{pull_number}',
      'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
      'GET /repos/{owner}/{repo}/tarball/{ref}',
      'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
      'POST /app/installations/{installation_id}/access_tokens',
      'POST /graphql',
      'POST /repos/{owner}/{repo}/check-runs',
      'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
      'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}',
    ]),
  );
});
