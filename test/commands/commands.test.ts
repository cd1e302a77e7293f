import { commands, effectOf, type CommandContext, type CommandEffect } from '../../lib/commands/index.js';
import type { Permission, WriterKind } from '../../lib/core/conversation.js';
import type { FileDiff } from '../../lib/core/diff.js';
import type { Finding, FindingKey } from '../../lib/core/finding.js';
import { emptyLedger, type Ledger } from '../../lib/core/ledger.js';
import { defaultPolicy } from '../../lib/core/policy.js';
import type { PullRequest, Sha } from '../../lib/core/pull-request.js';
import type { Question } from '../../lib/core/question.js';
import type { Saying, Statement } from '../../lib/core/statement.js';

const head = '3f9c2d1'.padEnd(40, '0') as Sha;

const pullRequest: PullRequest = {
  repo: { owner: 'octo-org', name: 'shop', htmlUrl: 'https://github.example/octo-org/shop' },
  number: 482,
  htmlUrl: 'https://github.example/octo-org/shop/pull/482',
  title: 'Refunds',
  body: '',
  author: { login: 'octocat', kind: 'person' },
  state: 'open',
  draft: false,
  labels: [],
  base: { ref: 'main', sha: 'b'.repeat(40) as Sha },
  head: { ref: 'refunds', sha: head, repo: 'octo-org/shop' },
  mergeBase: 'c'.repeat(40) as Sha,
  changedFiles: 2,
  commits: 1,
};

const finding = (id: Finding['id'], more: Partial<Finding> = {}): Finding => ({
  id,
  key: `logic.${id}` as FindingKey,
  anchor: { kind: 'line', path: 'src/billing/refund.ts', side: 'RIGHT', line: 44 },
  rule: 'falsy-zero',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  origin: 'introduced',
  title: 'a refund of 0 charges the full amount',
  body: '',
  evidence: [],
  standing: { kind: 'open' },
  ...more,
});

const question: Question = {
  id: 'Q1',
  finding: finding('F9'),
  reason: '',
  searched: [],
  question: 'Is this required by a third-party widget?',
  answerEffects: { yes: 'suppress_finding', no: 'include_finding' },
  standing: { kind: 'open' },
};

const file = (path: string): FileDiff => ({
  path,
  oldPath: path,
  status: 'modified',
  symlink: false,
  additions: 3,
  deletions: 1,
  content: { kind: 'text', hunks: [] },
});

const ledger: Ledger = {
  ...emptyLedger,
  findings: [
    finding('F1'),
    finding('F2', { severity: 'nit', title: '`amt` is called `amount` everywhere else' }),
    finding('F3', { standing: { kind: 'fixed', in: head } }),
    finding('F4', { origin: 'pre_existing', title: 'rounds before summing' }),
  ],
  questions: [question],
};

const context: CommandContext = {
  pullRequest,
  policy: defaultPolicy,
  diff: [file('src/billing/refund.ts'), file('docs/refunds.md')],
  diffHash: 'd',
  policyHash: 'p',
  permissions: { monalisa: 'maintain', octocat: 'write', hubot: 'write', dev: 'write' },
  ledger,
  verdict: { kind: 'fix', blocking: [finding('F1')], round: 1, rounds: 3 },
};

const say = (says: Saying, by = 'monalisa', writer: WriterKind = 'person'): Statement => ({
  by,
  writer,
  at: 0,
  subject: { kind: 'comment', databaseId: 1, id: 'C_1' },
  says,
});

const give = (
  line: string,
  { by, writer, ...more }: { by?: string; writer?: WriterKind } & Partial<CommandContext> = {},
): CommandEffect => {
  const [name = '', ...words] = line.split(' ');
  return effectOf(say({ kind: 'command', name, words: words.join(' ') }, by, writer), {
    ...context,
    ...more,
  });
};

const bodyOf = (effect: CommandEffect): string => ('body' in effect ? effect.body : `(${effect.kind})`);

test('every command names itself in its usage and has one line of help', () => {
  expect(commands.map(({ name }) => name)).toEqual([
    'review',
    'status',
    'dismiss',
    'override',
    'pause',
    'resume',
    'memory',
    'config',
    'help',
  ]);
  for (const { name, usage, help } of commands) {
    expect(usage.startsWith(`/evident ${name}`)).toBe(true);
    expect(help).toMatch(/^[a-z][^\n.]+$/);
  }
});

