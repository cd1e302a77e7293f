import { permissionOf } from '../auth.js';
import { mergeability } from '../checks.js';
import {
  type Account,
  accountOf,
  commentsOf,
  type Pull,
  type Reaction,
  type ReactionContent,
  REACTIONS,
  type Repository,
  type World,
} from '../state.js';
import { apiUrl, writeUser } from './account.js';
import { htmlUrl, repositoryUrl, writeLabel, writeRepository } from './repository.js';

export const pullUrl = (world: World, repository: Repository, pull: Pull): string =>
  `${repositoryUrl(world, repository)}/pulls/${pull.number}`;

export const pullHtmlUrl = (world: World, repository: Repository, pull: Pull): string =>
  `${htmlUrl(world, repository)}/pull/${pull.number}`;

export const associationOf = (repository: Repository, account: Account): string => {
  if (account.gone) return 'NONE';
  if (account === repository.owner) return 'OWNER';
  const permission = permissionOf(repository, account);
  if (repository.collaborators.has(account.login.toLowerCase()) && permission !== 'none')
    return repository.owner.type === 'Organization' ? 'MEMBER' : 'COLLABORATOR';
  const merged = [...repository.pulls.values()].some((pull) => pull.merged && pull.author === account);
  return merged ? 'CONTRIBUTOR' : 'NONE';
};

/** A pull request as lists and the review events show it. */
export const writePull = (world: World, repository: Repository, pull: Pull) => {
  const url = pullUrl(world, repository, pull);
  const issue = `${repositoryUrl(world, repository)}/issues/${pull.number}`;
  const html = pullHtmlUrl(world, repository, pull);
  const statuses = `${repositoryUrl(world, repository)}/statuses/${pull.headSha}`;
  const reviewComment = `${repositoryUrl(world, repository)}/pulls/comments{/number}`;
  return {
    url,
    id: pull.id,
    node_id: pull.nodeId,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: issue,
    number: pull.number,
    state: pull.state,
    locked: false,
    title: pull.title,
    user: writeUser(world, pull.author),
    body: pull.body,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeCommit,
    assignee: null,
    assignees: [],
    requested_reviewers: [...pull.requestedReviewers].map((login) =>
      writeUser(world, accountOf(world, login)),
    ),
    requested_teams: [...pull.requestedTeams].map((slug) => writeTeam(world, repository, slug)),
    labels: labelsOf(world, repository, pull),
    milestone: null,
    draft: pull.draft,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: reviewComment,
    comments_url: `${issue}/comments`,
    statuses_url: statuses,
    head: {
      label: `${pull.headOwner.login}:${pull.headRef}`,
      ref: pull.headRef,
      sha: pull.headSha,
      user: writeUser(world, pull.headOwner),
      repo: pull.headRepository === null ? null : writeRepository(world, pull.headRepository),
    },
    base: {
      label: `${repository.owner.login}:${pull.baseRef}`,
      ref: pull.baseRef,
      sha: pull.baseSha,
      user: writeUser(world, repository.owner),
      repo: writeRepository(world, repository),
    },
    _links: {
      self: { href: url },
      html: { href: html },
      issue: { href: issue },
      comments: { href: `${issue}/comments` },
      review_comments: { href: `${url}/comments` },
      review_comment: { href: reviewComment },
      commits: { href: `${url}/commits` },
      statuses: { href: statuses },
    },
    author_association: associationOf(repository, pull.author),
    auto_merge: null,
    active_lock_reason: null,
  };
};

/** What is asked for the first time is worked out afterwards: null now, and known from the next read on. */
export const askMergeable = (world: World, pull: Pull): boolean | null => {
  const known = knownMergeable(world, pull);
  pull.computed.add(mergeKey(pull));
  return known;
};

const knownMergeable = (world: World, pull: Pull): boolean | null =>
  pull.state !== 'open' || (world.rules.mergeableLater && !pull.computed.has(mergeKey(pull)))
    ? null
    : pull.stats.mergeable;

const mergeKey = (pull: Pull): string => `${pull.baseRef} ${pull.baseSha} ${pull.headSha}`;

/** A pull request by itself, with what only that answer carries. */
export const writeFullPull = (world: World, repository: Repository, pull: Pull) => ({
  ...writePull(world, repository, pull),
  merged: pull.merged,
  mergeable: knownMergeable(world, pull),
  rebaseable: knownMergeable(world, pull),
  mergeable_state: mergeState(repository, pull, knownMergeable(world, pull)),
  merged_by: pull.mergedBy === null ? null : writeUser(world, pull.mergedBy),
  comments: pull.comments.length,
  review_comments: commentsOf(pull).length,
  maintainer_can_modify: false,
  commits: pull.stats.commits,
  additions: pull.stats.additions,
  deletions: pull.stats.deletions,
  changed_files: pull.stats.changedFiles,
});

const mergeState = (repository: Repository, pull: Pull, mergeable: boolean | null): string => {
  if (mergeable === null) return 'unknown';
  if (!mergeable) return 'dirty';
  if (pull.draft) return 'draft';
  return mergeability(repository, pull).kind === 'mergeable' ? 'clean' : 'blocked';
};

export const labelsOf = (world: World, repository: Repository, pull: Pull) =>
  [...pull.labels]
    .map((name) => repository.labels.get(name))
    .filter((label) => label !== undefined)
    .map((label) => writeLabel(world, repository, label));

export const writeTeam = (world: World, repository: Repository, slug: string) => {
  const url = `${apiUrl(world)}/organizations/${repository.owner.id}/team/${slug}`;
  return {
    name: slug,
    id: [...slug].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_000, 7),
    node_id: `T_${Buffer.from(slug).toString('base64url')}`,
    slug,
    description: null,
    privacy: 'closed',
    notification_setting: 'notifications_enabled',
    url,
    html_url: `${world.url}/orgs/${repository.owner.login}/teams/${slug}`,
    members_url: `${url}/members{/member}`,
    repositories_url: `${url}/repos`,
    permission: 'pull',
  };
};

/** The issue side of a pull request. */
export const writeIssue = (world: World, repository: Repository, pull: Pull) => {
  const url = `${repositoryUrl(world, repository)}/issues/${pull.number}`;
  const html = pullHtmlUrl(world, repository, pull);
  return {
    url,
    repository_url: repositoryUrl(world, repository),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: html,
    id: pull.issueId,
    node_id: pull.nodeId,
    number: pull.number,
    title: pull.title,
    user: writeUser(world, pull.author),
    labels: labelsOf(world, repository, pull),
    state: pull.state,
    locked: false,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: pull.comments.length,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    author_association: associationOf(repository, pull.author),
    active_lock_reason: null,
    draft: pull.draft,
    pull_request: {
      url: pullUrl(world, repository, pull),
      html_url: html,
      diff_url: `${html}.diff`,
      patch_url: `${html}.patch`,
      merged_at: pull.mergedAt,
    },
    body: pull.body,
    reactions: writeRollup(`${url}/reactions`, pull.reactions),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: null,
    state_reason: null,
  };
};

export const writeRollup = (url: string, reactions: readonly Reaction[]) => ({
  url,
  total_count: reactions.length,
  ...(Object.fromEntries(
    REACTIONS.map((content) => [content, reactions.filter((entry) => entry.content === content).length]),
  ) as Record<ReactionContent, number>),
});

export const writeReaction = (world: World, reaction: Reaction) => ({
  id: reaction.id,
  node_id: reaction.nodeId,
  user: writeUser(world, reaction.account),
  content: reaction.content,
  created_at: reaction.createdAt,
});
