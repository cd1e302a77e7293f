import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { runLoop } from '../../lib/agent/loop.js';
import type { Seen, Tool } from '../../lib/agent/tool.js';
import { ModelError, SubmissionError, SupersededError } from '../../lib/core/errors.js';
import type { Sha } from '../../lib/core/pull-request.js';
import type { Block, StopReason } from '../../lib/core/transcript.js';
import type { ModelTurn } from '../../lib/ports/model.js';
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
  text,
  told,
  usage,
  type Move,
} from './played-run.js';

const toolset = (tools: readonly Tool[], judge = accept) => ({
  tools,
  terminal: { name: 'submit', description: 'ends it', schema: z.looseObject({}), accept: judge },
});

describe('a run', () => {
  test('looks, submits and ends with what was accepted', async () => {
    const played = await play([calls(call('look', { at: 'a' })), calls(submit({ ok: true }))]);
    expect(played.outcome).toEqual({ kind: 'submitted', value: { ok: true }, dropped: [] });
    expect(read(told(played, 1))).toEqual(['ok saw a']);
    expect(played.transcript.turns).toHaveLength(2);
    expect(played.transcript.spend).toMatchObject({ turns: 2, toolCalls: 1, submissions: 1 });
  });

  test('sends the system text, the tools and the opening first', async () => {
    const { requests } = await play([calls(submit())]);
    expect(requests[0]).toMatchObject({ system: 'You look.', messages: [opening] });
    expect(requests[0]?.tools.map((tool) => tool.name)).toEqual(['look', 'submit']);
  });

  test('runs the calls of a turn at once and answers them in call order in one message', async () => {
    let open = 0;
    let most = 0;
    const slow: Tool = {
      ...look,
      name: 'slow',
      run: async (input) => {
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => setTimeout(resolve, (input as { at: string }).at === 'a' ? 30 : 1));
        open -= 1;
        return { text: `saw ${(input as { at: string }).at}`, served: [] };
      },
    };
    const played = await play(
      [
        calls(call('slow', { at: 'a' }), call('slow', { at: 'b' }), call('slow', { at: 'c' })),
        calls(submit()),
      ],
      { toolset: toolset([slow]) },
    );
    expect(most).toBe(3);
    expect(read(told(played, 1))).toEqual(['ok saw a', 'ok saw b', 'ok saw c']);
  });

  test('refuses a toolset with two tools of one name', async () => {
    await expect(play([], { toolset: toolset([look, look]) })).rejects.toThrow('Two tools are named look');
  });
});

