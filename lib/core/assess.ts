import { resolveAnchor } from './anchor.js';
import { changedLines, isIntroduced, pathBefore, type FileDiff, type Side } from './diff.js';
import {
  checkEvidence,
  firstUnserved,
  foldSpace,
  placeOf,
  type Evidence,
  type EvidenceSource,
  type Quote,
  type Ref,
  type Served,
} from './evidence.js';
import { findingKey, landmarksOf, type Anchor, type Finding } from './finding.js';
import { keptAnswerTo, outlivedAnswerTo } from './kept-answer.js';
import type { NotRaised } from './not-raised.js';
import type { Policy } from './policy.js';
import { checkQuestion, MAX_QUESTIONS, type Question } from './question.js';
import { judgeRule, type RuleVerdict } from './rule-setting.js';
import { isSelfEvident } from './rules-catalogue.js';
import { labelSecrets } from './secret.js';
import type { CodeReview, DisprovedClaim, HumanReviewRequest, ProposedFinding } from './submission.js';
import { checkSuggestion } from './suggestion.js';
import type { Dropped, ToolCall } from './transcript.js';

/** A suspicion that cited code disproves: listed, never raised. */
export type Disproved = {
  readonly claim: string;
  readonly because: string;
  readonly path: string;
  readonly line: number;
  readonly quote: string;
};

/** What a submission is held against: the change, code's own look at both versions, and what the run has shown. */
export type AssessContext = {
  readonly diff: readonly FileDiff[];
  readonly source: EvidenceSource;
  readonly served: readonly Served[];
  readonly calls: readonly ToolCall[];
  readonly policy: Policy;
  /** Epoch milliseconds: kept answers run out. Absent: none of them holds. */
  readonly now?: number;
};

/** A finding before it has a number of this pull request. */
export type AssessedFinding = Omit<Finding, 'id'>;
export type AssessedQuestion = Omit<Question, 'id'>;

/** Why an item was refused, in words that say how to mend it. `item` names it: ``findings[1] `title` ``. */
export type Problem = { readonly item: string; readonly reason: string };

/** What stands of a submission, and what does not. Items with a problem are not among those that stand. */
export type Assessment = {
  readonly findings: readonly AssessedFinding[];
  readonly questions: readonly AssessedQuestion[];
  readonly disproved: readonly Disproved[];
  /** Left out without a word to the model: duplicates, claims that were said to be disproved and are not. */
  readonly dropped: readonly Dropped[];
  readonly problems: readonly Problem[];
  readonly summary: string;
  /** Findings and questions that an answer of before settles. */
  readonly notRaised: readonly NotRaised[];
};

/** Where each item stood in the submission, when some could not be read: reasons name the number the model knows. */
export type ItemIndices = Readonly<Record<'findings' | 'humanReviewRequests', readonly number[]>>;

/** More than this is not a review. */
const MAX_FINDINGS = 60;
const MAX_DISPROVED = 20;
export const MAX_BODY_WORDS = 120;
const MAX_BODY = 3_000;
const MAX_TITLE = 140;
const MAX_EVIDENCE = 12;
const MAX_ABSENCES = 4;
const MAX_CODE_LINES = 60;

/**
 * Looks up every claim of a submission: evidence, anchors, origin, suggestions, questions, repeats within it. Nothing
 * is taken on trust and nothing is guessed. `lastTry`: what can stand without its bad part stands without it.
 */
