import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { look, type LookGiven } from '../../evals/look.js';
import { compareLooks, looksTable, parseScores } from '../../evals/looks-compared.js';
import { ConfigError } from '../../lib/core/errors.js';
import { calls, createScriptedModel } from '../../lib/models/scripted.js';
import { createBareRepository } from '../../local-github/git.js';
import { moveBranch, writeCommit } from '../../local-github/objects.js';

const folder = mkdtempSync(join(tmpdir(), 'second-look-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const before = 'export const amount = (refund, total) => {\n  return refund ?? total;\n};\n';
const other = 'export const refundOf = (order) => (order.refunded ? 0 : undefined);\n';
const author = { name: 'octocat', email: 'octocat@users.noreply.local-github.invalid' };

let dir = '';
beforeAll(async () => {
  const git = await createBareRepository(join(folder, 'falsy-zero.git'), 'base');
  const commit = (parents: readonly string[], files: Readonly<Record<string, string>>) =>
    writeCommit(git, { parents, files, message: 'A change', author, at: 1_700_000_000_000 });
  const base = await commit([], { 'src/amount.ts': before, 'src/refund.ts': other });
  const pr = await commit([base], {
    'src/amount.ts': before.replace('??', '||'),
    'src/zebra.ts': 'export const z = 1;\n',
  });
  await moveBranch(git, 'base', base, null);
  await moveBranch(git, 'pr', pr, null);
  dir = git.dir;
});

const submission = {
  findings: [
    {
      path: 'src/amount.ts',
      line: 2,
      code: '  return refund || total;',
      rule: 'falsy-zero',
      severity: 'important',
      category: 'logic',
      confidence: 'high',
      title: 'a refund of 0 becomes the whole total',
      body: 'A refunded order gives 0 (`src/refund.ts:1`), and `||` takes the total instead.',
      evidence: [
        { path: 'src/amount.ts', ref: 'base', start: 2, end: 2, quote: '  return refund ?? total;' },
        { path: 'src/refund.ts', ref: 'head', start: 1, end: 1, quote: other.trim() },
      ],
    },
  ],
  humanReviewRequests: [],
  disproved: [],
  summary: 'Takes the total where there is no refund.',
};

const reading = calls(
  { name: 'get_pr_info', input: {} },
  { name: 'get_pr_diff', input: {} },
  { name: 'get_file_at_base', input: { path: 'src/amount.ts' } },
  { name: 'get_file_content', input: { path: 'src/refund.ts' } },
);

const lookWith = (model: LookGiven['model'], how: Partial<LookGiven> = {}): ReturnType<typeof look> =>
  look({
    dir,
    lens: 'contracts',
    order: 'reverse',
    model,
    limits: {},
    maxMs: 600_000,
    clock: Date.now,
    signal: new AbortController().signal,
    ...how,
  });

test('a pass is asked with the lens and order of the look, and what stands of it is told', async () => {
  const model = createScriptedModel([reading, calls({ name: 'submit_code_review', input: submission })]);
  const done = await lookWith(model);
  expect(done).toMatchObject({
    lens: 'contracts',
    order: 'reverse',
    model: 'scripted',
    ended: 'submitted',
    complete: true,
    remarks: [
      {
        path: 'src/amount.ts',
        line: 2,
        end_line: 2,
        title: 'a refund of 0 becomes the whole total',
        severity: 'important',
        as: 'finding',
      },
    ],
  });
  const asked = JSON.stringify(model.requests[0]?.messages);
  expect(asked).toContain('Emphasis of this pass: contracts, callers and data flow.');
  const shown = JSON.stringify(model.requests[1]?.messages.at(-1));
  expect(shown.indexOf('src/zebra.ts')).toBeLessThan(shown.lastIndexOf('src/amount.ts'));
});

test('a pass that saw only a part, or submitted nothing, is not whole', async () => {
  const unread = createScriptedModel([
    calls({ name: 'get_pr_info', input: {} }),
    calls({ name: 'submit_code_review', input: { ...submission, findings: [] } }),
  ]);
  expect(await lookWith(unread)).toMatchObject({ ended: 'submitted', complete: false, remarks: [] });
  const silent = createScriptedModel([reading, new Error('the endpoint is gone')]);
  expect(await lookWith(silent)).toMatchObject({ ended: 'failed', complete: false, remarks: [] });
});

test('a folder without these branches is refused with a sentence', async () => {
  const git = await createBareRepository(join(folder, 'empty.git'), 'main');
  await expect(lookWith(createScriptedModel([]), { dir: git.dir })).rejects.toBeInstanceOf(ConfigError);
});

describe('the table', () => {
  const first = parseScores({
    cases: [
      { id: 'a', golden: 4, missed: ['g2', 'g3'], tp: 2 },
      { id: 'b', golden: 2, missed: ['g0', 'g1'] },
      { id: 'only-first', golden: 9, missed: [] },
    ],
  });

  test('of the misses of the first, over the cases of both', () => {
    const [again, contracts] = compareLooks(first, [
      {
        name: 'again',
        scores: [
          { id: 'a', golden: 4, missed: ['g2', 'g3'] },
          { id: 'b', golden: 2, missed: ['g0', 'g1'] },
        ],
      },
      {
        name: 'contracts',
        scores: [
          { id: 'a', golden: 4, missed: ['g0', 'g3'] },
          { id: 'b', golden: 2, missed: [] },
          { id: 'only-second', golden: 5, missed: [] },
        ],
      },
    ]);
    expect(again).toMatchObject({
      cases: 2,
      first: { found: 2, of: 6 },
      second: { found: 2, of: 6 },
      ofMisses: { found: 0, of: 4, share: 0 },
      both: { found: 2, of: 6 },
    });
    expect(contracts).toMatchObject({
      cases: 2,
      first: { found: 2, of: 6 },
      second: { found: 4, of: 6 },
      ofMisses: { found: 3, of: 4, share: 0.75 },
      both: { found: 5, of: 6 },
    });
    const [low = 0, high = 0] = contracts?.ofMisses.interval ?? [];
    expect([low, high].map((share) => share.toFixed(2))).toEqual(['0.30', '0.95']);
  });

  test('in words, with what is missing said', () => {
    const table = looksTable(compareLooks(first, [{ name: 'none in common', scores: [] }]));
    expect(table.split('\n').at(-1)).toBe(
      '| none in common | 0 | none to find | none to find | none to find | none to find |',
    );
  });

  test.each([
    ['no list', { golden: 1 }],
    ['more missed than there are', [{ id: 'a', golden: 1, missed: ['g0', 'g1'] }]],
  ])('scores that are none are refused: %s', (_, value) => {
    expect(() => parseScores(value)).toThrow();
  });
});