describe('every reason to stop', () => {
  const idle = says('I think it is fine.');
  const cut = says([text('I will now report.'), call('submit', {})], 'max_tokens');
  const rows: readonly (readonly [string, readonly Move[], object, number])[] = [
    [
      'end_turn without a call: told twice, then no submission',
      [idle, idle, idle],
      { kind: 'no_submission' },
      3,
    ],
    ['tool_use without a call', [says('hm', 'tool_use'), calls(submit())], { kind: 'submitted' }, 2],
    ['end_turn with a call: the call counts', [says([submit()], 'end_turn')], { kind: 'submitted' }, 1],
    ['an empty answer', [says([]), calls(submit())], { kind: 'submitted' }, 2],
    ['blank text', [says([text('  \n')]), calls(submit())], { kind: 'submitted' }, 2],
    [
      'cut off in a call, three times',
      [cut, says([submit({})], 'max_tokens'), cut],
      { kind: 'no_submission' },
      3,
    ],
    ['cut off in text, then done', [says('so', 'max_tokens'), calls(submit())], { kind: 'submitted' }, 2],
    ['refusal: no second try', [says([], 'refusal')], { kind: 'refused', detail: 'no reason was given' }, 1],
    [
      'refusal with its reason',
      [says([], { kind: 'refusal', detail: 'cyber' })],
      { kind: 'refused', detail: 'cyber' },
      1,
    ],
    ['refusal with a call in it: not run', [says([submit()], 'refusal')], { kind: 'refused' }, 1],
    [
      'context exceeded',
      [says('part', 'context_exceeded')],
      { kind: 'out_of_budget', limit: "the model's context" },
      1,
    ],
    [
      'an unknown word',
      [says([submit()], { kind: 'unknown', word: 'something_new' })],
      { kind: 'failed', retryable: false, detail: expect.stringContaining('"something_new"') },
      1,
    ],
    ['a pause, then done', [says('...', 'pause_turn'), calls(submit())], { kind: 'submitted' }, 2],
    [
      'pauses without end',
      Array.from({ length: 6 }, () => says('...', 'pause_turn')),
      { kind: 'no_submission', detail: 'The model paused 6 times in a row.' },
      6,
    ],
    [
      'a provider that is down',
      [new ModelError('overloaded', { status: 529, retryable: true })],
      { kind: 'failed', retryable: true, detail: 'overloaded' },
      1,
    ],
    [
      'a key that is wrong',
      [new ModelError('unauthorized', { status: 401 })],
      { kind: 'failed', retryable: false },
      1,
    ],
    [
      'a defect of the adapter',
      [new TypeError('oh')],
      { kind: 'failed', retryable: false, detail: 'oh', defect: true },
      1,
    ],
  ];
  test.each(rows)('%s', async (_, moves, outcome, requests) => {
    const played = await play(moves);
    expect(played.outcome).toMatchObject(outcome);
    expect(played.requests).toHaveLength(requests);
    expect(played.events.at(-1)).toEqual({ kind: 'ended', outcome: played.outcome });
  });

  test('a call that was cut off is never run, and its answer keeps the next request valid', async () => {
    let judged = 0;
    const judge: typeof accept = async (input, seen, lastTry) => {
      judged += 1;
      return accept(input, seen, lastTry);
    };
    const played = await play([cut, calls(submit('whole'))], { toolset: toolset([look], judge) });
    expect(judged).toBe(1);
    expect(read(told(played, 1))).toEqual([
      expect.stringMatching(/^error This call was cut off at the output limit and was not run/),
    ]);
    expect(played.transcript.spend.submissions).toBe(1);
  });

  test('what came whole before the cut is run', async () => {
    const played = await play([
      says([call('look', { at: 'a' }), call('look', { at: 'b' })], 'max_tokens'),
      calls(submit()),
    ]);
    expect(read(told(played, 1))).toEqual(['ok saw a', expect.stringContaining('cut off')]);
  });

  test('a pause is answered with "Go on.", after a server tool with nothing', async () => {
    const server: Block = { type: 'provider', raw: { type: 'server_tool_use', id: 'srv' } };
    const played = await play([says('...', 'pause_turn'), says([server], 'pause_turn'), calls(submit())]);
    expect(read(told(played, 1))).toEqual(['Go on.']);
    expect(played.requests[2]?.messages.at(-1)).toEqual({ role: 'assistant', content: [server] });
  });

  test('reasoning is sent back as it came, but never last in a message', async () => {
    const thinking: Block = { type: 'provider', raw: { type: 'thinking', thinking: '', signature: 'x' } };
    const played = await play([
      calls(thinking, call('look', { at: 'a' })),
      says([text('so'), thinking]),
      says([thinking]),
      calls(submit()),
    ]);
    const sent = played.requests[3]?.messages ?? [];
    expect(sent[1]?.content[0]).toEqual(thinking);
    expect(sent[3]?.content).toEqual([text('so')]);
    expect(sent[5]?.content).toEqual([text('(no answer)')]);
  });
});

