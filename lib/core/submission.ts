import { z } from 'zod';
import { Ref } from './evidence.js';
import { Category, Confidence, Severity } from './finding.js';
import { AnswerEffects } from './question.js';

/**
 * The wire form of a review: what `submit_code_review` carries. One of the four doors where data is parsed.
 * Models write numbers as strings and lists as JSON text; both are read once and meant well, nothing is guessed.
 */
export const fromJson = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
};
const lineNumber = z.preprocess(
  (value) => (typeof value === 'string' && /^\d+(\.0+)?$/.test(value.trim()) ? Number(value) : value),
  z.int().positive(),
);
const list = <T extends z.ZodType>(item: T) => z.preprocess(fromJson, z.array(item)).default([]);

/** Other code, the base version, a spec or a config that makes the accused line wrong. */
export const ProposedQuote = z.object({
  path: z.string().min(1),
  ref: Ref.describe('head: the reviewed commit; base: the version before this change'),
  start: lineNumber,
  end: lineNumber,
  quote: z.string().min(1).describe('the text of these lines, copied from what a tool showed'),
});

export type ProposedQuote = z.infer<typeof ProposedQuote>;

/** "Nothing in this scope does X": code runs the search again over the whole tree of the scope. */
export const ProposedAbsence = z.object({
  pattern: z
    .string()
    .min(1)
    .describe('RE2 pattern that must match nothing in the scope, and something elsewhere'),
  glob: z.string().min(1).describe('the scope, e.g. src/**/*.ts'),
  ref: Ref,
});

export const ProposedFinding = z.object({
  path: z.string().min(1),
  line: lineNumber.describe('last line of the accused code'),
  start_line: lineNumber.optional().describe('first line, when it is a range'),
  side: z.enum(['RIGHT', 'LEFT']).optional().describe('LEFT only for a removed line'),
  code: z.string().min(1).describe('the accused line or lines, copied exactly'),
  rule: z
    .string()
    .regex(/^[a-z][a-z0-9-]{1,60}$/, 'a rule is lower-case words with hyphens, e.g. falsy-zero'),
  severity: Severity,
  category: Category,
  confidence: Confidence,
  title: z.string().min(1).describe('the claim in one line: what goes wrong'),
  body: z.string().min(1).describe('why, in at most 120 words'),
  suggestion: z
    .string()
    .nullish()
    .describe('replaces exactly the accused lines; an empty string deletes them; leave out for none'),
  evidence: list(ProposedQuote),
  absences: list(ProposedAbsence),
});
export type ProposedFinding = z.infer<typeof ProposedFinding>;

/** What only a person can know, with what each answer will do. */
export const HumanReviewRequest = z.object({
  finding: ProposedFinding,
  reason: z.string().min(1).describe('why the repository cannot tell'),
  snippet: z.string().optional(),
  searched: list(z.string()),
  question: z
    .string()
    .min(1)
    .describe('one fact, at most 25 words, never negative; yes clears the code, no speaks against it'),
  answerEffects: AnswerEffects,
});
export type HumanReviewRequest = z.infer<typeof HumanReviewRequest>;

/** A suspicion that cited code disproves. */
export const DisprovedClaim = z.object({
  claim: z.string().min(1),
  because: z.string().min(1),
  path: z.string().min(1),
  ref: Ref.default('head'),
  line: lineNumber,
  quote: z.string().min(1),
});
export type DisprovedClaim = z.infer<typeof DisprovedClaim>;

/** The verdict of a later pass on a finding that was open before it. Silence is `still`. */
export const PriorVerdict = z.object({
  id: z.string().regex(/^F\d+$/),
  verdict: z.enum(['still', 'fixed', 'moved', 'cannot_tell']),
  evidence: list(ProposedQuote),
});
export type PriorVerdict = z.infer<typeof PriorVerdict>;

export const CodeReview = z.object({
  findings: list(ProposedFinding),
  humanReviewRequests: list(HumanReviewRequest),
  disproved: list(DisprovedClaim),
  prior: list(PriorVerdict),
  summary: z.string().default('').describe('one or two plain sentences on what the change does'),
});
export type CodeReview = z.infer<typeof CodeReview>;
