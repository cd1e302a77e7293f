import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runReviewCommand } from '../../../cli/commands/review.js';
import type { Io } from '../../../cli/io.js';
import { readPolicyFile } from '../../../lib/core/policy-file.js';
import { calls, createScriptedModel } from '../../../lib/models/scripted.js';
import type { Model, ModelTurn } from '../../../lib/ports/model.js';
import { demoStory } from '../../../local-github/demo-story.js';
import { createGitRepository, type GitRepository } from '../../forges/git-repository.js';
import { keyboard, keys } from '../keyboard.js';

/*
 * The questions of a review in the terminal: asked key by key, or answered from a file. What an answer does is the
 * core's; here it is how it is asked for, said and counted.
 */

const promoBefore = `import { useEffect } from 'react';

export function Promo({ children }) {
  useEffect(() => {
    track('promo');
  }, []);
  return <div id="promo">{children}</div>;
}
`;
const promoAfter = promoBefore.replace("track('promo');", "$('#promo').html(content);");
const sizeBefore = `export const size = (list) => list.length;
export const first = (list) => list[0];
`;
const sizeAfter = sizeBefore.replace('list[0]', 'list.at(0)');

type Over = { readonly finding?: object; readonly request?: object };

const promo = ({ finding = {}, request = {} }: Over = {}) => ({
  finding: {
    path: 'src/Promo.jsx',
    line: 5,
    code: "    $('#promo').html(content);",
    rule: 'react-dom-mutation',
    severity: 'important',
    category: 'logic',
    confidence: 'medium',
    title: "this jQuery change breaks React's rendering of `#promo`",
    body: 'React renders the children of `#promo` (line 7). This line replaces them.',
    evidence: [
      { path: 'src/Promo.jsx', ref: 'head', start: 7, end: 7, quote: '<div id="promo">{children}</div>' },
    ],
    absences: [],
    ...finding,
  },
  reason: 'nothing loads or names a widget for `#promo`.',
  searched: [],
  question: 'Is this jQuery change required by a third-party widget?',
  answerEffects: { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' },
  ...request,
});

const old = promo({
  finding: {
    path: 'src/size.js',
    line: 2,
    code: 'export const first = (list) => list.at(0);',
    rule: 'old-browsers',
    title: '`at` is missing in old browsers',
    body: 'Browsers before 2021 have no `at`; line 1 is plain.',
    evidence: [{ path: 'src/size.js', ref: 'head', start: 1, end: 1, quote: 'list.length' }],
  },
  request: {
    reason: 'no list of browsers stands in the repository.',
    question: 'Do all supported browsers have Array.prototype.at?',
  },
});

const asking = (...requests: readonly object[]): Model => thenReading(requests);

const lookedUp = calls({ name: 'search_code', input: { pattern: '#promo' } });

/** Asks these questions, and has these turns left when somebody answers in their own words. */
const thenReading = (requests: readonly object[], ...turns: readonly ModelTurn[]): Model =>
  createScriptedModel([
    calls({ name: 'get_pr_info', input: {} }, { name: 'get_pr_diff', input: {} }),
    lookedUp,
    calls({
      name: 'submit_code_review',
      input: { findings: [], humanReviewRequests: requests, disproved: [], prior: [], summary: 'Promo.' },
    }),
    ...turns,
  ]);

let repository: GitRepository;
let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'evident-answers-'));
  repository = createGitRepository();
  repository.write('src/Promo.jsx', promoBefore);
  repository.write('src/size.js', sizeBefore);
  repository.git('add', '.');
  repository.commit('first');
  repository.git('checkout', '-q', '-b', 'promo');
  repository.write('src/Promo.jsx', promoAfter);
  repository.write('src/size.js', sizeAfter);
});
afterEach(() => {
  repository.remove();
  rmSync(scratch, { recursive: true, force: true });
});

type Ran = { readonly code: number; readonly out: string; readonly err: string; readonly prompts: string };

