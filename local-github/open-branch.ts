import { appendFile, copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createGit } from './git.js';
import type { LocalGitHub, LocalRepository } from './index.js';

/** A branch of a repository on this machine, to be opened as a pull request. Names are branches, `sha` whole ids. */
export type OwnBranch = {
  readonly name: string;
  /** Its folder of objects, which is read and never written. */
  readonly objects: string;
  /** Its list of commits whose parents it lacks; null when it is whole. */
  readonly shallow: string | null;
  readonly base: { readonly name: string; readonly sha: string };
  readonly head: { readonly name: string; readonly sha: string };
  readonly title: string;
  readonly body: string;
  /** Login of who opens the pull request. */
  readonly author: string;
};

/**
 * Puts a branch on a local GitHub and opens it as a pull request: a repository of its own that borrows the objects, so
 * that a large one is there at once and nothing is written where they stand. Sends the webhook.
 */
export async function openBranch(
  github: LocalGitHub,
  branch: OwnBranch,
): Promise<{ readonly repository: LocalRepository; readonly number: number }> {
  const repository = await github.createRepository({
    owner: 'local',
    name: branch.name.replace(/[^\w.-]+/g, '-').replace(/^[.-]+/, '') || 'repository',
    defaultBranch: branch.base.name,
    files: {},
  });
  const { gitDir } = repository;
  await mkdir(join(gitDir, 'objects', 'info'), { recursive: true });
  await appendFile(join(gitDir, 'objects', 'info', 'alternates'), `${branch.objects}\n`);
  if (branch.shallow !== null) await copyFile(branch.shallow, join(gitDir, 'shallow'));
  const git = createGit(gitDir);
  for (const { name, sha } of [branch.base, branch.head])
    await git.run(['update-ref', `refs/heads/${name}`, sha]);
  repository.addCollaborator(branch.author, 'write');
  const number = await repository.openPullRequest({
    head: branch.head.name,
    base: branch.base.name,
    title: branch.title.slice(0, 200),
    body: branch.body,
    author: branch.author,
  });
  return { repository, number };
}
