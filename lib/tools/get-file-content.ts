import { z } from 'zod';
import type { Tool } from '../agent/tool.js';
import type { Snapshot } from '../core/snapshot.js';
import type { RepoReader } from '../ports/forge.js';
import { lineNumber } from './arguments.js';
import { readLines } from './read-lines.js';

const Input = z.strictObject({
  path: z.string().describe('from the top of the repository'),
  start: lineNumber('first line; leave out for the top of the file'),
  end: lineNumber('last line; leave out for the end of the file'),
});

/** A file as it stands at the reviewed commit. */
export function createGetFileContent(from: {
  readonly snapshot: Snapshot;
  readonly reader: RepoReader;
}): Tool {
  return {
    name: 'get_file_content',
    description:
      'A file at head (the reviewed commit) with line numbers, as a whole or a range of lines; at most 800 lines a call.',
    schema: Input,
    run: (input) =>
      readLines(Input.parse(input), { reader: from.reader, ref: 'head', diff: from.snapshot.diff }),
  };
}
