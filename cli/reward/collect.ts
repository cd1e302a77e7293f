import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { readGitHubPlace } from '../../lib/config/env.js';
import { ConfigError } from '../../lib/core/errors.js';
import type { PastPull } from '../../lib/core/past-pull.js';
import { plain } from '../../lib/core/render/terminal.js';
import { plural } from '../../lib/core/render/words.js';
import type { Missing, PullState } from '../../lib/forges/github/index.js';
import { forges } from '../../lib/forges/index.js';
import { silentLog } from '../../lib/ports/log.js';
import type { Time } from '../github-access.js';
import { noToken, tokenOfPerson } from '../github-token.js';
import type { Io } from '../io.js';
import { jsonText } from '../json-text.js';
import { writeWhole } from '../write-whole.js';

const usage = `evident reward collect --repo OWNER/NAME [options]

Pull requests with their review threads, whoever reviewed them: one JSON object
a line, the newest first. It only reads.

  --repo        OWNER/NAME; more than one may be given
  --last        how many pull requests of each at most: 100; all with --since
  --state       open, merged, closed (and not merged) or all: all
  --author      only those of that login; more than one may be given
  --label       only those with that label; of several, with all
  --since       only those that were opened since, as 2026-01-31
  --no-threads  without review threads: much faster
  --cache       a folder that keeps what was read; the next run asks only for
                what changed since
  --wait        minutes to wait for GitHub's rate limit, in all: 5
  --out         a file instead of standard output

Reads with GITHUB_TOKEN or GH_TOKEN; GITHUB_API_URL or GHE_HOST on Enterprise.
Exit codes: 0 all was read, 2 wrong use, 3 something is missing: standard error
names it, and what was read is there.
`;

/** The options of a collection, for `parseArgs`: `readCollectFlags` reads their values. */
export const collectFlags = {
  repo: { type: 'string', multiple: true },
  last: { type: 'string' },
  state: { type: 'string' },
  author: { type: 'string', multiple: true },
  label: { type: 'string', multiple: true },
  since: { type: 'string' },
  'no-threads': { type: 'boolean' },
  cache: { type: 'string' },
  wait: { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

/** Values of `collectFlags` as `parseArgs` gives them. */
export type CollectFlags = {
  readonly [Name in keyof typeof collectFlags]?: (typeof collectFlags)[Name]['type'] extends 'boolean'
    ? boolean
    : (typeof collectFlags)[Name] extends { readonly multiple: true }
      ? readonly string[]
      : string;
};

export type CollectOptions = {
  readonly repos: readonly { readonly owner: string; readonly repo: string }[];
  /** Of each repository; null for all. */
  readonly last: number | null;
  readonly state: PullState;
  readonly authors: readonly string[];
  readonly labels: readonly string[];
  /** ISO 8601. */
  readonly since: string | null;
  readonly threads: boolean;
  /** A folder. */
  readonly cache: string | null;
  /** Milliseconds that may be waited for rate limits, in all. */
  readonly patienceMs: number;
};

export type CollectedPulls = {
  /** By repository in the order asked for, the newest first. */
  readonly pulls: readonly PastPull[];
  /** What was asked for and could not be read: never the same as a pull request without threads. */
  readonly missing: readonly Missing[];
  /** Sent to GitHub. */
  readonly requests: number;
};

const realTime: Time = { clock: Date.now, sleep: async (ms) => void (await delay(ms)) };

/** `evident reward collect`. Settles with the exit code: 0 all was read, 2 wrong use, 3 something is missing. */
export async function runCollect(args: readonly string[], io: Io, time: Time = realTime): Promise<number> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: { ...collectFlags, out: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (flags.help === true) {
    io.stdout(usage);
    return 0;
  }
  const options = readCollectFlags(flags);
  const lines: string[] = [];
  const print = (pull: PastPull): void => {
    const line = `${jsonText(pull)}\n`;
    if (flags.out === undefined) io.stdout(line);
    else lines.push(line);
  };
  const { missing } = await collect(options, io, print, time);
  if (flags.out !== undefined) await writeWhole({ flag: '--out', file: flags.out }, lines, io);
  return missing.length === 0 ? 0 : 3;
}

/**
 * Collects for another command; progress and what is missing go to standard error. Throws `ConfigError` without a
 * token, `ForgeError` when GitHub does not take it or shows no such repository.
 */
export async function collectPulls(
  options: CollectOptions,
  io: Pick<Io, 'stderr' | 'env' | 'cwd'>,
  time: Time = realTime,
): Promise<CollectedPulls> {
  const pulls: PastPull[] = [];
  return { pulls, ...(await collect(options, io, (pull) => void pulls.push(pull), time)) };
}

/** Throws `ConfigError` with a sentence for what cannot be used. */
export function readCollectFlags(flags: CollectFlags): CollectOptions {
  const wrong = (flag: string, sentence: string): ConfigError => new ConfigError(sentence, flag);
  const repos = (flags.repo ?? []).map((name) => {
    const [, owner, repo] = /^([A-Za-z0-9_.-]{1,100})\/([A-Za-z0-9_.-]{1,100})$/.exec(name) ?? [];
    if (owner === undefined || repo === undefined || /^\.+$/.test(owner) || /^\.+$/.test(repo))
      throw wrong('--repo', `--repo is ${name}: write OWNER/NAME, for example octo-org/shop.`);
    return { owner, repo };
  });
  if (repos.length === 0)
    throw wrong('--repo', '--repo is missing: write OWNER/NAME, for example octo-org/shop.');
  const state = flags.state ?? 'all';
  if (!isState(state)) throw wrong('--state', `--state is ${state}: write open, merged, closed or all.`);
  const since = flags.since === undefined ? null : dateOf(flags.since);
  if (since === undefined)
    throw wrong('--since', `--since is ${String(flags.since)}: write a date, for example 2026-01-31.`);
  const last = flags.last === undefined ? (since === null ? mostUntold : null) : countOf(flags.last);
  if (last === undefined)
    throw wrong('--last', `--last is ${String(flags.last)}: write a number from 1 to 100000.`);
  const minutes = /^\d{1,4}$/.test(flags.wait ?? '5') ? Number(flags.wait ?? '5') : Number.NaN;
  if (Number.isNaN(minutes))
    throw wrong('--wait', `--wait is ${String(flags.wait)}: write minutes, from 0 to 9999.`);
  return {
    ...{ repos, last, state, since },
    authors: flags.author ?? [],
    labels: flags.label ?? [],
    threads: flags['no-threads'] !== true,
    cache: flags.cache ?? null,
    patienceMs: minutes * 60_000,
  };
}

const mostUntold = 100;

const isState = (text: string): text is PullState =>
  (['open', 'merged', 'closed', 'all'] as const satisfies readonly PullState[]).some((one) => one === text);

/** Undefined for what is no date. A day is meant in UTC. */
function dateOf(text: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(text)) return undefined;
  const ms = Date.parse(text);
  // A 31st of February is one of March to the clock.
  const isDay = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 10));
  return isDay ? new Date(ms).toISOString() : undefined;
}

