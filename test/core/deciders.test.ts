import { decidersOf } from '../../lib/core/deciders.js';
import { defaultPolicy, type Policy } from '../../lib/core/policy.js';

const named: Policy = {
  ...defaultPolicy,
  gate: { ...defaultPolicy.gate, escalateTo: ['octo-org/payments', 'hubot'] },
  places: { 'gate.escalate_to': { file: '.github/evident.yml', line: 4 } },
};
const owners = { file: '.github/CODEOWNERS', lines: ['* @octocat', 'src/billing/ @octo-org/payments'] };

test('those that the settings name are asked, and told where they are named', () => {
  expect(decidersOf(named, owners, [{ path: 'a.ts' }])).toEqual([
    { who: 'octo-org/payments', namedBy: '.github/evident.yml line 4' },
    { who: 'hubot', namedBy: '.github/evident.yml line 4' },
  ]);
});

test('else the owners of what changed', () => {
  expect(decidersOf(defaultPolicy, owners, [{ path: 'src/billing/refund.ts' }])).toEqual([
    { who: 'octo-org/payments', namedBy: '.github/CODEOWNERS line 2', path: 'src/billing/refund.ts' },
  ]);
  expect(decidersOf(defaultPolicy, null, [{ path: 'a.ts' }])).toEqual([]);
});
