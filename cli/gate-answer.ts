import type { CheckConclusion } from '../lib/core/check.js';
import { readCheckResult, type CheckResult } from '../lib/core/check-result.js';
import { ForgeError } from '../lib/core/errors.js';
import { readState, type KnownMark } from '../lib/core/marker.js';
import { plain } from '../lib/core/render/terminal.js';
import { ownResult } from '../lib/core/shared-head.js';
import type { GateView, ShownCheck } from '../lib/forges/github/index.js';

/** What the gate of a pull request says now, and what that means to whoever waits for it. */
export type GateAnswer = {
  readonly verdict: CheckResult['verdict'] | 'running' | 'none' | 'merged' | 'closed';
  /** 0 pass, 1 fix, 3 not finished, 4 a person decides, 5 an answer is awaited. */
  readonly exit: 0 | 1 | 3 | 4 | 5;
  /** `no`: it goes on by itself. `perhaps`: it is over, unless another run begins soon. */
  readonly over: 'yes' | 'perhaps' | 'no';
  /** In a few words, for one line. */
  readonly line: string;
  /** For what is not finished: why, and what would change it. */
  readonly why?: string;
  readonly title: string;
  readonly blocking: readonly Blocking[];
  readonly questions: readonly OpenQuestion[];
  readonly questionsOpen: number;
  readonly fixRound: number;
  readonly complete: boolean;
  readonly url: string;
};

/** Null where the check had no room for it. */
export type Blocking = {
  readonly id: string;
  readonly path: string | null;
  readonly line: number | null;
  readonly rule: string | null;
  readonly title: string | null;
};

export type OpenQuestion = {
  readonly id: string;
  readonly path: string | null;
  readonly line: number | null;
  readonly question: string | null;
};

/**
 * What is shown, judged. The text of a check is data: it is parsed, and a pass counts only where GitHub's own conclusion
 * is `success` too. Throws `ForgeError` for a result line that this version cannot read.
 */
export function answerOf({ pull, check }: GateView): GateAnswer {
  const nothing = {
    title: check === null ? '' : plain(check.title),
    blocking: [],
    questions: [],
    questionsOpen: 0,
    fixRound: 0,
    complete: false,
    url: check?.url ?? pull.url,
  };
  if (pull.state === 'merged')
    return { ...nothing, verdict: 'merged', exit: 0, over: 'yes', line: 'merged', url: pull.url };
  if (pull.state === 'closed')
    return {
      ...nothing,
      verdict: 'closed',
      exit: 3,
      over: 'yes',
      line: 'closed',
      why: 'The pull request was closed without a merge: nothing is decided about it any more.',
      url: pull.url,
    };
  if (check === null) return { ...nothing, verdict: 'none', exit: 3, over: 'perhaps', line: 'no check yet' };
  if (check.status !== 'completed')
    return {
      ...nothing,
      verdict: 'running',
      exit: 3,
      over: 'no',
      line: lowerFirst(nothing.title) || 'queued',
      why: 'The review is running.',
    };
  return { ...nothing, ...completed(check, pull.head) };
}

type Judged = Partial<GateAnswer> & Pick<GateAnswer, 'verdict' | 'exit' | 'over' | 'line'>;

function completed(shown: ShownCheck, head: string): Judged {
  const check = { ...shown, ...own(shown) };
  const title = plain(check.title);
  const unfinished = (over: GateAnswer['over'], why = firstParagraph(shown.summary)): Judged => ({
    verdict: 'incomplete',
    exit: 3,
    over,
    line: lowerFirst(plain(shown.title)),
    why,
  });
  const read = readCheckResult(check.text);
  if (read.kind === 'unknown')
    throw new ForgeError(
      read.version === null
        ? `The result line of check run ${check.id} cannot be read: it is broken, or longer than it may be.`
        : `The result line of check run ${check.id} is of version ${read.version}, and this program reads version 1: bring it to the version of the app.`,
    );
  // Another run says it.
  if (check.conclusion === 'cancelled') return unfinished('perhaps');
  if (check.conclusion === 'skipped') return unfinished('yes');
  const isHeld = check.conclusion === 'success' && shown.conclusion !== 'success';
  if (read.kind === 'none') {
    if (check.conclusion !== 'success') return unfinished('perhaps');
    return isHeld ? unfinished('yes') : { verdict: 'pass', exit: 0, over: 'yes', line: passed(title) };
  }
  const { result } = read;
  if (!head.startsWith(result.head))
    return unfinished('perhaps', `The check speaks of ${result.head}, which is not the head any more.`);
  const facts = {
    verdict: result.verdict,
    title,
    line: lowerFirst(title),
    ...itemsOf(check.text, result),
    questionsOpen: result.questions_open,
    fixRound: result.fix_round,
    complete: result.complete,
  };
  switch (result.verdict) {
    case 'pass':
      if (check.conclusion === 'success' && !isHeld)
        return { ...facts, exit: 0, over: 'yes', line: passed(title) };
      return { ...facts, ...unfinished(isHeld ? 'yes' : 'perhaps') };
    case 'fix':
      return { ...facts, exit: 1, over: 'yes' };
    case 'escalate':
      return { ...facts, exit: 4, over: 'yes', why: firstParagraph(check.summary) };
    case 'waiting':
      return { ...facts, exit: 5, over: 'yes' };
    case 'review':
    case 'incomplete':
      return { ...facts, exit: 3, over: 'perhaps', why: firstParagraph(check.summary) };
  }
}

/** The check of the pull request itself, where GitHub shows that of another one with the same commit. */
const own = ({ conclusion, title, summary, text }: ShownCheck) =>
  ownResult({
    status: 'completed',
    conclusion: conclusions.find((one) => one === conclusion) ?? 'cancelled',
    title,
    summary,
    text,
  });

const conclusions: readonly CheckConclusion[] = [
  'success',
  'failure',
  'neutral',
  'skipped',
  'cancelled',
  'action_required',
];

/** A person's word in the place of reviews is shown as theirs. */
const passed = (title: string): string => (title.startsWith('Passed by ') ? lowerFirst(title) : 'pass');

/** What the hidden state of the check says about the items that the result names. Its signature is the app's to check. */
function itemsOf(text: string, result: CheckResult): Pick<GateAnswer, 'blocking' | 'questions'> {
  const marks = new Map<string, KnownMark>(readState(text).marks.map((mark) => [mark.id, mark]));
  const placeOf = (id: string) => {
    const mark = marks.get(id);
    return { id, path: mark === undefined ? null : plain(mark.path), line: mark?.line ?? null };
  };
  const words = (said: string | undefined): string | null => (said === undefined ? null : plain(said));
  return {
    blocking: result.blocking.map((id) => ({
      ...placeOf(id),
      rule: words(marks.get(id)?.rule),
      title: words(marks.get(id)?.title),
    })),
    questions: (result.questions ?? []).map((id) => ({
      ...placeOf(id),
      question: words(marks.get(id)?.asked?.question),
    })),
  };
}

/** Markdown of ours as one line. */
const firstParagraph = (markdown: string): string =>
  plain(
    (markdown.split(/\r?\n\s*\r?\n/)[0] ?? '')
      .replace(/\*\*|`/g, '')
      .replace(/\\([[\]`*])/g, '$1')
      .replace(/\s+/g, ' ')
      .trim(),
  );

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);
