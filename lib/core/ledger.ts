import type { Attempt } from './attempt.js';
import type { HeadSeen } from './conversation.js';
import {
  blocks,
  partsOfKey,
  shareLandmark,
  type Decision,
  type Finding,
  type FindingId,
  type FindingKey,
  type Landmarks,
} from './finding.js';
import { KnownMark } from './marker.js';
import type { LastWord } from './open-reply.js';
import { noReport, type PassRecord, type PassReport } from './pass-record.js';
import type { Sha } from './pull-request.js';
import type { Question, QuestionId } from './question.js';
import { ruleOf } from './rules-catalogue.js';
import type { KeptOn, Ruling, UnreadWords } from './ruling.js';

export type { FileOrder, Lens, PassRecord } from './pass-record.js';

/** A finding or question that stands on the pull request already; enough to know it again. */
export type Known = {
  readonly id: string;
  readonly key: FindingKey;
  readonly rule?: string;
  readonly landmarks?: Landmarks;
};

/** A thread of ours, as it stands. */
export type OwnThread = {
  readonly id: FindingId | QuestionId;
  /** GraphQL id of the thread. */
  readonly thread: string;
  /** REST id of its first comment, which shows the present state. */
  readonly comment: number;
  readonly body: string;
  /** What the text says now, see `Marker`. */
  readonly state: string;
  readonly resolved: boolean;
  readonly resolvedBy?: string;
  readonly canResolve: boolean;
  /** When its first comment was written, epoch milliseconds. */
  readonly asked?: number;
  readonly lastWord?: LastWord;
};

export type CameBack = { readonly id: FindingId; readonly fixedIn: Sha; readonly since: Sha };

/** A person's word that this change may pass as it is. It holds for one diff. */
export type Pardon = Decision & { readonly how: 'override' | 'approval' | 'answer' };

/**
 * People were asked to decide about a diff, by the gate after its rounds or by somebody's wish, or about a question that
 * was passed on; then `diff` is its id. `at`: epoch milliseconds; 0 for a wish that was not written down yet.
 */
export type Escalation = { readonly diff: string; readonly at: number; readonly by?: string };

/** As much of a diff's hash as tells it apart on one pull request. */
export const shortDiff = (diffHash: string): string => diffHash.slice(0, 12);

/** Folded from pass records, our threads, replies and commands. */
export type Ledger = {
  readonly findings: readonly Finding[];
  readonly questions: readonly Question[];
  readonly known: readonly Known[];
  /** Oldest first. */
  readonly passes: readonly PassRecord[];
  readonly nextFinding: number;
  readonly nextQuestion: number;
  readonly threads: readonly OwnThread[];
  /** Whether a review of ours was ever posted, also one that somebody else edited since. */
  readonly wasReviewed?: boolean;
  /** Our first review whose body is the summary: edited in place. */
  readonly summary?: { readonly reviewId: number; readonly body: string; readonly pass: string };
  /** Findings that were fixed and were found again. */
  readonly cameBack: readonly CameBack[];
  readonly pardon?: Pardon;
  readonly paused?: Decision;
  /** Oldest first. */
  readonly escalations: readonly Escalation[];
  /** Diffs and questions of which people were reminded. */
  readonly reminded?: readonly string[];
  /** Fix rounds that people granted beyond the policy's. */
  readonly moreRounds: number;
  /** What became of each thing that people said, in its order. */
  readonly rulings: readonly Ruling[];
  /** Words that only the loop reads, in the order in which they were said. */
  readonly unread: readonly UnreadWords[];
  /** What holds only for as long as some lines stand. */
  readonly keptOn: readonly KeptOn[];
  /** Names of statements that were acted on already. */
  readonly heard: readonly string[];
  /** Runs that ended without a result. Oldest first. */
  readonly attempts?: readonly Attempt[];
};

