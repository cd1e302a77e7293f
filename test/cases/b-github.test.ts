/**
 * Failures of review bots that were reported in public, kind b: GitHub's API. docs/cases.md says in our words what each
 * was. Where a case needs a whole run, the real handler works against a local GitHub with its faults.
 */
import { readFileSync } from 'node:fs';
import MarkdownIt from 'markdown-it';
import { z } from 'zod';
import { readState } from '../../lib/core/marker.js';
import { defaultPolicy } from '../../lib/core/policy.js';
import type { Publication } from '../../lib/core/publication.js';
import type { Sha } from '../../lib/core/pull-request.js';
import type { Snapshot } from '../../lib/core/snapshot.js';
import { capText } from '../../lib/forges/github/cap-text.js';
import { createGitHubClient, type GitHubClient } from '../../lib/forges/github/client.js';
import { createAppAuth, createGitHubForge } from '../../lib/forges/github/index.js';
import { publishReview, type PublishContext } from '../../lib/forges/github/publish.js';
import { readConversation } from '../../lib/forges/github/threads.js';
import { toTrigger } from '../../lib/forges/github/to-trigger.js';
import type { RepoReader } from '../../lib/ports/forge.js';
import { silentLog } from '../../lib/ports/log.js';
import type { ModelRequest } from '../../lib/ports/model.js';
import { evidenceTools } from '../../lib/tools/index.js';
import { calls } from '../../lib/models/scripted.js';
import type { FaultRequest, LocalRepository, PullView, RequestLogEntry } from '../../local-github/index.js';
import { clientOf, openChange, openSnapshot } from '../forges/github/open-change.js';
import {
  bug,
  change,
  files,
  plays,
  readAll,
  reviews,
  startWorld,
  submit,
  threadOfBug,
  type Place,
  type PlaceOrder,
  type World,
} from '../world.js';

let world: World;
let place: Place | undefined;

beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  await place?.close();
  place = undefined;
  world.github.faults.clear();
});
afterAll(() => world.close());

const open = async (order: PlaceOrder): Promise<Place> => (place = await world.open(order));

async function played(order: PlaceOrder): Promise<Place> {
  world.github.clearRequests();
  const opened = await open(order);
  await opened.settled();
  return opened;
}

function here(): Place {
  if (place === undefined) throw new Error('No pull request is open yet.');
  return place;
}

/** Something stands on the pull request before the app hears of it. */
async function playedAfter(order: PlaceOrder, prepare: (there: Place) => unknown): Promise<Place> {
  const there = await open({ ...order, started: false });
  await prepare(there);
  world.github.clearRequests();
  await there.restart(order);
  await there.redeliver('opened');
  await there.settled();
  return there;
}

const lose = (lost: string): void =>
  world.github.faults.addDelivery({ match: ({ action }) => action === lost, fate: 'lose' });

const blocking = { gate: 'blocking' } as const;
const headOf = ({ repository, number }: Place): string => repository.pull(number).head.sha;
const titles = (there: Place): readonly string[] => there.stands().checks;
const pullOf = ({ repository, number }: Place) => repository.pull(number);

/** Requests of the app to one address of the repository. */
const sent = (there: Place, method: string, path: RegExp) =>
  world.github
    .requests()
    .filter(
      (one) =>
        one.method === method &&
        one.path.startsWith(`/repos/${there.repository.fullName}/`) &&
        path.test(one.path),
    );

const isReviewPost = ({ method, path }: FaultRequest): boolean =>
  method === 'POST' && /\/pulls\/\d+\/reviews$/.test(path);

const fixture = (name: string) =>
  JSON.parse(readFileSync(new URL(`../fixtures/cases/${name}.json`, import.meta.url), 'utf8'));

/** What the model was told, of all tools. */
const toolTexts = ({ messages }: ModelRequest): string =>
  messages
    .flatMap(({ content }) => content)
    .flatMap((block) => (block.type === 'tool_result' ? [block.text] : []))
    .join('\n');

/** As many faulty lines as a test wants, each with a claim of its own. */
const rows = Array.from(
  { length: 60 },
  (_, at) => `export const refund${at} = (order: Order): number => refundFor(order) || ${at + 1};`,
);
const many = { 'src/many.ts': `${rows.join('\n')}\n` };
const claims = (count: number, body: string = bug.body): readonly unknown[] =>
  rows.slice(0, count).map((code, at) => ({
    ...bug,
    path: 'src/many.ts',
    line: at + 1,
    code,
    title: `refund ${at} of 0 becomes ${at + 1}`,
    body,
  }));

/** About 2,800 characters in few words, in letters that take three bytes each. */
const longBody = Array.from({ length: 70 }, () => '\u7e70'.repeat(39)).join(' ');

