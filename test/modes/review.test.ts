import { noConversation } from '../../lib/core/conversation.js';
import { parseDiff } from '../../lib/core/diff.js';
import { defaultPolicy } from '../../lib/core/policy.js';
import { Sha } from '../../lib/core/pull-request.js';
import type { Snapshot } from '../../lib/core/snapshot.js';
import type { Trigger } from '../../lib/core/trigger.js';
import { runLoop, toolDefinitions } from '../../lib/agent/loop.js';
import { createMemoryReader } from '../../lib/forges/memory.js';
import { calls, createScriptedModel } from '../../lib/models/scripted.js';
import { taskFor } from '../../lib/modes/index.js';
import { lensFor } from '../../lib/modes/lens.js';
import { reviewBudget, reviewTask, type ReviewLimits } from '../../lib/modes/review.js';

const before = 'export const amount = (refund?: number, total = 0) => {\n  return refund ?? total;\n};\n';
const base = {
  'src/refund.ts': before,
  'src/history.ts':
    'export const refundFor = (order) => {\n  if (order.refunded) return 0;\n  return undefined;\n};\n',
};
const head = { ...base, 'src/refund.ts': before.replace('??', '||') };
const diff = parseDiff(`diff --git a/src/refund.ts b/src/refund.ts
index 1111111..2222222 100644
--- a/src/refund.ts
+++ b/src/refund.ts
@@ -1,3 +1,3 @@
 export const amount = (refund?: number, total = 0) => {
-  return refund ?? total;
+  return refund || total;
 };
`);
const sha = (digit: string) => Sha.parse(digit.repeat(40));

const snapshot: Snapshot = {
  pullRequest: {
    repo: { owner: 'octo-org', name: 'shop', htmlUrl: 'https://github.example/octo-org/shop' },
    number: 7,
    htmlUrl: 'https://github.example/octo-org/shop/pull/7',
    title: 'Refunds',
    body: '',
    author: { login: 'octocat', kind: 'person' },
    state: 'open',
    draft: false,
    labels: [],
    base: { ref: 'main', sha: sha('1') },
    head: { ref: 'refunds', sha: sha('2'), repo: 'octo-org/shop' },
    mergeBase: sha('1'),
    changedFiles: 1,
    commits: 1,
  },
  diff,
  diffHash: 'd1',
  ...noConversation,
  policy: defaultPolicy,
  policyHash: 'p1',
  reviewRules: null,
  lacks: [],
};

const given = {
  snapshot,
  reader: createMemoryReader({ head, base }),
  lens: 'correctness',
  order: 'as_shown',
  clock: () => 1_000_000,
  deadline: 1_000_000 + 600_000,
  modelKind: 'language_model',
} as const;

test('a review has the read-only tools and ends in one way', () => {
  const { toolset } = reviewTask(given);
  expect(toolDefinitions(toolset).map(({ name }) => name)).toEqual([
    'get_pr_info',
    'get_pr_diff',
    'list_files',
    'search_code',
    'get_file_content',
    'get_file_at_base',
    'submit_code_review',
  ]);
});

test('the prompt speaks of every tool by its name, and of no other', () => {
  const { toolset, system, opening } = reviewTask(given);
  const names = new Set(toolDefinitions(toolset).map(({ name }) => name));
  const text = system + JSON.stringify(opening);
  const spoken = [...text.matchAll(/\b(?:get|list|search|submit)_[a-z_]+/g)].map(([name]) => name);
  expect(spoken.length).toBeGreaterThan(3);
  expect(spoken.filter((name) => !names.has(name))).toEqual([]);
});

test('the task is the same whenever it is made: a resumed run finds its journal', () => {
  const later = reviewTask({ ...given, clock: () => 1_300_000, deadline: 1_700_000 });
  const { system, opening } = reviewTask(given);
  expect([later.system, later.opening]).toEqual([system, opening]);
});

test('a secret in the rules of the repository does not reach the prompt', () => {
  const secret = `ghp_${'a1B2c3D4e5'.repeat(3)}f6G7h8`;
  const { opening } = reviewTask({ ...given, snapshot: { ...snapshot, reviewRules: `token: "${secret}"` } });
  expect(JSON.stringify(opening)).not.toContain(secret);
  expect(JSON.stringify(opening)).toContain('[secret: ');
});

test('rules that the settings name stand in the opening, their secrets do not', () => {
  const secret = `ghp_${'a1B2c3D4e5'.repeat(3)}f6G7h8`;
  const rules = [{ rule: 'no-tokens', text: `like token: "${secret}"` }];
  const { opening } = reviewTask({
    ...given,
    snapshot: { ...snapshot, policy: { ...defaultPolicy, review: { ...defaultPolicy.review, rules } } },
  });
  expect(JSON.stringify(opening)).toContain('| no-tokens: like token: ');
  expect(JSON.stringify(opening)).not.toContain(secret);
});

