import { mayDo, roleOf, type Act, type MayDo } from './authority.js';
import { isAgentAccount } from './author.js';
import type { Conversation, HeadSeen, Permission } from './conversation.js';
import { blocks, type Decision, type Finding, type FindingId } from './finding.js';
import { byId, headAt, type Ledger, type Pardon } from './ledger.js';
import type { Policy } from './policy.js';
import type { PullRequest } from './pull-request.js';
import type { AnswerEffect, Question, QuestionId } from './question.js';
import { readStatements, type Statement } from './statement.js';

/** What became of one thing that somebody said. */
export type Ruling = {
  readonly statement: Statement;
  readonly item?: FindingId | QuestionId;
  readonly outcome: RulingOutcome;
};

export type RulingOutcome =
  /** It has its effect now. */
  | { readonly kind: 'applied' }
  /** Said by an author who may not decide it alone: counts when a maintainer confirms. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'refused'; readonly why: string }
  /** Later words about the same thing count instead. */
  | { readonly kind: 'replaced'; readonly by: Statement }
  /** The code or the head that it speaks of is not there any more. */
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'unknown_item' }
  /** A yes about security says why, a dismissal and an override too. */
  | { readonly kind: 'needs_reason' }
  /** A plain answer that names no question. */
  | { readonly kind: 'unnamed' }
  /** Not for the fold: a command that is run, or words that the loop reads. */
  | { readonly kind: 'left' };

export type RulingsInput = {
  readonly pullRequest: Pick<PullRequest, 'author' | 'head'>;
  readonly policy: Pick<Policy, 'authority' | 'review'>;
  /** Of the change as it is now; absent where no code was read: then only words about this very head hold. */
  readonly diffHash?: string;
  readonly heads: readonly HeadSeen[];
  readonly permissions: Readonly<Record<string, Permission>>;
  readonly items: ReadonlyMap<string, FindingId | QuestionId>;
};

/** Names a statement as it stands now: an edit makes another one of it. */
export const nameOfStatement = ({ subject, at, says, nth = 0 }: Statement): string =>
  [
    subject.kind,
    subject.databaseId,
    at,
    says.kind === 'command' ? says.name : says.kind,
    'item' in says ? says.item : 'question' in says ? says.question : '',
    nth,
  ].join(':');

/** The ledger with what people said applied to it, in the order in which they said it. */
export function rule(
  ledger: Ledger,
  conversation: Conversation,
  input: Omit<RulingsInput, 'heads' | 'permissions' | 'items'>,
): Ledger {
  const items = new Map(ledger.threads.map(({ thread, id }) => [thread, id]));
  const all: RulingsInput = {
    ...input,
    heads: conversation.heads,
    permissions: conversation.permissions,
    items,
  };
  const fold = createFold(ledger, all);
  for (const statement of readStatements(conversation, items))
    if (!isTakenBack(statement, conversation)) fold.take(statement);
  return fold.end();
}

/** An approval of somebody who asked for changes afterwards is none any more. */
const isTakenBack = ({ says, by, subject }: Statement, { peerReviews }: Conversation): boolean =>
  says.kind === 'approval' &&
  peerReviews.some(
    ({ author, state, databaseId }) =>
      author === by && state === 'changes_requested' && databaseId > subject.databaseId,
  );

type Said = { readonly statement: Statement; readonly decision: Decision };

