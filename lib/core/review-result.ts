import { askedAgain } from './asked-again.js';
import type { AssessedFinding, AssessedQuestion, Disproved } from './assess.js';
import type { Spend } from './budget.js';
import { countRead, coverageOf, type Coverage } from './coverage.js';
import type { Evidence, EvidenceSource, Served } from './evidence.js';
import { blocks, type Finding, type FindingId } from './finding.js';
import type { NotRaised } from './not-raised.js';
import { isOtherRule, matchKnown, type Known, type Ledger } from './ledger.js';
import type { PassReport } from './pass-record.js';
import { overlaps, placeIn, placeToday, unmovedOf, type PlaceToday } from './place-today.js';
import { changedSince, judgePrior, type PriorJudgement } from './prior.js';
import type { Question, QuestionId } from './question.js';
import { judgeRule } from './rule-setting.js';
import { ruleName } from './rules-catalogue.js';
import { isGone } from './settle.js';
import type { PriorVerdict } from './submission.js';
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
  /** What was said about findings of before that this pass did not report again, and what counts of it. */
  readonly prior?: readonly PriorJudgement[];
  /** Findings that were fixed, or whose code was gone, and were found again. */
  readonly cameBack?: readonly FindingId[];
  /** What an answer of before settles, that a settings file keeps. */
  readonly notRaised?: readonly NotRaised[];
};

/** What the surfaces say about a pass beside its findings. */
export function reportFrom(
  {
    coverage,
    disproved,
    dropped,
    notRaised = [],
  }: Pick<ReviewResult, 'coverage' | 'disproved' | 'dropped' | 'notRaised'>,
  {
    limit,
    ...spent
  }: Pick<PassReport, 'usage' | 'elapsedMs' | 'requests'> & Pick<PassReport['coverage'], 'limit'>,
): PassReport {
  const { seen, of, unreviewable } = countRead(coverage);
  const places = (kind: 'missing' | 'unreviewable') =>
    coverage.files
      .flatMap((file) => (file.kind === 'seen' || file.kind !== kind ? [] : [file]))
      .slice(0, 100)
      .map(({ path, why }) => ({ path: path.slice(0, 1_000), why: why.slice(0, 600) }));
  return {
    coverage: {
      seen,
      of,
      unreviewable,
      others: coverage.othersRead,
      missing: places('missing'),
      skipped: places('unreviewable'),
      ...(limit !== undefined && { limit }),
    },
    disproved: disproved.slice(0, 30).map(({ claim, because, path, line }) => ({
      claim: claim.slice(0, 600),
      because: because.slice(0, 600),
      path: path.slice(0, 1_000),
      line,
    })),
    dropped: dropped
      .slice(0, 50)
      .map(({ what, why }) => ({ what: what.slice(0, 600), why: why.slice(0, 600) })),
    ...(notRaised.length > 0 && {
      notRaised: notRaised.slice(0, 20).map((one) => ({
        ...one,
        rule: one.rule.slice(0, 80),
        path: one.path.slice(0, 1_000),
        because: one.because.slice(0, 600),
        file: one.file.slice(0, 1_000),
      })),
    }),
    ...spent,
  };
}

