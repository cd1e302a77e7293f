import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { ConfigError } from '../../lib/core/errors.js';
import { cleanStory, demoStory } from '../../local-github/demo-story.js';
import type { OwnBranch } from '../../local-github/open-branch.js';
import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';
import type { DemoAnswer } from '../demo-answer.js';
import { offerPushes, preparePage } from '../demo-guide.js';
import { modelSettings, usesRules } from '../demo-model.js';
import type { Io } from '../io.js';
import type { Played, Standing } from '../play-demo.js';

const usage = `npm run demo -- [--clean] [--repo PATH] [--headless] [--json] [--no-open]

A GitHub on this machine, a small repository, a pull request; a signed webhook
to the real handler, and the review as it stands then, on a page where you can
reply, push and approve. Without a key the reviewer is a set of fixed rules;
ANTHROPIC_API_KEY (ANTHROPIC_BASE_URL, EVIDENT_MODEL) makes it a model.

  --clean      a pull request with nothing wrong
  --repo PATH  what is committed in your own repository, as a pull request;
               nothing is written there
  --base A     what it would be merged into (the default branch)
  --head B     the branch or commit (what is checked out)
  --no-open    print the address of the page, open no browser
  --headless   print the conversation and end; the author replies to the
               question that is asked, and what follows is printed too
  --answer A   yes, no or unsure: what the author replies (no with --headless,
               else nobody replies; nobody on your own repository)
  --json       print it as JSON and end
  --port N     where the local GitHub listens; a taken port is passed over
  --trace      show what goes to the model

Exit codes: 0 the review finished, 2 wrong use, 3 not finished.
`;

/** The main job in one minute, on embedded defaults. */
export async function runDemo(args: readonly string[], io: Io): Promise<number> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      clean: { type: 'boolean' },
      repo: { type: 'string' },
      base: { type: 'string' },
      head: { type: 'string' },
      'no-open': { type: 'boolean' },
      headless: { type: 'boolean' },
      answer: { type: 'string' },
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
  const wanted = readAnswer(flags.answer);
  refuseTogether(flags);
  requireGit();
  keepLoopbackDirect();
  const began = Date.now();
  const json = flags.json === true;
  const toTheEnd = flags.headless === true || json;
  const opened = await readOpening(flags, io);
  const interrupt = watchInterrupt();
  const environment = modelSettings(io.env);
  const github = await startLocalGitHub({ port }).catch((error: unknown) => {
    interrupt.forget();
    throw reasonOf(error, port) ?? error;
  });
  // Before the rest is even loaded, so that there is something to read at once.
  if (!json)
    io.stdout(
      `A GitHub on this machine: ${github.url}${usesRules(environment) ? '  (nothing leaves it, no key)' : ''}\n`,
    );
  const { playDemo } = await import('../play-demo.js');
  const { answerFirst } = await import('../demo-answer.js');
  const text = await import('../demo-text.js');
  const { createLog } = await import('../../lib/config/log.js');
  const played = await playDemo({
    github,
    story: opened.open,
    // On the page the check is a required one, so that it can be seen to hold the merge.
    environment: { ...environment, ...(!toTheEnd && { EVIDENT_GATE: 'blocking' }) },
    log: createLog(io.env['LOG_LEVEL'] ?? 'silent', process.stderr),
    ...(flags.trace === true && { emit: (await import('../trace.js')).createTrace(io.stderr) }),
    ...(!json && { onBegin: (begun) => io.stdout(text.demoReviewer(begun, opened.branch)) }),
    ...(!toTheEnd && {
      onOpened: ({ repository, url }) => {
        opened.guide(repository);
        if (flags['no-open'] !== true) void showPage(io, url);
      },
    }),
  }).catch((error: unknown) => {
    interrupt.forget();
    throw reasonOf(error, port) ?? error;
  });
  try {
    const asked = await played.known();
    if (!json) io.stdout(text.demoFound(played));
    const answer = wanted ?? (flags.headless === true && !json && flags.repo === undefined ? 'no' : null);
    const answered = answer === null ? null : await answerFirst(played, asked, answer);
    if (answered !== null && !json) io.stdout(answered.text);
    const now: Standing = answered?.standing ?? played;
    const known = answered?.known ?? asked;
    const requests = [...played.requests, ...(answered?.standing.requests ?? [])];
    io.stdout(
      json
        ? `${JSON.stringify(text.demoJson(now, known, requests), null, 2)}\n`
        : text.demoEnding(now, { requests, reviewed: played.reviewed, ms: Date.now() - began }),
    );
    if (wanted !== null && answered === null) io.stderr('The review asked nothing, so nobody answered.\n');
    if (answered?.counted === false)
      io.stderr('The answer had no effect. LOG_LEVEL=info shows what happened.\n');
    const code = isFinished(played) && answered?.counted !== false ? 0 : 3;
    if (!isFinished(played) && !json)
      io.stderr(
        played.check.title === null
          ? 'No review came of the webhook. LOG_LEVEL=info shows what happened.\n'
          : 'The review did not finish; the check above says why.\n',
      );
    if (toTheEnd) {
      if (!json) io.stdout(text.demoFurther(flags));
      return code;
    }
    io.stdout(text.demoStands(played));
    await interrupt.asked();
    return code;
  } finally {
    await played.close();
    interrupt.forget();
  }
}

