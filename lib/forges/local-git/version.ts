import { readEntry, type RawFile, type RawVersion, type TreeEntry } from '../../core/repo-view.js';
import type { BlobReader } from './blobs.js';
import type { PrivateGitDir } from './private-git-dir.js';
import { git, parts } from './run-git.js';

const MAX_LOADED_FILE_BYTES = 16 << 20;
const MAX_LOADED_BYTES = 256 << 20;
/** A search asks for one file after the other: the next ones are on their way before it does. */
const FILES_AHEAD = 64;
const MAX_AHEAD_FILE_BYTES = 256 << 10;

/**
 * All files of a commit or tree. Contents are read when they are asked for; `spent` counts them, so that both versions
 * together stay below 256 MiB, and what is above says so.
 */
export async function readVersion(
  own: PrivateGitDir,
  blobs: BlobReader,
  id: string,
  spent: { bytes: number },
): Promise<RawVersion> {
  const listed = parts(await git(['ls-tree', '-r', '-z', '-l', '--full-tree', id], own.objects));
  const files = new Map<
    string,
    { readonly entry: TreeEntry; readonly object: string; readonly at: number }
  >();
  for (const text of listed) {
    const found = /^(\d+) [a-z]+ ([0-9a-f]+) +(\d+|-|BAD)\t(.*)$/s.exec(text);
    if (found === null) continue;
    const [, mode = '', object = '', size = '', path = ''] = found;
    const entry = { path, mode, ...(/^\d+$/.test(size) && { size: Number(size) }) };
    files.set(path, { entry, object, at: files.size });
  }
  const order = [...files.values()];
  const ahead = new Map<string, Promise<RawFile>>();
  let last = -1;

  async function loadNow({ entry: { mode, size }, object }: (typeof order)[number]): Promise<RawFile> {
    if (mode === '160000') return { kind: 'submodule', commit: object };
    if (size === undefined) return notHere;
    if (size > MAX_LOADED_FILE_BYTES) return { kind: 'too_large', bytes: size };
    const bytes = await blobs.read(object);
    return bytes === null ? notHere : readEntry(mode, bytes);
  }

  function lookAhead(from: number): void {
    for (const file of order.slice(from, from + FILES_AHEAD)) {
      const { path, size = 0 } = file.entry;
      if (ahead.has(path) || size > MAX_AHEAD_FILE_BYTES) continue;
      const loading = loadNow(file);
      // A failure is told to whoever asks for the file.
      loading.catch(() => undefined);
      ahead.set(path, loading);
    }
  }

  return {
    entries: new Map([...files].map(([path, { entry }]) => [path, entry])),
    load: async (path) => {
      const file = files.get(path);
      if (file === undefined) return notHere;
      const { size = 0 } = file.entry;
      if (size <= MAX_LOADED_FILE_BYTES) {
        if (spent.bytes + size > MAX_LOADED_BYTES) return limitMet;
        spent.bytes += size;
      }
      const inTurn = file.at > last && file.at - last < FILES_AHEAD;
      last = file.at;
      const known = ahead.get(path);
      ahead.delete(path);
      if (!inTurn) ahead.clear();
      else if (known === undefined) lookAhead(file.at + 1);
      return known ?? loadNow(file);
    },
  };
}

const limitMet: RawFile = {
  kind: 'unavailable',
  why: `${MAX_LOADED_BYTES >> 20} MiB of the repository were read, which is the limit`,
};

const notHere: RawFile = { kind: 'unavailable', why: 'its content is not in this clone' };
