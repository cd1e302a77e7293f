import type { Finding } from '../finding.js';
import type { PastPull } from '../past-pull.js';
import type { Question } from '../question.js';
import { loginOf, isAuthors } from './reviews-seen.js';
import { revertsIn } from './reverts.js';

/** A merged pull request: what a review says of it now, beside what was said then and what came later. */
export type TriedPull = {
  readonly repo: string;
  readonly number: number;
  readonly title: string;
  readonly url: string;
  /** Null where the account is gone. */
  readonly author: string | null;
  readonly mergedAt: string | null;
  readonly ended: TriedEnd;
  readonly remarks: readonly TriedRemark[];
  readonly said: readonly SaidThen[];
  readonly later: readonly LaterChange[];
};

/** `dollars` is null where the price of the model is not known. */
export type TriedEnd =
  | { readonly kind: 'reviewed'; readonly complete: boolean; readonly dollars: number | null }
  | { readonly kind: 'failed'; readonly why: string };

export type TriedRemark = {
  readonly id: string;
  readonly kind: 'important' | 'nit' | 'question';
  readonly path: string;
  readonly line: number;
  readonly title: string;
  /** Logins who began a thread at that place. */
  readonly saidBy: readonly string[];
  /** Numbers of later pull requests that mended or took back this file. */
  readonly later: readonly number[];
};

/** A review thread that somebody but the author began. */
export type SaidThen = {
  readonly by: string;
  readonly bot: boolean;
  readonly path: string;
  /** As the line was then; null for a thread on the file. */
  readonly line: number | null;
  /** First line of what was said. */
  readonly words: string;
  /** Resolved, or its lines changed. */
  readonly done: boolean;
  /** Ids of remarks at that place. */
  readonly near: readonly string[];
};

/** A pull request that was merged later: `revert` takes the change back, `names` is a fix that names it, `files` one of the same files. */
export type LaterChange = {
  readonly number: number;
  readonly title: string;
  readonly how: 'revert' | 'names' | 'files';
  /** Files that both changed. */
  readonly files: readonly string[];
};

/** So many lines apart is still one place: lines moved between the commit of a comment and the merge. */
const nearLines = 10;
const fixDays = 30;
const mostLater = 10;

/** Sets a review of a merged pull request beside its own past. `all` holds the later pull requests, too. */
export function besideItsPast(
  pull: PastPull,
  {
    ended,
    findings,
    questions,
  }: {
    readonly ended: TriedEnd;
    readonly findings: readonly Finding[];
    readonly questions: readonly Question[];
  },
  all: readonly PastPull[],
): TriedPull {
  const later = laterChanges(pull, all);
  const said = pull.threads.flatMap(({ path, line, isResolved, isOutdated, comments: [first] }) =>
    first === undefined || isAuthors(first.author, pull)
      ? []
      : [
          {
            by: loginOf(first.author),
            bot: first.author?.bot ?? false,
            ...{ path, line, done: isResolved || isOutdated },
            words: firstWords(first.body),
          },
        ],
  );
  const places = [
    ...findings.map(({ id, severity, anchor, title }) => ({
      ...{ id, anchor, title },
      kind: severity === 'important' ? ('important' as const) : ('nit' as const),
    })),
    ...questions.map(({ id, finding, question }) => ({
      id,
      anchor: finding.anchor,
      title: question,
      kind: 'question' as const,
    })),
  ];
  const isNear = (
    { anchor }: (typeof places)[number],
    at: { readonly path: string; readonly line: number | null },
  ): boolean => anchor.path === at.path && at.line !== null && Math.abs(anchor.line - at.line) <= nearLines;
  return {
    ...{ repo: pull.repo, number: pull.number, title: pull.title, url: pull.url, mergedAt: pull.mergedAt },
    author: pull.author === null ? null : loginOf(pull.author),
    ...{ ended, later },
    remarks: places.map((place) => ({
      ...{ id: place.id, kind: place.kind, title: place.title },
      ...{ path: place.anchor.path, line: place.anchor.line },
      saidBy: [...new Set(said.filter((one) => isNear(place, one)).map(({ by }) => by))],
      later: later.filter(({ files }) => files.includes(place.anchor.path)).map(({ number }) => number),
    })),
    said: said.map((one) => ({
      ...one,
      near: places.filter((place) => isNear(place, one)).map(({ id }) => id),
    })),
  };
}

