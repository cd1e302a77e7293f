import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { main } from '../../../cli/main.js';
import { whileLocked } from '../../../cli/reward/while-locked.js';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'evident-reward-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, value: unknown): void =>
  writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));

async function reward(args: readonly string[], given: unknown = '') {
  let out = '';
  let err = '';
  const code = await main(['reward', ...args], {
    stdout: (text) => void (out += text),
    stderr: (text) => void (err += text),
    readStdin: async () => Buffer.from(typeof given === 'string' ? given : JSON.stringify(given)),
    isTerminal: false,
    env: {},
    cwd: folder,
  });
  return { code, out, err };
}

type Row = {
  readonly repo: string;
  readonly pr: number;
  readonly resolved: boolean;
  readonly author: string | null;
  readonly body: string;
};

const bodies = { security: 'SQL injection', logic: 'This crashes.', quality: 'Unused.' } as const;

const rows = (
  pr: number,
  security: number,
  logic: number,
  quality: number,
  resolved = false,
): readonly Row[] =>
  Object.entries({ security, logic, quality }).flatMap(([category, count]) =>
    Array.from({ length: count }, () => ({
      repo: 'octo-org/shop',
      pr,
      resolved,
      author: 'monalisa',
      body: bodies[category as keyof typeof bodies],
    })),
  );

