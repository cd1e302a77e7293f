import { createHash } from 'node:crypto';

/**
 * Numbers from 0 up to 1, the same ones for the same seed. Seeds that differ in one letter give streams that have nothing
 * in common, so that 1, 2, 3, ... may be used one after the other.
 */
export function createSeeded(seed: string): () => number {
  let block = Buffer.alloc(0);
  let blocks = 0;
  return () => {
    if (block.length < 8) {
      block = createHash('sha256').update(`${blocks}\n${seed}`).digest();
      blocks += 1;
    }
    const value = Number(block.readBigUInt64BE() >> 11n) / 2 ** 53;
    block = block.subarray(8);
    return value;
  };
}
