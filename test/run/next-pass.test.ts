import type { Ledger } from '../../lib/core/ledger.js';
import type { PassRecord } from '../../lib/core/pass-record.js';
import type { Snapshot } from '../../lib/core/snapshot.js';
import type { Trigger } from '../../lib/core/trigger.js';
import type { Claim } from '../../lib/ports/forge.js';
import { isNextPassOwed } from '../../lib/run/next-pass.js';
import { policy } from '../core/shop.js';

const head = 'a'.repeat(40);

const snapshot = {
  pullRequest: {
    state: 'open',
    draft: false,
    head: { sha: head },
    base: { ref: 'main' },
    author: { login: 'hubot', kind: 'agent' },
    changedFiles: 1,
  },
  policy: policy('blocking', {}),
  diff: [{ path: 'src/a.ts', oldPath: 'src/a.ts' }],
  diffHash: 'd',
  policyHash: 'p',
} as unknown as Snapshot;

const pass = (lens: string, baseRef = 'main'): PassRecord =>
  ({
    diffHash: 'd',
    policyHash: 'p',
    baseRef,
    lens,
    order: 'as_listed',
    model: 'm',
    modelKind: 'llm',
    finished: true,
    complete: true,
    blocking: [],
    findings: [],
  }) as unknown as PassRecord;

const ledger = (...passes: readonly PassRecord[]): Ledger =>
  ({ findings: [], questions: [], passes }) as unknown as Ledger;

const claimed: Claim = { kind: 'claimed', checkRun: 1 };

test.each<[string, boolean, Trigger['reason'], Claim, readonly PassRecord[], readonly PassRecord[]]>([
  ['the first of two', true, 'pushed', claimed, [], [pass('correctness')]],
  ['the second of three', true, 'next_pass', claimed, [pass('a')], [pass('a'), pass('b')]],
  ['it reads as the one before did', false, 'asked', claimed, [pass('a')], [pass('a'), pass('a')]],
  ['what brought it left nothing to read', false, 'next_pass', claimed, [], [pass('a')]],
  ['without a check', false, 'pushed', { kind: 'without_check', why: '' }, [], [pass('a')]],
  [
    'the passes against another branch count for nothing',
    true,
    'base_changed',
    claimed,
    [pass('a', 'next')],
    [pass('a', 'next'), pass('a')],
  ],
])('%s: %s', (_name, expected, reason, claim, before, after) => {
  const reviewed = {
    ledger: ledger(...after),
    verdict: { kind: 'review_again', done: 1, required: 2 } as const,
    failed: null,
  };
  const turn = { trigger: { reason, head } as Trigger, claim, before: ledger(...before) };
  expect(isNextPassOwed(reviewed, snapshot, turn)).toBe(expected);
});
