import type { Git } from './git.js';
import { entryAt, readBlob } from './objects.js';

export type CodeownersError = {
  readonly line: number;
  readonly column: number;
  readonly kind: 'Invalid pattern' | 'Invalid owner' | 'Unknown owner';
  readonly source: string;
  readonly suggestion: string | null;
  readonly message: string;
  readonly path: string;
};

/** https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners */
const PLACES = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'];
const SIZE_LIMIT = 3 * 1024 * 1024;

/** What is wrong with the first CODEOWNERS file of a commit; null when there is none. */
export const readCodeownersErrors = async (
  git: Git,
  commit: string,
  mayOwn: (owner: string) => boolean,
): Promise<CodeownersError[] | null> => {
  for (const path of PLACES) {
    const entry = await entryAt(git, commit, path);
    if (entry?.type !== 'blob') continue;
    if ((entry.size ?? 0) > SIZE_LIMIT) return null;
    const body = (await readBlob(git, entry.sha)).toString('utf8');
    return body.split('\n').flatMap((source, at) => errorsOf(source, at + 1, path, mayOwn));
  }
  return null;
};

const errorsOf = (
  source: string,
  line: number,
  path: string,
  mayOwn: (owner: string) => boolean,
): CodeownersError[] => {
  const words = [...source.replace(/(^|\s)#.*$/, '').matchAll(/(?:\\.|\S)+/g)];
  const [pattern, ...owners] = words;
  if (pattern === undefined) return [];
  const tell = (
    word: RegExpMatchArray,
    kind: CodeownersError['kind'],
    suggestion: string | null,
    why: string,
  ): CodeownersError => {
    const column = (word.index ?? 0) + 1;
    const message = `${kind} on line ${line}: ${why}\n\n  ${source}\n  ${' '.repeat(column - 1)}^`;
    return { line, column, kind, source, suggestion, message, path };
  };
  // Left out of CODEOWNERS, unlike gitignore: negation, character ranges, an escaped `#`.
  const wrong = /^!|[[\]]|^\\#/.exec(pattern[0]);
  if (wrong !== null)
    return [
      tell(
        pattern,
        'Invalid pattern',
        `Did you mean \`${pattern[0].replace(/[![\]\\]/g, '')}\`?`,
        'the pattern uses what code owners do not know',
      ),
    ];
  return owners.flatMap((owner) => {
    const [name] = owner;
    if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(name)) return [];
    if (!/^@[\w-]+(\/[\w.-]+)?$/.test(name))
      return [tell(owner, 'Invalid owner', null, 'an owner is @user, @org/team or a mail address')];
    if (mayOwn(name.slice(1))) return [];
    return [
      tell(
        owner,
        'Unknown owner',
        `make sure ${name} exists and has write access to the repository`,
        `make sure ${name} exists and has write access to the repository`,
      ),
    ];
  });
};
