import { ModelError } from '../../lib/core/errors.js';
import { calls, createScriptedModel, says } from '../../lib/models/scripted.js';
import { modelContract, requestAt } from './contract.js';

modelContract('scripted', async (turns) => ({ model: createScriptedModel(turns) }));

const now = () => ({ signal: new AbortController().signal, deadline: Date.now() + 60_000 });

test('a turn may be made from the request, or be thrown', async () => {
  const model = createScriptedModel([
    calls({ name: 'look', input: { path: 'a' } }),
    (request) => says(`${request.messages.length} messages`),
    new ModelError('busy', { retryable: true }),
  ]);
  expect((await model.next(requestAt([]), now())).stop).toEqual({ kind: 'tool_use' });
  expect((await model.next(requestAt([]), now())).content).toEqual([{ type: 'text', text: '1 messages' }]);
  await expect(model.next(requestAt([]), now())).rejects.toThrow('busy');
  await expect(model.next(requestAt([]), now())).rejects.toThrow(
    'The script has 3 turns and was asked for one more.',
  );
  expect(model.requests).toHaveLength(4);
});

test('calls of one turn have different ids', () => {
  const ids = calls({ name: 'look', input: {} }, { name: 'look', input: {} }).content.map(
    (b) => b.type === 'tool_use' && b.id,
  );
  expect(new Set(ids).size).toBe(2);
});
