import fc from 'fast-check';
import { noConversation, type Comment, type PeerReview, type Thread } from '../../lib/core/conversation.js';
import type { Sha } from '../../lib/core/pull-request.js';
import { readStatements, type ItemId, type Saying } from '../../lib/core/statement.js';

const comment = (databaseId: number, body: string, more: Partial<Comment> = {}): Comment => ({
  id: `C_${databaseId}`,
  databaseId,
  author: 'octocat',
  by: 'person',
  ours: false,
  body,
  at: '2025-12-01T10:00:00Z',
  ...more,
});

const ourComment = (databaseId: number, body: string): Comment =>
  comment(databaseId, body, { author: 'evident-octo[bot]', by: 'bot', ours: true });

const thread = (id: string, replies: readonly Comment[]): Thread => ({
  id,
  path: 'src/a.ts',
  line: 1,
  originalLine: 1,
  resolved: false,
  outdated: false,
  comments: [ourComment(1, '**Question (Q1): is it?**'), ...replies],
});

const review = (databaseId: number, body: string, more: Partial<PeerReview> = {}): PeerReview => ({
  ...comment(databaseId, body),
  state: 'commented',
  commit: 'a'.repeat(40) as Sha,
  ...more,
});

const items: ReadonlyMap<string, ItemId> = new Map<string, ItemId>([
  ['T_Q1', 'Q1'],
  ['T_F1', 'F1'],
]);

const inComment = (body: string, more: Partial<Comment> = {}): readonly Saying[] =>
  readStatements({ ...noConversation, comments: [comment(7, body, more)] }, items).map(({ says }) => says);

const inThread = (id: string, body: string, more: Partial<Comment> = {}): readonly Saying[] =>
  readStatements({ ...noConversation, threads: [thread(id, [comment(7, body, more)])] }, items).map(
    ({ says }) => says,
  );

const inReview = (body: string): readonly Saying[] =>
  readStatements({ ...noConversation, peerReviews: [review(7, body)] }, items).map(({ says }) => says);

const command = (name: string, words = '', item?: ItemId): Saying => ({
  kind: 'command',
  name,
  words,
  ...(item !== undefined && { item }),
});

describe('commands', () => {
  test.each<[string, string, readonly Saying[]]>([
    ['alone', '/evident review', [command('review')]],
    ['with words', '/evident review src/import docs', [command('review', 'src/import docs')]],
    ['without a name', '/evident', [command('help')]],
    ['in capitals', '/Evident REVIEW', [command('review')]],
    ['below other text', 'Looks good.\n\n/evident status', [command('status')]],
    ['in the next line', 'Looks good.\n/evident status', [command('status')]],
    ['two', '/evident resume\n/evident review', [command('resume'), command('review')]],
    ['with punctuation', '/evident status.', [command('status')]],
    ['with a colon', '/evident override: hotfix, see INC-12', [command('override', 'hotfix, see INC-12')]],
    ['with Windows line ends', '/evident pause\r\nThanks', [command('pause')]],
    ['a reason with code', '/evident override see `INC-12`', [command('override', 'see `INC-12`')]],
    ['an unknown one', '/evident make-coffee', [command('make-coffee')]],
    ['up to three spaces before', '   /evident status', [command('status')]],
    [
      'above a quoted mail',
      '/evident status\n\nOn Mon, 1 Dec 2025, X <x@y.example> wrote:\n> /evident pause',
      [command('status')],
    ],
  ])('%s', (_name, body, expected) => {
    expect(inComment(body)).toEqual(expected);
    expect(inReview(body)).toEqual(expected);
  });

  test.each([
    ['in a sentence', 'You can use /evident review for that.'],
    ['in inline code', '`/evident review`'],
    ['in inline code over two lines', 'it is `a\n/evident override x` here'],
    ['in fenced code', '```\n/evident review\n```'],
    ['in tilde fences', '~~~text\n/evident review\n~~~'],
    ['in a fence that is not closed', '```\n/evident review'],
    ['in a longer fence with a shorter one inside', '````\n```\n/evident review\n````'],
    ['in fenced code of a list', '- ```\n  /evident review\n  ```'],
    ['in indented code', 'Try:\n\n    /evident review'],
    ['in indented code at the top', '\t/evident review'],
    ['in a quote', '> /evident override because'],
    ['in a quote of a quote', '> > /evident review'],
    ['in a hidden comment', '<!-- \n/evident override x\n-->'],
    ['in a hidden comment that is not closed', '<!--\n/evident override x'],
    ['behind a hidden comment that is quoted', '> <!--\n> --> /evident override x'],
    ['behind one that opens and closes at once', '> <!--\n> <!--> /evident override x'],
    ['between two that are quoted', '> <!--\n> --> <!--\n> --> /evident override x'],
    ['in preformatted HTML', '<pre>\n/evident override x\n</pre>'],
    ['below a quoted mail', 'Fine.\n\nFrom: monalisa\nSent: Monday\n\n/evident override x'],
    ['in a signature', 'Fine.\n-- \n/evident review'],
    ['a path', '/evident/review'],
    ['a file', '/evident.yml is wrong'],
    ['another word', '/evidently not'],
    ['another name', '@evident review'],
    ['in a list', '- /evident review'],
  ])('none: %s', (_name, body) => {
    expect(inComment(body).filter(({ kind }) => kind === 'command')).toEqual([]);
    expect(inThread('T_F1', body).filter(({ kind }) => kind === 'command')).toEqual([]);
  });

  test('count in any thread, plain words only in ours', () => {
    expect(inThread('T_other', '/evident review')).toEqual([command('review')]);
    expect(inThread('T_other', 'no')).toEqual([]);
    expect(inThread('T_other', 'dismiss by design')).toEqual([]);
    expect(inThread('T_F1', '/evident status')).toEqual([command('status', '', 'F1')]);
  });

  test('text beside a command is no plain word', () => {
    expect(inThread('T_Q1', 'yes\n\n/evident status')).toEqual([command('status', '', 'Q1')]);
  });

  test('below a quote that leaves a comment open are the words of the writer', () => {
    expect(inThread('T_Q1', '> <!-- why\n\n/evident status')).toEqual([command('status', '', 'Q1')]);
  });

  test('at most twenty of one text', () => {
    expect(inComment('/evident review\n'.repeat(500))).toHaveLength(20);
  });
});