/** What took it back or mended it, oldest first: only what is among `all` can be seen. */
export function laterChanges(pull: PastPull, all: readonly PastPull[]): readonly LaterChange[] {
  const merged = pull.mergedAt === null ? Number.NaN : Date.parse(pull.mergedAt);
  const reverts = new Set(
    revertsIn(all)
      .filter(({ target }) => target.repo === pull.repo && target.number === pull.number)
      .map(({ by }) => by.number),
  );
  return all
    .filter(
      (one) =>
        one.repo === pull.repo &&
        one.number !== pull.number &&
        one.mergedAt !== null &&
        Date.parse(one.mergedAt) > merged,
    )
    .toSorted((a, b) => Date.parse(a.mergedAt ?? '') - Date.parse(b.mergedAt ?? ''))
    .flatMap((one): readonly LaterChange[] => {
      const files = one.files.filter((path) => pull.files.includes(path));
      const how = reverts.has(one.number)
        ? 'revert'
        : isFix(one) && namesIt(one, pull)
          ? 'names'
          : isFix(one) && files.length > 0 && Date.parse(one.mergedAt ?? '') - merged <= fixDays * dayMs
            ? 'files'
            : null;
      return how === null ? [] : [{ number: one.number, title: one.title, how, files }];
    })
    .slice(0, mostLater);
}

const dayMs = 24 * 3_600_000;

/** By its title, as most repositories write them; a feature that mends something beside is not seen. */
const isFix = ({ title }: Pick<PastPull, 'title'>): boolean =>
  /^\W*(?:[\w-]+\W+)?(?:hot)?fix(?:es|ed|ing)?\b|\b(?:bug|regression|crash|broken)\b/iu.test(
    title.slice(0, 300),
  );

const namesIt = (
  { title, body }: Pick<PastPull, 'title' | 'body'>,
  { number, mergeSha }: Pick<PastPull, 'number' | 'mergeSha'>,
): boolean => {
  const text = `${title}\n${body}`.slice(0, 20_000);
  return (
    new RegExp(`(?:^|[\\s(,/])#${number}\\b|/pull/${number}\\b`, 'u').test(text) ||
    (mergeSha !== null && text.toLowerCase().includes(mergeSha.slice(0, 10).toLowerCase()))
  );
};

/** Without markup and hidden lines: enough to know what it was about. */
const firstWords = (body: string): string =>
  (
    body
      .slice(0, 5_000)
      .replace(/<!--[\s\S]*?(?:-->|$)/gu, '')
      .split('\n')
      .map((line) => line.replace(/<[^>\n]{0,200}>|[*_`#>]/gu, '').trim())
      .find((line) => /[\p{L}\p{N}]/u.test(line)) ?? ''
  ).slice(0, 160);

/** Counts over all that was tried. Dollars are null where one is not known. */
export type TriedTotals = {
  readonly reviewed: number;
  readonly failed: number;
  readonly important: number;
  readonly withImportant: number;
  readonly nits: number;
  readonly questions: number;
  readonly threads: number;
  /** Threads at the place of a remark. */
  readonly threadsNear: number;
  /** Reverted, or mended by a fix that names them. */
  readonly proven: number;
  /** Of those, the ones with an important finding or a question in a file that the later change touched. */
  readonly provenSeen: number;
  readonly dollars: number | null;
};

export function totalsOf(tried: readonly TriedPull[]): TriedTotals {
  const remarks = tried.flatMap((one) => one.remarks);
  const threads = tried.flatMap((one) => one.said);
  const count = (kind: TriedRemark['kind']): number => remarks.filter((one) => one.kind === kind).length;
  const reviewed = tried.filter(({ ended }) => ended.kind === 'reviewed');
  const proven = reviewed.filter(({ later }) => later.some(({ how }) => how !== 'files'));
  return {
    reviewed: reviewed.length,
    failed: tried.length - reviewed.length,
    important: count('important'),
    withImportant: tried.filter((one) => one.remarks.some(({ kind }) => kind === 'important')).length,
    nits: count('nit'),
    questions: count('question'),
    threads: threads.length,
    threadsNear: threads.filter(({ near }) => near.length > 0).length,
    proven: proven.length,
    provenSeen: proven.filter((one) => {
      const sure = one.later.filter(({ how }) => how !== 'files').map(({ number }) => number);
      return one.remarks.some(({ kind, later }) => kind !== 'nit' && later.some((by) => sure.includes(by)));
    }).length,
    dollars: tried.reduce<number | null>(
      (sum, { ended }) =>
        ended.kind === 'failed' || sum === null ? sum : ended.dollars === null ? null : sum + ended.dollars,
      0,
    ),
  };
}
