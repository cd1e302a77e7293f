import type { Comment } from './conversation.js';
import { readOwnWords } from './own-words.js';
import type { Ruling } from './ruling.js';

/** What a person said last in a thread of ours, after our own words. `comment`: its REST id. */
export type LastWord = { readonly comment: number; readonly by: string; readonly asks: boolean };

/** Absent where the last word is ours. What bots say is passed over. */
export function lastWordOf(comments: readonly Comment[]): LastWord | undefined {
  const last = comments.findLast(({ by, ours }) => ours || by !== 'bot');
  if (last === undefined || last.ours) return undefined;
  const asks = readOwnWords(last.body).lines.some(({ masked }) => /[?\uff1f\u061f]/u.test(masked));
  return { comment: last.databaseId, by: last.author, asks };
}

/**
 * Whether a person's last word in a thread waits for somebody: then only people close it, whatever became of its
 * finding. What had an effect is answered by that, and what the author announces ("fixed") by the code.
 */
export function isOpenReply(
  { comment, by, asks }: LastWord,
  { rulings, author }: { readonly rulings: readonly Ruling[]; readonly author: string },
): boolean {
  if (!asks && by.toLowerCase() === author.toLowerCase()) return false;
  return !rulings.some(
    ({ statement: { subject, says }, outcome, reading }) =>
      subject.kind === 'reply' &&
      subject.databaseId === comment &&
      (outcome.kind === 'applied' || says.kind === 'command' || reading?.as.kind === 'noted'),
  );
}
