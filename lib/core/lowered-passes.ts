import { passCost } from './pass-cost.js';
import { votesNeeded } from './votes.js';
import type { Policy } from './policy.js';
import type { Tier } from './tier.js';

/**
 * What settings cost that let a change pass after one look, or in spite of what one look found, in sentences. Only new
 * important findings block, so nothing that a single pass misses is looked for again. With a tier: only what concerns a
 * change of that kind.
 */
export function loweredPasses({ gate }: Pick<Policy, 'gate'>, tier?: Pick<Tier, 'kind'>): readonly string[] {
  const isUsual = gate.passes.agent < 2 && gate.passes.person < 2;
  const isAdditive = !isUsual && gate.additive.paths.length > 0 && gate.additive.passes < 2;
  return [
    ...(votesNeeded(gate) > 1
      ? [
          `What fewer than ${votesNeeded(gate)} of ${gate.reviewers} reviewers find does not block (\`gate.votes\`): ${costOf(passCost.twoOfThree, 'where two of three had to agree')}`,
        ]
      : []),
    ...(isUsual && (tier === undefined || tier.kind === 'agent' || tier.kind === 'large')
      ? [`\`gate.passes.agent\` is 1, and only new important findings block: ${cost}`]
      : []),
    ...(isAdditive && (tier === undefined || tier.kind === 'additive')
      ? [
          `\`gate.additive\` lets what only adds pass after one clean review, and only new important findings block: over changes of all kinds, ${cost}`,
        ]
      : []),
  ];
}

const costOf = (percent: number, how: string): string =>
  `of ${passCost.prs.toLocaleString('en-US')} simulated pull requests, ${percent.toFixed(1)} % of those that passed ${how} still had a bug, and ${passCost.twoClean.toFixed(1)} % after two clean reviews.`;

const cost = costOf(passCost.oneClean, 'so');
