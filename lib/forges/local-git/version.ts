import { readEntry, type RawFile, type RawVersion, type TreeEntry } from '../../core/repo-view.js';
import type { BlobReader } from './blobs.js';
import type { PrivateGitDir } from './private-git-dir.js';
import { git, parts } from './run-git.js';

const MAX_LOADED_FILE_BYTES = 16 << 20;
const MAX_LOADED_BYTES = 256 << 20;

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
  const entries = new Map<string, TreeEntry & { readonly id: string }>();
  for (const text of listed) {
    const found = /^(\d+) [a-z]+ ([0-9a-f]+) +(\d+|-|BAD)\t(.*)$/s.exec(text);
    if (found === null) continue;
    const [, mode = '', object = '', size = '', path = ''] = found;
    entries.set(path, { path, mode, id: object, ...(/^\d+$/.test(size) && { size: Number(size) }) });
  }
  const load = async (path: string): Promise<RawFile> => {
    const entry = entries.get(path);
    if (entry === undefined) return notHere;
    const { mode, size, id: object } = entry;
    if (mode === '160000') return { kind: 'submodule', commit: object };
    if (size === undefined) return notHere;
    if (size > MAX_LOADED_FILE_BYTES) return { kind: 'too_large', bytes: size };
    if (spent.bytes + size > MAX_LOADED_BYTES) return limitMet;
    spent.bytes += size;
    const bytes = await blobs.read(object);
    return bytes === null ? notHere : readEntry(mode, bytes);
  };
  return { entries, load };
}

const limitMet: RawFile = {
  kind: 'unavailable',
  why: `${MAX_LOADED_BYTES >> 20} MiB of the repository were read, which is the limit`,
};

const notHere: RawFile = { kind: 'unavailable', why: 'its content is not in this clone' };
