import type { Usage } from '../core/budget.js';
import type { Block, Message, StopReason } from '../core/transcript.js';

/** A tool as the model sees it. `inputSchema` is JSON Schema of `type: object` with `additionalProperties: false`. */
export type ToolDefinition = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
};

/** The prefix (tools, system, earlier messages) never changes within a run: it is cached and thinking is bound to it. */
export type ModelRequest = {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
};

export type ModelTurn = {
  readonly content: readonly Block[];
  readonly stop: StopReason;
  readonly usage: Usage;
};

/** A model that proposes. Throws `ModelError`; aborts by `signal`; retries only inside `deadline` (epoch ms). */
export interface Model {
  /** As shown to people: "claude-sonnet-5-5", "fixed rules". */
  readonly name: string;
  readonly kind: 'language_model' | 'rules';
  /** Host that requests go to; null when nothing leaves the process. */
  readonly sendsTo: string | null;
  next(
    request: ModelRequest,
    options: { readonly signal: AbortSignal; readonly deadline: number },
  ): Promise<ModelTurn>;
}
