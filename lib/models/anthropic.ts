import type { ModelError } from '../core/errors.js';
import type { Usage } from '../core/budget.js';
import type { Log } from '../ports/log.js';
import type { Model, ModelRequest, ModelTurn } from '../ports/model.js';
import { toWire, type Effort, type Feature, type WireRequest } from './anthropic/body.js';
import { capabilitiesOf } from './anthropic/capabilities.js';
import {
  isAboutThinkingBlocks,
  isTooLong,
  namedCeiling,
  namedFeature,
  readFailure,
  toModelError,
  type Endpoint,
  type Failure,
} from './anthropic/failure.js';
import { dollarsFor, priceOf, type Price, type Tokens } from './anthropic/prices.js';
import { watchSilence } from './anthropic/silence.js';
import { createTurnReader, type ReadTurn } from './anthropic/turn-reader.js';

export type AnthropicOptions = {
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
  /** Any endpoint that speaks the Messages API; Anthropic's own when absent. */
  readonly baseURL?: string | undefined;
  readonly model: string;
  readonly maxTokens?: number | undefined;
  readonly effort?: Effort | undefined;
  /** Overrides the price table. */
  readonly price?: Price | undefined;
  readonly log: Log;
  /** Switches optional parts of a request off, or context editing on for an endpoint that is not Anthropic's. */
  readonly features?: {
    readonly cache?: boolean;
    readonly strict?: boolean;
    readonly thinking?: boolean;
    readonly contextEditing?: boolean;
  };
  /** Tools whose results the server may never clear from the context. */
  readonly keepResultsOf?: readonly string[];
  /** Milliseconds; for tests. */
  readonly pace?: { readonly firstPause?: number; readonly silence?: number };
};

const anthropicHost = 'api.anthropic.com';
const mostTries = 5;

/**
 * A model behind the Messages API. Every answer is streamed. Tries an answer at most five times, inside the deadline, and
 * leaves out what the endpoint does not take, for as long as this model lives.
 */
export function createAnthropicModel(options: AnthropicOptions): Model {
  const baseURL = (options.baseURL ?? `https://${anthropicHost}`).replace(/\/+$/, '').replace(/\/v1$/, '');
  const host = new URL(baseURL).host;
  const endpoint: Endpoint = {
    host,
    model: options.model,
    keyFrom: options.apiKey ? 'ANTHROPIC_API_KEY' : options.authToken ? 'ANTHROPIC_AUTH_TOKEN' : null,
    isAnthropic: host === anthropicHost,
  };
  const { log } = options;
  const price = options.price ?? priceOf(options.model);
  const capabilities = capabilitiesOf(options.model);
  const use = initialFeatures(options, endpoint);
  const omitted = new WeakSet<object>();
  const firstPause = options.pace?.firstPause ?? 2000;
  let maxTokens = Math.min(options.maxTokens ?? 24_000, capabilities.maxOutput);

  const build = (request: ModelRequest): WireRequest =>
    toWire(request, {
      model: options.model,
      maxTokens,
      effort: options.effort,
      use,
      keepResultsOf: options.keepResultsOf ?? [],
      omitted,
    });

  /** What a 400 asks to leave out; false when it names nothing that can be left out. */
  function yields(failure: Failure, request: ModelRequest): boolean {
    if (failure.kind !== 'refused' || (failure.status !== 400 && failure.status !== 422)) return false;
    const { words } = failure;
    if (isAboutThinkingBlocks(words) && omitThinking(request, omitted)) {
      log.warn({ host, words }, 'The endpoint refused earlier thinking; going on without it.');
      return true;
    }
    const ceiling = namedCeiling(words, maxTokens);
    if (ceiling !== null) {
      log.warn({ host, from: maxTokens, to: ceiling }, 'The endpoint takes fewer output tokens; lowered.');
      maxTokens = ceiling;
      return true;
    }
    const feature = namedFeature(words, use);
    if (feature !== null) {
      use.delete(feature);
      log.warn(
        { host, feature, words },
        'The endpoint does not take a part of the request; going on without it.',
      );
      return true;
    }
    // An endpoint that says only "bad request" may still take the plain form.
    if (endpoint.isAnthropic || use.size === 0 || isTooLong(words)) return false;
    log.warn({ host, features: [...use], words }, 'The endpoint refused the request; trying its plain form.');
    use.clear();
    return true;
  }

  return {
    name: options.model,
    kind: 'language_model',
    sendsTo: host,
    async next(request, { signal, deadline }) {
      const started = Date.now();
      const lost: Tokens[] = [];
      const fail = (failure: Failure, tries: number): ModelError =>
        toModelError(failure, endpoint, tries, (Date.now() - started) / 1000);
      let tries = 0;
      for (;;) {
        tries += 1;
        const result = await attempt(build(request), { options, baseURL, signal, deadline, endpoint });
        if (result.kind === 'turn') return toModelTurn(result.turn, lost, price);
        const { failure } = result;
        if (result.billed !== null) lost.push(result.billed);
        if (failure.kind === 'refused' && failure.status === 400 && isTooLong(failure.words)) {
          return { content: [], stop: { kind: 'context_exceeded' }, usage: toUsage(lost, price) };
        }
        if (yields(failure, request)) {
          tries -= 1;
          continue;
        }
        if (!failure.retryable || tries >= mostTries) throw fail(failure, tries);
        const pause = failure.retryAfter ?? firstPause * 3 ** (tries - 1) * (0.75 + Math.random() / 2);
        // What the endpoint did is what can be mended; that the time was over is not.
        if (Date.now() + pause >= deadline) throw fail(failure, tries);
        log.info(
          { host, try: tries, status: failure.status, reason: failure.kind, pauseMs: Math.round(pause) },
          'The model did not answer; trying again.',
        );
        if (!(await sleep(pause, signal))) throw fail({ kind: 'stopped', words: '', retryable: true }, tries);
      }
    },
  };
}