export const emptyLedger: Ledger = {
  findings: [],
  questions: [],
  known: [],
  passes: [],
  nextFinding: 1,
  nextQuestion: 1,
  threads: [],
  cameBack: [],
  escalations: [],
  moreRounds: 0,
  rulings: [],
  unread: [],
  keptOn: [],
  heard: [],
};

/** What the newest pass of this change says beside its findings. */
export const reportOf = ({ passes }: Pick<Ledger, 'passes'>, diffHash: string): PassReport =>
  passes.findLast((pass) => pass.diffHash === diffHash && pass.report !== undefined)?.report ?? noReport;

/** How the newest pass of this change fell short, in numbers and words. */
export function coverageIn(
  ledger: Pick<Ledger, 'passes'>,
  diffHash: string,
): { readonly seen: number; readonly of: number; readonly limit: string } {
  const { seen, of, missing, limit } = reportOf(ledger, diffHash).coverage;
  return { seen, of, limit: limit ?? missing[0]?.why ?? 'it did not finish' };
}

/**
 * The commit that was looked at when something was said: the one whose check of ours began last before it. Times are
 * whole seconds: who spoke in the very second in which a check began has not seen it, unless it was the first.
 */
export function headAt(heads: readonly HeadSeen[], at: number): HeadSeen | undefined {
  const inOrder = heads.toSorted((a, b) => a.since - b.since);
  return (
    inOrder.findLast(({ since }) => Math.floor(since / 1_000) < Math.floor(at / 1_000)) ??
    inOrder.find(({ since }) => since <= at)
  );
}

/** The same pass stands in many texts. */
export function unionOf(passes: readonly PassRecord[]): readonly PassRecord[] {
  const all = new Map<string, PassRecord>();
  for (const pass of passes) {
    const name = nameOf(pass);
    const known = all.get(name);
    if (known === undefined || saysMore(pass, known)) all.set(name, pass);
  }
  return [...all.values()].sort(byTime);
}

const nameOf = ({ at, jobKey, diffHash, lens, order, model }: PassRecord): string =>
  JSON.stringify([at, jobKey, diffHash, lens, order, model]);

/** Copies are shortened as they get old. */
function saysMore(a: PassRecord, b: PassRecord): boolean {
  const [one, other] = [JSON.stringify(a), JSON.stringify(b)];
  return one.length > other.length || (one.length === other.length && one > other);
}

const byTime = (a: PassRecord, b: PassRecord): number =>
  a.at - b.at || (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0);

export const ageOf = (passes: readonly PassRecord[]): number =>
  passes.reduce((most, { at }) => Math.max(most, at), 0);

/**
 * What the passes, in their order, say about each finding and question. A finding that is open by those that read the
 * present change stays so: it is not settled because it was gone from another change in between. A question is asked anew.
 */
export function sightings(
  passes: readonly PassRecord[],
  isPresent: (pass: PassRecord) => boolean = () => false,
): {
  readonly standing: (id: string) => SeenStanding;
  readonly cameBack: readonly CameBack[];
} {
  const back = new Map<string, CameBack>();
  const all = standingsIn(passes, (id, fixedIn, { head }) => {
    if (id.startsWith('F')) back.set(id, { id: id as FindingId, fixedIn, since: head });
  });
  const here = standingsIn(passes.filter(isPresent));
  return {
    standing: (id) => {
      const isOpenHere = id.startsWith('F') && here.get(id)?.kind === 'open';
      return isOpenHere ? { kind: 'open' } : (all.get(id) ?? { kind: 'open' });
    },
    cameBack: [...back.values()],
  };
}

function standingsIn(
  passes: readonly PassRecord[],
  onReturn: (id: string, fixedIn: Sha, pass: PassRecord) => void = () => {},
): ReadonlyMap<string, SeenStanding> {
  const standings = new Map<string, SeenStanding>();
  for (const pass of passes) {
    for (const id of [...pass.findings, ...pass.questions]) {
      const before = standings.get(id);
      if (before?.kind === 'fixed') onReturn(id, before.in, pass);
      standings.set(id, { kind: 'open' });
    }
    for (const { id, kind } of pass.settled)
      standings.set(id, kind === 'fixed' ? { kind, in: pass.head } : { kind, since: pass.head });
  }
  return standings;
}

