import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Git, GitFailure, text } from './git.js';

/** One file of a commit: text or bytes, a symlink, a mode with content, a submodule pointer; null removes the path. */
export type FileChange =
  | string
  | Uint8Array
  | null
  | { readonly symlink: string }
  | { readonly mode: '100644' | '100755'; readonly content?: string | Uint8Array }
  | { readonly submodule: string };

export type Person = { readonly name: string; readonly email: string };

export type NewCommit = {
  readonly parents: readonly string[];
  readonly files: Readonly<Record<string, FileChange>>;
  readonly message: string;
  readonly author: Person;
  /** Milliseconds since the epoch. */
  readonly at: number;
};

export type Entry = {
  readonly mode: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly sha: string;
  readonly size?: number;
  readonly path: string;
};

export type PushedCommit = Commit & {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly modified: readonly string[];
};

export type Commit = {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Person & { readonly date: string };
  readonly committer: Person & { readonly date: string };
  readonly message: string;
};

let imports = 0;

/** Writes one commit on top of its first parent and answers its id; moves no branch. */
export const writeCommit = async (git: Git, commit: NewCommit): Promise<string> => {
  const ref = `refs/local/import-${process.pid}-${(imports += 1)}`;
  const when = `${Math.floor(commit.at / 1000)} +0000`;
  const who = `${plain(commit.author.name)} <${plain(commit.author.email)}> ${when}`;
  const parts: Uint8Array[] = [];
  const say = (line: string) => parts.push(Buffer.from(`${line}\n`));
  const data = (content: string | Uint8Array) => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    say(`data ${bytes.length}`);
    parts.push(bytes);
    say('');
  };
  say('feature done');
  say(`commit ${ref}`);
  say('mark :1');
  say(`author ${who}`);
  say(`committer ${who}`);
  data(commit.message);
  const [first, ...others] = commit.parents;
  if (first !== undefined) say(`from ${first}`);
  for (const parent of others) say(`merge ${parent}`);
  const changes = Object.entries(commit.files);
  // A path may turn from a folder into a file in one commit: removals come first.
  for (const [path, change] of changes) if (change === null) say(`D ${quoted(path)}`);
  for (const [path, change] of changes) {
    if (change === null) continue;
    if (typeof change === 'object' && 'submodule' in change) {
      say(`M 160000 ${change.submodule} ${quoted(path)}`);
      continue;
    }
    const { mode, content } = blobOf(change);
    if (content === undefined) {
      if (first === undefined)
        throw new Error(`${path}: a mode without content needs a file in the parent commit`);
      say(`M ${mode} ${await blobAt(git, first, path)} ${quoted(path)}`);
      continue;
    }
    say(`M ${mode} inline ${quoted(path)}`);
    data(content);
  }
  say('get-mark :1');
  say('done');
  const sha = await text(git, ['fast-import', '--quiet', '--force', '--date-format=raw', '--done'], {
    input: Buffer.concat(parts),
  });
  if (!/^[0-9a-f]{40}$/.test(sha)) throw new GitFailure(`fast-import answered ${sha}`, null, false);
  await git.run(['update-ref', '-d', ref]);
  return sha;
};

const blobOf = (
  change: Exclude<FileChange, null | { submodule: string }>,
): { mode: string; content?: string | Uint8Array } => {
  if (typeof change === 'string' || change instanceof Uint8Array) return { mode: '100644', content: change };
  if ('symlink' in change) return { mode: '120000', content: change.symlink };
  return change;
};

const blobAt = (git: Git, commit: string, path: string): Promise<string> =>
  text(git, ['rev-parse', '--verify', '--quiet', `${commit}:${path}`]);

/** C quoting as fast-import reads it; always quoted, so that no path can be taken for syntax. */
const quoted = (path: string): string => {
  let out = '"';
  for (const byte of Buffer.from(path)) {
    if (byte === 0x22 || byte === 0x5c) out += `\\${String.fromCharCode(byte)}`;
    else if (byte < 0x20 || byte > 0x7e) out += `\\${byte.toString(8).padStart(3, '0')}`;
    else out += String.fromCharCode(byte);
  }
  return `${out}"`;
};

