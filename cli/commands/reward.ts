import type { Io } from '../io.js';

type Subcommand = {
  readonly name: string;
  readonly does: string;
  readonly load: () => Promise<(args: readonly string[], io: Io) => Promise<number>>;
};

/** One line a subcommand. */
const subcommands: readonly Subcommand[] = [
  {
    name: 'collect',
    does: 'pull requests and their review threads, from GitHub',
    load: async () => (await import('../reward/collect.js')).runCollect,
  },
  {
    name: 'score',
    does: 'what unresolved threads cost each pull request',
    load: async () => (await import('../reward/score.js')).runScore,
  },
  {
    name: 'update',
    does: 'learn from them; what was known of them before is replaced',
    load: async () => (await import('../reward/update.js')).runUpdate,
  },
  {
    name: 'choose',
    does: 'a category of work to take next, and where to review more',
    load: async () => (await import('../reward/choose.js')).runChoose,
  },
  {
    name: 'replay',
    does: 'what graded and binary rewards learn from a history',
    load: async () => (await import('../reward/replay.js')).runReplayHistory,
  },
];

const usage = (): string =>
  [
    'evident reward SUBCOMMAND [options]',
    '',
    ...subcommands.map(({ name, does }) => `  ${name.padEnd(10)}${does}`),
    '',
    'JSON in and out. evident reward SUBCOMMAND --help says more; docs/REWARD.md',
    'says what the numbers mean.',
    '',
  ].join('\n');

/** What reviews teach, as numbers. Settles with the exit code: 0 done, 2 wrong use; `collect` has one more. */
export async function runReward(args: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--help' || name === '-h') {
    io.stdout(usage());
    return 0;
  }
  const found = subcommands.find((one) => one.name === name);
  if (found !== undefined) return (await found.load())(rest, io);
  io.stderr(`${name === undefined ? '' : `evident reward: there is no \`${name}\`.\n\n`}${usage()}`);
  return 2;
}
