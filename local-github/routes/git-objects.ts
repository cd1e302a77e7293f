import { text } from '../git.js';
import {
  created,
  type Fields,
  fieldsOf,
  gone,
  type RepositoryCall,
  requiredString,
  type Route,
  stringField,
  stringsField,
} from '../http.js';
import { branchTip, objectType, readCommit, readTree } from '../objects.js';
import { closePull } from '../pulls.js';
import { invalid, Refusal } from '../refusal.js';
import { inTurn } from '../state.js';
import { writeGitCommit, writeTreeEntry } from '../wire/git.js';
import { repositoryUrl } from '../wire/repository.js';

const WRITE = ['contents=write'] as const;

/** Writing git objects one by one: how a client makes a commit without a clone. */
export const gitObjectRoutes: readonly Route[] = [
  {
    method: 'POST',
    pattern: '/repos/:owner/:repo/git/blobs',
    for: 'repository',
    needs: WRITE,
    handle: async (call) => {
      const fields = fieldsOf(call);
      const content = requiredString(fields, 'content', 'Blob');
      const encoding = stringField(fields, 'encoding') ?? 'utf-8';
      if (encoding !== 'utf-8' && encoding !== 'base64') throw invalid('Blob', 'encoding', 'invalid');
      const sha = await writeBlob(call, Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8'));
      return created({ sha, url: `${repositoryUrl(call.world, call.repository)}/git/blobs/${sha}` });
    },
  },
  {
    method: 'POST',
    pattern: '/repos/:owner/:repo/git/trees',
    for: 'repository',
    needs: WRITE,
    handle: async (call) => {
      const fields = fieldsOf(call);
      const { git } = call.repository;
      const base = stringField(fields, 'base_tree');
      if (base !== undefined && (await objectType(git, base)) === null)
        throw new Refusal(404, 'base_tree is not a tree oid');
      if (!Array.isArray(fields.tree)) throw invalid('Tree', 'tree', 'missing_field');
      const files = new Map<string, TreeFile>();
      for (const entry of base === undefined ? [] : await readTree(git, base, true))
        if (entry.type !== 'tree') files.set(entry.path, entry);
      for (const item of fields.tree as readonly Fields[]) await change(call, files, item);
      const sha = await writeTree(call, files);
      const entries = await readTree(git, sha, false);
      return created({
        sha,
        url: `${repositoryUrl(call.world, call.repository)}/git/trees/${sha}`,
        tree: entries.map((entry) => writeTreeEntry(call.world, call.repository, entry)),
        truncated: false,
      });
    },
  },
  {
    method: 'POST',
    pattern: '/repos/:owner/:repo/git/commits',
    for: 'repository',
    needs: WRITE,
    handle: async (call) => {
      const fields = fieldsOf(call);
      const { git } = call.repository;
      const tree = requiredString(fields, 'tree', 'Commit');
      const parents = stringsField(fields, 'parents') ?? [];
      if ((await objectType(git, tree)) !== 'tree') throw new Refusal(422, 'Tree SHA does not exist');
      for (const parent of parents)
        if ((await objectType(git, parent)) !== 'commit')
          throw new Refusal(422, 'Parent SHA does not exist or is not a commit object');
      const sha = await text(git, ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])], {
        input: Buffer.from(requiredString(fields, 'message', 'Commit')),
      });
      return created(writeGitCommit(call.world, call.repository, await readCommit(git, sha)));
    },
  },
  {
    method: 'DELETE',
    pattern: '/repos/:owner/:repo/git/refs/*ref',
    for: 'repository',
    needs: WRITE,
    handle: async (call) => {
      const branch = /^heads\/(.+)$/.exec(call.params.ref ?? '')?.[1];
      if (branch === undefined) throw new Refusal(422, 'Reference does not exist');
      return inTurn(call.repository, async () => {
        const { git, pulls } = call.repository;
        if ((await branchTip(git, branch)) === null) throw new Refusal(422, 'Reference does not exist');
        for (const pull of pulls.values())
          if (pull.state === 'open' && (pull.headRef === branch || pull.baseRef === branch))
            await closePull(call.world, call.repository, pull, call.actor.account, false);
        await git.run(['update-ref', '-d', `refs/heads/${branch}`]);
        return gone();
      });
    },
  },
];

type TreeFile = { readonly mode: string; readonly type: string; readonly sha: string };

const writeBlob = ({ repository }: RepositoryCall, bytes: Buffer): Promise<string> =>
  text(repository.git, ['hash-object', '-w', '--stdin'], { input: bytes });

const MODES: Readonly<Record<string, string>> = {
  '100644': 'blob',
  '100755': 'blob',
  '120000': 'blob',
  '160000': 'commit',
};

/** One item of the request: a blob by its id or its text, null for "not any more". */
async function change(call: RepositoryCall, files: Map<string, TreeFile>, item: Fields): Promise<void> {
  const path = requiredString(item, 'path', 'Tree');
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..' || part === '.git'))
    throw new Refusal(422, 'tree.path contains a malformed path component');
  if (item.sha === null) {
    files.delete(path);
    return;
  }
  const mode = requiredString(item, 'mode', 'Tree');
  const type = MODES[mode];
  if (type === undefined) throw new Refusal(422, 'Must supply a valid tree.mode');
  const content = stringField(item, 'content');
  const sha =
    content === undefined ? requiredString(item, 'sha', 'Tree') : await writeBlob(call, Buffer.from(content));
  if (type === 'blob' && (await objectType(call.repository.git, sha)) !== 'blob')
    throw new Refusal(422, 'tree.sha is not a valid blob');
  // A file takes the place of a folder of its name, and the other way round.
  for (const other of files.keys())
    if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) files.delete(other);
  files.set(path, { mode, type, sha });
}

async function writeTree(call: RepositoryCall, files: ReadonlyMap<string, TreeFile>): Promise<string> {
  const rows: string[] = [];
  const folders = new Map<string, Map<string, TreeFile>>();
  for (const [path, file] of files) {
    const [name = '', ...rest] = path.split('/');
    if (rest.length === 0) rows.push(`${file.mode} ${file.type} ${file.sha}\t${name}`);
    else {
      const folder = folders.get(name) ?? new Map<string, TreeFile>();
      folders.set(name, folder.set(rest.join('/'), file));
    }
  }
  for (const [name, inside] of folders) rows.push(`040000 tree ${await writeTree(call, inside)}\t${name}`);
  return text(call.repository.git, ['mktree', '-z', '--missing'], {
    input: Buffer.from(rows.map((row) => `${row}\0`).join('')),
  });
}
