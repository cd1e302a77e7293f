import { findsTheBug } from './finds-the-bug.js';
import { bug, change, files, plays, readAll, startWorld, submit, type Place, type World } from './world.js';

/**
 * A change is taken back and made again, hoping that this time nobody sees what is wrong with it. What a pass found in a
 * change is open whenever that very change is there: reading the same code again without seeing it clears nothing.
 */

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

/** Sees the bug in the first pass only. */
const seesItOnce = () =>
  plays(({ step, pass }) => {
    if (step === 0) return readAll();
    return submit(pass === 1 && step === 1 ? [bug] : []);
  });

async function opened(model = seesItOnce()): Promise<Place> {
  place = await world.open({
    gate: 'blocking',
    model,
    before: (repository) => repository.addCollaborator('monalisa', 'write'),
  });
  await place.settled();
  expect(place.stands()).toMatchObject({ mergeable: false, checks: ['head 1: failure, 1 important to fix'] });
  return place;
}

async function takenBack(there: Place): Promise<void> {
  await there.push({ 'src/refund.ts': files['src/refund.ts'] });
  await there.settled();
  expect(there.stands().mergeable).toBe(true);
}

async function stillBlocked(there: Place): Promise<void> {
  await there.settled();
  expect(there.stands().mergeable).toBe(false);
  there.repository.as('octocat').comment(there.number, '/evident review');
  await there.settled();
  expect(there.stands().checks.at(-1)).toMatch(/failure, 1 important to fix$/);
  expect(there.stands().mergeable).toBe(false);
  expect(there.stands().threads).toHaveLength(1);
}

test('by a commit that reverts the fix', async () => {
  const there = await opened();
  await takenBack(there);
  await there.push({ 'src/refund.ts': change['src/refund.ts'] });
  await stillBlocked(there);
  await takenBack(there);
});

test('by an empty commit on top of it', async () => {
  const there = await opened();
  await takenBack(there);
  await there.push({ 'src/refund.ts': change['src/refund.ts'] });
  await there.push({});
  await stillBlocked(there);
});

test('by a forced push back to the head that failed', async () => {
  const there = await opened();
  const { sha } = there.repository.pull(there.number).head;
  await takenBack(there);
  await there.repository.forcePush('refunds', sha, 'octocat');
  await stillBlocked(there);
});

test('a dismissal of somebody who may goes on to hold', async () => {
  const there = await opened(findsTheBug());
  const root = there.repository.pull(there.number).threads[0]?.comments[0]?.id ?? 0;
  there.repository.as('monalisa').reply(root, 'dismiss: by design, see ADR 7');
  await there.settled();
  await takenBack(there);
  await there.push({ 'src/refund.ts': change['src/refund.ts'] });
  await there.settled();
  expect(there.stands().mergeable).toBe(true);
});

describe('a forced push back to a head that had passed', () => {
  /** Sees the bug from the second pass on. */
  const seesItLater = () =>
    plays(({ step, pass }) => {
      if (step === 0) return readAll();
      return submit(pass > 1 && step === 1 ? [bug] : []);
    });

  test('before the bug that it holds was found', async () => {
    place = await world.open({ gate: 'blocking', model: seesItLater() });
    await place.settled();
    const { sha } = place.repository.pull(place.number).head;
    expect(place.stands().mergeable).toBe(true);
    await place.push({ 'README.md': '# shop, again\n' });
    await place.settled();
    expect(place.stands().mergeable).toBe(false);
    await place.repository.forcePush('refunds', sha, 'octocat');
    await stillBlocked(place);
  });

  test('and that never held it: it passes again', async () => {
    place = await world.open({
      gate: 'blocking',
      model: findsTheBug(),
      changes: { 'src/label.ts': change['src/label.ts'] },
    });
    await place.settled();
    const { sha } = place.repository.pull(place.number).head;
    await place.push({ 'src/refund.ts': change['src/refund.ts'] });
    await place.settled();
    expect(place.stands().mergeable).toBe(false);
    await place.repository.forcePush('refunds', sha, 'octocat');
    await place.settled();
    expect(place.stands()).toMatchObject({ mergeable: true });
    expect(place.stands().reviews).toEqual([expect.stringMatching(/^\*\*Nothing open/)]);
  });
});
