import { noUsage } from '../core/budget.js';
import type { Block } from '../core/transcript.js';
import type { Model, ModelRequest, ModelTurn } from '../ports/model.js';
import { readConversation, terminalTool } from './rules/conversation.js';
import { rules } from './rules/index.js';
import { priorVerdicts } from './rules/prior.js';
import { reviewSoFar } from './rules/review.js';
import { withoutRefused } from './rules/sent-back.js';

/**
 * The embedded reviewer: a few fixed rules that drive the same loop as a language model, with real tool calls
 * and one submission at the end. Needs no key and no network, and costs nothing. The answer is a function of the
 * request's messages alone, so that a run goes on wherever it was killed and says the same again.
 */
export function createRulesModel(): Model {
  return {
    name: 'fixed rules',
    kind: 'rules',
    sendsTo: null,
    next: async (request, { signal }) => {
      signal.throwIfAborted();
      return nextTurn(request);
    },
  };
}

function nextTurn(request: ModelRequest): ModelTurn {
  if (!request.tools.some((tool) => tool.name === terminalTool))
    return say('The fixed rules can review a pull request and nothing else.');
  const conversation = readConversation(request.messages);
  const { turn, sentBack, followUp } = conversation;
  if (sentBack !== undefined) return call(turn, [{ name: terminalTool, input: withoutRefused(sentBack) }]);
  const review = reviewSoFar(rules, conversation.known, conversation.closing);
  if (review.kind === 'asks') return call(turn, review.asks);
  const input =
    followUp === undefined ? review.submission : { prior: priorVerdicts(followUp, review.judgements) };
  return call(turn, [{ name: terminalTool, input }]);
}

const call = (
  turn: number,
  calls: readonly { readonly name: string; readonly input: unknown }[],
): ModelTurn => ({
  content: calls.map(({ name, input }, index): Block => ({
    type: 'tool_use',
    id: `rules_${turn}_${index}`,
    name,
    input,
  })),
  stop: { kind: 'tool_use' },
  usage: noUsage,
});

const say = (text: string): ModelTurn => ({
  content: [{ type: 'text', text }],
  stop: { kind: 'end_turn' },
  usage: noUsage,
});
