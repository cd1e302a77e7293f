import { ModelError } from '../../lib/core/errors.js';
import type { Block, Message, StopReason, Transcript } from '../../lib/core/transcript.js';
import { noSpend, noUsage } from '../../lib/core/budget.js';
import type { Model, ModelRequest, ModelTurn, ToolDefinition } from '../../lib/ports/model.js';

/** A model that will say these turns when it is asked the requests of `conversation`. */
export type Harness = (
  turns: readonly ModelTurn[],
  transcript: Transcript,
) => Promise<{
  readonly model: Model;
  /** The messages of the last request, as they reached whatever answers. */
  readonly reached?: () => readonly {
    readonly role: string;
    readonly content: readonly Record<string, unknown>[];
  }[];
  readonly close?: () => Promise<void>;
}>;

export const tools: readonly ToolDefinition[] = [
  {
    name: 'look',
    description: 'Looks something up.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' } },
      required: ['path'],
      additionalProperties: false,
    },
  },
];

export const opening: Message = { role: 'user', content: [{ type: 'text', text: 'Review this, please.' }] };

const use = (id: string, path: string): Block => ({ type: 'tool_use', id, name: 'look', input: { path } });

export const turnOf = (content: readonly Block[], stop: StopReason): ModelTurn => ({
  content,
  stop,
  usage: { ...noUsage, inputTokens: 10, outputTokens: 5 },
});

/** Each turn with the reply it gets: results for its calls, else a word. */
export function transcriptOf(turns: readonly ModelTurn[], model = 'claude-sonnet-5-5'): Transcript {
  return {
    model,
    system: 'You review.',
    opening,
    turns: turns.map((turn, index) => ({
      index,
      assistant: { role: 'assistant', content: turn.content },
      stop: turn.stop,
      usage: turn.usage,
      reply: replyTo(turn),
      served: [],
      calls: [],
    })),
    spend: noSpend,
  };
}

function replyTo(turn: ModelTurn): Message {
  const results = turn.content.flatMap((block): Block[] =>
    block.type === 'tool_use'
      ? [
          {
            type: 'tool_result',
            toolUseId: block.id,
            text: `about ${JSON.stringify(block.input)}`,
            isError: block.id.endsWith('bad'),
          },
        ]
      : [],
  );
  return { role: 'user', content: results.length > 0 ? results : [{ type: 'text', text: 'Go on.' }] };
}

/** The request before the turn at `index`, made of what came so far. */
export const requestAt = (said: readonly ModelTurn[]): ModelRequest => {
  const transcript = transcriptOf(said);
  return {
    system: transcript.system,
    tools,
    messages: [
      transcript.opening,
      ...transcript.turns.flatMap((turn) => [turn.assistant, turn.reply as Message]),
    ],
  };
};

const soon = () => ({ signal: new AbortController().signal, deadline: Date.now() + 60_000 });

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

/** What every model behind the port does, whatever it is made of. */
export function modelContract(name: string, harness: Harness): void {
  describe(`${name} keeps the contract of a model`, () => {
    const conversation = [
      turnOf(
        [
          { type: 'text', text: 'Looking.' },
          use('toolu_1', 'a.ts'),
          use('toolu_2_bad', 'b "quoted" \n ü.ts'),
        ],
        { kind: 'tool_use' },
      ),
      turnOf([use('toolu_3', 'c.ts')], { kind: 'tool_use' }),
      turnOf([{ type: 'text', text: 'Nothing to say.' }], { kind: 'end_turn' }),
    ];

    async function converse(turns: readonly ModelTurn[]) {
      const { model, reached, close } = await harness(turns, transcriptOf(turns));
      const said: ModelTurn[] = [];
      try {
        for (const _ of turns) said.push(await model.next(frozen(requestAt(said)), soon()));
        return { said, sent: reached?.() };
      } finally {
        await close?.();
      }
    }

    test('says each turn with its text, calls and stop reason, and leaves the request alone', async () => {
      const { said } = await converse(conversation);
      expect(said.map(({ content, stop }) => ({ content, stop }))).toEqual(
        conversation.map(({ content, stop }) => ({ content, stop })),
      );
    });

    test('counts what each turn used', async () => {
      const { said } = await converse(conversation);
      for (const { usage } of said) {
        expect(usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens).toBeGreaterThan(0);
        expect(usage.outputTokens).toBeGreaterThan(0);
      }
    });

    test('passes results on, with which of them are errors', async () => {
      const { sent } = await converse(conversation);
      if (sent === undefined) return expect(name).toMatch(/scripted|replay/);
      const results = sent
        .flatMap((message) => message.content)
        .filter((block) => block.type === 'tool_result');
      expect(results.map((block) => [block.tool_use_id, block.is_error === true])).toEqual([
        ['toolu_1', false],
        ['toolu_2_bad', true],
        ['toolu_3', false],
      ]);
    });

    const stops: readonly StopReason[] = [
      { kind: 'end_turn' },
      { kind: 'max_tokens' },
      { kind: 'pause_turn' },
      { kind: 'refusal', detail: 'cyber: Not this.' },
      { kind: 'context_exceeded' },
      { kind: 'unknown', word: 'something_new' },
    ];
    test.each(stops)('knows the stop reason $kind', async (stop) => {
      const { said } = await converse([turnOf([{ type: 'text', text: 'So far.' }], stop)]);
      expect(said[0]?.stop).toEqual(stop);
    });

    test('ends at once when the run is stopped', async () => {
      const { model, close } = await harness(conversation, transcriptOf(conversation));
      const from = Date.now();
      const stopped = model.next(requestAt([]), { signal: AbortSignal.abort(), deadline: from + 600_000 });
      await expect(stopped).rejects.toBeInstanceOf(ModelError);
      expect(Date.now() - from).toBeLessThan(600_000);
      await close?.();
    });

    test('says who it is and where it sends', async () => {
      const { model, close } = await harness(conversation, transcriptOf(conversation));
      expect(model.name).not.toBe('');
      expect(['language_model', 'rules']).toContain(model.kind);
      expect(model.sendsTo === null || /^[\w.:[\]-]+$/.test(model.sendsTo)).toBe(true);
      await close?.();
    });
  });
}
