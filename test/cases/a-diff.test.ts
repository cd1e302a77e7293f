/**
 * Reported failures of review bots, kind a: the diff and its lines. Each test is named by the id of its row in
 * docs/cases.md and runs a whole review against the local GitHub, where the failure could show.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import MarkdownIt from 'markdown-it';
import { commentable, parseDiff } from '../../lib/core/diff.js';
import type { Message } from '../../lib/core/transcript.js';
import { calls, type ScriptedModel } from '../../lib/models/scripted.js';
import type { ModelTurn } from '../../lib/ports/model.js';
import type { FileChange, ThreadView } from '../../local-github/index.js';
import { type At, plays, startWorld, submit, type Place, type PlaceOrder, type World } from '../world.js';
import { diffCases, filesOfCase } from './diff-case.js';

let world: World;
let place: Place | undefined;

beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  await place?.close();
  place = undefined;
});
afterAll(() => world.close());

type Files = Readonly<Record<string, FileChange>>;

type ReviewOrder = Partial<Omit<PlaceOrder, 'model'>> & {
  readonly files: Files;
  readonly changes: Files;
  readonly findings?: readonly unknown[];
  /** What the model asks for beside the change. */
  readonly reads?: readonly { readonly name: string; readonly input: unknown }[];
  /** A model of another kind. */
  readonly turn?: (at: At) => ModelTurn;
};

type Review = {
  readonly there: Place;
  readonly model: ScriptedModel;
  readonly threads: readonly ThreadView[];
  /** What the tools answered in the first turn, in the order of the calls: description, change, promise, reads. */
  readonly told: readonly string[];
  /** What was sent back to the model after it had submitted. */
  readonly sentBack: string;
  readonly requests: ReturnType<World['github']['requests']>;
};

const promise = 'Whatever stands in a file here must stay as it was agreed.';

/** A whole review by a model that reads the change, this promise and what it is told to, and submits the findings. */
async function review({ files, findings = [], reads = [], turn, ...order }: ReviewOrder): Promise<Review> {
  const reading = ({ step }: At): ModelTurn =>
    step === 0
      ? calls(
          { name: 'get_pr_info', input: {} },
          { name: 'get_pr_diff', input: {} },
          { name: 'get_file_content', input: { path: 'PROMISE.md' } },
          ...reads,
        )
      : submit(findings);
  const model = plays(turn ?? reading);
  world.github.clearRequests();
  const there = (place = await world.open({
    gate: 'blocking',
    model,
    files: { 'PROMISE.md': `${promise}\n`, ...files },
    ...order,
  }));
  await there.settled();
  const answered = (at: number): string[] => textsOf(model.requests[at]?.messages.at(-1));
  return {
    there,
    model,
    threads: there.repository.pull(there.number).threads,
    told: answered(1),
    sentBack: answered(2).join('\n'),
    requests: world.github.requests(),
  };
}

const textsOf = (message: Message | undefined): string[] =>
  (message?.content ?? []).flatMap((block) =>
    block.type === 'tool_result' || block.type === 'text' ? [block.text] : [],
  );

type Accused = { readonly path: string; readonly line: number; readonly code: string };

/** A finding that holds: its evidence is the promise. */
const claim = (at: Accused & Readonly<Record<string, unknown>>) => ({
  rule: 'broken-promise',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  title: `what was agreed on "${at.code.slice(0, 40).replaceAll('`', "'")}" is broken`,
  body: 'It was agreed on and is another now.',
  evidence: [{ path: 'PROMISE.md', ref: 'head', start: 1, end: 1, quote: promise }],
  ...at,
});

const spots = (threads: readonly ThreadView[]): string[] =>
  threads.map(({ path, side, startLine, line }) =>
    [path, side, ...(startLine === null ? [] : [startLine]), line].join(' '),
  );

const bodyOf = (there: Place): string => there.repository.pull(there.number).reviews[0]?.body ?? '';

const refusals = ({ requests }: Review): number[] =>
  requests.map(({ status }) => status).filter((status) => status >= 400);

const payload = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../fixtures/cases/${name}.json`, import.meta.url), 'utf8')) as T;

const lines = (count: number, word = 'line'): string[] =>
  Array.from({ length: count }, (_, index) => `${word} ${index + 1}`);
const text = (rows: readonly string[]): string => rows.map((row) => `${row}\n`).join('');
const changed = (rows: readonly string[], at: number, row: string): string[] =>
  rows.map((old, index) => (index === at - 1 ? row : old));

