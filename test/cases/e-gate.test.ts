/**
 * Failures of review bots that were reported in public, kind e: the gate and the threads over several pushes.
 * docs/cases.md says in our words what each was. Whole runs of the real handler against the local GitHub; what is held
 * to is whether the pull request can be merged, and what stands on it.
 */
import { readFileSync } from 'node:fs';
import { createHmac, randomUUID } from 'node:crypto';
import { ModelError } from '../../lib/core/errors.js';
import { calls, type ScriptedModel } from '../../lib/models/scripted.js';
import type { ModelRequest, ModelTurn } from '../../lib/ports/model.js';
import {
  bug,
  change,
  files,
  plays,
  readAll,
  reviews,
  startWorld,
  submit,
  threadOfBug,
  type Place,
  type PlaceOrder,
  type World,
} from '../world.js';

let world: World;
const places: Place[] = [];

beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
  world.github.faults.clear();
});
afterAll(() => world.close());

/** A pull request of octocat, who may write; so may monalisa. */
async function open(order: Partial<PlaceOrder> & Pick<PlaceOrder, 'model'>): Promise<Place> {
  const { before } = order;
  const place = await world.open({
    gate: 'blocking',
    ...order,
    before: async (repository) => {
      repository.addCollaborator('monalisa', 'write');
      await before?.(repository);
    },
  });
  places.push(place);
  return place;
}

async function played(order: Parameters<typeof open>[0]): Promise<Place> {
  world.github.clearRequests();
  const there = await open(order);
  await there.settled();
  return there;
}

const pullOf = ({ repository, number }: Place) => repository.pull(number);
const checks = (there: Place): readonly string[] => there.stands().checks;
const check = (there: Place): string => checks(there).at(-1) ?? '';
const ours = (login: string): boolean => login === `${world.github.app.slug}[bot]`;
const reviewsOf = (there: Place) => pullOf(there).reviews.filter(({ author }) => ours(author));

/** Everything that a person would be told of, in how many pieces. */
const pieces = (there: Place) => ({
  reviews: reviewsOf(there).length,
  threads: pullOf(there).threads.length,
  ofOurs: [...pullOf(there).threads.flatMap(({ comments }) => comments), ...pullOf(there).comments].filter(
    ({ author }) => ours(author),
  ).length,
});

async function push(there: Place, pushed: Parameters<Place['push']>[0]): Promise<void> {
  await there.push(pushed);
  await there.settled();
}

const threadOf = (there: Place, at = 0) => {
  const thread = pullOf(there).threads[at];
  if (thread === undefined) throw new Error('There is no such thread.');
  return thread;
};

/** First lines of a thread. */
const said = (there: Place, at = 0): readonly string[] =>
  threadOf(there, at).comments.map(({ body }) => body.split('\n')[0] ?? '');

async function replies(there: Place, login: string, body: string): Promise<void> {
  there.repository.as(login).reply(threadOf(there).id, body);
  await there.settled();
}

const label = (word: string) => ({ 'src/label.ts': `${change['src/label.ts']}// ${word}\n` });
const fixed = { 'src/refund.ts': `${files['src/refund.ts']}\n// Nothing else.\n` };

const failing = (head: number): string => `head ${head}: failure, 1 important to fix`;
const passing = (head: number): string => `head ${head}: success, Nothing open, one clean review`;

const isFor = ({ tools }: ModelRequest, terminal: string): boolean =>
  tools.some(({ name }) => name === terminal);

/** What the tools of a run have shown. */
const shown = ({ messages }: ModelRequest): string =>
  messages
    .flatMap(({ content }) => content)
    .flatMap((block) => (block.type === 'tool_result' ? [block.text] : []))
    .join('\n');

