import { createHmac, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import type { Attempt } from './attempt.js';
import { Category, Severity, type FindingId, type FindingKey } from './finding.js';
import type { PassRecord } from './pass-record.js';
import { AnswerEffect, type QuestionId } from './question.js';

/**
 * Hidden comments at the end of what we write: `<!-- evident:thread {...} -->`. They carry what code needs to know its
 * own work again. One of the four doors where data is parsed: what is lost, forged or of another version is ignored,
 * and what it stood for is then found anew.
 */
export type Marker =
  /** `state` names what the text of the thread says now, so that it is edited only when that changed. */
  | { readonly kind: 'thread'; readonly known: KnownMark; readonly state: string }
  /** `pass` names the pass that posted the review, also after its body was edited by later ones. */
  | { readonly kind: 'summary'; readonly pass: string }
  | { readonly kind: 'state'; readonly state: KnownState };

/** All that is known, as it rides at the end of every check of ours and of the summary. */
export type KnownState = {
  readonly passes: readonly PassRecord[];
  readonly marks: readonly KnownMark[];
  /** Names of what people said that was acted on: answered, reacted to. */
  readonly heard: readonly string[];
  /** Runs that ended without a result, of which some go on by themselves. */
  readonly attempts?: readonly Attempt[];
};

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

/** What is kept of a finding or a question: enough to know it again, to list it, to weigh it and to show it. */
export const KnownMark = z.object({
  id: z.string().regex(/^[FQ][1-9]\d{0,5}$/),
  key: Key,
  landmarks: z
    .array(z.string().regex(/^([0-9a-f]{8})?$/))
    .length(2)
    .optional(),
  rule: z.string().max(80),
  severity: Severity,
  category: Category,
  origin: z.enum(['introduced', 'pre_existing']),
  title: shortText,
  path: z.string().min(1).max(1000),
  side: z.enum(['LEFT', 'RIGHT']),
  line: z.int().min(1).max(10_000_000),
  height: z.int().min(1).max(10_000),
  /** Why it has no place on the diff. */
  row: shortText.optional(),
  body: z.string().max(2_000).optional(),
  /** The smallest fix, where there is one: code for the lines accused. */
  fix: z.string().max(2_000).optional(),
  /** Where its evidence stands, without the quoted text. */
  quotes: z
    .array(
      z.object({
        path: z.string().min(1).max(1000),
        ref: z.enum(['head', 'base']),
        start: z.int().min(1).max(10_000_000),
        end: z.int().min(1).max(10_000_000),
      }),
    )
    .max(12)
    .optional(),
  /** Of a question. */
  asked: z
    .object({
      question: shortText,
      reason: z.string().max(1_000),
      searched: z.array(shortText).max(20),
      read: z.array(shortText).max(20).optional(),
      effects: z.object({ yes: AnswerEffect, no: AnswerEffect, unsure: AnswerEffect.optional() }),
      earlier: z
        .discriminatedUnion('kind', [
          z.object({
            kind: z.literal('answered'),
            question: z
              .string()
              .regex(/^Q[1-9]\d{0,5}$/)
              .transform((id) => id as QuestionId),
          }),
          z.object({
            kind: z.literal('kept'),
            is: z.enum(['changed', 'ran_out']),
            because: z.string().max(600),
            until: z.string().max(20),
            file: z.string().max(1000),
            fileLine: count,
          }),
        ])
        .optional(),
    })
    .optional(),
  /** The question that this finding was before it was answered. */
  from: z
    .string()
    .regex(/^Q[1-9]\d{0,5}$/)
    .transform((id) => id as QuestionId)
    .optional(),
});
export type KnownMark = z.infer<typeof KnownMark>;

const itemId = (letters: string) => z.string().regex(new RegExp(`^[${letters}][1-9]\\d{0,5}$`));
const findingId = itemId('F').transform((id) => id as FindingId);
const questionId = itemId('Q').transform((id) => id as QuestionId);
const sha = z
  .string()
  .regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/)
  .brand<'Sha'>();
const place = z.object({ path: z.string().max(1000), why: z.string().max(600) });

const Usage = z.object({
  inputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  outputTokens: count,
  dollars: z.number().min(0).nullable(),
});

