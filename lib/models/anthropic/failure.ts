import { ModelError } from '../../core/errors.js';
import { features, type Feature } from './body.js';

/** Why an attempt failed, whatever threw it. `status` is the HTTP status, or the one an error in the stream stands for. */
export type Failure = {
  readonly kind: 'refused' | 'unreachable' | 'no_stream' | 'cut' | 'silent' | 'stopped' | 'out_of_time';
  readonly status?: number | undefined;
  /** The endpoint's own words, shortened; of `no_stream`, the content type. */
  readonly words: string;
  readonly retryable: boolean;
  /** Milliseconds the endpoint asked to wait. */
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
};

type Fields = Record<string, unknown>;

/** Reads what the SDK or fetch threw. `now` in epoch milliseconds, for a retry-after that is a date. */
export function readFailure(error: unknown, now: number): Failure {
  const e = fields(error);
  const type = typeof e.type === 'string' ? e.type : undefined;
  const status =
    typeof e.status === 'number' ? e.status : type === undefined ? undefined : statusOfType[type];
  if (status !== undefined) {
    return {
      kind: 'refused',
      status,
      words: shortened(typeof e.apiMessage === 'string' ? e.apiMessage : e.message),
      retryable: status === 408 || status === 409 || status === 429 || status >= 500,
      retryAfter: readRetryAfter(e.headers, now),
      cause: error,
    };
  }
  return { kind: 'unreachable', words: shortened(deepestMessage(error)), retryable: true, cause: error };
}

/** An error that comes as an event of the stream has a type and no status. https://platform.claude.com/docs/en/api/errors */
const statusOfType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Which optional part of the request a 400 is about; only parts that were sent can be meant. */
export function namedFeature(words: string, sent: ReadonlySet<Feature>): Feature | null {
  return features.find((feature) => sent.has(feature) && patterns[feature].test(words)) ?? null;
}

const patterns: Readonly<Record<Feature, RegExp>> = {
  context_management: /context[_ -]management|anthropic-beta|\bbetas?\b/i,
  cache_control: /cache[_ -]control|caching/i,
  effort: /output_config|\beffort\b/i,
  strict: /\bstrict\b|additionalProperties|grammar|schema is too complex/i,
  thinking: /\bthinking\b/i,
  version: /anthropic-version/i,
};

/** A thinking block that no longer fits what stands before it, or comes from another endpoint. */
export const isAboutThinkingBlocks = (words: string): boolean =>
  /signature.*thinking|thinking.*(signature|cannot be modified|is bound to)/is.test(words);

export const isTooLong = (words: string): boolean =>
  /prompt is too long|context (window|length|limit)|input is too long/i.test(words);

/** The lower ceiling that a refusal of `max_tokens` names; null when it names none. */
export function namedCeiling(words: string, sent: number): number | null {
  if (!/max_tokens/i.test(words)) return null;
  const numbers = [...words.matchAll(/\d[\d,_]*/g)].map(([digits]) => Number(digits.replace(/[,_]/g, '')));
  const lower = numbers.filter((n) => n >= 256 && n < sent);
  return lower.length > 0 ? Math.max(...lower) : null;
}

export type Endpoint = {
  readonly host: string;
  readonly model: string;
  /** The variable the key came from; null when none was set. */
  readonly keyFrom: 'ANTHROPIC_API_KEY' | 'ANTHROPIC_AUTH_TOKEN' | null;
  readonly isAnthropic: boolean;
};

/** The sentence for people: what happened and how to mend it. */
export function toModelError(failure: Failure, at: Endpoint, tries: number, seconds: number): ModelError {
  const { status, words, retryable, cause } = failure;
  const said = words === '' ? '' : ` It said: ${words}`;
  const tried = tries > 1 ? `, tried ${tries} times in ${Math.round(seconds)} s` : '';
  const make = (message: string, again = retryable) =>
    new ModelError(message, { ...(status === undefined ? {} : { status }), retryable: again, cause });
  switch (failure.kind) {
    case 'stopped':
      return make('The run was stopped while the model was answering.', true);
    case 'out_of_time':
      return make(`${at.host} did not answer before the time of this run was over${tried}.${said}`, true);
    case 'silent':
      return make(`${at.host} stopped sending in the middle of an answer${tried}. Try again later.`, true);
    case 'cut':
      return make(
        `The answer of ${at.host} broke off${tried}. Try again later` +
          `${at.isAnthropic ? '' : ', and check that ANTHROPIC_BASE_URL leads to an endpoint that streams the Messages API'}.`,
        true,
      );
    case 'no_stream':
      return make(
        `${at.host} answered with ${words === '' ? 'something' : words} that is no stream of the Messages API${tried}. ` +
          `${at.isAnthropic ? 'Look whether a proxy or a sign-in page stands between' : 'Check that ANTHROPIC_BASE_URL leads to the Messages API'}.`,
        true,
      );
    case 'unreachable':
      return make(
        `${at.host} could not be reached (${words})${tried}. Check the network` +
          `${at.isAnthropic ? '' : ' and ANTHROPIC_BASE_URL'}.`,
        true,
      );
    case 'refused':
      return make(refusalSentence(status ?? 0, at, said, tried));
  }
}

function refusalSentence(status: number, at: Endpoint, said: string, tried: string): string {
  const key = at.keyFrom ?? 'ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN)';
  switch (status) {
    case 401:
      return `${at.host} does not accept the key (401). Set ${key} to a valid one.${said}`;
    case 402:
      return `${at.host} asks for payment (402). Add credit to the account of ${key}.${said}`;
    case 403:
      return `${at.host} does not allow this key to use ${at.model} (403). Use another key in ${key}, or another EVIDENT_MODEL.${said}`;
    case 404:
      return (
        `${at.host} does not know the model ${at.model} (404). Set EVIDENT_MODEL to one it serves` +
        `${at.isAnthropic ? '' : ', and check the path in ANTHROPIC_BASE_URL'}.${said}`
      );
    case 413:
      return `The request is larger than ${at.host} takes (413). A smaller change fits; generated files can be left out with paths.skip.${said}`;
    case 429:
      return `${at.host} limits this key's rate (429)${tried}. Try again later, or raise the limit of ${key}.${said}`;
    case 529:
      return `${at.host} is busy (529)${tried}. Try again later.${said}`;
    default:
      return status >= 500
        ? `${at.host} failed (${status})${tried}. Try again later.${said}`
        : `${at.host} refused the request (${status}).${said}`;
  }
}

function readRetryAfter(headers: unknown, now: number): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const ms = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** fetch hides the reason (ECONNREFUSED, ENOTFOUND) in its causes. */
function deepestMessage(error: unknown): string {
  let [message, current] = ['', error];
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    const code = fields(current).code;
    message = typeof code === 'string' ? code : current.message;
    current = current instanceof AggregateError ? (current.errors[0] as unknown) : current.cause;
  }
  return message;
}

const shortened = (text: unknown): string => {
  const line = (typeof text === 'string' ? text : '').replace(/\s+/g, ' ').trim();
  return line.length > 400 ? `${line.slice(0, 400)} ...` : line;
};

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
