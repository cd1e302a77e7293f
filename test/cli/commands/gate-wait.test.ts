import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runGateShow, runGateWait } from '../../../cli/commands/gate-wait.js';
import { main } from '../../../cli/main.js';
import type { App } from '../../../local-github/index.js';
import { apiOfApp } from '../../local-github/api.js';
import { calls } from '../../../lib/models/scripted.js';
import {
  bug,
  change,
  plays,
  reviews,
  startWorld,
  type Place,
  type PlaceOrder,
  type World,
} from '../../world.js';

/** What a person or a coding agent is told about the gate, from checks of the real handler on the local GitHub. */

let world: World;
let other: App;
const places: Place[] = [];

beforeAll(async () => {
  world = await startWorld();
  other = world.github.registerApp({ slug: 'evident-too', name: 'Evident' });
});

afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

afterAll(() => world.close());

async function opened(order: Partial<PlaceOrder> = {}): Promise<Place> {
  const place = await world.open({
    gate: 'blocking',
    model: reviews(),
    ...order,
    before: async (repository) => {
      repository.addCollaborator('hubot', 'maintain');
      await order.before?.(repository);
    },
  });
  places.push(place);
  await place.settled();
  return place;
}

type Said = {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly waits: readonly number[];
};

type Order = {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Before each wait ends; counts them from 1. */
  readonly meanwhile?: (wait: number) => unknown;
};

/** The command with a clock that waits move, as octocat. */
async function gate(command: 'show' | 'wait', pr: string, order: Order = {}): Promise<Said> {
  let out = '';
  let err = '';
  let now = Date.now();
  const waits: number[] = [];
  const io = {
    stdout: (text: string) => void (out += text),
    stderr: (text: string) => void (err += text),
    readStdin: async () => new Uint8Array(),
    isTerminal: false,
    env: {
      GITHUB_TOKEN: world.github.tokenOf('octocat'),
      GITHUB_API_URL: world.github.apiUrl,
      ...order.env,
    },
    cwd: order.cwd ?? tmpdir(),
  };
  const time = {
    clock: () => now,
    sleep: async (ms: number) => {
      waits.push(ms);
      now += ms;
      await order.meanwhile?.(waits.length);
    },
  };
  const run = command === 'show' ? runGateShow : runGateWait;
  const code = await run(['--pr', pr, ...(order.args ?? [])], io, time);
  return { code, out, err, waits };
}

const named = (place: Place): string => `${place.repository.fullName}#${place.number}`;

const short = (place: Place): string => place.repository.pull(place.number).head.sha.slice(0, 7);

async function json(
  place: Place,
  order: Order = {},
): Promise<{ code: number; said: Record<string, unknown> }> {
  const { code, out } = await gate('wait', named(place), {
    ...order,
    args: ['--json', ...(order.args ?? [])],
  });
  return { code, said: JSON.parse(out) as Record<string, unknown> };
}

/** A check run of ours on the live head, written by hand. */
async function posts(
  place: Place,
  check: Readonly<Record<string, unknown>>,
  { app, number = place.number }: { readonly app?: App; readonly number?: number } = {},
): Promise<number> {
  const { head } = place.repository.pull(place.number);
  const api = await apiOfApp(world.github, app ?? world.github.app);
  const { status, data } = await api('POST', `/repos/${place.repository.fullName}/check-runs`, {
    name: 'Evident',
    head_sha: head.sha,
    external_id: `${place.repository.fullName}#${number}:${head.sha}:main`,
    ...check,
  });
  expect(status).toBe(201);
  return (data as { id: number }).id;
}

const output = (title: string, text = '') => ({
  output: { title, summary: `**${title}.** It says why.\n\nMore.`, ...(text !== '' && { text }) },
});

const bare = (order: Partial<PlaceOrder> = {}): Promise<Place> => opened({ started: false, ...order });

