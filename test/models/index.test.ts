import { ConfigError } from '../../lib/core/errors.js';
import { chooseModel, chooseModels, type ModelEnv } from '../../lib/models/index.js';
import { silentLog } from '../../lib/ports/log.js';

const choose = (env: ModelEnv, fallback?: 'rules') =>
  chooseModel(env, { log: silentLog, ...(fallback === undefined ? {} : { fallback }) });

const chosen: readonly (readonly [ModelEnv, string, string, string | null])[] = [
  [{ EVIDENT_MODEL: 'rules' }, 'fixed rules', 'rules', null],
  [{ EVIDENT_MODEL: 'rules', ANTHROPIC_API_KEY: 'k' }, 'fixed rules', 'rules', null],
  [{ ANTHROPIC_API_KEY: 'k' }, 'claude-sonnet-5-5', 'language_model', 'api.anthropic.com'],
  [
    { ANTHROPIC_API_KEY: 'k', EVIDENT_MODEL: ' ' },
    'claude-sonnet-5-5',
    'language_model',
    'api.anthropic.com',
  ],
  [
    { ANTHROPIC_AUTH_TOKEN: 't', EVIDENT_MODEL: 'claude-opus-5-5' },
    'claude-opus-5-5',
    'language_model',
    'api.anthropic.com',
  ],
  [{ ANTHROPIC_BASE_URL: 'http://127.0.0.1:8080' }, 'claude-sonnet-5-5', 'language_model', '127.0.0.1:8080'],
  [
    { ANTHROPIC_BASE_URL: 'http://localhost:8080/v1/', EVIDENT_MODEL: 'qwen3' },
    'qwen3',
    'language_model',
    'localhost:8080',
  ],
  [
    {
      ANTHROPIC_BASE_URL: 'https://gw.example.com/x',
      ANTHROPIC_AUTH_TOKEN: 'none',
      EVIDENT_MODEL: 'my-model',
    },
    'my-model',
    'language_model',
    'gw.example.com',
  ],
];
test.each(chosen)('%j is %s', (env, name, kind, sendsTo) => {
  const model = choose(env);
  expect([model.name, model.kind, model.sendsTo]).toEqual([name, kind, sendsTo]);
});

test('without a key the rules are used where that is wanted', () => {
  expect(choose({}, 'rules').kind).toBe('rules');
  expect(choose({ ANTHROPIC_API_KEY: 'k' }, 'rules').kind).toBe('language_model');
});

const wrong: readonly (readonly [ModelEnv, string, RegExp])[] = [
  [{}, 'ANTHROPIC_API_KEY', /^ANTHROPIC_API_KEY is not set.*EVIDENT_MODEL=rules/],
  [{ ANTHROPIC_API_KEY: '' }, 'ANTHROPIC_API_KEY', /^ANTHROPIC_API_KEY is not set/],
  [{ EVIDENT_MODEL: 'claude-sonnet-5-5' }, 'ANTHROPIC_API_KEY', /no key is set\. Set ANTHROPIC_API_KEY/],
  [
    { EVIDENT_MODEL: 'gpt-9', ANTHROPIC_API_KEY: 'k' },
    'EVIDENT_MODEL',
    /"gpt-9", which is not known\. Set it to "rules", to a Claude model/,
  ],
  [
    { ANTHROPIC_BASE_URL: 'https://gw.example.com' },
    'ANTHROPIC_AUTH_TOKEN',
    /leads to gw\.example\.com and no key is set.*ANTHROPIC_AUTH_TOKEN=none/,
  ],
  [
    { ANTHROPIC_BASE_URL: 'gw.example.com', ANTHROPIC_API_KEY: 'k' },
    'ANTHROPIC_BASE_URL',
    /is not an address/,
  ],
  [
    { ANTHROPIC_API_KEY: 'k', EVIDENT_EFFORT: 'huge' },
    'EVIDENT_EFFORT',
    /one of low, medium, high, xhigh, max/,
  ],
  [{ ANTHROPIC_API_KEY: 'k', EVIDENT_PRICE: '3' }, 'EVIDENT_PRICE', /four numbers/],
];
test.each(wrong)('%j is told how to mend', (env, where, sentence) => {
  let error: unknown;
  try {
    choose(env);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(ConfigError);
  expect((error as ConfigError).where).toBe(where);
  expect((error as ConfigError).message).toMatch(sentence);
});

test.each<[ModelEnv, string, RegExp]>([
  [{ EVIDENT_MODEL: 'nonsense' }, '--model', /^--model is "nonsense", which is not known\. /],
  [{ EVIDENT_MODEL: 'claude-a' }, 'ANTHROPIC_API_KEY', /^--model is "claude-a".*, or use --model rules\.$/],
  [{ EVIDENT_MODEL: 'a,b,c,d,e' }, '--model', /^--model names 5 models; 4 is the most\./],
])('%j from the command line: the flag is named', (env, where, sentence) => {
  const choosing = (): unknown => chooseModels(env, { log: silentLog, namedBy: '--model' });
  expect(choosing).toThrow(sentence);
  expect(choosing).toThrow(expect.objectContaining({ where }));
});

test('a key that would travel unencrypted is warned about', () => {
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) };
  chooseModel({ ANTHROPIC_BASE_URL: 'http://gw.example.com', ANTHROPIC_API_KEY: 'k' }, { log });
  chooseModel({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:1', ANTHROPIC_API_KEY: 'k' }, { log });
  expect(warnings).toEqual(['ANTHROPIC_BASE_URL is http: the key and the code travel unencrypted.']);
});

test('several names are several models, the first of which reads', () => {
  const names = (EVIDENT_MODEL: string): readonly string[] =>
    chooseModels({ EVIDENT_MODEL, ANTHROPIC_API_KEY: 'k' }, { log: silentLog }).map(({ name }) => name);
  expect(names('claude-a, claude-b ,claude-a')).toEqual(['claude-a', 'claude-b']);
  expect(names('rules')).toEqual(['fixed rules']);
  expect(() => names('claude-a,claude-b,claude-c,claude-d,claude-e')).toThrow(/4 is the most/);
});
