import { z } from 'zod';
import type { Tool } from '../agent/tool.js';
import type { Snapshot } from '../core/snapshot.js';
import type { RepoReader } from '../ports/forge.js';
import { lineNumber } from './arguments.js';
import { readLines } from './read-lines.js';

const Input = z.strictObject({
  path: z.string().describe('as it is called at base: the old path of a renamed file'),
  start: lineNumber('first line; leave out for the top of the file'),
  end: lineNumber('last line; leave out for the end of the file'),
});

/** A file as it stood before the change, at the merge base. */
export function createGetFileAtBase(from: {
  readonly snapshot: Snapshot;
  readonly reader: RepoReader;
}): Tool {
  return {
    name: 'get_file_at_base',
    description:
      'A file as it was before this change (at the merge base) with line numbers, as a whole or a range of lines; at most 800 lines a call.',
    schema: Input,
    run: (input) =>
      readLines(Input.parse(input), { reader: from.reader, ref: 'base', diff: from.snapshot.diff }),
  };
}
