import { writeMarker, writeState, type MarkerTrust } from '../../../lib/core/marker.js';
import type { PassRecord } from '../../../lib/core/pass-record.js';
import { defaultPolicy } from '../../../lib/core/policy.js';
import type { CheckWrite, Publication, ThreadWrite } from '../../../lib/core/publication.js';
import type { Sha } from '../../../lib/core/pull-request.js';
import type { Trigger } from '../../../lib/core/trigger.js';
import { noUsage } from '../../../lib/core/budget.js';
import { createAppAuth, createGitHubForge } from '../../../lib/forges/github/index.js';
import type { Claim, Forge } from '../../../lib/ports/forge.js';
import { silentLog } from '../../../lib/ports/log.js';
import { startLocalGitHub } from '../../../local-github/index.js';
import type { LocalGitHub, LocalRepository } from '../../../local-github/index.js';

let github: LocalGitHub;
let repository: LocalRepository;
let number: number;
let count = 0;
let granted: LocalRepository['permissions'] | null = null;
const longestRunMs = 60_000;
/** Moves the app's clock; GitHub's own stands still. */
let later = 0;

const trust: MarkerTrust = { keys: ['0123456789abcdef'], scope: 'a test' };

function forgeOf(change: { readonly appId?: number } = {}): Forge {
  const { id: appId, privateKey } = github.app;
  const clock = (): number => Date.now() + later;
  return createGitHubForge({
    auth: createAppAuth({ appId, privateKey, apiUrl: github.apiUrl, log: silentLog, clock }),
    appId,
    apiUrl: github.apiUrl,
    log: silentLog,
    policy: defaultPolicy,
    trust: () => trust,
    longestRunMs,
    clock,
    // Patience is real time in production; here the local GitHub has no lag unless a test orders one.
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 30))),
    ...change,
  });
}

beforeAll(async () => {
  github = await startLocalGitHub();
});
afterAll(() => github.close());

beforeEach(async () => {
  later = 0;
  github.faults.clear();
  count += 1;
  repository = await github.createRepository({
    owner: 'octo-org',
    name: `shop-${count}`,
    files: { 'src/a.ts': 'one\ntwo\nthree\nfour\nfive\n' },
  });
  repository.requiredChecks = ['Evident'];
  // They belong to the installation, not to the repository.
  granted ??= repository.permissions;
  repository.permissions = granted;
  await repository.commit({
    branch: 'feature',
    files: { 'src/a.ts': 'one\nTWO\nthree\nfour\nfive\nsix\n' },
    message: 'change',
  });
  number = await repository.openPullRequest({ head: 'feature', title: 'Change a' });
  github.clearRequests();
});

const trigger = (change: Partial<Trigger> = {}): Trigger => ({
  kind: 'pull_request',
  reason: 'opened',
  owner: repository.owner,
  repo: repository.name,
  number,
  head: repository.pull(number).head.sha as Sha,
  base: 'main',
  draft: false,
  installation: github.app.installationId,
  sender: 'octocat',
  ...change,
});

const keyOf = (): string => `${repository.fullName}#${number}:${repository.pull(number).head.sha}:main`;

const record = (): PassRecord => ({
  v: 2,
  at: 1_800_000_000_000,
  jobKey: keyOf(),
  head: repository.pull(number).head.sha as Sha,
  baseRef: 'main',
  diffHash: 'abcdef0',
  policyHash: 'p',
  lens: 'correctness',
  order: 'as_shown',
  model: 'fixed rules',
  modelKind: 'rules',
  finished: true,
  complete: true,
  blocking: [],
  findings: [],
  questions: [],
  settled: [],
  usage: noUsage,
});

const check = (change: { readonly conclusion?: 'success' | 'failure' | 'cancelled' } = {}): CheckWrite => ({
  status: 'completed',
  conclusion: 'failure',
  title: '1 important to fix',
  summary: 'F1 blocks.',
  text: `Details.\n\n${writeState({ passes: [record()], marks: [], heard: [] }, 30_000, trust)}`,
  ...change,
});

const thread = (line: number, change: Partial<ThreadWrite['anchor']> = {}): ThreadWrite => ({
  key: `k${line}`,
  anchor: { kind: 'line', path: 'src/a.ts', side: 'RIGHT', line, ...change },
  body: `**Important (F${line}): claim ${line}**`,
});