describe('dismissals', () => {
  test.each<[string, string, readonly Saying[]]>([
    ['by command', '/evident dismiss F1 by design', [{ kind: 'dismiss', item: 'F1', reason: 'by design' }]],
    [
      'with a colon',
      '/evident dismiss F1: by design',
      [{ kind: 'dismiss', item: 'F1', reason: 'by design' }],
    ],
    [
      'in small letters',
      '/evident dismiss f12, see ADR 7',
      [{ kind: 'dismiss', item: 'F12', reason: 'see ADR 7' }],
    ],
    [
      'of a question',
      '/evident dismiss Q1 because we own it',
      [{ kind: 'dismiss', item: 'Q1', reason: 'we own it' }],
    ],
    [
      'of several',
      '/evident dismiss F1, F2 and F3 generated code',
      [
        { kind: 'dismiss', item: 'F1', reason: 'generated code' },
        { kind: 'dismiss', item: 'F2', reason: 'generated code' },
        { kind: 'dismiss', item: 'F3', reason: 'generated code' },
      ],
    ],
    ['without a reason', '/evident dismiss F1', [command('dismiss', 'F1')]],
    ['with a reason that is none', '/evident dismiss F1 please', [command('dismiss', 'F1 please')]],
    ['without an item', '/evident dismiss by design', [command('dismiss', 'by design')]],
    ['alone', '/evident dismiss', [command('dismiss')]],
    ['by name in a line', 'F1: dismiss, by design', [{ kind: 'dismiss', item: 'F1', reason: 'by design' }]],
    [
      "won't fix by name",
      "F1 won't fix: legacy",
      [{ kind: 'dismiss', item: 'F1', reason: "won't fix: legacy" }],
    ],
  ])('in a comment: %s', (_name, body, expected) => {
    expect(inComment(body)).toEqual(expected);
  });

  test.each<[string, readonly Saying[]]>([
    ['/evident memory forget Q1', [{ kind: 'forget', item: 'Q1' }]],
    ['/evident memory: forget q1.', [{ kind: 'forget', item: 'Q1' }]],
    ['/evident memory forget F2 because ADR 7 is withdrawn', [{ kind: 'forget', item: 'F2' }]],
    [
      '/evident memory forget Q1, F2 and Q3',
      [
        { kind: 'forget', item: 'Q1' },
        { kind: 'forget', item: 'F2' },
        { kind: 'forget', item: 'Q3' },
      ],
    ],
    ['/evident memory', [command('memory')]],
    ['/evident memory forget', [command('memory', 'forget')]],
    ['/evident memory forget all', [command('memory', 'forget all')]],
    ['/evident memory forgets Q1', [command('memory', 'forgets Q1')]],
    ['/evident forget Q1', [command('forget', 'Q1')]],
  ])('what is forgotten is named: %j', (body, expected) => {
    expect(inComment(body)).toEqual(expected);
  });

  test.each<[string, readonly Saying[]]>([
    ['/evident memory forget', [{ kind: 'forget', item: 'Q1' }]],
    ['/evident memory forget it.', [{ kind: 'forget', item: 'Q1' }]],
    ['/evident memory forget F2', [{ kind: 'forget', item: 'F2' }]],
    ['/evident memory forget all', [command('memory', 'forget all', 'Q1')]],
  ])('in a thread it is what stands there: %j', (body, expected) => {
    expect(inThread('T_Q1', body)).toEqual(expected);
  });

  test.each<[string, string]>([
    ['dismiss by design', 'by design'],
    ['Dismiss: see ADR 7', 'see ADR 7'],
    ['dismiss because the list is never empty', 'the list is never empty'],
    ['**dismiss** - tested in `a.test.ts`', 'tested in `a.test.ts`'],
    ['/evident dismiss tested elsewhere', 'tested elsewhere'],
    ["won't fix: legacy", "won't fix: legacy"],
    ['Won\u2019t fix', 'Won\u2019t fix'],
    ["we won't fix this, it is going away", "we won't fix this, it is going away"],
    ['wontfix', 'wontfix'],
    ['By design, see ADR 7', 'By design, see ADR 7'],
    ["it's by design: the partner owns it", "it's by design: the partner owns it"],
    ['> This breaks\n\nby design', 'by design'],
    ['@evident-octo dismiss by design', 'by design'],
    ['works as designed', 'works as designed'],
  ])("in a finding's thread: %j", (body, reason) => {
    expect(inThread('T_F1', body)).toEqual([{ kind: 'dismiss', item: 'F1', reason }]);
  });

  test('another item may be named in a thread', () => {
    expect(inThread('T_F1', '/evident dismiss F2 by design')).toEqual([
      { kind: 'dismiss', item: 'F2', reason: 'by design' },
    ]);
    expect(inThread('T_F1', 'dismiss F2 by design')).toEqual([
      { kind: 'dismiss', item: 'F2', reason: 'by design' },
    ]);
  });

  test.each(['dismiss', 'Dismiss.', 'please dismiss', 'dismiss this', 'dismiss please', 'dismiss!'])(
    'a reason is missing: %j',
    (body) => {
      expect(inThread('T_F1', body)).toEqual([command('dismiss', '', 'F1')]);
    },
  );

  test.each([
    'by design?',
    "won't fix? why",
    "won't fix it that way, but I will add a guard",
    "I won't fix the tests",
    'by design unless the flag is on',
    "not by design, that's an accident",
    'the design is bad',
    "don't dismiss this",
    'dismissing this would be wrong',
    'dismiss it? I am not sure',
    'I think this is by design',
    'this is wrong, the list is never empty',
    'fixed in a1b2c3d',
  ])('words that are no dismissal: %j', (body) => {
    expect(inThread('T_F1', body)).toEqual([{ kind: 'words', item: 'F1', text: body }]);
  });

  test("by design in a question's thread is for the loop, dismiss is not", () => {
    expect(inThread('T_Q1', 'by design')).toEqual([{ kind: 'words', item: 'Q1', text: 'by design' }]);
    expect(inThread('T_Q1', 'dismiss, we own it')).toEqual([
      { kind: 'dismiss', item: 'Q1', reason: 'we own it' },
    ]);
  });
});

