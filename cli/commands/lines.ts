import { readFile } from 'node:fs/promises';
import {
  commentable,
  diffFromApiFiles,
  parseDiff,
  type ApiFile,
  type FileDiff,
} from '../../lib/core/diff.js';

/** Where a command reads and writes. `readStdin` gives the bytes up to the end of the input. */
export type LinesIo = {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly readStdin: () => Promise<Uint8Array>;
};

const usage = `evident lines FILE

Every place of a diff that takes a comment, as one JSON array of
[path, side, line]. FILE is a git diff, JSON with GitHub's list of changed
files, or - for standard input. Example: git diff main...HEAD | evident lines -

Exit codes: 0 shown, 2 wrong use.
`;

/**
 * `evident lines FILE`: every place of a diff that takes a comment, as one JSON array of `[path, side, line]` in diff
 * order. FILE is a git diff, `-` for standard input, or JSON with GitHub's list of changed files (alone or under
 * `api_files` or `files`). Exit code 0, or 2 when there is nothing that can be read.
 */
export async function runLines(args: readonly string[], io: LinesIo): Promise<number> {
  const [file, ...more] = args;
  if (file === '--help' || file === '-h') {
    io.stdout(usage);
    return 0;
  }
  if (file === undefined || more.length > 0 || (file.startsWith('-') && file !== '-')) {
    io.stderr(usage);
    return 2;
  }
  const read = await readDiff(file, io);
  if (read.kind === 'unreadable') {
    io.stderr(`${read.sentence}\n`);
    return 2;
  }
  for (const { path, content } of read.diff)
    if (content.kind === 'missing') io.stderr(`No lines of ${path}: ${content.detail}.\n`);
  io.stdout(`${JSON.stringify(commentable(read.diff).map(({ path, side, line }) => [path, side, line]))}\n`);
  return 0;
}

type Read =
  | { readonly kind: 'read'; readonly diff: readonly FileDiff[] }
  | { readonly kind: 'unreadable'; readonly sentence: string };

async function readDiff(file: string, io: LinesIo): Promise<Read> {
  const unreadable = (sentence: string): Read => ({ kind: 'unreadable', sentence });
  const name = file === '-' ? 'the input' : file;
  let bytes: Uint8Array;
  try {
    bytes = file === '-' ? await io.readStdin() : await readFile(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return unreadable(
      code === 'ENOENT'
        ? `There is no file ${name}. Give the path of a diff.`
        : `Cannot read ${name}: ${message}.`,
    );
  }
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (/^\s*[[{]/.test(text.slice(0, 1000))) {
    const listed = apiFilesOf(text);
    return listed === null
      ? unreadable(`${name} is JSON, but not GitHub's list of changed files (filename, status, patch).`)
      : { kind: 'read', diff: diffFromApiFiles(listed) };
  }
  const diff = parseDiff(bytes);
  return diff.length === 0 && text.trim() !== ''
    ? unreadable(
        `${name} holds no git diff: no line starts with "diff --git". Make one with: git diff main...HEAD`,
      )
    : { kind: 'read', diff };
}

function apiFilesOf(text: string): readonly ApiFile[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const list = Array.isArray(value) ? (value as unknown[]) : listIn(value);
  return list?.every(isApiFile) === true ? list : null;
}

function listIn(value: unknown): unknown[] | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const key of ['api_files', 'files']) {
    const list = (value as Record<string, unknown>)[key];
    if (Array.isArray(list)) return list as unknown[];
  }
  return null;
}

const isApiFile = (value: unknown): value is ApiFile => {
  if (typeof value !== 'object' || value === null) return false;
  const { filename, status, patch } = value as Record<string, unknown>;
  return (
    typeof filename === 'string' &&
    typeof status === 'string' &&
    (patch === undefined || patch === null || typeof patch === 'string')
  );
};
