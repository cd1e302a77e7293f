import { ModelError } from '../core/errors.js';
import { noUsage } from '../core/budget.js';
import type { Block } from '../core/transcript.js';
import type { Model, ModelRequest, ModelTurn } from '../ports/model.js';

/** One answer of a script: as it is, made from the request, or thrown. */
export type ScriptedTurn = ModelTurn | ((request: ModelRequest) => ModelTurn | Promise<ModelTurn>) | Error;

export type ScriptedModel = Model & {
  /** Every request so far, oldest first. */
  readonly requests: readonly ModelRequest[];
};

/** Says what it was told to say, turn by turn: for tests. */
export function createScriptedModel(
  turns: readonly ScriptedTurn[],
  shown: { readonly name?: string; readonly kind?: Model['kind'] } = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    name: shown.name ?? 'scripted',
    kind: shown.kind ?? 'language_model',
    sendsTo: null,
    requests,
    async next(request, { signal }) {
      if (signal.aborted) throw new ModelError('The run was stopped.', { retryable: true });
      const turn = turns[requests.length];
      requests.push(request);
      if (turn === undefined)
        throw new ModelError(`The script has ${turns.length} turns and was asked for one more.`);
      if (turn instanceof Error) throw turn;
      return typeof turn === 'function' ? turn(request) : turn;
    },
  };
}

/** A turn that speaks and calls nothing. */
export const says = (text: string): ModelTurn => ({
  content: [{ type: 'text', text }],
  stop: { kind: 'end_turn' },
  usage: noUsage,
});

/** A turn that calls tools; ids are made from the names and places, or from `mark` when a script repeats a call. */
export const calls = (...uses: readonly { name: string; input: unknown; id?: string }[]): ModelTurn => ({
  content: uses.map(({ name, input, id }, index): Block => ({
    type: 'tool_use',
    id: id ?? `toolu_${index}_${name}_${hash(JSON.stringify(input) ?? '')}`,
    name,
    input,
  })),
  stop: { kind: 'tool_use' },
  usage: noUsage,
});

/** Small and stable: ids only have to differ within a run. */
function hash(text: string): string {
  let value = 5381;
  for (let i = 0; i < text.length; i += 1) value = (value * 33 + text.charCodeAt(i)) >>> 0;
  return value.toString(36);
}