describe('calls of all kinds', () => {
  const rows: readonly (readonly [string, Block, string])[] = [
    ['arguments as JSON text', call('look', '{"at":"a"}'), 'ok saw a'],
    ['null for what is left out', call('look', { at: 'a', page: null }), 'ok saw a'],
    ['JSON text that is cut', call('look', '{"at":'), 'error The arguments are not valid JSON'],
    ['a list as arguments', call('look', [1]), 'error The arguments must be one JSON object.'],
    ['a missing argument', call('look', {}), 'error The arguments of look do not fit:'],
    ['no arguments at all', call('look', undefined), 'error The arguments of look do not fit:'],
    ['a foreign argument', call('look', { at: 'a', depth: 1 }), 'error The arguments of look do not fit:'],
    ['an unknown tool', call('rm', {}), 'error There is no tool named rm. The tools are look, submit.'],
    ['a name that no request may carry', call('bad name!', {}), 'error There is no tool named bad_name_.'],
    ['no name', call('', {}), 'error There is no tool named unnamed.'],
    ['an error for the model', call('look', { at: 'nowhere' }), 'error There is no nowhere.'],
    ['a defect of a tool', call('look', { at: 'broken' }), 'error look failed: undefined is not a function.'],
    ['half a surrogate pair', call('look', { at: 'a\ud83d' }), 'ok saw a\ufffd'],
  ];
  test.each(rows)('%s', async (_, block, answer) => {
    const played = await play([calls(block), calls(submit())]);
    expect(read(told(played, 1))[0]).toContain(answer);
    expect(played.outcome.kind).toBe('submitted');
  });

  test('ids that come twice, empty or odd are made unique', async () => {
    const played = await play([
      calls(call('look', { at: 'a' }, 'x'), call('look', { at: 'b' }, 'x'), call('look', { at: 'c' }, '')),
      calls(
        call('look', { at: 'd' }, 'x'),
        call('look', { at: 'e' }, 'call_1_1'),
        call('look', { at: 'f' }, 'a b'),
      ),
      calls(submit('done', 'x')),
    ]);
    expect(read(told(played, 2))).toEqual(['ok saw d', 'ok saw e', 'ok saw f']);
    expect(played.outcome.kind).toBe('submitted');
  });

  test('the arguments of a submission may be JSON text too', async () => {
    const played = await play([calls(call('submit', '{"value":7}'))]);
    expect(played.outcome).toMatchObject({ kind: 'submitted', value: 7 });
  });

  test('a tool that hangs is stopped, told so, and the run goes on', async () => {
    let stopped = false;
    const hang: Tool = {
      ...look,
      name: 'hang',
      run: (_, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => (stopped = true));
        }),
    };
    const played = await play(
      [calls(call('hang', { at: 'a' }), call('look', { at: 'a' })), calls(submit())],
      {
        toolset: toolset([look, hang]),
        toolLimits: { ms: 100, chars: 1_000 },
      },
    );
    expect(stopped).toBe(true);
    expect(read(told(played, 1))).toEqual([
      'error Stopped after 0.1 seconds without an answer. Ask for less: a narrower path, range or pattern.',
      'ok saw a',
    ]);
  });

  test('an answer that is too long is cut, says so, and none of it counts as shown', async () => {
    const flood: Tool = {
      ...look,
      run: async () => ({
        text: `${'x'.repeat(999)}😀 and more`,
        served: [{ path: 'a', ref: 'head', start: 1, end: 9 }],
      }),
    };
    const played = await play([calls(call('look', { at: 'a' })), calls(submit())], {
      toolset: toolset([flood]),
      toolLimits: { ms: 1_000, chars: 1_000 },
    });
    expect(read(told(played, 1))[0]).toMatch(
      /\n\[cut: 10 of 1010 characters left out; ask for a smaller part\]$/,
    );
    expect(played.transcript.turns[0]?.served).toEqual([]);
  });

  test('an empty answer says that it is', async () => {
    const silent: Tool = { ...look, run: async () => ({ text: '', served: [] }) };
    const played = await play([calls(call('look', { at: 'a' })), calls(submit())], {
      toolset: toolset([silent]),
    });
    expect(read(told(played, 1))).toEqual(['ok (empty)']);
  });
});

describe('the same call again', () => {
  test('is answered once, then pointed out, and given once more when it is asked a third time', async () => {
    const again = () => calls(call('look', { at: 'a' }));
    const played = await play([again(), again(), again(), again(), calls(submit())]);
    expect([1, 2, 3, 4].map((n) => read(told(played, n))[0])).toEqual([
      'ok saw a',
      expect.stringMatching(/^ok Already answered in turn 1;/),
      'ok saw a',
      expect.stringMatching(/^ok Already answered in turn 3;/),
    ]);
    expect(played.transcript.spend.toolCalls).toBe(2);
  });

  test('is the same in one turn and with its arguments in another order', async () => {
    const played = await play([
      calls(call('look', { at: 'a', page: 1 }), call('look', { page: 1, at: 'a' })),
      calls(submit()),
    ]);
    expect(read(told(played, 1))[1]).toMatch(/^ok Already answered by the same call in this turn/);
  });

  test('is run again when it failed before', async () => {
    const again = () => calls(call('look', { at: 'nowhere' }));
    const played = await play([again(), again(), calls(submit())]);
    expect(read(told(played, 2))).toEqual(['error There is no nowhere.']);
  });
});

