import type { Comment, Conversation } from './conversation.js';
import { readOwnWords } from './own-words.js';
import type { Statement } from './statement.js';

/**
 * Whether words that stand in a thread are said to us, and not by people to each other: they begin with no other name,
 * and they follow what we said, unless they name us or an item. What bots write between is passed over. Words outside
 * of threads have named an item already.
 */
export function isSaidToUs(
  { subject, by, says }: Statement,
  { threads }: Pick<Conversation, 'threads'>,
): boolean {
  const thread = threads.find(({ comments }) => comments[0]?.databaseId === subject.threadRoot);
  if (subject.threadRoot === undefined || thread === undefined) return true;
  const at = thread.comments.findIndex(({ databaseId }) => databaseId === subject.databaseId);
  const comment = thread.comments[at];
  if (comment === undefined) return true;
  const words = says.kind === 'words' ? says.text : comment.body;
  const others = new Set(
    thread.comments.filter((one) => !one.ours && !isSame(one.author, by)).map(({ author }) => author),
  );
  if (namesOther(words, others)) return false;
  const own = readOwnWords(comment.body).lines.map(({ masked }) => masked);
  if (namesUs(own.join('\n'), thread.comments)) return true;
  const before = thread.comments.slice(0, at).findLast((one) => one.ours || speaks(one, by));
  return before === undefined || before.ours;
}

/** Another person. What the same one wrote before belongs to the same turn. */
const speaks = ({ author, by: kind }: Comment, login: string): boolean =>
  kind !== 'bot' && !isSame(author, login);

/** "monalisa, what do you think": somebody who takes part is spoken to, with or without the sign. */
function namesOther(words: string, others: ReadonlySet<string>): boolean {
  const [, name = ''] =
    /^\s*(?:(?:hi|hey|hello)\s+)?@?([A-Za-z0-9][A-Za-z0-9-]{0,38})\s*[,:\u2013\u2014-]/iu.exec(words) ?? [];
  return [...others].some((other) => isSame(other, name));
}

function namesUs(body: string, comments: readonly Comment[]): boolean {
  const ours = comments.filter((one) => one.ours).map(({ author }) => author.replace(/\[bot\]$/u, ''));
  return (
    /(?<![\p{L}\p{N}_.-])(?:@?evident|[FQ][1-9]\d{0,5})(?![\p{L}\p{N}_])/iu.test(body) ||
    ours.some((name) => body.toLowerCase().includes(`@${name.toLowerCase()}`))
  );
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