/** A client that gets one answer, whatever it asks. */
const answering = (status: number, body: unknown, deadline = Date.now() + 60_000): GitHubClient =>
  createGitHubClient({
    apiUrl: 'https://api.github.test',
    token: async () => 't',
    log: silentLog,
    deadline,
    sleep: async () => {},
    fetch: async () =>
      new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } }),
  });

const shop = { owner: 'octo-org', repo: 'shop', number: 1 };

test('C033 a pending review of ours is deleted and blocks nothing; that of a person stays', async () => {
  const there = await playedAfter({ ...blocking, model: reviews([bug]) }, async ({ repository, number }) => {
    const params = { owner: repository.owner, repo: repository.name, pull_number: number, body: 'left over' };
    const route = '/repos/{owner}/{repo}/pulls/{pull_number}/reviews';
    const ours = await clientOf(world.github, repository);
    await ours.write('POST', route, params, 'a review that is never submitted');
    const theirs = createGitHubClient({
      apiUrl: world.github.apiUrl,
      token: async () => world.github.tokenOf('octocat'),
      log: silentLog,
      deadline: Date.now() + 60_000,
    });
    await theirs.write('POST', route, params, 'another one');
    expect(pullOf(here()).reviews.map(({ state }) => state)).toEqual(['PENDING', 'PENDING']);
  });
  expect(pullOf(there).reviews.map(({ author, state }) => [author, state])).toEqual([
    ['octocat', 'PENDING'],
    ['evident[bot]', 'COMMENTED'],
  ]);
  expect(there.stands().threads).toEqual([threadOfBug]);
  const posts = sent(there, 'POST', /\/reviews$/);
  expect(posts.length).toBeLessThanOrEqual(2);
  expect(posts.every(({ body }) => (body as { event?: string }).event === 'COMMENT')).toBe(true);
});

/** One review of sixty long findings, for all cases of much text. */
let sixtyFindings: Promise<Sixty> | undefined;
type Sixty = {
  readonly pull: PullView;
  readonly threads: readonly string[];
  readonly checks: readonly string[];
  /** Of the app to the repository, that GitHub took. */
  readonly writes: readonly RequestLogEntry[];
};
const sixty = (): Promise<Sixty> =>
  (sixtyFindings ??= played({ ...blocking, changes: many, model: reviews(claims(60, longBody)) }).then(
    (there) => ({
      pull: pullOf(there),
      threads: there.stands().threads,
      checks: titles(there),
      writes: world.github
        .requests()
        .filter(
          ({ method, path, status }) =>
            method !== 'GET' && status < 300 && path.startsWith(`/repos/${there.repository.fullName}/`),
        ),
    }),
  ));

test('C035 no text is too long for GitHub, and what is hidden at its end stays whole', async () => {
  const { pull, checks } = await sixty();
  const texts = [
    ...pull.reviews.map(({ body }) => body),
    ...pull.threads.flatMap(({ comments }) => comments.map(({ body }) => body)),
  ];
  expect(pull.reviews).toHaveLength(1);
  for (const text of texts) expect([...text].length).toBeLessThanOrEqual(65_536);
  expect(readState(pull.reviews[0]?.body ?? '').marks).toHaveLength(60);
  expect(checks).toEqual(['head 1: failure, 60 important to fix']);
});

test('C035 a cut closes what is open and stands outside of it', () => {
  const hidden = '<!-- evident:summary {"v":1} -->';
  const fold = '<details><summary>More</summary>\n\n';
  for (const opened of [fold, `${fold}${fold}`, `${fold}\`\`\`ts\n`, '~~~~\n```\n', '```ts\n']) {
    const cut = capText(`Words.\n\n${opened}${'a line of text\n'.repeat(9_000)}\n\n${hidden}`, 65_536);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(65_536);
    expect(cut.endsWith(hidden)).toBe(true);
    const note = cut.indexOf('[cut: ');
    expect(cut.slice(0, note).split('<details>').length).toBe(cut.slice(0, note).split('</details>').length);
    const tokens = new MarkdownIt({ html: true }).parse(cut, {});
    const paragraphs = tokens.filter(({ type }) => type === 'inline').map(({ content }) => content);
    expect(paragraphs).toContain('[cut: too long for GitHub]');
  }
});

test('C036 sixty findings are one call with a few comments; the others stand in the summary', async () => {
  const { pull, threads, writes } = await sixty();
  // The lease is a reaction: it makes no mail and no content.
  const content = writes.filter(
    ({ path }) => /\/(pulls|issues)\//.test(path) && !path.includes('/reactions'),
  );
  expect(content.map(({ path }) => path)).toEqual([
    expect.stringMatching(new RegExp(`/pulls/${pull.number}/reviews$`)),
  ]);
  expect(threads).toHaveLength(defaultPolicy.review.maxThreads);
  const summary = pull.reviews[0]?.body ?? '';
  for (let id = 1; id <= 60; id += 1) expect(summary).toContain(`**F${id}**`);
});

