import type { Sha } from '../../../lib/core/pull-request.js';
import { jobKey, type Incoming } from '../../../lib/core/trigger.js';
import { locate } from '../../../lib/forges/github/locate.js';
import type { GitHubClient } from '../../../lib/forges/github/client.js';
import { toTrigger } from '../../../lib/forges/github/to-trigger.js';
import { silentLog } from '../../../lib/ports/log.js';
import { startLocalGitHub } from '../../../local-github/index.js';
import type { LocalGitHub, PullOrder } from '../../../local-github/index.js';
import fork from '../../fixtures/cases/op08-rerequested-fork.json' with { type: 'json' };
import { clientOf, openChange } from './open-change.js';
import type { OpenChange } from './open-change.js';

let github: LocalGitHub;
let client: GitHubClient;
let change: OpenChange;
let head: Sha;
const logged: string[] = [];

beforeAll(async () => {
  github = await startLocalGitHub();
});
afterAll(() => github.close());

async function open(pull: Partial<PullOrder> = {}): Promise<void> {
  logged.length = 0;
  change = await openChange(github, { 'a.ts': 'a\n' }, { 'a.ts': 'b\n' }, { author: 'octocat', ...pull });
  client = await clientOf(github, change.repository);
  head = change.repository.pull(change.number).head.sha as Sha;
  change.repository.addCollaborator('monalisa', 'write');
}

const place = () => ({
  owner: change.repository.owner,
  repo: change.repository.name,
  installation: github.app.installationId,
});
const check = (
  wish: 'rerun' | 'ask_person',
  given: { number?: number; sender?: string; head?: Sha } = {},
): Incoming => ({
  kind: 'check',
  wish,
  head,
  sender: 'monalisa',
  ...given,
  ...place(),
});
const find = (incoming: Incoming) =>
  locate(incoming, {
    client,
    appId: github.app.id,
    log: {
      ...silentLog,
      info: (_, text) => void logged.push(text),
      warn: (_, text) => void logged.push(text),
    },
  });

/** A check run of ours on the head. */
const writeRun = (externalId: string) =>
  client.write(
    'POST',
    '/repos/{owner}/{repo}/check-runs',
    {
      ...place(),
      name: 'Evident',
      head_sha: head,
      external_id: externalId,
      status: 'completed',
      conclusion: 'neutral',
    },
    'a check run that is asked for again',
  );

const secondOnHead = async (): Promise<number> => {
  const { repository } = change;
  await repository.commit({ branch: 'other-base', from: 'main', message: 'x', files: { 'x.ts': 'x\n' } });
  return repository.openPullRequest({ head: 'topic', base: 'other-base', title: 'Twin' });
};

test('what was said is about the pull request as it stands now', async () => {
  await open({ draft: true });
  const subjects = [{ kind: 'comment', databaseId: 5 }] as const;
  const incoming: Incoming = {
    kind: 'conversation',
    number: change.number,
    sender: 'x',
    at: 7,
    subjects,
    ...place(),
  };
  const [trigger, ...rest] = await find(incoming);
  expect(rest).toEqual([]);
  expect(trigger).toEqual({
    kind: 'pull_request',
    reason: 'said',
    number: change.number,
    head,
    base: 'main',
    draft: true,
    sender: 'x',
    at: 7,
    subjects,
    ...place(),
  });
  expect(client.requests()).toHaveLength(1);
});

test.each<[string, () => unknown]>([
  ['closed', () => change.repository.closePullRequest(change.number)],
  ['not there', () => (change = { ...change, number: 4711 })],
])('nothing is done for a pull request that is %s', async (_, act) => {
  await open();
  await act();
  expect(
    await find({ kind: 'conversation', number: change.number, sender: 'x', subjects: [], ...place() }),
  ).toEqual([]);
  expect(await find(check('rerun', { number: change.number }))).toEqual([]);
  expect(logged).toHaveLength(2);
});

