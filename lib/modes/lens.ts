import type { FileOrder, Lens, PassRecord } from '../core/ledger.js';

const lenses: readonly Lens[] = ['correctness', 'contracts', 'security'];

/**
 * How the next pass over this diff reads it: another lens each time, every third pass in reverse order, so that two
 * clean passes in a row never read the same way.
 */
export function lensFor(
  passes: readonly Pick<PassRecord, 'diffHash' | 'finished' | 'complete'>[],
  diffHash: string,
): { readonly lens: Lens; readonly order: FileOrder } {
  // A pass that does not count leaves its way of reading to the next one.
  const done = passes.filter((pass) => pass.diffHash === diffHash && pass.finished && pass.complete).length;
  const lens = lenses[done % lenses.length] ?? 'correctness';
  return { lens, order: lens === 'security' ? 'reverse' : 'as_shown' };
}