const publication = (threads: readonly ThreadWrite[], key = keyOf()): Publication => ({
  key,
  head: repository.pull(number).head.sha as Sha,
  review: {
    key,
    body: `**${threads.length} important.**\n\n${writeMarker({ kind: 'summary', pass: key }, trust)}`,
    threads,
  },
  check: check(),
});

/** Claim, read, publish, release: what a run does of a forge. */
async function runOnce(forge: Forge, wanted: () => Publication, change: Partial<Trigger> = {}) {
  const at = trigger(change);
  const pull = await forge.open(at);
  const claim = await pull.claim(at);
  if (claim.kind !== 'claimed' && claim.kind !== 'without_check') return { claim, published: null, pull };
  await pull.snapshot(at);
  const published = await pull.publish(claim, wanted(), at);
  await pull.release();
  return { claim, published, pull };
}

test('a run claims, reads, posts one review and completes its check, in few requests', async () => {
  const { published, pull } = await runOnce(forgeOf(), () => publication([thread(2), thread(6)]));
  expect(published).toMatchObject({
    kind: 'published',
    writes: [{ kind: 'confirmed' }, { kind: 'confirmed' }],
  });
  const view = repository.pull(number);
  expect(view.reviews).toHaveLength(1);
  expect(view.reviews[0]).toMatchObject({
    state: 'COMMENTED',
    author: 'evident[bot]',
    commitId: view.head.sha,
  });
  expect(view.threads.map(({ path, line, side }) => ({ path, line, side }))).toEqual([
    { path: 'src/a.ts', line: 2, side: 'RIGHT' },
    { path: 'src/a.ts', line: 6, side: 'RIGHT' },
  ]);
  expect(view.checks).toMatchObject([
    { name: 'Evident', status: 'completed', conclusion: 'failure', externalId: keyOf() },
  ]);
  expect(view.mergeable()).toBe(false);
  const requests = pull.requests();
  expect(requests.every(({ reason }) => reason !== '')).toBe(true);
  expect(requests.length).toBeLessThanOrEqual(16);
  expect(requests).toHaveLength(github.requests().length);
});

test('a redelivery in another instance finds the finished run and does nothing', async () => {
  await runOnce(forgeOf(), () => publication([thread(2)]));
  const again = await runOnce(forgeOf(), () => publication([thread(2)]));
  expect(again.claim.kind).toBe('already_done');
  expect(repository.pull(number).reviews).toHaveLength(1);
  expect(repository.pull(number).allChecks).toHaveLength(1);
});

test.each([
  ['opened', 'incomplete', 'already_done'],
  ['reopened', 'incomplete', 'claimed'],
  ['reopened', 'review', 'claimed'],
  ['reopened', 'fix', 'already_done'],
  ['ready_for_review', 'pass', 'already_done'],
] as const)('%s after a finished review whose verdict is %s: %s', async (reason, verdict, claimed) => {
  const wanted = publication([thread(2)]);
  const text = `${wanted.check.text}\n<!-- evident:result {"v":1,"verdict":"${verdict}","head":"3f9c2d1"} -->`;
  await runOnce(forgeOf(), () => ({ ...wanted, check: { ...wanted.check, text } }));
  const again = await runOnce(forgeOf(), () => publication([thread(2)]), { reason });
  expect(again.claim.kind).toBe(claimed);
});

test('asked for, it runs again: a new check, and the same review is not posted twice', async () => {
  await runOnce(forgeOf(), () => publication([thread(2)]));
  const again = await runOnce(forgeOf(), () => publication([thread(2)]), { reason: 'asked' });
  expect(again.published).toMatchObject({
    kind: 'published',
    writes: [{ kind: 'already_there' }, { kind: 'confirmed' }],
  });
  expect(repository.pull(number).reviews).toHaveLength(1);
  expect(repository.pull(number).allChecks).toHaveLength(2);
});

test('of two claims at once in one process one goes on', async () => {
  const forge = forgeOf();
  const claims = await Promise.all([1, 2, 3].map(async () => (await forge.open(trigger())).claim(trigger())));
  expect(claims.map(({ kind }) => kind).sort()).toEqual(['already_running', 'already_running', 'claimed']);
  expect(repository.pull(number).allChecks).toHaveLength(1);
});

