import type { Comment, PeerReview, Thread } from '../../../lib/core/conversation.js';
import { mayDecide, readPermission, readPermissions } from '../../../lib/forges/github/permissions.js';
import { startLocalGitHub } from '../../../local-github/index.js';
import type { LocalGitHub } from '../../../local-github/index.js';
import { clientOf, openChange } from './open-change.js';

let github: LocalGitHub;
beforeAll(async () => {
  github = await startLocalGitHub();
});
afterEach(() => github.faults.clear());
afterAll(() => github.close());

test('rights are read as they are now, by lower-case login, each login once', async () => {
  const { repository } = await openChange(github, { 'a.ts': 'a\n' }, { 'a.ts': 'b\n' });
  const client = await clientOf(github, repository);
  for (const role of ['admin', 'maintain', 'write', 'triage', 'read'] as const)
    repository.addCollaborator(`${role}-person`, role);
  repository.as('stranger').comment(1, 'hello');
  const logins = ['Admin-Person', 'admin-person', 'maintain-person', 'write-person', 'triage-person'];
  expect(
    await readPermissions(client, repositoryPlace(repository), [...logins, 'read-person', 'nobody-there']),
  ).toEqual({
    'admin-person': 'admin',
    'maintain-person': 'maintain',
    'write-person': 'write',
    'triage-person': 'triage',
    'read-person': 'read',
    'nobody-there': 'none',
  });
  expect(client.requests()).toHaveLength(6);
  repository.removeCollaborator('admin-person');
  expect(await readPermission(client, repositoryPlace(repository), 'admin-person')).toBe('read');
});

const repositoryPlace = ({ owner, name }: { readonly owner: string; readonly name: string }) => ({
  owner,
  repo: name,
});

test.each([
  ['a role that an organization made', 200, { permission: 'write', role_name: 'release-manager' }, 'write'],
  ['a server that knows no roles', 200, { permission: 'admin' }, 'admin'],
  ['an answer that makes no sense', 200, { permission: 'everything' }, 'none'],
  [
    'an account that may not be asked about',
    403,
    { message: 'Resource not accessible by integration' },
    'none',
  ],
  ['an account that there is not', 404, { message: 'Not Found' }, 'none'],
])('%s', async (_, status, body, wanted) => {
  const { repository } = await openChange(github, { 'a.ts': 'a\n' }, { 'a.ts': 'b\n' });
  const client = await clientOf(github, repository);
  github.faults.add({ match: ({ path }) => path.endsWith('/permission'), before: { status, body } });
  expect(await readPermission(client, repositoryPlace(repository), 'octocat')).toBe(wanted);
});

test('a failure is no answer: it throws, and gives nobody fewer or more rights', async () => {
  const { repository } = await openChange(github, { 'a.ts': 'a\n' }, { 'a.ts': 'b\n' });
  const client = await clientOf(github, repository);
  github.faults.add({
    match: ({ path }) => path.endsWith('/permission'),
    times: 10,
    before: { status: 502, body: {} },
  });
  await expect(readPermission(client, repositoryPlace(repository), 'octocat')).rejects.toThrow(/502/);
});

test('no more than thirty are asked about, and no login leaves its place in the address', async () => {
  const { repository } = await openChange(github, { 'a.ts': 'a\n' }, { 'a.ts': 'b\n' });
  const client = await clientOf(github, repository);
  const many = Array.from({ length: 40 }, (_, at) => `person-${at}`);
  const read = await readPermissions(client, repositoryPlace(repository), ['../x', ...many]);
  expect(Object.keys(read)).toHaveLength(30);
  expect(read).toMatchObject({ '../x': 'none', 'person-28': 'none' });
  expect(client.requests()).toHaveLength(29);
});

const comment = (author: string, body: string, change: Partial<Comment> = {}): Comment => ({
  id: `C${author}`,
  databaseId: 1,
  author,
  by: 'person',
  ours: false,
  body,
  at: '2026-12-01T10:00:00Z',
  ...change,
});
const ours = comment('evident[bot]', 'Important (F1): ...', { ours: true, by: 'bot' });
const thread = (...comments: readonly Comment[]): Thread => ({
  id: 'T1',
  path: 'a.ts',
  line: 1,
  originalLine: 1,
  resolved: false,
  outdated: false,
  comments,
});
const review = (author: string, state: PeerReview['state'], body = ''): PeerReview => ({
  ...comment(author, body),
  state,
  commit: null,
});

test.each<[string, Partial<Parameters<typeof mayDecide>[0]>, readonly string[]]>([
  ['nobody on a review that nobody answered', { threads: [thread(ours)], comments: [ours] }, []],
  [
    'who replies in a thread of ours',
    { threads: [thread(ours, comment('octocat', 'it is fine'))] },
    ['octocat'],
  ],
  [
    'nobody in a talk between people',
    { threads: [thread(comment('octocat', 'why?'), comment('monalisa', 'so'))] },
    [],
  ],
  ['who names a finding anywhere', { threads: [thread(comment('octocat', 'F2 is wrong'))] }, ['octocat']],
  [
    'who commands',
    { comments: [comment('octocat', 'Please\n/evident review'), comment('x', 'thanks')] },
    ['octocat'],
  ],
  ['who quotes', { comments: [comment('octocat', '> is this required?\n\nyes')] }, ['octocat']],
  [
    'who approves',
    { peerReviews: [review('octocat', 'approved'), review('x', 'changes_requested', 'no')] },
    ['octocat'],
  ],
  ['who says it in a review', { peerReviews: [review('octocat', 'commented', 'Q1: no')] }, ['octocat']],
  ['no bot', { comments: [comment('hubot[bot]', '/evident review', { by: 'bot' })] }, []],
  [
    'nobody whose words somebody else changed',
    { comments: [comment('octocat', 'Q1 yes', { editedBy: 'x' })] },
    [],
  ],
  [
    'the newest first, by the last edit',
    {
      comments: [
        comment('old', '/evident a', { at: '2026-12-01T08:00:00Z' }),
        comment('edited', '/evident b', { at: '2026-12-01T07:00:00Z', editedAt: '2026-12-01T12:00:00Z' }),
        comment('new', '/evident c', { at: '2026-12-01T11:00:00Z' }),
      ],
    },
    ['edited', 'new', 'old'],
  ],
])('whose rights are asked for: %s', (_, said, wanted) => {
  expect(mayDecide({ threads: [], comments: [], peerReviews: [], ...said })).toEqual(wanted);
});
