import { z } from 'zod';
import type { Submission, TerminalTool } from '../agent/tool.js';
import { assess } from '../core/assess.js';
import type { FileDiff } from '../core/diff.js';
import { checkQuote, type EvidenceSource, type Served } from '../core/evidence.js';
import type { Finding } from '../core/finding.js';
import { placeToday } from '../core/place-today.js';
import { reportedAgain, type AcceptedReview } from '../core/review-result.js';
import type { Snapshot } from '../core/snapshot.js';
import {
  CodeReview,
  DisprovedClaim,
  fromJson,
  HumanReviewRequest,
  PriorVerdict,
  ProposedFinding,
} from '../core/submission.js';
import type { Accepted, Dropped } from '../core/transcript.js';
import { priorQuestion, type AskedAgain } from '../prompts/prior.js';
import { shownPath } from './shown-path.js';

const description = `Ends the review: submits all of it at once. Code then looks up every claim, and sends back what does not hold with the reason; mend those items and submit the whole review again.

findings: what is wrong, with high confidence only. \`code\` is the accused line or lines, copied exactly as a tool showed them, without the line number; \`line\` is the number of the last one. An important finding needs evidence besides the accused line: quotes of other code, of the version before (ref base), of a spec or a config, or an absence (a search that must match nothing in a scope, with a pattern that does match elsewhere). Quote only lines that a tool has shown in this run.
humanReviewRequests: what only a person can know, at most three, each with what yes and no will do. yes clears the code, no speaks against it.
disproved: suspicions that the code disproves, with the line that does.
Medium or low confidence: look further, ask, or leave it out. An empty review is a good review of a good change.`;

/**
 * The one way to end a review. `openFindings` are not shown before there is a valid one; those that it does not report
 * again are asked about then. The second submission answers that and nothing else.
 */
