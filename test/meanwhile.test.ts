/** What changes while a review is written, and limits that have to be waited for: through the whole program. */
import { bug, reviews, startWorld, threadOfBug, type Place, type PlaceOrder, type World } from './world.js';

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

const gate = 'blocking';

/** Holds the request that posts the review, and does something to the pull request while it is under way. */
async function whilePosting(act: (there: Place) => unknown, order: Partial<PlaceOrder> = {}): Promise<Place> {
  let posting = (): void => {};
  const isPosting = new Promise<void>((resolve) => (posting = resolve));
  let acted = (): void => {};
  const hasActed = new Promise<void>((resolve) => (acted = resolve));
  const there = await world.open({
    gate,
    model: reviews([bug]),
    ...order,
    before: async (repository) => {
      await order.before?.(repository);
      world.github.faults.add({
        match: ({ method, path }) => method === 'POST' && path.endsWith('/reviews'),
        until: () => {
          posting();
          return hasActed;
        },
      });
    },
  });
  place = there;
  await isPosting;
  try {
    await act(there);
  } finally {
    acted();
  }
  await there.settled();
  return there;
}

const lose = (lost: string): void =>
  world.github.faults.addDelivery({ match: ({ action }) => action === lost, fate: 'lose' });

const requestsOf = (reason: RegExp): number =>
  world.github.requests().filter(({ graphql, path }) => reason.test(graphql ?? path)).length;

describe('while the review is posted', () => {
  test('a push that nobody told of: the check of the old head is not conclusive', async () => {
    const there = await whilePosting((here) => {
      lose('synchronize');
      return here.push({ 'src/label.ts': '// other\n' });
    });
    const { checks, reviews: posted, mergeable } = there.stands();
    expect(posted).toHaveLength(1);
    expect(checks).toEqual([expect.stringMatching(/^head 1: cancelled, Overtaken by /)]);
    expect(mergeable).toBe(false);
  });

  test('a push: its own run knows what was posted, and posts nothing twice', async () => {
    const there = await whilePosting((here) => here.push({ 'src/label.ts': '// other\n' }));
    const { checks, reviews: posted, threads } = there.stands();
    expect(posted).toHaveLength(1);
    // It is posted at the head that was read, which is not the newest any more.
    expect(threads).toEqual(['src/refund.ts:outdated RIGHT']);
    expect(checks).toEqual([
      expect.stringMatching(/^head 1: cancelled, /),
      'head 2: failure, 1 important to fix',
    ]);
  });

  test('another base: the run for it ends the check of this head', async () => {
    const there = await whilePosting((here) => here.repository.retarget(here.number, 'release', 'octocat'), {
      before: (repository) =>
        repository.commit({ branch: 'release', from: 'main', files: { 'README.md': '# r\n' }, message: 'r' }),
    });
    const { checks, reviews: posted } = there.stands();
    expect(posted).toHaveLength(1);
    expect(checks).toEqual([
      expect.stringMatching(/^head 1: cancelled, /),
      'head 1: failure, 1 important to fix',
    ]);
  });

  test('it is closed: nothing is conclusive', async () => {
    const there = await whilePosting((here) => {
      lose('closed');
      return here.repository.closePullRequest(here.number);
    });
    expect(there.stands().checks).toEqual(['head 1: cancelled, Closed before the review ended']);
  });

  test('somebody writes: it is drafted once more from what stands then, and nothing is said twice', async () => {
    world.github.clearRequests();
    const there = await whilePosting((here) =>
      here.repository.as('octocat').review(here.number, { body: 'I have a look at it, too.' }),
    );
    const { reviews: posted, threads, checks } = there.stands();
    expect(posted).toHaveLength(2);
    expect(threads).toEqual([threadOfBug]);
    expect(checks).toEqual(['head 1: failure, 1 important to fix']);
    expect(there.repository.pull(there.number).reviews.filter(({ edited }) => edited)).toEqual([]);
    expect(requestsOf(/reviews$/)).toBe(1);
  });

  test('somebody decides: the check says so, though nobody told of it', async () => {
    const there = await whilePosting(
      (here) => {
        lose('submitted');
        return here.repository
          .as('monalisa')
          .review(here.number, { body: '/evident override the provider forbids refunds of 0' });
      },
      { before: (repository) => repository.addCollaborator('monalisa', 'maintain') },
    );
    const { checks, threads } = there.stands();
    expect(threads).toEqual([threadOfBug]);
    expect(checks).toEqual([expect.stringMatching(/^head 1: success, Passed by monalisa/)]);
  });

  test('people who write without end: at most three rounds', async () => {
    world.github.clearRequests();
    let wrote = 0;
    const there = await whilePosting((here) => {
      world.github.faults.add({
        match: ({ body }) => {
          const looks = JSON.stringify(body ?? '').includes('EvidentLivePull');
          if (looks) {
            wrote += 1;
            void here.repository.as('octocat').review(here.number, { body: `And ${wrote}` });
          }
          return looks;
        },
        times: 99,
        delayMs: 50,
      });
    });
    expect(there.stands().checks).toEqual(['head 1: failure, 1 important to fix']);
    expect(wrote).toBeLessThanOrEqual(3);
  });
});

