import { noConversation, type Comment } from '../lib/core/conversation.js';
import type { Ledger } from '../lib/core/ledger.js';
import type { Question, QuestionId } from '../lib/core/question.js';
import type { Reading } from '../lib/core/reading.js';
import type { Ruling, UnreadWords } from '../lib/core/ruling.js';
import { rule } from '../lib/core/rulings.js';
import { ruleOf } from '../lib/core/rules-catalogue.js';
import type { Snapshot } from '../lib/core/snapshot.js';

/** One thing that was said to a question. `at`: epoch milliseconds. */
export type Said = { readonly words: string; readonly at: number };

/** What followed from what was said last. */
export type Heard = {
  /** With everything that counts; as it was where the last words had no effect. */
  readonly ledger: Ledger;
  /** With everything that was said, as reading it needs. */
  readonly folded: Ledger;
  /** Null where it reads as nothing. */
  readonly ruling: Ruling | null;
  /** The question as it stands now: a reading may have asked on. */
  readonly question: Question | undefined;
  /** Words that only the loop reads. */
  readonly unread: UnreadWords | undefined;
};

/**
 * Applies what a person in front of the terminal says to one question, as on a pull request: comments that name it, of
 * somebody who may decide. The numbers that answers to other questions gave stay. `readings`: of earlier words to it.
 */
export function applyAnswers(
  ledger: Ledger,
  question: QuestionId,
  said: readonly Said[],
  { pullRequest, policy, diffHash }: Asked,
  readings: readonly Reading[] = [],
): Heard {
  const comments = said.map(({ words, at }, index): Comment => {
    // One line: what follows a line end would be read as something else that is said.
    const body = `${question}: ${words.replace(/\s+/g, ' ').trim()}`;
    const time = new Date(at).toISOString();
    return {
      id: `said-${index + 1}`,
      databaseId: index + 1,
      author,
      by: 'person',
      ours: false,
      body,
      at: time,
    };
  });
  const answered = rule(
    ledger,
    { ...noConversation, comments, permissions: { [author]: 'admin' } },
    { pullRequest, policy, diffHash, readings },
  );
  const isLast = ({ item, statement }: Pick<Ruling, 'item' | 'statement'>): boolean =>
    item === question && statement.subject.databaseId === said.length;
  const ruling = answered.rulings.findLast(isLast) ?? null;
  return {
    ledger: ruling?.outcome.kind === 'applied' ? answered : ledger,
    folded: answered,
    ruling,
    question: answered.questions.find(({ id }) => id === question),
    unread: answered.unread.find(isLast),
  };
}

/** What an answer is about. */
export type Asked = Pick<Snapshot, 'pullRequest' | 'policy' | 'diffHash'>;

const author = 'you';

/** The question that a key means: its id, `path:line`, or its rule where one question alone is about it. */
export function findQuestion(key: string, questions: readonly Question[]): Question | string {
  const byId = questions.find(({ id }) => id === key.toUpperCase());
  if (byId !== undefined) return byId;
  if (/^q\d+$/i.test(key)) return `there is no ${key.toUpperCase()}: ${named(questions)}`;
  const [, path, line] = /^(.+):(\d{1,9})$/.exec(key) ?? [];
  const meant =
    path === undefined
      ? questions.filter(({ finding }) => sameRule(finding.rule, key))
      : questions.filter(({ finding: { anchor } }) => {
          const first = anchor.kind === 'line' ? (anchor.startLine ?? anchor.line) : anchor.line;
          return anchor.path === path && first <= Number(line) && Number(line) <= anchor.line;
        });
  const [only] = meant;
  if (only === undefined) return `no question is about ${key}: ${named(questions)}`;
  return meant.length === 1
    ? only
    : `${key} could be ${meant.map(({ id }) => id).join(' or ')}: name one of them`;
}

const sameRule = (rule: string, key: string): boolean =>
  rule === key || (ruleOf(key) !== undefined && ruleOf(rule)?.id === ruleOf(key)?.id);

const named = (questions: readonly Question[]): string =>
  questions.length === 0
    ? 'this review asked nothing'
    : `this review asked ${questions
        .map(({ id, finding: { anchor, rule } }) => `${id} (${anchor.path}:${anchor.line}, ${rule})`)
        .join(', ')}`;
