import type { Answer } from './ask.js';

/** What a batch came to: one answer an item. */
export type Halved<Item, Found> = readonly (
  | { readonly kind: 'read'; readonly item: Item; readonly found: Found }
  | { readonly kind: 'failed'; readonly item: Item; readonly why: string; readonly status: number | null }
)[];

/**
 * Asks for all items at once. When that fails it asks for each half, so that one bad item takes no other with it. An
 * item that is too heavy even alone is asked for in smaller and smaller pages (`smaller` 1, 2, ...), then given up.
 */
export async function inHalves<Item, Found>(
  items: readonly Item[],
  read: (items: readonly Item[], smaller: number) => Promise<Answer<readonly Found[]>>,
  mostSmaller = 0,
): Promise<Halved<Item, Found>> {
  const [first] = items;
  if (first === undefined) return [];
  for (let smaller = 0; ; smaller++) {
    const answer = await read(items, smaller);
    if (answer.kind === 'read')
      return items.map((item, at) => {
        const found = answer.data[at];
        return found === undefined
          ? { kind: 'failed', item, why: 'GitHub left it out of its answer.', status: null }
          : { kind: 'read', item, found };
      });
    if (items.length > 1) {
      const half = Math.ceil(items.length / 2);
      return [
        ...(await inHalves(items.slice(0, half), read, mostSmaller)),
        ...(await inHalves(items.slice(half), read, mostSmaller)),
      ];
    }
    if (answer.kind === 'refused' || smaller >= mostSmaller)
      return [
        {
          kind: 'failed',
          item: first,
          why: answer.why,
          status: answer.kind === 'refused' ? answer.status : null,
        },
      ];
  }
}
