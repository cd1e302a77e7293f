/**
 * The past of a repository: pull requests with all that was said on them, whoever said it. A list with fingerprints tells
 * what changed since the last run; only that is read. What could not be read is told by name: nothing that failed looks
 * like a pull request on which nobody said anything.
 */
import type { PastPull } from '../../../core/past-pull.js';
import { type Asker, CollectionStopped } from './ask.js';
import { type Cache, noCache } from './cache.js';
import { type List, type Listed, listPulls } from './list-pulls.js';
import { readPulls } from './read-pulls.js';
import type { Selection } from './selection.js';

export { createAsker, type Asker } from './ask.js';
export { openCache } from './cache.js';
export { pullStates, type PullState, type Selection } from './selection.js';

/** What a run comes upon, in the order of the list; `missing` may come at any time. */
export type Collected =
  | { readonly kind: 'pull'; readonly pull: PastPull; readonly from: 'github' | 'cache' }
  | { readonly kind: 'missing'; readonly missing: Missing }
  | { readonly kind: 'listed'; readonly many: number };

/** Something that was asked for and is not there. */
export type Missing = {
  /** `owner/name`. */
  readonly repo: string;
  /** The pull request; null when it is about all of them. */
  readonly number: number | null;
  /** What was not read. */
  readonly what: string;
  /** A sentence. */
  readonly why: string;
};

/** Pull requests of one request, and how much they may hold together, by their fingerprints. */
const mostAtOnce = 10;
const mostWeight = 400;
/** The file of the cache is written after so many that were read, or after a tenth of them: it is written whole. */
const savedAfter = 50;

export async function* collectPast(
  asker: Asker,
  selection: Selection,
  cache: Cache = noCache,
): AsyncGenerator<Collected, void, void> {
  const repo = `${selection.owner}/${selection.repo}`;
  const missing = (number: number | null, what: string, why: string): Collected => ({
    kind: 'missing',
    missing: { repo, number, what, why },
  });
  let list: List;
  try {
    list = await listPulls(asker, selection);
  } catch (error) {
    if (!(error instanceof CollectionStopped)) throw error;
    yield missing(null, 'the list of pull requests', error.message);
    return;
  }
  yield { kind: 'listed', many: list.pulls.length };
  if (list.broken !== null)
    yield missing(
      null,
      list.pulls.length === 0 ? 'the list of pull requests' : 'the older part of the list',
      list.broken,
    );
  if (!list.checks)
    yield missing(null, 'checks', 'The token may not see them: it needs to read checks and commit statuses.');

  const kept = new Map<string, PastPull>();
  for (const { id, print } of list.pulls) {
    const pull = print === null ? null : cache.find(id, print, selection.threads);
    if (pull !== null) kept.set(id, { ...pull, repo: list.repo });
  }
  const unread = list.pulls.filter(({ id }) => !kept.has(id));
  const wanted = { repo: list.repo, threads: selection.threads, checks: list.checks };
  const read = new Map<string, PastPull | null>();
  let unsaved = 0;
  let shown = 0;
  function* ready(): Generator<Collected> {
    for (; shown < list.pulls.length; shown++) {
      const id = list.pulls[shown]?.id ?? '';
      const known = kept.get(id);
      const pull = known ?? read.get(id);
      if (pull === undefined) return;
      if (pull !== null) yield { kind: 'pull', pull, from: known === undefined ? 'github' : 'cache' };
    }
  }
  try {
    for (const batch of batchesOf(unread)) {
      const byId = new Map(batch.map((one) => [one.id, one]));
      for await (const one of readPulls(asker, [...byId.keys()], wanted)) {
        const { number = 0, print = null } = byId.get(one.id) ?? {};
        read.set(one.id, one.kind === 'read' ? one.pull : null);
        if (one.kind === 'failed') yield missing(number, 'the pull request', one.why);
        else {
          for (const what of one.lacks) yield missing(number, what, 'GitHub does not show them.');
          if (print !== null && one.lacks.length === 0) cache.keep(one.id, print, one.pull);
          unsaved += 1;
        }
      }
      if (unsaved >= Math.max(savedAfter, unread.length / 10)) {
        await cache.save();
        unsaved = 0;
      }
      yield* ready();
    }
  } catch (error) {
    if (!(error instanceof CollectionStopped)) throw error;
    const left = unread.filter(({ id }) => !read.has(id));
    for (const { id } of left) read.set(id, null);
    yield missing(null, `${left.length} pull requests (${rangeOf(left)})`, error.message);
  } finally {
    await cache.save();
  }
  yield* ready();
}

/** As many as one request can be expected to bring. */
function* batchesOf(pulls: readonly Listed[]): Generator<readonly Listed[]> {
  let batch: Listed[] = [];
  let weight = 0;
  for (const pull of pulls) {
    const own = pull.print?.weight ?? mostWeight / 4;
    if (batch.length > 0 && (batch.length >= mostAtOnce || weight + own > mostWeight)) {
      yield batch;
      batch = [];
      weight = 0;
    }
    batch.push(pull);
    weight += own;
  }
  if (batch.length > 0) yield batch;
}

const rangeOf = (pulls: readonly Listed[]): string => {
  const numbers = pulls.map(({ number }) => number);
  const [from, to] = [Math.min(...numbers), Math.max(...numbers)];
  return from === to ? `#${from}` : `from #${from} to #${to}`;
};
