import { canWrite } from '../auth.js';
import { readCodeownersErrors } from '../codeowners.js';
import { readDiffText } from '../diff.js';
import { text } from '../git.js';
import {
  ok,
  page,
  pageOf,
  type Reply,
  type RepositoryCall,
  type Route,
  fieldsOf,
  created,
  requiredString,
} from '../http.js';
import {
  blobSize,
  branchTip,
  countCommits,
  type Entry,
  entryAt,
  mergeBase,
  objectType,
  readBlob,
  readCommit,
  readCommits,
  readTree,
  resolveCommit,
} from '../objects.js';
import { changeBetween, pushExisting } from '../pulls.js';
import { invalid, notFound, Refusal } from '../refusal.js';
import { fullName, inTurn } from '../state.js';
import { gitObjectRoutes } from './git-objects.js';
import { writeCollaborator } from '../wire/account.js';
import { encodePath, nodeIdOf, writeCommit, writeFile, writeGitCommit, writeTreeEntry } from '../wire/git.js';
import { writePull } from '../wire/pull.js';
import { htmlUrl, repositoryUrl, writeFullRepository } from '../wire/repository.js';

const CONTENTS = ['contents=read'] as const;

/** What git holds: trees, blobs, commits, branches, contents, comparisons, archives. */
export const contentRoutes: readonly Route[] = [
  ...gitObjectRoutes,
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo',
    for: 'repository',
    needs: ['metadata=read'],
    handle: (call) => ok(writeFullRepository(call.world, call.repository, call.actor.account)),
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/collaborators/:login/permission',
    for: 'repository',
    needs: ['metadata=read'],
    handle: (call) => {
      const account = call.world.accounts.get((call.params.login ?? '').toLowerCase());
      if (account === undefined || account.gone || account.type === 'Organization') throw notFound();
      return ok(writeCollaborator(call.world, call.repository, account));
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/git/trees/*ref',
    for: 'repository',
    needs: CONTENTS,
    handle: async (call) => {
      const ref = call.params.ref ?? '';
      const { git } = call.repository;
      const known = await objectType(git, ref);
      const treeish = known === null ? await resolveCommit(git, ref) : ref;
      if (treeish === null || known === 'blob') throw notFound();
      const sha = await text(git, ['rev-parse', '--verify', `${treeish}^{tree}`]);
      const recursive = call.query.has('recursive');
      const entries = await readTree(git, treeish, recursive);
      const shown = entries.slice(0, call.world.limits.treeEntries);
      return ok({
        sha,
        url: `${repositoryUrl(call.world, call.repository)}/git/trees/${sha}`,
        tree: shown.map((entry) => writeTreeEntry(call.world, call.repository, entry)),
        truncated: shown.length < entries.length,
      });
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/git/blobs/:sha',
    for: 'repository',
    needs: CONTENTS,
    handle: async (call) => {
      const sha = call.params.sha ?? '';
      const { git } = call.repository;
      if ((await objectType(git, sha)) !== 'blob') throw notFound();
      const size = await blobSize(git, sha);
      if (size > 100 * 1024 * 1024)
        throw new Refusal(403, 'This API returns blobs up to 100 MB in size.', {
          errors: [{ resource: 'Blob', field: 'data', code: 'too_large' }],
        });
      const bytes = await readBlob(git, sha);
      if (wants(call, 'raw')) return raw(bytes);
      return ok({
        sha,
        node_id: nodeIdOf('B', sha),
        size,
        url: `${repositoryUrl(call.world, call.repository)}/git/blobs/${sha}`,
        content: base64Lines(bytes),
        encoding: 'base64',
      });
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/git/commits/:sha',
    for: 'repository',
    needs: CONTENTS,
    handle: async (call) => {
      const sha = call.params.sha ?? '';
      if ((await objectType(call.repository.git, sha)) !== 'commit') throw notFound();
      return ok(writeGitCommit(call.world, call.repository, await readCommit(call.repository.git, sha)));
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/git/ref/*ref',
    for: 'repository',
    needs: CONTENTS,
    handle: async (call) => {
      const ref = `refs/${call.params.ref ?? ''}`;
      const sha = await resolveCommit(call.repository.git, ref);
      if (sha === null) throw notFound();
      return ok(writeRef(call, ref, sha));
    },
  },
  {
    method: 'PATCH',
    pattern: '/repos/:owner/:repo/git/refs/*ref',
    for: 'repository',
    needs: ['contents=write'],
    handle: async (call) => {
      const branch = /^heads\/(.+)$/.exec(call.params.ref ?? '')?.[1];
      const fields = fieldsOf(call);
      const sha = requiredString(fields, 'sha', 'Reference');
      if (branch === undefined) throw invalid('Reference', 'ref', 'invalid');
      return inTurn(call.repository, async () => {
        const { git } = call.repository;
        const tip = await branchTip(git, branch);
        if (tip === null) throw new Refusal(422, 'Reference does not exist');
        if ((await objectType(git, sha)) !== 'commit') throw new Refusal(422, 'Object does not exist');
        if (fields.force !== true && (await mergeBase(git, tip, sha)) !== tip)
          throw new Refusal(422, 'Update is not a fast forward');
        await pushExisting(call.world, call.repository, branch, sha, call.actor.account);
        return ok(writeRef(call, `refs/heads/${branch}`, sha));
      });
    },
  },
  {
    method: 'POST',
    pattern: '/repos/:owner/:repo/git/refs',
    for: 'repository',
    needs: ['contents=write'],
    handle: async (call) => {
      const fields = fieldsOf(call);
      const ref = requiredString(fields, 'ref', 'Reference');
      const sha = requiredString(fields, 'sha', 'Reference');
      const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1];
      if (branch === undefined) throw new Refusal(422, 'Reference name must begin with refs/heads/');
      return inTurn(call.repository, async () => {
        const { git } = call.repository;
        if ((await branchTip(git, branch)) !== null) throw new Refusal(422, 'Reference already exists');
        if ((await objectType(git, sha)) !== 'commit') throw new Refusal(422, 'Object does not exist');
        await pushExisting(call.world, call.repository, branch, sha, call.actor.account);
        return created(writeRef(call, ref, sha));
      });
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/branches/*branch',
    for: 'repository',
    needs: CONTENTS,
    handle: async (call) => {
      const name = call.params.branch ?? '';
      const sha = await branchTip(call.repository.git, name);
      if (sha === null) throw new Refusal(404, 'Branch not found');
      const required = call.repository.requiredChecks;
      const guarded = name === call.repository.defaultBranch && required.length > 0;
      const url = `${repositoryUrl(call.world, call.repository)}/branches/${encodePath(name)}`;
      return ok({
        name,
        commit: writeCommit(call.world, call.repository, await readCommit(call.repository.git, sha)),
        _links: { self: url, html: `${htmlUrl(call.world, call.repository)}/tree/${encodePath(name)}` },
        protected: guarded,
        protection: {
          enabled: guarded,
          required_status_checks: {
            enforcement_level: guarded ? 'everyone' : 'off',
            contexts: guarded ? required.map((one) => (typeof one === 'string' ? one : one.name)) : [],
            checks: guarded
              ? required.map((one) =>
                  typeof one === 'string'
                    ? { context: one, app_id: null }
                    : { context: one.name, app_id: one.app },
                )
              : [],
          },
        },
        protection_url: `${url}/protection`,
      });
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/commits',
    for: 'repository',
    needs: CONTENTS,
    handle: async (call) => {
      const ref = call.query.get('sha') ?? call.repository.defaultBranch;
      const sha = await resolveCommit(call.repository.git, ref);
      if (sha === null) throw notFound();
      const path = call.query.get('path');
      const commits = await readCommits(call.repository.git, [
        '--max-count=1000',
        sha,
        ...(path === null ? [] : ['--', `:(literal)${path}`]),
      ]);
      return page(call, commits, (commit) => writeCommit(call.world, call.repository, commit));
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/commits/:sha/pulls',
    for: 'repository',
    needs: ['pull_requests=read', 'contents=read'],
    handle: async (call) => {
      const sha = await resolveCommit(call.repository.git, call.params.sha ?? '');
      if (sha === null) throw new Refusal(422, `No commit found for SHA: ${call.params.sha ?? ''}`);
      const pulls = [...call.repository.pulls.values()].filter((pull) => pull.heads.includes(sha));
      return page(call, pulls, (pull) => writePull(call.world, call.repository, pull));
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/commits/*ref',
    for: 'repository',
    needs: CONTENTS,
    handle: async (call) => {
      const ref = call.params.ref ?? '';
      const sha = await resolveCommit(call.repository.git, ref);
      if (sha === null) throw new Refusal(422, `No commit found for SHA: ${ref}`);
      if (wants(call, 'sha')) return raw(Buffer.from(sha), 'application/vnd.github.sha; charset=utf-8');
      const commit = await readCommit(call.repository.git, sha);
      const [parent] = commit.parents;
      if (wants(call, 'diff'))
        return raw(await readDiffText(call.repository.git, parent ?? null, sha), DIFF_TYPE);
      const change = await changeBetween(call.world, call.repository, parent ?? null, sha);
      return ok({
        ...writeCommit(call.world, call.repository, commit),
        stats: {
          total: change.additions + change.deletions,
          additions: change.additions,
          deletions: change.deletions,
        },
        files: change.files
          .slice(0, call.world.limits.comparedFiles)
          .map((file) => writeFile(call.world, call.repository, sha, file)),
      });
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/compare/*basehead',
    for: 'repository',
    needs: CONTENTS,
    handle: (call) => compare(call),
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/contents',
    for: 'repository',
    needs: CONTENTS,
    handle: (call) => contents(call, ''),
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/contents/*path',
    for: 'repository',
    needs: CONTENTS,
    handle: (call) => contents(call, (call.params.path ?? '').replace(/\/+$/, '')),
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/readme',
    for: 'repository',
    needs: CONTENTS,
    handle: async (call) => {
      const sha = await commitAsked(call);
      const entries = await readTree(call.repository.git, sha, false);
      const readme = entries.find((entry) => entry.type === 'blob' && /^readme(\.|$)/i.test(entry.path));
      if (readme === undefined) throw notFound();
      return contents(call, readme.path);
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/codeowners/errors',
    for: 'repository',
    needs: CONTENTS,
    handle: async (call) => {
      const { world, repository } = call;
      const errors = await readCodeownersErrors(repository.git, await commitAsked(call), (owner) => {
        // Teams are not kept here: one of the owner's organization is taken as known.
        const [login = '', team] = owner.split('/');
        const account = world.accounts.get(login.toLowerCase());
        if (team !== undefined) return account === repository.owner && account.type === 'Organization';
        return account !== undefined && !account.gone && canWrite(repository, account);
      });
      if (errors === null) throw notFound();
      return ok({ errors });
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/tarball',
    for: 'repository',
    needs: CONTENTS,
    handle: (call) => redirectToArchive(call, call.repository.defaultBranch),
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/tarball/*ref',
    for: 'repository',
    needs: CONTENTS,
    handle: (call) => redirectToArchive(call, call.params.ref ?? ''),
  },
  {
    method: 'GET',
    pattern: '/_codeload/repos/:owner/:repo/legacy.tar.gz/*ref',
    for: 'repository',
    needs: CONTENTS,
    handle: async (call) => {
      const sha = await resolveCommit(call.repository.git, call.params.ref ?? '');
      if (sha === null) throw notFound();
      const name = `${call.repository.owner.login}-${call.repository.name}-${sha.slice(0, 7)}`;
      const bytes = await call.repository.git.run(['archive', '--format=tar.gz', `--prefix=${name}/`, sha]);
      return {
        status: 200,
        headers: {
          'content-type': 'application/x-gzip',
          'content-disposition': `attachment; filename=${name}.tar.gz`,
        },
        body: bytes,
      };
    },
  },
];

export const DIFF_TYPE = 'application/vnd.github.v3.diff; charset=utf-8';

/** The media type asked for: `application/vnd.github.raw+json`, `application/vnd.github.v3.diff`, ... */
export const wants = (call: RepositoryCall, type: 'raw' | 'diff' | 'patch' | 'sha'): boolean =>
  new RegExp(`application/vnd\\.github(\\.v3)?\\.${type}\\b`).test(call.headers.accept ?? '');

export const raw = (bytes: Buffer, type = 'application/vnd.github.raw; charset=utf-8'): Reply => ({
  status: 200,
  headers: { 'content-type': type },
  body: bytes,
});

const redirectToArchive = async (call: RepositoryCall, ref: string): Promise<Reply> => {
  const sha = await resolveCommit(call.repository.git, ref);
  if (sha === null) throw notFound();
  const to = `${call.world.url}/_codeload/repos/${fullName(call.repository)}/legacy.tar.gz/${sha}`;
  // On GitHub the address carries a short-lived token of its own, so that a client that drops the
  // authorization header on redirects still gets the archive.
  const token = call.actor.token?.value;
  return { status: 302, headers: { location: token === undefined ? to : `${to}?token=${token}` } };
};

const writeRef = (call: RepositoryCall, ref: string, sha: string) => ({
  ref,
  node_id: nodeIdOf('REF', ref),
  url: `${repositoryUrl(call.world, call.repository)}/git/${ref}`,
  object: {
    sha,
    type: 'commit',
    url: `${repositoryUrl(call.world, call.repository)}/git/commits/${sha}`,
  },
});

/** GitHub breaks base64 after sixty characters. */
const base64Lines = (bytes: Buffer): string => {
  const all = bytes.toString('base64');
  return all === '' ? '' : `${(all.match(/.{1,60}/g) ?? []).join('\n')}\n`;
};

const commitAsked = async (call: RepositoryCall): Promise<string> => {
  const ref = call.query.get('ref') ?? call.repository.defaultBranch;
  const sha = await resolveCommit(call.repository.git, ref);
  if (sha === null) throw new Refusal(404, `No commit found for the ref ${ref}`);
  return sha;
};

const MEGABYTE = 1024 * 1024;
const LISTED_ENTRIES = 1000;

/** https://docs.github.com/en/rest/repos/contents#get-repository-content */
const contents = async (call: RepositoryCall, path: string): Promise<Reply> => {
  const sha = await commitAsked(call);
  const { git } = call.repository;
  if (path === '') return listFolder(call, sha, path);
  const entry = await entryAt(git, sha, path);
  if (entry === null) throw notFound();
  if (entry.type === 'tree') return listFolder(call, sha, path);
  const common = contentOf(call, sha, path, entry);
  if (entry.type === 'commit')
    return ok({
      ...common,
      type: 'submodule',
      size: 0,
      submodule_git_url: await submoduleUrl(call, sha, path),
    });
  const size = entry.size ?? 0;
  if (entry.mode === '120000') {
    const target = (await readBlob(git, entry.sha)).toString('utf8');
    // A link to a file of this repository is answered with that file.
    const to = resolvePath(path, target);
    const followed = to === null ? null : await entryAt(git, sha, to);
    if (followed?.type === 'blob' && followed.mode !== '120000')
      return fileContent(call, followed, {
        ...common,
        size: followed.size ?? 0,
        sha: followed.sha,
        git_url: `${repositoryUrl(call.world, call.repository)}/git/blobs/${followed.sha}`,
      });
    if (wants(call, 'raw')) return raw(Buffer.from(target));
    return ok({ ...common, type: 'symlink', size, target });
  }
  return fileContent(call, entry, { ...common, size });
};

const fileContent = async (
  call: RepositoryCall,
  entry: Entry,
  common: Readonly<Record<string, unknown>>,
): Promise<Reply> => {
  const size = entry.size ?? 0;
  if (size > 100 * MEGABYTE)
    throw new Refusal(403, 'This API returns blobs up to 100 MB in size.', {
      errors: [{ resource: 'Blob', field: 'data', code: 'too_large' }],
    });
  const bytes = await readBlob(call.repository.git, entry.sha);
  if (wants(call, 'raw')) return raw(bytes);
  // Between 1 and 100 MB only the raw media type carries the content.
  const content =
    size > MEGABYTE ? { content: '', encoding: 'none' } : { content: base64Lines(bytes), encoding: 'base64' };
  return ok({ ...common, type: 'file', ...content });
};

const listFolder = async (call: RepositoryCall, sha: string, path: string): Promise<Reply> => {
  const entries = await readTree(call.repository.git, path === '' ? sha : `${sha}:${path}`, false);
  return ok(
    entries.slice(0, LISTED_ENTRIES).map((entry) => {
      const full = path === '' ? entry.path : `${path}/${entry.path}`;
      return {
        ...contentOf(call, sha, full, entry),
        // A listing gives submodules as files, for old clients' sake.
        type: entry.type === 'tree' ? 'dir' : entry.mode === '120000' ? 'symlink' : 'file',
        size: entry.size ?? 0,
      };
    }),
  );
};

const contentOf = (call: RepositoryCall, commit: string, path: string, entry: Entry) => {
  const ref = call.query.get('ref') ?? call.repository.defaultBranch;
  const url = `${repositoryUrl(call.world, call.repository)}/contents/${encodePath(path)}?ref=${encodeURIComponent(ref)}`;
  const git = `${repositoryUrl(call.world, call.repository)}/git/${entry.type === 'tree' ? 'trees' : 'blobs'}/${entry.sha}`;
  const html = `${htmlUrl(call.world, call.repository)}/${entry.type === 'tree' ? 'tree' : 'blob'}/${encodePath(ref)}/${encodePath(path)}`;
  return {
    name: path.split('/').at(-1) ?? path,
    path,
    sha: entry.sha,
    url,
    html_url: html,
    git_url: git,
    download_url:
      entry.type === 'blob'
        ? `${htmlUrl(call.world, call.repository)}/raw/${commit}/${encodePath(path)}`
        : null,
    _links: { self: url, git, html },
  };
};

const submoduleUrl = async (call: RepositoryCall, commit: string, path: string): Promise<string> => {
  const { git } = call.repository;
  const modules = await entryAt(git, commit, '.gitmodules');
  if (modules?.type !== 'blob') return 'https://example.invalid/unknown.git';
  const body = (await readBlob(git, modules.sha)).toString('utf8');
  let here = '';
  for (const line of body.split('\n')) {
    const [, key, value] = /^\s*(path|url)\s*=\s*(.+?)\s*$/.exec(line) ?? [];
    if (/^\s*\[submodule/.test(line)) here = '';
    if (key === 'path') here = value ?? '';
    if (key === 'url' && here === path && value !== undefined) return value;
  }
  return 'https://example.invalid/unknown.git';
};

/** Where a link leads, by its text alone; a way out of the repository leads nowhere. */
const resolvePath = (link: string, target: string): string | null => {
  if (target.startsWith('/')) return null;
  const parts = link.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '..') {
      if (parts.length === 0) return null;
      parts.pop();
    } else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.length === 0 ? null : parts.join('/');
};

/** https://docs.github.com/en/rest/commits/commits#compare-two-commits */
const compare = async (call: RepositoryCall): Promise<Reply> => {
  const { world, repository } = call;
  const { git } = repository;
  const [baseName = '', headName = ''] = (call.params.basehead ?? '').split('...');
  const bare = (name: string) => name.replace(/^[^:/]+:/, '');
  const [base, head] = await Promise.all([
    resolveCommit(git, bare(baseName)),
    resolveCommit(git, bare(headName)),
  ]);
  if (base === null || head === null) throw notFound();
  const common = await mergeBase(git, base, head);
  if (common === null) throw new Refusal(404, `No common ancestor between ${baseName} and ${headName}.`);
  if (wants(call, 'diff')) return raw(await readDiffText(git, common, head), DIFF_TYPE);
  const [ahead, behind] = await Promise.all([countCommits(git, base, head), countCommits(git, head, base)]);
  const commits = await readCommits(git, ['--reverse', `${base}..${head}`]);
  // Without paging asked for, the first 250 commits; with it, pages of them. Files stand on the first page only.
  const paged = call.query.has('page') || call.query.has('per_page');
  const { slice, headers } = paged ? pageOf(call, commits) : { slice: commits.slice(0, 250), headers: {} };
  const first = Number(call.query.get('page') ?? 1) <= 1;
  const change = first ? await changeBetween(world, repository, common, head) : null;
  const url = `${repositoryUrl(world, repository)}/compare/${encodePath(baseName)}...${encodePath(headName)}`;
  const html = `${htmlUrl(world, repository)}/compare/${encodePath(baseName)}...${encodePath(headName)}`;
  return {
    status: 200,
    headers,
    body: {
      url,
      html_url: html,
      permalink_url: `${htmlUrl(world, repository)}/compare/${base}...${head}`,
      diff_url: `${html}.diff`,
      patch_url: `${html}.patch`,
      base_commit: writeCommit(world, repository, await readCommit(git, base)),
      merge_base_commit: writeCommit(world, repository, await readCommit(git, common)),
      status:
        ahead > 0 && behind > 0 ? 'diverged' : ahead > 0 ? 'ahead' : behind > 0 ? 'behind' : 'identical',
      ahead_by: ahead,
      behind_by: behind,
      total_commits: ahead,
      commits: slice.map((commit) => writeCommit(world, repository, commit)),
      files: (change?.files ?? [])
        .slice(0, world.limits.comparedFiles)
        .map((file) => writeFile(world, repository, head, file)),
    },
  };
};
