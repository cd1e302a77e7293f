import { parseArgs } from 'node:util';
import { readEnv } from '../../lib/config/env.js';
import { createLog } from '../../lib/config/log.js';
import { ConfigError } from '../../lib/core/errors.js';
import { shortSha } from '../../lib/core/pull-request.js';
import { forges } from '../../lib/forges/index.js';
import type { Io } from '../io.js';
import { placeOf } from '../named-pull.js';

type Subcommand = {
  readonly name: string;
  readonly does: string;
  readonly run: (args: readonly string[], io: Io) => Promise<number>;
};

/** One line a subcommand. */
const subcommands: readonly Subcommand[] = [
  {
    name: 'show',
    does: 'what the check of a pull request says now',
    run: async (args, io) => (await import('./gate-wait.js')).runGateShow(args, io),
  },
  {
    name: 'wait',
    does: 'the same, as soon as the check says what comes next',
    run: async (args, io) => (await import('./gate-wait.js')).runGateWait(args, io),
  },
  { name: 'pass', does: 'pass the head of a pull request by hand, with a reason', run: runPass },
  {
    name: 'simulate',
    does: 'what this gate and others let out, by simulation',
    run: async (args, io) => (await import('./gate-simulate.js')).runGateSimulate(args, io),
  },
];

const usage = (): string =>
  [
    'evident gate SUBCOMMAND [options]',
    '',
    ...subcommands.map(({ name, does }) => `  ${name.padEnd(10)}${does}`),
    '',
    'evident gate SUBCOMMAND --help says more.',
    '',
  ].join('\n');

/** The gate of a pull request. Settles with the exit code: 0 done, 2 wrong use or refused; `show` and `wait` have more. */
export async function runGate(args: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--help' || name === '-h') {
    io.stdout(usage());
    return 0;
  }
  const found = subcommands.find((one) => one.name === name);
  if (found !== undefined) return found.run(rest, io);
  io.stderr(`${name === undefined ? '' : `evident gate: there is no \`${name}\`.\n\n`}${usage()}`);
  return 2;
}

const passUsage = `evident gate pass --pr OWNER/REPO#N --reason WHY

For operators, when nothing else helps: writes a passing check on the head that
the pull request has now, with the app's own key from the environment (APP_ID,
PRIVATE_KEY; GITHUB_API_URL on Enterprise). No review is asked. The reason is
shown to everybody in the title and text of the check. It lasts for that commit,
until a new review of it is asked for.

  --pr       OWNER/REPO#N, or the address of the pull request
  --reason   why, in a few words: required

Exit codes: 0 passed, 2 wrong use, or GitHub refuses.
`;

async function runPass(args: readonly string[], io: Io): Promise<number> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      pr: { type: 'string' },
      reason: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (flags.help === true) {
    io.stdout(passUsage);
    return 0;
  }
  const place = placeOf(flags.pr ?? '');
  if (place === null) return wrong(io, '--pr names no pull request: write OWNER/REPO#N, or its address.');
  const reason = (flags.reason ?? '').trim();
  if (reason === '')
    return wrong(io, '--reason is missing: everybody has to see why this was passed by hand.');
  if (reason.length > mostReason) return wrong(io, `--reason is too long: at most ${mostReason} characters.`);
  const env = readEnv(io.env);
  const { github } = env;
  if (github === null) throw new ConfigError('APP_ID is not set.', 'APP_ID');
  const { createAppAuth, markerScope, passByHand, webUrlOf } = await forges.github();
  const web = webUrlOf(github.apiUrl);
  if (place.origin !== null && place.origin !== new URL(web).origin)
    return wrong(io, `--pr is on ${place.origin}, and this app belongs to ${web} (GITHUB_API_URL).`);
  const log = createLog(env.logLevel === 'info' ? 'silent' : env.logLevel);
  const { head, checkRun, title, url, others } = await passByHand({
    auth: createAppAuth({ ...github, log }),
    appId: github.appId,
    apiUrl: github.apiUrl,
    place,
    reason,
    trust: { keys: env.signingKeys, scope: markerScope(github, place) },
    log,
    clock: Date.now,
  });
  io.stdout(
    [
      `Passed by hand: ${url} at ${shortSha(head)}`,
      `Check run ${checkRun}: ${title}`,
      ...(others.length > 0
        ? [
            `The same commit is the head of ${others.map((one) => `#${one}`).join(', ')}: it counts there too.`,
          ]
        : []),
      'It lasts for this commit, until a new review of it is asked for.',
      '',
    ].join('\n'),
  );
  return 0;
}

const mostReason = 500;

function wrong(io: Io, sentence: string): number {
  io.stderr(`${sentence}\n\nevident gate pass --help lists the options.\n`);
  return 2;
}