describe('C037 the secondary limit', () => {
  const limited = { message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' };

  async function posting(
    answer: { readonly headers?: Record<string, string>; readonly times: number },
    msLeft: number,
  ) {
    const opened = await openChange(world.github, { 'a.ts': 'one\n' }, { 'a.ts': 'two\n' });
    const slept: number[] = [];
    let now = Date.now();
    const context: PublishContext = {
      client: await clientOf(world.github, opened.repository),
      log: silentLog,
      clock: () => now,
      sleep: async (ms) => {
        slept.push(ms);
        now += ms;
      },
      deadline: now + msLeft,
      target: { owner: opened.repository.owner, repo: opened.repository.name, number: opened.number },
    };
    const { headers } = answer;
    world.github.faults.add({
      match: isReviewPost,
      times: answer.times,
      before: { status: 403, body: limited, ...(headers !== undefined && { headers }) },
    });
    world.github.clearRequests();
    const publication: Publication = {
      key: 'k',
      head: opened.repository.pull(opened.number).head.sha as Sha,
      review: { key: 'k', body: 'One thing.', threads: [] },
      check: { status: 'completed', conclusion: 'neutral', title: 't', summary: 's', text: '' },
    };
    const published = await publishReview(context, publication);
    const tries = world.github.requests().filter((one) => /reviews$/.test(one.path)).length;
    return { published, slept, tries, reviews: opened.repository.pull(opened.number).reviews.length };
  }

  test('C037 is waited for as long as GitHub says', async () => {
    const {
      published,
      slept,
      reviews: there,
    } = await posting({ headers: { 'retry-after': '7' }, times: 1 }, 300_000);
    expect(published.kind).toBe('published');
    expect(slept).toEqual([7_000]);
    expect(there).toBe(1);
  });

  test('C037 without a word from GitHub: a minute, then longer, and not for ever', async () => {
    const { published, slept, tries, reviews: there } = await posting({ times: 99 }, 600_000);
    expect(published).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/rate limit/i) });
    expect(tries).toBeLessThanOrEqual(3);
    expect(slept[0]).toBeGreaterThanOrEqual(60_000);
    for (const [at, ms] of slept.entries()) if (at > 0) expect(ms).toBeGreaterThan(slept[at - 1] ?? 0);
    expect(there).toBe(0);
  });

  test('C037 that does not end in the time of the run ends with a check that says so', async () => {
    const longestRunMs = 240_000;
    // A minute's wait does not fit any more when the limit is met.
    let isLate = false;
    const until = async (): Promise<void> => {
      if (!isLate) here().later(longestRunMs - 15_000);
      isLate = true;
    };
    const there = await played({
      ...blocking,
      model: reviews([bug]),
      longestRunMs,
      before: () =>
        world.github.faults.add({
          match: isReviewPost,
          times: 99,
          until,
          before: { status: 403, body: limited },
        }),
    });
    expect(there.stands()).toMatchObject({ reviews: [], threads: [], comments: 0, mergeable: false });
    // What could not be posted stands in the check, which says why.
    expect(titles(there)).toEqual([expect.stringMatching(/failure, 1 important to fix/i)]);
    expect(there.checkText()).toMatch(/rate limit/i);
    expect(sent(there, 'POST', /\/reviews$/)).toHaveLength(1);
  });
});

describe('C038 a missing permission', () => {
  test('C038 is named in the check and never tried', async () => {
    const there = await played({
      ...blocking,
      permissions: { contents: 'read', checks: 'write', pull_requests: 'read' },
      model: reviews([bug]),
    });
    expect(there.checkText()).toContain('pull_requests=write');
    expect(there.checkText()).not.toMatch(/\n\s+at |Error:/);
    // The token says what it may do, so that what would be refused is not even tried.
    expect(sent(there, 'POST', /\/reviews$/)).toHaveLength(0);
    expect(there.stands().mergeable).toBe(false);
  });

  test('C038 where no check can be written it is named in the log', async () => {
    const { repository, number } = await openChange(world.github, { 'a.ts': 'one\n' }, { 'a.ts': 'two\n' });
    const granted = repository.permissions;
    repository.permissions = { contents: 'read', pull_requests: 'write' };
    try {
      world.github.clearRequests();
      const { id: appId, privateKey } = world.github.app;
      const { apiUrl } = world.github;
      const forge = await createGitHubForge({
        auth: createAppAuth({ appId, privateKey, apiUrl, log: silentLog }),
        appId,
        apiUrl,
        log: silentLog,
        policy: defaultPolicy,
        longestRunMs: 60_000,
      }).open({ ...triggerOf(repository, number) });
      expect(await forge.claim(triggerOf(repository, number))).toMatchObject({
        kind: 'without_check',
        why: expect.stringMatching(/checks=(read|write)/),
      });
      const tries = world.github.requests().filter((one) => one.path.endsWith('/check-runs'));
      expect(tries.length).toBeLessThanOrEqual(2);
    } finally {
      repository.permissions = granted;
    }
  });

  const triggerOf = (repository: LocalRepository, number: number) =>
    ({
      kind: 'pull_request',
      reason: 'opened',
      owner: repository.owner,
      repo: repository.name,
      number,
      head: repository.pull(number).head.sha as Sha,
      base: 'main',
      draft: false,
      installation: world.github.app.installationId,
      sender: 'octocat',
    }) as const;
});