describe('what the real handler wrote', () => {
  test('pass is 0, in one line', async () => {
    const place = await opened();
    const { code, out, err, waits } = await gate('wait', named(place));
    expect([code, err, waits]).toEqual([0, '', []]);
    expect(out).toBe(`${`${short(place)}  pass`.padEnd(71)} 0m00s\n`);
    expect(await json(place)).toMatchObject({
      code: 0,
      said: {
        verdict: 'pass',
        exit: 0,
        pull: named(place),
        title: 'Nothing open, one clean review',
        complete: true,
        blocking: [],
      },
    });
  });

  test('fix is 1, with each finding and where it is', async () => {
    const place = await opened({ model: reviews([bug]) });
    const { code, out } = await gate('show', named(place));
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      `${`${short(place)}  1 important to fix`.padEnd(71)} 0m00s`,
      '  F1  src/refund.ts:5  a refund of 0 gives back the whole total (falsy-zero)',
      'Fix round 1. Fix only these, push once, wait again.',
      expect.stringMatching(/^http:\S+\/runs\/\d+$/) as string,
      '',
    ]);
    const { said } = await json(place);
    expect(said).toMatchObject({
      verdict: 'fix',
      head: place.repository.pull(place.number).head.sha,
      title: '1 important to fix',
      blocking: [
        {
          id: 'F1',
          path: 'src/refund.ts',
          line: 5,
          rule: 'falsy-zero',
          title: 'a refund of 0 gives back the whole total',
        },
      ],
      questions_open: 0,
      fix_round: 1,
      complete: true,
    });
    expect(place.checkText()).toContain(`Then push once and wait: evident gate wait --pr ${place.number}`);
  });

  test('an override is a pass with who, in what is still open too', async () => {
    const place = await opened({ model: reviews([bug]) });
    place.repository.as('hubot').comment(place.number, '/evident override hotfix, see INC-12');
    await place.settled();
    const { code, out } = await gate('wait', named(place));
    expect(code).toBe(0);
    expect(out).toContain(`${short(place)}  passed by hubot: "hotfix, see INC-12"`);
    expect(out).toContain('  F1  src/refund.ts:5');
  });

  test('an escalation is 4', async () => {
    const place = await opened({
      model: reviews([bug]),
      before: (repository) =>
        repository.commit({
          branch: 'main',
          files: {
            '.github/evident.yml': 'gate:\n  mode: blocking\n  fix_rounds: 1\n  escalate_to: [hubot]\n',
          },
          message: 'Settings',
          author: 'hubot',
        }),
    });
    await place.push({ 'src/label.ts': `${change['src/label.ts']}// nothing that helps\n` });
    await place.settled();
    const { code, out } = await gate('wait', named(place));
    expect(code).toBe(4);
    expect(out).toContain(`${short(place)}  a person decides: hubot`);
    expect(out).toMatch(/After 1 fix round F1 is still open[\s\S]*Do not push: a person\s+decides\./);
  });

  test('an answer that is awaited is 5, with the question', async () => {
    const place = await opened({
      model: asks(),
      before: (repository) =>
        repository.commit({
          branch: 'main',
          files: { '.github/evident.yml': 'gate:\n  mode: blocking\n  open_questions_hold: true\n' },
          message: 'Settings',
          author: 'hubot',
        }),
    });
    expect(await json(place)).toMatchObject({
      code: 5,
      said: {
        verdict: 'waiting',
        questions_open: 1,
        questions: [
          { id: 'Q1', path: 'src/refund.ts', line: 5, question: 'Is a refund of 0 ruled out here?' },
        ],
      },
    });
    expect((await gate('show', named(place))).out).toMatch(
      / {2}Q1 {2}src\/refund\.ts:5 {2}Is a refund of 0 ruled out here\?/,
    );
  });

  test('by hand of an operator is a pass', async () => {
    const place = await bare();
    const env = {
      APP_ID: String(world.github.app.id),
      PRIVATE_KEY: world.github.app.privateKey,
      WEBHOOK_SECRET: world.github.app.webhookSecret,
      GITHUB_TOKEN: undefined,
    };
    const io = {
      stdout: () => {},
      stderr: () => {},
      readStdin: async () => new Uint8Array(),
      isTerminal: false,
      cwd: tmpdir(),
    };
    await main(['gate', 'pass', '--pr', named(place), '--reason', 'INC-12'], {
      ...io,
      env: { ...env, GITHUB_API_URL: world.github.apiUrl },
    });
    // With the app's own key, too.
    const { code, out } = await gate('wait', named(place), { env });
    expect([code, out]).toEqual([0, expect.stringContaining('passed by an operator: "INC-12"')]);
  });
});

