import { assess } from '../../lib/core/assess.js';
import { keptAnswerTo } from '../../lib/core/kept-answer.js';
import type { FileDiff } from '../../lib/core/diff.js';
import type { KeptAnswer, ReviewSettings, RuleSetting } from '../../lib/core/policy.js';
import { judgeRule } from '../../lib/core/rule-setting.js';
import type { CodeReview } from '../../lib/core/submission.js';
import { changeOf, diff, nit, policy, promoQuestion as promo, served, source, zeroRefund } from './shop.js';

const file = '.github/evident.yml';
const day = (text: string): number => Date.parse(`${text}T12:00:00Z`);
const submitted = (over: Partial<CodeReview>): CodeReview => ({
  findings: [],
  humanReviewRequests: [],
  disproved: [],
  prior: [],
  summary: '',
  ...over,
});
const within = (review: Partial<ReviewSettings>, now = day('2027-01-01')) => ({
  ...{ diff, source, served, calls: [], now },
  policy: { ...policy(), review: { ...policy().review, ...review } },
});
const bare = { ...zeroRefund, evidence: [], confidence: 'medium' as const };

describe('weights of rules', () => {
  test.each<readonly [what: string, rules: readonly RuleSetting[], severities: readonly string[]]>([
    ['none', [], ['important']],
    ['a nit', [{ rule: 'falsy-zero', weight: 'nit' }], ['nit']],
    ['off', [{ rule: 'falsy-zero', weight: 'off' }], []],
    ['off by an alias of the catalogue', [{ rule: 'or-default', weight: 'off' }], []],
    ['off elsewhere', [{ rule: 'falsy-zero', weight: 'off', paths: ['scripts/**'] }], ['important']],
    ['off here', [{ rule: 'falsy-zero', weight: 'off', paths: ['docs/**', 'src/billing/*'] }], []],
    [
      'the later entry holds',
      [
        { rule: 'falsy-zero', weight: 'off' },
        { rule: 'falsy-zero', weight: 'nit', paths: ['src/**'] },
      ],
      ['nit'],
    ],
    [
      'a later entry about other files does not',
      [
        { rule: 'falsy-zero', weight: 'off' },
        { rule: 'falsy-zero', weight: 'nit', paths: ['docs/**'] },
      ],
      [],
    ],
    [
      'an entry without a weight says nothing of it',
      [
        { rule: 'falsy-zero', weight: 'nit' },
        { rule: 'falsy-zero', text: 'x' },
      ],
      ['nit'],
    ],
    ['another rule', [{ rule: 'race-condition', weight: 'off' }], ['important']],
  ])('%s', async (_what, rules, severities) => {
    const { findings, problems } = await assess(submitted({ findings: [zeroRefund] }), within({ rules }));
    expect(problems).toEqual([]);
    expect(findings.map(({ severity }) => severity)).toEqual(severities);
  });

  test('what is off is dropped with the place that says so, and is not sent back', async () => {
    const rules: readonly RuleSetting[] = [{ rule: 'falsy-zero', weight: 'off', at: { file, line: 9 } }];
    const { problems, dropped } = await assess(submitted({ findings: [bare] }), within({ rules }));
    expect(problems).toEqual([]);
    expect(dropped).toMatchObject([{ why: '`falsy-zero` is off here (.github/evident.yml, line 9)' }]);
  });

  test('a nit that the repository makes important needs evidence like any other', async () => {
    const rules: readonly RuleSetting[] = [{ rule: nit.rule, weight: 'important' }];
    const { problems } = await assess(submitted({ findings: [nit] }), within({ rules }));
    expect(problems).toMatchObject([
      { reason: expect.stringMatching(/an important finding needs/) as unknown },
    ]);
  });

  test('a rule of the repository has its own name, category and aliases', () => {
    const rules: readonly RuleSetting[] = [
      { rule: 'no-raw-sql', category: 'security', aliases: ['injection', 'raw-sql'], weight: 'important' },
    ];
    const of = (name: string) => judgeRule(name, 'src/a.ts', { review: { ...policy().review, rules } });
    for (const name of ['no-raw-sql', 'raw-sql', 'injection', 'sql-injection'])
      expect(of(name)).toEqual({ rule: 'no-raw-sql', weight: 'important', category: 'security' });
    expect(of('falsy-check')).toEqual({ rule: 'falsy-zero', weight: null, category: undefined });
  });
});

