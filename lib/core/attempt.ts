import { timeLimit } from './budget.js';
import type { Sha } from './pull-request.js';

/**
 * A run that ended without what it was for, and not because of the change: it goes on by itself, a few times a head. Each
 * stands in the signed state of our check runs, so that no restart and no second process counts anew.
 */
export type Attempt = {
  readonly head: Sha;
  /** When it ended, epoch milliseconds. */
  readonly at: number;
  /** `time`: it was cut off; `busy`: the provider or the forge did not do what was asked, and may later. */
  readonly why: 'time' | 'busy';
  /** Which pass it was: change, lens and order. Empty where nothing was read. */
  readonly pass: string;
  /** Changed lines that had been read by then. */
  readonly read: number;
};

/** What comes after the newest of some attempts. */
export type Coming =
  | {
      readonly kind: 'comes';
      /** Epoch milliseconds, a whole minute: what is told is what is meant. */
      readonly at: number;
    }
  | {
      readonly kind: 'stops';
      /** How often it went on by itself. */
      readonly after: number;
      /** `no_further`: the last one read nothing that those before it had not. */
      readonly because: 'often' | 'no_further';
    };

/** Pauses before each try, in minutes: there are no more tries than pauses. */
export const pauses = { time: [2, 2], busy: [5, 15, 45] } as const satisfies Readonly<
  Record<Attempt['why'], readonly number[]>
>;

/**
 * When a run comes that goes on where the newest of these ended. Only those of its own head count. `notBefore`:
 * what the forge asked for, epoch milliseconds.
 */
export function comingAfter(
  attempts: readonly Attempt[],
  newest: Attempt,
  { now, notBefore = 0 }: { readonly now: number; readonly notBefore?: number },
): Coming {
  const alike = attempts.filter(
    ({ head, why, at }) => head === newest.head && why === newest.why && at < newest.at,
  );
  const pause = pauses[newest.why][alike.length];
  if (pause === undefined) return { kind: 'stops', after: pauses[newest.why].length, because: 'often' };
  const before = alike.filter(({ pass }) => pass === newest.pass).map(({ read }) => read);
  if (newest.why === 'time' && before.length > 0 && newest.read <= Math.max(...before))
    return { kind: 'stops', after: alike.length, because: 'no_further' };
  return { kind: 'comes', at: wholeMinute(Math.max(now + pause * minuteMs, notBefore)) };
}

const minuteMs = 60_000;
const wholeMinute = (at: number): number => Math.ceil(at / minuteMs) * minuteMs;

/** The same attempt stands in many texts. Oldest first. */
export function unionOfAttempts(attempts: readonly Attempt[]): readonly Attempt[] {
  const all = new Map(attempts.map((one) => [`${one.at} ${one.head} ${one.why}`, one] as const));
  return [...all.values()].sort((a, b) => a.at - b.at);
}

/** `14:20 UTC`: of the next hours, so without a day. */
export const clockTime = (at: number): string => `${new Date(at).toISOString().slice(11, 16)} UTC`;

/** The limit of time as it is told where a pass met it. */
export const timeLimitOf = (ms: number): string =>
  `${timeLimit} limit of ${ms < minuteMs ? `${Math.round(ms / 1000)} seconds` : `${Math.round(ms / minuteMs)} ${Math.round(ms / minuteMs) === 1 ? 'minute' : 'minutes'}`}`;