describe('while it waits', () => {
  test('one line a change, until the real review of a push has ended', async () => {
    const place = await opened({ model: reviews() });
    const first = short(place);
    await place.repository.commit({
      branch: 'refunds',
      files: { 'src/label.ts': '// 2\n' },
      message: '2',
      author: 'hubot',
    });
    await place.settled();
    const run = await posts(place, { status: 'in_progress', ...output('Reading, 1 of 2 files') });
    const second = short(place);
    const { code, out, waits } = await gate('wait', named(place), {
      meanwhile: async (wait) => {
        if (wait !== 3) return;
        await place.push({ 'src/label.ts': '// 3\n' });
        await place.settled();
      },
    });
    expect(code).toBe(0);
    expect(run).toBeGreaterThan(0);
    expect(first).not.toBe(second);
    expect(waits).toEqual([10_000, 15_000, 22_500]);
    expect(out.split('\n').map((line) => line.replace(/ {2,}/g, '  '))).toEqual([
      `${second}  reading, 1 of 2 files  0m00s`,
      `${short(place)}  the head moved on from ${second}  0m47s`,
      `${short(place)}  pass  0m47s`,
      '',
    ]);
  });

  test('no check for three minutes is 3, and says how to start one', async () => {
    const place = await bare();
    const { code, out, waits } = await gate('wait', named(place));
    expect(code).toBe(3);
    expect(out).toMatch(/no check yet/);
    expect(out.replace(/\s+/g, ' ')).toContain('somebody with write access comments `/evident review`');
    expect(Math.max(...waits)).toBe(30_000);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(210_000);
  });

  test('a run that never ends is 3 when the time is over', async () => {
    const place = await bare();
    await posts(place, { status: 'in_progress', ...output('Reading, 1 of 2 files') });
    const { code, out, waits } = await gate('wait', named(place), { args: ['--timeout', '2'] });
    expect(code).toBe(3);
    expect(out).toContain('Nothing was decided within 2 minutes. The review is running.');
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(120_000);
  });

  test('closed: 0 when it was merged, else 3', async () => {
    const merged = await bare();
    expect(
      await gate('wait', named(merged), {
        meanwhile: () => merged.repository.closePullRequest(merged.number, { merged: true }),
      }),
    ).toMatchObject({ code: 0, waits: [10_000] });
    const closed = await bare();
    await closed.repository.closePullRequest(closed.number);
    const { code, out } = await gate('show', named(closed));
    expect([code, out]).toEqual([3, expect.stringContaining('closed without a merge')]);
  });

  test('a result is not the answer while GitHub does not show what was pushed from here', async () => {
    const place = await bare();
    await posts(place, { status: 'completed', conclusion: 'success', ...output('Nothing open') });
    const clone = mkdtempSync(join(tmpdir(), 'evident-gate-'));
    const run = (...args: readonly string[]) =>
      execFileSync('git', ['-C', clone, '-c', 'user.name=o', '-c', 'user.email=o@example.com', ...args]);
    try {
      execFileSync('git', ['clone', '--quiet', '--branch', 'refunds', place.repository.gitDir, clone]);
      run('remote', 'set-url', 'origin', `${place.repository.url}.git`);
      expect(await gate('wait', String(place.number), { cwd: clone })).toMatchObject({ code: 0, waits: [] });
      run('commit', '--quiet', '--allow-empty', '-m', 'more');
      expect(await gate('wait', `#${place.number}`, { cwd: clone })).toMatchObject({ code: 0, waits: [] });
      run('update-ref', 'refs/remotes/origin/refunds', 'HEAD');
      const { code, out, waits } = await gate('wait', String(place.number), { cwd: clone });
      expect(out).toMatch(/was pushed from here; waiting until GitHub shows it/);
      expect([code, waits]).toEqual([0, [10_000, 15_000, 22_500, 30_000]]);
    } finally {
      rmSync(clone, { recursive: true });
    }
  });
});