describe('score', () => {
  test.each([
    [[4, 2, 1], '0.31', '0.15'],
    [[1, 1, 0], '0.09', '0.09'],
    [[0, 1, 2], '0.05', '0.05'],
  ] as const)('%j is %s, and costs %s', async ([security, logic, quality], raw, penalty) => {
    const { code, out, err } = await reward(['score'], rows(7, security, logic, quality));
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(
      `${JSON.stringify(
        {
          prs: [
            {
              repo: 'octo-org/shop',
              pr: 7,
              security,
              logic,
              quality,
              raw: Number(raw),
              penalty: Number(penalty),
            },
          ],
          aggregate: Number(penalty),
        },
        null,
        2,
      )}\n`,
    );
    expect(out).toContain(`"raw": ${raw},`);
  });

  test('three that are resolved cost nothing, and the pull request is there', async () => {
    const { out } = await reward(['score'], rows(7, 1, 1, 1, true));
    expect(JSON.parse(out)).toEqual({
      prs: [{ repo: 'octo-org/shop', pr: 7, security: 0, logic: 0, quality: 0, raw: 0, penalty: 0 }],
      aggregate: 0,
    });
  });

  test('of two pull requests at the cap the update costs 0.25', async () => {
    const { out } = await reward(
      ['score', '-'],
      [...rows(7, 3, 0, 0), ...rows(8, 3, 0, 0), ...rows(7, 0, 0, 1)],
    );
    expect(JSON.parse(out)).toMatchObject({
      prs: [
        { pr: 7, security: 3, quality: 1, raw: 0.19, penalty: 0.15 },
        { pr: 8, penalty: 0.15 },
      ],
      aggregate: 0.25,
    });
  });

  test('the share that matched nothing is told, beside the JSON', async () => {
    const given = [...rows(7, 1, 1, 1), { ...rows(7, 1, 0, 0)[0], body: 'Hm.' }];
    const { out, err } = await reward(['score', '--details'], given);
    expect(err).toBe('1 of 4 unresolved threads (25 %) matched no word and counts as quality.\n');
    expect(JSON.parse(out)).toMatchObject({
      prs: [
        {
          category: 'other',
          threads: [
            { category: 'security', because: { kind: 'word', word: 'injection' } },
            { category: 'logic', because: { kind: 'word', word: 'crashes' } },
            { category: 'quality' },
            { category: 'quality', because: { kind: 'nothing' } },
          ],
        },
      ],
      unmatched: { threads: 1, of: 4, share: 0.25 },
    });
  });

  test('reads a file, JSON lines, rows with an id once, and what it printed itself', async () => {
    const lines = [...rows(7, 1, 1, 0), ...rows(9, 0, 0, 2)].map((row) => JSON.stringify(row)).join('\n');
    write('reviews.jsonl', `${lines}\n\n`);
    const first = await reward(['score', 'reviews.jsonl']);
    expect(JSON.parse(first.out)).toMatchObject({
      prs: [
        { pr: 7, penalty: 0.09 },
        { pr: 9, penalty: 0.02 },
      ],
    });
    expect((await reward(['score'], first.out)).out).toBe(first.out);
    const again = rows(7, 1, 0, 0).flatMap((row) => [
      { ...row, id: 'T1' },
      { ...row, id: 'T1' },
    ]);
    expect(JSON.parse((await reward(['score'], again)).out)).toMatchObject({ aggregate: 0.06 });
  });

  const past = {
    repo: 'octo-org/shop',
    number: 7,
    url: 'https://github.com/octo-org/shop/pull/7',
    author: { login: 'hubot', bot: true },
    labels: ['billing'],
    head: 'agent/refunds',
    files: ['src/refund.ts'],
    state: 'closed',
    draft: false,
    createdAt: '2027-01-01T00:00:00Z',
    commits: [],
    threads: [
      {
        id: 'T1',
        path: 'src/refund.ts',
        line: 3,
        isResolved: true,
        resolvedBy: { login: 'hubot', bot: true },
        isOutdated: false,
        sha: null,
        comments: [{ author: null, at: '2027-01-02T00:00:00Z', body: 'XSS', editedAt: null }],
      },
    ],
  };

  test('reads what collect writes; settings name the category and the signals', async () => {
    write('settings.json', {
      categories: [{ name: 'billing', label: 'billing' }],
      signals: { missing_tests: 0.1, closed_unmerged: 0.2 },
    });
    const given = [past, { ...past, threads: [] }, past].map((one) => JSON.stringify(one)).join('\n');
    const { out } = await reward(['score', '--settings', 'settings.json', '--details'], given);
    expect(JSON.parse(out)).toMatchObject({
      prs: [
        {
          repo: 'octo-org/shop',
          pr: 7,
          category: 'billing',
          merged: false,
          security: 1,
          penalty: 0.06,
          signals: ['missing_tests', 'closed_unmerged'],
          threads: [{ id: 'T1', author: null }],
        },
      ],
      aggregate: 0.06,
    });
  });

  test.each([
    ['nothing', '', /^the input is empty/],
    ['no JSON', 'hello', /no JSON and no JSON lines/],
    ['a broken line', '{"repo": "a/b", "pr": 1, "resolved": true, "body": ""}\n{', /line 2, is no JSON/],
    ['a number', '[1]', /entry 1: expected an object/],
    ['no body', '[{"repo": "a/b", "pr": 1, "resolved": true}]', /entry 1, `body`: Expected the text/],
    ['no resolved', '[{"repo": "a/b", "pr": 1, "body": ""}]', /`resolved`: Expected true or false/],
    ['an error for an answer', '{"data": null, "errors": [{}]}', /entry 1, `repo`: Expected a repository/],
    [
      'no threads',
      JSON.stringify({ ...past, threads: undefined }),
      /`threads`: Expected the list of its threads: collect it without --no-threads/,
    ],
    [
      'threads that were not asked for',
      JSON.stringify({ ...past, threads: [], withoutThreads: true }),
      /collect it without --no-threads/,
    ],
  ])('%s is never "no threads"', async (_, given, sentence) => {
    const { code, out, err } = await reward(['score'], given);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(sentence);
  });

  test.each([
    [['score', 'none.json'], /There is no file none\.json\./],
    [['score', 'a', 'b'], /Name one file/],
    [['score', '--settings', 'none.json'], /There is no file none\.json\./],
    [['score', '--now', 'soon'], /--now is soon/],
    [['score', '--now', '2027-06-01'], /--now is 2027-06-01: write a time such as/],
    [['score', '--fast'], /--help lists the options/],
    [['choose'], /--state is missing/],
    [['choose', '--state', 'none.json'], /There is no file none\.json\./],
    [['replay', '--at', '0'], /--at is 0/],
    [['praise'], /there is no `praise`/],
    [[], /evident reward SUBCOMMAND/],
  ])('%j is refused with a sentence', async (args, sentence) => {
    const { code, out, err } = await reward(args, '[]');
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(sentence);
  });
});

