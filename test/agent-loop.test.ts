import { execFileSync } from 'node:child_process';
import { findsTheBug } from './finds-the-bug.js';
import { change, files, startWorld, type Place, type World } from './world.js';

/** A coding agent and the gate: it converges, waits for a person, or gets nowhere; pushes keep or reset what was earned. */

let world: World;
const places: Place[] = [];

beforeAll(async () => {
  world = await startWorld();
});

afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

afterAll(() => world.close());

const agentBranch = 'agent/refunds';

async function opened(): Promise<Place> {
  const place = await world.open({ gate: 'blocking', model: findsTheBug(), pull: { head: agentBranch } });
  places.push(place);
  await place.settled();
  return place;
}

const check = (place: Place): string => place.stands().checks.at(-1) ?? '';

/** The last line of the check, as a program reads it. */
function result(place: Place): { readonly verdict: string; readonly blocking: readonly string[] } {
  const line = /<!-- evident:result (\{.*\}) -->/.exec(place.checkText())?.[1] ?? '{}';
  return JSON.parse(line) as { verdict: string; blocking: readonly string[] };
}

const fixed = { 'src/refund.ts': files['src/refund.ts'] };
const passed = /: success, Nothing open, two clean reviews$/;

async function pushes(place: Place, pushed: Readonly<Record<string, string>>): Promise<void> {
  await place.push(pushed);
  await place.settled();
}

test('one that fixes only what blocks is done after one round, by two clean reviews', async () => {
  const place = await opened();
  expect(result(place)).toMatchObject({ verdict: 'fix', blocking: ['F1'] });
  await pushes(place, fixed);
  expect(result(place)).toMatchObject({ verdict: 'pass', blocking: [] });
  expect(check(place)).toMatch(passed);
  expect(place.stands()).toMatchObject({
    threads: [expect.stringContaining('src/refund.ts')],
    mergeable: true,
  });
});

test('one that never fixes waits for a person after three rounds, and more pushes change nothing', async () => {
  const place = await opened();
  for (const round of [1, 2, 3, 4]) {
    expect(result(place).verdict).toBe(round <= 3 ? 'fix' : 'escalate');
    await pushes(place, { 'src/label.ts': `${change['src/label.ts']}// try ${round}\n` });
  }
  expect(result(place)).toMatchObject({ verdict: 'escalate', blocking: ['F1'] });
  expect(place.stands()).toMatchObject({ mergeable: false });
  expect(place.stands().threads).toHaveLength(1);
});

test('one that resolves, answers and dismisses what was found in its own change gets nowhere', async () => {
  const place = await opened();
  const root = place.repository.pull(place.number).threads[0]?.comments[0]?.id ?? 0;
  const agent = place.repository.as('octocat');
  agent.resolve(root);
  for (const words of [
    'fixed',
    'dismiss: not a bug',
    'yes',
    '/evident dismiss F1 by design',
    '/evident override done',
  ])
    agent.reply(root, words);
  agent.comment(place.number, '/evident override it is fine');
  await place.repository.as('octocat').review(place.number, { event: 'COMMENT', body: 'F1 yes' });
  await place.settled();
  expect(result(place)).toMatchObject({ verdict: 'fix', blocking: ['F1'] });
  expect(place.stands().mergeable).toBe(false);
});

describe('what was earned', () => {
  async function clean(): Promise<Place> {
    const place = await opened();
    await pushes(place, fixed);
    expect(check(place)).toMatch(passed);
    return place;
  }

  test('is kept over a rebase that leaves the change as it is, without another review', async () => {
    const place = await clean();
    const asked = place.handled.length;
    await place.repository.commit({
      branch: 'main',
      files: { 'docs/other.md': 'Elsewhere.\n' },
      message: 'Elsewhere',
      author: 'monalisa',
    });
    await place.repository.commit({
      branch: agentBranch,
      from: 'main',
      files: { ...change, ...fixed },
      message: 'The same, on the new base',
      author: 'octocat',
    });
    await place.settled();
    expect(check(place)).toMatch(passed);
    expect(place.stands().mergeable).toBe(true);
    expect(place.handled.slice(asked).map(({ kind }) => kind)).toEqual(['folded']);
  });

  test('is kept over a merge of the base into it', async () => {
    const place = await clean();
    const asked = place.handled.length;
    const { repository } = place;
    await repository.commit({
      branch: 'main',
      files: { 'docs/other.md': 'Elsewhere.\n' },
      message: 'Elsewhere',
      author: 'monalisa',
    });
    const git = (...args: string[]): string =>
      execFileSync('git', ['--git-dir', repository.gitDir, ...args], { encoding: 'utf8' }).trim();
    const tree = git('merge-tree', '--write-tree', agentBranch, 'main');
    const who = ['-c', 'user.name=octocat', '-c', 'user.email=octocat@example.invalid'];
    const merge = git(...who, 'commit-tree', tree, '-p', agentBranch, '-p', 'main', '-m', 'Merge main');
    await repository.forcePush(agentBranch, merge, 'octocat');
    await place.settled();
    expect(repository.pull(place.number).head.sha).toBe(merge);
    expect(check(place)).toMatch(passed);
    expect(place.stands().mergeable).toBe(true);
    expect(place.handled.slice(asked).map(({ kind }) => kind)).toEqual(['folded']);
  });

  test('is lost with the next change, and earned again', async () => {
    const place = await clean();
    await pushes(place, { ...fixed, 'src/label.ts': `${files['src/label.ts']}// more\n` });
    expect(check(place)).toMatch(passed);
    await pushes(place, { 'src/refund.ts': change['src/refund.ts'] });
    expect(result(place)).toMatchObject({ verdict: 'fix', blocking: ['F1'] });
    expect(place.stands().mergeable).toBe(false);
  });
});
