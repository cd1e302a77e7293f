import type { Toolset } from '../agent/tool.js';
import type { Budget } from '../core/budget.js';
import type { Finding } from '../core/finding.js';
import type { Message } from '../core/transcript.js';
import { chatOpening, chatSystem } from '../prompts/chat.js';
import { evidenceTools } from '../tools/index.js';
import { shownPath } from '../tools/shown-path.js';
import { submitReply, type ReplyRead } from '../tools/submit-reply.js';
import { itemOpening, type ItemGiven } from './item-opening.js';

export type ChatTask = {
  readonly kind: 'chat';
  readonly toolset: Toolset<ReplyRead>;
  readonly system: string;
  readonly opening: Message;
  readonly budget: Budget;
};

export type ChatGiven = ItemGiven & { readonly finding: Finding; readonly budget: Budget };

/** One look at what somebody replied to a finding: the tools of a review, one reply. */
export async function chatTask(given: ChatGiven): Promise<ChatTask> {
  const { finding, budget, snapshot, reader, source } = given;
  const { opened, accused, ...talk } = await itemOpening(finding, given);
  const at = accused[0] ?? { path: finding.anchor.path, end: finding.anchor.line };
  const text = chatOpening({
    ...talk,
    id: finding.id,
    weight: `${finding.severity}, ${finding.category}, ${finding.rule}`,
    place: `${shownPath(at.path)}:${at.end}`,
    title: finding.title,
    body: finding.body,
    turns: budget.turns,
    toolCalls: budget.toolCalls,
  });
  return {
    kind: 'chat',
    toolset: {
      tools: evidenceTools({ snapshot, reader }),
      terminal: submitReply({ finding, accused, source, opened }),
    },
    system: chatSystem(),
    opening: { role: 'user', content: [{ type: 'text', text }] },
    budget,
  };
}
