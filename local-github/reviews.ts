import { diffHunkTo, type ChangedFile, type Place, placeOf, type Side } from './diff.js';
import { changeOf, changeBetween } from './pulls.js';
import { isAncestor, mergeBase, resolveCommit } from './objects.js';
import { invalid, notFound, Refusal, unprocessable } from './refusal.js';
import {
  type Account,
  commentsOf,
  nextId,
  nodeId,
  now,
  type Pull,
  type Repository,
  type Review,
  type ReviewComment,
  type ReviewState,
  type Thread,
  type World,
} from './state.js';

/** Longest body of a review, a comment or a pull request, in characters. */
export const BODY_LIMIT = 65_536;

export type NewAnchor = {
  readonly path: string;
  readonly body: string;
  readonly line?: number;
  readonly side?: Side;
  readonly startLine?: number;
  readonly startSide?: Side;
  readonly position?: number;
  readonly subject?: 'line' | 'file';
};

export type ReviewEvent = 'COMMENT' | 'APPROVE' | 'REQUEST_CHANGES';

export type NewReview = {
  readonly author: Account;
  readonly body?: string;
  /** Absent: the review stays pending. */
  readonly event?: ReviewEvent;
  readonly commitId?: string;
  readonly comments: readonly NewAnchor[];
};

/** Stores a whole review or refuses all of it. */
export const createReview = async (
  world: World,
  repository: Repository,
  pull: Pull,
  wanted: NewReview,
): Promise<Review> => {
  checkLength(wanted.body);
  for (const comment of wanted.comments) checkLength(comment.body);
  if (pull.reviews.some((review) => review.state === 'PENDING' && review.author === wanted.author))
    throw unprocessable('User can only have one pending review per pull request');
  checkEvent(pull, wanted.author, wanted.event);
  if (
    (wanted.event === 'COMMENT' || wanted.event === 'REQUEST_CHANGES') &&
    (wanted.body ?? '') === '' &&
    wanted.comments.length === 0
  )
    throw unprocessable('Could not create review: body is required for this event');
  const commitId = await commitOf(repository, pull, wanted.commitId);
  const places = await placesOf(world, repository, pull, commitId, wanted.comments);
  // Two requests may have passed the first look at the same time.
  if (pull.reviews.some((review) => review.state === 'PENDING' && review.author === wanted.author))
    throw unprocessable('User can only have one pending review per pull request');
  const at = now(world);
  const id = nextId(world, 'review');
  const review: Review = {
    id,
    nodeId: nodeId('PRR', id),
    author: wanted.author,
    commitId,
    body: wanted.body ?? '',
    createdAt: at,
    updatedAt: at,
    lastEditedAt: null,
    editor: null,
    state: 'PENDING',
    submittedAt: null,
    minimized: null,
    reactions: [],
    born: Date.now(),
  };
  pull.reviews.push(review);
  for (const place of places) startThread(world, pull, review, commitId, place);
  if (wanted.event !== undefined) submit(world, repository, pull, review, wanted.event);
  return review;
};

const checkLength = (body: string | undefined): void => {
  if (body !== undefined && [...body].length > BODY_LIMIT)
    throw unprocessable(`Body is too long (maximum is ${BODY_LIMIT} characters)`);
};

const checkEvent = (pull: Pull, author: Account, event: ReviewEvent | undefined): void => {
  if (author !== pull.author) return;
  if (event === 'APPROVE') throw unprocessable('Can not approve your own pull request');
  if (event === 'REQUEST_CHANGES') throw unprocessable('Can not request changes on your own pull request');
};

/** The commit a review stands on: the head, or an earlier commit of this pull request. */
const commitOf = async (repository: Repository, pull: Pull, asked: string | undefined): Promise<string> => {
  if (asked === undefined || asked === pull.headSha) return pull.headSha;
  const outside = unprocessable('commit_id is not part of the pull request');
  if (!/^[0-9a-f]{40}$/.test(asked)) throw outside;
  const sha = await resolveCommit(repository.git, asked);
  if (sha === null) throw outside;
  // A head that a forced push took away is no part of it any more.
  const inside =
    (await isAncestor(repository.git, sha, pull.headSha)) &&
    !(await isAncestor(repository.git, sha, pull.baseSha));
  if (!inside) throw outside;
  return sha;
};

type Placed = {
  readonly anchor: NewAnchor;
  readonly side: Side;
  readonly line: number | null;
  readonly place: Place | null;
};

const placesOf = async (
  world: World,
  repository: Repository,
  pull: Pull,
  commitId: string,
  anchors: readonly NewAnchor[],
): Promise<Placed[]> => {
  if (anchors.length === 0) return [];
  const change =
    commitId === pull.headSha
      ? await changeOf(world, repository, pull)
      : await changeBetween(
          world,
          repository,
          await mergeBase(repository.git, pull.baseSha, commitId),
          commitId,
        );
  return anchors.map((anchor) => placeAnchor(change.files, anchor));
};

