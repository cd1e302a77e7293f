import { noConversation } from '../../lib/core/conversation.js';
import { createTwoFilesPatch } from 'diff';
import { diffHash, parseDiff, type FileDiff } from '../../lib/core/diff.js';
import type { EvidenceSource, Ref, Served } from '../../lib/core/evidence.js';
import { defaultPolicy, type Policy } from '../../lib/core/policy.js';
import { Sha, type PullRequest } from '../../lib/core/pull-request.js';
import type { Snapshot } from '../../lib/core/snapshot.js';
import type { HumanReviewRequest, ProposedFinding } from '../../lib/core/submission.js';
import type { ToolCall } from '../../lib/core/transcript.js';

const promoBefore = [
  'export function Promo({ content }: Props) {',
  '  return <div id="promo">{content}</div>;',
  '}',
  '',
].join('\n');

/** The change that all surfaces are shown with: `octo-org/shop`, pull request 482, as data. */
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
  'src/widgets/Promo.tsx': promoBefore,
  'src/billing/validate.ts': [
    'export const check = (cart: Cart) => {',
    '  if (cart.items.length === 0) throw new Error("empty");',
    '};',
    '',
  ].join('\n'),
};

const promo = [
  "import $ from 'jquery';",
  '',
  'export function Promo({ content }: Props) {',
  '  useEffect(() => {',
  "    $('#promo').html(content);",
  '  }, [content]);',
  '  return <div id="promo">{children}</div>;',
  '}',
  '',
];

export const head: Readonly<Record<string, string>> = {
  ...base,
  'src/widgets/Promo.tsx': promo.join('\n'),
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

/** A change as git shows it, from both versions of each file. */
export function changeOf(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): readonly FileDiff[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const sections = paths
    .filter((path) => before[path] !== after[path])
    .map((path) => {
      const hunks = createTwoFilesPatch('a', 'b', before[path] ?? '', after[path] ?? '')
        .split('\n')
        .slice(3);
      const mode =
        before[path] === undefined
          ? ['new file mode 100644']
          : after[path] === undefined
            ? ['deleted file mode 100644']
            : [];
      return [
        `diff --git a/${path} b/${path}`,
        ...mode,
        `--- ${before[path] === undefined ? '/dev/null' : `a/${path}`}`,
        `+++ ${after[path] === undefined ? '/dev/null' : `b/${path}`}`,
        ...hunks,
      ].join('\n');
    });
  return parseDiff(sections.join(''));
}

export const diff: readonly FileDiff[] = changeOf(base, head);

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
  all('src/widgets/Promo.tsx'),
  all('src/widgets/Promo.tsx', 'base'),
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
  changedFiles: 3,
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
  ...noConversation,
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

/** The finding of SURFACES 3.1 about a secret. */
export const paymentKey: ProposedFinding = {
  path: 'config/payments.ts',
  line: 2,
  code: '  key: "[secret: payment key 1a2b3c]",',
  rule: 'hardcoded-secret',
  severity: 'important',
  category: 'security',
  confidence: 'high',
  title: 'a live payment key is committed.',
  body: '`config/payments.ts:2` holds a live key of the payment provider. It is in the history from this commit on: revoke it first, removing the line does not help.',
  evidence: [],
  absences: [],
};

/** A nit on the same change. */
export const nit: ProposedFinding = {
  ...zeroRefund,
  rule: 'naming',
  severity: 'nit',
  category: 'quality',
  title: '`amount` is called `refund` everywhere else',
  body: 'One name for one thing.',
  suggestion: undefined,
  evidence: [],
};

/** A problem that was there before, in a file that the change does not touch. */
export const old: ProposedFinding = {
  path: 'src/billing/refund-for.ts',
  line: 3,
  code: '  return order.refund;',
  rule: 'missing-guard',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  title: 'returns undefined for an order without a refund',
  body: 'The type says so, and no caller checks it.',
  evidence: [
    {
      path: 'src/billing/refund-for.ts',
      ref: 'head',
      start: 1,
      end: 1,
      quote: 'export function refundFor(order: Order): number | undefined {',
    },
  ],
  absences: [],
};

/** The question of SURFACES 2.1. */
export const promoQuestion: HumanReviewRequest = {
  finding: {
    path: 'src/widgets/Promo.tsx',
    line: 5,
    code: "    $('#promo').html(content);",
    rule: 'react-dom-mutation',
    severity: 'important',
    category: 'logic',
    confidence: 'medium',
    title: "this jQuery change breaks React's rendering of `#promo`",
    body: 'React renders the children of `#promo` (line 7). This line replaces them, so the next state change makes React remove nodes that are gone. If a widget owns `#promo`, that is fine.',
    evidence: [
      {
        path: 'src/widgets/Promo.tsx',
        ref: 'head',
        start: 7,
        end: 7,
        quote: '<div id="promo">{children}</div>',
      },
    ],
    absences: [],
  },
  reason: 'nothing loads or names a widget for `#promo`.',
  searched: ['#promo', 'data-widget', 'package.json'],
  question: 'Is this jQuery change required by a third-party widget?',
  answerEffects: { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' },
};

export const calls: readonly ToolCall[] = [
  { name: 'get_pr_diff', input: {}, failed: false },
  { name: 'search_code', input: { pattern: '#promo' }, failed: false },
  { name: 'search_code', input: { pattern: 'data-widget' }, failed: false },
  { name: 'search_code', input: { pattern: 'order.total' }, failed: false },
  { name: 'get_file_content', input: { path: 'package.json' }, failed: false },
  { name: 'get_file_content', input: { path: 'src/gone.ts' }, failed: true },
];
