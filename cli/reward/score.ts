import { parseArgs } from 'node:util';
import { score, type Score } from '../../lib/core/reward/score.js';
import type { Io } from '../io.js';
import { json, readScored, reviewFlags } from './input.js';

const usage = `evident reward score [FILE] [options]

What unresolved review threads cost: 0.06 for each on security, 0.03 on logic,
0.01 on quality; at most 0.15 a pull request and 0.25 for all together. Reads
[{repo, pr, resolved, author, body}], or what evident reward collect writes,
from FILE or standard input. Prints
{prs: [{repo, pr, security, logic, quality, raw, penalty}], aggregate}.

  --settings  a JSON file: docs/REWARD.md has its keys
  --details   with the category of work, each thread that counts and what its
              class rests on, the signals asked for, and the share of threads
              that matched nothing
  --now       the time to measure long waiting by: 2027-06-01T00:00:00Z

Exit codes: 0 done, 2 wrong use.
`;

/** `evident reward score`. Settles with the exit code. */
export async function runScore(args: readonly string[], io: Io): Promise<number> {
  const given = parseArgs({
    args: [...args],
    options: { ...reviewFlags, details: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  if (given.values.help) {
    io.stdout(usage);
    return 0;
  }
  const { pulls, settings, now } = await readScored(given, io);
  const scored = score(pulls, settings, now);
  io.stdout(json(given.values.details ? detailed(scored) : bare(scored)));
  tellUnmatched(scored, io);
  return 0;
}

const bare = ({ prs, aggregate }: Score) => ({
  prs: prs.map(({ repo, pr, security, logic, quality, raw, penalty }) => ({
    repo,
    pr,
    security,
    logic,
    quality,
    raw,
    penalty,
  })),
  aggregate,
});

function detailed({ prs, aggregate, unmatched }: Score) {
  return {
    prs: prs.map(({ signals, ...one }) => ({ ...one, signals: signals.map(({ name }) => name) })),
    aggregate,
    unmatched: { ...unmatched, share: shareOf(unmatched) },
  };
}

/** On standard error: tables that know few words of what is said make all of it quality. */
export function tellUnmatched({ unmatched }: Pick<Score, 'unmatched'>, io: Io): void {
  const { threads, of } = unmatched;
  if (threads > 0)
    io.stderr(
      `${threads} of ${of} unresolved ${of === 1 ? 'thread' : 'threads'} (${Math.round(shareOf(unmatched) * 100)} %) matched no word and ${threads === 1 ? 'counts' : 'count'} as quality.\n`,
    );
}

const shareOf = ({ threads, of }: Score['unmatched']): number =>
  of === 0 ? 0 : Number((threads / of).toFixed(4));