const Report = z.object({
  coverage: z.object({
    seen: count,
    of: count,
    unreviewable: count,
    others: count,
    missing: z.array(place).max(100),
    skipped: z.array(place).max(100),
    limit: z.string().max(100).optional(),
  }),
  disproved: z
    .array(
      z.object({
        claim: z.string().max(600),
        because: z.string().max(600),
        path: z.string().max(1000),
        line: count,
      }),
    )
    .max(30),
  dropped: z.array(z.object({ what: z.string().max(600), why: z.string().max(600) })).max(50),
  notRaised: z
    .array(
      z.object({
        rule: z.string().max(80),
        path: z.string().max(1000),
        line: count,
        because: z.string().max(600),
        until: z.string().max(20),
        file: z.string().max(1000),
        fileLine: count,
      }),
    )
    .max(20)
    .optional(),
  usage: Usage,
  elapsedMs: z.number().min(0),
  requests: count,
});

const Pass = z.object({
  v: z.literal(2),
  at: z.number().min(0),
  jobKey: z.string().max(600),
  head: sha,
  baseRef: z.string().max(300),
  diffHash: hexId,
  policyHash: z.string().max(100),
  lens: z.enum(['correctness', 'contracts', 'security']),
  order: z.enum(['as_shown', 'reverse']),
  model: z.string().max(200),
  modelKind: z.enum(['language_model', 'rules']),
  panel: z.object({ round: z.number().min(0), size: z.number().int().min(2).max(3) }).optional(),
  finished: z.boolean(),
  complete: z.boolean(),
  blocking: z.array(Key).max(500),
  findings: z.array(findingId).max(1_000),
  questions: z.array(questionId).max(200),
  settled: z
    .array(z.object({ id: z.union([findingId, questionId]), kind: z.enum(['fixed', 'obsolete']) }))
    .max(1_000),
  continued: z.array(questionId).max(50).optional(),
  files: z.record(z.string().max(1000), z.string().max(16)).optional(),
  usage: Usage,
  report: Report.optional(),
});

/** What is known may be much: it is kept deflated, and read back to at most this size. */
const MAX_INFLATED = 2_000_000;
const MAX_MARKER = 60_000;

/** Item by item: what one of another version holds does not cost the others. */
const readEach = <T extends z.ZodType>(item: T, most: number) =>
  z.array(z.unknown()).transform((all): z.infer<T>[] =>
    all.slice(-most).flatMap((one) => {
      const parsed = item.safeParse(one);
      return parsed.success ? [parsed.data] : [];
    }),
  );

const Attempted = z.object({
  head: sha,
  at: z.number().min(0),
  why: z.enum(['time', 'busy']),
  pass: z.string().max(100),
  read: count,
});

const State = z.object({
  passes: readEach(Pass, 200),
  marks: readEach(KnownMark, 1_000),
  heard: readEach(shortText, 1_000),
  // States from before it was written lack it.
  attempts: readEach(Attempted, 100).optional(),
});

const Packed = z
  .string()
  .max(MAX_MARKER)
  .transform((packed, context): KnownState => {
    try {
      const text = inflateRawSync(Buffer.from(packed.replaceAll('.', '-'), 'base64url'), {
        maxOutputLength: MAX_INFLATED,
      }).toString('utf8');
      return State.parse(JSON.parse(text));
    } catch {
      context.addIssue('not a state');
      return z.NEVER;
    }
  });

