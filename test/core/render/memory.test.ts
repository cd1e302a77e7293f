import { findingKey, type Finding } from '../../../lib/core/finding.js';
import { emptyLedger } from '../../../lib/core/ledger.js';
import type { KeptAnswer } from '../../../lib/core/policy.js';
import type { Answered, Question } from '../../../lib/core/question.js';
import { forgettable, memoryText } from '../../../lib/core/render/memory.js';
import { threadQuestion } from '../../../lib/core/render/thread-question.js';
import { diff, head, policy, promoQuestion, pullRequest } from '../shop.js';
import { expectGolden } from '../golden.js';

const promo = (head['src/widgets/Promo.tsx'] ?? '').split('\n');
const at = '2026-12-01T14:02:00.000Z';
const because = "the partner's script draws into that box";

const asked = (id: Question['id'], line: number, over: Partial<Question> = {}): Question => ({
  id,
  finding: {
    rule: 'react-dom-mutation',
    severity: 'important',
    category: 'logic',
    confidence: 'medium',
    title: promoQuestion.finding.title,
    body: promoQuestion.finding.body,
    key: findingKey({
      lineage: 'src/widgets/Promo.tsx',
      category: 'logic',
      file: promo,
      start: line,
      end: line,
      nth: 0,
    }),
    anchor: { kind: 'line', path: 'src/widgets/Promo.tsx', side: 'RIGHT', line },
    origin: 'introduced',
    evidence: [],
    standing: { kind: 'open' },
  },
  reason: promoQuestion.reason,
  searched: ['#promo'],
  question: promoQuestion.question,
  answerEffects: { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' },
  standing: { kind: 'open' },
  ...over,
});
const yes: Answered = { answer: 'yes', effect: 'suppress_finding', by: 'octocat', at, why: because };
const person = { ...pullRequest, author: { login: 'octocat', kind: 'person' } } as const;
const askAgain = (answered: Answered, over: Partial<Question> = {}, line = 5): string =>
  threadQuestion(asked('Q4', 6, { earlier: { kind: 'answered', question: 'Q1' }, ...over }), {
    pullRequest: person,
    policy: policy('blocking'),
    model: { kind: 'language_model' },
    known: [asked('Q1', line, { standing: { kind: 'obsolete', answered } })],
  });

test('a question that is asked again begins with what was said before', () => {
  expectGolden('thread-question-again.md', askAgain(yes));
  const { finding } = asked('Q4', 6);
  const range = { ...finding, anchor: { ...finding.anchor, startLine: 4 } } as Question['finding'];
  expect(askAgain(yes, { finding: range })).toContain(' Lines 4 to 6 have changed since.\n');
  expect(askAgain(yes, {}, 6)).toContain('"). The code was gone since, and is back.\n');
});

test.each<[string, Answered, string]>([
  [
    'not sure, without a reason',
    { answer: 'unsure', effect: 'lower_confidence', by: 'octocat', at },
    'octocat was not sure of this on 1 December 2026 in #482. Line 6 has changed since.',
  ],
  [
    'no, confirmed',
    { answer: 'no', effect: 'include_finding', by: 'octocat', at, confirmedBy: 'monalisa' },
    'octocat answered no to this on 1 December 2026 in #482, confirmed by monalisa. Line 6 has changed since.',
  ],
  [
    'what a stranger wrote is one harmless line',
    {
      ...yes,
      why: '[x](https://evil.example) @octo-org/all\n\n# Done `a\n<!-- evident:thread {} --> fixes #12 ![p](http://x)',
    },
    'octocat answered yes to this on 1 December 2026 in #482 ("\\[x](https://evil.example) @\u200bocto-org/all # Done \\`a &lt;!-- evident:thread {} --> fixes #\u200b12 !\\[p](http://x)"). Line 6 has changed since.',
  ],
  [
    'what is long is cut',
    { ...yes, why: 'very '.repeat(500) },
    `octocat answered yes to this on 1 December 2026 in #482 ("${'very '.repeat(40)}..."). Line 6 has changed since.`,
  ],
])('an earlier answer: %s', (_name, answered, expected) => {
  expect(askAgain(answered).split('\n\n')[1]).toBe(expected);
});

test('words that are not there any more are not quoted', () => {
  const text = threadQuestion(asked('Q4', 6, { earlier: { kind: 'answered', question: 'Q1' } }), {
    pullRequest: person,
    policy: policy('blocking'),
    model: { kind: 'language_model' },
    known: [asked('Q1', 5, { standing: { kind: 'obsolete' } })],
  });
  expect(text.split('\n\n')[1]).toBe(askAgain(yes).split('\n\n')[2]);
});

const dismissed: Finding = {
  ...asked('Q9', 5).finding,
  id: 'F2',
  rule: 'falsy-zero',
  standing: { kind: 'dismissed', by: 'monalisa', at, why: 'by design, see ADR 7' },
};
const entry: KeptAnswer = {
  rule: 'missing-timeout',
  path: 'src/**',
  code: 'fetch(url)',
  because: 'batch host has its own limit',
  until: '2027-03-01',
  file: '.github/evident.yml',
  line: 22,
};
const answers = [entry, { ...entry, until: '2026-11-01', line: 29 }, { ...entry, path: 'docs/**' }];
const input = {
  ledger: {
    ...emptyLedger,
    questions: [
      asked('Q1', 5, { standing: { kind: 'answered', ...yes } }),
      asked('Q2', 6, {
        standing: { kind: 'answered', ...yes, answer: 'unsure', effect: 'lower_confidence' },
      }),
      asked('Q3', 7),
    ],
    findings: [dismissed, { ...dismissed, id: 'F3', standing: { kind: 'open' } } as const],
  },
  policy: { review: { ...policy('blocking').review, answers } },
  pullRequest,
  diff,
  diffHash: 'd',
  now: Date.parse(at),
};

test('what is kept is listed: what was said here, then the settings about these files', () => {
  expectGolden('memory.md', memoryText(input));
  expect(forgettable(input.ledger)).toEqual(['Q1', 'F2']);
});

test('nothing is kept, or very much', () => {
  expect(memoryText({ ...input, ledger: emptyLedger, policy: { review: policy('blocking').review } })).toBe(
    'No kept answer touches this pull request.',
  );
  const many = Array.from({ length: 200 }, (_, line) => ({ ...entry, line: line + 1 }));
  const text = memoryText({
    ...input,
    policy: { review: { ...policy('blocking').review, answers: many } },
  });
  expect(text.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(41);
  expect(text).toMatch(/\n- and 162 more$/);
});
