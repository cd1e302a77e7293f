import type { Snapshot } from '../core/snapshot.js';
import type { Model } from '../ports/model.js';
import type { Deps } from './given.js';

/** Which of the operator's models reads and which confirms; a name that is not offered chooses nothing. */
export function modelsOf(
  { model, otherModels = [] }: Deps,
  { policy: { review } }: Snapshot,
): { readonly model: Model; readonly confirming?: Model } {
  const named = (name: string | undefined): Model | undefined =>
    [model, ...otherModels].find((one) => one.name === name);
  const first = named(review.models.first) ?? model;
  const second = named(review.models.confirm) ?? [model, ...otherModels].find((one) => one !== first);
  return { model: first, ...(second !== undefined && { confirming: second }) };
}
