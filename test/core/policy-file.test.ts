import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { combinePolicy, type PolicyLayers } from '../../lib/core/combine-policy.js';
import { defaultPolicy, policyHash, type Policy } from '../../lib/core/policy.js';
import { readPolicyFile } from '../../lib/core/policy-file.js';
import { checkSettingGlob } from '../../lib/core/policy-schema.js';
import { compileGlob } from '../../lib/core/search.js';

const file = '.github/evident.yml';
const read = (text: string) => readPolicyFile(text, { file });
const told = (text: string) =>
  read(text).problems.map(({ line, path, reason }) => `${line} ${path || '-'}: ${reason}`);
const layer = (text: string, name = file) => ({
  ...readPolicyFile(text, { file: name }),
  source: `${name} at main`,
});
const combined = (layers: Partial<PolicyLayers>): Policy =>
  combinePolicy({
    deployment: defaultPolicy,
    organization: null,
    repositoryDefault: null,
    repositoryBase: null,
    ...layers,
  });
const both = (text: string): Policy =>
  combined({ repositoryDefault: layer(text), repositoryBase: layer(text) });

test('every key is read', () => {
  const text = `
gate:
  mode: blocking
  passes: { person: 2, agent: 3 }
  fix_rounds: 5
  open_questions_hold: true
  escalate_to: ['@octo-org/payments', monalisa]
authority: { answer: write, dismiss: admin, override: admin }
budget: { dollars: 0.3, turns: 20, tool_calls: 50, minutes: 5 }
start: automatic
when: [opened, ready]
base_branches: [main, 'release/*']
drafts: true
dependency_bots: true
outside_authors: automatic
agents: { logins: [hubot], branches: ['bots/**'], labels: [generated] }
paths:
  skip:
    - 'dist/**'
    - '*.snap'
  generated: review
rules:
  - rule: falsy-zero
    weight: nit
    paths: ['scripts/**']
  - rule: no-raw-sql
    text: SQL is built by the query builder alone
    category: security
    aliases: [raw-sql]
answers:
  - rule: react-dom-mutation
    path: src/widgets/Promo.tsx
    code: "$('#promo').html(content)"   # asked again when this line changes
    because: "the partner's script owns the node (octocat, #482)"
    until: 2027-06-01
max_threads: 3
max_questions: 1
max_nits: 0
suggestions: false
language: de
models: { first: model-a, confirm: model-b }
`;
  expect(told(text)).toEqual([]);
  expect(both(text)).toMatchObject({
    gate: {
      mode: 'blocking',
      passes: { person: 2, agent: 3 },
      fixRounds: 5,
      openQuestionsHold: true,
      escalateTo: ['octo-org/payments', 'monalisa'],
    },
    authority: { answer: 'write', dismiss: 'admin', override: 'admin' },
    budget: { dollars: 0.3, turns: 20, toolCalls: 50, minutes: 5 },
    review: {
      start: 'automatic',
      when: ['opened', 'ready'],
      baseBranches: ['main', 'release/*'],
      drafts: true,
      dependencyBots: true,
      outsideAuthors: 'automatic',
      agents: { logins: ['hubot'], branches: ['bots/**'], labels: ['generated'] },
      skip: ['dist/**', '*.snap'],
      generated: 'review',
      rules: [
        { rule: 'falsy-zero', weight: 'nit', paths: ['scripts/**'] },
        {
          rule: 'no-raw-sql',
          text: 'SQL is built by the query builder alone',
          category: 'security',
          aliases: ['raw-sql'],
        },
      ],
      answers: [
        {
          rule: 'react-dom-mutation',
          path: 'src/widgets/Promo.tsx',
          code: "$('#promo').html(content)",
          because: "the partner's script owns the node (octocat, #482)",
          until: '2027-06-01',
          file,
          line: 31,
        },
      ],
      maxThreads: 3,
      maxQuestions: 1,
      maxNits: 0,
      suggestions: false,
      language: 'de',
      models: { first: 'model-a', confirm: 'model-b' },
    },
    source: `${file} at main`,
    problems: [],
  });
  expect(both(text).places).toMatchObject({
    'gate.mode': { file, line: 3 },
    'paths.skip[1]': { file, line: 20 },
    language: { file, line: 40 },
  });
});