describe('the budget', () => {
  const sized = (files: number, lines: number): Snapshot => ({
    ...snapshot,
    diff: Array.from({ length: files }, (_, i) => ({
      ...diff[0]!,
      path: `f${i}`,
      additions: i === 0 ? lines : 0,
      deletions: 0,
    })),
  });
  const sizes: readonly (readonly [number, number, number])[] = [
    [1, 10, 40],
    [10, 500, 40],
    [40, 500, 60],
    [10, 2500, 60],
    [400, 20_000, 100],
  ];
  test.each(sizes)('%i files and %i lines: %i turns', (files, lines, turns) => {
    const budget = reviewBudget({ ...given, snapshot: sized(files, lines) });
    expect(budget).toMatchObject({ turns, toolCalls: turns * 4, dollars: 0.6, submissionTries: 3 });
    expect(budget.tokens).toBe(turns * 37_500);
  });

  test('what a person set counts, and nothing else is taken from it', () => {
    const limits: ReviewLimits = { dollars: 1.2, turns: 5 };
    expect(reviewBudget({ ...given, limits: { ...limits, tokens: undefined } })).toMatchObject({
      dollars: 1.2,
      turns: 5,
      toolCalls: 160,
      tokens: 1_500_000,
    });
  });

  test.each([
    [
      { dollars: 0.3, turns: 9, toolCalls: 20 },
      { dollars: 0.3, turns: 9, toolCalls: 20 },
    ],
    [
      { dollars: 5, turns: 400, toolCalls: 4_000 },
      { dollars: 0.6, turns: 40, toolCalls: 160 },
    ],
    [{ minutes: 2 }, { deadline: given.clock() + 120_000 }],
    [{ minutes: 600 }, { deadline: given.deadline }],
  ])("a repository's budget %j only lowers it", (budget, is) => {
    const snapshot = { ...given.snapshot, policy: { ...given.snapshot.policy, budget } };
    expect(reviewBudget({ ...given, snapshot })).toMatchObject(is);
  });

  test('rules are held by time and steps alone', () => {
    expect(reviewBudget({ ...given, modelKind: 'rules' })).toMatchObject({
      tokens: 0,
      dollars: 0,
      deadline: given.deadline,
    });
  });

  const closing: readonly (readonly [number, number])[] = [
    [600_000, 45_000],
    [100_000, 20_000],
    [-5, 0],
  ];
  test.each(closing)('of %i ms, %i are kept for closing', (left, kept) => {
    expect(reviewBudget({ ...given, deadline: given.clock() + left }).closingMs).toBe(kept);
  });
});

describe('passes in a row', () => {
  test('differ in lens and in order', () => {
    const counts = { finished: true, complete: true };
    const passes = [
      { diffHash: 'older', ...counts },
      { diffHash: 'd1', finished: true, complete: false },
    ];
    const read = [0, 1, 2, 3].map(() => {
      const next = lensFor(passes, 'd1');
      passes.push({ diffHash: 'd1', ...counts });
      return `${next.lens} ${next.order}`;
    });
    expect(read).toEqual([
      'correctness as_shown',
      'contracts reverse',
      'security as_shown',
      'correctness reverse',
    ]);
  });

  test('a task takes the next one, unless it is told', () => {
    const trigger: Trigger = {
      kind: 'pull_request',
      reason: 'opened',
      owner: 'octo-org',
      repo: 'shop',
      number: 7,
      head: sha('2'),
      draft: false,
      installation: 1,
      sender: 'octocat',
    };
    const { lens: _l, order: _o, ...rest } = given;
    expect(taskFor({ ...rest, trigger })).toMatchObject({
      kind: 'review',
      lens: 'correctness',
      order: 'as_shown',
    });
    expect(taskFor({ ...rest, trigger, lens: 'security' })).toMatchObject({
      lens: 'security',
      order: 'as_shown',
    });
  });
});

test('a whole review: read, cite, submit, with a claim sent back on the way', async () => {
  const task = reviewTask(given);
  const finding = {
    path: 'src/refund.ts',
    line: 2,
    code: '  return refund || total;',
    rule: 'falsy-zero',
    severity: 'important',
    category: 'logic',
    confidence: 'high',
    title: 'a refund of 0 charges the full amount',
    body: '`refundFor` returns 0 for a refunded order (`history.ts:2`); `||` turns that into `total`. At base it was `??`.',
    suggestion: '  return refund ?? total;',
    evidence: [{ path: 'src/refund.ts', ref: 'base', start: 2, end: 2, quote: '  return refund ?? total;' }],
  };
  const unread = {
    path: 'src/history.ts',
    ref: 'head',
    start: 2,
    end: 2,
    quote: '  if (order.refunded) return 0;',
  };
  const submit = (evidence: readonly object[]) =>
    calls({
      name: 'submit_code_review',
      input: { findings: [{ ...finding, evidence }], summary: 'Changes how refunds default.' },
    });
  const model = createScriptedModel([
    calls({ name: 'get_pr_info', input: {} }, { name: 'get_pr_diff', input: {} }),
    submit([...finding.evidence, unread]),
    calls({ name: 'search_code', input: { pattern: 'return 0' } }),
    submit([...finding.evidence, unread]),
  ]);
  const { outcome } = await runLoop({
    model,
    toolset: task.toolset,
    system: task.system,
    opening: task.opening,
    budget: task.budget,
    clock: given.clock,
    signal: new AbortController().signal,
  });
  expect(outcome).toMatchObject({
    kind: 'submitted',
    dropped: [],
    value: {
      findings: [
        {
          anchor: { kind: 'line', path: 'src/refund.ts', line: 2, side: 'RIGHT' },
          origin: 'introduced',
          severity: 'important',
          suggestion: '  return refund ?? total;',
        },
      ],
    },
  });
  const sentBack = model.requests[2]?.messages.at(-1)?.content[0];
  expect(sentBack).toMatchObject({ type: 'tool_result', isError: true });
  expect((sentBack as { text: string }).text).toContain(
    'src/history.ts:2 (head) was not read in this run: read it first',
  );
});