/** GitHub's sentences: https://github.com/parkerbxyz/suggest-changes/issues/28 and /31 show them as people met them. */
const placeAnchor = (files: readonly ChangedFile[], anchor: NewAnchor): Placed => {
  const thread = 'Pull request review thread';
  if (anchor.body.trim() === '') throw unprocessable(`${thread} comments body can't be blank`);
  const file = files.find((entry) => entry.path === anchor.path);
  if (file === undefined)
    throw unprocessable(`${thread} path is invalid and ${thread} diff hunk can't be blank`);
  if (anchor.subject === 'file') return { anchor, side: 'RIGHT', line: null, place: null };
  const side = anchor.side ?? 'RIGHT';
  if (anchor.line === undefined) {
    const place = anchor.position === undefined ? null : placeAt(file, anchor.position);
    if (place === null)
      throw unprocessable(`${thread} position is invalid and ${thread} diff hunk can't be blank`);
    const row = place.row;
    return row.sign === '-'
      ? { anchor, side: 'LEFT', line: row.old ?? null, place }
      : { anchor, side: 'RIGHT', line: row.new ?? null, place };
  }
  const place = placeOf(file, side, anchor.line);
  const reasons: string[] = [];
  if (place === null) reasons.push(`${thread} line must be part of the diff`);
  if (anchor.startLine !== undefined) {
    const startSide = anchor.startSide ?? side;
    const start = placeOf(file, startSide, anchor.startLine);
    const precedes =
      start !== null && place !== null
        ? start.order < place.order
        : startSide !== side || anchor.startLine < anchor.line;
    if (!precedes) reasons.push(`${thread} start line must precede the end line.`);
    else if (start === null || place === null || start.hunk !== place.hunk)
      reasons.push(`${thread} start line must be part of the same hunk as the line.`);
  }
  if (place === null) reasons.push(`${thread} diff hunk can't be blank`);
  if (place === null || reasons.length > 0) throw unprocessable(sentence(reasons));
  return { anchor, side, line: anchor.line, place };
};

const sentence = (reasons: readonly string[]): string =>
  reasons.length <= 2
    ? reasons.join(' and ')
    : `${reasons.slice(0, -1).join(', ')}, and ${reasons.at(-1) ?? ''}`;

const placeAt = (file: ChangedFile, position: number): Place | null => {
  for (const hunk of file.hunks)
    for (const row of hunk.rows) {
      const place =
        row.sign === '-' ? placeOf(file, 'LEFT', row.old ?? -1) : placeOf(file, 'RIGHT', row.new ?? -1);
      if (place?.order === position) return place;
    }
  return null;
};

const startThread = (world: World, pull: Pull, review: Review, commitId: string, placed: Placed): void => {
  const { anchor, side, line, place } = placed;
  const id = nextId(world, 'thread');
  const current = commitId === pull.headSha;
  const startLine = anchor.startLine ?? null;
  const thread: Thread = {
    nodeId: nodeId('PRRT', id),
    path: anchor.path,
    subject: place === null ? 'file' : 'line',
    side,
    startSide: startLine === null ? null : (anchor.startSide ?? side),
    originalLine: line,
    originalStartLine: startLine,
    originalCommitId: commitId,
    originalPosition: place?.order ?? null,
    diffHunk: place === null ? '' : diffHunkTo(place),
    line: current ? line : null,
    startLine: current ? startLine : null,
    position: current ? (place?.order ?? null) : null,
    outdated: !current,
    commitId,
    resolvedBy: null,
    comments: [],
    born: Date.now(),
  };
  pull.threads.push(thread);
  addComment(world, review, thread, anchor.body, null);
};

const addComment = (
  world: World,
  review: Review,
  thread: Thread,
  body: string,
  inReplyTo: number | null,
): ReviewComment => {
  const at = now(world);
  const id = nextId(world, 'reviewComment');
  const comment: ReviewComment = {
    id,
    nodeId: nodeId('PRRC', id),
    author: review.author,
    review,
    thread,
    inReplyTo,
    body,
    createdAt: at,
    updatedAt: at,
    lastEditedAt: null,
    editor: null,
    reactions: [],
    minimized: null,
    born: Date.now(),
  };
  thread.comments.push(comment);
  return comment;
};

const STATE: Readonly<Record<ReviewEvent, ReviewState>> = {
  COMMENT: 'COMMENTED',
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
};

const submit = (
  world: World,
  repository: Repository,
  pull: Pull,
  review: Review,
  event: ReviewEvent,
): void => {
  review.state = STATE[event];
  review.submittedAt = now(world);
  pull.updatedAt = now(world);
  pull.requestedReviewers.delete(review.author.login.toLowerCase());
  const sender = review.author;
  world.emit({ kind: 'pull_request_review', action: 'submitted', repository, pull, review, sender });
  for (const comment of commentsOf(pull))
    if (comment.review === review)
      world.emit({
        kind: 'pull_request_review_comment',
        action: 'created',
        repository,
        pull,
        comment,
        sender,
      });
};

