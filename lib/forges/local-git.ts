import { noConversation } from '../core/conversation.js';
import { diffHash, parseDiff, type FileDiff } from '../core/diff.js';
import { ConfigError, ForgeError } from '../core/errors.js';
import { hideInDiff } from '../core/hide-in-diff.js';
import { markGenerated } from '../core/generated.js';
import { defaultPolicy } from '../core/policy.js';
import { Sha, shortSha, type PullRequest } from '../core/pull-request.js';
import { readPolicy } from '../core/read-policy.js';
import { createRepoView } from '../core/repo-view.js';
import { labelSecrets } from '../core/secret.js';
import type { Lack, Snapshot } from '../core/snapshot.js';
import type { RepoReader } from '../ports/forge.js';
import type { Log } from '../ports/log.js';
import { createBlobReader, type BlobReader } from './local-git/blobs.js';
import { readVersion } from './local-git/version.js';
import { createPrivateGitDir, type PrivateGitDir } from './local-git/private-git-dir.js';
import {
  findCommit,
  findDefaultBranch,
  findHead,
  findRepository,
  listBranches,
  type Branch,
  type Repository,
} from './local-git/repository.js';
import { askGit, git, line, parts } from './local-git/run-git.js';
import { treeOfIndex, treeOfWorkTree } from './local-git/working-tree.js';

export type LocalGitOptions = {
  /** Any folder of the repository; the whole repository is compared. */
  readonly dir: string;
  /** Compared from the merge base with this commit; without it, the default branch (with `staged`: HEAD). */
  readonly base?: string | undefined;
  /** The commit to review; without it, the work tree. */
  readonly head?: string | undefined;
  /** Review what is in the index, and nothing else that is in the work tree. */
  readonly staged?: boolean | undefined;
  readonly neverSend?: readonly string[] | undefined;
  readonly log: Log;
};

/** What is compared, for people. */
export type LocalComparison = {
  readonly repository: string;
  readonly base: string;
  readonly head: string;
  /** Files that are not as in the last commit. */
  readonly uncommitted: number;
  readonly files: number;
  readonly additions: number;
  readonly deletions: number;
  /** "main...agent/refunds and 2 uncommitted files" */
  readonly sentence: string;
};

export type OpenedLocalGit = {
  readonly snapshot: Snapshot;
  readonly reader: RepoReader;
  readonly comparison: LocalComparison;
  /** Ends git and removes what was written to the temporary folder. The reader answers nothing afterwards. */
  readonly close: () => Promise<void>;
};

/**
 * A repository on disk as a pull request that is not opened yet: from the merge base with the default branch to the
 * work tree, with uncommitted and untracked files. Nothing of the repository is written, and nothing that its settings
 * name is started.
 *
 * Throws `ConfigError` when there is nothing to compare (no repository, no base, no difference) with how to mend it,
 * and `ForgeError` when git fails.
 */
