import type { Block, Message } from '../../core/transcript.js';
import type { ModelRequest } from '../../ports/model.js';
import { strictTools } from './strict.js';

/** Parts of a request that some endpoints do not take. Each can be left out without changing what is asked. */
export const features = [
  'context_management',
  'cache_control',
  'effort',
  'strict',
  'thinking',
  'version',
] as const;
export type Feature = (typeof features)[number];

export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export type BodySettings = {
  readonly model: string;
  readonly maxTokens: number;
  readonly effort?: Effort | undefined;
  /** What this request may use. */
  readonly use: ReadonlySet<Feature>;
  /** Tools whose results the server may never clear from the context. */
  readonly keepResultsOf: readonly string[];
  /** Opaque blocks that the endpoint refused and that are left out from then on. */
  readonly omitted: WeakSet<object>;
};

export type WireMessage = { readonly role: 'user' | 'assistant'; readonly content: readonly WireBlock[] };
export type WireBlock = Readonly<Record<string, unknown>>;
export type WireRequest = {
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
};

/** A request in the form of the Messages API: streaming, no sampling parameters, no forced tool, no prefill. */
export function toWire(request: ModelRequest, settings: BodySettings): WireRequest {
  const { use } = settings;
  const strict = use.has('strict') ? strictTools(request.tools) : new Set<string>();
  const tools: readonly WireBlock[] = request.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: tool.inputSchema,
    ...(strict.has(tool.name) ? { strict: true } : {}),
  }));
  const system = isBlank(request.system) ? [] : [{ type: 'text', text: wellFormed(request.system) }];
  const messages = toMessages(request.messages, settings.omitted);
  const marked = use.has('cache_control')
    ? withCacheMarks({ tools, system, messages })
    : { tools, system, messages };
  return {
    body: {
      model: settings.model,
      max_tokens: settings.maxTokens,
      stream: true,
      ...(marked.tools.length > 0 ? { tools: marked.tools } : {}),
      ...(marked.system.length > 0 ? { system: marked.system } : {}),
      messages: marked.messages,
      ...(use.has('thinking') ? { thinking: { type: 'adaptive' } } : {}),
      ...(use.has('effort') && settings.effort !== undefined
        ? { output_config: { effort: settings.effort } }
        : {}),
      ...(use.has('context_management') ? { context_management: clearing(settings.keepResultsOf) } : {}),
    },
    headers: {
      ...(use.has('context_management') ? { 'anthropic-beta': 'context-management-2025-06-27' } : {}),
      // An endpoint that does not know the newest version of the API is asked in the one all of them know.
      ...(use.has('version') ? {} : { 'anthropic-version': '2023-06-01' }),
    },
  };
}

/**
 * The server clears old tool results itself: changing them here would break the binding of the thinking blocks.
 * It starts late and clears a lot at once, because each clearing costs one cache write of all that follows.
 * https://platform.claude.com/docs/en/build-with-claude/context-editing
 */
const clearing = (keep: readonly string[]) => ({
  edits: [
    {
      type: 'clear_tool_uses_20250919',
      trigger: { type: 'input_tokens', value: 150_000 },
      keep: { type: 'tool_uses', value: 12 },
      clear_at_least: { type: 'input_tokens', value: 50_000 },
      ...(keep.length > 0 ? { exclude_tools: keep } : {}),
    },
  ],
});

/** Messages of the API: nothing blank, tool results first, roles in turn. */
export function toMessages(messages: readonly Message[], omitted: WeakSet<object>): readonly WireMessage[] {
  const wire: { role: 'user' | 'assistant'; content: WireBlock[] }[] = [];
  for (const message of messages) {
    const blocks = message.content.flatMap((block) => toBlock(block, omitted));
    const content = [...blocks.filter(isToolResult), ...blocks.filter((block) => !isToolResult(block))];
    if (content.length === 0) continue;
    const last = wire.at(-1);
    if (last?.role === message.role) last.content.push(...content);
    else wire.push({ role: message.role, content });
  }
  return wire;
}

const isToolResult = (block: WireBlock): boolean => block.type === 'tool_result';

function toBlock(block: Block, omitted: WeakSet<object>): WireBlock[] {
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? [] : [{ type: 'text', text: wellFormed(block.text) }];
    case 'tool_use':
      return [{ type: 'tool_use', id: block.id, name: block.name, input: toInput(block.input) }];
    case 'tool_result':
      return [
        {
          type: 'tool_result',
          tool_use_id: block.toolUseId,
          content: isBlank(block.text) ? '(nothing)' : wellFormed(block.text),
          ...(block.isError ? { is_error: true } : {}),
        },
      ];
    case 'provider': {
      if (typeof block.raw !== 'object' || block.raw === null || omitted.has(block.raw)) return [];
      return [block.raw as WireBlock];
    }
  }
}

/** The API takes objects only; what came unparseable goes back as it was read, inside one. */
function toInput(input: unknown): Readonly<Record<string, unknown>> {
  if (typeof input === 'object' && input !== null && !Array.isArray(input))
    return input as Record<string, unknown>;
  return { unparsed: input ?? null };
}

/**
 * Three marks besides the one after tools and system: the end of each of the last three user messages. The older two
 * are where an entry was written before; a look-up goes back 20 blocks only, and one turn of parallel calls has more.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching (at most 4, never on thinking)
 */
function withCacheMarks(parts: {
  readonly tools: readonly WireBlock[];
  readonly system: readonly WireBlock[];
  readonly messages: readonly WireMessage[];
}): typeof parts {
  const users = parts.messages.flatMap((message, index) => (message.role === 'user' ? [index] : []));
  const marked = new Set(users.slice(-3));
  return {
    tools: parts.system.length === 0 ? markLast(parts.tools) : parts.tools,
    system: markLast(parts.system),
    messages: parts.messages.map((message, index) =>
      marked.has(index) ? { ...message, content: markLast(message.content) } : message,
    ),
  };
}

function markLast(blocks: readonly WireBlock[]): readonly WireBlock[] {
  const last = blocks.at(-1);
  if (last === undefined) return blocks;
  return [...blocks.slice(0, -1), { ...last, cache_control: { type: 'ephemeral' } }];
}

const isBlank = (text: string): boolean => text.trim() === '';

/** A text cut in the middle of a pair would make the whole body invalid JSON for the endpoint. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');
