import { fileDigests, type FileDiff } from '../../lib/core/diff.js';
import { noSpend, noUsage } from '../../lib/core/budget.js';
import { addPass, type Ledger } from '../../lib/core/ledger.js';
import { finalize, type ReviewResult } from '../../lib/core/review-result.js';
import type { ProposedFinding } from '../../lib/core/submission.js';
import { submitCodeReview } from '../../lib/tools/submit-code-review.js';
import { calls, changeOf, sha, snapshot, sourceOf } from './shop.js';

export type Tree = Readonly<Record<string, string>>;

/** One pass over a tree, blind first and then asked; the ledger after it. */
export async function pass(
  ledger: Ledger,
  base: Tree,
  tree: Tree,
  {
    findings = [],
    prior,
    diff = changeOf(base, tree),
    unread = [],
  }: {
    readonly findings?: readonly ProposedFinding[];
    readonly prior?: readonly object[];
    readonly diff?: readonly FileDiff[];
    readonly unread?: readonly string[];
  } = {},
): Promise<{ readonly result: ReviewResult; readonly ledger: Ledger; readonly asked: boolean }> {
  const source = sourceOf({ base, head: tree });
  const served = [...new Set([...Object.keys(base), ...Object.keys(tree)])]
    .filter((path) => !unread.includes(path))
    .flatMap((path) => (['head', 'base'] as const).map((ref) => ({ path, ref, start: 1, end: 999 })));
  const at = { ...snapshot, diff, pullRequest: { ...snapshot.pullRequest, changedFiles: diff.length } };
  const tool = submitCodeReview({
    snapshot: at,
    source,
    openFindings: ledger.findings.filter(({ standing }) => standing.kind === 'open'),
  });
  const blind = await tool.accept({ findings }, { served, calls }, false);
  if (blind.kind === 'sent_back') throw new Error(blind.reasons.join('\n'));
  const answered =
    blind.kind === 'asked' && prior !== undefined
      ? await tool.accept({ prior }, { served, calls, held: blind }, false)
      : blind;
  if (answered.kind === 'sent_back') throw new Error(answered.reasons.join('\n'));
  const result = await finalize({
    accepted: answered.value,
    dropped: answered.dropped,
    ledger,
    snapshot: at,
    source,
    spend: noSpend,
  });
  const number = ledger.passes.length + 1;
  return {
    result,
    asked: blind.kind === 'asked',
    ledger: addPass(ledger, result, {
      v: 2,
      at: number,
      jobKey: `${number}`,
      head: sha('3'),
      baseRef: 'main',
      diffHash: `${number}`,
      policyHash: 'p',
      lens: 'correctness',
      order: 'as_shown',
      model: 'scripted',
      modelKind: 'language_model',
      finished: true,
      complete: result.coverage.complete,
      blocking: [],
      findings: result.findings.map(({ id }) => id),
      questions: [],
      settled: (result.settled ?? []).map(({ id }) => ({ id, kind: 'fixed' })),
      files: fileDigests(diff),
      usage: noUsage,
    }),
  };
}
export const standings = ({ findings }: Ledger) =>
  findings.map(({ id, standing }) => `${id} ${standing.kind}`);
