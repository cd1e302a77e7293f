import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { ConfigError } from '../../lib/core/errors.js';
import { createLog } from '../../lib/config/log.js';
import { demoStory } from '../../local-github/demo-story.js';
import type { Io } from '../io.js';
import { playDemo, type Played } from '../play-demo.js';
import { createTrace } from '../trace.js';
import { wrapped } from '../wrapped.js';

const usage = `npm run demo -- [--headless] [--json] [--port 4815] [--trace]

A GitHub on this machine, a small repository, a pull request; a signed webhook to the
real handler, and the review as it stands then. Without a key the reviewer is a set of
fixed rules; ANTHROPIC_API_KEY (ANTHROPIC_BASE_URL, EVIDENT_MODEL) makes it a model.

  --headless   print the conversation and end
  --json       print it as JSON and end
  --port N     where the local GitHub listens; a taken port is passed over
  --trace      show what goes to the model
`;

/** The main job in one minute, on embedded defaults. */
export async function runDemo(args: readonly string[], io: Io): Promise<number> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      headless: { type: 'boolean' },
      json: { type: 'boolean' },
      port: { type: 'string' },
      trace: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (flags.help === true) {
    io.stdout(usage);
    return 0;
  }
  const port = readPort(flags.port);
  requireGit();
  const began = Date.now();
  const json = flags.json === true;
  const played = await playDemo({
    story: demoStory,
    environment: modelSettings(io.env),
    port,
    log: createLog(io.env['LOG_LEVEL'] === undefined ? 'silent' : io.env['LOG_LEVEL']),
    ...(flags.trace === true && { emit: createTrace(io.stderr) }),
  });
  try {
    if (json) {
      io.stdout(`${JSON.stringify(asJson(played), null, 2)}\n`);
    } else {
      io.stdout(asText(played, Date.now() - began));
    }
    const finished = played.check.conclusion !== null && played.reviewed !== null;
    if (!finished && !json) io.stderr('The review did not finish; the check above says why.\n');
    if (flags.headless === true || json) {
      if (!json) io.stdout(further);
      return finished ? 0 : 3;
    }
    io.stdout(`\nThe pull request stands at ${played.url}\nCtrl-C ends it.\n`);
    await interrupted();
    return finished ? 0 : 3;
  } finally {
    await played.close();
  }
}

const further = `
See it as a page      npm run demo
Try your own code     npm run -s evident -- review --repo ../your-project
`;

/** Only what chooses and reaches a model: the demo's GitHub is its own, whatever else is set on this machine. */
const modelSettings = (env: Io['env']): Io['env'] =>
  Object.fromEntries(
    [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'ANTHROPIC_BASE_URL',
      'EVIDENT_MODEL',
      'EVIDENT_EFFORT',
      'EVIDENT_PRICE',
      'EVIDENT_MAX_DOLLARS',
      'EVIDENT_MAX_MINUTES',
    ].map((name) => [name, env[name]]),
  );

function readPort(value: string | undefined): number {
  if (value === undefined) return 4815;
  const port = Number(value);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new ConfigError(`--port ${value} is not a port. Use a number from 0 to 65535.`, '--port');
}

function requireGit(): void {
  const git = spawnSync('git', ['--version'], { encoding: 'utf8' });
  if (git.status === 0) return;
  throw new ConfigError(
    'git is not found. The demo keeps its repository in real git: install git (e.g. `apt install git`, `brew install git`) and run it again.',
    'git',
  );
}

const asJson = (played: Played): object => ({
  inline: played.inline.map(({ path, side, line, severity, rule, body, evidence, id, kind }) => ({
    id,
    kind,
    path,
    side,
    line,
    severity,
    rule,
    body,
    evidence: evidence.map((one) =>
      one.kind === 'quote'
        ? { role: one.role, path: one.path, ref: one.ref, start: one.start, end: one.end, quote: one.quote }
        : { role: one.role, absence: one.pattern, glob: one.glob, ref: one.ref },
    ),
  })),
  disproved: played.disproved,
  summary: played.summary,
  check: played.check,
  requests: played.requests,
});

function asText(played: Played, ms: number): string {
  const { model, repository, number } = played;
  const pull = repository.pull(number);
  const spent = played.reviewed?.spend.usage;
  const tokens =
    spent === undefined
      ? 0
      : spent.inputTokens + spent.cacheReadTokens + spent.cacheWriteTokens + spent.outputTokens;
  const diff = played.reviewed === null ? '' : `${pull.changedFiles} files`;
  const lines = [
    '',
    model.sendsTo === null
      ? `A GitHub on this machine: ${played.github.url}  (nothing leaves it, no key)`
      : `A GitHub on this machine: ${played.github.url}  (code goes to ${model.sendsTo})`,
    model.kind === 'rules' ? 'Reviewer: fixed rules, not a language model.' : `Reviewer: ${model.name}.`,
    '',
    `${repository.fullName} #${number}  "${pull.title}"  by ${pull.author}   ${diff}`,
    '',
    ...[...played.inline]
      .sort((a, b) => order(a.id) - order(b.id))
      .flatMap((one) => {
        const label = one.kind === 'question' ? 'question' : one.severity;
        return wrapped(`  ${one.id} ${label}`.padEnd(15), `${one.path}:${one.line}`, one.title);
      }),
    ...played.disproved.flatMap((one) =>
      wrapped('  dropped'.padEnd(15), `${one.path}:${one.line}`, `"${one.claim}": ${one.because}`),
    ),
    '',
    `Check: ${played.check.title ?? 'none'}.   ${played.requests.length} GitHub requests, ${tokens} model tokens, ${(ms / 1000).toFixed(1)} s`,
    '',
  ];
  return lines.join('\n');
}

const order = (id: string): number => (id.startsWith('F') ? 0 : 1000) + Number(id.slice(1));

const interrupted = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