/** Finds the bug wherever it stands, and not where it is gone; people's words are read by `reading`. */
function finds(
  as: (pass: number) => Partial<Record<keyof typeof bug, string>> = () => ({}),
  reading: (request: ModelRequest) => ModelTurn = () =>
    calls({ name: 'submit_reply', input: { kind: 'nothing' } }),
): ScriptedModel & { readonly readings: () => number } {
  let readings = 0;
  const model = plays(({ step, pass, request }) => {
    if (isFor(request, 'submit_reply')) {
      if (step > 0) return reading(request);
      readings += 1;
      return calls({ name: 'get_file_content', input: { path: 'src/order.ts' } });
    }
    if (step === 0) return readAll();
    const line = Number(/\+ *(\d+) \| +return refund \|\|/.exec(shown(request))?.[1]);
    return submit(Number.isInteger(line) ? [{ ...bug, line, ...as(pass) }] : []);
  });
  return { ...model, requests: model.requests, readings: () => readings };
}

describe('C106 what a person has decided', () => {
  test('C106 a dismissal is final: three pushes, other words and another rule bring nothing back', async () => {
    const words = ['falsy-zero', 'nullish-coalescing', 'wrong-default', 'falsy-zero'];
    const there = await played({
      model: finds((pass) => ({ rule: words[pass - 1] ?? 'falsy-zero', title: `claim in words ${pass}` })),
    });
    expect(there.stands()).toMatchObject({ checks: [failing(1)], mergeable: false });
    await replies(there, 'monalisa', 'by design, see ADR 7');
    expect(there.stands()).toMatchObject({ checks: [passing(1)], mergeable: true });
    const before = pieces(there);
    const conversation = said(there);
    for (const [at, word] of ['second', 'third', 'fourth'].entries()) {
      await push(there, label(word));
      expect(there.stands().mergeable).toBe(true);
      expect(check(there)).toBe(passing(at + 2));
    }
    expect(pieces(there)).toEqual(before);
    expect(said(there)).toEqual(conversation);
    expect(conversation).toHaveLength(2);
  });

  test('C106 "fixed" that is untrue gets one factual reply, and no other however often it is pushed', async () => {
    const evidence = [
      { path: 'src/refund.ts', ref: 'head', start: 4, end: 4, quote: '  const refund = refundFor(order);' },
    ];
    const model = finds(undefined, () =>
      calls({ name: 'submit_reply', input: { kind: 'stand', text: 'Line 5 is as it was.', evidence } }),
    );
    const there = await played({ model });
    await replies(there, 'octocat', 'should be fixed in the last commit');
    expect(said(there)).toEqual([
      expect.stringMatching(/^\*\*Important \(F1, blocks merge\)/),
      'should be fixed in the last commit',
      '**Still stands (F1).** Line 5 is as it was.',
    ]);
    for (const word of ['second', 'third']) await push(there, label(word));
    expect(said(there)).toHaveLength(3);
    expect(model.readings()).toBe(1);
    expect(there.stands()).toMatchObject({ comments: 0, mergeable: false });
    expect(check(there)).toBe(failing(3));
  });
});

test('C108 a line above moves a finding and makes no other of it; two on equal lines stay two', async () => {
  const twice = files['src/refund.ts'].concat(
    '\nexport function again(order: Order): number {\n  const refund = refundFor(order);\n  return refund || order.total;\n}\n',
  );
  const both = { 'src/refund.ts': twice.replace('refund ??', 'refund ||') };
  const model = plays(({ step, request }) => {
    if (step === 0) return readAll();
    const lines = [...shown(request).matchAll(/\+ *(\d+) \| +return refund \|\|/g)].map((found) =>
      Number(found[1]),
    );
    return submit(
      [...new Set(lines)].map((line) => ({ ...bug, line, title: `the total, from line ${line}` })),
    );
  });
  const there = await played({ model, changes: { ...change, ...both } });
  expect(check(there)).toBe('head 1: failure, 2 important to fix');
  const before = pieces(there);
  await push(there, { 'src/refund.ts': `// One line more.\n${both['src/refund.ts']}` });
  expect(there.stands()).toMatchObject({
    threads: ['src/refund.ts:6 RIGHT', 'src/refund.ts:11 RIGHT'],
    mergeable: false,
  });
  await push(there, { 'src/refund.ts': `// ${'x\n// '.repeat(40)}y\n${both['src/refund.ts']}` });
  expect(check(there)).toBe('head 3: failure, 2 important to fix');
  expect(pieces(there)).toEqual(before);
  // What is known moves with the diff.
  expect(there.checkText()).toMatch(/\| F1 \| .*src\/refund\.ts:46\b.*\n\| F2 \| .*src\/refund\.ts:51\b/);
  expect(there.checkText()).not.toMatch(/refund\.ts:5\b/);
});

