import { z } from 'zod';
import { runLoop, type Run } from '../../lib/agent/loop.js';
import type { LoopEvent } from '../../lib/agent/loop-event.js';
import type { Submission, Tool } from '../../lib/agent/tool.js';
import { noUsage, type Budget, type Usage } from '../../lib/core/budget.js';
import { ToolError } from '../../lib/core/errors.js';
import type { Block, Message, Outcome, StopReason, Transcript, Turn } from '../../lib/core/transcript.js';
import type { ModelRequest, ModelTurn } from '../../lib/ports/model.js';
import { whyInvalid, whyNotAppended } from './valid-request.js';

/** What a model does in one turn: says it, or does it with the request at hand. */
export type Move =
  ModelTurn | Error | ((request: ModelRequest, signal: AbortSignal) => Promise<ModelTurn> | ModelTurn);

export type Played = {
  readonly outcome: Outcome<unknown>;
  readonly transcript: Transcript;
  readonly requests: readonly ModelRequest[];
  readonly events: readonly LoopEvent[];
};

export const usage = (tokens: number, dollars: number | null = 0): Usage => ({
  ...noUsage,
  inputTokens: tokens,
  dollars,
});

export const says = (
  content: string | readonly Block[],
  stop: StopReason['kind'] | StopReason = 'end_turn',
  cost: Usage = usage(10),
): ModelTurn => ({
  content: typeof content === 'string' ? [text(content)] : content,
  stop: typeof stop === 'string' ? ({ kind: stop } as StopReason) : stop,
  usage: cost,
});

export const text = (words: string): Block => ({ type: 'text', text: words });

let ids = 0;
export const call = (name: string, input: unknown = {}, id = `toolu_${(ids += 1)}`): Block => ({
  type: 'tool_use',
  id,
  name,
  input,
});

export const calls = (...blocks: readonly Block[]): ModelTurn => says(blocks, 'tool_use');
export const submit = (value: unknown = 'done', id?: string): Block => call('submit', { value }, id);

export const plenty: Budget = {
  turns: 50,
  toolCalls: 100,
  tokens: 1_000_000,
  dollars: 10,
  deadline: 10_000_000_000_000,
  submissionTries: 3,
};

export const look: Tool = {
  name: 'look',
  description: 'looks',
  schema: z.strictObject({ at: z.string(), page: z.int().optional() }),
  run: async (input) => {
    const { at } = input as { at: string };
    if (at === 'nowhere') throw new ToolError('There is no nowhere.');
    if (at === 'broken') throw new TypeError('undefined is not a function');
    return { text: `saw ${at}`, served: [{ path: at, ref: 'head', start: 1, end: 1 }] };
  },
};

export const opening: Message = { role: 'user', content: [text('Please look.')] };

/** A clock that stands still unless a test moves it. */
export const stillClock = (now = 1_000): { (): number; now: number } => {
  const clock = (): number => clock.now;
  clock.now = now;
  return clock;
};

/** Accepts everything but `{ value: 'bad' }`, and that on the last try. */
export const accept = async (
  input: unknown,
  _seen: unknown,
  lastTry: boolean,
): Promise<Submission<unknown>> => {
  const { value } = input as { value?: unknown };
  if (value !== 'bad') return { kind: 'accepted', value, dropped: [] };
  return lastTry
    ? { kind: 'accepted', value: 'what was good', dropped: [{ what: 'bad', why: 'it is bad' }] }
    : { kind: 'sent_back', reasons: ['bad is bad'] };
};

/**
 * Plays a run against a model that makes these moves. Every request is checked on arrival: the Messages API would
 * take it, and it carries the one before unchanged.
 */
export async function play(
  moves: readonly Move[] | ((request: ModelRequest, n: number) => Move),
  change: Partial<Run<unknown>> = {},
): Promise<Played> {
  const requests: ModelRequest[] = [];
  const events: LoopEvent[] = [];
  const { outcome, transcript } = await runLoop<unknown>({
    model: {
      name: 'played',
      kind: 'language_model',
      sendsTo: null,
      async next(request, { signal }) {
        const wrong = whyInvalid(request);
        if (wrong !== null) throw new Error(`invalid request: ${wrong}`);
        const before = requests.at(-1);
        const changed = before === undefined ? null : whyNotAppended(before, request);
        if (changed !== null) throw new Error(`not append-only: ${changed}`);
        requests.push(structuredClone(request));
        const n = requests.length - 1;
        const move = typeof moves === 'function' ? moves(request, n) : moves[n];
        if (move === undefined) throw new Error(`no move for request ${n}`);
        if (move instanceof Error) throw move;
        return typeof move === 'function' ? await move(request, signal) : move;
      },
    },
    toolset: {
      tools: [look],
      terminal: {
        name: 'submit',
        description: 'ends it',
        schema: z.strictObject({ value: z.unknown() }),
        accept,
      },
    },
    system: 'You look.',
    opening,
    budget: plenty,
    clock: stillClock(),
    signal: new AbortController().signal,
    emit: (event) => events.push(event),
    ...change,
  });
  return { outcome, transcript, requests, events };
}

/** The blocks of the user message that the n-th request (from 0) ended with. */
export const told = ({ requests }: Played, n: number): readonly Block[] =>
  requests[n]?.messages.at(-1)?.content ?? [];

/** One line a block: `ok text`, `error text` or the text itself. */
export const read = (blocks: readonly Block[]): readonly string[] =>
  blocks.map((block) =>
    block.type === 'tool_result'
      ? `${block.isError ? 'error' : 'ok'} ${block.text}`
      : block.type === 'text'
        ? block.text
        : block.type,
  );

/** A journal in memory that a test can look into. */
export function keptTurns(turns: Turn[] = []): {
  readonly turns: Turn[];
  readonly load: () => Promise<readonly Turn[]>;
  readonly append: (turn: Turn) => Promise<void>;
} {
  return {
    turns,
    load: async () => structuredClone(turns),
    append: async (turn) => {
      turns.push(structuredClone(turn));
    },
  };
}
