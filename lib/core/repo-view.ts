import type { Ref } from './evidence.js';
import { labelSecrets } from './secret.js';
import { compileGlob, startSearch } from './search.js';
import type { SearchQuery, SearchResult } from './search.js';
import { inSearchOrder } from './search-order.js';

/** One entry of the tree at a ref. Modes are git's: 100644, 100755, 120000 (symlink), 160000 (submodule). */
export type TreeEntry = {
  readonly path: string;
  readonly mode: string;
  readonly size?: number;
  /** Of the content: what has the same id is loaded once, and what has another one in the other version is changed. */
  readonly id?: string;
};

/** What stands at a path. `text.lines` has no `\n`; secrets are labelled, line numbers unchanged. */
export type FileRead =
  | { readonly kind: 'text'; readonly lines: readonly string[]; readonly noFinalNewline: boolean }
  /** Names in the folder, sorted; those of folders end in `/`. */
  | { readonly kind: 'folder'; readonly entries: readonly string[] }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'submodule'; readonly commit: string }
  | { readonly kind: 'binary'; readonly bytes: number }
  | { readonly kind: 'too_large'; readonly bytes: number; readonly limit: number }
  | { readonly kind: 'withheld'; readonly glob: string }
  | { readonly kind: 'unavailable'; readonly why: string }
  | { readonly kind: 'missing'; readonly similar: readonly string[] };

/** A file as it stands in the repository, before anything is hidden. */
export type RawFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'submodule'; readonly commit: string }
  | { readonly kind: 'binary'; readonly bytes: number }
  | { readonly kind: 'too_large'; readonly bytes: number }
  | { readonly kind: 'unavailable'; readonly why: string };

/** One version of a repository. `entries` are files, symlinks and submodules by path, without folders. */
export type RawVersion = {
  readonly entries: ReadonlyMap<string, TreeEntry>;
  /** Only asked for paths of `entries`, and for many at once: a search asks ahead of what it looks at. */
  load(path: string): Promise<RawFile>;
  /** Why `entries` may lack paths; a search then cannot prove that something is nowhere. */
  readonly incomplete?: string;
};

export type RepoViewOptions = {
  /** Globs of the operator: what they match is listed and never read. */
  readonly neverSend?: readonly string[];
  /** Epoch milliseconds. Without it a search is bounded by its text alone. */
  readonly clock?: () => number;
  /** Lets other work of the process run; asked every few megabytes of a search. */
  readonly pause?: () => Promise<void>;
  readonly searchMs?: number;
};

/** Files above this are not read: 1 MiB. */
export const MAX_FILE_BYTES = 1 << 20;
const BINARY_PROBE_BYTES = 8000;
const SEARCH_MS = 10_000;
const CHARACTERS_BETWEEN_PAUSES = 4 << 20;
const FILES_AHEAD = 128;
const MAX_SIMILAR = 5;

/**
 * What tools, evidence and rules see of a repository, whatever forge it is on: secrets labelled, `neverSend` withheld,
 * symlinks never followed, paths that cannot leave the repository.
 */
