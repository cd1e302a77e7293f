import { codeOwnersPaths, type CodeOwnersFile } from './code-owners.js';
import type { FileDiff } from './diff.js';
import type { FileRead } from './repo-view.js';

export const SETTINGS_FILE = '.github/evident.yml';
export const REVIEW_RULES_FILE = 'REVIEW.md';

/** More than this is not shown to a model. */
export const MAX_REVIEW_RULES = 12_000;
const MAX_FOLDERS = 200;
const MAX_FILES = 20;

/** Reads files of the base: the side of a change that the change cannot write. */
export type BaseReader = { readonly read: (ref: 'base', path: string) => Promise<FileRead> };

/**
 * REVIEW.md of the base as one text: that of the root, then those of the folders that changed files stand in, each under
 * the name of its folder. Null when there is none.
 */
export async function composeReviewRules(
  reader: BaseReader,
  diff: readonly Pick<FileDiff, 'path' | 'oldPath'>[],
): Promise<string | null> {
  const folders = foldersOf(diff.flatMap(({ path, oldPath }) => [path, oldPath]));
  const parts: string[] = [];
  for (const folder of folders) {
    const read = await readText(reader, `${folder}${REVIEW_RULES_FILE}`);
    if (read.kind !== 'text' || parts.length >= MAX_FILES) continue;
    parts.push(
      folder === '' ? read.text : `# For files in \`${folder.replaceAll('`', "'")}\`\n\n${read.text.trim()}`,
    );
  }
  if (parts.length === 0) return null;
  const whole = parts.length === 1 ? (parts[0] ?? '') : parts.map((part) => part.trimEnd()).join('\n\n');
  return whole.length <= MAX_REVIEW_RULES
    ? whole
    : `${whole.slice(0, MAX_REVIEW_RULES).replace(/[\uD800-\uDBFF]$/, '')}\n[cut]`;
}

/** The root, then every folder above a path, outer ones first. */
function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const path of paths)
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
      if (folders.size < MAX_FOLDERS) folders.add(path.slice(0, at + 1));
  return ['', ...[...folders].sort()];
}

export type TextRead =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'unread'; readonly why: string };

/** A text file of the base; what is there and cannot be read is told apart from what is not there. */
export async function readText(reader: BaseReader, path: string): Promise<TextRead> {
  const read = await reader.read('base', path);
  switch (read.kind) {
    case 'text':
      return { kind: 'text', text: `${read.lines.join('\n')}` };
    case 'missing':
    case 'folder':
      return { kind: 'none' };
    case 'symlink':
      return { kind: 'unread', why: 'it is a symbolic link' };
    case 'submodule':
      return { kind: 'unread', why: 'it is a submodule' };
    case 'binary':
      return { kind: 'unread', why: 'it is no text' };
    case 'too_large':
      return { kind: 'unread', why: 'it is too large' };
    case 'withheld':
      return { kind: 'unread', why: 'the operator withholds it' };
    case 'unavailable':
      return { kind: 'unread', why: read.why };
  }
}

/** The lines of the CODEOWNERS file that counts; null when there is none. */
export async function readCodeOwners(reader: BaseReader): Promise<CodeOwnersFile | null> {
  for (const file of codeOwnersPaths) {
    const read = await readText(reader, file);
    if (read.kind === 'text') return { file, lines: read.text.split('\n') };
    if (read.kind === 'unread') return { file, lines: [] };
  }
  return null;
}

/** Files of settings and rules that a change touches: it is reviewed by the copies from before. */
export const editedSettings = (diff: readonly Pick<FileDiff, 'path' | 'oldPath'>[]): readonly string[] =>
  [...new Set(diff.flatMap(({ path, oldPath }) => [path, oldPath]))].filter(
    (path) => path === SETTINGS_FILE || path === REVIEW_RULES_FILE || path.endsWith(`/${REVIEW_RULES_FILE}`),
  );
