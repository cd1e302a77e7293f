import type { Tool } from '../agent/tool.js';
import type { FileOrder } from '../core/ledger.js';
import type { Snapshot } from '../core/snapshot.js';
import type { RepoReader } from '../ports/forge.js';
import { createGetFileAtBase } from './get-file-at-base.js';
import { createGetFileContent } from './get-file-content.js';
import { createGetPrDiff } from './get-pr-diff.js';
import { createGetPrInfo } from './get-pr-info.js';
import { createListFiles } from './list-files.js';
import { createSearchCode } from './search-code.js';

/**
 * The tools that every mode shares: read-only, one a file, over one frozen snapshot and its reader. A tool answers in
 * text for the model and records which lines it showed. A mode adds its terminal tool; a new tool is a new file and a
 * line here. `order` is the order of the files in the diff: passes that must differ read it the other way round.
 */
export function evidenceTools(from: {
  readonly snapshot: Snapshot;
  readonly reader: RepoReader;
  readonly order?: FileOrder;
}): readonly Tool[] {
  return [
    createGetPrInfo(from),
    createGetPrDiff(from),
    createListFiles(from),
    createSearchCode(from),
    createGetFileContent(from),
    createGetFileAtBase(from),
  ];
}
