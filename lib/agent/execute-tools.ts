import { z } from 'zod';
import { ToolError } from '../core/errors.js';
import type { Served } from '../core/evidence.js';
import type { Block, ToolCall } from '../core/transcript.js';
import type { Call } from './assistant-message.js';
import type { LoopEvent } from './loop-event.js';
import type { Tool } from './tool.js';
import { wellFormed } from './well-formed.js';
import { withinTime } from './within-time.js';

export type ToolResult = Extract<Block, { type: 'tool_result' }>;

/** What the calls of one turn may do, and what was answered before it. */
export type ToolTurn = {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly terminal: string;
  readonly turn: number;
  /** The limit that closed the evidence tools; null while they are open. */
  readonly closing: string | null;
  /** Calls that may still run. */
  readonly allowance: number;
  readonly answered: ReadonlyMap<string, Answered>;
  readonly limits: ToolLimits;
  readonly signal: AbortSignal;
  readonly clock: () => number;
  readonly emit: (event: LoopEvent) => void;
};

/** Per call: milliseconds until it is stopped, characters until it is cut. */
export type ToolLimits = { readonly ms: number; readonly chars: number };

/** A call that was answered in full in this turn (0-based), and whether its repetition was pointed out since. */
export type Answered = { readonly turn: number; readonly nudged: boolean };

export type ToolTurnResult = {
  /** By call id, one for each call given. */
  readonly results: ReadonlyMap<string, ToolResult>;
  readonly served: readonly Served[];
  readonly calls: readonly ToolCall[];
  readonly repeated: readonly ToolCall[];
};

/**
 * Runs all evidence calls of one model turn at once; each gets its result, whatever is wrong with it. What is
 * decided before anything runs (unknown, malformed, repeated, no allowance left) is decided in call order.
 */
export async function executeTools(calls: readonly Call[], turn: ToolTurn): Promise<ToolTurnResult> {
  const asked = new Map(turn.answered);
  const repeated: ToolCall[] = [];
  let allowance = turn.allowance;
  const started = calls.map((call): Promise<Answer> => {
    const plan = planCall(call, turn, asked, allowance);
    switch (plan.kind) {
      case 'refused':
        return Promise.resolve({ text: plan.text, failed: true, ran: null });
      case 'repeated': {
        asked.set(callKey(call.name, plan.input), { turn: plan.in, nudged: true });
        repeated.push({ name: call.name, input: plan.input, failed: false });
        return Promise.resolve({ text: plan.text, failed: false, ran: null });
      }
      case 'run':
        allowance -= 1;
        asked.set(callKey(call.name, plan.input), { turn: turn.turn, nudged: false });
        return runTool(plan.tool, call, plan.input, turn);
    }
  });
  const answers = await Promise.all(started);
  return {
    results: new Map(calls.map((call, i) => [call.id, toolResult(call.id, answers[i] ?? nothing)])),
    served: answers.flatMap((answer) => answer.ran?.served ?? []),
    calls: answers.flatMap((answer) => (answer.ran === null ? [] : [answer.ran.call])),
    repeated,
  };
}

/** The same tool with the same input, whatever the order of its keys. */
export const callKey = (name: string, input: unknown): string => `${name} ${canonical(input)}`;

type Answer = {
  readonly text: string;
  readonly failed: boolean;
  readonly ran: { readonly call: ToolCall; readonly served: readonly Served[] } | null;
};

const nothing: Answer = { text: '(nothing)', failed: true, ran: null };

type Plan =
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'repeated'; readonly input: unknown; readonly in: number; readonly text: string }
  | { readonly kind: 'run'; readonly tool: Tool; readonly input: unknown };

