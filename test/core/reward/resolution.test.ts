import { writeMarker } from '../../../lib/core/marker.js';
import type { FindingKey } from '../../../lib/core/finding.js';
import { isDoneWith, type SelfResolved } from '../../../lib/core/reward/resolution.js';
import { toReviewedPull, type CollectedPull } from '../../../lib/core/reward/reviewed-pull.js';
import { score } from '../../../lib/core/reward/score.js';
import { readRewardSettings } from '../../../lib/core/reward/settings.js';
import { learn, learnedArms, nothingLearned } from '../../../lib/core/reward/learned.js';

const settingsOf = (selfResolved: SelfResolved = 'lines') =>
  readRewardSettings(
    JSON.stringify({ self_resolved: selfResolved, agents: { logins: ['octo-agent'] } }),
    'it',
  );

const actor = (login: string, bot = false) => ({ login, bot });
const head = (digit: string): string => digit.repeat(40);

type Thread = CollectedPull['threads'][number];

const thread = (fields: Partial<Thread> = {}): Thread => ({
  id: 'T1',
  line: 3,
  isResolved: true,
  resolvedBy: actor('hubot'),
  isOutdated: false,
  sha: head('a'),
  comments: [{ author: actor('monalisa'), at: '2027-01-02T00:00:00Z', body: 'SQL injection' }],
  ...fields,
});

const pull = (threads: readonly Thread[], fields: Partial<CollectedPull> = {}): CollectedPull => ({
  repo: 'octo-org/shop',
  number: 7,
  author: actor('hubot'),
  labels: [],
  head: 'agent/refunds',
  files: ['src/refund.ts'],
  state: 'open',
  draft: false,
  createdAt: '2027-01-01T00:00:00Z',
  commits: [{ sha: head('a'), at: '2027-01-01T00:00:00Z', parents: 1 }],
  threads,
  ...fields,
});

const isDone = (
  one: Thread,
  { rule = 'lines', ...fields }: Partial<CollectedPull> & { readonly rule?: SelfResolved } = {},
): boolean => {
  const reviewed = toReviewedPull(pull([one], fields));
  return reviewed.threads.every((each) => isDoneWith(each, reviewed, settingsOf(rule)));
};

const later = (parents = 1): Pick<CollectedPull, 'commits'> => ({
  commits: [...pull([]).commits, { sha: head('b'), at: '2027-01-03T00:00:00Z', parents }],
});

describe('without a change a thread stays open that was closed by', () => {
  test.each([
    ["the pull request's author", {}],
    ['the author under another spelling', { resolvedBy: actor('Hubot[bot]') }],
    ['an agent account', { resolvedBy: actor('copilot-swe-agent', true) }],
    ['an agent of the settings', { resolvedBy: actor('octo-agent') }],
    ['another bot', { resolvedBy: actor('some-workflow', true) }],
    [
      'the author who began it',
      { comments: [{ author: actor('hubot'), at: '2027-01-02T00:00:00Z', body: 'XSS' }] },
    ],
  ] satisfies readonly [string, Partial<Thread>][])('%s', (_, fields) =>
    expect(isDone(thread(fields))).toBe(false),
  );

  test('an account that is gone, as the author is', () =>
    expect(isDone(thread({ resolvedBy: null }), { author: null })).toBe(false));
});

describe('a thread is done with that was closed by', () => {
  test.each([
    ['its reviewer', { resolvedBy: actor('monalisa') }],
    ['another person', { resolvedBy: actor('octocat') }],
    ['an account that is gone', { resolvedBy: null }],
    [
      'the bot that began it',
      {
        resolvedBy: actor('coderabbitai', true),
        comments: [{ author: actor('coderabbitai', true), at: '2027-01-02T00:00:00Z', body: 'XSS' }],
      },
    ],
  ] satisfies readonly [string, Partial<Thread>][])('%s', (_, fields) =>
    expect(isDone(thread(fields))).toBe(true),
  );
});