describe('answers', () => {
  const answer = (question: 'Q1' | 'Q2', kind: 'yes' | 'no' | 'unsure', reason?: string): Saying => ({
    kind: 'answer',
    question,
    answer: kind,
    ...(reason !== undefined && { reason }),
  });

  test.each<[string, readonly Saying[]]>([
    ['Q1 no', [answer('Q1', 'no')]],
    ['Q1: yes because the CDN owns it', [answer('Q1', 'yes', 'the CDN owns it')]],
    ['Q1:yes', [answer('Q1', 'yes')]],
    ['q1 - not sure', [answer('Q1', 'unsure')]],
    ['**Q1**: no', [answer('Q1', 'no')]],
    ['- Q1: yes\n- Q2: no', [answer('Q1', 'yes'), answer('Q2', 'no')]],
    ['Q1: yes\nQ2: no, ours', [answer('Q1', 'yes'), answer('Q2', 'no', 'ours')]],
    ['Q1 and Q2: yes', [answer('Q1', 'yes'), answer('Q2', 'yes')]],
    [
      'Hello,\n\nQ1 yes because\nthe partner owns it\n\nBest,\nMona',
      [answer('Q1', 'yes', 'the partner owns it')],
    ],
    ['`Q1 no`', [answer('Q1', 'no')]],
    ['`Q1` no', [answer('Q1', 'no')]],
    ['Q1 ok', [{ kind: 'confirm', item: 'Q1' }]],
    ['F1: ok', [{ kind: 'confirm', item: 'F1' }]],
    ['Q1: it depends on the flag', [{ kind: 'words', item: 'Q1', text: 'it depends on the flag' }]],
    ['Q1 yes, but only with the flag', [{ kind: 'words', item: 'Q1', text: 'yes, but only with the flag' }]],
    ['Q1 looks odd to me', []],
    ['F1 looks odd to me', []],
    ['F1: fixed in a1b2c3d', []],
    ['See Q1: yes it is odd', []],
    ['> Q1: yes', []],
    ['```\nQ1: yes\n```', []],
    ['`Q1: yes is what I would have said to that`', []],
    ['Q10x: yes', []],
    ['Q1', []],
    ['Q01: yes', []],
  ])('a line that names the question: %j', (body, expected) => {
    expect(inComment(body)).toEqual(expected);
    expect(inReview(body)).toEqual(expected);
  });

  test.each<[string, readonly Saying[]]>([
    ['no', [answer('Q1', 'no')]],
    ["yes, the partner's script", [answer('Q1', 'yes', "the partner's script")]],
    ['not sure', [answer('Q1', 'unsure')]],
    ['ok', [{ kind: 'confirm', item: 'Q1' }]],
    ['it depends', [{ kind: 'words', item: 'Q1', text: 'it depends' }]],
    ['Q2: no', [answer('Q2', 'no')]],
    ['Q1: no', [answer('Q1', 'no')]],
    ['@evident-octo yes', [answer('Q1', 'yes')]],
    ['@evident yes', [answer('Q1', 'yes')]],
    ['@monalisa yes, I think so', []],
    ['@monalisa no', []],
    ['@octo-org/payments please look', []],
    ['\u{1F44D}', []],
    ['> yes', []],
    ['', []],
  ])("in a question's thread: %j", (body, expected) => {
    expect(inThread('T_Q1', body)).toEqual(expected);
  });

  test("a plain answer in a finding's thread decides nothing by itself", () => {
    expect(inThread('T_F1', 'yes')).toEqual([{ kind: 'words', item: 'F1', text: 'yes', answer: 'yes' }]);
  });

  test('a mail that quotes one question answers it; one that quotes none is told how to', () => {
    const mail = (below: string): string =>
      `No, it is ours.\n\nOn Mon, 1 Dec 2025 at 10:00, evident <n@github.example> wrote:\n\n${below}`;
    expect(inComment(mail('> **Question (Q1): is it?**\n> yes: dropped'))).toEqual([
      answer('Q1', 'no', 'it is ours.'),
    ]);
    expect(inComment(mail('Question (Q1): is it?\nyes: dropped'))).toEqual([
      answer('Q1', 'no', 'it is ours.'),
    ]);
    expect(inComment(mail('> Question (Q1): is it?\n> Question (Q2): is it?'))).toEqual([
      { kind: 'bare', answer: 'no' },
    ]);
    expect(inComment(mail('> hello'))).toEqual([{ kind: 'bare', answer: 'no' }]);
    expect(inComment('no')).toEqual([{ kind: 'bare', answer: 'no' }]);
    expect(inComment('> Important (F1, blocks merge): a refund\n\nby design, see ADR 7')).toEqual([
      { kind: 'dismiss', item: 'F1', reason: 'by design, see ADR 7' },
    ]);
    expect(inComment('> Important (F1): a refund\n\nI do not get it')).toEqual([]);
    expect(inReview('no')).toEqual([]);
  });
});

