import { readFileSync } from 'node:fs';
import { Category } from '../../lib/core/finding.js';
import { knownBadges } from '../../lib/core/reward/badges.js';
import { classify, type Classified } from '../../lib/core/reward/classify.js';
import { createFindKeyword } from '../../lib/core/reward/keywords.js';
import { table } from '../table.js';

/** A review comment that was written for this, and what a person says it is about. */
export type SampleComment = {
  /** `seen`: words were chosen with it in view; `held_out`: written before those were, and not looked at for that. */
  readonly set: 'seen' | 'held_out';
  readonly label: Category;
  readonly author: string;
  readonly body: string;
};

const file = new URL('../../test/core/reward/review-comments.jsonl', import.meta.url);

export const readSample = (): readonly SampleComment[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as SampleComment);

type Confusion = {
  readonly of: number;
  readonly wrong: number;
  readonly unmatched: number;
  /** By what a person says, then by what the tables say. */
  readonly counts: Readonly<Record<Category, Readonly<Record<Category, number>>>>;
};

export function confusionOf(set: SampleComment['set'], sample: readonly SampleComment[]): Confusion {
  const rules = { find: createFindKeyword(), badges: knownBadges, evident: [] };
  const read = sample
    .filter((one) => one.set === set)
    .map((one): Classified & { readonly label: Category } => ({ ...classify(one, rules), label: one.label }));
  const count = (label: Category, category: Category): number =>
    read.filter((one) => one.label === label && one.category === category).length;
  const row = (label: Category) => ({
    security: count(label, 'security'),
    logic: count(label, 'logic'),
    quality: count(label, 'quality'),
  });
  return {
    of: read.length,
    wrong: read.filter(({ label, category }) => label !== category).length,
    unmatched: read.filter(({ because }) => because.kind === 'nothing').length,
    counts: { security: row('security'), logic: row('logic'), quality: row('quality') },
  };
}

export function sampleTables(sample: readonly SampleComment[]): string {
  const parts = [
    { name: 'seen', confusion: confusionOf('seen', sample) },
    { name: 'held out', confusion: confusionOf('held_out', sample) },
  ];
  const errors = table(
    ['part', 'comments', 'wrong', 'share', 'no match'],
    parts.map(({ name, confusion: { of, wrong, unmatched } }) => [
      name,
      String(of),
      String(wrong),
      percent(wrong / of),
      percent(unmatched / of),
    ]),
  );
  const confusions = table(
    ['part', 'a person says', 'read as security', 'read as logic', 'read as quality'],
    parts.flatMap(({ name, confusion: { counts } }) =>
      Category.options.map((label) => [
        name,
        label,
        ...Category.options.map((category) => String(counts[label][category])),
      ]),
    ),
  );
  return `${errors}\n\n${confusions}`;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