function countOf(text: string): number | undefined {
  const count = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : Number.NaN;
  return count <= 100_000 ? count : undefined;
}

async function collect(
  options: CollectOptions,
  { stderr, env, cwd }: Pick<Io, 'stderr' | 'env' | 'cwd'>,
  take: (pull: PastPull) => void,
  { clock, sleep }: Time,
): Promise<Omit<CollectedPulls, 'pulls'>> {
  const token = tokenOfPerson(env);
  if (token === null) throw noToken();
  const { apiUrl } = readGitHubPlace(env);
  const github = await forges.github();
  const client = github.createGitHubClient({
    ...{ apiUrl, clock, sleep },
    token: async () => token,
    log: silentLog,
    deadline: Infinity,
    tries: 1,
  });
  // GitHub's reasons may quote what somebody wrote.
  const tell = (sentence: string): void => stderr(`${plain(sentence)}\n`);
  const asker = github.createAsker({ client, patienceMs: options.patienceMs, clock, sleep, tell });
  const missing: Missing[] = [];
  for (const { owner, repo } of options.repos) {
    const name = `${owner}/${repo}`;
    const cache =
      options.cache === null
        ? undefined
        : await github.openCache(resolve(cwd, options.cache), { web: github.webUrlOf(apiUrl), owner, repo });
    if (cache?.note) tell(cache.note);
    const before = asker.requests();
    const lost = missing.length;
    const count = { github: 0, cache: 0, listed: 0 };
    for await (const one of github.collectPast(asker, { ...options, owner, repo }, cache)) {
      if (one.kind === 'listed') count.listed = one.many;
      else if (one.kind === 'missing') missing.push(one.missing);
      else {
        take(one.pull);
        count[one.from] += 1;
        const done = count.github + count.cache;
        if (done % toldAfter === 0 && done < count.listed) tell(`${name}: ${done} of ${count.listed}`);
      }
    }
    const points = asker.pointsLeft();
    tell(
      `${name}: ${count.github + count.cache} of ${count.listed} pull requests${cache === undefined ? '' : `, ${count.cache} of them unchanged since the last run`}. ` +
        `${plural(asker.requests() - before, 'request')}${points === null ? '' : `, ${points} points of this hour left`}.`,
    );
    tellMissing(missing.slice(lost), tell);
    if (missing.length > lost && options.cache !== null)
      tell(`What was read is kept in ${options.cache}: the next run asks for the rest.`);
  }
  return { missing, requests: asker.requests() };
}

const toldAfter = 50;
const mostTold = 20;

function tellMissing(missing: readonly Missing[], tell: (sentence: string) => void): void {
  for (const { repo, number, what, why } of missing.slice(0, mostTold))
    tell(`Missing: ${number === null ? `${repo}: ` : `${repo}#${number}: `}${what}. ${why}`);
  if (missing.length > mostTold) tell(`Missing: ${missing.length - mostTold} more.`);
}
