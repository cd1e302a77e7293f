import { addUsage, noSpend, tokensOf, type Spend } from '../core/budget.js';
import type { Served } from '../core/evidence.js';
import type { Accepted, Block, Message, Outcome, ToolCall, Turn } from '../core/transcript.js';
import { callKey, type Answered } from './execute-tools.js';

/** All that a run knows, folded from its turns: a resumed run is in the state that the killed one was in. */
export type RunState = {
  readonly turns: readonly Turn[];
  readonly messages: readonly Message[];
  readonly served: readonly Served[];
  readonly calls: readonly ToolCall[];
  readonly spend: Spend;
  readonly answered: ReadonlyMap<string, Answered>;
  readonly usedIds: ReadonlySet<string>;
  /** Turns in a row that called nothing, that were cut off at the output limit, that paused. */
  readonly idle: number;
  readonly cutOff: number;
  readonly paused: number;
  readonly closing: string | null;
  /** A submission that stands, since one thing more was asked about it. */
  readonly held: Accepted<unknown> | null;
  readonly ended: Outcome | null;
};

export const beginRun = (opening: Message): RunState => ({
  turns: [],
  messages: [opening],
  served: [],
  calls: [],
  spend: noSpend,
  answered: new Map(),
  usedIds: new Set(),
  idle: 0,
  cutOff: 0,
  paused: 0,
  closing: null,
  held: null,
  ended: null,
});

export function afterTurn(before: RunState, turn: Turn): RunState {
  // Where the run is played back it is told again that there is time; where it is under way it was.
  const isTold = before.closing === null && before.ended === null;
  const state = turn.wentOn === true && !isTold ? goingOn(before) : before;
  const uses = turn.assistant.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
  const answered = new Map(state.answered);
  for (const call of turn.calls)
    if (!call.failed) answered.set(callKey(call.name, call.input), { turn: turn.index, nudged: false });
  for (const call of turn.repeated ?? []) {
    const key = callKey(call.name, call.input);
    answered.set(key, { turn: answered.get(key)?.turn ?? turn.index, nudged: true });
  }
  const { stop } = turn;
  return {
    turns: [...state.turns, turn],
    messages: [...state.messages, turn.assistant, ...(turn.reply === undefined ? [] : [turn.reply])],
    served: [...state.served, ...turn.served],
    calls: [...state.calls, ...turn.calls],
    spend: {
      turns: state.spend.turns + 1,
      toolCalls: state.spend.toolCalls + turn.calls.length,
      submissions: state.spend.submissions + (turn.submitted === true ? 1 : 0),
      usage: addUsage(state.spend.usage, turn.usage),
      lastTurn: { tokens: tokensOf(turn.usage), dollars: turn.usage.dollars, ms: turn.ms ?? 0 },
    },
    answered,
    usedIds: new Set([...state.usedIds, ...uses.map((use) => use.id)]),
    idle: uses.length === 0 && (stop.kind === 'end_turn' || stop.kind === 'tool_use') ? state.idle + 1 : 0,
    cutOff: stop.kind === 'max_tokens' ? state.cutOff + 1 : 0,
    paused: stop.kind === 'pause_turn' && uses.length === 0 ? state.paused + 1 : 0,
    closing: turn.closing ?? state.closing,
    held: turn.held ?? state.held,
    ended: turn.ended ?? null,
  };
}

/**
 * A run that was closing for want of time, and perhaps submitted what it had, has time again: it is told so after all
 * that was said, and the submission is kept in its words only. Otherwise it would do what it was told last: submit.
 */
export function goingOn(state: RunState): RunState {
  const told: Block = { type: 'text', text: timeAgain };
  const last = state.messages.at(-1);
  const earlier = state.messages.slice(0, -1);
  const open = { ...state, closing: null, ended: null };
  if (last?.role === 'user')
    return { ...open, messages: [...earlier, { ...last, content: [...last.content, told] }] };
  // A turn that ended the run was not answered.
  if (state.ended === null || last === undefined) return open;
  const results = last.content.flatMap((block): readonly Block[] =>
    block.type === 'tool_use'
      ? [{ type: 'tool_result', toolUseId: block.id, text: 'Noted.', isError: false }]
      : [],
  );
  return { ...open, messages: [...state.messages, { role: 'user', content: [...results, told] }] };
}

const timeAgain =
  'There is time again: every tool is accepted. Read what had to be left out, then submit the whole once more.';