describe('update and choose', () => {
  test('what is seen later replaces what the pull request said, in the file too', async () => {
    const first = await reward(
      ['update', '--state', 'state.json'],
      rows(7, 0, 0, 0).concat(rows(7, 0, 0, 1, true)),
    );
    expect(JSON.parse(first.out)).toMatchObject({
      added: 1,
      changed: 0,
      same: 0,
      aggregate: 0,
      arms: [{ category: 'other', alpha: 2, beta: 1, updates: 1, mean: 0.6667 }],
      alarms: [],
    });
    await reward(['update', '--state', 'state.json'], rows(7, 1, 1, 0));
    const late = await reward(['update', '--state', 'state.json'], rows(7, 1, 1, 0));
    expect(JSON.parse(late.out)).toMatchObject({
      added: 0,
      changed: 0,
      same: 1,
      arms: [{ alpha: 1.4, beta: 1.6, updates: 1 }],
    });
    expect(JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8'))).toMatchObject({
      v: 1,
      pulls: { 'octo-org/shop#7': { category: 'other', security: 1, logic: 1, quality: 0, penalty: 0.09 } },
      sessions: {},
      arms: [{ alpha: 1.4 }],
    });
    expect(readdirSync(folder)).toEqual(['state.json']);
  });

  test('without a file it prints what was learned, which choose reads', async () => {
    const { out } = await reward(
      ['update'],
      [
        { session: 'monday', category: 'docs', reward: 1 },
        { session: 'tuesday', category: 'billing', reward: 0.1 },
      ],
    );
    write('state.json', out);
    const chosen = await reward(['choose', '--state', 'state.json', '--seed', '1']);
    expect(chosen.code).toBe(0);
    const answer = JSON.parse(chosen.out) as {
      readonly choice: string;
      readonly arms: readonly { readonly category: string; readonly drawn: number }[];
    };
    expect(answer.arms.map(({ category }) => category)).toEqual(['billing', 'docs']);
    const best = answer.arms.toSorted((a, b) => b.drawn - a.drawn)[0];
    expect(answer).toMatchObject({ choice: best?.category, seed: '1', advice: expect.any(String) as string });
    expect((await reward(['choose', '--state', 'state.json', '--seed', '1'])).out).toBe(chosen.out);
    const free = JSON.parse((await reward(['choose', '--state', 'state.json', '--among', 'new,docs'])).out);
    expect(free).toMatchObject({
      seed: expect.stringMatching(/^[0-9a-f]{16}$/),
      arms: [{ category: 'docs' }, { category: 'new', alpha: 1, beta: 1, updates: 0 }],
    });
  });

  test('a state that is something else is left as it is', async () => {
    write('state.json', '{"important": true}');
    const { code, err } = await reward(['update', '--state', 'state.json'], rows(7, 1, 0, 0));
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^state\.json was not written by evident reward update/),
    ]);
    expect(readFileSync(join(folder, 'state.json'), 'utf8')).toBe('{"important": true}');
  });

  test('of updates at the same time none is lost', async () => {
    const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
    const ran = await Promise.all(
      numbers.map((pr) => reward(['update', '--state', 'state.json'], rows(pr, 1, 0, 0))),
    );
    expect(ran.map(({ code }) => code)).toEqual(numbers.map(() => 0));
    const { pulls } = JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8')) as {
      readonly pulls: object;
    };
    expect(Object.keys(pulls)).toHaveLength(12);
    expect(readdirSync(folder)).toEqual(['state.json']);
  });

  test('a lock that was left behind is told, with what to do', async () => {
    write('state.json.lock', '');
    await expect(
      whileLocked(
        { flag: '--state', file: 'state.json' },
        { cwd: folder, stderr: () => {} },
        async () => 'never',
        0,
      ),
    ).rejects.toThrow(/^state\.json is in use .* delete state\.json\.lock, and try again\.$/);
    expect(readdirSync(folder)).toEqual(['state.json.lock']);
  });

  /** One that had the lock when it was killed. */
  async function killedHalfWay(): Promise<number> {
    const program = `import { whileLocked } from '${new URL('../../../cli/reward/while-locked.ts', import.meta.url).href}';
      const io = { cwd: ${JSON.stringify(folder)}, stderr: () => {} };
      void whileLocked({ flag: '--state', file: 'state.json' }, io, () => {
        console.log('locked');
        return new Promise(() => setInterval(() => {}, 1000));
      });`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(readdirSync(folder)).toEqual(['state.json.lock']);
    return child.pid ?? 0;
  }

  test('the lock of one that was killed is taken over, once and with a line that says so', async () => {
    const pid = await killedHalfWay();
    const numbers = Array.from({ length: 6 }, (_, index) => index + 1);
    const ran = await Promise.all(
      numbers.map((pr) => reward(['update', '--state', 'state.json'], rows(pr, 1, 0, 0))),
    );
    expect(ran.map(({ code }) => code)).toEqual(numbers.map(() => 0));
    expect(ran.map(({ err }) => err).filter((err) => err !== '')).toEqual([
      `state.json.lock was left by process ${pid}, which is gone: taken over.\n`,
    ]);
    const { pulls } = JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8')) as {
      readonly pulls: object;
    };
    expect(Object.keys(pulls)).toHaveLength(6);
    expect(readdirSync(folder)).toEqual(['state.json']);
  });

  test.each([
    ['another machine', { machine: 'elsewhere' }],
    ['another space of numbers', { space: 'pid:[1]' }],
    ['a process that lives', { pid: process.ppid }],
  ])('the lock of %s is left alone', async (_whose, other) => {
    await killedHalfWay();
    const lock = join(folder, 'state.json.lock');
    write('state.json.lock', { ...(JSON.parse(readFileSync(lock, 'utf8')) as object), ...other });
    const io = { cwd: folder, stderr: () => {} };
    await expect(
      whileLocked({ flag: '--state', file: 'state.json' }, io, async () => 'never', 0),
    ).rejects.toThrow(/^state\.json is in use/);
    expect(readdirSync(folder)).toEqual(['state.json.lock']);
  });

  test('what a state or settings quote does not steer the terminal', async () => {
    write('state.json', '{"v":1,"pulls":{"\\u001b[31mx":{"category":1}},"sessions":{}}');
    write('settings.json', '{"\\u001b[2J\\u202e":1}');
    for (const args of [
      ['choose', '--state', 'state.json'],
      ['score', '--settings', 'settings.json'],
    ]) {
      const { code, err } = await reward(args, '[]');
      expect([code, err]).toEqual([2, expect.stringMatching(/^(state|settings)\.json .*\n?.*(31mx|2J)/)]);
      expect(err.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    }
  });

  test('a folder that is not there is told', async () => {
    const { code, err } = await reward(['update', '--state', 'no/state.json'], rows(7, 1, 0, 0));
    expect([code, err]).toEqual([2, expect.stringMatching(/^--state no\/state\.json cannot be written/)]);
  });

  test('nothing to choose from', async () => {
    await reward(['update', '--state', 'state.json'], '[]');
    expect((await reward(['choose', '--state', 'state.json'])).err).toMatch(/knows no category yet/);
  });
});

