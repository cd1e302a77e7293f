import type { Outcome } from './replay.js';

/** From how many rewards on a field that is always the same is no chance any more. */
const least = 20;

type Field = 'security' | 'logic' | 'quality' | 'reward' | 'clean' | 'merged';

/**
 * A sentence for each field that never varies: nothing can be learned from it, and often it was never filled. A reward
 * that was the same for months has been taken for a good one before.
 */
export function alarms(outcomes: readonly Outcome[]): readonly string[] {
  return fields.flatMap((field) => {
    const values = outcomes.flatMap((one) => {
      const value = one[field];
      return value === undefined ? [] : [value];
    });
    const [first] = values;
    if (first === undefined || values.length < least || values.some((value) => value !== first)) return [];
    return [
      `\`${field}\` is ${String(first)} in all ${values.length}: nothing can be learned from it. Look whether it is filled at all.`,
    ];
  });
}

const fields = [
  'security',
  'logic',
  'quality',
  'reward',
  'clean',
  'merged',
] as const satisfies readonly Field[];
