import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replayPushes, type History } from '../../evals/replay-pushes.js';
import { createBareRepository } from '../../local-github/git.js';
import { writeCommit, type FileChange } from '../../local-github/objects.js';

const folder = mkdtempSync(join(tmpdir(), 'pushes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;

const orders = (name: string): readonly string[] => [
  `export function ${name}(order) {`,
  '  if (order === null) {',
  '    return null;',
  '  }',
  `  const ${name}Total = order.lines.reduce((sum, line) => sum + line.${name});`,
  `  return send(order, ${name}Total);`,
  '}',
  '',
];
const all = ['pay', 'refund', 'settle', 'close', 'reopen', 'cancel'].flatMap(orders);
const nextDoor = all.map((line) => line.replace('send(order, refundTotal)', 'sendNow(order, refundTotal)'));
const secret = `export const key = '${['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')}';`;

/** A new file that drifts, is edited, renamed, indented anew and grows, and a key beside it that drifts too. */
const pushes: readonly Readonly<Record<string, FileChange>>[] = [
  { 'src/orders.ts': file(...all), 'src/key.ts': file(secret) },
  { 'src/orders.ts': file('// one', '// two', '', ...all), 'src/key.ts': file('// The key.', secret) },
  { 'src/orders.ts': file('// one', '// two', '', ...nextDoor) },
  { 'src/orders.ts': null, 'src/shop/orders.ts': file('// one', '// two', '', ...nextDoor) },
  {
    'src/shop/orders.ts': file(
      ...orders('lend'),
      ...nextDoor.map((line) => (line === '' ? '' : `  ${line}`)),
    ),
  },
  {
    'src/shop/orders.ts': file(
      ...orders('lend'),
      ...nextDoor.slice(8).map((line) => (line === '' ? '' : `  ${line}`)),
    ),
  },
];

async function madeHistory(): Promise<History> {
  const git = await createBareRepository(join(folder, 'made.git'), 'main');
  const author = { name: 'octocat', email: 'octocat@users.noreply.local-github.invalid' };
  const commits: string[] = [];
  for (const [index, files] of [{ 'README.md': '# shop\n' }, ...pushes].entries())
    commits.push(
      await writeCommit(git, {
        parents: commits.slice(-1),
        files,
        message: `Change ${index}`,
        author,
        at: 1_700_000_000_000 + index * 60_000,
      }),
    );
  const [base = '', ...heads] = commits;
  return { repo: git.dir, base, heads };
}

let history: History;
beforeAll(async () => {
  history = await madeHistory();
});

test('with the fixed rules nothing is posted twice and nothing merged', async () => {
  const replay = await replayPushes(history, { model: 'rules' });
  expect(replay).toMatchObject({ heads: 6, reviews: 6, postedTwice: [], merged: [], ended: [] });
  expect(replay.findings).toBeGreaterThan(0);
  expect(replay.sightings).toBeGreaterThan(replay.spots);
});

test.each([1, 2, 3])('nor with a model that rewords and renames all it says, seed %i', async (seed) => {
  const replay = await replayPushes(history, { model: 'reworded', seed });
  expect(replay).toMatchObject({ reviews: 6, postedTwice: [], merged: [], refused: [], ended: [] });
  expect(replay.spots).toBeGreaterThan(10);
  expect(replay.findings).toBe(replay.spots);
  expect(replay.sightings).toBeGreaterThan(3 * replay.spots);
  expect(replay.threads.length).toBeGreaterThan(5);
});
