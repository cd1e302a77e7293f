import { main } from '../../../cli/main.js';
import { runReviewCommand } from '../../../cli/commands/review.js';
import type { Io } from '../../../cli/io.js';
import { ModelError } from '../../../lib/core/errors.js';
import { calls, createScriptedModel, says } from '../../../lib/models/scripted.js';
import type { Model } from '../../../lib/ports/model.js';
import { createGitRepository, type GitRepository } from '../../forges/git-repository.js';

type Ran = { readonly code: number; readonly out: string; readonly err: string };

const ioOf = (
  cwd: string,
  env: Io['env'] = {},
): { readonly io: Io; readonly read: () => Omit<Ran, 'code'> } => {
  let out = '';
  let err = '';
  return {
    io: {
      stdout: (text) => void (out += text),
      stderr: (text) => void (err += text),
      readStdin: async () => Buffer.alloc(0),
      isTerminal: false,
      env,
      cwd,
    },
    read: () => ({ out, err }),
  };
};

async function review(
  cwd: string,
  args: readonly string[],
  model?: Model,
  env: Io['env'] = {},
): Promise<Ran> {
  const { io, read } = ioOf(cwd, env);
  const code = await runReviewCommand(args, io, model === undefined ? {} : { model });
  return { code, ...read() };
}

const before = `export function refund(order) {
  if (order.refunded) {
    throw new Error('already refunded');
  }
  return pay(order);
}
`;
const after = before.replace('if (order.refunded)', 'if (!order.refunded)');

const empty = { findings: [], humanReviewRequests: [], disproved: [], prior: [], summary: 'Nothing.' };
const lookAtAll = calls({ name: 'get_pr_info', input: {} }, { name: 'get_pr_diff', input: {} });

