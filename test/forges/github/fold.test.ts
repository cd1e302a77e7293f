/** What a run writes that only folds the conversation, and what pull requests of one head do to each other's check. */
import { writeMarker, type MarkerTrust } from '../../../lib/core/marker.js';
import { readReplyKey, writeReplyMarker } from '../../../lib/core/reply-marker.js';
import { writeOperatorPass } from '../../../lib/core/operator-pass.js';
import { defaultPolicy, type GateMode } from '../../../lib/core/policy.js';
import type { CheckWrite, Publication, ReplyWrite } from '../../../lib/core/publication.js';
import type { Sha } from '../../../lib/core/pull-request.js';
import type { Trigger } from '../../../lib/core/trigger.js';
import { createAppAuth, createGitHubForge } from '../../../lib/forges/github/index.js';
import { silentLog } from '../../../lib/ports/log.js';
import { startLocalGitHub } from '../../../local-github/index.js';
import type { LocalGitHub, LocalRepository } from '../../../local-github/index.js';

let github: LocalGitHub;
let repository: LocalRepository;
let number: number;
let count = 0;
let granted: LocalRepository['permissions'] | null = null;
let later = 0;
const slept: number[] = [];
const trust: MarkerTrust = { keys: ['0123456789abcdef'], scope: 'a test' };
const longestRunMs = 60_000;

beforeAll(async () => {
  github = await startLocalGitHub();
});
afterAll(() => github.close());

beforeEach(async () => {
  later = 0;
  slept.length = 0;
  github.faults.clear();
  count += 1;
  repository = await github.createRepository({
    owner: 'octo-org',
    name: `fold-${count}`,
    files: { 'src/a.ts': 'one\ntwo\nthree\n' },
  });
  repository.requiredChecks = ['Evident'];
  granted ??= repository.permissions;
  repository.permissions = granted;
  repository.addCollaborator('monalisa', 'write');
  await repository.commit({
    branch: 'feature',
    files: { 'src/a.ts': 'one\nTWO\nthree\n' },
    message: 'change',
  });
  number = await repository.openPullRequest({ head: 'feature', title: 'Change a', author: 'octocat' });
});

function forgeOf(mode: GateMode = 'blocking') {
  const { id: appId, privateKey } = github.app;
  const { apiUrl } = github;
  const clock = (): number => Date.now() + later;
  return createGitHubForge({
    auth: createAppAuth({ appId, privateKey, apiUrl, log: silentLog, clock }),
    appId,
    apiUrl,
    log: silentLog,
    policy: { ...defaultPolicy, gate: { ...defaultPolicy.gate, mode } },
    trust: () => trust,
    longestRunMs,
    clock,
    sleep: (ms) => {
      slept.push(ms);
      return new Promise((resolve) => setTimeout(resolve, Math.min(ms, 5)));
    },
  });
}

const headOf = (of = number): Sha => repository.pull(of).head.sha as Sha;

const trigger = (change: Partial<Trigger> = {}): Trigger => ({
  kind: 'pull_request',
  reason: 'said',
  owner: repository.owner,
  repo: repository.name,
  number,
  head: headOf(change.number),
  base: repository.pull(change.number ?? number).base.ref,
  draft: false,
  installation: github.app.installationId,
  sender: 'octocat',
  ...change,
});

const ended = (conclusion: 'success' | 'failure' | 'action_required', change = {}): CheckWrite => ({
  status: 'completed',
  conclusion,
  title: `it is ${conclusion}`,
  summary: 'Why it is so.',
  text: '',
  ...change,
});

const saying = (check: CheckWrite, change: Partial<Publication> = {}): Publication => ({
  key: 'k',
  head: headOf(),
  check,
  ...change,
});

