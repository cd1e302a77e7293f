import { files, reviews, startWorld, type Place, type World } from './world.js';

/** How many clean reviews a change needs by the settings, and how the check says so. */

let world: World;
const places: Place[] = [];

beforeAll(async () => {
  world = await startWorld();
});

afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

afterAll(() => world.close());

async function opened(settings: string, changes: Readonly<Record<string, string>>): Promise<Place> {
  const place = await world.open({
    gate: 'blocking',
    model: reviews(),
    pull: { head: 'agent/banner' },
    changes,
    before: (repository) =>
      repository.commit({
        branch: 'main',
        files: { '.github/evident.yml': settings },
        message: 'Settings',
        author: 'monalisa',
      }),
  });
  places.push(place);
  await place.settled();
  return place;
}

const check = (place: Place): string => place.stands().checks.at(-1) ?? '';

const additive = `gate:
  additive:
    paths: ["src/experiments/**"]
    beside: [CHANGELOG.md]
`;

const cost =
  /of 200,000 simulated pull requests, \d+\.\d % of those that passed so still had a bug, and \d+\.\d % after two clean reviews/;

test("an agent's addition behind the flag passes after one review, and the check says why and at what cost", async () => {
  const place = await opened(additive, {
    'src/experiments/banner.ts': 'export const banner = 1;\n',
    'CHANGELOG.md': 'A banner behind a flag.\n',
  });
  expect(check(place)).toBe('head 1: success, Nothing open, one clean review');
  expect(place.checkText()).toContain('gate.additive');
  expect(place.checkText()).toMatch(cost);
});

test('one that changes a line elsewhere needs two, and the check says what was no addition', async () => {
  const place = await opened(additive, {
    'src/experiments/banner.ts': 'export const banner = 1;\n',
    'src/label.ts': `${files['src/label.ts']}// more\n`,
  });
  expect(check(place)).toBe('head 1: success, Nothing open, two clean reviews');
  expect(place.checkText()).toContain('no addition by the setting gate.additive: src/label.ts is elsewhere');
  expect(place.checkText()).not.toMatch(cost);
});

test('a pull request does not lower its own gate', async () => {
  const place = await opened('gate: {}\n', {
    '.github/evident.yml': 'gate: { passes: { agent: 1 }, additive: { paths: ["**"] } }\n',
    'src/experiments/banner.ts': 'export const banner = 1;\n',
  });
  expect(check(place)).toBe('head 1: success, Nothing open, two clean reviews');
});

test('lowered passes are told with their cost, in the check and by /evident config', async () => {
  const place = await opened('gate: { passes: { agent: 1 } }\n', {
    'src/experiments/banner.ts': 'export const banner = 1;\n',
  });
  expect(check(place)).toBe('head 1: success, Nothing open, one clean review');
  expect(place.checkText()).toMatch(cost);
  place.repository.as('octocat').comment(place.number, '/evident config');
  await place.settled();
  expect(place.repository.pull(place.number).comments.at(-1)?.body).toMatch(cost);
});
