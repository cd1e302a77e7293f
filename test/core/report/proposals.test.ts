import { parse } from 'yaml';
import type { OwnFinding, OwnStanding } from '../../../lib/core/report/own-marks.js';
import { proposalsOf, settingLines } from '../../../lib/core/report/proposals.js';
import { PolicyFile } from '../../../lib/core/policy-schema.js';

const findings = (
  rule: string,
  standings: Partial<Record<OwnStanding, number>>,
  told: Partial<OwnFinding> = {},
) =>
  Object.entries(standings).flatMap(([standing, n]) =>
    Array.from({ length: n }, (): OwnFinding => ({
      id: 'F1',
      rule,
      severity: 'important',
      category: 'logic',
      origin: 'introduced',
      standing: standing as OwnStanding,
      found: null,
      from: null,
      ...told,
    })),
  );

/** What a rule found, and what it is proposed to weigh. */
test.each([
  ['most were fixed', findings('a-rule', { fixed: 8, open: 2 }), []],
  ['few were fixed', findings('a-rule', { fixed: 2, open: 8 }), ['nit']],
  ['exactly as many as the floor', findings('a-rule', { fixed: 3, open: 7 }), []],
  ['most were wrong', findings('a-rule', { fixed: 1, dismissed: 5, withdrawn: 1, open: 3 }), ['off']],
  ['nits already', findings('a-rule', { open: 9 }, { severity: 'nit' }), ['off']],
  ['security and wrong', findings('a-rule', { dismissed: 9 }, { category: 'security' }), ['nit']],
  [
    'security and nits already',
    findings('a-rule', { open: 9 }, { category: 'security', severity: 'nit' }),
    [],
  ],
  ['too few to tell', findings('a-rule', { open: 4 }), []],
  ['a name that no settings file can hold', findings('A rule: "of mine"\n  weight: off', { open: 9 }), []],
] as const)('%s', (_, found, weights) =>
  expect(proposalsOf(found, 0.3).map(({ weight }) => weight)).toEqual(weights),
);

test('the lines can be used as they stand; what does least comes first', () => {
  const found = [
    ...findings('first-rule', { fixed: 1, open: 5 }),
    ...findings('second-rule', { dismissed: 20 }),
    ...findings('third-rule', { fixed: 20 }),
  ];
  const lines = settingLines(proposalsOf(found, 0.3));
  expect(lines).toBe(
    [
      'rules:',
      '  - rule: second-rule',
      "    weight: 'off' # 0 of 20 fixed, 20 dismissed as wrong",
      '  - rule: first-rule',
      '    weight: nit # 1 of 6 fixed, 0 dismissed as wrong',
    ].join('\n'),
  );
  expect(PolicyFile.parse(parse(lines))).toEqual({
    rules: [
      { rule: 'second-rule', weight: 'off' },
      { rule: 'first-rule', weight: 'nit' },
    ],
  });
  expect(settingLines([])).toBe('');
});