test('a run of another instance in progress is left alone until it must be dead, then it is taken over', async () => {
  const dead = (await (await forgeOf().open(trigger())).claim(trigger())) as Extract<
    Claim,
    { kind: 'claimed' }
  >;
  expect((await (await forgeOf().open(trigger())).claim(trigger())).kind).toBe('already_running');
  later = longestRunMs + 5_000;
  expect((await (await forgeOf().open(trigger())).claim(trigger())).kind).toBe('claimed');
  expect(repository.pull(number).allChecks.find(({ id }) => id === dead.checkRun)).toMatchObject({
    status: 'completed',
    conclusion: 'cancelled',
  });
});

test('what our finished check runs say is in the snapshot; what others wrote is not', async () => {
  await runOnce(forgeOf(), () => publication([thread(2)]));
  const at = trigger({ reason: 'asked' });
  const pull = await forgeOf().open(at);
  await pull.claim(at);
  const { snapshot } = await pull.snapshot(at);
  expect(snapshot.passRecords).toEqual([record()]);
  expect(snapshot.ownReviews).toHaveLength(1);
});

test('a line outside the diff is a row of the review, the others stay inline', async () => {
  const { published } = await runOnce(forgeOf(), () => publication([thread(2), thread(99), thread(6)]));
  expect(published).toMatchObject({ kind: 'published' });
  const view = repository.pull(number);
  expect(view.threads.map(({ line }) => line)).toEqual([2, 6]);
  expect(view.reviews[0]?.body).toContain('- `src/a.ts:99`: **Important (F99): claim 99**');
});

test('a push during the run: nothing is posted, and the check of the old head can be completed', async () => {
  const at = trigger();
  const pull = await forgeOf().open(at);
  const claim = await pull.claim(at);
  await pull.snapshot(at);
  const wanted = publication([thread(2)]);
  expect(await pull.stillWanted(at)).toEqual({ kind: 'wanted' });
  const moved = await repository.commit({
    branch: 'feature',
    files: { 'src/a.ts': 'other\n' },
    message: 'more',
  });
  expect(await pull.stillWanted(at)).toEqual({ kind: 'superseded', by: moved });
  expect(await pull.publish(claim, wanted, at)).toEqual({ kind: 'superseded', by: moved });
  await pull.writeCheck(claim, check({ conclusion: 'cancelled' }));
  const view = repository.pull(number);
  expect(view.reviews).toEqual([]);
  expect(view.allChecks).toMatchObject([{ headSha: at.head, status: 'completed', conclusion: 'cancelled' }]);
});

test('a pull request that closed during the run gets no review', async () => {
  const at = trigger();
  const pull = await forgeOf().open(at);
  const claim = await pull.claim(at);
  await repository.closePullRequest(number, { merged: true });
  expect(await pull.publish(claim, publication([thread(2)]), at)).toEqual({ kind: 'closed' });
  expect(await pull.stillWanted(at)).toEqual({ kind: 'closed' });
  expect(repository.pull(number).reviews).toEqual([]);
});

describe('GitHub creates the review and answers 502, or the connection breaks', () => {
  test.each([
    ['502', { status: 502, body: { message: 'Server Error' } }],
    ['reset', 'reset'],
  ] as const)('%s: one review stands and it is known', async (_name, after) => {
    github.faults.add({ match: ({ method, path }) => method === 'POST' && path.endsWith('/reviews'), after });
    const { published } = await runOnce(forgeOf(), () => publication([thread(2)]));
    expect(published).toMatchObject({
      kind: 'published',
      writes: [{ kind: 'confirmed' }, { kind: 'confirmed' }],
    });
    expect(repository.pull(number).reviews).toHaveLength(1);
  });
});

test('a check that is created although GitHub answered 502 is the one that is completed', async () => {
  github.faults.add({
    match: ({ method, path }) => method === 'POST' && path.endsWith('/check-runs'),
    after: { status: 502, body: { message: 'Server Error' } },
  });
  const { claim } = await runOnce(forgeOf(), () => publication([]));
  expect(claim.kind).toBe('claimed');
  expect(repository.pull(number).allChecks).toMatchObject([{ status: 'completed', conclusion: 'failure' }]);
});

