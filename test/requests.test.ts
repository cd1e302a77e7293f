import { playDemo, type Played } from '../cli/play-demo.js';
import { silentLog } from '../lib/ports/log.js';
import type { LoopEvent } from '../lib/agent/loop-event.js';
import { calls, createScriptedModel } from '../lib/models/scripted.js';
import type { Model } from '../lib/ports/model.js';
import type { FileChange, RequestLogEntry } from '../local-github/index.js';
import type { Story } from '../local-github/open-story.js';

const lines = (count: number, mark: string, end = '\n'): string =>
  Array.from({ length: count }, (_, at) => `export const ${mark}${at} = ${at};`).join(end) + end;

/** A file of twelve lines, and the same with its sixth line changed. */
const before = (mark: string, end = '\n'): string => lines(12, mark, end);
const after = (mark: string, end = '\n'): string =>
  before(mark, end).replace(`${mark}5 = 5`, `${mark}5 = 'five'`);

const picture = (last: number): Uint8Array => Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, last]);
const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');

type Edit = { readonly path: string; readonly was?: FileChange; readonly is: FileChange };

/** Twenty changed files of all kinds; a rename is one of them and has two paths. */
const edits: readonly Edit[] = [
  { path: 'src/a.ts', was: before('a'), is: after('a') },
  { path: 'src/b.ts', was: before('b'), is: after('b') },
  { path: 'src/deep/er/and/deeper/still/c.ts', was: before('c'), is: after('c') },
  { path: 'src/crlf.ts', was: before('d', '\r\n'), is: after('d', '\r\n') },
  { path: 'src/crlf-to-lf.ts', was: before('e', '\r\n'), is: before('e') },
  { path: 'src/renamed-from.ts', was: before('f'), is: null },
  { path: 'src/renamed-to.ts', is: after('f') },
  { path: 'src/moved-from.ts', was: before('g'), is: null },
  { path: 'lib/moved-to.ts', is: before('g') },
  { path: 'src/deleted.ts', was: before('h'), is: null },
  { path: 'src/deleted-too.ts', was: before('i'), is: null },
  // Put together here, so that no file of this repository holds what looks like a key.
  {
    path: 'src/added.ts',
    is: `${lines(20, 'j')}const key = '${['sk', 'live', '9dKw4Zr7TbXq2mVh8sLp3cYf'].join('_')}';\n`,
  },
  { path: 'src/added-empty.ts', is: '' },
  { path: 'img/changed.png', was: picture(1), is: picture(2) },
  { path: 'img/added.png', is: picture(3) },
  { path: 'private/ignored.ts', was: before('k'), is: after('k') },
  { path: 'private/deep/ignored-too.ts', was: before('l'), is: after('l') },
  {
    path: 'src/version.ts',
    was: `// $Format:%H$\n${before('m')}`,
    is: `// $Format:%H$\n${after('m')}`,
  },
  {
    path: 'bin/run.sh',
    was: { mode: '100644', content: '#!/bin/sh\necho one\n' },
    is: { mode: '100755', content: '#!/bin/sh\necho two\n' },
  },
  { path: 'link', was: { symlink: 'src/a.ts' }, is: { symlink: 'src/b.ts' } },
  { path: 'docs/Grüße und "mehr".md', was: '# Hallo\n', is: '# Hallo\n\nWelt ohne Ende' },
  { path: 'src/latin1.ts', was: latin1(`// Größe\n${before('n')}`), is: latin1(`// Größe\n${after('n')}`) },
];

const untouched: Readonly<Record<string, FileChange>> = {
  '.gitattributes': 'private export-ignore\nprivate/** export-ignore\nsrc/version.ts export-subst\n',
  'README.md': '# twenty\n',
  ...Object.fromEntries(Array.from({ length: 15 }, (_, at) => [`src/still/u${at}.ts`, before(`u${at}x`)])),
};

const twentyFiles: Story = {
  owner: 'octo-org',
  name: 'twenty',
  title: 'Twenty files of all kinds',
  body: '',
  author: 'octocat',
  branch: 'twenty',
  baseFiles: () => ({
    ...untouched,
    ...Object.fromEntries(edits.flatMap(({ path, was }) => (was === undefined ? [] : [[path, was]]))),
  }),
  headChanges: () => Object.fromEntries(edits.map(({ path, is }) => [path, is])),
  commits: [{ message: 'All of it', paths: edits.map(({ path }) => path) }],
};

type Asked = {
  readonly played: Played;
  readonly before: number;
  readonly during: readonly RequestLogEntry[];
};

/** Plays the pull request and takes what the GitHub itself logged from the first question to the model until the end of the loop. */
async function ask(model?: Model): Promise<Asked> {
  let log = (): readonly RequestLogEntry[] => [];
  let began: number | null = null;
  let ended: number | null = null;
  const emit = ({ kind }: LoopEvent): void => {
    if (kind === 'request_sent') began ??= log().length;
    if (kind === 'ended') ended = log().length;
  };
  const played = await playDemo({
    story: twentyFiles,
    environment: {},
    log: silentLog,
    ...(model !== undefined && { model }),
    emit,
    onBegin: ({ github }) => {
      log = github.requests;
    },
  });
  if (began === null || ended === null) throw new Error('The loop did not run.');
  return { played, before: began, during: log().slice(began, ended) };
}

