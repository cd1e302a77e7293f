import { readFileSync } from 'node:fs';
import {
  acts,
  mayDo,
  roleOf,
  roles,
  type Act,
  type ActContext,
  type Allowance,
  type Role,
} from '../../lib/core/authority.js';
import type { Permission, WriterKind } from '../../lib/core/conversation.js';
import { authorityPage } from '../../scripts/authority-page.js';

const others: ActContext = { isAuthor: false, agentsPull: false };
const own: ActContext = { isAuthor: true, agentsPull: false };

const isAuthorRole = (role: Role): boolean => role.startsWith('author');

/** Written out a second time, by hand: a change of a right is a change of this table, too. */
const expected: Readonly<Record<Act, string>> = {
  //                 author  author+w writer maintain admin agent bot other
  answer: /*       */ 'pending  may      may    may      may   -     -   -',
  dismiss_nit: /*  */ 'may      may      may    may      may   -     -   -',
  dismiss_important: 'pending  may      may    may      may   -     -   -',
  confirm: /*      */ '-        -        may    may      may   -     -   -',
  override: /*     */ '-        -        -      may      may   -     -   -',
  pause: /*        */ '-        may      may    may      may   -     -   -',
  forget: /*       */ 'may      may      may    may      may   -     -   -',
  escalate: /*     */ 'may      may      may    may      may   may   -   -',
  start_review: /* */ '-        may      may    may      may   -     -   -',
  command: /*      */ 'may      may      may    may      may   may   -   -',
};

const cells = acts.flatMap((act) =>
  expected[act]
    .split(/\s+/)
    .map((word, index): [Act, Role, Allowance] => [
      act,
      roles[index] ?? 'other',
      word === '-' ? 'may_not' : (word as Allowance),
    ]),
);

test('the table has a cell for each act and role', () => {
  expect(cells).toHaveLength(acts.length * roles.length);
});

test.each(cells)("a person's change: %s by %s: %s", (act, role, allowance) => {
  const allowed = mayDo(act, role, isAuthorRole(role) ? own : others);
  expect(allowed.kind).toBe(allowance);
  expect(allowed.why).toMatch(/^[A-Z].+\.$/);
});

const clearing: readonly Act[] = ['answer', 'dismiss_important', 'confirm', 'override'];

describe("an agent's change", () => {
  const agents: ActContext = { ...own, agentsPull: true };

  test.each(clearing.flatMap((act) => roles.map((role): [Act, Role] => [act, role])))(
    '%s by its author as %s: never',
    (act, role) => {
      expect(mayDo(act, role, agents).kind).toBe('may_not');
      expect(
        mayDo(act, role, { ...agents, settings: { answer: 'author', dismiss: 'write', override: 'write' } })
          .kind,
      ).toBe('may_not');
    },
  );

  test.each<[Act, Role, Allowance]>([
    ['answer', 'writer', 'may'],
    ['dismiss_important', 'writer', 'may'],
    ['override', 'maintainer', 'may'],
    ['confirm', 'writer', 'may'],
  ])('%s by somebody else as %s: %s', (act, role, allowance) => {
    expect(mayDo(act, role, { ...others, agentsPull: true }).kind).toBe(allowance);
  });

  test('its author may speak against the code, dismiss nits and pause', () => {
    expect(mayDo('answer', 'author_with_write', { ...agents, clears: false }).kind).toBe('may');
    expect(mayDo('answer', 'author_without_write', { ...agents, clears: false }).kind).toBe('may');
    expect(mayDo('dismiss_nit', 'author_with_write', agents).kind).toBe('may');
    expect(mayDo('pause', 'author_with_write', agents).kind).toBe('may');
  });
});

test.each(roles)('what clears nothing is no way in for %s', (role) => {
  const allowed = mayDo('answer', role, { ...others, clears: false }).kind;
  expect(allowed).toBe(['agent', 'bot', 'other'].includes(role) ? 'may_not' : 'may');
  for (const act of ['override', 'confirm', 'pause', 'start_review'] as const)
    expect(mayDo(act, role, { ...others, clears: false }).kind).toBe(mayDo(act, role, others).kind);
});

describe('bots and agents', () => {
  test.each(
    (['agent', 'bot'] as const).flatMap((role) =>
      [...clearing, 'dismiss_nit' as const].map((act): [Role, Act] => [role, act]),
    ),
  )('%s never does %s', (role, act) => {
    for (const isAuthor of [true, false])
      for (const agentsPull of [true, false])
        for (const clears of [true, false])
          expect(
            mayDo(act, role, {
              isAuthor,
              agentsPull,
              clears,
              started: true,
              settings: { answer: 'author', dismiss: 'write', override: 'write' },
            }).kind,
          ).toBe('may_not');
  });
});

