import { mayDo, roleOf, type Act, type MayDo, type Role } from './authority.js';
import { isAgentAccount } from './author.js';
import type { Condition } from './condition.js';
import type { Conversation, HeadSeen, Permission } from './conversation.js';
import { blocks, type Decision, type Finding, type FindingId } from './finding.js';
import type { PlainAnswer } from './answer.js';
import { byId, headAt, shortDiff, type Ledger, type Pardon } from './ledger.js';
import type { MarkerTrust } from './marker.js';
import type { Policy } from './policy.js';
import type { PullRequest } from './pull-request.js';
import {
  effectOf,
  type AnswerEffect,
  type Answered,
  type FollowUp,
  type Question,
  type QuestionId,
} from './question.js';
import { digestOfWords, isTold, MAX_READINGS, MAX_ROUNDS, type ReadAs, type Reading } from './reading.js';
import { readReplyReading } from './reply-marker.js';
import { isSaidToUs } from './spoken-to.js';
import {
  nameOfStatement,
  readingKey,
  type KeptOn,
  type Ruling,
  type RulingOutcome,
  type UnreadWords,
} from './ruling.js';
import { readStatements, type Statement } from './statement.js';

export type RulingsInput = {
  readonly pullRequest: Pick<PullRequest, 'author' | 'head'> & Partial<Pick<PullRequest, 'base'>>;
  readonly policy: Pick<Policy, 'authority' | 'review'>;
  /** Of the change as it is now; absent where no code was read: then only words about this very head hold. */
  readonly diffHash?: string;
  readonly heads: readonly HeadSeen[];
  readonly permissions: Readonly<Record<string, Permission>>;
  readonly items: ReadonlyMap<string, FindingId | QuestionId>;
  /** By the name of what was read. */
  readonly readings: ReadonlyMap<string, Reading>;
  /** Those that no reply of ours carries yet. */
  readonly fresh: ReadonlySet<Reading>;
  readonly isSaidToUs: (statement: Statement) => boolean;
};

/** What is given beside the conversation. */
export type RuleInput = Pick<RulingsInput, 'pullRequest' | 'policy' | 'diffHash'> & {
  readonly trust?: MarkerTrust;
  /** Of this run, not posted yet. */
  readonly readings?: readonly Reading[];
};

/** The ledger with what people said applied to it, in the order in which they said it. */
export function rule(ledger: Ledger, conversation: Conversation, input: RuleInput): Ledger {
  const items = new Map(ledger.threads.map(({ thread, id }) => [thread, id]));
  const told = toldReadings(conversation, input.trust);
  const toldKeys = new Set(told.map(readingKey));
  const fresh = (input.readings ?? []).filter((one) => !toldKeys.has(readingKey(one)));
  const heard = [...new Set([...ledger.heard, ...told.map(({ statement }) => statement)])];
  const fold = createFold(
    { ...ledger, heard },
    {
      ...input,
      heads: conversation.heads,
      permissions: conversation.permissions,
      items,
      readings: byStatement([...told, ...fresh]),
      fresh: new Set(fresh),
      isSaidToUs: (statement) => isSaidToUs(statement, conversation),
    },
  );
  for (const statement of readStatements(conversation, items))
    if (!isTakenBack(statement, conversation)) fold.take(statement);
  return fold.end();
}

/** What our own replies say of how words were read: nothing else keeps it. */
const toldReadings = (
  { threads, comments }: Pick<Conversation, 'threads' | 'comments'>,
  trust: MarkerTrust | undefined,
): readonly Reading[] =>
  [...threads.flatMap((thread) => thread.comments.slice(1)), ...comments].flatMap(({ ours, body }) => {
    const reading = ours ? readReplyReading(body, trust) : null;
    return reading === null ? [] : [reading];
  });

/** What has lapsed stays so, whatever it was read as. */
function byStatement(readings: readonly Reading[]): ReadonlyMap<string, Reading> {
  const all = new Map<string, Reading>();
  for (const reading of readings)
    if (all.get(reading.statement)?.as.kind !== 'lapsed') all.set(reading.statement, reading);
  return all;
}

