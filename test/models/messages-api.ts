import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A small Messages API on loopback that is as strict as the real one where it is known, for tests of adapters. */
export type MessagesApi = {
  readonly url: string;
  /** All requests that arrived, refused ones included. */
  readonly requests: readonly { readonly headers: http.IncomingHttpHeaders; readonly body: Json }[];
  /** What it answered 400 with, oldest first. */
  readonly refused: readonly string[];
  readonly close: () => Promise<void>;
};

// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = Record<string, any>;

export type ApiAnswer = {
  readonly content: readonly Json[];
  readonly stop_reason?: string | null;
  readonly stop_details?: Json;
  readonly usage?: Json;
  /** By index of the block: the JSON text that is streamed instead of the input. */
  readonly inputJson?: Readonly<Record<number, string>>;
};

export type Fault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly type: string;
      readonly headers?: Record<string, string>;
      readonly message?: string;
    }
  /** Half of the stream, then the connection is gone, then silence, or an error event. */
  | { readonly kind: 'cut' | 'stall' | 'error_event' }
  /** All of the stream but its last two events, then a clean end. */
  | { readonly kind: 'short' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'html' }
  | { readonly kind: 'slow'; readonly pings: number; readonly everyMs: number };

export type ApiOptions = {
  /** Answers by the number of accepted requests that came through without a fault, from 0. */
  readonly answers: readonly ApiAnswer[];
  /** By number of accepted request, from 1; retries count. */
  readonly faults?: Readonly<Record<number, Fault>>;
  /** Parts of a request it does not know: version, cache_control, strict, thinking, output_config, context_management. */
  readonly lacks?: readonly string[];
  /** Says only that the request is bad when it refuses one. */
  readonly curt?: boolean;
  readonly maxOutput?: number;
  readonly key?: string;
};

export async function startMessagesApi(options: ApiOptions): Promise<MessagesApi> {
  const requests: { headers: http.IncomingHttpHeaders; body: Json }[] = [];
  const refused: string[] = [];
  const sockets = new Set<Socket>();
  let accepted = 0;
  let answered = 0;
  const server = http.createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const fail = (status: number, type: string, message: string, headers: Record<string, string> = {}) => {
        res.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_test', ...headers });
        res.end(JSON.stringify({ type: 'error', error: { type, message } }));
      };
      if (req.method !== 'POST' || req.url?.split('?')[0] !== '/v1/messages')
        return fail(404, 'not_found_error', 'Not Found');
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json;
      requests.push({ headers: req.headers, body });
      const key = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1] ?? req.headers['x-api-key'];
      if (key === undefined || (options.key !== undefined && key !== options.key))
        return fail(401, 'authentication_error', 'invalid x-api-key');
      const wrong = whatIsWrong(body, req.headers, options);
      if (wrong !== null) {
        refused.push(wrong);
        return fail(400, 'invalid_request_error', options.curt === true ? 'Bad Request' : wrong);
      }
      accepted += 1;
      const fault = options.faults?.[accepted];
      if (fault?.kind === 'status')
        return fail(fault.status, fault.type, fault.message ?? fault.type, fault.headers);
      if (fault?.kind === 'reset') return void req.socket.destroy();
      if (fault?.kind === 'html') {
        res.writeHead(200, { 'content-type': 'text/html' });
        return void res.end('<html>a portal</html>');
      }
      const answer = options.answers[answered];
      if (answer === undefined) return fail(500, 'api_error', 'no answer is left');
      const events = toEvents(answer, body);
      const half = events.slice(0, Math.ceil(events.length / 2)).join('');
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      switch (fault?.kind) {
        case 'cut':
          return void res.write(half, () => res.destroy());
        case 'stall':
          return void res.write(half);
        case 'short':
          return void res.end(events.slice(0, -2).join(''));
        case 'error_event':
          return void res.end(
            `${half}event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })}\n\n`,
          );
        case 'slow': {
          let left = fault.pings;
          const timer = setInterval(() => {
            if (res.destroyed) return clearInterval(timer);
            left -= 1;
            res.write('event: ping\ndata: {"type":"ping"}\n\n');
            if (left > 0) return;
            clearInterval(timer);
            answered += 1;
            res.end(events.join(''));
          }, fault.everyMs);
          return;
        }
        case undefined:
          answered += 1;
          return void res.end(events.join(''));
      }
    });
  });
  server.keepAliveTimeout = 65_000;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    refused,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const topLevel = new Set([
  'model',
  'max_tokens',
  'stream',
  'tools',
  'tool_choice',
  'system',
  'messages',
  'thinking',
  'output_config',
  'context_management',
]);
const thinksAdaptively = /claude-(sonnet-5|opus-(5|4-[678])|fable|mythos|haiku-5|sonnet-4-6)/;