test('without checks: write the review stands and the claim says which permission is missing', async () => {
  repository.permissions = { ...repository.permissions, checks: 'none' };
  const { claim, published } = await runOnce(forgeOf(), () => publication([thread(2)]));
  expect(claim).toMatchObject({ kind: 'without_check', why: expect.stringMatching(/permission/) });
  expect(published).toMatchObject({ kind: 'published', writes: [{ kind: 'confirmed' }] });
  expect(repository.pull(number).reviews).toHaveLength(1);
  expect(repository.pull(number).mergeable()).toBe(false);
});

test('without pull_requests: write the check says what the review would have said, and whom to ask', async () => {
  repository.permissions = { ...repository.permissions, pull_requests: 'read' };
  const { published } = await runOnce(forgeOf(), () => publication([thread(2)]));
  expect(published).toMatchObject({ kind: 'published', writes: [{ kind: 'confirmed' }] });
  const view = repository.pull(number);
  expect(view.reviews).toEqual([]);
  expect(view.checks).toMatchObject([
    {
      conclusion: 'failure',
      title: '1 important to fix',
      summary: expect.stringMatching(
        /Not here: .* in the check only.* An owner accepts "pull_requests=write" at http\S+\/settings\/installations\/\d+\./,
      ),
      text: expect.stringMatching(/### `src\/a\.ts:2`\n\n\*\*Important \(F2\): claim 2\*\*[^]*evident:state/),
    },
  ]);
});

test('our own pending review makes room', async () => {
  const auth = createAppAuth({
    appId: github.app.id,
    privateKey: github.app.privateKey,
    apiUrl: github.apiUrl,
    log: silentLog,
  });
  const { token } = await auth.installationToken(trigger());
  const pending = await fetch(`${github.apiUrl}/repos/${repository.fullName}/pulls/${number}/reviews`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ body: 'never submitted' }),
  });
  expect(pending.status).toBe(200);
  const { published } = await runOnce(forgeOf(), () => publication([thread(2)]));
  expect(published).toMatchObject({
    kind: 'published',
    writes: [{ kind: 'confirmed' }, { kind: 'confirmed' }],
  });
  expect(repository.pull(number).reviews.map(({ state }) => state)).toEqual(['COMMENTED']);
});

test('the summary is edited in place, progress is written at most three times and never over a result', async () => {
  const first = await runOnce(forgeOf(), () => publication([thread(2)]));
  const reviewId = repository.pull(number).reviews[0]?.id ?? 0;
  const at = trigger({ reason: 'asked' });
  const pull = await forgeOf().open(at);
  const claim = await pull.claim(at);
  github.clearRequests();
  const reading = (done: number): CheckWrite => ({
    status: 'in_progress',
    title: `Reading, ${done} of 9`,
    summary: 's',
    text: '',
  });
  for (let done = 1; done <= 5; done += 1) await pull.writeCheck(claim, reading(done));
  expect(github.requests().filter(({ method }) => method === 'PATCH')).toHaveLength(3);
  const { review: _review, ...silent } = publication([]);
  const result = await pull.publish(
    claim,
    { ...silent, summaryEdit: { reviewId, body: '**Nothing open.**' } },
    at,
  );
  expect(result).toMatchObject({ kind: 'published', writes: [{ kind: 'confirmed' }, { kind: 'confirmed' }] });
  await pull.writeCheck(claim, reading(6));
  const view = repository.pull(number);
  expect(view.reviews).toHaveLength(1);
  expect(view.reviews[0]?.body).toBe('**Nothing open.**');
  expect(view.checks).toMatchObject([{ status: 'completed', title: '1 important to fix' }]);
  expect(first.published?.kind).toBe('published');
});

test('progress that is slow to arrive never opens a completed check again', async () => {
  const at = trigger();
  const pull = await forgeOf().open(at);
  const claim = await pull.claim(at);
  github.faults.add({ match: ({ method }) => method === 'PATCH', times: 1, delayMs: 300 });
  const text = { summary: 's', text: '' };
  await Promise.all([
    pull.writeCheck(claim, { ...text, status: 'in_progress', title: 'Reading, 1 of 9' }),
    pull.writeCheck(claim, { ...text, status: 'completed', conclusion: 'success', title: 'Nothing open' }),
  ]);
  expect(repository.pull(number).checks).toMatchObject([{ status: 'completed', title: 'Nothing open' }]);
});