function planCall(call: Call, turn: ToolTurn, asked: ReadonlyMap<string, Answered>, allowance: number): Plan {
  const refused = (text: string): Plan => ({ kind: 'refused', text });
  if (call.problem !== undefined) return refused(call.problem);
  const tool = turn.tools.get(call.name);
  if (tool === undefined)
    return refused(
      `There is no tool named ${call.name}. The tools are ${[...turn.tools.keys(), turn.terminal].join(', ')}.`,
    );
  if (turn.closing !== null)
    return refused(
      `Not run. Nearly used up: ${turn.closing}. Only ${turn.terminal} is accepted from here on.`,
    );
  const parsed = tool.schema.safeParse(withoutNulls(call.input));
  if (!parsed.success)
    return refused(`The arguments of ${call.name} do not fit:\n${z.prettifyError(parsed.error)}`);
  const before = asked.get(callKey(call.name, parsed.data));
  if (before !== undefined && !before.nudged) {
    const where = before.turn === turn.turn ? 'by the same call in this turn' : `in turn ${before.turn + 1}`;
    return {
      kind: 'repeated',
      input: parsed.data,
      in: before.turn,
      text: `Already answered ${where}; nothing has changed since. Ask something else, or call it once more if that answer is no longer in front of you.`,
    };
  }
  if (allowance <= 0) return refused('Not run: no tool calls are left in this run.');
  return { kind: 'run', tool, input: parsed.data };
}

async function runTool(tool: Tool, call: Call, input: unknown, turn: ToolTurn): Promise<Answer> {
  const about = { turn: turn.turn, id: call.id, name: call.name, input };
  turn.emit({ kind: 'tool_started', ...about });
  const from = turn.clock();
  const ended = await attempt(tool, input, turn);
  const { text, cut } = capped(wellFormed(ended.text), turn.limits.chars);
  // Which lines a cut left standing is the tool's to know: cut here, nothing counts as shown.
  const served = ended.failed || cut ? [] : ended.served;
  turn.emit({
    kind: 'tool_finished',
    ...about,
    ms: turn.clock() - from,
    chars: text.length,
    served,
    failed: ended.failed,
    ...(ended.defect === undefined ? {} : { defect: ended.defect }),
  });
  return {
    text,
    failed: ended.failed,
    ran: { call: { name: call.name, input, failed: ended.failed }, served },
  };
}

type Ended = {
  readonly text: string;
  readonly served: readonly Served[];
  readonly failed: boolean;
  readonly defect?: string;
};

async function attempt(tool: Tool, input: unknown, turn: ToolTurn): Promise<Ended> {
  const failed = (text: string, defect?: string): Ended => ({
    text,
    served: [],
    failed: true,
    ...(defect === undefined ? {} : { defect }),
  });
  try {
    const ended = await withinTime(turn.limits.ms, turn.signal, (signal) => tool.run(input, { signal }));
    switch (ended.kind) {
      case 'done':
        return { text: ended.value.text, served: ended.value.served, failed: false };
      case 'late':
        return failed(
          `Stopped after ${Math.round(turn.limits.ms / 100) / 10} seconds without an answer. Ask for less: a narrower path, range or pattern.`,
        );
      case 'aborted':
        return failed('Stopped: the run was ended.');
    }
  } catch (error) {
    if (error instanceof ToolError) return failed(error.message);
    const detail = error instanceof Error ? error.message : String(error);
    return failed(
      `${tool.name} failed: ${detail}. Try something else.`,
      error instanceof Error ? (error.stack ?? detail) : detail,
    );
  }
}

function capped(text: string, most: number): { readonly text: string; readonly cut: boolean } {
  if (text.trim() === '') return { text: '(empty)', cut: false };
  if (text.length <= most) return { text, cut: false };
  const kept = text.slice(0, most);
  return {
    text: wellFormed(
      `${kept}\n[cut: ${text.length - most} of ${text.length} characters left out; ask for a smaller part]`,
    ),
    cut: true,
  };
}

const toolResult = (id: string, answer: Answer): ToolResult => ({
  type: 'tool_result',
  toolUseId: id,
  text: answer.text,
  isError: answer.failed,
});

/** Models send null for an argument that they mean to leave out. */
const withoutNulls = (input: unknown): unknown =>
  typeof input === 'object' && input !== null && !Array.isArray(input)
    ? Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
    : input;

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  return `{${Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`)
    .join(',')}}`;
}
