import { ModelError } from '../../lib/core/errors.js';
import type { Block, StopReason } from '../../lib/core/transcript.js';
import { createAnthropicModel, type AnthropicOptions } from '../../lib/models/anthropic.js';
import type { Log } from '../../lib/ports/log.js';
import type { ModelTurn } from '../../lib/ports/model.js';
import { modelContract, requestAt, tools, turnOf, type Harness } from './contract.js';
import {
  startMessagesApi,
  type ApiAnswer,
  type ApiOptions,
  type Json,
  type MessagesApi,
} from './messages-api.js';

const quick = { firstPause: 2, silence: 5000 };

let api: MessagesApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

type Logged = { readonly level: string; readonly fields: Json; readonly message: string };

function logging(): { log: Log; lines: Logged[] } {
  const lines: Logged[] = [];
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields, message });
  return { log: { info: at('info'), warn: at('warn'), error: at('error') }, lines };
}

async function start(options: ApiOptions, more: Partial<AnthropicOptions> = {}) {
  api = await startMessagesApi(options);
  const { log, lines } = logging();
  const model = createAnthropicModel({
    apiKey: 'key-1',
    baseURL: api.url,
    model: 'claude-sonnet-5-5',
    log,
    pace: quick,
    ...more,
  });
  return { model, lines, api };
}

const soon = (ms = 60_000) => ({ signal: new AbortController().signal, deadline: Date.now() + ms });
const hello: ApiAnswer = { content: [{ type: 'text', text: 'Hello.' }] };
const thought: ApiAnswer = {
  content: [
    { type: 'thinking', thinking: '' },
    { type: 'redacted_thinking', data: 'opaque==' },
    { type: 'tool_use', id: 'toolu_1', name: 'look', input: { path: 'a.ts' } },
  ],
};

async function failure(run: Promise<unknown>): Promise<ModelError> {
  const error: unknown = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
}

const stopWord = (stop: StopReason): Pick<ApiAnswer, 'stop_reason' | 'stop_details'> => {
  switch (stop.kind) {
    case 'context_exceeded':
      return { stop_reason: 'model_context_window_exceeded' };
    case 'unknown':
      return { stop_reason: stop.word };
    case 'refusal':
      return {
        stop_reason: 'refusal',
        stop_details: { type: 'refusal', category: 'cyber', explanation: 'Not this.' },
      };
    case 'tool_use':
    case 'end_turn':
    case 'max_tokens':
    case 'pause_turn':
      return { stop_reason: stop.kind };
  }
};

const toApi = (turn: ModelTurn): ApiAnswer => ({
  content: turn.content.map((block) => ({ ...block })),
  ...stopWord(turn.stop),
});

const harness: Harness = async (turns) => {
  const { model, api: server } = await start({ answers: turns.map(toApi) });
  return {
    model,
    reached: () => (server.requests.at(-1)?.body.messages ?? []) as Json[] as never,
    close: server.close,
  };
};

modelContract('anthropic', harness);

