import { createPublicKey, KeyObject } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createBareRepository, createGit, type Git } from './git.js';
import { inTurn, type Repository, type World } from './state.js';

/**
 * A world in a file: JSON of what people wrote, and beside it, in `FILE.git`, one git bundle a repository. Tokens are
 * left out; keys of apps are in it, so the file is for its owner alone (0600).
 */
export const saveWorld = async (world: World, file: string): Promise<void> => {
  const folder = `${file}.git`;
  const next = `${folder}.next`;
  await rm(next, { recursive: true, force: true });
  await mkdir(next, { recursive: true });
  const stores = new Map<Git, string>();
  for (const repository of world.repositories.values()) {
    if (stores.has(repository.git)) continue;
    const name = `${repository.id}.bundle`;
    stores.set(repository.git, name);
    await inTurn(repository, () => writeBundle(world, repository.git, join(next, name)));
  }
  const root = Object.fromEntries(KEPT.map((field) => [field, world[field]]));
  const body = JSON.stringify({ version: VERSION, ...encode(root, stores) });
  await writeFile(`${file}.next`, body, { mode: 0o600 });
  await rm(folder, { recursive: true, force: true });
  await rename(next, folder);
  await rename(`${file}.next`, file);
};

const VERSION = 2;
const KEPT = ['accounts', 'apps', 'repositories', 'moved', 'counters'] as const;

export type SavedWorld = Pick<World, (typeof KEPT)[number]>;

/** Reads a saved world; its repositories are put into `folder`. */
export const loadWorld = async (file: string, folder: string): Promise<SavedWorld> => {
  const saved = JSON.parse(await readFile(file, 'utf8')) as Encoded & { readonly version: number };
  if (saved.version !== VERSION)
    throw new Error(`${file} is of version ${saved.version}; this program reads version ${VERSION}`);
  const stores = new Map<string, Git>();
  for (const { bundle, head } of saved.stores) {
    const dir = join(folder, bundle.replace(/\.bundle$/, '.git'));
    await mkdir(dir);
    const git = await createBareRepository(dir, head);
    await git.run(['fetch', '--quiet', join(`${file}.git`, bundle), '+refs/*:refs/*']);
    stores.set(bundle, createGit(dir));
  }
  return decode(saved, stores) as SavedWorld;
};

/** Commits that no branch leads to any more are kept by refs of their own: reviews still stand on them. */
const writeBundle = async (world: World, git: Git, path: string): Promise<void> => {
  const needed = new Set<string>();
  for (const repository of world.repositories.values()) {
    if (repository.git !== git) continue;
    for (const run of repository.checkRuns) needed.add(run.headSha);
    for (const pull of repository.pulls.values()) {
      for (const sha of [...pull.heads, pull.baseSha, pull.mergeBase, pull.mergeCommit])
        if (sha !== null) needed.add(sha);
      for (const review of pull.reviews) needed.add(review.commitId);
    }
  }
  const orders = [...needed].map((sha) => `update refs/local/keep/${sha} ${sha}\n`).join('');
  await git.run(['update-ref', '--stdin'], { input: Buffer.from(orders) });
  await git.run(['bundle', 'create', '--quiet', path, '--all']);
};

type Encoded = {
  readonly root: number;
  /** Every object once; references are `[index]`. */
  readonly table: readonly Entry[];
  readonly stores: readonly { readonly bundle: string; readonly head: string }[];
};

type Value = string | number | boolean | null | readonly [number];
type Entry =
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  | { readonly kind: 'set'; readonly items: readonly Value[] }
  | { readonly kind: 'map'; readonly items: readonly (readonly [Value, Value])[] }
  | { readonly kind: 'record'; readonly fields: Readonly<Record<string, Value>> }
  | { readonly kind: 'git'; readonly bundle: string }
  | { readonly kind: 'key'; readonly pem: string }
  | { readonly kind: 'turn' };

/** A graph with cycles as a table: threads know their comments, comments their threads. */
const encode = (root: unknown, stores: ReadonlyMap<Git, string>): Encoded => {
  const places = new Map<object, number>();
  const table: Entry[] = [];
  const waiting: object[] = [];
  const value = (given: unknown): Value => {
    if (given === null || given === undefined) return null;
    if (typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean') return given;
    if (typeof given !== 'object') throw new Error(`a ${typeof given} cannot be saved`);
    const known = places.get(given);
    if (known !== undefined) return [known];
    places.set(given, places.size);
    waiting.push(given);
    return [places.size - 1];
  };
  const entry = (given: object): Entry => {
    const bundle = stores.get(given as Git);
    if (bundle !== undefined) return { kind: 'git', bundle };
    if (given instanceof KeyObject)
      return { kind: 'key', pem: given.export({ type: 'spki', format: 'pem' }).toString() };
    if (given instanceof Promise) return { kind: 'turn' };
    if (Array.isArray(given)) return { kind: 'list', items: given.map(value) };
    if (given instanceof Set) return { kind: 'set', items: [...(given as Set<unknown>)].map(value) };
    if (given instanceof Map)
      return {
        kind: 'map',
        items: [...(given as Map<unknown, unknown>)].map(([key, item]) => [value(key), value(item)]),
      };
    return {
      kind: 'record',
      fields: Object.fromEntries(
        Object.entries(given)
          .filter(([, item]) => item !== undefined)
          .map(([name, item]) => [name, value(item)]),
      ),
    };
  };
  value(root);
  for (let at = 0; at < waiting.length; at += 1) table.push(entry(waiting[at] as object));
  const repositories = waiting.filter((given): given is Repository => 'git' in given && 'pulls' in given);
  return {
    root: 0,
    table,
    stores: [...stores].map(([git, bundle]) => ({
      bundle,
      head: repositories.find((repository) => repository.git === git)?.defaultBranch ?? 'main',
    })),
  };
};

const decode = ({ root, table }: Encoded, stores: ReadonlyMap<string, Git>): unknown => {
  // Made empty first, filled afterwards: any of them may hold any other.
  const made = table.map((entry): unknown => {
    switch (entry.kind) {
      case 'list':
        return [];
      case 'set':
        return new Set();
      case 'map':
        return new Map();
      case 'record':
        return {};
      case 'git':
        return stores.get(entry.bundle);
      case 'key':
        return createPublicKey(entry.pem);
      case 'turn':
        return Promise.resolve();
    }
  });
  const value = (given: Value): unknown => (Array.isArray(given) ? made[given[0] as number] : given);
  for (const [at, entry] of table.entries()) {
    const target = made[at];
    if (entry.kind === 'list') (target as unknown[]).push(...entry.items.map(value));
    else if (entry.kind === 'set') for (const item of entry.items) (target as Set<unknown>).add(value(item));
    else if (entry.kind === 'map')
      for (const [key, item] of entry.items) (target as Map<unknown, unknown>).set(value(key), value(item));
    else if (entry.kind === 'record')
      for (const [name, item] of Object.entries(entry.fields))
        Object.defineProperty(target, name, {
          value: value(item),
          writable: true,
          enumerable: true,
          configurable: true,
        });
  }
  return made[root];
};