export function submitCodeReview({
  snapshot,
  source,
  openFindings = [],
  clock,
}: {
  readonly snapshot: Pick<Snapshot, 'diff' | 'policy'>;
  readonly source: EvidenceSource;
  readonly openFindings?: readonly Finding[];
  /** Epoch milliseconds; without it no kept answer holds. */
  readonly clock?: () => number;
}): TerminalTool<AcceptedReview> {
  return {
    name: 'submit_code_review',
    description,
    schema: CodeReview,
    async accept(input, seen, lastTry) {
      if (seen.held !== undefined) return await answerPrior(input, seen.held, seen.served, source, lastTry);
      const read = readReview(input);
      if (read.kind === 'unreadable') return { kind: 'sent_back', reasons: read.reasons };
      const assessment = await assess(
        read.review,
        {
          ...{ diff: snapshot.diff, policy: snapshot.policy, source },
          ...{ served: seen.served, calls: seen.calls },
          ...(clock !== undefined && { now: clock() }),
        },
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
      const { findings, questions, disproved, summary, notRaised } = assessment;
      const accepted = {
        value: {
          ...{ findings, questions, disproved, summary, served: seen.served },
          ...(notRaised.length > 0 && { notRaised }),
        },
        dropped,
      };
      const again = await reportedAgain(
        { findings, questions },
        { findings: openFindings, questions: [], known: openFindings },
        snapshot.diff,
        source,
      );
      const reported = new Set([...again.values()].map(({ id }) => id));
      const unreported = openFindings.filter(({ id }) => !reported.has(id));
      if (unreported.length === 0) return { kind: 'accepted', ...accepted };
      const asked = await Promise.all(
        unreported.slice(0, MAX_ASKED).map((finding) => asItIsAsked(finding, snapshot.diff, source)),
      );
      return { kind: 'asked', ...accepted, text: priorQuestion(asked, unreported.length - asked.length) };
    },
  };
}

/** More than these are not looked into after a review; the gravest come first. */
const MAX_ASKED = 30;

async function asItIsAsked(
  finding: Finding,
  diff: readonly FileDiff[],
  source: EvidenceSource,
): Promise<AskedAgain> {
  const { id, severity, category, rule, title, body } = finding;
  const { path, ref, places } = await placeToday(finding, diff, source);
  const first = places?.[0];
  const lines =
    first === undefined ? '' : `:${first.start === first.end ? first.end : `${first.start}-${first.end}`}`;
  return {
    id,
    place: `${shownPath(path)}${lines}${ref === 'base' ? ' at base' : ''}`,
    gone: first === undefined,
    weight: `${severity}, ${category}, ${rule}`,
    title,
    body,
  };
}

/** The verdicts on findings of before; a quote that does not stand is sent back, or left out on the last try. */
async function answerPrior(
  input: unknown,
  held: Accepted<AcceptedReview>,
  served: readonly Served[],
  source: EvidenceSource,
  lastTry: boolean,
): Promise<Submission<AcceptedReview>> {
  const given = fromJson(input);
  const record =
    typeof given === 'object' && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
  const list = fromJson(record.prior);
  if (!Array.isArray(list) && !lastTry)
    return {
      kind: 'sent_back',
      reasons: ['prior: it must be a list, an empty one when there is nothing to say'],
    };
  const verdicts: PriorVerdict[] = [];
  const problems: Dropped[] = [];
  /** What keeps a verdict from counting; why it does not is told where it is judged. */
  const unproven: string[] = [];
  for (const [index, one] of (Array.isArray(list) ? list : []).slice(0, MAX_VERDICTS).entries()) {
    const parsed = PriorVerdict.safeParse(fromJson(one));
    if (!parsed.success) {
      problems.push({ what: `prior[${index}]`, why: issuesOf(parsed.error) });
      continue;
    }
    const verdict = parsed.data;
    const what = `prior[${index}] ${verdict.id}`;
    if (verdicts.some(({ id }) => id === verdict.id)) {
      problems.push({ what, why: 'it was judged above' });
      continue;
    }
    verdicts.push(verdict);
    const checks = await Promise.all(
      verdict.evidence.slice(0, MAX_QUOTES).map((quote) => checkQuote(quote, source, served)),
    );
    for (const check of checks) if (check.kind === 'failed') unproven.push(`${what}: ${check.reason}`);
    if (verdict.evidence.length === 0 && (verdict.verdict === 'fixed' || verdict.verdict === 'moved'))
      unproven.push(`${what}: ${verdict.verdict} needs evidence: quote the lines at head that show it`);
  }
  if (problems.length + unproven.length > 0 && !lastTry)
    return {
      kind: 'sent_back',
      reasons: [...problems.map(({ what, why }) => `${what}: ${why}`), ...unproven],
    };
  return {
    kind: 'accepted',
    value: { ...held.value, prior: { verdicts, served } },
    dropped: [...held.dropped, ...problems],
  };
}

const MAX_VERDICTS = 100;
const MAX_QUOTES = 12;

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
  const read = <T extends z.ZodType>(name: keyof typeof indices, schema: T): z.infer<T>[] => {
    const list = fromJson(given[name]);
    if (isAbsent(list)) return [];
    if (!Array.isArray(list)) {
      problems.push({ item: name, reason: 'it must be a list' });
      return [];
    }
    return list.flatMap((one: unknown, index): z.infer<T>[] => {
      const parsed = schema.safeParse(readable(fromJson(one)));
      if (parsed.success) {
        indices[name].push(index);
        return [parsed.data];
      }
      problems.push({
        item: `${name}[${index}]${titleOf(one)}`,
        reason: issuesOf(parsed.error),
      });
      return [];
    });
  };
  const review = {
    findings: read('findings', ProposedFinding),
    humanReviewRequests: read('humanReviewRequests', HumanReviewRequest),
    disproved: read('disproved', DisprovedClaim),
    // Nothing of before is in front of the model yet.
    prior: [],
    summary: typeof given.summary === 'string' ? given.summary : '',
  };
  const isOfClaim = ({ item }: { readonly item: string }): boolean =>
    /^(findings|humanReviewRequests)\[/.test(item);
  // Left out, claims that nobody could read would make a clean review.
  if (review.findings.length + review.humanReviewRequests.length === 0 && problems.some(isOfClaim))
    return { kind: 'unreadable', reasons: problems.map(({ item, reason }) => `${item}: ${reason}`) };
  return { kind: 'read', review, problems, indices };
}

const issuesOf = (error: z.ZodError): string => z.prettifyError(error).replace(/\s+/g, ' ').slice(0, 600);

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