describe('what is sent', () => {
  test('streams, has no sampling, forced tool or prefill, and marks a cache at most four times', async () => {
    const { model, api: server } = await start({ answers: [hello] });
    await model.next(requestAt([]), soon());
    const [request] = server.requests;
    expect(request?.headers.authorization).toBe('Bearer key-1');
    expect(request?.headers['x-api-key']).toBe('key-1');
    expect(request?.body).toEqual({
      model: 'claude-sonnet-5-5',
      max_tokens: 24_000,
      stream: true,
      tools: [
        {
          name: 'look',
          description: 'Looks something up.',
          input_schema: tools[0]?.inputSchema,
          strict: true,
        },
      ],
      system: [{ type: 'text', text: 'You review.', cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'Review this, please.', cache_control: { type: 'ephemeral' } }],
        },
      ],
      thinking: { type: 'adaptive' },
    });
  });

  test('the marks move with the conversation and stay on the ends of the last user messages', async () => {
    const turns = [0, 1, 2, 3].map((n) =>
      turnOf([{ type: 'tool_use', id: `toolu_${n}`, name: 'look', input: { path: 'a' } }], {
        kind: 'tool_use',
      }),
    );
    const { model, api: server } = await start({ answers: [hello] });
    await model.next(requestAt(turns), soon());
    const marked = (server.requests[0]?.body.messages as Json[]).map((message) =>
      (message.content as Json[]).map((block) => block.cache_control !== undefined),
    );
    expect(marked).toEqual([[false], [false], [false], [false], [true], [false], [true], [false], [true]]);
  });

  test('thinking goes back exactly as it came', async () => {
    const { model, api: server } = await start({ answers: [thought, hello] });
    const first = await model.next(requestAt([]), soon());
    expect(first.content.map((block) => block.type)).toEqual(['provider', 'provider', 'tool_use']);
    await model.next(requestAt([first]), soon());
    const sent = server.requests[1]?.body.messages[1].content as Json[];
    expect(sent.slice(0, 2)).toEqual(
      first.content.slice(0, 2).map((block) => (block as { raw: unknown }).raw),
    );
    expect(server.refused).toEqual([]);
  });

  test('a block type nobody knows yet is kept and sent back', async () => {
    const strange = { type: 'strange_new', data: { a: [1, null] } };
    const { model, api: server } = await start({
      answers: [{ content: [strange, ...hello.content] }, hello],
    });
    const first = await model.next(requestAt([]), soon());
    expect(first.content[0]).toEqual({ type: 'provider', raw: strange });
    await model.next(requestAt([first]), soon());
    expect(server.requests[1]?.body.messages[1].content[0]).toEqual(strange);
  });

  const models: readonly (readonly [string, unknown])[] = [
    ['claude-fable-5-2', { type: 'adaptive' }],
    ['claude-opus-5-5', { type: 'adaptive' }],
    ['claude-sonnet-4-6', { type: 'adaptive' }],
    ['claude-haiku-4-5-20251001', undefined],
    ['eu.anthropic.claude-opus-4-6-20260101-v1:0', { type: 'adaptive' }],
    ['claude-nobody-knows-9', undefined],
  ];
  test.each(models)('%s is asked to think as far as it is known to', async (model, thinking) => {
    const { model: asked, api: server } = await start({ answers: [hello] }, { model });
    await asked.next(requestAt([]), soon());
    expect(server.requests.map(({ body }) => body.thinking as unknown)).toEqual([thinking]);
  });

  test('old results are cleared by the server where it can, the diff never', async () => {
    const { model, api: server } = await start(
      { answers: [hello] },
      { features: { contextEditing: true }, keepResultsOf: ['get_pr_diff'], effort: 'high' },
    );
    await model.next(requestAt([]), soon());
    const { body, headers } = server.requests[0] ?? { body: {}, headers: {} };
    expect(headers['anthropic-beta']).toBe('context-management-2025-06-27');
    expect(body.context_management.edits[0]).toMatchObject({
      type: 'clear_tool_uses_20250919',
      exclude_tools: ['get_pr_diff'],
    });
    expect(body.output_config).toEqual({ effort: 'high' });
  });

  test('nothing blank or broken is sent, and neighbours of one role become one message', async () => {
    const { model, api: server } = await start({ answers: [hello] });
    const results: Block[] = [
      { type: 'text', text: 'First this.' },
      { type: 'tool_result', toolUseId: 'toolu_1', text: '', isError: false },
    ];
    await model.next(
      {
        system: '  ',
        tools: [],
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'cut here: \ud83d' }] },
          { role: 'user', content: [{ type: 'text', text: ' \n' }] },
          {
            role: 'assistant',
            content: [
              { type: 'text', text: '' },
              { type: 'tool_use', id: 'toolu_1', name: 'look', input: '{"path": "a' },
            ],
          },
          { role: 'user', content: results },
          { role: 'assistant', content: [{ type: 'text', text: '\n\n' }] },
          { role: 'user', content: [{ type: 'text', text: 'Go on.' }] },
        ],
      },
      soon(),
    );
    expect(server.refused).toEqual([]);
    const body = server.requests[0]?.body as Json;
    expect(body.system).toBeUndefined();
    expect(
      body.messages.map((m: Json) => m.content.map((b: Json) => b.text ?? b.content ?? b.input)),
    ).toEqual([['cut here: \ufffd'], [{ unparsed: '{"path": "a' }], ['(nothing)', 'First this.', 'Go on.']]);
  });
});

