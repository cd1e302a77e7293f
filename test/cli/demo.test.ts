import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { main } from '../../cli/main.js';
import { readOwnBranch } from '../../cli/own-branch.js';
import { columns, wrapped } from '../../cli/wrapped.js';
import { silentLog } from '../../lib/ports/log.js';
import { startLocalGitHub } from '../../local-github/index.js';
import { openBranch } from '../../local-github/open-branch.js';
import { startMessagesApi, type ApiAnswer } from '../models/messages-api.js';

const program = fileURLToPath(new URL('../../bin/evident.js', import.meta.url));

let scratch: string;
/** A name with blanks: whoever builds a command line out of it fails. */
let temporary: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'evident demo '));
  temporary = join(scratch, 'tmp of mine');
  mkdirSync(temporary);
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

/** What is left in the temporary folder; the loader of TypeScript keeps its cache there on purpose. */
const left = (): readonly string[] => readdirSync(temporary).filter((name) => !name.startsWith('tsx-'));

type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
};

/** Runs the program in a process of its own; `heard` is told all output so far and may act on the process. */
function evident(
  args: readonly string[],
  {
    env = {},
    heard = () => undefined,
    node = [],
  }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly heard?: (out: string, child: ReturnType<typeof spawn>) => void;
    readonly node?: readonly string[];
  } = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...node, program, ...args], {
      env: { PATH: process.env['PATH'], TMPDIR: temporary, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: scratch,
      timeout: 150_000,
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      heard(out, child);
    });
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, out, err }));
  });
}

type Told = { readonly code: number; readonly out: string; readonly err: string };