test('replay: what each reward learns from the history of the page', async () => {
  const { code, out } = await reward(['replay', resolve('examples/reward/history.jsonl')]);
  const shown = JSON.parse(out);
  expect(code).toBe(0);
  expect(shown).toMatchObject({
    updates: 700,
    graded: { updates: 700, toldApart: { pairs: 9, of: 15 }, after: [{ updates: 20 }, { updates: 50 }] },
    clean: { toldApart: { of: 15 } },
    merged: { toldApart: { pairs: 0, of: 15 } },
    advice: expect.stringMatching(/^Allocate more review to (billing|imports|sessions), /) as string,
    alarms: [],
  });
  expect(shown.clean.toldApart.pairs).toBeLessThan(9);
});

test('replay takes collected pull requests oldest first, and warns of what never varies', async () => {
  const pull = (number: number) => ({
    repo: 'octo-org/shop',
    number,
    author: null,
    labels: [],
    head: 'x',
    files: [],
    state: 'merged',
    draft: false,
    createdAt: `2027-01-${String(number).padStart(2, '0')}T00:00:00Z`,
    commits: [],
    threads:
      number === 1
        ? [
            {
              id: 'T',
              line: 1,
              isResolved: false,
              resolvedBy: null,
              isOutdated: false,
              sha: null,
              comments: [],
            },
          ]
        : [],
  });
  const newestFirst = Array.from({ length: 25 }, (_, index) => pull(25 - index));
  const { out } = await reward(['replay', '--at', '1'], newestFirst);
  const shown = JSON.parse(out);
  expect(shown.graded.after[0].arms[0].alpha).toBeCloseTo(1 + 1 - 1 / 15, 8);
  expect(shown.alarms).toEqual(
    expect.arrayContaining([expect.stringMatching(/^`merged` is true in all 25/)]),
  );
});

describe('help', () => {
  test.each([
    [['--help']],
    [['score', '--help']],
    [['update', '--help']],
    [['choose', '--help']],
    [['replay', '--help']],
  ])('%j fits 80 columns', async (args) => {
    const { code, out } = await reward(args);
    expect(code).toBe(0);
    expect(out).toMatch(/^evident reward /);
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('the examples of docs/REWARD.md run', () => {
  const has = (command: string): boolean => spawnSync(command, ['--version']).status === 0;
  const prepare = (): NodeJS.ProcessEnv => {
    cpSync('examples/reward', folder, { recursive: true });
    writeFileSync(join(folder, 'evident'), `#!/bin/sh\nexec node '${resolve('bin/evident.js')}' "$@"\n`);
    chmodSync(join(folder, 'evident'), 0o755);
    return {
      ...process.env,
      PATH: `${folder}:${process.env['PATH'] ?? ''}`,
      SEED: 'monday',
      NODE_OPTIONS: '',
    };
  };

  test('in a shell', () => {
    const out = execFileSync('sh', ['turn.sh'], { cwd: folder, env: prepare(), encoding: 'utf8' });
    expect(out).toBe('next: docs\nNo category stands out yet: review all of them alike.\n');
    expect(JSON.parse(readFileSync(join(folder, 'score.json'), 'utf8'))).toMatchObject({ aggregate: 0.14 });
    expect(existsSync(join(folder, 'learned.json'))).toBe(true);
  });

  const python = has('python3') ? test : test.skip;
  python('in Python', () => {
    const out = execFileSync('python3', ['turn.py'], { cwd: folder, env: prepare(), encoding: 'utf8' });
    expect(out).toMatch(
      /^billing: alpha 1\.76, beta 1\.24\ndocs: alpha 2\.00, beta 1\.00\nnext: (billing|docs)\n$/,
    );
  });
});
