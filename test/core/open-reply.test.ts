import type { Comment } from '../../lib/core/conversation.js';
import { isOpenReply, lastWordOf } from '../../lib/core/open-reply.js';
import type { Ruling, RulingOutcome } from '../../lib/core/ruling.js';
import type { Saying } from '../../lib/core/statement.js';

const comment = (databaseId: number, author: string, body: string): Comment => ({
  id: `C${databaseId}`,
  databaseId,
  author,
  by: author.endsWith('[bot]') ? 'bot' : 'person',
  ours: author === 'evident[bot]',
  body,
  at: '2026-12-01T10:00:00Z',
});

const ours = comment(1, 'evident[bot]', '**Important (F1)**: why?');

test.each<readonly [string, readonly Comment[], ReturnType<typeof lastWordOf>]>([
  ['nobody replied', [ours], undefined],
  [
    'a question',
    [ours, comment(2, 'monalisa', 'Can it be negative?')],
    { comment: 2, by: 'monalisa', asks: true },
  ],
  ['we answered it', [ours, comment(2, 'monalisa', 'Can it?'), comment(3, 'evident[bot]', 'No.')], undefined],
  [
    'a bot after a person',
    [ours, comment(2, 'monalisa', 'No.'), comment(3, 'other[bot]', 'Hm?')],
    { comment: 2, by: 'monalisa', asks: false },
  ],
  [
    'a question mark in a quotation and in code asks nothing',
    [ours, comment(2, 'monalisa', '> why?\n\nbecause `a ? b : c` is meant')],
    { comment: 2, by: 'monalisa', asks: false },
  ],
  [
    'what was said before an answer of somebody else',
    [ours, comment(2, 'monalisa', 'Can it?'), comment(3, 'octocat', 'No, see line 3.')],
    { comment: 3, by: 'octocat', asks: false },
  ],
])('the last word: %s', (_what, comments, word) => {
  expect(lastWordOf(comments)).toEqual(word);
});

const ruling = (says: Saying, outcome: RulingOutcome, databaseId = 2): Ruling => ({
  statement: {
    by: 'monalisa',
    writer: 'person',
    at: 0,
    subject: { kind: 'reply', databaseId, id: `C${databaseId}`, threadRoot: 1 },
    says,
  },
  outcome,
});
const words: Saying = { kind: 'words', item: 'F1', text: 'hm' };

test.each<readonly [string, { readonly by?: string; readonly asks?: boolean }, readonly Ruling[], boolean]>([
  ['a question of a reviewer', { asks: true }, [], true],
  ['an objection of a reviewer', {}, [], true],
  ['a question of the author', { by: 'Octocat', asks: true }, [], true],
  ['what the author announces', { by: 'Octocat' }, [], false],
  ['words without effect', {}, [ruling(words, { kind: 'left' })], true],
  ['a dismissal', {}, [ruling({ kind: 'dismiss', item: 'F1', reason: 'meant' }, { kind: 'applied' })], false],
  ['a command', {}, [ruling({ kind: 'command', name: 'status', words: '' }, { kind: 'left' })], false],
  ['what somebody said elsewhere', {}, [ruling(words, { kind: 'applied' }, 3)], true],
  [
    'thanks, as they were read',
    {},
    [
      {
        ...ruling(words, { kind: 'left' }),
        reading: { statement: 's', words: 'w', item: 'F1', round: 1, as: { kind: 'noted' } },
      },
    ],
    false,
  ],
])('open: %s', (_what, word, rulings, open) => {
  const last = { comment: 2, by: 'monalisa', asks: false, ...word };
  expect(isOpenReply(last, { rulings, author: 'octocat' })).toBe(open);
});