describe('review', () => {
  test.each<[string, object]>([
    ['review', { kind: 'review' }],
    ['review src/billing', { kind: 'review', paths: 'src/billing' }],
    ['review ./src/billing/', { kind: 'review', paths: 'src/billing' }],
    ['review src/billing/refund.ts, docs', { kind: 'review', paths: 'src/billing/refund.ts docs' }],
    ['review `src/**/*.ts`', { kind: 'review', paths: 'src/**/*.ts' }],
    ['review again please', { kind: 'review' }],
    ['review this.', { kind: 'review' }],
  ])('%s', (line, expected) => {
    expect(give(line)).toEqual(expected);
  });

  test('a path that nothing changed under is said to be one', () => {
    expect(give('review src/import')).toEqual({
      kind: 'wrong',
      body: 'No changed file is at `src/import`. `/evident review` without a path reviews all of it.',
    });
  });

  test('paths are bounded', () => {
    const effect = give(`review ${'docs '.repeat(5_000)}`);
    expect(effect.kind).toBe('review');
    expect('paths' in effect ? effect.paths?.split(' ') : []).toHaveLength(10);
  });

  const outside = {
    by: 'newcomer',
    pullRequest: { ...pullRequest, author: { login: 'newcomer', kind: 'person' } },
  } as const;

  test('an outside author does not start the first review, and asks for the next', () => {
    expect(give('review', outside)).toEqual({
      kind: 'wrong',
      body: 'Noted, thanks. Someone with write access starts it with `/evident review`.',
    });
    const passes = [{}] as unknown as Ledger['passes'];
    expect(give('review', { ...outside, ledger: { ...ledger, passes } })).toEqual({ kind: 'review' });
  });
});

describe('dismiss', () => {
  test.each([
    [
      'dismiss',
      'A dismissal says which finding and why: `/evident dismiss F1 because ...`. Open: F1, F2, F4 and Q1.',
    ],
    [
      'dismiss by design',
      'A dismissal says which finding and why: `/evident dismiss F1 because ...`. Open: F1, F2, F4 and Q1.',
    ],
    ['dismiss F1', 'A dismissal says why: `/evident dismiss F1 because ...`.'],
    ['dismiss F7', 'There is no `F7` on this pull request. Open: F1, F2, F4 and Q1.'],
  ])('%s', (line, body) => {
    expect(give(line)).toEqual({ kind: 'wrong', body });
  });

  test.each([
    ['', 'A dismissal says why. In this thread `dismiss` and why is enough: `dismiss because ...`.'],
    ['F2', 'A dismissal says why. In this thread `dismiss` and why is enough: `dismiss because ...`.'],
    ['F1', 'A dismissal says why: `/evident dismiss F1 because ...`.'],
  ])('in the thread of F2 without a reason: dismiss %s', (words, body) => {
    const effect = effectOf(say({ kind: 'command', name: 'dismiss', words, item: 'F2' }), context);
    expect(bodyOf(effect)).toBe(body);
  });

  test.each<[string, Saying & { kind: 'dismiss' }, string, string]>([
    ['a writer', { kind: 'dismiss', item: 'F1', reason: 'by design' }, 'dev', '(said)'],
    ['the author with write', { kind: 'dismiss', item: 'F1', reason: 'by design' }, 'octocat', '(said)'],
    [
      'a reader',
      { kind: 'dismiss', item: 'F1', reason: 'by design' },
      'stranger',
      'Noted, thanks. octocat or someone with write access decides this one.',
    ],
    [
      'an unknown item',
      { kind: 'dismiss', item: 'F8', reason: 'by design' },
      'dev',
      'There is no `F8` on this pull request. Open: F1, F2, F4 and Q1.',
    ],
    ['a question', { kind: 'dismiss', item: 'Q1', reason: 'we own it' }, 'dev', '(said)'],
  ])('%s', (_name, says, by, expected) => {
    expect(bodyOf(effectOf(say(says, by), context))).toBe(expected);
  });

  test("the author of an agent's change dismisses nits and nothing important", () => {
    const agents = {
      ...context,
      pullRequest: { ...pullRequest, author: { login: 'octocat', kind: 'agent' } as const },
    };
    const dismissal = (item: 'F1' | 'F2'): CommandEffect =>
      effectOf(say({ kind: 'dismiss', item, reason: 'by design' }, 'octocat'), agents);
    expect(dismissal('F2')).toEqual({ kind: 'said' });
    expect(bodyOf(dismissal('F1'))).toBe(
      "Noted, thanks. This counts as an agent's change, so someone with write access other than its author decides this one.",
    );
  });
});

