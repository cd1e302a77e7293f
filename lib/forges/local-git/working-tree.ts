import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../../core/errors.js';
import type { Lack } from '../../core/snapshot.js';
import type { PrivateGitDir } from './private-git-dir.js';
import { userExcludes, type Repository } from './repository.js';
import { askGit, git, line, parts } from './run-git.js';

/** A tree object, and what could not be put into it. */
export type WrittenTree = { readonly tree: string; readonly lacks: readonly Lack[] };

const MAX_UNTRACKED_FILES = 20_000;
const MAX_UNTRACKED_FILE_BYTES = 16 << 20;
const MAX_UNTRACKED_BYTES = 256 << 20;

/** What `git commit` would take now. */
export async function treeOfIndex(own: PrivateGitDir): Promise<WrittenTree> {
  const { code, stdout, stderr } = await askGit(['write-tree', '--missing-ok'], own.objects);
  if (code === 0) return { tree: line(stdout), lacks: [] };
  const sentence = /unmerged/.test(stderr)
    ? 'A merge is not finished: files in conflict cannot be staged. Resolve them, or review without --staged.'
    : `git cannot read the index: ${stderr.trim().split('\n').at(-1) ?? ''}`;
  throw new ConfigError(sentence, '--staged');
}

/**
 * What stands in the work tree: tracked files as they are now, and untracked ones that are not ignored. By plumbing
 * alone: `git add` would look into submodules by git processes of their own, which read the settings there.
 */
export async function treeOfWorkTree(
  own: PrivateGitDir,
  repository: Repository,
  top: string,
): Promise<WrittenTree> {
  const call = own.files(top);
  const excludes = await userExcludes(repository.config);
  const ignore = excludes === null ? [] : ['-c', `core.excludesFile=${excludes}`];
  const changed = parts(
    await git(['diff-files', '-z', '--name-only', '--no-ext-diff', '--ignore-submodules=dirty'], call),
  );
  const untracked = parts(await git([...ignore, 'ls-files', '-z', '--others', '--exclude-standard'], call));
  if (untracked.length > MAX_UNTRACKED_FILES)
    throw new ConfigError(
      `${untracked.length} files are neither tracked nor ignored, and ${MAX_UNTRACKED_FILES} are read at most. ` +
        'List their folder in .gitignore, or review with --staged.',
      '.gitignore',
    );
  const { taken, lacks } = await takeUntracked(top, untracked);
  const paths = [...new Set(changed), ...taken];
  if (paths.length > 0) {
    const input = Buffer.from(paths.map((path) => `${path}\0`).join(''));
    await git(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], { ...call, input });
  }
  const written = await treeOfIndex(own);
  return { tree: written.tree, lacks };
}

/** Untracked files that are small enough to be part of a change; the rest is said. */
async function takeUntracked(
  top: string,
  paths: readonly string[],
): Promise<{ readonly taken: readonly string[]; readonly lacks: readonly Lack[] }> {
  const taken: string[] = [];
  const lacks: Lack[] = [];
  let total = 0;
  for (const path of paths) {
    if (path.endsWith('/')) {
      lacks.push({ what: path, why: 'an untracked folder that is a git repository of its own' });
      continue;
    }
    const file = await lstat(join(top, path)).catch(() => null);
    if (file === null) continue;
    if (file.size > MAX_UNTRACKED_FILE_BYTES || total + file.size > MAX_UNTRACKED_BYTES) {
      lacks.push({ what: path, why: `an untracked file of ${Math.ceil(file.size / (1 << 20))} MiB` });
      continue;
    }
    total += file.size;
    taken.push(path);
  }
  return { taken, lacks };
}
