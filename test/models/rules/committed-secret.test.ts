import { file, reviewChange } from './review-change.js';
import type { Edit } from './review-change.js';

// Put together here, so that no file of this repository holds what looks like a key.
const stripe = ['sk', 'live', '9aTq82mXzKw07hRbYv5cLs3d'].join('_');
const aws = ['AKIA', 'Q7ZP3MXK2VNB8RTY'].join('');

const adds = (path: string, line: string, others: Readonly<Record<string, string>> = {}): Edit => ({
  base: { [path]: file('first'), ...others },
  head: { [path]: file('first', line), ...others },
});

test('a key on an added line is important, and never repeated', async () => {
  const { accepted, dropped, transcript } = await reviewChange(
    adds('config/pay.ts', `export const key = '${stripe}';`, {
      'src/far.ts': file("const b = process.env['B'];"),
      'config/mail.ts': file("export const host = process.env['MAIL_HOST'];"),
    }),
  );
  expect(dropped).toEqual([]);
  expect(accepted.findings).toMatchObject([
    {
      rule: 'committed-secret',
      severity: 'important',
      category: 'security',
      origin: 'introduced',
      anchor: { path: 'config/pay.ts', line: 2 },
    },
  ]);
  expect(accepted.findings[0]!.body).toContain('config/mail.ts:1');
  expect(JSON.stringify(transcript)).not.toContain(stripe);
});

test('without a place that reads the environment there is no such advice', async () => {
  const { accepted } = await reviewChange(adds('config/pay.ts', `export const key = '${stripe}';`));
  expect(accepted.findings).toHaveLength(1);
  expect(accepted.findings[0]!.body).toContain('secret store');
  expect(accepted.findings[0]!.evidence).toHaveLength(1);
});

test('the same key twice is said once', async () => {
  const { accepted } = await reviewChange(adds('a.py', `KEY = "${aws}"\nAGAIN = "${aws}"`));
  expect(accepted.findings.map((each) => each.anchor.line)).toEqual([2]);
});

test('a key that was there before is a nit where it is moved, and old code where it is not touched', async () => {
  const line = `key = "${aws}"`;
  const moved = await reviewChange({ base: { 'a.py': file(line) }, head: { 'b.py': file(line) } });
  expect(moved.accepted.findings).toMatchObject([{ severity: 'nit', anchor: { path: 'b.py' } }]);
  const beside = await reviewChange({
    base: { 'a.py': file(line, 'x = 1') },
    head: { 'a.py': file(line, 'x = 2') },
  });
  expect(beside.accepted.findings).toMatchObject([
    { origin: 'pre_existing', anchor: { path: 'a.py', line: 1 } },
  ]);
  expect(beside.dropped).toEqual([]);
});

test.each([
  ['a test', 'src/pay.test.ts'],
  ['a folder of tests', 'tests/conftest.py'],
  ['a fixture', 'fixtures/pay.json'],
  ['test data of Go', 'pkg/testdata/key.go'],
  ['documentation', 'docs/setup.md'],
  ['a readme', 'README.md'],
  ['an example', 'examples/pay.ts'],
  ['an example environment', '.env.example'],
  ['a copied library', 'vendor/pay/pay.go'],
])('nothing is said of a key in %s', async (_name, path) => {
  const { accepted } = await reviewChange(adds(path, `key = "${stripe}"`));
  expect([...accepted.findings, ...accepted.questions]).toEqual([]);
});

test.each([
  ['a variable', 'const key = process.env.STRIPE_KEY;'],
  ['a placeholder', "const apiKey = 'your-api-key-goes-here-000';"],
  ['a hash', "const sha = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';"],
])('nothing is said of %s', async (_name, line) => {
  const { accepted } = await reviewChange(adds('src/a.ts', line));
  expect(accepted.findings).toEqual([]);
});

test('where services are started for tests, a value known by its name is asked about once', async () => {
  const password = ['Fm7Ks5vX52uf', 'KR1rd8tn4Mo'].join('');
  const lines = file(`  POSTGRES_PASSWORD: "${password}"`, `  COOKIE_SECRET: "${password}2"`);
  const { accepted, dropped } = await reviewChange({
    base: { 'a.py': file('x') },
    head: { 'a.py': file('x'), '.ci/compose.yaml': lines, 'docker-compose.yml': lines },
  });
  expect([accepted.findings, dropped]).toEqual([[], []]);
  expect(accepted.questions).toMatchObject([
    { question: 'is this password made up for services that run only in tests?' },
  ]);
  const issued = await reviewChange(adds('.github/workflows/ci.yml', `  KEY: "${aws}"`));
  expect(issued.accepted.findings).toMatchObject([{ severity: 'important' }]);
});

test('a Google key may be one that browsers carry', async () => {
  const google = ['AIza', 'Sy8Kd3vQ0xT7bLm9RpW2yHc5NfJ4gZa1Ub6'].join('');
  const { accepted } = await reviewChange(adds('src/firebase.ts', `export const apiKey = '${google}';`));
  expect(accepted.findings).toEqual([]);
  expect(accepted.questions).toMatchObject([
    { question: 'is this google api key meant for browsers and restricted to them?' },
  ]);
});

test('the same value under another name is known before', async () => {
  const value = ['q8Zt3LmX0vRb', 'N6yPd2WcKj5H'].join('');
  const { accepted } = await reviewChange({
    base: { 'a.py': file(`cookie_secret = "${value}"`) },
    head: { 'a.py': file(`secret_key = "${value}"`) },
  });
  expect(accepted.findings).toMatchObject([{ severity: 'nit' }]);
});

test('a key that is taken out is not accused', async () => {
  const { accepted } = await reviewChange({
    base: { 'a.ts': file(`export const key = '${stripe}';`) },
    head: { 'a.ts': file('export const key = process.env.KEY;') },
  });
  expect(accepted.findings).toEqual([]);
});