describe('C109 threads that are closed count as known', () => {
  test('C109 a resolved thread does not come back as another one, and clears nothing', async () => {
    const there = await played({ model: finds() });
    there.repository.as('octocat').resolve(threadOf(there).id);
    await there.settled();
    for (const word of ['second', 'third']) await push(there, label(word));
    expect(there.stands()).toMatchObject({ threads: [threadOfBug], comments: 0, mergeable: false });
    expect(pieces(there)).toEqual({ reviews: 1, threads: 1, ofOurs: 1 });
  });

  test('C109 one that is dismissed and resolved does not come back either, and holds nothing', async () => {
    const there = await played({ model: finds() });
    await replies(there, 'monalisa', "won't fix: the caller never passes 0");
    there.repository.as('monalisa').resolve(threadOf(there).id);
    await there.settled();
    for (const word of ['second', 'third']) await push(there, label(word));
    expect(there.stands()).toMatchObject({ threads: [threadOfBug], comments: 0, mergeable: true });
    expect(pieces(there)).toEqual({ reviews: 1, threads: 1, ofOurs: 1 });
  });
});

test('C110 a push without anything new: no review, one summary that is edited, one check', async () => {
  const there = await played({ model: finds() });
  const [first] = reviewsOf(there);
  await push(there, label('second'));
  const head = pullOf(there).head.sha.slice(0, 7);
  expect(reviewsOf(there)).toMatchObject([{ id: first?.id, edited: true }]);
  expect(reviewsOf(there)[0]?.body).toMatch(
    new RegExp(`^\\*\\*1 important\\.\\*\\* Read both changed files at \`${head}\``),
  );
  expect(checks(there)).toEqual([failing(1), failing(2)]);
  // A clean one says so in the same two places, and does not look like a failure.
  await push(there, fixed);
  expect(pieces(there)).toEqual({ reviews: 1, threads: 1, ofOurs: 1 });
  expect(reviewsOf(there)[0]?.body).toMatch(/^\*\*Nothing open\.\*\* One clean review/);
  expect(there.stands()).toMatchObject({ comments: 0, mergeable: true });
  expect(check(there)).toBe(passing(3));
});

test('C111 no verdict of an older commit stands beside that of a newer one', async () => {
  const there = await played({ model: finds(), changes: label('first') });
  expect(there.stands()).toMatchObject({ reviews: [], mergeable: true });
  await push(there, change);
  expect(there.stands().mergeable).toBe(false);
  await push(there, fixed);
  expect(there.stands().mergeable).toBe(true);
  await push(there, change);
  expect(there.stands().mergeable).toBe(false);
  expect(reviewsOf(there).map(({ state }) => state)).toEqual(['COMMENTED']);
  // One check of the newest head says it; those of older heads hold nothing.
  expect(pullOf(there).checks.map(({ conclusion }) => conclusion)).toEqual(['failure']);
});

describe('C112 what counts is where a finding stands', () => {
  test('C112 a resolved thread whose comment is still shown on the diff holds nothing that was dismissed', async () => {
    const there = await played({ model: finds() });
    await replies(there, 'monalisa', 'dismiss: the total is what is meant');
    there.repository.as('monalisa').resolve(threadOf(there).id);
    await there.settled();
    await push(there, label('second'));
    expect(threadOf(there)).toMatchObject({ isResolved: true, isOutdated: false, line: 5 });
    expect(there.stands()).toMatchObject({ mergeable: true });
  });

  test('C112 "fixed" without a resolved thread stops no review: the push is looked at, and passes', async () => {
    const there = await played({ model: finds() });
    await replies(there, 'octocat', 'fixed, pushing now');
    expect(there.stands().mergeable).toBe(false);
    await push(there, fixed);
    expect(threadOf(there).isResolved).toBe(false);
    expect(said(there)[0]).toMatch(/^\*\*Fixed in `[0-9a-f]{7}` \(F1\)\.\*\*/);
    expect(there.stands()).toMatchObject({ checks: [failing(1), passing(2)], mergeable: true });
  });
});

