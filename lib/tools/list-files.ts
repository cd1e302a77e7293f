import { z } from 'zod';
import type { Tool, ToolAnswer } from '../agent/tool.js';
import { ToolError } from '../core/errors.js';
import { compileGlob } from '../core/search.js';
import type { RepoReader, TreeEntry } from '../ports/forge.js';
import { atRef, repositoryPath } from './arguments.js';
import { pageChars } from './shown-lines.js';
import { shownPath } from './shown-path.js';

const pageEntries = 500;

const Input = z.strictObject({
  folder: z.string().optional().describe('a folder; leave out for the top of the repository'),
  glob: z.string().optional().describe('all files below that match, e.g. src/**/*.test.ts'),
  ref: atRef,
  cursor: z.string().optional().describe('from the last line of the page before'),
});

/** What is in a folder, or every file below it that matches a glob. Reads the tree, no contents. */
export function createListFiles({ reader }: { readonly reader: RepoReader }): Tool {
  return {
    name: 'list_files',
    description:
      'What a folder of the repository holds (folders end in "/"), or with a glob all matching files at any depth.',
    schema: Input,
    run: async (input) => {
      const { folder = '', glob, ref, cursor } = Input.parse(input);
      const path = repositoryPath(folder);
      const tree = await reader.list(ref);
      const below = path === '' ? tree : tree.filter((entry) => entry.path.startsWith(`${path}/`));
      if (below.length === 0 && path !== '') return noFolder(tree, path, ref);
      const where = `${path === '' ? 'the repository' : path} at ${ref}`;
      if (glob !== undefined && glob.trim() !== '') {
        const scope = compileGlob(glob);
        if (scope.kind === 'bad') throw new ToolError(scope.why);
        const found = below.filter((entry) => scope.covers(entry.path));
        return await listed(`${counted(found.length, 'file')} matching ${glob} in ${where}`, found, cursor, {
          reader,
          ref,
        });
      }
      const { folders, files } = children(below, path);
      const head = `${counted(folders.length, 'folder')} and ${counted(files.length, 'file')} in ${where}`;
      return await listed(head, [...folders, ...files], cursor, { reader, ref });
    },
  };
}

type Listed = TreeEntry | { readonly folder: string };

function children(
  below: readonly TreeEntry[],
  path: string,
): { readonly folders: readonly Listed[]; readonly files: readonly Listed[] } {
  const start = path === '' ? 0 : path.length + 1;
  const folders = new Set<string>();
  const files: TreeEntry[] = [];
  for (const entry of below) {
    const slash = entry.path.indexOf('/', start);
    if (slash === -1) files.push(entry);
    else folders.add(entry.path.slice(0, slash + 1));
  }
  return { folders: [...folders].map((folder) => ({ folder })), files };
}

async function listed(
  head: string,
  entries: readonly Listed[],
  cursor: string | undefined,
  from: { readonly reader: RepoReader; readonly ref: 'head' | 'base' },
): Promise<ToolAnswer> {
  const start = parseCursor(cursor, entries.length);
  const lines = [head];
  let room = pageChars - head.length;
  for (let i = start; i < entries.length; i += 1) {
    const entry = entries[i];
    if (entry === undefined) break;
    const line = await entryLine(entry, from);
    if (i > start && (i - start >= pageEntries || line.length > room)) {
      lines.push(`[cut: ${entries.length - i} more; go on with cursor "${i}"]`);
      break;
    }
    lines.push(line);
    room -= line.length + 1;
  }
  return { text: lines.join('\n'), served: [] };
}

async function entryLine(
  entry: Listed,
  { reader, ref }: { readonly reader: RepoReader; readonly ref: 'head' | 'base' },
): Promise<string> {
  if ('folder' in entry) return shownPath(entry.folder);
  if (entry.mode === '160000') return `${shownPath(entry.path)} (submodule)`;
  if (entry.mode !== '120000') return shownPath(entry.path);
  const read = await reader.read(ref, entry.path);
  return read.kind === 'symlink'
    ? `${shownPath(entry.path)} -> ${shownPath(read.target)}`
    : `${shownPath(entry.path)} (symlink)`;
}

function parseCursor(cursor: string | undefined, entries: number): number {
  if (cursor === undefined || cursor.trim() === '') return 0;
  const found = /^"?(\d{1,9})"?$/.exec(cursor.trim());
  const start = found === null ? NaN : Number(found[1]);
  if (!(start >= 0 && start < Math.max(entries, 1)))
    throw new ToolError(`"${cursor}" is no cursor of this list. Leave it out to start at the top.`);
  return start;
}

function noFolder(tree: readonly TreeEntry[], path: string, ref: string): ToolAnswer {
  const entry = tree.find(({ path: file }) => file === path);
  if (entry !== undefined) return { text: `${path} at ${ref} is a file, not a folder.`, served: [] };
  let parent = path;
  while (parent !== '' && !tree.some(({ path: file }) => file.startsWith(`${parent}/`)))
    parent = parent.includes('/') ? parent.slice(0, parent.lastIndexOf('/')) : '';
  const near = parent === '' ? 'the top of the repository' : `${parent}/`;
  return {
    text: `There is no folder ${path} at ${ref}. The nearest that exists is ${near}: list that.`,
    served: [],
  };
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
