import { runLoop } from '../../../lib/agent/loop.js';
import { noSpend } from '../../../lib/core/budget.js';
import { fileDigests } from '../../../lib/core/diff.js';
import { emptyLedger, type Ledger, type PassRecord } from '../../../lib/core/ledger.js';
import { finalize } from '../../../lib/core/review-result.js';
import { createMemoryReader } from '../../../lib/forges/memory.js';
import { createRulesModel } from '../../../lib/models/rules.js';
import { priorVerdicts } from '../../../lib/models/rules/prior.js';
import { reviewTask } from '../../../lib/modes/review.js';
import { createEvidenceSource } from '../../../lib/tools/evidence-source.js';
import { file, reviewChange, snapshotOf, type Edit, type Tree } from './review-change.js';

const total = (start: string) =>
  file(
    'export function total(cart: Cart) {',
    `  return cart.items.map(price).reduce((a, b) => a + b${start});`,
    '}',
  );
const pay = (...before: readonly string[]) =>
  file(
    "import { total } from './total.js';",
    '',
    'export function pay(cart: Cart) {',
    ...before,
    '  return send(total(cart));',
    '}',
  );
const others: Tree = {
  'src/report.ts': file('export const none = (orders: Order[]) => orders.length === 0;'),
};
const base: Tree = { ...others, 'src/total.ts': total(', 0'), 'src/pay.ts': pay() };
const open: Edit = { base, head: { ...base, 'src/total.ts': total('') } };
const guarded: Edit = {
  base,
  head: { ...open.head, 'src/pay.ts': pay('  if (cart.items.length === 0) return none;') },
};

/** What the rules say of a change when `ledger` is known, finalized. */
async function reviewAgain(edit: Edit, ledger: Ledger) {
  const reader = createMemoryReader(edit);
  const snapshot = snapshotOf(edit);
  const task = reviewTask({
    snapshot,
    reader,
    lens: 'correctness',
    order: 'as_shown',
    openFindings: ledger.findings.filter(({ standing }) => standing.kind === 'open'),
    clock: Date.now,
    deadline: Date.now() + 600_000,
    modelKind: 'rules',
  });
  const { outcome, transcript } = await runLoop({
    ...task,
    model: createRulesModel(),
    clock: Date.now,
    signal: new AbortController().signal,
  });
  if (outcome.kind !== 'submitted') throw new Error(outcome.kind);
  const source = createEvidenceSource(reader);
  const result = await finalize({
    accepted: outcome.value,
    dropped: outcome.dropped,
    ledger,
    snapshot,
    source,
    spend: noSpend,
  });
  return { result, transcript };
}

/** The ledger after the rules have found the empty list. */
async function known(): Promise<Ledger> {
  const { result } = await reviewAgain(open, emptyLedger);
  const record = { findings: ['F1'], diffHash: 'before', files: fileDigests(snapshotOf(open).diff) };
  return {
    ...emptyLedger,
    findings: result.findings,
    known: result.findings.map(({ id, key, rule }) => ({ id, key, rule })),
    passes: [record as unknown as PassRecord],
    nextFinding: 2,
  };
}

test('a guard in the caller, added later: fixed, and the guard is shown', async () => {
  const ledger = await known();
  expect(ledger.findings).toMatchObject([{ id: 'F1', rule: 'unguarded-empty' }]);
  const { result, transcript } = await reviewAgain(guarded, ledger);
  expect(result.prior).toEqual([
    {
      id: 'F1',
      said: 'fixed',
      kind: 'fixed',
      why: 'put right at src/pay.ts:4 (head), which changed since',
    },
  ]);
  expect(result.settled).toMatchObject([{ id: 'F1', standing: { kind: 'fixed' } }]);
  expect(transcript.turns.map((turn) => turn.held !== undefined)).toContain(true);
});

test('the same finding again costs no further turn', async () => {
  const { transcript: once } = await reviewAgain(open, emptyLedger);
  const { result, transcript } = await reviewAgain(open, await known());
  expect(result.findings).toMatchObject([{ id: 'F1', standing: { kind: 'open' } }]);
  expect(transcript.turns).toHaveLength(once.turns.length);
});

test('of what no rule looks for they can tell nothing, and it stays open', async () => {
  const ledger = await known();
  const [finding] = ledger.findings;
  const other = { ...finding!, rule: 'race-condition' };
  const { result } = await reviewAgain(guarded, { ...ledger, findings: [other] });
  expect(result.prior).toMatchObject([{ id: 'F1', said: 'cannot_tell' }]);
  expect(result.settled).toEqual([]);
});

test('only what code can place is judged, each by its own rule', async () => {
  const { accepted } = await reviewChange(guarded);
  expect(accepted.disproved).toHaveLength(1);
  const asked = [
    'F1 src/a.ts:3-5 (important, logic, off-by-one)',
    '| F7 src/a.ts:3 (important, logic, off-by-one)',
    'F2 src/a.ts (nit, logic, off-by-one): its lines do not stand there any more',
    'F3 src/b.ts:4 (important, logic, off-by-one)',
  ].join('\n');
  const finding = { path: 'src/a.ts', line: 4, rule: 'off-by-one' };
  expect(priorVerdicts(asked, [{ kind: 'finding', finding: finding as never }, { kind: 'nothing' }])).toEqual(
    [
      { id: 'F1', verdict: 'still', evidence: [] },
      { id: 'F3', verdict: 'cannot_tell', evidence: [] },
    ],
  );
});