export async function assess(
  review: CodeReview,
  given: AssessContext,
  { lastTry = false, indices }: { readonly lastTry?: boolean; readonly indices?: ItemIndices } = {},
): Promise<Assessment> {
  const context = {
    ...given,
    source: boundedSource(given.source),
    served: given.served.map((one) => atLineage(one, given.diff)),
  };
  const problems: Problem[] = [];
  const dropped: Dropped[] = [];
  const findings: Located[] = [];
  const questions: (Located & { readonly asked: Omit<AssessedQuestion, 'finding'> })[] = [];
  const notRaised: NotRaised[] = [];
  const mostQuestions = Math.min(MAX_QUESTIONS, context.policy.review.maxQuestions);
  /** Whether the repository has settled it beforehand: it is no fault of the model's. */
  const isSettled = (item: string, { settled }: Checked): boolean => {
    if (settled?.kind === 'off') dropped.push({ what: item, why: settled.why });
    if (settled?.kind === 'kept' && !notRaised.some((one) => sameKept(one, settled.answer)))
      notRaised.push(settled.answer);
    return settled !== undefined;
  };

  for (const [index, proposed] of review.findings.entries()) {
    const item = nameOf('findings', indices?.findings[index] ?? index, proposed.title);
    if (index >= MAX_FINDINGS) {
      problems.push({
        item,
        reason: `a review has at most ${MAX_FINDINGS} findings: keep those that matter`,
      });
      continue;
    }
    const checked = await assessFinding(proposed, context, { lastTry, asked: false });
    if (isSettled(item, checked)) continue;
    problems.push(...checked.reasons.map((reason) => ({ item, reason })));
    const { located } = checked;
    if (located === null) continue;
    const twin = findings.findIndex((one) => isSame(one, located));
    if (twin === -1) findings.push(located);
    else {
      findings[twin] = merge(findings[twin] ?? located, located);
      dropped.push({ what: item, why: 'says the same as another finding of this review' });
    }
  }

  for (const [index, request] of review.humanReviewRequests.entries()) {
    const item = nameOf(
      'humanReviewRequests',
      indices?.humanReviewRequests[index] ?? index,
      request.question,
    );
    const checked = await assessFinding(request.finding, context, { lastTry, asked: true });
    if (isSettled(item, checked)) continue;
    const wrong = [
      ...checkQuestion(request.question, request.answerEffects),
      ...tooLongToAsk(`${request.finding.body} ${request.reason}`),
    ];
    problems.push(...[...wrong, ...checked.reasons].map((reason) => ({ item, reason })));
    if (checked.located === null || wrong.length > 0) continue;
    const { located } = checked;
    if (findings.some((one) => isSame(one, located)) || questions.some((one) => isSame(one, located))) {
      dropped.push({ what: item, why: 'asks about something that this review already says or asks' });
    } else if (questions.length >= mostQuestions) {
      problems.push({ item, reason: tooManyQuestions(mostQuestions) });
    } else questions.push({ ...located, asked: askedOf(request, located, context) });
  }

  const disproved: Disproved[] = [];
  for (const [index, claim] of review.disproved.entries()) {
    const checked = index < MAX_DISPROVED ? await assessDisproved(claim, context) : null;
    if (checked?.kind === 'held') disproved.push(checked.disproved);
    else
      dropped.push({
        what: `disproved[${index}] \`${oneLine(claim.claim, 80)}\``,
        why: checked?.reason ?? `only ${MAX_DISPROVED} are listed`,
      });
  }

  const keyed = withKeys([...findings, ...questions]);
  const { kept, left } = fewNits(keyed.slice(0, findings.length), context.policy.review.maxNits);
  return {
    findings: kept,
    questions: questions.map(({ asked }, index) => ({ ...asked, finding: keyed[findings.length + index]! })),
    disproved,
    dropped: [...dropped, ...left],
    problems,
    summary: oneLine(labelled(review.summary), 400),
    notRaised,
  };
}

/** The first ones stay: they come in the order of their weight. */
function fewNits(
  findings: readonly AssessedFinding[],
  most: number,
): { readonly kept: readonly AssessedFinding[]; readonly left: readonly Dropped[] } {
  let nits = 0;
  const left: Dropped[] = [];
  const kept = findings.filter(({ severity, title }) => {
    if (severity !== 'nit' || ++nits <= most) return true;
    left.push({ what: title, why: `more than ${most} nits (setting \`max_nits\`)` });
    return false;
  });
  return { kept, left };
}