const resolveThread = `mutation ($id: ID!) {
  resolveReviewThread(input: { threadId: $id }) { thread { isResolved } }
}`;

test('C039 a fixed finding needs no resolved thread: the app may not resolve, and does not try', async () => {
  const model = plays(({ pass, step }) => (step === 0 ? readAll() : submit(pass === 1 ? [bug] : [])));
  const there = await played({ ...blocking, model });
  expect(there.stands().mergeable).toBe(false);
  await there.push({ 'src/refund.ts': `${files['src/refund.ts']}\n// Nothing else.\n` });
  await there.settled();
  expect(there.stands().mergeable).toBe(true);
  const [thread] = pullOf(there).threads;
  expect(thread).toMatchObject({ isResolved: false, comments: [{ author: 'evident[bot]' }] });
  expect(pullOf(there).reviews[0]?.body).toMatch(/\*\*F1\*\* fixed in/);
  const asked = world.github.requests().filter(({ path }) => path === '/graphql');
  expect(asked.filter(({ body }) => /mutation/.test(JSON.stringify(body)))).toEqual([]);
  const client = await clientOf(world.github, there.repository);
  await expect(client.graphql(resolveThread, { id: thread?.id }, 'as the app')).rejects.toMatchObject({
    status: 403,
    retryable: false,
    unknown: false,
  });
});

test('C040 ten refused writes are ten failures, and a write nobody saw is not told as done', async () => {
  const there = await playedAfter(
    { ...blocking, changes: many, model: reviews() },
    ({ repository, number }) =>
      repository.as('octocat').review(number, {
        event: 'COMMENT',
        body: 'Ten things.',
        comments: rows
          .slice(0, 10)
          .map((_, at) => ({ path: 'src/many.ts', line: at + 1, body: `thing ${at}` })),
      }),
  );
  const { threads } = pullOf(there);
  const client = await clientOf(world.github, there.repository);
  const ends = await Promise.allSettled(
    threads.map(({ id }) => client.graphql(resolveThread, { id }, 'ten at once')),
  );
  expect(ends.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'rejected'));
  expect(pullOf(there).threads.filter(({ isResolved }) => isResolved)).toEqual([]);

  // A review that GitHub lost: looked for, never told as confirmed, and nothing is mergeable by it.
  await place?.close();
  const lost = await played({
    ...blocking,
    model: reviews([bug]),
    before: () =>
      world.github.faults.add({
        match: isReviewPost,
        before: { status: 502, body: { message: 'Bad Gateway' } },
      }),
  });
  expect(lost.stands()).toMatchObject({ reviews: [], threads: [], mergeable: false });
  const [handled] = lost.handled;
  const writes =
    handled?.kind === 'reviewed' && handled.published.kind === 'published' ? handled.published.writes : [];
  expect(writes.slice(0, 1).map(({ kind }) => kind)).not.toContain('confirmed');
});

test.each([
  ['was deleted', null],
  ['belongs to somebody else', { owner: 'stranger' }],
] as const)(
  'C042 a fork that %s: its head is read from the base repository',
  async (_name, headRepository) => {
    const there = await played({ ...blocking, model: reviews([bug]), pull: { headRepository } });
    expect(there.stands().threads).toEqual([threadOfBug]);
    const elsewhere = world.github
      .requests()
      .filter(
        ({ path }) => path.startsWith('/repos/') && !path.startsWith(`/repos/${there.repository.fullName}`),
      );
    expect(elsewhere).toEqual([]);
  },
);