describe('faults', () => {
  const isChecks = ({ path }: { readonly path: string }) => path.endsWith('/check-runs');

  test('a rate limit is waited for, as long as GitHub says', async () => {
    const place = await opened();
    world.github.faults.secondaryLimit({ match: isChecks, retryAfter: 40, status: 429 });
    const { code, err, waits } = await gate('wait', named(place));
    expect([code, waits]).toEqual([0, [40_000]]);
    expect(err).toMatch(/rate limit is reached/);
  });

  test('a limit that lasts longer than the time is 3, at once', async () => {
    const place = await opened();
    world.github.faults.secondaryLimit({ match: isChecks, retryAfter: 4000, status: 403 });
    expect(await gate('wait', named(place))).toMatchObject({
      code: 3,
      waits: [],
      err: expect.stringMatching(/rate limit is reached .* Try again after/) as string,
    });
  });

  test('errors of GitHub are waited out by wait, and are 3 for show', async () => {
    const place = await opened();
    const order = { match: isChecks, before: { status: 502 }, times: 5 };
    world.github.faults.add(order);
    expect(await gate('wait', named(place))).toMatchObject({ code: 0 });
    world.github.faults.add({ ...order, times: 4 });
    expect(await gate('show', named(place))).toMatchObject({ code: 3, out: '' });
  });

  test.each<readonly [string, string, Readonly<Record<string, string | undefined>>, RegExp]>([
    ['no such pull request', '#999', {}, /does not show octo-org\/\S+#999 to this token/],
    ['a token that ended', '#1', { GITHUB_TOKEN: 'ghp_ended' }, /does not take this token/],
    ['no token', '#1', { GITHUB_TOKEN: undefined }, /^No token is set/],
    [
      'a token with a line end in it',
      '#1',
      { GITHUB_TOKEN: 'ghp_a\nb' },
      /^GITHUB_TOKEN is not a token: it has/,
    ],
  ])('%s is 2 with a sentence', async (_what, tail, env, sentence) => {
    const place = await bare();
    let err = '';
    const code = await main(['gate', 'show', '--pr', `${place.repository.fullName}${tail}`], {
      stdout: () => {},
      stderr: (text) => void (err += text),
      readStdin: async () => new Uint8Array(),
      isTerminal: false,
      env: { GITHUB_TOKEN: world.github.tokenOf('octocat'), GITHUB_API_URL: world.github.apiUrl, ...env },
      cwd: tmpdir(),
    });
    expect([code, err]).toEqual([2, expect.stringMatching(sentence)]);
    expect(err).not.toMatch(/ghp_/);
  });

  test.each<readonly [readonly string[], string, RegExp]>([
    [[], 'octo-org/shop', /--pr names no pull request/],
    [[], 'https://github.com/octo-org/shop/pull/1', /GITHUB_API_URL/],
    [[], '7', /No remote of this folder says which repository/],
    [['--timeout', '0'], 'octo-org/shop#1', /--timeout is 0/],
  ])('wrong use: %j %s', async (args, pr, sentence) => {
    expect(await gate('wait', pr, { args })).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(sentence) as string,
    });
  });
});

