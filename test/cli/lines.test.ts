import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runLines } from '../../cli/commands/lines.js';

const folder = fileURLToPath(new URL('../fixtures/cases/', import.meta.url));
const diffs = readdirSync(folder).filter((name) => name.endsWith('.diff') && !name.includes('two-dot'));

async function lines(args: readonly string[], input = '') {
  let out = '';
  let err = '';
  const code = await runLines(args, {
    stdout: (text) => void (out += text),
    stderr: (text) => void (err += text),
    readStdin: async () => Buffer.from(input),
  });
  return { code, out, err };
}

describe('evident lines', () => {
  let scratch: string;
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'evident-lines-'));
  });
  afterAll(() => rmSync(scratch, { recursive: true }));

  test.each(diffs)('prints the places of %s, from the diff, the input and the file list', async (name) => {
    const wanted = JSON.parse(readFileSync(folder + name.replace('.diff', '.json'), 'utf8'));
    const raw = await lines([folder + name]);
    expect(raw).toEqual({ code: 0, out: expect.any(String), err: '' });
    expect(JSON.parse(raw.out)).toEqual(wanted.commentable);
    expect(await lines(['-'], readFileSync(folder + name, 'utf8'))).toEqual(raw);
    expect(await lines([folder + name.replace('.diff', '.json')])).toEqual(raw);
    writeFileSync(join(scratch, 'files.json'), JSON.stringify(wanted.api_files));
    expect(await lines([join(scratch, 'files.json')])).toEqual(raw);
  });

  test('an empty diff has no places', async () => {
    expect(await lines(['-'], '\n')).toEqual({ code: 0, out: '[]\n', err: '' });
  });

  test('says which file it could not read, and goes on with the others', async () => {
    const diff = [
      'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,5 +1 @@\n-x\n+y\n',
      'diff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n',
    ].join('');
    const { code, out, err } = await lines(['-'], diff);
    expect([code, JSON.parse(out)]).toEqual([
      0,
      [
        ['b', 'LEFT', 1],
        ['b', 'RIGHT', 1],
      ],
    ]);
    expect(err).toMatch(/^No lines of a: a hunk does not hold/);
  });

  test('says how it is used when asked', async () => {
    const { code, out, err } = await lines(['--help']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^evident lines FILE/);
  });

  test.each([
    [[], '', /^evident lines FILE/],
    [['a', 'b'], '', /^evident lines FILE/],
    [['--colour'], '', /^evident lines FILE/],
    [['/nowhere/x.diff'], '', /^There is no file \/nowhere\/x\.diff\./],
    [['/'], '', /^Cannot read \/: EISDIR/],
    [['-'], 'hello', /^the input holds no git diff/],
    [['-'], '{"a": 1}', /^the input is JSON, but not/],
    [['-'], '[{"filename": 1}]', /^the input is JSON, but not/],
    [['-'], '[', /^the input is JSON, but not/],
  ])('answers %j with exit code 2 and a sentence', async (args, input, sentence) => {
    const { code, out, err } = await lines(args, input);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(sentence);
  });
});
