import { noConversation, type Comment } from '../lib/core/conversation.js';
import type { Ledger } from '../lib/core/ledger.js';
import type { Question, QuestionId } from '../lib/core/question.js';
import { rule } from '../lib/core/rulings.js';
import { ruleOf } from '../lib/core/rules-catalogue.js';
import type { Snapshot } from '../lib/core/snapshot.js';

/** What becomes of something that was said. */
export type Outcome = Ledger['rulings'][number]['outcome'];

/** One thing that was said to a question. `at`: epoch milliseconds. */
export type Said = { readonly words: string; readonly at: number };

/** The ledger with answers applied, and what became of the last of them; null where it reads as nothing. */
export type Heard = { readonly ledger: Ledger; readonly outcome: Outcome | null };

/**
 * Applies what a person in front of the terminal says to one question, as on a pull request: comments that name it, of
 * somebody who may decide. The numbers that answers to other questions gave stay. What has no effect changes nothing.
 */
export function applyAnswers(
  ledger: Ledger,
  question: QuestionId,
  said: readonly Said[],
  { pullRequest, policy, diffHash }: Asked,
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
    { pullRequest, policy, diffHash },
  );
  const last = answered.rulings.findLast(
    ({ item, statement }) => item === question && statement.subject.databaseId === said.length,
  );
  return { ledger: last?.outcome.kind === 'applied' ? answered : ledger, outcome: last?.outcome ?? null };
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
