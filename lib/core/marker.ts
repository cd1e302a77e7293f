import { createHmac, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { Category, Severity, type FindingKey } from './finding.js';
import type { PassRecord } from './pass-record.js';

/**
 * Hidden comments at the end of what we write: `<!-- evident:thread {...} -->`. They carry what code needs to know its
 * own work again. One of the four doors where data is parsed: what is lost, forged or of another version is ignored,
 * and what it stood for is then found anew.
 */
export type Marker =
  | { readonly kind: 'thread'; readonly known: KnownMark }
  /** `pass` names the pass that posted the review, also after its body was edited by later ones. */
  | { readonly kind: 'summary'; readonly pass: string; readonly known: readonly KnownMark[] }
  | { readonly kind: 'pass'; readonly record: PassRecord };

/**
 * Whose markers count. With keys every marker must carry a MAC over the scope; the first key signs, all verify.
 * `scope` names host, app, repository and pull request, so that a marker cannot be carried to another place.
 */
export type MarkerTrust = { readonly keys: readonly string[]; readonly scope: string };

const Key = z
  .string()
  .regex(/^(security|logic|quality)\.[0-9a-f]{10}\.[0-9a-f]{16}\.[0-9a-f]{8}\.\d{1,6}(-\d{1,3})?$/)
  .transform((key) => key as FindingKey);
const hexId = z.string().regex(/^[0-9a-f]{7,64}$/);
const count = z.int().min(0).max(10_000_000);
const shortText = z.string().max(400);

const Standing = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open') }),
  z.object({
    kind: z.literal('fixed'),
    in: z
      .string()
      .regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/)
      .brand<'Sha'>(),
  }),
]);

/** What is kept of a finding or a question: enough to know it again, to list it and to weigh it. */
export const KnownMark = z.object({
  id: z.string().regex(/^[FQ][1-9]\d{0,5}$/),
  key: Key,
  rule: z.string().max(80),
  severity: Severity,
  category: Category,
  origin: z.enum(['introduced', 'pre_existing']),
  title: shortText,
  path: z.string().min(1).max(1000),
  side: z.enum(['LEFT', 'RIGHT']),
  line: z.int().min(1).max(10_000_000),
  height: z.int().min(1).max(10_000),
  standing: Standing.default({ kind: 'open' }),
});
export type KnownMark = z.infer<typeof KnownMark>;

const PassMark = z.object({
  v: z.literal(1),
  jobKey: z.string().max(600),
  head: z
    .string()
    .regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/)
    .brand<'Sha'>(),
  baseRef: z.string().max(300),
  diffHash: hexId,
  policyHash: z.string().max(100),
  lens: z.enum(['correctness', 'contracts', 'security']),
  order: z.enum(['as_shown', 'reverse']),
  model: z.string().max(200),
  modelKind: z.enum(['language_model', 'rules']),
  finished: z.boolean(),
  complete: z.boolean(),
  blocking: z.array(Key).max(200),
  findings: z
    .array(z.custom<`F${number}`>((id) => typeof id === 'string' && /^F[1-9]\d{0,5}$/.test(id)))
    .max(500),
  usage: z.object({
    inputTokens: count,
    cacheReadTokens: count,
    cacheWriteTokens: count,
    outputTokens: count,
    dollars: z.number().min(0).nullable(),
  }),
});

/** A list of known things may be long: it is kept deflated, and read back to at most this size. */
const MAX_INFLATED = 1_000_000;
const MAX_MARKER = 60_000;

const Packed = z
  .string()
  .max(MAX_MARKER)
  .transform((packed, context): readonly KnownMark[] => {
    try {
      const text = inflateRawSync(Buffer.from(packed.replaceAll('.', '-'), 'base64url'), {
        maxOutputLength: MAX_INFLATED,
      }).toString('utf8');
      return z.array(KnownMark).max(1000).parse(JSON.parse(text));
    } catch {
      context.addIssue('not a list of known findings');
      return z.NEVER;
    }
  });

const bodies = {
  thread: z.object({ v: z.literal(1), known: KnownMark }),
  summary: z.object({ v: z.literal(1), pass: z.string().max(600), known: Packed }),
  pass: z.object({ v: z.literal(1), record: PassMark }),
} as const;

