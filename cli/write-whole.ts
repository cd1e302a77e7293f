import { rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigError } from '../lib/core/errors.js';
import type { Io } from './io.js';

/** Writes the file that an option names, all of it or nothing. Throws `ConfigError` when it cannot be written. */
export async function writeWhole(
  { flag, file }: { readonly flag: string; readonly file: string },
  content: string | readonly string[],
  { cwd }: Pick<Io, 'cwd'>,
): Promise<void> {
  const path = resolve(cwd, file);
  const next = `${path}.${process.pid}.next`;
  try {
    await writeFile(next, content);
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw new ConfigError(
      `${flag} ${file} cannot be written: ${error instanceof Error ? error.message : String(error)}.`,
      flag,
    );
  }
}
