import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readGitHubPlace } from '../../lib/config/env.js';
import { ForgeError } from '../../lib/core/errors.js';
import { shortSha } from '../../lib/core/pull-request.js';
import type { GateView } from '../../lib/forges/github/index.js';
import { forges } from '../../lib/forges/index.js';
import type { Log } from '../../lib/ports/log.js';
import { answerOf, type GateAnswer } from '../gate-answer.js';
import { pullOf, tokenFor, type Time } from '../github-access.js';
import type { Io } from '../io.js';
import { pushedHere, type Named } from '../named-pull.js';
import { columns, wrapped } from '../wrapped.js';

const exits = `Exit codes: 0 pass (or merged), 1 fix what is listed, 2 wrong use, 3 not
finished, 4 a person decides, 5 an answer is awaited. It only reads.

  --pr       a number of this folder's repository, OWNER/REPO#N, or the address
             of the pull request
  --json     one object at the end instead of lines
`;

const credentials = `
Reads with GITHUB_TOKEN or GH_TOKEN, else with the app's own key (APP_ID,
PRIVATE_KEY, WEBHOOK_SECRET). GITHUB_API_URL or GHE_HOST on Enterprise. With
EVIDENT_APP_ID or APP_ID only checks of that app count.
`;

const showUsage = `evident gate show --pr N [--json]

What the check \`Evident\` on the head that the pull request has now says.

${exits}${credentials}`;

const waitUsage = `evident gate wait --pr N [--timeout MINUTES] [--json]

Waits until the check \`Evident\` says what comes next, and follows the head when
it moves: one line a change.

${exits}  --timeout  minutes to wait at most: 30
${credentials}`;

const realTime: Time = { clock: Date.now, sleep: async (ms) => void (await delay(ms)) };

/** `evident gate show`. Settles with the exit code of the verdict. */
export const runGateShow = (args: readonly string[], io: Io, time: Time = realTime): Promise<number> =>
  run('show', args, io, time);

/** `evident gate wait`. Settles with the exit code of the verdict, at the latest when the time is over. */
export const runGateWait = (args: readonly string[], io: Io, time: Time = realTime): Promise<number> =>
  run('wait', args, io, time);

async function run(name: 'show' | 'wait', args: readonly string[], io: Io, time: Time): Promise<number> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      pr: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      ...(name === 'wait' && { timeout: { type: 'string' as const, default: '30' } }),
    },
  });
  if (flags.help) {
    io.stdout(name === 'show' ? showUsage : waitUsage);
    return 0;
  }
  const wrong = (sentence: string): number => {
    io.stderr(`${sentence}\n\nevident gate ${name} --help lists the options.\n`);
    return 2;
  };
  const minutes = name === 'show' ? 1 : minutesOf(String(flags.timeout));
  if (minutes === null)
    return wrong(`--timeout is ${String(flags.timeout)}: write minutes, from 0.1 to 1440.`);
  const github = await forges.github();
  const { apiUrl, appId } = readGitHubPlace(io.env);
  const place = await pullOf(flags.pr ?? '', io.cwd, github.webUrlOf(apiUrl));
  if (typeof place === 'string') return wrong(place);

  const began = time.clock();
  const until = began + minutes * 60_000;
  const log: Log = { info: () => {}, warn: (_fields, said) => io.stderr(`${said}\n`), error: () => {} };
  const client = github.createGitHubClient({
    apiUrl,
    token: await tokenFor(io, place, { ...time, log }),
    log,
    // The last look is taken when the time is over.
    deadline: until + lastLookMs,
    clock: time.clock,
    sleep: time.sleep,
  });
  const tell = createTeller(io, { json: flags.json, began, clock: time.clock });
  const look = async (): Promise<GateView> => {
    const view = await github.readGateView(client, place, appId);
    tell.apps(view, appId);
    return view;
  };
  const seen = name === 'show' ? await once(look) : await wait(look, io, { ...time, began, until, tell });
  if (typeof seen === 'string') {
    io.stderr(`${seen}\n`);
    return 3;
  }
  if (name === 'show') tell.line(seen.view, seen.answer.line);
  tell.end(seen, place);
  return seen.answer.exit;
}

/** What was seen last. */
type Seen = { readonly view: GateView; readonly answer: GateAnswer };

async function once(look: () => Promise<GateView>): Promise<Seen | string> {
  try {
    const view = await look();
    const answer = answerOf(view);
    return { view, answer: answer.verdict === 'none' ? { ...answer, why: noCheck(view) } : answer };
  } catch (error) {
    if (error instanceof ForgeError && error.retryable) return error.message;
    throw error;
  }
}

const firstPauseMs = 10_000;
const longestPauseMs = 30_000;
/** How long something may take to begin, before it is said that nothing does. */
const beginsWithinMs = 180_000;
/** How long GitHub may take to show a push that has ended. */
const showsWithinMs = 60_000;
const lastLookMs = 30_000;

type Waiting = Time & { readonly began: number; readonly until: number; readonly tell: Teller };

