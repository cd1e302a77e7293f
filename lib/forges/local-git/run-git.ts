import { spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { ConfigError, ForgeError } from '../../core/errors.js';

export type GitCall = {
  /** Where git starts to look for a repository, or simply runs. */
  readonly cwd: string;
  /** Added to an environment that is made from nothing. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: Uint8Array;
  /** Bytes of output at most; 256 MiB unless told. */
  readonly limit?: number;
};

export type GitAnswer = { readonly code: number; readonly stdout: Buffer; readonly stderr: string };

const OUTPUT_LIMIT = 256 << 20;
const TIME_LIMIT_MS = 300_000;

/** Runs git and throws `ForgeError` with what git said unless it ends well. */
export async function git(args: readonly string[], call: GitCall): Promise<Buffer> {
  const { code, stdout, stderr } = await askGit(args, call);
  if (code === 0) return stdout;
  throw new ForgeError(`git ${args[0]} failed: ${stderr.trim().split('\n').at(-1) ?? `exit code ${code}`}`);
}

/** One line of output without its line end. */
export const line = (output: Buffer): string => output.toString('utf8').replace(/\n$/, '');

/** Parts of an output with `-z`. */
export const parts = (output: Buffer): string[] =>
  output
    .toString('utf8')
    .split('\0')
    .filter((part) => part !== '');

/** Runs git; a code other than 0 is an answer. */
export function askGit(args: readonly string[], call: GitCall): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...settings, ...args], {
      cwd: call.cwd,
      env: { ...gitEnvironment(), ...call.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    // The `timeout` of spawn would keep the process alive when git is not there to be started.
    const timer = setTimeout(() => child.kill('SIGKILL'), TIME_LIMIT_MS);
    const limit = call.limit ?? OUTPUT_LIMIT;
    const out: Buffer[] = [];
    let size = 0;
    let problem = '';
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) child.kill('SIGKILL');
      else out.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (problem.length < 4000) problem += chunk.toString('utf8');
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(notStarted(error));
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      if (size > limit)
        reject(new ForgeError(`git ${args[0]} printed more than ${limit >> 20} MiB, which is not read.`));
      else if (code === null)
        reject(new ForgeError(`git ${args[0]} did not end within ${TIME_LIMIT_MS / 1000} seconds.`));
      else resolve({ code, stdout: Buffer.concat(out, size), stderr: problem });
    });
    // A git that ends early closes its input: its exit code tells, not the broken pipe.
    child.stdin.on('error', () => undefined);
    child.stdin.end(call.input);
  });
}

export const notStarted = (error: NodeJS.ErrnoException): ConfigError =>
  new ConfigError(
    error.code === 'ENOENT'
      ? 'git was not found. Install git 2.31 or newer, and see that it is in your PATH.'
      : `git could not be started: ${error.message}`,
    'PATH',
  );

/**
 * Nothing that a repository may name is started: no hook, no monitor, no pager, no transport for objects that are
 * missing. Told on each command, because a repository's own settings are read where its names are looked up.
 */
export const settings: readonly string[] = [
  ['safe.directory', '*'],
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', devNull],
  ['core.attributesFile', devNull],
  ['core.pager', 'cat'],
  ['core.quotePath', 'true'],
  ['core.commitGraph', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
].flatMap(([key, value]) => ['-c', `${key}=${value}`]);

/** Made from nothing: a GIT_DIR or GIT_INDEX_FILE of the caller (a hook, a rebase) would name another repository. */
export function gitEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'SYSTEMROOT', 'TMPDIR', 'TEMP', 'TMP'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}
