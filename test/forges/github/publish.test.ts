import { readFileSync } from 'node:fs';
import nock from 'nock';
import { createGitHubClient } from '../../../lib/forges/github/client.js';
import { publishReview } from '../../../lib/forges/github/publish.js';
import type { PublishContext } from '../../../lib/forges/github/publish.js';
import { writeMarker } from '../../../lib/core/marker.js';
import type { Publication, ThreadWrite } from '../../../lib/core/publication.js';
import type { Sha } from '../../../lib/core/pull-request.js';
import { silentLog } from '../../../lib/ports/log.js';

/** The wire formats of GitHub's refusals; what a whole GitHub does is tested against the local one. */
const api = 'https://api.github.test';
const head = 'a'.repeat(40) as Sha;
const moved = 'b'.repeat(40) as Sha;
const reviews = '/repos/octo-org/shop/pulls/7/reviews';
const key = `octo-org/shop#7:${head}:main`;

type Sequence = {
  readonly post_review: readonly [number, string];
  readonly comments?: number;
  readonly bad_index?: number;
  readonly own_pending_review?: number;
  readonly head_now?: string;
  readonly headers?: Record<string, string>;
};
const { input } = JSON.parse(
  readFileSync(new URL('../../fixtures/cases/op11-review-422.json', import.meta.url), 'utf8'),
) as { input: { sequences: readonly [Sequence, Sequence, Sequence, Sequence] } };

beforeAll(() => nock.disableNetConnect());
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([]);
  nock.cleanAll();
});
afterAll(() => nock.restore());

type Posted = {
  readonly commit_id: string;
  readonly event: string;
  readonly body: string;
  readonly comments: readonly Record<string, unknown>[];
};

const thread = (index: number): ThreadWrite => ({
  key: `k${index}`,
  anchor: { kind: 'line', path: 'src/a.ts', side: 'RIGHT', line: index + 1 },
  body: `**Important (F${index}): claim ${index}**\n\nWhy ${index}.\n\n<!-- evident:thread {"n":${index}} -->`,
});

const publication = (threads: number, change: Partial<Publication> = {}): Publication => ({
  key,
  head,
  review: {
    key,
    body: `**${threads} important.**\n\n${writeMarker({ kind: 'summary', pass: key })}`,
    threads: Array.from({ length: threads }, (_, index) => thread(index)),
  },
  check: { status: 'completed', conclusion: 'neutral', title: 't', summary: 's', text: '' },
  ...change,
});

function context(change: Partial<PublishContext> = {}): PublishContext & { readonly slept: number[] } {
  let now = 1_800_000_000_000;
  const slept: number[] = [];
  const clock = (): number => now;
  const sleep = async (ms: number): Promise<void> => {
    slept.push(ms);
    now += ms;
  };
  const deadline = now + 200_000;
  return {
    client: createGitHubClient({
      apiUrl: api,
      token: async () => 't',
      log: silentLog,
      deadline,
      clock,
      sleep,
    }),
    log: silentLog,
    clock,
    sleep,
    deadline,
    target: { owner: 'octo-org', repo: 'shop', number: 7 },
    slept,
    ...change,
  };
}

type Node = { fullDatabaseId: string; state: string; body: string; viewerDidAuthor: boolean };

const live = (nodes: readonly Node[] = [], change: { state?: string; headRefOid?: string } = {}): void => {
  nock(api)
    .post('/graphql')
    .reply(200, {
      data: {
        repository: {
          pullRequest: {
            state: 'OPEN',
            headRefOid: head,
            baseRefName: 'main',
            ...change,
            reviews: { nodes },
          },
        },
      },
    });
};

const answers = (status: number, body: object | string, headers: Record<string, string> = {}): Posted[] => {
  const seen: Posted[] = [];
  nock(api)
    .post(reviews, (sent: Posted) => {
      seen.push(sent);
      return true;
    })
    .reply(status, body, headers);
  return seen;
};

const refused = ([status, message]: readonly [number, string]): { status: number; body: object } => ({
  status,
  body: { message: 'Unprocessable Entity', errors: [message] },
  ...(status === 403 ? { body: { message } } : {}),
});

test('one call carries the whole review, at the frozen head, never as an approval', async () => {
  live();
  const seen = answers(200, { id: 31 });
  const wanted = publication(2);
  const ranged: ThreadWrite = {
    key: 'r',
    body: 'range',
    anchor: { kind: 'line', path: 'src/a.ts', side: 'LEFT', line: 9, startLine: 4 },
  };
  const single: ThreadWrite = { ...ranged, anchor: { ...ranged.anchor, startLine: 9 } };
  const review = wanted.review as NonNullable<Publication['review']>;
  const result = await publishReview(context(), {
    ...wanted,
    review: { ...review, threads: [...review.threads, ranged, single] },
  });
  expect(result).toEqual({ kind: 'published', writes: [{ kind: 'confirmed', id: 31 }] });
  expect(seen[0]).toMatchObject({ commit_id: head, event: 'COMMENT', body: review.body });
  expect(seen[0]?.comments.map(({ body: _body, ...place }) => place)).toEqual([
    { path: 'src/a.ts', side: 'RIGHT', line: 1 },
    { path: 'src/a.ts', side: 'RIGHT', line: 2 },
    { path: 'src/a.ts', side: 'LEFT', line: 9, start_line: 4, start_side: 'LEFT' },
    { path: 'src/a.ts', side: 'LEFT', line: 9 },
  ]);
});

