import { parseAnswer, type PlainAnswer } from './answer.js';
import type { Comment, Conversation, WriterKind } from './conversation.js';
import { parseDismissal, tidy } from './dismissal.js';
import type { FindingId } from './finding.js';
import { CODE, readOwnWords, type OwnLine } from './own-words.js';
import type { Sha } from './pull-request.js';
import type { QuestionId } from './question.js';

/** Where something was said; a reply and a reaction go there. */
export type Subject = {
  /** A comment on the pull request, a reply in a review thread, the body of a review. */
  readonly kind: 'comment' | 'reply' | 'review';
  readonly databaseId: number;
  readonly id: string;
  /** The first comment of the thread, where it is one: replies are made to it. */
  readonly threadRoot?: number;
};

/** What somebody said that may have an effect here. Read from current contents, in the order of their first writing. */
export type Statement = {
  readonly by: string;
  readonly writer: WriterKind;
  /** When it was said: the last edit counts, but for an approval, which is of the moment. Epoch milliseconds. */
  readonly at: number;
  readonly subject: Subject;
  readonly says: Saying;
  /** Its place among several of one text; absent for the first. */
  readonly nth?: number;
};

export type ItemId = FindingId | QuestionId;

export type Saying =
  /** `/evident NAME WORDS`, whether or not there is such a command. `item`: of the thread it stands in. */
  | {
      readonly kind: 'command';
      readonly name: string;
      readonly words: string;
      readonly item?: ItemId;
    }
  /** `dismiss why`, `won't fix`, `by design` in a finding's thread, or `/evident dismiss F1 why` anywhere. */
  | { readonly kind: 'dismiss'; readonly item: ItemId; readonly reason: string }
  /** `/evident memory forget Q1`: what was said about it counts no more. */
  | { readonly kind: 'forget'; readonly item: ItemId }
  | {
      readonly kind: 'answer';
      readonly question: QuestionId;
      readonly answer: PlainAnswer;
      readonly reason?: string;
    }
  /** `ok`: a maintainer confirms what an author without write access said. */
  | { readonly kind: 'confirm'; readonly item: ItemId }
  | { readonly kind: 'approval'; readonly commit: Sha | null }
  /** Meant for us, in words that code does not read: the loop does. */
  | {
      readonly kind: 'words';
      readonly item: ItemId;
      readonly text: string;
      /** A plain yes or no in a finding's thread: it decides something only where a person was asked to. */
      readonly answer?: PlainAnswer;
    }
  /** A plain answer that names no question, as one by mail does: it has no effect, and the writer is told how to. */
  | { readonly kind: 'bare'; readonly answer: PlainAnswer };

/**
 * What people said, from current contents: comments, replies, bodies and approvals of reviews. Commands and lines that
 * name an item count anywhere, plain words only in threads of ours (`threadItems`, by the thread's id). A text that
 * somebody else edited is nobody's word. In the order of first writing, then of ids, so that an edit changes no order.
 */
export function readStatements(
  { comments, threads, peerReviews }: Pick<Conversation, 'comments' | 'threads' | 'peerReviews'>,
  threadItems: ReadonlyMap<string, ItemId>,
): readonly Statement[] {
  const ours = ourNames([...comments, ...threads.flatMap((thread) => thread.comments)]);
  const said: (Statement & { readonly first: number })[] = [];
  const add = (
    comment: Comment,
    subject: Subject,
    sayings: readonly Saying[],
    at = lastWritten(comment),
  ): void => {
    for (const [nth, says] of sayings.entries()) {
      const { author: by, by: writer } = comment;
      const first = timeOf(comment.at);
      said.push({ by, writer, at, subject, says, ...(nth > 0 && { nth }), first });
    }
  };
  for (const comment of comments)
    add(comment, subjectOf('comment', comment), read(comment, { place: 'comment', ours }));
  for (const { id, comments: written } of threads) {
    const item = threadItems.get(id);
    const threadRoot = written[0]?.databaseId;
    for (const comment of written)
      add(
        comment,
        { ...subjectOf('reply', comment), ...(threadRoot !== undefined && { threadRoot }) },
        read(comment, { place: 'thread', ours, ...(item !== undefined && { item }) }),
      );
  }
  for (const review of peerReviews) {
    if (review.ours) continue;
    const subject = subjectOf('review', review);
    if (review.state === 'approved')
      add(review, subject, [{ kind: 'approval', commit: review.commit }], timeOf(review.at));
    add(review, subject, read(review, { place: 'review', ours }));
  }
  return said
    .sort((a, b) => a.first - b.first || a.subject.databaseId - b.subject.databaseId)
    .map(({ first: _first, ...statement }) => statement);
}

type Place = {
  readonly place: 'comment' | 'thread' | 'review';
  /** Of the thread, where it is one of ours. */
  readonly item?: ItemId;
  /** Names under which we are spoken to, lower-case. */
  readonly ours: ReadonlySet<string>;
};

