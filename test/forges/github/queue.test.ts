import { createGitHubClient } from '../../../lib/forges/github/client.js';
import { createAppAuth } from '../../../lib/forges/github/index.js';
import { answerQueue, checkOfGroup, entriesOfGroup } from '../../../lib/forges/github/queue.js';
import type { Entry, Group } from '../../../lib/forges/github/queue.js';
import { postCheckRun } from '../../../lib/forges/github/check-run.js';
import type { CheckConclusion } from '../../../lib/core/check.js';
import { defaultPolicy, type GateMode } from '../../../lib/core/policy.js';
import type { Sha } from '../../../lib/core/pull-request.js';
import { jobKey } from '../../../lib/core/trigger.js';
import { silentLog } from '../../../lib/ports/log.js';
import { startLocalGitHub } from '../../../local-github/index.js';
import type { LocalGitHub, LocalRepository } from '../../../local-github/index.js';

const sha = (digit: string): Sha => digit.repeat(40) as Sha;

const entry = (position: number, change: Partial<Entry> = {}): Entry => ({
  position,
  state: 'QUEUED',
  head: sha(String(position)),
  base: sha(String(position - 1)),
  number: position * 10,
  pullHead: sha('a'),
  ...change,
});

describe('what a group holds', () => {
  const rows: readonly (readonly [string, readonly Entry[], number, readonly number[]])[] = [
    ['the first: itself', [entry(1), entry(2)], 1, [10]],
    ['each stands on the one before', [entry(3), entry(1), entry(2)], 3, [10, 20, 30]],
    ['those behind do not count', [entry(1), entry(2), entry(3)], 2, [10, 20]],
    ['one that was merged is not there any more', [entry(2), entry(3)], 3, [20, 30]],
    ['one that is being thrown out is not in it', [entry(1, { state: 'UNMERGEABLE' }), entry(2)], 2, [20]],
    [
      'all on one base: all that are ahead',
      [1, 2, 3].map((at) => entry(at, { base: sha('0') })),
      3,
      [10, 20, 30],
    ],
    ['no base known: all that are ahead', [entry(1), entry(2, { base: null })], 2, [10, 20]],
    ['a circle ends', [entry(1, { base: sha('2') }), entry(2)], 2, [10, 20]],
    ['no entry', [entry(1)], 7, []],
  ];
  test.each(rows)('%s', (_what, entries, at, numbers) => {
    expect(entriesOfGroup(entries, sha(String(at))).map(({ number }) => number)).toEqual(numbers);
  });
});

describe('the check of a group', () => {
  const member = (number: number, conclusion: CheckConclusion | null) => ({
    number,
    head: sha('b'),
    own:
      conclusion === null
        ? null
        : ({ status: 'completed', conclusion, title: `is ${conclusion}`, summary: '', text: '' } as const),
  });
  type Row = readonly [GateMode, readonly (CheckConclusion | null)[], CheckConclusion, string];
  const rows: readonly Row[] = [
    ['blocking', ['success'], 'success', 'Passed with #1'],
    ['blocking', ['success', 'skipped'], 'success', 'Passed with #1, #2'],
    ['blocking', ['success', 'failure', null], 'failure', 'Not passed: #2, #3'],
    ['blocking', ['action_required', 'success'], 'action_required', 'Not passed: #1'],
    ['blocking', [null], 'action_required', 'Not passed: #1'],
    ['blocking', ['cancelled'], 'action_required', 'Not passed: #1'],
    // From when the gate was advisory.
    ['blocking', ['neutral', 'success'], 'action_required', 'Not passed: #1'],
    [
      'blocking',
      Array.from({ length: 6 }, () => 'success' as const),
      'success',
      'Passed with 6 pull requests',
    ],
    ['advisory', ['neutral', 'success'], 'success', 'Passed with #1, #2'],
    ['advisory', ['failure'], 'success', 'Advisory: the merge queue is not held'],
    ['advisory', [null], 'success', 'Advisory: the merge queue is not held'],
  ];
  test.each(rows)('%s: %j is %s', (mode, each, conclusion, title) => {
    const check = checkOfGroup(
      each.map((one, at) => member(at + 1, one)),
      mode,
    );
    expect([check.conclusion, check.title]).toEqual([conclusion, title]);
    expect(check.text.split('\n')).toHaveLength(each.length);
  });
});