const tooManyQuestions = (most: number): string =>
  most === 0
    ? 'this repository takes no questions: settle it from the repository, or leave it out'
    : `a review asks at most ${most} ${most === 1 ? 'question' : 'questions'}: keep those whose answer matters most`;

const sameKept = (a: NotRaised, b: NotRaised): boolean =>
  a.file === b.file && a.fileLine === b.fileLine && a.path === b.path && a.line === b.line;

/** Searches over the whole tree that one submission may cause; the same one is run once. */
const MAX_SEARCHES = 40;

function boundedSource(source: EvidenceSource): EvidenceSource {
  const counted = new Map<string, ReturnType<EvidenceSource['count']>>();
  return {
    lines: (ref, path) => source.lines(ref, path),
    async count(query) {
      const key = JSON.stringify([query.pattern, query.ref, query.glob ?? null]);
      const known = counted.get(key);
      if (known !== undefined) return known;
      if (counted.size >= MAX_SEARCHES)
        return { kind: 'bad', why: 'this review has too many absences: keep those that carry a claim' };
      const counting = source.count(query);
      counted.set(key, counting);
      return counting;
    },
  };
}

/** A finding that was looked up, with the file it stands in: its key is made when all of them are known. */
type Located = {
  readonly finding: Omit<AssessedFinding, 'key'>;
  readonly lineage: string;
  /** The version whose lines are numbered here. */
  readonly ref: Ref;
  readonly file: readonly string[];
  readonly start: number;
  readonly end: number;
};

/** With what code adds to it, a question stays below 150 words. */
const MAX_ASKED_WORDS = 90;

const tooLongToAsk = (text: string): readonly string[] => {
  const words = text.trim().split(/\s+/).length;
  return words > MAX_ASKED_WORDS
    ? [
        `the body of its finding and the reason have ${words} words together; ${MAX_ASKED_WORDS} is the most for a question`,
      ]
    : [];
};

type Checked = {
  readonly located: Located | null;
  readonly reasons: readonly string[];
  /** By the repository's settings: it is neither raised nor sent back. */
  readonly settled?:
    { readonly kind: 'off'; readonly why: string } | { readonly kind: 'kept'; readonly answer: NotRaised };
};

/** A rule that is off at this place, or an answer to this line that is kept. */
function settledBySettings(
  rule: RuleVerdict,
  { anchor, ref, start, end, file }: Extract<Place, { kind: 'at' }>,
  { policy, diff, now }: AssessContext,
): Checked['settled'] {
  if (rule.weight === 'off') {
    const where = rule.at === undefined ? 'by a setting' : `${rule.at.file}, line ${rule.at.line}`;
    return { kind: 'off', why: `\`${rule.rule}\` is off here (${where})` };
  }
  if (ref !== 'head' || now === undefined) return undefined;
  const answer = keptAnswerTo({ rule: rule.rule, path: anchor.path, start, end, file }, policy, diff, now);
  return answer === null ? undefined : { kind: 'kept', answer };
}

