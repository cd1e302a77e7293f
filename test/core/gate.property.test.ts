import fc from 'fast-check';
import { noUsage } from '../../lib/core/budget.js';
import { blocks, findingKey, type Finding, type FindingId } from '../../lib/core/finding.js';
import { decide, type GateInput } from '../../lib/core/gate.js';
import { addPass, emptyLedger, matchKnown, type Ledger, type PassRecord } from '../../lib/core/ledger.js';
import { lensFor } from '../../lib/modes/lens.js';
import { diff, policy, pullRequest, sha } from './shop.js';

const record = (over: Partial<PassRecord>): PassRecord => ({
  v: 2,
  at: 0,
  jobKey: 'octo-org/shop#482',
  head: sha('3'),
  baseRef: 'main',
  diffHash: 'd0',
  policyHash: 'p',
  lens: 'correctness',
  order: 'as_shown',
  model: 'model',
  modelKind: 'language_model',
  finished: true,
  complete: true,
  blocking: [],
  findings: [],
  questions: [],
  settled: [],
  usage: noUsage,
  ...over,
});

const file = ['one', 'two', 'three', 'four', 'five'];
const findingAt = (line: number, over: Partial<Finding> = {}): Finding => ({
  id: `F${line}`,
  key: findingKey({ lineage: 'src/a.ts', category: 'logic', file, start: line, end: line, nth: 0 }),
  anchor: { kind: 'line', path: 'src/a.ts', side: 'RIGHT', line },
  rule: 'falsy-zero',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  origin: 'introduced',
  title: 'a refund of 0 charges the full amount',
  body: '',
  evidence: [],
  standing: { kind: 'open' },
  ...over,
});

const input = (over: Partial<GateInput> = {}): GateInput => ({
  policy: policy('blocking'),
  pullRequest,
  diff,
  diffHash: 'd0',
  policyHash: 'p',
  realForge: true,
  ...over,
});

/** Any two ways of reading; the gate counts what differs. */
const way = fc.record({
  lens: fc.constantFrom('correctness' as const, 'contracts' as const, 'security' as const),
  order: fc.constantFrom('as_shown' as const, 'reverse' as const),
  model: fc.constantFrom('model', 'other'),
});
/** What never earns a pass, whatever it saw. */
const worthless = fc.constantFrom<Partial<PassRecord>>(
  { complete: false },
  { finished: false },
  { finished: false, complete: false },
  { modelKind: 'rules' },
);
const author = fc.constantFrom('person' as const, 'agent' as const, 'unknown' as const);
const inOrder = (passes: readonly Partial<PassRecord>[]): readonly PassRecord[] =>
  passes.map((over, at) => record({ ...over, at }));

const clean = way.map((over) => ({ ...over }));
const anyPass = fc.oneof(
  clean,
  fc.tuple(way, worthless).map(([a, b]) => ({ ...a, ...b })),
);

test('what is open and blocks never passes, however often and in whatever way it is read again', () =>
  fc.assert(
    fc.property(
      fc.array(anyPass, { minLength: 1, maxLength: 30 }),
      fc.nat({ max: 29 }),
      author,
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
      (passes, at, kind, lines) => {
        const findings = [...new Set(lines)].map((line) => findingAt(line));
        const seenIn = at % passes.length;
        const records = inOrder(
          passes.map((pass, index) =>
            index === seenIn ? { ...pass, blocking: findings.map(({ key }) => key) } : pass,
          ),
        );
        const verdict = decide(
          { passes: records, findings, questions: [] },
          input({ pullRequest: { author: { login: 'hubot', kind } } }),
        );
        expect(['fix', 'incomplete']).toContain(verdict.kind);
      },
    ),
  ));

test('it passes over pushes no sooner: then a person is asked, and only then', () =>
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 4 }), (diffs, reads) => {
      const finding = findingAt(2);
      const passes = inOrder(
        Array.from({ length: diffs * reads }, (_, index) => ({
          diffHash: `d${Math.floor(index / reads)}`,
          blocking: [finding.key],
        })),
      );
      const verdict = decide(
        { passes, findings: [finding], questions: [] },
        input({ diffHash: `d${diffs - 1}` }),
      );
      expect(verdict.kind).toBe(diffs > 3 ? 'escalated' : 'fix');
    }),
  ));

test('passes that are cut short, failed or of the fixed rules never count', () =>
  fc.assert(
    fc.property(fc.array(fc.tuple(way, worthless), { maxLength: 20 }), author, way, (passes, kind, real) => {
      const records = passes.map(([a, b]) => ({ ...a, ...b }));
      const over = input({ pullRequest: { author: { login: 'hubot', kind } } });
      const alone = decide({ passes: inOrder(records), findings: [], questions: [] }, over);
      expect(alone.kind).toBe('incomplete');
      const withOne = decide({ passes: inOrder([...records, real]), findings: [], questions: [] }, over);
      expect(withOne).toEqual(
        kind === 'person' ? { kind: 'passed', streak: 1 } : { kind: 'review_again', done: 1, required: 2 },
      );
    }),
  ));

