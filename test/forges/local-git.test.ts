import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commentable } from '../../lib/core/diff.js';
import { openLocalGit, type LocalGitOptions, type OpenedLocalGit } from '../../lib/forges/local-git.js';
import { silentLog } from '../../lib/ports/log.js';
import { createGitRepository, type GitRepository } from './git-repository.js';
import { describeReaderContract } from './reader-contract.js';

describeReaderContract('local git', async ({ base, head, neverSend }) => {
  const repository = createGitRepository();
  repository.git('config', 'core.autocrlf', 'false');
  repository.stageAll(base);
  repository.commit('base');
  repository.git('checkout', '-q', '-b', 'change');
  repository.stageAll(head);
  repository.commit('head');
  const opened = await openLocalGit({ dir: repository.dir, head: 'change', neverSend, log: silentLog });
  return {
    reader: opened.reader,
    requests: () => 0,
    close: async () => {
      await opened.close();
      repository.remove();
    },
  };
});

describe('a local repository', () => {
  let repository: GitRepository;
  let opened: OpenedLocalGit[];
  const open = async (options: Partial<LocalGitOptions> = {}): Promise<OpenedLocalGit> => {
    const one = await openLocalGit({ dir: repository.dir, log: silentLog, ...options });
    opened.push(one);
    return one;
  };
  const files = ({ snapshot }: OpenedLocalGit): string[] =>
    snapshot.diff.map(({ path, status }) => `${status} ${path}`).sort();
  const linesAt = async ({ reader }: OpenedLocalGit, ref: 'head' | 'base', path: string) => {
    const file = await reader.read(ref, path);
    return file.kind === 'text' ? file.lines : file.kind;
  };

  beforeEach(() => {
    opened = [];
    repository = createGitRepository();
    repository.write('a.ts', 'one\ntwo\nthree\n');
    repository.write('b.ts', 'kept\n');
    repository.write('.gitignore', 'ignored/\n');
    repository.git('add', '.');
    repository.commit('first');
  });
  afterEach(async () => {
    for (const one of opened) await one.close();
    repository.remove();
  });

  test('settings and rules are those of the base, whatever the work tree says', async () => {
    repository.write('.github/evident.yml', 'language: de\npaths: { skip: [dist/**] }\nlang: x\n');
    repository.write('REVIEW.md', 'Be kind.\n');
    repository.write('src/REVIEW.md', 'Sources.\n');
    repository.write('.gitattributes', '*.pb.ts linguist-generated\n');
    repository.git('add', '.');
    repository.commit('settings');
    repository.git('checkout', '-q', '-b', 'change');
    repository.write('.github/evident.yml', 'language: fr\n');
    repository.write('src/a.pb.ts', 'x\n');
    const { snapshot } = await open();
    expect(snapshot.policy.review).toMatchObject({ language: 'de', skip: ['dist/**'] });
    expect(snapshot.policy.problems).toMatchObject([{ line: 3, path: 'lang' }]);
    expect(snapshot.policy.source).toMatch(/^\.github\/evident\.yml at main@[0-9a-f]{7}$/);
    expect(snapshot.reviewRules).toBe('Be kind.\n\n# For files in `src/`\n\nSources.');
    expect(snapshot.editedByPull).toEqual(['.github/evident.yml']);
    expect(snapshot.diff.find(({ path }) => path === 'src/a.pb.ts')?.generated).toBe('`.gitattributes`');
  });

  describe('what is compared', () => {
    beforeEach(() => {
      repository.git('checkout', '-q', '-b', 'work');
      repository.write('a.ts', 'one\n2\nthree\n');
      repository.git('commit', '-q', '-a', '-m', 'Change two');
      repository.write('b.ts', 'kept\nand more\n');
      repository.git('add', 'b.ts');
      repository.write('new.ts', 'untracked\n');
      repository.write('ignored/x', 'not seen');
      repository.git('checkout', '-q', '-b', 'other', 'main');
      repository.git('checkout', '-q', 'work');
    });

    test('with no arguments: from the merge base with main to the work tree', async () => {
      repository.git(
        'update-ref',
        'refs/heads/main',
        repository.git('commit-tree', '-p', 'main', '-m', 'moved on', 'main^{tree}'),
      );
      const one = await open();
      expect(files(one)).toEqual(['added new.ts', 'modified a.ts', 'modified b.ts']);
      expect(one.comparison).toMatchObject({
        base: 'main',
        head: 'work',
        uncommitted: 2,
        files: 3,
        additions: 3,
        deletions: 1,
        sentence: 'main...work and 2 uncommitted files',
      });
      expect(one.snapshot.pullRequest).toMatchObject({
        number: 0,
        title: 'Change two',
        author: { login: 'you', kind: 'person' },
        mergeBase: repository.git('rev-parse', 'main~'),
        base: { ref: 'main', sha: repository.git('rev-parse', 'main') },
        commits: 1,
        changedFiles: 3,
      });
      expect(await linesAt(one, 'head', 'b.ts')).toEqual(['kept', 'and more']);
      expect(await linesAt(one, 'base', 'b.ts')).toEqual(['kept']);
      expect(await linesAt(one, 'head', 'new.ts')).toEqual(['untracked']);
      expect(await linesAt(one, 'base', 'new.ts')).toBe('missing');
      expect(commentable(one.snapshot.diff)).toContainEqual({ path: 'new.ts', side: 'RIGHT', line: 1 });
    });

    test('staged: the index alone, from the last commit', async () => {
      const one = await open({ staged: true });
      expect(files(one)).toEqual(['modified b.ts']);
      expect(one.comparison.sentence).toBe('1 staged file');
      expect(await linesAt(one, 'head', 'new.ts')).toBe('missing');
    });

    test('staged with a base: from the merge base to the index', async () => {
      expect(files(await open({ staged: true, base: 'main' }))).toEqual(['modified a.ts', 'modified b.ts']);
    });

    test('a head: commits alone', async () => {
      const one = await open({ base: 'main', head: 'work' });
      expect(files(one)).toEqual(['modified a.ts']);
      expect(one.comparison.sentence).toBe('main...work');
      expect(one.snapshot.pullRequest.head.sha).toBe(repository.git('rev-parse', 'work'));
    });

    test('the remote names the default branch before any local one does', async () => {
      repository.git('update-ref', 'refs/remotes/origin/trunk', 'work');
      repository.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk');
      const one = await open();
      expect([one.comparison.base, files(one)]).toEqual(['trunk', ['added new.ts', 'modified b.ts']]);
      expect(one.snapshot.pullRequest.title).toBe('Uncommitted changes');
    });

    test('from a folder inside, and from a linked work tree', async () => {
      repository.write('deep/er/x.ts', 'x\n');
      expect(files(await open({ dir: join(repository.dir, 'deep/er') }))).toContain('modified a.ts');
      const linked = `${repository.dir}-linked`;
      repository.git('worktree', 'add', '-q', '-b', 'side', linked, 'main');
      try {
        writeFileSync(join(linked, 'side.ts'), 'x\n');
        expect(files(await open({ dir: linked }))).toEqual(['added side.ts']);
      } finally {
        rmSync(linked, { recursive: true });
      }
    });

    test('nothing of the repository is written', async () => {
      const state = () => ({
        index: readFileSync(join(repository.dir, '.git/index')).toString('base64'),
        objects: readdirSync(join(repository.dir, '.git/objects'), { recursive: true }).sort(),
        refs: repository.git('for-each-ref'),
        files: readdirSync(join(repository.dir, '.git')).sort(),
      });
      const before = state();
      const one = await open();
      await one.reader.search({ ref: 'head', pattern: 'untracked', limit: 5 });
      expect(state()).toEqual(before);
      await one.close();
      expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`evident-git-${process.pid}-`))).toEqual(
        [],
      );
    });
  });

  describe('the work tree', () => {
    test('is read as it stands: deleted, renamed, links, modes, folders in the place of files', async () => {
      repository.write('old/name.ts', '1\n2\n3\n4\n5\n6\n');
      repository.write('gone/x', 'x\n');
      repository.write('file', 'f\n');
      repository.write('run.sh', '#!/bin/sh\n');
      repository.write('odd "\t\n name é', 'odd\n');
      repository.git('add', '-A');
      repository.commit('second');
      repository.git('branch', '-f', 'base');
      rmSync(join(repository.dir, 'gone'), { recursive: true });
      repository.write('gone', 'now a file\n');
      rmSync(join(repository.dir, 'file'));
      repository.write('file/inside', 'now a folder\n');
      rmSync(join(repository.dir, 'old'), { recursive: true });
      repository.write('new/name.ts', '1\n2\n3\n4\n5\n6\n');
      chmodSync(join(repository.dir, 'run.sh'), 0o755);
      rmSync(join(repository.dir, 'b.ts'));
      symlinkSync('/etc/passwd', join(repository.dir, 'b.ts'));
      rmSync(join(repository.dir, 'a.ts'));
      repository.write('odd "\t\n name é', 'odder\n');
      const one = await open({ base: 'base' });
      expect(files(one)).toEqual(
        [
          'added file/inside',
          'added gone',
          'deleted a.ts',
          'deleted file',
          'deleted gone/x',
          'mode_only run.sh',
          'modified odd "\t\n name é',
          'renamed new/name.ts',
          'type_changed b.ts',
        ].sort(),
      );
      expect(await one.reader.read('head', 'b.ts')).toEqual({ kind: 'symlink', target: '/etc/passwd' });
      expect(JSON.stringify(one.snapshot.diff)).not.toContain('root:');
    });

    test('an edit in the same second and of the same length is seen', async () => {
      repository.write('same.ts', 'aaa\n');
      repository.git('add', 'same.ts');
      repository.commit('same');
      const second = Math.floor(Date.now() / 1000);
      utimesSync(join(repository.dir, 'same.ts'), second, second);
      repository.git('update-index', '--refresh');
      repository.write('same.ts', 'bbb\n');
      utimesSync(join(repository.dir, 'same.ts'), second, second);
      expect(files(await open())).toEqual(['modified same.ts']);
    });

    test('line endings that git would convert are no change', async () => {
      repository.git('config', 'core.autocrlf', 'true');
      repository.write('a.ts', 'one\r\ntwo\r\nthree\r\n');
      repository.write('b.ts', 'kept\r\nnew\r\n');
      expect(files(await open())).toEqual(['modified b.ts']);
    });

    test("the repository's own list of ignored files counts", async () => {
      writeFileSync(join(repository.dir, '.git/info/exclude'), 'private.txt\n');
      repository.write('private.txt', 'x');
      repository.write('seen.txt', 'x');
      expect(files(await open())).toEqual(['added seen.txt']);
    });

    test("the user's own list of ignored files and line endings count", async () => {
      const before = { ...process.env };
      repository.write('ignored/home/git/ignore', '*.swp\n');
      repository.write('ignored/gitconfig', '[core]\n\tautocrlf = true\n[diff]\n\tnoprefix = true\n');
      repository.write('x.swp', 'x');
      repository.write('b.ts', 'kept\r\n');
      repository.write('seen.txt', 'x');
      Object.assign(process.env, {
        XDG_CONFIG_HOME: join(repository.dir, 'ignored/home'),
        GIT_CONFIG_GLOBAL: join(repository.dir, 'ignored/gitconfig'),
      });
      try {
        expect(files(await open())).toEqual(['added seen.txt']);
      } finally {
        process.env = before;
      }
    });

    test('a repository inside and a huge file are left out and said', async () => {
      mkdirSync(join(repository.dir, 'nested'));
      repository.git('init', '-q', join(repository.dir, 'nested'));
      repository.write('nested/x', 'x');
      repository.write('huge.bin', Buffer.alloc((16 << 20) + 1));
      repository.write('small.ts', 'x\n');
      const one = await open();
      expect(files(one)).toEqual(['added small.ts']);
      expect(one.snapshot.lacks.map(({ what }) => what).sort()).toEqual(['huge.bin', 'nested/']);
    });

    test('a conflict is read as it stands, and refused when staged', async () => {
      repository.git('checkout', '-q', '-b', 'left');
      repository.write('a.ts', 'left\n');
      repository.git('commit', '-q', '-a', '-m', 'left');
      repository.git('checkout', '-q', '-b', 'right', 'main');
      repository.write('a.ts', 'right\n');
      repository.git('commit', '-q', '-a', '-m', 'right');
      expect(() => repository.git('merge', 'left')).toThrow();
      const one = await open();
      expect(await linesAt(one, 'head', 'a.ts')).toContain('<<<<<<< HEAD');
      await expect(open({ staged: true })).rejects.toThrow(/A merge is not finished/);
    });

    test('before the first commit everything is new', async () => {
      const fresh = createGitRepository();
      try {
        fresh.write('x.ts', 'x\n');
        const one = await open({ dir: fresh.dir });
        expect(files(one)).toEqual(['added x.ts']);
        expect(await linesAt(one, 'base', 'x.ts')).toBe('missing');
      } finally {
        fresh.remove();
      }
    });

    test('works with SHA-256', async () => {
      const fresh = createGitRepository('--object-format=sha256');
      try {
        fresh.write('x.ts', 'x\n');
        fresh.git('add', '.');
        fresh.commit('first');
        fresh.write('x.ts', 'y\n');
        const one = await open({ dir: fresh.dir });
        expect(files(one)).toEqual(['modified x.ts']);
        expect(one.snapshot.pullRequest.mergeBase).toHaveLength(64);
        expect(await linesAt(one, 'base', 'x.ts')).toEqual(['x']);
      } finally {
        fresh.remove();
      }
    });
  });

  test('secrets are labelled in rows and files, and withheld files have no rows', async () => {
    const token = ['ghp', '_', 'r7Kd02LmQx9Zp4TfWc8Yh1NbV5sGj3EoUa6i'].join('');
    repository.write('a.ts', `one\nconst token = "${token}";\nthree\n`);
    repository.write('env/prod', `${token}\n`);
    const one = await open({ neverSend: ['env/**'] });
    expect(JSON.stringify(one.snapshot)).not.toContain(token);
    expect(await linesAt(one, 'head', 'a.ts')).toEqual([
      'one',
      expect.stringMatching(/^const token = "\[secret: github token [0-9a-f]{6}\]";$/),
      'three',
    ]);
    expect(one.snapshot.diff.find(({ path }) => path === 'env/prod')?.content).toMatchObject({
      kind: 'missing',
      detail: expect.stringContaining('env/**'),
    });
  });

  test('a second look gives the same hash, another change another', async () => {
    repository.write('a.ts', 'one\nTWO\nthree\n');
    const first = (await open()).snapshot;
    expect((await open()).snapshot.diffHash).toBe(first.diffHash);
    repository.write('a.ts', 'one\nTwo\nthree\n');
    expect((await open()).snapshot.diffHash).not.toBe(first.diffHash);
  });

  describe('sentences that say how to mend it', () => {
    test.each<[string, () => Partial<LocalGitOptions>, RegExp]>([
      ['no folder', () => ({ dir: '/nowhere/at/all' }), /^There is no folder \/nowhere\/at\/all\.$/],
      ['no repository', () => ({ dir: tmpdir() }), /is not in a git repository/],
      ['inside .git', () => ({ dir: join(repository.dir, '.git') }), /inside a \.git folder/],
      ['nothing differs', () => ({}), /^Nothing differs between main and the working tree/],
      ['nothing is staged', () => ({ staged: true }), /^Nothing is staged/],
      ['an unknown base', () => ({ base: 'nope' }), /^nope is not a commit of this repository.*--base/],
      ['an unknown head', () => ({ head: 'nope' }), /^nope is not a commit of this repository.*--head/],
      ['a base that is a flag', () => ({ base: '--all' }), /^--all is not a commit/],
      [
        'no default branch',
        () => {
          repository.git('branch', '-m', 'main', 'elsewhere');
          repository.git('checkout', '-q', '-b', 'work');
          return {};
        },
        /^There is no default branch to compare with.*--base \(other branches: elsewhere\)\.$/,
      ],
      [
        'no default branch and no other one',
        () => {
          repository.git('branch', '-m', 'main', 'elsewhere');
          return {};
        },
        /no master\. Name a branch or a commit with --base\.$/,
      ],
      [
        'no commit and no file',
        () => {
          const empty = join(repository.dir, 'ignored/empty');
          repository.git('init', '-q', empty);
          return { dir: empty };
        },
        /^There is no commit and no file here yet\./,
      ],
      [
        'no common history',
        () => {
          repository.git('checkout', '-q', '--orphan', 'alone');
          repository.git('commit', '-q', '-m', 'alone');
          return {};
        },
        /have no commit in common/,
      ],
      [
        'a shallow clone',
        () => {
          repository.git('checkout', '-q', '-b', 'long');
          repository.commit('second');
          repository.commit('third');
          const shallow = join(repository.dir, 'ignored/shallow');
          repository.git(
            'clone',
            '-q',
            '--depth=1',
            '--no-single-branch',
            `file://${repository.dir}`,
            shallow,
          );
          return { dir: shallow, base: 'origin/main' };
        },
        /^This clone is shallow.*git fetch --unshallow/,
      ],
      [
        'a bare repository without a head',
        () => {
          const bare = join(repository.dir, 'ignored/bare.git');
          repository.git('clone', '-q', '--bare', repository.dir, bare);
          return { dir: bare };
        },
        /is a bare repository/,
      ],
      [
        'a merge that git cannot find',
        () => {
          repository.git('config', 'core.worktree', '/');
          return {};
        },
        /core\.worktree/,
      ],
    ])('%s', async (_, prepare, sentence) => {
      await expect(open(prepare())).rejects.toThrow(sentence);
    });

    test('a bare repository with a head is read', async () => {
      repository.git('checkout', '-q', '-b', 'work');
      repository.write('a.ts', 'changed\n');
      repository.git('commit', '-q', '-a', '-m', 'work');
      const bare = join(repository.dir, 'ignored/bare.git');
      repository.git('clone', '-q', '--bare', repository.dir, bare);
      expect(files(await open({ dir: bare, base: 'main', head: 'work' }))).toEqual(['modified a.ts']);
    });

    test('no git', async () => {
      const path = process.env['PATH'];
      process.env['PATH'] = '/nowhere';
      try {
        await expect(open()).rejects.toThrow(/^git was not found\. Install git/);
      } finally {
        process.env['PATH'] = path;
      }
    });
  });

  describe('a hostile repository', () => {
    let marker: string;
    let trap: string;
    beforeEach(() => {
      marker = join(repository.dir, 'ignored', 'ran');
      trap = join(repository.dir, 'ignored', 'trap.sh');
      repository.write('ignored/trap.sh', `#!/bin/sh\necho "$0 $*" >> '${marker}'\ncat\n`);
      chmodSync(trap, 0o755);
    });

    const set = (...pairs: [string, string][]): void => {
      for (const [key, value] of pairs) repository.git('config', key, value);
    };
    const change = (): void => {
      repository.git('checkout', '-q', '-b', 'work');
      repository.write('a.ts', 'one\nTWO\nthree\n');
      repository.write('late.ts', 'untracked\n');
    };
    const setAll = (): void =>
      set(
        ['filter.evil.clean', trap],
        ['filter.evil.smudge', trap],
        ['filter.evil.process', trap],
        ['filter.evil.required', 'true'],
        ['filter.a=b.clean', trap],
        ['diff.evil.textconv', trap],
        ['diff.evil.command', trap],
        ['diff.external', trap],
        ['core.fsmonitor', trap],
        ['core.sshCommand', trap],
        ['core.pager', trap],
        ['core.editor', trap],
        ['core.askPass', trap],
        ['core.alternateRefsCommand', trap],
        ['core.gitProxy', trap],
        ['gpg.program', trap],
        ['log.showSignature', 'true'],
        ['alias.diff', `!${trap}`],
        ['alias.rev-parse', `!${trap}`],
        ['credential.helper', `!${trap}`],
        ['uploadpack.packObjectsHook', trap],
        ['diff.submodule', 'diff'],
        ['diff.noprefix', 'true'],
        ['diff.orderFile', trap],
        ['color.ui', 'always'],
        ['core.hooksPath', join(repository.dir, 'ignored')],
        ['diff.ignoreSubmodules', 'none'],
        ['status.submoduleSummary', 'true'],
      );

    test('starts nothing by its settings, attributes and hooks', async () => {
      change();
      repository.write('.gitattributes', '*.ts filter=evil diff=evil\nx filter=a=b\n* merge=evil\n');
      repository.write('x', 'x\n');
      for (const hook of ['post-index-change', 'pre-commit', 'fsmonitor-watchman', 'reference-transaction']) {
        writeFileSync(join(repository.dir, '.git/hooks', hook), readFileSync(trap), { mode: 0o755 });
        writeFileSync(join(repository.dir, 'ignored', hook), readFileSync(trap), { mode: 0o755 });
      }
      setAll();
      const one = await open();
      expect(files(one)).toEqual(['added .gitattributes', 'added late.ts', 'added x', 'modified a.ts']);
      expect(await linesAt(one, 'head', 'a.ts')).toEqual(['one', 'TWO', 'three']);
      await one.reader.search({ ref: 'base', pattern: 'two', limit: 1 });
      expect(existsSync(marker)).toBe(false);
      // The trap works: git itself walks into it.
      try {
        repository.git('add', '-A');
      } catch {
        // It may well fail; it ran.
      }
      expect(existsSync(marker)).toBe(true);
    });

    test('cannot hide text as binary, nor a submodule, by attributes and .gitmodules', async () => {
      change();
      repository.write('.gitattributes', '*.ts -diff binary\n');
      writeFileSync(join(repository.dir, '.git/info/attributes'), '* -diff\n');
      repository.write('.gitmodules', '[submodule "s"]\n\tpath = s\n\turl = ./s\n\tignore = all\n');
      repository.git('add', '-A');
      repository.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},s`);
      repository.commit('attributes');
      repository.git('branch', '-f', 'main', 'HEAD');
      repository.write('a.ts', 'one\nTHREE\n');
      repository.git('update-index', '--add', '--cacheinfo', `160000,${'2'.repeat(40)},s`);
      repository.git('commit', '-q', '-m', 'more', 'a.ts');
      repository.git('update-index', '--add', '--cacheinfo', `160000,${'2'.repeat(40)},s`);
      const one = await open({ staged: true, base: 'main' });
      expect(one.snapshot.diff.map(({ path, content }) => [path, content.kind])).toEqual([
        ['a.ts', 'text'],
        ['s', 'submodule'],
      ]);
    });

    test('starts nothing in a submodule', async () => {
      change();
      const inner = createGitRepository();
      try {
        inner.write('i.ts', 'i\n');
        inner.git('add', '.');
        const first = inner.commit('inner');
        repository.git('clone', '-q', inner.dir, join(repository.dir, 'sub'));
        repository.write('.gitmodules', '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n');
        repository.git('update-index', '--add', '--cacheinfo', `160000,${first},sub`);
        repository.git('add', '.gitmodules');
        repository.commit('with a submodule');
        repository.write('sub/.gitattributes', '* filter=evil\n');
        repository.write('sub/i.ts', 'changed\n');
        for (const [key, value] of [
          ['filter.evil.clean', trap],
          ['core.fsmonitor', trap],
        ] as const)
          repository.git('-C', 'sub', 'config', key, value);
        setAll();
        const one = await open();
        expect(files(one)).toContain('added sub');
        expect(await one.reader.read('head', 'sub')).toEqual({ kind: 'submodule', commit: first });
        expect(existsSync(marker)).toBe(false);
      } finally {
        inner.remove();
      }
    });

    test('with missing objects asks no remote, and says so', async () => {
      change();
      repository.git('add', '-A');
      repository.commit('work');
      const blob = repository.git('rev-parse', 'work:a.ts');
      rmSync(join(repository.dir, '.git/objects', blob.slice(0, 2), blob.slice(2)));
      set(
        ['core.repositoryFormatVersion', '1'],
        ['extensions.partialClone', 'origin'],
        ['remote.origin.promisor', 'true'],
        ['remote.origin.url', `ext::${trap} %S`],
        ['remote.origin.uploadpack', trap],
        ['protocol.ext.allow', 'always'],
      );
      await expect(open({ head: 'work' })).rejects.toThrow(/partial clone/);
      expect(existsSync(marker)).toBe(false);
    });

    test("variables of the caller's git do not reach another repository", async () => {
      change();
      const before = { ...process.env };
      Object.assign(process.env, {
        GIT_DIR: '/nowhere',
        GIT_INDEX_FILE: '/nowhere/index',
        GIT_WORK_TREE: '/nowhere',
        GIT_EXTERNAL_DIFF: trap,
        GIT_PAGER: trap,
        GIT_TRACE: '1',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'diff.noprefix',
        GIT_CONFIG_VALUE_0: 'true',
      });
      try {
        expect(files(await open())).toEqual(['added late.ts', 'modified a.ts']);
        expect(existsSync(marker)).toBe(false);
      } finally {
        process.env = before;
      }
    });
  });
});
