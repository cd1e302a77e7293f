import { createRepoView, readBytes } from '../core/repo-view.js';
import type { RawFile, RawVersion, TreeEntry } from '../core/repo-view.js';
import type { RepoReader } from '../ports/forge.js';

/** A file's content, or what stands there instead of a file. */
export type MemoryEntry =
  | string
  | Uint8Array
  | { readonly symlink: string }
  | { readonly submodule: string }
  | { readonly mode: '100644' | '100755'; readonly content: string | Uint8Array };

export type MemoryTree = Readonly<Record<string, MemoryEntry>>;

export type MemoryRepository = {
  readonly head: MemoryTree;
  readonly base: MemoryTree;
  readonly neverSend?: readonly string[];
};

/** A repository that stands in memory: for tests, for evals, and for files that were read already. */
export function createMemoryReader({ head, base, neverSend = [] }: MemoryRepository): RepoReader {
  return createRepoView({ head: versionOf(head), base: versionOf(base) }, { neverSend, clock: Date.now });
}

function versionOf(tree: MemoryTree): RawVersion {
  const files = new Map(Object.entries(tree));
  return {
    entries: new Map([...files].map(([path, entry]) => [path, entryOf(path, entry)])),
    load: async (path) => readMemory(files.get(path) ?? ''),
  };
}

function entryOf(path: string, entry: MemoryEntry): TreeEntry {
  if (isContent(entry)) return { path, mode: '100644', size: Buffer.byteLength(entry) };
  if ('symlink' in entry) return { path, mode: '120000' };
  if ('submodule' in entry) return { path, mode: '160000' };
  return { path, mode: entry.mode, size: Buffer.byteLength(entry.content) };
}

function readMemory(entry: MemoryEntry): RawFile {
  if (isContent(entry)) return readBytes(typeof entry === 'string' ? Buffer.from(entry) : entry);
  if ('symlink' in entry) return { kind: 'symlink', target: entry.symlink };
  if ('submodule' in entry) return { kind: 'submodule', commit: entry.submodule };
  return readMemory(entry.content);
}

const isContent = (entry: MemoryEntry): entry is string | Uint8Array =>
  typeof entry === 'string' || entry instanceof Uint8Array;