describe('a submission', () => {
  test('is sent back with reasons; the last try takes what is valid', async () => {
    const played = await play([calls(submit('bad')), calls(submit('bad')), calls(submit('bad'))]);
    expect(played.outcome).toEqual({
      kind: 'submitted',
      value: 'what was good',
      dropped: [{ what: 'bad', why: 'it is bad' }],
    });
    expect(read(told(played, 1))[0]).toBe(
      'error Not accepted:\n- bad is bad\nMend it and submit the whole again. 2 tries are left.',
    );
    expect(read(told(played, 2))[0]).toContain('This is the last try');
    expect(played.events.filter((event) => event.kind === 'submission_sent_back')).toMatchObject([
      { tryNumber: 1, tries: 3, reasons: ['bad is bad'] },
      { tryNumber: 2 },
    ]);
  });

  test('that is never accepted ends the run without one', async () => {
    const played = await play(() => calls(submit()), {
      toolset: toolset([look], async () => ({ kind: 'sent_back', reasons: ['never'] })),
    });
    expect(played.outcome).toEqual({
      kind: 'no_submission',
      detail: 'submit was sent back 3 times, last for: never',
    });
  });

  test('beside look-ups is not judged: their answers have not been read', async () => {
    const judged: Seen[] = [];
    const played = await play(
      [
        calls(call('look', { at: 'a' })),
        calls(submit(), call('look', { at: 'b' })),
        calls(submit(), call('look', { at: 'b' })),
      ],
      {
        toolset: toolset([look], async (input, given, lastTry) => {
          judged.push(given as Seen);
          return accept(input, given, lastTry);
        }),
      },
    );
    expect(read(told(played, 2))).toEqual([expect.stringMatching(/^error Not looked at: /), 'ok saw b']);
    expect(played.outcome.kind).toBe('submitted');
    expect(judged.map(({ served }) => served.map(({ path }) => path))).toEqual([['a', 'b']]);
    expect(played.transcript.spend.submissions).toBe(1);
  });

  test('that was sent out with the only look-ups shows nothing and ends nothing', async () => {
    const played = await play(
      () => calls(submit(), call('look', { at: 'broken' }), call('look', { at: 'a' })),
      {
        budget: { ...plenty, turns: 1 },
      },
    );
    expect(played.outcome).toMatchObject({ kind: 'out_of_budget', limit: '1 turn' });
  });

  test('beside a look-up that failed is judged by what was shown before', async () => {
    const played = await play([calls(submit('bad'), call('look', { at: 'nowhere' })), calls(submit())]);
    expect(read(told(played, 1))).toEqual([
      expect.stringMatching(/^error Not accepted/),
      'error There is no nowhere.',
    ]);
  });

  test('that is looked up beyond the deadline ends the run', async () => {
    const clock = stillClock();
    const played = await play([calls(submit())], {
      clock,
      budget: { ...plenty, deadline: clock.now + 50 },
      toolset: toolset([look], () => new Promise(() => {})),
    });
    expect(played.outcome).toEqual({ kind: 'out_of_budget', limit: 'the time' });
  });

  test('twice in a turn: the first that is accepted wins and the turn is one try', async () => {
    const first = await play([calls(submit('one'), submit('two'))]);
    expect(first.outcome).toMatchObject({ value: 'one' });
    const second = await play([calls(submit('bad'), submit('two'))]);
    expect(second.outcome).toMatchObject({ value: 'two' });
    const neither = await play([calls(submit('bad'), submit('bad')), calls(submit('good'))]);
    expect(neither.transcript.spend.submissions).toBe(2);
    expect(read(told(neither, 1))).toHaveLength(2);
  });

  test.each([
    ['a refusal thrown', new SubmissionError(['one', 'two']), /- one\n- two/],
    ['arguments that are no JSON', null, /- The arguments are not valid JSON/],
  ])('%s goes back as its reasons', async (_, error, words) => {
    let tries = 0;
    const played = await play(
      [calls(error === null ? call('submit', '{') : submit()), calls(submit('good'))],
      {
        toolset: toolset([look], async (input, seen, lastTry) => {
          tries += 1;
          if (error !== null && tries === 1) throw error;
          return accept(input, seen, lastTry);
        }),
      },
    );
    expect(read(told(played, 1))[0]).toMatch(words);
    expect(played.outcome).toMatchObject({ value: 'good' });
  });

  test('whose judge breaks fails the run and keeps the cost', async () => {
    const played = await play([calls(submit())], {
      toolset: toolset([look], async () => {
        throw new TypeError('x is undefined');
      }),
    });
    expect(played.outcome).toEqual({
      kind: 'failed',
      detail: 'submit failed: x is undefined',
      retryable: false,
      defect: true,
    });
    expect(played.transcript.spend.usage.inputTokens).toBe(10);
  });
});

