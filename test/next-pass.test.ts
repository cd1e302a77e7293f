import { ModelError } from '../lib/core/errors.js';
import type { ModelTurn } from '../lib/ports/model.js';
import { bug, files, plays, readAll, startWorld, submit, type Place, type World } from './world.js';

/** Two clean passes are needed and one run has no time for both: the second comes without a commit. */

let world: World;
const places: Place[] = [];

beforeAll(async () => {
  world = await startWorld();
});

afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

afterAll(() => world.close());

const longestRunMs = 240_000;

/**
 * Twenty seconds of a run are kept for publishing, and a pass is not begun with less than thirty left: when what was
 * submitted is looked at, there are ten.
 */
const submitLate = (findings: readonly unknown[] = []): ModelTurn => {
  world.github.faults.add({
    match: () => {
      const place = places.at(-1);
      place?.later(longestRunMs - 30_000);
      return place !== undefined;
    },
  });
  return submit(findings);
};

const server = {};
/** Where the process ends soon after its event, GitHub is the queue. */
const serverless = { VERCEL: '1' };

async function opened(
  environment: Readonly<Record<string, string>>,
  order: Partial<Parameters<World['open']>[0]> = {},
): Promise<Place> {
  const place = await world.open({
    gate: 'blocking',
    model: plays(({ step }) => (step === 0 ? readAll() : submitLate())),
    pull: { head: 'agent/refunds' },
    changes: { 'src/label.ts': `${files['src/label.ts']}// named\n` },
    environment,
    longestRunMs,
    ...order,
  });
  places.push(place);
  await place.settled();
  return place;
}

const owed = 'head 1: action_required, Clean once, a second review is needed';
const passed = 'head 1: success, Nothing open, two clean reviews';

const rerequests = (place: Place) =>
  world.github
    .deliveries()
    .filter(
      ({ event, action, repository }) =>
        event === 'check_run' && action === 'rerequested' && repository === place.repository.fullName,
    );

test.each([
  ['in the same process', server, 0],
  ["by GitHub's queue where the process is ended", serverless, 1],
] as const)('the second pass comes by itself, %s', async (_name, environment, asked) => {
  const place = await opened(environment);
  expect(place.stands()).toMatchObject({ checks: [owed, passed], mergeable: true });
  expect(rerequests(place)).toHaveLength(asked);
  expect(place.handled.map(({ kind }) => kind)).toEqual(['reviewed', 'reviewed']);
  expect(place.warned).toEqual([]);
});

test('the first check says that it comes by itself, and what helps if it does not', async () => {
  const place = await opened(serverless);
  const first = place.repository.pull(place.number).allChecks[0];
  expect(first?.summary).toContain(
    'The next one starts by itself; if it does not, `/evident review` starts it.',
  );
});

test('what the second pass finds blocks', async () => {
  const model = plays(({ step, pass }) => (step === 0 ? readAll() : submitLate(pass === 1 ? [] : [bug])));
  const place = await opened(serverless, {
    model,
    changes: { 'src/refund.ts': files['src/refund.ts'].replace('refund ?? order', 'refund || order') },
  });
  expect(place.stands()).toMatchObject({
    checks: [owed, 'head 1: failure, 1 important to fix'],
    mergeable: false,
  });
});

describe('where the event of the queue is lost', () => {
  async function half(): Promise<Place> {
    const place = await opened(serverless, {
      before: () =>
        world.github.faults.addDelivery({ match: ({ action }) => action === 'rerequested', fate: 'lose' }),
    });
    expect(place.stands()).toMatchObject({ checks: [owed], mergeable: false });
    return place;
  }

  test.each([
    ['a comment of anybody', (place: Place) => place.repository.as('defunkt').comment(place.number, 'Nice.')],
    ['a label', (place: Place) => place.repository.as('monalisa').label(place.number, 'waiting')],
    ['the same delivery, sent again', (place: Place) => place.redeliver('rerequested')],
  ] as const)('it comes with %s', async (_name, act) => {
    const place = await half();
    await act(place);
    await place.settled();
    expect(place.stands()).toMatchObject({ checks: [owed, passed], mergeable: true });
  });

  test('and a delivery that comes twice, or late, brings no third', async () => {
    const place = await half();
    place.repository.as('defunkt').comment(place.number, 'Nice.');
    await place.settled();
    await place.redeliver('rerequested');
    await place.redeliver('rerequested');
    place.repository.as('defunkt').comment(place.number, 'Very nice.');
    await place.settled();
    expect(place.stands().checks).toEqual([owed, passed]);
  });
});