const bodies = {
  thread: z.object({ v: z.literal(2), known: KnownMark, state: z.string().max(400) }),
  summary: z.object({ v: z.literal(2), pass: z.string().max(600) }),
  state: z.object({ v: z.literal(2), packed: Packed }),
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

/** What the text of one of our check runs, or of our summary, says is known. */
export function readState(text: string, trust?: MarkerTrust): KnownState {
  const states = readMarkers(text, trust).flatMap((marker) =>
    marker.kind === 'state' ? [marker.state] : [],
  );
  return {
    passes: states.flatMap(({ passes }) => passes),
    marks: states.flatMap(({ marks }) => marks),
    heard: states.flatMap(({ heard }) => heard),
    attempts: states.flatMap(({ attempts = [] }) => attempts),
  };
}

/**
 * The state as a marker of at most `most` characters. What is large and least needed goes first: texts of old passes,
 * then texts of findings, then findings that never blocked, then the oldest passes, then what is settled.
 */
export function writeState(state: KnownState, most: number, trust?: MarkerTrust): string {
  const { attempts = [] } = state;
  const kept = attempts.length === 0 ? {} : { attempts: attempts.slice(-mostAttempts) };
  for (const shorten of shortenings) {
    const line = writeMarker({ kind: 'state', state: { ...shorten(state), ...kept } }, trust);
    if (line.length <= most) return line;
  }
  return '';
}

/** A head has a handful of them; those of older heads say nothing. */
const mostAttempts = 20;

const withoutReports = (keep: number) => (passes: readonly PassRecord[]) =>
  passes.map((pass, index): PassRecord => {
    if (index >= passes.length - keep) return pass;
    const { report: _report, files: _files, ...rest } = pass;
    return rest;
  });

const bareMark = ({ body: _body, fix: _fix, quotes: _quotes, ...mark }: KnownMark): KnownMark => mark;

const mayBlock = ({ severity, origin, asked }: KnownMark): boolean =>
  asked !== undefined || (severity === 'important' && origin === 'introduced');

const shortenings: readonly ((state: KnownState) => KnownState)[] = [
  ({ passes, marks, heard }) => ({ passes: withoutReports(2)(passes), marks, heard: heard.slice(-500) }),
  ({ passes, marks, heard }) => ({
    passes: withoutReports(1)(passes),
    marks: marks.map(bareMark),
    heard: heard.slice(-300),
  }),
  ({ passes, marks, heard }) => ({
    passes: withoutReports(0)(passes),
    marks: [...marks.filter(mayBlock), ...marks.filter((mark) => !mayBlock(mark)).slice(-100)].map(bareMark),
    heard: heard.slice(-300),
  }),
  ({ passes, marks, heard }) => ({
    passes: withoutReports(0)(passes).slice(-60),
    marks: marks.filter(mayBlock).map(bareMark),
    heard: heard.slice(-200),
  }),
  ...[150, 60, 20, 5].map((most) => ({ passes, marks, heard }: KnownState): KnownState => {
    const settled = settledIn(passes);
    const open = marks.filter((mark) => mayBlock(mark) && !settled.has(mark.id));
    return {
      passes: withoutReports(0)(passes).slice(-Math.min(20, most)).map(shortPass(most)),
      marks: [...open, ...marks.filter((mark) => mayBlock(mark) && settled.has(mark.id))]
        .slice(0, most)
        .map(shortMark),
      heard: heard.slice(-most),
    };
  }),
];

/** Whose newest word is that they are settled: they are missed least. */
function settledIn(passes: readonly PassRecord[]): ReadonlySet<string> {
  const settled = new Set<string>();
  for (const pass of passes) {
    for (const id of [...pass.findings, ...pass.questions]) settled.delete(id);
    for (const { id } of pass.settled) settled.add(id);
  }
  return settled;
}

/** A record without all that it found counts for nothing: it only keeps others from counting. */
const shortPass =
  (most: number) =>
  (pass: PassRecord): PassRecord =>
    pass.blocking.length <= most && pass.settled.length <= most
      ? pass
      : {
          ...pass,
          complete: false,
          blocking: pass.blocking.slice(0, most),
          settled: pass.settled.slice(0, most),
        };

const shortMark = (mark: KnownMark): KnownMark => {
  const { row, asked, ...rest } = bareMark(mark);
  return {
    ...rest,
    title: cut(mark.title),
    ...(row !== undefined && { row: cut(row) }),
    ...(asked !== undefined && {
      asked: { question: asked.question, reason: cut(asked.reason), searched: [], effects: asked.effects },
    }),
  };
};

const cut = (text: string): string => text.slice(0, 80).replace(/[\uD800-\uDBFF]$/, '');

/** The text above the hidden lines at its end. */
export function withoutMarkers(body: string): string {
  const lines = body.split(/\r?\n/);
  let end = lines.length;
  while (end > 0 && /^\s*(<!-- evident:.*)?$/.test(lines[end - 1] ?? '')) end -= 1;
  return lines.slice(0, end).join('\n');
}

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
      return { v: 2, known: marker.known, state: marker.state };
    case 'summary':
      return { v: 2, pass: marker.pass };
    case 'state':
      return {
        v: 2,
        packed: deflateRawSync(JSON.stringify(marker.state)).toString('base64url').replaceAll('-', '.'),
      };
  }
}

function readMarker(line: string, trust: MarkerTrust | undefined): Marker | null {
  const parts = /^<!-- evident:(thread|summary|state) (\{.*\})(?: ([A-Za-z0-9_.]{43}))? -->$/.exec(line);
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
      return parsed.success ? { kind, known: parsed.data.known, state: parsed.data.state } : null;
    }
    case 'summary': {
      const parsed = bodies.summary.safeParse(value);
      return parsed.success ? { kind, pass: parsed.data.pass } : null;
    }
    case 'state': {
      const parsed = bodies.state.safeParse(value);
      return parsed.success ? { kind, state: parsed.data.packed } : null;
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
