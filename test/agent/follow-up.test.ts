import type { Seen, Submission } from '../../lib/agent/tool.js';
import { ModelError, SupersededError } from '../../lib/core/errors.js';
import {
  call,
  calls,
  keptTurns,
  look,
  play,
  plenty,
  read,
  says,
  stillClock,
  submit,
  told,
  type Move,
} from './played-run.js';

/** Accepts all but `bad`. A first submission of `ask...` is asked about; the second is joined to what is held. */
const accept = async (input: unknown, seen: Seen, lastTry: boolean): Promise<Submission<unknown>> => {
  const { value } = input as { value?: unknown };
  if (value === 'broken') throw new TypeError('it broke');
  if (value === 'bad' && !lastTry) return { kind: 'sent_back', reasons: ['bad is bad'] };
  if (seen.held !== undefined)
    return {
      kind: 'accepted',
      value: { first: seen.held.value, then: value, served: seen.served.length },
      dropped: seen.held.dropped,
    };
  const dropped = [{ what: 'a bit', why: 'it is bad' }];
  return String(value).startsWith('ask')
    ? { kind: 'asked', value, dropped, text: 'And what about the rest?' }
    : { kind: 'accepted', value, dropped };
};
const toolset = {
  tools: [look],
  terminal: { name: 'submit', description: 'ends it', schema: look.schema, accept },
};
const stands = { kind: 'submitted', value: 'ask', dropped: [{ what: 'a bit', why: 'it is bad' }] };
const asked = calls(submit('ask', 'id1'));

/** Sent back, accepted and asked about, looked further, answered. */
const moves: readonly Move[] = [
  calls(call('look', { at: 'a' }, 'id1')),
  calls(submit('bad', 'id2')),
  calls(submit('ask', 'id3')),
  calls(call('look', { at: 'b' }, 'id4'), call('look', { at: 'a' }, 'id5')),
  calls(submit('bad', 'id6')),
  calls(submit('that', 'id7')),
];
const answered = {
  kind: 'submitted',
  value: { first: 'ask', then: 'that', served: 2 },
  dropped: stands.dropped,
};

test('what is asked comes as an answer, costs no try, and the run goes on until the next submission', async () => {
  const played = await play(moves, { toolset });
  expect(played.outcome).toEqual(answered);
  expect(read(told(played, 3))).toEqual(['ok And what about the rest?']);
  expect(read(told(played, 5))).toEqual([expect.stringMatching(/^error Not accepted:[^]*last try/)]);
  expect(played.transcript.spend).toMatchObject({ turns: 6, submissions: 3, toolCalls: 2 });
  expect(played.events).toContainEqual({ kind: 'follow_up_asked', turn: 2 });
});

test.each([1, 2, 3, 4, 5, 6])(
  'killed after turn %i: the same result, and no turn is paid twice',
  async (at) => {
    const journal = keptTurns();
    const whole = await play(moves, { toolset, journal });
    const resumed = await play(moves.slice(at), {
      toolset,
      journal: keptTurns(structuredClone(journal.turns.slice(0, at))),
    });
    expect(resumed.outcome).toEqual(whole.outcome);
    expect(resumed.transcript).toEqual(whole.transcript);
    expect(resumed.requests).toEqual(whole.requests.slice(at));
  },
);

test('it is asked once: what is asked again is accepted', async () => {
  const again = {
    ...toolset,
    terminal: {
      ...toolset.terminal,
      accept: async (input: unknown): Promise<Submission<unknown>> => ({
        kind: 'asked',
        value: (input as { value: unknown }).value,
        dropped: [],
        text: 'More?',
      }),
    },
  };
  const played = await play([calls(submit(1)), calls(submit(2))], { toolset: again });
  expect(played.outcome).toEqual({ kind: 'submitted', value: 2, dropped: [] });
  expect(played.requests).toHaveLength(2);
});

describe('the submission stands as it was', () => {
  test.each<readonly [string, readonly Move[]]>([
    ['when the model ends its turn', [says('All is still there.')]],
    ['when the model refuses', [says('', 'refusal')]],
    ['when its context is full', [says('', 'context_exceeded')]],
    ['when the endpoint fails', [new ModelError('overloaded', { retryable: true })]],
    ['when the endpoint says what nobody knows', [says('', { kind: 'unknown', word: 'odd' })]],
    ['when the tool breaks', [calls(submit('broken'))]],
    [
      'when no tries are left',
      [calls(submit('bad')), calls(submit('bad')), calls(call('look', { at: 'a' })), says('')],
    ],
  ])('%s', async (_name, after) => {
    const journal = keptTurns();
    const played = await play([asked, ...after], { toolset, journal });
    expect(played.outcome).toEqual(stands);
    expect(played.events).toContainEqual({
      kind: 'follow_up_unanswered',
      outcome: expect.objectContaining({ kind: expect.any(String) }),
    });
    const ended = journal.turns.flatMap((turn) => turn.ended ?? []);
    expect(ended).toEqual(ended.map(() => stands));
  });

  test('when the time is up, also for a run that is taken up after it', async () => {
    const clock = stillClock();
    const journal = keptTurns();
    const budget = { ...plenty, deadline: clock.now + 100_000 };
    const late: Move = () => {
      clock.now += 200_000;
      return says('hm');
    };
    const played = await play([asked, late], { toolset, clock, budget, journal });
    expect(played.outcome).toEqual(stands);
    const resumed = await play([], { toolset, clock, budget, journal: keptTurns(journal.turns.slice(0, 1)) });
    expect(resumed.outcome).toEqual(stands);
  });

  test('when the turns are used up', async () => {
    const looks = Array.from({ length: 6 }, (_, n) => calls(call('look', { at: `x${n}` })));
    const played = await play([asked, ...looks], { toolset, budget: { ...plenty, turns: 7 } });
    expect(played.outcome).toEqual(stands);
    expect(read(told(played, 5)).join('\n')).toContain('Only submit is accepted from here on');
  });
});

test('a run that nobody wants any more, or that is stopped, has none', async () => {
  for (const [reason, kind] of [
    [new SupersededError('a newer push'), 'superseded'],
    [new Error('shutting down'), 'failed'],
  ] as const) {
    const stop = new AbortController();
    const journal = keptTurns();
    const stopped = await play(
      [
        asked,
        () => {
          stop.abort(reason);
          return says('hm');
        },
      ],
      { toolset, signal: stop.signal, journal },
    );
    expect(stopped.outcome.kind).toBe(kind);
    const later = await play([calls(submit('that'))], { toolset, journal });
    expect(later.outcome).toMatchObject({ value: { first: 'ask', then: 'that' } });
  }
});

test('near the end nothing more is asked', async () => {
  const played = await play([asked], { toolset, budget: { ...plenty, turns: 2 } });
  expect(played.outcome).toEqual(stands);
  expect(played.requests).toHaveLength(1);
});
