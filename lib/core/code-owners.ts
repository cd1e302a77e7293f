import { minimatch } from 'minimatch';

/** People and teams that a CODEOWNERS file names for paths: `octocat`, `octo-org/payments`; and the line that does. */
export type CodeOwner = { readonly owner: string; readonly line: number; readonly path: string };

export type CodeOwnersFile = { readonly file: string; readonly lines: readonly string[] };

/** Where GitHub looks, in this order; the first that is there counts. */
export const codeOwnersPaths: readonly string[] = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'];

/** GitHub does not read a larger file: 3 MB. */
const MAX_RULES = 5_000;

/**
 * Who owns the given paths: for each path the last rule that matches it, as GitHub reads the file. Mail addresses are
 * left out, because nobody can be asked by one. Each owner once, with the first path that names it.
 */
export function codeOwnersOf(lines: readonly string[], paths: readonly string[]): readonly CodeOwner[] {
  const rules = lines.slice(0, MAX_RULES).flatMap(ruleOf);
  const found = new Map<string, CodeOwner>();
  for (const path of paths) {
    const rule = rules.findLast((one) => one.matches(path));
    for (const owner of rule?.owners ?? [])
      if (!found.has(owner.toLowerCase()))
        found.set(owner.toLowerCase(), { owner, line: rule?.line ?? 0, path });
  }
  return [...found.values()];
}

type Rule = {
  readonly line: number;
  readonly owners: readonly string[];
  readonly matches: (path: string) => boolean;
};

function ruleOf(text: string, index: number): readonly Rule[] {
  const [pattern, ...rest] = text
    .replace(/(^|\s)#.*$/, '')
    .trim()
    .split(/\s+/);
  if (pattern === undefined || pattern === '' || pattern.length > 300 || /[![\]{}]/.test(pattern)) return [];
  const owners = rest
    .filter((one) => /^@[A-Za-z0-9][A-Za-z0-9-]*(\/[A-Za-z0-9._-]+)?$/.test(one))
    .map((one) => one.slice(1));
  const globs = globsOf(pattern);
  return [
    {
      line: index + 1,
      owners,
      matches: (path) =>
        globs.some((glob) => minimatch(path, glob, { dot: true, nobrace: true, noext: true })),
    },
  ];
}

/** The rules of .gitignore that CODEOWNERS keeps: a slash anywhere but at the end ties a pattern to the root. */
function globsOf(pattern: string): readonly string[] {
  const isFolder = pattern.endsWith('/');
  const bare = pattern.replace(/^\/+/, '').replace(/\/+$/, '');
  if (bare === '') return ['**'];
  const root = bare.includes('/') || pattern.startsWith('/') ? bare : `**/${bare}`;
  if (isFolder) return [`${root}/**`];
  // A last star stands for files of that folder, not for what is below its folders.
  return /\*$/.test(bare) && bare.includes('/') ? [root] : [root, `${root}/**`];
}