type Flags = {
  readonly clean?: boolean;
  readonly repo?: string;
  readonly base?: string;
  readonly head?: string;
  readonly headless?: boolean;
  readonly answer?: string;
};

/** Flags of which one would have no effect. */
function refuseTogether({ clean, repo, base, head }: Flags): void {
  if (repo === undefined && (base ?? head) !== undefined) {
    const flag = base === undefined ? '--head' : '--base';
    throw new ConfigError(`${flag} belongs to a repository of your own. Name it with --repo PATH.`, flag);
  }
  if (clean === true && repo !== undefined)
    throw new ConfigError(
      '--clean is a repository of the demo, --repo one of yours. Use one of them.',
      '--clean',
    );
}

type Opening = {
  readonly open: (
    github: LocalGitHub,
  ) => Promise<{ readonly repository: LocalRepository; readonly number: number }>;
  /** What the page of it offers to whoever plays with it. */
  readonly guide: (repository: LocalRepository) => void;
  /** Of one's own repository; null for the demo's. */
  readonly branch: OwnBranch | null;
};

/** Which pull request it is. Reads one's own repository, and throws what is wrong with it, before anything is started. */
async function readOpening(flags: Flags, io: Io): Promise<Opening> {
  if (flags.repo !== undefined) {
    const { readOwnBranch } = await import('../own-branch.js');
    const { openBranch } = await import('../../local-github/open-branch.js');
    const { silentLog } = await import('../../lib/ports/log.js');
    const { base, head } = flags;
    const branch = await readOwnBranch({ cwd: io.cwd, repo: flags.repo, base, head, log: silentLog });
    return {
      open: (github) => openBranch(github, branch),
      guide: (repository) => preparePage(repository, 'own branch'),
      branch,
    };
  }
  const story = flags.clean === true ? cleanStory : demoStory;
  const { openStory } = await import('../../local-github/open-story.js');
  return {
    open: (github) => openStory(github, story),
    guide: (repository) => {
      preparePage(repository, story === cleanStory ? 'clean story' : 'story');
      if (story === demoStory) offerPushes(repository, demoStory);
    },
    branch: null,
  };
}

/** A browser that does not start is no failure: the address is printed below all the same. */
async function showPage(io: Io, url: string): Promise<void> {
  await io.openPage?.(url).catch(() => undefined);
}

function readAnswer(value: string | undefined): DemoAnswer | null {
  switch (value) {
    case undefined:
      return null;
    case 'yes':
    case 'no':
    case 'unsure':
      return value;
    default:
      throw new ConfigError(
        `--answer "${value.replace(/[^\x20-\x7e]/g, '?')}" is no answer. Use yes, no or unsure.`,
        '--answer',
      );
  }
}

const isFinished = ({ reviewed, check }: Played): boolean =>
  check.conclusion !== null && reviewed?.failed === null && reviewed.result?.coverage.complete === true;

function readPort(value: string | undefined): number {
  if (value === undefined) return 4815;
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return port;
  throw new ConfigError(`--port "${value}" is not a port. Use a number from 0 to 65535.`, '--port');
}

function requireGit(): void {
  const git = spawnSync('git', ['--version'], { encoding: 'utf8' });
  const [, major, minor] = /version (\d+)\.(\d+)/.exec(git.stdout ?? '') ?? [];
  if (git.status === 0 && (Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 28))) return;
  if (major !== undefined)
    throw new ConfigError(
      `The demo needs git 2.28 or newer; this is ${git.stdout.trim()}. Install a newer one and run it again.`,
      'git',
    );
  throw new ConfigError(
    'git is not found. The demo keeps its repository in real git: install git (e.g. `apt install git`, `brew install git`) and run it again.',
    'git',
  );
}

/** A Node that heeds proxy variables (NODE_USE_ENV_PROXY) would send even this machine's own traffic there. */
function keepLoopbackDirect(): void {
  for (const name of ['no_proxy', 'NO_PROXY']) {
    const set = process.env[name]?.trim() ?? '';
    if (set !== '*') process.env[name] = [...(set === '' ? [] : [set]), '127.0.0.1'].join(',');
  }
}

/** What a machine refused, as a sentence; null for anything else. */
function reasonOf(error: unknown, port: number): ConfigError | null {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'mkdtemp')
    return new ConfigError(
      `Nothing can be written in ${tmpdir()} (${code}). Set TMPDIR to a folder that takes files.`,
      'TMPDIR',
    );
  if (syscall === 'listen')
    return new ConfigError(
      `The local GitHub cannot listen at port ${port} (${code}). Choose another one with --port; 0 takes any that is free.`,
      '--port',
    );
  return null;
}

/**
 * Ctrl-C: while something is under way it ends the program at once, and what stands is closed when `asked` resolves. The
 * temporary folder goes in both cases, because ending sweeps it.
 */
function watchInterrupt(): { readonly asked: () => Promise<void>; readonly forget: () => void } {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let act = (): void => process.exit(130);
  const hear = (): void => act();
  for (const signal of signals) process.on(signal, hear);
  return {
    asked: () =>
      new Promise((resolve) => {
        act = () => {
          act = () => process.exit(130);
          resolve();
        };
      }),
    forget: () => {
      for (const signal of signals) process.off(signal, hear);
    },
  };
}