/** An approval of somebody who asked for changes afterwards is none any more. */
const isTakenBack = ({ says, by, subject }: Statement, { peerReviews }: Conversation): boolean =>
  says.kind === 'approval' &&
  peerReviews.some(
    ({ author, state, databaseId }) =>
      author === by && state === 'changes_requested' && databaseId > subject.databaseId,
  );

/** Between the clock of this app and that of the forge. */
const clocksDifferMs = 120_000;

type Said = { readonly statement: Statement; readonly decision: Decision };

/** Lines whose change takes the effect away. */
type Resting = { readonly conditions: readonly Condition[] };

const onNothing: Resting = { conditions: [] };

type SaidAnswer = Said & Resting & Pick<Answered, 'answer' | 'effect'>;

type Forgotten = Decision & { readonly answer: Answered };

const answeredBy = ({ answer, effect, decision, conditions }: SaidAnswer): Answered => ({
  answer,
  effect,
  ...decision,
  ...(conditions.length > 0 && { conditions }),
});

/** Said by an author who may not decide it alone. */
type Waiting = {
  readonly statement: Statement;
  readonly act: Act;
  readonly apply: (confirmedBy: string) => void;
};

const dismissalOf = (finding: Omit<Finding, 'id'>): { readonly act: Act; readonly clears: boolean } => {
  const clears = blocks({ ...finding, standing: { kind: 'open' } });
  return { act: clears ? 'dismiss_important' : 'dismiss_nit', clears };
};

