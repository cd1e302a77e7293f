import { parseArgs } from 'node:util';
import { ConfigError } from '../../lib/core/errors.js';
import type { PastPull } from '../../lib/core/past-pull.js';
import { readPastPulls } from '../../lib/core/report/read-past-pulls.js';
import { reportOf } from '../../lib/core/report/report.js';
import { readRewardSettings } from '../../lib/core/reward/settings.js';
import type { Io } from '../io.js';
import { reportText } from '../report/text.js';
import { collectFlags, collectPulls, readCollectFlags } from '../reward/collect.js';
import { json, readGiven, readTextFile } from '../reward/input.js';
import { writeWhole } from '../write-whole.js';

const usage = `evident report --repo OWNER/NAME [options]

What reviews do to the pull requests of a repository, whoever reviews them, in
figures with a sentence each; docs/REPORT.md explains them. It only reads, and
works before Evident is installed.

  --repo           OWNER/NAME; more than one may be given
  --last           how many of the newest pull requests of each: 20; all
                   with --since
  --from           a file of evident reward collect instead; - is standard input
  --html           also writes the report to this file, as one page
  --json           prints it as one object
  --since-install  the day that divides before from after, as 2026-01-31;
                   else the first review of Evident that is seen
  --floor          a rule of Evident's of which less is fixed is proposed for
                   off or nit, in percent: 30
  --app            the slug of the app that is Evident, where its check has
                   another name
  --settings       a file with the words and badges that sort threads; see
                   docs/REWARD.md
  --state --author --label --since --cache --wait
                   as in evident reward collect; not with --from

Reads with GITHUB_TOKEN or GH_TOKEN; GITHUB_API_URL or GHE_HOST on Enterprise.
Exit codes: 0 shown, 2 wrong use, 3 something could not be read: shown with what
was read, standard error names the rest.
`;

/** `evident report`. Settles with the exit code; `now` is in epoch milliseconds. */
export async function runReport(args: readonly string[], io: Io, now: number = Date.now()): Promise<number> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      ...collect,
      from: { type: 'string' },
      html: { type: 'string' },
      json: { type: 'boolean' },
      'since-install': { type: 'string' },
      floor: { type: 'string', default: '30' },
      app: { type: 'string' },
      settings: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (flags.help === true) {
    io.stdout(usage);
    return 0;
  }
  const floor = floorOf(flags.floor);
  const since = flags['since-install'] === undefined ? undefined : dayOf(flags['since-install']);
  const rules = readRewardSettings(
    flags.settings === undefined ? null : await readTextFile(flags.settings, io, '--settings'),
    flags.settings ?? '',
  );
  const { pulls, missing } = await pullsOf(flags, io);
  const report = reportOf(pulls, {
    ...{ now, rules, floor, missing },
    ...(since !== undefined && { since }),
    ...(flags.app !== undefined && { app: flags.app }),
  });
  if (flags.html !== undefined) {
    const { reportPage } = await import('../report/page.js');
    await writeWhole({ flag: '--html', file: flags.html }, reportPage(report), io);
  }
  io.stdout(flags.json === true ? json(report) : reportText(report));
  return missing === 0 ? 0 : 3;
}

/** Without `--no-threads`: a report is about threads. */
const { 'no-threads': _, ...collect } = collectFlags;

async function pullsOf(
  flags: Parameters<typeof readCollectFlags>[0] & { readonly from?: string },
  io: Io,
): Promise<{ readonly pulls: readonly PastPull[]; readonly missing: number }> {
  if (flags.from === undefined) {
    const wanted = flags.last === undefined && flags.since === undefined ? { ...flags, last: '20' } : flags;
    const { pulls, missing } = await collectPulls(readCollectFlags(wanted), io);
    return { pulls, missing: missing.length };
  }
  refuseBesideFrom(flags);
  const where = flags.from === '-' ? 'The input' : flags.from;
  const pulls = readPastPulls(await readGiven(flags.from, io, '--from'), where);
  const repos = (flags.repo ?? []).map((name) => name.toLowerCase());
  const named = pulls.filter(({ repo }) => repos.length === 0 || repos.includes(repo.toLowerCase()));
  if (named.length === 0)
    throw new ConfigError(
      `${where} holds nothing of ${repos.join(', ')}, only of ${[...new Set(pulls.map(({ repo }) => repo))].slice(0, 5).join(', ')}.`,
      '--repo',
    );
  if (flags.last === undefined) return { pulls: named, missing: 0 };
  const { last } = readCollectFlags({ repo: [named[0]?.repo ?? ''], last: flags.last });
  const newest = named.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  const names = new Set(named.map(({ repo }) => repo.toLowerCase()));
  return {
    pulls: [...names].flatMap((name) =>
      newest.filter(({ repo }) => repo.toLowerCase() === name).slice(0, last ?? undefined),
    ),
    missing: 0,
  };
}

/** What a collection chooses by; of one that was made before, an option without effect would make other figures than asked for. */
function refuseBesideFrom(flags: Parameters<typeof readCollectFlags>[0]): void {
  const given = (['state', 'author', 'label', 'since', 'cache', 'wait'] as const).find(
    (name) => flags[name] !== undefined,
  );
  if (given !== undefined)
    throw new ConfigError(
      `--${given} is for a collection, and --from is one already: leave it out, or give --${given} to evident reward collect.`,
      `--${given}`,
    );
}

function floorOf(text: string): number {
  const percent = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(percent <= 100))
    throw new ConfigError(`--floor is ${text}: write percent, from 0 to 100.`, '--floor');
  return percent / 100;
}

function dayOf(text: string): number {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(text))
    throw new ConfigError(
      `--since-install is ${text}: write a day, for example 2026-01-31.`,
      '--since-install',
    );
  return at;
}