describe('override, pause, resume', () => {
  test.each([
    ['override hotfix, see INC-12', 'monalisa', '(said)'],
    [
      'override',
      'monalisa',
      'An override says why: `/evident override because ...`. The reason is shown with your name.',
    ],
    [
      'override please',
      'monalisa',
      'An override says why: `/evident override because ...`. The reason is shown with your name.',
    ],
    ['override hotfix', 'dev', 'Noted, thanks. Someone with maintain access decides this one.'],
    ['pause', 'dev', '(said)'],
    ['pause', 'stranger', 'Noted, thanks. Someone with write access can do this.'],
    ['resume', 'octocat', '(said)'],
  ])('%s by %s', (line, by, expected) => {
    expect(bodyOf(give(line, { by }))).toBe(expected);
  });
});

describe('status', () => {
  test('what the check says, what is open and what comes next', () => {
    expect(bodyOf(give('status'))).toBe(
      [
        '**1 important to fix**, at `3f9c2d1`.',
        '',
        '- **F1** important, [`src/billing/refund.ts:44`](https://github.example/octo-org/shop/blob/3f9c2d1000000000000000000000000000000000/src/billing/refund.ts#L44): a refund of 0 charges the full amount',
        '- **Q1** question, [`src/billing/refund.ts:44`](https://github.example/octo-org/shop/blob/3f9c2d1000000000000000000000000000000000/src/billing/refund.ts#L44): is this required by a third-party widget?',
        '- **F2** nit, [`src/billing/refund.ts:44`](https://github.example/octo-org/shop/blob/3f9c2d1000000000000000000000000000000000/src/billing/refund.ts#L44): `amt` is called `amount` everywhere else',
        '- **F4** already there, [`src/billing/refund.ts:44`](https://github.example/octo-org/shop/blob/3f9c2d1000000000000000000000000000000000/src/billing/refund.ts#L44): rounds before summing',
        '',
        '0 reviews so far; clean in a row: 0 of 1.',
        '',
        'Next: fix F1 and push, or dismiss with a reason. Open and not holding it: Q1.',
      ].join('\n'),
    );
  });

  const clean = { ...ledger, findings: [], questions: [] };

  test.each<[string, CommandContext['verdict'], RegExp]>([
    [
      'passed',
      { kind: 'passed', streak: 1 },
      /^\*\*Nothing open, one clean review\*\*.*Next: nothing, this check lets it merge\.$/s,
    ],
    [
      'review again',
      { kind: 'review_again', done: 1, required: 2 },
      /Next: 1 more clean review\. `\/evident review` starts one\.$/,
    ],
    [
      'waiting',
      { kind: 'waiting', questions: ['Q1'] },
      /^\*\*1 answer awaited: Q1\*\*.*as `Q1 yes` here\.$/s,
    ],
    ['escalated', { kind: 'escalated', to: [], why: 'A person decides.' }, /Next: A person decides\.$/],
    [
      'partial',
      { kind: 'incomplete', reason: { kind: 'partial', seen: 1, of: 2, limit: '' } },
      /Next: `\/evident review` reads what is missing\.$/,
    ],
    [
      'not reviewed',
      {
        kind: 'incomplete',
        reason: {
          kind: 'not_reviewed',
          title: 'Not reviewed: draft',
          sentence: 'Reviewed when it is marked ready.',
          meant: true,
        },
      },
      /^\*\*Not reviewed: draft\*\*.*Next: Reviewed when it is marked ready\.$/s,
    ],
    [
      'overtaken',
      { kind: 'incomplete', reason: { kind: 'superseded', by: head } },
      /Next: `3f9c2d1` is reviewed\.$/,
    ],
    ['rules only', { kind: 'incomplete', reason: { kind: 'rules_only' } }, /Next: a review by a model\./],
  ])('%s', (_name, verdict, expected) => {
    expect(bodyOf(give('status', { verdict, ledger: clean }))).toMatch(expected);
  });

  test('a pause is said, with its reason', () => {
    const paused = { ...clean, paused: { by: 'monalisa', at: '', why: 'release week' } };
    expect(bodyOf(give('status', { ledger: paused }))).toContain(
      'Paused by monalisa: "release week". `/evident resume` goes on.',
    );
  });

  test('a long list is cut', () => {
    const many = Array.from({ length: 50 }, (_, index) => finding(`F${index + 1}`));
    const body = bodyOf(give('status', { ledger: { ...clean, findings: many } }));
    expect(body.match(/^- \*\*F/gm)).toHaveLength(20);
    expect(body).toContain('- and 30 more in the check');
  });
});

