import { emptyLedger, type Ledger } from '../../lib/core/ledger.js';
import type { ProposedFinding } from '../../lib/core/submission.js';
import { pass as passOver, standings, type Tree } from './played-pass.js';
import { changeOf } from './shop.js';

const base: Tree = {
  'src/pay.ts':
    'import { log } from "./log.js";\n\nexport function pay(order) {\n  return charge(order.total);\n}\n',
  'src/checkout.ts': 'export function checkout(order) {\n  return pay(order);\n}\n',
  'src/other.ts': 'export const other = 1;\n',
};
const code = '  const amount = order.refund || order.total;';
const pay = (...before: readonly string[]) =>
  [
    'import { log } from "./log.js";',
    '',
    'export function pay(order) {',
    ...before,
    code,
    '  return charge(amount);',
    '}',
    '',
  ].join('\n');
const first: Tree = { ...base, 'src/pay.ts': pay() };
const guarded: Tree = {
  ...first,
  'src/checkout.ts':
    'export function checkout(order) {\n  if (order.refund === 0) return nothing();\n  return pay(order);\n}\n',
};

const claim: ProposedFinding = {
  path: 'src/pay.ts',
  line: 4,
  code,
  rule: 'falsy-zero',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  title: 'a refund of 0 charges the full amount',
  body: 'Zero falls through.',
  evidence: [
    { path: 'src/checkout.ts', ref: 'head', start: 1, end: 1, quote: 'export function checkout(order) {' },
  ],
  absences: [],
};
const claimIn = (tree: Tree, path: string): ProposedFinding => ({
  ...claim,
  path,
  line: tree[path]!.split('\n').indexOf(code) + 1,
});

const pass = (ledger: Ledger, tree: Tree, said?: Parameters<typeof passOver>[3]) =>
  passOver(ledger, base, tree, said);
const opened = (await pass(emptyLedger, first, { findings: [claim] })).ledger;
const guard = [
  {
    path: 'src/checkout.ts',
    ref: 'head',
    start: 2,
    end: 2,
    quote: 'if (order.refund === 0) return nothing();',
  },
];

test('a guard in the caller fixes it, when the pass says so and shows it', async () => {
  const { ledger, result, asked } = await pass(opened, guarded, {
    prior: [{ id: 'F1', verdict: 'fixed', evidence: guard }],
  });
  expect(asked).toBe(true);
  expect(standings(ledger)).toEqual(['F1 fixed']);
  expect(result.settled).toMatchObject([{ id: 'F1', standing: { kind: 'fixed' } }]);
  expect(result.prior).toMatchObject([{ id: 'F1', said: 'fixed', kind: 'fixed' }]);
  expect(result.dropped).toEqual([]);
});

test.each<readonly [string, readonly object[] | undefined]>([
  ['nothing', undefined],
  ['nothing of it', []],
  ['that it cannot tell', [{ id: 'F1', verdict: 'cannot_tell' }]],
  ['that it is still there', [{ id: 'F1', verdict: 'still' }]],
])('it stays open when the pass says %s', async (_name, prior) => {
  expect(standings((await pass(opened, guarded, { prior })).ledger)).toEqual(['F1 open']);
});

test('on code that is as it was, "fixed" is refused, and the refusal is listed', async () => {
  const { ledger } = await pass(emptyLedger, guarded, { findings: [{ ...claim }] });
  const again = await pass(ledger, guarded, { prior: [{ id: 'F1', verdict: 'fixed', evidence: guard }] });
  expect(standings(again.ledger)).toEqual(['F1 open']);
  expect(again.result.dropped).toEqual([
    {
      what: 'F1 is said to be fixed',
      why: 'the change of src/checkout.ts is what it was when it was last reported',
    },
  ]);
});

test('what was fixed and is found again is open again, under its number, and that is said', async () => {
  const fixed = await pass(opened, guarded, { prior: [{ id: 'F1', verdict: 'fixed', evidence: guard }] });
  const back = await pass(fixed.ledger, first, { findings: [claim] });
  expect(standings(back.ledger)).toEqual(['F1 open']);
  expect(back.result.cameBack).toEqual(['F1']);
  expect((await pass(opened, first, { findings: [claim] })).result.cameBack).toEqual([]);
});

test('a word about what is not asked about changes nothing', async () => {
  const dismissed: Ledger = {
    ...opened,
    findings: opened.findings.map((one) => ({
      ...one,
      standing: { kind: 'dismissed', by: 'monalisa', at: '2026-01-01T00:00:00Z' },
    })),
  };
  const { ledger, asked } = await pass(dismissed, guarded, {
    prior: [{ id: 'F1', verdict: 'fixed', evidence: guard }],
  });
  expect(asked).toBe(false);
  expect(standings(ledger)).toEqual(['F1 dismissed']);
});

