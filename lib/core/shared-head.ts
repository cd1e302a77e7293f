import { z } from 'zod';
import { MAX_TITLE, type CheckConclusion } from './check.js';
import type { GateMode } from './policy.js';
import type { CheckWrite } from './publication.js';
import { codeSpan } from './render/markdown.js';
import { readSignedLine, writeSignedLine } from './signed-line.js';

/**
 * GitHub shows and counts one check run of a name on a commit, also where the commit is the head of several open pull
 * requests. So each of their runs carries the worst of their results: none of them merges on the result of another.
 */
export type Neighbour = {
  /** `more`: there are more than can be looked at. */
  readonly number: number | 'more';
  /** Its own result; null where it has none yet. */
  readonly own: Pick<CompletedCheck, 'title' | 'conclusion'> | null;
};

export type CompletedCheck = CheckWrite & { readonly status: 'completed' };

/**
 * The check of a pull request beside its neighbours on the same head: its own, unless one of them stands worse. In
 * `blocking` one without a result stands in the way too, because nobody has read it; in `advisory` it says nothing.
 */
export function besideNeighbours(
  own: CompletedCheck,
  neighbours: readonly Neighbour[],
  mode: GateMode,
): CompletedCheck {
  const worst = neighbours
    .flatMap(({ number, own: result }): readonly Result[] =>
      result !== null
        ? [{ number, title: result.title, conclusion: result.conclusion }]
        : mode === 'blocking'
          ? [{ number, title: 'no result yet', conclusion: 'action_required' }]
          : [],
    )
    .reduce<Result | null>((found, one) => (weight(one) > weight(found ?? own) ? one : found), null);
  if (worst === null) return own;
  if (worst.number === 'more')
    return {
      ...own,
      title: 'Too many pull requests have this commit',
      conclusion: worst.conclusion,
      summary: `GitHub shows one result for all open pull requests of a commit, and this one has more of them than can be looked at. A commit of its own, an empty one too, is enough. The result of this pull request itself is ${codeSpan(own.title)} (${own.conclusion}).\n\n${own.summary}`,
      text: withOwn(own),
    };
  const sentence =
    `This commit is the head of #${worst.number} too, and GitHub shows one result for both: that of #${worst.number}, ` +
    `${codeSpan(worst.title)}. The result of this pull request itself is ${codeSpan(own.title)} (${own.conclusion}).`;
  return {
    ...own,
    title: cut(`#${worst.number} on this commit: ${worst.title}`),
    conclusion: worst.conclusion,
    summary: `${sentence}\n\n${own.summary}`,
    text: withOwn(own),
  };
}

type Result = {
  readonly number: Neighbour['number'];
  readonly title: string;
  readonly conclusion: CheckConclusion;
};

/** What a pull request has by itself, from a check that may show the result of a neighbour. */
export function ownResult(check: CompletedCheck): CompletedCheck {
  const own = readSignedLine(check.text, 'own', Own);
  if (own === null) return check;
  const lines = check.text.split('\n');
  const at = lines.findLastIndex((line) => readSignedLine(line, 'own', Own) !== null);
  return {
    ...check,
    title: own.title,
    conclusion: own.conclusion,
    summary: check.summary.replace(/^[^\n]*\r?\n\r?\n/, ''),
    text: lines.filter((_, index) => index !== at).join('\n'),
  };
}

/** Above the hidden lines that are there, so that what ends the text goes on ending it. */
function withOwn({ text, title, conclusion }: CompletedCheck): string {
  const lines = text.split('\n');
  const last = lines.findLastIndex((line) => line.trim() !== '' && !line.startsWith('<!-- evident:'));
  return lines.toSpliced(last + 1, 0, writeSignedLine('own', { v: 1, title, conclusion })).join('\n');
}

/** A cancelled run says nothing about a change that is open still, so it lets nothing merge either. */
const weights: Readonly<Record<CheckConclusion, number>> = {
  success: 0,
  skipped: 1,
  neutral: 2,
  cancelled: 3,
  action_required: 4,
  failure: 5,
};
const weight = ({ conclusion }: { readonly conclusion: CheckConclusion }): number => weights[conclusion];

const Own = z.object({
  v: z.literal(1),
  title: z.string().max(300),
  conclusion: z.enum(['success', 'failure', 'neutral', 'skipped', 'cancelled', 'action_required']),
});

const cut = (title: string): string =>
  title.length <= MAX_TITLE ? title : `${title.slice(0, MAX_TITLE - 3).replace(/[\uD800-\uDBFF]$/, '')}...`;
