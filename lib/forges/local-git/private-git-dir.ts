import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ForgeError } from '../../core/errors.js';
import type { Repository } from './repository.js';
import type { GitCall } from './run-git.js';

/**
 * A git folder of our own that borrows the objects of a repository. Everything that reads contents runs here, so that
 * the repository's settings (filters, text conversions, external diffs, monitors, remotes) are not even read, and its
 * index, objects and refs are never written. New objects stay here and go with it.
 */
export type PrivateGitDir = {
  /** For commands on objects alone: no work tree, hence no attributes that could hide a change. */
  readonly objects: GitCall;
  /** For commands on the files and a copy of the index. */
  readonly files: (top: string) => GitCall;
  readonly close: () => Promise<void>;
};

export async function createPrivateGitDir(repository: Repository): Promise<PrivateGitDir> {
  const dir = await mkdtemp(join(tmpdir(), `evident-git-${process.pid}-`));
  const removeAtExit = (): void => rmSync(dir, { recursive: true, force: true });
  process.once('exit', removeAtExit);
  const close = async (): Promise<void> => {
    process.removeListener('exit', removeAtExit);
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await fill(dir, repository);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    objects: { cwd: dir, env: { GIT_DIR: dir } },
    files: (top) => ({ cwd: top, env: { GIT_DIR: dir, GIT_WORK_TREE: top } }),
    close,
  };
}

async function fill(dir: string, repository: Repository): Promise<void> {
  const objects = join(repository.commonDir, 'objects');
  if (/[\n"]/.test(objects))
    throw new ForgeError(`git cannot borrow objects from ${objects}: rename that folder.`);
  await mkdir(join(dir, 'objects', 'info'), { recursive: true });
  await mkdir(join(dir, 'refs'));
  await mkdir(join(dir, 'info'));
  await writeFile(join(dir, 'HEAD'), 'ref: refs/heads/none\n');
  await writeFile(join(dir, 'config'), settingsOf(repository));
  await writeFile(join(dir, 'objects', 'info', 'alternates'), `${objects}\n`);
  await copyIfThere(join(repository.commonDir, 'info', 'exclude'), join(dir, 'info', 'exclude'));
  await copyIfThere(join(repository.commonDir, 'shallow'), join(dir, 'shallow'));
  await copyIndex(repository.gitDir, dir);
}

/** Settings that say how files are compared with the index. Each value is one of a few words: none starts anything. */
const kept: Readonly<Record<string, RegExp>> = {
  'core.filemode': /^(true|false)$/,
  'core.symlinks': /^(true|false)$/,
  'core.ignorecase': /^(true|false)$/,
  'core.precomposeunicode': /^(true|false)$/,
  'core.longpaths': /^(true|false)$/,
  'core.trustctime': /^(true|false)$/,
  'core.checkstat': /^(default|minimal)$/,
  'core.autocrlf': /^(true|false|input)$/,
  'core.eol': /^(lf|crlf|native)$/,
  'core.sparsecheckout': /^(true|false)$/,
  'core.sparsecheckoutcone': /^(true|false)$/,
};

function settingsOf({ config, objectFormat }: Repository): string {
  const core = Object.entries(kept).flatMap(([key, allowed]) => {
    const value = config.get(key)?.toLowerCase();
    return value !== undefined && allowed.test(value) ? [`\t${key.slice('core.'.length)} = ${value}\n`] : [];
  });
  const sha256 = objectFormat === 'sha256';
  return [
    `[core]\n\trepositoryformatversion = ${sha256 ? 1 : 0}\n`,
    ...core,
    ...(sha256 ? ['[extensions]\n\tobjectFormat = sha256\n'] : []),
  ].join('');
}

/** With its time rounded down: git then looks again at files that changed in the same moment. */
async function copyIndex(from: string, to: string): Promise<void> {
  const index = await stat(join(from, 'index')).catch(() => null);
  if (index === null) return;
  for (const name of await readdir(from))
    if (/^sharedindex\.[0-9a-f]+$/.test(name)) await copyFile(join(from, name), join(to, name));
  await copyFile(join(from, 'index'), join(to, 'index'));
  const seconds = Math.floor(index.mtimeMs / 1000);
  await utimes(join(to, 'index'), seconds, seconds);
}

async function copyIfThere(from: string, to: string): Promise<void> {
  const content = await readFile(from).catch(() => null);
  if (content !== null) await writeFile(to, content);
}
