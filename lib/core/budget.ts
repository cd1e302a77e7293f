/** Tokens and dollars of one or more model turns. Cached input is counted apart. */
export type Usage = {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** US dollars by the price table of the model; null when the model has no known price. */
  readonly dollars: number | null;
};

export const noUsage: Usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  dollars: 0,
};

/** An unknown price stays unknown: it never becomes zero by adding. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    dollars: a.dollars === null || b.dollars === null ? null : a.dollars + b.dollars,
  };
}

/** All tokens, cached or not. */
export const tokensOf = (usage: Usage): number =>
  usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;

/** What a run may spend. `deadline` is in epoch milliseconds, always below the host's own limit. */
export type Budget = {
  readonly turns: number;
  readonly toolCalls: number;
  /** Input (cached or not) plus output tokens, summed over turns. 0: no limit. */
  readonly tokens: number;
  /** US dollars. 0: no limit. A model without a known price is not held by it. */
  readonly dollars: number;
  readonly deadline: number;
  /** Submissions that are judged: of the last one the valid items stay and the rest is dropped. */
  readonly submissionTries: number;
  /** Time kept for closing, in milliseconds; 45 seconds when absent. Slow turns keep more. */
  readonly closingMs?: number;
  /** Tokens that one request may have; closes before the model's context is full. Absent: not watched. */
  readonly contextTokens?: number;
};

/** One model turn as it went: what the next one will cost at least, because the conversation only grows. */
export type TurnCost = { readonly tokens: number; readonly dollars: number | null; readonly ms: number };

export type Spend = {
  readonly turns: number;
  /** Calls of evidence tools that ran. Repeats, unknown tools and the terminal tool are not counted. */
  readonly toolCalls: number;
  /** Turns in which a submission was judged. */
  readonly submissions: number;
  readonly usage: Usage;
  /** Absent before the first turn. */
  readonly lastTurn?: TurnCost;
};

export const noSpend: Spend = { turns: 0, toolCalls: 0, submissions: 0, usage: noUsage };

export type Remaining =
  | { readonly kind: 'enough' }
  /** Time to close: only the terminal tool is accepted from here on. */
  | { readonly kind: 'near'; readonly limit: string }
  | { readonly kind: 'out'; readonly limit: string };

const closingTurns = 3;

/** How the deadline is called where a limit is named. The one limit that a resumed run has anew. */
export const timeLimit = 'the time';

/**
 * What is left, to be asked before each request. "Near" leaves room for closing: three turns (half of a run of fewer
 * than six), a tenth of the tokens and dollars but at least two turns like the last one, and the closing time but at
 * least two turns as slow as the last one. Tool calls that are used up are near and never out: closing needs none.
 */
export function remaining(budget: Budget, spend: Spend, now: number): Remaining {
  const last = spend.lastTurn ?? { tokens: 0, dollars: 0, ms: 0 };
  const time = { limit: timeLimit, left: budget.deadline - now };
  const turns = { limit: counted(budget.turns, 'turn'), left: budget.turns - spend.turns };
  const tokens = {
    limit: `${budget.tokens} tokens`,
    left: budget.tokens === 0 ? Infinity : budget.tokens - tokensOf(spend.usage),
  };
  const dollars = {
    limit: `$${budget.dollars.toFixed(2)}`,
    left:
      budget.dollars === 0 || spend.usage.dollars === null ? Infinity : budget.dollars - spend.usage.dollars,
  };
  const out = [time, turns, tokens, dollars].find(({ left }) => left <= 0);
  if (out !== undefined) return { kind: 'out', limit: out.limit };

  const context = {
    limit: `${budget.contextTokens ?? 0} tokens of context`,
    left: (budget.contextTokens ?? Infinity) - last.tokens,
  };
  const kept: readonly (readonly [{ limit: string; left: number }, number])[] = [
    [time, Math.max(budget.closingMs ?? 45_000, 2 * last.ms)],
    [turns, Math.min(closingTurns, Math.floor(budget.turns / 2))],
    [tokens, Math.max(budget.tokens * 0.1, 2 * last.tokens)],
    [dollars, Math.max(budget.dollars * 0.1, 2 * (last.dollars ?? 0))],
    [context, (budget.contextTokens ?? 0) * 0.15],
    [{ limit: counted(budget.toolCalls, 'tool call'), left: budget.toolCalls - spend.toolCalls }, 0],
  ];
  const near = kept.find(([{ left }, keep]) => left <= keep);
  return near === undefined ? { kind: 'enough' } : { kind: 'near', limit: near[0].limit };
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