describe('whose word it is', () => {
  test('ours and what somebody else edited say nothing', () => {
    expect(inComment('/evident override x', { ours: true })).toEqual([]);
    expect(inComment('/evident override x', { editedBy: 'monalisa' })).toEqual([]);
    expect(inThread('T_Q1', 'yes', { editedBy: 'monalisa' })).toEqual([]);
  });

  test('a bot is heard and not spoken to', () => {
    expect(inComment('/evident status', { by: 'bot' })).toEqual([command('status')]);
    expect(inThread('T_Q1', 'it depends', { by: 'bot' })).toEqual([]);
    expect(inComment('yes', { by: 'bot' })).toEqual([]);
  });

  test('an approval is of the moment; its text counts as edited', () => {
    const approval = review(9, '/evident status', { state: 'approved', editedAt: '2025-12-02T10:00:00Z' });
    expect(readStatements({ ...noConversation, peerReviews: [approval] }, items)).toMatchObject([
      { says: { kind: 'approval', commit: approval.commit }, at: Date.parse('2025-12-01T10:00:00Z') },
      { says: { kind: 'command' }, at: Date.parse('2025-12-02T10:00:00Z') },
    ]);
    expect(
      readStatements(
        { ...noConversation, peerReviews: [review(9, '', { state: 'approved', editedBy: 'monalisa' })] },
        items,
      ),
    ).toMatchObject([{ says: { kind: 'approval' } }]);
    expect(
      readStatements({ ...noConversation, peerReviews: [review(9, '', { state: 'dismissed' })] }, items),
    ).toEqual([]);
    expect(
      readStatements(
        { ...noConversation, peerReviews: [review(9, '', { state: 'approved', ours: true })] },
        items,
      ),
    ).toEqual([]);
  });

  test('in the order of first writing, whatever was edited since', () => {
    const statements = readStatements(
      {
        comments: [
          comment(30, '/evident three', { at: '2025-12-01T12:00:00Z' }),
          comment(10, '/evident one', { at: '2025-12-01T10:00:00Z', editedAt: '2025-12-03T10:00:00Z' }),
        ],
        threads: [
          thread('T_Q1', [comment(20, '/evident two\n/evident more', { at: '2025-12-01T11:00:00Z' })]),
        ],
        peerReviews: [review(5, '/evident four', { at: '2025-12-01T12:00:00Z', databaseId: 31 })],
      },
      items,
    );
    expect(statements.map(({ says }) => (says.kind === 'command' ? says.name : ''))).toEqual([
      'one',
      'two',
      'more',
      'three',
      'four',
    ]);
    expect(statements[0]).toMatchObject({
      by: 'octocat',
      writer: 'person',
      at: Date.parse('2025-12-03T10:00:00Z'),
      subject: { kind: 'comment', databaseId: 10, id: 'C_10' },
    });
    expect(statements[1]?.subject).toEqual({ kind: 'reply', databaseId: 20, id: 'C_20', threadRoot: 1 });
    expect(statements.map(({ nth }) => nth)).toEqual([undefined, undefined, 1, undefined, undefined]);
  });
});

