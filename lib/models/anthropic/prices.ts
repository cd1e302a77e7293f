import { ConfigError } from '../../core/errors.js';
import { modelKey } from './capabilities.js';

/** US dollars per million tokens. `cacheWriteHour` is for entries that live an hour, `cacheWrite` for five minutes. */
export type Price = {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite: number;
  readonly cacheWriteHour: number;
  readonly cacheRead: number;
  /** Another price for prompts above that many tokens. */
  readonly long?: { readonly over: number; readonly price: Price };
};

/** Token counts of one answer, as billed: `input` is what was neither read from nor written to a cache. */
export type Tokens = {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** The part of `cacheWrite` that lives an hour. */
  readonly cacheWriteHour: number;
  readonly output: number;
};

/** Null for an unknown model: an unknown price stays unknown. */
export const priceOf = (model: string): Price | null => table[modelKey(model)] ?? null;

/** US dollars. */
export function dollarsFor(price: Price, tokens: Tokens): number {
  const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite;
  const p = price.long !== undefined && prompt > price.long.over ? price.long.price : price;
  const hour = Math.min(tokens.cacheWriteHour, tokens.cacheWrite);
  return (
    (tokens.input * p.input +
      tokens.output * p.output +
      tokens.cacheRead * p.cacheRead +
      (tokens.cacheWrite - hour) * p.cacheWrite +
      hour * p.cacheWriteHour) /
    1e6
  );
}

/** EVIDENT_PRICE: four numbers, "in,out,write,read", in US dollars per million tokens. */
export function parsePrice(text: string): Price {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const [input, output, cacheWrite, cacheRead] = numbers;
  if (numbers.length !== 4 || !numbers.every((n) => Number.isFinite(n) && n >= 0 && n <= 100_000)) {
    throw new ConfigError(
      `EVIDENT_PRICE is "${text.slice(0, 80)}". Set it to four numbers in US dollars per million tokens: input, output, ` +
        'cache write, cache read, e.g. EVIDENT_PRICE=3,15,3.75,0.3.',
      'EVIDENT_PRICE',
    );
  }
  return {
    input: input ?? 0,
    output: output ?? 0,
    cacheWrite: cacheWrite ?? 0,
    cacheWriteHour: cacheWrite ?? 0,
    cacheRead: cacheRead ?? 0,
  };
}

/** A cache write costs 1.25 times the input price for five minutes and twice for an hour. */
const perMillion = (input: number, output: number, cacheRead: number): Price => ({
  input,
  output,
  cacheRead,
  cacheWrite: 1.25 * input,
  cacheWriteHour: 2 * input,
});

/** https://platform.claude.com/docs/en/about-claude/pricing, read November 2026. */
const table: Readonly<Record<string, Price>> = {
  'claude-fable-5-2': perMillion(8, 40, 0.2),
  'claude-mythos-5-2': perMillion(8, 40, 0.2),
  'claude-fable-5-1': perMillion(10, 50, 0.25),
  'claude-mythos-5-1': perMillion(10, 50, 0.25),
  'claude-opus-5-5': perMillion(4, 20, 0.2),
  'claude-sonnet-5-5': perMillion(2, 10, 0.1),
  'claude-haiku-5-5': {
    ...perMillion(0.1, 0.5, 0.01),
    long: { over: 100_000, price: perMillion(0.5, 2.5, 0.05) },
  },
  'claude-fable-5': perMillion(10, 50, 1),
  'claude-mythos-5': perMillion(10, 50, 1),
  'claude-opus-5': perMillion(5, 25, 0.5),
  'claude-opus-4-8': perMillion(5, 25, 0.5),
  'claude-opus-4-7': perMillion(5, 25, 0.5),
  'claude-sonnet-5': perMillion(2, 10, 0.2),
  'claude-opus-4-6': perMillion(5, 25, 0.5),
  'claude-sonnet-4-6': perMillion(3, 15, 0.3),
  'claude-opus-4-5': perMillion(5, 25, 0.5),
  'claude-sonnet-4-5': perMillion(3, 15, 0.3),
  'claude-haiku-4-5': perMillion(1, 5, 0.1),
};
