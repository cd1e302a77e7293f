import type { FileDiff } from './diff.js';
import type { Ref } from './evidence.js';
import type { FileRead } from './repo-view.js';
import { compileGlob } from './search.js';
import { labelSecretsInDiff } from './secret.js';

/**
 * The diff as the tools may show it: secrets labelled as in the files, and no rows of what the operator withholds.
 * `read` is the view of the repository; it is asked for every changed text file of both versions.
 */
export async function hideInDiff(
  diff: readonly FileDiff[],
  read: (ref: Ref, path: string) => Promise<FileRead>,
  neverSend: readonly string[],
): Promise<readonly FileDiff[]> {
  const globs = neverSend.map((glob) => ({ glob, scope: compileGlob(glob) }));
  const shown = diff.map((file): FileDiff => {
    const withheld = globs.find(
      ({ scope }) => scope.kind === 'bad' || scope.covers(file.path) || scope.covers(file.oldPath),
    );
    if (!withheld || file.content.kind !== 'text') return file;
    const detail = `withheld by the operator's setting (${withheld.glob})`;
    return { ...file, content: { kind: 'missing', why: 'not_listed', detail } };
  });
  const lines = new Map<string, readonly string[]>();
  const keep = async (ref: Ref, path: string): Promise<void> => {
    const file = await read(ref, path);
    if (file.kind === 'text') lines.set(`${ref}:${path}`, file.lines);
  };
  for (const file of shown) {
    if (file.content.kind !== 'text') continue;
    await keep('head', file.path);
    await keep('base', file.oldPath);
  }
  return labelSecretsInDiff(shown, (ref, path) => lines.get(`${ref}:${path}`) ?? null);
}
