import type { FileDiff } from '../../core/diff.js';
import type { Ref } from '../../core/evidence.js';
import type { RawFile } from '../../core/repo-view.js';
import type { GitEntry, GitTree } from './reader.js';

/** Both versions as they stand: their trees, and what is known of the contents. */
export type Versions = {
  readonly trees: Readonly<Record<Ref, GitTree>>;
  readonly raw: (ref: Ref, path: string) => RawFile | undefined;
};

/**
 * GitHub's list of changed files knows no modes, and leaves out the patch of binary files, of large ones and of those
 * that `.gitattributes` hides from diffs. The trees and contents tell these apart, so that no hidden change to a text
 * can pass for a binary one.
 */
export function completeDiff(diff: readonly FileDiff[], versions: Versions): FileDiff[] {
  return diff.map((file) => completeFile(file, versions));
}

function completeFile(file: FileDiff, { trees, raw }: Versions): FileDiff {
  const before = file.status === 'added' ? undefined : trees.base.entries.get(file.oldPath);
  const after = file.status === 'deleted' ? undefined : trees.head.entries.get(file.path);
  if (!before && !after) return file;
  const named: FileDiff = {
    ...file,
    ...(before && { oldMode: before.mode }),
    ...(after && { newMode: after.mode }),
    symlink: (after ?? before)?.mode === link,
    status: statusOf(file, before, after),
  };
  if (before?.mode === submodule || after?.mode === submodule)
    return {
      ...named,
      content: {
        kind: 'submodule',
        ...(before?.mode === submodule && { from: before.id }),
        ...(after?.mode === submodule && { to: after.id }),
      },
    };
  const { content } = file;
  const hasRows = content.kind === 'text' && content.hunks.length > 0;
  if (hasRows || content.kind === 'missing' || content.kind === 'submodule') return named;
  if (before && after && before.id === after.id) return { ...named, content: { kind: 'unchanged' } };
  const contents = [before && raw('base', file.oldPath), after && raw('head', file.path)];
  if (contents.some((one) => one?.kind === 'binary')) return { ...named, content: { kind: 'binary' } };
  const texts = contents.filter((one) => one !== undefined);
  if (texts.every((one) => one.kind === 'text' && one.text === ''))
    return { ...named, content: { kind: 'text', hunks: [] } };
  if (
    texts.some((one) => one.kind === 'unavailable' || one.kind === 'too_large') &&
    content.kind === 'binary'
  )
    return named;
  const detail = 'its content changed and GitHub shows no rows of it';
  return { ...named, content: { kind: 'missing', why: 'too_large', detail } };
}

const link = '120000';
const submodule = '160000';

function statusOf(file: FileDiff, before?: GitEntry, after?: GitEntry): FileDiff['status'] {
  if (file.status !== 'modified' || !before || !after || before.mode === after.mode) return file.status;
  if (before.mode.slice(0, 3) !== after.mode.slice(0, 3)) return 'type_changed';
  return before.id === after.id ? 'mode_only' : file.status;
}

/** Changed paths that the trees know and the list does not; a rename counts as two here. */
export function unlistedPaths(diff: readonly FileDiff[], trees: Readonly<Record<Ref, GitTree>>): string[] {
  const listed = new Set(diff.flatMap((file) => [file.path, file.oldPath]));
  const { head, base } = trees;
  const changed = (path: string): boolean => {
    const before = base.entries.get(path);
    const after = head.entries.get(path);
    return before?.id !== after?.id || before?.mode !== after?.mode;
  };
  return [...new Set([...head.entries.keys(), ...base.entries.keys()])]
    .filter((path) => !listed.has(path) && changed(path))
    .sort();
}