function createFold(ledger: Ledger, input: RulingsInput) {
  const rulings: Ruling[] = [];
  const findings = new Map(ledger.findings.map((one) => [one.id as string, one]));
  const questions = new Map(ledger.questions.map((one) => [one.id as string, one]));
  const dismissals = new Map<string, Said>();
  const answers = new Map<
    string,
    Said & { readonly answer: 'yes' | 'no' | 'unsure'; readonly effect: AnswerEffect }
  >();
  const pending = new Map<string, Statement>();
  let pause: Said | null = null;
  let pardon: Pardon | null = null;

  const note = (statement: Statement, outcome: RulingOutcome, item?: FindingId | QuestionId): void => {
    rulings.push({ statement, outcome, ...(item !== undefined && { item }) });
  };

  /** Earlier words about the same thing lose their effect. */
  const replace = (earlier: Said | undefined, by: Statement): void => {
    const at = rulings.findIndex(({ statement }) => statement === earlier?.statement);
    const known = rulings[at];
    if (known !== undefined) rulings[at] = { ...known, outcome: { kind: 'replaced', by } };
  };

  const may = (act: Act, { by, writer }: Statement, clears: boolean, confirms?: Act): MayDo => {
    const author = input.pullRequest.author;
    const isAuthor = by.toLowerCase() === author.login.toLowerCase();
    const permission = input.permissions[by.toLowerCase()] ?? 'none';
    const role = roleOf({
      writer,
      permission,
      isAuthor,
      author,
      login: by,
      isAgentAccount: isAgentAccount(by, input.policy.review.agents),
    });
    return mayDo(act, role, {
      isAuthor,
      agentsPull: author.kind !== 'person',
      clears,
      settings: input.policy.authority,
      started: ledger.passes.length > 0,
      author: author.login,
      ...(confirms !== undefined && { confirms }),
    });
  };

  const decisionOf = ({ by, at }: Statement, why?: string): Decision => ({
    by,
    at: new Date(at).toISOString(),
    ...(why !== undefined && why !== '' && { why }),
  });

  /** A statement that names something: what it may do is asked, then it is applied or waits. */
  function permitted(
    statement: Statement,
    act: Act,
    item: FindingId | QuestionId,
    clears: boolean,
    apply: () => void,
  ): void {
    const allowed = may(act, statement, clears);
    switch (allowed.kind) {
      case 'may':
        pending.delete(item);
        apply();
        return note(statement, { kind: 'applied' }, item);
      case 'pending':
        pending.set(item, statement);
        return note(statement, { kind: 'pending' }, item);
      case 'may_not':
        return note(statement, { kind: 'refused', why: allowed.why }, item);
    }
  }

  function dismiss(statement: Statement, item: FindingId | QuestionId, reason: string): void {
    if (item.startsWith('Q')) return answer(statement, item as QuestionId, 'yes', reason);
    const finding = findings.get(item);
    if (finding === undefined) return note(statement, { kind: 'unknown_item' }, item);
    if (reason.trim() === '') return note(statement, { kind: 'needs_reason' }, item);
    const clears = blocks({ ...finding, standing: { kind: 'open' } });
    permitted(statement, clears ? 'dismiss_important' : 'dismiss_nit', item, clears, () => {
      replace(dismissals.get(item), statement);
      dismissals.set(item, { statement, decision: decisionOf(statement, reason) });
    });
  }

  function answer(
    statement: Statement,
    item: QuestionId,
    said: 'yes' | 'no' | 'unsure',
    reason: string | undefined,
  ): void {
    const question = questions.get(item);
    if (question === undefined) return note(statement, { kind: 'unknown_item' }, item);
    if (question.standing.kind === 'obsolete') return note(statement, { kind: 'overtaken' }, item);
    const effect = effectOf(question, said);
    const isSecurity = question.finding.category === 'security';
    if (said === 'yes' && isSecurity && (reason ?? '').trim() === '')
      return note(statement, { kind: 'needs_reason' }, item);
    const clears =
      said !== 'no' && question.finding.severity === 'important' && question.finding.origin === 'introduced';
    permitted(statement, 'answer', item, clears, () => {
      replace(answers.get(item), statement);
      answers.set(item, { statement, decision: decisionOf(statement, reason), answer: said, effect });
    });
  }

  /** `ok` of a maintainer: what waits for it counts, under the name of who said it first. */
  function confirm(statement: Statement, item: FindingId | QuestionId): void {
    const waiting = pending.get(item);
    if (waiting === undefined) return note(statement, { kind: 'overtaken' }, item);
    const allowed = may(
      'confirm',
      statement,
      true,
      waiting.says.kind === 'answer' ? 'answer' : 'dismiss_important',
    );
    if (allowed.kind !== 'may')
      return note(statement, { kind: 'refused', why: allowed.kind === 'may_not' ? allowed.why : '' }, item);
    pending.delete(item);
    const { says } = waiting;
    const at = rulings.findIndex((one) => one.statement === waiting);
    const known = rulings[at];
    if (known !== undefined) rulings[at] = { ...known, outcome: { kind: 'applied' } };
    if (says.kind === 'answer' && item.startsWith('Q')) {
      const question = questions.get(item);
      if (question !== undefined)
        answers.set(item, {
          statement: waiting,
          decision: { ...decisionOf(waiting, says.reason), confirmedBy: statement.by },
          answer: says.answer,
          effect: effectOf(question, says.answer),
        });
    } else if (says.kind === 'dismiss')
      dismissals.set(item, {
        statement: waiting,
        decision: { ...decisionOf(waiting, says.reason), confirmedBy: statement.by },
      });
    note(statement, { kind: 'applied' }, item);
  }

  /** Whether it was said about the change as it is now: about this head, or about one with the same diff. */
  function isAboutNow({ at }: Statement): boolean {
    const head = headAt(input.heads, at);
    if (head === undefined) return false;
    if (head === input.pullRequest.head.sha) return true;
    return (
      input.diffHash !== undefined &&
      ledger.passes.some((pass) => pass.head === head && pass.diffHash === input.diffHash)
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
    // An approval ends only what waits for a person, so that it says nothing where nobody asked.
    if (commit !== input.pullRequest.head.sha || !isAboutNow(statement))
      return note(statement, { kind: 'overtaken' });
    const allowed = may('dismiss_important', statement, true);
    if (allowed.kind !== 'may')
      return note(statement, { kind: 'refused', why: allowed.kind === 'may_not' ? allowed.why : '' });
    pardon ??= { ...decisionOf(statement), how: 'approval' };
    note(statement, { kind: 'applied' });
  }

  return {
    take(statement: Statement): void {
      const { says } = statement;
      switch (says.kind) {
        case 'dismiss':
          return dismiss(statement, findingOf(says.item), says.reason);
        case 'answer':
          return answer(statement, says.question, says.answer, says.reason);
        case 'confirm':
          return confirm(statement, says.item);
        case 'approval':
          return approve(statement, says.commit);
        case 'command':
          return command(statement, says.name, says.words);
        case 'words':
          return note(statement, { kind: 'left' }, says.item);
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
        return said === undefined || question.standing.kind === 'obsolete'
          ? question
          : {
              ...question,
              standing: { kind: 'answered', answer: said.answer, effect: said.effect, ...said.decision },
            };
      });
      let next = ledger.nextFinding;
      const included = asked.flatMap((question): Finding[] => {
        const { standing, finding, id } = question;
        if (ledger.findings.some(({ from }) => from === id)) return [];
        if (standing.kind !== 'answered' || standing.effect !== 'include_finding') return [];
        return [{ ...finding, id: `F${next++}`, from: id, standing: { kind: 'open' } }];
      });
      const all = [...ledger.findings, ...included].map((finding): Finding => {
        const said = dismissals.get(finding.id);
        if (said !== undefined) return { ...finding, standing: { kind: 'dismissed', ...said.decision } };
        return finding.from === undefined
          ? finding
          : { ...finding, standing: standingOfAnswered(finding, asked) };
      });
      return {
        ...ledger,
        findings: all,
        questions: asked,
        known: [
          ...ledger.known,
          ...included.map(({ id, key, rule: name }) => ({ id, key, rule: name })),
        ].toSorted(byId),
        nextFinding: next,
        rulings,
        ...(pause !== null && { paused: pause.decision }),
        ...(pardon !== null && { pardon }),
      };
    },
  };

  /** In the thread of an answered question people speak of the finding that it became. */
  function findingOf(item: FindingId | QuestionId): FindingId | QuestionId {
    return ledger.findings.find(({ from }) => from === item)?.id ?? item;
  }
}

const effectOf = ({ answerEffects }: Question, said: 'yes' | 'no' | 'unsure'): AnswerEffect =>
  said === 'unsure' ? (answerEffects.unsure ?? 'lower_confidence') : answerEffects[said];

/** A finding that an answer made goes when the answer does, and stays known. */
function standingOfAnswered(finding: Finding, questions: readonly Question[]): Finding['standing'] {
  if (finding.standing.kind !== 'open') return finding.standing;
  const question = questions.find(({ id }) => id === finding.from);
  if (question === undefined || question.standing.kind === 'obsolete') return finding.standing;
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