test.each(['', '# nothing set\n', 'rules:\n#  - rule: falsy-zero\n', 'gate:\n  mode:\n', '\uFEFF# mark\n'])(
  'nothing set is no problem: %j',
  (text) => {
    expect(told(text)).toEqual([]);
    expect(both(text)).toEqual({
      ...defaultPolicy,
      source: `${file} at main`,
      places: expect.anything() as unknown,
    });
  },
);

describe('C129: files that other programs choked on (op09)', () => {
  const { input } = JSON.parse(
    readFileSync(new URL('../fixtures/cases/op09-configs.json', import.meta.url), 'utf8'),
  ) as { input: { files: readonly string[] } };
  const says: readonly (readonly string[])[] = [
    ['2 -: YAML is indented with spaces: replace the tab. Nothing of the file is used.'],
    ['1 language: It is written twice, on lines 1 and 2: keep one. Neither is used.'],
    ['1 lang: There is no key `lang` here. Did you mean `language`?'],
    ['1 max_comments: There is no key `max_comments` here. Did you mean `max_threads`?'],
    [
      '1 gate.block_on: There is no key `block_on` here. Known here: `mode`, `passes`, `additive`, `reviewers`, `votes`, `fix_rounds`, `open_questions_hold`, `remind_after_hours`, `escalate_to`.',
    ],
    [
      '2 -: This is not valid YAML: a bracket or a quote is not closed, or a line is not indented as the others. Nothing of the file is used.',
    ],
  ];
  test.each(input.files.map((text, index) => [text, says[index]] as const))(
    '%j: the defaults, and one sentence with the line',
    (text, sentences) => {
      expect(told(text)).toEqual(sentences);
      const { source, problems, places, ...settings } = both(text);
      const { source: _s, problems: _p, places: _l, ...defaults } = defaultPolicy;
      expect(settings).toEqual(defaults);
      expect([source, problems.length, typeof places]).toEqual([`${file} at main`, 1, 'object']);
    },
  );
});

