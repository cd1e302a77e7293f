import { createHmac, timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';
import { toJson, type MarkerTrust } from './marker.js';

/**
 * A hidden comment of one kind at the end of a text of ours: `<!-- evident:KIND {...} MAC -->`. The MAC is over the scope,
 * the kind and the JSON, as in every marker; without `trust` there is none.
 */
export function writeSignedLine(kind: string, value: unknown, trust?: MarkerTrust): string {
  const json = toJson(value);
  const key = trust?.keys[0];
  const mac = trust === undefined || key === undefined ? '' : ` ${macOf(key, trust.scope, kind, json)}`;
  return `<!-- evident:${kind} ${json}${mac} -->`;
}

/**
 * The newest value of that kind among the hidden lines that end `body`; null when there is none, or none that fits the
 * schema and, with `trust`, carries a MAC of one of its keys.
 */
export function readSignedLine<T>(
  body: string,
  kind: string,
  schema: z.ZodType<T>,
  trust?: MarkerTrust,
): T | null {
  const shape = new RegExp(`^<!-- evident:${kind} (\\{.*\\})(?: ([A-Za-z0-9_.]{43}))? -->$`);
  const lines = body.split('\n');
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = (lines[at] ?? '').trim();
    if (line === '') continue;
    if (!line.startsWith('<!-- evident:') || !line.endsWith('-->')) return null;
    if (line.length > mostLength) continue;
    const [, json, mac] = shape.exec(line) ?? [];
    if (json === undefined || (trust !== undefined && !isSigned(trust, kind, json, mac))) continue;
    const parsed = schema.safeParse(valueOf(json));
    if (parsed.success) return parsed.data;
  }
  return null;
}

/** Longer lines are markers of another kind. */
const mostLength = 12_000;

const macOf = (key: string, scope: string, kind: string, json: string): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([scope, kind, json]))
    .digest('base64url')
    .replaceAll('-', '.');

const isSigned = (trust: MarkerTrust, kind: string, json: string, mac: string | undefined): boolean =>
  mac !== undefined &&
  trust.keys.some((key) =>
    timingSafeEqual(Buffer.from(macOf(key, trust.scope, kind, json)), Buffer.from(mac)),
  );

function valueOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