/** A review from claim to release, with one thread. */
async function review(check: CheckWrite, change: Partial<Trigger> = {}, threads = 0) {
  const at = trigger({ reason: 'asked', ...change });
  const pull = await forgeOf().open(at);
  const claim = await pull.claim(at);
  await pull.snapshot(at);
  const published = await pull.publish(
    claim,
    {
      key: 'first',
      head: at.head,
      check,
      ...(threads > 0 && {
        review: {
          key: 'first',
          body: `**1 important.**\n\n${writeMarker({ kind: 'summary', pass: 'first' }, trust)}`,
          threads: [
            {
              key: 't',
              anchor: { kind: 'line', path: 'src/a.ts', side: 'RIGHT', line: 2 },
              body: '**Important (F1): claim**',
            },
          ],
        },
      }),
    },
    at,
  );
  await pull.release();
  return published;
}

async function fold(publication: Publication, change: Partial<Trigger> = {}, mode: GateMode = 'blocking') {
  const at = trigger(change);
  const pull = await forgeOf(mode).open(at);
  const claim = await pull.join(at);
  await pull.snapshot(at);
  const published = await pull.publish(claim, publication, at);
  await pull.release();
  return { claim, published };
}

const checks = (of = number): readonly string[] =>
  repository
    .pull(of)
    .allChecks.map(
      ({ status, conclusion, title, externalId }) =>
        `${externalId?.replace(/^.*(#\d+):.*$/, '$1')} ${conclusion ?? status}, ${title}`,
    );

describe('the standing check', () => {
  test('a completed one is edited in place, and an equal one is not written', async () => {
    await review(ended('failure'));
    const { claim, published } = await fold(saying(ended('success', { text: 'New.' })));
    expect(claim).toEqual({ kind: 'standing' });
    expect(published).toMatchObject({ kind: 'published', writes: [{ kind: 'confirmed' }] });
    expect(checks()).toEqual([`#${number} success, it is success`]);
    expect(await fold(saying(ended('success', { text: 'New.' })))).toMatchObject({
      published: { kind: 'published', writes: [] },
    });
  });

  test('C118 where none stands it is made; a head that is in progress again is a new run', async () => {
    await fold(saying(ended('action_required')));
    await fold(saying({ status: 'in_progress', title: 'Again', summary: 's', text: '' }));
    expect(checks()).toEqual([
      `#${number} action_required, it is action_required`,
      `#${number} in_progress, Again`,
    ]);
  });

  test('a review at work writes it, one that died does not', async () => {
    const at = trigger({ reason: 'asked' });
    await (await forgeOf().open(at)).claim(at);
    await fold(saying(ended('success')));
    expect(checks()).toEqual([`#${number} in_progress, Reading`]);
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(30_000);
    later = longestRunMs + 5_000;
    await fold(saying(ended('success')));
    expect(checks()).toEqual([`#${number} success, it is success`]);
  });

  test('a head that moved, and a pull request that closed, change nothing', async () => {
    await review(ended('failure'));
    const at = trigger();
    await repository.commit({ branch: 'feature', files: { 'src/a.ts': 'other\n' }, message: 'more' });
    const moved = headOf();
    const pull = await forgeOf().open(at);
    const claim = await pull.join(at);
    expect(await pull.publish(claim, { ...saying(ended('success')), head: at.head }, at)).toEqual({
      kind: 'superseded',
      by: moved,
    });
    await repository.closePullRequest(number);
    expect(await pull.publish(claim, saying(ended('success')), at)).toEqual({ kind: 'closed' });
    await pull.writeCheck(claim, ended('action_required'));
    expect(checks()).toEqual([`#${number} failure, it is failure`]);
  });

  test('what an operator passed by hand stays', async () => {
    await review(
      ended('success', {
        text: writeOperatorPass({ v: 1, head: headOf(), reason: 'INC-12', at: 1 }, trust),
      }),
    );
    await fold(saying(ended('failure')));
    expect(checks()).toEqual([`#${number} success, it is success`]);
    const claims = (['reopened', 'asked'] as const).map(async (reason) =>
      (await forgeOf().open(trigger({ reason }))).claim(trigger({ reason })),
    );
    expect((await Promise.all(claims)).map(({ kind }) => kind)).toEqual(['already_done', 'claimed']);
  });

  test('completed checks have two buttons, stopped ones none', async () => {
    const at = trigger({ reason: 'asked' });
    const pull = await forgeOf().open(at);
    const claim = await pull.claim(at);
    await pull.writeCheck(claim, ended('success', { conclusion: 'cancelled' }));
    await pull.release();
    await review(ended('success'));
    const [stopped, done] = repository.pull(number).allChecks;
    const monalisa = repository.as('monalisa');
    expect(() => monalisa.pressAction(stopped?.id ?? 0, 'review_again')).toThrow();
    expect(() => monalisa.pressAction(done?.id ?? 0, 'ask_person')).not.toThrow();
  });
});

