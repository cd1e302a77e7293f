import type { LoopEvent } from '../lib/agent/loop-event.js';

/** What went to a model's endpoint in a run: lines of files by path, and bytes of text in all. */
export type Sent = {
  readonly note: (event: LoopEvent) => void;
  readonly total: () => { readonly files: number; readonly bytes: number };
  readonly files: () => readonly { readonly path: string; readonly lines: string }[];
};

export function createSentLedger(): Sent {
  const ranges = new Map<string, { readonly start: number; readonly end: number }[]>();
  let bytes = 0;
  const size = (text: string): number => Buffer.byteLength(text, 'utf8');
  return {
    note: (event) => {
      if (event.kind === 'tool_finished')
        for (const { path, ref, start, end } of event.served) {
          const name = ref === 'base' ? `${path} (before)` : path;
          ranges.set(name, [...(ranges.get(name) ?? []), { start, end }]);
        }
      if (event.kind !== 'request_sent') return;
      if (event.prefix !== undefined)
        bytes += size(event.prefix.system) + size(JSON.stringify(event.prefix.tools));
      for (const block of event.added.flatMap(({ content }) => content)) {
        if (block.type === 'text' || block.type === 'tool_result') bytes += size(block.text);
      }
    },
    total: () => ({
      files: new Set([...ranges.keys()].map((name) => name.replace(/ \(before\)$/, ''))).size,
      bytes,
    }),
    files: () =>
      [...ranges]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([path, list]) => ({
          path,
          lines: merged(list)
            .map(({ start, end }) => `${start}-${end}`)
            .join(', '),
        })),
  };
}

function merged(
  list: readonly { readonly start: number; readonly end: number }[],
): readonly { readonly start: number; readonly end: number }[] {
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of [...list].sort((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last !== undefined && start <= last.end + 1) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}
