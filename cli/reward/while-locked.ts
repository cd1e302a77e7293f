import { readFileSync, readlinkSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { ConfigError } from '../../lib/core/errors.js';
import type { Io } from '../io.js';

/** Others hold it for as long as a file is read and written. */
const usualPatienceMs = 10_000;
const pauseMs = 25;

/**
 * Does `work` while no other process does the same to that file: of two that read it, change it and write it back, one
 * would be lost. The lock of a process of this machine that is gone is taken over, and that is told. Throws
 * `ConfigError` when the others do not end, or the folder cannot be written to.
 */
export async function whileLocked<T>(
  { flag, file }: { readonly flag: string; readonly file: string },
  { cwd, stderr }: Pick<Io, 'cwd' | 'stderr'>,
  work: () => Promise<T>,
  patienceMs = usualPatienceMs,
): Promise<T> {
  const lock = `${resolve(cwd, file)}.lock`;
  for (let waitedMs = 0; !(await locks(lock, { flag, file })); waitedMs += pauseMs) {
    const gone = await takesOver(lock);
    if (gone !== null) {
      stderr(`${file}.lock was left by process ${gone}, which is gone: taken over.\n`);
      break;
    }
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
    await writeFile(lock, JSON.stringify(thisProcess()), { flag: 'wx' });
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    throw new ConfigError(`${flag} ${file} cannot be written: ${message}.`, flag);
  }
}

/** Who holds a lock. A number names a process on one machine only, and there in one space of numbers. */
const Holder = z.object({
  pid: z.int().positive(),
  began: z.number(),
  machine: z.string(),
  space: z.string(),
});
type Holder = z.infer<typeof Holder>;

const thisProcess = (): Holder => ({
  pid: process.pid,
  began: Math.round(performance.timeOrigin),
  machine: `${hostname()} ${bootOf()}`.trim(),
  space: spaceOf(),
});

/** Where the system says it: numbers begin anew with each start of the machine. */
function bootOf(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** Containers of one machine each count from 1. */
function spaceOf(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/**
 * The number of the process whose lock this one has now; null where its holder lives or cannot be known. Of several that
 * find the same one gone, one alone can create the claim, which is named after that holder; who comes later with that
 * name finds another holder.
 */
async function takesOver(lock: string): Promise<number | null> {
  const holder = await holderOf(lock);
  if (holder === null || !isGone(holder)) return null;
  const claim = `${lock}.${holder.pid}-${holder.began}`;
  try {
    await writeFile(claim, JSON.stringify(thisProcess()), { flag: 'wx' });
  } catch {
    return null;
  }
  const now = await holderOf(lock);
  if (now?.pid !== holder.pid || now.began !== holder.began) {
    await rm(claim, { force: true });
    return null;
  }
  await rename(claim, lock);
  return holder.pid;
}

/** Null where it is not there, or says nothing that can be read. */
async function holderOf(lock: string): Promise<Holder | null> {
  try {
    return Holder.parse(JSON.parse(await readFile(lock, 'utf8')));
  } catch {
    return null;
  }
}

function isGone({ pid, machine, space }: Holder): boolean {
  const here = thisProcess();
  if (machine !== here.machine || space !== here.space || pid === here.pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
