import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from '../lib/core/errors.js';
import { type Sha, shortSha } from '../lib/core/pull-request.js';
import { openLocalGit } from '../lib/forges/local-git.js';
import { findHead, findRepository } from '../lib/forges/local-git/repository.js';
import { askGit } from '../lib/forges/local-git/run-git.js';
import type { Log } from '../lib/ports/log.js';
import type { OwnBranch } from '../local-github/open-branch.js';

/**
 * What is committed on a branch of a repository on disk, as a pull request that may be opened. Nothing there is written.
 * @throws ConfigError with how to mend it: no such folder, no repository, a name that is no commit, nothing that differs.
 */
export async function readOwnBranch({
  cwd,
  repo,
  base,
  head,
  log,
}: {
  readonly cwd: string;
  readonly repo: string;
  /** The default branch unless told. */
  readonly base: string | undefined;
  /** What is checked out unless told. */
  readonly head: string | undefined;
  readonly log: Log;
}): Promise<OwnBranch> {
  const dir = resolve(cwd, repo);
  const repository = await findRepository(dir);
  if (repository.objectFormat !== 'sha1')
    throw new ConfigError(
      `${dir} keeps ${repository.objectFormat} ids, which the local GitHub cannot hold. Use: npm run -s evident -- review --repo ${repo}`,
      '--repo',
    );
  const out = await findHead(repository);
  if (head === undefined && out.commit === null)
    throw new ConfigError(
      `${dir} has no commit yet. Commit something first, or name a commit with --head.`,
      '--repo',
    );
  // Looks at all that may be wrong with it, and says it in the same words as a review in the terminal.
  const opened = await openLocalGit({ dir, base, head: head ?? 'HEAD', log });
  await opened.close();
  const { title, body, base: into, head: from } = opened.snapshot.pullRequest;
  const baseName = await branchName(dir, into.ref, into.sha);
  const headName = await branchName(dir, head ?? out.name, from.sha);
  const shallow = join(repository.commonDir, 'shallow');
  return {
    name: repository.name,
    objects: join(repository.commonDir, 'objects'),
    shallow: repository.shallow && existsSync(shallow) ? shallow : null,
    base: { name: baseName, sha: into.sha },
    head: { name: besides(baseName, headName, from.sha), sha: from.sha },
    title,
    body,
    author: 'you',
  };
}

/**
 * `main` against `origin/main`: both have the same name here. `main/x` against `origin/main`: where there is a branch
 * `main`, none can stand below it.
 */
function besides(base: string, head: string, sha: Sha): string {
  if (head === base) return `${head}-${shortSha(sha)}`;
  const isBelow = `${head}/`.startsWith(`${base}/`) || `${base}/`.startsWith(`${head}/`);
  return isBelow ? `${head.replaceAll('/', '-')}-${shortSha(sha)}` : head;
}

/** A commit may be named in many ways, also by ones that no branch can have. */
async function branchName(dir: string, name: string, sha: Sha): Promise<string> {
  const short = name.replace(/^(refs\/heads\/|refs\/remotes\/origin\/|origin\/)/, '');
  const { code } = await askGit(['check-ref-format', '--branch', short], { cwd: dir });
  return code === 0 && short !== 'HEAD' && !short.startsWith('@') ? short : `at-${shortSha(sha)}`;
}
