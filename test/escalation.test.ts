import { setTimeout as delay } from 'node:timers/promises';
import { bug, change, reviews, startWorld, type Place, type World } from './world.js';

/** A change that nobody mends waits for a person, and leaves that by each of the exits. */

let world: World;
const places: Place[] = [];

beforeAll(async () => {
  world = await startWorld();
});

afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

afterAll(() => world.close());

const settings = `gate:
  mode: blocking
  fix_rounds: 1
  escalate_to: [monalisa, octo-org/payments]
`;

/** An agent's pull request after a fix round that mended nothing: it waits for a person. */
async function escalated(): Promise<Place> {
  const place = await world.open({
    gate: 'blocking',
    model: reviews([bug]),
    pull: { head: 'agent/refunds' },
    before: async (repository) => {
      repository.addCollaborator('monalisa', 'write');
      repository.addCollaborator('hubot', 'maintain');
      await repository.commit({
        branch: 'main',
        files: { '.github/evident.yml': settings },
        message: 'Settings',
        author: 'hubot',
      });
    },
  });
  places.push(place);
  await place.settled();
  await place.push({ 'src/label.ts': `${change['src/label.ts']}// nothing that helps\n` });
  await place.settled();
  // Times are whole seconds: what is said in the second in which a check began is about the head before.
  await delay(1_100);
  return place;
}

const check = (place: Place): string => place.stands().checks.at(-1) ?? '';

const rootOf = (place: Place): number => place.repository.pull(place.number).threads[0]?.comments[0]?.id ?? 0;

async function replies(place: Place, login: string, body: string): Promise<void> {
  place.repository.as(login).reply(rootOf(place), body);
  await place.settled();
}

const waits = 'head 2: action_required, A person decides: monalisa, octo-org/payments';

test('after the rounds are up, those who decide are asked once, and the check says so', async () => {
  const place = await escalated();
  expect(place.stands()).toMatchObject({ mergeable: false });
  expect(check(place)).toBe(waits);
  const pull = place.repository.pull(place.number);
  expect(pull.comments.map(({ body }) => body.split('\n')[0])).toEqual([
    `**@monalisa and @octo-org/payments, please decide: may \`${pull.head.sha.slice(0, 7)}\` merge with F1 as it is?**`,
  ]);
  expect(pull.requestedReviewers).toContain('monalisa');
  await place.redeliver('synchronize');
  await place.settled();
  expect(place.repository.pull(place.number).comments).toHaveLength(1);
});

test.each([
  ['yes in the thread', (place: Place) => replies(place, 'monalisa', 'yes')],
  [
    'an approving review of this commit',
    async (place: Place) => {
      await place.repository.as('monalisa').review(place.number, { event: 'APPROVE' });
      await place.settled();
    },
  ],
  [
    'an override',
    async (place: Place) => {
      place.repository.as('hubot').comment(place.number, '/evident override the provider forbids 0');
      await place.settled();
    },
  ],
] as const)('%s passes it, and the next change is checked again', async (_name, act) => {
  const place = await escalated();
  await act(place);
  expect(check(place)).toMatch(/^head 2: success, Passed by (monalisa|hubot)/);
  expect(place.stands().mergeable).toBe(true);
  await place.push({ 'src/label.ts': `${change['src/label.ts']}// and more\n` });
  await place.settled();
  expect(place.stands().mergeable).toBe(false);
});

test('no gives the author one more round', async () => {
  const place = await escalated();
  await replies(place, 'monalisa', 'no');
  expect(check(place)).toBe('head 2: failure, 1 important to fix');
  expect(place.stands().mergeable).toBe(false);
});

test('its author, and strangers, decide nothing', async () => {
  const place = await escalated();
  await replies(place, 'octocat', 'yes');
  await replies(place, 'defunkt', 'yes');
  await place.repository.as('defunkt').review(place.number, { event: 'APPROVE' });
  await place.settled();
  expect(check(place)).toBe(waits);
  expect(place.stands().mergeable).toBe(false);
});

test('an approval from before anybody was asked decides nothing that is asked later', async () => {
  const place = await world.open({
    gate: 'blocking',
    model: reviews([bug]),
    before: (repository) => {
      repository.addCollaborator('monalisa', 'write');
    },
  });
  places.push(place);
  await place.settled();
  await place.repository.as('monalisa').review(place.number, { event: 'APPROVE' });
  await place.settled();
  expect(check(place)).toBe('head 1: failure, 1 important to fix');
  const run = place.repository.pull(place.number).allChecks.at(-1);
  place.repository.as('octocat').pressAction(run?.id ?? 0, 'ask_person');
  await place.settled();
  expect(check(place)).toBe('head 1: action_required, A person decides');
  expect(place.stands().mergeable).toBe(false);
});

test('a person is asked by the button also where nothing was reviewed', async () => {
  const place = await world.open({
    gate: 'blocking',
    model: reviews([bug]),
    environment: { EVIDENT_START: 'on_request' },
  });
  places.push(place);
  await place.settled();
  expect(check(place)).toMatch(/^head 1: action_required, Not reviewed/);
  const run = place.repository.pull(place.number).allChecks.at(-1);
  place.repository.as('octocat').pressAction(run?.id ?? 0, 'ask_person');
  await place.settled();
  expect(check(place)).toBe('head 1: action_required, A person decides');
  expect(place.repository.pull(place.number).comments).toHaveLength(1);
});

test('anyone may ask for a person by the button', async () => {
  const place = await world.open({
    gate: 'blocking',
    model: reviews([bug]),
    before: (repository) => {
      repository.addCollaborator('monalisa', 'write');
    },
  });
  places.push(place);
  await place.settled();
  const run = place.repository.pull(place.number).allChecks.at(-1);
  place.repository.as('octocat').pressAction(run?.id ?? 0, 'ask_person');
  await place.settled();
  expect(check(place)).toBe('head 1: action_required, A person decides');
  await replies(place, 'monalisa', 'yes');
  expect(place.stands().mergeable).toBe(true);
});