describe('it ends honestly', () => {
  const busy = () =>
    plays(({ step, pass }) => {
      if (step === 0) return readAll();
      if (pass === 1) return submitLate();
      throw new ModelError('The model is overloaded (529).', { retryable: true });
    });

  test.each([server, serverless])('when the second one fails too: once is once (%j)', async (environment) => {
    const place = await opened(environment, { model: busy() });
    expect(place.stands()).toMatchObject({ checks: [owed, owed], mergeable: false });
    expect(place.checkText()).toContain(
      `The next one ended without a result: provider busy. ${environment === server ? 'Tried again at' : 'Nothing here runs by a clock'}`,
    );
    const runs = place.handled.length;
    place.repository.as('defunkt').comment(place.number, 'Nice.');
    await place.settled();
    // Nobody else's words start it again; those of a person who may do so start it.
    expect(place.stands().checks).toEqual([owed, owed]);
    expect(place.handled.slice(runs).map(({ kind }) => kind)).toEqual(['nothing_to_do']);
    place.repository.as('octocat').comment(place.number, '/evident review');
    await place.settled();
    expect(place.stands().checks).toHaveLength(3);
  });

  test('nor does what says nothing in words: a label, an approval', async () => {
    const place = await opened(server, { model: busy() });
    const runs = place.handled.length;
    place.repository.as('defunkt').label(place.number, 'again');
    await place.settled();
    await place.repository.as('defunkt').review(place.number, { event: 'APPROVE' });
    await place.settled();
    expect(place.handled.slice(runs).map(({ kind }) => kind)).toEqual(['folded', 'folded']);
    expect(place.stands().checks).toEqual([owed, owed]);
    expect(place.repository.pull(place.number).allChecks.at(-1)?.summary).toMatch(
      /Tried again at \d\d:\d\d UTC; `\/evident review` tries it now\./,
    );
  });

  test('without the right to write checks nothing is kept: one review, and no words of others bring more', async () => {
    const model = plays(({ step }) => (step === 0 ? readAll() : submitLate()));
    const place = await opened(server, { model, permissions: { contents: 'read', pull_requests: 'write' } });
    place.repository.as('defunkt').comment(place.number, 'Nice.');
    await place.settled();
    expect(place.handled.map(({ kind }) => kind)).toEqual(['reviewed', 'nothing_to_do']);
    expect(model.requests).toHaveLength(2);
    place.repository.as('octocat').comment(place.number, '/evident review');
    await place.settled();
    expect(model.requests).toHaveLength(4);
  });

  test('a check that GitHub takes without its text only brings no other run', async () => {
    let refused = 0;
    const place = await opened(serverless, {
      before: () =>
        world.github.faults.add({
          match: ({ method, path, body }) =>
            method === 'PATCH' &&
            /\/check-runs\/\d+$/.test(path) &&
            JSON.stringify(body).includes('evident:result') &&
            (refused += 1) > 0,
          before: { status: 422, body: { message: 'Invalid request.' } },
        }),
    });
    expect(refused).toBe(1);
    expect(place.stands().checks).toEqual([owed]);
    expect(rerequests(place)).toEqual([]);
  });

  test('a draft that was read because somebody asked: the next one does not come, and the result stands', async () => {
    const place = await opened(serverless, { pull: { head: 'agent/refunds', draft: true } });
    place.repository.as('octocat').comment(place.number, '/evident review');
    await place.settled();
    expect(place.stands().checks.at(-1)).toBe(owed);
    expect(rerequests(place)).toEqual([]);
  });

  test('paused meanwhile: nothing is read until it is resumed', async () => {
    const place = await opened(serverless, {
      before: () =>
        world.github.faults.addDelivery({ match: ({ action }) => action === 'rerequested', fate: 'lose' }),
    });
    place.repository.as('octocat').comment(place.number, '/evident pause not now');
    await place.settled();
    await place.redeliver('rerequested');
    await place.settled();
    expect(place.stands()).toMatchObject({ mergeable: false });
    expect(place.stands().checks.join()).not.toContain('two clean');
    place.repository.as('octocat').comment(place.number, '/evident resume');
    await place.settled();
    expect(place.stands()).toMatchObject({ mergeable: true });
    expect(place.stands().checks.at(-1)).toBe(passed);
  });

  test('three are required: each brings the next, and there are no more', async () => {
    const place = await opened(serverless, {
      before: (repository) =>
        repository.commit({
          branch: 'main',
          files: { '.github/evident.yml': 'gate:\n  passes: { agent: 3 }\n' },
          message: 'Settings',
          author: 'monalisa',
        }),
    });
    expect(place.stands().checks).toEqual([
      owed,
      'head 1: action_required, Clean twice, a third review is needed',
      'head 1: success, Nothing open, three clean reviews',
    ]);
    expect(rerequests(place)).toHaveLength(2);
  });

  test('a push in between: only the new head is read', async () => {
    const place = await opened(serverless, {
      before: () =>
        world.github.faults.addDelivery({ match: ({ action }) => action === 'rerequested', fate: 'lose' }),
    });
    await place.push({ 'src/label.ts': `${files['src/label.ts']}// named anew\n` });
    await place.settled();
    const before = place.stands().checks;
    await place.redeliver('rerequested');
    await place.settled();
    expect(place.stands().checks).toEqual(before);
    expect(before).toEqual([owed, owed.replace('1', '2'), passed.replace('1', '2')]);
  });

  test('a re-run by another bot is no next pass', async () => {
    const place = await opened(server);
    place.repository.as('hubot').rerequest(place.repository.pull(place.number).allChecks.at(-1)?.id ?? 0);
    await place.settled();
    expect(place.stands().checks).toEqual([owed, passed]);
  });
});