/** What is printed to be run from another terminal, run from here: the review, and what else reads a GitHub. */
async function askOthers(text: string): Promise<readonly Told[]> {
  const env = Object.fromEntries(
    [...text.matchAll(/^ {2}export (\w+)=(\S+)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  const [, review = ''] = /^ {2}npm run -s evident -- (.+)$/m.exec(text) ?? [];
  const told: Told[] = [];
  for (const args of [
    review.split(' '),
    ['gate', 'show', '--pr', 'octo-org/shop#1'],
    ['report', '--repo', 'octo-org/shop', '--cache', join(scratch, 'report')],
    [
      'reward',
      'collect',
      '--repo',
      'octo-org/shop',
      '--cache',
      join(scratch, 'reward'),
      '--out',
      join(scratch, 'pulls.jsonl'),
    ],
  ])
    told.push(await run(args, env));
  return told;
}

const quotes = { path: expect.any(String), ref: expect.stringMatching(/^(head|base)$/) };

describe('evident demo in a process of its own', () => {
  test('on a machine set against it, prints its JSON and nothing else', async () => {
    const home = join(scratch, 'home');
    mkdirSync(home);
    writeFileSync(
      join(home, '.gitconfig'),
      '[commit]\ngpgsign = true\n[gpg]\nprogram = /nowhere\n[core]\nhooksPath = /nowhere\nautocrlf = true\n' +
        '[init]\ndefaultBranch = trunk\n[alias]\ninit = !false\nfast-import = !false\n[user]\nname =\n',
    );
    const nowhere = 'http://127.0.0.1:9';
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const { code, out, err } = await evident(['demo', '--json', '--port', String(port)], {
      env: {
        HOME: home,
        GIT_DIR: '/nowhere',
        GIT_WORK_TREE: '/nowhere',
        GIT_INDEX_FILE: '/nowhere/index',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'core.bare',
        GIT_CONFIG_VALUE_0: 'false',
        NO_COLOR: '1',
        HTTP_PROXY: nowhere,
        http_proxy: nowhere,
        HTTPS_PROXY: nowhere,
        ALL_PROXY: nowhere,
        APP_ID: 'not a number',
        PRIVATE_KEY: 'not a key',
        WEBHOOK_SECRET: 'other',
        GHE_HOST: 'ghe.example',
        GITHUB_API_URL: nowhere,
        PORT: 'none',
        EVIDENT_GATE: 'bogus',
        VERCEL: '1',
        NODE_ENV: 'production',
      },
    });
    await new Promise((resolve) => taken.close(resolve));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const json = JSON.parse(out);
    expect(Object.keys(json)).toEqual([
      ...['inline', 'findings', 'questions', 'disproved', 'summary', 'check', 'requests'],
    ]);
    expect(json.inline.length).toBeGreaterThanOrEqual(3);
    for (const one of json.inline) {
      expect(one).toEqual({
        id: expect.stringMatching(/^[FQ]\d+$/),
        kind: expect.stringMatching(/^(finding|question)$/),
        path: expect.any(String),
        side: expect.stringMatching(/^(LEFT|RIGHT)$/),
        line: expect.any(Number),
        severity: 'important',
        rule: expect.any(String),
        body: expect.stringMatching(/\S/),
        evidence: expect.any(Array),
      });
      expect(one.evidence.length).toBeGreaterThan(0);
      for (const piece of one.evidence)
        expect(piece).toEqual({
          ...quotes,
          role: expect.stringMatching(/^(at|because)$/),
          start: expect.any(Number),
          end: expect.any(Number),
          quote: expect.stringMatching(/\S/),
        });
    }
    expect(json.disproved).toHaveLength(1);
    expect(json.check).toEqual({ conclusion: 'neutral', title: expect.stringMatching(/\S/) });
    expect(json.questions).toMatchObject([{ id: 'Q1', answer: null, effect: null, by: null }]);
    expect(json.summary).toContain('**3 important, 1 question.**');
    for (const request of json.requests)
      expect(request).toEqual({
        method: expect.stringMatching(/^[A-Z]+$/),
        path: expect.any(String),
        reason: expect.stringMatching(/\S/),
      });
    expect(json.requests.length).toBeLessThanOrEqual(16);
    // The taken port was passed over.
    expect(json.summary).not.toContain(`127.0.0.1:${port}/`);
    expect(left()).toEqual([]);
  });

  test('stands until Ctrl-C, with a page to look at and a GitHub for the other commands, and leaves nothing behind', async () => {
    let page: Promise<{ readonly status: number; readonly text: string }> | undefined;
    let others: Promise<readonly Told[]> | undefined;
    const { code, out, err } = await evident(['demo', '--port', '0'], {
      heard: (text, child) => {
        const url = /stands at (\S+)/.exec(text)?.[1];
        if (page !== undefined || url === undefined || !text.includes('Ctrl-C ends it.')) return;
        page = fetch(url).then(async (answer) => ({ status: answer.status, text: await answer.text() }));
        others = page.then(() => askOthers(text));
        void others.catch(() => undefined).finally(() => child.kill('SIGINT'));
      },
    });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    await expect(page).resolves.toMatchObject({
      status: 200,
      text: expect.stringContaining('Promo box and refunds'),
    });
    await expect(others).resolves.toEqual([
      { code: 1, err: '', out: expect.stringContaining('3 important, 1 question open.') },
      { code: 1, err: '', out: expect.stringContaining('Fix round 1.') },
      { code: 0, err: expect.any(String), out: expect.stringContaining('octo-org/shop') },
      {
        code: 0,
        err: expect.stringContaining('octo-org/shop: 1 of 1 pull requests'),
        out: expect.any(String),
      },
    ]);
    expect(left()).toEqual([]);

    // The text, while it is here: 80 columns, what is said, in the order in which it is said.
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(out).not.toContain('\u001b');
    expect(out).toMatch(
      new RegExp(
        [
          'A GitHub on this machine: http://127\\.0\\.0\\.1:\\d+ {2}\\(nothing leaves it, no key\\)',
          'Reviewer: fixed rules, not a language model\\.',
          '',
          'octo-org/shop #1 {2}"Promo box and refunds" {2}by octocat +5 files {2}\\+27 -11',
          '',
          ' {2}F1 important {2}config/payments\\.ts:8 +a stripe live key is committed',
          ' {2}F2 important {2}src/billing/refund\\.ts:20 +[^]*',
          ' {2}F3 important [^]*',
          ' {2}Q1 question {3}src/widgets/Promo\\.tsx:18 +is this jQuery change required by a',
          ' +third-party widget\\?',
          ' {2}F4 old code {3}config/payments\\.ts:6 +a secret is in the repository',
          ' {2}looked into and dropped {3}"empty cart reaches total\\(\\)": [^]*',
          '',
          'Check: 3 important to fix\\. {3}\\d+ GitHub requests, 0 model tokens, [\\d.]+ s',
        ].join('\n'),
      ),
    );
  });

  // With the first line of output the local GitHub begins to write its repository.
  test.each([0, 40])('Ctrl-C in the middle of it, after %i ms: gone at once, nothing left', async (ms) => {
    const { code, err } = await evident(['demo', '--headless', '--port', '0'], {
      heard: (_text, child) => void setTimeout(() => child.kill('SIGINT'), ms),
    });
    expect({ code, err }).toEqual({ code: 130, err: '' });
    expect(left()).toEqual([]);
  });

  test('a reader that has had enough gets no stack', async () => {
    const { code, err } = await evident(['demo', '--headless', '--port', '0'], {
      heard: (_text, child) => void child.stdout?.destroy(),
    });
    expect([0, 141]).toContain(code);
    expect(err).toBe('');
    expect(left()).toEqual([]);
  });

  test('without git: one sentence that says what to install', async () => {
    const { code, out, err } = await evident(['demo', '--headless'], { env: { PATH: temporary } });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^git is not found\. .*install git.*\n$/);
  });

  test('an old Node: one sentence that says which one is needed', async () => {
    const fake = join(scratch, 'old.cjs');
    writeFileSync(
      fake,
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } });\n",
    );
    const { code, out, err } = await evident(['demo'], { node: ['--require', fake] });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe(
      'Evident needs Node 20.18 or newer; this is 18.20.8. Install a newer one, e.g. from nodejs.org, and run it again.\n',
    );
  });
});