test('mixed in between, they take nothing away either', () =>
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          clean,
          clean,
          fc.tuple(way, worthless).map(([a, b]) => ({ ...a, ...b })),
        ),
        {
          minLength: 1,
          maxLength: 12,
        },
      ),
      way,
      (passes, last) => {
        const all = [...passes, last];
        const counting = all.filter(
          (pass) => !('complete' in pass || 'finished' in pass || 'modelKind' in pass),
        );
        const verdictOf = (some: typeof all) =>
          decide({ passes: inOrder(some), findings: [], questions: [] }, input());
        expect(verdictOf(all)).toEqual(verdictOf(counting));
      },
    ),
  ));

test('of one model, passes that read the same way are one pass', () =>
  fc.assert(
    fc.property(way, fc.integer({ min: 1, max: 20 }), (same, times) => {
      const passes = inOrder(Array.from({ length: times }, () => same));
      expect(decide({ passes, findings: [], questions: [] }, input())).toEqual({
        kind: 'review_again',
        done: 1,
        required: 2,
      });
    }),
  ));

test('the verdict is a function of the ledger: the order of findings, and asking twice, change nothing', () =>
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          line: fc.integer({ min: 1, max: 5 }),
          severity: fc.constantFrom('important' as const, 'nit' as const),
          origin: fc.constantFrom('introduced' as const, 'pre_existing' as const),
          standing: fc.constantFrom<Finding['standing']>(
            { kind: 'open' },
            { kind: 'fixed', in: sha('4') },
            { kind: 'dismissed', by: 'monalisa', at: '2026-01-01T00:00:00Z' },
          ),
        }),
        { maxLength: 8 },
      ),
      fc.array(anyPass, { maxLength: 8 }),
      fc.infiniteStream(fc.nat()),
      (some, passes, order) => {
        const findings = some.map(({ line, ...over }, index) =>
          findingAt(line, { ...over, id: `F${index + 1}` }),
        );
        const shuffled = findings
          .map((finding) => ({ finding, at: order.next().value ?? 0 }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ finding }) => finding);
        const ledger = deepFrozen({ passes: inOrder(passes), findings, questions: [] });
        const first = decide(ledger, input());
        expect(decide(ledger, input())).toEqual(first);
        expect(byId(decide({ ...ledger, findings: shuffled }, input()))).toEqual(byId(first));
      },
    ),
  ));

/** A pass names its findings as `finalize` does: what is known keeps its number, whatever it is called now. */
function readWith(ledger: Ledger, lines: readonly number[], rule: string, diffHash: string): Ledger {
  const wanted = lines.map((line) => findingAt(line, { rule }));
  const known = matchKnown(wanted, ledger.known);
  let next = ledger.nextFinding;
  const findings = wanted.map((finding, index): Finding => {
    const before = known.get(index);
    return before === undefined
      ? { ...finding, id: `F${next++}` }
      : { ...finding, id: before.id as FindingId, key: before.key };
  });
  const gone = ledger.findings.filter(
    ({ id, standing }) => standing.kind === 'open' && !findings.some((one) => one.id === id),
  );
  return addPass(
    ledger,
    {
      findings,
      questions: [],
      settled: gone.map((one) => ({ ...one, standing: { kind: 'fixed', in: sha('4') } })),
    },
    record({
      at: ledger.passes.length,
      diffHash,
      ...lensFor(ledger.passes, diffHash),
      blocking: findings.filter(blocks).map(({ key }) => key),
      findings: findings.map(({ id }) => id),
    }),
  );
}

test('a model that renames its rules in every pass converges: one bug is one finding, and once fixed it passes', () =>
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 }),
      fc.array(fc.stringMatching(/^[a-z]{3,12}-[a-z]{3,12}$/), { minLength: 2, maxLength: 10 }),
      (lines, names) => {
        let ledger = emptyLedger;
        for (const name of names) ledger = readWith(ledger, lines, name, 'd0');
        expect(ledger.findings).toHaveLength(lines.length);
        expect(decide(ledger, input())).toMatchObject({ kind: 'fix', round: 1 });
        ledger = readWith(ledger, [], 'none', 'd1');
        expect(decide(ledger, input({ diffHash: 'd1' }))).toMatchObject({ kind: 'review_again', done: 1 });
        ledger = readWith(ledger, [], 'none', 'd1');
        expect(decide(ledger, input({ diffHash: 'd1' }))).toEqual({ kind: 'passed', streak: 2 });
      },
    ),
  ));

const byId = (verdict: ReturnType<typeof decide>): unknown =>
  verdict.kind === 'fix' ? { ...verdict, blocking: verdict.blocking.map(({ id }) => id).sort() } : verdict;

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFrozen(inner);
    Object.freeze(value);
  }
  return value;
}
