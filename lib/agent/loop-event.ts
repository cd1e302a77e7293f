import type { Usage } from '../core/budget.js';
import type { Served } from '../core/evidence.js';
import type { Block, Message, Outcome, StopReason } from '../core/transcript.js';
import type { ToolDefinition } from '../ports/model.js';

/** All that happens in a run, in order: one stream feeds the log, the terminal and whoever keeps a transcript. */
export type LoopEvent =
  /** What went to the model: the messages that no request of this run carried before; the first has the prefix too. */
  | {
      readonly kind: 'request_sent';
      readonly turn: number;
      readonly added: readonly Message[];
      readonly prefix?: { readonly system: string; readonly tools: readonly ToolDefinition[] };
    }
  | {
      readonly kind: 'turn_received';
      readonly turn: number;
      readonly content: readonly Block[];
      readonly stop: StopReason;
      readonly usage: Usage;
      readonly ms: number;
    }
  | {
      readonly kind: 'tool_started';
      readonly turn: number;
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    }
  /** `defect`: an error that is no answer for the model and wants mending in the tool. */
  | {
      readonly kind: 'tool_finished';
      readonly turn: number;
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly ms: number;
      readonly chars: number;
      readonly served: readonly Served[];
      readonly failed: boolean;
      readonly defect?: string;
    }
  | {
      readonly kind: 'submission_sent_back';
      readonly turn: number;
      readonly tryNumber: number;
      readonly tries: number;
      readonly reasons: readonly string[];
    }
  /** A submission was accepted and one thing more was asked about it. */
  | { readonly kind: 'follow_up_asked'; readonly turn: number }
  /** The run ended without an answer to it: the submission stands as it was. */
  | { readonly kind: 'follow_up_unanswered'; readonly outcome: Outcome }
  | { readonly kind: 'closing'; readonly turn: number; readonly limit: string }
  | { readonly kind: 'resumed'; readonly turns: number }
  /** Turns from here on are not kept: a killed run pays them again. */
  | { readonly kind: 'journal_failed'; readonly detail: string }
  /** Whether the run is still wanted could not be asked; it goes on. */
  | { readonly kind: 'wanted_unknown'; readonly detail: string }
  | { readonly kind: 'ended'; readonly outcome: Outcome };