/** A marker as a line of Markdown. Safe inside an HTML comment whatever it carries. */
export function writeMarker(marker: Marker, trust?: MarkerTrust): string {
  const json = toJson(bodyOf(marker));
  const mac = signatureOf(marker.kind, json, trust);
  return `<!-- evident:${marker.kind} ${json}${mac === null ? '' : ` ${mac}`} -->`;
}

/**
 * The markers at the very end of a text of ours. Anything above them is text, however much it looks like a marker:
 * code of strangers is quoted there.
 */
export function readMarkers(body: string, trust?: MarkerTrust): readonly Marker[] {
  const lines = body.split(/\r?\n/);
  const found: Marker[] = [];
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = (lines[at] ?? '').trim();
    if (line === '') continue;
    if (!line.startsWith('<!-- evident:') || line.length > MAX_MARKER + 2_000) break;
    if (isInFence(lines, at)) break;
    const marker = readMarker(line, trust);
    if (marker !== null) found.unshift(marker);
  }
  return found;
}

/** The pass records in the text of one of our check runs. */
export const readPassRecords = (checkText: string, trust?: MarkerTrust): readonly PassRecord[] =>
  readMarkers(checkText, trust).flatMap((marker) => (marker.kind === 'pass' ? [marker.record] : []));

/** JSON that can stand inside an HTML comment: no `<`, no `>`, no `--`. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replace(/-(?=-)/g, '\\u002d')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');

function bodyOf(marker: Marker): unknown {
  switch (marker.kind) {
    case 'thread':
      return { v: 1, known: marker.known };
    case 'summary':
      return {
        v: 1,
        pass: marker.pass,
        known: deflateRawSync(JSON.stringify(marker.known)).toString('base64url').replaceAll('-', '.'),
      };
    case 'pass':
      return { v: 1, record: marker.record };
  }
}

function readMarker(line: string, trust: MarkerTrust | undefined): Marker | null {
  const parts = /^<!-- evident:(thread|summary|pass) (\{.*\})(?: ([A-Za-z0-9_.]{43}))? -->$/.exec(line);
  if (parts === null) return null;
  const [, kind, json = '', mac] = parts;
  if (!isKind(kind)) return null;
  if (trust !== undefined && !isSigned(kind, json, mac, trust)) return null;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  switch (kind) {
    case 'thread': {
      const parsed = bodies.thread.safeParse(value);
      return parsed.success ? { kind, known: parsed.data.known } : null;
    }
    case 'summary': {
      const parsed = bodies.summary.safeParse(value);
      return parsed.success ? { kind, pass: parsed.data.pass, known: parsed.data.known } : null;
    }
    case 'pass': {
      const parsed = bodies.pass.safeParse(value);
      return parsed.success ? { kind, record: parsed.data.record } : null;
    }
  }
}

const isKind = (kind: string | undefined): kind is Marker['kind'] => kind !== undefined && kind in bodies;

function signatureOf(kind: string, json: string, trust: MarkerTrust | undefined): string | null {
  const key = trust?.keys[0];
  if (trust === undefined || key === undefined) return null;
  return createHmac('sha256', key)
    .update(JSON.stringify([trust.scope, kind, json]))
    .digest('base64url')
    .replaceAll('-', '.');
}

function isSigned(kind: string, json: string, mac: string | undefined, trust: MarkerTrust): boolean {
  if (mac === undefined) return false;
  return trust.keys.some((key) => {
    const wanted = signatureOf(kind, json, { keys: [key], scope: trust.scope });
    return (
      wanted !== null &&
      wanted.length === mac.length &&
      timingSafeEqual(Buffer.from(wanted), Buffer.from(mac))
    );
  });
}

/** Whether a line is inside a fenced code block that is open there. */
function isInFence(lines: readonly string[], at: number): boolean {
  let open: string | null = null;
  for (let index = 0; index < at; index++) {
    const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(lines[index] ?? '');
    if (fence === null) continue;
    const [, run = '', rest = ''] = fence;
    if (open === null) open = run.startsWith('`') && rest.includes('`') ? null : run;
    else if (run[0] === open[0] && run.length >= open.length && rest.trim() === '') open = null;
  }
  return open !== null;
}
