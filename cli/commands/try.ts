import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Env } from '../../lib/config/env.js';
import { ConfigError, ForgeError } from '../../lib/core/errors.js';
import { emptyLedger } from '../../lib/core/ledger.js';
import type { PastPull } from '../../lib/core/past-pull.js';
import type { PullRequest } from '../../lib/core/pull-request.js';
import { draftEnding } from '../../lib/core/publication.js';
import { besideItsPast, totalsOf, type TriedPull } from '../../lib/core/report/tried.js';
import { paragraph, plain } from '../../lib/core/render/terminal.js';
import { money, plural } from '../../lib/core/render/words.js';
import { jobKey } from '../../lib/core/trigger.js';
import type { Reviewed } from '../../lib/modes/run-review.js';
import type { Log } from '../../lib/ports/log.js';
import type { Model } from '../../lib/ports/model.js';
import { noToken, tokenOfPerson } from '../github-token.js';
import type { Io } from '../io.js';
import { readModelFlags } from '../model-flags.js';
import { openReadOnly } from '../opened-change.js';
import { reviewOnce } from '../review-once.js';
import { collectPulls, readCollectFlags } from '../reward/collect.js';
import { json } from '../reward/input.js';
import { triedText, triedTotal } from '../try/text.js';
import { wrapped } from '../wrapped.js';
import { writeWhole } from '../write-whole.js';

const usage = `evident try --repo OWNER/NAME [options]

Reviews pull requests that were merged, and sets what it would have said beside
what people said then, and what was taken back or mended later. It only reads.
What it may cost is said first; it asks before it spends.

  --repo      OWNER/NAME
  --last      how many of the newest merged ones: 20
  --model     a model, or rules: the fixed rules, no key, no cost
  --limit     most that one review may cost, in US dollars (0.60)
  --yes       spend without asking
  --html      also writes the results to this file, as one page
  --json      prints them as one object
  --cache     a folder that keeps what was read of the past

Reads with GITHUB_TOKEN or GH_TOKEN; GITHUB_API_URL or GHE_HOST on Enterprise.
Exit codes: 0 all were reviewed, 2 wrong use, 3 some were not: each says why.
`;

/** A review of the past of a repository. Settles with the exit code. */
export async function runTry(
  args: readonly string[],
  io: Io,
  given: { readonly model?: Model; readonly clock?: () => number } = {},
): Promise<number> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      repo: { type: 'string' },
      last: { type: 'string', default: '20' },
      model: { type: 'string' },
      limit: { type: 'string' },
      yes: { type: 'boolean', default: false },
      html: { type: 'string' },
      json: { type: 'boolean', default: false },
      cache: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (flags.help) {
    io.stdout(usage);
    return 0;
  }
  const options = readCollectFlags({
    ...(flags.repo !== undefined && { repo: [flags.repo] }),
    ...(flags.cache !== undefined && { cache: flags.cache }),
    ...{ last: flags.last, state: 'merged' },
  });
  if (options.last !== null && options.last > mostPulls)
    throw new ConfigError(`--last is ${options.last}: at most ${mostPulls} are reviewed at once.`, '--last');
  const { env, log, model } = readModelFlags(flags, io, given.model);
  const clock = given.clock ?? Date.now;

  const { pulls, missing } = await collectPulls(options, io);
  if (pulls.length === 0) {
    io.stderr(`No merged pull request was found in ${flags.repo}.\n`);
    return missing.length === 0 ? 0 : 3;
  }
  const say = flags.json ? io.stderr : io.stdout;
  say(`${estimate(pulls.length, model, env).join('\n')}\n\n`);
  if (model.kind === 'language_model' && !flags.yes && !(await isAgreed(io))) return 2;

  const tried: TriedPull[] = [];
  let stopped = false;
  const stop = (): void => void (stopped = true);
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    const review = createReviewer({ io, env, model, clock, log });
    for (const pull of pulls) {
      if (stopped) break;
      const one = await review(pull, pulls);
      tried.push(one);
      say(`${triedText(one)}\n`);
    }
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
  if (stopped) io.stderr(`Stopped after ${tried.length} of ${plural(pulls.length, 'pull request')}.\n`);
  if (flags.html !== undefined) {
    const { triedPage } = await import('../try/page.js');
    await writeWhole(
      { flag: '--html', file: flags.html },
      triedPage(flags.repo ?? '', model.name, tried),
      io,
    );
  }
  if (flags.json)
    io.stdout(json({ model: { name: model.name, kind: model.kind }, pulls: tried, totals: totalsOf(tried) }));
  else io.stdout(triedTotal(tried));
  const isWhole =
    missing.length === 0 &&
    tried.length === pulls.length &&
    tried.every(({ ended }) => ended.kind === 'reviewed' && ended.complete);
  return isWhole ? 0 : 3;
}