/** Looks until the answer is one, or the time is over. A sentence when nothing could be seen. */
async function wait(
  look: () => Promise<GateView>,
  io: Io,
  { clock, sleep, began, until, tell }: Waiting,
): Promise<Seen | string> {
  let pause = firstPauseMs;
  let last: (Seen & { readonly since: number }) | null = null;
  let pushed: string | null | undefined;
  let failed = 'GitHub showed nothing in this time.';
  for (;;) {
    let least = 0;
    try {
      const view = await look();
      pushed ??= await pushedHere(io.cwd, view.pull.headRepo ?? '', view.pull.headRef);
      const answer = answerOf(view);
      const isLate =
        pushed !== null &&
        pushed !== view.pull.head &&
        view.pull.state === 'open' &&
        clock() - began < showsWithinMs;
      const isMoved: boolean = last !== null && last.view.pull.head !== view.pull.head;
      if (last !== null && isMoved)
        tell.line(view, `the head moved on from ${shortSha(last.view.pull.head)}`);
      const isNews: boolean = last === null || isMoved || last.answer.line !== answer.line;
      if (isNews) pause = firstPauseMs;
      last = { view, answer, since: isNews || last === null ? clock() : last.since };
      if (isLate)
        tell.line(view, `${(pushed ?? '').slice(0, 7)} was pushed from here; waiting until GitHub shows it`);
      else {
        tell.line(view, answer.line);
        if (answer.over === 'yes') return last;
        if (answer.over === 'perhaps' && clock() - last.since >= beginsWithinMs)
          return answer.verdict === 'none' ? { view, answer: { ...answer, why: noCheck(view) } } : last;
      }
    } catch (error) {
      if (!(error instanceof ForgeError) || !error.retryable) throw error;
      failed = error.message;
      least = error.retryAfterMs ?? 0;
    }
    const left = until - clock();
    if (left <= 0 || least > left) {
      const why = `Nothing was decided within ${Math.round(((until - began) / 60_000) * 10) / 10} minutes.`;
      if (least > left || last === null) return failed;
      const { view, answer } = last;
      return { view, answer: { ...answer, exit: 3, why: `${why} ${answer.why ?? ''}`.trim() } };
    }
    await sleep(Math.min(left, Math.max(pause, least)));
    pause = Math.min(longestPauseMs, pause * 1.5);
  }
}

const noCheck = ({ pull }: GateView): string =>
  `No check of Evident stands on ${shortSha(pull.head)}. Where reviews start on request, somebody with write access comments ` +
  '`/evident review` on the pull request; else the app is not installed there, or its delivery was lost.';

type Teller = ReturnType<typeof createTeller>;

/** Lines for a person, or one object at the end. Notes go to standard error. */
function createTeller(
  io: Io,
  { json, began, clock }: { readonly json: boolean; readonly began: number; readonly clock: () => number },
) {
  const told = new Set<string>();
  let newest = '';
  return {
    line({ pull }: GateView, words: string): void {
      const line = `${shortSha(pull.head)}  ${words}`;
      if (json || line === newest) return;
      newest = line;
      io.stdout(`${line.padEnd(71)} ${elapsed(clock() - began)}\n`);
    },
    /** Which of several apps was read. */
    apps({ check, others }: GateView, appId: number | null): void {
      if (others.length === 0) return;
      const them = others.join(', ');
      const note =
        check === null
          ? `A check named Evident stands there by ${them}${appId === null ? '' : `, and not by app ${appId} (APP_ID)`}: it is not read.`
          : `Checks named Evident stand there by ${check.app} and ${them}: that of ${check.app} is read${appId === null ? ' (EVIDENT_APP_ID chooses)' : ''}.`;
      if (told.has(note)) return;
      told.add(note);
      io.stderr(`${note}\n`);
    },
    end({ view, answer }: Seen, place: Pick<Named, 'owner' | 'repo' | 'number'>): void {
      io.stdout(
        json
          ? `${JSON.stringify(objectOf(view, answer, place), null, 2)}\n`
          : `${details(answer).join('\n')}\n`.replace(/^\n$/, ''),
      );
    },
  };
}

const objectOf = (
  view: GateView,
  answer: GateAnswer,
  { owner, repo, number }: Pick<Named, 'owner' | 'repo' | 'number'>,
) => ({
  verdict: answer.verdict,
  exit: answer.exit,
  pull: `${owner}/${repo}#${number}`,
  head: view.pull.head,
  title: answer.title,
  ...(answer.why !== undefined && { why: answer.why }),
  blocking: answer.blocking,
  questions_open: answer.questionsOpen,
  questions: answer.questions,
  fix_round: answer.fixRound,
  complete: answer.complete,
  url: answer.url,
});

function details({ verdict, exit, blocking, questions, why, fixRound, url }: GateAnswer): readonly string[] {
  const place = (path: string | null, line: number | null): string =>
    path === null ? '' : `${path}:${line}`;
  const rows = [
    ...blocking.map(({ id, path, line, rule, title }) => ({
      label: `  ${id}`,
      place: place(path, line),
      text: `${title ?? 'see the check'}${rule === null ? '' : ` (${rule})`}`,
    })),
    ...questions.map(({ id, path, line, question }) => ({
      label: `  ${id}`,
      place: place(path, line),
      text: `${question ?? 'see the check'}${verdict === 'waiting' ? '' : ' (open, holds nothing)'}`,
    })),
  ];
  const next =
    exit === 1
      ? `Fix round ${fixRound}. Fix only these, push once, wait again.`
      : exit === 4
        ? `${why ?? ''} Do not push: a person decides.`.trim()
        : exit === 5
          ? 'A person answers in the thread; a push will not help.'
          : exit === 3
            ? (why ?? '')
            : '';
  return [
    ...columns(rows),
    ...(next === '' ? [] : wrapped(next, 0)),
    ...(exit === 0 && rows.length === 0 ? [] : [url]),
  ];
}

/** `0m20s` */
const elapsed = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
};

function minutesOf(text: string): number | null {
  const minutes = /^\d{1,4}(\.\d{1,2})?$/.test(text) ? Number(text) : Number.NaN;
  return minutes >= 0.1 && minutes <= 1440 ? minutes : null;
}