describe('what is written beside the review', () => {
  const thread = () => {
    const [first] = repository.pull(number).threads;
    if (first === undefined) throw new Error('The review has a thread.');
    return first;
  };
  const reply = (change: Partial<ReplyWrite> = {}): ReplyWrite => {
    const root = thread().comments[0]?.id ?? 0;
    return {
      key: 'Q1:no',
      to: { kind: 'reply', databaseId: root, id: thread().id, threadRoot: root },
      body: `So this is a finding now.\n\n${writeReplyMarker('Q1:no', trust)}`,
      ...change,
    };
  };

  beforeEach(() => review(ended('failure'), {}, 1));

  test('news is told once, in the thread, and edited when its text changes', async () => {
    const said = saying(ended('failure'), { replies: [reply()] });
    expect(await fold(said)).toMatchObject({ published: { writes: [{ kind: 'confirmed' }] } });
    expect(await fold(said)).toMatchObject({ published: { writes: [{ kind: 'already_there' }] } });
    const other = `Read again.\n\n${writeReplyMarker('Q1:no', trust)}`;
    await fold(saying(ended('failure'), { replies: [reply({ body: other })] }));
    expect(thread().comments.map(({ body }) => body)).toEqual(['**Important (F1): claim**', other]);
  });

  test('a reply on the pull request is a comment; one without a key gets its key', async () => {
    const { id } = repository.as('monalisa').comment(number, '/evident status');
    const to = { kind: 'comment', databaseId: id, id: 'IC' } as const;
    const said = saying(ended('failure'), { replies: [{ key: 'status:1', to, body: 'All is well.' }] });
    await fold(said);
    await fold(said);
    const [, told, more] = repository.pull(number).comments;
    expect(more).toBeUndefined();
    expect(readReplyKey(told?.body ?? '', trust)).toBe('status:1');
  });

  test('the same key in a comment of somebody else hides nothing', async () => {
    repository.as('monalisa').comment(number, `Look: ${reply().body}`);
    await fold(saying(ended('failure'), { replies: [reply()] }));
    expect(thread().comments).toHaveLength(2);
  });

  test('a reply of ours that somebody edited is brought back, not told again', async () => {
    await fold(saying(ended('failure'), { replies: [reply()] }));
    const told = thread().comments[1];
    repository.as('monalisa').editComment(told?.id ?? 0, `Forget it.\n\n${writeReplyMarker('Q1:no', trust)}`);
    await fold(saying(ended('failure'), { replies: [reply()] }));
    expect(thread().comments.map(({ body }) => body)).toEqual([expect.any(String), reply().body]);
  });

  test('GitHub made the reply and answered 502: it is found, and not sent again', async () => {
    github.faults.add({
      match: ({ method, path }) => method === 'POST' && path.endsWith('/replies'),
      after: { status: 502 },
    });
    const { published } = await fold(saying(ended('failure'), { replies: [reply()] }));
    expect(published).toMatchObject({ writes: [{ kind: 'confirmed' }] });
    expect(thread().comments).toHaveLength(2);
  });

  test('the first comment is edited, and left alone when it is as wanted', async () => {
    const comment = thread().comments[0]?.id ?? 0;
    const said = saying(ended('success'), { threadEdits: [{ id: 'F1', comment, body: '**Fixed (F1).**' }] });
    await fold(said);
    expect(thread().comments[0]?.body).toBe('**Fixed (F1).**');
    github.clearRequests();
    await fold(said);
    expect(github.requests().filter(({ path }) => path.includes('/pulls/comments/'))).toEqual([]);
  });

  test('threads are resolved where the app may; where not, it is asked once', async () => {
    const resolves = [{ thread: thread().id }, { thread: 'PRRT_other' }];
    const { published } = await fold(saying(ended('success'), { resolves }));
    expect(published).toMatchObject({ writes: [{ kind: 'refused', status: 403 }, { kind: 'confirmed' }] });
    repository.permissions = { ...repository.permissions, contents: 'write' };
    await fold(saying(ended('success'), { resolves: [{ thread: thread().id }] }));
    expect(thread().isResolved).toBe(true);
  });

  test('reactions: added once, and nothing is wrong when the comment is gone', async () => {
    const { id } = repository.as('monalisa').comment(number, 'no');
    const reactions = [
      { subject: { kind: 'comment', databaseId: id, id: 'IC' }, content: '+1' },
      { subject: { kind: 'comment', databaseId: 999_999, id: 'IC' }, content: 'confused' },
      { subject: { kind: 'reply', databaseId: thread().comments[0]?.id ?? 0, id: 'RC' }, content: 'eyes' },
    ] as const;
    await fold(saying(ended('failure'), { reactions }));
    await fold(saying(ended('failure'), { reactions }));
    expect(repository.pull(number).comments[0]?.reactions).toEqual([{ content: '+1', by: 'evident[bot]' }]);
    expect(thread().comments[0]?.reactions).toEqual([{ content: 'eyes', by: 'evident[bot]' }]);
  });

  test('a review takes a reaction through GraphQL, and only with its id', async () => {
    const { id: databaseId, nodeId: id } = repository.pull(number).reviews[0] ?? { id: 0, nodeId: '' };
    const reactions = [{ subject: { kind: 'review', databaseId, id }, content: '+1' }] as const;
    const { published } = await fold(saying(ended('failure'), { reactions }));
    expect(published).toMatchObject({ writes: [{ kind: 'confirmed' }] });
    expect(repository.pull(number).reviews[0]?.reactions).toEqual([{ content: '+1', by: 'evident[bot]' }]);
  });

  test('a reaction at once, before anything is read', async () => {
    const { id } = repository.as('monalisa').comment(number, '/evident review');
    const pull = await forgeOf().open(trigger());
    pull.react({ kind: 'comment', databaseId: id }, 'eyes');
    pull.react({ kind: 'review', databaseId: 3 }, 'eyes');
    await pull.release();
    expect(repository.pull(number).comments[0]?.reactions).toEqual([{ content: 'eyes', by: 'evident[bot]' }]);
  });

  test('people are asked; one who cannot be asked stops nobody else', async () => {
    const reviewers = { users: ['monalisa', 'nobody-here', 'octocat'], teams: ['octo-org/payments'] };
    const { published } = await fold(saying(ended('action_required'), { reviewers }));
    expect(published).toMatchObject({
      kind: 'published',
      writes: [
        { kind: 'confirmed' },
        { kind: 'refused', status: 422 },
        { kind: 'refused', status: 422 },
        { kind: 'confirmed' },
        { kind: 'confirmed' },
      ],
    });
    const { requestedReviewers, requestedTeams } = repository.pull(number);
    expect([requestedReviewers, requestedTeams]).toEqual([['monalisa'], ['payments']]);
  });

  test('without the permission to write on pull requests only the check is written', async () => {
    repository.permissions = { ...repository.permissions, pull_requests: 'read', issues: 'read' };
    const { published } = await fold(
      saying(ended('success'), {
        replies: [reply()],
        threadEdits: [{ id: 'F1', comment: thread().comments[0]?.id ?? 0, body: 'x' }],
        reviewers: { users: ['monalisa'], teams: [] },
      }),
    );
    expect(published).toMatchObject({ kind: 'published', writes: [{ kind: 'confirmed' }] });
    expect(thread().comments.map(({ body }) => body)).toEqual(['**Important (F1): claim**']);
    expect(checks().at(-1)).toBe(`#${number} success, it is success`);
  });

  test('everything refused: the check is written all the same', async () => {
    github.faults.add({
      match: ({ method, path }) =>
        method !== 'GET' && !path.endsWith('/reactions') && /pulls|issues/.test(path),
      times: 20,
      before: { status: 422, body: { message: 'Validation Failed' } },
    });
    const { published } = await fold(
      saying(ended('success'), { replies: [reply()], reviewers: { users: ['monalisa'], teams: [] } }),
    );
    expect(published).toMatchObject({
      writes: [{ kind: 'refused' }, { kind: 'refused' }, { kind: 'confirmed' }],
    });
    expect(checks()).toEqual([`#${number} success, it is success`]);
  });
});

