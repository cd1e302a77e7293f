import { ConfigError } from '../../../lib/core/errors.js';
import { attribute } from '../../../lib/core/reward/attribute.js';
import type { PullLife, ReviewedPull } from '../../../lib/core/reward/reviewed-pull.js';
import { readRewardSettings } from '../../../lib/core/reward/settings.js';
import { signalsOf } from '../../../lib/core/reward/signals.js';

const pull = (fields: Partial<ReviewedPull> = {}): ReviewedPull => ({
  repo: 'octo-org/shop',
  pr: 1,
  labels: [],
  files: [],
  threads: [],
  ...fields,
});

describe('the first rule that fits names the category', () => {
  const settings = readRewardSettings(
    JSON.stringify({
      categories: [
        { name: 'urgent', label: ['Hotfix', 'urgent'] },
        { name: 'billing', repo: 'octo-org/*', path: ['src/billing/**', '**/invoice.ts'] },
        { name: 'dependencies', branch: 'deps/*' },
        { name: 'mobile', repo: 'octo-org/mobile' },
      ],
      otherwise: 'rest',
    }),
    'it',
  );
  test.each<[string, Partial<ReviewedPull>, string]>([
    ['a label in any case', { labels: ['HOTFIX'] }, 'urgent'],
    ['a path', { files: ['README.md', 'src/billing/tax/rates.ts'] }, 'billing'],
    ['another path', { files: ['web/invoice.ts'] }, 'billing'],
    ['a path in another organization', { repo: 'monalisa/shop', files: ['src/billing/a.ts'] }, 'rest'],
    ['label before path', { labels: ['urgent'], files: ['src/billing/a.ts'] }, 'urgent'],
    ['a branch', { branch: 'deps/zod' }, 'dependencies'],
    ['a branch below', { branch: 'deps/npm/zod' }, 'rest'],
    ['a branch nobody knows', {}, 'rest'],
    ['a repository in any case', { repo: 'Octo-Org/Mobile' }, 'mobile'],
  ])('%s', (_, fields, category) => expect(attribute(pull(fields), settings)).toBe(category));
});

describe('what cannot be used is answered with its place', () => {
  test.each([
    ['{', /^it is no JSON: /],
    ['[]', /the top: Expected one object\./],
    ['{"category": []}', /the top: there is no key `category`\./],
    ['{"categories": [{"name": "a"}]}', /categories\[0\]: A rule needs at least one of/],
    ['{"categories": [{"path": "a"}]}', /categories\[0\]\.name: Expected a name\./],
    ['{"categories": [{"name": "a", "paths": "b"}]}', /categories\[0\]: there is no key `paths`/],
    [
      '{"categories": [{"name": "a", "path": "!b"}]}',
      /categories\[0\]\.path\[0\]: A glob says what is meant/,
    ],
    ['{"self_resolved": "never"}', /self_resolved: Expected `lines`, `commit` or `trust`\./],
    ['{"words": {"security": ["a*b"]}}', /words\.security\[0\]: Expected words with single blanks/],
    ['{"words": {"security": ["(a+)+$"]}}', /words\.security\[0\]: Expected words/],
    ['{"signals": {"missing_tests": 2}}', /signals\.missing_tests: Expected a number from 0 to 1\./],
    ['{"badges": [{"reviewer": "a", "text": "b", "says": "bad"}]}', /badges\[0\]\.says: Expected/],
  ])('%s', (text, sentence) => {
    expect(() => readRewardSettings(text, 'it')).toThrow(sentence);
    expect(() => readRewardSettings(text, 'it')).toThrow(ConfigError);
  });
});

describe('signals beside the threads', () => {
  const day = 24 * 60 * 60 * 1000;
  const life = (fields: Partial<PullLife> = {}): PullLife => ({
    state: 'merged',
    draft: false,
    createdAt: '2027-01-01T00:00:00Z',
    ...fields,
  });
  const now = Date.parse('2027-01-01T00:00:00Z') + 20 * day;
  const on = readRewardSettings(
    '{"signals": {"missing_tests": 0.1, "closed_unmerged": 0.3, "long_waiting": 0, "waiting_days": 14}}',
    'it',
  );
  const names = (fields: Partial<ReviewedPull>, settings = on) =>
    signalsOf(pull(fields), settings, now).map(({ name }) => name);

  test.each<[string, Partial<ReviewedPull>, readonly string[]]>([
    ['code without a test', { life: life(), files: ['src/a.ts', 'README.md'] }, ['missing_tests']],
    ['code with a test beside it', { life: life(), files: ['src/a.ts', 'src/a.test.ts'] }, []],
    ['code with a test in its folder', { life: life(), files: ['a.py', 'tests/test_a.py'] }, []],
    ['a Go test', { life: life(), files: ['a.go', 'a_test.go'] }, []],
    ['a Java test', { life: life(), files: ['A.java', 'ATest.java'] }, []],
    ['documents', { life: life(), files: ['docs/contest.md'] }, []],
    ['closed without a merge', { life: life({ state: 'closed' }) }, ['closed_unmerged']],
    ['open for long', { life: life({ state: 'open' }) }, ['long_waiting']],
    ['open for long, as a draft', { life: life({ state: 'open', draft: true }) }, []],
    ['open since a week', { life: life({ state: 'open', createdAt: '2027-01-14T00:00:00Z' }) }, []],
    ['nothing known', { files: ['src/a.ts'] }, []],
  ])('%s', (_, fields, wanted) => expect(names(fields)).toEqual(wanted));

  test('are off without settings', () =>
    expect(
      names({ life: life({ state: 'closed' }), files: ['src/a.ts'] }, readRewardSettings(null, 'it')),
    ).toEqual([]));
});
