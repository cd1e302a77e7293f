import type { FileDiff } from './diff.js';

/**
 * Whether a file changes as an update of dependencies changes it: a lock file in any way, a manifest in its versions only.
 * Whoever may push to the branch of a bot can write other lines of a manifest, and scripts stand there too.
 */
export function isDependencyUpdate(file: FileDiff): boolean {
  const { path, oldPath, content, symlink } = file;
  if (symlink || !isDependencyFile(path) || !isDependencyFile(oldPath)) return false;
  if (isLockFile(path) && isLockFile(oldPath)) return true;
  if (content.kind !== 'text') return false;
  return content.hunks.every(({ lines }) => {
    const [before, after] = (['removed', 'added'] as const).map((kind) =>
      lines.flatMap((line) => (line.kind === kind ? [withoutVersions(line.text)] : [])),
    );
    return before?.join('\n') === after?.join('\n');
  });
}

/** `^1.2.3`, `v0.0.0-20260101`, `>= 3.8`, `1.x`: what an update changes in a line. */
const withoutVersions = (text: string): string =>
  text
    .slice(0, 1_000)
    .replace(/[\^~<>=!]{0,3}\s?\bv?\d{1,20}(?:\.(?:\d{1,20}|[x*]))*(?:[-+.][0-9A-Za-z.+-]{1,80})?/g, '#')
    .concat(text.slice(1_000));

const isLockFile = (path: string): boolean =>
  /lock|\.sum$|shrinkwrap|\.resolved$/i.test(path.slice(path.lastIndexOf('/') + 1));

/** Manifests and lock files: a dependency bot that changes nothing else changes no code of the repository. */
export const isDependencyFile = (path: string): boolean => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return names.has(name.toLowerCase()) || patterns.some((pattern) => pattern.test(name));
};

const names: ReadonlySet<string> = new Set([
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'bun.lock',
  'bun.lockb',
  'deno.lock',
  'pipfile',
  'pipfile.lock',
  'poetry.lock',
  'pdm.lock',
  'uv.lock',
  'pyproject.toml',
  'gemfile',
  'gemfile.lock',
  'cargo.toml',
  'cargo.lock',
  'go.mod',
  'go.sum',
  'composer.json',
  'composer.lock',
  'pom.xml',
  'gradle.lockfile',
  'libs.versions.toml',
  'packages.config',
  'packages.lock.json',
  'directory.packages.props',
  'mix.lock',
  'pubspec.yaml',
  'pubspec.lock',
  'podfile.lock',
  'package.resolved',
  'flake.lock',
  '.terraform.lock.hcl',
]);

const patterns: readonly RegExp[] = [/^(?:dev-|test-)?requirements(?:[-._][\w-]{1,40})?\.(?:txt|in)$/i];
