import type { IssueComment, Pull, Repository, Review, ReviewComment, World } from '../state.js';
import { writeApp, writeUser, writeUserOrNull } from './account.js';
import { associationOf, pullHtmlUrl, pullUrl, writeRollup } from './pull.js';
import { repositoryUrl } from './repository.js';

export const writeReview = (world: World, repository: Repository, pull: Pull, review: Review) => {
  const html = `${pullHtmlUrl(world, repository, pull)}#pullrequestreview-${review.id}`;
  const url = pullUrl(world, repository, pull);
  return {
    id: review.id,
    node_id: review.nodeId,
    user: writeUserOrNull(world, review.author),
    body: review.body,
    state: review.state,
    html_url: html,
    pull_request_url: url,
    author_association: associationOf(repository, review.author),
    _links: { html: { href: html }, pull_request: { href: url } },
    ...(review.submittedAt === null ? {} : { submitted_at: review.submittedAt }),
    commit_id: review.commitId,
  };
};

/** As REST shows it: no word of whether the thread is resolved, `line` null once outdated. */
export const writeReviewComment = (
  world: World,
  repository: Repository,
  pull: Pull,
  comment: ReviewComment,
) => {
  const { thread } = comment;
  const url = `${repositoryUrl(world, repository)}/pulls/comments/${comment.id}`;
  const html = `${pullHtmlUrl(world, repository, pull)}#discussion_r${comment.id}`;
  return {
    url,
    pull_request_review_id: comment.review.id,
    id: comment.id,
    node_id: comment.nodeId,
    diff_hunk: thread.diffHunk,
    path: thread.path,
    commit_id: thread.commitId,
    original_commit_id: thread.originalCommitId,
    user: writeUserOrNull(world, comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: html,
    pull_request_url: pullUrl(world, repository, pull),
    author_association: associationOf(repository, comment.author),
    _links: {
      self: { href: url },
      html: { href: html },
      pull_request: { href: pullUrl(world, repository, pull) },
    },
    reactions: writeRollup(`${url}/reactions`, comment.reactions),
    start_line: thread.startLine,
    original_start_line: thread.originalStartLine,
    start_side: thread.startSide,
    line: thread.line,
    original_line: thread.originalLine,
    side: thread.side,
    position: thread.position,
    original_position: thread.originalPosition ?? 1,
    subject_type: thread.subject,
    ...(comment.inReplyTo === null ? {} : { in_reply_to_id: comment.inReplyTo }),
  };
};

export const writeIssueComment = (
  world: World,
  repository: Repository,
  pull: Pull,
  comment: IssueComment,
) => {
  const url = `${repositoryUrl(world, repository)}/issues/comments/${comment.id}`;
  return {
    url,
    html_url: `${pullHtmlUrl(world, repository, pull)}#issuecomment-${comment.id}`,
    issue_url: `${repositoryUrl(world, repository)}/issues/${pull.number}`,
    id: comment.id,
    node_id: comment.nodeId,
    user: writeUser(world, comment.author),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: associationOf(repository, comment.author),
    body: comment.body,
    reactions: writeRollup(`${url}/reactions`, comment.reactions),
    performed_via_github_app: comment.app === null ? null : writeApp(world, comment.app),
  };
};