/** A submission that was accepted: what stood, and what the run had shown when it was made. */
export type AcceptedReview = {
  readonly findings: readonly AssessedFinding[];
  readonly questions: readonly AssessedQuestion[];
  readonly disproved: readonly Disproved[];
  readonly summary: string;
  readonly served: readonly Served[];
  /** Said after the rest was submitted, about findings of before; `served` up to then. */
  readonly prior?: { readonly verdicts: readonly PriorVerdict[]; readonly served: readonly Served[] };
  readonly notRaised?: readonly NotRaised[];
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
  const recognized = new Map<number, Known>(
    await reportedAgain({ ...accepted, findings: proposed }, ledger, diff, source),
  );
  const again = new Set([...recognized.values()].map(({ id }) => id));
  const unreported = ledger.findings.filter(({ id, standing }) => standing.kind === 'open' && !again.has(id));
  const prior = await judgePriors(accepted, unreported, { ledger, snapshot, source });
  for (const one of prior) {
    if (one.kind !== one.said) left.push({ what: `${one.id} is said to be ${one.said}`, why: one.why });
    if (one.kind !== 'moved') continue;
    // It was reported at its new place as if it were new.
    const index = proposed.findIndex(
      ({ anchor, category }, at) =>
        !recognized.has(at) && one.to.key.startsWith(`${category}.`) && overlaps(anchor, one.to.at),
    );
    const known = ledger.known.find(({ id }) => id === one.id);
    if (index !== -1 && known !== undefined) recognized.set(index, known);
  }

  const findings: Finding[] = [];
  const questions: Question[] = [];
  let nextFinding = ledger.nextFinding;
  for (const [index, finding] of proposed.entries()) {
    const known = recognized.get(index);
    const asked = ledger.questions.find(({ id }) => id === known?.id);
    if (asked !== undefined && !(isUndecided(asked) && blocks({ ...finding, standing: open }))) {
      left.push({ what: finding.title, why: `already asked as ${asked.id}` });
      continue;
    }
    // What would block needs no answer any more, and a question that holds nothing must not hide it.
    if (asked !== undefined) questions.push({ ...asked, standing: { kind: 'obsolete' } });
    const before = ledger.findings.find(({ id }) => id === known?.id);
    const id = (asked === undefined && known !== undefined ? known.id : `F${nextFinding++}`) as FindingId;
    findings.push({
      ...finding,
      id,
      ...(before?.from !== undefined && { from: before.from }),
      ...(before?.severity === 'important' && !isNitByRule(finding, policy) && { severity: 'important' }),
      standing: standingOf(before),
    });
  }

  let nextQuestion = ledger.nextQuestion;
  for (const [index, question] of accepted.questions.entries()) {
    const known = recognized.get(proposed.length + index);
    const made = ledger.findings.find(({ id }) => id === known?.id);
    if (made?.from !== undefined && made.standing.kind === 'fixed') {
      // Somebody said that it is wrong, it was mended, and it is there again.
      findings.push({ ...question.finding, id: made.id, from: made.from, standing: open });
      continue;
    }
    if (known?.id.startsWith('F') === true) {
      // What an answer made is told of under the question while the answer says something else.
      const isListed = made?.from === undefined || made.standing.kind === 'open';
      const why = isListed ? `already listed as ${known.id}` : `already asked as ${made.from}`;
      left.push({ what: question.question, why });
      continue;
    }
    const before = ledger.questions.find(({ id }) => id === known?.id);
    const id = (known?.id ?? `Q${nextQuestion++}`) as QuestionId;
    const { earlier: kept, ...asked } = question;
    const earlier = before === undefined ? kept : before.earlier;
    const standing = before?.standing ?? open;
    questions.push({ ...asked, id, standing, ...(earlier !== undefined && { earlier }) });
  }

  const cameBack = findings.flatMap(({ id }) => {
    const before = ledger.findings.find((one) => one.id === id)?.standing.kind;
    return before === 'fixed' || before === 'obsolete' ? [id] : [];
  });
  const found = new Set(findings.map(({ id }) => id));
  const gone = ledger.findings.filter(
    ({ id, standing }) => (standing.kind === 'open' || standing.kind === 'outvoted') && !found.has(id),
  );
  const settled: Finding[] = [];
  for (const finding of gone) {
    const said = prior.find(({ id }) => id === finding.id);
    if (said?.kind === 'moved') {
      const { anchor, key, landmarks, at } = said.to;
      findings.push({ ...finding, anchor, key, landmarks, evidence: [at, ...quotesOf(finding)] });
      continue;
    }
    const shown = said?.kind === 'still' && said.shown;
    if (said?.kind === 'fixed' || (!shown && (await isGone(finding, coverage, diff, source))))
      settled.push({ ...finding, standing: { kind: 'fixed', in: pullRequest.head.sha } });
  }
  // An answer to what is not there any more would be about something else.
  const asked = new Set(questions.map(({ id }) => id));
  const since = pullRequest.head.sha;
  for (const question of ledger.questions) {
    if (question.standing.kind === 'obsolete' || asked.has(question.id)) continue;
    const made = ledger.findings.find(({ from }) => from === question.id);
    const isFixed = settled.some(({ id }) => id === made?.id);
    if (!isFixed && made?.standing.kind === 'open') continue;
    if (!isFixed && !(await isGone({ ...question.finding, id: 'F0' }, coverage, diff, source))) continue;
    const { standing: stood } = question;
    const answered = stood.kind === 'answered' ? stood : undefined;
    questions.push({ ...question, standing: { kind: 'obsolete', ...(answered && { answered }) } });
    if (!isFixed && made !== undefined) settled.push({ ...made, standing: { kind: 'obsolete', since } });
  }
  return {
    findings,
    questions: withEarlier(questions, ledger),
    dropped: left,
    disproved: accepted.disproved,
    coverage,
    summary: accepted.summary,
    spend,
    settled,
    prior,
    cameBack,
    ...(accepted.notRaised !== undefined && { notRaised: accepted.notRaised }),
  };
}

