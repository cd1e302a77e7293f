import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Parser } from 'tar';
import type { ReadEntry } from 'tar';
import { looksBinary, MAX_FILE_BYTES, readBytes } from '../../core/repo-view.js';
import type { RawFile } from '../../core/repo-view.js';

/** A file of an archive with its git blob id, which says whether it is the file of the tree. */
export type ArchivedFile = { readonly id: string; readonly file: RawFile };

export type Archive = {
  /** By path, without the folder that GitHub puts around them. */
  readonly files: ReadonlyMap<string, ArchivedFile>;
  /** `whole` only says that the stream ended well: compare with the tree, a tar can end early without an error. */
  readonly end:
    | { readonly kind: 'whole' }
    | { readonly kind: 'capped'; readonly why: string }
    | { readonly kind: 'failed'; readonly why: string };
};

export type ArchiveLimits = {
  readonly entries: number;
  /** Text kept in memory. */
  readonly keptBytes: number;
  /** What the files say they hold, kept or not: bounds a compression bomb. */
  readonly declaredBytes: number;
  readonly compressedBytes: number;
};

const MIB = 1 << 20;

export const defaultArchiveLimits: ArchiveLimits = {
  entries: 60_000,
  keptBytes: 256 * MIB,
  declaredBytes: 2048 * MIB,
  compressedBytes: 512 * MIB,
};

/**
 * Reads a gzipped tar as it arrives; nothing touches a disk. Text up to 1 MiB a file is kept. Links are kept as their
 * target and never followed; names that are absolute or contain `..` are left out. Beyond a limit it stops reading.
 */
export async function readArchive(
  stream: Readable,
  idLength: 40 | 64 = 40,
  limits: ArchiveLimits = defaultArchiveLimits,
): Promise<Archive> {
  const files = new Map<string, ArchivedFile>();
  const newHash = (size: number): Hash =>
    createHash(idLength === 64 ? 'sha256' : 'sha1').update(`blob ${size}\0`);
  let why: string | null = null;
  let failed: unknown;
  let entries = 0;
  let kept = 0;
  let declared = 0;
  let compressed = 0;

  const parser = new Parser({
    onReadEntry: (entry: ReadEntry) => {
      entries += 1;
      declared += entry.size;
      if (entries > limits.entries) why ??= `it has more than ${limits.entries} files`;
      if (declared > limits.declaredBytes) why ??= `it holds more than ${inMib(limits.declaredBytes)}`;
      if (kept > limits.keptBytes) why ??= `its text is more than ${inMib(limits.keptBytes)}`;
      const path = pathInRepository(entry.path);
      if (why !== null || path === null) {
        entry.resume();
        return;
      }
      if (entry.type === 'SymbolicLink') {
        const target = Buffer.from(entry.linkpath ?? '');
        const id = newHash(target.length).update(target).digest('hex');
        files.set(path, { id, file: { kind: 'symlink', target: target.toString() } });
        entry.resume();
        return;
      }
      if (entry.type !== 'File' && entry.type !== 'OldFile') {
        entry.resume();
        return;
      }
      const hash = newHash(entry.size);
      const chunks: Buffer[] = [];
      let read = 0;
      entry.on('data', (chunk: Buffer) => {
        hash.update(chunk);
        // Of a large file only the beginning is looked at, to tell binary from text.
        if (entry.size <= MAX_FILE_BYTES || read < 16_384) chunks.push(Buffer.from(chunk));
        read += chunk.length;
      });
      entry.on('end', () => {
        if (read !== entry.size) return;
        const bytes = Buffer.concat(chunks);
        const file = entry.size <= MAX_FILE_BYTES ? readBytes(bytes) : readLarge(bytes, entry.size);
        if (file.kind === 'text') kept += bytes.length;
        files.set(path, { id: hash.digest('hex'), file });
      });
    },
  });
  parser.on('error', (error: unknown) => (failed ??= error));

  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      compressed += chunk.length;
      if (compressed > limits.compressedBytes)
        why ??= `its archive is larger than ${inMib(limits.compressedBytes)}`;
      if (why !== null || failed !== undefined) break;
      // A parser that has given up takes nothing and never drains.
      if (!parser.write(chunk) && failed === undefined)
        await Promise.race([once(parser, 'drain'), once(parser, 'error')]);
    }
    if (why === null && failed === undefined) {
      const ended = once(parser, 'end');
      parser.end();
      await ended;
    }
  } catch (error) {
    failed ??= error;
  } finally {
    stream.destroy();
  }
  if (why !== null) return { files, end: { kind: 'capped', why } };
  if (failed !== undefined) return { files, end: { kind: 'failed', why: messageOf(failed) } };
  return { files, end: { kind: 'whole' } };
}

/** The path below the archive's own top folder; null for that folder and for names that would leave it. */
function pathInRepository(name: string): string | null {
  if (name.startsWith('/') || name.includes('\0')) return null;
  const parts = name.split('/');
  if (parts.includes('..') || parts.includes('.')) return null;
  const path = parts.slice(1).join('/');
  return path === '' || path.endsWith('/') ? null : path;
}

function readLarge(beginning: Uint8Array, bytes: number): RawFile {
  return looksBinary(beginning) ? { kind: 'binary', bytes } : { kind: 'too_large', bytes };
}

const inMib = (bytes: number): string => `${Math.round(bytes / MIB)} MiB`;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