function read(comment: Comment, place: Place): readonly Saying[] {
  if (comment.ours || comment.editedBy !== undefined) return [];
  const sayings = readText(comment.body, place);
  // Bots are not spoken to: two of them would never end.
  return comment.by === 'person'
    ? sayings
    : sayings.filter(({ kind }) => kind !== 'words' && kind !== 'bare');
}

/** At most this many things are said in one text. */
const MAX_SAYINGS = 20;

function readText(body: string, { place, item, ours }: Place): readonly Saying[] {
  const { lines, quoted } = readOwnWords(body);
  const sayings: Saying[] = [];
  const plain: string[] = [];
  for (let index = 0; index < lines.length && sayings.length < MAX_SAYINGS; index++) {
    const line = lines[index];
    if (line === undefined) break;
    const command = commandIn(line);
    if (command !== null) {
      sayings.push(...readCommand(command, item));
      continue;
    }
    const named = namedIn(line);
    if (named === null) {
      plain.push(line.text);
      continue;
    }
    const more = paragraphAfter(lines, index);
    index += more.length;
    for (const id of named.ids)
      sayings.push(...readNamed(id, [named.words, ...more].join('\n'), named.isAddressed));
  }
  if (sayings.length > 0) return sayings.slice(0, MAX_SAYINGS);
  const words = addressed(plain.join('\n').trim(), ours);
  if (words === null || !/[\p{L}\p{N}]/u.test(words)) return [];
  if (place === 'thread') return item === undefined ? [] : readPlain(item, words);
  const quotedItem = onlyItemIn(quoted);
  if (quotedItem !== null) {
    const sure = readPlain(quotedItem, words).filter(({ kind }) => kind !== 'words' && kind !== 'command');
    if (sure.length > 0) return sure;
  }
  if (place === 'review') return [];
  const answer = parseAnswer(words);
  return answer.kind === 'yes' || answer.kind === 'no' || answer.kind === 'unsure'
    ? [{ kind: 'bare', answer: answer.kind }]
    : [];
}

type Command = { readonly name: string; readonly words: string };

/** `/evident NAME WORDS` at the beginning of a line; without a name it is `help`. */
function commandIn({ text, masked }: OwnLine): Command | null {
  if (!/^ {0,3}\/evident(?![\w/.@-])/iu.test(masked)) return null;
  const [, name = 'help', words = ''] =
    /^ {0,3}\/evident(?:[\s:,]+([\p{L}\p{N}_-]+)[:,.!;?]*(?:\s+(.*))?)?/isu.exec(text) ?? [];
  return { name: name.toLowerCase().slice(0, 40), words: words.trim().slice(0, 2_000) };
}

/**
 * `dismiss` with an item and a reason, and `memory forget` with an item, have their effect by themselves; without one of
 * them they are answered with how to.
 */
function readCommand({ name, words }: Command, item: ItemId | undefined): readonly Saying[] {
  const command: Saying = { kind: 'command', name, words, ...(item !== undefined && { item }) };
  const forgets = name === 'memory' ? /^forget(?![\p{L}\p{N}])[\s:]*/iu.exec(words) : null;
  if (name !== 'dismiss' && forgets === null) return [command];
  const { ids, rest } = leadingIds(words.slice(forgets?.[0].length ?? 0));
  const about = ids.length > 0 ? ids : item === undefined ? [] : [item];
  if (forgets !== null) {
    // "forget it" in a thread means what stands there; "forget Q" and "forget all" mean nothing.
    const isNamed = ids.length > 0 || !/[\p{L}\p{N}]/u.test(rest.replace(/^(?:it|this|that)\b/iu, ''));
    return isNamed && about.length > 0 ? about.map((id) => ({ kind: 'forget', item: id })) : [command];
  }
  const reason = tidy(rest);
  return about.length === 0 || reason === ''
    ? [command]
    : about.map((id) => ({ kind: 'dismiss', item: id, reason }));
}

/** `F1`, `F1, F2`, `F1 and Q2` at the beginning of the words. */
export function leadingIds(words: string): { readonly ids: readonly ItemId[]; readonly rest: string } {
  const [list = ''] =
    /^\s*[*_`]*[FQ][1-9]\d{0,5}(?![\p{L}\p{N}])(?:[*_`]*(?:\s*[,&+]\s*|\s+(?:and|und|et|y|e)\s+|\s+)[*_`]*[FQ][1-9]\d{0,5}(?![\p{L}\p{N}]))*[*_`]*/iu.exec(
      words,
    ) ?? [];
  const ids = (list.match(/[FQ]\d+/giu) ?? []).map((id) => id.toUpperCase() as ItemId);
  return { ids: [...new Set(ids)].slice(0, MAX_SAYINGS), rest: words.slice(list.length) };
}

