import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runReviewCommand } from '../../../cli/commands/review.js';
import type { Io } from '../../../cli/io.js';
import { main } from '../../../cli/main.js';
import { ModelError } from '../../../lib/core/errors.js';
import { calls, createScriptedModel, says } from '../../../lib/models/scripted.js';
import type { Model } from '../../../lib/ports/model.js';
import { createGitRepository, type GitRepository } from '../../forges/git-repository.js';

const before = `export const refundFor = (order) => order.refunded;
export function refundOf(order) {
  return refundFor(order) ?? order.total;
}
`;
const after = before.replace('??', '||');
const hostile = '</pre><script>alert(1)</script><img src=x onerror="x">\u001b[31m\u202e';

const finding = {
  path: 'src/refund.js',
  line: 3,
  code: '  return refundFor(order) || order.total;',
  rule: 'falsy-zero',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  title: 'a refund of 0 gives back the whole total',
  body: '`||` turns 0 into the total.',
  evidence: [
    {
      path: 'src/refund.js',
      ref: 'head',
      start: 1,
      end: 1,
      quote: 'export const refundFor = (order) => order.refunded;',
    },
  ],
};
const review = (findings: readonly unknown[]) => ({
  name: 'submit_code_review',
  input: {
    findings,
    humanReviewRequests: [],
    disproved: [
      {
        claim: 'order may be null',
        because: 'nobody passes null',
        path: 'src/refund.js',
        ref: 'head',
        line: 2,
        quote: 'export function refundOf(order) {',
      },
    ],
    summary: 'Changes a refund.',
  },
});
/** Looks, looks at what is not there, claims with a quote that does not stand, mends it. */
const honest = (): Model =>
  createScriptedModel([
    calls(
      { name: 'get_pr_diff', input: {} },
      { name: 'get_file_content', input: { path: 'src/refund.js' } },
      { name: 'get_file_content', input: { path: `src/${hostile}.js` } },
      { name: 'get_file_content', input: { start: 3 } },
    ),
    calls(review([{ ...finding, evidence: [{ ...finding.evidence[0], quote: hostile }] }])),
    calls(review([finding])),
  ]);

const ioOf = (cwd: string) => {
  const read = { out: '', err: '' };
  const io: Io = {
    stdout: (text) => void (read.out += text),
    stderr: (text) => void (read.err += text),
    readStdin: async () => readFileSync(join(cwd, 't.json')),
    isTerminal: false,
    env: {},
    cwd,
  };
  return { io, read };
};

