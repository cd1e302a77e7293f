import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../../../core/errors.js';
import type { PastPull } from '../../../core/past-pull.js';
import { hashOf, type Print, printFragments, threadPrintsFragment } from './fingerprint.js';
import { checksQuery, pullsQuery, repliesQuery } from './read-pulls.js';

/** What earlier runs read of one repository: one JSON file, for its owner alone. */
export type Cache = {
  /** What is kept of a pull request, when its fingerprint is still the same. */
  readonly find: (id: string, print: Print, threads: boolean) => PastPull | null;
  readonly keep: (id: string, print: Print, pull: PastPull) => void;
  /** Writes what changed, all or nothing: a run that dies leaves the file as it was. */
  readonly save: () => Promise<void>;
  /** A sentence when there was a file that could not be used. */
  readonly note: string | null;
};

/** Another one when what is made of the answers changes: older files are then not read. */
const version = 1;
/** Changes by itself when something else is asked for. */
const shape = hashOf([pullsQuery, repliesQuery, checksQuery, printFragments, threadPrintsFragment]);

const Entry = z.object({
  rest: z.string(),
  threads: z.string().nullable(),
  pull: z
    .looseObject({ repo: z.string(), number: z.number(), threads: z.array(z.unknown()) })
    .transform((pull) => pull as unknown as PastPull),
});
type Entry = z.infer<typeof Entry>;

const File = z.object({
  kind: z.literal('evident past pulls'),
  version: z.literal(version),
  shape: z.literal(shape),
  pulls: z.record(z.string(), Entry),
});

/** Keeps nothing. */
export const noCache: Cache = { find: () => null, keep: () => {}, save: async () => {}, note: null };

/**
 * The file of a repository in `folder`: `HOST/OWNER+REPO.json`. A file of another version is not read, and replaced. Throws
 * `ConfigError` where the folder cannot be read or written.
 */
export async function openCache(
  folder: string,
  { web, owner, repo }: { readonly web: string; readonly owner: string; readonly repo: string },
): Promise<Cache> {
  const host = new URL(web).host.replaceAll(/[^a-z0-9.-]/g, '_');
  const file = join(folder, host, `${owner}+${repo}.json`.toLowerCase());
  const { entries, note } = await readEntries(file);
  let isChanged = false;
  return {
    note,
    find(id, print, threads) {
      const entry = entries.get(id);
      if (entry === undefined || entry.rest !== print.rest) return null;
      if (!threads) return { ...entry.pull, threads: [], withoutThreads: true };
      return entry.threads !== null && entry.threads === print.threads ? entry.pull : null;
    },
    keep(id, print, pull) {
      entries.set(id, { rest: print.rest, threads: print.threads, pull });
      isChanged = true;
    },
    async save() {
      if (!isChanged) return;
      isChanged = false;
      const pulls = Object.fromEntries(entries);
      await writeWhole(file, JSON.stringify({ kind: 'evident past pulls', version, shape, pulls }));
    },
  };
}

async function readEntries(
  file: string,
): Promise<{ readonly entries: Map<string, Entry>; readonly note: string | null }> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { entries: new Map(), note: null };
    throw unusable(file, error);
  }
  const parsed = File.safeParse(jsonOf(text));
  return parsed.success
    ? { entries: new Map(Object.entries(parsed.data.pulls)), note: null }
    : { entries: new Map(), note: `${file} is not a cache of this version: everything is read anew.` };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function writeWhole(file: string, text: string): Promise<void> {
  const next = `${file}.${process.pid}.next`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(next, 'w', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true }).catch(() => {});
    throw unusable(file, error);
  }
}

const unusable = (file: string, error: unknown): ConfigError =>
  new ConfigError(
    `The cache ${file} cannot be used: ${error instanceof Error ? error.message : String(error)}. Name another folder, or none.`,
    'cache',
  );
