import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Asker } from '../../../cli/asker.js';
import { runTry } from '../../../cli/commands/try.js';
import { startLocalGitHub, type LocalGitHub, type LocalRepository } from '../../../local-github/index.js';
import { reviews } from '../../world.js';
import { keyboard, keys } from '../keyboard.js';

/** `evident try`: merged pull requests of a local GitHub, reviewed and set beside their own past. */

let github: LocalGitHub;
let shop: LocalRepository;
let folder: string;
let now = Date.parse('2026-03-02T09:00:00Z');

/** Made up here, so that it is no secret in this file. */
const secret = `${'AKIA'}${'Q3EGLK7VZ2NXW5TD'}`;
const withKey = { 'src/pay.ts': `export const currency = "EUR";\nexport const key = "${secret}";\n` };

/** A pull request that changes these files and is merged a day later. */
async function merged(
  name: string,
  title: string,
  order: {
    readonly files: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly meanwhile?: (number: number) => unknown;
  },
): Promise<number> {
  await shop.commit({ branch: name, from: 'main', files: order.files, message: title, author: 'octocat' });
  const number = await shop.openPullRequest({
    head: name,
    title,
    author: 'octocat',
    ...(order.body !== undefined && { body: order.body }),
  });
  await order.meanwhile?.(number);
  now += 24 * 3_600_000;
  await shop.closePullRequest(number, { merged: true });
  now += 3_600_000;
  return number;
}

let key: number;
let quiet: number;
let fix: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evident-try-'));
  github = await startLocalGitHub({ clock: () => now });
  shop = await github.createRepository({
    owner: 'octo-org',
    name: 'shop',
    files: { 'src/pay.ts': 'export const currency = "EUR";\n', 'README.md': '# Shop\n' },
  });
  key = await merged('key', 'Add the <key>', {
    files: withKey,
    meanwhile: async (number) => {
      await shop.as('monalisa').review(number, {
        event: 'COMMENT',
        body: '',
        comments: [
          { path: 'src/pay.ts', line: 2, side: 'RIGHT', body: '**Is this one real?**\n\nIt looks so.' },
        ],
      });
    },
  });
  quiet = await merged('words', 'Say more', {
    files: { 'README.md': '# Shop\n\nIt sells.\n' },
    meanwhile: (number) =>
      shop.as('hubot').review(number, {
        event: 'COMMENT',
        body: '',
        comments: [{ path: 'README.md', line: 3, side: 'RIGHT', body: 'What does it sell?' }],
      }),
  });
  fix = await merged('fix', `Fix the payment of #${key}`, {
    files: { 'src/pay.ts': 'export const currency = "USD";\n' },
  });
  await shop.commit({ branch: 'open', from: 'main', files: withKey, message: 'Open', author: 'octocat' });
  await shop.openPullRequest({ head: 'open', title: 'Not merged', author: 'octocat' });
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await github.close();
});

type Said = { readonly code: number; readonly out: string; readonly err: string };

async function tried(
  args: readonly string[],
  {
    asker,
    given,
    env = {},
  }: {
    readonly asker?: Asker;
    readonly given?: Parameters<typeof runTry>[2];
    readonly env?: Readonly<Record<string, string | undefined>>;
  } = {},
): Promise<Said> {
  let out = '';
  let err = '';
  const code = await runTry(
    args,
    {
      stdout: (text) => void (out += text),
      stderr: (text) => void (err += text),
      readStdin: async () => new Uint8Array(),
      isTerminal: false,
      ...(asker !== undefined && { asker }),
      env: {
        EVIDENT_MODEL: 'rules',
        GITHUB_TOKEN: github.tokenOf('monalisa'),
        GITHUB_API_URL: github.apiUrl,
        ...env,
      },
      cwd: folder,
    },
    given,
  );
  return { code, out, err };
}

test('what it would have said stands beside what people said and what mended it', async () => {
  const { code, out } = await tried(['--repo', 'octo-org/shop', '--last', '20']);
  expect(out).toContain('3 merged pull requests to review, with fixed rules');
  const [, ofKey = ''] = out.split(`octo-org/shop #${key} `);
  expect(ofKey).toMatch(/F1 important\s+src\/pay\.ts:2\s/);
  expect(ofKey.replace(/\s+/g, ' ')).toContain('(said by monalisa, too)');
  expect(ofKey).toContain(`#${fix}, a fix, names it`);
  const [, ofQuiet = ''] = out.split(`octo-org/shop #${quiet} `);
  expect(ofQuiet).toMatch(/nothing to remark\n\s+hubot\s+README\.md:3\s+What does it sell\?/);
  expect(out).toContain('3 pull requests reviewed: 1 important in 1');
  expect(out.replace(/\s+/g, ' ')).toContain(
    '2 threads were left then, 1 within ten lines of a remark above.',
  );
  expect(out.replace(/\s+/g, ' ')).toContain('1 of them was taken back or mended');
  expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(code).toBe(0);
});

