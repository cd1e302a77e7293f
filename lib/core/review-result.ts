import type { AssessedFinding, AssessedQuestion, Disproved } from './assess.js';
import type { Spend } from './budget.js';
import { coverageOf, type Coverage } from './coverage.js';
import type { EvidenceSource, Served } from './evidence.js';
import type { FileDiff } from './diff.js';
import { blocks, standsIn, standsUnmoved, type Finding, type FindingId } from './finding.js';
import { matchKnown, type Ledger } from './ledger.js';
import type { Question, QuestionId } from './question.js';
import type { Snapshot } from './snapshot.js';
import type { Dropped } from './transcript.js';

export type { Disproved } from './assess.js';
export type { Coverage } from './coverage.js';

/** A pass, finalized by code: every claim checked, anchored, classified and matched with what is known. */
export type ReviewResult = {
  /** All of this pass; one that is known already keeps its number and its standing. */
  readonly findings: readonly Finding[];
  readonly questions: readonly Question[];
  readonly dropped: readonly Dropped[];
  readonly disproved: readonly Disproved[];
  readonly coverage: Coverage;
  readonly summary: string;
  readonly spend: Spend;
  /** Findings that were open before this pass and are not any more: fixed, or their code is gone. */
  readonly settled?: readonly Finding[];
};

/** A submission that was accepted: what stood, and what the run had shown when it was made. */
export type AcceptedReview = {
  readonly findings: readonly AssessedFinding[];
  readonly questions: readonly AssessedQuestion[];
  readonly disproved: readonly Disproved[];
  readonly summary: string;
  readonly served: readonly Served[];
};

export type FinalizeInput = {
  readonly accepted: AcceptedReview;
  readonly dropped: readonly Dropped[];
  /** Read again after the run: replies and threads may have come meanwhile. */
  readonly ledger: Ledger;
  readonly snapshot: Pick<Snapshot, 'diff' | 'pullRequest' | 'policy'>;
  readonly source: EvidenceSource;
  readonly spend: Spend;
};

/**
 * A pass as a value: numbers given, known findings recognized, fixed ones settled, coverage computed. Numbers count up
 * over the life of the pull request; important ones come first.
 */
export async function finalize({
  accepted,
  dropped,
  ledger,
  snapshot,
  source,
  spend,
}: FinalizeInput): Promise<ReviewResult> {
  const { diff, pullRequest, policy } = snapshot;
  const coverage = coverageOf(diff, accepted.served, policy, pullRequest.changedFiles);
  const left: Dropped[] = [...dropped];
  const proposed = [...accepted.findings].sort(byWeight);
  const recognized = matchKnown(
    [...proposed, ...accepted.questions.map(({ finding }) => finding)],
    ledger.known,
    await unmovedOf(ledger, diff, source),
  );

  const findings: Finding[] = [];
  const questions: Question[] = [];
  let nextFinding = ledger.nextFinding;
  for (const [index, finding] of proposed.entries()) {
    const known = recognized.get(index);
    const asked = ledger.questions.find(({ id }) => id === known?.id);
    if (asked !== undefined && !(isOpen(asked) && blocks({ ...finding, standing: open }))) {
      left.push({ what: finding.title, why: `already asked as ${asked.id}` });
      continue;
    }
    // What would block needs no answer any more, and a question that holds nothing must not hide it.
    if (asked !== undefined) questions.push({ ...asked, standing: { kind: 'obsolete' } });
    const before = ledger.findings.find(({ id }) => id === known?.id);
    const id = (asked === undefined && known !== undefined ? known.id : `F${nextFinding++}`) as FindingId;
    findings.push({ ...finding, id, standing: standingOf(before) });
  }

  let nextQuestion = ledger.nextQuestion;
  for (const [index, question] of accepted.questions.entries()) {
    const known = recognized.get(proposed.length + index);
    if (known?.id.startsWith('F') === true) {
      left.push({ what: question.question, why: `already listed as ${known.id}` });
      continue;
    }
    const before = ledger.questions.find(({ id }) => id === known?.id);
    const id = (known?.id ?? `Q${nextQuestion++}`) as QuestionId;
    questions.push({
      ...question,
      id,
      standing: before?.standing ?? { kind: 'open' },
    });
  }

  const found = new Set(findings.map(({ id }) => id));
  const gone = ledger.findings.filter(({ id, standing }) => standing.kind === 'open' && !found.has(id));
  const settled: Finding[] = [];
  for (const finding of gone) {
    const now = await settle(finding, coverage, snapshot, source);
    if (now !== null) settled.push(now);
  }
  return {
    findings,
    questions,
    dropped: left,
    disproved: accepted.disproved,
    coverage,
    summary: accepted.summary,
    spend,
    settled,
  };
}

