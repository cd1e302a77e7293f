import { execFileSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { Parser } from 'tar';
import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';
import { type Api, apiOfApp, type Json } from './api.js';

const BIG = 'x'.repeat(1024 * 1024 + 1);

describe('what git holds', () => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  let api: Api;
  let head: string;
  beforeAll(async () => {
    github = await startLocalGitHub();
    repository = await github.createRepository({
      owner: 'octo-org',
      name: 'shop',
      files: {
        'README.md': '# Shop\n',
        'src/a.ts': 'one\ntwo\nthree\n',
        'src/ünï code.ts': 'é\n',
        'docs/link': { symlink: '../src/a.ts' },
        'docs/out': { symlink: '../../outside' },
        'vendor/lib': { submodule: '1'.repeat(40) },
        '.gitmodules': '[submodule "lib"]\n\tpath = vendor/lib\n\turl = https://example.invalid/lib.git\n',
        'secret/guard.ts': 'guard\n',
        '.gitattributes': 'secret export-ignore\nversion.txt export-subst\n',
        'version.txt': '$Format:%H$\n',
        'run.sh': { mode: '100755', content: '#!/bin/sh\n' },
        'big.json': BIG,
        'logo.png': Buffer.from([0x89, 0x50, 0, 0xff]),
      },
    });
    head = await repository.commit({
      branch: 'feature/slash',
      files: { 'src/a.ts': 'one\nTWO\nthree\n', 'src/new.ts': 'n\n', 'run.sh': { mode: '100644' } },
      message: 'Change a\n\nAnd why.',
      author: 'octocat',
    });
    await repository.openPullRequest({ head: 'feature/slash', title: 'Change a' });
    api = await apiOfApp(github);
  });
  afterAll(() => github.close());

  const git = (...args: string[]) =>
    execFileSync('git', ['--git-dir', repository.gitDir, ...args], {
      env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
      maxBuffer: 1 << 26,
    }).toString('utf8');

  test('the repository is a real one: git itself finds it sound and agrees on the head', () => {
    expect(git('fsck', '--strict')).not.toMatch(/error/);
    expect(git('rev-parse', 'refs/heads/feature/slash').trim()).toBe(head);
    expect(git('rev-parse', 'refs/pull/1/head').trim()).toBe(head);
  });

  test('the tree, recursive, folders and submodules included', async () => {
    const answer = await api('GET', `/repos/octo-org/shop/git/trees/${head}?recursive=1`);
    const rows = Object.fromEntries(answer.data.tree.map((entry: Json) => [entry.path, entry]));
    expect(rows['src']).toMatchObject({ type: 'tree', mode: '040000' });
    expect(rows['vendor/lib']).toMatchObject({ type: 'commit', mode: '160000', sha: '1'.repeat(40) });
    expect(rows['docs/link']).toMatchObject({ type: 'blob', mode: '120000', size: 11 });
    expect(rows['src/ünï code.ts'].size).toBe(3);
    expect(answer.data.truncated).toBe(false);
    expect(answer.data.sha).toBe(git('rev-parse', `${head}^{tree}`).trim());
  });

  test('a tree that is too long says so', async () => {
    const own = await startLocalGitHub({ limits: { treeEntries: 2 } });
    await own.createRepository({ owner: 'octo-org', name: 'shop', files: { a: '1', b: '2', c: '3' } });
    const answer = await (await apiOfApp(own))('GET', '/repos/octo-org/shop/git/trees/main?recursive=1');
    await own.close();
    expect([answer.data.truncated, answer.data.tree.length]).toEqual([true, 2]);
  });

  test('a blob by id, as JSON and raw', async () => {
    const sha = git('rev-parse', `${head}:logo.png`).trim();
    const json = await api('GET', `/repos/octo-org/shop/git/blobs/${sha}`);
    expect(Buffer.from(json.data.content as string, 'base64')).toEqual(Buffer.from([0x89, 0x50, 0, 0xff]));
    const raw = await api('GET', `/repos/octo-org/shop/git/blobs/${sha}`, undefined, {
      accept: 'application/vnd.github.raw+json',
    });
    expect(raw.bytes).toEqual(Buffer.from([0x89, 0x50, 0, 0xff]));
    expect((await api('GET', `/repos/octo-org/shop/git/blobs/${head}`)).status).toBe(404);
  });

  test.each([
    ['a file', 'src/a.ts', { type: 'file', encoding: 'base64', size: 14 }],
    ['a file with an odd name', 'src/%C3%BCn%C3%AF%20code.ts', { type: 'file', path: 'src/ünï code.ts' }],
    ['a file above 1 MB', 'big.json', { type: 'file', encoding: 'none', content: '', size: BIG.length }],
    ['a link inside, followed', 'docs/link', { type: 'file', path: 'docs/link', size: 14 }],
    ['a link that leads out', 'docs/out', { type: 'symlink', target: '../../outside' }],
    [
      'a submodule',
      'vendor/lib',
      { type: 'submodule', submodule_git_url: 'https://example.invalid/lib.git' },
    ],
  ])('contents of %s', async (_, path, wanted) => {
    const answer = await api('GET', `/repos/octo-org/shop/contents/${path}`);
    expect(answer.data).toMatchObject(wanted);
  });

  test('contents of a folder, of nothing, and raw at a ref', async () => {
    const folder = await api('GET', '/repos/octo-org/shop/contents/vendor');
    // A listing calls a submodule a file.
    expect(folder.data).toMatchObject([{ name: 'lib', type: 'file', size: 0 }]);
    expect((await api('GET', '/repos/octo-org/shop/contents/nothing')).status).toBe(404);
    const raw = await api('GET', '/repos/octo-org/shop/contents/src/a.ts?ref=feature/slash', undefined, {
      accept: 'application/vnd.github.raw',
    });
    expect(raw.bytes.toString()).toBe('one\nTWO\nthree\n');
  });

  test('the archive is behind a redirect and follows .gitattributes', async () => {
    const first = await api('GET', '/repos/octo-org/shop/tarball/feature%2Fslash');
    expect(first.status).toBe(302);
    const location = first.headers.get('location') ?? '';
    const bytes = Buffer.from(await (await fetch(location)).arrayBuffer());
    const files = new Map<string, string>();
    await new Promise<void>((resolve, reject) => {
      const parser = new Parser({
        onReadEntry: (entry) => {
          const chunks: Buffer[] = [];
          entry.on('data', (chunk: Buffer) => chunks.push(chunk));
          entry.on('end', () => files.set(String(entry.path), Buffer.concat(chunks).toString('utf8')));
        },
      });
      parser.on('end', () => resolve());
      parser.on('error', reject);
      Readable.from([bytes]).pipe(parser);
    });
    const prefix = `octo-org-shop-${head.slice(0, 7)}/`;
    expect(files.get(`${prefix}src/a.ts`)).toBe('one\nTWO\nthree\n');
    expect(files.get(`${prefix}version.txt`)).toBe(`${head}\n`);
    expect([...files.keys()].filter((path) => path.includes('secret/'))).toEqual([]);
  });

  test('a comparison stands on the merge base', async () => {
    const answer = await api('GET', '/repos/octo-org/shop/compare/main...feature%2Fslash');
    expect(answer.data).toMatchObject({ status: 'ahead', ahead_by: 1, behind_by: 0, total_commits: 1 });
    expect(answer.data.merge_base_commit.sha).toBe(git('rev-parse', 'main').trim());
    expect(answer.data.files.map((file: Json) => [file.filename, file.status])).toEqual([
      ['run.sh', 'modified'],
      ['src/a.ts', 'modified'],
      ['src/new.ts', 'added'],
    ]);
    expect((await api('GET', '/repos/octo-org/shop/compare/main...nowhere')).status).toBe(404);
  });

  test('commits, refs and branches', async () => {
    const commit = await api('GET', '/repos/octo-org/shop/commits/feature%2Fslash');
    expect(commit.data).toMatchObject({ sha: head, stats: { additions: 2, deletions: 1, total: 3 } });
    expect(commit.data.commit.message).toBe('Change a\n\nAnd why.');
    expect((await api('GET', `/repos/octo-org/shop/git/commits/${head}`)).data.parents).toHaveLength(1);
    expect((await api('GET', '/repos/octo-org/shop/git/ref/heads/feature/slash')).data.object.sha).toBe(head);
    const branch = await api('GET', '/repos/octo-org/shop/branches/feature%2Fslash');
    expect([branch.data.commit.sha, branch.data.protected]).toEqual([head, false]);
    expect((await api('GET', '/repos/octo-org/shop/commits?sha=feature/slash')).data).toHaveLength(2);
    expect((await api('GET', `/repos/octo-org/shop/commits/${head}/pulls`)).data[0].number).toBe(1);
    expect((await api('GET', '/repos/octo-org/shop/readme')).data.name).toBe('README.md');
    expect((await api('GET', '/repos/octo-org/shop/commits/--all')).status).toBe(422);
  });

  test('the pull request, its files and its diff agree with git', async () => {
    const first = await api('GET', '/repos/octo-org/shop/pulls/1');
    expect([first.data.mergeable, first.data.mergeable_state]).toEqual([null, 'unknown']);
    const pull = await api('GET', '/repos/octo-org/shop/pulls/1');
    expect(pull.data).toMatchObject({
      changed_files: 3,
      additions: 2,
      deletions: 1,
      commits: 1,
      mergeable: true,
    });
    const files = await api('GET', '/repos/octo-org/shop/pulls/1/files');
    expect(files.data.find((file: Json) => file.filename === 'src/a.ts').sha).toBe(
      git('rev-parse', `${head}:src/a.ts`).trim(),
    );
    // A changed mode has no patch.
    expect('patch' in files.data.find((file: Json) => file.filename === 'run.sh')).toBe(false);
    const diff = await api('GET', '/repos/octo-org/shop/pulls/1', undefined, {
      accept: 'application/vnd.github.v3.diff',
    });
    expect(diff.bytes.toString()).toBe(git('diff', '-M', 'main...feature/slash'));
    expect((await api('GET', '/repos/octo-org/shop/pulls/1/commits')).data[0].sha).toBe(head);
  });
});

