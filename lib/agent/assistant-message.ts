import type { Block, Message } from '../core/transcript.js';
import type { ModelTurn } from '../ports/model.js';
import { wellFormed } from './well-formed.js';

export type ToolUse = Extract<Block, { type: 'tool_use' }>;

/** A call as the loop handles it. `problem`: why it must not be run, in words for the model. */
export type Call = ToolUse & { readonly problem?: string };

/**
 * What the model said, in a form that can be sent back. Endpoints differ: ids come twice or empty, arguments come as
 * JSON text, text comes blank, and the Messages API answers 400 to each of these in a later request. `provider`
 * blocks are never touched, except that reasoning at the very end is left out: a message may not end in it.
 */
export function assistantMessage(
  turn: ModelTurn,
  index: number,
  usedIds: ReadonlySet<string>,
): { readonly message: Message; readonly calls: readonly Call[] } {
  const ids = new Set(usedIds);
  const content: Block[] = [];
  const calls: Call[] = [];
  const lastBlock = turn.content.at(-1);
  for (const block of turn.content) {
    switch (block.type) {
      case 'text':
        if (block.text.trim() !== '') content.push({ type: 'text', text: wellFormed(block.text) });
        break;
      case 'provider':
        content.push(block);
        break;
      case 'tool_result':
        break;
      case 'tool_use': {
        const { input, problem } = argumentsOf(block.input);
        const use: ToolUse = {
          type: 'tool_use',
          id: uniqueId(block.id, index, ids),
          name: toolName(block.name),
          input,
        };
        ids.add(use.id);
        content.push(use);
        const cut = turn.stop.kind === 'max_tokens' && block === lastBlock ? cutOff : problem;
        calls.push(cut === undefined ? use : { ...use, problem: cut });
      }
    }
  }
  while (providerType(content.at(-1))?.endsWith('thinking')) content.pop();
  if (content.length === 0) content.push({ type: 'text', text: '(no answer)' });
  return { message: { role: 'assistant', content }, calls };
}

/** The model goes on by itself after a server tool of its provider: no user message may stand between. */
export function waitsForServerTool(message: Message): boolean {
  const type = providerType(message.content.at(-1));
  return type === 'server_tool_use' || type === 'mcp_tool_use' || (type?.endsWith('_tool_result') ?? false);
}

const cutOff =
  'This call was cut off at the output limit and was not run. Send it again, complete and shorter: fewer calls in a turn, less text before it.';

function argumentsOf(raw: unknown): { readonly input: Record<string, unknown>; readonly problem?: string } {
  let value: unknown = raw;
  if (typeof raw === 'string') {
    try {
      value = raw.trim() === '' ? {} : JSON.parse(raw);
    } catch (error) {
      return {
        input: { unreadable: wellFormed(raw.slice(0, 2_000)) },
        problem: `The arguments are not valid JSON (${error instanceof Error ? error.message : String(error)}). Send them as a JSON object.`,
      };
    }
  }
  if (value === undefined || value === null) return { input: {} };
  if (typeof value !== 'object' || Array.isArray(value))
    return { input: { unreadable: wellFormed(value) }, problem: 'The arguments must be one JSON object.' };
  return { input: wellFormed(value) as Record<string, unknown> };
}

function uniqueId(id: unknown, turn: number, used: ReadonlySet<string>): string {
  if (typeof id === 'string' && /^[a-zA-Z0-9_-]{1,128}$/.test(id) && !used.has(id)) return id;
  for (let n = 1; ; n += 1) {
    const made = `call_${turn + 1}_${n}`;
    if (!used.has(made)) return made;
  }
}

const toolName = (name: unknown): string => {
  const plain = typeof name === 'string' ? name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 128) : '';
  return plain === '' ? 'unnamed' : plain;
};

function providerType(block: Block | undefined): string | undefined {
  if (block?.type !== 'provider') return undefined;
  const raw = block.raw;
  if (typeof raw !== 'object' || raw === null || !('type' in raw)) return undefined;
  return typeof raw.type === 'string' ? raw.type : undefined;
}
