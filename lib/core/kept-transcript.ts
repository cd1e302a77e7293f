import { z } from 'zod';
import type { Spend } from './budget.js';
import { Ref } from './evidence.js';
import type { Verdict } from './gate.js';
import type { ReviewResult } from './review-result.js';
import type { Dropped, Message, Outcome, Transcript, Turn } from './transcript.js';

/** How a pass ended, without the value: what stood is in the result. */
export type KeptOutcome =
  | { readonly kind: 'submitted'; readonly dropped: readonly Dropped[] }
  | Exclude<Outcome, { kind: 'submitted' }>;

/** One pass as it went. */
export type KeptPass = {
  readonly system: string;
  readonly opening: Message;
  readonly turns: readonly (Omit<Turn, 'ended' | 'held'> & { readonly ended?: KeptOutcome })[];
  readonly spend: Spend;
  readonly outcome: KeptOutcome;
};

/**
 * A review as a file, for `evident replay`: what was sent, what came back, what was refused and why. Holds code of the
 * repository as the model saw it: secrets are labels, withheld files are not in it.
 */
export type KeptTranscript = {
  readonly version: 1;
  /** Of the program that wrote it. */
  readonly evident: string;
  readonly model: { readonly name: string; readonly kind: 'language_model' | 'rules' };
  readonly reviewed: { readonly repository: string; readonly base: string; readonly head: string };
  readonly passes: readonly KeptPass[];
  /** Null when no pass ended with a submission. */
  readonly result: KeptResult | null;
};

/** What became of the claims, by the name that surfaces show. */
export type KeptResult = {
  readonly findings: readonly { readonly id: string; readonly place: string; readonly title: string }[];
  readonly questions: readonly { readonly id: string; readonly place: string; readonly question: string }[];
  readonly disproved: readonly { readonly claim: string; readonly because: string }[];
  readonly dropped: readonly Dropped[];
  readonly missing: readonly { readonly path: string; readonly why: string }[];
  readonly verdict: string;
};

/** The passes of a run; all but the last one ended with a submission, the last one too when none `failed`. */
export function keepPasses(
  transcripts: readonly Transcript[],
  failed: Exclude<Outcome, { kind: 'submitted' }> | null,
): readonly KeptPass[] {
  return transcripts.map(({ system, opening, turns, spend }, index) => {
    const kept = turns.map(({ ended, held: _held, ...turn }) => ({
      ...turn,
      ...(ended !== undefined && { ended: withoutValue(ended) }),
    }));
    const outcome =
      index === transcripts.length - 1 && failed !== null
        ? failed
        : (kept.at(-1)?.ended ?? { kind: 'submitted' as const, dropped: [] });
    return { system, opening, turns: kept, spend, outcome };
  });
}

/** What surfaces show of a result, by the same names. */
export const keepResult = (
  { findings, questions, disproved, dropped, coverage }: ReviewResult,
  verdict: Verdict,
): KeptResult => ({
  findings: findings.map(({ id, anchor, title }) => ({ id, place: `${anchor.path}:${anchor.line}`, title })),
  questions: questions.map(({ id, finding: { anchor }, question }) => ({
    id,
    place: `${anchor.path}:${anchor.line}`,
    question,
  })),
  disproved: disproved.map(({ claim, because }) => ({ claim, because })),
  dropped,
  missing: coverage.files.flatMap((file) =>
    file.kind === 'missing' ? [{ path: file.path, why: file.why }] : [],
  ),
  verdict: verdict.kind,
});

const withoutValue = (outcome: Outcome): KeptOutcome =>
  outcome.kind === 'submitted' ? { kind: 'submitted', dropped: outcome.dropped } : outcome;

export type ReadTranscript =
  | { readonly kind: 'read'; readonly transcript: KeptTranscript }
  /** `why` is a sentence that says what to do. */
  | { readonly kind: 'unreadable'; readonly why: string };