describe('C043 a deleted account', () => {
  test('C043 and a null node cost nothing, and have no rights', async () => {
    const { input } = fixture('op01-ghost-author-threads');
    const { threads } = await readConversation(answering(200, input.graphql_response), shop);
    expect(threads.map(({ id }) => id)).toEqual(['T1', 'T2']);
    expect(threads[0]?.comments[1]).toMatchObject({ author: 'ghost', ours: false, body: 'by design' });
  });

  test('C043 as the author of the change and of a reply: the review goes on and the finding stands', async () => {
    // Nobody known: it starts by itself only where the repository says so.
    const settings = { '.github/evident.yml': 'outside_authors: automatic\n' };
    const there = await playedAfter(
      {
        ...blocking,
        files: { ...files, ...settings },
        model: reviews([bug]),
        pull: { author: 'gone-author' },
      },
      () => world.github.deleteAccount('gone-author'),
    );
    expect(there.stands().threads).toEqual([threadOfBug]);
    there.repository.as('gone-reader').reply(pullOf(there).threads[0]?.id ?? '', 'by design');
    world.github.deleteAccount('gone-reader');
    await there.push({ 'README.md': '# shop, again\n' });
    await there.settled();
    expect(there.stands().threads).toEqual([threadOfBug]);
    expect(titles(there).at(-1)).toBe('head 2: failure, 1 important to fix');
  });
});

test('C045 an answer of 200 with errors is a failed read: nothing is clean, nothing is posted again', async () => {
  const { status, body } = fixture('op02-graphql-200-with-errors').input;
  await expect(readConversation(answering(status, body), shop)).rejects.toMatchObject({ retryable: true });

  const there = await played({ ...blocking, model: reviews([bug]) });
  world.github.faults.add({ match: ({ path }) => path === '/graphql', times: 99, before: { status, body } });
  const sha = await there.push({ 'README.md': '# shop, again\n' });
  await there.settled();
  expect(there.stands()).toMatchObject({ threads: [threadOfBug], mergeable: false });
  expect(titles(there).at(-1)).toMatch(/^head 2: action_required, Not reviewed/);
  expect(pullOf(there).head.sha).toBe(sha);

  world.github.faults.clear();
  await there.redeliver('synchronize');
  await there.settled();
  expect(there.stands().threads).toEqual([threadOfBug]);
  expect(titles(there).at(-1)).toBe('head 2: failure, 1 important to fix');
});

test('C046 behind more than a hundred threads, reviews and comments our own are still found', async () => {
  const there = await playedAfter(
    { ...blocking, changes: { ...many, ...change }, model: reviews([bug]) },
    async ({ repository, number }) => {
      world.github.onWebhook(null);
      const stranger = repository.as('stranger');
      for (let at = 0; at < 120; at += 1) stranger.comment(number, `comment ${at}`);
      for (let part = 0; part < 2; part += 1)
        await stranger.review(number, {
          event: 'COMMENT',
          comments: rows.map((_, at) => ({
            path: 'src/many.ts',
            line: at + 1,
            body: `thread ${part} ${at}`,
          })),
        });
      for (let at = 0; at < 110; at += 1)
        await stranger.review(number, { event: 'COMMENT', body: `review ${at}` });
    },
  );
  const ours = () => pullOf(there).reviews.filter(({ author }) => author === 'evident[bot]');
  expect(ours()).toHaveLength(1);
  world.github.onWebhook(null);
  const stranger = there.repository.as('stranger');
  for (let at = 0; at < 110; at += 1)
    await stranger.review(there.number, { event: 'COMMENT', body: `later review ${at}` });
  await there.restart({ ...blocking, model: reviews([bug]) });
  await there.push({ 'README.md': '# shop, again\n' });
  await there.settled();
  expect(ours()).toHaveLength(1);
  expect(ours()[0]).toMatchObject({ edited: true });
  expect(there.stands().threads.filter((thread) => thread === threadOfBug)).toHaveLength(1);
  expect(titles(there).at(-1)).toBe('head 2: failure, 1 important to fix');
});

test('C047 a question that is the last of 130 replies is read', async () => {
  const there = await played({ ...blocking, model: reviews([bug]) });
  const thread = pullOf(there).threads[0]?.id ?? '';
  world.github.onWebhook(null);
  for (let at = 1; at < 130; at += 1) there.repository.as('octocat').reply(thread, `reply ${at}`);
  there.repository.as('octocat').reply(thread, 'What if the order is null?');
  await there.settled();
  const client = await clientOf(world.github, there.repository);
  const { owner, name: repo } = there.repository;
  const { threads, lacks } = await readConversation(client, { owner, repo, number: there.number });
  expect(lacks).toEqual([]);
  expect(threads[0]?.comments).toHaveLength(131);
  expect(threads[0]?.comments.at(-1)).toMatchObject({
    author: 'octocat',
    body: 'What if the order is null?',
  });
});

test('C048 a forced push between the last look and the review: nothing is posted for either head', async () => {
  const [status, message] = fixture('op11-review-422').input.sequences[2].post_review;
  let forced: Promise<void> | undefined;
  const there = await played({
    ...blocking,
    model: reviews([bug]),
    before: async (repository) => {
      lose('synchronize');
      const other = await repository.commit({
        branch: 'other',
        from: 'main',
        files: { 'src/label.ts': change['src/label.ts'] },
        message: 'Another',
      });
      world.github.faults.add({
        match: isReviewPost,
        until: () => (forced = repository.forcePush('refunds', other, 'octocat')),
        before: { status, body: { message: 'Unprocessable Entity', errors: [message] } },
      });
    },
  });
  await forced;
  expect(sent(there, 'POST', /\/reviews$/)).toHaveLength(1);
  expect(there.stands()).toEqual({
    reviews: [],
    threads: [],
    comments: 0,
    checks: [`head 1: cancelled, Overtaken by ${headOf(there).slice(0, 7)}`],
    mergeable: false,
  });
});