async function demo(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  openPage = async (_url: string): Promise<void> => undefined,
) {
  const opened: string[] = [];
  const told = await run(['demo', ...args], env, async (url) => {
    opened.push(url);
    await openPage(url);
  });
  return { ...told, opened };
}

async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  openPage?: (url: string) => Promise<void>,
): Promise<Told> {
  let out = '';
  let err = '';
  const code = await main([...args], {
    stdout: (text) => {
      out += text;
      // As Ctrl-C does once there is nothing more to come.
      if (text.includes('Ctrl-C ends it.')) setImmediate(() => process.emit('SIGINT', 'SIGINT'));
    },
    ...(openPage !== undefined && { openPage }),
    stderr: (text) => void (err += text),
    readStdin: async () => new Uint8Array(),
    isTerminal: false,
    env,
    cwd: scratch,
  });
  return { code, out, err };
}

describe('evident demo, with an answer to the question', () => {
  test.each<[string, string, { said: string; then: string; check: string }]>([
    ['yes', 'yes', { said: 'yes', then: ' {2}Q1 is dropped\\.', check: '3 important to fix' }],
    [
      'unsure',
      'unsure',
      { said: 'not sure', then: ' {2}Q1 is kept as a possible problem\\.', check: '3 important to fix' },
    ],
    [
      'without one, the author says no',
      '',
      {
        said: 'no',
        then: ' {2}F\\d+ important {2}src/widgets/Promo\\.tsx:18 {2}this jQuery change breaks React[^]*',
        check: '4 important to fix',
      },
    ],
  ])('%s', async (_name, answer, { said, then, check }) => {
    const args = ['--headless', '--port', '0', ...(answer === '' ? [] : ['--answer', answer])];
    const { code, out, err } = await demo(args);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(out).toMatch(
      new RegExp(
        [
          ' {2}Q1 question {3}src/widgets/Promo\\.tsx:18[^]*',
          '',
          `octocat answers Q1: ${said}`,
          then,
          '',
          `Check: ${check}\\. {3}\\d+ GitHub requests, 0 model tokens`,
        ].join('\n'),
      ),
    );
  });

  const effects = { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' };

  test.each<[string, keyof typeof effects, readonly object[]]>([
    [
      'no',
      'no',
      [{ from: 'Q1', path: 'src/widgets/Promo.tsx', line: 18, severity: 'important', standing: 'open' }],
    ],
    ['yes', 'yes', []],
    ['unsure', 'unsure', []],
  ])('as JSON, after it: %s', async (_name, answer, made) => {
    const { code, out, err, opened } = await demo(['--json', '--port', '0', '--answer', answer]);
    expect({ code, err, opened }).toEqual({ code: 0, err: '', opened: [] });
    const json = JSON.parse(out);
    expect(json.questions).toEqual([
      {
        id: 'Q1',
        path: 'src/widgets/Promo.tsx',
        line: 18,
        question: 'is this jQuery change required by a third-party widget?',
        answerEffects: effects,
        answer,
        effect: effects[answer],
        by: 'octocat',
      },
    ]);
    expect(json.findings.filter(({ from }: { from?: string }) => from !== undefined)).toMatchObject(made);
    const inline = json.inline.filter(({ path }: { path: string }) => path === 'src/widgets/Promo.tsx');
    expect(inline).toMatchObject([
      answer === 'no'
        ? { id: json.findings.at(-1).id, kind: 'finding', line: 18 }
        : { id: 'Q1', kind: 'question', line: 18 },
    ]);
    expect(inline[0].body).toContain('octocat');
    expect(json.check.title).toBe(`${answer === 'no' ? 4 : 3} important to fix`);
    expect(json.summary).toContain(answer === 'no' ? '**4 important' : '**3 important');
  });
});

describe('evident demo, and the browser', () => {
  test('the page opens once; one that does not start is no failure: the address is there', async () => {
    const { code, err, out, opened } = await demo(['--port', '0', '--clean'], {}, () =>
      Promise.reject(new Error('spawn xdg-open ENOENT')),
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(opened).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/octo-org\/shop\/pull\/1$/)]);
    expect(out).toContain(`The pull request stands at ${opened[0]}\n`);
  });

  test('not with --no-open', async () => {
    const { code, err, opened, out } = await demo(['--port', '0', '--clean', '--no-open']);
    expect({ code, err, opened }).toEqual({ code: 0, err: '', opened: [] });
    expect(out).toContain('The pull request stands at http://127.0.0.1:');
  });
});

