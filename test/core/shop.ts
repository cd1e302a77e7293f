import { diffHash, parseDiff, type FileDiff } from '../../lib/core/diff.js';
import type { EvidenceSource, Ref, Served } from '../../lib/core/evidence.js';
import { defaultPolicy, type Policy } from '../../lib/core/policy.js';
import { Sha, type PullRequest } from '../../lib/core/pull-request.js';
import type { Snapshot } from '../../lib/core/snapshot.js';
import type { ProposedFinding } from '../../lib/core/submission.js';

/** The change that SURFACES is about: `octo-org/shop`, pull request 482, as data. */
export const base: Readonly<Record<string, string>> = {
  'src/billing/refund.ts': [
    'import { total } from "./total.js";',
    '',
    'export function amountOf(order: Order): number {',
    '  const refund = refundFor(order);',
    '  const amount = refund ?? order.total;',
    '  return charge(order, amount);',
    '}',
    '',
  ].join('\n'),
  'src/billing/refund-for.ts': [
    'export function refundFor(order: Order): number | undefined {',
    '  if (order.refunded) return 0;',
    '  return order.refund;',
    '}',
    '',
  ].join('\n'),
  'src/billing/validate.ts': [
    'export const check = (cart: Cart) => {',
    '  if (cart.items.length === 0) throw new Error("empty");',
    '};',
    '',
  ].join('\n'),
};

export const head: Readonly<Record<string, string>> = {
  ...base,
  'src/billing/refund.ts': [
    'import { total } from "./total.js";',
    '',
    'export function amountOf(order: Order): number {',
    '  const refund = refundFor(order);',
    '  const amount = refund || order.total;',
    '  return charge(order, amount);',
    '}',
    '',
  ].join('\n'),
  'config/payments.ts': [
    'export const payments = {',
    '  key: "[secret: payment key 1a2b3c]",',
    '};',
    '',
  ].join('\n'),
};

export const patch = `diff --git a/config/payments.ts b/config/payments.ts
new file mode 100644
index 0000000..1111111
--- /dev/null
+++ b/config/payments.ts
@@ -0,0 +1,3 @@
+export const payments = {
+  key: "[secret: payment key 1a2b3c]",
+};
diff --git a/src/billing/refund.ts b/src/billing/refund.ts
index 2222222..3333333 100644
--- a/src/billing/refund.ts
+++ b/src/billing/refund.ts
@@ -2,6 +2,6 @@

 export function amountOf(order: Order): number {
   const refund = refundFor(order);
-  const amount = refund ?? order.total;
+  const amount = refund || order.total;
   return charge(order, amount);
 }
`.replace('@@ -2,6 +2,6 @@\n\n', '@@ -2,6 +2,6 @@\n \n');

export const diff: readonly FileDiff[] = parseDiff(patch);

const linesOf = (text: string): readonly string[] => text.replace(/\n$/, '').split('\n');

/** Both versions from memory; a pattern is a plain regular expression. */
export function sourceOf(
  versions: Readonly<Record<Ref, Readonly<Record<string, string>>>>,
  notSearched = 0,
): EvidenceSource {
  return {
    lines: (ref, path) => {
      const text = versions[ref][path];
      return Promise.resolve(text === undefined ? null : linesOf(text));
    },
    count: ({ pattern, ref, glob }) => {
      const start = glob?.replace(/\*.*$/, '') ?? '';
      const files = Object.entries(versions[ref]).filter(([path]) => path.startsWith(start));
      if (pattern === '(') return Promise.resolve({ kind: 'bad', why: 'missing )' });
      const total = files.reduce(
        (sum, [, text]) => sum + linesOf(text).filter((line) => new RegExp(pattern).test(line)).length,
        0,
      );
      return Promise.resolve({ kind: 'counted', total, files: files.length, notSearched });
    },
  };
}

export const source = sourceOf({ base, head });

export const all = (path: string, ref: Ref = 'head'): Served => ({ path, ref, start: 1, end: 200 });

export const served: readonly Served[] = [
  all('src/billing/refund.ts'),
  all('src/billing/refund.ts', 'base'),
  all('src/billing/refund-for.ts'),
  all('src/billing/validate.ts'),
  all('config/payments.ts'),
];

export const sha = (digit: string): Sha => Sha.parse(digit.repeat(40));

export const pullRequest: PullRequest = {
  repo: { owner: 'octo-org', name: 'shop', htmlUrl: 'https://github.test/octo-org/shop' },
  number: 482,
  htmlUrl: 'https://github.test/octo-org/shop/pull/482',
  title: 'Promo box and refunds',
  body: '',
  author: { login: 'octocat', kind: 'agent', because: 'branch `agent/refunds`' },
  state: 'open',
  draft: false,
  labels: [],
  base: { ref: 'main', sha: sha('b') },
  head: { ref: 'agent/refunds', sha: sha('3'), repo: 'octo-org/shop' },
  mergeBase: sha('b'),
  changedFiles: 2,
  commits: 1,
};

export const policy = (
  mode: Policy['gate']['mode'] = 'advisory',
  gate: Partial<Policy['gate']> = {},
): Policy => ({
  ...defaultPolicy,
  gate: { ...defaultPolicy.gate, mode, ...gate },
});

export const snapshot: Snapshot = {
  pullRequest,
  diff,
  diffHash: diffHash(diff),
  threads: [],
  ownReviews: [],
  passRecords: [],
  policy: policy(),
  policyHash: 'defaults',
  reviewRules: null,
  lacks: [],
};

/** The finding of SURFACES 3.1 as a model submits it. */
export const zeroRefund: ProposedFinding = {
  path: 'src/billing/refund.ts',
  line: 5,
  code: '  const amount = refund || order.total;',
  rule: 'falsy-zero',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  title: 'a refund of 0 charges the full amount',
  body: '`refundFor` returns 0 when an order was refunded before. This line now tests it with `||`, so 0 falls through to `order.total` and the customer is charged again. Before this change it was `??`.',
  suggestion: '  const amount = refund ?? order.total;',
  evidence: [
    {
      path: 'src/billing/refund-for.ts',
      ref: 'head',
      start: 2,
      end: 2,
      quote: 'if (order.refunded) return 0;',
    },
    {
      path: 'src/billing/refund.ts',
      ref: 'base',
      start: 5,
      end: 5,
      quote: 'const amount = refund ?? order.total;',
    },
  ],
  absences: [],
};
