import { isGood, kinds, makeHistory, type MadePull, type Reviewers } from '../../evals/reward-history.js';
import { penaltyOf } from '../../lib/core/reward/penalty.js';
import { chanceAbove, onGrid } from '../../lib/core/reward/posterior.js';
import {
  outcomeOf,
  replay,
  schemes,
  type Replay,
  type Replayed,
  type Scheme,
} from '../../lib/core/reward/replay.js';
import { table } from '../table.js';

/** What docs/REWARD.md shows. */
export const shown = { updates: 700, seed: 1, at: [20, 50] } as const;

export const historyOf = (reviewers: Reviewers): readonly MadePull[] => makeHistory({ ...shown, reviewers });

export const replayOf = (history: readonly MadePull[]): Replay =>
  replay(
    history.map((pull) => outcomeOf({ ...pull, penalty: penaltyOf(pull).penalty })),
    shown.at,
  );

/** Pairs of a good and a bad kind of work of which the good one is above, 97.5 of 100. */
export function separated({ arms }: Pick<Replayed, 'arms'>): number {
  const good = arms.filter(({ category }) => isGood(category)).map(onGrid);
  const bad = arms.filter(({ category }) => !isGood(category)).map(onGrid);
  return good.flatMap((one) => bad.filter((other) => chanceAbove(one, other) >= 0.975)).length;
}

const pairs = kinds.good.length * kinds.bad.length;

const names: Readonly<Record<Scheme, string>> = {
  graded: 'graded, by the penalty',
  clean: 'binary: nothing left open',
  merged: 'binary: merged',
};

export function separationTable(chatty: Replay, quiet: Replay): string {
  return table(
    ['reward', 'reviewers who nearly always leave a nit', 'reviewers who hardly ever do'],
    schemes.map((scheme) => [
      names[scheme],
      `${separated(chatty[scheme])} of ${pairs}`,
      `${separated(quiet[scheme])} of ${pairs}`,
    ]),
  );
}

export function posteriorTable({ graded }: Replay): string {
  const looks = [...graded.after, { updates: graded.updates, arms: graded.arms }];
  return table(
    ['category', 'kind', ...looks.map(({ updates }) => `after ${updates}`)],
    [...kinds.bad, ...kinds.good].map((category) => [
      category,
      isGood(category) ? 'good' : 'bad',
      ...looks.map(({ arms }) => {
        const arm = arms.find((one) => one.category === category);
        return arm === undefined
          ? 'nothing yet'
          : `${arm.mean.toFixed(2)} (${arm.low.toFixed(2)} to ${arm.high.toFixed(2)}), ${arm.updates}`;
      }),
    ]),
  );
}

const LEFT = 110;
const WIDTH = 220;
const GAP = 40;
const STEP = 26;
const TOP = 108;

/** Where the mean of each category is, 95 of 100, by each reward: good kinds of work filled, bad ones open. */
export function chart(replayed: Replay): string {
  const categories = [...kinds.good, ...kinds.bad];
  const bottom = TOP + categories.length * STEP;
  const panels = schemes.map((scheme, index) =>
    panel(names[scheme], replayed[scheme], LEFT + index * (WIDTH + GAP), bottom),
  );
  const description = schemes
    .map(
      (scheme) =>
        `${names[scheme]}: ${separated(replayed[scheme])} of ${pairs} pairs of good and bad told apart.`,
    )
    .join(' ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 ${bottom + 46}" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif" font-size="13" fill="#111827">`,
    '  <title id="title">What three rewards learn from the same 700 updates</title>',
    `  <desc id="desc">${description}</desc>`,
    `  <rect width="900" height="${bottom + 46}" fill="#ffffff"/>`,
    `  <text x="20" y="30" font-size="17" font-weight="600">What three rewards learn from the same ${shown.updates} updates</text>`,
    '  <text x="20" y="52">Mean reward of each category and where it is, 95 of 100; green: done well, brown: done badly</text>',
    ...categories.map(
      (category, row) =>
        `  <text x="${LEFT - 12}" y="${TOP + row * STEP + 5}" text-anchor="end">${category}</text>`,
    ),
    ...panels,
    '</svg>',
    '',
  ].join('\n');
}

function panel(name: string, { arms }: Replayed, left: number, bottom: number): string {
  const x = (value: number): string => (left + value * WIDTH).toFixed(1);
  const rows = [...kinds.good, ...kinds.bad].flatMap((category, row) => {
    const arm = arms.find((one) => one.category === category);
    if (arm === undefined) return [];
    const y = TOP + row * STEP;
    const colour = isGood(category) ? '#1f6f43' : '#92400e';
    return [
      `  <line x1="${x(arm.low)}" y1="${y}" x2="${x(arm.high)}" y2="${y}" stroke="${colour}" stroke-width="3"/>`,
      `  <circle cx="${x(arm.mean)}" cy="${y}" r="5" fill="${isGood(category) ? colour : '#ffffff'}" stroke="${colour}" stroke-width="2"/>`,
    ];
  });
  return [
    `  <text x="${left}" y="${TOP - 24}" font-weight="600">${name}</text>`,
    `  <line x1="${left}" y1="${bottom - 6}" x2="${left + WIDTH}" y2="${bottom - 6}" stroke="#6b7280"/>`,
    ...[0, 0.5, 1].map(
      (value) => `  <text x="${x(value)}" y="${bottom + 14}" text-anchor="middle">${value}</text>`,
    ),
    ...rows,
  ].join('\n');
}