describe('config', () => {
  test('what is set, where, what is wrong, and the rest', () => {
    const policy = {
      ...defaultPolicy,
      gate: { ...defaultPolicy.gate, mode: 'blocking' as const },
      review: { ...defaultPolicy.review, skip: ['dist/**', '*.snap'] },
      source: '`.github/evident.yml` at `main@77aa0e2`',
      places: {
        'gate.mode': { file: '.github/evident.yml', line: 3 },
        'paths.skip[0]': { file: '.github/evident.yml', line: 8 },
      },
      problems: [
        { file: '.github/evident.yml', line: 5, path: 'strat', reason: 'There is no key `strat` here.' },
      ],
    };
    const body = bodyOf(give('config', { policy }));
    expect(body).toContain('**Settings in force**, from `.github/evident.yml` at `main@77aa0e2`.');
    expect(body).toContain('- `gate.mode`: `blocking` (`.github/evident.yml` line 3)');
    expect(body).toContain('- `paths.skip`: `dist/**`, `*.snap` (`.github/evident.yml` line 8)');
    expect(body).toContain('- `.github/evident.yml`, line 5, `strat`: There is no key `strat` here.');
    const [shown = '', others = ''] = body.split('<details>');
    expect(shown).not.toContain('gate.passes');
    expect(others).toMatch(
      /^<summary>From the defaults, because no file sets them: 38 settings<\/summary>\n\n- `gate\.passes\.person` `1`, /,
    );
    expect(others).toMatch(
      /^- `authority\.answer` [^\n]*\n- `budget\.dollars` [^\n]*\n- `start` [^\n]*`drafts`[^]*\n\n<\/details>$/m,
    );
    expect(body).toContain("`budget.dollars` the operator's");
  });

  test('nothing is set', () => {
    expect(bodyOf(give('config'))).toContain('No file sets anything.');
  });
});

describe('help', () => {
  const usages = (by: string): readonly string[] =>
    [...bodyOf(give('help', { by })).matchAll(/^- `\/evident (\w+)/gm)].map(([, name]) => name ?? '');

  test.each<[string, Permission | undefined, readonly string[]]>([
    [
      'monalisa',
      'maintain',
      ['review', 'status', 'dismiss', 'override', 'pause', 'resume', 'memory', 'config', 'help'],
    ],
    ['dev', 'write', ['review', 'status', 'dismiss', 'pause', 'resume', 'memory', 'config', 'help']],
  ])('lists what %s may use', (by, _permission, expected) => {
    expect(usages(by)).toEqual(expected);
  });

  test('of an author without write access', () => {
    const body = bodyOf(
      give('help', {
        by: 'newcomer',
        pullRequest: { ...pullRequest, author: { login: 'newcomer', kind: 'person' } },
      }),
    );
    expect([...body.matchAll(/^- `\/evident (\w+)/gm)].map(([, name]) => name)).toEqual([
      'status',
      'dismiss',
      'memory',
      'config',
      'help',
    ]);
  });
});

describe('who and what', () => {
  test('an unknown command is one line that names the help', () => {
    expect(bodyOf(give('reveiw'))).toBe(
      'There is no command `reveiw`. Did you mean `/evident review`? `/evident help` lists them.',
    );
    expect(bodyOf(give('make-coffee'))).toBe(
      'There is no command `make-coffee`. `/evident help` lists them.',
    );
    expect(bodyOf(give('x`@monalisa`'))).toBe(
      'There is no command `` x`@monalisa` ``. `/evident help` lists them.',
    );
  });

  test('somebody who is nobody here gets one line', () => {
    expect(bodyOf(give('status', { by: 'stranger' }))).toBe(
      'Noted, thanks. octocat or someone with write access can do this.',
    );
  });

  test('a program is never spoken to for what it may not do', () => {
    expect(give('override x', { by: 'evil[bot]', writer: 'bot' }).kind).toBe('ignored');
    expect(give('review', { by: 'evil[bot]', writer: 'bot' }).kind).toBe('ignored');
    expect(give('make-coffee', { by: 'Copilot' }).kind).toBe('ignored');
    expect(give('status', { by: 'Copilot' }).kind).toBe('reply');
    expect(give('override x', { by: 'ghost', writer: 'ghost' }).kind).toBe('ignored');
  });

  test('a closed pull request is left as it is', () => {
    const closed = { pullRequest: { ...pullRequest, state: 'closed' as const } };
    expect(bodyOf(give('review', closed))).toBe('The pull request is closed; nothing was changed.');
    expect(bodyOf(give('pause', closed))).toBe('The pull request is closed; nothing was changed.');
    expect(give('help', closed).kind).toBe('reply');
  });

  test.each<Saying>([
    { kind: 'answer', question: 'Q1', answer: 'yes' },
    { kind: 'confirm', item: 'Q1' },
    { kind: 'approval', commit: head },
    { kind: 'words', item: 'Q1', text: 'hm' },
    { kind: 'bare', answer: 'no' },
  ])('$kind is no command', (says) => {
    expect(effectOf(say(says), context).kind).toBe('ignored');
  });
});
