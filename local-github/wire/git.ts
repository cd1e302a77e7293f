import type { ChangedFile } from '../diff.js';
import type { Commit, Entry } from '../objects.js';
import type { Repository, World } from '../state.js';
import { htmlUrl, repositoryUrl } from './repository.js';

const VERIFICATION = {
  verified: false,
  reason: 'unsigned',
  signature: null,
  payload: null,
  verified_at: null,
};

/** A commit as `GET /commits/{ref}` shows it; authors are people of git, not accounts. */
export const writeCommit = (world: World, repository: Repository, commit: Commit) => {
  const url = `${repositoryUrl(world, repository)}/commits/${commit.sha}`;
  return {
    sha: commit.sha,
    node_id: nodeIdOf('C', commit.sha),
    commit: {
      author: commit.author,
      committer: commit.committer,
      message: commit.message,
      tree: { sha: commit.tree, url: `${repositoryUrl(world, repository)}/git/trees/${commit.tree}` },
      url: `${repositoryUrl(world, repository)}/git/commits/${commit.sha}`,
      comment_count: 0,
      verification: VERIFICATION,
    },
    url,
    html_url: `${htmlUrl(world, repository)}/commit/${commit.sha}`,
    comments_url: `${url}/comments`,
    author: null,
    committer: null,
    parents: parentsOf(world, repository, commit, 'commits'),
  };
};

const parentsOf = (world: World, repository: Repository, commit: Commit, folder: string) =>
  commit.parents.map((sha) => ({
    sha,
    url: `${repositoryUrl(world, repository)}/${folder}/${sha}`,
    html_url: `${htmlUrl(world, repository)}/commit/${sha}`,
  }));

/** A commit as webhooks show it. */
export const writeSimpleCommit = (commit: Commit) => ({
  id: commit.sha,
  tree_id: commit.tree,
  message: commit.message,
  timestamp: commit.committer.date,
  author: { name: commit.author.name, email: commit.author.email },
  committer: { name: commit.committer.name, email: commit.committer.email },
});

/** A commit object as `GET /git/commits/{sha}` shows it. */
export const writeGitCommit = (world: World, repository: Repository, commit: Commit) => ({
  sha: commit.sha,
  node_id: nodeIdOf('C', commit.sha),
  url: `${repositoryUrl(world, repository)}/git/commits/${commit.sha}`,
  html_url: `${htmlUrl(world, repository)}/commit/${commit.sha}`,
  author: commit.author,
  committer: commit.committer,
  tree: { sha: commit.tree, url: `${repositoryUrl(world, repository)}/git/trees/${commit.tree}` },
  message: commit.message,
  parents: parentsOf(world, repository, commit, 'git/commits'),
  verification: VERIFICATION,
});

export const nodeIdOf = (prefix: string, sha: string): string =>
  `${prefix}_${Buffer.from(`local:${prefix}:${sha}`).toString('base64url')}`;

/** A changed file; `sha` is the blob at the head, or the old one for a file that is gone. */
export const writeFile = (world: World, repository: Repository, head: string, file: ChangedFile) => {
  const path = encodePath(file.path);
  return {
    sha: file.status === 'removed' ? file.oldSha : file.newSha,
    filename: file.path,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${htmlUrl(world, repository)}/blob/${head}/${path}`,
    raw_url: `${htmlUrl(world, repository)}/raw/${head}/${path}`,
    contents_url: `${repositoryUrl(world, repository)}/contents/${path}?ref=${head}`,
    ...(file.patch === undefined ? {} : { patch: file.patch }),
    ...(file.status === 'renamed' || file.status === 'copied' ? { previous_filename: file.oldPath } : {}),
  };
};

export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

export const writeTreeEntry = (world: World, repository: Repository, entry: Entry) => ({
  path: entry.path,
  mode: entry.mode,
  type: entry.type,
  sha: entry.sha,
  ...(entry.type === 'blob' ? { size: entry.size ?? 0 } : {}),
  ...(entry.type === 'commit'
    ? {}
    : { url: `${repositoryUrl(world, repository)}/git/${entry.type}s/${entry.sha}` }),
});