type CaseReview = Review & { readonly wanted: readonly string[]; readonly checks: readonly string[] };
const reviewed = new Map<string, CaseReview>();

/** A review of one of the recorded diffs that accuses, by quoted code, each line that git has a position for. */
async function reviewOfCase(id: string): Promise<CaseReview> {
  const before = reviewed.get(id);
  if (before !== undefined) return before;
  const item = diffCases.find((one) => one.id === id);
  if (item === undefined) throw new Error(`There is no case ${id}.`);
  const { base, head } = filesOfCase(item);
  const accused = item.anchors_by_text;
  const done = await review({
    files: base,
    changes: head,
    // The side is left out, and every second number is one that models make up.
    findings: accused.map(({ path, line, text: code }, index) =>
      claim({ path, line: index % 2 === 0 ? line : 9999, code }),
    ),
  });
  const after: CaseReview = {
    ...done,
    wanted: accused.map(({ path, side, line }) => `${path} ${side} ${line}`),
    checks: done.there.stands().checks,
  };
  reviewed.set(id, after);
  await done.there.close();
  return after;
}

/** Its threads stand where git has the lines, and GitHub had nothing to refuse. */
async function expectPlaced(id: string): Promise<void> {
  const done = await reviewOfCase(id);
  expect(done.wanted.length).toBeGreaterThan(0);
  expect(spots(done.threads)).toEqual(done.wanted);
  expect(refusals(done)).toEqual([]);
  expect(done.checks).toEqual([`head 1: failure, ${done.wanted.length} important to fix`]);
}

const app = lines(60);

test('C001 a finding off the diff is told in the summary, and GitHub is never asked to place it', async () => {
  const [item] = diffCases.filter(({ id }) => id === 'o01-two-hunks');
  const { base, head } = filesOfCase(item!);
  const done = await review({
    files: base,
    changes: head,
    reads: [{ name: 'get_file_content', input: { path: 'src/app.ts' } }],
    findings: [
      claim({ path: 'src/app.ts', line: 5, code: 'line 5 changed' }),
      claim({ path: 'src/app.ts', line: 25, code: 'filler 25 of 20', severity: 'nit', title: 'far away' }),
    ],
  });
  expect(spots(done.threads)).toEqual(['src/app.ts RIGHT 5']);
  expect(bodyOf(done.there)).toMatch(/src\/app\.ts:25.*far away/);
  expect(refusals(done)).toEqual([]);
  expect(done.there.stands().checks).toEqual(['head 1: failure, 1 important to fix']);
});

test('C002 GitHub refuses one comment of five without saying which: four are placed, all five count', async () => {
  const [{ comments, bad_index, post_review }] = payload<{
    input: { sequences: [{ comments: number; bad_index: number; post_review: [number, string] }] };
  }>('op11-review-422').input.sequences;
  const bad = bad_index + 1;
  const done = await review({
    files: { 'a.txt': text(lines(comments)) },
    changes: { 'a.txt': text(lines(comments, 'changed')) },
    findings: lines(comments, 'changed').map((code, index) =>
      claim({ path: 'a.txt', line: index + 1, code }),
    ),
    before: () =>
      world.github.faults.add({
        match: ({ method, path, body }) =>
          method === 'POST' &&
          path.endsWith('/reviews') &&
          (body as { comments: { line: number }[] }).comments.some(({ line }) => line === bad),
        times: 99,
        before: {
          status: post_review[0],
          body: { message: 'Unprocessable Entity', errors: [post_review[1]] },
        },
      }),
  });
  expect(done.threads.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5].filter((line) => line !== bad));
  expect(bodyOf(done.there)).toMatch(new RegExp(`a\\.txt:${bad}.*changed ${bad}`));
  expect(done.there.stands()).toMatchObject({
    checks: [`head 1: failure, ${comments} important to fix`],
    mergeable: false,
  });
});

test('C003 comments are placed by the one call that refuses a bad place, never by a GraphQL mutation', async () => {
  const done = await review({
    files: { 'a.txt': text(app) },
    changes: { 'a.txt': text(changed(app, 30, 'changed')) },
    findings: [claim({ path: 'a.txt', line: 30, code: 'changed' })],
  });
  const placing = done.requests.filter(({ path, body }) =>
    path === '/graphql' ? /\bmutation\b/.test(JSON.stringify(body)) : /\/(reviews|comments)\b/.test(path),
  );
  expect(
    placing.map(({ method, path, status }) => `${method} ${path.replace(/.*\//, '')} ${status}`),
  ).toEqual(['POST reviews 200']);
  expect(spots(done.threads)).toEqual(['a.txt RIGHT 30']);
});