test.each<readonly [what: string, text: string, problems: readonly string[], settings: unknown]>([
  [
    'a capital letter is another word',
    'Language: de\nstart: automatic\n',
    ['1 Language: There is no key `Language` here. Did you mean `language`?'],
    { review: { start: 'automatic' } },
  ],
  [
    'a wrong choice costs its key only',
    'gate:\n  mode: blokcing\n  fix_rounds: 2\n',
    ['2 gate.mode: Expected `advisory` or `blocking`.'],
    { gate: { fixRounds: 2 }, review: {} },
  ],
  [
    'a group that is none',
    'gate: blocking\nlanguage: de\n',
    ['1 gate: Expected a group of keys.'],
    { review: { language: 'de' } },
  ],
  [
    'what lets some changes pass sooner counts as a whole or not at all',
    'gate: { additive: { paths: ["src/x/**"], labels: [7], passes: 1 } }\n',
    [
      '1 gate.additive.labels[0]: Expected one line of text of at most 50 characters (in quotes where YAML needs them). `gate.additive` is left out.',
    ],
    { gate: {}, review: {} },
  ],
  [
    'zero passes cannot be asked for',
    'gate: { mode: blocking, passes: { person: 0, agent: 2 } }\n',
    ['1 gate.passes.person: Expected a whole number from 1 to 3.'],
    { gate: { mode: 'blocking', passes: { agent: 2 } }, review: {} },
  ],
  [
    'a number in quotes',
    'max_threads: "3"\n',
    ['1 max_threads: Expected a whole number from 0 to 25.'],
    { review: {} },
  ],
  [
    'a rule with one bad part is left out whole: without `paths` it would hold everywhere',
    'rules:\n  - rule: falsy-zero\n    weight: off\n    path: scripts/**\n  - rule: race-condition\n    weight: nit\n',
    ['4 rules[0].path: There is no key `path` here. Did you mean `paths`? This entry is left out.'],
    { review: { rules: [{ rule: 'race-condition', weight: 'nit', at: { file, line: 5 } }] } },
  ],
  [
    'a kept answer without an end',
    "answers:\n  - { rule: falsy-zero, path: a.ts, code: 'x || y', because: it is meant }\n",
    ['2 answers[0].until: It is missing: expected a day such as 2027-06-01. This entry is left out.'],
    { review: { answers: [] } },
  ],
  [
    'a day that there is not',
    "answers:\n  - { rule: falsy-zero, path: a.ts, code: 'x || y', because: it is meant, until: 2027-02-31 }\n",
    ['2 answers[0].until: Expected a day such as 2027-06-01. This entry is left out.'],
    { review: { answers: [] } },
  ],
  [
    'a bad glob of what is skipped costs that glob',
    'paths:\n  skip:\n    - "!src/**"\n    - dist/**\n',
    [
      '3 paths.skip[0]: A glob says what is meant: leave the `!` out and name those paths. This entry is left out.',
    ],
    { review: { skip: ['dist/**'] } },
  ],
  [
    'a bad glob of what is reviewed costs the list: fewer branches would be looser',
    'base_branches: [main, "!x"]\n',
    [
      '1 base_branches[1]: A glob says what is meant: leave the `!` out and name those paths. `base_branches` is left out.',
    ],
    { review: {} },
  ],
  [
    'references and types',
    'language: &l de\nmodels: { first: *l }\nstart: !foo automatic\nmax_nits: !!int 3\n',
    [
      '2 models.first: References (`*name`) are not read here: write the value out.',
      '3 start: Types (`!name`) are not read here: write the value alone.',
      '4 max_nits: Types (`!name`) are not read here: write the value alone.',
    ],
    { review: { language: 'de', models: {} } },
  ],
  [
    'merging, names of prototypes, and keys that are no text',
    '<<: { start: automatic }\n__proto__: { start: automatic }\nconstructor: 1\n1: x\nlanguage: de\n',
    ['1 ?: A key here is a word, such as `language`.'],
    { review: { language: 'de' } },
  ],
  [
    'no map',
    '- start\n',
    ['1 -: Expected keys with values, such as `start: automatic`. Nothing of the file is used.'],
    {},
  ],
  [
    'text',
    'automatic\n',
    ['1 -: Expected keys with values, such as `start: automatic`. Nothing of the file is used.'],
    {},
  ],
  [
    'two documents',
    'start: automatic\n---\nstart: on_request\n',
    ['2 -: There is a second document (`---`): keep one. Nothing of the file is used.'],
    {},
  ],
  [
    'a value that YAML reads as another kind',
    'rules:\n  - rule: falsy-zero\n    text: 404\n',
    [
      '3 rules[0].text: Expected one line of text of at most 300 characters (in quotes where YAML needs them). This entry is left out.',
    ],
    { review: { rules: [] } },
  ],
])('%s', (_what, text, problems, settings) => {
  expect(told(text)).toEqual(problems);
  expect(read(text).settings).toMatchObject(settings as object);
  expect({ ...read(text).settings, gate: undefined }).toEqual({ ...(settings as object), gate: undefined });
});

test.each([
  ['gate:\n  mode: blocking\npaths: [\n', /Only `gate.mode: blocking` is kept/],
  ['gate:\n  mode: blocking\n\tx: 1\n', /Only `gate.mode: blocking` is kept/],
  ['gate: { mode: blocking }\ngate: { mode: advisory }\n', /written twice/],
  ['gate:\n  mode: blocking\n  mode: advisory\n', /written twice/],
])('a slip does not open a gate that blocks: %j', (text, reason) => {
  expect(told(text)[0]).toMatch(reason);
  expect(both(text).gate).toEqual({ ...defaultPolicy.gate, mode: 'blocking' });
});

