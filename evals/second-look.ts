/**
 * Is a second pass a second look? Runs passes of a chosen lens and file order over changes with known bugs, and tells
 * what share of the first pass's misses the others find.
 *
 *   npx tsx evals/second-look.ts look --lens correctness|contracts|security [--order as_shown|reverse] --out DIR
 *                                     [--limit USD] [--minutes N] [--again] [NAME=]REPOSITORY ...
 *
 * A case is a git repository with the branches `base` and `pr`; the model is that of the environment, as for
 * `evident review`. Writes DIR/NAME.json, a list of { path, line, end_line, title, body, severity, as }, for whatever
 * knows the bugs, and DIR/looks/NAME.json: lens, order, model, how it ended, spend. A case that has both is left alone
 * unless --again is given. A pass that was cut short writes no list, and the command ends with 3.
 *
 *   npx tsx evals/second-look.ts table --first SCORES --second LABEL=SCORES [--second ...] [--json]
 *
 * SCORES is a JSON file, as a scorer writes it: [{ "id": NAME, "golden": 3, "missed": ["g1"] }], or { "cases": that }.
 * One of the seconds should be the first pass again (same lens, same order): what is found by looking once more.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readEnv } from '../lib/config/env.js';
import { ConfigError } from '../lib/core/errors.js';
import type { FileOrder, Lens } from '../lib/core/ledger.js';
import { chooseModels } from '../lib/models/index.js';
import { silentLog } from '../lib/ports/log.js';
import { look } from './look.js';
import { compareLooks, looksTable, parseScores, type Score } from './looks-compared.js';

const lenses: readonly Lens[] = ['correctness', 'contracts', 'security'];
const orders: readonly FileOrder[] = ['as_shown', 'reverse'];

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lens: { type: 'string' },
    order: { type: 'string', default: 'as_shown' },
    out: { type: 'string' },
    limit: { type: 'string', default: '5' },
    minutes: { type: 'string', default: '600' },
    again: { type: 'boolean', default: false },
    first: { type: 'string' },
    second: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
  },
});

try {
  const [what, ...rest] = positionals;
  if (what === 'look') process.exitCode = await lookAt(rest);
  else if (what === 'table') await printTable();
  else throw new ConfigError('Say `look` or `table`, see the head of evals/second-look.ts.', 'look');
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

async function lookAt(cases: readonly string[]): Promise<number> {
  const lens = oneOf(lenses, flags.lens, '--lens');
  const order = oneOf(orders, flags.order, '--order');
  if (flags.out === undefined) throw new ConfigError('Name a folder for what was found with --out.', '--out');
  if (cases.length === 0) throw new ConfigError('Name one repository at least.', 'cases');
  const out = resolve(flags.out);
  const [model] = chooseModels(readEnv(process.env, 'terminal').model.variables, {
    log: { ...silentLog, warn: (_, message) => process.stderr.write(`${message}\n`) },
  });
  await mkdir(join(out, 'looks'), { recursive: true });
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new Error('stopped')));
  let cutShort = 0;
  for (const { name, dir } of cases.map(readCase)) {
    const files = { remarks: join(out, `${name}.json`), look: join(out, 'looks', `${name}.json`) };
    if (!flags.again && existsSync(files.remarks) && existsSync(files.look)) continue;
    const done = await look({
      dir,
      lens,
      order,
      model,
      limits: model.kind === 'rules' ? {} : { dollars: Number(flags.limit) },
      maxMs: Number(flags.minutes) * 60_000,
      clock: Date.now,
      signal: stop.signal,
    });
    const { remarks, ...rest } = done;
    const isWhole = done.ended === 'submitted' && done.complete;
    if (isWhole) await writeFile(files.remarks, `${JSON.stringify(remarks, null, 1)}\n`);
    else cutShort += 1;
    await writeFile(files.look, `${JSON.stringify({ case: name, ...rest }, null, 1)}\n`);
    process.stdout.write(
      `${name}: ${lens}, ${order}: ${isWhole ? `${remarks.length} remarks` : `not whole (${done.why ?? 'not all was shown'})`}, ` +
        `${done.spend.turns} turns, ${done.spend.toolCalls} look-ups\n`,
    );
    if (stop.signal.aborted) break;
  }
  return cutShort === 0 ? 0 : 3;
}

/** `NAME=DIR`, or a folder whose name is that of the case; one called `repo` is named by the folder that it is in. */
function readCase(text: string): { readonly name: string; readonly dir: string } {
  const [, named, path] = /^(?:([\w.-]+)=)?(.+)$/s.exec(text) ?? [];
  const dir = resolve(path ?? text);
  const own = basename(dir) === 'repo' ? basename(dirname(dir)) : basename(dir);
  return { name: named ?? own, dir };
}

async function printTable(): Promise<void> {
  if (flags.first === undefined || flags.second.length === 0)
    throw new ConfigError('Name the scores with --first FILE and --second LABEL=FILE.', '--first');
  const first = await readScores(flags.first);
  const seconds = await Promise.all(
    flags.second.map(async (text) => {
      const [, name, file] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
      if (name === undefined || file === undefined)
        throw new ConfigError(`--second ${text} has no label. Write --second LABEL=FILE.`, '--second');
      return { name, scores: await readScores(file) };
    }),
  );
  const compared = compareLooks(first, seconds);
  process.stdout.write(`${flags.json ? JSON.stringify(compared, null, 2) : looksTable(compared)}\n`);
}

async function readScores(file: string): Promise<readonly Score[]> {
  try {
    return parseScores(JSON.parse(await readFile(resolve(file), 'utf8')));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${file} has no scores: ${why}`, file);
  }
}

function oneOf<T extends string>(all: readonly T[], text: string | undefined, flag: string): T {
  const one = all.find((name) => name === text);
  if (one !== undefined) return one;
  throw new ConfigError(`${flag} is one of ${all.join(', ')}.`, flag);
}
