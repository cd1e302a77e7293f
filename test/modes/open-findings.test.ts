import type { Journal } from '../../lib/ports/job-runner.js';
import type { Turn } from '../../lib/core/transcript.js';
import { diffHash } from '../../lib/core/diff.js';
import { emptyLedger, type Ledger } from '../../lib/core/ledger.js';
import type { ProposedFinding } from '../../lib/core/submission.js';
import type { Trigger } from '../../lib/core/trigger.js';
import { createMemoryReader } from '../../lib/forges/memory.js';
import {
  calls,
  createScriptedModel,
  type ScriptedModel,
  type ScriptedTurn,
} from '../../lib/models/scripted.js';
import { runReview, type Reviewed } from '../../lib/modes/run-review.js';
import { createMemoryJournal } from '../../lib/runners/index.js';
import { changeOf, sha, snapshot as shop } from '../core/shop.js';

const code = '  return order.refund || order.total;';
const base = {
  'src/pay.ts': 'export function amountOf(order) {\n  return order.refund ?? order.total;\n}\n',
  'src/checkout.ts': 'export function checkout(order) {\n  return charge(amountOf(order));\n}\n',
};
const first = { ...base, 'src/pay.ts': base['src/pay.ts'].replace('??', '||') };
const guard = '  if (order.refund === 0) return nothing();';
const guarded = {
  ...first,
  'src/checkout.ts': `export function checkout(order) {\n${guard}\n  return charge(amountOf(order));\n}\n`,
};

const claim: ProposedFinding = {
  path: 'src/pay.ts',
  line: 2,
  code,
  rule: 'falsy-zero',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  title: 'a refund of 0 charges the full amount',
  body: 'Zero falls through to the total.',
  evidence: [
    { path: 'src/pay.ts', ref: 'base', start: 2, end: 2, quote: '  return order.refund ?? order.total;' },
  ],
  absences: [],
};

const read = calls({ name: 'get_pr_info', input: {} }, { name: 'get_pr_diff', input: {} });
const submit = (input: object) => calls({ name: 'submit_code_review', input });
const fixed = {
  prior: [
    {
      id: 'F1',
      verdict: 'fixed',
      evidence: [{ path: 'src/checkout.ts', ref: 'head', start: 2, end: 2, quote: guard }],
    },
  ],
};

const trigger: Trigger = {
  kind: 'pull_request',
  reason: 'pushed',
  owner: 'octo-org',
  repo: 'shop',
  number: 482,
  head: sha('3'),
  draft: false,
  installation: 1,
  sender: 'octocat',
};

async function review(
  head: Readonly<Record<string, string>>,
  known: Ledger,
  turns: readonly ScriptedTurn[],
  { journal, signal = new AbortController().signal }: { journal?: Journal; signal?: AbortSignal } = {},
): Promise<{ readonly reviewed: Reviewed; readonly model: ScriptedModel }> {
  const diff = changeOf(base, head);
  const model = createScriptedModel(turns);
  let now = 1_000_000 + known.passes.length;
  const reviewed = await runReview({
    trigger,
    snapshot: {
      ...shop,
      diff,
      diffHash: diffHash(diff),
      pullRequest: { ...shop.pullRequest, changedFiles: diff.length },
    },
    reader: createMemoryReader({ base, head }),
    known,
    spent: () => ({ elapsedMs: 0, requests: 0 }),
    readLedger: () => Promise.resolve(known),
    model,
    limits: {},
    realForge: false,
    ...(journal !== undefined && { journal }),
    clock: () => (now += 1),
    // Too little for a second pass.
    deadline: 1_029_000,
    signal,
  });
  return { reviewed, model };
}

const before = async (): Promise<Ledger> =>
  (await review(first, emptyLedger, [read, submit({ findings: [claim] })])).reviewed.ledger;
const settledIn = ({ result }: Reviewed) =>
  (result?.settled ?? []).map(({ id, standing }) => `${id} ${standing.kind}`);

test('a push with a guard elsewhere: blind first, then asked, then fixed', async () => {
  const known = await before();
  expect(known.findings).toMatchObject([{ id: 'F1', standing: { kind: 'open' } }]);
  const { reviewed, model } = await review(guarded, known, [read, submit({ findings: [] }), submit(fixed)]);
  expect(settledIn(reviewed)).toEqual(['F1 fixed']);
  expect(reviewed.pass?.settled).toEqual([{ id: 'F1', kind: 'fixed' }]);
  const upToReview = JSON.stringify(model.requests.slice(0, 2));
  expect(upToReview).not.toContain('F1');
  expect(upToReview).not.toContain(claim.title);
  expect(model.requests[2]?.messages.at(-1)?.content).toMatchObject([
    {
      type: 'tool_result',
      isError: false,
      text: expect.stringContaining('F1 src/pay.ts:2 (important, logic, falsy-zero)'),
    },
  ]);
});

test('with nothing open, or all of it reported again, there is no further turn', async () => {
  const known = await before();
  expect((await review(guarded, emptyLedger, [read, submit({ findings: [] })])).model.requests).toHaveLength(
    2,
  );
  const again = await review(guarded, known, [read, submit({ findings: [claim] })]);
  expect(again.model.requests).toHaveLength(2);
  expect(again.reviewed.result?.findings).toMatchObject([{ id: 'F1' }]);
});

test('nor is there one over the very change that it was reported on', async () => {
  const { model, reviewed } = await review(first, await before(), [read, submit({ findings: [] })]);
  expect(model.requests).toHaveLength(2);
  expect(settledIn(reviewed)).toEqual([]);
});

test('killed between the review and the answer: taken up with both, and no turn is paid twice', async () => {
  const known = await before();
  const whole = await review(guarded, known, [read, submit({ findings: [] }), submit(fixed)]);
  const journal = createMemoryJournal();
  const kept: Turn[] = [];
  const watched: Journal = {
    ...journal,
    append: async (key, identity, turn) => {
      kept.push(turn);
      await journal.append(key, identity, turn);
    },
  };
  const stop = new AbortController();
  const dies: ScriptedTurn = () => {
    stop.abort(new Error('the process is going away'));
    return submit(fixed);
  };
  const killed = await review(guarded, known, [read, submit({ findings: [] }), dies], {
    journal: watched,
    signal: stop.signal,
  });
  expect(killed.reviewed.failed).toMatchObject({ kind: 'failed', retryable: true });
  expect(kept).toHaveLength(2);

  const resumed = await review(guarded, known, [submit(fixed)], { journal });
  expect(resumed.model.requests).toEqual(whole.model.requests.slice(2));
  expect(resumed.reviewed.result).toMatchObject({
    settled: whole.reviewed.result!.settled,
    findings: whole.reviewed.result!.findings,
    prior: whole.reviewed.result!.prior,
    coverage: whole.reviewed.result!.coverage,
  });
  expect(resumed.reviewed.spend).toMatchObject({ turns: 3 });
});

test('no answer: the review counts, the finding stays open', async () => {
  const { reviewed } = await review(guarded, await before(), [read, submit({ findings: [] })]);
  expect(reviewed.failed).toBeNull();
  expect(reviewed.ledger.findings).toMatchObject([{ id: 'F1', standing: { kind: 'open' } }]);
});
