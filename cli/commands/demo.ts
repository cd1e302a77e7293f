import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { createLog } from '../../lib/config/log.js';
import { tokensOf } from '../../lib/core/budget.js';
import { ConfigError } from '../../lib/core/errors.js';
import type { Ledger } from '../../lib/core/ledger.js';
import { answerDone, paragraph, plain } from '../../lib/core/render/terminal.js';
import { money, plural } from '../../lib/core/render/words.js';
import { demoStory } from '../../local-github/demo-story.js';
import type { Io } from '../io.js';
import { playDemo, type Played, type Standing } from '../play-demo.js';
import { createTrace } from '../trace.js';
import { apart, columns, wrapped } from '../wrapped.js';

const usage = `npm run demo -- [--headless] [--answer no] [--json] [--port 4815] [--trace]

A GitHub on this machine, a small repository, a pull request; a signed webhook
to the real handler, and the review as it stands then. Without a key the
reviewer is a set of fixed rules; ANTHROPIC_API_KEY (ANTHROPIC_BASE_URL,
EVIDENT_MODEL) makes it a model.

  --headless   print the conversation and end; the author replies to the
               question that is asked, and what follows is printed too
  --answer A   yes, no or unsure: what the author replies (no with --headless,
               else nobody replies)
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
  requireGit();
  keepLoopbackDirect();
  const began = Date.now();
  const json = flags.json === true;
  const interrupt = watchInterrupt();
  const played = await playDemo({
    story: demoStory,
    environment: modelSettings(io.env),
    port,
    log: createLog(io.env['LOG_LEVEL'] ?? 'silent', process.stderr),
    ...(flags.trace === true && { emit: createTrace(io.stderr) }),
    ...(!json && { onBegin: (begun) => io.stdout(heading(begun)) }),
  }).catch((error: unknown) => {
    interrupt.forget();
    throw reasonOf(error, port) ?? error;
  });
  try {
    const asked = await played.known();
    if (!json) io.stdout(found(played));
    const answer = wanted ?? (flags.headless === true && !json ? 'no' : null);
    const answered = answer === null ? null : await answerFirst(played, asked, answer);
    if (answered !== null && !json) io.stdout(answered.text);
    const now: Standing = answered?.standing ?? played;
    const known = answered?.known ?? asked;
    const requests = [...played.requests, ...(answered?.standing.requests ?? [])];
    io.stdout(
      json
        ? `${JSON.stringify(asJson(now, known, requests), null, 2)}\n`
        : ending(now, { requests, reviewed: played.reviewed, ms: Date.now() - began }),
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
    if (flags.headless === true || json) {
      if (!json) io.stdout(further);
      return code;
    }
    io.stdout(`\nThe pull request stands at ${played.url}\nCtrl-C ends it.\n`);
    await interrupt.asked();
    return code;
  } finally {
    await played.close();
    interrupt.forget();
  }
}

const replies = { yes: 'yes', no: 'no', unsure: 'not sure' } as const;
type Answer = keyof typeof replies;

function readAnswer(value: string | undefined): Answer | null {
  if (value === undefined) return null;
  const known = (Object.keys(replies) as readonly Answer[]).find((one) => one === value);
  if (known !== undefined) return known;
  throw new ConfigError(`--answer "${plain(value)}" is no answer. Use yes, no or unsure.`, '--answer');
}

type Answered = {
  readonly standing: Standing;
  readonly known: Ledger;
  readonly counted: boolean;
  /** Who said what, and what followed. */
  readonly text: string;
};

/** The author replies in the thread of the first open question; null where there is none. */
async function answerFirst(played: Played, before: Ledger, answer: Answer): Promise<Answered | null> {
  const asked = before.questions.find(({ standing }) => standing.kind === 'open');
  if (asked === undefined) return null;
  const { author } = played.repository.pull(played.number);
  const standing = await played.reply(author, asked.id, replies[answer]);
  const known = await played.known();
  const question = known.questions.find(({ id }) => id === asked.id) ?? asked;
  const rows = known.findings
    .filter(({ id }) => !before.findings.some((one) => one.id === id))
    .map(({ id, severity, title, anchor }) => ({
      label: `  ${id} ${severity}`,
      place: plain(`${anchor.path}:${anchor.line}`),
      text: paragraph(title),
    }));
  return {
    standing,
    known,
    counted: question.standing.kind === 'answered',
    text: [
      `${author} answers ${asked.id}: ${replies[answer]}`,
      ...(rows.length > 0 ? columns(rows) : [`  ${answerDone(question, known)}`]),
      '',
      '',
    ].join('\n'),
  };
}

const isFinished = ({ reviewed, check }: Played): boolean =>
  check.conclusion !== null && reviewed?.failed === null && reviewed.result?.coverage.complete === true;

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

const asJson = (now: Standing, { findings, questions }: Ledger, requests: Standing['requests']): object => ({
  inline: now.inline.map(({ path, side, line, severity, rule, body, evidence, id, kind }) => {
    const became = findings.find(({ from, standing }) => from === id && standing.kind === 'open');
    return {
      id: became?.id ?? id,
      kind: became === undefined ? kind : 'finding',
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
    };
  }),
  findings: findings.map(({ id, from, anchor, severity, origin, rule, title, standing }) => ({
    id,
    ...(from !== undefined && { from }),
    path: anchor.path,
    line: anchor.line,
    severity,
    origin,
    rule,
    title,
    standing: standing.kind,
  })),
  questions: questions.map(({ id, finding: { anchor }, question, answerEffects, standing }) => ({
    id,
    path: anchor.path,
    line: anchor.line,
    question,
    answerEffects,
    ...(standing.kind === 'answered'
      ? { answer: standing.answer, effect: standing.effect, by: standing.by }
      : { answer: null, effect: null, by: null }),
  })),
  disproved: now.disproved,
  summary: now.summary,
  check: now.check,
  requests,
});

const heading = ({ github, model }: Pick<Played, 'github' | 'model'>): string =>
  [
    `A GitHub on this machine: ${github.url}${model.sendsTo === null ? '  (nothing leaves it, no key)' : ''}`,
    ...wrapped(
      model.kind === 'rules'
        ? 'Reviewer: fixed rules, not a language model.'
        : `Reviewer: ${plain(model.name)}, at ${plain(model.sendsTo ?? 'this machine')}: the code that it reads goes there. It may take minutes.`,
      0,
    ),
    '',
    '',
  ].join('\n');

/** The pull request as it stands. Titles and claims are a model's words: nothing in them reaches the terminal as a command. */
function found(played: Played): string {
  const { repository, number, inline, disproved } = played;
  const pull = repository.pull(number);
  const rows = [...inline]
    .sort((a, b) => order(a.id) - order(b.id))
    .map((one) => ({
      label: `  ${one.id} ${one.kind === 'question' ? 'question' : one.severity}`,
      place: plain(`${one.path}:${one.line}`),
      text: paragraph(one.title),
    }));
  const dropped = '  looked into and dropped   ';
  return [
    apart(
      `${repository.fullName} #${number}  "${pull.title}"  by ${pull.author}`,
      `${plural(pull.changedFiles, 'file')}  +${pull.additions} -${pull.deletions}`,
    ),
    '',
    ...columns(rows),
    ...disproved.flatMap(({ claim, because }) =>
      wrapped(`${dropped}"${paragraph(claim)}": ${paragraph(because)}`, dropped.length),
    ),
    ...(rows.length + disproved.length > 0 ? [''] : []),
    '',
  ].join('\n');
}

function ending(
  { check }: Pick<Standing, 'check'>,
  {
    requests,
    reviewed,
    ms,
  }: Pick<Standing, 'requests' | 'reviewed'> & {
    /** How long all of it took. */
    readonly ms: number;
  },
): string {
  const tokens = reviewed === null ? 0 : tokensOf(reviewed.spend.usage);
  const dollars = reviewed?.spend.usage.dollars;
  const spent = [
    plural(requests.length, 'GitHub request'),
    `${tokens} model tokens`,
    ...(tokens > 0 && dollars !== undefined ? [money(dollars)] : []),
    `${(ms / 1000).toFixed(1)} s`,
  ];
  return `${wrapped(`Check: ${plain(check.title ?? 'none')}.   ${spent.join(', ')}`, 2).join('\n')}\n`;
}

const order = (id: string): number => (id.startsWith('F') ? 0 : 1000) + Number(id.slice(1));

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
