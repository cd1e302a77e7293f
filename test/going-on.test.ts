import { ModelError } from '../lib/core/errors.js';
import { calls } from '../lib/models/scripted.js';
import {
  bug,
  files,
  never,
  plays,
  readAll,
  startWorld,
  submit,
  threadOfBug,
  type Place,
  type World,
} from './world.js';

/** What was cut off, or met somebody busy, goes on by itself: at the time that is told, a few times, and never as clean. */

let world: World;
const places: Place[] = [];

beforeAll(async () => {
  world = await startWorld();
});

afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

afterAll(() => world.close());

const server = {};
/** Where the process ends soon after its event. */
const serverless = { VERCEL: '1' };

async function opened(
  environment: Readonly<Record<string, string>>,
  order: Partial<Parameters<World['open']>[0]> = {},
): Promise<Place> {
  const place = await world.open({ gate: 'blocking', environment, ...order });
  places.push(place);
  await place.settled();
  return place;
}

const minute = 60_000;

/** Until what is due has been done. */
async function later(place: Place, minutes: number): Promise<void> {
  place.later(minutes * minute);
  await place.settled();
}

const told = (at: number | undefined): string => `${new Date(at ?? NaN).toISOString().slice(11, 16)} UTC`;

const timeless = (place: Place): readonly string[] =>
  place.stands().checks.map((check) => check.replace(/\d\d:\d\d UTC/, 'HH:MM UTC'));

const passed = 'head 1: success, Nothing open, one clean review';

