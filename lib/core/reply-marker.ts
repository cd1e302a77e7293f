import { z } from 'zod';
import type { MarkerTrust } from './marker.js';
import { readSignedLine, writeSignedLine } from './signed-line.js';

/** Ends a reply of ours: by its key it is found again, so that news is told once. */
export const writeReplyMarker = (key: string, trust?: MarkerTrust): string =>
  writeSignedLine('reply', { v: 2, key }, trust);

/** The key of a reply of ours; null for any other text. */
export const readReplyKey = (body: string, trust?: MarkerTrust): string | null =>
  readSignedLine(body, 'reply', Reply, trust)?.key ?? null;

const Reply = z.object({ v: z.literal(2), key: z.string().min(1).max(600) });
