import type { PastPull } from '../past-pull.js';

const weekMs = 7 * 24 * 3_600_000;

/**
 * Numbers (`repo#number`) of merged pull requests that a later one took back within a week of the merge. A revert is known by
 * GitHub's own words for it: `Reverts OWNER/REPO#N` or `This reverts commit SHA` in a body, or `Revert "TITLE"` as a
 * title or as the first line of a commit. It counts once it is merged itself; a revert of a revert takes that one back.
 */
export function revertedWithinAWeek(pulls: readonly PastPull[]): ReadonlySet<string> {
  return new Set(revertsIn(pulls, weekMs).map(({ target }) => nameOf(target)));
}

/** Each merged pull request that a later merged one took back within so many milliseconds, with that one. */
export function revertsIn(
  pulls: readonly PastPull[],
  withinMs = Infinity,
): readonly { readonly target: PastPull; readonly by: PastPull }[] {
  const merged = pulls
    .flatMap((pull) => (pull.mergedAt === null ? [] : [{ pull, at: Date.parse(pull.mergedAt) }]))
    .toSorted((a, b) => a.at - b.at);
  return merged.flatMap(({ pull: by, at }) => {
    const said = revertSaidBy(by);
    if (said === null) return [];
    const before = merged.filter(
      (one) => one.pull.repo === by.repo && one.at < at && at - one.at <= withinMs,
    );
    return targetsOf(
      said,
      before.map(({ pull }) => pull),
    ).map((target) => ({ target, by }));
  });
}

/** Whether a week has passed since the merge: before that nobody knows. */
export const isWeekOver = ({ mergedAt }: Pick<PastPull, 'mergedAt'>, now: number): boolean =>
  mergedAt !== null && now - Date.parse(mergedAt) >= weekMs;

export const nameOf = ({ repo, number }: Pick<PastPull, 'repo' | 'number'>): string => `${repo}#${number}`;

/** What a pull request says that it takes back, by commits, by names in lower case, and by titles. */
type RevertSaid = {
  readonly shas: readonly string[];
  readonly names: readonly string[];
  readonly titles: readonly string[];
};

/** Null for one that takes back nothing, as nearly all do: only the others are compared with what came before them. */
function revertSaidBy({ repo, title, body, commits }: PastPull): RevertSaid | null {
  const text = body.slice(0, 20_000);
  const shas = [...text.matchAll(/\bThis reverts commit ([0-9a-f]{7,64})\b/giu)].map(([, sha = '']) =>
    sha.toLowerCase(),
  );
  const names = [...text.matchAll(/^\s*Reverts ([\w.-]+\/[\w.-]+)?#(\d{1,9})\b/gimu)].map(
    ([, of = repo, number = '']) => `${of}#${number}`.toLowerCase(),
  );
  const titles = [title, ...commits.map(({ headline }) => headline)].flatMap(
    (line) => revertedTitle(line) ?? [],
  );
  return shas.length + names.length + titles.length === 0 ? null : { shas, names, titles };
}

/** `before` is oldest first: of several with one title the newest is meant. */
function targetsOf({ shas, names, titles }: RevertSaid, before: readonly PastPull[]): readonly PastPull[] {
  const sure = before.filter(
    (pull) =>
      names.includes(nameOf(pull).toLowerCase()) ||
      shas.some((sha) => pull.mergeSha?.toLowerCase().startsWith(sha) === true),
  );
  if (sure.length > 0) return sure;
  return titles.flatMap((title) => before.findLast((pull) => pull.title.trim() === title) ?? []);
}

/** Of `Revert "Add x"`, also with the numbers that a squash puts behind it. */
function revertedTitle(line: string): string | null {
  const [, inside] = /^Revert "(.+?)"(?: \(#\d+\))?$/su.exec(line.trim().slice(0, 1_000)) ?? [];
  return inside === undefined ? null : inside.replace(/ \(#\d+\)$/u, '').trim();
}
