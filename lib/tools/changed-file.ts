import type { FileDiff } from '../core/diff.js';
import { shownPath } from './shown-path.js';

/** A mode, a rename, what kind of content: why a file of the change is what it is, in a few words. */
export function fileState(file: FileDiff): string {
  const parts: string[] = [];
  switch (file.status) {
    case 'renamed':
    case 'copied':
      parts.push(`${file.status} from ${shownPath(file.oldPath)}`);
      break;
    case 'mode_only':
      parts.push(`mode ${file.oldMode ?? '?'} -> ${file.newMode ?? '?'}`);
      break;
    case 'type_changed':
      parts.push('type changed');
      break;
    case 'added':
    case 'deleted':
      parts.push(file.status);
      break;
    case 'modified':
      if (file.content.kind !== 'binary' && file.content.kind !== 'submodule') parts.push(file.status);
  }
  if (file.symlink) parts.push('symlink');
  if (file.status === 'modified' && file.oldMode !== file.newMode && file.oldMode !== undefined)
    parts.push(`mode ${file.oldMode} -> ${file.newMode ?? '?'}`);
  switch (file.content.kind) {
    case 'text':
    case 'unchanged':
      parts.push(`+${file.additions} -${file.deletions}`);
      break;
    case 'binary':
      parts.push('binary');
      break;
    case 'submodule':
      parts.push(`submodule ${file.content.from ?? 'none'}..${file.content.to ?? 'none'}`);
      break;
    case 'missing':
      parts.push(`+${file.additions} -${file.deletions}`, `not shown: ${missingWords[file.content.why]}`);
  }
  return parts.join(', ');
}

const missingWords = {
  too_large: 'too large',
  not_parsed: 'not readable',
  not_listed: 'not listed',
} as const;

export const changedFile = (diff: readonly FileDiff[], path: string): FileDiff | undefined =>
  diff.find((file) => file.path === path) ?? diff.find((file) => file.oldPath === path);