describe('the budget', () => {
  const looking = (n: number): Move => calls(call('look', { at: `file ${n}` }));

  test('near the end one message closes the tools; other calls are refused, a submission is taken', async () => {
    const played = await play((_, n) => (n < 8 ? looking(n) : calls(submit())), {
      budget: { ...plenty, turns: 10 },
    });
    expect(played.outcome.kind).toBe('submitted');
    expect(read(told(played, 7))).toEqual([
      'ok saw file 6',
      'Nearly used up: 10 turns. From here on only submit is accepted; any other call is answered with an error. Call it now with what you can show, and leave out what you cannot.',
    ]);
    expect(read(told(played, 8))).toEqual([
      'error Not run. Nearly used up: 10 turns. Only submit is accepted from here on.',
    ]);
    expect(played.events.filter((event) => event.kind === 'closing')).toHaveLength(1);
  });

  test('a model that never closes runs out of turns', async () => {
    const played = await play((_, n) => looking(n), { budget: { ...plenty, turns: 6 } });
    expect(played.outcome).toEqual({ kind: 'out_of_budget', limit: '6 turns' });
    expect(played.requests).toHaveLength(6);
    expect(played.transcript.spend.toolCalls).toBe(3);
  });

  test('tool calls that are used up close the run and do not end it', async () => {
    const played = await play(
      [calls(...['a', 'b', 'c'].map((at) => call('look', { at }))), looking(1), calls(submit())],
      { budget: { ...plenty, toolCalls: 2 } },
    );
    expect(read(told(played, 1))).toEqual([
      'ok saw a',
      'ok saw b',
      'error Not run: no tool calls are left in this run.',
      expect.stringContaining('Nearly used up: 2 tool calls.'),
    ]);
    expect(played.outcome.kind).toBe('submitted');
  });

  test.each([
    ['tokens', { tokens: 1_000 }, usage(300), '1000 tokens'],
    ['dollars', { dollars: 1 }, usage(1, 0.3), '$1.00'],
    ['context', { contextTokens: 340 }, usage(300), '340 tokens of context'],
  ])('%s: it closes while one more turn like the last still fits', async (_, limit, cost, words) => {
    const played = await play(
      (request, n) =>
        read(request.messages.at(-1)?.content ?? []).some((line) => line.startsWith('Nearly used up'))
          ? says([submit(n)], 'tool_use', cost)
          : says([call('look', { at: `${n}` })], 'tool_use', cost),
      { budget: { ...plenty, ...limit } },
    );
    expect(played.events.find((event) => event.kind === 'closing')).toMatchObject({ limit: words });
    expect(played.outcome.kind).toBe('submitted');
    const { usage: spent } = played.transcript.spend;
    if ('tokens' in limit) expect(spent.inputTokens).toBeLessThanOrEqual(limit.tokens ?? 0);
    if ('dollars' in limit) expect(spent.dollars).toBeLessThanOrEqual(limit.dollars ?? 0);
  });

  test('a deadline that passes while the model thinks ends the run', async () => {
    const clock = stillClock();
    const played = await play([() => new Promise(() => {})], {
      clock,
      budget: { ...plenty, deadline: clock.now + 50 },
    });
    expect(played.outcome).toEqual({ kind: 'out_of_budget', limit: 'the time' });
  });

  test('an error at the deadline is the deadline', async () => {
    const clock = stillClock();
    const played = await play(
      [
        () => {
          clock.now += 100_000;
          throw new ModelError('aborted', { retryable: true });
        },
      ],
      { clock, budget: { ...plenty, deadline: clock.now + 100_000 } },
    );
    expect(played.outcome).toEqual({ kind: 'out_of_budget', limit: 'the time' });
  });

  test('no request is made after the deadline', async () => {
    const played = await play([], { budget: { ...plenty, deadline: 1_000 } });
    expect(played.outcome).toEqual({ kind: 'out_of_budget', limit: 'the time' });
    expect(played.requests).toHaveLength(0);
  });

  test('a model without a price is not held by dollars, and its cost stays unknown', async () => {
    const played = await play(
      [says([call('look', { at: 'a' })], 'tool_use', usage(1, null)), calls(submit())],
      {
        budget: { ...plenty, dollars: 0.01 },
      },
    );
    expect(played.outcome.kind).toBe('submitted');
    expect(played.transcript.spend.usage.dollars).toBeNull();
  });
});

