import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CitedPlace, Condition } from './condition.js';
import { Ref } from './evidence.js';
import type { ItemId, Statement } from './statement.js';

/**
 * How the words of one statement were read, where code could not read them by itself. It rides in the signed marker of
 * our reply, so that every later run reads it back from there and nothing is read twice. It names the statement as it
 * stood: an edited one has another name, and is read anew.
 */
export type Reading = {
  /** `nameOfStatement`. */
  readonly statement: string;
  /** `digestOfWords`: the whole of what the name has a part of. */
  readonly words: string;
  readonly item: ItemId;
  /** In which round of its question it was said: 1, 2 or 3. */
  readonly round: number;
  readonly as: ReadAs;
};

export type ReadAs =
  /** As if the person had said so plainly; what it does was stated beforehand. */
  | {
      readonly kind: 'answer';
      readonly answer: 'yes' | 'no' | 'unsure';
      readonly because: string;
      readonly evidence: readonly CitedPlace[];
      /** "For as long as ...", in words. */
      readonly condition?: string;
      readonly conditions: readonly Condition[];
    }
  /** One more question under the same number, with the same effects. A yes to it keeps the conditions. */
  | {
      readonly kind: 'question';
      readonly question: string;
      readonly because: string;
      readonly condition?: string;
      readonly conditions: readonly Condition[];
    }
  | { readonly kind: 'stands'; readonly because: string; readonly evidence: readonly CitedPlace[] }
  /** The finding was wrong, for as long as the cited lines stand. */
  | {
      readonly kind: 'withdrawn';
      readonly because: string;
      readonly evidence: readonly CitedPlace[];
      readonly conditions: readonly Condition[];
    }
  | { readonly kind: 'explained'; readonly text: string }
  /** Nothing is answered and nothing is asked: thanks, a promise. Nothing is said to it. */
  | { readonly kind: 'noted' }
  | { readonly kind: 'unclear' }
  /** What it rested on has changed: it has no effect any more. */
  | { readonly kind: 'lapsed'; readonly changed: readonly Condition[] };

export const MAX_ROUNDS = 3;

/** Replies of ours to words, a thread: after that people talk to each other. */
export const MAX_READINGS = 3;

export const MAX_CONDITIONS = 6;
export const MAX_CITED = 8;
const MAX_PATH = 300;

const path = z.string().min(1).max(MAX_PATH);
const lineNumber = z.int().min(1).max(10_000_000);
const text = z.string().max(1_000);
const Cited = z.array(z.object({ path, ref: Ref, start: lineNumber, end: lineNumber })).max(MAX_CITED);
const Conditions = z
  .array(z.object({ path, start: lineNumber, end: lineNumber, digest: z.string().regex(/^[0-9a-f]{16}$/) }))
  .max(MAX_CONDITIONS);

const ReadAs = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('answer'),
    answer: z.enum(['yes', 'no', 'unsure']),
    because: text,
    evidence: Cited,
    condition: text.optional(),
    conditions: Conditions,
  }),
  z.object({
    kind: z.literal('question'),
    question: text,
    because: text,
    condition: text.optional(),
    conditions: Conditions,
  }),
  z.object({ kind: z.literal('stands'), because: text, evidence: Cited }),
  z.object({ kind: z.literal('withdrawn'), because: text, evidence: Cited, conditions: Conditions }),
  z.object({ kind: z.literal('explained'), text }),
  z.object({ kind: z.literal('noted') }),
  z.object({ kind: z.literal('unclear') }),
  z.object({ kind: z.literal('lapsed'), changed: Conditions }),
]);

const Kept = z.object({
  statement: z.string().min(1).max(400),
  words: z.string().regex(/^[0-9a-f]{16}$/),
  item: z
    .string()
    .regex(/^[FQ][1-9]\d{0,5}$/)
    .transform((id) => id as ItemId),
  round: z.int().min(1).max(MAX_ROUNDS),
  as: ReadAs,
});

/** What a marker carries; null for anything that is no reading. */
export function parseReading(value: unknown): Reading | null {
  const parsed = Kept.safeParse(value);
  if (!parsed.success) return null;
  const { as, ...reading } = parsed.data;
  if (as.kind !== 'answer' && as.kind !== 'question') return { ...reading, as };
  const { condition, ...rest } = as;
  return { ...reading, as: condition === undefined ? rest : { ...rest, condition } };
}

/** What was said, whatever it is called. */
export const digestOfWords = ({ says }: Pick<Statement, 'says'>): string => hash(JSON.stringify(says));

/** Whether we answer it with a reply: the others are kept as heard. */
export const isTold = ({ as }: Reading): boolean => as.kind !== 'noted';

const hash = (value: string): string => createHash('sha256').update(value).digest('hex').slice(0, 16);
