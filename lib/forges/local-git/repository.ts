import { readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { ConfigError } from '../../core/errors.js';
import { Sha } from '../../core/pull-request.js';
import { askGit, git, line, parts, type GitCall } from './run-git.js';

/** Where the parts of a repository stand on disk. Only names are looked up in it; nothing is ever written. */
export type Repository = {
  readonly name: string;
  /** The folder that was asked for: names are looked up from here. */
  readonly dir: string;
  /** Of this work tree; differs from `commonDir` in a linked work tree. */
  readonly gitDir: string;
  readonly commonDir: string;
  /** Null in a bare repository. */
  readonly top: string | null;
  readonly shallow: boolean;
  readonly objectFormat: string;
  /** Settings of the repository and the user, lower-case keys; the last of a key counts. */
  readonly config: ReadonlyMap<string, string>;
};

/** Finds the repository that a folder is in. Throws `ConfigError` with how to mend it. */
export async function findRepository(dir: string): Promise<Repository> {
  const found = await stat(dir).catch(() => null);
  if (found?.isDirectory() !== true) throw new ConfigError(`There is no folder ${dir}.`, '--repo');
  const call: GitCall = { cwd: dir };
  const about = await askGit(
    [
      'rev-parse',
      '--is-inside-work-tree',
      '--is-bare-repository',
      '--is-shallow-repository',
      '--show-object-format',
    ],
    call,
  );
  if (about.code !== 0) throw new ConfigError(notARepository(dir, about.stderr), '--repo');
  const [inside, bare, shallow, objectFormat = 'sha1'] = line(about.stdout).split('\n');
  const ask = async (...args: string[]): Promise<string> => line(await git(['rev-parse', ...args], call));
  const gitDir = await ask('--absolute-git-dir');
  const commonDir = resolve(dir, await ask('--git-common-dir'));
  if (inside !== 'true' && bare !== 'true')
    throw new ConfigError(`${dir} is inside a .git folder. Name the folder of the files.`, '--repo');
  const top = inside === 'true' ? await ask('--show-toplevel') : null;
  if (top !== null) await checkTop(gitDir, top);
  return {
    name: basename(top ?? gitDir).replace(/\.git$/, '') || 'repository',
    dir,
    gitDir,
    commonDir,
    top,
    shallow: shallow === 'true',
    objectFormat,
    config: await readConfig(dir),
  };
}

function notARepository(dir: string, said: string): string {
  if (/not a git repository/i.test(said))
    return `${dir} is not in a git repository. Run this in one, or name one with --repo.`;
  return `git cannot read the repository at ${dir}: ${said.trim().split('\n').at(-1) ?? ''}`;
}

/** `core.worktree` may name any folder of the machine, and its files would be read as changes of this repository. */
async function checkTop(gitDir: string, top: string): Promise<void> {
  const { code, stdout } = await askGit(['rev-parse', '--resolve-git-dir', join(top, '.git')], { cwd: top });
  const own = code === 0 ? await realpath(resolve(top, line(stdout))).catch(() => null) : null;
  if (own === null || own !== (await realpath(gitDir)))
    throw new ConfigError(
      `The repository at ${gitDir} says that its files stand in ${top}, which is not its clone (core.worktree).`,
      '--repo',
    );
}

/** Read with the user's settings: line endings and the user's own ignore file decide what counts as changed. */
async function readConfig(dir: string): Promise<ReadonlyMap<string, string>> {
  const { code, stdout } = await askGit(['config', '--list', '-z'], { cwd: dir, env: userEnvironment() });
  const config = new Map<string, string>();
  if (code !== 0) return config;
  for (const entry of parts(stdout)) {
    const cut = entry.indexOf('\n');
    const key = cut === -1 ? entry : entry.slice(0, cut);
    config.set(key.toLowerCase(), cut === -1 ? 'true' : entry.slice(cut + 1));
  }
  return config;
}

/** As the caller has it; what is not set is left out, so that git looks in its usual places. */
const userEnvironment = (): Readonly<Record<string, string | undefined>> => ({
  HOME: homedir(),
  XDG_CONFIG_HOME: process.env['XDG_CONFIG_HOME'],
  GIT_CONFIG_GLOBAL: process.env['GIT_CONFIG_GLOBAL'],
  GIT_CONFIG_SYSTEM: process.env['GIT_CONFIG_SYSTEM'],
  GIT_CONFIG_NOSYSTEM: process.env['GIT_CONFIG_NOSYSTEM'],
});

/** The user's own list of what is never part of a change. */
export async function userExcludes(config: ReadonlyMap<string, string>): Promise<string | null> {
  const named = config.get('core.excludesfile')?.replace(/^~(?=\/)/, homedir());
  const path = named ?? join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'git', 'ignore');
  return await readFile(path, 'utf8').then(
    () => path,
    () => null,
  );
}

/** The commit that a name stands for, or null. */
export async function findCommit(repository: Repository, name: string): Promise<Sha | null> {
  if (name === '' || name.startsWith('-') || name.includes('\0')) return null;
  const { code, stdout } = await askGit(['rev-parse', '--verify', '--quiet', `${name}^{commit}`], {
    cwd: repository.dir,
  });
  const parsed = Sha.safeParse(line(stdout));
  return code === 0 && parsed.success ? parsed.data : null;
}

/** What HEAD names: a branch (also one without a commit), or a commit. */
export async function findHead(
  repository: Repository,
): Promise<{ readonly name: string; readonly commit: Sha | null }> {
  const { code, stdout } = await askGit(['symbolic-ref', '--quiet', '--short', 'HEAD'], {
    cwd: repository.dir,
  });
  const commit = await findCommit(repository, 'HEAD');
  return { name: code === 0 ? line(stdout) : (commit?.slice(0, 7) ?? 'HEAD'), commit };
}

export type Branch = { readonly name: string; readonly commit: Sha };

const MAX_LISTED_BRANCHES = 5;

/** Other branches than the one that is checked out, local and of origin, the latest first. */
export async function listBranches(repository: Repository): Promise<readonly string[]> {
  const { code, stdout } = await askGit(
    [
      'for-each-ref',
      `--count=${4 * MAX_LISTED_BRANCHES}`,
      '--sort=-committerdate',
      '--format=%(refname:short)',
      'refs/heads',
      'refs/remotes/origin',
    ],
    { cwd: repository.dir },
  );
  if (code !== 0) return [];
  const { name: current } = await findHead(repository);
  const names = line(stdout)
    .split('\n')
    .filter((name) => /^[\w./-]{1,60}$/.test(name));
  const own = ['origin', 'origin/HEAD', current, `origin/${current}`];
  return names
    .filter((name) => !own.includes(name) && !names.some((local) => name === `origin/${local}`))
    .slice(0, MAX_LISTED_BRANCHES);
}

/** The branch that changes are merged into: the remote's, else one of the usual names, else the user's default. */
export async function findDefaultBranch(repository: Repository): Promise<Branch | null> {
  const { code, stdout } = await askGit(['symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD'], {
    cwd: repository.dir,
  });
  const remote = code === 0 ? line(stdout) : null;
  const own = repository.config.get('init.defaultbranch');
  const names = ['main', 'master', ...(own === undefined ? [] : [own])];
  const refs = [
    ...(remote === null ? [] : [remote]),
    ...names.flatMap((name) => [`refs/remotes/origin/${name}`, `refs/heads/${name}`]),
  ];
  for (const ref of refs) {
    const commit = await findCommit(repository, ref);
    if (commit !== null) return { name: ref.replace(/^refs\/(?:remotes\/origin|heads)\//, ''), commit };
  }
  return null;
}
