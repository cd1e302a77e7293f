import type { ChangedFile, DiffRow } from './tool-texts.js';

/** The change as the rules ask about it. */
export type Change = {
  readonly files: readonly ChangedFile[];
  readonly added: (path: string, line: number) => boolean;
  /** Added and removed rows of a file, in order. */
  readonly touched: (path: string) => readonly DiffRow[];
};

export function createChange(files: readonly ChangedFile[]): Change {
  const added = new Map(
    files.map((file) => [
      file.path,
      new Set(file.hunks.flat().flatMap((row) => (row.kind === 'added' ? [row.line] : []))),
    ]),
  );
  return {
    files,
    added: (path, line) => added.get(path)?.has(line) ?? false,
    touched: (path) =>
      files
        .filter((file) => file.path === path)
        .flatMap((file) => file.hunks.flat().filter((row) => row.kind !== 'context')),
  };
}