describe('what comes back', () => {
  test('arguments that are no JSON stay text', async () => {
    const { model } = await start({
      answers: [
        {
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }],
          inputJson: { 0: '{"path": "src/a' },
          stop_reason: 'max_tokens',
        },
      ],
    });
    const turn = await model.next(requestAt([]), soon());
    expect(turn.content).toEqual([
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: '{"path": "src/a' },
    ]);
    expect(turn.stop).toEqual({ kind: 'max_tokens' });
  });

  test('thinking that was cut off, and blank text, are left out', async () => {
    const { model } = await start({
      answers: [
        {
          content: [
            { type: 'text', text: '\n\n' },
            { type: 'text', text: 'Hm.' },
            { type: 'thinking', thinking: 'half', signature: '' },
          ],
          stop_reason: 'max_tokens',
        },
      ],
    });
    const turn = await model.next(requestAt([]), soon());
    expect(turn.content).toEqual([{ type: 'text', text: 'Hm.' }]);
  });

  test('tokens and dollars are counted by kind', async () => {
    const usage = {
      input_tokens: 1000,
      cache_read_input_tokens: 20_000,
      cache_creation_input_tokens: 4000,
      cache_creation: { ephemeral_5m_input_tokens: 3000, ephemeral_1h_input_tokens: 1000 },
      output_tokens: 500,
    };
    const { model } = await start({ answers: [{ ...hello, usage }] });
    const turn = await model.next(requestAt([]), soon());
    const { dollars, ...counts } = turn.usage;
    expect(counts).toEqual({
      inputTokens: 1000,
      cacheReadTokens: 20_000,
      cacheWriteTokens: 4000,
      outputTokens: 500,
    });
    expect(dollars).toBeCloseTo((1000 * 2 + 500 * 10 + 20_000 * 0.1 + 3000 * 2.5 + 1000 * 4) / 1e6, 10);
  });

  const tooLong = [
    'prompt is too long: 210000 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 190000 + 24000 > 200000',
  ];
  test.each(tooLong)('a conversation that no longer fits is a stop reason: %s', async (message) => {
    const { model } = await start({
      answers: [],
      faults: { 1: { kind: 'status', status: 400, type: 'invalid_request_error', message } },
    });
    const turn = await model.next(requestAt([]), soon());
    expect(turn).toMatchObject({ content: [], stop: { kind: 'context_exceeded' } });
  });

  test('an unknown model has no price', async () => {
    const { model } = await start({ answers: [hello] }, { model: 'local-model' });
    expect((await model.next(requestAt([]), soon())).usage.dollars).toBeNull();
  });
});

describe('an endpoint without a feature is served without it', () => {
  const lacking: readonly (readonly [string, string, Partial<AnthropicOptions>])[] = [
    ['version', 'version', {}],
    ['cache_control', 'cache_control', {}],
    ['strict', 'strict', {}],
    ['thinking', 'thinking', {}],
    ['output_config', 'effort', { effort: 'low' }],
    ['context_management', 'context_management', { features: { contextEditing: true } }],
  ];
  test.each(lacking)('%s: dropped, logged once, and not sent again', async (lack, feature, more) => {
    const { model, api: server, lines } = await start({ answers: [hello, hello], lacks: [lack] }, more);
    const first = await model.next(requestAt([]), soon());
    await model.next(requestAt([first]), soon());
    expect(server.refused).toHaveLength(1);
    expect(server.requests).toHaveLength(3);
    expect(lines.filter((line) => line.level === 'warn').map((line) => line.fields.feature)).toEqual([
      feature,
    ]);
    expect(JSON.stringify(server.requests.slice(1).map(({ body }) => body))).not.toContain(`"${lack}"`);
  });

  test('all at once', async () => {
    const lacks = lacking.map(([lack]) => lack);
    const { model, api: server } = await start(
      { answers: [hello], lacks, maxOutput: 4096 },
      { effort: 'low', features: { contextEditing: true } },
    );
    expect((await model.next(requestAt([]), soon())).content).toEqual(hello.content);
    expect(Object.keys(server.requests.at(-1)?.body ?? {})).toEqual([
      'model',
      'max_tokens',
      'stream',
      'tools',
      'system',
      'messages',
    ]);
    expect(server.requests.at(-1)?.body.max_tokens).toBe(4096);
  });

  test('one that does not say why gets the plain form once', async () => {
    const { model, api: server } = await start({ answers: [hello], lacks: ['strict'], curt: true });
    expect((await model.next(requestAt([]), soon())).content).toEqual(hello.content);
    expect(server.requests).toHaveLength(2);
  });

  test('one that refuses the plain form too is an error', async () => {
    const { model, api: server } = await start({ answers: [hello], lacks: ['system'], curt: true });
    const error = await failure(model.next(requestAt([]), soon()));
    expect(error.message).toMatch(/refused the request \(400\)\. It said: Bad Request$/);
    expect(error.retryable).toBe(false);
    expect(server.requests).toHaveLength(2);
  });

  test('earlier thinking that no longer fits is left out', async () => {
    const { model, api: server, lines } = await start({ answers: [thought, thought, hello] });
    const first = await model.next(requestAt([]), soon());
    const moved = { ...requestAt([first]), system: 'You review something else.' };
    const second = await model.next(moved, soon());
    expect(second.content.map((block) => block.type)).toEqual(['provider', 'provider', 'tool_use']);
    expect(server.refused).toHaveLength(1);
    expect(lines.map((line) => line.level)).toEqual(['warn']);
  });
});