/** Reads the file back. It may come from anywhere: what it says is shown, never acted upon. */
export function parseTranscript(text: string): ReadTranscript {
  const unreadable = (why: string): ReadTranscript => ({ kind: 'unreadable', why });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unreadable('it is not JSON. Write one with: evident review --transcript FILE');
  }
  const version = Versioned.safeParse(value);
  if (!version.success)
    return unreadable('it is no transcript of a review. Write one with: evident review --transcript FILE');
  if (version.data.version !== 1)
    return unreadable(
      `it is of version ${version.data.version}, this program reads version 1. Use the program that wrote it.`,
    );
  const parsed = Kept.safeParse(value);
  if (parsed.success) return { kind: 'read', transcript: parsed.data };
  const [first] = parsed.error.issues;
  return unreadable(
    `it is damaged at ${first?.path.join('.') ?? 'its root'}. Write it again with: evident review --transcript FILE`,
  );
}

const Versioned = z.object({ version: z.number(), passes: z.unknown() });

const Block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() }),
  z.object({
    type: z.literal('tool_result'),
    toolUseId: z.string(),
    text: z.string(),
    isError: z.boolean(),
  }),
  z.object({ type: z.literal('provider'), raw: z.unknown() }),
]);
const Said = z.object({ role: z.enum(['user', 'assistant']), content: z.array(Block) });

const Usage = z.object({
  inputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  outputTokens: z.number(),
  dollars: z.number().nullable(),
});

const Stop = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['tool_use', 'end_turn', 'max_tokens', 'pause_turn', 'context_exceeded']) }),
  z.object({ kind: z.literal('refusal'), detail: z.string().optional() }),
  z.object({ kind: z.literal('unknown'), word: z.string() }),
]);

const DroppedItems = z.array(z.object({ what: z.string(), why: z.string() }));

const Ending = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('submitted'), dropped: DroppedItems }),
  z.object({ kind: z.enum(['no_submission', 'refused', 'superseded']), detail: z.string() }),
  z.object({
    kind: z.literal('failed'),
    detail: z.string(),
    retryable: z.boolean(),
    defect: z.literal(true).optional(),
  }),
  z.object({ kind: z.literal('out_of_budget'), limit: z.string() }),
]);

const ToolCalls = z.array(z.object({ name: z.string(), input: z.unknown(), failed: z.boolean() }));

const KeptTurn = z.object({
  index: z.number(),
  assistant: Said,
  stop: Stop,
  usage: Usage,
  ms: z.number().optional(),
  reply: Said.optional(),
  served: z.array(z.object({ path: z.string(), ref: Ref, start: z.number(), end: z.number() })),
  calls: ToolCalls,
  repeated: ToolCalls.optional(),
  submitted: z.literal(true).optional(),
  closing: z.string().optional(),
  wentOn: z.literal(true).optional(),
  ended: Ending.optional(),
});

const Kept = z.object({
  version: z.literal(1),
  evident: z.string(),
  model: z.object({ name: z.string(), kind: z.enum(['language_model', 'rules']) }),
  reviewed: z.object({ repository: z.string(), base: z.string(), head: z.string() }),
  passes: z.array(
    z.object({
      system: z.string(),
      opening: Said,
      turns: z.array(KeptTurn),
      spend: z.object({
        turns: z.number(),
        toolCalls: z.number(),
        submissions: z.number(),
        usage: Usage,
      }),
      outcome: Ending,
    }),
  ),
  result: z
    .object({
      findings: z.array(z.object({ id: z.string(), place: z.string(), title: z.string() })),
      questions: z.array(z.object({ id: z.string(), place: z.string(), question: z.string() })),
      disproved: z.array(z.object({ claim: z.string(), because: z.string() })),
      dropped: DroppedItems,
      missing: z.array(z.object({ path: z.string(), why: z.string() })),
      verdict: z.string(),
    })
    .nullable(),
});
