import nock from 'nock';
import { createAnthropicModel } from '../../lib/models/anthropic.js';
import { silentLog } from '../../lib/ports/log.js';
import { requestAt } from './contract.js';

beforeAll(() => nock.disableNetConnect());
afterAll(() => {
  nock.cleanAll();
  nock.enableNetConnect();
  nock.restore();
});

const stream = [
  {
    type: 'message_start',
    message: { id: 'msg_1', role: 'assistant', content: [], usage: { input_tokens: 7, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 3 },
  },
  { type: 'message_stop' },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('');

test("Anthropic's own endpoint is asked once, with its version, the key as a Bearer token and context editing", async () => {
  const scope = nock('https://api.anthropic.com', {
    badheaders: ['x-api-key'],
    reqheaders: {
      authorization: 'Bearer sk-test',
      'anthropic-version': '2026-10-21',
      'anthropic-beta': 'context-management-2025-06-27',
      'content-type': 'application/json',
    },
  })
    .post('/v1/messages', (body: Record<string, unknown>) => {
      expect(Object.keys(body).sort()).toEqual(
        [
          'context_management',
          'max_tokens',
          'messages',
          'model',
          'stream',
          'system',
          'thinking',
          'tools',
        ].sort(),
      );
      return true;
    })
    .reply(200, stream, { 'content-type': 'text/event-stream' });
  const model = createAnthropicModel({ apiKey: 'sk-test', model: 'claude-sonnet-5-5', log: silentLog });
  const turn = await model.next(requestAt([]), {
    signal: new AbortController().signal,
    // Loading the provider's own client counts, too.
    deadline: Date.now() + 60_000,
  });
  expect(turn.content).toEqual([{ type: 'text', text: 'Hello.' }]);
  expect(turn.usage).toMatchObject({ inputTokens: 7, outputTokens: 3 });
  expect(model.sendsTo).toBe('api.anthropic.com');
  expect(scope.isDone()).toBe(true);
});
