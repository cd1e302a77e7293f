import type { Message } from '../../core/transcript.js';
import { askKey } from './look.js';
import type { Answer, Ask } from './look.js';

/** Where a run stands, read from its messages alone: a killed run goes on from the same place. */
export type Conversation = {
  readonly turn: number;
  readonly known: ReadonlyMap<string, Answer>;
  /** The newest submission and why it came back. */
  readonly sentBack?: { readonly input: unknown; readonly reasons: string };
  /** What was asked about findings of before when a submission had been accepted. */
  readonly followUp?: string;
  /** The loop accepts only the terminal tool from here on. */
  readonly closing: boolean;
};

export const terminalTool = 'submit_code_review';

export function readConversation(messages: readonly Message[]): Conversation {
  const asked = new Map<string, { name: string; input: unknown }>();
  const known = new Map<string, Answer>();
  let sentBack: Conversation['sentBack'];
  let followUp: string | undefined;
  let closing = false;
  let turn = 0;
  messages.forEach((message, index) => {
    if (message.role === 'assistant') turn += 1;
    for (const block of message.content) {
      if (block.type === 'tool_use') asked.set(block.id, block);
      if (block.type === 'tool_result') {
        const call = asked.get(block.toolUseId);
        if (call === undefined) continue;
        if (call.name === terminalTool && block.isError)
          sentBack = { input: call.input, reasons: block.text };
        else if (call.name === terminalTool) {
          followUp = block.text;
          sentBack = undefined;
        } else known.set(askKey(call as Ask), { text: block.text, isError: block.isError });
      }
      // The opening speaks of the terminal tool too; only what comes after a turn can close the run.
      if (block.type === 'text' && message.role === 'user' && index > 0)
        closing ||= block.text.includes(terminalTool) && /\bonly\b/i.test(block.text);
    }
  });
  return {
    turn,
    known,
    closing,
    ...(sentBack !== undefined && { sentBack }),
    ...(followUp !== undefined && { followUp }),
  };
}
