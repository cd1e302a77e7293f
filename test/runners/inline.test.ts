import { SupersededError } from '../../lib/core/errors.js';
import type { Sha } from '../../lib/core/pull-request.js';
import type { Incoming, Trigger } from '../../lib/core/trigger.js';
import type { Job } from '../../lib/ports/job-runner.js';
import { createInlineRunner } from '../../lib/runners/index.js';

let deliveries = 0;
const job = (head: string, change: Partial<Trigger> = {}, delivery = `d${(deliveries += 1)}`): Job => ({
  trigger: {
    kind: 'pull_request',
    reason: 'pushed',
    owner: 'octo-org',
    repo: 'shop',
    number: 7,
    head: head.repeat(40) as Sha,
    draft: false,
    installation: 1,
    sender: 'monalisa',
    ...change,
  },
  delivery,
});

/** A pull request and its head, or what is said and pressed there. */
function nameOf(trigger: Incoming): string {
  switch (trigger.kind) {
    case 'pull_request':
      return `${trigger.number}${trigger.head.charAt(0)}`;
    case 'conversation':
      return `${trigger.number} said ${trigger.subjects.map(({ databaseId }) => databaseId).join()}`;
    case 'check':
      return `${trigger.number ?? trigger.head.charAt(0)} ${trigger.wish}`;
    case 'queue':
      return `queue ${trigger.head.charAt(0)}`;
  }
}

const place = { owner: 'octo-org', repo: 'shop', installation: 1, sender: 'monalisa' };

const said = (id: number): Job => ({
  trigger: { kind: 'conversation', number: 7, subjects: [{ kind: 'comment', databaseId: id }], ...place },
  delivery: `d${(deliveries += 1)}`,
});

const pressed = (wish: 'rerun' | 'ask_person' | 'next_pass', head = 'a', number: number | null = 7): Job => ({
  trigger: {
    kind: 'check',
    wish,
    head: head.repeat(40) as Sha,
    ...(number !== null && { number }),
    ...place,
  },
  delivery: `d${(deliveries += 1)}`,
});

/** A runner whose jobs end when a test says so, or when they are aborted. */
function scene(
  options: { readonly atOnce?: number; readonly deaf?: boolean; readonly shortLived?: boolean } = {},
) {
  const started: string[] = [];
  const ended: string[] = [];
  const logged: string[] = [];
  const kept: Promise<void>[] = [];
  const open = new Map<string, () => void>();
  const note = (_: object, message: string): void => void logged.push(message);
  const runner = createInlineRunner({
    clock: () => now,
    log: { info: note, warn: note, error: note },
    waitUntil: (done) => kept.push(done),
    ...(options.atOnce === undefined ? {} : { atOnce: options.atOnce }),
    ...(options.shortLived === undefined ? {} : { shortLived: options.shortLived }),
    run: ({ trigger }, signal) => {
      const name = nameOf(trigger);
      started.push(name);
      return new Promise<void>((resolve, reject) => {
        open.set(name, () => {
          ended.push(name);
          resolve();
        });
        if (options.deaf !== true)
          signal.addEventListener('abort', () => {
            ended.push(`${name} ${signal.reason instanceof SupersededError ? 'superseded' : 'stopped'}`);
            reject(signal.reason as Error);
          });
      });
    },
  });
  return { runner, started, ended, logged, kept, finish: (name: string) => open.get(name)?.() };
}

/** The runner's clock stands still: when it is told of a job for later, that is as far away as is said. */
const now = Date.now();

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

test.each([
  ['at work', 0],
  ['waiting', 1],
])('an older push that comes late gives the turn back to the newer one, which was %s', async (_, before) => {
  const ran: string[] = [];
  let finish = (): void => {};
  const runner = createInlineRunner({
    clock: Date.now,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    run: async ({ trigger }, signal) => {
      const name = nameOf(trigger).slice(1);
      ran.push(name);
      // 'c' is live; the others find that out at once.
      if (name !== 'c' && before === 0) return { overtakenBy: 'c'.repeat(40) };
      await new Promise<void>((resolve) => {
        finish = resolve;
        signal.addEventListener('abort', () => resolve());
      });
      return name === 'c' ? {} : { overtakenBy: 'c'.repeat(40) };
    },
  });
  if (before === 1) runner.enqueue(job('a'));
  await settled();
  runner.enqueue(job('c'));
  if (before === 0) await settled();
  runner.enqueue(job('b'));
  await settled();
  finish();
  await settled();
  finish();
  await runner.idle();
  expect(ran).toEqual(before === 0 ? ['c', 'b', 'c'] : ['a', 'b', 'c']);
});

