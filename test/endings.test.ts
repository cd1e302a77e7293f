import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noUsage } from '../lib/core/budget.js';
import { ModelError } from '../lib/core/errors.js';
import { readState } from '../lib/core/marker.js';
import type { GateMode } from '../lib/core/policy.js';
import { calls, says } from '../lib/models/scripted.js';
import { startMessagesApi, type MessagesApi } from './models/messages-api.js';
import {
  bug,
  change,
  files,
  never,
  plays,
  readAll,
  reviews,
  startWorld,
  submit,
  threadOfBug,
  type Place,
  type PlaceOrder,
  type Stands,
  type World,
} from './world.js';

let world: World;
let place: Place | undefined;

beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  await place?.close();
  place = undefined;
});
afterAll(() => world.close());

const open = async (order: PlaceOrder): Promise<Place> => (place = await world.open(order));

/** Opens the pull request and waits until all that it started has ended. */
async function played(order: PlaceOrder): Promise<Place> {
  const opened = await open(order);
  await opened.settled();
  return opened;
}

/** For a model that acts on the pull request that it reads. */
function here(): Place {
  if (place === undefined) throw new Error('No pull request is open yet.');
  return place;
}

/** The next webhook of this action never arrives. */
const lose = (lost: string): void =>
  world.github.faults.addDelivery({ match: ({ action }) => action === lost, fate: 'lose' });

/** Until something that another process does has come about. */
async function until(holds: () => boolean, what: string): Promise<void> {
  for (let tried = 0; tried < 1800; tried += 1) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`It did not come about that ${what}.`);
}

const nothing = { reviews: [], threads: [], comments: 0 } as const;

/** As long as a repository's own settings were not read, its check may be one that holds merges. */
const unread: GateMode = 'blocking';

/** What should have been reviewed and was not: one check, and mergeable only where the check is advice. */
const unreviewed = (gate: GateMode, title: string): Stands => ({
  ...nothing,
  checks: [`head 1: ${gate === 'blocking' ? 'action_required' : 'neutral'}, ${title}`],
  mergeable: gate === 'advisory',
});

/** Without the time that a title says. */
const timeless = ({ checks, ...stands }: Stands): Stands => ({
  ...stands,
  checks: checks.map((check) => check.replace(/\d\d:\d\d UTC/, 'HH:MM UTC')),
});

const clean = (...before: readonly string[]): Stands => ({
  ...nothing,
  checks: [...before, 'head 1: success, Nothing open, one clean review'],
  mergeable: true,
});

const withBug = (gate: GateMode, place: Place, ...before: readonly string[]): Stands => ({
  reviews: [`**1 important.** Read both changed files at \`${headOf(place).slice(0, 7)}\`.`],
  threads: [threadOfBug],
  comments: 0,
  checks: [...before, `head 1: ${gate === 'blocking' ? 'failure' : 'neutral'}, 1 important to fix`],
  mergeable: gate === 'advisory',
});

const headOf = ({ repository, number }: Place): string => repository.pull(number).head.sha;

const costly = { ...noUsage, inputTokens: 1000, dollars: 0.3 };

