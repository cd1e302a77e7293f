import { defaultPolicy } from '../../../lib/core/policy.js';
import type { Sha } from '../../../lib/core/pull-request.js';
import type { Incoming } from '../../../lib/core/trigger.js';
import { createAppAuth, createGitHubForge } from '../../../lib/forges/github/index.js';
import type { Forge } from '../../../lib/ports/forge.js';
import { silentLog } from '../../../lib/ports/log.js';
import { startLocalGitHub } from '../../../local-github/index.js';
import type { LocalGitHub } from '../../../local-github/index.js';
import { openChange } from './open-change.js';
import type { OpenChange } from './open-change.js';

let github: LocalGitHub;
let change: OpenChange;

beforeAll(async () => {
  github = await startLocalGitHub();
});
afterAll(() => github.close());
beforeEach(async () => {
  change = await openChange(github, { 'a.ts': 'a\n' }, { 'a.ts': 'b\n' }, { author: 'octocat' });
});

function forgeOf(): Forge {
  const { id: appId, privateKey } = github.app;
  return createGitHubForge({
    auth: createAppAuth({ appId, privateKey, apiUrl: github.apiUrl, log: silentLog }),
    appId,
    apiUrl: github.apiUrl,
    log: silentLog,
    policy: defaultPolicy,
    longestRunMs: 60_000,
    sleep: async () => {},
  });
}

const said = (): Incoming => ({
  kind: 'conversation',
  number: change.number,
  owner: change.repository.owner,
  repo: change.repository.name,
  installation: github.app.installationId,
  sender: 'octocat',
  subjects: [],
});

async function look() {
  const forge = forgeOf();
  const [trigger] = await forge.locate(said());
  if (trigger === undefined) throw new Error('not found');
  const pull = await forge.open(trigger);
  github.clearRequests();
  return { ...(await pull.look(trigger)), asked: github.requests() };
}

test('a look tells what stands on the pull request, without reading a file', async () => {
  const { repository, number } = change;
  repository.as('octocat').comment(number, 'Hello');
  const { pullRequest, conversation, lacks, asked } = await look();
  const view = repository.pull(number);
  expect(pullRequest).toMatchObject({
    number,
    state: 'open',
    head: { sha: view.head.sha },
    base: { ref: 'main', sha: view.base.sha },
    mergeBase: view.base.sha,
  });
  expect(conversation.comments).toMatchObject([{ author: 'octocat', body: 'Hello' }]);
  expect([conversation.permissions, lacks]).toEqual([{}, []]);
  expect(asked.length).toBeLessThanOrEqual(3);
  expect(asked.filter(({ path }) => /tarball|trees|blobs|compare/.test(path))).toEqual([]);
});

test('the rights of those who command come with it, one request each', async () => {
  const { repository, number } = change;
  repository.addCollaborator('monalisa', 'maintain');
  repository.as('monalisa').comment(number, '/evident review');
  repository.as('hubot').comment(number, '/evident override it is fine');
  repository.as('monalisa').comment(number, '/evident status');
  const { conversation, asked } = await look();
  expect(conversation.permissions).toEqual({ monalisa: 'maintain', hubot: 'read' });
  expect(asked.filter(({ path }) => path.endsWith('/permission'))).toHaveLength(2);
});

test('a pull request that another one shares its head with is looked at for itself', async () => {
  const { repository } = change;
  await repository.commit({ branch: 'other-base', from: 'main', message: 'x', files: { 'x.ts': 'x\n' } });
  const twin = await repository.openPullRequest({ head: 'topic', base: 'other-base', title: 'Twin' });
  repository.as('octocat').comment(twin, 'On the twin');
  const { pullRequest, conversation } = await look();
  expect(pullRequest.head.sha).toBe(repository.pull(twin).head.sha as Sha);
  expect([pullRequest.number, conversation.comments]).toEqual([change.number, []]);
});