async function assessFinding(
  proposed: ProposedFinding,
  context: AssessContext,
  { lastTry, asked }: { readonly lastTry: boolean; readonly asked: boolean },
): Promise<Checked> {
  const reasons: string[] = [];
  /** Reasons that a last try may outlive, because the finding stands without the part they are about. */
  const mendable: string[] = [];

  const place = await locate(proposed, context);
  if (place.kind === 'lost') return { located: null, reasons: [place.reason] };
  const { anchor, ref, path, start, end, file, introduced } = place;
  const rule = judgeRule(proposed.rule, anchor.path, context.policy);
  const settled = settledBySettings(rule, place, context);
  if (settled !== undefined) return { located: null, reasons: [], settled };
  const severity = rule.weight === null || rule.weight === 'off' ? proposed.severity : rule.weight;

  const words = proposed.body.trim().split(/\s+/).length;
  if (proposed.body.length > MAX_BODY)
    reasons.push(`the body has ${proposed.body.length} characters; ${MAX_BODY} is the most`);
  if (words > MAX_BODY_WORDS) reasons.push(`the body has ${words} words; ${MAX_BODY_WORDS} is the most`);
  if (proposed.title.trim().length > MAX_TITLE)
    reasons.push(
      `the title has ${proposed.title.trim().length} characters; say the claim in at most ${MAX_TITLE}`,
    );
  if (!asked && proposed.confidence !== 'high')
    reasons.push(
      `confidence is ${proposed.confidence}: look up what is missing, make it a humanReviewRequest if only a person can know, or leave it out`,
    );
  if (!asked && carriesException(`${proposed.title}\n${proposed.body}`))
    reasons.push(
      'it carries its own exception of intent: ask about the intent in a humanReviewRequest, or settle it from the repository',
    );

  if (proposed.evidence.length > MAX_EVIDENCE || proposed.absences.length > MAX_ABSENCES)
    mendable.push(
      `at most ${MAX_EVIDENCE} quotes and ${MAX_ABSENCES} absences are looked up: keep those that carry the claim`,
    );
  const because: Evidence[] = [];
  for (const evidence of evidenceOf(proposed, context)) {
    const checked = await checkEvidence(evidence, context.source, context.served);
    if (checked.kind === 'failed') mendable.push(checked.reason);
    else if (!because.some((one) => sameEvidence(one, evidence)))
      because.push(evidence.kind === 'quote' ? await asItStands(evidence, context.source) : evidence);
  }
  const accused = file.slice(start - 1, end);
  const other = because.filter((one) => one.kind === 'absence' || saysMore(one, place));
  if (severity === 'important' && other.length === 0 && !isSelfEvident(proposed.rule, accused))
    reasons.push(
      'an important finding needs at least one piece of evidence that is not the accused line: quote the other code, the version before, a spec or a config, or give an absence',
    );
  const cause = introduced
    ? undefined
    : other.find((one) => one.kind === 'quote' && touches(one, context.diff));
  if (severity === 'important' && cause !== undefined && cause.kind === 'quote')
    mendable.push(
      `the accused line is not touched by this change, so this would be listed as old code; if the change causes it, accuse the changed line (${placeOf(cause)}) and quote this one as evidence`,
    );

  const suggestion = suggestionOf(proposed, place);
  if (suggestion.kind === 'useless') mendable.push(suggestion.why);

  const all = lastTry && reasons.length === 0 ? [] : [...reasons, ...mendable];
  if (all.length > 0) return { located: null, reasons: all };

  const at: Quote = {
    kind: 'quote',
    role: 'at',
    path,
    ref,
    start,
    end,
    quote: shortOr(accused.map(withoutReturn).join('\n'), proposed.code),
  };
  return {
    reasons: [],
    located: {
      lineage: pathBefore(context.diff, anchor.path) ?? anchor.path,
      ref,
      file,
      start,
      end,
      finding: {
        anchor,
        rule: rule.rule,
        severity,
        category: rule.category ?? proposed.category,
        confidence: proposed.confidence,
        origin: introduced ? 'introduced' : 'pre_existing',
        title: sentence(labelled(proposed.title)),
        body: labelled([proposed.body.trim(), wholeRange(proposed, place)].filter(Boolean).join('\n\n')),
        ...(suggestion.kind === 'applies' && { suggestion: suggestion.text }),
        ...(suggestion.kind === 'plain' && { fix: suggestion.text }),
        evidence: [at, ...because],
        standing: { kind: 'open' },
      },
    },
  };
}

