import { format } from 'prettier';
import { stringify } from 'yaml';
import { z } from 'zod';
import { PolicyFile, readFromBase } from '../../lib/core/policy-schema.js';
import { table } from '../table.js';
import { variables } from './environment.js';

/** `docs/CONFIGURATION.md`, from the table of variables and the schema of the settings file. */
export async function configurationPage(): Promise<string> {
  const page = [
    '# Settings',
    'Written by `scripts/write-configuration.ts`; edit `scripts/configuration/` and `lib/core/policy-schema.ts`.',
    environment,
    table(['variable', 'default', 'meaning'], variables),
    file,
    table(['key', 'default', 'values', 'meaning', 'read from'], keys('', settings, null)),
    entries,
    table(['key of a rule', 'needed', 'values', 'meaning'], itemKeys('rules')),
    'Keys of a kept answer:',
    table(['key of an answer', 'needed', 'values', 'meaning'], itemKeys('answers')),
    example(),
    rest,
  ].join('\n\n');
  return formatted(page, 'markdown');
}

/** `docs/evident.schema.json`, for editors. */
export const settingsSchema = (): Promise<string> => formatted(JSON.stringify(schema), 'json');

const formatted = (text: string, parser: 'markdown' | 'json'): Promise<string> =>
  format(text, { parser, singleQuote: true, printWidth: 110, trailingComma: 'all' });

type Node = {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Node;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
};

const settings = z.toJSONSchema(PolicyFile, { io: 'input' }) as Node;

const schema = {
  ...settings,
  title: 'Settings of Evident',
  description: 'The file .github/evident.yml of a repository, or evident.yml of an organization.',
};

/** A row for each key that has a value of its own. */
function keys(path: string, node: Node, from: string | null): readonly (readonly string[])[] {
  if (node.properties === undefined)
    return [[`\`${path}\``, byDefault(node), values(node), cell(node.description), from ?? '']];
  return Object.entries(node.properties).flatMap(([name, inner]) =>
    keys(
      path === '' ? name : `${path}.${name}`,
      inner,
      from ?? (readFromBase.has(name) ? 'base' : 'default branch'),
    ),
  );
}

const itemKeys = (list: 'rules' | 'answers'): readonly (readonly string[])[] => {
  const item = settings.properties?.[list]?.items ?? {};
  return Object.entries(item.properties ?? {}).map(([name, node]) => [
    `\`${name}\``,
    item.required?.includes(name) === true ? 'yes' : '',
    values(node),
    cell(node.description),
  ]);
};

const cell = (text: string | undefined): string => (text ?? '').replaceAll('|', '\\|');

const inYaml = (value: unknown): string =>
  `\`${stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()}\``;

const byDefault = (node: Node): string =>
  node.default === undefined
    ? "the operator's"
    : Array.isArray(node.default) && node.default.length === 0
      ? 'none'
      : inYaml(node.default);

function values(node: Node): string {
  const shown = node.examples?.[0];
  const like = shown === undefined || typeof shown === 'object' ? '' : `, such as ${inYaml(shown)}`;
  if (node.enum !== undefined) return node.enum.map((word) => `\`${word}\``).join(', ');
  switch (node.type ?? 'string') {
    case 'boolean':
      return '`true`, `false`';
    case 'integer':
    case 'number':
      return `${node.minimum} to ${node.maximum}`;
    case 'array': {
      const { enum: words } = node.items ?? {};
      const of = words === undefined ? '' : ` of ${words.map((word) => `\`${word}\``).join(', ')}`;
      return `a list${of}, at most ${node.maxItems}`;
    }
    default:
      return `text${like}`;
  }
}

const environment = `## The environment

Variables of the server and the terminal. A name that begins with \`EVIDENT_\` and is not listed here is answered with a warning: in the log, at
\`/api/health\` and in the terminal.`;

const file = `## The settings file

\`.github/evident.yml\` of a repository. An organization sets what holds for all of its repositories in \`evident.yml\` (or \`.github/evident.yml\`) of its
repository named \`.github\`, which has to be public. The repository goes before the organization and the organization before the environment, key by key; \`rules\` and \`answers\` of all of
them hold, the repository's last. A budget only ever lowers what the operator allows.

What guards or costs is read from the **default branch** as it is now, so that a pull request cannot change it for itself. What a review reads by
(column _base_) is read from the commit that the pull request branched off, and stays the same for one diff. A pull request that changes one of
these files is told which copy was used.`;

const entries = `Globs cover paths from the top of the repository; one without a slash covers names at any depth, and a folder covers what is in it. They have at
most 200 characters, three stars between two slashes and three \`**\`, and no groups in parentheses.

Keys of a rule:`;

function example(): string {
  const shown = {
    gate: { mode: 'blocking', escalate_to: ['octo-org/payments'] },
    start: 'automatic',
    base_branches: ['main', 'release/*'],
    paths: { skip: ['dist/**', '*.snap'] },
    rules: [
      { rule: 'falsy-zero', weight: 'nit', paths: ['scripts/**'] },
      {
        rule: 'no-raw-sql',
        weight: 'important',
        category: 'security',
        text: 'SQL is built by the query builder alone',
      },
    ],
    answers: settings.properties?.['answers']?.examples?.[0] ?? [],
  };
  return `An example:\n\n\`\`\`yaml\n${stringify(shown, { lineWidth: 100 }).trimEnd()}\n\`\`\``;
}

const rest = `\`docs/evident.schema.json\` is a JSON Schema of it: an editor that is given it completes and checks the keys.

### When something in it is wrong

A part that cannot be used is left out, and what stands behind it holds: never something looser than the default. A rule or a kept answer with one bad
part is left out as a whole, and so is a list that narrows down what is reviewed (\`base_branches\`, \`when\`). When the file is no YAML at all, nothing of it is
used, except that a gate that says \`mode: blocking\` stays blocking. The check names the file, the line, the key and what to write instead.

The file is plain YAML of at most 64 kB: no references (\`*name\`), types (\`!name\`), merging (\`<<\`) or second documents; no line of more than 1,000
characters. A text with \` #\` or \`: \` in it stands in quotes, because YAML cuts it there.

## REVIEW.md

\`REVIEW.md\` at the root of a repository says in plain words what counts as important there; one in a folder adds to it for the files below that
folder. They are read from the base of the pull request, at most 12,000 characters in all.`;
