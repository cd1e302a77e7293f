import { readdirSync, readFileSync } from 'node:fs';
import { type FileChange, type LocalGitHub, startLocalGitHub } from '../../local-github/index.js';
import { type Api, apiOfApp, type Json } from './api.js';

/** The twenty diffs of test/fixtures/cases, made again as repositories whose git diff has the same hunks. */
type Case = {
  readonly id: string;
  readonly commentable: readonly (readonly [string, 'LEFT' | 'RIGHT', number])[];
  readonly not_commentable: readonly (readonly [string, 'LEFT' | 'RIGHT', number])[];
  readonly range_checks: readonly {
    readonly path: string;
    readonly start_side: string;
    readonly start_line: number;
    readonly side: string;
    readonly line: number;
    readonly valid: boolean;
  }[];
  readonly files: readonly CaseFile[];
  readonly api_files: readonly {
    readonly filename: string;
    readonly status: string;
    readonly additions: number;
    readonly deletions: number;
    readonly changes: number;
    readonly previous_filename?: string;
    readonly patch?: string;
  }[];
};

type CaseFile = {
  readonly path: string;
  readonly old_path: string;
  readonly status: string;
  readonly old_mode: string;
  readonly new_mode: string;
  readonly binary: boolean;
  readonly submodule: boolean;
  readonly symlink: boolean;
  readonly old_lines: number;
  readonly new_lines: number;
};

const folder = new URL('../fixtures/cases/', import.meta.url);
const cases = readdirSync(folder)
  .filter((name) => /^o\d\d-.*\.json$/.test(name))
  .sort()
  .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Case);

type Rows = { readonly old: Map<number, string>; readonly now: Map<number, string> };

/** Texts by line number, a missing final newline as the text's own end. */
const rowsOf = (patch: string): Rows => {
  const rows: Rows = { old: new Map(), now: new Map() };
  let old = 0;
  let now = 0;
  let oldLeft = 0;
  let newLeft = 0;
  let last: (() => void) | null = null;
  for (const line of patch.split('\n')) {
    if (oldLeft === 0 && newLeft === 0 && line.startsWith('@@')) {
      const [, a = '0', b = '1', c = '0', d = '1'] =
        /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
      [old, oldLeft, now, newLeft] = [Number(a), Number(b), Number(c), Number(d)];
      continue;
    }
    if (line.startsWith('\\')) {
      last?.();
      continue;
    }
    const text = `${line.slice(1)}\n`;
    const [atOld, atNow] = [old, now];
    const inOld = !line.startsWith('+');
    const inNew = !line.startsWith('-');
    if (inOld) {
      rows.old.set(atOld, text);
      old += 1;
      oldLeft -= 1;
    }
    if (inNew) {
      rows.now.set(atNow, text);
      now += 1;
      newLeft -= 1;
    }
    last = () => {
      if (inOld) rows.old.set(atOld, text.slice(0, -1));
      if (inNew) rows.now.set(atNow, text.slice(0, -1));
    };
  }
  return rows;
};

/** Lines outside every hunk are the same on both sides; what they say does not matter. */
const contentOf = (rows: Map<number, string>, lines: number, fill: (line: number) => string): string =>
  Array.from({ length: lines }, (_, at) => rows.get(at + 1) ?? fill(at + 1)).join('');

const changesOf = (file: CaseFile, patch: string | undefined): { base: FileChange; head: FileChange } => {
  if (file.submodule) {
    const [, from = ''] = /^-Subproject commit (\w+)/m.exec(patch ?? '') ?? [];
    const [, to = ''] = /^\+Subproject commit (\w+)/m.exec(patch ?? '') ?? [];
    return { base: { submodule: from }, head: { submodule: to } };
  }
  if (file.binary)
    return { base: Buffer.from([0, 1, 2, 10, 0, 200, 255]), head: Buffer.from([0, 9, 8, 10, 0, 7, 255, 3]) };
  const rows = rowsOf(patch ?? '');
  const ends = (file.path + file.old_path).length;
  const base = contentOf(rows.old, file.old_lines, (line) => `filler ${line} of ${ends}\n`);
  // The n-th line that stands in no hunk is the same on both sides.
  const fillers = Array.from({ length: file.old_lines }, (_, at) => at + 1).filter(
    (line) => !rows.old.has(line),
  );
  const free = Array.from({ length: file.new_lines }, (_, at) => at + 1).filter(
    (line) => !rows.now.has(line),
  );
  const head = contentOf(
    rows.now,
    file.new_lines,
    (line) => `filler ${fillers[free.indexOf(line)] ?? -1} of ${ends}\n`,
  );
  const dress = (mode: string, content: string): FileChange =>
    file.symlink ? { symlink: content } : { mode: mode === '100755' ? '100755' : '100644', content };
  return { base: dress(file.old_mode, base), head: dress(file.new_mode, head) };
};

const build = async (github: LocalGitHub, item: Case): Promise<string> => {
  const base: Record<string, FileChange> = { 'ANCHOR.md': 'not part of the change\n' };
  const head: Record<string, FileChange> = {};
  for (const file of item.files) {
    const patch = item.api_files.find((entry) => entry.filename === file.path)?.patch;
    const made = changesOf(file, patch);
    if (file.status !== 'added') base[file.old_path] = made.base;
    if (file.old_path !== file.path || file.status === 'deleted') head[file.old_path] = null;
    if (file.status !== 'deleted') head[file.path] = made.head;
  }
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
    github = await startLocalGitHub();
    api = await apiOfApp(github);
  });
  afterAll(() => github.close());

  test('there are twenty', () => expect(cases).toHaveLength(20));

  test.each(cases.map((item) => [item.id, item] as const))('%s', async (_, item) => {
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
