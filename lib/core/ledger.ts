import { blocks, partsOfKey, type Finding, type FindingId, type FindingKey } from './finding.js';
import { readMarkers, type KnownMark, type MarkerTrust } from './marker.js';
import type { PassRecord } from './pass-record.js';
import type { Question } from './question.js';
import { ruleOf } from './rules-catalogue.js';
import type { OwnReview, Thread } from './conversation.js';

export type { FileOrder, Lens, PassRecord } from './pass-record.js';

/** A finding or question that stands on the pull request already; enough to know it again. */
export type Known = { readonly id: string; readonly key: FindingKey; readonly rule?: string };

/** Folded from pass records, our threads, replies and commands. */
export type Ledger = {
  readonly findings: readonly Finding[];
  readonly questions: readonly Question[];
  readonly known: readonly Known[];
  /** Oldest first. */
  readonly passes: readonly PassRecord[];
  readonly nextFinding: number;
  readonly nextQuestion: number;
  /** Ids that have a thread of their own. */
  readonly threads?: readonly string[];
  /** Our first review whose body is the summary: edited in place. */
  readonly summary?: { readonly reviewId: number; readonly body: string; readonly pass: string };
};

export const emptyLedger: Ledger = {
  findings: [],
  questions: [],
  known: [],
  passes: [],
  nextFinding: 1,
  nextQuestion: 1,
};

/**
 * What is known about a pull request, from what stands on it. Only threads and reviews of ours count, and only
 * markers that `trust` accepts; what is missing is found anew, never taken for clean.
 */
export function foldLedger(
  {
    threads,
    ownReviews,
    passRecords,
  }: {
    readonly threads: readonly Thread[];
    readonly ownReviews: readonly OwnReview[];
    readonly passRecords: readonly PassRecord[];
  },
  trust?: MarkerTrust,
): Ledger {
  const marks = new Map<string, KnownMark>();
  let summary: Ledger['summary'];
  for (const review of [...ownReviews].sort((a, b) => a.databaseId - b.databaseId)) {
    const mark = readMarkers(review.body, trust).find((one) => one.kind === 'summary');
    if (mark?.kind !== 'summary') continue;
    summary ??= { reviewId: review.databaseId, body: review.body, pass: mark.pass };
    for (const known of mark.known) marks.set(known.id, known);
  }
  const threaded: string[] = [];
  for (const thread of threads) {
    const first = thread.comments[0];
    if (first?.ours !== true) continue;
    for (const mark of readMarkers(first.body, trust)) {
      if (mark.kind !== 'thread') continue;
      threaded.push(mark.known.id);
      // The summary is edited with every pass, a thread is not: what stands there is newer.
      if (!marks.has(mark.known.id)) marks.set(mark.known.id, mark.known);
    }
  }
  const all = [...marks.values()].sort(byId);
  const findings = all.filter(({ id }) => id.startsWith('F')).map(findingOf);
  const questions = all
    .filter(({ id }) => id.startsWith('Q'))
    .map(questionOf)
    .map((question) => (isOvertaken(question, findings) ? overtaken(question) : question));
  const used = [...all.map(({ id }) => id), ...passRecords.flatMap((pass) => pass.findings)];
  return {
    findings,
    questions,
    known: all.map(({ id, key, rule }) => ({ id, key, rule })),
    passes: passRecords,
    nextFinding: highest(used, 'F') + 1,
    nextQuestion: highest(used, 'Q') + 1,
    threads: threaded,
    ...(summary !== undefined && { summary }),
  };
}

/** The ledger after a pass: its findings and questions joined, settled ones closed, the pass recorded. */
export function addPass(
  ledger: Ledger,
  result: {
    readonly findings: readonly Finding[];
    readonly questions: readonly Question[];
    readonly settled?: readonly Finding[];
  },
  pass: PassRecord,
): Ledger {
  const findings = joinById(ledger.findings, [...result.findings, ...(result.settled ?? [])]);
  const questions = joinById(ledger.questions, result.questions);
  const known = joinById(ledger.known, [
    ...findings.map(({ id, key, rule }) => ({ id, key, rule })),
    ...questions.map(({ id, finding: { key, rule } }) => ({ id, key, rule })),
  ]);
  const used = known.map(({ id }) => id);
  return {
    ...ledger,
    findings,
    questions,
    known,
    passes: [
      ...ledger.passes.filter(
        ({ jobKey, lens, order }) => jobKey !== pass.jobKey || lens !== pass.lens || order !== pass.order,
      ),
      pass,
    ],
    nextFinding: Math.max(ledger.nextFinding, highest(used, 'F') + 1),
    nextQuestion: Math.max(ledger.nextQuestion, highest(used, 'Q') + 1),
  };
}