describe('what is believed', () => {
  const line = (change: Readonly<Record<string, unknown>> = {}) =>
    `Words.\n\n<!-- evident:result ${JSON.stringify({
      v: 1,
      verdict: 'pass',
      head: '0000000',
      complete: true,
      important: 0,
      nit: 0,
      pre_existing: 0,
      questions_open: 0,
      fix_round: 0,
      blocking: [],
      ...change,
    })} -->`;

  test.each<readonly [string, (head: string) => Readonly<Record<string, unknown>>, number]>([
    [
      'success with its line',
      (head) => ({ conclusion: 'success', ...output('Nothing open', line({ head })) }),
      0,
    ],
    [
      'a line of pass under a failure',
      (head) => ({ conclusion: 'failure', ...output('x', line({ head })) }),
      3,
    ],
    ['a line of another head', () => ({ conclusion: 'success', ...output('x', line()) }), 3],
    ['a skipped one', () => ({ conclusion: 'skipped', ...output('Not reviewed: draft') }), 3],
    [
      'one without a line',
      () => ({ conclusion: 'action_required', ...output('Not reviewed: provider busy') }),
      3,
    ],
    ['a cancelled one', () => ({ conclusion: 'cancelled', ...output('Overtaken by a push') }), 3],
  ])('%s', async (_what, check, code) => {
    const place = await bare();
    const { head } = place.repository.pull(place.number);
    await posts(place, { status: 'completed', ...check(head.sha.slice(0, 7)) });
    const said = await gate('wait', named(place));
    expect(said.code).toBe(code);
    if (code === 3) expect(said.out).toMatch(/It says why\.|speaks of 0000000/);
  });

  test('a line of a later version is told, and is no verdict', async () => {
    const place = await bare();
    await posts(place, { status: 'completed', conclusion: 'success', ...output('x', line({ v: 2 })) });
    await expect(gate('wait', named(place))).rejects.toThrow(
      /is of version 2, and this program reads version 1/,
    );
  });

  test('escape sequences in a title do not reach the terminal', async () => {
    const place = await bare();
    await posts(place, { status: 'completed', conclusion: 'skipped', ...output('Not \u001b[2Jreviewed') });
    expect((await gate('show', named(place))).out).not.toContain('\u001b');
  });

  test('a check of a workflow, or for another pull request of the commit, is not ours', async () => {
    const place = await bare();
    place.repository.reportCheck(place.number, {
      name: 'Evident',
      status: 'completed',
      conclusion: 'success',
    });
    await posts(
      place,
      { status: 'completed', conclusion: 'success', ...output('x') },
      { number: place.number + 1 },
    );
    const { code, err } = await gate('show', named(place));
    expect(code).toBe(3);
    expect(err).toBe('A check named Evident stands there by github-actions: it is not read.\n');
  });

  test('of two apps with that name it is said which one was read, and the id chooses', async () => {
    const place = await bare();
    await posts(place, { status: 'completed', conclusion: 'success', ...output('Nothing open') });
    await posts(
      place,
      { status: 'completed', conclusion: 'skipped', ...output('Not reviewed: draft') },
      { app: other },
    );
    const newest = await gate('show', named(place));
    expect(newest).toMatchObject({
      code: 3,
      err: expect.stringContaining('that of evident-too is read (EVIDENT_APP_ID') as string,
    });
    const chosen = await gate('show', named(place), { env: { EVIDENT_APP_ID: String(world.github.app.id) } });
    expect(chosen).toMatchObject({
      code: 0,
      err: expect.stringContaining('that of evident is read.') as string,
    });
  });

  test('it only reads', async () => {
    const place = await opened({ model: reviews([bug]) });
    world.github.clearRequests();
    await gate('wait', named(place));
    expect(
      world.github.requests().map(({ method, path }) => `${method} ${path.replace(/[0-9a-f]{40}/, 'SHA')}`),
    ).toEqual([
      `GET /repos/${place.repository.fullName}/pulls/${place.number}`,
      `GET /repos/${place.repository.fullName}/commits/SHA/check-runs`,
    ]);
  });
});

/** Reads all and asks about the label. */
const asks = () =>
  plays(({ step }) =>
    step === 0
      ? calls(
          { name: 'get_pr_diff', input: {} },
          { name: 'search_code', input: { pattern: 'label' } },
          { name: 'get_file_content', input: { path: 'src/order.ts' } },
        )
      : calls({ name: 'submit_code_review', input: { findings: [], humanReviewRequests: [request] } }),
  );

const request = {
  finding: {
    ...bug,
    confidence: 'medium',
    title: 'a refund of 0 may give back the whole total',
  },
  reason: 'nothing in the repository says whether a refund of 0 occurs',
  searched: ['label'],
  question: 'Is a refund of 0 ruled out here?',
  answerEffects: { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' },
} as const;