/** The message of the 400, or null. */
function whatIsWrong(body: Json, headers: http.IncomingHttpHeaders, options: ApiOptions): string | null {
  if (headers['anthropic-version'] === undefined) return 'anthropic-version: header is required';
  if (options.lacks?.includes('version') === true && headers['anthropic-version'] !== '2023-06-01') {
    return 'anthropic-version: this version is not known';
  }
  const extra = Object.keys(body).find((key) => !topLevel.has(key) || options.lacks?.includes(key));
  if (extra !== undefined) return `${extra}: Extra inputs are not permitted`;
  if (!Number.isInteger(body.max_tokens) || body.max_tokens < 1)
    return 'max_tokens: Input should be a positive integer';
  const most = options.maxOutput ?? 128_000;
  if (body.max_tokens > most) {
    return `max_tokens: ${body.max_tokens} > ${most}, which is the maximum allowed number of output tokens for ${body.model}`;
  }
  if (body.stream !== true)
    return 'Streaming is required for operations that may take longer than 10 minutes.';
  if (body.tool_choice !== undefined && body.tool_choice.type !== 'auto')
    return 'tool_choice: forced tool use is not supported';
  if (
    body.thinking !== undefined &&
    !(body.thinking.type === 'adaptive' && thinksAdaptively.test(body.model))
  ) {
    return 'adaptive thinking is not supported on this model';
  }
  const betas = String(headers['anthropic-beta'] ?? '').split(',');
  if (body.context_management !== undefined && !betas.includes('context-management-2025-06-27')) {
    return 'context_management: Extra inputs are not permitted';
  }
  return wrongTools(body, options) ?? wrongMarks(body, options) ?? wrongMessages(body);
}

function wrongTools(body: Json, options: ApiOptions): string | null {
  const tools = (body.tools ?? []) as Json[];
  if (new Set(tools.map((tool) => tool.name)).size !== tools.length)
    return 'tools: Tool names must be unique.';
  for (const [i, tool] of tools.entries()) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(tool.name))
      return `tools.${i}.custom.name: String should match pattern`;
    if (tool.input_schema?.type !== 'object')
      return `tools.${i}.custom.input_schema.type: Input should be 'object'`;
    if (tool.strict === undefined) continue;
    if (options.lacks?.includes('strict')) return `tools.${i}.custom.strict: Extra inputs are not permitted`;
    const open = JSON.stringify(tool.input_schema, (_, v) =>
      v?.type === 'object' && v.additionalProperties !== false ? 'OPEN' : v,
    );
    if (open.includes('OPEN') || /"(minimum|maximum|minLength|maxLength|pattern)":/.test(open)) {
      return `tools.${i}.custom: For 'object' type, 'additionalProperties' must be explicitly set to false`;
    }
  }
  return null;
}

function wrongMarks(body: Json, options: ApiOptions): string | null {
  const marked: Json[] = [...(body.tools ?? []), ...(Array.isArray(body.system) ? body.system : [])];
  for (const message of body.messages) if (Array.isArray(message.content)) marked.push(...message.content);
  const marks = marked.filter((block) => block.cache_control !== undefined);
  if (marks.length > 0 && options.lacks?.includes('cache_control'))
    return 'system.0.cache_control: Extra inputs are not permitted';
  if (marks.length > 4)
    return `A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`;
  if (marks.some((block) => /thinking/.test(block.type)))
    return 'thinking.cache_control: Extra inputs are not permitted';
  return null;
}

