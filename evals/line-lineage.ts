import { GitFailure, text, type Git } from '../local-github/git.js';

/** A line of a file at a head, by where git says that it was born. */
export type BornLine = {
  /** The same at every head where the line stands: it outlives drift, renames, re-indentation and a rebase. */
  readonly name: string;
  /** By a commit of the change. */
  readonly isAdded: boolean;
  readonly text: string;
};

/**
 * The lines of every changed file at `head`, by path. This is the truth that identities are measured by, so that it
 * knows nothing of Evident's keys: blame alone decides, by the commit's author, time and subject and the line's number
 * among those which that commit added. Two lines that were copied from one have the same name.
 */
export async function linesAt(
  git: Git,
  base: string,
  head: string,
): Promise<ReadonlyMap<string, readonly BornLine[]>> {
  const mergeBase = await text(git, ['merge-base', base, head]);
  const changed = await text(git, ['diff', '-z', '-M', '--name-only', '--diff-filter=d', mergeBase, head]);
  const added = new Map<string, ReadonlyMap<string, number>>();
  const addedBy = async (sha: string): Promise<ReadonlyMap<string, number>> => {
    const known = added.get(sha) ?? (await addedLines(git, sha));
    added.set(sha, known);
    return known;
  };
  const files = new Map<string, readonly BornLine[]>();
  for (const path of changed.split('\0').filter((one) => one !== '')) {
    const blamed = await blame(git, `${mergeBase}..${head}`, path);
    const lines: BornLine[] = [];
    for (const { sha, number, file, by, isAdded, text: shown } of blamed) {
      const place = `${file}:${number}`;
      const name = isAdded ? `${by}|${file}|${(await addedBy(sha)).get(place) ?? place}` : `base|${place}`;
      lines.push({ name, isAdded, text: shown });
    }
    if (lines.length > 0) files.set(path, lines);
  }
  return files;
}

type Blamed = {
  readonly sha: string;
  /** In the file as that commit left it. */
  readonly number: number;
  readonly file: string;
  readonly by: string;
  readonly isAdded: boolean;
  readonly text: string;
};

async function blame(git: Git, range: string, path: string): Promise<readonly Blamed[]> {
  let shown: string;
  try {
    shown = await text(git, ['blame', '--line-porcelain', '-w', '-M', range, '--', path]);
  } catch (error) {
    // A submodule has no lines.
    if (error instanceof GitFailure && error.code === 128) return [];
    throw error;
  }
  if (shown.includes('\0')) return [];
  const lines: Blamed[] = [];
  let at = { sha: '', number: 0 };
  let fields = new Map<string, string>();
  for (const line of shown.split('\n')) {
    const start = /^([0-9a-f]{40,64}) (\d+) \d+/.exec(line);
    if (line.startsWith('\t')) {
      const by = ['author-mail', 'author-time', 'summary'].map((name) => fields.get(name) ?? '').join('|');
      lines.push({
        ...at,
        file: fields.get('filename') ?? path,
        by,
        isAdded: !fields.has('boundary'),
        text: line.slice(1).replace(/\r$/, ''),
      });
      fields = new Map();
    } else if (start !== null && fields.size === 0) at = { sha: start[1] ?? '', number: Number(start[2]) };
    else fields.set(line.split(' ', 1)[0] ?? '', line.slice(line.indexOf(' ') + 1));
  }
  return lines;
}

/** `path:line` of every line that a commit added, to its number among those of its file. */
async function addedLines(git: Git, sha: string): Promise<ReadonlyMap<string, number>> {
  const patch = await text(git, [
    '-c',
    'core.quotePath=false',
    ...['diff-tree', '--root', '-r', '-p', '-U0', '-M', '--no-commit-id', sha],
  ]);
  const numbers = new Map<string, number>();
  let path = '';
  let count = 0;
  for (const line of patch.split('\n')) {
    const file = /^\+\+\+ b\/(.*?)\t?$/.exec(line);
    const hunk = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (file !== null) {
      path = file[1] ?? '';
      count = 0;
    }
    if (hunk === null) continue;
    for (let offset = 0; offset < Number(hunk[2] ?? 1); offset++)
      numbers.set(`${path}:${Number(hunk[1]) + offset}`, count++);
  }
  return numbers;
}
