import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigError } from '../../lib/core/errors.js';
import { isMoment } from '../../lib/core/moment.js';
import { readReviews, type Reviews } from '../../lib/core/reward/read-reviews.js';
import { readRewardSettings, type RewardSettings } from '../../lib/core/reward/settings.js';
import type { Io } from '../io.js';
import { jsonText } from '../json-text.js';

/** Some hundred thousand threads; more belongs into several updates. */
const mostBytes = 256 * 1024 * 1024;

/** The options of a subcommand that scores reviews, for `parseArgs`. */
export const reviewFlags = {
  settings: { type: 'string' },
  now: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** What is scored, how, and as of when: the one file that may be named, and the values of `reviewFlags`. */
export async function readScored(
  {
    values,
    positionals,
  }: {
    readonly values: { readonly settings?: string | undefined; readonly now?: string | undefined };
    readonly positionals: readonly string[];
  },
  io: Io,
): Promise<Reviews & { readonly settings: RewardSettings; readonly now: number }> {
  const settings = await readSettings(values.settings, io);
  return { ...(await readInput(onlyFile(positionals), io)), settings, now: nowOf(values.now) };
}

/** The reviews of a file, or of standard input for `-` and for no file. */
async function readInput(named: string | undefined, io: Io): Promise<Reviews> {
  if (named === undefined && io.asker !== undefined)
    throw new ConfigError('Name a file, or pipe the reviews in: evident reward collect writes them.', 'FILE');
  const file = named ?? '-';
  return readReviews(await readGiven(file, io, 'FILE'), file === '-' ? 'the input' : file);
}

/** The text of a file, or of standard input for `-`. Throws `ConfigError` as `readTextFile` does. */
export async function readGiven(file: string, io: Io, where: string): Promise<string> {
  if (file !== '-') return readTextFile(file, io, where);
  const bytes = await io.readStdin();
  if (bytes.length > mostBytes) throw tooLarge('The input', where);
  return Buffer.from(bytes).toString('utf8');
}

/** The defaults without a file. */
async function readSettings(file: string | undefined, io: Io): Promise<RewardSettings> {
  const text = file === undefined ? null : await readTextFile(file, io, '--settings');
  return readRewardSettings(text, file ?? 'the settings');
}

/**
 * The text of a file that somebody named.
 * @throws ConfigError where it is not there, too large, or cannot be read.
 */
export async function readTextFile(file: string, io: Io, where: string): Promise<string> {
  const text = await readTextIfThere(file, io, where);
  if (text === null) throw new ConfigError(`There is no file ${file}.`, where);
  return text;
}

/** Null where there is no such file. */
export async function readTextIfThere(file: string, io: Io, where: string): Promise<string | null> {
  const path = resolve(io.cwd, file);
  try {
    if ((await stat(path)).size > mostBytes) throw tooLarge(file, where);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new ConfigError(`${file} cannot be read: ${message}.`, where);
  }
}

const tooLarge = (what: string, where: string): ConfigError =>
  new ConfigError(`${what} is larger than ${mostBytes / 1024 / 1024} MB: split it.`, where);

/** Epoch milliseconds of `--now`, or of the clock. */
function nowOf(text: string | undefined): number {
  if (text === undefined) return Date.now();
  const at = Date.parse(text);
  if (!isMoment(text))
    throw new ConfigError(`--now is ${text}: write a time such as 2027-06-01T00:00:00Z.`, '--now');
  return at;
}

/** At most one, which is a file. */
function onlyFile(positionals: readonly string[]): string | undefined {
  if (positionals.length > 1) throw new ConfigError('Name one file, or none for standard input.', 'FILE');
  return positionals[0];
}

export const json = (value: unknown): string => `${jsonText(value, 2)}\n`;

/** Without the tail that adding up floating-point numbers leaves. */
export const rounded = (value: number): number => Number(value.toFixed(9));