describe('a large change', () => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  let api: Api;
  beforeAll(async () => {
    github = await startLocalGitHub({
      limits: {
        diffFiles: 30,
        diffLines: 400,
        listedFiles: 35,
        comparedFiles: 20,
        patch: { lines: 50, bytes: 500 },
      },
    });
    repository = await github.createRepository({
      owner: 'octo-org',
      name: 'shop',
      files: { 'a.ts': 'one\n' },
    });
    api = await apiOfApp(github);
  });
  afterAll(() => github.close());

  const open = async (branch: string, files: Record<string, string>) => {
    await repository.commit({ branch, from: 'main', files, message: branch });
    return repository.openPullRequest({ head: branch, title: branch });
  };
  const diffOf = (number: number) =>
    api('GET', `/repos/octo-org/shop/pulls/${number}`, undefined, { accept: 'application/vnd.github.diff' });

  test('too many files: 406, a list cut at its cap, paged with links', async () => {
    const number = await open(
      'files',
      Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`f/${at}`, 'x\n'])),
    );
    const diff = await diffOf(number);
    expect([diff.status, diff.data.errors[0].code]).toEqual([406, 'too_large']);
    const first = await api('GET', `/repos/octo-org/shop/pulls/${number}/files?per_page=20`);
    expect(first.headers.get('link')).toMatch(/<[^>]*[?&]page=2>; rel="next", <[^>]*[?&]page=2>; rel="last"/);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await api('GET', next);
    expect([first.data.length, second.data.length]).toEqual([20, 15]);
    expect((await api('GET', `/repos/octo-org/shop/pulls/${number}`)).data.changed_files).toBe(40);
    expect((await api('GET', '/repos/octo-org/shop/compare/main...files')).data.files).toHaveLength(20);
  });

  test('too many lines: 406, and a file too large has no patch and takes no comment', async () => {
    const number = await open('lines', {
      big: 'line\n'.repeat(420),
      wide: `${'w'.repeat(600)}\n`,
      small: 's\n',
    });
    expect((await diffOf(number)).status).toBe(406);
    const files = await api('GET', `/repos/octo-org/shop/pulls/${number}/files`);
    expect(files.data.map((file: Json) => [file.filename, file.additions, 'patch' in file])).toEqual([
      ['big', 420, false],
      ['small', 1, true],
      ['wide', 1, false],
    ]);
    const refused = await api('POST', `/repos/octo-org/shop/pulls/${number}/reviews`, {
      event: 'COMMENT',
      comments: [{ path: 'big', line: 1, body: 'x' }],
    });
    expect(refused.status).toBe(422);
  });
});