describe('evident review', () => {
  let repository: GitRepository;
  beforeEach(() => {
    repository = createGitRepository();
    repository.write('src/refund.js', before);
    repository.write('README.md', '# shop\n');
    repository.git('add', '.');
    repository.commit('first');
    repository.git('checkout', '-q', '-b', 'refunds');
  });
  afterEach(() => repository.remove());

  test('reviews what is not committed yet, and leaves the repository as it is', async () => {
    repository.write('src/refund.js', after);
    repository.write('src/new.js', 'export const a = 1;\n');
    const status = repository.git('status', '--porcelain');
    const { code, out } = await review(repository.dir, []);
    expect(code).toBe(1);
    expect(out).toContain('main...refunds and 2 uncommitted files');
    expect(out).toContain('Important  F1');
    expect(out).toContain('src/refund.js:2');
    expect(out).toContain('> 2 |   if (!order.refunded) {');
    expect(out).toContain('Read 2 of 2 changed files, finished.');
    expect(out).toContain('No key is set, so the fixed rules were used, not a language model.');
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(repository.git('status', '--porcelain')).toBe(status);
  });

  test('with nothing to fix the exit code is 0, and no key was needed', async () => {
    repository.write('README.md', '# shop\n\nSells things.\n');
    const { code, out } = await review(repository.dir, ['--model', 'rules']);
    expect(code).toBe(0);
    expect(out).toContain('Nothing to fix.  Read 1 of 1 changed file');
    expect(out).not.toContain('No key is set');
  });

  test('the JSON carries the evidence, and nothing else stands on standard output', async () => {
    repository.write('src/refund.js', after);
    const { code, out } = await review(repository.dir, ['--json']);
    const json = JSON.parse(out);
    expect(code).toBe(1);
    expect(json).toMatchObject({ finished: true, exit: 1, model: { kind: 'rules' }, sent: null });
    expect(json.findings[0]).toMatchObject({ id: 'F1', rule: 'inverted-condition', severity: 'important' });
    expect(json.findings[0].evidence).toContainEqual(
      expect.objectContaining({ ref: 'base', start: 2, end: 2, quote: '  if (order.refunded) {' }),
    );
    expect(json.coverage.complete).toBe(true);
  });

  test('as Markdown it is what would stand on the pull request, without what is hidden', async () => {
    repository.write('src/refund.js', after);
    const { out } = await review(repository.dir, ['--markdown']);
    expect(out).toContain('**1 important.**');
    expect(out).toContain('Quotes found');
    expect(out).not.toContain('<!--');
  });

  test('as SARIF it has the same findings, the lines of the file, and nothing else on standard output', async () => {
    repository.write('src/refund.js', after);
    const { code, out } = await review(repository.dir, ['--sarif']);
    const { version, runs } = JSON.parse(out);
    expect(code).toBe(1);
    expect(version).toBe('2.1.0');
    expect(runs[0].invocations[0]).toMatchObject({ executionSuccessful: true, exitCode: 1 });
    expect(runs[0].results).toMatchObject([
      {
        ruleId: 'inverted-condition',
        level: 'error',
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'src/refund.js', uriBaseId: '%SRCROOT%' },
              region: { startLine: 2, endLine: 2, snippet: { text: '  if (!order.refunded) {' } },
            },
          },
        ],
      },
    ]);
    const later = JSON.parse((await review(repository.dir, ['--sarif'])).out);
    expect(later.runs[0].results[0].partialFingerprints).toEqual(runs[0].results[0].partialFingerprints);
  });

  test('SARIF of a run that ended without a review has no results and was not successful', async () => {
    repository.write('src/refund.js', after);
    const model = createScriptedModel([new ModelError('The endpoint is busy (529).', { retryable: false })]);
    const { code, out } = await review(repository.dir, ['--sarif'], model);
    const [run] = JSON.parse(out).runs;
    expect(code).toBe(3);
    expect(run).not.toHaveProperty('results');
    expect(run.invocations[0]).toMatchObject({ executionSuccessful: false, exitCode: 3 });
    expect(run.invocations[0].toolExecutionNotifications[0].message.text).toMatch(/^Not reviewed/);
  });

  test('--staged reviews the index alone', async () => {
    repository.write('README.md', '# shop, staged\n');
    repository.git('add', 'README.md');
    repository.write('src/refund.js', after);
    const { code, out } = await review(repository.dir, ['--staged']);
    expect(code).toBe(0);
    expect(out).toContain('1 file ');
  });

  test('two commits can be compared from any folder', async () => {
    repository.write('src/refund.js', after);
    repository.git('add', '.');
    repository.commit('second');
    repository.git('checkout', '-q', 'main');
    const { code, out } = await review('/', [
      '--repo',
      repository.dir,
      '--base',
      'main',
      '--head',
      'refunds',
    ]);
    expect(code).toBe(1);
    expect(out).toContain('src/refund.js:2');
  });

  test('a model that did not see every changed line has not finished', async () => {
    repository.write('src/refund.js', after);
    repository.write('README.md', '# shop\n\nSells things.\n');
    const model = createScriptedModel([
      calls({ name: 'get_pr_diff', input: { path: 'README.md' } }),
      calls({ name: 'submit_code_review', input: empty }),
    ]);
    const { code, out } = await review(repository.dir, [], model);
    expect(code).toBe(3);
    expect(out).toContain('Not finished: 1 of 2 files read');
    expect(out).toContain('src/refund.js');
    expect(out).not.toContain('Nothing to fix');
  });

  test.each([
    ['a model that submits nothing', [says('All good!'), says('Really.'), says('Yes.'), says('Yes.')]],
    ['an endpoint that fails', [new ModelError('The endpoint is busy (529).', { retryable: true })]],
  ])('%s has not finished, and no review of it is shown', async (_name, turns) => {
    repository.write('src/refund.js', after);
    const { code, out } = await review(repository.dir, [], createScriptedModel(turns));
    expect(code).toBe(3);
    expect(out).toContain('Not reviewed');
    expect(out).toContain('exit 3');
    expect(out).not.toContain('Nothing to fix');
  });

  test('--trace shows what goes to the model, --sent how much of which file', async () => {
    repository.write('src/refund.js', after);
    const model = createScriptedModel([lookAtAll, calls({ name: 'submit_code_review', input: empty })]);
    const { code, out, err } = await review(repository.dir, ['--trace', '--sent'], {
      ...model,
      sendsTo: 'models.example.com',
    });
    expect(code).toBe(0);
    expect(err).toContain('--- system');
    expect(err).toContain('+    2 |   if (!order.refunded) {');
    expect(out).toContain('Sent to models.example.com: 1 file');
    expect(out).toMatch(/src\/refund\.js {2}1-5/);
    expect(out).toMatch(/src\/refund\.js \(before\) {2}1-5/);
  });

  test('what cannot be reviewed is named and not counted as read', async () => {
    repository.write('logo.bin', '\0\0');
    const alone = await review(repository.dir, []);
    expect(alone.code).toBe(0);
    expect(alone.out).toContain('  not reviewed  logo.bin (binary)\n');
    expect(alone.out).toContain('Nothing to fix.  No changed file can be reviewed.');
    repository.write('src/refund.js', after);
    const both = await review(repository.dir, []);
    expect(both.out).toContain('Read 1 of 1 changed file, finished.\n  not reviewed  logo.bin (binary)\n');
  });

  test('a setting that is none is named, as on the server', async () => {
    repository.write('src/refund.js', after);
    const { code, err } = await review(repository.dir, ['--json'], undefined, { EVIDENT_GATES: 'x' });
    expect(code).toBe(1);
    expect(err).toBe(
      'EVIDENT_GATES is not a setting of Evident and was not read. Did you mean EVIDENT_GATE?\n',
    );
  });

  test('a failure is told in 80 columns, as the endpoint said it', async () => {
    repository.write('src/refund.js', after);
    const model: Model = {
      name: 'm',
      kind: 'language_model',
      sendsTo: 'models.example.com',
      next: async () => {
        throw new ModelError(
          'It said: <html>[a](b) &amp; no more, no less, and a few words to make it long.',
        );
      },
    };
    const { code, out } = await review(repository.dir, [], model);
    expect(code).toBe(3);
    expect(out).toContain('<html>[a](b) &amp; no more');
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('files of EVIDENT_NEVER_SEND are not shown, and the review says that it did not read them', async () => {
    repository.write('src/refund.js', after);
    const { code, out } = await review(repository.dir, [], undefined, { EVIDENT_NEVER_SEND: 'src/**' });
    expect(code).toBe(3);
    expect(out).toContain('src/refund.js');
    expect(out).not.toContain('!order.refunded');
  });

  test.each([
    [['--json', '--markdown'], '--json and --markdown exclude each other'],
    [['--markdown', '--sarif'], '--markdown and --sarif exclude each other'],
    [['--limit', 'cheap'], '--limit "cheap" is no amount. Give US dollars, from 0.01 to 1000.'],
    [['--model', 'nonsense'], '--model is "nonsense", which is not known.'],
    [['--repo', 'no/such/folder'], 'There is no folder'],
    [['--base', 'no-such-branch'], 'no-such-branch'],
    [['--colour'], "Unknown option '--colour'"],
    [[], 'differs'],
  ])('%j is wrong use, told in a sentence', async (args, sentence) => {
    const { io, read } = ioOf(repository.dir);
    const code = await main(['review', ...args], io);
    expect(code).toBe(2);
    expect(read().err).toContain(sentence);
    expect(read().err).not.toMatch(/^\s+at /m);
  });
});

test.each([[[]], [['review']], [['demo']], [['replay']], [['lines']], [['serve']]])(
  'evident %j --help fits 80 columns, and so does help',
  async (args) => {
    const { io, read } = ioOf('/');
    expect(await main([...args, '--help'], io)).toBe(0);
    expect(await main(['help', ...args], io)).toBe(0);
    const { out, err } = read();
    expect(err).toBe('');
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  },
);

test('evident --version', async () => {
  const { io, read } = ioOf('/');
  expect(await main(['--version'], io)).toBe(0);
  expect(read().out).toMatch(/^evident \d+\.\d+\.\d+\n$/);
});

test.each([
  [['--help'], 0],
  [[], 2],
  [['revue'], 2],
])('evident %j shows the commands', async (args, expected) => {
  const { io, read } = ioOf('/');
  expect(await main(args, io)).toBe(expected);
  expect(read().out + read().err).toContain('evident COMMAND [options]');
});
