import type { Ref } from './evidence.js';

/** Files by path; `id` is that of their content. */
type Tree = {
  readonly entries: ReadonlyMap<string, { readonly path: string; readonly id?: string }>;
};

/**
 * The paths of a version, those first that a reviewer looks for: what changed, its folders, other code, configuration
 * and prose, and data at the end. A search that runs out of time has then seen what matters most.
 */
export function inSearchOrder(versions: Readonly<Record<Ref, Tree>>, ref: Ref): readonly string[] {
  const { entries } = versions[ref];
  const other = versions[ref === 'head' ? 'base' : 'head'].entries;
  const changed = new Set<string>();
  const folders = new Set<string>();
  for (const { path, id } of entries.values())
    if (id !== undefined && other.get(path)?.id !== id) {
      changed.add(path);
      folders.add(folderOf(path));
    }
  const rank = (path: string): number => {
    if (changed.has(path)) return 0;
    if (data.some((kind) => kind.test(path))) return 4;
    if (configuration.some((kind) => kind.test(path))) return 3;
    return folders.has(folderOf(path)) ? 1 : 2;
  };
  return [...entries.keys()]
    .map((path) => ({ path, rank: rank(path) }))
    .sort((a, b) => a.rank - b.rank || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
    .map(({ path }) => path);
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/** What tools write, what was copied in, and tables: seldom what a search is about, and most of the bytes. */
const data: readonly RegExp[] = [
  /(?:^|\/)(?:\.yarn|node_modules|bower_components|vendor|third_party|dist|coverage|__snapshots__|locales?)\//,
  /(?:^|\/)i18n\/.*\.json$/,
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum)$/,
  /\.lockb?$|[.-]min\.[a-z]+$|\.bundle\.js$/,
  /\.(?:map|snap|csv|tsv|svg|po|pot|xlf|xliff|ipynb|geojson|ndjson|jsonl|ics|pem|log)$/,
];

/** Settings and prose; names that begin with a dot or have none. */
const configuration: readonly RegExp[] = [
  /\.(?:jsonc?|json5|ya?ml|toml|ini|cfg|conf|properties|xml|plist)$/,
  /\.(?:mdx?|rst|adoc|txt|html?|css|s[ac]ss|less)$/,
  /(?:^|\/)(?:\.[^/]+|[^/.]+)$/,
];