function createFold(ledger: Ledger, input: RulingsInput) {
  const rulings: Ruling[] = [];
  const findings = new Map(ledger.findings.map((one) => [one.id as string, one]));
  const questions = new Map(ledger.questions.map((one) => [one.id as string, one]));
  const dismissals = new Map<string, Said>();
  const withdrawals = new Map<string, Said & Resting>();
  const answers = new Map<string, SaidAnswer>();
  const followUps = new Map<string, readonly FollowUp[]>();
  const pending = new Map<string, Waiting>();
  const forgotten = new Map<string, Forgotten>();
  /** Answers to questions that are over, and those of them that nobody confirmed. */
  const past = new Map<string, Answered>();
  const unconfirmed = new Map<string, Answered>();
  const unread: UnreadWords[] = [];
  let pause: Said | null = null;
  let pardon: Pardon | null = null;
  let moreRounds = 0;
  /** Findings that answers made and that no state carries yet. */
  const made: Finding[] = [];

  const note = (statement: Statement, outcome: RulingOutcome, item?: FindingId | QuestionId): void => {
    const reading = readingOf(statement);
    const isMachine = outcome.kind === 'refused' && ['agent', 'bot'].includes(roleIn(statement));
    rulings.push({
      statement,
      outcome: isMachine ? { ...outcome, isMachine } : outcome,
      ...(item !== undefined && { item }),
      ...(reading !== undefined && { reading }),
      ...(reading !== undefined && input.fresh.has(reading) && { isFresh: true }),
    });
  };

  /** Of these very words: an edit within the same second has the same name. */
  const readingOf = (statement: Statement): Reading | undefined => {
    const reading = input.readings.get(nameOfStatement(statement));
    return reading?.words === digestOfWords(statement) ? reading : undefined;
  };

  /** Earlier words about the same thing lose their effect. */
  const replace = (earlier: Pick<Said, 'statement'> | undefined, by: Statement): void => {
    const at = rulings.findIndex(({ statement }) => statement === earlier?.statement);
    const known = rulings[at];
    if (known !== undefined) rulings[at] = { ...known, outcome: { kind: 'replaced', by } };
  };

  const isAuthor = (by: string): boolean => by.toLowerCase() === input.pullRequest.author.login.toLowerCase();

  const roleIn = ({ by, writer }: Statement): Role =>
    roleOf({
      writer,
      permission: input.permissions[by.toLowerCase()] ?? 'none',
      isAuthor: isAuthor(by),
      author: input.pullRequest.author,
      login: by,
      isAgentAccount: isAgentAccount(by, input.policy.review.agents),
    });

  const may = (act: Act, statement: Statement, clears: boolean, confirms?: Act): MayDo => {
    const author = input.pullRequest.author;
    return mayDo(act, roleIn(statement), {
      isAuthor: isAuthor(statement.by),
      agentsPull: author.kind !== 'person',
      clears,
      settings: input.policy.authority,
      started: ledger.passes.length > 0,
      author: author.login,
      ...(confirms !== undefined && { confirms }),
    });
  };

  const decisionOf = ({ by, at }: Statement, why?: string, confirmedBy?: string): Decision => ({
    by,
    at: new Date(at).toISOString(),
    ...(why !== undefined && why !== '' && { why }),
    ...(confirmedBy !== undefined && { confirmedBy }),
  });

  /** A statement that names something: what it may do is asked, then it is applied or waits. */
  function permitted(
    statement: Statement,
    act: Act,
    item: FindingId | QuestionId,
    clears: boolean,
    apply: (confirmedBy?: string) => void,
  ): void {
    const allowed = may(act, statement, clears);
    switch (allowed.kind) {
      case 'may':
        pending.delete(item);
        apply();
        return note(statement, { kind: 'applied' }, item);
      case 'pending':
        pending.set(item, { statement, act, apply });
        return note(statement, { kind: 'pending' }, item);
      case 'may_not':
        return note(statement, { kind: 'refused', why: allowed.why }, item);
    }
  }

  function dismiss(statement: Statement, item: FindingId | QuestionId, reason: string): void {
    const at = findingOf(item);
    if (at.startsWith('Q')) return answer(statement, at as QuestionId, 'yes', reason);
    return dismissFinding(statement, at as FindingId, reason);
  }

  function dismissFinding(statement: Statement, item: FindingId, reason: string): void {
    const finding = findings.get(item);
    if (finding === undefined || isBefore(statement, item))
      return note(statement, { kind: 'unknown_item' }, item);
    if (reason.trim() === '') return note(statement, { kind: 'needs_reason' }, item);
    const { act, clears } = dismissalOf(finding);
    permitted(statement, act, item, clears, (confirmedBy) => {
      replace(dismissals.get(item), statement);
      dismissals.set(item, { statement, decision: decisionOf(statement, reason, confirmedBy) });
    });
  }

  function answer(
    statement: Statement,
    item: QuestionId,
    said: 'yes' | 'no' | 'unsure',
    reason: string | undefined,
    rests: Resting = said === 'yes' ? (followUps.get(item)?.at(-1) ?? onNothing) : onNothing,
  ): void {
    const question = questions.get(item);
    if (question === undefined || isBefore(statement, item))
      return note(statement, { kind: 'unknown_item' }, item);
    const clears =
      said !== 'no' && question.finding.severity === 'important' && question.finding.origin === 'introduced';
    const lacksReason =
      said === 'yes' && question.finding.category === 'security' && (reason ?? '').trim() === '';
    if (question.standing.kind === 'obsolete') {
      if (!lacksReason && isBeforeItsEnd(statement, item)) {
        const given = { answer: said, effect: effectOf(question, said), ...decisionOf(statement, reason) };
        const { kind } = may('answer', statement, clears);
        if (kind === 'pending') unconfirmed.set(item, given);
        if (kind === 'may') past.set(item, given);
      }
      return note(statement, { kind: 'overtaken' }, item);
    }
    if (lacksReason) return note(statement, { kind: 'needs_reason' }, item);
    const effect = decidedEffect(statement, question, said);
    permitted(statement, 'answer', item, clears, (confirmedBy) => {
      replace(answers.get(item), statement);
      const decision = decisionOf(statement, reason, confirmedBy);
      answers.set(item, { statement, decision, answer: said, effect, conditions: rests.conditions });
      if (effect === 'include_finding') include(question, statement);
    });
  }

  /** A `no` to what somebody else passed on decides it: else nobody could. */
  function decidedEffect(statement: Statement, question: Question, said: PlainAnswer): AnswerEffect {
    const effect = effectOf(question, said);
    const before = answers.get(question.id);
    const isPassedOn =
      before !== undefined &&
      before.statement.by !== statement.by &&
      (before.effect === 'escalate' || (before.answer === 'no' && effectOf(question, 'no') === 'escalate'));
    return said === 'no' && effect === 'escalate' && isPassedOn ? 'include_finding' : effect;
  }

  /** What was asked is a finding from here on, under one number for good; words of before do not clear it. */
  function include({ id, finding }: Question, statement: Statement): void {
    const known = [...findings.values()].find(({ from }) => from === id);
    if (known === undefined) {
      const fresh: Finding = {
        ...finding,
        id: `F${ledger.nextFinding + made.length}`,
        from: id,
        standing: { kind: 'open' },
      };
      made.push(fresh);
      findings.set(fresh.id, fresh);
      return;
    }
    replace(dismissals.get(known.id), statement);
    dismissals.delete(known.id);
    withdrawals.delete(known.id);
    withdrawals.delete(id);
  }

  /** Said of a number that was not given yet: it means nothing, also when the number comes. Clocks differ a little. */
  const isBefore = ({ at }: Statement, item: FindingId | QuestionId): boolean => {
    const first = ledger.passes.find((pass) =>
      [...pass.findings, ...pass.questions].some((id) => id === item),
    );
    return first !== undefined && at + clocksDifferMs < first.at;
  };

  /** Said while the code of a question stood that is over now. */
  const isBeforeItsEnd = ({ at }: Statement, item: QuestionId | FindingId): boolean => {
    const end = ledger.passes.findLast(({ settled }) => settled.some(({ id }) => id === item));
    return end !== undefined && at <= end.at + clocksDifferMs;
  };

  /** `ok` of a maintainer: what waits for it counts, under the name of who said it first. */
  function confirm(statement: Statement, named: FindingId | QuestionId): void {
    const item = pending.has(named) ? named : findingOf(named);
    const waiting = pending.get(item);
    if (waiting === undefined) {
      const given = unconfirmed.get(item);
      if (
        given !== undefined &&
        isBeforeItsEnd(statement, item) &&
        may('confirm', statement, true, 'answer').kind === 'may'
      )
        past.set(item, { ...given, confirmedBy: statement.by });
      return note(statement, { kind: 'overtaken' }, item);
    }
    const allowed = may('confirm', statement, true, waiting.act);
    if (allowed.kind !== 'may')
      return note(statement, { kind: 'refused', why: allowed.kind === 'may_not' ? allowed.why : '' }, item);
    pending.delete(item);
    waiting.apply(statement.by);
    const at = rulings.findIndex((one) => one.statement === waiting.statement);
    const known = rulings[at];
    if (known !== undefined) rulings[at] = { ...known, outcome: { kind: 'applied' } };
    note(statement, { kind: 'applied' }, item);
  }

  /**
   * What was said about an item counts no more: it is open again as if nobody had. Only what clears is forgotten, so that
   * nothing is ever cleared by it: a `no` stays.
   */
  function forget(statement: Statement, named: FindingId | QuestionId): void {
    const finding = findings.get(named) ?? [...findings.values()].find(({ from }) => from === named);
    const question = questions.get(named) ?? questions.get(finding?.from ?? '');
    if ((finding === undefined && question === undefined) || isBefore(statement, named))
      return note(statement, { kind: 'unknown_item' }, named);
    const allowed = may('forget', statement, false);
    if (allowed.kind !== 'may')
      return note(statement, { kind: 'refused', why: allowed.kind === 'may_not' ? allowed.why : '' }, named);
    const answered = question?.standing.kind === 'open' ? answers.get(question.id) : undefined;
    const ids = [finding?.id, question?.id].filter((id) => id !== undefined);
    const cleared = [
      ...(answered?.effect === 'suppress_finding' ? [answered] : []),
      ...ids.flatMap((id) => [dismissals.get(id) ?? [], withdrawals.get(id) ?? []].flat()),
    ];
    if (question?.standing.kind === 'obsolete' && isBeforeItsEnd(statement, question.id)) {
      past.delete(question.id);
      unconfirmed.delete(question.id);
    }
    if (cleared.length === 0) return note(statement, { kind: 'nothing_kept' }, named);
    for (const said of cleared) replace(said, statement);
    if (question !== undefined && answered?.effect === 'suppress_finding') {
      answers.delete(question.id);
      forgotten.set(question.id, { ...decisionOf(statement), answer: answeredBy(answered) });
    }
    for (const id of ids) {
      dismissals.delete(id);
      withdrawals.delete(id);
      replace(pending.get(id), statement);
      pending.delete(id);
    }
    note(statement, { kind: 'applied' }, named);
  }

  /** Words that code could not read: as they were read, or left to be read. */
  function words(statement: Statement, item: FindingId | QuestionId, text: string): void {
    const { says } = statement;
    if (says.kind === 'words' && says.answer !== undefined && wasAsked(statement, 'diff'))
      return decideAsked(statement, item, says.answer);
    const reading = readingOf(statement);
    if (reading === undefined) {
      if (isToBeRead(statement, item, text)) unread.push({ statement, item, round: roundOf(item) });
      return note(statement, { kind: 'left' }, item);
    }
    const { as } = reading;
    switch (as.kind) {
      case 'answer':
        return item.startsWith('Q')
          ? answer(statement, item as QuestionId, as.answer, text, as)
          : note(statement, { kind: 'left' }, item);
      case 'question':
        return ask(statement, item, text, as);
      case 'withdrawn':
        return withdraw(statement, item, as);
      case 'stands':
      case 'explained':
      case 'noted':
      case 'unclear':
      case 'lapsed':
        return note(statement, { kind: 'left' }, item);
    }
  }

  /**
   * Whether people were asked to decide about the diff as it is now, or about a question that is passed on, before this
   * was said. A look knows no diff.
   */
  const wasAsked = (statement: Statement, about: 'diff' | 'anything'): boolean =>
    isAboutNow(statement) &&
    ledger.escalations.some(
      ({ diff, at }) =>
        at <= statement.at &&
        (input.diffHash === undefined ||
          diff === shortDiff(input.diffHash) ||
          (about === 'anything' && answers.get(diff)?.effect === 'escalate')),
    );

  /** `yes`: it may merge as it is, under their name. `no`: its author gets one more round. */
  function decideAsked(statement: Statement, item: FindingId | QuestionId, said: PlainAnswer): void {
    const allowed = may('dismiss_important', statement, true);
    if (allowed.kind !== 'may')
      return note(statement, { kind: 'refused', why: allowed.kind === 'may_not' ? allowed.why : '' }, item);
    if (said === 'unsure') return note(statement, { kind: 'left' }, item);
    if (said === 'yes') pardon = { ...decisionOf(statement), how: 'answer' };
    else {
      moreRounds += 1;
      if (pardon?.how === 'answer') pardon = null;
    }
    note(statement, { kind: 'applied' }, item);
  }

  /** One more question under the same number; there are no more than three rounds, whatever a reading says. */
  function ask(
    statement: Statement,
    item: FindingId | QuestionId,
    text: string,
    as: Extract<ReadAs, { kind: 'question' }>,
  ): void {
    const round = roundOf(item);
    if (!questions.has(item)) return note(statement, { kind: 'left' }, item);
    if (round >= MAX_ROUNDS) return answer(statement, item as QuestionId, 'unsure', text);
    const { question, because, condition, conditions } = as;
    followUps.set(item, [
      ...(followUps.get(item) ?? []),
      { round: round + 1, question, because, conditions, ...(condition !== undefined && { condition }) },
    ]);
    note(statement, { kind: 'left' }, item);
  }

  const roundOf = (item: string): number => Math.min(MAX_ROUNDS, 1 + (followUps.get(item)?.length ?? 0));

  /** For cited code, and only by the word of somebody who could dismiss it. */
  function withdraw(
    statement: Statement,
    item: FindingId | QuestionId,
    as: Extract<ReadAs, { kind: 'withdrawn' }>,
  ): void {
    const finding = findingAt(item);
    if (finding === undefined) return note(statement, { kind: 'unknown_item' }, item);
    const { act, clears } = dismissalOf(finding);
    permitted(statement, act, item, clears, (confirmedBy) => {
      const decision = decisionOf(statement, as.because, confirmedBy);
      withdrawals.set(item, { statement, decision, conditions: as.conditions });
    });
  }

  /** The finding that words in its thread are about; that of a question once it was answered so. */
  function findingAt(item: FindingId | QuestionId): Omit<Finding, 'id'> | undefined {
    const known = findings.get(findingOf(item));
    if (known !== undefined && known.from === undefined) return known;
    return answers.get(item)?.effect === 'include_finding'
      ? (known ?? questions.get(item)?.finding)
      : undefined;
  }

  function isToBeRead(statement: Statement, item: FindingId | QuestionId, text: string): boolean {
    const { says, writer } = statement;
    if (writer !== 'person' || ledger.heard.includes(nameOfStatement(statement))) return false;
    // A yes to a finding agrees with it, and a bare no says nothing that could be looked up.
    if (says.kind === 'words' && says.answer !== undefined && !(says.answer === 'no' && text.length > 20))
      return false;
    const told = [...input.readings.values()].filter((one) => one.item === item && isTold(one)).length;
    return told < MAX_READINGS && mayMatter(statement, item) && input.isSaidToUs(statement);
  }

  /** Whether any reading of it could have an effect: the item is open to it, and so is its writer. */
  function mayMatter(statement: Statement, item: FindingId | QuestionId): boolean {
    const finding = findingAt(item);
    if (finding !== undefined) {
      const { act, clears } = dismissalOf(finding);
      return finding.standing.kind === 'open' && may(act, statement, clears).kind !== 'may_not';
    }
    const question = questions.get(item);
    return (
      question !== undefined &&
      question.standing.kind !== 'obsolete' &&
      [true, false].some((clears) => may('answer', statement, clears).kind !== 'may_not')
    );
  }

  /**
   * Whether it was said about the change as it is now: about this head against this base, or about one with the same
   * diff.
   */
  function isAboutNow({ at, says }: Statement): boolean {
    const { head, base } = input.pullRequest;
    const isThisBase = (ref: string | undefined): boolean =>
      ref === undefined || base === undefined || ref === base.ref;
    // An approval names its commit: in whichever second it was given, it is about that one.
    const named = input.heads.filter(({ sha }) => says.kind === 'approval' && sha === says.commit);
    if (named.some(({ sha }) => sha === head.sha) && named.every((one) => isThisBase(one.base))) return true;
    const seen = headAt(input.heads, at);
    if (seen === undefined || !isThisBase(seen.base)) return false;
    if (seen.sha === head.sha) return true;
    return (
      input.diffHash !== undefined &&
      ledger.passes.some(
        (pass) => pass.head === seen.sha && pass.diffHash === input.diffHash && isThisBase(pass.baseRef),
      )
    );
  }

  function command(statement: Statement, name: string, words: string): void {
    const left = (): void => note(statement, { kind: 'left' });
    switch (name) {
      case 'pause':
      case 'resume': {
        const allowed = may('pause', statement, false);
        if (allowed.kind !== 'may')
          return note(statement, { kind: 'refused', why: allowed.kind === 'may_not' ? allowed.why : '' });
        if (pause !== null) replace(pause, statement);
        pause = name === 'pause' ? { statement, decision: decisionOf(statement, words) } : null;
        return note(statement, { kind: 'applied' });
      }
      case 'override': {
        if (words.trim() === '') return note(statement, { kind: 'needs_reason' });
        const allowed = may('override', statement, true);
        if (allowed.kind !== 'may')
          return note(statement, { kind: 'refused', why: allowed.kind === 'may_not' ? allowed.why : '' });
        if (!isAboutNow(statement)) return note(statement, { kind: 'overtaken' });
        pardon = { ...decisionOf(statement, words), how: 'override' };
        return note(statement, { kind: 'applied' });
      }
      case 'review': {
        const allowed = may('start_review', statement, false);
        if (allowed.kind !== 'may')
          return note(statement, { kind: 'refused', why: allowed.kind === 'may_not' ? allowed.why : '' });
        return note(statement, { kind: 'left' });
      }
      default:
        return left();
    }
  }

  function approve(statement: Statement, commit: string | null): void {
    if (commit !== input.pullRequest.head.sha || !isAboutNow(statement))
      return note(statement, { kind: 'overtaken' });
    const allowed = may('dismiss_important', statement, true);
    if (allowed.kind !== 'may')
      return note(statement, { kind: 'refused', why: allowed.kind === 'may_not' ? allowed.why : '' });
    // Given before anybody was asked, it knows nothing of what it would decide.
    if (!wasAsked(statement, 'anything')) return note(statement, { kind: 'left' });
    pardon ??= { ...decisionOf(statement), how: 'approval' };
    note(statement, { kind: 'applied' });
  }

  return {
    take(statement: Statement): void {
      const { says } = statement;
      if (readingOf(statement)?.as.kind === 'lapsed') return note(statement, { kind: 'overtaken' });
      switch (says.kind) {
        case 'dismiss':
          return dismiss(statement, says.item, says.reason);
        case 'forget':
          return forget(statement, says.item);
        case 'answer':
          return answer(statement, says.question, says.answer, says.reason);
        case 'confirm':
          return confirm(statement, says.item);
        case 'approval':
          return approve(statement, says.commit);
        case 'command':
          return command(statement, says.name, says.words);
        case 'words':
          return words(statement, says.item, says.text);
        case 'bare': {
          const open = ledger.questions.find(({ standing }) => standing.kind === 'open');
          return open === undefined
            ? note(statement, { kind: 'left' })
            : note(statement, { kind: 'unnamed' }, open.id);
        }
      }
    },
    end(): Ledger {
      const asked = ledger.questions.map((question): Question => {
        const said = answers.get(question.id);
        const more = followUps.get(question.id);
        const now = more === undefined ? question : { ...question, followUps: more };
        if (question.standing.kind === 'obsolete') {
          const answered = past.get(question.id);
          return answered === undefined ? now : { ...now, standing: { kind: 'obsolete', answered } };
        }
        if (said !== undefined) return { ...now, standing: { kind: 'answered', ...answeredBy(said) } };
        const taken = forgotten.get(question.id);
        return taken === undefined ? now : { ...now, standing: { kind: 'open', forgotten: taken } };
      });
      const all = [...ledger.findings, ...made].map((finding): Finding => {
        const said = dismissals.get(finding.id);
        if (said !== undefined) return { ...finding, standing: { kind: 'dismissed', ...said.decision } };
        const standing =
          finding.from === undefined ? finding.standing : standingOfAnswered(finding, asked, ledger);
        const wrong = withdrawals.get(finding.id) ?? withdrawals.get(finding.from ?? '');
        return wrong !== undefined && standing.kind === 'open'
          ? { ...finding, standing: { kind: 'withdrawn', ...wrong.decision } }
          : { ...finding, standing };
      });
      return {
        ...ledger,
        findings: all,
        questions: asked,
        known: [
          ...ledger.known,
          ...made.map(({ id, key, rule: name }) => ({ id, key, rule: name })),
        ].toSorted(byId),
        nextFinding: ledger.nextFinding + made.length,
        rulings,
        unread,
        keptOn: [...answers, ...withdrawals].flatMap(
          ([item, { statement, conditions }]): readonly KeptOn[] =>
            conditions.length === 0 ? [] : [{ item: item as FindingId | QuestionId, statement, conditions }],
        ),
        ...(pause !== null && { paused: pause.decision }),
        moreRounds,
        ...(pardon !== null && { pardon }),
      };
    },
  };

  /** In the thread of a question that was answered so, people speak of the finding that it became. */
  function findingOf(item: FindingId | QuestionId): FindingId | QuestionId {
    if (answers.get(item)?.effect !== 'include_finding') return item;
    return [...findings.values()].find(({ from }) => from === item)?.id ?? item;
  }
}

/** A finding that an answer made goes when the answer does, and stays known. */
function standingOfAnswered(
  finding: Finding,
  questions: readonly Question[],
  { threads }: Pick<Ledger, 'threads'>,
): Finding['standing'] {
  if (finding.standing.kind !== 'open') return finding.standing;
  const question = questions.find(({ id }) => id === finding.from);
  if (question === undefined || question.standing.kind === 'obsolete') return finding.standing;
  // Where its thread cannot be read, nobody knows that the answer is gone.
  if (question.standing.kind === 'open' && !threads.some(({ id }) => id === question.id))
    return finding.standing;
  if (question.standing.kind === 'open')
    return { kind: 'uncertain', by: '', at: '', why: 'the answer is gone' };
  const { effect, by, at, why } = question.standing;
  const decision: Decision = { by, at, ...(why !== undefined && { why }) };
  switch (effect) {
    case 'include_finding':
      return { kind: 'open' };
    case 'suppress_finding':
      return { kind: 'suppressed', ...decision };
    case 'lower_confidence':
    case 'escalate':
    case 'continue':
      return { kind: 'uncertain', ...decision };
  }
}