test('a later push aborts the run before it and runs after it has ended', async () => {
  const { runner, started, ended, finish } = scene();
  runner.enqueue(job('a'));
  await settled();
  runner.enqueue(job('b'));
  await settled();
  expect(ended).toEqual(['7a superseded']);
  expect(started).toEqual(['7a', '7b']);
  finish('7b');
  await runner.idle();
  expect(ended).toEqual(['7a superseded', '7b']);
});

test('of a burst only the first and the last run, and never two at once', async () => {
  const { runner, started, finish } = scene({ deaf: true });
  for (const head of ['a', 'b', 'c', 'd']) {
    runner.enqueue(job(head));
    await settled();
  }
  expect(started).toEqual(['7a']);
  finish('7a');
  await settled();
  expect(started).toEqual(['7a', '7d']);
  finish('7d');
  await runner.idle();
});

test('a burst before anything ran is one run', async () => {
  const { runner, started, finish } = scene();
  for (const head of ['a', 'b', 'c']) runner.enqueue(job(head));
  await settled();
  expect(started).toEqual(['7c']);
  finish('7c');
  await runner.idle();
});

test.each<readonly [string, Job, Job, boolean]>([
  ['the same delivery', job('a', {}, 'x'), job('a', {}, 'x'), true],
  ['the same head for the same reason', job('a'), job('a'), true],
  ['the same head for another reason', job('a'), job('a', { reason: 'reopened' }), false],
  [
    'two changes of the base',
    job('a', { reason: 'base_changed' }),
    job('a', { reason: 'base_changed' }),
    false,
  ],
])('%s while it runs', async (_, first, second, dropped) => {
  const { runner, started, logged, finish } = scene({ deaf: true });
  runner.enqueue(first);
  await settled();
  runner.enqueue(second);
  await settled();
  expect(logged.length).toBeGreaterThan(0);
  finish('7a');
  await settled();
  expect(started).toEqual(dropped ? ['7a'] : ['7a', '7a']);
  finish('7a');
  await runner.idle();
});

test('a push back to the head whose run is being aborted is reviewed', async () => {
  const { runner, started, finish } = scene({ deaf: true });
  for (const head of ['a', 'b', 'a']) {
    runner.enqueue(job(head));
    await settled();
  }
  finish('7a');
  await settled();
  expect(started).toEqual(['7a', '7a']);
  finish('7a');
  await runner.idle();
});

test('an old delivery that comes again does not overtake the newer head', async () => {
  const { runner, started, finish } = scene();
  runner.enqueue(job('a', {}, 'old'));
  await settled();
  runner.enqueue(job('b'));
  await settled();
  runner.enqueue(job('a', {}, 'old'));
  await settled();
  expect(started).toEqual(['7a', '7b']);
  finish('7b');
  await runner.idle();
});

test('a delivery that comes again after its run has ended runs again', async () => {
  const { runner, started, finish } = scene();
  for (let i = 0; i < 2; i += 1) {
    runner.enqueue(job('a', {}, 'again'));
    await settled();
    finish('7a');
    await runner.idle();
  }
  expect(started).toEqual(['7a', '7a']);
});

test('different pull requests run side by side, up to a bound, in order', async () => {
  const { runner, started, finish } = scene({ atOnce: 2 });
  for (const number of [1, 2, 3, 4]) runner.enqueue(job('a', { number }));
  await settled();
  expect(started).toEqual(['1a', '2a']);
  finish('2a');
  await settled();
  expect(started).toEqual(['1a', '2a', '3a']);
  for (const name of ['1a', '3a']) finish(name);
  await settled();
  finish('4a');
  await runner.idle();
  expect(started).toEqual(['1a', '2a', '3a', '4a']);
});