/** New questions about what was asked and answered before on other code say which one it was. */
function withEarlier(
  questions: readonly Question[],
  { questions: before }: Pick<Ledger, 'questions'>,
): readonly Question[] {
  const known = new Set(before.map(({ id }) => id));
  const fresh = questions.filter(({ id }) => !known.has(id));
  const now = new Map([...before, ...questions].map((one) => [one.id, one]));
  const over = [...now.values()].filter(
    ({ standing }) => standing.kind === 'obsolete' && standing.answered !== undefined,
  );
  const again = askedAgain(fresh, over);
  return questions.map((question) => {
    const earlier = again.get(fresh.indexOf(question));
    return earlier === undefined
      ? question
      : { ...question, earlier: { kind: 'answered', question: earlier } };
  });
}

/** Which findings and questions (counted on after the findings) of a submission are known already, by their index. */
export async function reportedAgain(
  { findings, questions }: Pick<AcceptedReview, 'findings' | 'questions'>,
  ledger: Pick<Ledger, 'findings' | 'questions' | 'known'>,
  diff: Snapshot['diff'],
  source: EvidenceSource,
): Promise<ReadonlyMap<number, Known>> {
  // What was asked about code that went away is asked anew where the code comes back.
  const isOver = new Set<string>([
    ...ledger.findings
      .filter(({ from, standing }) => from !== undefined && standing.kind === 'obsolete')
      .map(({ id }) => id),
    ...ledger.questions.filter(({ standing }) => standing.kind === 'obsolete').map(({ id }) => id),
  ]);
  const known = [
    ...ledger.findings,
    ...ledger.questions.map(({ id, finding }) => ({ ...finding, id })),
  ].filter(({ id }) => !isOver.has(id));
  const ids = ledger.known.filter(({ id }) => !isOver.has(id));
  const wanted = [...findings, ...questions.map(({ finding }) => finding)];
  const again = new Map(matchKnown(wanted, ids, await unmovedOf(known, diff, source)));
  const taken = new Set([...again.values()].map(({ id }) => id));
  // The same claim about more lines, or fewer, than before, or in a file of another past. The likest pair comes first.
  const pairs: { index: number; other: (typeof known)[number]; unlike: number }[] = [];
  for (const other of known) {
    if (taken.has(other.id)) continue;
    const rivals = [...wanted.entries()].filter(
      ([index, one]) => !again.has(index) && mayBeSameClaim(one, other),
    );
    if (rivals.length === 0) continue;
    const today = await placeToday(other, diff, source);
    const looked = new Map<string, PlaceToday>();
    const inNewFile = async (path: string): Promise<PlaceToday> => {
      const known = looked.get(path) ?? (await placeIn(path, other, source));
      looked.set(path, known);
      return known;
    };
    for (const [index, one] of rivals) {
      // A new file that was renamed has no lineage: what stood in it is looked for where the claim is.
      const { path, ref, places, exact } = today.places === null ? await inNewFile(one.anchor.path) : today;
      const place = exact ?? (today.places?.length === 1 ? places?.[0] : undefined);
      if (place === undefined) continue;
      const isRenamed = ruleName(one.rule) !== ruleName(other.rule);
      const unlike = differenceOf(rangeOf(one.anchor), place);
      if (!overlaps(one.anchor, { path, ref, ...place }) || (isRenamed && unlike > MOST_LINES_APART))
        continue;
      pairs.push({ index, other, unlike: isRenamed ? 1_000_000 + unlike : unlike });
    }
  }
  for (const { index, other } of pairs.sort((a, b) => a.unlike - b.unlike)) {
    if (again.has(index) || taken.has(other.id)) continue;
    again.set(index, { id: other.id, key: other.key, rule: other.rule });
    taken.add(other.id);
  }
  return again;
}