/** A payload that a test has changed, signed as GitHub signs it. */
async function post(event: string, payload: object): Promise<string> {
  const body = JSON.stringify(payload);
  const { webhookSecret, webhookUrl } = world.github.app;
  const response = await fetch(webhookUrl ?? '', {
    method: 'POST',
    body,
    headers: {
      // A kept one may be closed by the server in the very moment of use.
      connection: 'close',
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${createHmac('sha256', webhookSecret).update(body).digest('hex')}`,
    },
  });
  return `${response.status} ${(await response.text()).trim()}`;
}

type Payload = { readonly [key: string]: unknown };
const rerequested = JSON.parse(
  readFileSync(new URL('../fixtures/cases/op08-rerequested-fork.json', import.meta.url), 'utf8'),
) as { readonly input: { readonly events: readonly { name: string; payload: Payload }[] } };
const [eventOfRun, eventOfSuite] = rerequested.input.events;

/** An event of op08 about this head, sent by `login`. */
function recorded(there: Place, which: typeof eventOfRun, login: string): object {
  const { repository, installation } = world.github
    .deliveries()
    .findLast((one) => one.repository === there.repository.fullName)!.payload as Payload;
  const key = which?.name ?? '';
  const subject = which?.payload[key] as object;
  return {
    ...which?.payload,
    [key]: { ...subject, head_sha: pullOf(there).head.sha },
    repository,
    installation,
    sender: { login, type: 'User' },
  };
}

const lastRun = (there: Place): number => pullOf(there).allChecks.at(-1)?.id ?? 0;
const ofFork = { headRepository: { owner: 'stranger' } } as const;

describe('C114 a re-run on a fork, whose events name no pull request', () => {
  test('C114 starts a new review in a new check run, for whoever may start one', async () => {
    const model = plays(({ pass, step }) => (step === 0 ? readAll() : submit(pass === 1 ? [bug] : [])));
    const there = await played({ model, pull: ofFork });
    expect(there.stands()).toMatchObject({ checks: [failing(1)], mergeable: false });
    const asked = model.requests.length;
    there.repository.as('stranger').rerequest(lastRun(there));
    await there.settled();
    expect(model.requests).toHaveLength(asked);
    there.repository.as('monalisa').rerequest(lastRun(there));
    await there.settled();
    const sent = world.github.deliveries().findLast(({ action }) => action === 'rerequested');
    expect(sent?.payload).toMatchObject({
      check_run: { pull_requests: [], check_suite: { head_branch: null } },
    });
    expect(checks(there)).toHaveLength(2);
    expect(model.requests.length).toBeGreaterThan(asked);
  });

  test('C114 with a key that is not ours: found by the head (op08)', async () => {
    const there = await played({ model: reviews([bug]), pull: ofFork });
    expect(await post('check_run', recorded(there, eventOfRun, 'monalisa'))).toBe('202 accepted');
    await there.settled();
    expect(checks(there)).toEqual([failing(1), failing(1)]);
  });

  test('C114 where two have the head and nothing says which is meant, nothing is guessed', async () => {
    const lose = (): void =>
      world.github.faults.addDelivery({ match: ({ action }) => action === 'opened', times: 2, fate: 'lose' });
    const model = reviews([bug]);
    const there = await played({ model, pull: ofFork, before: lose });
    await there.repository.commit({ branch: 'next', from: 'main', files: { 'x.md': 'x\n' }, message: 'x' });
    await there.repository.openPullRequest({
      title: 'Twin',
      head: pullOf(there).head.ref,
      base: 'next',
      author: 'octocat',
      ...ofFork,
    });
    expect(await post('check_run', recorded(there, eventOfRun, 'monalisa'))).toBe('202 accepted');
    await there.settled();
    expect(there.stands()).toMatchObject({ checks: [], mergeable: false });
    expect(model.requests).toEqual([]);
    expect(there.warned.join()).toMatch(/several pull requests have this head/);
  });
});

describe('C115 "Re-run all checks", and the buttons', () => {
  test('C115 the suite is looked up by its head (op08), and starts a new review', async () => {
    const there = await played({ model: reviews([bug]), pull: ofFork });
    expect(await post('check_suite', recorded(there, eventOfSuite, 'monalisa'))).toBe('202 accepted');
    await there.settled();
    expect(checks(there)).toEqual([failing(1), failing(1)]);
    expect(there.stands().mergeable).toBe(false);
  });

  test('C115 an action that is not ours is answered, and starts nothing', async () => {
    const model = reviews();
    const there = await played({ model });
    const run = lastRun(there);
    there.repository.as('monalisa').pressAction(run, 'review_again');
    await there.settled();
    expect(checks(there)).toEqual([passing(1), expect.stringMatching(/^head 1: success/)]);
    const asked = model.requests.length;
    const { payload } = world.github.deliveries().findLast(({ action }) => action === 'requested_action')!;
    for (const identifier of ['merge_now', '', 'constructor'])
      expect(await post('check_run', { ...payload, requested_action: { identifier } })).toMatch(
        /^202 ignored/,
      );
    expect(model.requests).toHaveLength(asked);
    expect(checks(there)).toHaveLength(2);
  });
});

describe('C117 a merge queue asks for the check on the commit of a group', () => {
  test('C117 it is answered at once, without a review, and what has passed is merged', async () => {
    const model = reviews();
    const there = await played({ model });
    expect(there.stands().mergeable).toBe(true);
    const asked = model.requests.length;
    await there.repository.enqueue(there.number, 'octocat');
    await there.settled();
    expect(there.handled).toContainEqual({ kind: 'queue_answered', detail: `Passed with #${there.number}` });
    expect(pullOf(there)).toMatchObject({ merged: true });
    expect(model.requests).toHaveLength(asked);
  });

  test('C117 one that has not passed is not merged by the queue, and goes in once it has', async () => {
    const there = await played({ model: finds() });
    await there.repository.enqueue(there.number, 'octocat');
    await there.settled();
    expect(there.handled).toContainEqual({
      kind: 'queue_answered',
      detail: `Not passed: #${there.number}`,
    });
    expect(pullOf(there).merged).toBe(false);
    expect(there.repository.queue()).toEqual([]);
    await replies(there, 'monalisa', 'dismiss: the total is what is meant');
    // Of the same second and on the same base it would be the commit that has failed.
    await there.repository.commit({ branch: 'main', files: { 'b.md': 'b\n' }, message: 'Go on' });
    await there.repository.enqueue(there.number, 'octocat');
    await there.settled();
    expect(pullOf(there).merged).toBe(true);
  });
});