type SeenStanding = Extract<Finding['standing'], { kind: 'open' | 'fixed' | 'obsolete' }>;

/** What a pass found, as far as a ledger takes it up. */
type Found = {
  readonly findings: readonly Finding[];
  readonly questions: readonly Question[];
  readonly settled?: readonly Finding[];
};

/** The ledger after a pass: its findings and questions joined, settled ones closed, the pass recorded. */
export function addPass(ledger: Ledger, result: Found, pass: PassRecord): Ledger {
  const passes = unionOf([...ledger.passes, pass]);
  return { ...addFound(ledger, result), passes, cameBack: sightings(passes).cameBack };
}

/** The ledger with what a pass found and no record of it: the next one of its round finds the same under the same number. */
export function addFound(ledger: Ledger, { findings: found, questions: asked, settled = [] }: Found): Ledger {
  const findings = joinById(
    ledger.findings,
    [...found, ...settled].map((one) => asDecided(one, ledger)),
  );
  const questions = joinById(ledger.questions, asked);
  const known = joinById(ledger.known, [
    ...findings.map((one) => knownOf(one, one.id)),
    ...questions.map(({ id, finding }) => knownOf(finding, id)),
  ]);
  const used = known.map(({ id }) => id);
  return {
    ...ledger,
    findings,
    questions,
    known,
    nextFinding: Math.max(ledger.nextFinding, highest(used, 'F') + 1),
    nextQuestion: Math.max(ledger.nextQuestion, highest(used, 'Q') + 1),
  };
}

/** What a person decided while the pass was running stays decided. */
function asDecided(finding: Finding, { findings }: Pick<Ledger, 'findings'>): Finding {
  const before = findings.find(({ id }) => id === finding.id)?.standing;
  return before === undefined || ['open', 'fixed', 'obsolete', 'outvoted'].includes(before.kind)
    ? finding
    : { ...finding, standing: before };
}

/** The findings of a pass that may block: what its record names. */
export const blockingKeys = (findings: readonly Finding[]): readonly FindingKey[] =>
  findings.filter(blocks).map(({ key }) => key);

/**
 * Which of the wanted are known already, by their index. Lines, category and path decide; neighbours, landmarks and
 * ordinal tell equal ones apart. `unmoved` are the known ones whose place is as it was: what stands elsewhere is not
 * them. A renamed new file is known by its lines and neighbours. Another rule of the catalogue on the same lines is another finding;
 * another wording is not.
 */
export function matchKnown(
  wanted: readonly Omit<Known, 'id'>[],
  known: readonly Known[],
  unmoved: ReadonlySet<string> = new Set(),
): ReadonlyMap<number, Known> {
  const matched = new Map<number, Known>();
  const taken = new Set<string>();
  // Within a tier the same rule comes first; a rule of the same name elsewhere does not outdo the same place.
  const tiers: readonly (readonly ((is: Likeness, other: Known) => boolean)[])[] = [
    [
      (is) => is.path && is.neighbours && is.spot && !is.apart,
      (is) => is.path && is.neighbours && is.ordinal && !is.apart,
      (is) => is.path && is.neighbours && is.near,
    ],
    [(is, { id }) => is.neighbours && is.near && !unmoved.has(id)],
    [(is, { id }) => is.path && is.near && !unmoved.has(id)],
    [
      (is, { id }) => is.path && is.neighbours && is.ordinal && !unmoved.has(id),
      (is, { id }) => is.path && !unmoved.has(id),
      (is, { id }) => is.neighbours && !unmoved.has(id),
    ],
  ];
  const steps = tiers.flatMap((tier) =>
    [true, false].flatMap((sameRule) => tier.map((isClose) => ({ sameRule, isClose }))),
  );
  for (const { sameRule, isClose } of steps)
    for (const [index, { key, rule = '', landmarks }] of wanted.entries()) {
      const parts = partsOfKey(key);
      if (matched.has(index) || parts === null) continue;
      const found = known.find((one) => {
        const other = partsOfKey(one.key);
        return (
          other !== null &&
          !taken.has(one.id) &&
          (sameRule ? one.rule === rule : !isOtherRule(one.rule, rule)) &&
          other.category === parts.category &&
          other.lines === parts.lines &&
          isClose(likeness(parts, other, [landmarks, one.landmarks]), one)
        );
      });
      if (found === undefined) continue;
      matched.set(index, found);
      taken.add(found.id);
    }
  return matched;
}

