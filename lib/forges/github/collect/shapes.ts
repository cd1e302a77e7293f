import { z } from 'zod';
import type { PastActor, PastCheck, PastComment, PastCommit, PastReview } from '../../../core/past-pull.js';

/**
 * One page of a list. A node that GitHub leaves empty is a fault of the answer: dropped, it would look like something
 * that was never there.
 */
export const pageOf = <T extends z.ZodType>(node: T) =>
  z.object({ totalCount: z.number().optional(), pageInfo: PageInfo, nodes: z.array(node) });

export const PageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() });

/** Null for an account that is gone. */
export const Actor = z
  .object({ login: z.string(), __typename: z.string().optional() })
  .nullish()
  .transform((actor): PastActor | null => {
    if (!actor) return null;
    const bot = actor.__typename === 'Bot' || actor.login.endsWith('[bot]');
    return { login: actor.login.replace(/\[bot\]$/, ''), bot };
  });

export const Comment = z
  .object({
    author: Actor,
    createdAt: z.string(),
    lastEditedAt: z.string().nullish(),
    body: z.string(),
    originalCommit: z.object({ oid: z.string() }).nullish(),
  })
  .transform(({ author, createdAt, lastEditedAt, body, originalCommit }) => ({
    comment: { author, at: createdAt, editedAt: lastEditedAt ?? null, body } satisfies PastComment,
    sha: originalCommit?.oid ?? null,
  }));

export const Thread = z.object({
  id: z.string(),
  path: z.string(),
  originalLine: z.number().nullish(),
  isResolved: z.boolean(),
  isOutdated: z.boolean(),
  resolvedBy: Actor,
  comments: pageOf(Comment),
});

const reviewStates: Readonly<Record<string, PastReview['state']>> = {
  COMMENTED: 'commented',
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  DISMISSED: 'dismissed',
};

/** Null for one that is not sent yet, which only its author sees. */
export const Review = z
  .object({
    author: Actor,
    state: z.string(),
    createdAt: z.string(),
    submittedAt: z.string().nullish(),
    commit: z.object({ oid: z.string() }).nullish(),
    body: z.string(),
  })
  .transform(({ author, state, createdAt, submittedAt, commit, body }): PastReview | null => {
    const known = reviewStates[state];
    return known === undefined
      ? null
      : { author, state: known, at: submittedAt ?? createdAt, sha: commit?.oid ?? null, body };
  });

const Context = z.discriminatedUnion('__typename', [
  z.object({
    __typename: z.literal('CheckRun'),
    name: z.string(),
    conclusion: z.string().nullish(),
    startedAt: z.string().nullish(),
    completedAt: z.string().nullish(),
    text: z.string().nullish(),
    checkSuite: z.object({ app: z.object({ slug: z.string() }).nullish() }).nullish(),
  }),
  z.object({
    __typename: z.literal('StatusContext'),
    context: z.string(),
    state: z.string(),
    createdAt: z.string(),
  }),
]);
type Context = z.infer<typeof Context>;

export const Contexts = pageOf(Context);

/** The checks of one commit, as far as they were asked for. */
export const Checked = z.object({
  id: z.string(),
  oid: z.string(),
  statusCheckRollup: z.object({ contexts: Contexts }).nullish(),
});
export type Checked = z.infer<typeof Checked>;

export const Commit = z.object({
  commit: Checked.extend({
    committedDate: z.string(),
    messageHeadline: z.string(),
    parents: z.object({ totalCount: z.number() }),
  }),
});

export const commitOf = ({ commit }: z.infer<typeof Commit>): PastCommit => ({
  sha: commit.oid,
  at: commit.committedDate,
  headline: commit.messageHeadline,
  parents: commit.parents.totalCount,
});

/** What we write at the end of our checks begins so. */
const ownMark = 'evident:';

export function checkOf(sha: string, context: Context): PastCheck {
  if (context.__typename === 'StatusContext') {
    const isOver = context.state !== 'PENDING' && context.state !== 'EXPECTED';
    return {
      sha,
      name: context.context,
      app: null,
      conclusion: isOver ? context.state.toLowerCase() : null,
      startedAt: context.createdAt,
      completedAt: isOver ? context.createdAt : null,
      text: null,
    };
  }
  const { name, conclusion, startedAt, completedAt, text, checkSuite } = context;
  return {
    sha,
    name,
    app: checkSuite?.app?.slug ?? null,
    conclusion: conclusion?.toLowerCase() ?? null,
    startedAt: startedAt ?? null,
    completedAt: completedAt ?? null,
    text: text?.includes(ownMark) === true ? text : null,
  };
}