test('one repository in another case is the same pull request', async () => {
  const { runner, ended, finish } = scene();
  runner.enqueue(job('a'));
  await settled();
  runner.enqueue(job('b', { owner: 'Octo-Org' }));
  await settled();
  expect(ended).toEqual(['7a superseded']);
  finish('7b');
  await runner.idle();
});

test('a job that fails or throws at once is logged and holds nothing up', async () => {
  const logged: object[] = [];
  let runs = 0;
  const runner = createInlineRunner({
    clock: Date.now,
    log: { info: () => {}, warn: () => {}, error: (fields) => logged.push(fields) },
    run: () => {
      runs += 1;
      if (runs === 1) throw new Error('at once');
      return Promise.reject(new Error('later'));
    },
  });
  expect(() => runner.enqueue(job('a'))).not.toThrow();
  await runner.idle();
  runner.enqueue(job('b'));
  await runner.idle();
  expect(logged).toMatchObject([
    { pullRequest: 'octo-org/shop#7', err: { message: 'at once' } },
    { err: { message: 'later' } },
  ]);
});

test('the caller is never entered: a job starts after enqueue has returned', async () => {
  const { runner, started, finish } = scene();
  runner.enqueue(job('a'));
  expect(started).toEqual([]);
  await settled();
  finish('7a');
  await runner.idle();
});

test('what keeps an invocation alive settles with the last job of its pull request, also after failures', async () => {
  const { runner, kept, finish } = scene();
  runner.enqueue(job('a'));
  await settled();
  runner.enqueue(job('b'));
  await settled();
  let done = false;
  const all = Promise.all(kept).then(() => (done = true));
  await settled();
  expect(done).toBe(false);
  finish('7b');
  await all;
  expect(kept).toHaveLength(2);
});

test('a job for later waits for its time, and a newer one takes its place', async () => {
  const { runner, started, finish } = scene();
  runner.enqueue(job('a'), new Date(now + 40));
  await settled();
  expect(started).toEqual([]);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(started).toEqual(['7a']);
  finish('7a');
  await runner.idle();

  runner.enqueue(job('b'), new Date(now + 60_000));
  runner.enqueue(job('c'));
  await settled();
  finish('7c');
  await runner.idle();
  expect(started).toEqual(['7a', '7c']);
});

describe('what is said and pressed', () => {
  test('waits behind a running review, and all of it is one job with all that was written', async () => {
    const { runner, started, ended, finish } = scene();
    runner.enqueue(job('a'));
    await settled();
    for (const id of [1, 2, 2, 3]) runner.enqueue(said(id));
    await settled();
    expect([started, ended]).toEqual([['7a'], []]);
    finish('7a');
    await settled();
    expect(started).toEqual(['7a', '7 said 1,2,3']);
    finish('7 said 1,2,3');
    await runner.idle();
  });

  test('what is said while it is read is read in another job', async () => {
    const { runner, started, finish } = scene();
    runner.enqueue(said(1));
    await settled();
    runner.enqueue(said(2));
    finish('7 said 1');
    await settled();
    finish('7 said 2');
    await runner.idle();
    expect(started).toEqual(['7 said 1', '7 said 2']);
  });

  test('a push goes before what waits, which is not lost by it', async () => {
    const { runner, started, finish } = scene({ deaf: true });
    runner.enqueue(job('a'));
    await settled();
    runner.enqueue(said(1));
    runner.enqueue(pressed('ask_person'));
    runner.enqueue(job('b'));
    for (const name of ['7a', '7b', '7 said 1', '7 ask_person']) {
      await settled();
      finish(name);
    }
    await runner.idle();
    expect(started).toEqual(['7a', '7b', '7 said 1', '7 ask_person']);
  });

  test.each([
    ['what was said is read again', said(1), ['7 said 1', '7b', '7 said 1']],
    ['a wish for a person stands', pressed('ask_person'), ['7 ask_person', '7b', '7 ask_person']],
    ['a re-run of the older head is over', pressed('rerun'), ['7 rerun', '7b']],
  ])('a push aborts it while it runs: %s', async (_, first, wanted) => {
    const { runner, started, ended, finish } = scene();
    runner.enqueue(first);
    await settled();
    runner.enqueue(job('b'));
    await settled();
    expect(ended).toEqual([`${wanted[0] ?? ''} superseded`]);
    finish('7b');
    await settled();
    finish(wanted[0] ?? '');
    await runner.idle();
    expect(started).toEqual(wanted);
  });

  test('a button that is pressed twice is one job, two buttons are two', async () => {
    const { runner, started, finish } = scene();
    for (const one of [pressed('rerun'), pressed('rerun'), pressed('ask_person')]) runner.enqueue(one);
    await settled();
    runner.enqueue(pressed('rerun'));
    finish('7 rerun');
    await settled();
    finish('7 ask_person');
    await runner.idle();
    expect(started).toEqual(['7 rerun', '7 ask_person']);
  });

  test('a head whose pull request is not known has a lane of its own', async () => {
    const { runner, started, finish } = scene();
    runner.enqueue(job('a'));
    runner.enqueue(pressed('rerun', 'a', null));
    runner.enqueue(pressed('rerun', 'b', null));
    await settled();
    expect(started).toEqual(['7a', 'a rerun', 'b rerun']);
    for (const name of started) finish(name);
    await runner.idle();
  });

  test('a job for later keeps its time when something is said', async () => {
    const { runner, started, finish } = scene();
    runner.enqueue(job('a'), new Date(now + 40));
    runner.enqueue(said(1));
    await settled();
    expect(started).toEqual(['7 said 1']);
    finish('7 said 1');
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(started).toEqual(['7 said 1', '7a']);
    finish('7a');
    await runner.idle();
  });
});

