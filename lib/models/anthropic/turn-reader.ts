import type { Block, StopReason } from '../../core/transcript.js';
import type { Tokens } from './prices.js';

/** One streamed answer, complete. */
export type ReadTurn = {
  readonly content: readonly Block[];
  readonly stop: StopReason;
  readonly tokens: Tokens;
};

/** Puts the events of one streamed answer together. Sees to it that a half-received answer is never taken for a whole. */
export type TurnReader = {
  take(event: unknown): void;
  /** Null while the answer is not complete. */
  turn(): ReadTurn | null;
  /** What was billed so far, also for an answer that broke off. */
  tokens(): Tokens;
};

type Fields = Record<string, unknown>;
type Open = { readonly start: Fields; readonly raw: Fields; json: string; closed: boolean };

export function createTurnReader(): TurnReader {
  const blocks = new Map<number, Open>();
  const usage: Fields = {};
  let stop: Fields | null = null;

  const addUsage = (seen: unknown): void => {
    for (const [key, value] of Object.entries(fields(seen))) if (value !== null) usage[key] = value;
  };

  return {
    take(event) {
      const e = fields(event);
      const index = typeof e.index === 'number' ? e.index : -1;
      switch (e.type) {
        case 'message_start':
          addUsage(fields(e.message).usage);
          break;
        case 'content_block_start': {
          const start = fields(e.content_block);
          blocks.set(index, { start, raw: { ...start }, json: '', closed: false });
          break;
        }
        case 'content_block_delta': {
          const open = blocks.get(index);
          if (open !== undefined) addDelta(open, fields(e.delta));
          break;
        }
        case 'content_block_stop': {
          const open = blocks.get(index);
          if (open !== undefined) open.closed = true;
          break;
        }
        case 'message_delta': {
          addUsage(e.usage);
          const delta = fields(e.delta);
          if (typeof delta.stop_reason === 'string') stop = delta;
          break;
        }
        default:
          break;
      }
    },
    turn() {
      const ordered = [...blocks.entries()].sort(([a], [b]) => a - b).map(([, open]) => open);
      if (stop === null || ordered.some((open) => !open.closed)) return null;
      const content = ordered.flatMap(toBlocks);
      // Thinking that nothing follows was cut off; unsigned, and last in a message, it could not be sent back.
      while (isThinking(content.at(-1))) content.pop();
      return { content, stop: toStop(stop), tokens: toTokens(usage) };
    },
    tokens: () => toTokens(usage),
  };
}

function addDelta(open: Open, delta: Fields): void {
  if (delta.type === 'input_json_delta') {
    open.json += typeof delta.partial_json === 'string' ? delta.partial_json : '';
    return;
  }
  if (delta.type === 'citations_delta') return;
  // text, thinking, signature, and whatever a later block type calls its parts
  for (const [key, value] of Object.entries(delta)) {
    if (key === 'type') continue;
    const before = open.raw[key];
    open.raw[key] = typeof value === 'string' && typeof before === 'string' ? before + value : value;
  }
}

function toBlocks(open: Open): Block[] {
  const { raw, start } = open;
  if (raw.type === 'text') {
    // Blank text is given by models now and then and refused when it is sent back.
    return typeof raw.text === 'string' && raw.text.trim() !== '' ? [{ type: 'text', text: raw.text }] : [];
  }
  if (raw.type === 'tool_use') {
    const id = typeof raw.id === 'string' ? raw.id : '';
    const name = typeof raw.name === 'string' ? raw.name : '';
    return [
      { type: 'tool_use', id, name, input: open.json === '' ? (start.input ?? {}) : parsed(open.json) },
    ];
  }
  return [{ type: 'provider', raw }];
}

/** Unparseable input stays the text it is: the loop answers it. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}

const isThinking = (block: Block | undefined): boolean =>
  block?.type === 'provider' && /^(redacted_)?thinking$/.test(String(fields(block.raw).type));

function toStop(delta: Fields): StopReason {
  const word = String(delta.stop_reason);
  switch (word) {
    case 'tool_use':
    case 'end_turn':
    case 'max_tokens':
    case 'pause_turn':
      return { kind: word };
    case 'stop_sequence':
      return { kind: 'end_turn' };
    case 'model_context_window_exceeded':
      return { kind: 'context_exceeded' };
    case 'refusal': {
      const details = fields(delta.stop_details);
      const detail = [details.category, details.explanation]
        .filter((part) => typeof part === 'string')
        .join(': ');
      return detail === '' ? { kind: 'refusal' } : { kind: 'refusal', detail };
    }
    default:
      return { kind: 'unknown', word };
  }
}

function toTokens(usage: Fields): Tokens {
  const count = (value: unknown): number =>
    typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
  return {
    input: count(usage.input_tokens),
    cacheRead: count(usage.cache_read_input_tokens),
    cacheWrite: count(usage.cache_creation_input_tokens),
    cacheWriteHour: count(fields(usage.cache_creation).ephemeral_1h_input_tokens),
    output: count(usage.output_tokens),
  };
}

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