describe('a provider that is busy', () => {
  const busy = 'head 1: action_required, Not reviewed: provider busy, again at HH:MM UTC';
  const stopped = 'head 1: action_required, Not reviewed: provider busy';

  const down = (isDown: () => boolean) =>
    plays(({ step }) => {
      if (step === 0) return readAll();
      if (isDown()) throw new ModelError('The model is overloaded (529).', { retryable: true });
      return submit();
    });

  test('is tried again at the time that the title, the text and the line for programs say', async () => {
    let isDown = true;
    const model = down(() => isDown);
    const place = await opened(server, { model });
    const [at] = place.waits();
    expect(place.stands().checks).toEqual([
      `head 1: action_required, Not reviewed: provider busy, again at ${told(at)}`,
    ]);
    expect(place.checkText()).toContain(`Tried again at ${told(at)}; \`/evident review\` tries it now.`);
    expect(place.checkText()).toContain(
      `"goes_on":true,"goes_on_at":"${new Date(Math.floor((at ?? 0) / minute) * minute).toISOString()}"`,
    );
    await later(place, 4);
    expect(place.stands().checks).toHaveLength(1);
    isDown = false;
    await later(place, 3);
    expect(timeless(place)).toEqual([busy, passed]);
    // It went on after its last turn: the first one is not paid twice.
    expect(model.requests).toHaveLength(3);
    expect(place.waits()).toEqual([]);
  });

  test('three times, with growing pauses; then it waits for a person, and says so', async () => {
    const place = await opened(server, { model: down(() => true) });
    const began = Date.now();
    const pauses: number[] = [];
    for (const minutes of [6, 16, 46]) {
      pauses.push(Math.round(((place.waits()[0] ?? 0) - began) / minute));
      await later(place, minutes);
    }
    expect(timeless(place)).toEqual([busy, busy, busy, stopped]);
    expect(pauses[0]).toBeGreaterThanOrEqual(5);
    expect(place.waits()).toEqual([]);
    expect(place.checkText()).toContain(
      'It was tried again three times and is not any more. A push, or `/evident review`, starts a new review.',
    );
    await later(place, 600);
    place.repository.as('defunkt').comment(place.number, 'Nice.');
    await place.settled();
    expect(place.stands().checks).toHaveLength(4);
    // Who asks for one does not bring back three more.
    place.repository.as('octocat').comment(place.number, '/evident review');
    await place.settled();
    expect(timeless(place)).toEqual([busy, busy, busy, stopped, stopped]);
    expect(place.waits()).toEqual([]);
  });

  test('what is said before its time brings nothing and takes nothing away', async () => {
    let isDown = true;
    const place = await opened(server, { model: down(() => isDown) });
    const [at] = place.waits();
    place.repository.as('defunkt').comment(place.number, 'Nice.');
    await place.settled();
    place.repository.as('defunkt').comment(place.number, '/evident help');
    await place.settled();
    expect(place.stands().checks).toHaveLength(1);
    expect(place.checkText()).toContain(told(at));
    expect(place.checkText()).toContain('"goes_on":true');
    expect(place.waits()).toEqual([at]);
    isDown = false;
    await later(place, 7);
    expect(place.stands().checks.at(-1)).toBe(passed);
  });

  test('asked for in between: it is done once', async () => {
    let isDown = true;
    const model = down(() => isDown);
    const place = await opened(server, { model });
    isDown = false;
    place.repository.as('octocat').comment(place.number, '/evident review');
    await place.settled();
    const asked = model.requests.length;
    await later(place, 60);
    expect(timeless(place)).toEqual([busy, passed]);
    expect(model.requests).toHaveLength(asked);
  });

  test.each([
    ['a push', async (place: Place) => void (await place.push({ 'src/label.ts': files['src/label.ts'] }))],
    ['a close', async (place: Place) => void (await place.repository.closePullRequest(place.number))],
    ['a draft', async (place: Place) => void place.repository.convertToDraft(place.number, 'octocat')],
    [
      'a pause',
      async (place: Place) =>
        void place.repository.as('octocat').comment(place.number, '/evident pause not now'),
    ],
  ])('%s in between: this head is not read', async (_name, act) => {
    let isDown = true;
    const model = down(() => isDown);
    const place = await opened(server, { model });
    isDown = false;
    await act(place);
    await place.settled();
    const asked = model.requests.length;
    await later(place, 60);
    expect(model.requests).toHaveLength(asked);
    expect(place.stands().checks.filter((check) => check.startsWith('head 1: success'))).toEqual([]);
  });

  test('a restart forgets the clock: the next event after that time brings it, one before does not', async () => {
    let isDown = true;
    const model = down(() => isDown);
    const place = await opened(server, { model });
    isDown = false;
    await place.restart({ gate: 'blocking', environment: server, model });
    place.repository.as('defunkt').comment(place.number, 'Nice.');
    await place.settled();
    expect(place.stands().checks).toHaveLength(1);
    await later(place, 7);
    place.repository.as('defunkt').comment(place.number, 'Very nice.');
    await place.settled();
    expect(timeless(place)).toEqual([busy, passed]);
  });

  test('where nobody waits nothing is promised: the next event after the pause tries it again', async () => {
    let isDown = true;
    const place = await opened(serverless, { model: down(() => isDown) });
    expect(place.stands().checks).toEqual([stopped]);
    expect(place.waits()).toEqual([]);
    expect(place.checkText()).toMatch(
      /Nothing here runs by a clock: the next event on this pull request after \d\d:\d\d UTC tries it again, and `\/evident review` does now\./,
    );
    isDown = false;
    place.repository.as('defunkt').comment(place.number, 'Nice.');
    await place.settled();
    expect(place.stands().checks).toEqual([stopped]);
    await later(place, 7);
    place.repository.as('defunkt').comment(place.number, 'Very nice.');
    await place.settled();
    expect(place.stands().checks).toEqual([stopped, passed]);
  });

  test('GitHub itself: a limit of its own is waited for, however long it asks', async () => {
    const place = await opened(server, {
      model: plays(({ step }) => (step === 0 ? readAll() : submit())),
      before: () =>
        world.github.faults.add({
          match: ({ path }) => path.includes('/compare/'),
          before: {
            status: 403,
            headers: { 'retry-after': '1800' },
            body: { message: 'You have exceeded a secondary rate limit.' },
          },
        }),
    });
    const [at] = place.waits();
    expect(place.stands().checks).toEqual([
      `head 1: action_required, Not reviewed: an error from GitHub, again at ${told(at)}`,
    ]);
    expect((at ?? 0) - Date.now()).toBeGreaterThan(29 * minute);
    await later(place, 32);
    expect(place.stands().checks.at(-1)).toBe(passed);
  });

  test('GitHub takes not even the check: the event is handled again later', async () => {
    const place = await opened(server, {
      model: plays(({ step }) => (step === 0 ? readAll() : submit())),
      before: () =>
        world.github.faults.add({
          match: ({ path }) => path.includes('/check-runs'),
          before: {
            status: 403,
            headers: { 'retry-after': '1200' },
            body: { message: 'You have exceeded a secondary rate limit.' },
          },
        }),
    });
    expect(place.stands().checks).toEqual([]);
    await later(place, 21);
    expect(place.stands().checks).toEqual([passed]);
  });
});