const open = { kind: 'open' } as const;

const isOpen = ({ standing }: Question): boolean => standing.kind === 'open';

/** Known ones whose lines stand with the same neighbours as when they were found. */
async function unmovedOf(
  ledger: Ledger,
  diff: readonly FileDiff[],
  source: EvidenceSource,
): Promise<ReadonlySet<string>> {
  const unmoved = new Set<string>();
  const all = [...ledger.findings, ...ledger.questions.map(({ id, finding }) => ({ ...finding, id }))];
  for (const { id, key, anchor, evidence } of all) {
    const file = diff.find(({ path, oldPath }) => path === anchor.path || oldPath === anchor.path);
    const ref = anchor.kind === 'line' && anchor.side === 'LEFT' ? 'base' : 'head';
    const path = file === undefined ? anchor.path : ref === 'head' ? file.path : file.oldPath;
    const lines = await source.lines(ref, path);
    if (lines !== null && standsUnmoved(key, heightOf({ anchor, evidence }), lines)) unmoved.add(id);
  }
  return unmoved;
}

/** Lines that a finding accuses. */
function heightOf({ anchor, evidence }: Pick<Finding, 'anchor' | 'evidence'>): number {
  const at = evidence.find((one) => one.kind === 'quote' && one.role === 'at');
  if (at?.kind === 'quote') return at.end - at.start + 1;
  return anchor.kind === 'line' ? anchor.line - (anchor.startLine ?? anchor.line) + 1 : 1;
}

/** A finding that was fixed and is found again is open again; what a person decided stays decided. */
const standingOf = (before: Finding | undefined): Finding['standing'] =>
  before === undefined || before.standing.kind === 'fixed' || before.standing.kind === 'obsolete'
    ? { kind: 'open' }
    : before.standing;

const byWeight = (a: AssessedFinding, b: AssessedFinding): number => weight(a) - weight(b);
const weight = ({ severity, origin }: AssessedFinding): number =>
  (severity === 'important' ? 0 : 1) + (origin === 'introduced' ? 0 : 2);

/**
 * A finding that this pass did not report again counts as fixed only if its code is gone and all that changed in its
 * file was read; silence is "still there".
 */
async function settle(
  finding: Finding,
  coverage: Coverage,
  { diff, pullRequest }: FinalizeInput['snapshot'],
  source: EvidenceSource,
): Promise<Finding | null> {
  const { anchor } = finding;
  const side = anchor.kind === 'line' ? anchor.side : 'RIGHT';
  const height = heightOf(finding);
  const file = diff.find(({ path, oldPath }) => path === anchor.path || oldPath === anchor.path);
  if (side === 'LEFT') {
    // A removed line is accused: fixed when the change does not remove it any more and it stands at head again.
    if (file !== undefined && file.content.kind !== 'text') return null;
    const removed = (file?.content.kind === 'text' ? file.content.hunks : [])
      .flatMap(({ lines }) => lines)
      .filter(({ kind }) => kind === 'removed')
      .map(({ text }) => text);
    if (standsIn(finding.key, height, removed)) return null;
    const now = await source.lines('head', file?.path ?? anchor.path);
    return now !== null && standsIn(finding.key, height, now) ? fixed(finding, pullRequest.head.sha) : null;
  }
  const path = file?.path ?? anchor.path;
  const covered = coverage.files.find((one) => one.path === path);
  if (covered !== undefined && covered.kind !== 'seen') return null;
  if (file?.status === 'deleted') return fixed(finding, pullRequest.head.sha);
  const lines = await source.lines('head', path);
  // A file that cannot be read any more may have moved: that is no proof of a fix.
  if (lines === null || standsIn(finding.key, height, lines)) return null;
  return fixed(finding, pullRequest.head.sha);
}

const fixed = (finding: Finding, head: Snapshot['pullRequest']['head']['sha']): Finding => ({
  ...finding,
  standing: { kind: 'fixed', in: head },
});