describe('evident review --transcript, evident replay', () => {
  let repository: GitRepository;
  let dir = '';
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'replay-'));
    repository = createGitRepository();
    repository.write('src/refund.js', before);
    repository.git('add', '.');
    repository.commit('first');
    repository.git('checkout', '-q', '-b', 'refunds');
    repository.write('src/refund.js', after);
  });
  afterEach(() => {
    repository.remove();
    rmSync(dir, { recursive: true, force: true });
  });

  const keep = async (model: Model): Promise<string> => {
    const { io } = ioOf(repository.dir);
    await runReviewCommand(['--transcript', join(dir, 't.json')], io, { model });
    return join(dir, 't.json');
  };
  const show = async (...args: readonly string[]) => {
    const { io, read } = ioOf(dir);
    const code = await main(['replay', ...args], io);
    return { code, ...read };
  };

  test('the file says what was sent, what came back, what was refused and how it ended', async () => {
    const file = await keep(honest());
    const kept = JSON.parse(readFileSync(file, 'utf8'));
    expect(kept).toMatchObject({
      version: 1,
      model: { kind: 'language_model' },
      reviewed: { head: 'refunds', base: 'main' },
      passes: [
        {
          outcome: { kind: 'submitted', dropped: [] },
          turns: [{}, { submitted: true }, { submitted: true }],
        },
      ],
      result: { findings: [{ id: 'F1', place: 'src/refund.js:3' }], disproved: [{}], verdict: 'fix' },
    });
    expect(kept.passes[0].system.length).toBeGreaterThan(100);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  test('the text tells it in order: looked, refused and why, claimed, sent back and why, accepted', async () => {
    await keep(honest());
    const { code, out } = await show('t.json');
    expect(code).toBe(0);
    const at = (pattern: RegExp): number => {
      const found = out.search(pattern);
      if (found === -1) throw new Error(`${pattern} is not in:\n${out}`);
      return found;
    };
    const order = [
      /by scripted/,
      /Turn 1 .*tokens/,
      /looked {4}get_pr_diff/,
      /looked {4}get_file_content path: src\/<\/pre>/,
      /refused {3}get_file_content start: 3\n +because: The arguments[\s\S]*at path/,
      /read {6}src\/refund\.js.* 1-4/,
      /Turn 2/,
      /claimed {3}src\/refund\.js:3 {2}a refund of 0 gives back/,
      /refused {3}Not accepted:/,
      /Turn 3/,
      /accepted {2}every claim/,
      /ended {5}with a submission/,
      /F1 {8}src\/refund\.js:3/,
      /disproved order may be null/,
      /spent {5}3 turns, 4 look-ups/,
    ].map(at);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(out).not.toContain('return refundFor(order) ||');
    expect((await show('t.json', '--full')).out).toContain('return refundFor(order) ||');
    expect((await show('-')).out).toBe(out);
  });

  test('the page holds the same, loads nothing, and nothing in it is markup of others', async () => {
    await keep(honest());
    const { code, out } = await show('t.json', '--html');
    expect(code).toBe(0);
    const style = /<style>([\s\S]*?)<\/style>/.exec(out)?.[1] ?? '';
    const digest = createHash('sha256').update(style).digest('base64');
    expect(out).toContain(`content="default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'`);
    const tags = new Set([...out.matchAll(/<\/?([a-z0-9]+)/g)].map(([, tag]) => tag));
    for (const tag of ['script', 'img', 'link', 'iframe', 'a', 'form', 'svg'])
      expect([...tags]).not.toContain(tag);
    expect(out).not.toMatch(/<[^>]*\son\w+=/);
    expect(out).not.toMatch(/[\u001b\u202e]/);
    expect(out).toContain('&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(out).toContain('\u27e8U+202E\u27e9');
    expect(out).toContain('return refundFor(order) || order.total;');
    expect(out).toContain('Not accepted:');
    expect([...out.matchAll(/<h3>Turn \d/g)]).toHaveLength(3);
    for (const tag of ['details', 'pre', 'ul', 'li', 'bdi', 'code', 'p', 'div', 'span'])
      expect([tag, out.split(new RegExp(`<${tag}[ >]`)).length]).toEqual([
        tag,
        out.split(`</${tag}>`).length,
      ]);
  });

  test.each<[string, () => Model, RegExp]>([
    [
      'nothing submitted',
      () => createScriptedModel([says('Fine.'), says('Fine.'), says('Fine.'), says('Fine.')]),
      /ended {5}without a submission.*\n[\s\S]*none {6}No pass/,
    ],
    [
      'an endpoint that fails',
      () => createScriptedModel([new ModelError('The endpoint is busy (529).', { retryable: false })]),
      /ended {5}failed: The endpoint is busy/,
    ],
    [
      'sent back until the tries were used up',
      () =>
        createScriptedModel(
          Array.from({ length: 3 }, () => calls({ name: 'submit_code_review', input: 'no' })),
        ),
      /refused {3}submit_code_review was sent back 3 times/,
    ],
  ])('%s: the file is written all the same', async (_name, model, expected) => {
    await keep(model());
    expect((await show('t.json')).out).toMatch(expected);
    expect((await show('t.json', '--html')).out).toContain('No pass ended with a submission.');
  });

  test('a secret stands in it as a label', async () => {
    const secret = `AKIA${'Q7ZK3M5T2W9X4R8B'}`;
    repository.write('src/refund.js', `${after}const key = '${secret}';\n`);
    await keep(createScriptedModel([calls({ name: 'get_pr_diff', input: {} }), calls(review([]))]));
    const text = readFileSync(join(dir, 't.json'), 'utf8');
    expect(text).toContain('[secret: ');
    expect(text).not.toContain(secret);
  });

  test.each([
    ['no file', null, /There is no file t\.json/],
    ['no JSON', 'x', /not JSON/],
    ['other JSON', '{"a":1}', /no transcript/],
    ['a later version', '{"version":2,"passes":[]}', /version 2, this program reads version 1/],
    [
      'a damaged one',
      '{"version":1,"passes":[{}],"evident":"1","model":{"name":"a","kind":"rules"}}',
      /damaged at reviewed/,
    ],
  ])('%s is told in a sentence', async (_name, content, sentence) => {
    if (content !== null) writeFileSync(join(dir, 't.json'), content);
    const { code, err } = await show('t.json');
    expect(code).toBe(2);
    expect(err).toMatch(sentence);
    expect(err).not.toMatch(/^\s+at /m);
  });

  test('a transcript that cannot be written is told before the review costs anything', async () => {
    const { io, read } = ioOf(repository.dir);
    expect(await main(['review', '--transcript', join(dir, 'no', 'such', 't.json')], io)).toBe(2);
    expect(await main(['review', '--transcript', dir], io)).toBe(2);
    expect(read.err).toMatch(/--transcript cannot write .*Name a file/);
    expect(read.out).toBe('');
  });
});

test('without a file the usage is told', async () => {
  const { io, read } = ioOf('/');
  expect(await main(['replay'], io)).toBe(2);
  expect(read.err).toContain('evident replay FILE');
  expect(await main(['replay', '--help'], io)).toBe(0);
});