describe('a pass that is cut off by the time', () => {
  const cutOff = 'head 1: action_required, Not finished: 1 of 2 files read';
  const time = { longestRunMs: 300_000 };

  test('does not count, and nobody who never answers is asked without end', async () => {
    const place = await opened(server, { model: plays(() => never()), longestRunMs: 20_300 });
    const [at] = place.waits();
    expect(place.stands()).toMatchObject({
      checks: ['head 1: action_required, Not finished: the time was up'],
      mergeable: false,
    });
    expect(place.checkText()).toContain(
      `It goes on by itself at ${told(at)}; \`/evident review\` starts it now.`,
    );
    await later(place, 4);
    expect(place.stands().checks).toHaveLength(2);
    expect(place.waits()).toEqual([]);
    expect(place.checkText()).toContain(
      'It went on by itself once and read nothing further, so it does not any more.',
    );
    expect(place.stands().mergeable).toBe(false);
  });

  /** The first run reads one file and is then told that its time is nearly over; the next one has time. */
  const slow = (place: () => Place) =>
    plays(({ step, request }) => {
      const last = JSON.stringify(request.messages.at(-1));
      if (step === 0) return calls({ name: 'get_pr_diff', input: { path: 'src/refund.ts' } });
      if (step === 1) {
        // Slow: what is left is for closing.
        place().later(240_000);
        return calls({ name: 'get_file_content', input: { path: 'src/order.ts' } });
      }
      if (last.includes('There is time again')) return calls({ name: 'get_pr_diff', input: {} });
      return submit([bug]);
    });

  test('goes on after its last turn, with what it had found, and pays no turn twice', async () => {
    const model = slow(() => place);
    const place = await world.open({ gate: 'blocking', environment: server, model, ...time });
    places.push(place);
    await place.settled();
    const [at] = place.waits();
    expect(place.stands()).toMatchObject({ checks: [cutOff], threads: [threadOfBug], mergeable: false });
    expect(place.checkText()).toContain(
      `**This review did not finish and is not a clean one.** What it found so far stands: F1. It goes on by itself at ${told(at)}; \`/evident review src\` starts it now.`,
    );
    expect(place.checkText()).toContain('The time limit of 5 minutes was met.');
    expect(place.repository.pull(place.number).reviews[0]?.body).toContain(
      `The time limit of 5 minutes was met. It goes on by itself at ${told(at)}`,
    );
    const paid = model.requests.length;
    await later(place, 4);
    expect(place.stands()).toMatchObject({
      checks: [cutOff, 'head 1: failure, 1 important to fix'],
      threads: [threadOfBug],
    });
    expect(model.requests).toHaveLength(paid + 2);
    expect(place.waits()).toEqual([]);
  });

  /** The first run has time for two files, each other one for one more. */
  const many = (files: number) => Array.from({ length: files }, (_, index) => `src/file-${index}.ts`);
  const slower = (place: () => Place, paths: readonly string[]) =>
    plays(({ step, request }) => {
      const said = JSON.stringify(request.messages);
      const read = paths.filter((path) => said.includes(`"${path}"`)).length;
      const last = JSON.stringify(request.messages.at(-1));
      if (last.includes('Nearly used up')) return submit();
      if (step > 0) place().later(240_000);
      return calls({ name: 'get_pr_diff', input: { path: paths[read % paths.length] ?? '' } });
    });

  async function cutOffAgain(
    files: number,
    environment: Readonly<Record<string, string>>,
    pauses: readonly number[],
  ): Promise<Place> {
    const paths = many(files);
    const place: Place = await world.open({
      gate: 'blocking',
      environment,
      model: slower(() => place, paths),
      changes: Object.fromEntries(paths.map((path) => [path, 'export const x = 1;\n'])),
      ...time,
      limits: { turns: 100 },
    });
    places.push(place);
    await place.settled();
    for (const minutes of pauses) await later(place, minutes);
    return place;
  }

  const ways = [
    ['in the same process', server, [4, 4]],
    ["by GitHub's queue", serverless, []],
  ] as const;

  test.each(ways)('until all is read, %s: only then is it clean', async (_name, environment, pauses) => {
    const place = await cutOffAgain(4, environment, pauses);
    expect(place.stands().checks).toEqual([
      'head 1: action_required, Not finished: 2 of 4 files read',
      'head 1: action_required, Not finished: 3 of 4 files read',
      passed,
    ]);
  });

  test.each(ways)('twice a head, %s; then it waits for a person', async (_name, environment, pauses) => {
    const place = await cutOffAgain(9, environment, pauses);
    const unfinished = [2, 3, 4].map(
      (read) => `head 1: action_required, Not finished: ${read} of 9 files read`,
    );
    expect(place.stands()).toMatchObject({ checks: unfinished, mergeable: false });
    expect(place.waits()).toEqual([]);
    expect(place.checkText()).toContain(
      'It went on by itself twice and does not any more. A push, or `/evident review`, starts a new review.',
    );
    await later(place, 600);
    expect(place.stands().checks).toHaveLength(3);
  });

  test('where the event of the queue is lost any other one brings it, and a late one brings no second', async () => {
    const paths = many(3);
    const place: Place = await world.open({
      gate: 'blocking',
      environment: serverless,
      model: slower(() => place, paths),
      changes: Object.fromEntries(paths.map((path) => [path, 'export const x = 1;\n'])),
      ...time,
      before: () =>
        world.github.faults.addDelivery({ match: ({ action }) => action === 'rerequested', fate: 'lose' }),
    });
    places.push(place);
    await place.settled();
    const cut = 'head 1: action_required, Not finished: 2 of 3 files read';
    expect(place.stands().checks).toEqual([cut]);
    expect(place.checkText()).toContain(
      'It goes on by itself in a moment; if it does not, `/evident review src` starts it.',
    );
    place.repository.as('defunkt').comment(place.number, 'Nice.');
    await place.settled();
    await place.redeliver('rerequested');
    await place.redeliver('rerequested');
    await place.settled();
    expect(place.stands().checks).toEqual([cut, passed]);
  });
});

