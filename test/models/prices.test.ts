import { ConfigError } from '../../lib/core/errors.js';
import { modelKey } from '../../lib/models/anthropic/capabilities.js';
import { dollarsFor, parsePrice, priceOf, type Tokens } from '../../lib/models/anthropic/prices.js';

const tokens: Tokens = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, output: 0 };

const ids: readonly (readonly [string, string])[] = [
  ['claude-sonnet-5-5', 'claude-sonnet-5-5'],
  ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
  ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5'],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5'],
  ['anthropic.claude-opus-5-v1', 'claude-opus-5'],
  ['anthropic/claude-opus-5', 'claude-opus-5'],
  ['claude-opus-4-6[1m]', 'claude-opus-4-6'],
  ['claude-haiku-4-5-latest', 'claude-haiku-4-5'],
];
test.each(ids)('%s is %s', (id, key) => {
  expect(modelKey(id)).toBe(key);
  expect(priceOf(id)).not.toBeNull();
});

test('an unknown model has no price', () => {
  expect(priceOf('gpt-9')).toBeNull();
});

const million = 1_000_000;
const bills: readonly (readonly [string, Tokens, number])[] = [
  ['claude-sonnet-5-5', { ...tokens, input: million }, 2],
  ['claude-sonnet-5-5', { ...tokens, output: million }, 10],
  ['claude-sonnet-5-5', { ...tokens, cacheRead: million }, 0.1],
  ['claude-sonnet-5-5', { ...tokens, cacheWrite: million }, 2.5],
  ['claude-sonnet-5-5', { ...tokens, cacheWrite: million, cacheWriteHour: million }, 4],
  ['claude-haiku-5-5', { ...tokens, input: 100_000 }, 0.01],
  ['claude-haiku-5-5', { ...tokens, input: 100_001 }, 0.0500005],
  ['claude-haiku-5-5', { ...tokens, cacheRead: 200_000, output: 1000 }, 0.0125],
];
test.each(bills)('%s with %j costs $%d', (id, used, dollars) => {
  const price = priceOf(id);
  expect(price === null ? null : dollarsFor(price, used)).toBeCloseTo(dollars, 9);
});

test('a price of the operator comes as four numbers', () => {
  const price = parsePrice('3, 15,3.75,0.3');
  expect(
    dollarsFor(price, {
      input: million,
      output: million,
      cacheWrite: million,
      cacheRead: million,
      cacheWriteHour: million,
    }),
  ).toBeCloseTo(22.05, 9);
});

test.each(['', '1,2,3', '1,2,3,x', '1,2,,4', '1,2,3,-4', 'Infinity,1,1,1'])('%j is no price', (text) => {
  expect(() => parsePrice(text)).toThrow(ConfigError);
  expect(() => parsePrice(text)).toThrow(/EVIDENT_PRICE=3,15,3\.75,0\.3/);
});