test('nothing to say: the pull request is looked at and nothing is written', async () => {
  live();
  const { review: _review, ...silent } = publication(0);
  expect(await publishReview(context(), silent)).toEqual({ kind: 'published', writes: [] });
});

test('a head that moved, or a closed pull request, stops everything', async () => {
  live([], { headRefOid: moved });
  expect(await publishReview(context(), publication(1))).toEqual({ kind: 'superseded', by: moved });
  live([], { state: 'MERGED' });
  expect(await publishReview(context(), publication(1))).toEqual({ kind: 'closed' });
});

test('our own review of the same key is not posted again; a copy by somebody else is no review of ours', async () => {
  const body = publication(1).review?.body ?? '';
  live([{ fullDatabaseId: '5', state: 'COMMENTED', body, viewerDidAuthor: true }]);
  expect(await publishReview(context(), publication(1))).toEqual({
    kind: 'published',
    writes: [{ kind: 'already_there', id: 5 }],
  });
  live([{ fullDatabaseId: '6', state: 'COMMENTED', body, viewerDidAuthor: false }]);
  answers(200, { id: 7 });
  expect(await publishReview(context(), publication(1))).toEqual({
    kind: 'published',
    writes: [{ kind: 'confirmed', id: 7 }],
  });
});

describe('GitHub refuses a position and does not say which', () => {
  const { post_review, comments = 0, bad_index = 0 } = input.sequences[0];
  const answer = refused(post_review);
  const reply = (): Posted[] => {
    const seen: Posted[] = [];
    nock(api)
      .persist()
      .post(reviews)
      .reply((_uri, sent) => {
        seen.push(sent as Posted);
        const bad = (sent as Posted).comments.some((comment) => comment['line'] === bad_index + 1);
        return bad ? [answer.status, answer.body] : [200, { id: 40 }];
      });
    return seen;
  };

  test('the bad one alone becomes a row of the body, with its text and its hidden mark at the end', async () => {
    live();
    const seen = reply();
    const result = await publishReview(context(), publication(comments));
    nock.cleanAll();
    expect(result).toEqual({ kind: 'published', writes: [{ kind: 'confirmed', id: 40 }] });
    const last = seen.at(-1);
    expect(last?.comments).toHaveLength(comments - 1);
    expect(last?.body).toContain(`- \`src/a.ts:${bad_index + 1}\`: **Important (F${bad_index})`);
    expect(last?.body).toContain(`Why ${bad_index}.`);
    const hidden = last?.body.split('\n').slice(-2) ?? [];
    expect(hidden[0]).toBe(`<!-- evident:thread {"n":${bad_index}} -->`);
    expect(hidden[1]).toMatch(/^<!-- evident:summary /);
    expect(seen.length).toBeLessThanOrEqual(comments + 2);
  });

  test('known from the diff, it is left out at once', async () => {
    live();
    const seen = reply();
    await publishReview(
      context({ rangeOf: ({ line }) => (line === bad_index + 1 ? null : { line }) }),
      publication(comments),
    );
    nock.cleanAll();
    expect(seen).toHaveLength(1);
    expect(seen[0]?.comments).toHaveLength(comments - 1);
  });

  test('when no single one is to blame, all become rows and the review is posted all the same', async () => {
    live();
    const seen: Posted[] = [];
    nock(api)
      .persist()
      .post(reviews)
      .reply((_uri, sent) => {
        seen.push(sent as Posted);
        return (sent as Posted).comments.length > 0 ? [answer.status, answer.body] : [200, { id: 41 }];
      });
    const result = await publishReview(context(), publication(9));
    nock.cleanAll();
    expect(result).toEqual({ kind: 'published', writes: [{ kind: 'confirmed', id: 41 }] });
    expect(seen.map((one) => one.comments.length)).toEqual([9, 0]);
    for (let index = 0; index < 9; index += 1) expect(seen[1]?.body).toContain(`claim ${index}`);
  });
});

test('at most 25 comments a call, the rest are rows', async () => {
  live();
  const seen = answers(200, { id: 1 });
  await publishReview(context(), publication(30));
  expect(seen[0]?.comments).toHaveLength(25);
  expect(seen[0]?.body).toContain('claim 29');
});

test('our own pending review is deleted and the review sent once more', async () => {
  const { post_review, own_pending_review } = input.sequences[1];
  const { status, body } = refused(post_review);
  live([
    { fullDatabaseId: '10', state: 'PENDING', body: '', viewerDidAuthor: false },
    { fullDatabaseId: String(own_pending_review), state: 'PENDING', body: '', viewerDidAuthor: true },
  ]);
  answers(status, body);
  nock(api).delete(`${reviews}/${own_pending_review}`).reply(200, { id: own_pending_review });
  answers(200, { id: 12 });
  expect(await publishReview(context(), publication(1))).toEqual({
    kind: 'published',
    writes: [{ kind: 'confirmed', id: 12 }],
  });
});

