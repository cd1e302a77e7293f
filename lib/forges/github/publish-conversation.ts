import type { Publication, WriteOutcome } from '../../core/publication.js';
import { addReactions } from './add-reactions.js';
import type { Capabilities } from './capabilities.js';
import { editThreads } from './edit-threads.js';
import type { OwnText } from './own-texts.js';
import { postReplies } from './post-replies.js';
import type { ReplyContext } from './post-replies.js';
import { requestReviewers } from './request-reviewers.js';
import { resolveThreads } from './resolve-threads.js';

export type ConversationContext = ReplyContext & {
  readonly capabilities: Capabilities;
  /** Our own texts as they were read last; added to by what is written here. */
  readonly there: OwnText[];
};

/** Kept for the check, which is written last and matters most. */
const keptForCheckMs = 15_000;
/** Of one kind at a time. Edits and threads to resolve that are left over are due again with the next event. */
const mostAtOnce = 50;

/**
 * What a run writes beside its review: first the state (edits), then news (replies), then what is an extra. A refusal or an
 * outcome that is not known is returned and logged, and stops none of the others. What the app may not do is left out.
 */
export async function publishConversation(
  given: ConversationContext,
  { threadEdits = [], replies = [], resolves = [], reactions = [], reviewers }: Publication,
): Promise<readonly WriteOutcome[]> {
  const context = { ...given, deadline: given.deadline - keptForCheckMs };
  const { capabilities, there } = context;
  const mayWrite = capabilities.writeReviews;
  /** A comment on the pull request is one on its issue, too: either permission will do. */
  const mayReach = ({ kind }: { readonly kind: string }): boolean =>
    mayWrite || (capabilities.react && kind === 'comment');
  const steps = [
    () => editThreads(context, mayWrite ? threadEdits.slice(0, mostAtOnce) : [], there),
    () =>
      postReplies(
        context,
        replies
          .filter(({ to }) => (to.kind === 'reply' ? mayWrite : capabilities.react))
          .slice(0, mostAtOnce),
        there,
      ),
    () => resolveThreads(context, mayWrite ? resolves.slice(0, mostAtOnce) : []),
    () => addReactions(context, reactions.filter(({ subject }) => mayReach(subject)).slice(0, mostAtOnce)),
    () => requestReviewers(context, mayWrite && reviewers !== undefined ? reviewers : nobody),
  ];
  const outcomes: WriteOutcome[] = [];
  for (const step of steps) {
    if (context.clock() >= context.deadline) {
      context.log.warn({}, 'no time was left for the rest of the conversation');
      break;
    }
    outcomes.push(...(await step()));
  }
  return outcomes;
}

const nobody = { users: [], teams: [] } as const;
