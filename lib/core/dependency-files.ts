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