test('C118 a new attempt is a new check run: what is completed is never opened again', async () => {
  let during: readonly string[] = [];
  const model = plays(({ pass, step }) => {
    if (pass === 2 && step === 1) during = checks(there);
    return step === 0 ? readAll() : submit(pass === 1 ? [bug] : []);
  });
  const there: Place = await played({ model });
  await replies(there, 'monalisa', 'dismiss: the total is what is meant');
  there.repository.as('monalisa').rerequest(lastRun(there));
  await there.settled();
  expect(during).toEqual([passing(1), 'head 1: in_progress, Reading']);
  expect(checks(there)).toHaveLength(2);
  expect(there.stands().mergeable).toBe(true);

  const completed = new Set<string>();
  const opened = world.github.requests().filter(({ method, path, body, status }) => {
    if (method !== 'PATCH' || !path.includes('/check-runs/') || status !== 200) return false;
    const run = body as { readonly status?: string; readonly conclusion?: string };
    if (run.conclusion !== undefined || run.status === 'completed') {
      completed.add(path);
      return false;
    }
    return completed.has(path);
  });
  expect(completed.size).toBe(2);
  expect(opened).toEqual([]);
});

describe('C119 a change of which only a part was read', () => {
  const paths = Array.from({ length: 120 }, (_, at) => `src/part/p${at}.ts`);
  const many = Object.fromEntries(paths.map((path, at) => [path, `export const part${at} = ${at};\n`]));
  /** 35 of 120 files, of which one is wrong. */
  const partly = (findings: readonly unknown[]): ScriptedModel =>
    plays(({ step }) =>
      step === 0
        ? calls(
            ...paths.slice(0, 34).map((path) => ({ name: 'get_file_content', input: { path } })),
            { name: 'get_pr_diff', input: { path: 'src/refund.ts' } },
            { name: 'get_file_content', input: { path: 'src/order.ts' } },
          )
        : submit(findings),
    );
  const changes = { ...many, 'src/refund.ts': change['src/refund.ts'] };

  test('C119 is never clean, and says so in check and summary, also after the next push', async () => {
    const there = await played({ model: partly([bug]), changes });
    const title = 'Not finished: 35 of 121 files read';
    expect(check(there)).toBe(`head 1: action_required, ${title}`);
    expect(there.stands().mergeable).toBe(false);
    expect(there.checkText()).toMatch(/did not finish and is not a clean one/);
    expect(reviewsOf(there)[0]?.body).toMatch(/^\*\*Not finished: 35 of 121 changed files read\.\*\*/);
    await push(there, { 'src/refund.ts': files['src/refund.ts'], 'src/part/p0.ts': 'export const p = 0;\n' });
    expect(check(there)).toBe('head 2: action_required, Not finished: 34 of 120 files read');
    expect(reviewsOf(there)[0]?.body).toMatch(/^\*\*Not finished: 34 of 120 changed files read\.\*\*/);
    expect(there.stands()).toMatchObject({ comments: 0, mergeable: false });
  });

  test('C119 with nothing found is not clean either; where the gate only advises, the title says it', async () => {
    const there = await played({ model: partly([]), changes, gate: 'advisory' });
    expect(check(there)).toBe('head 1: neutral, Not finished: 35 of 121 files read');
    expect(there.checkText()).toMatch(/src\/part\/p119\.ts/);
    expect(there.stands().reviews).toEqual([]);
  });
});

