import { codeOwnersOf, type CodeOwnersFile } from './code-owners.js';
import type { FileDiff } from './diff.js';
import type { Policy } from './policy.js';

/** Somebody who is asked when the gate cannot decide, and why they. */
export type Decider = {
  /** A login or a team: `octo-org/payments`. */
  readonly who: string;
  /** What names them: `CODEOWNERS line 14`. */
  readonly namedBy: string;
  /** The changed file for which it does. */
  readonly path?: string;
};

const MAX_DECIDERS = 10;

/** Those that the settings name, else the owners of the changed files. Who opened the change is left out where it is asked. */
export function decidersOf(
  { gate, places }: Pick<Policy, 'gate' | 'places'>,
  owners: CodeOwnersFile | null,
  diff: readonly Pick<FileDiff, 'path'>[],
): readonly Decider[] {
  if (gate.escalateTo.length > 0) {
    const place = places['gate.escalate_to'];
    const namedBy = place === undefined ? 'the configuration' : `${place.file} line ${place.line}`;
    return gate.escalateTo.slice(0, MAX_DECIDERS).map((who) => ({ who, namedBy }));
  }
  if (owners === null) return [];
  return codeOwnersOf(
    owners.lines,
    diff.map(({ path }) => path),
  )
    .slice(0, MAX_DECIDERS)
    .map(({ owner, line, path }) => ({ who: owner, namedBy: `${owners.file} line ${line}`, path }));
}
