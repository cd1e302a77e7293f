import { blocks, type Finding } from './finding.js';
import type { Ledger } from './ledger.js';
import type { PassRecord } from './pass-record.js';
import type { GateSettings } from './policy.js';
import { ruleOf } from './rules-catalogue.js';

/** How many of a panel must find something before it blocks; never more than are asked to read. */
export const votesNeeded = ({ reviewers, votes }: Pick<GateSettings, 'reviewers' | 'votes'>): number =>
  Math.min(reviewers, votes);

/**
 * The findings with the vote of the reviewers applied: one that no panel found by enough of them is listed and does not
 * block. Who did not read to the end counts as having found it. The best round counts, so that reading once more never
 * clears anything. No votes are needed by what a pass without a panel found, what an answer made, what took the place of
 * a question, what a self-evident rule shows, and what has a thread: it blocked once.
 */
export function byVotes(
  { findings, questions, threads }: Pick<Ledger, 'findings' | 'questions' | 'threads'>,
  passes: readonly PassRecord[],
  gate: Pick<GateSettings, 'reviewers' | 'votes'>,
): readonly Finding[] {
  const settled = new Set<string>([
    ...threads.map(({ id }) => id),
    ...findings.filter((finding) => needsNoVote(finding, questions)).map(({ id }) => id),
  ]);
  return findings.map((finding) => {
    if (finding.standing.kind !== 'open' && finding.standing.kind !== 'outvoted') return finding;
    const open: Finding = { ...finding, standing: { kind: 'open' } };
    const best = blocks(open) && !settled.has(open.id) ? bestVote(open, passes) : null;
    const needed = votesNeeded(gate);
    return best === null || best.for + best.missing >= Math.min(needed, best.of)
      ? open
      : { ...open, standing: { kind: 'outvoted', for: best.for, of: best.of, needed } };
  });
}

const needsNoVote = ({ from, rule, key }: Finding, questions: Ledger['questions']): boolean =>
  from !== undefined ||
  ruleOf(rule)?.selfEvident !== undefined ||
  questions.some(({ standing, finding: asked }) => standing.kind === 'obsolete' && asked.key === key);

type Vote = { readonly for: number; readonly missing: number; readonly of: number };

/** Null where it was found without a panel, or nobody knows any more by whom. */
function bestVote({ id }: Finding, passes: readonly PassRecord[]): Vote | null {
  const found = passes.filter(({ findings }) => findings.includes(id));
  let best: Vote | null = null;
  for (const { panel } of found) {
    if (panel === undefined) return null;
    const { round, size } = panel;
    const votes = found.filter((pass) => pass.panel?.round === round).length;
    const against = passes.filter(
      (pass) => pass.panel?.round === round && pass.complete && !pass.findings.includes(id),
    ).length;
    const vote = { for: votes, missing: Math.max(0, size - votes - against), of: size };
    if (best === null || vote.for + vote.missing > best.for + best.missing) best = vote;
  }
  return best;
}
