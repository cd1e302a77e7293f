import type { LoopEvent } from '../agent/loop-event.js';
import { type CheckWrite, readingCheck } from '../core/publication.js';
import type { Snapshot } from '../core/snapshot.js';

/** How often a long run says in its check how far it is; each is a request. */
const progressMs = 45_000;

/** Counts what a run has read and spent, and says so now and then. A short run says nothing. */
export function tellProgress(
  { diff }: Snapshot,
  clock: () => number,
  write: (check: CheckWrite) => Promise<void>,
): (event: LoopEvent) => void {
  const changed = new Set(diff.flatMap(({ path, oldPath }) => [path, oldPath]));
  const read = new Set<string>();
  let told = clock();
  const spent = { turns: 0, lookUps: 0, dollars: 0 as number | null };
  return (event) => {
    if (event.kind === 'turn_received') {
      const { dollars } = event.usage;
      spent.turns += 1;
      spent.dollars = spent.dollars === null || dollars === null ? null : spent.dollars + dollars;
    }
    if (event.kind !== 'tool_finished') return;
    spent.lookUps += 1;
    for (const { path } of event.served) if (changed.has(path)) read.add(path);
    if (clock() - told < progressMs) return;
    told = clock();
    const seen = diff.filter(({ path, oldPath }) => read.has(path) || read.has(oldPath)).length;
    void write(readingCheck({ seen, of: diff.length }, spent));
  };
}
