import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commands } from '../lib/commands/index.js';
import { variables } from '../scripts/configuration/environment.js';

/*
 * What the pages name is there. Whether they tell the truth is for readers.
 */

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'REVIEW.md',
  ...['docs', 'docs/adr'].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ),
];

const read = (page: string): string => readFileSync(page, 'utf8');

test.each(pages)('the links of %s lead somewhere', (page) => {
  const targets = [...read(page).matchAll(/\]\(([^)#\s]+)[^)\s]*\)/g)].flatMap(([, target = '']) =>
    /^[a-z]+:/.test(target) ? [] : [target],
  );
  expect(targets.filter((target) => !existsSync(join(dirname(page), target)))).toEqual([]);
});

test.each(pages)('the files that %s names are there', (page) => {
  const named = [...read(page).matchAll(/`((?:lib|api|cli|local-github|scripts|evals|test)\/[\w./-]+)/g)];
  const missing = named.map(([, path = '']) => path).filter((path) => !existsSync(path.replace(/\.$/, '')));
  expect(missing.filter((path) => !isPattern(path))).toEqual([]);
});

/** `scripts/write-*.ts` stops at the star. */
const isPattern = (path: string): boolean => path.endsWith('-');

test('each command is explained to operators', () => {
  const page = read('docs/OPERATING.md');
  expect(commands.filter(({ usage }) => !page.includes(`\`${usage}\``)).map(({ name }) => name)).toEqual([]);
});

test('the pages name no variable that there is not', () => {
  const known = new Set(variables.flatMap(([names]) => names.match(/[A-Z][A-Z_]+/g) ?? []));
  const strange = pages.flatMap((page) =>
    (read(page).match(/`EVIDENT_[A-Z_]+/g) ?? []).map((name) => name.slice(1)),
  );
  expect(strange.filter((name) => name !== 'EVIDENT_' && !known.has(name))).toEqual([]);
});