test('C004 a range of one line is sent as a line', async () => {
  await expectPlaced('o13-single-line-headers');
  const done = await review({
    files: { 'a.txt': text(app) },
    changes: { 'a.txt': text(changed(app, 7, 'changed')) },
    findings: [claim({ path: 'a.txt', start_line: 7, line: 7, code: 'changed', side: 'RIGHT' })],
  });
  expect(spots(done.threads)).toEqual(['a.txt RIGHT 7']);
  const sent = done.requests.find(({ method, path }) => method === 'POST' && path.endsWith('/reviews'));
  expect(JSON.stringify(sent?.body)).not.toContain('start_line');
});

test('C005 a range over two hunks is placed on the last one, and named in full', async () => {
  const done = await review({
    files: { 'a.txt': text(app) },
    changes: { 'a.txt': text(changed(changed(app, 5, 'five'), 43, 'forty-three')) },
    reads: [{ name: 'get_file_content', input: { path: 'a.txt' } }],
    findings: [claim({ path: 'a.txt', start_line: 6, line: 43, code: 'forty-three' })],
  });
  expect(spots(done.threads)).toEqual(['a.txt RIGHT 40 43']);
  expect(done.threads[0]?.comments[0]?.body).toContain('lines 6 to 43');
  expect(refusals(done)).toEqual([]);
});

test('C006 a claim on a removed line without its side is placed on the left', async () => {
  await expectPlaced('o12-deleted-file');
});

test('C008 the mark for a missing last newline counts for no line', async () => {
  await expectPlaced('o03-no-newline-marker');
  await expectPlaced('o18-hunk-like-content');
});

test('C009 lines are named by path, side and number, which the model is shown; never by position', async () => {
  const done = await review({
    files: { 'a.txt': 'one\ntwo\n' },
    changes: { 'a.txt': 'one\nTWO\n' },
    findings: [claim({ path: 'a.txt', line: 2, code: 'TWO' })],
  });
  expect(spots(done.threads)).toEqual(['a.txt RIGHT 2']);
  expect(done.told[1]).toContain('     1 | one\n-    2 | two\n+    2 | TWO');
  const written = done.requests.filter(({ method, path }) => method !== 'GET' && path !== '/graphql');
  expect(JSON.stringify(written.map(({ body }) => body))).not.toMatch(/"position"/);
});

test('C010 removed lines that look like headers stay lines of their file', async () => {
  await expectPlaced('o02-dash-lines-in-hunk');
  await expectPlaced('o18-hunk-like-content');
});

test('C011 content that names another file moves nothing there', async () => {
  const done = await review({
    files: { 'a.sql': '-- a/users cleanup note\nselect 1;\nselect 2;\n', 'b/other.txt': 'other\n' },
    changes: { 'a.sql': 'select 1;\n++ b/other.txt\nselect two;\n' },
    findings: [
      claim({ path: 'a.sql', line: 1, code: '-- a/users cleanup note', side: 'LEFT' }),
      claim({ path: 'a.sql', line: 2, code: '++ b/other.txt' }),
      claim({ path: 'a.sql', line: 3, code: 'select two;' }),
    ],
  });
  expect(spots(done.threads)).toEqual(['a.sql LEFT 1', 'a.sql RIGHT 2', 'a.sql RIGHT 3']);
  expect(done.told[0]).toContain('1 changed file,');
});

test('C013 in a file with CRLF lines keep their numbers, and a suggestion keeps their ends', async () => {
  await expectPlaced('o04-crlf');
  const before = 'one\r\ntwo\r\nthree\r\n';
  const after = before.replace('two', 'TWO');
  const done = await review({
    files: { 'win.cs': before },
    changes: { 'win.cs': after },
    findings: [claim({ path: 'win.cs', line: 2, code: 'TWO', suggestion: 'two' })],
  });
  expect(spots(done.threads)).toEqual(['win.cs RIGHT 2']);
  expect(applied(after, done.threads[0]!)).toBe(before);
});

test('C014 lines end where git ends them, whatever carriage returns they hold', async () => {
  const done = await review({
    files: { 'a.txt': 'a\r\r\nb\rc\nlast\n' },
    changes: { 'a.txt': 'a\r\r\nb\rc\nchanged\n' },
    reads: [{ name: 'get_file_content', input: { path: 'a.txt' } }],
    findings: [claim({ path: 'a.txt', line: 3, code: 'changed' })],
  });
  expect(spots(done.threads)).toEqual(['a.txt RIGHT 3']);
  expect(done.told[3]).toContain('lines 1-3 of 3');
});

