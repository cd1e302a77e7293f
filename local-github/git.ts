import { type ChildProcess, spawn } from 'node:child_process';
import { devNull } from 'node:os';

/** Runs git on one bare repository: no user or system config, own identity, no hooks, no signing. */
export type Git = {
  /** The bare repository's directory. */
  readonly dir: string;
  readonly run: (args: readonly string[], options?: GitRunOptions) => Promise<Buffer>;
};

export type GitRunOptions = {
  readonly input?: Uint8Array;
  /** Most bytes of output; more than that ends git and throws a `GitFailure` with `tooLarge`. */
  readonly limit?: number;
  /** Exit codes that are an answer and not a failure; 0 always is. */
  readonly accept?: readonly number[];
};

/** Bytes of output that any git command here may print. */
const OUTPUT_LIMIT = 256 * 1024 * 1024;
const TIME_LIMIT_MS = 120_000;

export class GitFailure extends Error {
  override readonly name = 'GitFailure';
  readonly code: number | null;
  readonly tooLarge: boolean;
  constructor(message: string, code: number | null, tooLarge: boolean) {
    super(message);
    this.code = code;
    this.tooLarge = tooLarge;
  }
}

export const createGit = (dir: string): Git => ({
  dir,
  run: (args, options = {}) => runGit(['--git-dir', dir, ...SETTINGS, ...args], options),
});

/** Makes an empty bare repository whose HEAD is `defaultBranch`. `dir` must exist or be creatable. */
export const createBareRepository = async (dir: string, defaultBranch: string): Promise<Git> => {
  await runGit(['init', '--quiet', '--bare', '--template=', `--initial-branch=${defaultBranch}`, dir], {});
  return createGit(dir);
};

export const text = async (git: Git, args: readonly string[], options?: GitRunOptions): Promise<string> =>
  (await git.run(args, options)).toString('utf8').replace(/\n$/, '');

const SETTINGS = [
  ['core.hooksPath', devNull],
  ['core.attributesFile', devNull],
  ['core.quotePath', 'true'],
  ['core.autocrlf', 'false'],
  ['core.bare', 'true'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['diff.renameLimit', '1000'],
  ['diff.algorithm', 'myers'],
  ['safe.bareRepository', 'all'],
  ['fastimport.unpackLimit', '0'],
].flatMap(([key, value]) => ['-c', `${key}=${value}`]);

// Built from nothing: a GIT_DIR or GIT_INDEX_FILE of the shell (a hook, a rebase) must not reach this git.
const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  ...(process.env.SYSTEMROOT === undefined ? {} : { SYSTEMROOT: process.env.SYSTEMROOT }),
  GIT_CONFIG_GLOBAL: devNull,
  GIT_CONFIG_SYSTEM: devNull,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Local GitHub',
  GIT_AUTHOR_EMAIL: 'noreply@local-github.invalid',
  GIT_COMMITTER_NAME: 'Local GitHub',
  GIT_COMMITTER_EMAIL: 'noreply@local-github.invalid',
  LC_ALL: 'C',
  TZ: 'UTC',
});

const running = new Set<ChildProcess>();

/** Ends every git of this process at once: one that outlives it would go on writing to a folder that is gone. */
export const endEveryGit = (): void => {
  for (const child of running) child.kill('SIGKILL');
};

const runGit = (args: readonly string[], options: GitRunOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const child = spawn('git', args, {
      env: environment(),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    // The `timeout` of spawn would keep this process alive when there is no git to start.
    const limitTimer = setTimeout(() => child.kill('SIGKILL'), TIME_LIMIT_MS);
    running.add(child);
    child.once('close', () => running.delete(child));
    const out: Buffer[] = [];
    let size = 0;
    let problem = '';
    let tooLarge = false;
    const limit = options.limit ?? OUTPUT_LIMIT;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        tooLarge = true;
        child.kill('SIGKILL');
        return;
      }
      out.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (problem.length < 4000) problem += chunk.toString('utf8');
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      running.delete(child);
      clearTimeout(limitTimer);
      const why =
        error.code === 'ENOENT'
          ? 'git was not found. The local GitHub keeps real git repositories: install git 2.38 or newer.'
          : `git could not be started: ${error.message}`;
      reject(new GitFailure(why, null, false));
    });
    child.on('close', (code) => {
      clearTimeout(limitTimer);
      if (tooLarge) return reject(new GitFailure(`git printed more than ${limit} bytes`, code, true));
      if (code === 0 || (code !== null && options.accept?.includes(code)))
        return resolve(Buffer.concat(out, size));
      const name = args.find((arg, at) => !arg.startsWith('-') && args[at - 1] !== '-c' && at > 1) ?? 'git';
      reject(new GitFailure(`git ${name} failed (${code}): ${problem.trim()}`, code, false));
    });
    // A git that ends early closes its input; that is told by its exit code, not by EPIPE.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input);
  });
