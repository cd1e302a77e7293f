/** One commit, several who want its check: two pull requests into two bases, and a merge queue. The whole program. */
import { livePullOf } from '../lib/forges/github/own-reviews.js';
import type { Sha } from '../lib/core/pull-request.js';
import { apiOfApp } from './local-github/api.js';
import { bug, plays, readAll, reviews, startWorld, submit, type Place, type World } from './world.js';

let world: World;
let place: Place | undefined;

beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  await place?.close();
  place = undefined;
});
afterAll(() => world.close());

const release = (repository: Place['repository']): Promise<string> =>
  repository.commit({
    branch: 'release',
    from: 'main',
    files: { 'NOTES.md': '# notes\n' },
    message: 'notes',
  });

/** The check of each pull request's newest run, and whether it may merge. */
const shown = (there: Place, ...numbers: readonly number[]): readonly string[] =>
  numbers.map((number) => {
    const { allChecks, mergeable } = there.repository.pull(number);
    const own = allChecks.findLast(({ externalId }) => externalId?.includes(`#${number}:`));
    return `${own?.conclusion ?? own?.status}, ${own?.title}${mergeable() ? ', merges' : ''}`;
  });

describe('two pull requests of one commit', () => {
  /** The first pull request is fine, the second has the bug: by the order in which they are read. */
  const second = plays(({ step, pass }) => (step === 0 ? readAll() : submit(pass === 2 ? [bug] : [])));

  test('the worst counts for both, and is gone when its pull request is closed', async () => {
    const there = await world.open({ gate: 'blocking', model: second, before: release });
    place = there;
    const { repository, number } = there;
    await there.settled();
    expect(shown(there, number)).toEqual([expect.stringMatching(/^success, Nothing open.*, merges$/)]);
    const other = await repository.openPullRequest({
      head: 'refunds',
      base: 'release',
      title: 'The same for the release',
      author: 'octocat',
    });
    await there.settled();
    expect(shown(there, number, other)).toEqual([
      `failure, #${other} on this commit: 1 important to fix`,
      'failure, 1 important to fix',
    ]);
    await repository.closePullRequest(other);
    await there.settled();
    expect(shown(there, number)).toEqual([expect.stringMatching(/^success, Nothing open.*, merges$/)]);
  });

  test('both are clean: both merge', async () => {
    const there = await world.open({ gate: 'blocking', model: reviews(), before: release });
    place = there;
    const other = await there.repository.openPullRequest({
      head: 'refunds',
      base: 'release',
      title: 'The same for the release',
      author: 'octocat',
    });
    await there.settled();
    expect(shown(there, there.number, other)).toEqual([
      expect.stringMatching(/^success, .*, merges$/),
      expect.stringMatching(/^success, .*, merges$/),
    ]);
  });
});

test.each([
  [100, undefined],
  [101, true],
])('%i open pull requests of one commit, of which a hundred are shown', (totalCount, isCrowded) => {
  const headRefOid = 'a'.repeat(40) as Sha;
  const nodes = Array.from({ length: 100 }, (_, at) => ({ number: at + 1, state: 'OPEN', headRefOid }));
  const commit = { associatedPullRequests: { totalCount, nodes } };
  const live = livePullOf(
    { number: 1, state: 'OPEN', headRefOid, baseRefName: 'main', tip: { nodes: [{ commit }] } },
    [],
  );
  expect([live.sameHead.length, live.isCrowded]).toEqual([99, isCrowded]);
});

test('the results of another pull request of the commit do not crowd out what is known', async () => {
  /** Finds the bug once. */
  const first = plays(({ step, pass }) =>
    step === 0 ? readAll() : submit(pass === 1 && step === 1 ? [bug] : []),
  );
  const there = await world.open({ gate: 'blocking', model: first });
  place = there;
  const { repository, number } = there;
  await there.settled();
  expect(shown(there, number)).toEqual(['failure, 1 important to fix']);
  const { head, reviews: posted, threads } = repository.pull(number);
  const api = await apiOfApp(world.github, world.github.app);
  for (let run = 0; run < 30; run += 1)
    await api('POST', `/repos/${repository.fullName}/check-runs`, {
      name: 'Evident',
      head_sha: head.sha,
      status: 'completed',
      conclusion: 'failure',
      external_id: `${repository.fullName}#${number + 1}:${head.sha}:release`,
    });
  // With the right to write, whoever wants it gone takes away the other places where it stands.
  const octocat = repository.as('octocat');
  for (const { id } of posted) octocat.editReview(id, '.');
  for (const { comments } of threads) for (const { id } of comments) octocat.deleteComment(id);
  await there.settled();
  octocat.comment(number, '/evident review');
  await there.settled();
  expect(shown(there, number)).toEqual(['failure, 1 important to fix']);
});

describe('a merge queue', () => {
  test('C117 what has passed on its own head is merged', async () => {
    const there = await world.open({ gate: 'blocking', model: reviews() });
    place = there;
    await there.settled();
    const { headSha } = await there.repository.enqueue(there.number, 'octocat');
    await there.settled();
    expect(there.repository.pull(there.number).merged).toBe(true);
    expect(there.handled).toContainEqual({
      kind: 'queue_answered',
      detail: `Passed with #${there.number}`,
    });
    expect(headSha).not.toBe(there.repository.pull(there.number).head.sha);
  });

  test('a result from when the gate was advisory lets nothing through a blocking one', async () => {
    const there = await world.open({ gate: 'advisory', model: reviews([bug]) });
    place = there;
    await there.settled();
    expect(shown(there, there.number)).toEqual(['neutral, 1 important to fix, merges']);
    await there.restart({ gate: 'blocking', model: reviews([bug]) });
    await there.repository.enqueue(there.number, 'octocat');
    await there.settled();
    expect(there.repository.pull(there.number).merged).toBe(false);
  });

  test.each(['blocking', 'advisory'] as const)('C117 %s: one with something to fix', async (gate) => {
    const there = await world.open({ gate, model: reviews([bug]) });
    place = there;
    await there.settled();
    await there.repository.enqueue(there.number, 'octocat');
    await there.settled();
    const { merged } = there.repository.pull(there.number);
    expect([merged, there.repository.queue()]).toEqual([gate === 'advisory', []]);
  });
});
