import type { Block, Message } from '../../lib/core/transcript.js';
import type { ModelRequest } from '../../lib/ports/model.js';

/** What the Messages API answers 400 to, as a sentence; null for a request that it takes. */
export function whyInvalid({ messages, tools, system }: ModelRequest): string | null {
  if (system.trim() === '') return 'system is blank';
  if (new Set(tools.map((tool) => tool.name)).size !== tools.length) return 'tool names are not unique';
  if (messages.length === 0) return 'no messages';
  if (messages[0]?.role !== 'user') return 'the first message is not a user message';
  let open = new Set<string>();
  const used = new Set<string>();
  for (const [i, message] of messages.entries()) {
    const at = `message ${i}: `;
    const before = messages[i - 1];
    if (before?.role === message.role && !(message.role === 'assistant' && pausedOnServerTool(before)))
      return `${at}two ${message.role} messages in a row`;
    if (message.content.length === 0) return `${at}empty`;
    for (const block of message.content) {
      if (block.type === 'text' && block.text.trim() === '') return `${at}blank text`;
      if (block.type === 'text' && /\p{Cs}/u.test(block.text)) return `${at}half a surrogate pair`;
    }
    const results = message.content.filter((block) => block.type === 'tool_result');
    if (results.length > 0 && message.role !== 'user') return `${at}tool_result outside a user message`;
    if (message.content.slice(0, results.length).some((block) => block.type !== 'tool_result'))
      return `${at}tool_result blocks do not come first`;
    const answered = results.map((result) => result.toolUseId);
    if (new Set(answered).size !== answered.length) return `${at}a call is answered twice`;
    for (const id of answered) if (!open.has(id)) return `${at}answers ${id}, which was not called`;
    for (const id of open) if (!answered.includes(id)) return `${at}does not answer ${id}`;
    for (const result of results) {
      if (result.text === '') return `${at}a result without text`;
      if (/\p{Cs}/u.test(result.text)) return `${at}half a surrogate pair in a result`;
    }
    open = new Set();
    for (const block of message.content) {
      if (block.type !== 'tool_use') continue;
      if (message.role !== 'assistant') return `${at}tool_use outside an assistant message`;
      if (!/^[a-zA-Z0-9_-]+$/.test(block.id)) return `${at}tool_use id "${block.id}"`;
      if (!/^[a-zA-Z0-9_-]{1,128}$/.test(block.name)) return `${at}tool_use name "${block.name}"`;
      if (used.has(block.id)) return `${at}tool_use id ${block.id} is used twice`;
      if (typeof block.input !== 'object' || block.input === null || Array.isArray(block.input))
        return `${at}input is not an object`;
      used.add(block.id);
      open.add(block.id);
    }
    if (message.role === 'assistant' && isThinking(message.content.at(-1))) return `${at}ends in thinking`;
  }
  if (open.size > 0) return 'ends in calls without results';
  const last = messages.at(-1);
  if (last?.role === 'assistant' && !pausedOnServerTool(last))
    return 'ends in an assistant message (prefill)';
  return null;
}

/** Why the later request does not carry the earlier one unchanged at its start; null when it does. */
export function whyNotAppended(earlier: ModelRequest, later: ModelRequest): string | null {
  if (earlier.system !== later.system) return 'the system text changed';
  if (JSON.stringify(earlier.tools) !== JSON.stringify(later.tools)) return 'the tools changed';
  if (later.messages.length <= earlier.messages.length) return 'nothing was appended';
  for (const [i, message] of earlier.messages.entries())
    if (JSON.stringify(later.messages[i]) !== JSON.stringify(message)) return `message ${i} changed`;
  return null;
}

function pausedOnServerTool(message: Message): boolean {
  const type = rawType(message.content.at(-1));
  return type === 'server_tool_use' || (type?.endsWith('_tool_result') ?? false);
}

const isThinking = (block: Block | undefined): boolean => rawType(block)?.endsWith('thinking') ?? false;

const rawType = (block: Block | undefined): string | undefined =>
  block?.type === 'provider' ? (block.raw as { type?: string } | null)?.type : undefined;
