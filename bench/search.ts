/** How fast a search is, as ratios within this run: see README.md in this folder. */
import { labelSecrets } from '../lib/core/secret.js';
import { createRepoView } from '../lib/core/repo-view.js';
import type { RawVersion } from '../lib/core/repo-view.js';
import { searchFiles } from '../lib/core/search.js';
import { writeRepository } from './made-repository.js';

const files = writeRepository({ files: 3_000, bytes: 25_000_000, seed: 7 });
const patterns = [
  ['a word that is nowhere', 'zzzqqq'],
  ['a call', 'loadOrder\\('],
  ['alternatives', '(process\\.env\\.TZ|TZ=|\\bTZ:|timezone\\.set)'],
  ['letters of either case', '(?i)customerorder'],
  ['the start of a line', '^export (async )?function load\\w+'],
  ['a class of letters', '[A-Z]{3,}_[0-9]+'],
] as const;

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const characters = files.reduce((sum, { text }) => sum + text.length, 0);
print(`${files.length} files, ${(characters / 1e6).toFixed(1)} million characters\n`);

const everyLine = best(() => files.map(({ text }) => labelEveryLine(text)).length);
const prescan = best(() => files.map(({ text }) => labelSecrets(text)).length);
print(`labelling          ${inMs(everyLine)}  line by line (baseline)`);
print(`                   ${inMs(prescan)}  as it is: ${ratio(prescan, everyLine)} of the baseline\n`);

for (const [name, pattern] of patterns) {
  const v8 = best(() => countWithV8(pattern));
  const own = best(() => totalOf(searchFiles(files, { pattern, limit: 100 })));
  if (v8.value !== own.value)
    throw new Error(`${pattern}: ${own.value} lines, and ${v8.value} by V8's RegExp`);
  print(
    `${name.padEnd(24)} ${inMs(v8)}  V8's RegExp, line by line (baseline), ${v8.value} lines\n` +
      `${''.padEnd(24)} ${inMs(own)}  search: ${ratio(own, v8)} of the baseline`,
  );
}

const view = createRepoView({ head: versionOf(), base: versionOf() });
for (const which of ['first', 'second']) {
  const started = performance.now();
  await view.search({ pattern: 'loadOrder\\(', ref: 'head', limit: 100 });
  const ms = performance.now() - started;
  print(
    `\n${which} search of a view: ${ms.toFixed(0)} ms, ${ratio({ ms }, everyLine)} of labelling line by line`,
  );
}
print(
  `\nmemory: ${(process.memoryUsage.rss() / 1e6).toFixed(0)} MB, of it ${(characters / 1e6).toFixed(0)} MB the files`,
);

/** The least of a few runs: what is above it is the machine's. */
function best<Value>(run: () => Value): { readonly ms: number; readonly value: Value } {
  let ms = Infinity;
  let value = run();
  for (let round = 0; round < 4; round++) {
    const started = performance.now();
    value = run();
    ms = Math.min(ms, performance.now() - started);
  }
  return { ms, value };
}

function labelEveryLine(text: string): string {
  return text
    .split('\n')
    .map((line) => labelSecrets(line).text)
    .join('\n');
}

function countWithV8(pattern: string): number {
  const flag = pattern.startsWith('(?i)');
  const expression = new RegExp(flag ? pattern.slice(4) : pattern, flag ? 'iu' : 'u');
  let count = 0;
  for (const { text } of files) for (const line of text.split('\n')) if (expression.test(line)) count += 1;
  return count;
}

function totalOf(result: ReturnType<typeof searchFiles>): number {
  if (result.kind !== 'searched') throw new Error(result.why);
  return result.total;
}

function versionOf(): RawVersion {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  return {
    entries: new Map(files.map(({ path }) => [path, { path, mode: '100644', id: path }])),
    load: async (path) => ({ kind: 'text', text: texts.get(path) ?? '' }),
  };
}

function inMs({ ms }: { readonly ms: number }): string {
  return `${ms.toFixed(0).padStart(6)} ms`;
}

function ratio(a: { readonly ms: number }, b: { readonly ms: number }): string {
  return (a.ms / b.ms).toFixed(2);
}
