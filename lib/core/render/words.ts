import type { Finding } from '../finding.js';
import type { PullRequest } from '../pull-request.js';
import type { Question } from '../question.js';
import { codeSpan, link } from './markdown.js';

/** Words and small parts that several surfaces share. */

export const plural = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

/** `F1`, `F1 and F2`, `F1, F2 and F3`. */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

export const numberWord = (n: number): string =>
  ['no', 'one', 'two', 'three', 'four', 'five'][n] ?? String(n);

export const ordinal = (n: number): string =>
  n % 100 >= 11 && n % 100 <= 13 ? `${n}th` : `${n}${['th', 'st', 'nd', 'rd'][n % 10] ?? 'th'}`;

export const upperFirst = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Why what was found by the vote of reviewers does not block. */
export const votesWords = ({
  for: found,
  of,
  needed,
}: Extract<Finding['standing'], { kind: 'outvoted' }>): string =>
  `${found} of ${of} reviewers found it, and the settings ask for ${needed}`;

/** A question in the middle of a line. */
export const lowerQuestion = (question: string): string =>
  question.replace(
    /^(Is|Are|Was|Were|Do|Does|Did|Has|Have|Can|Could|Will|Would|Should|May|Must|On|In|For|When|If)\b/,
    (word) => word.toLowerCase(),
  );

/** `$0.22`; an unknown price is said to be unknown. */
export const money = (dollars: number | null): string =>
  dollars === null
    ? 'price not known'
    : dollars === 0
      ? '$0'
      : dollars < 0.01
        ? 'under $0.01'
        : `$${dollars.toFixed(2)}`;

/** `1 min 52 s`, `1.9 s`. */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** `1 December 2026`; a time that cannot be read is as it was written. */
export function dayWords(at: string): string {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return at;
  const day = new Date(time);
  return `${day.getUTCDate()} ${months[day.getUTCMonth()] ?? ''} ${day.getUTCFullYear()}`;
}

const months = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** One line whatever the path is: a name may hold line ends, and what follows them would read as our own words. */
export const lineOf = ({ anchor }: Pick<Finding, 'anchor'>): string =>
  `${anchor.path.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ')}:${anchor.line}`;

/** A permalink to lines of one version. `html_url` of the repository and a full commit id make it stable. */
export function permalink(
  { repo, head, mergeBase }: Pick<PullRequest, 'repo' | 'head' | 'mergeBase'>,
  at: { readonly path: string; readonly ref: 'head' | 'base'; readonly start: number; readonly end: number },
): string {
  const sha = at.ref === 'head' ? head.sha : mergeBase;
  const path = at.path.split('/').map(encodeURIComponent).join('/');
  return `${repo.htmlUrl}/blob/${sha}/${path}#L${at.start}${at.end > at.start ? `-L${at.end}` : ''}`;
}

/** The place of a finding as code, linked where there is a page for it. */
export function placeLink(
  pullRequest: Pick<PullRequest, 'repo' | 'head' | 'mergeBase'>,
  { anchor, evidence }: Pick<Finding, 'anchor' | 'evidence'>,
): string {
  const at = evidence.find((one) => one.kind === 'quote' && one.role === 'at');
  const text = codeSpan(`${anchor.path}:${anchor.line}`);
  if (pullRequest.repo.htmlUrl === '') return text;
  const ref =
    at?.kind === 'quote' ? at.ref : anchor.kind === 'line' && anchor.side === 'LEFT' ? 'base' : 'head';
  const start = anchor.kind === 'line' ? (anchor.startLine ?? anchor.line) : anchor.line;
  const path = at?.kind === 'quote' ? at.path : anchor.path;
  return link(text, permalink(pullRequest, { path, ref, start, end: anchor.line }));
}

export const isOpenQuestion = ({ standing }: Question): boolean => standing.kind === 'open';

/** `the changed file`, `both changed files`, `all 14 changed files`; what nobody can read is never counted as read. */
export function allFiles(n: number, unreviewable = 0): string {
  if (n === 0) return 'no changed file, because none can be reviewed';
  const all = n === 1 ? 'the changed file' : n === 2 ? 'both changed files' : `all ${n} changed files`;
  return unreviewable === 0 ? all : `${all} that can be reviewed (${unreviewable} cannot)`;
}

/**
 * Why a pass is partial, as the end of a sentence; empty when the list of unread files says it already. Limits are
 * "met", other reasons stand for themselves.
 */
export function limitWords(limit: string, missing: readonly { readonly why: string }[]): string {
  if (limit === '' || missing.some(({ why }) => why === limit)) return '';
  return /^(the )?(limit|time)\b/.test(limit) ? `${limit} was met` : limit;
}
