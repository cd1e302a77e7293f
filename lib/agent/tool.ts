import type { z } from 'zod';
import type { Served } from '../core/evidence.js';
import type { Accepted, ToolCall } from '../core/transcript.js';

/** What a tool shows the model. `served` are the lines it showed in full, recorded by code. */
export type ToolAnswer = {
  readonly text: string;
  readonly served: readonly Served[];
  readonly data?: unknown;
};

/** A read-only tool. `run` gets input parsed by `schema`; a `ToolError` becomes the answer, anything else is a defect. */
export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType;
  readonly run: (input: unknown, call: { readonly signal: AbortSignal }) => Promise<ToolAnswer>;
};

/**
 * What the model had been shown when it submitted, for a terminal tool that checks claims against it. `held`: what it
 * submitted before in this run, when the tool asked one thing more about it.
 */
export type Seen<Value = unknown> = {
  readonly served: readonly Served[];
  readonly calls: readonly ToolCall[];
  readonly held?: Accepted<Value>;
};

/**
 * `asked`: accepted, and `text` asks one thing more. The run goes on until the terminal tool is called again, with what
 * it accepted as `held`; that stands whatever becomes of the answer. Asked at most once a run, and only while there is
 * enough left of the budget: then it is `accepted`.
 */
export type Submission<Value> =
  | ({ readonly kind: 'accepted' } & Accepted<Value>)
  | ({ readonly kind: 'asked'; readonly text: string } & Accepted<Value>)
  | { readonly kind: 'sent_back'; readonly reasons: readonly string[] };

/**
 * The one way to end a run. `accept` gets the arguments as an object that nobody has parsed: `schema` only tells the
 * model their shape, because on the last try what is valid stays and the rest is listed as dropped, item by item.
 */
export type TerminalTool<Value> = {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType;
  readonly accept: (input: unknown, seen: Seen<Value>, lastTry: boolean) => Promise<Submission<Value>>;
};

export type Toolset<Value> = { readonly tools: readonly Tool[]; readonly terminal: TerminalTool<Value> };