test('C050 a push during the run: what was read at one head is never posted at another', async () => {
  const model = plays(async ({ pass, step }) => {
    if (step > 0) return submit([bug]);
    if (pass === 1) await here().push({ 'src/label.ts': files['src/label.ts'] });
    return readAll();
  });
  const there = await played({ ...blocking, model });
  const stands = there.stands();
  expect(pullOf(there).reviews.map(({ commitId }) => commitId)).toEqual([headOf(there)]);
  expect(stands.threads).toEqual([threadOfBug]);
  expect(stands.checks).toEqual([
    `head 1: cancelled, Overtaken by ${headOf(there).slice(0, 7)}`,
    'head 2: failure, 1 important to fix',
  ]);
  // A late event about the old head moves nothing back.
  await there.redeliver('opened');
  await there.settled();
  expect({ ...there.stands(), checks: [] }).toEqual({ ...stands, checks: [] });
  const passes = pullOf(there).allChecks.flatMap(({ text }) =>
    readState(text ?? '').passes.map((pass) => pass.head),
  );
  expect(passes).toEqual([headOf(there)]);
});

test('C051 what the base gained meanwhile is no part of the change', async () => {
  const model = plays(({ step }) =>
    step === 0
      ? calls(
          { name: 'get_pr_diff', input: {} },
          { name: 'get_file_at_base', input: { path: 'src/label.ts' } },
          { name: 'list_files', input: { ref: 'base' } },
        )
      : submit(),
  );
  const there = await played({
    ...blocking,
    model,
    before: async (repository) => {
      for (const at of [1, 2, 3])
        await repository.commit({
          branch: 'main',
          files: {
            [`src/later-${at}.ts`]: `export const later = ${at};\n`,
            'src/label.ts': `export const label = (): string => 'later ${at}';\n`,
          },
          message: `Later ${at}`,
        });
    },
  });
  const [, request] = model.requests;
  const told = request === undefined ? '' : toolTexts(request);
  expect(told).toContain('refund ||');
  expect(told).not.toMatch(/later/);
  expect(told).toContain(files['src/label.ts'].trim());
  expect(titles(there)).toEqual(['head 1: success, Nothing open, one clean review']);
});

test('C053 another base branch is another change: reviewed again under the same head; a new title is not', async () => {
  const model = plays(({ step, request }) => {
    if (step === 0) return readAll();
    return submit(toolTexts(request).includes('refund ||') ? [bug] : []);
  });
  const there = await played({
    ...blocking,
    model,
    pull: { base: 'part' },
    before: async (repository) => {
      // What is wrong is on `part` already; against it only the label changes.
      await repository.commit({
        branch: 'part',
        from: 'main',
        files: { 'src/refund.ts': change['src/refund.ts'] },
        message: 'Part one',
      });
      await repository.commit({
        branch: 'next',
        from: 'part',
        files: { 'src/label.ts': change['src/label.ts'] },
        message: 'Part two',
      });
      await repository.forcePush('refunds', await shaOf(repository, 'next'));
    },
  });
  const ends = () => pullOf(there).allChecks.map(({ conclusion, title }) => [conclusion, title]);
  const clean = ['success', 'Nothing open, one clean review'];
  expect(ends()).toEqual([clean]);

  there.repository.editTitle(there.number, 'Another title', 'octocat');
  await there.settled();
  expect(ends()).toEqual([clean]);

  await there.repository.retarget(there.number, 'main', 'octocat');
  await there.settled();
  expect(ends()).toEqual([clean, ['failure', '1 important to fix']]);
  expect(there.stands().mergeable).toBe(false);
});

/** A branch is read by opening nothing: its commit is the head of a pull request that is thrown away. */
async function shaOf(repository: LocalRepository, branch: string): Promise<string> {
  const client = await clientOf(world.github, repository);
  const params = { owner: repository.owner, repo: repository.name, ref: branch };
  const { sha } = await client.get<{ sha: string }>(
    '/repos/{owner}/{repo}/commits/{ref}',
    params,
    'its commit',
  );
  return sha;
}

