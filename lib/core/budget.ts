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

/** What a run may spend. `deadline` is in epoch milliseconds, always below the host's own limit. */
export type Budget = {
  readonly turns: number;
  readonly toolCalls: number;
  /** Input (cached or not) plus output tokens, summed over turns. */
  readonly tokens: number;
  readonly dollars: number;
  readonly deadline: number;
  /** How often a submission may be sent back before its valid items stay and the rest is dropped. */
  readonly submissionTries: number;
};

export type Spend = {
  readonly turns: number;
  readonly toolCalls: number;
  readonly submissions: number;
  readonly usage: Usage;
};

export const noSpend: Spend = { turns: 0, toolCalls: 0, submissions: 0, usage: noUsage };

export type Remaining =
  | { readonly kind: 'enough' }
  /** Time to close: only the terminal tool is accepted from here on. */
  | { readonly kind: 'near'; readonly limit: string }
  | { readonly kind: 'out'; readonly limit: string };

/**
 * What is left. "Near" leaves room for one or two closing turns: the last two turns, nine tenths of calls,
 * tokens or dollars, or the last 45 seconds (a fifth of a shorter run is the caller's choice of deadline).
 */
export function remaining(budget: Budget, spend: Spend, now: number): Remaining {
  const tokens =
    spend.usage.inputTokens +
    spend.usage.cacheReadTokens +
    spend.usage.cacheWriteTokens +
    spend.usage.outputTokens;
  const shares: readonly (readonly [string, number, number, number])[] = [
    [
      `${budget.turns} turns`,
      spend.turns,
      budget.turns,
      Math.max(budget.turns - 2, Math.floor(budget.turns / 2)),
    ],
    [`${budget.toolCalls} tool calls`, spend.toolCalls, budget.toolCalls, budget.toolCalls * 0.9],
    [`${budget.tokens} tokens`, tokens, budget.tokens, budget.tokens * 0.9],
    [`$${budget.dollars.toFixed(2)}`, spend.usage.dollars ?? 0, budget.dollars, budget.dollars * 0.9],
  ];
  const left = budget.deadline - now;
  if (left <= 0) return { kind: 'out', limit: 'the time' };
  for (const [limit, used, most] of shares) if (used >= most && most > 0) return { kind: 'out', limit };
  if (left <= 45_000) return { kind: 'near', limit: 'the time' };
  for (const [limit, used, , near] of shares) if (near > 0 && used >= near) return { kind: 'near', limit };
  return { kind: 'enough' };
}