describe('closed by the author, what counts as a change:', () => {
  test.each<[SelfResolved, string, Thread, Partial<CollectedPull>, boolean]>([
    ['lines', 'the lines changed', thread({ isOutdated: true }), later(), true],
    ['lines', 'another commit', thread(), later(), false],
    ['lines', 'a thread on a file and another commit', thread({ line: null }), later(), true],
    ['lines', 'a thread on a file and a merge', thread({ line: null }), later(2), false],
    ['lines', 'a thread on a file and nothing', thread({ line: null }), {}, false],
    ['commit', 'another commit', thread(), later(), true],
    ['commit', 'a merge of the base', thread(), later(2), false],
    ['commit', 'a later commit after a force-push', thread({ sha: head('f') }), later(), true],
    ['commit', 'only earlier commits after a force-push', thread({ sha: head('f') }), {}, false],
    ['commit', 'nothing', thread(), {}, false],
    ['trust', 'nothing', thread(), {}, true],
  ])('%s: %s', (rule, _, one, fields, done) => expect(isDone(one, { rule, ...fields })).toBe(done));
});

test('an open thread is open under any rule', () => {
  for (const rule of ['lines', 'commit', 'trust'] as const)
    expect(isDone(thread({ isResolved: false, resolvedBy: null, isOutdated: true }), { rule })).toBe(false);
});

describe('a thread of ours', () => {
  const ours = (state: string, fields: Partial<Thread> = {}): Thread =>
    thread({
      isResolved: false,
      resolvedBy: null,
      comments: [
        {
          author: actor('evident', true),
          at: '2027-01-02T00:00:00Z',
          body: `**Important (F1)**\n\n${writeMarker({
            kind: 'thread',
            state,
            known: {
              id: 'F1',
              key: 'logic.0123456789.0123456789abcdef.01234567.0' as FindingKey,
              rule: 'falsy-zero',
              severity: 'important',
              category: 'logic',
              origin: 'introduced',
              title: 'x',
              path: 'a.ts',
              side: 'RIGHT',
              line: 1,
              height: 1,
            },
          })}`,
        },
      ],
      ...fields,
    });
  test.each([
    [`fixed ${head('b')}`, true],
    ['dismissed monalisa 2027-01-02T00:00:00Z', true],
    ['F2 withdrawn monalisa 2027-01-02T00:00:00Z', true],
    [`obsolete ${head('b')}`, true],
    ['yes suppress_finding monalisa 2027-01-02T00:00:00Z', true],
    ['open', false],
    [`back ${head('b')}`, false],
    ['F2 open no monalisa', false],
    ['unsure lower_confidence monalisa 2027-01-02T00:00:00Z', false],
    ['uncertain monalisa 2027-01-02T00:00:00Z', false],
    ['open waits dismiss hubot 1', false],
  ])('says %j: done with is %s', (state, done) => expect(isDone(ours(state))).toBe(done));

  test('that its author closed while it says open stays open', () =>
    expect(isDone(ours('open', { isResolved: true, resolvedBy: actor('hubot') }))).toBe(false));
});

test('an agent that closes its threads without a change gains nothing', () => {
  const open = Array.from({ length: 3 }, (_, index) =>
    thread({ id: `T${index}`, isResolved: false, resolvedBy: null }),
  );
  const closed = open.map((one) => ({ ...one, isResolved: true, resolvedBy: actor('hubot') }));
  const learnedFrom = (threads: readonly Thread[], fields: Partial<CollectedPull> = {}) => {
    const { prs } = score([toReviewedPull(pull(threads, fields))], settingsOf(), 0);
    return { prs, arms: learnedArms(learn(nothingLearned, { pulls: prs, sessions: [] }).learned) };
  };
  const honest = learnedFrom(open);
  expect(honest.prs[0]).toMatchObject({ security: 3, raw: 0.18, penalty: 0.15 });
  expect(learnedFrom(closed)).toEqual(honest);
  // Nor by pushing something else.
  expect(learnedFrom(closed, later())).toEqual(honest);
  // Mending the lines does.
  expect(learnedFrom(closed.map((one) => ({ ...one, isOutdated: true }))).arms).toEqual([
    { category: 'other', alpha: 2, beta: 1, updates: 1 },
  ]);
});
