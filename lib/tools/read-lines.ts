import type { ToolAnswer } from '../agent/tool.js';
import type { FileDiff } from '../core/diff.js';
import { ToolError } from '../core/errors.js';
import type { Ref } from '../core/evidence.js';
import type { FileRead, RepoReader } from '../ports/forge.js';
import { repositoryPath } from './arguments.js';
import { longestLine, pageChars, servedRanges, shownLine, type Place } from './shown-lines.js';
import { shownPath } from './shown-path.js';

/** Lines of one answer: a usual source file as a whole. */
const mostLines = 800;

export type LinesWanted = {
  readonly path: string;
  readonly start?: number | undefined;
  readonly end?: number | undefined;
};

/** Lines of a file at a ref, numbered; for everything that has no lines a sentence that says what is there. */
export async function readLines(
  wanted: LinesWanted,
  from: { readonly reader: RepoReader; readonly ref: Ref; readonly diff: readonly FileDiff[] },
): Promise<ToolAnswer> {
  const path = repositoryPath(wanted.path);
  if (path === '') throw new ToolError('Give the path of a file. list_files shows what there is.');
  const { start = 1, end } = wanted;
  if (end !== undefined && end < 1)
    throw new ToolError(
      `There is no line ${end}: lines are counted from 1. Leave end out for the end of the file.`,
    );
  if (end !== undefined && start > end) throw new ToolError(`start ${start} is after end ${end}.`);
  const read = await from.reader.read(from.ref, path);
  if (read.kind === 'text') return lines(path, read, wanted, from.ref);
  return { text: sentence(path, read, from), served: [] };
}

function lines(
  path: string,
  file: Extract<FileRead, { kind: 'text' }>,
  { start: asked = 1, end }: LinesWanted,
  ref: Ref,
): ToolAnswer {
  const total = file.lines.length;
  const start = Math.max(asked, 1);
  if (total === 0) return { text: `${path} at ${ref} is empty.`, served: [] };
  if (start > total)
    throw new ToolError(
      `${path} at ${ref} has ${total} ${total === 1 ? 'line' : 'lines'}; there is no line ${start}.`,
    );
  const to = Math.min(end ?? total, total);
  const longest = start === to ? pageChars : longestLine;
  const rows: string[] = [];
  const places: Place[] = [];
  let room = pageChars;
  let cutLines = false;
  let line = start;
  for (; line <= to && line < start + mostLines; line += 1) {
    const { text, whole } = shownLine(file.lines[line - 1] ?? '', longest);
    const row = `${String(line).padStart(6)} | ${text}`;
    if (line > start && row.length > room) break;
    rows.push(row);
    room -= row.length + 1;
    if (whole) places.push({ path, ref, line });
    else cutLines = true;
  }
  const shownTo = line - 1;
  const notes = [
    ...(asked < 1 ? [`[note: lines are counted from 1; ${asked} was asked for]`] : []),
    ...(end !== undefined && end > total
      ? [`[note: the file ends at line ${total}; line ${end} was asked for]`]
      : []),
    ...(shownTo === total && file.noFinalNewline ? ['[note: no newline at the end of the file]'] : []),
    ...(cutLines && start !== to
      ? [`[cut: long lines were cut; ask with start and end of one line for up to ${pageChars} characters]`]
      : []),
    ...(shownTo < to
      ? [`[cut: lines ${shownTo + 1}-${to} are not shown; go on with start ${shownTo + 1}]`]
      : []),
  ];
  return {
    text: [`${path} at ${ref}, lines ${start}-${shownTo} of ${total}`, ...rows, ...notes].join('\n'),
    served: servedRanges(places),
  };
}

function sentence(
  path: string,
  read: Exclude<FileRead, { kind: 'text' }>,
  { ref, diff }: { readonly ref: Ref; readonly diff: readonly FileDiff[] },
): string {
  const at = `${path} at ${ref}`;
  switch (read.kind) {
    case 'folder': {
      const some = read.entries.slice(0, 50).map(shownPath).join(', ');
      const more = read.entries.length > 50 ? `, and ${read.entries.length - 50} more` : '';
      return `${at} is a folder with ${read.entries.length} entries: ${some}${more}. list_files shows all of them.`;
    }
    case 'symlink':
      return `${at} is a symbolic link to ${shownPath(read.target)}. Links are not followed; read that path if it is in the repository.`;
    case 'submodule':
      return `${at} is a submodule at commit ${read.commit}. Its files are in another repository and cannot be read here.`;
    case 'binary':
      return `${at} is binary, ${read.bytes} bytes. It has no lines to show.`;
    case 'too_large':
      return `${at} has ${read.bytes} bytes, more than the ${read.limit} that are read. It cannot be shown.`;
    case 'withheld':
      return `${at} is withheld: the operator's setting "${read.glob}" keeps it from being sent. Do without it and say so where it matters.`;
    case 'unavailable':
      return `${at} could not be read: ${read.why}.`;
    case 'missing':
      return missing(path, read.similar, ref, diff);
  }
}

function missing(path: string, similar: readonly string[], ref: Ref, diff: readonly FileDiff[]): string {
  const there = `There is no ${path} at ${ref}`;
  const moved = diff.find(
    (file) => file.status === 'renamed' && path === (ref === 'base' ? file.path : file.oldPath),
  );
  if (moved !== undefined)
    return `${there}: this change renames it, at ${ref} it is called ${ref === 'base' ? moved.oldPath : moved.path}.`;
  const changed = diff.find((file) => file.path === path);
  if (ref === 'base' && (changed?.status === 'added' || changed?.status === 'copied'))
    return `${there}: this change adds it.`;
  if (ref === 'head' && changed?.status === 'deleted')
    return `${there}: this change deletes it; get_file_at_base shows what it was.`;
  return similar.length > 0
    ? `${there}. Similar: ${similar.map(shownPath).join(', ')}.`
    : `${there}, and no similar name.`;
}
