import { permissionOf } from '../auth.js';
import { type Account, fullName, type Label, type Repository, type World } from '../state.js';
import { apiUrl, writeUser } from './account.js';

export const repositoryUrl = (world: World, repository: Repository): string =>
  `${apiUrl(world)}/repos/${fullName(repository)}`;

export const htmlUrl = (world: World, repository: Repository): string =>
  `${world.url}/${fullName(repository)}`;

export const writeRepository = (world: World, repository: Repository) => {
  const url = repositoryUrl(world, repository);
  const html = htmlUrl(world, repository);
  const open = [...repository.pulls.values()].filter((pull) => pull.state === 'open').length;
  return {
    id: repository.id,
    node_id: repository.nodeId,
    name: repository.name,
    full_name: fullName(repository),
    private: repository.private,
    owner: writeUser(world, repository.owner),
    html_url: html,
    description: null,
    fork: repository.fork,
    url,
    forks_url: `${url}/forks`,
    keys_url: `${url}/keys{/key_id}`,
    collaborators_url: `${url}/collaborators{/collaborator}`,
    teams_url: `${url}/teams`,
    hooks_url: `${url}/hooks`,
    issue_events_url: `${url}/issues/events{/number}`,
    events_url: `${url}/events`,
    assignees_url: `${url}/assignees{/user}`,
    branches_url: `${url}/branches{/branch}`,
    tags_url: `${url}/tags`,
    blobs_url: `${url}/git/blobs{/sha}`,
    git_tags_url: `${url}/git/tags{/sha}`,
    git_refs_url: `${url}/git/refs{/sha}`,
    trees_url: `${url}/git/trees{/sha}`,
    statuses_url: `${url}/statuses/{sha}`,
    languages_url: `${url}/languages`,
    stargazers_url: `${url}/stargazers`,
    contributors_url: `${url}/contributors`,
    subscribers_url: `${url}/subscribers`,
    subscription_url: `${url}/subscription`,
    commits_url: `${url}/commits{/sha}`,
    git_commits_url: `${url}/git/commits{/sha}`,
    comments_url: `${url}/comments{/number}`,
    issue_comment_url: `${url}/issues/comments{/number}`,
    contents_url: `${url}/contents/{+path}`,
    compare_url: `${url}/compare/{base}...{head}`,
    merges_url: `${url}/merges`,
    archive_url: `${url}/{archive_format}{/ref}`,
    downloads_url: `${url}/downloads`,
    issues_url: `${url}/issues{/number}`,
    pulls_url: `${url}/pulls{/number}`,
    milestones_url: `${url}/milestones{/number}`,
    notifications_url: `${url}/notifications{?since,all,participating}`,
    labels_url: `${url}/labels{/name}`,
    releases_url: `${url}/releases{/id}`,
    deployments_url: `${url}/deployments`,
    created_at: repository.createdAt,
    updated_at: repository.pushedAt,
    pushed_at: repository.pushedAt,
    git_url: `${html.replace(/^https?:/, 'git:')}.git`,
    ssh_url: `git@127.0.0.1:${fullName(repository)}.git`,
    clone_url: `${html}.git`,
    svn_url: html,
    homepage: null,
    size: 0,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    has_issues: true,
    has_projects: false,
    has_downloads: false,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    forks_count: 0,
    mirror_url: null,
    archived: false,
    disabled: false,
    open_issues_count: open,
    license: null,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    visibility: repository.private ? 'private' : 'public',
    forks: 0,
    open_issues: open,
    watchers: 0,
    default_branch: repository.defaultBranch,
    custom_properties: {},
  };
};

export const writeFullRepository = (world: World, repository: Repository, account: Account) => {
  const at = ['none', 'read', 'triage', 'write', 'maintain', 'admin'].indexOf(
    permissionOf(repository, account),
  );
  return {
    ...writeRepository(world, repository),
    permissions: { admin: at >= 5, maintain: at >= 4, push: at >= 3, triage: at >= 2, pull: at >= 1 },
    subscribers_count: 0,
    network_count: 0,
    ...(repository.owner.type === 'Organization' ? { organization: writeUser(world, repository.owner) } : {}),
  };
};

export const writeOrganization = (world: World, account: Account) => {
  const url = `${apiUrl(world)}/orgs/${account.login}`;
  return {
    login: account.login,
    id: account.id,
    node_id: account.nodeId,
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url: `${world.url}/avatars/u/${account.id}?v=4`,
    description: null,
  };
};

export const writeLabel = (world: World, repository: Repository, label: Label) => ({
  id: label.id,
  node_id: label.nodeId,
  url: `${repositoryUrl(world, repository)}/labels/${encodeURIComponent(label.name)}`,
  name: label.name,
  color: label.color,
  default: false,
  description: label.description,
});