test('C015 a path outside ASCII is itself, from GitHub and from git', async () => {
  await expectPlaced('o05-quoted-unicode-path');
  expect(paths('diff --git "a/na\\303\\257ve.txt" "b/na\\303\\257ve.txt"')).toEqual(['naïve.txt']);
});

test('C016 spaces and " b/" in a path split nothing', async () => {
  await expectPlaced('o06-space-path');
  await expectPlaced('o07-space-b-slash');
});

test('C018 quoted paths are read as code points; one that cannot be read hides no other', async () => {
  const path = 'a/x\t😀.txt';
  const done = await review({
    files: { [path]: 'one\n' },
    changes: { [path]: 'two\n' },
    findings: [claim({ path, line: 1, code: 'two' })],
  });
  expect(spots(done.threads)).toEqual([`${path} RIGHT 1`]);

  expect(paths('diff --git "a/a/x\\t😀.txt" "b/a/x\\t😀.txt"')).toEqual([path]);
  const bad = parseDiff(
    `${diffOf('diff --git "a/\\400.txt" "b/\\400.txt"')}${diffOf('diff --git a/next.txt b/next.txt')}`,
  );
  expect(bad.map(({ content }) => content.kind)).toEqual(['missing', 'text']);
  expect(bad[0]).toMatchObject({ content: { detail: 'its path could not be read' } });
  expect(commentable(bad).map((at) => at.path)).toEqual(['next.txt', 'next.txt']);
});

const diffOf = (title: string): string => {
  const [, old = '', now = ''] = /^diff --git ("?a\/.*) ("?b\/.*)$/.exec(title) ?? [];
  return `${title}\nindex 1234567..89abcde 100644\n--- ${old}\n+++ ${now}\n@@ -1 +1 @@\n-old\n+new\n`;
};
const paths = (title: string): string[] => parseDiff(diffOf(title)).map(({ path }) => path);

/** What git's diff of a pull request would answer through the media type for diffs. */
async function askForDiff(there: Place): Promise<{ readonly status: number; readonly text: string }> {
  const { owner, name } = there.repository;
  const response = await fetch(`${world.github.apiUrl}/repos/${owner}/${name}/pulls/${there.number}`, {
    headers: {
      accept: 'application/vnd.github.diff',
      authorization: `Bearer ${world.github.tokenOf('octocat')}`,
    },
  });
  return { status: response.status, text: await response.text() };
}

/** Reads page after page of the change, then submits. */
function readsAllPages({ step, request }: At): ModelTurn {
  if (step === 0) return calls({ name: 'get_pr_diff', input: {} });
  const seen = textsOf(request.messages.at(-1)).join('\n');
  const [, cursor] = /go on with cursor "([\d.]+)"/.exec(seen) ?? [];
  return cursor === undefined ? submit() : calls({ name: 'get_pr_diff', input: { cursor } });
}

test('C019 three hundred and five files are reviewed whole: the diff that GitHub refuses is not asked for', async () => {
  const many = lines(305, 'f').map((name) => `src/${name.replace(' ', '-')}.txt`);
  const of = (content: string): Files => Object.fromEntries(many.map((path) => [path, content]));
  const done = await review({ files: of('one\n'), changes: of('two\n'), turn: readsAllPages });
  expect(done.there.stands().checks).toEqual(['head 1: success, Nothing open, two clean reviews']);
  expect(done.requests.filter(({ path }) => path.endsWith('/files')).length).toBe(4);
  const refused = await askForDiff(done.there);
  expect([refused.status, refused.text]).toEqual([406, expect.stringContaining('too_large')]);
});

test('C020 too many lines with their context: what GitHub shows is reviewed, the rest is said to be unread', async () => {
  const before = lines(24_000, 'a');
  const after = before.map((row, index) => (index % 6 === 5 ? `${row} changed` : row));
  const done = await review({
    files: { 'big.txt': text(before), 'small.txt': 'one\n' },
    changes: { 'big.txt': text(after), 'small.txt': 'two\n' },
    findings: [claim({ path: 'small.txt', line: 1, code: 'two' })],
  });
  const { additions, deletions } = done.there.repository.pull(done.there.number);
  expect(additions + deletions).toBeLessThan(10_000);
  expect((await askForDiff(done.there)).status).toBe(406);
  expect(spots(done.threads)).toEqual(['small.txt RIGHT 1']);
  expect(done.there.stands().checks).toEqual(['head 1: action_required, Not finished: 1 of 2 files read']);
  expect(done.there.checkText()).toContain('big.txt');
});