/**
 * Two names that the catalogue does not tell apart may be one; then the ranges must be nearly the same. Equal lines may
 * come here too: of a file that was renamed and edited so much that it counts as another one now.
 */
const mayBeSameClaim = (
  a: Pick<Finding, 'rule' | 'category'>,
  b: Pick<Finding, 'rule' | 'category'>,
): boolean => !isOtherRule(a.rule, b.rule) && a.category === b.category;

/** So many lines apart, and another name: still the same claim. */
const MOST_LINES_APART = 2;

type Range = { readonly start: number; readonly end: number };

const rangeOf = (anchor: Finding['anchor']): Range => ({
  start: anchor.kind === 'line' ? (anchor.startLine ?? anchor.line) : anchor.line,
  end: anchor.line,
});

/** Lines that only one of two ranges has, when they share one. */
const differenceOf = (a: Range, b: Range): number => Math.abs(a.start - b.start) + Math.abs(a.end - b.end);

const open = { kind: 'open' } as const;

/** No answer decided it yet; one that a review goes on with leaves it to that review. */
const isUndecided = ({ standing }: Question): boolean =>
  standing.kind === 'open' || (standing.kind === 'answered' && standing.effect === 'continue');

/** A finding that was fixed, or was outvoted, and is found again is open again; what a person decided stays decided. */
const standingOf = (before: Finding | undefined): Finding['standing'] =>
  before === undefined || ['fixed', 'obsolete', 'outvoted'].includes(before.standing.kind)
    ? { kind: 'open' }
    : before.standing;

/** What was important stays so on the same code, whatever a later pass calls it; only the settings say otherwise. */
const isNitByRule = (
  { rule, anchor }: AssessedFinding,
  policy: FinalizeInput['snapshot']['policy'],
): boolean => judgeRule(rule, anchor.path, policy).weight === 'nit';

const byWeight = (a: AssessedFinding, b: AssessedFinding): number => weight(a) - weight(b);
const weight = ({ severity, origin }: AssessedFinding): number =>
  (severity === 'important' ? 0 : 1) + (origin === 'introduced' ? 0 : 2);

/** The words of a pass about findings of before, as far as code can follow them. One that is only elsewhere is moved. */
async function judgePriors(
  accepted: AcceptedReview,
  open: readonly Finding[],
  { ledger, snapshot: { diff }, source }: Pick<FinalizeInput, 'ledger' | 'snapshot' | 'source'>,
): Promise<readonly PriorJudgement[]> {
  const judged: PriorJudgement[] = [];
  const taken = new Set(ledger.known.map(({ key }) => key));
  for (const finding of open) {
    const verdict = accepted.prior?.verdicts.find(({ id }) => id === finding.id);
    if (verdict === undefined) continue;
    const one = await judgePrior(verdict, finding, {
      source,
      served: accepted.prior?.served ?? [],
      diff,
      changedSince: changedSince(finding.id, ledger.passes, diff),
      taken,
    });
    if (one.kind === 'moved') taken.add(one.to.key);
    judged.push(one);
  }
  return judged;
}

const quotesOf = ({ evidence }: Finding): readonly Evidence[] =>
  evidence.filter(({ role }) => role === 'because');