describe('C120 where there is nothing to do, a completed check says why', () => {
  const settings = (text: string): PlaceOrder['files'] => ({ ...files, '.github/evident.yml': text });

  const rows: readonly (readonly [
    what: string,
    order: Partial<PlaceOrder>,
    check: string,
    mergeable: boolean,
  ])[] = [
    // A draft cannot be merged; as soon as it is ready it must not be, unread.
    ['a draft', { pull: { draft: true } }, 'action_required, Not reviewed: draft', false],
    [
      'paths that are skipped',
      {
        files: settings("paths:\n  skip: ['docs/**']\n"),
        changes: { 'docs/a.md': '# a\n', 'docs/b.md': '# b\n' },
      },
      'skipped, Not reviewed: only generated files',
      true,
    ],
    [
      'a base that is not reviewed here',
      { files: settings("base_branches: ['release/*']\n") },
      'skipped, Not reviewed: base branch',
      true,
    ],
    [
      'an update by a bot',
      { pull: { author: 'dependabot[bot]' }, changes: { 'package-lock.json': '{ "version": 2 }\n' } },
      'skipped, Not reviewed: dependency update',
      true,
    ],
  ];
  test.each(rows)('C120 %s', async (_what, order, title, mergeable) => {
    const model = reviews([bug]);
    const there = await played({ model, ...order });
    expect(there.stands()).toEqual({
      reviews: [],
      threads: [],
      comments: 0,
      checks: [`head 1: ${title}`],
      mergeable,
    });
    expect(there.checkText().trim()).toMatch(/[a-z].*\.$/);
    expect(model.requests).toEqual([]);
  });

  test('C120 only documents: read as everything else, so it ends', async () => {
    const there = await played({ model: reviews(), changes: { 'README.md': '# shop, again\n' } });
    expect(there.stands()).toMatchObject({ checks: [passing(1)], mergeable: true });
  });
});