describe('C021 empty, too large and failed are three things', () => {
  const files = { 'a.txt': 'one\n' };

  test('C021 nothing changed, and GitHub says so: not reviewed, for that reason', async () => {
    const done = await review({ files, changes: { 'a.txt': { mode: '100644', content: 'one\n' } } });
    expect(done.there.stands().checks).toEqual(['head 1: skipped, Not reviewed: no changes']);
    expect(done.model.requests).toEqual([]);
  });

  test('C021 GitHub counts a change and lists none: partial, never empty', async () => {
    const done = await review({
      files,
      changes: { 'a.txt': 'two\n' },
      before: ({ gitDir }) => {
        world.github.faults.add({
          match: ({ path }) => path.endsWith('/files'),
          times: 9,
          before: { status: 200, body: [] },
        });
        world.github.faults.add({
          match: ({ path }) => path.includes('/compare/'),
          times: 9,
          before: { status: 200, body: { merge_base_commit: { sha: tipOf(gitDir, 'main') }, files: [] } },
        });
      },
    });
    expect(done.there.stands().checks).toEqual(['head 1: action_required, Not finished: 0 of 1 files read']);
    expect(done.there.checkText()).toContain('a.txt');
  });

  test('C021 GitHub refuses the comparison: said to be an error, asked once', async () => {
    const done = await review({
      files,
      changes: { 'a.txt': 'two\n' },
      before: () =>
        world.github.faults.add({
          match: ({ path }) => path.includes('/compare/'),
          times: 9,
          before: { status: 406, body: { message: 'too large', errors: [{ code: 'too_large' }] } },
        }),
    });
    expect(done.there.stands().checks).toEqual([
      'head 1: action_required, Not reviewed: an error from GitHub',
    ]);
    expect(done.requests.filter(({ path }) => path.includes('/compare/'))).toHaveLength(1);
  });
});

const tipOf = (gitDir: string, ref: string): string => git(gitDir, 'rev-parse', ref).trim();

const git = (gitDir: string, ...args: readonly string[]): string =>
  execFileSync('git', ['--git-dir', gitDir, ...args], {
    env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  }).toString();

type ListedFile = Readonly<Record<string, string | number | undefined>>;

/** A repository whose list of changed files is the recorded one: five of its six entries have no patch. */
async function reviewWithoutPatches(order: Partial<ReviewOrder> = {}): Promise<Review> {
  const before = lines(8_000, 'yarn lock entry with a long hash a8f5f167f44f4964e6c998dee827110c of');
  const after = lines(9_000, 'yarn lock entry with another hash 0cc175b9c0f1b6a831c399e269772661 of');
  return review({
    files: {
      'README.md': text(lines(30, 'read me')),
      'bin/run': '#!/bin/sh\n',
      'logo.png': Buffer.from([0x89, 0x50, 0, 1]),
      'yarn.lock': text(before),
      'src/a.ts': 'a',
    },
    changes: {
      'assets/anim.json': `{"frames":[${'0.1234,'.repeat(90_000)}0]}`,
      'README.md': null,
      'docs/TS.md': text(lines(30, 'read me')),
      'bin/run': { mode: '100755' },
      'logo.png': Buffer.from([0x89, 0x50, 0, 2]),
      'yarn.lock': text(after),
      'src/a.ts': 'b',
    },
    findings: [claim({ path: 'src/a.ts', line: 1, code: 'b' })],
    ...order,
  });
}

test('C023 files without a patch are all named, with the reason, and can be read in part', async () => {
  const recorded = payload<{ input: { files: readonly ListedFile[] } }>('op03-file-list-without-patch').input;
  const read = { name: 'get_file_content', input: { path: 'assets/anim.json', start: 1, end: 1 } };
  const done = await reviewWithoutPatches({ reads: [read] });
  const [info, change, , anim] = done.told;
  for (const { filename } of recorded.files) {
    expect(info).toContain(`${filename} (`);
    expect(change).toContain(`=== ${filename} (`);
  }
  for (const large of ['assets/anim.json (added', 'yarn.lock (modified'])
    expect(change).toMatch(
      new RegExp(
        `=== ${escaped(large)}, \\+\\d+ -\\d+, not shown: too large\\)\\n\\[not shown: .*get_file_content`,
      ),
    );
  expect(change).toContain('=== docs/TS.md (renamed from README.md, +0 -0)');
  expect(change).toContain('=== bin/run (mode 100644 -> 100755, +0 -0)');
  expect(change).toContain('=== logo.png (binary)');
  expect(anim).toMatch(/^assets\/anim\.json at head, lines 1-1 of 1\n/);
  expect(anim!.length).toBeLessThan(60_000);
});

