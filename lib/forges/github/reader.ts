import { undoPatch } from '../../core/diff.js';
import type { FileDiff } from '../../core/diff.js';
import { ForgeError } from '../../core/errors.js';
import type { Ref } from '../../core/evidence.js';
import type { Sha } from '../../core/pull-request.js';
import { createRepoView, MAX_FILE_BYTES, readBytes } from '../../core/repo-view.js';
import type { RawFile, RawVersion } from '../../core/repo-view.js';
import type { Lack } from '../../core/snapshot.js';
import type { RepoReader } from '../../ports/forge.js';
import { defaultArchiveLimits, readArchive } from './archive.js';
import type { Archive, ArchiveLimits } from './archive.js';
import { blobId, defaultBlobLimits, readBlobs } from './blobs.js';
import type { BlobLimits, WantedBlob } from './blobs.js';
import type { GitHubClient } from './client.js';

/** An entry of a git tree, without folders; `id` is the blob, or the commit of a submodule. */
export type GitEntry = {
  readonly path: string;
  readonly mode: string;
  readonly id: string;
  readonly size: number;
};

/** `truncated`: GitHub cut the listing, which it does above 100,000 entries or 7 MB. */
export type GitTree = { readonly entries: ReadonlyMap<string, GitEntry>; readonly truncated: boolean };

export type OpenedReader = {
  readonly reader: RepoReader;
  readonly trees: Readonly<Record<Ref, GitTree>>;
  /** What stands at a path before secrets are labelled: to compare with, never to show. */
  readonly raw: (ref: Ref, path: string) => RawFile | undefined;
  /** What could not be read, for the snapshot. */
  readonly lacks: readonly Lack[];
};

export type ReaderTarget = {
  readonly owner: string;
  readonly repo: string;
  readonly head: Sha;
  /** A promise, so that the archive is on its way while the change is still being compared. */
  readonly change: Promise<{ readonly mergeBase: Sha; readonly diff: readonly FileDiff[] }>;
};

export type ReaderOptions = {
  readonly neverSend?: readonly string[];
  readonly clock?: () => number;
  readonly archiveLimits?: ArchiveLimits;
  readonly blobLimits?: BlobLimits;
};

/** Every content by its git id: a file is what the tree says it is, wherever its bytes came from. */
type Contents = Map<string, RawFile>;

/**
 * Reads head and merge base into memory: one archive, two trees, and by blob what the archive leaves out or rewrites
 * (`.gitattributes`). The base comes from undoing the patch. Every content is checked by its blob id, and no read
 * afterwards sends a request. Forks are read from the base repository, where their commits are too.
 */
export async function createGitHubReader(
  client: GitHubClient,
  target: ReaderTarget,
  options: ReaderOptions = {},
): Promise<OpenedReader> {
  const [archive, headTree, { diff, baseTree }] = await Promise.all([
    readHeadArchive(client, target, options.archiveLimits ?? defaultArchiveLimits),
    readTree(client, target, target.head, 'names of the files at the head'),
    target.change.then(async ({ mergeBase, diff }) => ({
      diff,
      baseTree:
        mergeBase === target.head
          ? null
          : await readTree(client, target, mergeBase, 'names of the files at the merge base'),
    })),
  ]);
  const head = headTree.truncated ? withChangedFiles(headTree, diff) : headTree;
  const trees = { head, base: baseTree ?? head };

  const contents = keepNamed(archive, trees);
  undoPatches(contents, trees, diff);
  const wanted = wantedBlobs(contents, trees, diff);
  const { blobs, whyNot } = await readBlobs(client, target, wanted, options.blobLimits ?? defaultBlobLimits);
  for (const [id, file] of blobs) contents.set(id, file);
  // A base whose head was not in the archive can be undone only now.
  undoPatches(contents, trees, diff);

  const whyAbsent = archiveTrouble(archive) ?? whyNot ?? 'GitHub did not give its content';
  const raw = (ref: Ref, path: string): RawFile | undefined => {
    const entry = trees[ref].entries.get(path);
    return entry && rawFile(contents, entry, whyAbsent);
  };
  const versionOf = (ref: Ref): RawVersion => ({
    entries: trees[ref].entries,
    load: async (path) => raw(ref, path) ?? { kind: 'unavailable', why: whyAbsent },
    ...(trees[ref].truncated ? { incomplete: treeTrouble } : {}),
  });
  return {
    trees,
    raw,
    lacks: lacksOf(trees, contents, whyAbsent),
    reader: createRepoView(
      { head: versionOf('head'), base: versionOf('base') },
      {
        neverSend: options.neverSend ?? [],
        clock: options.clock ?? Date.now,
        pause: () => new Promise((resolve) => setImmediate(resolve)),
      },
    ),
  };
}

const treeTrouble = 'GitHub cut its list of the files: the repository has too many to list at once';

async function readHeadArchive(
  client: GitHubClient,
  { owner, repo, head }: ReaderTarget,
  limits: ArchiveLimits,
): Promise<Archive> {
  for (let tried = 1; ; tried++) {
    try {
      const params = { owner, repo, ref: head };
      const stream = await client.download(
        '/repos/{owner}/{repo}/tarball/{ref}',
        params,
        'all files of the head',
      );
      const archive = await readArchive(stream, head.length === 64 ? 64 : 40, limits);
      if (archive.end.kind !== 'failed' || tried === 2) return archive;
    } catch (error) {
      // The trees say whether the repository can be read at all; without an archive, blobs are read as far as they go.
      if (!(error instanceof ForgeError)) throw error;
      return { files: new Map(), end: { kind: 'failed', why: error.message } };
    }
  }
}