describe('properties', () => {
  test('any text is read, in bounded time, and quoting it all leaves nothing said', () => {
    const piece = fc.constantFrom(
      '/evident ',
      'review',
      '\n',
      '`',
      '```',
      '> ',
      '<!--',
      '-->',
      'Q1: ',
      'yes',
      '~~~',
      '    ',
      'F1 ',
      'dismiss ',
      '-- ',
      '<pre>',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 8 })), { maxLength: 40 }), (parts) => {
        const body = parts.join('');
        const quoted = body
          .replace(/\r\n?/g, '\n')
          .split('\n')
          .map((line) => `> ${line}`)
          .join('\n');
        expect(inComment(body).length).toBeLessThanOrEqual(20);
        expect(inThread('T_Q1', quoted)).toEqual([]);
      }),
    );
  });

  test('a text of the longest kind makes few statements', () => {
    for (const body of [
      '`'.repeat(65_000),
      '` '.repeat(32_000),
      '<!--'.repeat(16_000),
      '\n'.repeat(65_000),
      '> '.repeat(32_000),
      'Q1: yes\n'.repeat(8_000),
      'On 1 '.repeat(13_000),
      'F1,'.repeat(20_000),
      '*'.repeat(65_000),
      'yes '.repeat(16_000),
    ])
      expect(inThread('T_Q1', body).length).toBeLessThanOrEqual(20);
  });
});