describe('a limit', () => {
  const limited = (afterSeconds: number) =>
    ({
      status: 403,
      headers: { 'retry-after': String(afterSeconds) },
      body: { message: 'You have exceeded a secondary rate limit.' },
    }) as const;

  test.each([
    ['the lease', 'POST', /reactions$/],
    ['a read', 'GET', /\/compare\//],
    ['GraphQL', 'POST', /graphql$/],
    ['the creation of the check', 'POST', /check-runs$/],
    ['the review', 'POST', /reviews$/],
    ['the end of the check', 'PATCH', /check-runs/],
  ])('of seconds is waited for: %s', async (_name, method, path) => {
    place = await world.open({
      gate,
      model: reviews([bug]),
      before: () =>
        world.github.faults.add({
          match: (request) => request.method === method && path.test(request.path),
          before: limited(7),
        }),
    });
    await place.settled();
    expect(place.stands()).toMatchObject({
      threads: [threadOfBug],
      checks: ['head 1: failure, 1 important to fix'],
    });
    expect(place.slept()).toContain(7_000);
  });

  test('longer than the run may take is not waited for: what was found stands in the check', async () => {
    place = await world.open({
      gate,
      model: reviews([bug]),
      before: () =>
        world.github.faults.add({
          match: ({ method, path }) => method === 'POST' && path.endsWith('/reviews'),
          times: 9,
          before: limited(3_600),
        }),
    });
    await place.settled();
    expect(place.stands()).toMatchObject({ reviews: [], checks: ['head 1: failure, 1 important to fix'] });
    expect(place.checkText()).toMatch(/Not here: the review could not be posted.*rate limit/);
    expect(place.checkText()).toContain(bug.body);
    expect(Math.max(0, ...place.slept())).toBeLessThan(3_600_000);
  });

  test('longer than the run may take, on a read: said, and nothing is mergeable', async () => {
    place = await world.open({
      gate,
      model: reviews(),
      before: () =>
        world.github.faults.add({
          match: ({ path }) => path.includes('/compare/'),
          times: 9,
          before: limited(3_600),
        }),
    });
    await place.settled();
    expect(place.stands()).toMatchObject({
      checks: [
        expect.stringMatching(
          /^head 1: action_required, Not reviewed: an error from GitHub, again at \d\d:\d\d UTC$/,
        ),
      ],
      mergeable: false,
    });
    expect(place.checkText()).toMatch(/rate limit is reached.*Try again after/);
  });
});

test('a delivery that was lost is sent again at the end of another one', async () => {
  const model = reviews([bug]);
  place = await world.open({ gate, model, redeliver: true, started: false });
  expect(place.stands().checks).toEqual([]);
  const other = place.number;
  await place.restart({ gate, model, redeliver: true });
  await place.repository.commit({
    branch: 'words',
    from: 'main',
    files: { 'src/label.ts': '// words\n' },
    message: 'Another',
  });
  const number = await place.repository.openPullRequest({ head: 'words', title: 'Another' });
  await place.settled();
  await place.settled();
  expect(place.repository.pull(number).checks).toHaveLength(1);
  expect(place.repository.pull(other).checks).toMatchObject([{ title: '1 important to fix' }]);
});
