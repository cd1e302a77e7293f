import { readVersion } from '../lib/config/version.js';
import { ConfigError, ForgeError, ModelError } from '../lib/core/errors.js';
import { type Io, processIo } from './io.js';

type Command = {
  readonly name: string;
  readonly does: string;
  readonly load: () => Promise<(args: readonly string[], io: Io) => Promise<number>>;
};

/** One line a command; each is loaded only when it is asked for. */
const commands: readonly Command[] = [
  {
    name: 'review',
    does: 'what would be in the pull request, with what is not committed yet',
    load: async () => (await import('./commands/review.js')).runReview,
  },
  {
    name: 'demo',
    does: 'a pull request on a GitHub on this machine: no key, no account',
    load: async () => (await import('./commands/demo.js')).runDemo,
  },
  {
    name: 'try',
    does: 'merged pull requests reviewed, beside what people said then',
    load: async () => (await import('./commands/try.js')).runTry,
  },
  {
    name: 'replay',
    does: 'a review again, turn by turn: what was read, claimed and refused',
    load: async () => (await import('./commands/replay.js')).runReplay,
  },
  {
    name: 'lines',
    does: 'the positions of a diff that take a comment, as JSON',
    load: async () => (await import('./commands/lines.js')).runLines,
  },
  {
    name: 'serve',
    does: 'the webhook function under node:http',
    load: async () => (await import('./commands/serve.js')).runServe,
  },
  {
    name: 'redeliver',
    does: 'have deliveries that failed sent again, once',
    load: async () => (await import('./commands/redeliver.js')).runRedeliver,
  },
  {
    name: 'gate',
    does: 'what holds a pull request: show, wait, simulate, pass by hand',
    load: async () => (await import('./commands/gate.js')).runGate,
  },
  {
    name: 'reward',
    does: 'what review threads teach: collect, score, update, choose, replay',
    load: async () => (await import('./commands/reward.js')).runReward,
  },
  {
    name: 'report',
    does: 'what reviews do to the pull requests of a repository, in figures',
    load: async () => (await import('./commands/report.js')).runReport,
  },
];

export const usage = (): string =>
  [
    'evident COMMAND [options]',
    '',
    ...commands.map((command) => `  ${command.name.padEnd(11)}${command.does}`),
    '',
    'evident COMMAND --help says more, --version which one this is.',
    'Exit codes of a review: 0 nothing to fix, 1 important findings, 2 wrong use,',
    '3 not finished. Those of the others are in their help.',
    '',
  ].join('\n');

/** Runs one command and returns the exit code: 0, 1 (findings), 2 (wrong use), 3 (not finished). */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  const [name, ...args] = argv[0] === 'help' && argv[1] !== undefined ? [argv[1], '--help'] : argv;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    io.stdout(usage());
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-V') {
    io.stdout(`evident ${readVersion()}\n`);
    return 0;
  }
  const command = commands.find((one) => one.name === name);
  if (command === undefined) {
    io.stderr(`evident: there is no command \`${name}\`.\n\n${usage()}`);
    return 2;
  }
  try {
    const run = await command.load();
    return await run(args, io);
  } catch (error) {
    if (error instanceof ConfigError || error instanceof ForgeError) {
      io.stderr(await sentenceOf(error));
      return 2;
    }
    if (error instanceof ModelError) {
      io.stderr(await sentenceOf(error));
      return 3;
    }
    if (isUsageError(error)) {
      io.stderr(`${error.message}\n\nevident ${name} --help lists the options.\n`);
      return 2;
    }
    throw error;
  }
}

/** What it quotes of files and answers does not steer the terminal. */
async function sentenceOf({ message }: Error): Promise<string> {
  const { plain } = await import('../lib/core/render/terminal.js');
  return `${message.split('\n').map(plain).join('\n')}\n`;
}

/** node:util parseArgs marks its own errors; their messages name the option. */
const isUsageError = (error: unknown): error is Error & { readonly code: string } =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  typeof error.code === 'string' &&
  error.code.startsWith('ERR_PARSE_ARGS');