test('C024 entries without a patch stay in the review, and none of them takes a comment', async () => {
  const recorded = payload<{ input: { files: readonly ListedFile[] } }>('op03-file-list-without-patch').input;
  const done = await reviewWithoutPatches();
  const { owner, name } = done.there.repository;
  const answer = await fetch(
    `${world.github.apiUrl}/repos/${owner}/${name}/pulls/${done.there.number}/files?per_page=100`,
    { headers: { authorization: `Bearer ${world.github.tokenOf('octocat')}` } },
  );
  const listed = (await answer.json()) as readonly ListedFile[];
  const shape = ({ filename, previous_filename, status, patch }: ListedFile): object => ({
    filename,
    previous_filename,
    status,
    patched: patch !== undefined,
  });
  const byName = (a: ListedFile, b: ListedFile): number =>
    String(a['filename']).localeCompare(String(b['filename']));
  expect([...listed].sort(byName).map(shape)).toEqual([...recorded.files].sort(byName).map(shape));
  // Two are unread for their size: partial, with what was found.
  expect(spots(done.threads)).toEqual(['src/a.ts RIGHT 1']);
  expect(done.there.stands().checks).toEqual(['head 1: action_required, Not finished: 3 of 5 files read']);
  for (const unread of ['assets/anim.json', 'yarn.lock'])
    expect(done.there.checkText()).toMatch(new RegExp(`\\| \`${escaped(unread)}\` \\| `));
  await place?.close();

  await expectPlaced('o09-mode-only');
  await expectPlaced('o08-rename');
  const empty = await reviewOfCase('o11-empty-files');
  expect(empty.checks).toEqual(['head 1: success, Nothing open, one clean review']);
});

const escaped = (plain: string): string => plain.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