describe('accused lines that are gone', () => {
  const without: Tree = { ...first, 'src/pay.ts': base['src/pay.ts']! };

  test('are fixed, whatever is said or not', async () => {
    const diff = changeOf(base, { ...without, 'src/other.ts': 'export const other = 2;\n' });
    const tree = { ...without, 'src/other.ts': 'export const other = 2;\n' };
    for (const prior of [
      undefined,
      [],
      [{ id: 'F1', verdict: 'cannot_tell' }],
      [{ id: 'F1', verdict: 'still' }],
    ])
      expect(standings((await pass(opened, tree, { prior, diff })).ledger)).toEqual(['F1 fixed']);
  });

  test('are not, when the pass shows where it still goes wrong', async () => {
    const rewritten: Tree = { ...first, 'src/pay.ts': pay().replace('||', '  ? order.refund :') };
    const at = {
      path: 'src/pay.ts',
      ref: 'head',
      start: 4,
      end: 4,
      quote: rewritten['src/pay.ts']!.split('\n')[3],
    };
    const { ledger } = await pass(opened, rewritten, {
      prior: [{ id: 'F1', verdict: 'still', evidence: [at] }],
    });
    expect(standings(ledger)).toEqual(['F1 open']);
  });

  test('are not while their file was not read', async () => {
    const rewritten: Tree = { ...first, 'src/pay.ts': pay().replace('||', '??') };
    expect(standings((await pass(opened, rewritten, { unread: ['src/pay.ts'] })).ledger)).toEqual([
      'F1 open',
    ]);
    expect(standings((await pass(opened, rewritten)).ledger)).toEqual(['F1 fixed']);
  });

  const elsewhere: Tree = {
    ...without,
    'src/other.ts': `export const other = 1;\n${pay().split('\n').slice(2).join('\n')}`,
  };

  test('are not, when this change has put them into another file', async () => {
    expect(standings((await pass(opened, elsewhere)).ledger)).toEqual(['F1 open']);
  });

  test('are the same finding there, reported or said to have moved', async () => {
    const reported = await pass(opened, elsewhere, { findings: [claimIn(elsewhere, 'src/other.ts')] });
    expect(standings(reported.ledger)).toEqual(['F1 open']);
    const line = elsewhere['src/other.ts']!.split('\n').indexOf(code) + 1;
    const at = { path: 'src/other.ts', ref: 'head', start: line, end: line, quote: code };
    const moved = await pass(opened, elsewhere, { prior: [{ id: 'F1', verdict: 'moved', evidence: [at] }] });
    expect(moved.result.findings).toMatchObject([
      { id: 'F1', anchor: { path: 'src/other.ts', line }, standing: { kind: 'open' }, title: claim.title },
    ]);
    // From then on it is known there, and fixed when it is gone from there.
    const again = await pass(moved.ledger, elsewhere, { findings: [claimIn(elsewhere, 'src/other.ts')] });
    expect(standings(again.ledger)).toEqual(['F1 open']);
    expect(standings((await pass(moved.ledger, { ...base, 'src/checkout.ts': '// x\n' })).ledger)).toEqual([
      'F1 fixed',
    ]);
  });

  test('reworded at another place and said to have moved there: one finding, under the old number', async () => {
    const reworded: Tree = { ...without, 'src/other.ts': 'export const due = (o) => o.refund || o.total;\n' };
    const at = {
      path: 'src/other.ts',
      ref: 'head',
      start: 1,
      end: 1,
      quote: 'export const due = (o) => o.refund || o.total;',
    };
    const { ledger, result } = await pass(opened, reworded, {
      findings: [{ ...claim, path: 'src/other.ts', line: 1, code: at.quote }],
      prior: [{ id: 'F1', verdict: 'moved', evidence: [at] }],
    });
    expect(standings(ledger)).toEqual(['F1 open']);
    expect(result.findings).toHaveLength(1);
  });
});

describe('a new file', () => {
  const added: Tree = { ...base, 'src/new.ts': pay() };
  const findings = [claimIn(added, 'src/new.ts')];

  test('that is taken back takes its findings with it', async () => {
    const { ledger } = await pass(emptyLedger, added, { findings });
    const back: Tree = { ...base, 'src/other.ts': 'export const other = 2;\n' };
    expect(standings((await pass(ledger, back)).ledger)).toEqual(['F1 fixed']);
  });

  test('that has another name now does not', async () => {
    const { ledger } = await pass(emptyLedger, added, { findings });
    const renamed: Tree = { ...base, 'src/named.ts': `// a word\n${pay('  log(order);')}` };
    expect(standings((await pass(ledger, renamed)).ledger)).toEqual(['F1 open']);
    const rewritten: Tree = { ...base, 'src/named.ts': pay().replace('||', '??') };
    expect(standings((await pass(ledger, rewritten)).ledger)).toEqual(['F1 fixed']);
    expect(standings((await pass(ledger, rewritten, { unread: ['src/named.ts'] })).ledger)).toEqual([
      'F1 open',
    ]);
  });
});