/** The findings of a pass that may block: what its record names. */
export const blockingKeys = (findings: readonly Finding[]): readonly FindingKey[] =>
  findings.filter(blocks).map(({ key }) => key);

/**
 * Which of the wanted are known already, by their index. Lines, category and path decide; neighbours and ordinal tell
 * equal ones apart. `unmoved` are the known ones whose place is as it was: what stands elsewhere is not them. A renamed
 * new file is known by its lines and neighbours. Another rule of the catalogue on the same lines is another finding;
 * another wording is not.
 */
export function matchKnown(
  wanted: readonly { readonly key: FindingKey; readonly rule: string }[],
  known: readonly Known[],
  unmoved: ReadonlySet<string> = new Set(),
): ReadonlyMap<number, Known> {
  const matched = new Map<number, Known>();
  const taken = new Set<string>();
  const closeness: readonly ((a: KeyParts, b: KeyParts, other: Known) => boolean)[] = [
    (a, b) => a.path === b.path && a.neighbours === b.neighbours && a.spot === b.spot,
    (a, b) => a.path === b.path && a.neighbours === b.neighbours && occurrence(a) === occurrence(b),
    (a, b, other) => a.path === b.path && !unmoved.has(other.id),
    (a, b, other) => a.neighbours === b.neighbours && !unmoved.has(other.id),
  ];
  for (const sameRule of [true, false])
    for (const isClose of closeness)
      for (const [index, { key, rule }] of wanted.entries()) {
        const parts = partsOfKey(key);
        if (matched.has(index) || parts === null) continue;
        const found = known.filter((one) => {
          const other = partsOfKey(one.key);
          return (
            other !== null &&
            !taken.has(one.id) &&
            (sameRule ? one.rule === rule : !isOtherRule(one.rule, rule)) &&
            other.category === parts.category &&
            other.lines === parts.lines &&
            isClose(parts, other, one)
          );
        });
        const only = found[0];
        if (only === undefined) continue;
        matched.set(index, only);
        taken.add(only.id);
      }
  return matched;
}

type KeyParts = NonNullable<ReturnType<typeof partsOfKey>>;

const occurrence = ({ spot }: KeyParts): string => spot.split('-')[0] ?? spot;

const isOtherRule = (a: string | undefined, b: string): boolean => {
  const [one, other] = [a === undefined ? undefined : ruleOf(a), ruleOf(b)];
  return one !== undefined && other !== undefined && one.id !== other.id;
};

const joinById = <T extends { readonly id: string }>(
  before: readonly T[],
  now: readonly T[],
): readonly T[] => {
  const all = new Map(before.map((one) => [one.id, one]));
  for (const one of now) all.set(one.id, one);
  return [...all.values()].sort(byId);
};

const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id.charCodeAt(0) - b.id.charCodeAt(0) || numberOf(a.id) - numberOf(b.id);

const numberOf = (id: string): number => Number(id.slice(1));

const highest = (ids: readonly string[], letter: 'F' | 'Q'): number =>
  ids.filter((id) => id.startsWith(letter)).reduce((most, id) => Math.max(most, numberOf(id)), 0);

/** Whether a later pass has shown what was asked: its finding stands on the same code and is the one that counts. */
const isOvertaken = ({ finding: asked }: Question, findings: readonly Finding[]): boolean =>
  findings.some(
    (one) =>
      one.key === asked.key &&
      one.severity === 'important' &&
      one.origin === 'introduced' &&
      !isOtherRule(one.rule, asked.rule),
  );

const overtaken = (question: Question): Question => ({ ...question, standing: { kind: 'obsolete' } });

/** What a marker keeps of a finding: enough for the gate and the summary, no text of it. */
function findingOf(mark: KnownMark): Finding {
  return { ...bare(mark), id: mark.id as FindingId, standing: mark.standing };
}

function questionOf(mark: KnownMark): Question {
  return {
    id: mark.id as Question['id'],
    finding: { ...bare(mark), standing: { kind: 'open' } },
    reason: '',
    searched: [],
    question: mark.title,
    answerEffects: { yes: 'suppress_finding', no: 'include_finding' },
    standing: { kind: 'open' },
  };
}

const bare = (mark: KnownMark): Omit<Finding, 'id' | 'standing'> => ({
  key: mark.key,
  anchor: {
    kind: 'line',
    path: mark.path,
    side: mark.side,
    line: mark.line,
    ...(mark.height > 1 && { startLine: mark.line - mark.height + 1 }),
  },
  rule: mark.rule,
  severity: mark.severity,
  category: mark.category,
  confidence: 'high',
  origin: mark.origin,
  title: mark.title,
  body: '',
  evidence: [],
});
