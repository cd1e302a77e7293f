import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError } from '../../lib/core/errors.js';
import { parseTranscript } from '../../lib/core/kept-transcript.js';
import type { Io } from '../io.js';
import { replayPage } from '../replay-page.js';
import { replayText } from '../replay-text.js';

const usage = `evident replay FILE [options]

Shows a review again, turn by turn: what was read, claimed, refused and why.
FILE was written by evident review --transcript FILE; - is standard input.

  --full   with the whole texts that went to the model
  --html   as one page, with those texts folded in

Exit codes: 0 shown, 2 wrong use.
`;

/** What a review of 3,000 files may take; more is some other file. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Asks no model and reads no repository: all there is to tell is in the file. */
export async function runReplay(args: readonly string[], io: Io): Promise<number> {
  const { values: flags, positionals } = parseArgs({
    args: [...args],
    options: {
      full: { type: 'boolean' },
      html: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  const [file] = positionals;
  if (flags.help === true || file === undefined || positionals.length > 1) {
    (flags.help === true ? io.stdout : io.stderr)(usage);
    return flags.help === true ? 0 : 2;
  }
  const read = parseTranscript(await readText(file, io));
  if (read.kind === 'unreadable')
    throw new ConfigError(`${file === '-' ? 'The input' : file} cannot be shown: ${read.why}`, 'FILE');
  io.stdout(
    flags.html === true
      ? replayPage(read.transcript)
      : replayText(read.transcript, { full: flags.full === true }),
  );
  return 0;
}

async function readText(file: string, io: Io): Promise<string> {
  if (file === '-') return Buffer.from(await io.readStdin()).toString('utf8');
  const path = resolve(io.cwd, file);
  try {
    const { size } = await stat(path);
    if (size > MOST_BYTES) throw new ConfigError(`${file} is too large to be a transcript.`, 'FILE');
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      code === 'ENOENT'
        ? `There is no file ${file}. Write one with: evident review --transcript ${file}`
        : `${file} cannot be read: ${message}.`,
      'FILE',
    );
  }
}
