import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { gitEnvironment, notStarted, settings, type GitCall } from './run-git.js';

/** Reads objects by id, one after the other, through one git process that goes when nothing is asked for a while. */
export type BlobReader = {
  /** Null when the object is not in this clone. */
  readonly read: (id: string) => Promise<Buffer | null>;
  readonly close: () => void;
};

const IDLE_MS = 500;

export function createBlobReader(call: GitCall): BlobReader {
  let running: Batch | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const close = (): void => {
    clearTimeout(idle);
    running?.end();
    running = undefined;
  };
  const readNow = async (id: string): Promise<Buffer | null> => {
    clearTimeout(idle);
    running ??= startBatch(call);
    try {
      return await running.read(id);
    } catch (error) {
      close();
      throw error;
    } finally {
      if (running !== undefined) idle = setTimeout(close, IDLE_MS);
    }
  };
  return {
    close,
    read: (id) => {
      const next = last.then(() => readNow(id));
      last = next.catch(() => undefined);
      return next;
    },
  };
}

type Batch = { readonly read: (id: string) => Promise<Buffer | null>; readonly end: () => void };

/** `git cat-file --batch`: `<id> <type> <size>`, the bytes and a line end for each id; or `<id> missing`. */
function startBatch(call: GitCall): Batch {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    'git',
    [...settings, 'cat-file', '--batch'],
    { cwd: call.cwd, env: { ...gitEnvironment(), ...call.env }, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  let failure: Error | undefined;
  let wake: (() => void) | undefined;
  let chunks: Buffer[] = [];
  let size = 0;
  const fail = (error: Error): void => {
    failure ??= error;
    wake?.();
  };
  child.on('error', (error) => fail(notStarted(error)));
  child.on('close', () => fail(new Error('git cat-file ended')));
  child.stdin.on('error', () => undefined);
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    wake?.();
  });
  const more = (): Promise<void> =>
    new Promise((resolve, reject) => {
      if (failure !== undefined) return reject(failure);
      wake = () => {
        wake = undefined;
        if (failure === undefined) resolve();
        else reject(failure);
      };
    });
  const take = (count: number): Buffer => {
    const all = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
    chunks = count === all.length ? [] : [all.subarray(count)];
    size -= count;
    return all.subarray(0, count);
  };

  async function read(id: string): Promise<Buffer | null> {
    child.stdin.write(`${id}\n`);
    let end = chunks[0]?.indexOf(10) ?? -1;
    while (end === -1) {
      await more();
      if (chunks.length > 1) chunks = [Buffer.concat(chunks, size)];
      end = chunks[0]?.indexOf(10) ?? -1;
    }
    const header = take(end + 1).toString('latin1');
    const found = /^[0-9a-f]+ [a-z]+ (\d+)\n$/.exec(header);
    if (found === null) return null;
    const length = Number(found[1]);
    while (size < length + 1) await more();
    return take(length + 1).subarray(0, length);
  }
  return { read, end: () => void child.kill() };
}