/** Whether a quote shows a line with a letter or a digit in it that is not accused itself. */
const saysMore = (quote: Quote, { ref, path, start, end }: Extract<Place, { kind: 'at' }>): boolean =>
  quote.quote.split('\n').some((text, offset) => {
    const line = quote.start + offset;
    const isAccused = quote.ref === ref && quote.path === path && line >= start && line <= end;
    return !isAccused && /[\p{L}\p{N}]/u.test(text);
  });

type Place =
  | {
      readonly kind: 'at';
      readonly anchor: Anchor;
      readonly ref: Ref;
      /** The path at `ref`. */
      readonly path: string;
      readonly start: number;
      readonly end: number;
      readonly file: readonly string[];
      readonly introduced: boolean;
    }
  | { readonly kind: 'lost'; readonly reason: string };

/** Where the accused code stands: on the diff if it does, else in the file at head; both looked up by code. */
async function locate(proposed: ProposedFinding, context: AssessContext): Promise<Place> {
  const { diff, source, served } = context;
  const lost = (reason: string): Place => ({ kind: 'lost', reason });
  if (foldSpace(proposed.code) === '') return lost('`code` is empty: copy the accused line');
  if (
    proposed.code.split('\n').length > MAX_CODE_LINES ||
    proposed.line - (proposed.start_line ?? proposed.line) >= MAX_CODE_LINES
  )
    return lost(`more than ${MAX_CODE_LINES} lines are accused: accuse those that say it`);
  if (proposed.start_line !== undefined && proposed.start_line > proposed.line)
    return lost(`start_line ${proposed.start_line} comes after line ${proposed.line}`);
  const anchor = resolveAnchor(diff, {
    path: proposed.path,
    line: proposed.line,
    startLine: proposed.start_line,
    side: proposed.side,
    code: proposed.code,
  });

  if (anchor.kind === 'line') {
    const ref: Ref = anchor.side === 'RIGHT' ? 'head' : 'base';
    const path = ref === 'head' ? anchor.path : (pathBefore(diff, anchor.path) ?? anchor.path);
    const start = anchor.startLine ?? anchor.line;
    const file = await source.lines(ref, path);
    if (file === null || anchor.line > file.length)
      return lost(`there is no readable file ${path} at ${ref}`);
    const unread = firstUnserved({ path, ref, start, end: anchor.line }, served);
    if (unread !== null) return lost(`${path}:${unread} (${ref}) was not read in this run: read it first`);
    // The rows of the diff and the file come by two ways: the quote that is posted is the file's.
    if (!foldSpace(file.slice(start - 1, anchor.line).join('\n')).includes(foldSpace(proposed.code)))
      return lost(
        `the accused code does not stand at ${path}:${anchor.line} (${ref}), though the diff shows it there`,
      );
    const introduced = isIntroduced(diff, anchor.path, anchor.side, start, anchor.line);
    return { kind: 'at', anchor, ref, path, start, end: anchor.line, file, introduced };
  }

  if (proposed.side === 'LEFT') return lost(`${anchor.why}: copy the removed line exactly into \`code\``);
  const file = await source.lines('head', proposed.path);
  if (file === null) {
    const other = diff.find(({ path }) => path.toLowerCase() === proposed.path.toLowerCase());
    return lost(
      `there is no readable file ${proposed.path} at head${other === undefined ? '' : `; did you mean ${other.path}?`}`,
    );
  }
  const range = rangeOfCode(proposed, file);
  if (range === null)
    return lost(
      `the accused code does not stand at ${proposed.path}:${proposed.line} (head): copy it exactly into \`code\``,
    );
  const unread = firstUnserved({ path: proposed.path, ref: 'head', ...range }, served);
  if (unread !== null)
    return lost(`${proposed.path}:${unread} (head) was not read in this run: read it first`);
  return {
    kind: 'at',
    anchor: { ...anchor, line: range.end },
    ref: 'head',
    path: proposed.path,
    ...range,
    file,
    introduced: isIntroduced(diff, proposed.path, 'RIGHT', range.start, range.end),
  };
}