describe('what follows a run', () => {
  test('begins when that run is over, once, also after one that followed itself', async () => {
    const { runner, started, finish } = scene();
    runner.enqueue(job('a'));
    await settled();
    expect(runner.follow({ ...pressed('next_pass'), delivery: '' })).toBe(true);
    expect(runner.follow({ ...pressed('next_pass'), delivery: '' })).toBe(true);
    await settled();
    expect(started).toEqual(['7a']);
    finish('7a');
    await settled();
    expect(started).toEqual(['7a', '7 next_pass']);
    expect(runner.follow({ ...pressed('next_pass'), delivery: '' })).toBe(true);
    finish('7 next_pass');
    await settled();
    expect(started).toEqual(['7a', '7 next_pass', '7 next_pass']);
    finish('7 next_pass');
    await runner.idle();
  });

  test('waits behind a push, and is dropped when one comes while it runs', async () => {
    const { runner, started, ended, finish } = scene();
    runner.enqueue(job('a'));
    await settled();
    runner.follow({ ...pressed('next_pass'), delivery: '' });
    finish('7a');
    await settled();
    runner.enqueue(job('b'));
    await settled();
    expect(started).toEqual(['7a', '7 next_pass', '7b']);
    expect(ended).toEqual(['7a', '7 next_pass superseded']);
    finish('7b');
    await runner.idle();
    expect(started).toHaveLength(3);
  });

  test('that waits for its time keeps no delivery from being done again that has ended', async () => {
    const { runner, started, finish } = scene();
    const opened = job('a');
    runner.enqueue(opened);
    await settled();
    runner.follow({ ...pressed('next_pass'), delivery: '' }, new Date(now + 60_000));
    runner.enqueue(opened);
    finish('7a');
    await runner.idle();
    expect(started).toEqual(['7a']);
    runner.enqueue(opened);
    await settled();
    expect(started).toEqual(['7a', '7a']);
    finish('7a');
    await runner.stop('over');
  });

  test('is not taken where the process is short-lived, nor after a stop', async () => {
    expect(scene({ shortLived: true }).runner.follow(pressed('next_pass'))).toBe(false);
    const { runner } = scene();
    await runner.stop('SIGTERM');
    expect(runner.follow(pressed('next_pass'))).toBe(false);
  });
});

test('stop aborts, drops what waits and takes nothing more', async () => {
  const { runner, started, ended, logged } = scene({ atOnce: 1 });
  runner.enqueue(job('a', { number: 1 }));
  runner.enqueue(job('a', { number: 2 }));
  runner.enqueue(job('a', { number: 3 }), new Date(now + 60_000));
  await settled();
  await runner.stop('shutting down');
  expect(ended).toEqual(['1a stopped']);
  runner.enqueue(job('b'));
  await settled();
  expect(started).toEqual(['1a']);
  expect(logged).toContain('dropped while waiting: shutting down');
});
