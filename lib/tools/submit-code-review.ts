import { z } from 'zod';
import type { TerminalTool } from '../agent/tool.js';
import { assess } from '../core/assess.js';
import type { EvidenceSource } from '../core/evidence.js';
import type { AcceptedReview } from '../core/review-result.js';
import type { Snapshot } from '../core/snapshot.js';
import {
  CodeReview,
  DisprovedClaim,
  fromJson,
  HumanReviewRequest,
  PriorVerdict,
  ProposedFinding,
} from '../core/submission.js';
import type { Dropped } from '../core/transcript.js';

const description = `Ends the review: submits all of it at once. Code then looks up every claim, and sends back what does not hold with the reason; mend those items and submit the whole review again.

findings: what is wrong, with high confidence only. \`code\` is the accused line or lines, copied exactly as a tool showed them, without the line number; \`line\` is the number of the last one. An important finding needs evidence besides the accused line: quotes of other code, of the version before (ref base), of a spec or a config, or an absence (a search that must match nothing in a scope, with a pattern that does match elsewhere). Quote only lines that a tool has shown in this run.
humanReviewRequests: what only a person can know, at most three, each with what yes and no will do. yes clears the code, no speaks against it.
disproved: suspicions that the code disproves, with the line that does.
Medium or low confidence: look further, ask, or leave it out. An empty review is a good review of a good change.`;

/** The one way to end a review. */
export function submitCodeReview({
  snapshot,
  source,
}: {
  readonly snapshot: Pick<Snapshot, 'diff' | 'policy'>;
  readonly source: EvidenceSource;
}): TerminalTool<AcceptedReview> {
  return {
    name: 'submit_code_review',
    description,
    schema: CodeReview,
    async accept(input, seen, lastTry) {
      const read = readReview(input);
      if (read.kind === 'unreadable') return { kind: 'sent_back', reasons: read.reasons };
      const assessment = await assess(
        read.review,
        { diff: snapshot.diff, policy: snapshot.policy, source, served: seen.served, calls: seen.calls },
        { lastTry, indices: read.indices },
      );
      const problems = [...read.problems, ...assessment.problems];
      if (problems.length > 0 && !lastTry)
        return { kind: 'sent_back', reasons: problems.map(({ item, reason }) => `${item}: ${reason}`) };
      const refused = new Map<string, string[]>();
      for (const { item, reason } of problems) refused.set(item, [...(refused.get(item) ?? []), reason]);
      const dropped: readonly Dropped[] = [
        ...assessment.dropped,
        ...[...refused].map(([what, reasons]) => ({ what, why: reasons.join('; ') })),
      ];
      const { findings, questions, disproved, summary } = assessment;
      return {
        kind: 'accepted',
        value: { findings, questions, disproved, summary, served: seen.served },
        dropped,
      };
    },
  };
}

type Read =
  | {
      readonly kind: 'read';
      readonly review: CodeReview;
      readonly problems: readonly { readonly item: string; readonly reason: string }[];
      /** Where each item stood in the submission, so that reasons name the number the model knows. */
      readonly indices: Readonly<Record<'findings' | 'humanReviewRequests' | 'disproved', readonly number[]>>;
    }
  | { readonly kind: 'unreadable'; readonly reasons: readonly string[] };

/** Item by item, so that one bad item does not cost the others. Lists and items may come as JSON text. */
function readReview(input: unknown): Read {
  const outer = fromJson(input);
  if (typeof outer !== 'object' || outer === null || Array.isArray(outer))
    return {
      kind: 'unreadable',
      reasons: [
        'The submission must be an object with findings, humanReviewRequests, disproved and summary.',
      ],
    };
  const given = outer as Readonly<Record<string, unknown>>;
  // What the model meant to say is not known: that is no submission, however often it is tried.
  const claims = [given.findings, given.humanReviewRequests].map(fromJson);
  if (claims.every(isAbsent))
    return {
      kind: 'unreadable',
      reasons: ['The submission has no findings: send an empty list when there is nothing to say.'],
    };
  for (const [at, name] of ['findings', 'humanReviewRequests'].entries())
    if (!isAbsent(claims[at]) && !Array.isArray(claims[at]))
      return { kind: 'unreadable', reasons: [`${name}: it must be a list`] };
  const problems: { item: string; reason: string }[] = [];
  const indices = {
    findings: [] as number[],
    humanReviewRequests: [] as number[],
    disproved: [] as number[],
  };
  const read = <T extends z.ZodType>(name: keyof typeof indices | 'prior', schema: T): z.infer<T>[] => {
    const list = fromJson(given[name]);
    if (isAbsent(list)) return [];
    if (!Array.isArray(list)) {
      problems.push({ item: name, reason: 'it must be a list' });
      return [];
    }
    return list.flatMap((one: unknown, index): z.infer<T>[] => {
      const parsed = schema.safeParse(readable(fromJson(one)));
      if (parsed.success) {
        if (name !== 'prior') indices[name].push(index);
        return [parsed.data];
      }
      problems.push({
        item: `${name}[${index}]${titleOf(one)}`,
        reason: z.prettifyError(parsed.error).replace(/\s+/g, ' ').slice(0, 600),
      });
      return [];
    });
  };
  const review = {
    findings: read('findings', ProposedFinding),
    humanReviewRequests: read('humanReviewRequests', HumanReviewRequest),
    disproved: read('disproved', DisprovedClaim),
    prior: read('prior', PriorVerdict),
    summary: typeof given.summary === 'string' ? given.summary : '',
  };
  const isOfClaim = ({ item }: { readonly item: string }): boolean =>
    /^(findings|humanReviewRequests)\[/.test(item);
  // Left out, claims that nobody could read would make a clean review.
  if (review.findings.length + review.humanReviewRequests.length === 0 && problems.some(isOfClaim))
    return { kind: 'unreadable', reasons: problems.map(({ item, reason }) => `${item}: ${reason}`) };
  return { kind: 'read', review, problems, indices };
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** No line of any file: only quoted code that occurs once can place such a claim. */
const NO_LINE = 9_999_999;

/** A line number that is none ("N/A") does not cost the claim, as long as its code is quoted. */
function readable(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  const record = item as Readonly<Record<string, unknown>>;
  if ('finding' in record) return { ...record, finding: readable(fromJson(record.finding)) };
  if (!('code' in record) || typeof record.code !== 'string') return item;
  const isNumber =
    typeof record.line === 'number' ||
    (typeof record.line === 'string' && /^\s*\d+(\.0+)?\s*$/.test(record.line));
  return isNumber ? item : { ...record, line: NO_LINE, start_line: undefined };
}

const titleOf = (item: unknown): string => {
  const title = typeof item === 'object' && item !== null && 'title' in item ? item.title : undefined;
  return typeof title === 'string' ? ` \`${title.slice(0, 80).replaceAll('`', "'")}\`` : '';
};
