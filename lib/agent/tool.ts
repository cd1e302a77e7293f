import type { z } from 'zod';
import type { Served } from '../core/evidence.js';
import type { Dropped, ToolCall } from '../core/transcript.js';

/** What a tool shows the model. `served` are the lines it showed, recorded by code. */
export type ToolAnswer = {
  readonly text: string;
  readonly served: readonly Served[];
  readonly data?: unknown;
};

/** A read-only tool. `run` gets parsed input; a `ToolError` becomes the answer, anything else is a defect. */
export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType;
  readonly run: (input: unknown, call: { readonly signal: AbortSignal }) => Promise<ToolAnswer>;
};

/** What the run has seen so far, for a terminal tool that checks claims against it. */
export type Seen = { readonly served: readonly Served[]; readonly calls: readonly ToolCall[] };

export type Submission<Value> =
  | { readonly kind: 'accepted'; readonly value: Value; readonly dropped: readonly Dropped[] }
  | { readonly kind: 'sent_back'; readonly reasons: readonly string[] };

/** The one way to end a run. On the last try it accepts what is valid and lists the rest as dropped. */
export type TerminalTool<Value> = {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType;
  readonly accept: (input: unknown, seen: Seen, lastTry: boolean) => Promise<Submission<Value>>;
};

export type Toolset<Value> = { readonly tools: readonly Tool[]; readonly terminal: TerminalTool<Value> };
