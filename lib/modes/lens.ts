import type { FileOrder, Lens, PassRecord } from '../core/ledger.js';

const lenses: readonly Lens[] = ['correctness', 'contracts', 'security'];

/**
 * How the next pass over this diff reads it: with another lens, and the files the other way round, each time. Two clean
 * passes in a row differ in both, because the same look again finds what it found before (docs/GATE.md has the figures).
 */
export function lensFor(
  passes: readonly Pick<PassRecord, 'diffHash' | 'finished' | 'complete'>[],
  diffHash: string,
  /** Of those who read side by side: how many seats further. */
  ahead = 0,
): { readonly lens: Lens; readonly order: FileOrder } {
  // A pass that does not count leaves its way of reading to the next one.
  const done =
    ahead + passes.filter((pass) => pass.diffHash === diffHash && pass.finished && pass.complete).length;
  const lens = lenses[done % lenses.length] ?? 'correctness';
  return { lens, order: done % 2 === 1 ? 'reverse' : 'as_shown' };
}
