import { z } from 'zod';
import type { MarkerTrust } from './marker.js';
import { readSignedLine, writeSignedLine } from './signed-line.js';

/** Somebody with the app's own key passed a commit by hand: it stands until a new review of that commit is asked for. */
export type OperatorPass = {
  readonly v: 1;
  readonly head: string;
  readonly reason: string;
  /** Epoch milliseconds. */
  readonly at: number;
};

export const writeOperatorPass = (pass: OperatorPass, trust?: MarkerTrust): string =>
  writeSignedLine('operator', pass, trust);

export const readOperatorPass = (checkText: string, trust?: MarkerTrust): OperatorPass | null =>
  readSignedLine(checkText, 'operator', Pass, trust);

const Pass = z.object({
  v: z.literal(1),
  head: z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/),
  reason: z.string().min(1).max(1_000),
  at: z.number().int().min(0),
});
