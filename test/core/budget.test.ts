import fc from 'fast-check';
import {
  addUsage,
  noSpend,
  noUsage,
  remaining,
  tokensOf,
  type Budget,
  type Remaining,
  type Spend,
} from '../../lib/core/budget.js';

const budget: Budget = {
  turns: 20,
  toolCalls: 40,
  tokens: 100_000,
  dollars: 2,
  deadline: 600_000,
  submissionTries: 3,
};
const spent = (change: Partial<Spend> & { tokens?: number; dollars?: number | null }): Spend => {
  const { tokens = 0, dollars = 0, ...rest } = change;
  return { ...noSpend, usage: { ...noUsage, inputTokens: tokens, dollars }, ...rest };
};
const last = (tokens: number, dollars = 0, ms = 0) => ({ lastTurn: { tokens, dollars, ms } });

const enough: Remaining = { kind: 'enough' };
const near = (limit: string): Remaining => ({ kind: 'near', limit });
const out = (limit: string): Remaining => ({ kind: 'out', limit });

const rows: readonly (readonly [string, Partial<Budget>, Spend, number, Remaining])[] = [
  ['nothing spent', {}, noSpend, 0, enough],
  ['four turns left', {}, spent({ turns: 16 }), 0, enough],
  ['three turns left', {}, spent({ turns: 17 }), 0, near('20 turns')],
  ['no turn left', {}, spent({ turns: 20 }), 0, out('20 turns')],
  ['one turn in all, before it', { turns: 1 }, noSpend, 0, enough],
  ['one turn in all, after it', { turns: 1 }, spent({ turns: 1 }), 0, out('1 turn')],
  ['two turns in all, after one', { turns: 2 }, spent({ turns: 1 }), 0, near('2 turns')],
  ['four turns in all, after one', { turns: 4 }, spent({ turns: 1 }), 0, enough],
  ['four turns in all, after two', { turns: 4 }, spent({ turns: 2 }), 0, near('4 turns')],
  ['one tool call left', {}, spent({ toolCalls: 39 }), 0, enough],
  ['tool calls used up: near, not out', {}, spent({ toolCalls: 40 }), 0, near('40 tool calls')],
  ['tool calls overdrawn: near, not out', {}, spent({ toolCalls: 90 }), 0, near('40 tool calls')],
  ['nine tenths of the tokens', {}, spent({ tokens: 90_000 }), 0, near('100000 tokens')],
  ['less than that', {}, spent({ tokens: 89_999 }), 0, enough],
  ['two turns like the last fit', {}, spent({ tokens: 59_999, ...last(20_000) }), 0, enough],
  [
    'two turns like the last do not',
    {},
    spent({ tokens: 60_000, ...last(20_000) }),
    0,
    near('100000 tokens'),
  ],
  ['tokens met', {}, spent({ tokens: 100_000 }), 0, out('100000 tokens')],
  ['tokens without a limit', { tokens: 0 }, spent({ tokens: 9e9 }), 0, enough],
  ['nine tenths of the dollars', {}, spent({ dollars: 1.8 }), 0, near('$2.00')],
  ['two dear turns do not fit', {}, spent({ dollars: 1, ...last(0, 0.5) }), 0, near('$2.00')],
  ['dollars met', {}, spent({ dollars: 2 }), 0, out('$2.00')],
  ['dollars without a limit', { dollars: 0 }, spent({ dollars: 9 }), 0, enough],
  ['a price that is not known', {}, spent({ dollars: null }), 0, enough],
  ['46 seconds left', {}, noSpend, 554_000, enough],
  ['45 seconds left', {}, noSpend, 555_000, near('the time')],
  ['no time left', {}, noSpend, 600_000, out('the time')],
  ['slow turns keep more time', {}, spent(last(0, 0, 40_000)), 520_000, near('the time')],
  ['a short run keeps what it says', { closingMs: 2_000 }, noSpend, 597_999, enough],
  ['a short run at its end', { closingMs: 2_000 }, noSpend, 598_000, near('the time')],
  ['context not watched', {}, spent(last(40_000)), 0, enough],
  ['context with room', { contextTokens: 50_000 }, spent(last(42_000)), 0, enough],
  ['context nearly full', { contextTokens: 50_000 }, spent(last(42_500)), 0, near('50000 tokens of context')],
];

test.each(rows)('%s', (_, change, spend, now, expected) => {
  expect(remaining({ ...budget, ...change }, spend, now)).toEqual(expected);
});

test('out comes before near, and more spent never gives more left', () => {
  const order = { enough: 0, near: 1, out: 2 };
  const amount = fc.record({
    turns: fc.nat(25),
    toolCalls: fc.nat(60),
    tokens: fc.nat(120_000),
    dollars: fc.integer({ min: 0, max: 30 }).map((tenths) => tenths / 10),
    now: fc.nat(700_000),
  });
  fc.assert(
    fc.property(amount, amount, (a, b) => {
      const before = remaining(budget, spent(a), a.now);
      const more = {
        turns: a.turns + b.turns,
        toolCalls: a.toolCalls + b.toolCalls,
        tokens: a.tokens + b.tokens,
        dollars: a.dollars + b.dollars,
      };
      expect(order[remaining(budget, spent(more), a.now + b.now).kind]).toBeGreaterThanOrEqual(
        order[before.kind],
      );
    }),
  );
});

test('an unknown price stays unknown', () => {
  const priced = { inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3, outputTokens: 4, dollars: 0.5 };
  expect(addUsage(priced, priced)).toEqual({
    inputTokens: 2,
    cacheReadTokens: 4,
    cacheWriteTokens: 6,
    outputTokens: 8,
    dollars: 1,
  });
  expect(addUsage(priced, { ...priced, dollars: null }).dollars).toBeNull();
  expect(tokensOf(priced)).toBe(10);
});
