import type { Category } from '../finding.js';
import type { Figure, FigureId, Part, Unit } from './figure.js';
import { mean, median, none, share, shareOf, type Measure } from './measure.js';
import { fateOf, type ReviewThread } from './review-thread.js';
import type { OwnFinding } from './own-marks.js';
import type { PullFacts } from './pull-facts.js';
import { isWeekOver, nameOf } from './reverts.js';
import { sentenceOf } from './sentences.js';

/** Pull requests to be counted, and what is known of them together. */
export type Sample = {
  readonly facts: readonly PullFacts[];
  /** By name. */
  readonly reverted: ReadonlySet<string>;
  /** Epoch milliseconds. */
  readonly now: number;
};

/** All figures of a sample; with two halves of it, each for them too. */
export const figuresOf = (
  sample: Sample,
  halves: { readonly before: Sample; readonly after: Sample } | null,
): readonly Figure[] =>
  kinds.map(({ id, title, unit, of, measure, parts }) => {
    const figure = {
      id,
      title,
      unit,
      of,
      all: measure(sample),
      before: halves === null ? null : measure(halves.before),
      after: halves === null ? null : measure(halves.after),
      parts: (parts?.(sample) ?? []).filter(({ rows }) => rows.some(({ measure }) => measure.n > 0)),
    };
    return { ...figure, ...sentenceOf(figure) };
  });

type Kind = {
  readonly id: FigureId;
  readonly title: string;
  readonly unit: Unit;
  readonly of: string;
  readonly measure: (sample: Sample) => Measure;
  readonly parts?: (sample: Sample) => readonly Part[];
};

const reviewed = ({ facts }: Sample): readonly PullFacts[] =>
  facts.filter(({ firstLook }) => firstLook !== null);

const threadsOf = ({ facts }: Sample): readonly ReviewThread[] => facts.flatMap(({ threads }) => threads);

const byEvident = ({ facts }: Sample): readonly PullFacts[] =>
  facts.filter(({ own }) => own.passes.length > 0);

const merged = (sample: Sample): Sample => ({
  ...sample,
  facts: sample.facts.filter(({ pull }) => pull.state === 'merged'),
});