/** By knowledge where there is some; elsewhere by trial, except context editing, which few endpoints have. */
function initialFeatures(options: AnthropicOptions, endpoint: Endpoint): Set<Feature> {
  const { cache, strict, thinking, contextEditing } = options.features ?? {};
  const capabilities = capabilitiesOf(options.model);
  const use = new Set<Feature>(['version']);
  if (cache !== false) use.add('cache_control');
  if (strict !== false) use.add('strict');
  if (thinking !== false && capabilities.adaptiveThinking) use.add('thinking');
  if (options.effort !== undefined && capabilities.effort) use.add('effort');
  if (contextEditing ?? endpoint.isAnthropic) use.add('context_management');
  return use;
}

function omitThinking(request: ModelRequest, omitted: WeakSet<object>): boolean {
  let found = false;
  for (const block of request.messages.flatMap((message) => message.content)) {
    if (block.type !== 'provider' || typeof block.raw !== 'object' || block.raw === null) continue;
    if (omitted.has(block.raw)) continue;
    omitted.add(block.raw);
    found = true;
  }
  return found;
}

type Attempt =
  | { readonly kind: 'turn'; readonly turn: ReadTurn }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly billed: Tokens | null };

/** One request. It ends by its answer, by `signal`, by the deadline, or when the endpoint has sent nothing for too long. */
async function attempt(
  wire: WireRequest,
  given: {
    readonly options: AnthropicOptions;
    readonly baseURL: string;
    readonly signal: AbortSignal;
    readonly deadline: number;
    readonly endpoint: Endpoint;
  },
): Promise<Attempt> {
  const { options, signal, deadline, endpoint } = given;
  const left = deadline - Date.now();
  const failed = (kind: Failure['kind'], billed: Tokens | null = null): Attempt => ({
    kind: 'failed',
    failure: { kind, words: '', retryable: kind === 'cut' || kind === 'silent' },
    billed,
  });
  if (signal.aborted) return failed('stopped');
  if (left <= 0) return failed('out_of_time');

  const controller = new AbortController();
  let ended: 'stopped' | 'out_of_time' | 'silent' | null = null;
  const end = (why: 'stopped' | 'out_of_time' | 'silent'): void => {
    ended ??= why;
    controller.abort();
  };
  const onAbort = (): void => end('stopped');
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => end('out_of_time'), Math.min(left, 2 ** 31 - 1));
  // Endpoints on a person's own machine may think for minutes before the first byte, without sending pings.
  const silence = options.pace?.silence ?? (endpoint.isAnthropic ? 120_000 : 290_000);
  const watch = watchSilence(silence, () => end('silent'));

  const reader = createTurnReader();
  let contentType = '';
  let events = 0;
  const billed = (): Tokens | null => {
    const tokens = reader.tokens();
    return tokens.input + tokens.cacheRead + tokens.cacheWrite + tokens.output > 0 ? tokens : null;
  };
  try {
    const { default: Anthropic } = await import('@anthropic-ai/sdk');
    const key = options.apiKey ?? options.authToken ?? 'none';
    const client = new Anthropic({
      ...(options.apiKey ? { apiKey: options.apiKey } : { authToken: key }),
      baseURL: given.baseURL,
      maxRetries: 0,
      logLevel: 'off',
      // The SDK sends a key as a Bearer token; other endpoints may look for it where the API had it before.
      ...(endpoint.isAnthropic ? {} : { defaultHeaders: { 'x-api-key': key } }),
      fetch: async (input, init) => {
        const response = await globalThis.fetch(input, init);
        contentType = /^[\w.+-]+\/[\w.+-]+/.exec(response.headers.get('content-type') ?? '')?.[0] ?? '';
        return listening(response, () => watch.heard());
      },
    });
    // Not `messages.create`: it types fewer fields than endpoints take and warns on the console with every request.
    const stream = await client.post<AsyncIterable<unknown>>('/v1/messages', {
      body: wire.body,
      stream: true,
      signal: controller.signal,
      headers: wire.headers,
      timeout: Math.min(left + 1000, 2 ** 31 - 1),
    });
    for await (const event of stream) {
      events += 1;
      reader.take(event);
    }
    if (ended !== null) return failed(ended, billed());
    const turn = reader.turn();
    if (turn !== null) return { kind: 'turn', turn };
    if (events > 0 || contentType === 'text/event-stream') return failed('cut', billed());
    return {
      kind: 'failed',
      failure: { kind: 'no_stream', words: contentType.slice(0, 60), retryable: true },
      billed: null,
    };
  } catch (error) {
    if (ended !== null) return failed(ended, billed());
    const failure = readFailure(error, Date.now());
    const broken = failure.kind === 'unreachable' && billed() !== null;
    return { kind: 'failed', failure: broken ? { ...failure, kind: 'cut' } : failure, billed: billed() };
  } finally {
    clearTimeout(timer);
    watch.stop();
    signal.removeEventListener('abort', onAbort);
    controller.abort();
  }
}

/** Calls `heard` for every piece of the body that arrives; pings count, which the SDK's events leave out. */
function listening(response: Response, heard: () => void): Response {
  heard();
  if (response.body === null) return response;
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        heard();
        out.enqueue(chunk);
      },
    }),
  );
  return new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}

/** What a thrown-away answer cost is counted with the one that came: it was billed. */
function toModelTurn(turn: ReadTurn, lost: readonly Tokens[], price: Price | null): ModelTurn {
  return { content: turn.content, stop: turn.stop, usage: toUsage([...lost, turn.tokens], price) };
}

function toUsage(answers: readonly Tokens[], price: Price | null): Usage {
  const sum = (count: (tokens: Tokens) => number): number =>
    answers.reduce((n, tokens) => n + count(tokens), 0);
  return {
    inputTokens: sum((t) => t.input),
    cacheReadTokens: sum((t) => t.cacheRead),
    cacheWriteTokens: sum((t) => t.cacheWrite),
    outputTokens: sum((t) => t.output),
    dollars: price === null ? null : sum((t) => dollarsFor(price, t)),
  };
}

/** False when the signal ended the pause. */
function sleep(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const stop = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve(true);
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
