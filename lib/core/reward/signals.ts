import type { ReviewedPull } from './reviewed-pull.js';

/** Beside the threads, each off until a settings file names it. The number is what it takes from the reward. */
export type SignalRules = {
  readonly signals: {
    readonly missing_tests?: number | undefined;
    readonly closed_unmerged?: number | undefined;
    readonly long_waiting?: number | undefined;
    /** After how many days open a pull request waits long. */
    readonly waiting_days: number;
  };
};

export type SignalName = 'missing_tests' | 'closed_unmerged' | 'long_waiting';

export type Signal = { readonly name: SignalName; readonly weight: number };

/** What is asked for and holds. `now` is in epoch milliseconds. Rows that tell nothing of the pull request have none. */
export function signalsOf(pull: ReviewedPull, { signals }: SignalRules, now: number): readonly Signal[] {
  const { life, files } = pull;
  if (life === undefined) return [];
  const holds: Readonly<Record<SignalName, () => boolean>> = {
    missing_tests: () => files.some(isSource) && !files.some(isTest),
    closed_unmerged: () => life.state === 'closed',
    long_waiting: () =>
      life.state === 'open' &&
      !life.draft &&
      now - Date.parse(life.createdAt) > signals.waiting_days * 24 * 60 * 60 * 1000,
  };
  return names.flatMap((name) => {
    const weight = signals[name];
    return weight !== undefined && holds[name]() ? [{ name, weight }] : [];
  });
}

const names = ['missing_tests', 'closed_unmerged', 'long_waiting'] as const satisfies readonly SignalName[];

const isTest = (path: string): boolean =>
  /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\//i.test(path) ||
  /(?:^|\/)test_[^/]*$|[._-](?:test|spec)s?\.[^/]+$|(?:Test|Tests|Spec)\.[a-z]+$/.test(path);

const isSource = (path: string): boolean =>
  !isTest(path) &&
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|kts|scala|cs|fs|php|swift|m|mm|c|cc|cpp|h|hpp|ex|exs|erl|clj|dart|vue|svelte)$/i.test(
    path,
  );