describe('hostile files are bounded', () => {
  const deep = (open: string): string =>
    `a: ${(open.repeat(Math.floor(990 / open.length)) + '\n').repeat(60)}`;
  const many =
    'a: &a [x,x,x,x,x,x,x,x,x]\n' +
    Array.from(
      { length: 9 },
      (_, n) => `${'bcdefghij'[n]}: &${'bcdefghij'[n]} [${`*${'abcdefghi'[n]},`.repeat(9)}]`,
    ).join('\n');
  test.each([
    ['a dash over and over', '- '.repeat(32_000)],
    ['a question mark over and over', '? '.repeat(32_000)],
    ['brackets', deep('[')],
    ['braces', deep('{a: ')],
    ['everything', deep('- ? : ')],
    ['colons', (': '.repeat(450) + '\n').repeat(70)],
    ['anchors', ('&a '.repeat(300) + '\n').repeat(70)],
    ['a billion laughs', many],
    ['indentation', Array.from({ length: 350 }, (_, n) => `${' '.repeat(n)}a:\n`).join('')],
    ['sixty thousand lines', '\n'.repeat(60_000) + 'a'],
    ['ten thousand keys', Array.from({ length: 6_000 }, (_, n) => `k${n}: 1`).join('\n')],
    ['ten thousand rules', `rules:\n${'- a\n'.repeat(15_000)}`],
    ['a megabyte', 'x'.repeat(1 << 20)],
    ['tabs', '\t'.repeat(60_000)],
    ['nothing but zero bytes', '\0'.repeat(60_000)],
  ])('%s', (_what, text) => {
    const { settings, problems } = read(text);
    expect(JSON.stringify(settings).length).toBeLessThan(200);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.length).toBeLessThanOrEqual(20);
    for (const { reason, line } of problems) {
      expect(reason.length).toBeLessThan(600);
      expect(line).toBeGreaterThan(0);
    }
  });

  const worst = [
    'a/'.repeat(120) + 'b',
    'a'.repeat(250),
    'ab'.repeat(120) + '/c',
    `${'a'.repeat(200)}/${'a'.repeat(200)}`,
  ];
  test.each([
    '*a*a*a',
    '**/*a*a*a/**/*a*a*a/**/x',
    '{a,b}{a,b}{a,b}{a,b}/**/*a*',
    '**/a/**/a/**/b',
    '*?a*?a*?b',
    '[a-b]*[a-b]*[a-b]*c',
  ])('the glob %j is taken, and answers for the worst paths', (glob) => {
    expect(checkSettingGlob(glob)).toBeNull();
    const scope = compileGlob(glob);
    if (scope.kind === 'bad') throw new Error(scope.why);
    for (const path of worst) expect(typeof scope.covers(path)).toBe('boolean');
  });

  test.each([
    '{a,b}{a,b}{a,b}{a,b}{a,b}',
    '{1..1000000}',
    '{{a,b},{c,d}}',
    `{${'a,'.repeat(80)}}`,
    '*a*a*a*a*b',
    '**/**/**/**/x',
    '+(a|a)',
    '@(a|b)*',
    '!(x)',
    'a'.repeat(201),
    '../x',
    '',
  ])('the glob %j is refused', (glob) => {
    expect(checkSettingGlob(glob)).toMatch(/^[A-Z].*\.$/);
  });

  test('any text at all is answered', () => {
    const bits = [
      'gate',
      'mode',
      'blocking',
      ': ',
      ':\n  ',
      '\n',
      '- ',
      '[',
      ']',
      '{',
      '}',
      ', ',
      "'",
      '"',
      '#',
      '&a',
      '*a',
      '!x',
      '|',
      '>',
      '\t',
      'rules',
      'rule',
      'paths',
      'skip',
      '1',
      'true',
      '~',
      '%',
      '---',
      '\r\n',
      '\u2028',
    ];
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(fc.constantFrom(...bits), { maxLength: 40 }).map((parts) => parts.join('')),
        ),
        (text) => {
          const { settings, problems } = read(text);
          const policy = both(text);
          expect(policy.gate.passes.person).toBeGreaterThanOrEqual(1);
          expect(policy.gate.passes.agent).toBeGreaterThanOrEqual(1);
          expect(({} as Record<string, unknown>)['mode']).toBeUndefined();
          return (
            typeof settings === 'object' && problems.every(({ reason, line }) => reason !== '' && line >= 1)
          );
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe('which file decides', () => {
  const evil = layer(
    'gate: { mode: advisory, passes: { person: 1, agent: 1 } }\nstart: on_request\nbudget: { dollars: 5 }\npaths: { skip: [gen/**] }\nlanguage: fr\ndrafts: true\n',
  );
  const main = layer(
    'gate: { mode: blocking, passes: { agent: 3 } }\nstart: automatic\nbudget: { dollars: 0.2 }\npaths: { skip: [dist/**] }\nlanguage: de\n',
  );

  test('what guards and costs comes from the default branch, what a pass reads from the base', () => {
    const policy = combined({ repositoryDefault: main, repositoryBase: evil });
    expect(policy.gate).toMatchObject({ mode: 'blocking', passes: { person: 1, agent: 3 } });
    expect(policy.budget).toEqual({ dollars: 0.2 });
    expect(policy.review).toMatchObject({
      start: 'automatic',
      drafts: false,
      skip: ['gen/**'],
      language: 'fr',
    });
  });

  test('repository over organization over deployment, key by key', () => {
    const organization = layer(
      'gate: { mode: blocking, fix_rounds: 5 }\nlanguage: de\npaths: { skip: [a/**, b/**] }\nrules: [{ rule: falsy-zero, weight: off }]\n',
      'octo-org/.github evident.yml',
    );
    const repository = layer(
      'gate: { fix_rounds: 2 }\npaths: { skip: [c/**] }\nrules: [{ rule: falsy-zero, weight: nit }]\n',
    );
    const policy = combined({
      deployment: { ...defaultPolicy, review: { ...defaultPolicy.review, start: 'automatic' } },
      organization,
      repositoryDefault: repository,
      repositoryBase: repository,
    });
    expect(policy.gate).toMatchObject({ mode: 'blocking', fixRounds: 2 });
    expect(policy.review).toMatchObject({
      start: 'automatic',
      language: 'de',
      skip: ['c/**'],
      rules: [
        { rule: 'falsy-zero', weight: 'off' },
        { rule: 'falsy-zero', weight: 'nit' },
      ],
    });
    expect(policy.places).toMatchObject({
      language: { file: organization.file },
      'gate.fix_rounds': { file },
    });
    expect(Object.keys(policy.places)).not.toContain('paths.skip[1]');
    expect(policy.source).toBe(`${file} at main, octo-org/.github evident.yml at main`);
  });

  test.each([
    [{}, 'budget: { dollars: 0.3 }', { dollars: 0.3 }],
    [
      { dollars: 0.2, minutes: 4 },
      'budget: { dollars: 0.3, turns: 9 }',
      { dollars: 0.2, turns: 9, minutes: 4 },
    ],
    [{ dollars: 0.5 }, 'budget: { dollars: 0.3, minutes: 2 }', { dollars: 0.3, minutes: 2 }],
  ])('budgets only get lower: %j and %s', (budget, text, is) => {
    const policy = combined({ deployment: { ...defaultPolicy, budget }, repositoryDefault: layer(text) });
    expect(policy.budget).toEqual(is);
  });

  test('problems are told once, and only of keys that the file decides', () => {
    const text = 'lang: de\nlanguage: 5\nstart: x\n';
    const same = combined({ repositoryDefault: layer(text), repositoryBase: layer(text) });
    expect(same.problems.map(({ path }) => path)).toEqual(['lang', 'language', 'start']);
    expect(combined({ repositoryDefault: layer(text) }).problems.map(({ path }) => path)).toEqual([
      'lang',
      'start',
    ]);
    expect(combined({ repositoryBase: layer(text) }).problems.map(({ path }) => path)).toEqual(['language']);
  });

  test.each([
    ['gate: { mode: blocking }', false, 1],
    ['gate: { mode: blocking }', true, 0],
    ['gate: { mode: blocking }', undefined, 0],
    ['gate: { mode: blocking, escalate_to: [monalisa] }', false, 0],
    ['gate: { mode: advisory }', false, 0],
  ])('a gate that blocks needs somebody who decides: %s, code owners %s', (text, codeOwners, count) => {
    const policy = combined({
      repositoryDefault: layer(text),
      ...(codeOwners !== undefined && { codeOwners }),
    });
    expect(policy.problems.map(({ path, line }) => [path, line])).toEqual(
      count === 0 ? [] : [['gate.escalate_to', 1]],
    );
  });
});

describe('the hash of a policy', () => {
  const hash = (text: string): string => policyHash(both(text), null);
  test.each([
    'gate: { mode: blocking }',
    'budget: { dollars: 0.2 }',
    'start: automatic',
    'max_threads: 2',
    'suggestions: false',
    'drafts: true',
    'agents: { logins: [hubot] }',
    'lang: de',
    '\n\n\n# a comment\n',
  ])('is not changed by %j', (text) => expect(hash(text)).toBe(hash('')));

  test.each([
    'paths: { skip: [dist/**] }',
    'paths: { generated: review }',
    'rules: [{ rule: falsy-zero, weight: off }]',
    "answers: [{ rule: falsy-zero, path: a.ts, code: 'x || y', because: meant, until: 2027-01-01 }]",
    'max_questions: 1',
  ])('is changed by %j', (text) => expect(hash(text)).not.toBe(hash('')));

  test('a kept answer that only moved is the same', () => {
    const answer =
      "answers: [{ rule: falsy-zero, path: a.ts, code: 'x || y', because: meant, until: 2027-01-01 }]";
    expect(hash(`\n\n${answer}`)).toBe(hash(answer));
  });
});
