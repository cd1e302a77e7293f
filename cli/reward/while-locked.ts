import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError } from '../../lib/core/errors.js';
import type { Io } from '../io.js';

/** Others hold it for as long as a file is read and written. */
const usualPatienceMs = 10_000;
const pauseMs = 25;

/**
 * Does `work` while no other process does the same to that file: of two that read it, change it and write it back, one
 * would be lost. Throws `ConfigError` when the others do not end, or the folder cannot be written to.
 */
export async function whileLocked<T>(
  { flag, file }: { readonly flag: string; readonly file: string },
  { cwd }: Pick<Io, 'cwd'>,
  work: () => Promise<T>,
  patienceMs = usualPatienceMs,
): Promise<T> {
  const lock = `${resolve(cwd, file)}.lock`;
  for (let waitedMs = 0; !(await locks(lock, { flag, file })); waitedMs += pauseMs) {
    if (waitedMs >= patienceMs)
      throw new ConfigError(
        `${file} is in use by another evident reward update. When there is none any more, one was stopped half-way: delete ${file}.lock, and try again.`,
        flag,
      );
    await delay(pauseMs);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Whether this process has it now: only one can create a file. */
async function locks(
  lock: string,
  { flag, file }: { readonly flag: string; readonly file: string },
): Promise<boolean> {
  try {
    await (await open(lock, 'wx')).close();
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    throw new ConfigError(`${flag} ${file} cannot be written: ${message}.`, flag);
  }
}
