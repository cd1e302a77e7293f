import { type Git, text } from './git.js';
import { type Commit, readCommits } from './objects.js';

/** Commits never change: each is asked of git once. */
export const commitAt = async (git: Git, sha: string): Promise<Commit> => {
  const { commits } = knownOf(git);
  const known = commits.get(sha);
  if (known !== undefined) return known;
  const reading = readCommits(git, ['-1', sha]).then(([commit]) => {
    if (commit === undefined) throw new Error(`no commit ${sha}`);
    return commit;
  });
  keep(commits, sha, reading);
  return reading;
};

/** Ids of the commits of `to` that `from` does not have, oldest first. */
export const commitsBetween = async (git: Git, from: string, to: string): Promise<readonly string[]> => {
  const { ranges } = knownOf(git);
  const range = `${from}..${to}`;
  const known = ranges.get(range);
  if (known !== undefined) return known;
  const reading = text(git, ['rev-list', '--reverse', range]).then((out) => out.split('\n').filter(Boolean));
  keep(ranges, range, reading);
  return reading;
};

/** Has git read at once many commits that are going to be asked for one by one. */
export const rememberCommits = async (git: Git, shas: readonly string[]): Promise<void> => {
  for (let at = 0; at < shas.length; at += ARGUMENTS)
    for (const commit of await readCommits(git, ['--no-walk', ...shas.slice(at, at + ARGUMENTS)]))
      keep(knownOf(git).commits, commit.sha, Promise.resolve(commit));
};

/** Ids of one command line. */
const ARGUMENTS = 1000;

type Known = {
  readonly commits: Map<string, Promise<Commit>>;
  readonly ranges: Map<string, Promise<readonly string[]>>;
};

const stores = new WeakMap<Git, Known>();

const knownOf = (git: Git): Known => {
  const known = stores.get(git) ?? { commits: new Map(), ranges: new Map() };
  stores.set(git, known);
  return known;
};

const MOST = 10_000;

const keep = <T>(map: Map<string, Promise<T>>, key: string, value: Promise<T>): void => {
  map.set(key, value);
  value.catch(() => map.delete(key));
  if (map.size <= MOST) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
};