/** `Q1: yes`, `Q1 and Q2 no`, `F1 dismiss why` at the beginning of a line. */
function namedIn({ text, masked }: OwnLine): {
  readonly ids: readonly ItemId[];
  readonly words: string;
  readonly isAddressed: boolean;
} | null {
  const [bullet = ''] = /^\s*(?:[-*+\u2022]\s+)?/u.exec(masked) ?? [];
  const line = text.slice(bullet.length);
  // As our own hints show it, with its backticks: `Q1 no`. Other code is nobody's word.
  const isCode = masked.startsWith(CODE, bullet.length);
  const [, shown = ''] = /^`([FQ]\d{1,6}(?:[ :]+[\p{L}' ]{1,20})?)`(?=[\s:.,!]|$)/iu.exec(line) ?? [];
  if (isCode && shown === '') return null;
  const { ids, rest } = leadingIds(isCode ? `${shown}${line.slice(shown.length + 2)}` : line);
  if (ids.length === 0) return null;
  const [gap = ''] = /^[\s*_]*[:=,.)\u2010-\u2015-]*[\s*_]*/u.exec(rest) ?? [];
  return gap === '' || gap.length === rest.length
    ? null
    : { ids, words: rest.slice(gap.length), isAddressed: /[:=)]/u.test(gap) };
}

function paragraphAfter(lines: readonly OwnLine[], index: number): readonly string[] {
  const more: string[] = [];
  for (const line of lines.slice(index + 1)) {
    if (line.text.trim() === '' || commandIn(line) !== null || namedIn(line) !== null) break;
    more.push(line.text);
  }
  return more;
}

/** A line that names an item, outside its thread: people also speak of items to each other. */
function readNamed(id: ItemId, words: string, isAddressed: boolean): readonly Saying[] {
  const sayings = readPlain(id, words);
  if (!sayings.some(({ kind }) => kind === 'words')) return sayings;
  if (isFinding(id)) return [];
  const answer = parseAnswer(words);
  return isAddressed || (answer.kind === 'unclear' && answer.begun) ? sayings : [];
}

/** Plain words that are about an item. */
function readPlain(item: ItemId, text: string): readonly Saying[] {
  const words = text.trim().slice(0, MAX_WORDS);
  const dismissal = parseDismissal(words);
  const isDirect = /^[\s*_`-]*(?:please )?dismiss/iu.test(words);
  if (dismissal !== null && (isFinding(item) || isDirect)) {
    if (dismissal.kind === 'missing') return [{ kind: 'command', name: 'dismiss', words: '', item }];
    const { ids, rest } = leadingIds(dismissal.reason);
    if (ids.length === 0 || !isDirect) return [{ kind: 'dismiss', item, reason: dismissal.reason }];
    const reason = tidy(rest);
    return reason === ''
      ? [{ kind: 'command', name: 'dismiss', words: dismissal.reason, item }]
      : ids.map((id) => ({ kind: 'dismiss', item: id, reason }));
  }
  const answer = parseAnswer(words);
  switch (answer.kind) {
    case 'confirm':
      return [{ kind: 'confirm', item }];
    case 'unclear':
      return [{ kind: 'words', item, text: words }];
    case 'yes':
    case 'no':
    case 'unsure':
      if (isFinding(item)) return [{ kind: 'words', item, text: words, answer: answer.kind }];
      return [
        {
          kind: 'answer',
          question: item,
          answer: answer.kind,
          ...(answer.reason !== undefined && { reason: answer.reason }),
        },
      ];
  }
}

const MAX_WORDS = 4_000;

const isFinding = (item: ItemId): item is FindingId => item.startsWith('F');

/** The words without our name before them; null where they are addressed to somebody else. */
function addressed(text: string, ours: ReadonlySet<string>): string | null {
  let rest = text;
  for (;;) {
    const found = /^\s*@([A-Za-z0-9][A-Za-z0-9_-]*(?:\[bot\])?(?:\/[\w.-]+)?)[\s,:!\u2010-\u2015-]*/u.exec(
      rest,
    );
    if (found === null) return rest;
    if (!ours.has(nameOf(found[1] ?? ''))) return null;
    rest = rest.slice(found[0].length);
  }
}

/** The one item that quoted text of ours is about: its first line carries `(Q1)` or `(F1, blocks merge)`. */
function onlyItemIn(quoted: string): ItemId | null {
  const ids = new Set([...quoted.matchAll(/\(([FQ][1-9]\d{0,5})(?=[,)])/gu)].map(([, id]) => id));
  const [only] = ids;
  return ids.size === 1 && only !== undefined ? (only as ItemId) : null;
}

const ourNames = (written: readonly Comment[]): ReadonlySet<string> =>
  new Set(['evident', ...written.filter(({ ours }) => ours).map(({ author }) => nameOf(author))]);

const nameOf = (login: string): string => login.toLowerCase().replace(/\[bot\]$/u, '');

const subjectOf = (kind: Subject['kind'], { databaseId, id }: Comment): Subject => ({ kind, databaseId, id });

const lastWritten = ({ at, editedAt }: Comment): number => timeOf(editedAt ?? at);

const timeOf = (iso: string): number => {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? 0 : time;
};
