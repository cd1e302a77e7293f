/** A number from 0 up to 1, 1 not among them. */
export type Random = () => number;

/** The same seed and index give the same numbers; another index is another stream (Mulberry32 from a mixed seed). */
export function createRandom(seed: number, index: number): Random {
  let state = mixed(mixed(seed ^ 0x9e3779b9) + index);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let out = Math.imul(state ^ (state >>> 15), 1 | state);
    out = (out + Math.imul(out ^ (out >>> 7), 61 | out)) ^ out;
    return ((out ^ (out >>> 14)) >>> 0) / 4294967296;
  };
}

export const chance = (random: Random, share: number): boolean => random() < share;

/** Knuth's way: good for small means. */
export function poisson(random: Random, mean: number): number {
  const least = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > least; product *= random()) count += 1;
  return count;
}

const mixed = (value: number): number => {
  let out = value | 0;
  out = Math.imul(out ^ (out >>> 16), 0x85ebca6b);
  out = Math.imul(out ^ (out >>> 13), 0xc2b2ae35);
  return out ^ (out >>> 16);
};
