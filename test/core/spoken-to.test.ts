import type { Comment, Thread } from '../../lib/core/conversation.js';
import { isSaidToUs } from '../../lib/core/spoken-to.js';

const ours = 'evident-octo[bot]';

/** A thread as "login: text" lines; whether its last comment is said to us. */
function saidToUs(...lines: readonly string[]): boolean {
  const comments = ['evident-octo[bot]: **Question (Q1): is it?**', ...lines].map((line, index): Comment => {
    const [, author = '', body = ''] = /^(\S+): ([\s\S]*)$/u.exec(line) ?? [];
    return {
      id: `C_${index}`,
      databaseId: index + 1,
      author,
      by: author.endsWith('[bot]') ? 'bot' : 'person',
      ours: author === ours,
      body,
      at: '2025-12-01T10:00:00Z',
    };
  });
  const last = comments.at(-1);
  if (last === undefined) throw new Error('Nobody said anything.');
  const thread: Thread = {
    id: 'T',
    path: 'a.ts',
    line: 1,
    originalLine: 1,
    resolved: false,
    outdated: false,
    comments,
  };
  return isSaidToUs(
    {
      by: last.author,
      writer: last.by,
      at: 0,
      subject: { kind: 'reply', databaseId: last.databaseId, id: last.id, threadRoot: 1 },
      says: { kind: 'words', item: 'Q1', text: last.body },
    },
    { threads: [thread] },
  );
}

test.each<readonly [string, readonly string[]]>([
  ['follow our question', ['octocat: it depends']],
  ['go on after what the same person wrote', ['octocat: it depends', 'octocat: on the flag']],
  [
    'follow a reply of ours',
    ['octocat: it depends', 'monalisa: hm', `${ours}: on what?`, 'monalisa: on the flag'],
  ],
  ['name an item', ['octocat: it depends', 'monalisa: Q1 is about the flag']],
  ['name us', ['octocat: it depends', 'monalisa: @evident-octo the flag is off in Europe']],
  ['follow what another bot wrote', ['octocat: it depends', 'codecov[bot]: 80%', 'octocat: on the flag']],
  ['begin with a word and a comma', ['octocat: well, it depends']],
])('words are said to us that %s', (_name, lines) => {
  expect(saidToUs(...lines)).toBe(true);
});

test.each<readonly [string, readonly string[]]>([
  ['follow what somebody else wrote', ['octocat: it depends', 'monalisa: on what?']],
  ['answer each other', ['octocat: who knows?', 'monalisa: I do', 'octocat: then tell']],
  [
    'begin with the name of somebody in the thread',
    ['monalisa: hm', `${ours}: on what?`, 'octocat: monalisa, do you know?'],
  ],
  [
    'greet somebody in the thread',
    ['monalisa: hm', `${ours}: on what?`, 'octocat: hey monalisa, do you know?'],
  ],
  ['quote us', ['octocat: it depends', 'monalisa: > evident asked\n\non what?']],
])('words are not said to us that %s', (_name, lines) => {
  expect(saidToUs(...lines)).toBe(false);
});