function archiveTrouble({ end }: Archive): string | undefined {
  switch (end.kind) {
    case 'whole':
      return undefined;
    case 'capped':
      return `the repository is too large to be read whole: ${end.why}`;
    case 'failed':
      return `the archive of the repository could not be read: ${end.why}`;
  }
}

async function readTree(
  client: GitHubClient,
  { owner, repo }: ReaderTarget,
  commit: Sha,
  reason: string,
): Promise<GitTree> {
  const answer = await client.get<{ readonly tree?: unknown; readonly truncated?: unknown }>(
    '/repos/{owner}/{repo}/git/trees/{tree_sha}',
    { owner, repo, tree_sha: commit, recursive: '1' },
    reason,
  );
  if (!Array.isArray(answer.tree))
    throw new ForgeError('GitHub answered with a tree that has no entries.', { retryable: true });
  const entries = new Map<string, GitEntry>();
  for (const item of answer.tree as readonly unknown[]) {
    const { path, mode, type, sha, size } = item as Readonly<Record<string, unknown>>;
    if (typeof path !== 'string' || typeof mode !== 'string' || typeof sha !== 'string' || type === 'tree')
      continue;
    entries.set(path, { path, mode, id: sha, size: typeof size === 'number' ? size : 0 });
  }
  return { entries, truncated: answer.truncated === true };
}

/** What the change names is never lost to a cut listing: its ids come with the list of changed files. */
function withChangedFiles(tree: GitTree, diff: readonly FileDiff[]): GitTree {
  const entries = new Map(tree.entries);
  for (const { path, status, blob, newMode } of diff)
    if (status !== 'deleted' && blob !== undefined && !entries.has(path))
      entries.set(path, { path, mode: newMode ?? '100644', id: blob, size: 0 });
  return { entries, truncated: tree.truncated };
}

/** Archived contents that a tree names; what attributes have rewritten has an id that no tree knows. */
function keepNamed(archive: Archive, trees: Readonly<Record<Ref, GitTree>>): Contents {
  const named = new Set<string>();
  for (const { entries } of [trees.head, trees.base]) for (const { id } of entries.values()) named.add(id);
  const contents: Contents = new Map();
  for (const { id, file } of archive.files.values()) if (named.has(id)) contents.set(id, file);
  return contents;
}

/** Base contents of changed files, where the result has the id that the base tree names. */
function undoPatches(
  contents: Contents,
  trees: Readonly<Record<Ref, GitTree>>,
  diff: readonly FileDiff[],
): void {
  for (const file of diff) {
    const before = trees.base.entries.get(file.oldPath);
    if (!before || isSubmodule(before) || contents.has(before.id)) continue;
    const after = trees.head.entries.get(file.path);
    const text = file.status === 'deleted' ? null : textOf(after && contents.get(after.id));
    if (text === undefined) continue;
    const bytes = undone(text, file);
    if (bytes && blobId(bytes, before.id.length) === before.id) contents.set(before.id, readBytes(bytes));
  }
}

function undone(text: string | null, file: FileDiff): Uint8Array | null {
  try {
    const before = undoPatch(text, file);
    return before === null ? null : Buffer.from(before);
  } catch {
    // Binary, too large for a patch, or not the text that GitHub compared: the blob is asked for instead.
    return null;
  }
}

/** What no archive and no patch gave: changed files first, because those are what a review needs. */
function wantedBlobs(
  contents: Contents,
  trees: Readonly<Record<Ref, GitTree>>,
  diff: readonly FileDiff[],
): readonly WantedBlob[] {
  const wanted = new Map<string, WantedBlob>();
  const want = (entry: GitEntry | undefined): void => {
    if (!entry || isSubmodule(entry) || contents.has(entry.id) || entry.size > MAX_FILE_BYTES) return;
    wanted.set(entry.id, { id: entry.id, size: entry.size });
  };
  for (const file of diff) want(trees.head.entries.get(file.path));
  for (const file of diff) want(trees.base.entries.get(file.oldPath));
  for (const entry of trees.head.entries.values()) want(entry);
  for (const entry of trees.base.entries.values()) want(entry);
  return [...wanted.values()];
}

function rawFile(contents: Contents, entry: GitEntry, whyAbsent: string): RawFile {
  if (isSubmodule(entry)) return { kind: 'submodule', commit: entry.id };
  const file = contents.get(entry.id);
  if (!file)
    return entry.size > MAX_FILE_BYTES
      ? { kind: 'too_large', bytes: entry.size }
      : { kind: 'unavailable', why: whyAbsent };
  // The same bytes may be a link in one place and a file in another.
  const isLink = entry.mode === '120000';
  if (isLink && file.kind === 'text') return { kind: 'symlink', target: file.text };
  if (!isLink && file.kind === 'symlink') return { kind: 'text', text: file.target };
  return file;
}

function textOf(file: RawFile | undefined): string | undefined {
  if (file?.kind === 'text') return file.text;
  return file?.kind === 'symlink' ? file.target : undefined;
}

function lacksOf(trees: Readonly<Record<Ref, GitTree>>, contents: Contents, whyAbsent: string): Lack[] {
  const lacks: Lack[] = [];
  for (const ref of ['head', 'base'] as const) {
    const place = ref === 'head' ? 'the head' : 'the merge base';
    if (trees[ref].truncated) lacks.push({ what: `some files of ${place}`, why: treeTrouble });
    let unread = 0;
    for (const entry of trees[ref].entries.values())
      if (!isSubmodule(entry) && !contents.has(entry.id) && entry.size <= MAX_FILE_BYTES) unread += 1;
    if (unread > 0)
      lacks.push({ what: `${unread} ${unread === 1 ? 'file' : 'files'} of ${place}`, why: whyAbsent });
  }
  return lacks;
}

const isSubmodule = (entry: GitEntry): boolean => entry.mode === '160000';
