/**
 * Which model a run uses. A provider is one file beside this one and one line in `providers`; nothing else knows it.
 * Provider SDKs and the rules are loaded with the first question, so that starting stays quick.
 */
import { ConfigError } from '../core/errors.js';
import type { Log } from '../ports/log.js';
import type { Model } from '../ports/model.js';
import { createAnthropicModel } from './anthropic.js';
import { parsePrice } from './anthropic/prices.js';

/** Variables of the environment, as they are set; blank counts as unset. */
export type ModelEnv = {
  readonly EVIDENT_MODEL?: string | undefined;
  readonly EVIDENT_EFFORT?: string | undefined;
  readonly EVIDENT_PRICE?: string | undefined;
  readonly ANTHROPIC_API_KEY?: string | undefined;
  readonly ANTHROPIC_AUTH_TOKEN?: string | undefined;
  readonly ANTHROPIC_BASE_URL?: string | undefined;
};

export type ChooseOptions = {
  readonly log: Log;
  /** What to use when neither a name nor a key is set; without it that is an error. */
  readonly fallback?: 'rules';
  /** Where the name was given, for the sentence that refuses it. */
  readonly namedBy?: NamedBy;
};

type NamedBy = 'EVIDENT_MODEL' | '--model';

export const defaultModel = 'claude-sonnet-5-5';

type Provider = {
  readonly takes: (name: string, env: ModelEnv) => boolean;
  readonly create: (
    name: string,
    env: ModelEnv,
    options: { readonly log: Log; readonly namedBy: NamedBy },
  ) => Model;
};

const providers: readonly Provider[] = [
  { takes: (name) => name === 'rules', create: createLazyRules },
  {
    takes: (name, env) => /(^|[./])claude-/.test(name) || env.ANTHROPIC_BASE_URL !== undefined,
    create: createAnthropic,
  },
];

/** How many models an installation offers: one reads, another may confirm. */
const MAX_MODELS = 4;

/**
 * The models that EVIDENT_MODEL names, parted by commas: the first reads, the second confirms, and a repository's
 * settings may choose among them. Throws `ConfigError` with a sentence that says what to set.
 */
export function chooseModels(given: ModelEnv, options: ChooseOptions): readonly [Model, ...Model[]] {
  const { namedBy = 'EVIDENT_MODEL' } = options;
  const names = [...new Set((given.EVIDENT_MODEL ?? '').split(',').map((name) => name.trim()))].filter(
    (name) => name !== '',
  );
  if (names.length > MAX_MODELS)
    throw new ConfigError(
      `${namedBy} names ${names.length} models; ${MAX_MODELS} is the most. Name the one that reads first, then the one that confirms.`,
      namedBy,
    );
  const [first, ...others] = names;
  if (first === undefined) return [chooseModel(given, options)];
  return [
    chooseModel({ ...given, EVIDENT_MODEL: first }, options),
    ...others.map((name) => chooseModel({ ...given, EVIDENT_MODEL: name }, options)),
  ];
}

/** Throws `ConfigError` with a sentence that says what to set. */
export function chooseModel(
  given: ModelEnv,
  { log, fallback, namedBy = 'EVIDENT_MODEL' }: ChooseOptions,
): Model {
  const env = withoutBlanks(given);
  const name = env.EVIDENT_MODEL ?? (hasEndpoint(env) ? defaultModel : fallback);
  if (name === undefined) {
    throw new ConfigError(
      'ANTHROPIC_API_KEY is not set, so there is no model to review with. Set it, or set EVIDENT_MODEL=rules to use the ' +
        'embedded fixed rules, which need no key and are not a language model.',
      'ANTHROPIC_API_KEY',
    );
  }
  const provider = providers.find(({ takes }) => takes(name, env));
  if (provider === undefined) {
    throw new ConfigError(
      `${namedBy} is "${name.slice(0, 80)}", which is not known. Set it to "rules", to a Claude model such as ${defaultModel}, ` +
        'or set ANTHROPIC_BASE_URL too, to an endpoint that speaks the Messages API and serves that model.',
      namedBy,
    );
  }
  return provider.create(name, env, { log, namedBy });
}

const hasEndpoint = (env: ModelEnv): boolean =>
  (env.ANTHROPIC_API_KEY ?? env.ANTHROPIC_AUTH_TOKEN ?? env.ANTHROPIC_BASE_URL) !== undefined;

function createLazyRules(): Model {
  return {
    name: 'fixed rules',
    kind: 'rules',
    sendsTo: null,
    async next(request, options) {
      const { createRulesModel } = await import('./rules.js');
      return createRulesModel().next(request, options);
    },
  };
}

function createAnthropic(
  name: string,
  env: ModelEnv,
  { log, namedBy }: { readonly log: Log; readonly namedBy: NamedBy },
): Model {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseURL, EVIDENT_PRICE: price } = env;
  const authToken = env.ANTHROPIC_AUTH_TOKEN;
  const url = baseURL === undefined ? null : readBaseUrl(baseURL);
  if (apiKey === undefined && authToken === undefined) requireKey(name, url, namedBy);
  if (url !== null && url.protocol === 'http:' && !isLoopback(url)) {
    log.warn({ host: url.host }, 'ANTHROPIC_BASE_URL is http: the key and the code travel unencrypted.');
  }
  return createAnthropicModel({
    ...(apiKey === undefined ? { authToken: authToken ?? 'none' } : { apiKey }),
    baseURL,
    model: name,
    effort: readEffort(env.EVIDENT_EFFORT),
    price: price === undefined ? undefined : parsePrice(price),
    log,
    // The diff is what a review is about: it stays in view when old look-ups are cleared.
    keepResultsOf: ['get_pr_diff'],
  });
}

/** An endpoint on this machine often takes no key; any other is asked for one. */
function requireKey(name: string, url: URL | null, namedBy: NamedBy): void {
  if (url === null) {
    throw new ConfigError(
      `${namedBy} is "${name.slice(0, 80)}" and no key is set. Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), or ${namedBy === '--model' ? 'use --model rules' : 'set EVIDENT_MODEL=rules'}.`,
      'ANTHROPIC_API_KEY',
    );
  }
  if (isLoopback(url)) return;
  throw new ConfigError(
    `ANTHROPIC_BASE_URL leads to ${url.host} and no key is set. Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN; for an endpoint that takes none, ` +
      'set ANTHROPIC_AUTH_TOKEN=none.',
    'ANTHROPIC_AUTH_TOKEN',
  );
}

function readBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new ConfigError(
      'ANTHROPIC_BASE_URL is not an address. Set it to one that begins with https://, or unset it to use api.anthropic.com.',
      'ANTHROPIC_BASE_URL',
    );
  }
  return url;
}

const isLoopback = (url: URL): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

function readEffort(text: string | undefined): (typeof efforts)[number] | undefined {
  if (text === undefined) return undefined;
  const effort = efforts.find((known) => known === text.toLowerCase());
  if (effort !== undefined) return effort;
  throw new ConfigError(
    `EVIDENT_EFFORT is "${text.slice(0, 40)}". Set it to one of ${efforts.join(', ')}, or unset it for the model's own default.`,
    'EVIDENT_EFFORT',
  );
}

function withoutBlanks(env: ModelEnv): ModelEnv {
  const entries = Object.entries(env).map(([name, value]) => [name, value?.trim()] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== ''));
}