describe.each(['advisory', 'blocking'] as const)('%s', (gate) => {
  test('1 finished clean: nothing to say, nothing said, and mergeable', async () => {
    const there = await played({ gate, model: reviews() });
    expect(there.stands()).toEqual(clean());
    expect(there.warned).toEqual([]);
  });

  test('2 finished with findings: one review, one thread', async () => {
    const there = await played({ gate, model: reviews([bug]) });
    expect(there.stands()).toEqual(withBug(gate, there));
    expect(there.warned).toEqual([]);
  });

  test('3 no submission: talk is no review', async () => {
    const there = await played({ gate, model: plays(() => says('It looks fine to me.')) });
    expect(there.stands()).toEqual(unreviewed(gate, 'Not reviewed: the model submitted nothing'));
  });

  test('4 refused by the model', async () => {
    const refusal = { content: [], stop: { kind: 'refusal', detail: 'cyber' }, usage: noUsage } as const;
    const there = await played({ gate, model: plays(({ step }) => (step === 0 ? readAll() : refusal)) });
    expect(there.stands()).toEqual(unreviewed(gate, 'Not reviewed: the model refused'));
  });

  test('5 cut off in the middle of a call, again and again', async () => {
    const cut = plays(({ step }) => ({
      content: [
        {
          type: 'tool_use',
          id: `toolu_${step}`,
          name: 'submit_code_review',
          input: '{"findings":[{"path":"src/ref',
        },
      ],
      stop: { kind: 'max_tokens' },
      usage: noUsage,
    }));
    const there = await played({ gate, model: cut });
    expect(there.stands()).toEqual(unreviewed(gate, 'Not reviewed: the model submitted nothing'));
    expect(cut.requests).toHaveLength(3);
  });

  test.each([
    ['turns', { turns: 4 }, 'the limit of 4 turns was met', noUsage],
    ['dollars', { dollars: 0.5 }, 'the limit of $0.50 was met', costly],
  ])('6 out of budget: %s', async (_name, limits, title, usage) => {
    const reads = plays(({ step }) => ({
      ...calls({ name: 'get_file_content', input: { path: 'README.md', start: step + 1 } }),
      usage,
    }));
    const there = await played({ gate, model: reads, limits });
    expect(there.stands()).toEqual(unreviewed(gate, `Not finished: ${title}`));
  });

  test('6 out of time: a model that does not answer', async () => {
    const there = await played({ gate, model: plays(() => never()), longestRunMs: 20_500 });
    expect(there.stands()).toEqual(unreviewed(gate, 'Not finished: the time was up'));
  });

  test('7 partial: not all that changed was read, so it is not clean', async () => {
    const some = plays(({ step }) =>
      step === 0 ? calls({ name: 'get_pr_diff', input: { path: 'src/label.ts' } }) : submit(),
    );
    const there = await played({ gate, model: some });
    expect(there.stands()).toEqual(unreviewed(gate, 'Not finished: 1 of 2 files read'));
    expect(there.checkText()).toContain('src/refund.ts');
  });

  test('7 partial with a finding: it stands, and the rest is said to be unread', async () => {
    const some = plays(({ step }) =>
      step === 0
        ? calls(
            { name: 'get_pr_diff', input: { path: 'src/refund.ts' } },
            { name: 'get_file_content', input: { path: 'src/order.ts' } },
          )
        : submit([bug]),
    );
    const there = await played({ gate, model: some });
    expect(there.stands()).toEqual({
      ...unreviewed(gate, 'Not finished: 1 of 2 files read'),
      reviews: [
        '**Not finished: 1 of 2 changed files read.** This is not a clean review and does not count as one.',
      ],
      threads: [threadOfBug],
    });
  });

  test('8 superseded by a push: the old head is let go, the new one is reviewed', async () => {
    const model = plays(async ({ pass, step }) => {
      if (pass > 1) return step === 0 ? readAll() : submit();
      if (step === 0) return readAll();
      await here().push({ 'src/label.ts': files['src/label.ts'] });
      return never();
    });
    const there = await played({ gate, model });
    expect(there.stands()).toEqual({
      ...nothing,
      checks: [
        `head 1: cancelled, Overtaken by ${headOf(there).slice(0, 7)}`,
        'head 2: success, Nothing open, one clean review',
      ],
      mergeable: true,
    });
  });

  test('8 superseded by a push that nobody told of: nothing of the old head is posted', async () => {
    const model = plays(async ({ step }) => {
      if (step === 0) return readAll();
      await here().push({ 'src/label.ts': files['src/label.ts'] });
      return submit([bug]);
    });
    const there = await played({ gate, model, before: () => lose('synchronize') });
    expect(there.stands()).toEqual({
      ...nothing,
      checks: [`head 1: cancelled, Overtaken by ${headOf(there).slice(0, 7)}`],
      mergeable: false,
    });
  });

  test('8 an event about a head that is no longer there reviews nothing', async () => {
    const model = reviews([bug]);
    const there = await open({ gate, model, started: false });
    await there.push({ 'src/label.ts': files['src/label.ts'] });
    await there.restart({ gate, model });
    await there.redeliver('opened');
    await there.settled();
    expect(there.stands()).toEqual({
      ...nothing,
      checks: [`head 1: cancelled, Overtaken by ${headOf(there).slice(0, 7)}`],
      mergeable: false,
    });
    expect(model.requests).toEqual([]);
  });

  test('8 the base changes during the run: a new run under the same head', async () => {
    const model = plays(async ({ pass, step }) => {
      if (step === 0) return readAll();
      if (pass > 1) return submit();
      await here().repository.retarget(here().number, 'release', 'octocat');
      return never();
    });
    const there = await played({
      gate,
      model,
      before: (repository) =>
        repository.commit({
          branch: 'release',
          from: 'main',
          files: { 'README.md': '# shop, as released\n' },
          message: 'Release',
        }),
    });
    expect(there.stands()).toEqual(clean('head 1: cancelled, Stopped; started again'));
  });

  test('8 a delivery that comes twice does nothing twice, during the run and after it', async () => {
    const model = plays(async ({ step }) => {
      if (step === 0) return readAll();
      await here().redeliver();
      return submit([bug]);
    });
    const there = await played({ gate, model });
    await there.redeliver();
    await there.settled();
    expect(there.stands()).toEqual(withBug(gate, there));
    expect(model.requests).toHaveLength(2);
  });

  test('9 closed during the run: nothing is posted; reopened, it is reviewed', async () => {
    const model = plays(async ({ pass, step }) => {
      if (step === 0) return readAll();
      if (pass > 1) return submit([bug]);
      await here().repository.closePullRequest(here().number);
      return never();
    });
    const there = await played({ gate, model });
    const closed = 'head 1: cancelled, Closed before the review ended';
    expect(there.stands()).toEqual({ ...nothing, checks: [closed], mergeable: false });
    await there.repository.reopen(there.number, 'octocat');
    await there.settled();
    expect(there.stands()).toEqual(withBug(gate, there, closed));
  });

  test('9 closed, and nobody told of it: nothing is posted', async () => {
    const model = plays(async ({ step }) => {
      if (step === 0) return readAll();
      await here().repository.closePullRequest(here().number);
      return submit([bug]);
    });
    const there = await played({ gate, model, before: () => lose('closed') });
    expect(there.stands()).toEqual({
      ...nothing,
      checks: ['head 1: cancelled, Closed before the review ended'],
      mergeable: false,
    });
  });

  test('10 provider down: it is said, and the next trigger goes on from where the run was', async () => {
    let down = true;
    const model = plays(({ step }) => {
      if (step === 0) return readAll();
      if (down) throw new ModelError('The model is overloaded (529).', { retryable: true });
      return submit();
    });
    const there = await played({ gate, model });
    const busy = unreviewed(gate, 'Not reviewed: provider busy, again at HH:MM UTC');
    expect(timeless(there.stands())).toEqual(busy);
    down = false;
    await there.redeliver();
    await there.settled();
    expect(timeless(there.stands())).toEqual(clean(...busy.checks));
    expect(model.requests).toHaveLength(3);
  });

  test('10 provider down until the time is over, through the real adapter', async () => {
    const api = await startMessagesApi({
      answers: [],
      faults: Object.fromEntries(
        ['0.1', '0.1', '600'].map((wait, index) => [
          index + 1,
          { kind: 'status', status: 529, type: 'overloaded_error', headers: { 'retry-after': wait } },
        ]),
      ),
    });
    try {
      const environment = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'none' };
      const there = await played({ gate, environment, longestRunMs: 240_000 });
      expect(timeless(there.stands())).toEqual(
        unreviewed(gate, 'Not reviewed: provider busy, again at HH:MM UTC'),
      );
      expect(there.checkText()).toContain('529');
      expect(api.requests.length - api.refused.length).toBe(3);
    } finally {
      await api.close();
    }
  });

  test('10 provider down in the second of two passes: once is not enough', async () => {
    const model = plays(({ pass, step }) => {
      if (step === 0) return readAll();
      if (pass === 1) return submit();
      throw new ModelError('The model is overloaded (529).', { retryable: true });
    });
    const there = await played({ gate, model, pull: { head: 'agent/refunds' } });
    const once = unreviewed(gate, 'Clean once, a second review is needed');
    expect(there.stands()).toEqual(once);
    expect(there.checkText()).toMatch(/Tried again at \d\d:\d\d UTC; `\/evident review` tries it now\./);
    there.later(7 * 60_000);
    await there.settled();
    expect(there.stands()).toEqual({ ...once, checks: [...once.checks, ...once.checks] });
  });

  test.each([
    ['no pull_requests', { contents: 'read', checks: 'write' }, 'pull_requests=read'],
    ['no contents', { checks: 'write', pull_requests: 'write' }, 'contents=read'],
  ] as const)(
    '11 permission missing, %s: the check names what to accept',
    async (_name, permissions, named) => {
      const there = await played({ gate, permissions, model: reviews([bug]) });
      expect(there.stands()).toEqual(unreviewed(unread, 'Not reviewed: permission missing'));
      expect(there.checkText()).toContain(named);
    },
  );

  test('11 permission missing, pull_requests: read: what was found stands in the check', async () => {
    const permissions = { contents: 'read', checks: 'write', pull_requests: 'read' } as const;
    const there = await played({ gate, permissions, model: reviews([bug]) });
    const stands = { ...withBug(gate, there), reviews: [], threads: [] };
    expect(there.stands()).toEqual(stands);
    expect(there.checkText()).toMatch(/Not here: .* An owner accepts "pull_requests=write" at http/);
    expect(there.checkText()).toContain('### `src/refund.ts:5`');
    expect(there.checkText()).toContain(bug.body);
    await there.redeliver();
    await there.settled();
    expect(there.stands()).toEqual(stands);
  });

  test.each([
    ['no checks', { contents: 'read', pull_requests: 'write' }],
    ['checks: read', { contents: 'read', pull_requests: 'write', checks: 'read' }],
  ] as const)(
    '11 permission missing, %s: the review stands without one, once',
    async (_name, permissions) => {
      const there = await played({ gate, permissions, model: reviews([bug]) });
      const stands = { ...withBug(gate, there), checks: [], mergeable: false };
      expect(there.stands()).toEqual(stands);
      expect(there.warned).toContain('the review goes on without a check');
      expect(there.warned).toContainEqual(expect.stringMatching(/^permission missing: .*merge box/));
      await there.redeliver();
      await there.settled();
      expect(there.stands()).toEqual(stands);
    },
  );

  test('11 nothing may be written: nothing is read, no model is paid, and the log says why', async () => {
    const model = reviews([bug]);
    const there = await played({ gate, permissions: { contents: 'read', pull_requests: 'read' }, model });
    expect(there.stands()).toEqual({ ...nothing, checks: [], mergeable: false });
    expect(model.requests).toEqual([]);
    expect(there.warned).toContain('not reviewed: permission missing');
  });

  test('11 accepted meanwhile: the next event is reviewed, though the token is kept for an hour', async () => {
    const there = await played({
      gate,
      permissions: { checks: 'write', pull_requests: 'write' },
      model: reviews([bug]),
    });
    expect(there.stands()).toEqual(unreviewed(unread, 'Not reviewed: permission missing'));
    there.repository.permissions = { ...there.repository.permissions, contents: 'read' };
    await there.redeliver();
    await there.settled();
    expect(there.stands()).toEqual(
      withBug(gate, there, ...unreviewed(unread, 'Not reviewed: permission missing').checks),
    );
  });

  test.each([
    [
      'a model',
      {
        model: plays(() => {
          throw new TypeError('x is not a function');
        }),
      },
      'Not reviewed: an error on our side',
    ],
    [
      'the code after the model',
      {
        model: reviews([bug]),
        onReviewed: () => {
          throw new TypeError('x is not a function');
        },
      },
      'Not reviewed: an error on our side',
    ],
    [
      'the code beside the model',
      {
        model: reviews([bug]),
        emit: () => {
          throw new TypeError('x is not a function');
        },
      },
      'Not reviewed: an error on our side',
    ],
  ])('12 crash in %s', async (_name, given, title) => {
    const there = await played({ gate, ...given });
    expect(there.stands()).toEqual(unreviewed(gate, title));
    expect(there.checkText()).not.toContain('x is not a function');
  });

  test.each([
    ['nonsense to a read', { status: 200, body: {} }],
    ['a read with 500, again and again', { status: 500, body: { message: 'Server Error' } }],
  ])('12 GitHub answers %s', async (_name, before) => {
    const there = await played({
      gate,
      model: reviews([bug]),
      before: () =>
        world.github.faults.add({ match: ({ path }) => path.includes('/compare/'), times: 9, before }),
    });
    expect(timeless(there.stands())).toEqual(
      unreviewed(unread, 'Not reviewed: an error from GitHub, again at HH:MM UTC'),
    );
  });

  test('12 GitHub takes no end of a check: it stays in progress, and nothing is mergeable', async () => {
    const there = await played({
      gate,
      model: reviews(),
      before: () =>
        world.github.faults.add({
          match: ({ method, path }) => method === 'PATCH' && path.includes('/check-runs/'),
          times: 99,
          before: { status: 502, body: {} },
        }),
    });
    expect(there.stands()).toEqual({
      ...nothing,
      checks: ['head 1: in_progress, Reading'],
      mergeable: false,
    });
    expect(there.warned).toContain('the check was not written');
  });

  test('12 killed: a later trigger completes the dead check and goes on after the last turn', async () => {
    const journal = mkdtempSync(join(tmpdir(), 'evident-journal-'));
    let api: MessagesApi | undefined;
    // A program that starts has failed deliveries sent again: those of the other tests are not its own.
    const shared = world;
    world = await startWorld();
    try {
      api = await startMessagesApi({
        answers: [{ content: [...readAll().content] }, { content: [...submit([bug]).content] }],
        faults: { 2: { kind: 'stall' } },
      });
      const { requests, refused, url } = api;
      // What an endpoint does not take is left out after its 400: that is no turn.
      const asked = (): number => requests.length - refused.length;
      const environment = {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: 'none',
        EVIDENT_MODEL: 'some-model',
        EVIDENT_JOURNAL_DIR: journal,
      };
      const there = await open({ gate, environment, started: false });
      const program = await there.spawn({ gate, environment });
      await there.redeliver();
      await until(() => asked() === 2, 'the model is asked for its second turn');
      const died = new Promise((resolve) => program.once('exit', resolve));
      program.kill('SIGKILL');
      await died;
      const dead: Stands = { ...nothing, checks: ['head 1: in_progress, Reading'], mergeable: false };
      expect(there.stands()).toEqual(dead);

      await there.restart({ gate, environment });
      await there.redeliver();
      await there.settled();
      // For all that GitHub shows, the first run may still be alive.
      expect(there.stands()).toEqual(dead);

      there.later(13 * 60_000);
      await there.redeliver();
      await there.settled();
      expect(there.stands()).toEqual(withBug(gate, there, 'head 1: cancelled, Did not end; started again'));
      expect(asked()).toBe(3);
      await there.redeliver();
      await there.settled();
      expect(there.stands().reviews).toHaveLength(1);
      expect(asked()).toBe(3);
    } finally {
      await place?.close();
      place = undefined;
      await api?.close();
      await world.close();
      world = shared;
      rmSync(journal, { recursive: true, force: true });
    }
  });

  test('a draft is left alone by the default', async () => {
    const model = reviews([bug]);
    const there = await played({ gate, model, pull: { draft: true } });
    // Where the check holds merges, a draft that is made ready is never mergeable unread for a moment.
    const draft = `head 1: ${gate === 'blocking' ? 'action_required' : 'skipped'}, Not reviewed: draft`;
    expect(there.stands()).toEqual({ ...nothing, checks: [draft], mergeable: false });
    expect(there.checkText().trim()).toBe('Reviewed when it is marked ready. `/evident review` does it now.');
    there.repository.readyForReview(there.number, 'octocat');
    await there.settled();
    expect(there.stands()).toEqual(withBug(gate, there, draft));
  });

  test('fixed rules never pass a blocking gate on a real GitHub', async () => {
    const environment = { EVIDENT_MODEL: 'rules' };
    const there = await played({ gate, environment });
    expect(there.stands()).toEqual(
      gate === 'blocking'
        ? unreviewed(gate, 'Not reviewed by a model: fixed rules only')
        : {
            ...nothing,
            checks: ['head 1: success, Nothing open, fixed rules only'],
            mergeable: true,
          },
    );
  });

  test("an agent's change is read twice in one run, and differently", async () => {
    const model = reviews();
    const there = await played({ gate, model, pull: { head: 'agent/refunds' } });
    expect(there.stands()).toEqual({
      ...nothing,
      checks: ['head 1: success, Nothing open, two clean reviews'],
      mergeable: true,
    });
    const ways = readState(there.checkText()).passes.map(({ lens, order }) => `${lens}, ${order}`);
    expect(ways).toHaveLength(2);
    expect(new Set(ways).size).toBe(2);
    const openings = model.requests.filter(({ messages }) => messages.length === 1);
    expect(new Set(openings.map(({ messages }) => JSON.stringify(messages))).size).toBe(2);
  });

  test('the second of two passes finds what the first did not see', async () => {
    const model = plays(({ pass, step }) => (step === 0 ? readAll() : submit(pass === 1 ? [] : [bug])));
    const there = await played({ gate, model, pull: { head: 'agent/refunds' } });
    expect(there.stands()).toEqual(withBug(gate, there));
  });

  test('a later head: the first summary is edited and nothing known is posted again', async () => {
    let found: readonly unknown[] = [bug];
    const model = plays(({ step }) => (step === 0 ? readAll() : submit(found)));
    const there = await played({ gate, model });
    const first = withBug(gate, there);
    await there.push({ 'src/label.ts': `// The words of a refund.\n${change['src/label.ts']}` });
    await there.settled();
    const second = withBug(gate, there);
    expect(there.stands()).toEqual({
      ...second,
      checks: [...first.checks, ...second.checks.map((check) => check.replace('head 1', 'head 2'))],
    });
    expect(there.repository.pull(there.number).reviews[0]?.edited).toBe(true);

    found = [];
    await there.push({ 'src/refund.ts': `${files['src/refund.ts']}\n// Nothing else.\n` });
    await there.settled();
    const head = headOf(there).slice(0, 7);
    expect(there.stands()).toEqual({
      reviews: [`**Nothing open.** One clean review of \`${head}\`, both changed files read.`],
      threads: ['src/refund.ts:outdated RIGHT'],
      comments: 0,
      checks: [
        ...first.checks,
        ...second.checks.map((check) => check.replace('head 1', 'head 2')),
        'head 3: success, Nothing open, one clean review',
      ],
      mergeable: true,
    });
    expect(there.repository.pull(there.number).reviews[0]?.body).toContain(`**F1** fixed in \`${head}\``);
  });
});
