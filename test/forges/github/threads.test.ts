import { validate } from '@octokit/graphql-schema';
import { queries, readConversation } from '../../../lib/forges/github/threads.js';
import { startLocalGitHub } from '../../../local-github/index.js';
import type { LocalGitHub } from '../../../local-github/index.js';
import ghosts from '../../fixtures/github/ghost-author-threads.json' with { type: 'json' };
import type { GitHubClient } from '../../../lib/forges/github/client.js';
import { clientOf, openChange } from './open-change.js';
import type { OpenChange } from './open-change.js';

let github: LocalGitHub;
beforeAll(async () => {
  // A hundred comments in one review, to save requests: GitHub would answer 502.
  github = await startLocalGitHub({ rules: { lateAnswerAbove: null } });
});
afterEach(() => github.faults.clear());
afterAll(() => github.close());

const lines = Array.from({ length: 150 }, (_, at) => `line ${at}\n`).join('');

async function changeWithReview(
  bodies: readonly string[],
): Promise<OpenChange & { readonly client: GitHubClient }> {
  const change = await openChange(github, { 'a.ts': '' }, { 'a.ts': lines });
  const client = await clientOf(github, change.repository);
  await client.write(
    'POST',
    '/repos/{owner}/{repo}/pulls/{pull_number}/reviews',
    {
      owner: change.repository.owner,
      repo: change.repository.name,
      pull_number: change.number,
      event: 'COMMENT',
      body: 'The summary.',
      comments: bodies.map((body, at) => ({ path: 'a.ts', line: at + 1, side: 'RIGHT', body })),
    },
    'a review to read back',
  );
  return { ...change, client };
}

const read = ({ repository, number, client }: OpenChange & { readonly client: GitHubClient }) =>
  readConversation(client, { owner: repository.owner, repo: repository.name, number });

test.each(Object.entries(queries))("%s is valid against GitHub's schema", (_name, query) => {
  expect(validate(query)).toEqual([]);
});

test('our threads and summary are ours, the replies of people are theirs', async () => {
  const change = await changeWithReview(['Finding one', 'Finding two']);
  const [thread] = change.repository.pull(change.number).threads;
  change.repository.as('octocat').reply(thread?.id ?? '', 'by design');
  const { threads, ownReviews, lacks } = await read(change);
  expect(lacks).toEqual([]);
  expect(threads).toHaveLength(2);
  expect(threads[0]).toMatchObject({
    path: 'a.ts',
    line: 1,
    resolved: false,
    outdated: false,
    comments: [
      { author: 'evident[bot]', ours: true, body: 'Finding one' },
      { author: 'octocat', ours: false, body: 'by design' },
    ],
  });
  expect(ownReviews.filter(({ body }) => body !== '')).toMatchObject([
    { body: 'The summary.', state: 'COMMENTED' },
  ]);
  expect(Number.isSafeInteger(ownReviews[0]?.databaseId)).toBe(true);
});

test('what somebody else has edited is not ours any more', async () => {
  const change = await changeWithReview(['Finding one']);
  const [thread] = change.repository.pull(change.number).threads;
  change.repository.addCollaborator('maintainer', 'admin');
  change.repository.as('maintainer').editComment(thread?.comments[0]?.id ?? 0, 'All good, nothing to see');
  const { threads } = await read(change);
  expect(threads[0]?.comments).toMatchObject([{ ours: false, body: 'All good, nothing to see' }]);
});

test('all threads and all replies are read, page by page', async () => {
  const change = await changeWithReview(Array.from({ length: 120 }, (_, at) => `Finding ${at}`));
  const threads = change.repository.pull(change.number).threads;
  const long = threads[5]?.id ?? '';
  for (let at = 0; at < 170; at++) change.repository.as('octocat').reply(long, `reply ${at}`);
  const found = await read(change);
  expect(found.threads).toHaveLength(120);
  const [talk] = found.threads.filter((thread) => thread.comments.length > 1);
  expect(talk?.comments).toHaveLength(171);
  expect(talk?.comments.at(-1)).toMatchObject({ body: 'reply 169', ours: false });
});

test('an outdated thread has no line of today', async () => {
  const change = await changeWithReview(['Finding one']);
  await change.repository.commit({ branch: 'topic', message: 'Rewrite', files: { 'a.ts': 'all new\n' } });
  const { threads } = await read(change);
  expect(threads[0]).toMatchObject({ outdated: true, line: null, originalLine: 1 });
});

const answering = (answer: unknown): GitHubClient => ({
  apiUrl: 'https://api.github.com',
  requests: () => [],
  graphql: async <T>() => answer as T,
  get: () => Promise.reject(new Error('not asked')),
  write: () => Promise.reject(new Error('not asked')),
  paginate: () => Promise.reject(new Error('not asked')),
  download: () => Promise.reject(new Error('not asked')),
});
const place = { owner: 'o', repo: 'r', number: 1 };

