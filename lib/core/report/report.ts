import type { PastPull } from '../past-pull.js';
import { figuresOf, type Sample } from './figures.js';
import type { Figure } from './figure.js';
import { ownApps } from './own-marks.js';
import { proposalsOf, settingLines, type Proposal } from './proposals.js';
import { pullFacts, type PullFacts } from './pull-facts.js';
import type { ThreadRules } from './review-thread.js';
import { revertedWithinAWeek } from './reverts.js';

/** What reviews did to some pull requests, in figures. */
export type Report = {
  readonly v: 1;
  readonly repos: readonly string[];
  /** Days on which the first and the last of them were opened. */
  readonly from: string | null;
  readonly to: string | null;
  readonly pulls: {
    readonly all: number;
    readonly merged: number;
    readonly open: number;
    readonly reviewed: number;
  };
  /** Who began threads, most first. */
  readonly reviewers: readonly { readonly login: string; readonly threads: number }[];
  /** Where before ends and after begins. */
  readonly split: { readonly at: string; readonly by: 'given' | 'first_review' } | null;
  readonly figures: readonly Figure[];
  readonly proposals: readonly Proposal[];
  /** Lines for `.github/evident.yml` that do what is proposed. */
  readonly settings: string;
  /** What it rests on and what it cannot know. */
  readonly notes: readonly string[];
};

export type ReportOptions = {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly rules: ThreadRules;
  /** Epoch milliseconds: pull requests opened before it are "before". Absent: the first pass of Evident that is seen. */
  readonly since?: number;
  /** The slug of the app that is Evident. Absent: found by the name of its check. */
  readonly app?: string;
  /** Of what a rule found, the share that has to be fixed; 0 to 1. */
  readonly floor: number;
  /** How many things were asked for and could not be read. */
  readonly missing: number;
};

/** The figures of past pull requests; pure, and the same for any order of them. */
export function reportOf(pulls: readonly PastPull[], options: ReportOptions): Report {
  const inOrder = pulls.toSorted(byAge);
  const apps = ownApps(inOrder, options.app);
  // Only what is Evident's by its check is read as its own.
  const rules: ThreadRules = { ...options.rules, evident: apps.size > 0 ? [...apps] : [nobody] };
  const facts = inOrder.map((pull) => pullFacts(pull, apps, rules));
  const sampleOf = (some: readonly PullFacts[]): Sample => ({
    facts: some,
    reverted,
    now: options.now,
  });
  const reverted = revertedWithinAWeek(inOrder);
  const split = splitOf(facts, options.since);
  // What Evident reviewed itself is never before it, whenever it was opened.
  const isBefore = ({ pull, own }: PullFacts): boolean =>
    split !== null &&
    Date.parse(pull.createdAt) < Date.parse(split.at) &&
    !(split.by === 'first_review' && own.passes.length > 0);
  const halves = {
    before: sampleOf(facts.filter(isBefore)),
    after: sampleOf(facts.filter((one) => !isBefore(one))),
  };
  const isSplit = split !== null && halves.before.facts.length > 0 && halves.after.facts.length > 0;
  const proposals = proposalsOf(
    facts.filter(({ pull }) => pull.state !== 'open').flatMap(({ own }) => own.findings),
    options.floor,
  );
  return {
    v: 1,
    repos: [...new Set(inOrder.map(({ repo }) => repo))],
    from: inOrder[0]?.createdAt.slice(0, 10) ?? null,
    to: inOrder.at(-1)?.createdAt.slice(0, 10) ?? null,
    pulls: {
      all: facts.length,
      merged: facts.filter(({ pull }) => pull.state === 'merged').length,
      open: facts.filter(({ pull }) => pull.state === 'open').length,
      reviewed: facts.filter(({ firstLook }) => firstLook !== null).length,
    },
    reviewers: reviewersOf(facts),
    split: isSplit ? split : null,
    figures: figuresOf(sampleOf(facts), isSplit ? halves : null),
    proposals,
    settings: settingLines(proposals),
    notes: notesOf(facts, apps, options),
  };
}

const byAge = (a: PastPull, b: PastPull): number =>
  a.createdAt < b.createdAt
    ? -1
    : a.createdAt > b.createdAt
      ? 1
      : a.number - b.number || (a.repo < b.repo ? -1 : 1);

/** No login has brackets alone. */
const nobody = '[]';

function splitOf(facts: readonly PullFacts[], since: number | undefined): Report['split'] {
  if (since !== undefined) return { at: new Date(since).toISOString(), by: 'given' };
  const first = facts
    .flatMap(({ own }) => own.passes)
    .reduce((least, { at }) => Math.min(least, at), Infinity);
  return Number.isFinite(first) ? { at: new Date(first).toISOString(), by: 'first_review' } : null;
}

function reviewersOf(facts: readonly PullFacts[]): Report['reviewers'] {
  const threads = new Map<string, number>();
  for (const { by } of facts.flatMap((one) => one.threads)) threads.set(by, (threads.get(by) ?? 0) + 1);
  return [...threads]
    .map(([login, count]) => ({ login, threads: count }))
    .toSorted((a, b) => b.threads - a.threads || (a.login < b.login ? -1 : 1))
    .slice(0, 12);
}

function notesOf(
  facts: readonly PullFacts[],
  apps: ReadonlySet<string>,
  { now, app, missing }: Pick<ReportOptions, 'now' | 'app' | 'missing'>,
): readonly string[] {
  const young = facts.filter(
    ({ pull }) => pull.mergedAt !== null && now - Date.parse(pull.mergedAt) < 7 * 24 * 3_600_000,
  ).length;
  const hasPasses = facts.some(({ own }) => own.passes.length > 0);
  return [
    ...(missing > 0 ? [`Not all could be read (${missing} missing): the figures are of what was.`] : []),
    hasPasses
      ? `What Evident says of itself is read from the check runs and the bot account of ${[...apps].join(', ')}, and from nobody else. Its signatures are not checked: a report holds no key.`
      : app === undefined
        ? 'No check of Evident was seen: rules, models, questions, escalations and cost are not known.'
        : `No state of Evident was seen in check runs of ${app}.`,
    'Threads of other reviewers are sorted into security, logic and quality by their words and badges.',
    ...(young > 0 ? [`${young} merged less than a week ago: not counted for reverts yet.`] : []),
    'A revert that was pushed without a pull request is not seen.',
  ];
}