const mostPulls = 200;

/** Dollars of one review: eleven changes of 2 to 47 kB, at the default model's prices. */
const usual = { least: 0.07, most: 0.2 };

function estimate(many: number, model: Model, { maxDollars }: Env): readonly string[] {
  const what = `${plural(many, 'merged pull request')} to review`;
  if (model.kind === 'rules')
    return wrapped(`${what}, with fixed rules, not a language model: no key, no cost.`, 0);
  return wrapped(
    `${what} with ${plain(model.name)}: at most ${money(many * maxDollars)} (${money(maxDollars)} each, --limit). ` +
      `At the default model's prices one costs ${money(usual.least)} to ${money(usual.most)} as a rule, so about ${money(many * usual.least)} to ${money(many * usual.most)}. ` +
      `The code that it reads goes to ${plain(model.sendsTo ?? 'this machine')}.`,
    0,
  );
}

async function isAgreed({ asker, stderr }: Io): Promise<boolean> {
  if (asker === undefined) {
    stderr('Nobody can be asked here: add --yes to spend that, or --model rules for no cost.\n');
    return false;
  }
  const told = await asker.key('go on? y or n', ['y', 'n'] as const);
  const agreed = told.kind === 'said' && told.text === 'y';
  if (!agreed) stderr('Nothing was reviewed, and nothing spent.\n');
  return agreed;
}

type Reviewer = (pull: PastPull, all: readonly PastPull[]) => Promise<TriedPull>;

/** One pull request after the other; one that cannot be read says why and holds up nothing. */
function createReviewer(run: {
  readonly io: Io;
  readonly env: Env;
  readonly model: Model;
  readonly clock: () => number;
  readonly log: Log;
}): Reviewer {
  const { io, env, clock } = run;
  const token = tokenOfPerson(io.env);
  if (token === null) throw noToken();
  return async (pull, all) => {
    const [owner = '', repo = ''] = pull.repo.split('/');
    try {
      const opened = await openReadOnly(
        { owner, repo, number: pull.number },
        {
          ...{ env: io.env, log: run.log, clock, neverSend: env.neverSend },
          token: async () => token,
          sleep: async (ms) => void (await delay(ms)),
        },
      );
      const reviewed = await reviewOnce(opened, {
        ...{ env, model: run.model, clock },
        known: emptyLedger,
        dollars: env.maxDollars,
        emit: () => {},
      });
      return besideItsPast(pull, asTried(reviewed, opened.snapshot.pullRequest), all);
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      const ended = { kind: 'failed', why: error.message } as const;
      return besideItsPast(pull, { ended, findings: [], questions: [] }, all);
    }
  };
}

function asTried(
  { result, failed, spend }: Reviewed,
  { repo, number, base, head }: PullRequest,
): Parameters<typeof besideItsPast>[1] {
  if (failed !== null && result === null) {
    if (failed.kind === 'superseded')
      return { ended: { kind: 'failed', why: failed.detail }, findings: [], questions: [] };
    const at = { owner: repo.owner, repo: repo.name, number, head: head.sha };
    const { check } = draftEnding(failed, { key: jobKey(at, base.ref), head: head.sha });
    const why = paragraph(`${check.title}. ${check.summary}`).slice(0, 400);
    return { ended: { kind: 'failed', why }, findings: [], questions: [] };
  }
  return {
    ended: {
      kind: 'reviewed',
      complete: failed === null && result?.coverage.complete === true,
      dollars: spend.usage.dollars,
    },
    findings: result?.findings ?? [],
    questions: result?.questions ?? [],
  };
}
