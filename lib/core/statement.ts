import type { Comment, Conversation, WriterKind } from './conversation.js';
import type { PlainAnswer } from './answer.js';
import type { FindingId } from './finding.js';
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

/** What somebody said that may have an effect here. Read from current contents, in the order of GitHub's ids. */
export type Statement = {
  readonly by: string;
  readonly writer: WriterKind;
  /** When it was said: the last edit counts. Epoch milliseconds. */
  readonly at: number;
  readonly subject: Subject;
  readonly says: Saying;
};

export type Saying =
  /** `/evident NAME WORDS`, whether or not there is such a command. `item`: of the thread it stands in. */
  | {
      readonly kind: 'command';
      readonly name: string;
      readonly words: string;
      readonly item?: FindingId | QuestionId;
    }
  /** `dismiss why`, `won't fix`, `by design` in a finding's thread, or `/evident dismiss F1 why` anywhere. */
  | { readonly kind: 'dismiss'; readonly item: FindingId | QuestionId; readonly reason: string }
  | {
      readonly kind: 'answer';
      readonly question: QuestionId;
      readonly answer: PlainAnswer;
      readonly reason?: string;
    }
  /** `ok`: a maintainer confirms what an author without write access said. */
  | { readonly kind: 'confirm'; readonly item: FindingId | QuestionId }
  | { readonly kind: 'approval'; readonly commit: Sha | null }
  /** Meant for us, in words that code does not read: the loop does. */
  | { readonly kind: 'words'; readonly item: FindingId | QuestionId; readonly text: string };

export type { Comment, Conversation };
