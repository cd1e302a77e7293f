import type { Condition } from './condition.js';
import { digestOfWords, type Reading } from './reading.js';
import type { ItemId, Statement } from './statement.js';

/** What became of one thing that somebody said. */
export type Ruling = {
  readonly statement: Statement;
  readonly item?: ItemId;
  readonly outcome: RulingOutcome;
  /** How its words were read. */
  readonly reading?: Reading;
  /** It was read in this run: no reply of ours says so yet. */
  readonly isFresh?: true;
};

/** Words meant for us that only the loop reads, of somebody whose words may have an effect. */
export type UnreadWords = {
  readonly statement: Statement;
  readonly item: ItemId;
  /** In which round of its question it was said: 1, 2 or 3. */
  readonly round: number;
};

/** What holds for as long as some lines stand. */
export type KeptOn = {
  readonly item: ItemId;
  readonly statement: Statement;
  readonly conditions: readonly Condition[];
};

export type RulingOutcome =
  /** It has its effect now. */
  | { readonly kind: 'applied' }
  /** Said by an author who may not decide it alone: counts when a maintainer confirms. */
  | { readonly kind: 'pending' }
  /** `isMachine`: said by a bot or an agent, which nobody answers. */
  | { readonly kind: 'refused'; readonly why: string; readonly isMachine?: true }
  /** Later words about the same thing count instead. */
  | { readonly kind: 'replaced'; readonly by: Statement }
  /** The code or the head that it speaks of is not there any more. */
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'unknown_item' }
  /** Nothing that was said about it holds, so that there is nothing to forget. */
  | { readonly kind: 'nothing_kept' }
  /** A yes about security says why, a dismissal and an override too. */
  | { readonly kind: 'needs_reason' }
  /** A plain answer that names no question. */
  | { readonly kind: 'unnamed' }
  /** Not for the fold: a command that is run, or words that the loop reads. */
  | { readonly kind: 'left' };

/** The key of the reply that carries a reading. */
export const readingKey = ({ statement, as }: Pick<Reading, 'statement' | 'as'>): string =>
  `reading:${statement}${as.kind === 'lapsed' ? ':lapsed' : ''}`;

/** Names a statement as it stands now: an edit makes another one of it, also within the second that GitHub tells. */
export const nameOfStatement = ({ subject, at, says, nth = 0 }: Statement): string =>
  [
    subject.kind,
    subject.databaseId,
    at,
    says.kind === 'command' ? says.name : says.kind,
    'item' in says ? says.item : 'question' in says ? says.question : '',
    nth,
    digestOfWords({ says }).slice(0, 8),
  ].join(':');
