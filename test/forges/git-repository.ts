import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ContractFile } from './reader-contract.js';

export type GitRepository = {
  readonly dir: string;
  readonly git: (...args: string[]) => string;
  readonly write: (path: string, content: string | Uint8Array) => void;
  readonly commit: (subject: string) => string;
  /** Makes the files of the next commit exactly these, submodules included. */
  readonly stageAll: (files: Readonly<Record<string, ContractFile>>) => void;
  readonly remove: () => void;
};

/** A real repository in a temporary folder: no user settings, no hooks, no signing. */
export function createGitRepository(...initArgs: string[]): GitRepository {
  const dir = mkdtempSync(join(tmpdir(), 'evident-repo-'));
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: dir,
      env: {
        PATH: process.env.PATH,
        GIT_CONFIG_GLOBAL: devNull,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_NAME: 'A',
        GIT_AUTHOR_EMAIL: 'a@example.com',
        GIT_COMMITTER_NAME: 'A',
        GIT_COMMITTER_EMAIL: 'a@example.com',
        LC_ALL: 'C',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
      .toString()
      .trim();
  git('init', '-q', '-b', 'main', ...initArgs);
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  };
  return {
    dir,
    git,
    write,
    commit: (subject) => {
      git(
        '-c',
        'core.hooksPath=/dev/null',
        '-c',
        'commit.gpgSign=false',
        'commit',
        '-q',
        '--allow-empty',
        '-m',
        subject,
      );
      return git('rev-parse', 'HEAD');
    },
    stageAll: (files) => {
      git('rm', '-r', '-q', '-f', '--ignore-unmatch', '.');
      for (const [path, file] of Object.entries(files)) {
        if (typeof file === 'string' || file instanceof Uint8Array) write(path, file);
        else if ('symlink' in file) {
          mkdirSync(dirname(join(dir, path)), { recursive: true });
          symlinkSync(file.symlink, join(dir, path));
        } else if ('submodule' in file)
          git('update-index', '--add', '--cacheinfo', `160000,${file.submodule},${path}`);
        else {
          write(path, file.content);
          chmodSync(join(dir, path), file.mode === '100755' ? 0o755 : 0o644);
        }
        if (!(typeof file === 'object' && 'submodule' in file)) git('add', '-f', path);
      }
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
