import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { gitEnvironment, notStarted, settings, type GitCall } from './run-git.js';

/** Reads objects by id through one git process, which goes when nothing is asked for a while. Calls may overlap. */
export type BlobReader = {
  /** Null when the object is not in this clone. */
  readonly read: (id: string) => Promise<Buffer | null>;
  readonly close: () => void;
};

const IDLE_MS = 500;

export function createBlobReader(call: GitCall): BlobReader {
  let running: Batch | undefined;
  let idle: NodeJS.Timeout | undefined;
  let asked = 0;

  const close = (): void => {
    clearTimeout(idle);
    running?.end();
    running = undefined;
  };
  return {
    close,
    read: async (id) => {
      clearTimeout(idle);
      asked++;
      const batch = (running ??= startBatch(call));
      try {
        return await batch.read(id);
      } catch (error) {
        if (running === batch) close();
        throw error;
      } finally {
        asked--;
        if (asked === 0 && running !== undefined) idle = setTimeout(close, IDLE_MS);
      }
    },
  };
}

type Batch = { readonly read: (id: string) => Promise<Buffer | null>; readonly end: () => void };

type Waiting = {
  readonly resolve: (bytes: Buffer | null) => void;
  readonly reject: (error: Error) => void;
};

/** `git cat-file --batch`: `<id> <type> <size>`, the bytes and a line end for each id in turn; or `<id> missing`. */
function startBatch(call: GitCall): Batch {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    'git',
    [...settings, 'cat-file', '--batch'],
    { cwd: call.cwd, env: { ...gitEnvironment(), ...call.env }, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  const waiting: Waiting[] = [];
  let failure: Error | undefined;
  let chunks: Buffer[] = [];
  let size = 0;
  /** Bytes of the object whose header was read, without its line end. */
  let expected: number | undefined;

  const fail = (error: Error): void => {
    failure ??= error;
    for (const { reject } of waiting.splice(0)) reject(failure);
  };
  const take = (count: number): Buffer => {
    const all = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
    chunks = count === all.length ? [] : [all.subarray(count)];
    size -= count;
    return all.subarray(0, count);
  };
  const readHeader = (): boolean => {
    if (chunks.length > 1) chunks = [Buffer.concat(chunks, size)];
    const end = chunks[0]?.indexOf(10) ?? -1;
    if (end === -1) return false;
    const found = /^[0-9a-f]+ [a-z]+ (\d+)\n$/.exec(take(end + 1).toString('latin1'));
    if (found === null) waiting.shift()?.resolve(null);
    else expected = Number(found[1]);
    return true;
  };
  child.on('error', (error) => fail(notStarted(error)));
  child.on('close', () => fail(new Error('git cat-file ended')));
  child.stdin.on('error', () => undefined);
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    for (;;) {
      if (expected === undefined && !readHeader()) return;
      if (expected === undefined) continue;
      if (size < expected + 1) return;
      const bytes = take(expected + 1).subarray(0, expected);
      expected = undefined;
      waiting.shift()?.resolve(bytes);
    }
  });
  return {
    read: (id) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) return reject(failure);
        waiting.push({ resolve, reject });
        child.stdin.write(`${id}\n`);
      }),
    end: () => void child.kill(),
  };
}
