import { goesOnLater, runIdentity, runJournal } from '../../lib/agent/run-journal.js';
import { toolDefinitions } from '../../lib/agent/loop.js';
import type { Seen } from '../../lib/agent/tool.js';
import { ModelError } from '../../lib/core/errors.js';
import type { Outcome, Turn } from '../../lib/core/transcript.js';
import type { ModelRequest } from '../../lib/ports/model.js';
import { createMemoryJournal } from '../../lib/runners/index.js';
import {
  accept,
  call,
  calls,
  keptTurns,
  look,
  opening,
  play,
  plenty,
  read,
  says,
  stillClock,
  submit,
  told,
  type Move,
} from './played-run.js';
import { whyNotAppended } from './valid-request.js';

/** A whole run with everything that a resumed one must know again. */
const moves: readonly Move[] = [
  calls(call('look', { at: 'a' }, 'id1'), call('look', { at: 'nowhere' }, 'id2')),
  says('let me think'),
  calls(call('look', { at: 'a' }, 'id3')),
  calls(submit('bad', 'id4')),
  calls(call('look', { at: 'b' }, 'id5')),
  calls(call('look', { at: 'c' }, 'id6')),
  calls(submit('good', 'id7')),
];
const budget = { ...plenty, turns: 9 };

class Killed extends Error {}

/** Plays from the journal on, dies before request number `at`. The moves go on where the journal ends. */
async function playUntil(at: number, journal: ReturnType<typeof keptTurns>) {
  const from = journal.turns.length;
  let asked = 0;
  const requests: ModelRequest[] = [];
  const played = await play(
    (request, n) => {
      if (from + n >= at) return new Killed();
      asked += 1;
      requests.push(request);
      return moves[from + n] ?? new Error('no move');
    },
    { journal, budget },
  );
  return { ...played, asked, sent: requests };
}

test.each([1, 2, 3, 4, 5, 6])(
  'killed before request %i: goes on after it and pays no turn twice',
  async (at) => {
    const whole = await play(moves, { budget });
    const journal = keptTurns();
    const first = await playUntil(at, journal);
    expect(first.outcome.kind).toBe('failed');
    expect(journal.turns).toHaveLength(at);

    const second = await playUntil(Infinity, journal);
    expect(first.asked + second.asked).toBe(moves.length);
    expect(second.outcome).toEqual(whole.outcome);
    expect(second.transcript).toEqual(whole.transcript);
    expect(second.requests).toEqual(whole.requests.slice(at));
    expect(second.events[0]).toEqual({ kind: 'resumed', turns: at });
    const last = first.sent.at(-1);
    const next = second.sent[0];
    expect(last && next && whyNotAppended(last, next)).toBeNull();
  },
);

test('a run that had ended is not asked again', async () => {
  const journal = keptTurns();
  const first = await play(moves, { journal, budget });
  const second = await play([], { journal, budget });
  expect(second.requests).toHaveLength(0);
  expect(second.outcome).toEqual(first.outcome);
  expect(second.transcript).toEqual(first.transcript);
});

test('a submission after the resume is checked against all that was seen before', async () => {
  const journal = keptTurns();
  await playUntil(2, journal);
  let seen: Seen | undefined;
  await play([calls(submit())], {
    journal,
    toolset: {
      tools: [look],
      terminal: {
        name: 'submit',
        description: 'ends it',
        schema: look.schema,
        accept: (input, given, lastTry) => {
          seen = given;
          return accept(input, given, lastTry);
        },
      },
    },
  });
  expect(seen?.served).toEqual([{ path: 'a', ref: 'head', start: 1, end: 1 }]);
  expect(seen?.calls).toHaveLength(2);
});

test('a run that was closing for want of time and has time again may look further', async () => {
  const clock = stillClock();
  const journal = keptTurns();
  const change = { journal, clock, budget: { ...plenty, deadline: clock.now + 100_000 } };
  const first = await play(
    [
      () => {
        clock.now += 60_000;
        return calls(call('look', { at: 'a' }));
      },
      new ModelError('busy', { retryable: true }),
    ],
    change,
  );
  expect(first.events).toContainEqual({ kind: 'closing', turn: 0, limit: 'the time' });
  const still = await play([calls(call('look', { at: 'b' })), calls(submit())], {
    ...change,
    journal: keptTurns([...journal.turns]),
  });
  expect(read(told(still, 1))).toEqual([expect.stringMatching(/^error Not run\. Nearly used up: the time/)]);
  const later = await play([calls(call('look', { at: 'b' })), calls(submit())], {
    ...change,
    budget: { ...plenty, deadline: clock.now + 600_000 },
  });
  expect(read(told(later, 1))).toEqual(['ok saw b']);
});

test.each<readonly [Outcome, boolean]>([
  [{ kind: 'failed', detail: 'overloaded', retryable: true }, true],
  [{ kind: 'out_of_budget', limit: 'the time' }, true],
  [{ kind: 'failed', detail: 'the request is invalid', retryable: false }, false],
  [{ kind: 'out_of_budget', limit: '$0.60' }, false],
  [{ kind: 'no_submission', detail: '' }, false],
  [{ kind: 'refused', detail: '' }, false],
  [{ kind: 'superseded', detail: '' }, false],
  [{ kind: 'submitted', value: 1, dropped: [] }, false],
])('%j: goes on from its journal: %s', (outcome, expected) => {
  expect(goesOnLater(outcome)).toBe(expected);
});

test('each turn is kept before the next request is made', async () => {
  const journal = keptTurns();
  const kept: number[] = [];
  await play(
    (_, n) => () => {
      kept.push(journal.turns.length);
      return moves[n] as never;
    },
    { journal, budget },
  );
  expect(kept).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test('a journal that fails does not stop the run, and is not written on after a gap', async () => {
  let tries = 0;
  const played = await play(moves, {
    budget,
    journal: {
      load: async () => {
        throw new Error('no disk');
      },
      append: async () => {
        tries += 1;
        throw new Error('disk full');
      },
    },
  });
  expect(played.outcome.kind).toBe('submitted');
  expect(tries).toBe(1);
  expect(played.events.filter((event) => event.kind === 'journal_failed')).toEqual([
    { kind: 'journal_failed', detail: 'no disk' },
    { kind: 'journal_failed', detail: 'disk full' },
  ]);
});

test('turns after a gap are not taken up', async () => {
  const journal = keptTurns();
  await playUntil(4, journal);
  const [zero, , two] = journal.turns;
  const played = await play([calls(submit())], { journal: keptTurns([zero, two] as Turn[]) });
  expect(played.events[0]).toEqual({ kind: 'resumed', turns: 1 });
});

test('the journal of another prompt, model or tool is not taken up', async () => {
  const journal = createMemoryJournal();
  const tools = toolDefinitions({
    tools: [look],
    terminal: { name: 'submit', description: 'ends it', schema: look.schema, accept },
  });
  const task = { model: 'm', system: 's', tools, opening };
  await play(moves, { budget, journal: runJournal(journal, 'key', task) });
  expect(await runJournal(journal, 'key', task).load()).toHaveLength(moves.length);
  for (const change of [{ model: 'n' }, { system: 't' }, { tools: tools.slice(1) }])
    expect(await runJournal(journal, 'key', { ...task, ...change }).load()).toEqual([]);
  expect(runIdentity(task)).toMatch(/^[0-9a-f]{64}$/);
});