describe('a run that died in progress', () => {
  /** The check of a run that nobody works on any more: it began, and never ended. */
  const dead = (order: Partial<Parameters<World['open']>[0]> = {}): Promise<Place> =>
    opened(server, {
      before: () =>
        world.github.faults.add({
          match: ({ method, path }) => method === 'PATCH' && path.includes('/check-runs/'),
          times: 99,
          before: { status: 502, body: {} },
        }),
      ...order,
    });
  const died = 'head 1: cancelled, Did not end; started again';

  async function comment(place: Place): Promise<void> {
    place.repository.as('defunkt').comment(place.number, 'Nice.');
    await place.settled();
  }

  test('is ended and begun again by any event on its pull request, once it must be dead', async () => {
    const place = await dead({ model: plays(({ step }) => (step === 0 ? readAll() : submit())) });
    world.github.faults.clear();
    await comment(place);
    expect(place.stands()).toMatchObject({ checks: ['head 1: in_progress, Reading'], mergeable: false });
    place.later(13 * minute);
    await comment(place);
    expect(place.stands()).toMatchObject({ checks: [died, passed], mergeable: true });
    await comment(place);
    expect(place.stands().checks).toHaveLength(2);
  });

  test('a paused one stays as it is', async () => {
    const model = plays(({ step }) => (step === 0 ? readAll() : submit()));
    const place = await dead({ model });
    world.github.faults.clear();
    const asked = model.requests.length;
    place.repository.as('octocat').comment(place.number, '/evident pause not now');
    await place.settled();
    place.later(13 * minute);
    await comment(place);
    expect(model.requests).toHaveLength(asked);
    expect(place.stands().mergeable).toBe(false);
  });

  test('twice by itself: a change that stops the process is not read without end', async () => {
    const place = await dead({ model: plays(({ step }) => (step === 0 ? readAll() : submit())) });
    world.github.faults.clear();
    for (let restart = 0; restart < 4; restart += 1) {
      // The end of the next run is lost too: its predecessor is ended, it itself is not.
      let ended = 0;
      world.github.faults.add({
        match: ({ method, path }) =>
          method === 'PATCH' && path.includes('/check-runs/') && (ended += 1) > 1 && restart < 2,
        times: 99,
        before: { status: 502, body: {} },
      });
      place.later(13 * minute);
      await comment(place);
      world.github.faults.clear();
    }
    expect(place.stands().checks).toEqual([
      died,
      died,
      died,
      'head 1: action_required, Not reviewed: the run stopped three times',
    ]);
    place.repository.as('octocat').comment(place.number, '/evident review');
    await place.settled();
    expect(place.stands().checks.at(-1)).toBe(passed);
  });
});