describe('settings', () => {
  test.each<[Partial<NonNullable<ActContext['settings']>>, Act, string]>([
    //                                           author  author+w writer maintain admin agent bot other
    [{ answer: 'write' }, 'answer', '-        may      may    may      may   -     -   -'],
    [{ answer: 'maintain' }, 'answer', '-        pending  pending may     may   -     -   -'],
    [{ dismiss: 'maintain' }, 'dismiss_important', 'pending  pending  pending may     may   -     -   -'],
    [{ dismiss: 'admin' }, 'dismiss_important', 'pending  pending  pending pending may   -     -   -'],
    [{ dismiss: 'admin' }, 'dismiss_nit', 'may      may      may    may      may   -     -   -'],
    [{ override: 'write' }, 'override', '-        -        may    may      may   -     -   -'],
    [{ override: 'admin' }, 'override', '-        -        -      -        may   -     -   -'],
    [{ dismiss: 'maintain' }, 'confirm', '-        -        -      may      may   -     -   -'],
    [{ answer: 'maintain' }, 'confirm', '-        -        -      may      may   -     -   -'],
  ])('%j: %s', (settings, act, row) => {
    const kinds = roles.map(
      (role) => mayDo(act, role, { ...(isAuthorRole(role) ? own : others), settings }).kind,
    );
    expect(kinds).toEqual(row.split(/\s+/).map((word) => (word === '-' ? 'may_not' : word)));
  });

  test('who confirms could have done it alone', () => {
    const settings = { dismiss: 'admin' } as const;
    expect(mayDo('confirm', 'writer', { ...others, settings, confirms: 'answer' }).kind).toBe('may');
    expect(mayDo('confirm', 'maintainer', { ...others, settings, confirms: 'dismiss_important' }).kind).toBe(
      'may_not',
    );
    expect(mayDo('confirm', 'admin', { ...others, settings, confirms: 'dismiss_important' }).kind).toBe(
      'may',
    );
  });
});

test('an author without write access, or an agent, asks only for the next review', () => {
  for (const role of ['author_without_write', 'agent'] as const) {
    expect(mayDo('start_review', role, own).kind).toBe('may_not');
    expect(mayDo('start_review', role, { ...own, started: true }).kind).toBe('may');
    expect(mayDo('start_review', role, { ...others, started: true }).kind).toBe('may_not');
  }
});

test.each<[Act, Role, ActContext, string]>([
  [
    'answer',
    'other',
    { ...others, author: 'octocat' },
    'octocat or someone with write access decides this one.',
  ],
  [
    'answer',
    'other',
    { ...others, settings: { answer: 'maintain' } },
    'Someone with maintain access decides this one.',
  ],
  ['answer', 'author_without_write', own, 'It counts when someone with write access replies `ok`.'],
  [
    'dismiss_important',
    'writer',
    { ...others, settings: { dismiss: 'admin' } },
    'It counts when an administrator replies `ok`.',
  ],
  ['dismiss_important', 'other', others, 'Someone with write access decides this one.'],
  ['override', 'writer', others, 'Someone with maintain access decides this one.'],
  [
    'override',
    'maintainer',
    { ...own, agentsPull: true },
    "This counts as an agent's change, so someone with maintain access other than its author decides this one.",
  ],
  ['answer', 'agent', others, 'A person decides this one: bots and agents do not.'],
  [
    'start_review',
    'author_without_write',
    own,
    'Someone with write access starts it with `/evident review`.',
  ],
])('in words: %s by %s', (act, role, context, why) => {
  expect(mayDo(act, role, context).why).toBe(why);
});

test.each<
  [
    string,
    {
      permission?: Permission;
      writer?: WriterKind;
      login?: string;
      isAuthor?: boolean;
      isAgentAccount?: boolean;
    },
    Role,
  ]
>([
  ['an author who may read', { permission: 'read', isAuthor: true }, 'author_without_write'],
  ['an author who may triage', { permission: 'triage', isAuthor: true }, 'author_without_write'],
  ['an author nobody knows', { isAuthor: true }, 'author_without_write'],
  ['an author who may write', { permission: 'write', isAuthor: true }, 'author_with_write'],
  ['an author who maintains', { permission: 'maintain', isAuthor: true }, 'maintainer'],
  ['an author who administers', { permission: 'admin', isAuthor: true }, 'admin'],
  ['somebody who may write', { permission: 'write' }, 'writer'],
  ['a maintainer', { permission: 'maintain' }, 'maintainer'],
  ['an administrator', { permission: 'admin' }, 'admin'],
  ['somebody who may read', { permission: 'read' }, 'other'],
  ['a stranger', {}, 'other'],
  ['a bot with write access', { permission: 'write', writer: 'bot' }, 'bot'],
  ['a bot by its name', { permission: 'admin', login: 'hubot[bot]' }, 'bot'],
  ["an agent's account with write access", { permission: 'admin', isAgentAccount: true }, 'agent'],
  ['a deleted account', { permission: 'admin', writer: 'ghost' }, 'other'],
])(
  '%s is %s',
  (_name, { permission, writer = 'person', login = 'monalisa', isAuthor = false, isAgentAccount }, role) => {
    expect(
      roleOf({
        login,
        writer,
        permission,
        isAuthor,
        ...(isAgentAccount !== undefined && { isAgentAccount }),
      }),
    ).toBe(role);
  },
);

test('the bot that opened the change is its agent', () => {
  const author = { login: 'octo-agent[bot]', kind: 'agent' } as const;
  expect(
    roleOf({ login: 'octo-agent[bot]', writer: 'bot', permission: 'write', isAuthor: true, author }),
  ).toBe('agent');
  expect(
    roleOf({
      login: 'Octocat',
      writer: 'person',
      permission: 'write',
      isAuthor: false,
      author: { login: 'octocat', kind: 'person' },
    }),
  ).toBe('author_with_write');
});

test('docs/AUTHORITY.md is up to date: node --import tsx scripts/write-authority.ts', () => {
  expect(readFileSync(new URL('../../docs/AUTHORITY.md', import.meta.url), 'utf8')).toBe(authorityPage());
});