/** Sends a pending review off. */
export const submitPending = (
  world: World,
  repository: Repository,
  pull: Pull,
  review: Review,
  event: ReviewEvent,
  body: string | undefined,
): void => {
  checkLength(body);
  if (review.state !== 'PENDING') throw unprocessable('Can not submit a review that is not pending');
  checkEvent(pull, review.author, event);
  if (body !== undefined) review.body = body;
  submit(world, repository, pull, review, event);
};

/** Only a pending review can be taken back. */
export const deletePending = (pull: Pull, review: Review): void => {
  if (review.state !== 'PENDING') throw new Refusal(422, 'Can not delete a non-pending pull request review');
  pull.reviews.splice(pull.reviews.indexOf(review), 1);
  for (const thread of [...pull.threads]) {
    const rest = thread.comments.filter((comment) => comment.review !== review);
    thread.comments.splice(0, thread.comments.length, ...rest);
    if (rest.length === 0) pull.threads.splice(pull.threads.indexOf(thread), 1);
  }
};

export const editReview = (
  world: World,
  repository: Repository,
  pull: Pull,
  review: Review,
  body: string,
  editor: Account,
): void => {
  checkLength(body);
  const from = review.body;
  if (from === body) return;
  review.body = body;
  edited(world, review, editor);
  if (review.state !== 'PENDING')
    world.emit({
      kind: 'pull_request_review',
      action: 'edited',
      repository,
      pull,
      review,
      sender: editor,
      changes: { body: { from } },
    });
};

export const dismissReview = (
  world: World,
  repository: Repository,
  pull: Pull,
  review: Review,
  sender: Account,
): void => {
  if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED')
    throw unprocessable('Can not dismiss a commented pull request review');
  review.state = 'DISMISSED';
  review.updatedAt = now(world);
  world.emit({ kind: 'pull_request_review', action: 'dismissed', repository, pull, review, sender });
};

const edited = (
  world: World,
  item: { updatedAt: string; lastEditedAt: string | null; editor: Account | null },
  editor: Account,
): void => {
  item.updatedAt = now(world);
  item.lastEditedAt = item.updatedAt;
  item.editor = editor;
};

/** An answer in a thread. GitHub wraps each in a review of its own, without a body. */
export const replyTo = (
  world: World,
  repository: Repository,
  pull: Pull,
  thread: Thread,
  body: string,
  author: Account,
): ReviewComment => {
  checkLength(body);
  if (body.trim() === '') throw invalid('PullRequestReviewComment', 'body', 'missing_field');
  const [first] = thread.comments;
  if (first === undefined) throw notFound();
  const at = now(world);
  const id = nextId(world, 'review');
  const review: Review = {
    id,
    nodeId: nodeId('PRR', id),
    author,
    commitId: pull.headSha,
    body: '',
    createdAt: at,
    updatedAt: at,
    lastEditedAt: null,
    editor: null,
    state: 'COMMENTED',
    submittedAt: at,
    minimized: null,
    reactions: [],
    born: Date.now(),
  };
  pull.reviews.push(review);
  const comment = addComment(world, review, thread, body, first.id);
  pull.updatedAt = at;
  world.emit({ kind: 'pull_request_review', action: 'submitted', repository, pull, review, sender: author });
  world.emit({
    kind: 'pull_request_review_comment',
    action: 'created',
    repository,
    pull,
    comment,
    sender: author,
  });
  return comment;
};

export const editReviewComment = (
  world: World,
  repository: Repository,
  pull: Pull,
  comment: ReviewComment,
  body: string,
  editor: Account,
): void => {
  checkLength(body);
  if (body.trim() === '') throw invalid('PullRequestReviewComment', 'body', 'missing_field');
  const from = comment.body;
  if (from === body) return;
  comment.body = body;
  edited(world, comment, editor);
  world.emit({
    kind: 'pull_request_review_comment',
    action: 'edited',
    repository,
    pull,
    comment,
    sender: editor,
    changes: { body: { from } },
  });
};

export const deleteReviewComment = (
  world: World,
  repository: Repository,
  pull: Pull,
  comment: ReviewComment,
  sender: Account,
): void => {
  const { thread } = comment;
  thread.comments.splice(thread.comments.indexOf(comment), 1);
  if (thread.comments.length === 0) pull.threads.splice(pull.threads.indexOf(thread), 1);
  world.emit({ kind: 'pull_request_review_comment', action: 'deleted', repository, pull, comment, sender });
};

export const setResolved = (
  world: World,
  repository: Repository,
  pull: Pull,
  thread: Thread,
  resolved: boolean,
  sender: Account,
): void => {
  if ((thread.resolvedBy !== null) === resolved) return;
  thread.resolvedBy = resolved ? sender : null;
  const action = resolved ? 'resolved' : 'unresolved';
  world.emit({ kind: 'pull_request_review_thread', action, repository, pull, thread, sender });
};