const plain = (name: string): string => name.replace(/[<>\n\0]/g, ' ').trim();

/** Moves a branch; `from` null makes it. Refuses if it has moved meanwhile. */
export const moveBranch = async (
  git: Git,
  branch: string,
  to: string,
  from: string | null,
): Promise<void> => {
  await git.run(['update-ref', `refs/heads/${branch}`, to, from ?? '0'.repeat(40)]);
};

/** Every regular file and symlink below a folder, `.git` left out; the executable bit is kept. */
export const readFolder = async (folder: string): Promise<Record<string, FileChange>> => {
  const files: Record<string, FileChange> = {};
  const walk = async (at: string, prefix: string): Promise<void> => {
    for (const name of (await readdir(at)).sort()) {
      if (name === '.git') continue;
      const full = join(at, name);
      const path = prefix === '' ? name : `${prefix}/${name}`;
      const stat = await lstat(full);
      if (stat.isDirectory()) await walk(full, path);
      else if (stat.isSymbolicLink()) files[path] = { symlink: await readlink(full) };
      else if (stat.isFile())
        files[path] = {
          mode: (stat.mode & 0o100) === 0 ? '100644' : '100755',
          content: await readFile(full),
        };
    }
  };
  await walk(folder, '');
  return files;
};

/** The commit a name stands for: a full id, a branch, a tag, `refs/pull/1/head`. Null when there is none. */
export const resolveCommit = async (git: Git, name: string): Promise<string | null> => {
  if (name === '' || name.startsWith('-') || /[\0\n~^:?*[\\ ]|@\{|\.\./.test(name)) return null;
  const tries = /^[0-9a-f]{40}$/i.test(name)
    ? [name]
    : name.startsWith('refs/')
      ? [name]
      : [`refs/heads/${name}`, `refs/tags/${name}`, ...(/^[0-9a-f]{7,39}$/i.test(name) ? [name] : [])];
  if (name === 'HEAD') tries.unshift('HEAD');
  for (const candidate of tries) {
    const sha = await text(git, ['rev-parse', '--verify', '--quiet', `${candidate}^{commit}`], {
      accept: [1, 128],
    });
    if (/^[0-9a-f]{40}$/.test(sha)) return sha;
  }
  return null;
};

export const branchTip = async (git: Git, branch: string): Promise<string | null> => {
  const sha = await text(git, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`], {
    accept: [1, 128],
  });
  return /^[0-9a-f]{40}$/.test(sha) ? sha : null;
};

export const mergeBase = async (git: Git, a: string, b: string): Promise<string | null> => {
  const sha = await text(git, ['merge-base', a, b], { accept: [1] });
  return sha === '' ? null : sha;
};

export const isAncestor = async (git: Git, a: string, b: string): Promise<boolean> =>
  (await mergeBase(git, a, b)) === a;

export const countCommits = async (git: Git, from: string, to: string): Promise<number> =>
  Number(await text(git, ['rev-list', '--count', `${from}..${to}`]));

/** Whether two commits merge without conflict, and the merged tree. Null where this git cannot tell. */
export const mergeTree = async (
  git: Git,
  base: string,
  head: string,
): Promise<{ clean: boolean; tree: string } | null> => {
  try {
    const out = await text(git, ['merge-tree', '--write-tree', '--name-only', base, head], { accept: [1] });
    const [tree = '', ...conflicts] = out.split('\n');
    return { clean: conflicts.length === 0, tree };
  } catch (error) {
    // git before 2.38 has no --write-tree; unrelated histories end here too.
    if (error instanceof GitFailure && !error.tooLarge) return null;
    throw error;
  }
};

export const readCommits = async (git: Git, args: readonly string[]): Promise<Commit[]> => {
  const format = '%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B%x01';
  const out = await text(git, ['log', '--no-color', '--no-decorate', `--format=${format}`, ...args]);
  return out
    .split('\x01')
    .map((row) => row.replace(/^\n/, ''))
    .filter((row) => row !== '')
    .map((row) => {
      const [
        sha = '',
        tree = '',
        parents = '',
        an = '',
        ae = '',
        ad = '',
        cn = '',
        ce = '',
        cd = '',
        body = '',
      ] = row.split('\0');
      return {
        sha,
        tree,
        parents: parents === '' ? [] : parents.split(' '),
        author: { name: an, email: ae, date: utc(ad) },
        committer: { name: cn, email: ce, date: utc(cd) },
        message: body.replace(/\n+$/, ''),
      };
    });
};

/** The commits of a push, oldest first, with the paths that each adds, removes and changes; at most 2,048. */
export const readPushed = async (git: Git, args: readonly string[]): Promise<PushedCommit[]> => {
  const commits = (await readCommits(git, ['--max-count=2048', ...args])).reverse();
  const out = await text(git, [
    'log',
    '--max-count=2048',
    '--no-renames',
    '--name-status',
    '-z',
    '--format=%x01%H',
    ...args,
  ]);
  const paths = new Map(
    out
      .split('\x01')
      .filter((part) => part !== '')
      .map((part) => {
        const [sha = '', ...fields] = part.replace(/^\n+/, '').split('\0');
        return [sha.trim(), fields.map((field) => field.replace(/^\n+/, '')).filter((field) => field !== '')];
      }),
  );
  return commits.map((commit) => {
    const fields = paths.get(commit.sha) ?? [];
    const of = (letters: string) =>
      fields.filter((_, at) => at % 2 === 1 && letters.includes(fields[at - 1]?.charAt(0) ?? ''));
    return { ...commit, added: of('A'), removed: of('D'), modified: of('MT') };
  });
};

const utc = (date: string): string => new Date(date).toISOString().replace('.000Z', 'Z');

export const readCommit = async (git: Git, sha: string): Promise<Commit> => {
  const [commit] = await readCommits(git, ['-1', sha]);
  if (commit === undefined) throw new GitFailure(`no commit ${sha}`, null, false);
  return commit;
};

/** Entries of a tree; with `recursive` the folders themselves are listed too, as GitHub does. */
export const readTree = async (git: Git, treeish: string, recursive: boolean): Promise<Entry[]> => {
  const out = await git.run(['ls-tree', '-z', '-l', ...(recursive ? ['-r', '-t'] : []), treeish]);
  return out
    .toString('utf8')
    .split('\0')
    .filter((row) => row !== '')
    .map((row) => {
      const tab = row.indexOf('\t');
      const [mode = '', type = '', sha = '', size = '-'] = row.slice(0, tab).split(/ +/);
      return {
        mode,
        type: type as Entry['type'],
        sha,
        ...(size === '-' ? {} : { size: Number(size) }),
        path: row.slice(tab + 1),
      };
    });
};

/** The entry at one path of a commit; null when nothing stands there. */
export const entryAt = async (git: Git, commit: string, path: string): Promise<Entry | null> => {
  const out = await git.run(
    ['--literal-pathspecs', 'ls-tree', '-z', '-l', '--full-tree', commit, '--', path],
    {
      // A path that leads out of the tree is git's error and a plain "nothing there" for us.
      accept: [128],
    },
  );
  const row = out.toString('utf8').split('\0')[0];
  if (row === undefined || row === '') return null;
  const tab = row.indexOf('\t');
  if (row.slice(tab + 1) !== path) return null;
  const [mode = '', type = '', sha = '', size = '-'] = row.slice(0, tab).split(/ +/);
  return { mode, type: type as Entry['type'], sha, ...(size === '-' ? {} : { size: Number(size) }), path };
};

export const objectType = async (
  git: Git,
  sha: string,
): Promise<'blob' | 'tree' | 'commit' | 'tag' | null> => {
  if (!/^[0-9a-f]{40}$/i.test(sha)) return null;
  const type = await text(git, ['cat-file', '-t', sha], { accept: [1, 128] });
  return type === 'blob' || type === 'tree' || type === 'commit' || type === 'tag' ? type : null;
};

export const blobSize = async (git: Git, sha: string): Promise<number> =>
  Number(await text(git, ['cat-file', '-s', sha]));

export const readBlob = (git: Git, sha: string): Promise<Buffer> => git.run(['cat-file', 'blob', sha]);
