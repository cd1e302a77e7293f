import { codeOwnersOf, type CodeOwnersFile } from './code-owners.js';
import type { FileDiff } from './diff.js';
import type { Policy } from './policy.js';

/** Somebody who is asked when the gate cannot decide: a login or a team (`octo-org/payments`), and why they. */
export type Decider = { readonly who: string; readonly because: string };

const MAX_DECIDERS = 10;

/** Those that the settings name, else the owners of the changed files. Who opened the change is left out where it is asked. */
export function decidersOf(
  { gate, places }: Pick<Policy, 'gate' | 'places'>,
  owners: CodeOwnersFile | null,
  diff: readonly Pick<FileDiff, 'path'>[],
): readonly Decider[] {
  if (gate.escalateTo.length > 0) {
    const place = places['gate.escalate_to'];
    const because =
      place === undefined ? 'the settings name you' : `${place.file} line ${place.line} names you`;
    return gate.escalateTo.slice(0, MAX_DECIDERS).map((who) => ({ who, because }));
  }
  if (owners === null) return [];
  return codeOwnersOf(
    owners.lines,
    diff.map(({ path }) => path),
  )
    .slice(0, MAX_DECIDERS)
    .map(({ owner, line, path }) => ({
      who: owner,
      because: `${owners.file} line ${line} names you for \`${path}\``,
    }));
}