async function review(
  model: Model | null,
  {
    args = [],
    pressed = null,
  }: { readonly args?: readonly string[]; readonly pressed?: readonly string[] | null },
): Promise<Ran> {
  let out = '';
  let err = '';
  const { asker, shown } = keyboard(...(pressed ?? []));
  const io: Io = {
    stdout: (text) => void (out += text),
    stderr: (text) => void (err += text),
    readStdin: async () => Buffer.alloc(0),
    isTerminal: false,
    ...(pressed !== null && { asker }),
    env: {},
    cwd: repository.dir,
  };
  const clock = (): number => Date.parse('2026-12-01T09:00:00Z');
  const code = await runReviewCommand(args, io, { clock, ...(model !== null && { model }) });
  return { code, out, err, prompts: shown() };
}

/** A file outside of the repository: one in it would be reviewed. */
function answers(text: string | Uint8Array): string {
  const file = join(scratch, 'answers.txt');
  writeFileSync(file, text);
  return file;
}

describe('asked in a terminal', () => {
  test.each<[string, readonly string[], { code: number; said: string; end: string }]>([
    ['y', ['y'], { code: 0, said: 'Q1 is dropped.', end: 'Nothing to fix.  Read 2 of 2' }],
    ['n', ['n'], { code: 1, said: 'Q1 is now F1, important.', end: '1 important, 0 questions open.  Read' }],
    [
      'u',
      ['u'],
      { code: 0, said: 'Q1 is kept as a possible problem.', end: 'Nothing to fix, 1 possible.  Read' },
    ],
    ['s', ['s'], { code: 0, said: 's  skip ', end: '0 important, 1 question open.  Read' }],
    [
      'e, and words that are plain',
      ['e', `no, nobody draws into it${keys.enter}`],
      { code: 1, said: 'Q1 is now F1, important.', end: '1 important, 0 questions open.  Read' },
    ],
    [
      'e, thought better of, then y',
      ['e', keys.escape, 'y'],
      { code: 0, said: 'Q1 is dropped.', end: 'Nothing to fix.  Read 2 of 2' },
    ],
    ['Escape', [keys.escape], { code: 0, said: 's  skip ', end: '0 important, 1 question open.  Read' }],
    ['Ctrl-C', [keys.ctrlC], { code: 0, said: 's  skip ', end: '0 important, 1 question open.  Read' }],
    ['the end of the input', [], { code: 0, said: 's  skip ', end: '0 important, 1 question open.  Read' }],
  ])('%s', async (_name, pressed, { code, said, end }) => {
    const ran = await review(asking(promo()), { pressed });
    expect(ran.out).toContain(
      'Question  Q1  is this jQuery change required by a third-party widget?   1 of 1',
    );
    expect(ran.out).toContain(said);
    expect(ran.out).toContain(end);
    expect(ran.code).toBe(code);
    expect(ran.out.trimEnd()).toMatch(new RegExp(`exit ${code}$`));
    expect(ran.out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('reads like this', async () => {
    const { out } = await review(asking(promo(), old), { pressed: ['n', 'y'] });
    const file = new URL('../../golden/terminal-questions.txt', import.meta.url);
    const text = out.replace(/\d+m\d\ds/g, '1m48s').replace(/^evident-repo-\w+/m, 'shop');
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, 'utf8'));
  });

  test('shows what each key does in the words of its effects', async () => {
    const effects = { yes: 'lower_confidence', no: 'escalate', unsure: 'include_finding' };
    const { out } = await review(asking(promo({ request: { answerEffects: effects } })), { pressed: ['s'] });
    expect(out).toContain(`
    y  yes       kept as a possible problem
    n  no        someone responsible for this code decides
    u  not sure  becomes an important finding
    e  explain   in your own words; it reads on from there
    s  skip      ask again next time
`);
  });

  const inWords = (words: string, ...pressed: readonly string[]): readonly string[] => [
    'e',
    `${words}${keys.enter}`,
    ...pressed,
  ];
  const readAs = (over: object): ModelTurn =>
    calls({
      name: 'submit_answer',
      input: {
        basis: 'words',
        because: 'Nobody outside draws into it.',
        evidence: [],
        conditions: [],
        ...over,
      },
    });

  test.each<[string, readonly ModelTurn[], readonly string[], { code: number; said: string; then: string }]>([
    [
      'read as no',
      [readAs({ choice: 'no', said: 'nobody but us touches that box' })],
      inWords('well, nobody but us touches that box these days'),
      { code: 1, said: 'Read as no: Nobody outside draws into it.', then: 'Q1 is now F1, important.' },
    ],
    [
      'read as not sure',
      [readAs({ choice: 'unsure', said: 'you would have to ask marketing' })],
      inWords('hm, you would have to ask marketing about that'),
      { code: 0, said: 'Read as not sure:', then: 'Q1 is kept as a possible problem.' },
    ],
    [
      'one more question, answered with a key',
      [
        lookedUp,
        readAs({ choice: 'ask', question: 'Is the flag promo-ab on for everybody who sees this box?' }),
      ],
      inWords('it depends on the flag promo-ab', 'n'),
      {
        code: 1,
        said: 'One more question, 2 of at most 3: is the flag promo-ab on for everybody who',
        then: 'Q1 is now F1, important.',
      },
    ],
    [
      'not settled: asked again',
      [readAs({ choice: 'unclear' })],
      inWords('it is complicated', 'n'),
      { code: 1, said: 'Could not read that as yes, no or not sure.', then: 'Q1 is now F1, important.' },
    ],
  ])('in own words: %s', async (_name, turns, pressed, { code, said, then }) => {
    const ran = await review(thenReading([promo()], ...turns), { pressed });
    expect(ran.out).toContain('  reading...\n');
    expect(ran.out).toContain(said);
    expect(ran.out).toContain(then);
    expect(ran.code).toBe(code);
    expect(ran.out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('the fixed rules read no words: they say so, and ask again', async () => {
    repository.git('checkout', '-q', '-f', 'main');
    for (const [path, text] of Object.entries(demoStory.baseFiles())) repository.write(path, text);
    repository.git('add', '.');
    repository.commit('shop');
    repository.git('checkout', '-q', '-b', 'shop');
    repository.write('src/widgets/Promo.tsx', demoStory.headChanges()['src/widgets/Promo.tsx'] ?? '');
    const { code, out } = await review(null, {
      args: ['--model', 'rules'],
      pressed: inWords('it is complicated', 'n'),
    });
    expect(out).toContain('    e  explain   yes or no, and why\n');
    expect(out).toContain('The fixed rules read no other words than yes, no and not sure.');
    expect(out).toContain('Q1 is now F1, important.');
    expect(code).toBe(1);
  });

  test('Enter alone does nothing', async () => {
    const { out } = await review(asking(promo()), { pressed: [`${keys.enter}n`] });
    expect(out).toContain('Q1 is now F1, important.');
  });

  test('an answer with which the review goes on: the change is read once more', async () => {
    const effects = { yes: 'suppress_finding', no: 'continue', unsure: 'lower_confidence' };
    const again = [
      calls({ name: 'get_pr_info', input: {} }, { name: 'get_pr_diff', input: {} }),
      calls({
        name: 'submit_code_review',
        input: {
          findings: [{ ...old.finding, confidence: 'high' }],
          humanReviewRequests: [],
          disproved: [],
          prior: [],
          summary: 'Promo.',
        },
      }),
    ];
    const model = thenReading([promo({ request: { answerEffects: effects } })], ...again);
    const { code, out } = await review(model, { pressed: ['n'] });
    expect(out).toContain('    n  no        the review goes on with this answer\n');
    expect(out.match(/^reading {2}2 of 2 changed/gm)).toHaveLength(2);
    expect(out).toContain('Important  F1  `at` is missing in old browsers');
    expect(out).toContain('1 important, 0 questions open.  Read');
    expect(out).not.toContain('Answered  Q1');
    expect(code).toBe(1);
    const broken = await review(thenReading([promo({ request: { answerEffects: effects } })]), {
      pressed: ['n'],
    });
    expect(broken.out).toContain(
      'Not finished: 2 of 2 files read, the review with the answer did not finish.',
    );
    expect(broken.code).toBe(3);
  });

  test('a yes about security says why, and a no does not', async () => {
    const security = (): Model => asking(promo({ finding: { category: 'security' } }));
    const yes = await review(security(), { pressed: ['y', `the partner owns that box${keys.enter}`] });
    expect(yes.out).toContain('This rule is about security, so a yes also needs why, in a few words.');
    expect(yes.out).toContain('Q1 is dropped.');
    expect(yes.out).toContain('because: the partner owns that box');
    expect(yes.code).toBe(0);
    const left = await review(security(), { pressed: ['y', keys.ctrlC] });
    expect(left.out).toContain('0 important, 1 question open.');
    const no = await review(security(), { pressed: ['n'] });
    expect(no.out).not.toContain('also needs why');
    expect(no.code).toBe(1);
  });

  test('a no to a nit makes a nit, which is not to be fixed', async () => {
    const { code, out } = await review(asking(promo({ finding: { severity: 'nit' } })), { pressed: ['n'] });
    expect(out).toContain('    n  no        becomes a nit\n');
    expect(out).toContain('Q1 is now F1, a nit.');
    expect(out).toContain('Nits (1):  evident review --all');
    expect(code).toBe(0);
  });

  test('several: numbers stay what they were said to be, and leaving keeps what was answered', async () => {
    const both = await review(asking(promo(), old), { pressed: ['n', 'n'] });
    expect(both.out).toMatch(
      /1 of 2[\s\S]*Q1 is now F1[\s\S]*2 of 2[\s\S]*Q2 is now F2[\s\S]*2 important, 0 questions/,
    );
    const left = await review(asking(promo(), old), { pressed: ['n', keys.ctrlC] });
    expect(left.out).toContain('1 important, 1 question open.');
    expect(left.code).toBe(1);
    const file = answers('Q2 no\n');
    const mixed = await review(asking(promo(), old), { args: ['--answers', file], pressed: ['n'] });
    expect(mixed.out).toContain('Q2 is now F1, important.');
    expect(mixed.out).toContain('Q1 is now F2, important.');
  });

  test('offers the lines that keep a yes, as the settings read them', async () => {
    const { out } = await review(asking(promo()), {
      pressed: ['e', `yes, the partner's script owns it: see "widgets" #12${keys.enter}`],
    });
    const [, yaml = ''] = /add to \.github\/evident\.yml:\n([\s\S]*?)\n\n/.exec(out) ?? [];
    const { settings, problems } = readPolicyFile(yaml.replace(/^ {2}/gm, ''), { file: 'evident.yml' });
    expect(problems).toEqual([]);
    expect(settings.review?.answers).toEqual([
      expect.objectContaining({
        rule: 'react-dom-mutation',
        path: 'src/Promo.jsx',
        code: "$('#promo').html(content);",
        because: 'the partner\'s script owns it: see "widgets" #12',
        until: '2027-06-01',
      }),
    ]);
  });

  test.each([['--no-input'], ['--json'], ['--markdown'], ['--sarif']])('nothing with %s', async (flag) => {
    const { out, prompts } = await review(asking(promo()), { args: [flag], pressed: ['n'] });
    expect(prompts).toBe('');
    expect(out).toMatch(/is this jQuery change required by a third-party widget\?/i);
    expect(out).not.toContain('s  skip');
  });

  test('nothing where nobody sits in front of it', async () => {
    const { code, out } = await review(asking(promo()), {});
    expect(code).toBe(0);
    expect(out).toContain('0 important, 1 question open.');
    expect(out).not.toContain('s  skip');
  });
});

describe('--answers', () => {
  test.each<[string, string, { code: number; said: string }]>([
    ['a line', 'Q1 no because it is ours\n', { code: 1, said: 'Important  F1' }],
    ['by small letters, with a colon', 'q1: yes\n', { code: 0, said: 'Q1 is dropped.' }],
    ['by its place', 'src/Promo.jsx:5 no\n', { code: 1, said: 'no\n  Q1 is now F1, important.' }],
    [
      'by its rule',
      'react-dom-mutation yes, because the partner owns it',
      { code: 0, said: 'yes: the partner owns it' },
    ],
    ['not sure', 'Q1 not sure', { code: 0, said: 'Q1 is kept as a possible problem.' }],
    ['among comments and empty lines', '# mine\r\n\r\nQ1 no\r\n', { code: 1, said: 'Important  F1' }],
    ['the last one counts', 'Q1 no\nQ1 yes\n', { code: 0, said: 'Q1 is dropped.' }],
    ['JSON', '{"Q1": "no, it is ours"}', { code: 1, said: 'no: it is ours' }],
    ['JSON with a byte order mark', '\ufeff{"src/Promo.jsx:5": "yes"}', { code: 0, said: 'Q1 is dropped.' }],
  ])('%s', async (_name, text, { code, said }) => {
    const ran = await review(asking(promo()), { args: ['--answers', answers(text)] });
    expect(ran.out).toContain('Answered  Q1  is this jQuery change required by a third-party widget?');
    expect(ran.out).toContain(said);
    expect(ran.err).toBe('');
    expect(ran.code).toBe(code);
  });

  test('what fits nothing is named, and the others count', async () => {
    const text = 'Q7 no\nother-rule yes\nsrc/Promo.jsx:6 yes\nQ1 it depends\nQ2 no\n';
    const { code, out, err } = await review(asking(promo(), old), {
      args: ['--answers', answers(text), '--json'],
    });
    const json = JSON.parse(out);
    const told = err.replace(/\n {2}/g, ' ');
    for (const line of [
      'answers.txt:1: there is no Q7: this review asked Q1 (src/Promo.jsx:5, react-dom-mutation), Q2 (src/size.js:2, old-browsers). Not applied.',
      'answers.txt:2: no question is about other-rule:',
      'answers.txt:3: no question is about src/Promo.jsx:6:',
      'answers.txt:4: Q1 stays open. Could not read that as yes, no or not sure.',
    ])
      expect(told).toContain(line);
    expect(json.notApplied).toHaveLength(4);
    expect(json.questions.map((one: { standing: { kind: string } }) => one.standing.kind)).toEqual([
      'open',
      'answered',
    ]);
    expect(json.findings).toMatchObject([{ id: 'F1', from: 'Q2', severity: 'important' }]);
    expect(json).toMatchObject({ verdict: 'fix', exit: 1 });
    expect(code).toBe(1);
  });

  test('a rule that two questions are about names none of them', async () => {
    const twice = promo({
      finding: {
        path: 'src/size.js',
        line: 2,
        code: 'export const first = (list) => list.at(0);',
        evidence: [{ path: 'src/size.js', ref: 'head', start: 1, end: 1, quote: 'list.length' }],
      },
    });
    const { err, out } = await review(asking(promo(), twice), {
      args: ['--answers', answers('react-dom-mutation yes\n')],
    });
    expect(err.replace(/\s+/g, ' ')).toContain(
      'react-dom-mutation could be Q1 or Q2: name one of them. Not applied.',
    );
    expect(out).toContain('2 questions open');
  });

  test('a yes about security without a reason stays open, and says so', async () => {
    const model = asking(promo({ finding: { category: 'security' } }));
    const { err, out } = await review(model, { args: ['--answers', answers('Q1 yes')] });
    expect(err.replace(/\s+/g, ' ')).toContain(
      'Q1 stays open. A yes to this question also needs why, in a few words.',
    );
    expect(out).toContain('0 important, 1 question open.');
  });

  test('as Markdown and as SARIF it is the finding that the answer made', async () => {
    const args = ['--answers', answers('Q1 no\n')];
    const markdown = await review(asking(promo()), { args: [...args, '--markdown'] });
    expect(markdown.out).toContain('**1 important');
    expect(markdown.out).not.toContain('Question (Q1)');
    const sarif = await review(asking(promo()), { args: [...args, '--sarif'] });
    expect(JSON.parse(sarif.out).runs[0].results).toMatchObject([
      { ruleId: 'react-dom-mutation', level: 'error' },
    ]);
  });

  test.each<[string, () => string, string]>([
    ['no such file', () => join(scratch, 'none.txt'), 'there is no such file'],
    ['a folder', () => scratch, 'it is a folder'],
    ['an empty file', () => answers(' \n# nothing\n'), 'it holds no answer'],
    ['a line without an answer', () => answers('Q1 no\nQ2\n'), 'line 2 has no answer'],
    ['bytes', () => answers(Buffer.from([0x51, 0x31, 0x20, 0xff])), 'it is not UTF-8 text'],
    ['a list', () => answers('["Q1 no"]'), 'the JSON must be one object'],
    ['broken JSON', () => answers('{"Q1": "no"'), 'it is not JSON'],
    ['JSON of another kind', () => answers('{"Q1": {"answer": "no"}}'), '"Q1" has no answer'],
    ['too much', () => answers('Q1 no\n'.repeat(20_000)), 'larger than 64 kB'],
  ])('%s: said before anything is read', async (_name, file, why) => {
    const model = createScriptedModel([]);
    await expect(review(model, { args: ['--answers', file()] })).rejects.toThrow(why);
  });
});
