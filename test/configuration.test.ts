import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { combinePolicy } from '../lib/core/combine-policy.js';
import { defaultPolicy } from '../lib/core/policy.js';
import { readPolicyFile } from '../lib/core/policy-file.js';
import { configurationPage, settingsSchema } from '../scripts/configuration/page.js';

const text = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const file = '.github/evident.yml';

type Node = { readonly default?: unknown; readonly properties?: Readonly<Record<string, Node>> };
const schema = JSON.parse(text('docs/evident.schema.json')) as Node;
const isValid = new Ajv2020({ strict: false }).compile(schema);

test('the page and the schema are up to date: node --import tsx scripts/write-configuration.ts', async () => {
  expect(text('docs/CONFIGURATION.md')).toBe(await configurationPage());
  expect(text('docs/evident.schema.json')).toBe(await settingsSchema());
});

const defaultsOf = (node: Node): unknown =>
  node.properties === undefined
    ? node.default
    : Object.fromEntries(
        Object.entries(node.properties).flatMap(([key, inner]) => {
          const value = defaultsOf(inner);
          return value === undefined ? [] : [[key, value]];
        }),
      );

test('a file with every default in it changes nothing', () => {
  const written = JSON.stringify(defaultsOf(schema), null, 1);
  const read = { ...readPolicyFile(written, { file }), source: 'x' };
  expect(read.problems).toEqual([]);
  const policy = combinePolicy({
    deployment: defaultPolicy,
    organization: null,
    repositoryDefault: read,
    repositoryBase: read,
  });
  expect({ ...policy, places: {}, source: 'defaults' }).toEqual(defaultPolicy);
  expect(Object.keys(read.lines).length).toBeGreaterThan(25);
});

test('the example of the page is read whole, and the schema takes it', () => {
  const [, example = ''] = /```yaml\n([\s\S]+?)```/.exec(text('docs/CONFIGURATION.md')) ?? [];
  expect(readPolicyFile(example, { file }).problems).toEqual([]);
  expect(isValid(parse(example))).toBe(true);
});

test.each([
  'language: 5',
  'lang: de',
  'gate: { mode: blokcing }',
  'gate: { passes: { person: 0 } }',
  'rules: [{ weight: off }]',
  'answers: [{ rule: falsy-zero, path: a.ts, code: x, because: y }]',
  'when: [closed]',
])('the schema refuses what the reader refuses: %s', (yaml) => {
  expect(readPolicyFile(yaml, { file }).problems).toHaveLength(1);
  expect(isValid(parse(yaml))).toBe(false);
});