function wrongMessages(body: Json): string | null {
  const messages = body.messages as Json[];
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  if (messages.at(-1)?.role !== 'user') return 'This model does not support assistant message prefill.';
  let open: string[] = [];
  for (const [i, message] of messages.entries()) {
    const content = message.content as Json[];
    if (!Array.isArray(content) || content.length === 0)
      return `messages.${i}: all messages must have non-empty content`;
    if (i > 0 && messages[i - 1]?.role === message.role) return `messages.${i}: roles must alternate`;
    if (content.some((b) => b.type === 'text' && b.text.trim() === ''))
      return `messages.${i}: text content blocks must be non-empty`;
    const results = content.filter((b) => b.type === 'tool_result').map((b) => b.tool_use_id as string);
    if (message.role === 'user') {
      if (open.some((id) => !results.includes(id)))
        return `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks`;
      if (results.some((id) => !open.includes(id)))
        return `messages.${i}: unexpected \`tool_use_id\` found in \`tool_result\` blocks`;
      if (content.slice(0, results.length).some((b) => b.type !== 'tool_result'))
        return `messages.${i}: tool_result blocks must come first`;
    }
    const uses = content.filter((b) => b.type === 'tool_use');
    if (uses.some((b) => typeof b.input !== 'object' || b.input === null))
      return `messages.${i}: tool_use.input: Input should be an object`;
    if (/thinking/.test(content.at(-1)?.type))
      return `messages.${i}: The final block in an assistant message cannot be thinking`;
    open = uses.map((b) => b.id as string);
    for (const [j, block] of content.entries()) {
      if (block.type === 'thinking' && block.signature !== signatureAt(body, i, content.slice(0, j))) {
        return `messages.${i}.content.${j}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`;
      }
    }
  }
  return null;
}

/** Thinking is bound to tools, system and all that was said before it; cache marks and other thinking aside. */
function signatureAt(body: Json, index: number, before: readonly Json[]): string {
  const spoken = (blocks: readonly Json[]) => blocks.filter((block) => !/thinking/.test(block.type));
  const messages = (body.messages as Json[])
    .slice(0, index)
    .map((m) => ({ role: m.role, content: spoken(m.content) }));
  const bound = { tools: body.tools ?? [], system: body.system ?? [], messages, before: spoken(before) };
  const text = JSON.stringify(bound, (key, value: unknown) => (key === 'cache_control' ? undefined : value));
  return `sig_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}

function toEvents(answer: ApiAnswer, body: Json): string[] {
  const event = (type: string, data: Json) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  const pieces = (text: string) => text.match(/[^]{1,7}/gu) ?? [''];
  const usage = {
    input_tokens: 10,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    output_tokens: 5,
    ...answer.usage,
  };
  const out = [
    event('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: body.model,
        content: [],
        stop_reason: null,
        usage: { ...usage, output_tokens: 1 },
      },
    }),
  ];
  for (const [index, block] of answer.content.entries()) {
    const delta = (d: Json) => out.push(event('content_block_delta', { index, delta: d }));
    const start = (content_block: Json) => out.push(event('content_block_start', { index, content_block }));
    switch (block.type) {
      case 'text':
        start({ ...block, text: '' });
        for (const text of pieces(block.text)) delta({ type: 'text_delta', text });
        break;
      case 'tool_use':
        start({ ...block, input: {} });
        for (const partial_json of pieces(answer.inputJson?.[index] ?? JSON.stringify(block.input)))
          delta({ type: 'input_json_delta', partial_json });
        break;
      case 'thinking':
        start({ ...block, thinking: '', signature: '' });
        for (const thinking of pieces(block.thinking)) delta({ type: 'thinking_delta', thinking });
        delta({
          type: 'signature_delta',
          signature:
            block.signature ?? signatureAt(body, body.messages.length, answer.content.slice(0, index)),
        });
        break;
      default:
        start(block);
    }
    out.push(event('content_block_stop', { index }));
  }
  const uses = answer.content.some((block) => block.type === 'tool_use');
  out.push(
    event('message_delta', {
      delta: {
        stop_reason: answer.stop_reason === undefined ? (uses ? 'tool_use' : 'end_turn') : answer.stop_reason,
        stop_details: answer.stop_details ?? null,
      },
      usage: { output_tokens: usage.output_tokens },
    }),
  );
  out.push(event('message_stop', {}));
  return out;
}