describe('a run that is not wanted any more', () => {
  test.each([
    [
      'overtaken',
      new SupersededError('overtaken by d4e5f6a'),
      { kind: 'superseded', detail: 'overtaken by d4e5f6a' },
    ],
    [
      'stopped',
      new Error('shutting down'),
      { kind: 'failed', detail: 'Stopped: shutting down', retryable: true },
    ],
  ])('%s while the model thinks', async (_, reason, outcome) => {
    const abort = new AbortController();
    const played = await play(
      [
        () =>
          new Promise(() => {
            setTimeout(() => abort.abort(reason), 5);
          }),
      ],
      { signal: abort.signal },
    );
    expect(played.outcome).toEqual(outcome);
  });

  test('aborted while a tool runs: its turn is not kept', async () => {
    const abort = new AbortController();
    const journal = keptTurns();
    const stopping: Tool = {
      ...look,
      run: () => {
        abort.abort(new SupersededError('overtaken'));
        return new Promise(() => {});
      },
    };
    const played = await play([calls(call('look', { at: 'a' }))], {
      signal: abort.signal,
      toolset: toolset([stopping]),
      journal,
    });
    expect(played.outcome.kind).toBe('superseded');
    expect(journal.turns).toEqual([]);
    expect(played.transcript.spend.turns).toBe(1);
  });

  test('aborted before it began: no request', async () => {
    const played = await play([], { signal: AbortSignal.abort(new SupersededError('overtaken')) });
    expect(played.requests).toHaveLength(0);
  });

  test('is asked between turns, at most every 30 seconds', async () => {
    const clock = stillClock();
    let asked = 0;
    const played = await play(
      (_, n) => () => {
        clock.now += 10_000;
        return calls(call('look', { at: `${n}` }));
      },
      {
        clock,
        stillWanted: async () => {
          asked += 1;
          if (asked === 1) throw new Error('502');
          return asked === 3 ? { kind: 'superseded', by: 'f'.repeat(40) as Sha } : { kind: 'wanted' };
        },
      },
    );
    expect(played.outcome).toEqual({ kind: 'superseded', detail: `overtaken by ${'f'.repeat(40)}` });
    expect(played.requests).toHaveLength(9);
    expect(played.events).toContainEqual({ kind: 'wanted_unknown', detail: '502' });
  });

  test('a closed one is superseded', async () => {
    const clock = stillClock();
    const played = await play(
      [
        () => {
          clock.now += 31_000;
          return calls(call('look', { at: 'a' }));
        },
      ],
      { clock, stillWanted: async () => ({ kind: 'closed' }) },
    );
    expect(played.outcome).toEqual({ kind: 'superseded', detail: 'closed' });
  });
});

describe('events', () => {
  test('say exactly what went to the model, each message once', async () => {
    const played = await play([calls(call('look', { at: 'a' })), says('hm'), calls(submit())]);
    const sent = played.events.flatMap((event) => (event.kind === 'request_sent' ? [event] : []));
    expect(sent[0]?.prefix).toEqual({ system: 'You look.', tools: played.requests[0]?.tools });
    expect(sent.slice(1).every((event) => event.prefix === undefined)).toBe(true);
    expect(sent.flatMap((event) => event.added)).toEqual(played.requests.at(-1)?.messages);
  });

  test('tell a tool that ran with its time, size and defect', async () => {
    const played = await play([calls(call('look', { at: 'broken' })), calls(submit())]);
    expect(played.events.map((event) => event.kind)).toEqual([
      'request_sent',
      'turn_received',
      'tool_started',
      'tool_finished',
      'request_sent',
      'turn_received',
      'ended',
    ]);
    expect(played.events[3]).toMatchObject({
      name: 'look',
      input: { at: 'broken' },
      failed: true,
      defect: expect.stringContaining('TypeError'),
    });
  });
});