describe('trying again', () => {
  const passing: readonly (readonly [string, ApiOptions['faults']])[] = [
    ['busy', { 1: { kind: 'status', status: 529, type: 'overloaded_error' } }],
    [
      'a failure',
      {
        1: { kind: 'status', status: 500, type: 'api_error' },
        2: { kind: 'status', status: 502, type: 'api_error' },
      },
    ],
    [
      'a rate limit',
      { 1: { kind: 'status', status: 429, type: 'rate_limit_error', headers: { 'retry-after': '0' } } },
    ],
    ['a stream that is cut', { 1: { kind: 'cut' } }],
    ['a stream that ends early', { 1: { kind: 'short' } }],
    ['an error in the stream', { 1: { kind: 'error_event' } }],
    ['a lost connection', { 1: { kind: 'reset' } }],
    ['a page that is no stream', { 1: { kind: 'html' } }],
  ];
  test.each(passing)('%s passes, and no half answer is taken for a whole', async (_, faults) => {
    const long: ApiAnswer = {
      content: [{ type: 'text', text: 'A long answer, sent in many small pieces.' }],
    };
    const { model } = await start({ answers: [long], faults });
    const turn = await model.next(requestAt([]), soon());
    expect(turn.content).toEqual(long.content);
  });

  test('a page instead of a stream is named, and where to look', async () => {
    const html = { kind: 'html' } as const;
    const { model, api: server } = await start({
      answers: [hello],
      faults: { 1: html, 2: html, 3: html, 4: html, 5: html },
    });
    const error = await failure(model.next(requestAt([]), soon()));
    expect(server.requests).toHaveLength(5);
    expect(error.message).toMatch(
      /^127\.0\.0\.1:\d+ answered with text\/html that is no stream of the Messages API, tried 5 times in \d+ s\. Check that ANTHROPIC_BASE_URL leads to the Messages API\.$/,
    );
  });

  test('when the deadline ends the tries, the sentence says what the endpoint did', async () => {
    const { model } = await start(
      { answers: [hello], faults: { 1: { kind: 'reset' } } },
      { pace: { firstPause: 60_000 } },
    );
    const error = await failure(model.next(requestAt([]), soon(40_000)));
    expect(error.message).toMatch(
      /^127\.0\.0\.1:\d+ could not be reached \(.+\)\. Check the network and ANTHROPIC_BASE_URL\.$/,
    );
  });

  test('an answer that broke off is thrown away and still counted', async () => {
    const { model } = await start({ answers: [hello], faults: { 1: { kind: 'cut' } } });
    const turn = await model.next(requestAt([]), soon());
    expect(turn.usage.inputTokens).toBe(20);
  });

  test('silence in the middle ends an attempt; pings are no silence', async () => {
    const pace = { firstPause: 2, silence: 300 };
    const { model, api: server } = await start(
      { answers: [hello], faults: { 1: { kind: 'stall' }, 2: { kind: 'slow', pings: 8, everyMs: 50 } } },
      { pace },
    );
    expect((await model.next(requestAt([]), soon())).content).toEqual(hello.content);
    expect(server.requests).toHaveLength(2);
  });

  test('retry-after is honoured', async () => {
    const faults: ApiOptions['faults'] = {
      1: { kind: 'status', status: 429, type: 'rate_limit_error', headers: { 'retry-after': '1' } },
    };
    const { model } = await start({ answers: [hello], faults });
    const from = Date.now();
    await model.next(requestAt([]), soon());
    expect(Date.now() - from).toBeGreaterThanOrEqual(990);
  });

  test('a wait that would pass the deadline is not begun', async () => {
    const faults: ApiOptions['faults'] = {
      1: { kind: 'status', status: 429, type: 'rate_limit_error', headers: { 'retry-after': '60' } },
    };
    const { model, api: server } = await start({ answers: [hello], faults });
    const error = await failure(model.next(requestAt([]), soon(50_000)));
    expect(error).toMatchObject({ status: 429, retryable: true });
    expect(server.requests).toHaveLength(1);
  });

  test('at most five times', async () => {
    const busy = { kind: 'status', status: 529, type: 'overloaded_error' } as const;
    const { model, api: server } = await start({
      answers: [hello],
      faults: { 1: busy, 2: busy, 3: busy, 4: busy, 5: busy },
    });
    const error = await failure(model.next(requestAt([]), soon()));
    expect(server.requests).toHaveLength(5);
    expect(error.message).toMatch(
      /^127\.0\.0\.1:\d+ is busy \(529\), tried 5 times in \d+ s\. Try again later\./,
    );
    expect(error).toMatchObject({ status: 529, retryable: true });
  });

  test('the deadline ends an answer that does not come', async () => {
    const { model } = await start({ answers: [hello], faults: { 1: { kind: 'stall' } } });
    const error = await failure(model.next(requestAt([]), soon(300)));
    expect(error.message).toContain('did not answer before the time of this run was over');
    expect(error.retryable).toBe(true);
  });

  test.each(['while it waits', 'while it reads'])('a stopped run ends at once %s', async (when) => {
    const faults: ApiOptions['faults'] =
      when === 'while it waits'
        ? { 1: { kind: 'status', status: 429, type: 'rate_limit_error', headers: { 'retry-after': '15' } } }
        : { 1: { kind: 'stall' } };
    const { model } = await start({ answers: [hello], faults });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    const error = await failure(
      model.next(requestAt([]), { signal: stop.signal, deadline: Date.now() + 60_000 }),
    );
    expect(error.message).toBe('The run was stopped while the model was answering.');
  });
});

