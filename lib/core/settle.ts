import type { Coverage } from './coverage.js';
import type { FileDiff } from './diff.js';
import type { EvidenceSource } from './evidence.js';
import { standsIn, standsUnmoved, type Finding } from './finding.js';
import { fileOf, heightOf } from './place-today.js';

/**
 * Whether a finding that a pass did not report again is fixed by what code alone can see: its lines are gone, all that
 * changed in its file was read, and they do not stand in the same company in another file of this change. Silence
 * alone is "still there".
 */
export async function isGone(
  finding: Finding,
  coverage: Coverage,
  diff: readonly FileDiff[],
  source: EvidenceSource,
): Promise<boolean> {
  const { anchor, key } = finding;
  const height = heightOf(finding);
  const file = fileOf(finding, diff);
  if (anchor.kind === 'line' && anchor.side === 'LEFT') {
    // A removed line is accused: fixed when the change does not remove it any more and it stands at head again.
    if (file !== undefined && file.content.kind !== 'text') return false;
    if (file !== undefined && standsIn(key, height, rows(file, 'removed'))) return false;
    const now = await source.lines('head', file?.path ?? anchor.path);
    return now !== null && standsIn(key, height, now);
  }
  const path = file?.path ?? anchor.path;
  if (!wasRead(path, coverage)) return false;
  const others = diff.filter((one) => one.path !== path);
  if (file?.status === 'deleted') return !(await standsElsewhere(finding, others, source));
  const lines = await source.lines('head', path);
  if (lines === null) {
    // A file of this change that is not in it any more was taken back, or it has another name now.
    const named = others.filter(({ status }) => status === 'added' || status === 'renamed');
    if (file !== undefined || !named.every((one) => wasRead(one.path, coverage))) return false;
    for (const one of named) {
      const now = await source.lines('head', one.path);
      if (now === null ? one.content.kind === 'text' : standsIn(key, height, now)) return false;
    }
    return finding.origin === 'introduced';
  }
  return !standsIn(key, height, lines) && !(await standsElsewhere(finding, others, source));
}

const wasRead = (path: string, coverage: Coverage): boolean => {
  const covered = coverage.files.find((one) => one.path === path);
  return covered === undefined || covered.kind === 'seen';
};

/** Whether this change puts the accused lines, with the same neighbours, into a file that had no such place before. */
async function standsElsewhere(
  finding: Finding,
  files: readonly FileDiff[],
  source: EvidenceSource,
): Promise<boolean> {
  const height = heightOf(finding);
  for (const file of files) {
    if (!standsIn(finding.key, height, rows(file, 'added'))) continue;
    const now = await source.lines('head', file.path);
    if (now === null || !standsUnmoved({ key: finding.key }, height, now)) continue;
    const before = file.status === 'added' ? null : await source.lines('base', file.oldPath);
    if (before === null || !standsUnmoved({ key: finding.key }, height, before)) return true;
  }
  return false;
}

const rows = (file: FileDiff, kind: 'added' | 'removed'): readonly string[] =>
  file.content.kind === 'text'
    ? file.content.hunks.flatMap(({ lines }) =>
        lines.flatMap((line) => (line.kind === kind ? [line.text] : [])),
      )
    : [];