test('an event that names its head is taken as it is, and a group of the queue is no pull request', async () => {
  await open();
  const [trigger] = await find(check('rerun', { number: change.number }));
  if (trigger === undefined) throw new Error('not found');
  const asked = client.requests().length;
  expect(await find(trigger)).toEqual([trigger]);
  expect(await find({ kind: 'queue', head, base: 'main', sender: 'x', ...place() })).toEqual([]);
  expect(client.requests()).toHaveLength(asked);
});

test.each([
  ['rerun', 'asked'],
  ['ask_person', 'ask_person'],
] as const)('%s on our check becomes %s', async (wish, reason) => {
  await open();
  expect(await find(check(wish, { number: change.number }))).toMatchObject([
    { reason, number: change.number, head, sender: 'monalisa' },
  ]);
});

test('a check of an older head is not run again', async () => {
  await open();
  const old = head;
  await change.repository.commit({ branch: 'topic', message: 'c', files: { 'a.ts': 'c\n' } });
  expect(await find(check('rerun', { number: change.number, head: old }))).toEqual([]);
  expect(logged).toEqual([expect.stringMatching(/older head/)]);
});

test.each([
  ['somebody with write access', 'monalisa', 'rerun', true],
  ['somebody who may only read', 'hubot', 'rerun', false],
  ['an account that is gone', 'ghost', 'rerun', false],
  ['the author, who is new here', 'octocat', 'rerun', false],
  ['the author, who wants a person', 'octocat', 'ask_person', true],
  ['a stranger, who wants a person', 'hubot', 'ask_person', false],
] as const)('who may press: %s', async (_, sender, wish, may) => {
  await open();
  expect(await find(check(wish, { number: change.number, sender }))).toHaveLength(may ? 1 : 0);
});

test('the author who has been here before may press', async () => {
  await open();
  await change.repository.closePullRequest(change.number, { merged: true });
  await change.repository.commit({ branch: 'next', from: 'main', message: 'n', files: { 'n.ts': 'n\n' } });
  const number = await change.repository.openPullRequest({ head: 'next', title: 'Next', author: 'octocat' });
  head = change.repository.pull(number).head.sha as Sha;
  expect(await find(check('rerun', { number, sender: 'octocat' }))).toHaveLength(1);
});

describe('C114, C115: events about the commit of a fork, which name no pull request', () => {
  const [run, suite] = fork.input.events.map(({ name, payload }) => (): Incoming => {
    const { owner, repo, installation } = place();
    const about = {
      repository: { name: repo, owner: { login: owner } },
      installation: { id: installation },
      sender: { login: 'monalisa', type: 'User' },
    };
    const given = JSON.parse(JSON.stringify(payload).replaceAll('a'.repeat(40), head)) as {
      check_run?: { external_id: string };
    };
    if (given.check_run !== undefined)
      given.check_run.external_id = jobKey({ ...place(), number: change.number, head }, 'main');
    const incoming = toTrigger(name, { ...given, ...about }, { appId: github.app.id });
    if (incoming.kind === 'ignored') throw new Error(incoming.reason);
    return incoming;
  });
  if (run === undefined || suite === undefined) throw new Error('two events');
  const inFork = { headRepository: { owner: 'octocat' } } as const;

  test('the key of our check run names it', async () => {
    await open(inFork);
    expect(await find(run())).toMatchObject([{ reason: 'asked', number: change.number, head }]);
  });

  test('for all checks it is looked up by its head', async () => {
    await open(inFork);
    expect(await find(suite())).toMatchObject([{ reason: 'asked', number: change.number, head }]);
  });

  test('two pull requests share the head, and nothing says which one is meant: no guess', async () => {
    await open(inFork);
    await secondOnHead();
    expect(await find(suite())).toEqual([]);
    expect(logged).toEqual([expect.stringMatching(/several pull requests/)]);
  });

  test('two pull requests share the head, and our check runs name both', async () => {
    await open(inFork);
    const twin = await secondOnHead();
    for (const number of [twin, change.number]) await writeRun(jobKey({ ...place(), number, head }, 'main'));
    expect((await find(suite())).map(({ number }) => number)).toEqual([change.number, twin]);
  });
});