describe('refusals say how to mend them', () => {
  const refusals: readonly (readonly [number, string, RegExp])[] = [
    [402, 'billing_error', /asks for payment \(402\)\. Add credit/],
    [403, 'permission_error', /does not allow this key to use claude-sonnet-5-5 \(403\)\..*EVIDENT_MODEL/],
    [
      404,
      'not_found_error',
      /does not know the model claude-sonnet-5-5 \(404\)\. Set EVIDENT_MODEL.*ANTHROPIC_BASE_URL/,
    ],
    [413, 'request_too_large', /larger than .* takes \(413\)/],
  ];
  test.each(refusals)('%i', async (status, type, sentence) => {
    const { model, api: server } = await start({
      answers: [],
      faults: { 1: { kind: 'status', status, type } },
    });
    const error = await failure(model.next(requestAt([]), soon()));
    expect(error.message).toMatch(sentence);
    expect(error).toMatchObject({ status, retryable: false });
    expect(server.requests).toHaveLength(1);
  });

  test('a wrong key names the variable and not the key', async () => {
    const { model } = await start(
      { answers: [hello], key: 'another' },
      { apiKey: undefined, authToken: 'token-secret' },
    );
    const error = await failure(model.next(requestAt([]), soon()));
    expect(error.message).toMatch(
      /does not accept the key \(401\)\. Set ANTHROPIC_AUTH_TOKEN to a valid one\./,
    );
    expect(error.message).not.toContain('token-secret');
  });

  test('no endpoint at all', async () => {
    const { log } = logging();
    const model = createAnthropicModel({
      apiKey: 'k',
      baseURL: 'http://127.0.0.1:9',
      model: 'm',
      log,
      pace: quick,
    });
    const error = await failure(model.next(requestAt([]), soon()));
    expect(error.message).toMatch(
      /^127\.0\.0\.1:9 could not be reached \(.+\), tried 5 times.*ANTHROPIC_BASE_URL/,
    );
    expect(error.retryable).toBe(true);
  });
});