describe('recorded answers of an endpoint', () => {
  test('max_tokens in the middle of a call', async () => {
    const { input } = fixture('op05-max-tokens-mid-tool');
    const answer = recorded(input.model_response);
    const played = await play([answer, answer, answer], {
      toolset: { tools: [look], terminal: { ...toolset([]).terminal, name: 'submit_review' } },
    });
    expect(played.outcome).toEqual({
      kind: 'no_submission',
      detail: "The model's answer was cut off at its output limit 3 times in a row.",
    });
    expect(played.transcript.spend.submissions).toBe(0);
  });

  test('each stop reason, none of which is a clean end', async () => {
    const { input } = fixture('op06-stop-reasons');
    const ends = await Promise.all(
      input.model_responses.map(async (response: RecordedResponse) => {
        const answer = recorded(response);
        const played = await play(() => answer);
        return [response.stop_reason, played.outcome.kind, played.requests.length];
      }),
    );
    expect(ends).toEqual([
      ['refusal', 'refused', 1],
      ['pause_turn', 'no_submission', 6],
      ['model_context_window_exceeded', 'out_of_budget', 1],
      ['something_new', 'failed', 1],
      ['end_turn', 'no_submission', 3],
    ]);
  });
});

type RecordedResponse = { readonly stop_reason: string; readonly content: readonly Block[] };

const fixture = (name: string) =>
  JSON.parse(readFileSync(new URL(`../fixtures/cases/${name}.json`, import.meta.url), 'utf8'));

function recorded({ stop_reason: word, content }: RecordedResponse): ModelTurn {
  const known: Readonly<Record<string, StopReason['kind']>> = {
    max_tokens: 'max_tokens',
    refusal: 'refusal',
    pause_turn: 'pause_turn',
    end_turn: 'end_turn',
    model_context_window_exceeded: 'context_exceeded',
  };
  const kind = known[word];
  return says(content, kind ?? { kind: 'unknown', word });
}

test('runLoop needs neither a journal nor a listener', async () => {
  const { outcome } = await runLoop<unknown>({
    model: { name: 'm', kind: 'rules', sendsTo: null, next: async () => calls(submit('ok')) },
    toolset: toolset([look]),
    system: 's',
    opening,
    budget: plenty,
    clock: stillClock(),
    signal: new AbortController().signal,
  });
  expect(outcome).toEqual({ kind: 'submitted', value: 'ok', dropped: [] });
});

describe('an endpoint that hangs', () => {
  const hangs = (sendsTo: string | null, answered: readonly ModelTurn[]) => {
    const turns = [...answered];
    // It stands still: the time is over for the turn that is waited for, and for nothing before it.
    const clock = stillClock();
    return runLoop({
      model: {
        name: 'a model',
        kind: 'language_model',
        sendsTo,
        next: async () => turns.shift() ?? new Promise<ModelTurn>(() => {}),
      },
      toolset: toolset([look]),
      system: 'Look.',
      opening: { role: 'user', content: [{ type: 'text', text: 'Begin.' }] },
      budget: { ...plenty, deadline: clock.now + 150 },
      clock,
      signal: new AbortController().signal,
    });
  };
  const turn: ModelTurn = {
    content: [{ type: 'tool_use', id: 'a', name: 'look', input: { at: 'a' } }],
    stop: { kind: 'tool_use' },
    usage: usage(10),
  };

  test('from the start is named', async () => {
    const { outcome } = await hangs('models.example.com', []);
    expect(outcome).toEqual({
      kind: 'failed',
      detail: 'models.example.com gave no answer at all before the time was up',
      retryable: true,
    });
  });

  test.each([
    ['after it answered', 'models.example.com', [turn]],
    ['on this machine', null, []],
  ] as const)('%s has used up the time', async (_when, sendsTo, answered) => {
    const { outcome } = await hangs(sendsTo, answered);
    expect(outcome).toMatchObject({ kind: 'out_of_budget' });
  });
});
