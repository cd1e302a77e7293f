import type { Block } from '../../lib/core/transcript.js';
import { createReplayModel } from '../../lib/models/replay.js';
import type { ModelRequest } from '../../lib/ports/model.js';
import { modelContract, requestAt, transcriptOf, turnOf } from './contract.js';

modelContract('replay', async (_, transcript) => ({ model: createReplayModel(transcript) }));

const now = () => ({ signal: new AbortController().signal, deadline: Date.now() + 60_000 });
const use: Block = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { path: 'a' } };
const turns = [
  turnOf([use], { kind: 'tool_use' }),
  turnOf([{ type: 'text', text: 'Done.' }], { kind: 'end_turn' }),
];

const ask = (request: ModelRequest) => createReplayModel(transcriptOf(turns)).next(request, now());

test('a transcript that was written to a file is replayed from any turn', async () => {
  const fromFile = JSON.parse(JSON.stringify(transcriptOf(turns)));
  const turn = await createReplayModel(fromFile).next(requestAt([turns[0]!]), now());
  expect(turn.content).toEqual([{ type: 'text', text: 'Done.' }]);
});

const changed = requestAt([turns[0]!]);
const diverging: readonly (readonly [string, ModelRequest, RegExp])[] = [
  [
    'another prompt',
    { ...changed, system: 'You review code.' },
    /in the system prompt: recorded "You review\.", now "You review code\."/,
  ],
  [
    'another result',
    {
      ...changed,
      messages: [
        ...changed.messages.slice(0, 2),
        {
          role: 'user',
          content: [{ type: 'tool_result', toolUseId: 'toolu_1', text: 'other', isError: false }],
        },
      ],
    },
    /at message 3 \(user\): recorded ".*about.*", now ".*other/,
  ],
  ['a message less', { ...changed, messages: changed.messages.slice(0, 2) }, /at message 3 \(user\)/],
  [
    'a message more',
    { ...changed, messages: [...changed.messages, ...changed.messages.slice(0, 1)] },
    /3 messages were recorded before turn 2, 4 were sent/,
  ],
  [
    'a turn more',
    requestAt([...turns, turns[1]!].slice(0, 3)),
    /the transcript has 2 turns and the run asked for turn 4/,
  ],
];
test.each(diverging)('%s is told with the place', async (_, request, sentence) => {
  await expect(ask(request)).rejects.toThrow(sentence);
});