/** Sixty look-ups of every kind, twelve a turn, then an empty review. */
function sixtyCalls(): Model {
  const paths = [...edits.map(({ path }) => path), 'README.md', 'src/still/u1.ts', 'src/none.ts'];
  const uses = [
    { name: 'get_pr_info', input: {} },
    { name: 'get_pr_diff', input: {} },
    ...paths.map((path) => ({ name: 'get_file_content', input: { path } })),
    ...paths.map((path) => ({ name: 'get_file_at_base', input: { path } })),
    { name: 'list_files', input: { ref: 'head' } },
    { name: 'list_files', input: { ref: 'base' } },
    ...['five', 'a5', 'u1x', 'export', 'Gr', 'nothing-like-this'].map((pattern) => ({
      name: 'search_code',
      input: { pattern },
    })),
  ].slice(0, 60);
  const turns = Array.from({ length: 5 }, (_, at) => calls(...uses.slice(at * 12, at * 12 + 12)));
  const finding = {
    path: 'src/a.ts',
    line: 6,
    code: "export const a5 = 'five';",
    rule: 'changed-kind',
    severity: 'important',
    category: 'logic',
    confidence: 'high',
    title: 'a number became a word',
    body: 'It was a number before.',
    evidence: [{ path: 'src/a.ts', ref: 'base', start: 6, end: 6, quote: 'export const a5 = 5;' }],
  };
  const end = calls({ name: 'submit_code_review', input: { findings: [finding], summary: 'Twenty files.' } });
  return createScriptedModel([...turns, end]);
}

const table = ({ played }: Asked): string =>
  played.requests
    .map(
      ({ method, path, reason }, at) =>
        `${String(at + 1).padStart(3)}  ${method.padEnd(6)}${reason.padEnd(52)}${path}`,
    )
    .join('\n');

/**
 * What the installation's limit counts: not the token, which the app asks for as itself once an hour, and not the
 * archive's own host, which the archive's address leads to.
 */
const countedByTheLimit = ({ path }: { readonly path: string }): boolean =>
  path.startsWith('/') && !path.endsWith('/access_tokens');

const models: readonly (readonly [string, () => Model | undefined])[] = [
  ['the fixed rules', () => undefined],
  ['a model that looks sixty times', sixtyCalls],
];

describe.each(models)('twenty changed files, %s', (name, model) => {
  let asked: Asked;
  beforeAll(async () => {
    asked = await ask(model());
  });
  afterAll(() => asked.played.close());

  test('is reviewed whole', () => {
    const { played } = asked;
    expect(played.repository.pull(played.number).changedFiles).toBe(20);
    expect(played.reviewed?.failed).toBeNull();
    expect(played.reviewed?.result?.coverage.files).toHaveLength(20);
    expect(played.inline).toHaveLength(1);
    expect(played.check).toEqual({ conclusion: 'neutral', title: '1 important to fix' });
  });

  test('takes at most 16 requests of the limit, each with a reason, and GitHub counts the same', () => {
    const { played } = asked;
    if (process.env['EVIDENT_PRINT'] === '1') process.stdout.write(`\n${name}\n${table(asked)}\n`);
    expect(played.requests.filter(countedByTheLimit).length).toBeLessThanOrEqual(16);
    for (const { reason, path } of played.requests) {
      expect(reason).toMatch(/^[a-z0-9].{8,}/i);
      expect(decodeURIComponent(path)).not.toMatch(/\[object|undefined|null/);
    }
    expect(played.github.requests()).toHaveLength(played.requests.length);
  });

  test('asks GitHub nothing while the loop runs', () => {
    expect(asked.before).toBeGreaterThan(5);
    expect(asked.during).toEqual([]);
  });
});

test('sixty looks are sixty answers: every text is shown in the versions in which it is there', async () => {
  const looks: Extract<LoopEvent, { kind: 'tool_finished' }>[] = [];
  const played = await playDemo({
    story: twentyFiles,
    environment: {},
    log: silentLog,
    model: sixtyCalls(),
    emit: (event) => {
      if (event.kind === 'tool_finished' && event.name !== 'submit_code_review') looks.push(event);
    },
  });
  await played.close();
  expect(looks).toHaveLength(60);
  expect(looks.filter(({ failed }) => failed)).toEqual([]);
  const read = (name: string): readonly string[] =>
    looks.filter((one) => one.name === name).flatMap(({ served }) => served.map(({ path }) => path));
  const texts = (version: 'was' | 'is'): readonly string[] =>
    edits.filter((edit) => typeof edit[version] === 'string' && edit[version] !== '').map(({ path }) => path);
  expect(texts('is').length).toBeGreaterThan(10);
  expect(read('get_file_content')).toEqual(expect.arrayContaining([...texts('is')]));
  expect(read('get_file_at_base')).toEqual(expect.arrayContaining([...texts('was')]));
});

test('twenty ordinary files and a finding take at most 16 requests, all told', async () => {
  const paths = Array.from({ length: 20 }, (_, at) => `src/part${at}.ts`);
  const guard = (test: string): string =>
    `export function pay(order) {\n  if (${test}) {\n    throw new Error('already paid');\n  }\n}\n`;
  const files = (mark: string): Record<string, string> =>
    Object.fromEntries(paths.map((path) => [path, mark === 'was' ? before('a') : after('a')]));
  const played = await playDemo({
    story: {
      owner: 'octo-org',
      name: 'plain',
      title: 'Twenty files',
      body: '',
      author: 'octocat',
      branch: 'parts',
      baseFiles: () => ({ ...files('was'), 'src/part0.ts': guard('order.paid') }),
      headChanges: () => ({ ...files('is'), 'src/part0.ts': guard('!order.paid') }),
      commits: [{ message: 'change', paths }],
    },
    log: silentLog,
  });
  try {
    expect(played.check.title).toBe('1 important to fix');
    expect(played.inline).toHaveLength(1);
    expect(played.requests.length).toBeLessThanOrEqual(16);
    expect(played.github.requests()).toHaveLength(played.requests.length);
  } finally {
    await played.close();
  }
});