export function createRepoView(
  versions: Readonly<Record<Ref, RawVersion>>,
  options: RepoViewOptions = {},
): {
  list(ref: Ref): Promise<readonly TreeEntry[]>;
  read(ref: Ref, path: string): Promise<FileRead>;
  search(query: SearchQuery): Promise<SearchResult>;
} {
  const withholds = withholding(options.neverSend ?? []);
  /** By content: searches that run side by side, and both versions, load and label it once. */
  const labelled = new Map<string, Promise<RawFile>>();
  const folders: Partial<Record<Ref, ReadonlyMap<string, readonly string[]>>> = {};
  const orders: Partial<Record<Ref, readonly string[]>> = {};

  function load(ref: Ref, path: string): Promise<RawFile> {
    const key = contentKey(ref, path, versions[ref].entries.get(path));
    const known = labelled.get(key);
    if (known) return known;
    const loading = versions[ref]
      .load(path)
      .then((raw): RawFile =>
        raw.kind === 'text' ? { kind: 'text', text: labelSecrets(raw.text).text } : raw,
      );
    labelled.set(key, loading);
    // Whoever asked is told; who asks again may have more luck.
    loading.catch(() => labelled.delete(key));
    return loading;
  }

  async function read(ref: Ref, asked: string): Promise<FileRead> {
    const path = normalizePath(asked);
    if (path === null) return { kind: 'missing', similar: [] };
    const { entries } = versions[ref];
    if (!entries.has(path)) {
      const listing = (folders[ref] ??= foldersOf(entries.keys())).get(path);
      if (listing) return { kind: 'folder', entries: listing };
      return (
        (await readBehind(ref, path)) ?? { kind: 'missing', similar: similarPaths(path, entries.keys()) }
      );
    }
    const glob = withholds(path);
    if (glob !== null) return { kind: 'withheld', glob };
    const file = await load(ref, path);
    switch (file.kind) {
      case 'text':
        return splitText(file.text);
      case 'too_large':
        return { ...file, limit: MAX_FILE_BYTES };
      case 'symlink':
      case 'submodule':
      case 'binary':
      case 'unavailable':
        return file;
    }
  }

  /** A path that goes through a symlink or into a submodule exists for people, but is not followed. */
  async function readBehind(ref: Ref, path: string): Promise<FileRead | null> {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const parent = path.slice(0, end);
      if (!versions[ref].entries.has(parent)) continue;
      const file = await load(ref, parent);
      if (file.kind === 'symlink')
        return unavailable(`\`${parent}\` is a symbolic link to \`${file.target}\`, which is not followed`);
      if (file.kind === 'submodule')
        return unavailable(
          `\`${parent}\` is a submodule at ${file.commit.slice(0, 7)}; its files are in another repository`,
        );
    }
    return null;
  }

  async function search(query: SearchQuery): Promise<SearchResult> {
    const { ref } = query;
    const started = startSearch(query, timeLimit(options));
    if (started.kind !== 'started') return started;

    const wanted: string[] = [];
    for (const path of (orders[ref] ??= inSearchOrder(versions, ref))) {
      if (!started.covers(path)) continue;
      const glob = withholds(path);
      if (glob === null) wanted.push(path);
      else started.skip({ path, why: `withheld by the operator's setting (${glob})` });
    }
    let asked = 0;
    let characters = 0;
    for (const [at, path] of wanted.entries()) {
      if (started.expired()) {
        started.skip({ path });
        continue;
      }
      for (; asked < wanted.length && asked <= at + FILES_AHEAD; asked++)
        void load(ref, wanted[asked]!).catch(() => undefined);
      const file = await load(ref, path);
      if (file.kind === 'text') {
        started.look({ path, text: file.text });
        characters += file.text.length;
      } else {
        const why = whyNotSearched(file);
        if (why !== null) started.skip({ path, why });
      }
      if (characters < CHARACTERS_BETWEEN_PAUSES) continue;
      characters = 0;
      await options.pause?.();
    }
    const { incomplete } = versions[ref];
    if (incomplete !== undefined) started.skip({ path: query.glob ?? '**', why: incomplete });
    return started.result();
  }

  return {
    read,
    search,
    async list(ref) {
      const { entries } = versions[ref];
      return sortedPaths(entries).map((path) => entries.get(path) ?? { path, mode: '100644' });
    },
  };
}

/**
 * Whether the time of a search is over. One step counts for two thirds of it at most: a machine that stood still for a
 * while did not search meanwhile, and what is left is not called unsearched for that.
 */
function timeLimit({ clock, searchMs = SEARCH_MS }: RepoViewOptions): () => boolean {
  if (clock === undefined) return () => false;
  let last = clock();
  let spent = 0;
  return () => {
    const now = clock();
    spent += Math.min(now - last, (searchMs * 2) / 3);
    last = now;
    return spent > searchMs;
  };
}

/** The bytes of a regular file as what they are. `lfs` pointers are said, because the file itself is elsewhere. */
export function readBytes(bytes: Uint8Array): RawFile {
  if (looksBinary(bytes)) return { kind: 'binary', bytes: bytes.length };
  if (bytes.length > MAX_FILE_BYTES) return { kind: 'too_large', bytes: bytes.length };
  const text = decodeText(bytes);
  const pointer =
    bytes.length > 1024
      ? null
      : /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:(?:ext-\d-\w+|oid) sha256:[0-9a-f]+\n)+size (\d+)\n?$/.exec(
          text,
        );
  if (pointer)
    return unavailable(
      `Git LFS pointer: the file itself (${pointer[1]} bytes) is stored outside the repository`,
    );
  return { kind: 'text', text };
}

/** What a tree entry is when its bytes are at hand. */
export function readEntry(mode: string, bytes: Uint8Array): RawFile {
  return mode === '120000'
    ? { kind: 'symlink', target: decodeText(bytes.subarray(0, 4096)) }
    : readBytes(bytes);
}

/** git's rule: a NUL among the first 8000 bytes. */
export const looksBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, BINARY_PROBE_BYTES).includes(0);

