import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Turn } from '../core/transcript.js';
import type { Journal } from '../ports/job-runner.js';
import { silentLog, type Log } from '../ports/log.js';

const keptMs = 24 * 60 * 60 * 1000;
/** Runs that one process keeps in memory: the oldest goes first. */
const memoryRuns = 100;

/** For one process: a run that fails goes on from here, a restart forgets it. */
export function createMemoryJournal({ clock = Date.now }: { readonly clock?: () => number } = {}): Journal {
  const runs = new Map<string, { identity: string; from: number; turns: string[] }>();
  return {
    async load(key, identity) {
      const run = runs.get(key);
      if (run === undefined || run.identity !== identity || clock() - run.from > keptMs) return [];
      return run.turns.map((turn) => JSON.parse(turn) as Turn);
    },
    async append(key, identity, turn) {
      const kept = runs.get(key);
      const run =
        kept === undefined || kept.identity !== identity || turn.index === 0
          ? { identity, from: clock(), turns: [] }
          : kept;
      if (turn.index !== run.turns.length) throw gap(turn, run.turns.length);
      run.turns.push(JSON.stringify(turn));
      runs.delete(key);
      runs.set(key, run);
      for (const oldest of runs.keys()) {
        if (runs.size <= memoryRuns) break;
        runs.delete(oldest);
      }
    },
    async clear(key) {
      runs.delete(key);
    },
  };
}

/**
 * One file a run, under a hashed name, one record a turn. Records are encrypted (AES-256-GCM, key by HKDF from the
 * secret) and bound to the run's identity, their place and the record before them: a torn, changed, foreign or
 * reordered record is not taken up, and with it nothing after it. Files end after 24 hours.
 */
export function createFileJournal(
  dir: string,
  secret: string,
  { log = silentLog, clock = Date.now }: { readonly log?: Log; readonly clock?: () => number } = {},
): Journal {
  const cipherKey = Buffer.from(hkdfSync('sha256', secret, '', 'evident journal v1 records', 32));
  const nameKey = Buffer.from(hkdfSync('sha256', secret, '', 'evident journal v1 names', 32));
  /** Where the next record of a file goes, when it is known from this process. */
  const tails = new Map<string, Tail>();
  let swept = false;

  const fileOf = (key: string): string =>
    join(dir, `${createHash('sha256').update(nameKey).update(key).digest('hex')}.journal`);

  async function load(key: string, identity: string): Promise<readonly Turn[]> {
    await sweep();
    const file = fileOf(key);
    tails.delete(file);
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (!isMissing(error)) log.warn({ err: error }, 'a journal could not be read; the run starts afresh');
      return '';
    });
    const { records, tail, lost } = readRecords(text, identity);
    const first = records[0];
    if (first !== undefined && clock() - first.at > keptMs) {
      await rm(file, { force: true });
      return [];
    }
    if (lost > 0)
      log.warn(
        { taken: records.length, ignored: lost },
        'records of a journal are torn, changed or of another run, and are ignored',
      );
    tails.set(file, tail);
    return records.map((record) => record.turn);
  }

  function readRecords(
    text: string,
    identity: string,
  ): { readonly records: readonly JournalRecord[]; readonly tail: Tail; readonly lost: number } {
    const records: JournalRecord[] = [];
    let tail: Tail = { identity, next: 0, before: '' };
    let lost = 0;
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const record = open(line, tail);
      if (record === null) {
        lost += 1;
        continue;
      }
      records.push(record);
      tail = { identity, next: tail.next + 1, before: line };
    }
    return { records, tail, lost };
  }

  async function append(key: string, identity: string, turn: Turn): Promise<void> {
    await sweep();
    const file = fileOf(key);
    if (turn.index === 0) tails.set(file, { identity, next: 0, before: '' });
    else if (tails.get(file)?.identity !== identity) await load(key, identity);
    const tail = tails.get(file) ?? { identity, next: 0, before: '' };
    if (turn.index !== tail.next) throw gap(turn, tail.next);
    const line = seal({ at: clock(), turn }, tail);
    await mkdir(dir, { recursive: true, mode: 0o700 });
    // The line break in front parts it from a record that a killed process left torn.
    if (turn.index === 0) await writeFile(file, `${line}\n`, { mode: 0o600 });
    else await appendFile(file, `\n${line}\n`);
    tails.set(file, { identity, next: tail.next + 1, before: line });
  }

  function seal(record: JournalRecord, tail: Tail): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce).setAAD(bound(tail));
    const text = Buffer.concat([cipher.update(JSON.stringify(record), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
  }

  function open(line: string, tail: Tail): JournalRecord | null {
    const bytes = Buffer.from(line, 'base64');
    if (bytes.length < 29) return null;
    try {
      const decipher = createDecipheriv('aes-256-gcm', cipherKey, bytes.subarray(0, 12), {
        authTagLength: 16,
      })
        .setAuthTag(bytes.subarray(12, 28))
        .setAAD(bound(tail));
      const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
      return JSON.parse(text.toString('utf8')) as JournalRecord;
    } catch {
      return null;
    }
  }

  /** Once a process: what others left behind and nobody will take up. */
  async function sweep(): Promise<void> {
    if (swept) return;
    swept = true;
    for (const name of await readdir(dir).catch(() => [] as string[])) {
      if (!name.endsWith('.journal')) continue;
      const file = join(dir, name);
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Infinity }));
      if (clock() - mtimeMs > keptMs) await rm(file, { force: true });
    }
  }

  return {
    load,
    append,
    async clear(key) {
      tails.delete(fileOf(key));
      await rm(fileOf(key), { force: true });
    },
  };
}

/** `at`: when the turn was kept, epoch milliseconds. */
type JournalRecord = { readonly at: number; readonly turn: Turn };
type Tail = { readonly identity: string; readonly next: number; readonly before: string };

const bound = ({ identity, next, before }: Tail): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([identity, next, before]))
    .digest();

const gap = (turn: Turn, next: number): Error =>
  new Error(`turn ${turn.index} does not follow: the journal has ${next} turns`);

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