test('as JSON and as a page: the words of others are text there', async () => {
  const { code, out } = await tried(['--repo', 'octo-org/shop', '--json', '--html', 'try.html']);
  expect(code).toBe(0);
  const said = JSON.parse(out) as {
    readonly pulls: readonly { readonly number: number; readonly remarks: readonly object[] }[];
    readonly totals: object;
  };
  expect(said.totals).toMatchObject({
    reviewed: 3,
    important: 1,
    threadsNear: 1,
    proven: 1,
    provenSeen: 1,
    dollars: 0,
  });
  expect(said.pulls.find(({ number }) => number === key)?.remarks).toMatchObject([
    { id: 'F1', kind: 'important', path: 'src/pay.ts', line: 2, saidBy: ['monalisa'], later: [fix] },
  ]);
  const page = readFileSync(join(folder, 'try.html'), 'utf8');
  expect(page).toContain('Add the &lt;key&gt;');
  expect(page).not.toContain('<key>');
  expect(page).toContain("default-src 'none'");
});

test('nothing is written to the repository', async () => {
  await tried(['--repo', 'octo-org/shop']);
  const writes = github
    .requests()
    .filter(({ method, path }) => method !== 'GET' && !path.endsWith('/graphql'));
  expect(writes).toEqual([]);
  expect(shop.pull(key)).toMatchObject({ comments: [], checks: [] });
});

test('a model is asked for only after somebody agreed to what it may cost', async () => {
  const model = reviews();
  const no = await tried(['--repo', 'octo-org/shop', '--last', '2'], {
    given: { model },
    asker: keyboard('n').asker,
  });
  expect(no.code).toBe(2);
  expect(no.out.replace(/\s+/g, ' ')).toContain('at most $1.20 ($0.60 each, --limit)');
  expect(no.err).toContain('nothing spent');
  expect(no.out).not.toContain('reviewed:');

  const nobody = await tried(['--repo', 'octo-org/shop', '--last', '2'], { given: { model } });
  expect(nobody.code).toBe(2);
  expect(nobody.err).toContain('--yes');

  const left = await tried(['--repo', 'octo-org/shop'], {
    given: { model },
    asker: keyboard(keys.ctrlC).asker,
  });
  expect(left.code).toBe(2);

  const yes = await tried(['--repo', 'octo-org/shop', '--last', '2', '--yes'], { given: { model } });
  expect(yes.out).toContain('2 pull requests reviewed');
});

test('one that cannot be read says why, and holds up nothing', async () => {
  github.faults.add({
    match: ({ path }) => path === `/repos/octo-org/shop/pulls/${key}`,
    before: { status: 404, body: { message: 'Not Found' } },
  });
  const { code, out } = await tried(['--repo', 'octo-org/shop']);
  expect(code).toBe(3);
  expect(out.replace(/\s+/g, ' ')).toContain(`not reviewed: GitHub does not show octo-org/shop#${key}`);
  expect(out).toContain('2 pull requests reviewed, 1 not');
});

test.each([
  ['no repository', [], {}, /--repo is missing/],
  ['a repository that is none', ['--repo', 'shop'], {}, /--repo is shop/],
  [
    'a limit that is no amount',
    ['--repo', 'octo-org/shop', '--limit', 'two'],
    {},
    /--limit "two" is no amount/,
  ],
  ['too many', ['--repo', 'octo-org/shop', '--last', '201'], {}, /at most 200/],
  [
    'a model that is not known',
    ['--repo', 'octo-org/shop', '--model', 'nonsense'],
    {},
    /^--model is "nonsense", which is not known\./,
  ],
  ['no token', ['--repo', 'octo-org/shop'], { GITHUB_TOKEN: undefined }, /Set GITHUB_TOKEN or GH_TOKEN/],
])('%s is said', async (_name, args, env, sentence) => {
  await expect(tried(args, { env })).rejects.toThrow(sentence);
});