test('a commit that is not part of the pull request any more ends the run as superseded', async () => {
  const { post_review, head_now } = input.sequences[2];
  const { status, body } = refused(post_review);
  live();
  answers(status, body);
  live([], { headRefOid: head_now ?? '' });
  expect(await publishReview(context(), publication(1))).toEqual({ kind: 'superseded', by: head_now });
});

describe('a secondary rate limit', () => {
  const { post_review, headers } = input.sequences[3];
  const { status, body } = refused(post_review);

  test('is waited for when that fits before the deadline', async () => {
    live();
    answers(status, body, headers);
    live();
    answers(200, { id: 13 });
    const here = context();
    expect(await publishReview(here, publication(1))).toEqual({
      kind: 'published',
      writes: [{ kind: 'confirmed', id: 13 }],
    });
    expect(here.slept).toEqual([60_000]);
  });

  test('and a push during the wait ends the run as superseded', async () => {
    live();
    answers(status, body, headers);
    live([], { headRefOid: moved });
    live([], { headRefOid: moved });
    expect(await publishReview(context(), publication(1))).toEqual({ kind: 'superseded', by: moved });
  });

  test('ends the run with a sentence when it does not fit', async () => {
    live();
    answers(status, body, headers);
    const here = context();
    const result = await publishReview({ ...here, deadline: here.clock() + 30_000 }, publication(1));
    expect(result).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/rate limit/) });
    expect(here.slept).toEqual([]);
  });

  test('is not waited for again and again', async () => {
    live();
    for (let tried = 0; tried < 3; tried += 1) {
      answers(status, body, { 'retry-after': '20' });
      if (tried < 2) live();
    }
    expect(await publishReview(context(), publication(1))).toMatchObject({ kind: 'failed' });
  });
});

describe('an outcome that is not known', () => {
  test('is read back until the review shows, and never sent again', async () => {
    live();
    const seen = answers(502, 'Bad Gateway');
    live();
    const body = publication(1).review?.body ?? '';
    live([{ fullDatabaseId: '21', state: 'COMMENTED', body, viewerDidAuthor: true }]);
    expect(await publishReview(context(), publication(1))).toEqual({
      kind: 'published',
      writes: [{ kind: 'confirmed', id: 21 }],
    });
    expect(seen).toHaveLength(1);
  });

  test('stays unknown when it does not show, and is still not sent again', async () => {
    live();
    const seen = answers(502, 'Bad Gateway');
    for (let look = 0; look < 4; look += 1) live();
    expect(await publishReview(context(), publication(1))).toMatchObject({
      kind: 'published',
      writes: [{ kind: 'unknown' }],
    });
    expect(seen).toHaveLength(1);
  });
});

test('a missing permission ends the run with the name of the permission', async () => {
  live();
  answers(
    403,
    { message: 'Resource not accessible by integration' },
    {
      'x-accepted-github-permissions': 'pull_requests=write',
    },
  );
  expect(await publishReview(context(), publication(1))).toMatchObject({
    kind: 'failed',
    reason: expect.stringMatching(/pull_requests=write/),
  });
});

describe('the summary is edited in place', () => {
  const edit = { summaryEdit: { reviewId: 9, body: '**Nothing open.**' } };
  const { review: _review, ...silent } = publication(0, edit);

  test('confirmed', async () => {
    live();
    nock(api).put(`${reviews}/9`, { body: '**Nothing open.**' }).reply(200, { id: 9 });
    expect(await publishReview(context(), silent)).toEqual({
      kind: 'published',
      writes: [{ kind: 'confirmed', id: 9 }],
    });
  });

  test('a lost edit that is not there is sent once more, because it sets the same state', async () => {
    live();
    nock(api).put(`${reviews}/9`).reply(500, 'oops');
    for (let look = 0; look < 4; look += 1) live();
    nock(api).put(`${reviews}/9`).reply(200, { id: 9 });
    expect(await publishReview(context(), silent)).toEqual({
      kind: 'published',
      writes: [{ kind: 'confirmed', id: 9 }],
    });
  });

  test('a refused edit is told and does not fail the run', async () => {
    live();
    nock(api).put(`${reviews}/9`).reply(404, { message: 'Not Found' });
    expect(await publishReview(context(), silent)).toMatchObject({
      kind: 'published',
      writes: [{ kind: 'refused', status: 404 }],
    });
  });
});

test('a pull request that is not shown any more ends the run with a sentence', async () => {
  nock(api)
    .post('/graphql')
    .reply(200, { data: { repository: null } });
  expect(await publishReview(context(), publication(1))).toMatchObject({
    kind: 'failed',
    reason: expect.stringMatching(/lost its access/),
  });
});