describe('C121 a limit that is met', () => {
  const quota = (): ScriptedModel =>
    plays(() => {
      throw new ModelError('The provider answered 429: the quota of this month is used up.', {
        retryable: true,
        status: 429,
      });
    });

  test.each([
    ['blocking', 'action_required', false],
    ['advisory', 'neutral', true],
  ] as const)(
    'C121 in a gate that is %s ends %s and says that nothing was reviewed',
    async (gate, conclusion, mergeable) => {
      const there = await played({ gate, model: quota() });
      expect(check(there)).toMatch(new RegExp(`^head 1: ${conclusion}, Not reviewed: `));
      expect(there.checkText()).toMatch(/429.*Nothing is known about this change/s);
      expect(there.stands()).toMatchObject({ reviews: [], threads: [], comments: 0, mergeable });
    },
  );

  test('C121 our own limit on turns and money: nothing that was not finished passes', async () => {
    const there = await played({ model: plays(() => readAll()), limits: { turns: 3 } });
    expect(check(there)).toMatch(/^head 1: action_required, Not (finished|reviewed): /);
    expect(there.stands().mergeable).toBe(false);
  });
});

describe('C122 threads are resolved where that is allowed', () => {
  const permissions = { contents: 'write', pull_requests: 'write', checks: 'write' } as const;
  const outdatedQuestion = async (there: Place): Promise<void> => {
    await there.repository.as('monalisa').review(there.number, {
      event: 'COMMENT',
      comments: [{ path: 'src/refund.ts', line: 5, body: 'Is 0 allowed here at all?' }],
    });
    await there.settled();
  };
  const resolved = (there: Place): readonly (string | null)[] =>
    pullOf(there).threads.map(({ resolvedBy }) => resolvedBy);

  test('C122 ours that is fixed, and not that of a person which is as outdated', async () => {
    const there = await played({ model: finds(), permissions });
    await outdatedQuestion(there);
    await push(there, fixed);
    expect(pullOf(there).threads).toMatchObject([{ isOutdated: true }, { isOutdated: true }]);
    expect(resolved(there)).toEqual(['evident[bot]', null]);
    expect(there.stands().mergeable).toBe(true);
  });

  test('C122 not while the question of a person in it is open', async () => {
    const there = await played({ model: finds(), permissions });
    const asked = there.repository
      .as('monalisa')
      .reply(threadOf(there).id, '@octocat can the total be negative?');
    await there.settled();
    await push(there, fixed);
    expect(said(there)[0]).toMatch(/^\*\*Fixed in/);
    expect(resolved(there)).toEqual([null]);
    expect(there.stands().mergeable).toBe(true);
    // It is over when whoever asked takes it back.
    there.repository.as('monalisa').deleteComment(asked.id);
    await push(there, { ...fixed, ...label('third') });
    expect(resolved(there)).toEqual(['evident[bot]']);
  });

  test('C122 not where the problem only moved', async () => {
    const there = await played({ model: finds(), permissions });
    await push(there, {
      'src/refund.ts': change['src/refund.ts'].replace(
        '  return refund || order.total;',
        '  // No refund: all of it.\n\n  if (order.total > 0) {\n  return refund || order.total;\n  }\n  return 0;',
      ),
    });
    expect(resolved(there)).toEqual([null]);
    expect(there.stands()).toMatchObject({ mergeable: false });
    expect(pullOf(there).threads).toHaveLength(1);
  });

  test.each([
    [
      'failed',
      () => {
        throw new ModelError('The provider answered 500.', { retryable: false });
      },
    ],
    ['read nothing', () => submit()],
  ] as const)('C122 not in a run that %s', async (_what, turn: () => ModelTurn) => {
    const there = await played({
      model: plays(({ pass, step }) => (pass > 1 ? turn() : step === 0 ? readAll() : submit([bug]))),
      permissions,
    });
    await push(there, fixed);
    expect(threadOf(there).isOutdated).toBe(true);
    expect(resolved(there)).toEqual([null]);
    expect(there.stands().mergeable).toBe(false);
  });
});