/** In words, what of an accused range is not in the hunk of its last line: a comment cannot reach over two hunks. */
function wholeRange(
  { start_line, line, side }: ProposedFinding,
  { anchor, ref, start, end }: Extract<Place, { kind: 'at' }>,
): string {
  const sameNumbers = (side ?? 'RIGHT') === (ref === 'head' ? 'RIGHT' : 'LEFT') && line === end;
  return anchor.kind === 'line' && sameNumbers && start_line !== undefined && start_line < start
    ? `This is about lines ${start_line} to ${line}; the first of them are further up.`
    : '';
}

/** The lines of a file that the accused code covers: those that are stated, else the only ones there are. */
function rangeOfCode(
  { code, line, start_line }: ProposedFinding,
  file: readonly string[],
): { readonly start: number; readonly end: number } | null {
  const wanted = code.split('\n').map(foldSpace);
  while (wanted[0] === '') wanted.shift();
  while (wanted.at(-1) === '') wanted.pop();
  const folded = file.map(foldSpace);
  const places: { readonly start: number; readonly end: number }[] = [];
  for (let at = 0; at + wanted.length <= folded.length; at++)
    if (wanted.every((text, offset) => folded[at + offset] === text))
      places.push({ start: at + 1, end: at + wanted.length });
  const stated = places.find(({ start, end }) => end === line || start === (start_line ?? line));
  return stated ?? (places.length === 1 ? (places[0] ?? null) : null);
}

/** The evidence besides the accused line. A base citation by the new name of a renamed file means the old one. */
function evidenceOf(proposed: ProposedFinding, { diff }: AssessContext): readonly Evidence[] {
  return [
    ...proposed.evidence.slice(0, MAX_EVIDENCE).map((quote): Evidence => ({
      kind: 'quote',
      role: 'because',
      ...atLineage(quote, diff),
    })),
    ...proposed.absences
      .slice(0, MAX_ABSENCES)
      .map((absence): Evidence => ({ kind: 'absence', role: 'because', ...absence })),
  ];
}

function atLineage<T extends { readonly path: string; readonly ref: Ref }>(
  cited: T,
  diff: readonly FileDiff[],
): T {
  if (
    cited.ref !== 'base' ||
    diff.some(({ oldPath, status }) => oldPath === cited.path && status !== 'added')
  )
    return cited;
  const renamed = diff.find(({ path, oldPath }) => path === cited.path && oldPath !== path);
  return renamed === undefined ? cited : { ...cited, path: renamed.oldPath };
}

/** The quote as whole lines of the version it cites: what people read is never a part that a model chose. */
async function asItStands(quote: Quote, source: EvidenceSource): Promise<Quote> {
  const lines = (await source.lines(quote.ref, quote.path)) ?? [];
  const text = lines
    .slice(quote.start - 1, quote.end)
    .map(withoutReturn)
    .join('\n');
  return { ...quote, quote: shortOr(text, quote.quote) };
}

const MAX_QUOTE = 2_000;

/** A line of a minified file is kept as the part that was quoted. */
const shortOr = (text: string, part: string): string =>
  text.length > MAX_QUOTE ? part.slice(0, MAX_QUOTE) : text;

const sameEvidence = (a: Evidence, b: Evidence): boolean =>
  a.kind === 'quote'
    ? b.kind === 'quote' && a.path === b.path && a.ref === b.ref && a.start === b.start && a.end === b.end
    : b.kind === 'absence' && a.pattern === b.pattern && a.glob === b.glob && a.ref === b.ref;

function touches(quote: Quote, diff: readonly FileDiff[]): boolean {
  const file = diff.find(({ path, oldPath }) => (quote.ref === 'head' ? path : oldPath) === quote.path);
  if (file === undefined) return false;
  const side: Side = quote.ref === 'head' ? 'RIGHT' : 'LEFT';
  return changedLines(file)[side].some((line) => line >= quote.start && line <= quote.end);
}

