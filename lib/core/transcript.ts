import type { Spend, Usage } from './budget.js';
import type { Served } from './evidence.js';

/**
 * Messages as the Messages API has them, kept provider-neutral. A `provider` block is opaque (thinking, redacted
 * thinking): it is kept and sent back exactly as it came, because it is bound to what stood before it.
 */
export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'tool_result';
      readonly toolUseId: string;
      readonly text: string;
      readonly isError: boolean;
    }
  | { readonly type: 'provider'; readonly raw: unknown };

export type Message = { readonly role: 'user' | 'assistant'; readonly content: readonly Block[] };

/** Why a model turn ended. An unknown word of a provider is kept, and treated as incomplete. */
export type StopReason =
  | { readonly kind: 'tool_use' }
  | { readonly kind: 'end_turn' }
  | { readonly kind: 'max_tokens' }
  | { readonly kind: 'pause_turn' }
  | { readonly kind: 'refusal'; readonly detail?: string }
  | { readonly kind: 'context_exceeded' }
  | { readonly kind: 'unknown'; readonly word: string };

/** One finished exchange with the model and its tools: what the journal keeps. */
export type Turn = {
  readonly index: number;
  /** As it is sent back: ids unique, arguments objects, no blank text. `provider` blocks are untouched. */
  readonly assistant: Message;
  readonly stop: StopReason;
  readonly usage: Usage;
  /** How long the model took, in milliseconds. */
  readonly ms?: number;
  /** The user message that answers it: tool results first. Absent when the run ended or the model goes on by itself. */
  readonly reply?: Message;
  readonly served: readonly Served[];
  /** Tool calls that ran in this turn, by name with their parsed input, for "what was searched". */
  readonly calls: readonly ToolCall[];
  /** Calls that were not run because the same call had been answered before. */
  readonly repeated?: readonly ToolCall[];
  /** A submission of this turn was accepted and one thing more was asked about it: it stands if no answer comes. */
  readonly held?: Accepted<unknown>;
  /** A submission was judged in this turn: one try. */
  readonly submitted?: true;
  /** The reply says that only the terminal tool is accepted from here on, because of this limit. */
  readonly closing?: string;
  /** Before this turn the run had been cut off for want of time, and went on with more of it. */
  readonly wentOn?: true;
  /** The run ended with this turn, by what the model did. */
  readonly ended?: Outcome;
};

export type ToolCall = { readonly name: string; readonly input: unknown; readonly failed: boolean };

/** Append-only: what was sent, what came back, what it cost. Enough to go on after a crash, and to replay. */
export type Transcript = {
  readonly model: string;
  readonly system: string;
  readonly opening: Message;
  readonly turns: readonly Turn[];
  readonly spend: Spend;
};

/** How a run ended. `Value` is what the terminal tool accepted. */
export type Outcome<Value = unknown> =
  | ({ readonly kind: 'submitted' } & Accepted<Value>)
  | { readonly kind: 'no_submission'; readonly detail: string }
  | { readonly kind: 'refused'; readonly detail: string }
  /** `defect`: an error that nothing expected, of ours and not of the provider; `detail` is for the log. */
  | {
      readonly kind: 'failed';
      readonly detail: string;
      readonly retryable: boolean;
      readonly defect?: true;
    }
  | { readonly kind: 'superseded'; readonly detail: string }
  | { readonly kind: 'out_of_budget'; readonly limit: string };

/** What stood of a submission, and what did not. */
export type Accepted<Value> = { readonly value: Value; readonly dropped: readonly Dropped[] };

/** Something a submission carried that did not stand, with the reason in words. */
export type Dropped = { readonly what: string; readonly why: string };
