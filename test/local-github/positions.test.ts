import { type LocalGitHub, startLocalGitHub } from '../../local-github/index.js';
import { type DiffCase, diffCases, filesOfCase } from '../cases/diff-case.js';
import { type Api, apiOfApp, type Json } from './api.js';

const build = async (github: LocalGitHub, item: DiffCase): Promise<string> => {
  const { base, head } = filesOfCase(item);
  const repository = await github.createRepository({ owner: 'octo-org', name: item.id, files: base });
  await repository.commit({ branch: 'change', files: head, message: 'The change' });
  if (item.id === 'o20-base-moved') {
    const core = base['core.ts'] as { content: string };
    await repository.commit({
      branch: 'main',
      files: { 'core.ts': `main header\n${core.content}`, 'other.ts': 'other 1\n'.repeat(11) },
      message: 'The base moves on',
    });
  }
  const number = await repository.openPullRequest({ head: 'change', title: item.id });
  return `/repos/octo-org/${item.id}/pulls/${number}`;
};

const withoutHeading = (patch: string | undefined): string | undefined =>
  patch?.replace(/^(@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@).*$/gm, '$1');

describe('the positions of the twenty cases', () => {
  let github: LocalGitHub;
  let api: Api;
  beforeAll(async () => {
    github = await startLocalGitHub({ rules: { lateAnswerAbove: null } });
    api = await apiOfApp(github);
  });
  afterAll(() => github.close());

  test('there are twenty', () => expect(diffCases).toHaveLength(20));

  test.each(diffCases.map((item) => [item.id, item] as const))('%s', async (_, item) => {
    const pull = await build(github, item);

    const files = await api('GET', `${pull}/files?per_page=100`);
    const given = files.data.map((file: Json) => ({
      filename: file.filename,
      status: file.status,
      additions: file.additions,
      deletions: file.deletions,
      changes: file.changes,
      ...(file.previous_filename === undefined ? {} : { previous_filename: file.previous_filename }),
      ...(file.patch === undefined ? {} : { patch: withoutHeading(file.patch as string) }),
    }));
    const wanted = item.api_files.map((file) => ({
      ...file,
      ...(file.patch === undefined ? {} : { patch: withoutHeading(file.patch) }),
    }));
    expect(given).toEqual(wanted);

    if (item.commentable.length > 0) {
      const accepted = await api('POST', `${pull}/reviews`, {
        event: 'COMMENT',
        body: 'every position at once',
        comments: item.commentable.map(([path, side, line]) => ({ path, side, line, body: 'here' })),
      });
      expect(accepted.status).toBe(200);
      const stored = await api('GET', `${pull}/comments?per_page=100`);
      expect(stored.data.map((entry: Json) => [entry.path, entry.side, entry.line])).toEqual(
        item.commentable,
      );
      // The last row of the hunk shown is the row commented on.
      for (const entry of stored.data)
        expect(rowSign(entry.diff_hunk as string)).toMatch(entry.side === 'LEFT' ? /^-/ : /^[ +]/);
    }

    const before = github.repository(`octo-org/${item.id}`).pull(1).reviews.length;
    for (const [path, side, line] of item.not_commentable) {
      const refused = await api('POST', `${pull}/reviews`, {
        event: 'COMMENT',
        comments: [
          ...item.commentable.slice(0, 1).map(([p, s, l]) => ({ path: p, side: s, line: l, body: 'good' })),
          { path, side, line, body: 'not here' },
        ],
      });
      expect([path, side, line, refused.status]).toEqual([path, side, line, 422]);
      expect(refused.data.errors[0]).toMatch(
        /Pull request review thread (line must be part of the diff|path is invalid)/,
      );
    }
    // All or nothing: the good comment of a refused review is not there either.
    expect(github.repository(`octo-org/${item.id}`).pull(1).reviews).toHaveLength(before);

    for (const range of item.range_checks) {
      const { valid, path, start_side, start_line, side, line } = range;
      const answer = await api('POST', `${pull}/reviews`, {
        event: 'COMMENT',
        comments: [{ path, start_side, start_line, side, line, body: 'a range' }],
      });
      expect([range, answer.status]).toEqual([range, valid ? 200 : 422]);
    }
  });
});

const rowSign = (hunk: string): string => {
  const rows = hunk.split('\n').filter((row) => !row.startsWith('\\'));
  return rows.at(-1) ?? '';
};
