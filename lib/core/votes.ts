import { blocks, type Finding } from './finding.js';
import type { PassRecord } from './pass-record.js';
import type { GateSettings } from './policy.js';
import { ruleOf } from './rules-catalogue.js';

/** How many of a panel must find something before it blocks; never more than are asked to read. */
export const votesNeeded = ({ reviewers, votes }: Pick<GateSettings, 'reviewers' | 'votes'>): number =>
  Math.min(reviewers, votes);

/**
 * The findings with the vote of the reviewers applied: one that no panel found by enough of them is listed and does not
 * block. Who did not finish counts as having found it. What a pass without a panel found, what an answer made and what a
 * self-evident rule shows needs no votes, and the best round counts, so that reading once more never clears anything.
 */
export const byVotes = (
  findings: readonly Finding[],
  passes: readonly PassRecord[],
  gate: Pick<GateSettings, 'reviewers' | 'votes'>,
): readonly Finding[] => findings.map((finding) => voted(finding, passes, votesNeeded(gate)));

function voted(finding: Finding, passes: readonly PassRecord[], needed: number): Finding {
  if (finding.standing.kind !== 'open' && finding.standing.kind !== 'outvoted') return finding;
  const open: Finding = { ...finding, standing: { kind: 'open' } };
  const isVotedOn = blocks(open) && open.from === undefined && ruleOf(open.rule)?.selfEvident === undefined;
  const best = isVotedOn ? bestVote(open, passes) : null;
  return best === null || best.for + best.missing >= Math.min(needed, best.of)
    ? open
    : { ...open, standing: { kind: 'outvoted', for: best.for, of: best.of, needed } };
}

type Vote = { readonly for: number; readonly missing: number; readonly of: number };

/** Null where it was found without a panel, or nobody knows any more by whom. */
function bestVote({ id }: Finding, passes: readonly PassRecord[]): Vote | null {
  const found = passes.filter(({ findings }) => findings.includes(id));
  let best: Vote | null = null;
  for (const { panel } of found) {
    if (panel === undefined) return null;
    const { round, size } = panel;
    const votes = found.filter((pass) => pass.panel?.round === round).length;
    const read = passes.filter((pass) => pass.panel?.round === round).length;
    const vote = { for: votes, missing: Math.max(0, size - read), of: size };
    if (best === null || vote.for + vote.missing > best.for + best.missing) best = vote;
  }
  return best;
}