test('C025 a file that only moved has no new lines; one that moved and changed has its hunks', async () => {
  const rows = lines(200, 'moved');
  const done = await review({
    files: { 'lib/a.ts': text(rows), 'lib/b.ts': text(rows.slice(0, 150)) },
    changes: {
      'lib/a.ts': null,
      'lib/b.ts': null,
      'lib/new/a.ts': text(rows),
      'lib/new/b.ts': text(changed(rows.slice(0, 150), 75, 'edited')),
    },
    reads: [{ name: 'get_file_content', input: { path: 'lib/new/a.ts' } }],
    findings: [
      claim({ path: 'lib/new/a.ts', line: 100, code: 'moved 100' }),
      claim({ path: 'lib/new/b.ts', line: 75, code: 'edited' }),
    ],
  });
  expect(done.told[1]).toContain('=== lib/new/a.ts (renamed from lib/a.ts, +0 -0)\n===');
  expect(done.told[1]).toContain('=== lib/new/b.ts (renamed from lib/b.ts, +1 -1)\n@@ -72,7 +72,7 @@');
  expect(spots(done.threads)).toEqual(['lib/new/b.ts RIGHT 75']);
  // What was there before the move blocks nothing.
  expect(done.there.stands().checks).toEqual(['head 1: failure, 1 important to fix']);
  expect(bodyOf(done.there)).toMatch(/Not blocking.*lib\/new\/a\.ts:100/s);
  await place?.close();
  // Too different for a rename: one file gone, one new.
  const two = await reviewOfCase('o16-delete-plus-add');
  expect(two.told[0]).toMatch(/svc\/alpha\.go \(deleted, .*svc\/beta\.go \(added, /s);
});

test('C026 what the model may not see is named to it, and nothing can be claimed to be missing there', async () => {
  const done = await review({
    files: { 'private/steps.md': 'step one\n', 'src/steps.ts': 'stepOne();\n' },
    changes: {
      'private/steps.md': 'step one\nstep two: stepTwo\n',
      'src/steps.ts': 'stepOne();\nstepTwo();\n',
    },
    environment: { EVIDENT_NEVER_SEND: 'private/**' },
    pull: { body: 'Adds the second step, and writes it down in private/steps.md.' },
    findings: [
      claim({
        path: 'src/steps.ts',
        line: 2,
        code: 'stepTwo();',
        title: 'the second step is not written down',
        evidence: [],
        absences: [{ pattern: 'stepTwo', glob: 'private/**', ref: 'head' }],
      }),
    ],
  });
  for (const told of done.told.slice(0, 2)) expect(told).toMatch(/private\/steps\.md \(.*not shown/);
  expect(done.told[1]).toContain("withheld by the operator's setting (private/**)");
  expect(done.told.join('\n')).not.toContain('step two: stepTwo');
  expect(done.sentBack).toMatch(
    /files of private\/\*\* could not be searched, so nothing can be said to be absent/,
  );
  expect(done.threads).toEqual([]);
  expect(done.there.stands().checks).toEqual(['head 1: action_required, Not finished: 1 of 2 files read']);
});

test('C027 a moved file keeps its old path, by which its users are found', async () => {
  const done = await review({
    files: {
      'lib/a.ts': text(lines(20, 'export const')),
      'src/user.ts': "import '../lib/a.js';\n",
    },
    changes: { 'lib/a.ts': null, 'lib/moved/a.ts': text(lines(20, 'export const')) },
    reads: [
      { name: 'search_code', input: { pattern: 'lib/a\\.js' } },
      { name: 'get_file_content', input: { path: 'lib/a.ts' } },
    ],
    findings: [
      claim({
        path: 'lib/moved/a.ts',
        line: 1,
        code: 'export const 1',
        severity: 'nit',
        title: 'its users are left',
      }),
    ],
  });
  const [info, change, , users, old] = done.told;
  expect(info).toContain('lib/moved/a.ts (renamed from lib/a.ts, +0 -0)');
  expect(change).toContain('lib/moved/a.ts (renamed from lib/a.ts, +0 -0)');
  expect(users).toMatch(/== src\/user\.ts\n> +1 \| import/);
  expect(old).toContain('this change renames it, at head it is called lib/moved/a.ts');
});

test('C028 submodules, links, folders, empty and large files are told for what they are', async () => {
  const { answers } = payload<{
    input: { answers: readonly (Readonly<Record<string, unknown>> | readonly unknown[])[] };
  }>('op04-contents-answers').input;
  const size = (answers[0] as { size: number }).size;
  const target = (answers[2] as { target: string }).target;
  const at = (path: string) => ({ name: 'get_file_content', input: { path } });
  const submodule = 'c1'.repeat(20);
  const done = await review({
    files: {
      'large.txt': text(lines(1, 'x'.repeat(size))),
      vendored: { submodule },
      dangling: { symlink: target },
      'dir/a': 'a\n',
      'dir/b/c': 'c\n',
      'abc.txt': 'abc',
      'empty.txt': '',
      'src/a.ts': 'a\n',
    },
    changes: { 'src/a.ts': 'b\n' },
    reads: ['large.txt', 'vendored', 'dangling', 'dir', 'abc.txt', 'empty.txt', 'vendored/x.ts'].map(at),
  });
  const [large, module, link, folder, abc, empty, behind] = done.told.slice(3);
  expect(large).toMatch(/^large\.txt at head has 209\d{4} bytes, more than the \d+ that are read/);
  expect(module).toBe(
    `vendored at head is a submodule at commit ${submodule}. Its files are in another repository and cannot be read here.`,
  );
  expect(link).toContain(`dangling at head is a symbolic link to ${target}.`);
  expect(folder).toBe('dir at head is a folder with 2 entries: a, b/. list_files shows all of them.');
  expect(abc).toContain('     1 | abc');
  expect(empty).toBe('empty.txt at head is empty.');
  expect(behind).toContain('`vendored` is a submodule');
  expect(done.there.stands().checks).toEqual(['head 1: success, Nothing open, one clean review']);
  // GitHub's answer about a path, which follows links and caps folders, is never what is read.
  expect(done.requests.filter(({ path }) => path.includes('/contents'))).toEqual([]);
  await place?.close();
  await expectPlaced('o15-submodule');
});

test('C029 a link shows where it points and nothing of what is there', async () => {
  const done = await review({
    files: {
      '.env': 'PLAIN_WORD=never-to-be-sent\n',
      'docs/config': { symlink: '../.env' },
      'src/a.ts': 'a\n',
    },
    changes: { 'docs/other': { symlink: '../.env' }, 'src/a.ts': 'b\n' },
    environment: { EVIDENT_NEVER_SEND: '.env' },
    reads: [
      ...['docs/config', 'docs/other', 'docs/../.env', '.env'].map((path) => ({
        name: 'get_file_content',
        input: { path },
      })),
      { name: 'search_code', input: { pattern: 'PLAIN_WORD' } },
    ],
  });
  const [config, other, around, direct, search] = done.told.slice(3);
  expect(config).toContain('docs/config at head is a symbolic link to ../.env. Links are not followed');
  expect(other).toContain('docs/other at head is a symbolic link to ../.env.');
  expect(around).toContain('is not a path of the repository');
  expect(direct).toContain('.env at head is withheld');
  expect(search).toMatch(/^0 matches/);
  expect(JSON.stringify(done.model.requests)).not.toContain('never-to-be-sent');
  await place?.close();
  await expectPlaced('o14-symlink');
});

const markdown = new MarkdownIt();

/** Code blocks with an Apply button. */
const suggestions = ({ comments }: ThreadView): string[] =>
  markdown
    .parse(comments[0]?.body ?? '', {})
    .filter(({ type, info }) => type === 'fence' && info === 'suggestion')
    .map(({ content }) => content);

/** The file after a press on Apply: the block replaces exactly the lines of its thread. */
function applied(file: string, { startLine, line, comments }: ThreadView): string {
  const body = comments[0]?.body ?? '';
  // As bytes: a parser of Markdown would fold the ends of the lines.
  const [found, ...more] = [...body.matchAll(/^(`{3,})suggestion\n([^]*?)^\1$/gm)];
  if (found === undefined || more.length > 0 || line === null)
    throw new Error(`There is not one suggestion: ${body}`);
  const rows = file.split(/(?<=\n)/);
  const start = startLine ?? line;
  rows.splice(start - 1, line - start + 1, found[2] ?? '');
  return rows.join('');
}

test('C030 a suggestion that repeats lines around its range doubles none of them', async () => {
  const after = changed(changed(lines(20), 10, 'ten'), 11, 'eleven');
  const done = await review({
    files: { 'a.txt': text(lines(20)) },
    changes: { 'a.txt': text(after) },
    findings: [
      claim({
        path: 'a.txt',
        start_line: 10,
        line: 11,
        code: 'ten\neleven',
        suggestion: 'line 9\nTEN\nELEVEN\nline 12',
      }),
    ],
  });
  expect(spots(done.threads)).toEqual(['a.txt RIGHT 10 11']);
  expect(applied(text(after), done.threads[0]!)).toBe(text(changed(changed(after, 10, 'TEN'), 11, 'ELEVEN')));
});

test('C031 a fix is put where the code stands that it replaces, or is no suggestion', async () => {
  const before = ['// The limit.', '', 'const limit = 10;', 'same();', 'other();', 'same();'];
  const after = ['// The limit, raised.', '', 'const limit = 100;', 'twice();', 'other();', 'twice();'];
  const done = await review({
    files: { 'a.ts': text(before) },
    changes: { 'a.ts': text(after) },
    findings: [
      // The number is that of the comment.
      claim({ path: 'a.ts', line: 1, code: 'const limit = 100;', suggestion: 'const limit = 10;' }),
      // It stands twice and at neither place that is named.
      claim({ path: 'a.ts', line: 5, code: 'twice();', suggestion: 'once();' }),
    ],
  });
  expect(spots(done.threads)).toEqual(['a.ts RIGHT 3']);
  expect(applied(text(after), done.threads[0]!)).toBe(text(changed(after, 3, 'const limit = 10;')));
  expect(done.sentBack).toMatch(/findings\[1\].*copy it exactly/s);
  expect(bodyOf(done.there)).not.toContain('once();');
});

test('C032 an empty suggestion deletes its lines; no suggestion is another thing', async () => {
  const { replacements } = payload<{ input: { replacements: readonly string[] } }>(
    'op10-suggestion-bodies',
  ).input;
  // Five threads are opened at most: two reviews.
  for (const some of [replacements.slice(0, 4), replacements.slice(4)]) {
    const after = text(lines(10, 'new'));
    const done = await review({
      files: { 'a.txt': text(lines(10, 'old')) },
      changes: { 'a.txt': after },
      findings: [
        ...some.map((suggestion, index) =>
          claim({ path: 'a.txt', line: index * 2 + 1, code: `new ${index * 2 + 1}`, suggestion }),
        ),
        claim({ path: 'a.txt', line: 10, code: 'new 10' }),
      ],
    });
    expect(done.threads.map(({ line }) => line)).toEqual([...some.map((_, index) => index * 2 + 1), 10]);
    for (const [index, replacement] of some.entries()) {
      const ended = replacement === '' ? '' : `${replacement.replace(/\r?\n$/, '')}\n`;
      expect(suggestions(done.threads[index]!)).toEqual([ended]);
      expect(applied(after, done.threads[index]!)).toBe(after.replace(`new ${index * 2 + 1}\n`, () => ended));
    }
    expect(suggestions(done.threads.at(-1)!)).toEqual([]);
    await place?.close();
  }
});