describe('on a GitHub with a merge queue', () => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  let count = 0;
  beforeAll(async () => {
    github = await startLocalGitHub();
  });
  afterAll(() => github.close());

  const contextOf = (mode: GateMode) => {
    const { id: appId, privateKey, installationId: installation } = github.app;
    const { apiUrl } = github;
    const auth = createAppAuth({ appId, privateKey, apiUrl, log: silentLog });
    const { owner, name: repo } = repository;
    const deadline = Date.now() + 60_000;
    return {
      client: createGitHubClient({
        apiUrl,
        token: async () => (await auth.installationToken({ installation, owner, repo })).token,
        log: silentLog,
        deadline,
      }),
      log: silentLog,
      clock: Date.now,
      sleep: async () => {},
      deadline,
      appId,
      policy: { ...defaultPolicy, gate: { ...defaultPolicy.gate, mode } },
    };
  };

  const groupOf = (head: string): Group => ({
    kind: 'queue',
    owner: repository.owner,
    repo: repository.name,
    head: head as Sha,
    base: 'main',
    installation: github.app.installationId,
    sender: 'octocat',
  });

  /** A pull request whose own check has ended so. */
  async function pullWith(name: string, conclusion: CheckConclusion, base = 'main'): Promise<number> {
    await repository.commit({ branch: name, from: 'main', files: { [`${name}.txt`]: name }, message: name });
    const number = await repository.openPullRequest({ head: name, title: name });
    const head = repository.pull(number).head.sha as Sha;
    const { owner, name: repo } = repository;
    await postCheckRun(
      contextOf('blocking'),
      { owner, repo, head, appId: github.app.id },
      jobKey({ owner, repo, number, head }, base),
      { status: 'completed', conclusion, title: `is ${conclusion}`, summary: 's', text: '' },
    );
    return number;
  }

  const checkOn = async (head: string): Promise<readonly string[]> => {
    const response = await fetch(
      `${github.apiUrl}/repos/${repository.fullName}/commits/${head}/check-runs?filter=all`,
      {
        headers: { authorization: `Bearer ${await tokenOf()}` },
      },
    );
    const { check_runs: runs } = (await response.json()) as {
      check_runs: { name: string; conclusion: string; output: { title: string } }[];
    };
    return runs.map(({ name, conclusion, output }) => `${name}: ${conclusion}, ${output.title}`);
  };
  const tokenOf = async (): Promise<string> => {
    const { id: appId, privateKey, installationId: installation } = github.app;
    const auth = createAppAuth({ appId, privateKey, apiUrl: github.apiUrl, log: silentLog });
    const { owner, name: repo } = repository;
    return (await auth.installationToken({ installation, owner, repo })).token;
  };

  beforeEach(async () => {
    github.faults.clear();
    count += 1;
    repository = await github.createRepository({
      owner: 'octo-org',
      name: `queue-${count}`,
      files: { 'README.md': '# queue\n' },
    });
  });

  test('it passes when each of the group has passed, and is written once', async () => {
    const first = await pullWith('one', 'success');
    const second = await pullWith('two', 'skipped');
    repository.requiredChecks = ['Evident', 'ci'];
    await repository.enqueue(first);
    const { headSha } = await repository.enqueue(second);
    const said = await answerQueue(contextOf('blocking'), groupOf(headSha));
    expect(said).toBe(`Passed with #${first}, #${second}`);
    expect(await answerQueue(contextOf('blocking'), groupOf(headSha))).toBe(`${said} (was there)`);
    expect(await checkOn(headSha)).toEqual([`Evident: success, ${said}`]);
  });

  test('one that has not passed holds its group and those behind it', async () => {
    const first = await pullWith('one', 'action_required');
    const second = await pullWith('two', 'success');
    repository.requiredChecks = ['Evident', 'ci'];
    const { headSha: firstHead } = await repository.enqueue(first);
    const { headSha } = await repository.enqueue(second);
    expect(await answerQueue(contextOf('blocking'), groupOf(headSha))).toBe(`Not passed: #${first}`);
    expect(await checkOn(headSha)).toEqual([`Evident: action_required, Not passed: #${first}`]);
    expect(await answerQueue(contextOf('advisory'), groupOf(firstHead))).toMatch(/^Advisory/);
  });

  test('what passed against another base has not passed here', async () => {
    const number = await pullWith('one', 'success', 'side');
    repository.requiredChecks = ['Evident'];
    const { headSha } = await repository.enqueue(number);
    expect(await answerQueue(contextOf('blocking'), groupOf(headSha))).toBe(`Not passed: #${number}`);
  });

  test('a result that came later is written over the earlier answer', async () => {
    const number = await pullWith('one', 'failure');
    repository.requiredChecks = ['Evident', 'ci'];
    const { headSha } = await repository.enqueue(number);
    await answerQueue(contextOf('advisory'), groupOf(headSha));
    await answerQueue(contextOf('blocking'), groupOf(headSha));
    expect(await checkOn(headSha)).toEqual([`Evident: failure, Not passed: #${number}`]);
  });

  test('the default branch says whether it holds', async () => {
    await repository.commit({
      branch: 'main',
      files: { '.github/evident.yml': 'gate:\n  mode: advisory\n' },
      message: 'settings',
    });
    const number = await pullWith('one', 'failure');
    repository.requiredChecks = ['Evident', 'ci'];
    const { headSha } = await repository.enqueue(number);
    expect(await answerQueue(contextOf('blocking'), groupOf(headSha))).toMatch(/^Advisory/);
  });

  test('a commit that no entry has, and a queue that cannot be read, hold it with a sentence', async () => {
    const number = await pullWith('one', 'success');
    const { sha: head } = repository.pull(number).head;
    expect(await answerQueue(contextOf('blocking'), groupOf(head))).toBe('Not known what is in this group');
    github.faults.add({
      match: ({ body }) => JSON.stringify(body ?? '').includes('EvidentQueue'),
      graphql: { type: 'FORBIDDEN' },
    });
    expect(await answerQueue(contextOf('blocking'), groupOf(head))).toMatch(
      /^Not known what is in this group/,
    );
  });
});
