import { changedLines, type FileDiff } from './diff.js';
import { skipOf } from './coverage.js';
import type { Policy } from './policy.js';
import { firstGlob } from './search.js';

/**
 * Why a change does more than add behind a flag, in plain words; null when it adds only. Every file is a new one of `paths`, or
 * one of them that gets lines and loses none, or one of `beside`, in which lines may change too. A rename, another mode,
 * a link, a binary file, what is not read, and settings of git, GitHub and Evident are no additions. With `labels`, one is needed on top.
 */
export function whyNotAdditive(
  diff: readonly FileDiff[],
  labels: readonly string[],
  policy: Pick<Policy, 'gate' | 'review'>,
): string | null {
  const settings = policy.gate.additive;
  const there = new Set(labels.map((label) => label.toLowerCase()));
  if (settings.labels.length > 0 && !settings.labels.some((label) => there.has(label.toLowerCase())))
    return `it has no label ${settings.labels.join(' or ')}`;
  const inPaths = firstGlob(settings.paths);
  const inBeside = firstGlob(settings.beside);
  const skipped = skipOf(policy);
  for (const file of diff) {
    const why = runsAtOnce.test(file.path)
      ? 'is more than code behind a flag'
      : inPaths(file.path) !== -1
        ? skipped(file) !== null
          ? 'is not read'
          : removes(file)
        : inBeside(file.path) !== -1
          ? changesMoreThanLines(file)
          : 'is elsewhere';
    if (why !== null) return `${file.path} ${why}`;
  }
  return diff.some(({ path }) => inPaths(path) !== -1) ? null : 'it adds nothing there';
}

/** Workflows, who owns what, settings of ours, and what tells git how to treat other files: in force without any flag. */
const runsAtOnce = /^\.github\/|^evident\.yml$|(?:^|\/)(?:\.git[a-z]+|CODEOWNERS)$/i;

function removes(file: FileDiff): string | null {
  const more = changesMoreThanLines(file);
  if (more !== null) return more;
  return changedLines(file).LEFT.length + file.deletions > 0 ? 'removes or changes lines' : null;
}

function changesMoreThanLines({ status, content, symlink, oldMode, newMode }: FileDiff): string | null {
  if (content.kind !== 'text') return 'is not text that was read';
  if (symlink) return 'is a link';
  switch (status) {
    case 'added':
      // Mode 100755: a new program is more than code behind a flag.
      return newMode === '100644' ? null : newMode === '100755' ? 'is executable' : 'has an unknown mode';
    case 'modified':
      return oldMode === newMode && newMode !== undefined ? null : 'has another mode';
    case 'deleted':
    case 'renamed':
    case 'copied':
      return `is ${status}`;
    case 'mode_only':
    case 'type_changed':
      return 'has another mode';
  }
}
