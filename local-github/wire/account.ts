import { grantedTo, permissionOf } from '../auth.js';
import { type Account, accountOf, type App, type Repository, type World } from '../state.js';

/** Where REST lives: GitHub Enterprise Server's path. */
export const apiUrl = (world: World): string => `${world.url}/api/v3`;

export const writeUser = (world: World, account: Account) => {
  const shown = account.gone ? accountOf(world, 'ghost') : account;
  const url = `${apiUrl(world)}/users/${encodeURIComponent(shown.login)}`;
  return {
    login: shown.login,
    id: shown.id,
    node_id: shown.nodeId,
    avatar_url: `${world.url}/avatars/u/${shown.id}?v=4`,
    gravatar_id: '',
    url,
    html_url: `${world.url}/${shown.type === 'Bot' ? `apps/${shown.login.replace(/\[bot\]$/, '')}` : shown.login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: shown.type,
    site_admin: false,
  };
};

/** Where GitHub has no account to show: what a deleted one wrote in reviews. */
export const writeUserOrNull = (world: World, account: Account) =>
  account.gone ? null : writeUser(world, account);

export const writeProfile = (world: World, account: Account) => ({
  ...writeUser(world, account),
  name: account.login,
  company: null,
  blog: null,
  location: null,
  email: null,
  hireable: null,
  bio: null,
  twitter_username: null,
  public_repos: 0,
  public_gists: 0,
  followers: 0,
  following: 0,
  created_at: '2020-01-01T00:00:00Z',
  updated_at: '2020-01-01T00:00:00Z',
});

export const writeCollaborator = (world: World, repository: Repository, account: Account) => {
  const role = permissionOf(repository, account);
  const at = ['none', 'read', 'triage', 'write', 'maintain', 'admin'].indexOf(role);
  // `permission` knows four words only: triage is told as read, maintain as write.
  const permission = role === 'triage' ? 'read' : role === 'maintain' ? 'write' : role;
  return {
    permission,
    role_name: role,
    user: {
      ...writeUser(world, account),
      permissions: { pull: at >= 1, triage: at >= 2, push: at >= 3, maintain: at >= 4, admin: at >= 5 },
      role_name: role,
    },
  };
};

export const writeApp = (world: World, app: App) => ({
  id: app.id,
  slug: app.slug,
  node_id: app.nodeId,
  owner: writeUser(world, app.owner),
  name: app.name,
  description: null,
  external_url: `${world.url}/apps/${app.slug}`,
  html_url: `${world.url}/apps/${app.slug}`,
  created_at: app.createdAt,
  updated_at: app.createdAt,
  permissions: grantedTo(app),
  events: [...app.events],
});

export const writeInstallation = (world: World, app: App) => {
  const account = installationAccount(world, app);
  return {
    id: app.installationId,
    account: writeUser(world, account),
    repository_selection: 'all',
    access_tokens_url: `${apiUrl(world)}/app/installations/${app.installationId}/access_tokens`,
    repositories_url: `${apiUrl(world)}/installation/repositories`,
    html_url: `${world.url}/settings/installations/${app.installationId}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: account.id,
    target_type: account.type === 'Organization' ? 'Organization' : 'User',
    permissions: grantedTo(app),
    events: [...app.events],
    created_at: app.createdAt,
    updated_at: app.createdAt,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: app.suspendedAt === null ? null : writeUser(world, app.owner),
    suspended_at: app.suspendedAt,
  };
};

const installationAccount = (world: World, app: App): Account =>
  [...world.repositories.values()][0]?.owner ?? app.owner;
