import { BODY_LIMIT } from './reviews.js';
import { invalid } from './refusal.js';
import {
  type Account,
  type Actor,
  type IssueComment,
  nextId,
  nodeId,
  now,
  type Pull,
  type Reaction,
  REACTIONS,
  type ReactionContent,
  type Repository,
  type World,
} from './state.js';

export const addIssueComment = (
  world: World,
  repository: Repository,
  pull: Pull,
  body: string,
  actor: Actor,
): IssueComment => {
  checkBody(body);
  const at = now(world);
  const id = nextId(world, 'comment');
  const comment: IssueComment = {
    id,
    nodeId: nodeId('IC', id),
    author: actor.account,
    app: actor.app ?? null,
    body,
    createdAt: at,
    updatedAt: at,
    lastEditedAt: null,
    editor: null,
    reactions: [],
    minimized: null,
    born: Date.now(),
  };
  pull.comments.push(comment);
  pull.updatedAt = at;
  world.emit({ kind: 'issue_comment', action: 'created', repository, pull, comment, sender: actor.account });
  return comment;
};

const checkBody = (body: string): void => {
  if (body.trim() === '') throw invalid('IssueComment', 'body', 'missing_field');
  if ([...body].length > BODY_LIMIT)
    throw invalid(
      'IssueComment',
      'body',
      'unprocessable',
      `body is too long (maximum is ${BODY_LIMIT} characters)`,
    );
};

export const editIssueComment = (
  world: World,
  repository: Repository,
  pull: Pull,
  comment: IssueComment,
  body: string,
  editor: Account,
): void => {
  checkBody(body);
  const from = comment.body;
  if (from === body) return;
  comment.body = body;
  comment.updatedAt = now(world);
  comment.lastEditedAt = comment.updatedAt;
  comment.editor = editor;
  const changes = { body: { from } };
  world.emit({ kind: 'issue_comment', action: 'edited', repository, pull, comment, sender: editor, changes });
};

export const deleteIssueComment = (
  world: World,
  repository: Repository,
  pull: Pull,
  comment: IssueComment,
  sender: Account,
): void => {
  pull.comments.splice(pull.comments.indexOf(comment), 1);
  world.emit({ kind: 'issue_comment', action: 'deleted', repository, pull, comment, sender });
};

/** GitHub answers 201 for a new reaction and 200 for one that was there: callers use it as a lock. */
export const react = (
  world: World,
  reactions: Reaction[],
  content: string,
  account: Account,
): { readonly reaction: Reaction; readonly isNew: boolean } => {
  if (!isReaction(content)) throw invalid('Reaction', 'content', 'invalid');
  const known = reactions.find((entry) => entry.account === account && entry.content === content);
  if (known !== undefined) return { reaction: known, isNew: false };
  const id = nextId(world, 'reaction');
  const reaction: Reaction = {
    id,
    nodeId: nodeId('REA', id),
    account,
    content,
    createdAt: now(world),
    born: Date.now(),
  };
  reactions.push(reaction);
  return { reaction, isNew: true };
};

const isReaction = (content: string): content is ReactionContent =>
  (REACTIONS as readonly string[]).includes(content);