export async function openLocalGit(options: LocalGitOptions): Promise<OpenedLocalGit> {
  const repository = await findRepository(options.dir);
  const own = await createPrivateGitDir(repository);
  const blobs = createBlobReader(own.objects);
  const close = async (): Promise<void> => {
    blobs.close();
    await own.close();
  };
  try {
    const compared = await compare(repository, own, options);
    const { diff, reader } = await readChange(own, blobs, compared, options.neverSend ?? []);
    if (diff.length === 0)
      throw new ConfigError(nothingDiffers(compared), compared.head.commit === null ? '--repo' : '--base');
    const comparison = describe(repository, compared, diff);
    options.log.info({ repository: comparison.repository, files: comparison.files }, comparison.sentence);
    const snapshot = await snapshotOf(repository, own, compared, { diff, reader }, options.neverSend ?? []);
    return { snapshot, reader, comparison, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Two trees, and the names that people know them by. */
type Compared = {
  readonly base: { readonly name: string; readonly commit: Sha };
  readonly mergeBase: Sha;
  /** `commit` is null where there is none yet. */
  readonly head: { readonly name: string; readonly commit: Sha | null };
  /** The commit, or the tree when something is not committed. */
  readonly headId: Sha;
  readonly uncommitted: readonly string[];
  readonly what: 'commits' | 'index' | 'work tree';
  readonly lacks: readonly Lack[];
};

async function compare(
  repository: Repository,
  own: PrivateGitDir,
  options: LocalGitOptions,
): Promise<Compared> {
  const head =
    options.head === undefined
      ? await findHead(repository)
      : { name: options.head, commit: await commitOf(repository, options.head, '--head') };
  const base = await baseOf(repository, own, head.commit, options);
  const mergeBase =
    head.commit === null ? base.commit : await mergeBaseOf(repository, own, base, head.commit);
  if (options.head !== undefined && head.commit !== null)
    return {
      base,
      mergeBase,
      head,
      headId: head.commit,
      uncommitted: [],
      what: 'commits',
      lacks: [],
    };
  const staged = options.staged === true;
  if (!staged && repository.top === null)
    throw new ConfigError(
      `${repository.dir} is a bare repository, which has no files of its own. Name a commit with --head.`,
      '--head',
    );
  const { tree, lacks } =
    staged || repository.top === null
      ? await treeOfIndex(own)
      : await treeOfWorkTree(own, repository, repository.top);
  const committed = head.commit ?? (await emptyTree(own));
  const names = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--ignore-submodules=none'];
  const uncommitted = parts(await git([...names, `${committed}^{tree}`, tree], own.objects));
  return {
    base,
    mergeBase,
    head,
    headId: uncommitted.length === 0 && head.commit !== null ? head.commit : Sha.parse(tree),
    uncommitted,
    what: staged ? 'index' : 'work tree',
    lacks,
  };
}

async function baseOf(
  repository: Repository,
  own: PrivateGitDir,
  head: Sha | null,
  { base, staged }: LocalGitOptions,
): Promise<Branch> {
  if (base !== undefined) return { name: base, commit: await commitOf(repository, base, '--base') };
  if (head === null) return { name: 'nothing', commit: await emptyTree(own) };
  if (staged === true) return { name: 'HEAD', commit: head };
  const branch = await findDefaultBranch(repository);
  if (branch !== null) return branch;
  const none = 'There is no default branch to compare with: no origin/HEAD, no main, no master.';
  const others = await listBranches(repository);
  const mend =
    others.length > 0
      ? `Name one with --base (other branches: ${others.join(', ')}).`
      : repository.shallow
        ? 'This clone is shallow and holds one branch only. Run: git fetch --unshallow origin main:main (or the name it has there)'
        : 'Name a branch or a commit with --base.';
  throw new ConfigError(`${none} ${mend}`, '--base');
}

async function commitOf(repository: Repository, name: string, flag: string): Promise<Sha> {
  const commit = await findCommit(repository, name);
  if (commit !== null) return commit;
  throw new ConfigError(
    `${name} is not a commit of this repository. Fetch it, or name another with ${flag}.`,
    flag,
  );
}

async function mergeBaseOf(
  repository: Repository,
  own: PrivateGitDir,
  base: Branch,
  head: Sha,
): Promise<Sha> {
  const { code, stdout, stderr } = await askGit(['merge-base', base.commit, head], own.objects);
  if (code === 0) return Sha.parse(line(stdout));
  if (code !== 1) throw new ForgeError(`git merge-base failed: ${stderr.trim()}`);
  throw new ConfigError(
    repository.shallow
      ? `This clone is shallow and does not reach the commit where ${base.name} was left. Run: git fetch --unshallow`
      : `${base.name} and this branch have no commit in common. Name another base with --base.`,
    '--base',
  );
}

/** For a repository without a commit: everything is new. */
const emptyTree = async (own: PrivateGitDir): Promise<Sha> =>
  Sha.parse(line(await git(['hash-object', '-t', 'tree', '-w', '--stdin'], own.objects)));

/** The change and both versions. The rows are still as they stand in the files: secrets are not labelled. */
async function readChange(
  own: PrivateGitDir,
  blobs: BlobReader,
  { mergeBase, headId }: Compared,
  neverSend: readonly string[],
): Promise<{ readonly diff: readonly FileDiff[]; readonly reader: RepoReader }> {
  const { code, stdout, stderr } = await askGit([...diffCommand, mergeBase, headId], own.objects);
  if (code !== 0) throw new ForgeError(whyNoDiff(stderr), { retryable: false });
  const spent = { bytes: 0 };
  const head = await readVersion(own, blobs, headId, spent);
  const base = await readVersion(own, blobs, mergeBase, spent);
  const reader = createRepoView(
    { head, base },
    { neverSend, clock: Date.now, pause: () => new Promise((resolve) => setImmediate(resolve)) },
  );
  return { diff: parseDiff(stdout), reader };
}

/** As GitHub shows a change: renames found, three rows around; and nothing that the repository could set. */
const diffCommand = [
  ...['-c', 'diff.renameLimit=1000', '-c', 'diff.algorithm=myers', 'diff'],
  ...['--no-ext-diff', '--no-textconv', '--no-color', '--full-index', '--ignore-submodules=none'],
  ...['--submodule=short', '--find-renames', '--unified=3', '--inter-hunk-context=0'],
  ...['--src-prefix=a/', '--dst-prefix=b/'],
];

function whyNoDiff(said: string): string {
  return /unable to read|missing blob|bad object|could not get/i.test(said)
    ? 'This clone does not hold all files of both versions (a partial clone). Run: git fetch --refetch --no-filter'
    : `git diff failed: ${said.trim().split('\n').at(-1) ?? ''}`;
}

function nothingDiffers({ base, head, what }: Compared): string {
  if (what === 'index') return 'Nothing is staged. Stage a change with git add, or review without --staged.';
  if (head.commit === null)
    return 'There is no commit and no file here yet. Add a file, or name another repository with --repo.';
  const there =
    what === 'work tree' ? 'the working tree' : head.name === 'HEAD' ? 'what is checked out' : head.name;
  const mend =
    base.commit === head.commit
      ? `Name your branch with --head, or something older with --base, for example ${base.name}~1.`
      : 'Name another base with --base.';
  return `Nothing differs between ${base.name} and ${there}. ${mend}`;
}

function describe(
  repository: Repository,
  { base, head, uncommitted, what }: Compared,
  diff: readonly FileDiff[],
): LocalComparison {
  const count = uncommitted.length;
  const files = `${count} ${what === 'index' ? 'staged' : 'uncommitted'} ${count === 1 ? 'file' : 'files'}`;
  const range = `${base.name}...${head.name}`;
  return {
    repository: repository.name,
    base: base.name,
    head: head.name,
    uncommitted: count,
    files: diff.length,
    additions: diff.reduce((sum, file) => sum + file.additions, 0),
    deletions: diff.reduce((sum, file) => sum + file.deletions, 0),
    sentence: base.name === 'HEAD' ? files : count === 0 ? range : `${range} and ${files}`,
  };
}

async function snapshotOf(
  repository: Repository,
  own: PrivateGitDir,
  compared: Compared,
  { diff, reader }: { readonly diff: readonly FileDiff[]; readonly reader: RepoReader },
  neverSend: readonly string[],
): Promise<Snapshot> {
  const marked = await markGenerated(diff, async (path) => {
    const file = await reader.read('base', path);
    return file.kind === 'text' ? file.lines : null;
  });
  return {
    pullRequest: await pullRequestOf(repository, own, compared, diff.length),
    diff: await hideInDiff(marked, (ref, path) => reader.read(ref, path), neverSend),
    diffHash: diffHash(diff),
    ...noConversation,
    ...(await readPolicy({
      ...{ reader, diff, deployment: defaultPolicy },
      at: `${compared.base.name}@${shortSha(compared.mergeBase)}`,
    })),
    lacks: compared.lacks,
  };
}

const MAX_LISTED_COMMITS = 50;

/** The title is that of the last commit, the body the list of the others; numbers and links stay empty. */
async function pullRequestOf(
  repository: Repository,
  own: PrivateGitDir,
  { base, mergeBase, head, headId, what }: Compared,
  changedFiles: number,
): Promise<PullRequest> {
  const range = head.commit === null || head.commit === mergeBase ? null : `${mergeBase}..${head.commit}`;
  const log = ['log', '-z', '--format=%s', '--no-show-signature', '--no-mailmap', `-n${MAX_LISTED_COMMITS}`];
  const subjects = range === null ? [] : parts(await git([...log, range, '--'], own.objects));
  const commits =
    range === null ? 0 : Number(line(await git(['rev-list', '--count', range, '--'], own.objects)));
  const [last, ...others] = subjects.map((subject) => labelSecrets(subject).text.slice(0, 300));
  // There is no page to link to: names of files stand without links.
  const htmlUrl = '';
  return {
    repo: { owner: 'local', name: repository.name, htmlUrl },
    number: 0,
    htmlUrl,
    title: last ?? (what === 'index' ? 'Staged changes' : 'Uncommitted changes'),
    body: others.map((subject) => `- ${subject}`).join('\n'),
    author: { login: 'you', kind: 'person' },
    state: 'open',
    draft: false,
    labels: [],
    base: { ref: base.name, sha: base.commit },
    head: { ref: head.name, sha: headId, repo: `local/${repository.name}` },
    mergeBase,
    changedFiles,
    commits,
  };
}