describe('evident demo --clean', () => {
  test('ends without a word on the pull request, and says so', async () => {
    const { code, err, out, opened } = await demo(['--clean', '--headless', '--port', '0']);
    expect({ code, err, opened }).toEqual({ code: 0, err: '', opened: [] });
    expect(out).not.toMatch(/another terminal|GITHUB_TOKEN/);
    expect(out).toMatch(/^octo-org\/shop #1 {2}"Promo codes take percents off" {2}by octocat/m);
    expect(out).not.toMatch(/^ {2}[FQ]\d/m);
    expect(out).toMatch(/^Check: Nothing open/m);
    expect(out).toMatch(/ npm run demo -- --clean$/m);
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('evident demo --repo', () => {
  let dir: string;
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=a', '-c', 'user.email=a@a.invalid', ...args], {
      encoding: 'utf8',
    });
  const commit = (path: string, text: string, message: string): void => {
    writeFileSync(join(dir, path), text);
    git('add', path);
    git('commit', '-qm', message);
  };
  /** Every file of the repository with its bytes. Git may look an object up again and set its time. */
  const everything = (): unknown =>
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path, readFileSync(path).toString('base64')]);
  /** The pull request that the demo would review, opened without a review. */
  const pullOf = async (repo: string, args: readonly string[]) => {
    const { base, head } = parseArgs({
      args: [...args],
      options: { base: { type: 'string' }, head: { type: 'string' } },
    }).values;
    const branch = await readOwnBranch({ cwd: scratch, repo, base, head, log: silentLog });
    const github = await startLocalGitHub();
    try {
      const { repository, number } = await openBranch(github, branch);
      return { ...repository.pull(number), repository: repository.fullName };
    } finally {
      await github.close();
    }
  };
  const refund =
    "export function check(n: number): void {\n  if (n < 0) {\n    throw new Error('is below 0');\n  }\n}\n";

  beforeEach(() => {
    dir = join(scratch, 'my shop');
    mkdirSync(dir);
    git('init', '-qb', 'main');
    commit('a.ts', refund, 'First');
  });

  test('a branch is a pull request, with nothing written to the repository', async () => {
    git('switch', '-qc', 'agent/refunds');
    commit(
      'key.ts',
      `export const key = '${['sk', 'live', '4fXq82mTzKw07hRbYv9cLs3d'].join('_')}';\n`,
      'Take a key',
    );
    writeFileSync(join(dir, 'not-committed.ts'), 'export {};\n');
    const before = everything();
    const { code, err, out } = await demo(['--repo', dir, '--base', 'main', '--headless', '--port', '0']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^local\/my-shop #1 {2}"Take a key" {2}by you {2,}1 file {2}\+1 -0$/m);
    expect(out).toMatch(/^ {2}F1 important {2}key\.ts:1 /m);
    expect(out).toMatch(/^Compared: agent\/refunds with main, what is committed\.$/m);
    expect(out).not.toContain('not-committed');
    expect(out.slice(out.indexOf('See it'))).toBe(
      `See it as a page      npm run demo -- --repo '${dir}' --base main\nWith uncommitted too  npm run -s evident -- review --repo '${dir}' --base main\n`,
    );
    expect(everything()).toEqual(before);
  });

  test.each<[string, readonly string[], () => void]>([
    ['a commit without a branch', ['--base', 'HEAD~1'], () => git('checkout', '-q', '--detach')],
    ['`main` against `origin/main`', [], () => git('update-ref', 'refs/remotes/origin/main', 'HEAD~1')],
    [
      'a branch below the name of its base',
      ['--base', 'origin/main'],
      () => {
        git('update-ref', 'refs/remotes/origin/main', 'HEAD~1');
        git('branch', '-m', 'main/refunds');
      },
    ],
    [
      'a branch above the name of its base',
      ['--base', 'origin/main/next'],
      () => git('update-ref', 'refs/remotes/origin/main/next', 'HEAD~1'),
    ],
    ['names that are no branches', ['--base', 'HEAD~1', '--head', 'HEAD@{0}'], () => {}],
  ])('%s', async (_name, args, prepare) => {
    commit('b.ts', 'export const b = 1;\n', 'Second');
    prepare();
    expect(await pullOf(dir, args)).toMatchObject({
      ...{ repository: 'local/my-shop', title: 'Second', author: 'you' },
      ...{ changedFiles: 1, additions: 1, deletions: 0 },
    });
  });

  test('a shallow clone, as far as it reaches', async () => {
    commit('b.ts', 'export const b = 1;\n', 'Second');
    commit('c.ts', 'export const c = 1;\n', 'Third');
    const clone = join(scratch, 'clone');
    execFileSync('git', ['clone', '-q', '--depth', '2', `file://${dir}`, clone]);
    expect(await pullOf(clone, ['--base', 'HEAD~1'])).toMatchObject({
      repository: 'local/clone',
      title: 'Third',
    });
  });

  test.each<[string, readonly string[], RegExp]>([
    ['no such folder', ['--repo', 'nowhere'], /^There is no folder .*nowhere\.\n$/],
    [
      'no repository',
      ['--repo', '..'],
      /is not in a git repository\. Run this in one, or name one with --repo\.\n$/,
    ],
    [
      'an unknown base',
      ['--repo', '.', '--base', 'none'],
      /^none is not a commit of this repository\. .*--base\.\n$/,
    ],
    [
      'an unknown head',
      ['--repo', '.', '--head', 'none'],
      /^none is not a commit of this repository\. .*--head\.\n$/,
    ],
    [
      'no difference',
      ['--repo', '.', '--base', 'main'],
      /^Nothing differs between main and what is checked out\. Name your branch with --head, .* main~1\.\n$/,
    ],
    [
      'a base alone',
      ['--base', 'main'],
      /^--base belongs to a repository of your own\. Name it with --repo PATH\.\n$/,
    ],
    [
      'two repositories',
      ['--clean', '--repo', '.'],
      /^--clean is a repository of the demo, --repo one of yours\./,
    ],
  ])('%s', async (_name, args, sentence) => {
    scratch = dir;
    try {
      const { code, out, err } = await demo(args);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(sentence);
    } finally {
      scratch = join(dir, '..');
    }
  });

  test('a repository without a commit', async () => {
    const empty = join(scratch, 'empty');
    execFileSync('git', ['init', '-q', empty]);
    const { code, out, err } = await demo(['--repo', empty]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/has no commit yet\. Commit something first, or name a commit with --head\.\n$/);
  });
});

describe('evident demo, wrong use', () => {
  test.each([
    [['--answer', 'maybe'], '--answer "maybe" is no answer. Use yes, no or unsure.\n'],
    [['--port', 'abc'], '--port "abc" is not a port. Use a number from 0 to 65535.\n'],
    [['--port', '65536'], '--port "65536" is not a port. Use a number from 0 to 65535.\n'],
    [['--port', ''], '--port "" is not a port. Use a number from 0 to 65535.\n'],
    [['--port=-1'], '--port "-1" is not a port. Use a number from 0 to 65535.\n'],
    [['--bogus'], /^Unknown option '--bogus'[^]*evident demo --help lists the options\.\n$/],
    [['extra'], /^Unexpected argument 'extra'[^]*evident demo --help lists the options\.\n$/],
  ])('%j', async (args, sentence) => {
    const { code, out, err } = await demo(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    if (typeof sentence === 'string') expect(err).toBe(sentence);
    else expect(err).toMatch(sentence);
  });

  test('a model that is not known', async () => {
    const { code, err } = await demo(['--headless', '--port', '0'], { EVIDENT_MODEL: 'nonsense' });
    expect(code).toBe(2);
    expect(err).toMatch(/^EVIDENT_MODEL is "nonsense", which is not known\. [^\n]*\n$/);
  });

  test('help', async () => {
    const { code, out, err } = await demo(['--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const flag of ['--headless', '--answer', '--json', '--port', '--trace']) expect(out).toContain(flag);
  });
});

describe('evident demo with a model', () => {
  const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
  const answers: readonly ApiAnswer[] = [
    {
      content: [
        use('toolu_1', 'get_pr_diff', {}),
        use('toolu_2', 'get_file_at_base', { path: 'src/billing/refund.ts' }),
      ],
    },
    {
      content: [
        use('toolu_3', 'submit_code_review', {
          findings: [
            {
              path: 'src/billing/refund.ts',
              line: 21,
              code: 'if (!order.refunded) {',
              rule: 'inverted-test',
              severity: 'important',
              category: 'logic',
              confidence: 'high',
              title: 'each first refund is \u001b[31mrefused\u001b[0m',
              body: 'The test was the other way round before.',
              evidence: [
                {
                  path: 'src/billing/refund.ts',
                  ref: 'base',
                  start: 18,
                  end: 18,
                  quote: 'if (order.refunded) {',
                },
              ],
            },
          ],
          humanReviewRequests: [],
          disproved: [],
          summary: 'Refunds carry a reason.',
        }),
      ],
    },
  ];

  test('names it and where the code goes, before it goes there; its words reach the terminal as words', async () => {
    const api = await startMessagesApi({ answers });
    const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'key of mine' };
    const { code, out, err } = await demo(['--headless', '--port', '0'], env);
    await api.close();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const heading = out.slice(0, out.indexOf('octo-org/shop'));
    expect(heading).toContain('Reviewer: claude-sonnet-5-5, at');
    expect(heading.replace(/\s+/g, ' ')).toContain(
      `at ${new URL(api.url).host}: the code that it reads goes there.`,
    );
    expect(out).not.toMatch(/no key|fixed rules|\u001b/);
    expect(out).toMatch(/F1 important {2}src\/billing\/refund\.ts:21 +each first refund is/);
    expect(out).toMatch(/[1-9]\d* model tokens, (\$|under \$)/);
    expect(out).not.toContain('key of mine');
    expect(api.requests.length).toBeGreaterThanOrEqual(2);
  });

  test('a key that is refused: says so, and that the review did not finish', async () => {
    const refused = { kind: 'status', status: 401, type: 'authentication_error' } as const;
    const api = await startMessagesApi({ answers, faults: { 1: refused, 2: refused } });
    const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'key of mine' };
    const { code, out, err } = await demo(['--headless', '--port', '0'], env);
    await api.close();
    expect({ code, err }).toEqual({
      code: 3,
      err: 'The review did not finish; the check above says why.\n',
    });
    expect(out).toMatch(/^Check: \S.*\.\s+\d+ GitHub requests/m);
    expect(out).not.toContain('important to fix');
  });
});

describe('rows of 80 columns', () => {
  test('a text goes on below itself; blanks of columns stay', () => {
    expect(wrapped('  a label   one two three', 12, 20)).toEqual([
      '  a label   one two',
      '            three',
    ]);
    expect(wrapped('one', 2)).toEqual(['one']);
    expect(wrapped('a-word-that-is-too-long for it', 2, 10)).toEqual(['a-word-that-is-too-long', '  for it']);
  });

  test('places stand below each other; one that is too long has a line of its own', () => {
    const long = `src/${'very/'.repeat(12)}deep.ts:1`;
    const rows = columns([
      { label: '  F1 important', place: 'a.ts:1', text: 'one' },
      { label: '  Q1 question', place: 'src/b.ts:22', text: 'two' },
      { label: '  F2 important', place: long, text: 'three' },
    ]);
    expect(rows).toEqual([
      '  F1 important  a.ts:1       one',
      '  Q1 question   src/b.ts:22  two',
      `  F2 important  ${long}`,
      '                  three',
    ]);
  });
});