/** UTF-8 with U+FFFD for what is none; a byte order mark stays, as git counts it. */
export const decodeText = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** Lines end at `\n` alone, as git numbers them; a carriage return stays part of its line. */
export function splitText(text: string): Extract<FileRead, { kind: 'text' }> {
  if (text === '') return { kind: 'text', lines: [], noFinalNewline: false };
  const lines = text.split('\n');
  const noFinalNewline = lines.at(-1) !== '';
  return { kind: 'text', lines: noFinalNewline ? lines : lines.slice(0, -1), noFinalNewline };
}

/** A path from the top of the repository without `.`, `..`, doubled or leading slashes; null when it leaves it. */
export function normalizePath(asked: string): string | null {
  const parts: string[] = [];
  for (const part of asked.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

/** Paths that someone who asked for a missing one may have meant, best first. */
export function similarPaths(path: string, paths: Iterable<string>): string[] {
  const wanted = nameOf(path).toLowerCase();
  if (wanted === '' || wanted.length > 255) return [];
  const scored: { readonly path: string; readonly score: number }[] = [];
  for (const other of paths) {
    const name = nameOf(other).toLowerCase();
    const distance = nameDistance(wanted, name);
    if (distance === null) continue;
    const sameFolder =
      path.slice(0, path.lastIndexOf('/') + 1) === other.slice(0, other.lastIndexOf('/') + 1);
    scored.push({ path: other, score: distance * 2 - (sameFolder ? 1 : 0) });
  }
  return scored
    .sort((a, b) => a.score - b.score || compare(a.path, b.path))
    .slice(0, MAX_SIMILAR)
    .map((found) => found.path);
}

/** The same content may be a link in one place and a file in another. */
function contentKey(ref: Ref, path: string, entry: TreeEntry | undefined): string {
  return entry?.id === undefined ? `${ref}:${path}` : `${entry.mode.slice(0, 2)} ${entry.id}`;
}

const unavailable = (why: string): Extract<RawFile, { kind: 'unavailable' }> => ({
  kind: 'unavailable',
  why,
});

/** The first glob that withholds a path, or null. A glob that cannot be read withholds everything. */
function withholding(globs: readonly string[]): (path: string) => string | null {
  const compiled = globs.map((glob) => ({ glob, scope: compileGlob(glob) }));
  return (path) => compiled.find(({ scope }) => scope.kind === 'bad' || scope.covers(path))?.glob ?? null;
}

/** Null for what holds no text to search: an absence of text says nothing about it. */
function whyNotSearched(file: Exclude<RawFile, { kind: 'text' }>): string | null {
  switch (file.kind) {
    case 'binary':
    case 'symlink':
      return null;
    case 'submodule':
      return 'a submodule: its files are in another repository';
    case 'too_large':
      return `too large (${file.bytes} bytes, ${MAX_FILE_BYTES} are read)`;
    case 'unavailable':
      return file.why;
  }
}

/** Every folder, `''` for the top, with the sorted names in it. */
function foldersOf(paths: Iterable<string>): Map<string, readonly string[]> {
  const names = new Map<string, Set<string>>([['', new Set()]]);
  for (const path of paths) {
    let child = path;
    let name = nameOf(path);
    for (;;) {
      const cut = child.lastIndexOf('/');
      const folder = cut === -1 ? '' : child.slice(0, cut);
      const known = names.get(folder);
      if (known) known.add(name);
      else names.set(folder, new Set([name]));
      if (known || folder === '') break;
      child = folder;
      name = `${nameOf(folder)}/`;
    }
  }
  return new Map([...names].map(([folder, inside]) => [folder, [...inside].sort(compare)]));
}

/** 0 the same, 1 another extension, else 1 + edits when they are few; null when it is another name. */
function nameDistance(wanted: string, name: string): number | null {
  if (name === wanted) return 0;
  if (stemOf(name) === stemOf(wanted) && stemOf(name).length > 2) return 1;
  const most = wanted.length < 5 ? 1 : 2;
  if (Math.abs(name.length - wanted.length) > most) return null;
  const edits = editDistance(wanted, name, most);
  return edits > most ? null : edits + 1;
}

/** Levenshtein, given up once it is above `most`. */
function editDistance(a: string, b: string, most: number): number {
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const swap = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const cost = Math.min(swap, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return most + 1;
    above = row;
  }
  return above[b.length] ?? most + 1;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const stemOf = (name: string): string =>
  name.indexOf('.', 1) === -1 ? name : name.slice(0, name.indexOf('.', 1));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const sortedPaths = (entries: ReadonlyMap<string, TreeEntry>): string[] => [...entries.keys()].sort(compare);