test('C054 merged while the review ran: no review appears on it, and no red check', async () => {
  const model = plays(async ({ step }) => {
    if (step === 0) return readAll();
    await here().repository.closePullRequest(here().number, { merged: true });
    return submit([bug]);
  });
  const there = await played({ ...blocking, model, before: () => lose('closed') });
  expect(pullOf(there).merged).toBe(true);
  expect(there.stands()).toMatchObject({
    reviews: [],
    threads: [],
    comments: 0,
    checks: ['head 1: cancelled, Closed before the review ended'],
  });
});

test('C055 nothing is reviewed on a closed pull request, whatever its events say', async () => {
  const model = reviews([bug]);
  const there = await playedAfter({ ...blocking, model }, async ({ repository, number }) => {
    await repository.closePullRequest(number);
  });
  await there.push({ 'src/label.ts': files['src/label.ts'] });
  there.repository.editTitle(there.number, 'Another title', 'octocat');
  there.repository.as('octocat').comment(there.number, '/evident review');
  await there.settled();
  expect(model.requests).toEqual([]);
  expect(there.stands()).toMatchObject({ reviews: [], threads: [], comments: 1 });
  const { payload } = world.github.deliveries().find(({ action }) => action === 'opened') ?? {};
  const closed = { ...(payload as { pull_request: object }) };
  expect(
    toTrigger('pull_request', {
      ...closed,
      action: 'synchronize',
      pull_request: { ...closed.pull_request, state: 'closed' },
    }),
  ).toMatchObject({ kind: 'ignored', reason: expect.stringMatching(/closed/) });
});

test('C056 a draft is reviewed when it is marked ready, once', async () => {
  const model = reviews([bug]);
  const there = await played({ ...blocking, model, pull: { draft: true } });
  expect(model.requests).toEqual([]);
  there.repository.readyForReview(there.number, 'octocat');
  await there.settled();
  expect(there.stands().threads).toEqual([threadOfBug]);
  const asked = model.requests.length;
  // Back to a draft and ready again at the same commit, and the first event once more: all is known.
  there.repository.convertToDraft(there.number, 'octocat');
  there.repository.readyForReview(there.number, 'octocat');
  await there.redeliver('opened');
  await there.settled();
  expect(model.requests).toHaveLength(asked);
  expect(there.stands().reviews).toHaveLength(1);
  // Closed and opened again.
  await there.repository.closePullRequest(there.number);
  await there.repository.reopen(there.number, 'octocat');
  await there.settled();
  expect(there.stands().reviews).toHaveLength(1);
});