type KeyParts = NonNullable<ReturnType<typeof partsOfKey>>;

/** What two places with equal lines have in common besides. Without landmarks they are neither near nor apart. */
type Likeness = Readonly<Record<'path' | 'neighbours' | 'spot' | 'ordinal' | 'near' | 'apart', boolean>>;

function likeness(
  a: KeyParts,
  b: KeyParts,
  [one, other]: readonly [Landmarks | undefined, Landmarks | undefined],
): Likeness {
  const isTold = one !== undefined && other !== undefined;
  return {
    path: a.path === b.path,
    neighbours: a.neighbours === b.neighbours,
    spot: a.spot === b.spot,
    ordinal: ordinalOf(a) === ordinalOf(b),
    near: isTold && shareLandmark(one, other),
    apart: isTold && !shareLandmark(one, other),
  };
}

const ordinalOf = ({ spot }: KeyParts): string => spot.split('-')[0] ?? spot;

const knownOf = ({ key, rule, landmarks }: Omit<Finding, 'id' | 'standing'>, id: string): Known => ({
  id,
  key,
  rule,
  ...(landmarks !== undefined && { landmarks }),
});

/** Two different rules of the catalogue. A name that is not in it says nothing. */
export const isOtherRule = (a: string | undefined, b: string): boolean => {
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

export const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id.charCodeAt(0) - b.id.charCodeAt(0) || numberOf(a.id) - numberOf(b.id);

const numberOf = (id: string): number => Number(id.slice(1));

export const highest = (ids: readonly string[], letter: 'F' | 'Q'): number =>
  ids.filter((id) => id.startsWith(letter)).reduce((most, id) => Math.max(most, numberOf(id)), 0);

/** Whether a later pass has shown what was asked: its finding stands on the same code and is the one that counts. */
export const isOvertaken = ({ id, finding: asked }: Question, findings: readonly Finding[]): boolean =>
  findings.some(
    (one) =>
      one.from !== id &&
      one.key === asked.key &&
      one.severity === 'important' &&
      one.origin === 'introduced' &&
      !isOtherRule(one.rule, asked.rule),
  );

export const overtaken = (question: Question): Question => ({ ...question, standing: { kind: 'obsolete' } });

/** What a marker keeps of a finding: enough for the gate and the surfaces. */
export function findingOf(mark: KnownMark, standing: Finding['standing']): Finding {
  return {
    ...bare(mark),
    id: mark.id as FindingId,
    standing,
    ...(mark.from !== undefined && { from: mark.from }),
  };
}

export function questionOf(mark: KnownMark, standing: SeenStanding): Question {
  const { asked } = mark;
  return {
    id: mark.id as Question['id'],
    finding: { ...bare(mark), standing: { kind: 'open' } },
    reason: asked?.reason ?? '',
    searched: asked?.searched ?? [],
    ...(asked?.read !== undefined && { read: asked.read }),
    ...(asked?.earlier !== undefined && { earlier: asked.earlier }),
    question: asked?.question ?? mark.title,
    answerEffects:
      asked === undefined
        ? { yes: 'suppress_finding', no: 'include_finding' }
        : {
            yes: asked.effects.yes,
            no: asked.effects.no,
            ...(asked.effects.unsure !== undefined && { unsure: asked.effects.unsure }),
          },
    standing: standing.kind === 'open' ? { kind: 'open' } : { kind: 'obsolete' },
  };
}

const bare = (mark: KnownMark): Omit<Finding, 'id' | 'standing'> => ({
  key: mark.key,
  ...(mark.landmarks !== undefined && { landmarks: mark.landmarks }),
  anchor:
    mark.row === undefined
      ? {
          kind: 'line',
          path: mark.path,
          side: mark.side,
          line: mark.line,
          ...(mark.height > 1 && { startLine: mark.line - mark.height + 1 }),
        }
      : { kind: 'row', path: mark.path, line: mark.line, why: mark.row },
  rule: mark.rule,
  severity: mark.severity,
  category: mark.category,
  confidence: 'high',
  origin: mark.origin,
  title: mark.title,
  body: mark.body ?? '',
  ...(mark.fix !== undefined && { fix: mark.fix }),
  evidence: (mark.quotes ?? []).map((place, index) => ({
    kind: 'quote',
    role: index === 0 ? 'at' : 'because',
    ...place,
    quote: '',
  })),
});

/** What a marker keeps of a finding. */
export function markOf(finding: Omit<Finding, 'id' | 'standing'>, id: string): KnownMark {
  const { key, rule, severity, category, origin, title, anchor, evidence, body, from } = finding;
  const quotes = evidence.flatMap((one) =>
    one.kind === 'quote'
      ? [{ path: one.path, ref: one.ref, start: one.start, end: one.end, role: one.role }]
      : [],
  );
  const at = quotes.find(({ role }) => role === 'at');
  const fix = finding.suggestion ?? finding.fix;
  return {
    id,
    key,
    ...(finding.landmarks !== undefined && { landmarks: [...finding.landmarks] }),
    rule: rule.slice(0, 80),
    severity,
    category,
    origin,
    title: title.slice(0, 400),
    path: anchor.path,
    side: anchor.kind === 'line' ? anchor.side : 'RIGHT',
    line: anchor.line,
    height:
      at !== undefined
        ? at.end - at.start + 1
        : anchor.kind === 'line'
          ? anchor.line - (anchor.startLine ?? anchor.line) + 1
          : 1,
    ...(anchor.kind === 'row' && { row: anchor.why.slice(0, 400) }),
    ...(body !== '' && { body: body.slice(0, 2_000) }),
    ...(fix !== undefined && fix.length <= 2_000 && { fix }),
    ...(quotes.length > 0 && {
      quotes: quotes
        .toSorted((a, b) => Number(b.role === 'at') - Number(a.role === 'at'))
        .slice(0, 12)
        .map(({ role: _role, ...where }) => where),
    }),
    ...(from !== undefined && { from }),
  };
}

/** What a marker keeps of a question. */
export const markOfQuestion = (question: Question): KnownMark => ({
  ...markOf(question.finding, question.id),
  asked: {
    question: question.question.slice(0, 400),
    reason: question.reason.slice(0, 1_000),
    searched: question.searched.slice(0, 20).map((one) => one.slice(0, 400)),
    ...(question.read !== undefined && { read: question.read.slice(0, 20).map((one) => one.slice(0, 400)) }),
    effects: question.answerEffects,
    ...(question.earlier !== undefined && { earlier: question.earlier }),
  },
});

/** Everything with a number, as it is kept; what could not be read back is left out. */
export const marksOf = ({
  findings,
  questions,
}: Pick<Ledger, 'findings' | 'questions'>): readonly KnownMark[] =>
  [
    ...findings.map((finding) =>
      blocks({ ...finding, standing: { kind: 'open' } })
        ? markOf(finding, finding.id)
        : markOf({ ...finding, body: '' }, finding.id),
    ),
    ...questions.map(markOfQuestion),
  ].filter((mark) => KnownMark.safeParse(mark).success);
