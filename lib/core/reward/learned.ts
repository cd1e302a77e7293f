import { z } from 'zod';
import { ConfigError } from '../errors.js';
import { armsOf, clamp, type Arm, type Reward } from './arm.js';
import { aggregateOf, mostPerPull } from './penalty.js';
import { pullKey } from './reviewed-pull.js';
import type { Session } from './read-reviews.js';
import type { ScoredPull } from './score.js';

/**
 * All that was learned, by what it was learned from. Arms are folded from it anew each time, so that a late finding
 * replaces what its pull request said before, and a pull request counts once however often it is seen.
 */
export type Learned = {
  readonly v: 1;
  /** By `owner/name#12`, in lower case. */
  readonly pulls: Readonly<Record<string, LearnedPull>>;
  readonly sessions: Readonly<Record<string, LearnedSession>>;
};

const Count = z.int().min(0);

const LearnedPull = z.object({
  category: z.string().min(1).max(100),
  security: Count,
  logic: Count,
  quality: Count,
  penalty: z.number().min(0).max(mostPerPull),
  /** What the signals beside the threads take, where settings ask for them. */
  signals: z.number().min(0).optional(),
  merged: z.boolean().optional(),
});
export type LearnedPull = z.infer<typeof LearnedPull>;

const LearnedSession = z.object({
  category: z.string().min(1).max(100).optional(),
  reward: z.number(),
  pulls: z.array(z.string().max(320)).max(1_000),
});
type LearnedSession = z.infer<typeof LearnedSession>;

const Learned = z.object({
  v: z.literal(1),
  pulls: z.record(z.string().max(320), LearnedPull),
  sessions: z.record(z.string().max(320), LearnedSession),
});

export const nothingLearned: Learned = { v: 1, pulls: {}, sessions: {} };

/**
 * Reads what `update` has written.
 * @throws ConfigError where it is something else: a state that is lost would look like one that says nothing.
 */
export function readLearned(text: string, where: string): Learned {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(
      `${where} is no JSON: ${(error as Error).message}. Name another file, or mend this one.`,
      where,
    );
  }
  const read = Learned.safeParse(value);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  throw new ConfigError(
    `${where} was not written by evident reward update: ${(issue?.path ?? []).map(String).join('.')}: ${issue?.message ?? ''}.`,
    where,
  );
}

export type Changes = { readonly added: number; readonly changed: number; readonly same: number };

/** What is known with these pull requests and sessions in place of what was known of them before. */
export function learn(
  before: Learned,
  { pulls, sessions }: { readonly pulls: readonly ScoredPull[]; readonly sessions: readonly Session[] },
): { readonly learned: Learned; readonly changes: Changes } {
  const newPulls = pulls.map((pull) => [pullKey(pull), learnedPull(pull)] as const);
  const newSessions = named(sessions, before).map(
    ([name, session]) => [name, learnedSession(session)] as const,
  );
  return {
    learned: {
      v: 1,
      pulls: { ...before.pulls, ...Object.fromEntries(newPulls) },
      sessions: { ...before.sessions, ...Object.fromEntries(newSessions) },
    },
    changes: [...newPulls.map(changeIn(before.pulls)), ...newSessions.map(changeIn(before.sessions))].reduce(
      (sum, kind) => ({ ...sum, [kind]: sum[kind] + 1 }),
      { added: 0, changed: 0, same: 0 },
    ),
  };
}

const changeIn =
  (known: Readonly<Record<string, unknown>>) =>
  ([key, value]: readonly [string, unknown]): keyof Changes => {
    if (!Object.hasOwn(known, key)) return 'added';
    return JSON.stringify(known[key]) === JSON.stringify(value) ? 'same' : 'changed';
  };

/** Sessions without a name get one that nothing has yet: each counts for itself. */
function named(sessions: readonly Session[], before: Learned): readonly (readonly [string, Session])[] {
  const numbers = [...Object.keys(before.sessions), ...sessions.map(({ session }) => session ?? '')].map(
    (name) => Number(/^unnamed (\d{1,9})$/.exec(name)?.[1] ?? 0),
  );
  let last = numbers.reduce((most, one) => Math.max(most, one), 0);
  return sessions.map((session) => [session.session ?? `unnamed ${(last += 1)}`, session] as const);
}

const learnedPull = ({
  category,
  security,
  logic,
  quality,
  penalty,
  signals,
  merged,
}: ScoredPull): LearnedPull => ({
  category,
  security,
  logic,
  quality,
  penalty,
  ...(signals.length > 0 && { signals: signals.reduce((sum, { weight }) => sum + weight, 0) }),
  ...(merged !== undefined && { merged }),
});

const learnedSession = ({ category, reward, pulls }: Session): LearnedSession => ({
  ...(category !== undefined && { category }),
  reward,
  pulls: pulls.map((key) => key.toLowerCase()),
});

/**
 * The rewards that the arms are folded from: one of each session, and one of each pull request that no session made. A
 * pull request that two sessions name belongs to the first by name, in whatever order they came.
 */
function rewardsOf({ pulls, sessions }: Learned): readonly Reward[] {
  const taken = new Set<string>();
  const byName = Object.entries(sessions).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const ofSessions = byName.flatMap(([, session]): readonly Reward[] => {
    const mine = session.pulls.filter((key) => !taken.has(key));
    for (const key of mine) taken.add(key);
    const known = mine.flatMap((key) => (Object.hasOwn(pulls, key) ? [pulls[key] as LearnedPull] : []));
    const category = session.category ?? known[0]?.category;
    return category === undefined ? [] : [{ category, reward: sessionReward(session.reward, known) }];
  });
  const ofPulls = Object.entries(pulls).flatMap(([key, pull]): readonly Reward[] =>
    taken.has(key) ? [] : [{ category: pull.category, reward: pullReward(pull) }],
  );
  return [...ofSessions, ...ofPulls];
}

/** 1 where nothing is left open, 0 where the penalty is at its cap. */
export const pullReward = ({ penalty, signals = 0 }: Pick<LearnedPull, 'penalty' | 'signals'>): number =>
  clamp(1 - penalty / mostPerPull - signals);

/** The agent's own reward less what its pull requests cost, at most the cap of one update. */
function sessionReward(reward: number, pulls: readonly LearnedPull[]): number {
  const signals = pulls.reduce((sum, one) => sum + (one.signals ?? 0), 0);
  return clamp(reward - aggregateOf(pulls.map(({ penalty }) => penalty)) - signals);
}

export const learnedArms = (learned: Learned): readonly Arm[] => armsOf(rewardsOf(learned));