type ProposedSuggestion =
  | { readonly kind: 'none' }
  | { readonly kind: 'applies' | 'plain'; readonly text: string }
  | { readonly kind: 'useless'; readonly why: string };

function suggestionOf(
  { suggestion, code }: ProposedFinding,
  { anchor, ref, start, end, file }: Extract<Place, { kind: 'at' }>,
): ProposedSuggestion {
  if (suggestion === undefined || suggestion === null) return { kind: 'none' };
  // A placeholder of the reader's view, or a secret, must not be written into a file.
  if (/\[secret: /.test(suggestion) || labelled(suggestion) !== suggestion) return { kind: 'none' };
  const checked = checkSuggestion(suggestion, file, { start, end });
  if (checked.kind === 'useless') return checked;
  const accused = foldSpace(file.slice(start - 1, end).join('\n'));
  const applies =
    checked.kind === 'applies' && anchor.kind === 'line' && ref === 'head' && foldSpace(code) === accused;
  return applies || checked.text !== ''
    ? { kind: applies ? 'applies' : 'plain', text: checked.text }
    : { kind: 'none' };
}

/** What the question carries besides its finding. What was searched and read is taken from the run. */
function askedOf(
  request: HumanReviewRequest,
  located: Located,
  context: AssessContext,
): Omit<AssessedQuestion, 'finding'> {
  const { finding, file, start, end } = located;
  const { searched, read } = lookedUp(request.searched, context.calls);
  const earlier = keptBefore(located, context);
  return {
    ...(earlier !== undefined && { earlier }),
    reason: labelled(request.reason.trim()),
    ...(finding.anchor.kind === 'row' && {
      snippet: shortOr(
        file
          .slice(start - 1, end)
          .map(withoutReturn)
          .join('\n'),
        request.finding.code,
      ),
    }),
    searched,
    read,
    question: oneLine(labelled(request.question), 300),
    answerEffects: request.answerEffects,
    standing: { kind: 'open' },
  };
}

/** An answer that the settings keep for the code as it was before this change, or that has run out. */
function keptBefore(
  { finding: { rule, anchor }, ref, file, start, end }: Located,
  { policy, diff, now }: AssessContext,
): AssessedQuestion['earlier'] {
  if (ref !== 'head' || now === undefined) return undefined;
  const outlived = outlivedAnswerTo({ rule, path: anchor.path, start, end, file }, policy, diff, now);
  if (outlived === null) return undefined;
  const { because, until, file: keptIn, line } = outlived.answer;
  return { kind: 'kept', is: outlived.is, because, until, file: keptIn, fileLine: line };
}

/** Searches and reads of the run that the model names; all of them when it names none that happened. */
function lookedUp(
  named: readonly string[],
  calls: readonly ToolCall[],
): { readonly searched: readonly string[]; readonly read: readonly string[] } {
  const searched = new Set<string>();
  const read = new Set<string>();
  for (const { name, input, failed } of calls) {
    if (failed || typeof input !== 'object' || input === null) continue;
    const { pattern, path, folder } = input as Record<string, unknown>;
    if (name === 'search_code' && typeof pattern === 'string') searched.add(oneLine(labelled(pattern), 60));
    if ((name === 'get_file_content' || name === 'get_file_at_base') && typeof path === 'string')
      read.add(path);
    if (name === 'list_files' && typeof folder === 'string' && folder !== '')
      read.add(folder.replace(/\/?$/, '/'));
  }
  const isNamed = (one: string): boolean =>
    named.some((name) => name.includes(one) || one.includes(name.trim()));
  const choose = (all: ReadonlySet<string>): readonly string[] => {
    const chosen = [...all].filter(isNamed);
    return (chosen.length > 0 ? chosen : [...all]).slice(0, 6);
  };
  return { searched: choose(searched), read: choose(read) };
}

async function assessDisproved(
  claim: DisprovedClaim,
  { diff, source, served }: AssessContext,
): Promise<
  | { readonly kind: 'held'; readonly disproved: Disproved }
  | { readonly kind: 'failed'; readonly reason: string }
> {
  const height = claim.quote.trim().split('\n').length;
  const quote: Quote = {
    kind: 'quote',
    role: 'because',
    path: claim.path,
    ref: claim.ref,
    start: claim.line,
    end: claim.line + height - 1,
    quote: claim.quote,
  };
  const cited = atLineage(quote, diff);
  const checked = await checkEvidence(cited, source, served);
  if (checked.kind === 'failed') return checked;
  return {
    kind: 'held',
    disproved: {
      claim: oneLine(labelled(claim.claim), 200),
      because: oneLine(labelled(claim.because), 300),
      path: cited.path,
      line: cited.start,
      quote: (await asItStands(cited, source)).quote,
    },
  };
}

/**
 * An exception of intent that a finding states itself: then intent decides, and a person knows it. Plain doubt ("may",
 * "could") is no such exception.
 */
export function carriesException(text: string): boolean {
  const said = text.replace(/(`+)[^`]*\1/g, ' ').replace(/\s+/g, ' ');
  const intent =
    '(?:intended|intentional|intentionally|deliberate|deliberately|on purpose|by design|wanted|desired|expected behaviou?r|the intent|the intention)';
  return [
    new RegExp(
      `\\b(?:unless|except (?:if|when)|if|assuming|provided(?: that)?)\\b[^.;:]{0,60}\\b${intent}\\b`,
      'i',
    ),
    new RegExp(
      `\\b(?:may|might|could|can|perhaps|possibly|maybe)\\b(?: well)?(?: be| have been)?[^.;:]{0,20}\\b${intent}\\b`,
      'i',
    ),
    /\b(?:if|unless)\s+(?:(?:this|it|that)\s+(?:is|was)\s+)?required (?:by|for)\b/i,
  ].some((pattern) => pattern.test(said));
}

/** One claim, however often it is made: the same lines and the same rule, or the same words. */
const isSame = (a: Located, b: Located): boolean =>
  a.finding.anchor.path === b.finding.anchor.path &&
  a.finding.category === b.finding.category &&
  a.ref === b.ref &&
  a.start === b.start &&
  a.end === b.end &&
  (a.finding.rule === b.finding.rule || a.finding.title.toLowerCase() === b.finding.title.toLowerCase());

const merge = (a: Located, b: Located): Located => ({
  ...a,
  finding: {
    ...a.finding,
    severity: b.finding.severity === 'important' ? 'important' : a.finding.severity,
    evidence: [
      ...a.finding.evidence,
      ...b.finding.evidence.filter((one) => !a.finding.evidence.some((other) => sameEvidence(one, other))),
    ],
  },
});

function withKeys(located: readonly Located[]): readonly AssessedFinding[] {
  const spots = new Map<string, number>();
  return located.map(({ finding, lineage, file, start, end }) => {
    const { category } = finding;
    const spot = JSON.stringify([lineage, category, start, end]);
    const nth = spots.get(spot) ?? 0;
    spots.set(spot, nth + 1);
    return {
      ...finding,
      key: findingKey({ lineage, category, file, start, end, nth }),
      landmarks: landmarksOf(file, start, end),
    };
  });
}

const nameOf = (list: string, index: number, title: string): string =>
  `${list}[${index}] \`${oneLine(title, 80).replaceAll('`', "'")}\``;

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);

/** Cut with a mark, at a whole character. */
function oneLine(text: string, most: number): string {
  const line = foldSpace(text);
  return line.length <= most ? line : `${line.slice(0, most - 3).replace(/[\uD800-\uDBFF]$/, '')}...`;
}

const labelled = (text: string): string => labelSecrets(text).text;

/** A title is a clause of a line that goes on: no full stop at its end. */
const sentence = (title: string): string => foldSpace(title).replace(/(?<!\.)\.$/, '');