test('deleted accounts and null nodes are read, and give nobody rights', async () => {
  const { threads } = await readConversation(answering(ghosts.input.graphql_response.data), place);
  expect(threads.map(({ id, line, originalLine }) => [id, line, originalLine])).toEqual([
    ['T1', 5, 5],
    ['T2', null, 42],
  ]);
  expect(threads[0]?.comments).toMatchObject([
    { author: 'review-bot[bot]', ours: false },
    { author: 'ghost', ours: false, body: 'by design' },
  ]);
});

test.each([[{ repository: null }], [{ repository: { pullRequest: null } }], [{}]])(
  'an answer like %j is a failure, never an empty conversation',
  async (answer) => {
    await expect(readConversation(answering(answer), place)).rejects.toThrow(/Nothing was concluded/);
  },
);

test('comments, reviews of others, who edited and who resolved are read, with their times', async () => {
  const change = await changeWithReview(['Finding one']);
  const { repository, number } = change;
  const [thread] = repository.pull(number).threads;
  repository.addCollaborator('maintainer', 'admin');
  const maintainer = repository.as('maintainer');
  const person = repository.as('monalisa');
  person.comment(number, 'F1 dismiss: by design');
  const edited = person.comment(number, '/evident review');
  person.editComment(edited.id, '/evident status');
  const foreign = person.comment(number, 'Q1 yes');
  maintainer.editComment(foreign.id, 'Q1 no');
  const approval = await maintainer.review(number, { event: 'APPROVE', body: 'Ship it' });
  const taken = await repository.as('hubot').review(number, { event: 'APPROVE' });
  maintainer.dismissReview(taken.id);
  person.reply(thread?.id ?? '', 'yes');
  maintainer.resolve(thread?.id ?? '');
  const read1 = await read(change);
  expect(read1.comments.map(({ author, body, ours, by }) => [author, body, ours, by])).toEqual([
    ['monalisa', 'F1 dismiss: by design', false, 'person'],
    ['monalisa', '/evident status', false, 'person'],
    ['monalisa', 'Q1 no', false, 'person'],
  ]);
  const [plain, own, other] = read1.comments;
  expect([plain?.editedAt, plain?.editedBy]).toEqual([undefined, undefined]);
  expect(Date.parse(own?.editedAt ?? '')).toBeGreaterThan(0);
  expect(own).not.toHaveProperty('editedBy');
  expect(other).toMatchObject({ databaseId: foreign.id, editedBy: 'maintainer' });
  // The reply is told in its thread; the review around it says nothing.
  const head = repository.pull(number).head.sha;
  expect(read1.peerReviews).toMatchObject([
    { databaseId: approval.id, author: 'maintainer', state: 'approved', body: 'Ship it', commit: head },
    { databaseId: taken.id, author: 'hubot', state: 'dismissed', body: '' },
  ]);
  expect(read1.threads).toMatchObject([
    {
      resolved: true,
      resolvedBy: 'maintainer',
      canResolve: false,
      comments: [{}, { author: 'monalisa', body: 'yes' }],
    },
  ]);
});

test('all comments are read, page by page', async () => {
  const change = await changeWithReview(['Finding one']);
  for (let at = 0; at < 130; at++) change.repository.as('octocat').comment(change.number, `comment ${at}`);
  const { comments, lacks } = await read(change);
  expect(comments).toHaveLength(130);
  expect(comments.at(-1)).toMatchObject({ body: 'comment 129' });
  expect(lacks).toEqual([]);
});

test.each([
  ['its author', { login: 'octocat' }, undefined],
  ['somebody else', { login: 'monalisa' }, 'monalisa'],
  ['an account that is gone', null, 'ghost'],
])('a comment that was edited by %s', async (_, editor, editedBy) => {
  const none = { pageInfo: { hasNextPage: false }, nodes: [] };
  const comment = {
    id: 'C1',
    fullDatabaseId: '7',
    author: { __typename: 'User', login: 'octocat' },
    editor: editor === null ? null : { __typename: 'User', ...editor },
    viewerDidAuthor: false,
    body: 'yes',
    createdAt: '2026-12-01T10:00:00Z',
    lastEditedAt: '2026-12-01T11:00:00Z',
  };
  const pullRequest = { reviewThreads: none, reviews: none, comments: { ...none, nodes: [comment] } };
  const { comments } = await readConversation(answering({ repository: { pullRequest } }), place);
  expect(comments[0]?.editedBy).toBe(editedBy);
  expect(comments[0]?.editedAt).toBe(comment.lastEditedAt);
});