describe('kept answers', () => {
  const answer: KeptAnswer = {
    rule: 'falsy-zero',
    path: 'src/billing/**',
    code: 'const   amount = refund || order.total;',
    because: 'a refund of 0 is no refund (octocat, #482)',
    until: '2027-06-01',
    file,
    line: 14,
  };
  const notRaised = {
    rule: 'falsy-zero',
    path: 'src/billing/refund.ts',
    line: 5,
    because: 'a refund of 0 is no refund (octocat, #482)',
    until: '2027-06-01',
    file,
    fileLine: 14,
  };

  test.each<readonly [what: string, change: Partial<KeptAnswer>, now: string | null, holds: boolean]>([
    ['the same rule, path and line', {}, '2027-01-01', true],
    ['the day before it ends', {}, '2027-05-31', true],
    ['the day on which it ends', {}, '2027-06-01', false],
    ['a day that is none', { until: 'never' }, '2027-01-01', false],
    ['nobody knows the day', {}, null, false],
    ['another line', { code: 'const amount = refund ?? order.total;' }, '2027-01-01', false],
    ['part of the line', { code: 'refund || order.total' }, '2027-01-01', false],
    ['another path', { path: 'src/*.ts' }, '2027-01-01', false],
    ['another rule', { rule: 'race-condition' }, '2027-01-01', false],
    ['an alias of the rule', { rule: 'or-default' }, '2027-01-01', true],
  ])('%s: %s', async (_what, change, now, holds) => {
    const context = within({ answers: [{ ...answer, ...change }] });
    const { now: _now, ...without } = context;
    const {
      findings,
      notRaised: kept,
      problems,
      dropped,
    } = await assess(
      submitted({ findings: [zeroRefund] }),
      now === null ? without : { ...without, now: day(now) },
    );
    expect([problems, dropped]).toEqual([[], []]);
    expect(findings).toHaveLength(holds ? 0 : 1);
    expect(kept).toEqual(holds ? [{ ...notRaised, until: { ...answer, ...change }.until }] : []);
  });

  test('a question is not asked again, whatever its evidence', async () => {
    const request = promo;
    const kept = {
      ...answer,
      rule: request.finding.rule,
      path: request.finding.path,
      code: request.finding.code,
    };
    const {
      questions,
      notRaised: of,
      problems,
    } = await assess(
      submitted({ humanReviewRequests: [{ ...request, finding: { ...request.finding, evidence: [] } }] }),
      within({ answers: [kept] }),
    );
    expect([questions, problems]).toEqual([[], []]);
    expect(of).toMatchObject([{ rule: request.finding.rule, path: request.finding.path, fileLine: 14 }]);
  });

  const lines = ['function pay() {', '  charge(order);', '  log(order);', '}'];
  const touching = (added: number): readonly FileDiff[] =>
    changeOf(
      { 'a.ts': `${lines.filter((_, at) => at !== added - 1).join('\n')}\n` },
      { 'a.ts': `${lines.join('\n')}\n` },
    );
  test.each([
    ['only the kept line is new', 2, true],
    ['another accused line is new: nobody has answered for that', 3, false],
    ['a line without a letter is new', 4, true],
  ])('of a range of lines, %s', (_what, added, holds) => {
    const { review } = within({ answers: [{ ...answer, path: 'a.ts', code: 'charge(order);' }] }).policy;
    const accused = { rule: 'falsy-zero', path: 'a.ts', start: 1, end: 4, file: lines };
    expect(keptAnswerTo(accused, { review }, touching(added), day('2027-01-01')) !== null).toBe(holds);
  });
});

describe('caps', () => {
  test('nits beyond the cap are dropped with why; important ones never', async () => {
    const { findings, dropped } = await assess(
      submitted({ findings: [nit, zeroRefund] }),
      within({ maxNits: 0 }),
    );
    expect(findings.map(({ severity }) => severity)).toEqual(['important']);
    expect(dropped).toMatchObject([{ why: 'more than 0 nits (setting `max_nits`)' }]);
  });

  test.each([
    [0, /takes no questions/],
    [3, null],
  ])('at most %s questions', async (maxQuestions, reason) => {
    const { questions, problems } = await assess(
      submitted({ humanReviewRequests: [promo] }),
      within({ maxQuestions }),
    );
    expect(questions).toHaveLength(reason === null ? 1 : 0);
    expect(problems.map((one) => one.reason).join()).toMatch(reason ?? /^$/);
  });
});