describe('what a tool says of files', () => {
  async function ask(
    { snapshot, reader }: { readonly snapshot: Snapshot; readonly reader: RepoReader },
    name: string,
    input: object,
  ): Promise<string> {
    const tool = evidenceTools({ snapshot, reader }).find((one) => one.name === name);
    if (tool === undefined) throw new Error(`There is no ${name}.`);
    const { signal } = new AbortController();
    return (await tool.run(z.parse(tool.schema, input), { signal })).text;
  }

  test('C057 a file of two megabytes is too large, not empty; links, submodules and folders say what they are', async () => {
    const [large, submodule, symlink, , abc] = fixture('op04-contents-answers').input.answers;
    const commit = 'c1'.repeat(20);
    const read = await openSnapshot(
      world.github,
      await openChange(
        world.github,
        { 'a.ts': 'one\n' },
        {
          'a.ts': 'two\n',
          'large.txt': 'x'
            .repeat(79)
            .concat('\n')
            .repeat(Math.ceil(large.size / 80)),
          vendored: { submodule: commit },
          link: { symlink: symlink.target },
          'dir/a': 'a\n',
          'dir/b/c': 'c\n',
          'abc.txt': Buffer.from(abc.content, 'base64').toString(),
          'empty.txt': '',
        },
      ),
    );
    const content = (path: string) => ask(read, 'get_file_content', { path });
    expect(await content('large.txt')).toMatch(/more than the \d+ that are read/);
    expect(await content('large.txt')).not.toMatch(/empty/i);
    expect(await content('vendored')).toMatch(new RegExp(`${submodule.type}.*${commit.slice(0, 7)}`));
    expect(await content('link')).toContain(symlink.target);
    expect(await content('dir')).toMatch(/folder with 2 entries: a, b\//);
    expect(await content('abc.txt')).toMatch(/1 \| abc$/m);
    expect(await content('empty.txt')).toMatch(/is empty/);
    const asked = read.client.requests().map(({ path }) => path);
    expect(asked.filter((path) => path.includes('/contents/'))).toEqual([]);
  });

  test('C058 a search sees what the change adds, and asks no index', async () => {
    const read = await openSnapshot(
      world.github,
      await openChange(
        world.github,
        { 'a.ts': 'export {};\n' },
        { 'a.ts': 'export {};\n', 'b.ts': 'export const brandNewSymbol = 1;\n' },
      ),
    );
    expect(await ask(read, 'search_code', { pattern: 'brandNewSymbol' })).toMatch(
      /^1 match in 1 file .*at head/,
    );
    expect(await ask(read, 'search_code', { pattern: 'brandNewSymbol', ref: 'base' })).toMatch(
      /^(0|No) matches/i,
    );
    expect(read.client.requests().filter(({ path }) => path.startsWith('/search'))).toEqual([]);
  });
});

test('C059 on a pull request of its own the app comments, and the check carries the verdict', async () => {
  const there = await played({
    ...blocking,
    model: reviews([bug]),
    pull: { author: `${world.github.app.slug}[bot]` },
  });
  expect(pullOf(there).author).toBe('evident[bot]');
  expect(pullOf(there).reviews.map(({ state }) => state)).toEqual(['COMMENTED']);
  expect(titles(there)).toEqual(['head 1: failure, 1 important to fix']);
});

describe('C060 an outdated thread', () => {
  test('C060 has no line in the new file', async () => {
    const { input } = fixture('op01-ghost-author-threads');
    const { threads } = await readConversation(answering(200, input.graphql_response), shop);
    expect(threads[1]).toMatchObject({ id: 'T2', outdated: true, line: null, originalLine: 42 });
  });

  test('C060 is known again by its code, wherever that stands now, and not by its number', async () => {
    const model = plays(({ pass, step, request }) => {
      if (step === 0) return readAll();
      if (pass === 1) return submit([bug]);
      const line = Number(/\+ *(\d+) \| {3}return refund \|\|/.exec(toolTexts(request))?.[1]);
      return submit(Number.isInteger(line) ? [{ ...bug, line }] : []);
    });
    const there = await played({ ...blocking, model });
    // The same code, under another function that now has its old number.
    const below = change['src/refund.ts'].replace(
      'export function refundOf',
      'export function half(order: Order): number {\n  return order.total / 2;\n}\n\nexport function refundOf',
    );
    await there.push({ 'src/refund.ts': below });
    await there.settled();
    expect(there.stands()).toMatchObject({
      mergeable: false,
      reviews: [expect.stringMatching(/^\*\*1 important/)],
    });
    expect(there.stands().threads).toHaveLength(1);
    // Mended: the thread is outdated, and what stands at its number is not accused.
    await there.push({ 'src/refund.ts': below.replace('refund ||', 'refund ??') });
    await there.settled();
    expect(pullOf(there).threads).toMatchObject([{ isOutdated: true, line: null }]);
    expect(there.stands().mergeable).toBe(true);
  });
});

test('C061 what is resolved is asked of GraphQL; REST does not know it', async () => {
  const there = await played({ ...blocking, model: reviews([bug]) });
  there.repository.as('octocat').resolve(pullOf(there).threads[0]?.id ?? '');
  await there.push({ 'README.md': '# shop, again\n' });
  await there.settled();
  const client = await clientOf(world.github, there.repository);
  const { owner, name: repo } = there.repository;
  const { threads } = await readConversation(client, { owner, repo, number: there.number });
  expect(threads).toMatchObject([{ resolved: true }]);
  expect(sent(there, 'GET', /\/comments$/)).toEqual([]);
  // Known, and not posted again; resolving alone clears nothing.
  expect(there.stands().threads).toEqual([threadOfBug]);
  expect(titles(there).at(-1)).toBe('head 2: failure, 1 important to fix');
});

test('C062 sixty findings need no annotation to complete the check', async () => {
  const { writes, checks } = await sixty();
  const runs = writes.filter(({ path }) => path.includes('/check-runs'));
  expect(runs.length).toBeGreaterThan(1);
  expect(JSON.stringify(runs.map(({ body }) => body))).not.toContain('annotations');
  expect(checks).toEqual(['head 1: failure, 60 important to fix']);
});

describe('C063 the output of a check', () => {
  test('C063 fits, however much was found', async () => {
    const run = (await sixty()).pull.allChecks.at(-1);
    for (const text of [run?.title, run?.summary, run?.text])
      expect(Buffer.byteLength(text ?? '')).toBeLessThanOrEqual(65_535);
    expect(run).toMatchObject({ status: 'completed', conclusion: 'failure' });
    expect(readState(run?.text ?? '').passes).toHaveLength(1);
  });

  test('C063 that is refused all the same leaves the conclusion', async () => {
    const there = await played({
      ...blocking,
      model: reviews([bug]),
      before: () =>
        world.github.faults.add({
          match: ({ method, path, body }) =>
            method === 'PATCH' &&
            path.includes('/check-runs/') &&
            (body as { output?: { text?: string } }).output?.text !== undefined,
          times: 9,
          before: { status: 422, body: { message: 'Invalid request. Only 65535 characters are allowed.' } },
        }),
    });
    expect(titles(there)).toEqual(['head 1: failure, 1 important to fix']);
    expect(there.checkText()).toMatch(/could not be shown/);
  });
});