describe('two pull requests of one head', () => {
  let other: number;
  beforeEach(async () => {
    await repository.commit({ branch: 'release', from: 'main', files: { 'R.md': 'r' }, message: 'r' });
    other = await repository.openPullRequest({
      head: 'feature',
      base: 'release',
      title: 'Same',
      author: 'octocat',
    });
  });

  test('each shows the worst of both, with its own result kept; better later, better shown', async () => {
    await review(ended('failure'));
    await review(ended('success'), { number: other });
    expect(checks()).toEqual([
      `#${number} failure, it is failure`,
      `#${other} failure, #${number} on this commit: it is failure`,
    ]);
    expect(repository.pull(other).mergeable()).toBe(false);
    expect(repository.pull(other).allChecks.at(-1)?.summary).toContain('`it is success` (success)');
    await fold(saying(ended('success')));
    expect(checks()).toEqual([`#${number} success, it is success`, `#${other} success, it is success`]);
    expect([repository.pull(number).mergeable(), repository.pull(other).mergeable()]).toEqual([true, true]);
  });

  test('a better result of the older run does not hide a worse one of the newer', async () => {
    await review(ended('success'));
    expect(repository.pull(number).mergeable()).toBe(false);
    await review(ended('failure'), { number: other });
    await fold(saying(ended('success', { text: 'Folded again.' })));
    expect(checks()).toEqual([
      `#${number} failure, #${other} on this commit: it is failure`,
      `#${other} failure, it is failure`,
    ]);
  });

  test('a closed one does not count', async () => {
    await review(ended('failure'), { number: other });
    await repository.closePullRequest(other);
    await review(ended('success'));
    expect(repository.pull(number).mergeable()).toBe(true);
  });

  test('the result of a closed one hides that of an open one no longer', async () => {
    await review(ended('failure'));
    await review(ended('failure'), { number: other });
    await repository.closePullRequest(other);
    await fold(saying(ended('success')));
    expect(checks()).toEqual([
      `#${number} success, it is success`,
      `#${other} failure, it is failure`,
      `#${number} success, it is success`,
    ]);
    expect(repository.pull(number).mergeable()).toBe(true);
    await fold(saying(ended('success')));
    expect(checks()).toHaveLength(3);
  });

  test('in advisory one that was never read says nothing', async () => {
    await fold(saying(ended('success')), {}, 'advisory');
    expect(checks()).toEqual([`#${number} success, it is success`]);
  });

  test('both end in the same moment: neither waits for the other for ever', async () => {
    await Promise.all([review(ended('success')), review(ended('success'), { number: other })]);
    expect([repository.pull(number).mergeable(), repository.pull(other).mergeable()]).toEqual([true, true]);
  });
});