const kinds: readonly Kind[] = [
  {
    id: 'rounds',
    title: 'Fix rounds for each pull request',
    unit: 'count',
    of: 'reviewed pull requests',
    measure: (sample) => mean(reviewed(sample).map(({ rounds }) => rounds.length)),
    parts: (sample) => [
      {
        title: 'Pull requests by fix rounds',
        unit: 'share',
        rows: ['0', '1', '2', '3', '4', '5 or more'].map((name, index) => ({
          name,
          measure: shareOf(reviewed(sample), ({ rounds }) => Math.min(5, rounds.length) === index),
        })),
      },
    ],
  },
  {
    id: 'five_rounds',
    title: 'Five fix rounds or more',
    unit: 'share',
    of: 'reviewed pull requests',
    measure: (sample) => shareOf(reviewed(sample), ({ rounds }) => rounds.length >= 5),
  },
  {
    id: 'minor_rounds',
    title: 'Rounds that fixed only nits or old code',
    unit: 'share',
    of: 'fix rounds',
    measure: (sample) =>
      shareOf(
        sample.facts.flatMap(({ rounds }) => rounds),
        (kind) => kind === 'minor',
      ),
  },
  {
    id: 'late',
    title: 'Late findings',
    unit: 'share',
    of: 'review threads',
    measure: (sample) => shareOf(threadsOf(sample), ({ isLate }) => isLate),
    parts: (sample) => [
      {
        title: 'Late findings by class',
        unit: 'share',
        rows: byCategory(threadsOf(sample), ({ isLate }) => isLate),
      },
    ],
  },
  {
    id: 'ci_runs',
    title: 'CI runs for each round',
    unit: 'count',
    of: 'rounds, first versions among them',
    measure: (sample) => {
      const withCi = sample.facts.filter((one) => one.ciRuns > 0);
      const rounds = withCi.reduce((sum, one) => sum + one.rounds.length + 1, 0);
      const runs = withCi.reduce((sum, one) => sum + one.ciRuns, 0);
      return rounds === 0 ? none : { ...none, value: runs / rounds, n: rounds };
    },
  },
  {
    id: 'escalations',
    title: 'Escalations',
    unit: 'share',
    of: 'pull requests that Evident reviewed',
    measure: (sample) => shareOf(byEvident(sample), ({ own }) => own.escalations > 0),
  },
  {
    id: 'reverts',
    title: 'Reverted within a week of the merge',
    unit: 'share',
    of: 'pull requests merged a week ago or longer',
    measure: ({ facts, reverted, now }) =>
      shareOf(
        facts.filter(({ pull }) => isWeekOver(pull, now)),
        ({ pull }) => reverted.has(nameOf(pull)),
      ),
  },
  {
    id: 'wrong',
    title: 'Dismissed as wrong',
    unit: 'share',
    of: 'review threads',
    measure: (sample) => shareOf(threadsOf(sample), ({ fate }) => fate === 'wrong'),
    parts: (sample) => [
      {
        title: 'Dismissed as wrong, by category',
        unit: 'share',
        rows: byCategory(threadsOf(sample), ({ fate }) => fate === 'wrong'),
      },
      {
        title: 'Dismissed as wrong, by reviewer',
        unit: 'share',
        rows: grouped(
          threadsOf(sample),
          ({ by }) => by,
          ({ fate }) => fate === 'wrong',
        ),
      },
    ],
  },
  {
    id: 'resolved',
    title: 'Resolved by the merge',
    unit: 'share',
    of: 'review threads of merged pull requests',
    measure: (sample) => shareOf(threadsOf(merged(sample)), ({ fate }) => fate === 'done'),
    parts: (sample) => {
      const threads = threadsOf(merged(sample));
      const findings = byEvident(merged(sample)).flatMap(({ own }) => own.findings);
      const isDone = ({ standing }: OwnFinding): boolean => fateOf(standing) === 'done';
      return [
        {
          title: 'Resolved by the merge, by category',
          unit: 'share',
          rows: byCategory(threads, ({ fate }) => fate === 'done'),
        },
        {
          title: 'Resolved by the merge, by reviewer',
          unit: 'share',
          rows: grouped(
            threads,
            ({ by }) => by,
            ({ fate }) => fate === 'done',
          ),
        },
        {
          title: "Evident's findings resolved by the merge, by rule",
          unit: 'share',
          rows: grouped(findings, ({ rule }) => rule, isDone),
        },
        {
          title: "Evident's findings resolved by the merge, by model",
          unit: 'share',
          rows: grouped(findings, ({ found }) => found?.model ?? 'not known any more', isDone),
        },
      ];
    },
  },
  {
    id: 'answered',
    title: 'Questions answered',
    unit: 'share',
    of: 'questions of Evident',
    measure: (sample) => {
      const { asked, answered } = questionsOf(sample);
      return share(answered.length, asked);
    },
    parts: (sample) => {
      const { answered } = questionsOf(sample);
      return [
        {
          title: 'What the answers did',
          unit: 'share',
          rows: effects
            .map(([effect, name]) => ({
              name,
              measure: share(answered.filter((one) => one === effect).length, answered.length),
            }))
            .filter(({ measure }) => (measure.hits ?? 0) > 0),
        },
      ];
    },
  },
  {
    id: 'first_review',
    title: 'Time to the first review',
    unit: 'hours',
    of: 'reviewed pull requests',
    measure: (sample) =>
      median(
        reviewed(sample).flatMap(({ firstLook, pull }) => {
          const hours = ((firstLook ?? Number.NaN) - Date.parse(pull.createdAt)) / 3_600_000;
          return Number.isNaN(hours) ? [] : [Math.max(0, hours)];
        }),
      ),
  },
  {
    id: 'cost',
    title: 'Cost for each pull request',
    unit: 'dollars',
    of: 'pull requests that Evident reviewed at a known price',
    measure: (sample) =>
      mean(
        byEvident(sample).flatMap(({ own }) => {
          const known = own.passes.map(({ usage }) => usage.dollars).filter((one) => one !== null);
          return known.length < own.passes.length ? [] : [known.reduce((sum, one) => sum + one, 0)];
        }),
      ),
  },
];

const categories: readonly Category[] = ['security', 'logic', 'quality'];

const byCategory = (
  threads: readonly ReviewThread[],
  isHit: (thread: ReviewThread) => boolean,
): Part['rows'] =>
  categories.map((name) => ({
    name,
    measure: shareOf(
      threads.filter(({ category }) => category === name),
      isHit,
    ),
  }));

/** The largest groups first; many small ones are one at the end. */
function grouped<T>(all: readonly T[], nameIn: (one: T) => string, isHit: (one: T) => boolean): Part['rows'] {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const name = nameIn(one);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [one]);
    else group.push(one);
  }
  const sorted = [...groups].toSorted(
    ([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1),
  );
  const rest = sorted.slice(MOST_ROWS).flatMap(([, ones]) => ones);
  return [
    ...sorted.slice(0, MOST_ROWS).map(([name, ones]) => ({ name, measure: shareOf(ones, isHit) })),
    ...(rest.length > 0
      ? [{ name: `${sorted.length - MOST_ROWS} others`, measure: shareOf(rest, isHit) }]
      : []),
  ];
}

const MOST_ROWS = 12;

/** Those that are not asked any more without an answer are left out: nobody had to answer them. */
function questionsOf({ facts }: Sample) {
  const all = facts.flatMap(({ own }) => own.questions).filter(({ became }) => became.kind !== 'obsolete');
  const answered = all.flatMap(({ became }) => (became.kind === 'answered' ? [became.effect] : []));
  return { asked: all.length, answered };
}

const effects = [
  ['suppress_finding', 'cleared the code'],
  ['include_finding', 'became a finding'],
  ['lower_confidence', 'kept as possible'],
  ['escalate', 'passed on to a person'],
  ['continue', 'read on with the answer'],
] as const;
