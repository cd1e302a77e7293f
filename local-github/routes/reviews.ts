import { canWrite } from '../auth.js';
import { react } from '../comments.js';
import type { Side } from '../diff.js';
import {
  created,
  type Fields,
  fieldsOf,
  gone,
  integerField,
  ok,
  page,
  pullOf,
  type RepositoryCall,
  requiredString,
  type Route,
  stringField,
  wrongType,
} from '../http.js';
import { invalid, notAccessible, notFound, Refusal, unprocessable } from '../refusal.js';
import {
  createReview,
  deletePending,
  deleteReviewComment,
  dismissReview,
  editReview,
  editReviewComment,
  type NewAnchor,
  replyTo,
  type ReviewEvent,
  submitPending,
} from '../reviews.js';
import { commentsOf, inTurn, type Pull, type Reaction, type Review, type ReviewComment } from '../state.js';
import { writeReaction } from '../wire/pull.js';
import { writeReview, writeReviewComment } from '../wire/review.js';

const READ = ['pull_requests=read'] as const;
const WRITE = ['pull_requests=write'] as const;

/** Reviews and the comments that stand on lines. */
export const reviewRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/pulls/:number/reviews',
    for: 'repository',
    needs: READ,
    handle: (call) => {
      const pull = pullOf(call);
      return page(
        call,
        pull.reviews.filter((review) => sees(call, review)),
        (review) => writeReview(call.world, call.repository, pull, review),
      );
    },
  },
  {
    method: 'POST',
    pattern: '/repos/:owner/:repo/pulls/:number/reviews',
    for: 'repository',
    needs: WRITE,
    handle: async (call) => {
      const pull = pullOf(call);
      const fields = fieldsOf(call);
      const event = eventOf(fields);
      const body = stringField(fields, 'body');
      const commitId = stringField(fields, 'commit_id');
      const comments = anchorsOf(fields.comments);
      const review = await inTurn(call.repository, () =>
        createReview(call.world, call.repository, pull, {
          author: call.actor.account,
          comments,
          ...(event === undefined ? {} : { event }),
          ...(body === undefined ? {} : { body }),
          ...(commitId === undefined ? {} : { commitId }),
        }),
      );
      return ok(writeReview(call.world, call.repository, pull, review));
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/pulls/:number/reviews/:review',
    for: 'repository',
    needs: READ,
    handle: (call) => {
      const pull = pullOf(call);
      return ok(writeReview(call.world, call.repository, pull, reviewOf(call, pull)));
    },
  },
  {
    method: 'PUT',
    pattern: '/repos/:owner/:repo/pulls/:number/reviews/:review',
    for: 'repository',
    needs: WRITE,
    handle: (call) => {
      const pull = pullOf(call);
      const review = reviewOf(call, pull);
      mayEdit(call, review);
      const body = requiredString(fieldsOf(call), 'body', 'PullRequestReview');
      editReview(call.world, call.repository, pull, review, body, call.actor.account);
      return ok(writeReview(call.world, call.repository, pull, review));
    },
  },
  {
    method: 'DELETE',
    pattern: '/repos/:owner/:repo/pulls/:number/reviews/:review',
    for: 'repository',
    needs: WRITE,
    handle: (call) => {
      const pull = pullOf(call);
      const review = reviewOf(call, pull);
      mayEdit(call, review);
      deletePending(pull, review);
      return ok(writeReview(call.world, call.repository, pull, review));
    },
  },
  {
    method: 'POST',
    pattern: '/repos/:owner/:repo/pulls/:number/reviews/:review/events',
    for: 'repository',
    needs: WRITE,
    handle: (call) => {
      const pull = pullOf(call);
      const review = reviewOf(call, pull);
      mayEdit(call, review);
      const fields = fieldsOf(call);
      const event = eventOf(fields);
      if (event === undefined) throw invalid('PullRequestReview', 'event', 'missing_field');
      submitPending(call.world, call.repository, pull, review, event, stringField(fields, 'body'));
      return ok(writeReview(call.world, call.repository, pull, review));
    },
  },
  {
    method: 'PUT',
    pattern: '/repos/:owner/:repo/pulls/:number/reviews/:review/dismissals',
    for: 'repository',
    needs: WRITE,
    handle: (call) => {
      const pull = pullOf(call);
      const review = reviewOf(call, pull);
      requiredString(fieldsOf(call), 'message', 'PullRequestReview');
      dismissReview(call.world, call.repository, pull, review, call.actor.account);
      return ok(writeReview(call.world, call.repository, pull, review));
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/pulls/:number/reviews/:review/comments',
    for: 'repository',
    needs: READ,
    handle: (call) => {
      const pull = pullOf(call);
      const review = reviewOf(call, pull);
      return page(
        call,
        commentsOf(pull).filter((comment) => comment.review === review),
        (comment) => writeReviewComment(call.world, call.repository, pull, comment),
      );
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/pulls/:number/comments',
    for: 'repository',
    needs: READ,
    handle: (call) => {
      const pull = pullOf(call);
      const seen = commentsOf(pull).filter((comment) => comment.review.state !== 'PENDING');
      const since = call.query.get('since');
      const shown =
        since === null ? seen : seen.filter((entry) => Date.parse(entry.updatedAt) >= Date.parse(since));
      if (call.query.get('direction') === 'desc' && call.query.has('sort')) shown.reverse();
      return page(call, shown, (comment) => writeReviewComment(call.world, call.repository, pull, comment));
    },
  },
  {
    method: 'POST',
    pattern: '/repos/:owner/:repo/pulls/:number/comments',
    for: 'repository',
    needs: WRITE,
    handle: async (call) => {
      const pull = pullOf(call);
      const fields = fieldsOf(call);
      const replied = integerField(fields, 'in_reply_to');
      if (replied !== undefined) return reply(call, pull, replied);
      const commitId = requiredString(fields, 'commit_id', 'PullRequestReviewComment');
      const anchor = anchorOf(fields, 'comment');
      const review = await inTurn(call.repository, () =>
        createReview(call.world, call.repository, pull, {
          author: call.actor.account,
          comments: [anchor],
          event: 'COMMENT',
          commitId,
        }),
      );
      const comment = commentsOf(pull).find((entry) => entry.review === review);
      if (comment === undefined) throw notFound();
      return created(writeReviewComment(call.world, call.repository, pull, comment));
    },
  },
  {
    method: 'POST',
    pattern: '/repos/:owner/:repo/pulls/:number/comments/:comment/replies',
    for: 'repository',
    needs: WRITE,
    handle: (call) => reply(call, pullOf(call), Number(call.params.comment)),
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/pulls/comments/:comment',
    for: 'repository',
    needs: READ,
    handle: (call) => {
      const { pull, comment } = commentOf(call);
      return ok(writeReviewComment(call.world, call.repository, pull, comment));
    },
  },
  {
    method: 'PATCH',
    pattern: '/repos/:owner/:repo/pulls/comments/:comment',
    for: 'repository',
    needs: WRITE,
    handle: (call) => {
      const { pull, comment } = commentOf(call);
      mayEdit(call, comment);
      const body = requiredString(fieldsOf(call), 'body', 'PullRequestReviewComment');
      editReviewComment(call.world, call.repository, pull, comment, body, call.actor.account);
      return ok(writeReviewComment(call.world, call.repository, pull, comment));
    },
  },
  {
    method: 'DELETE',
    pattern: '/repos/:owner/:repo/pulls/comments/:comment',
    for: 'repository',
    needs: WRITE,
    handle: (call) => {
      const { pull, comment } = commentOf(call);
      mayEdit(call, comment);
      deleteReviewComment(call.world, call.repository, pull, comment, call.actor.account);
      return gone();
    },
  },
  ...reactionRoutes(
    '/repos/:owner/:repo/pulls/comments/:comment/reactions',
    READ,
    WRITE,
    (call) => commentOf(call).comment.reactions,
  ),
];

/** List, add and remove reactions of one thing. */
export function reactionRoutes(
  pattern: string,
  read: readonly `${string}=read`[],
  write: readonly `${string}=write`[],
  reactionsOf: (call: RepositoryCall) => Reaction[],
): readonly Route[] {
  return [
    {
      method: 'GET',
      pattern,
      for: 'repository',
      needs: read,
      handle: (call) => {
        const content = call.query.get('content');
        const seen = reactionsOf(call).filter((entry) => content === null || entry.content === content);
        return page(call, seen, (reaction) => writeReaction(call.world, reaction));
      },
    },
    {
      method: 'POST',
      pattern,
      for: 'repository',
      needs: write,
      handle: (call) => {
        const content = requiredString(fieldsOf(call), 'content', 'Reaction');
        const { reaction, isNew } = react(call.world, reactionsOf(call), content, call.actor.account);
        return { status: isNew ? 201 : 200, body: writeReaction(call.world, reaction) };
      },
    },
    {
      method: 'DELETE',
      pattern: `${pattern}/:reaction`,
      for: 'repository',
      needs: write,
      handle: (call) => {
        const all = reactionsOf(call);
        const at = all.findIndex((entry) => entry.id === Number(call.params.reaction));
        const reaction = all[at];
        if (reaction === undefined) throw notFound();
        if (reaction.account !== call.actor.account) throw notAccessible();
        all.splice(at, 1);
        return gone();
      },
    },
  ];
}

/** A pending review is seen by its author alone. */
const sees = (call: RepositoryCall, review: Review): boolean =>
  review.state !== 'PENDING' || review.author === call.actor.account;

const reviewOf = (call: RepositoryCall, pull: Pull): Review => {
  const review = pull.reviews.find((entry) => entry.id === Number(call.params.review));
  if (review === undefined || (review.state === 'PENDING' && review.author !== call.actor.account))
    throw notFound();
  return review;
};

const commentOf = (call: RepositoryCall): { readonly pull: Pull; readonly comment: ReviewComment } => {
  const id = Number(call.params.comment);
  for (const pull of call.repository.pulls.values()) {
    const comment = commentsOf(pull).find((entry) => entry.id === id);
    if (comment !== undefined) return { pull, comment };
  }
  throw notFound();
};

const reply = (call: RepositoryCall, pull: Pull, to: number) => {
  const first = commentsOf(pull).find((entry) => entry.id === to);
  if (first === undefined) throw notFound();
  const body = requiredString(fieldsOf(call), 'body', 'PullRequestReviewComment');
  const comment = replyTo(call.world, call.repository, pull, first.thread, body, call.actor.account);
  return created(writeReviewComment(call.world, call.repository, pull, comment));
};

/** An app edits its own words only; a person with write access may edit anybody's. */
export const mayEdit = (
  call: RepositoryCall,
  item: { readonly author: RepositoryCall['actor']['account'] },
): void => {
  const { actor, repository } = call;
  if (item.author === actor.account) return;
  if (actor.app === undefined && canWrite(repository, actor.account)) return;
  throw notAccessible();
};

const EVENTS: readonly ReviewEvent[] = ['COMMENT', 'APPROVE', 'REQUEST_CHANGES'];

const eventOf = (fields: Fields): ReviewEvent | undefined => {
  const given = stringField(fields, 'event');
  if (given === undefined || given === 'PENDING') return undefined;
  const event = EVENTS.find((entry) => entry === given);
  if (event === undefined)
    throw unprocessable('Variable $event of type PullRequestReviewEvent was provided invalid value');
  return event;
};

const anchorsOf = (given: unknown): NewAnchor[] => {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw wrongType('comments', given, 'an array');
  return given.map((entry: unknown, at) => {
    if (typeof entry !== 'object' || entry === null) throw wrongType(`comments/${at}`, entry, 'an object');
    return anchorOf(entry as Fields, `comments/${at}`);
  });
};

const anchorOf = (fields: Fields, name: string): NewAnchor => {
  const path = stringField(fields, 'path');
  const body = stringField(fields, 'body');
  if (path === undefined || body === undefined)
    throw new Refusal(422, `Invalid request.\n\n"path" and "body" weren't supplied for ${name}.`);
  const side = sideOf(fields, 'side');
  const startSide = sideOf(fields, 'start_side');
  const line = integerField(fields, 'line');
  const startLine = integerField(fields, 'start_line');
  const position = integerField(fields, 'position');
  return {
    path,
    body,
    ...(line === undefined ? {} : { line }),
    ...(side === undefined ? {} : { side }),
    ...(startLine === undefined ? {} : { startLine }),
    ...(startSide === undefined ? {} : { startSide }),
    ...(position === undefined ? {} : { position }),
    ...(fields.subject_type === 'file' ? { subject: 'file' as const } : {}),
  };
};

const sideOf = (fields: Fields, name: string): Side | undefined => {
  const side = stringField(fields, name);
  if (side === undefined || side === 'LEFT' || side === 'RIGHT') return side;
  throw wrongType(name, side, 'LEFT or RIGHT');
};
