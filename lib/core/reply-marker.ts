import { z } from 'zod';
import type { MarkerTrust } from './marker.js';
import { parseReading, type Reading } from './reading.js';
import { readSignedLine, writeSignedLine } from './signed-line.js';

/** Ends a reply of ours: by its key it is found again, so that news is told once. A reply to words carries their reading. */
export const writeReplyMarker = (key: string, trust?: MarkerTrust, reading?: Reading): string =>
  writeSignedLine('reply', { v: 2, key, ...(reading !== undefined && { reading }) }, trust);

/** The key of a reply of ours; null for any other text. */
export const readReplyKey = (body: string, trust?: MarkerTrust): string | null =>
  readSignedLine(body, 'reply', Reply, trust)?.key ?? null;

/** How the words that a reply of ours answers were read; null where it carries no reading. Only texts of ours are asked. */
export const readReplyReading = (body: string, trust?: MarkerTrust): Reading | null =>
  parseReading(readSignedLine(body, 'reply', Reply, trust)?.reading);

/** What a reading of another version holds does not cost the key. */
const Reply = z.object({ v: z.literal(2), key: z.string().min(1).max(600), reading: z.unknown().optional() });
